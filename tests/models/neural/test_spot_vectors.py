"""Tests of Spot's vectors of words and names against independent computations."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional

from codeacumen.models.neural.networks.spot_cnn import LabelNames, collect_first_words
from codeacumen.models.neural.networks.spot_vectors import (
    LearningOptions,
    apply_gradients,
    infer_name_vectors,
    learn_name_word_vectors,
    learn_word_vectors,
    normalise_scale,
    update_word_vectors,
)
from codeacumen.search.vectors import unit_rows


def test_step_follows_gradient() -> None:
    """Oracle: autograd of the objective, pair by pair."""
    torch.manual_seed(0)
    rows, others = torch.randn(7, 5, dtype=torch.float64), torch.randn(7, 5, dtype=torch.float64)
    words, texts = torch.tensor([1, 2, 3, 1, 4, 2, 6]), torch.tensor([0, 0, 0, 0, 1, 1, 1])
    negatives, window, negative, rate = torch.tensor([5, 2, 5]), 2, 5, 1e-6
    row_parameters, other_parameters = (
        rows.clone().requires_grad_(),
        others.clone().requires_grad_(),
    )
    total = torch.zeros((), dtype=torch.float64)
    for i in range(7):
        for j in range(7):
            gap = abs(i - j)
            if 0 < gap <= window and texts[i] == texts[j]:
                true = functional.logsigmoid(row_parameters[words[i]] @ other_parameters[words[j]])
                false = functional.logsigmoid(
                    -(other_parameters[negatives] @ row_parameters[words[i]])
                ).mean()
                total = total + (window - gap + 1) / window * (true + negative * false)
    total.backward()
    moved, others_moved = rows.clone(), others.clone()
    update_word_vectors(moved, others_moved, words, texts, negatives, window, negative, rate)
    torch.testing.assert_close((moved - rows) / rate, row_parameters.grad, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(
        (others_moved - others) / rate, other_parameters.grad, rtol=1e-6, atol=1e-8
    )


def test_frequent_rows_move_at_most_to_the_mean() -> None:
    table = torch.zeros(3, 2)
    rows = torch.tensor([0] * 1000 + [2])
    apply_gradients(table, rows, torch.ones(1001, 2), torch.ones(1001), 0.01)
    torch.testing.assert_close(table, torch.tensor([[1.0, 1.0], [0.0, 0.0], [0.01, 0.01]]))


def test_vectors_are_scaled_to_mean_square_of_one() -> None:
    vectors = torch.rand(5, 3) / 100
    words = np.array([1, 2, 2, 4], np.int32)
    scaled = normalise_scale(vectors, words)
    assert scaled[words].square().mean().item() == pytest.approx(1)
    torch.testing.assert_close(unit_rows(scaled), unit_rows(vectors))


def texts_of_two_topics() -> list[list[int]]:
    draw = np.random.default_rng(0)
    return [(2 + 10 * (n % 2) + draw.integers(0, 10, 12)).tolist() for n in range(400)]


def test_neighbours_of_words_equal_those_of_gensim() -> None:
    """Oracle: gensim's skip-gram. Words of the same texts are neighbours in both."""
    gensim = pytest.importorskip("gensim.models")
    texts = texts_of_two_topics()
    theirs = gensim.Word2Vec(
        [[str(code) for code in text] for text in texts],
        vector_size=16,
        window=4,
        min_count=1,
        sg=1,
        negative=5,
        alpha=0.05,
        epochs=20,
        seed=1,
        workers=1,
        sample=0,
    )
    words = np.concatenate(texts).astype(np.int32)
    text = np.repeat(np.arange(len(texts), dtype=np.int32), 12)
    vectors = learn_word_vectors(words, text, 24, 4, LearningOptions(16, 0.1, 10))
    assert not vectors[[0, 1, 22, 23]].any()
    similarities = unit_rows(vectors) @ unit_rows(vectors).T
    for word in range(2, 22):
        of_theirs = {int(neighbour) for neighbour, _ in theirs.wv.most_similar(str(word), topn=9)}
        ours = {
            neighbour
            for neighbour in similarities[word].topk(10).indices.tolist()
            if neighbour != word
        }
        assert ours == of_theirs
    again = learn_word_vectors(words, text, 24, 4, LearningOptions(16, 0.1, 10))
    assert torch.equal(vectors, again)
    assert not torch.equal(
        vectors, learn_word_vectors(words, text, 24, 4, LearningOptions(16, 0.1, 10, seed=1))
    )


def test_names_with_same_words_are_near_and_unseen_names_have_vectors() -> None:
    """There are two kinds of names, {2..5} and {6..9}; an unseen name is near its own kind."""
    draw = np.random.default_rng(1)
    table = np.array(
        [
            [a, b]
            for base in (2, 6)
            for a in range(base, base + 4)
            for b in range(base, base + 4)
            if a != b
        ]
    )
    names = draw.integers(0, len(table), 4000)
    words, seen_names = learn_name_word_vectors(names, table, 10, LearningOptions(12, 0.1, 10))
    seen_tensor = torch.from_numpy(seen_names)
    name_vectors = infer_name_vectors(torch.from_numpy(table), words, seen_tensor)
    torch.testing.assert_close(name_vectors.norm(dim=1), torch.ones(len(name_vectors)))
    unseen_vectors = infer_name_vectors(
        torch.tensor([[2, 3, 4], [9, 7, 6], [0, 0, 0]]), words, seen_tensor
    )
    nearest = (unseen_vectors @ name_vectors.T).topk(6, dim=1).indices
    assert (nearest[0] < 12).all()
    assert (nearest[1] >= 12).all()
    assert not unseen_vectors[2].any()
    alone = infer_name_vectors(torch.tensor([[9, 7, 6]]), words, seen_tensor)
    torch.testing.assert_close(alone[0], unseen_vectors[1])
    # Order and padding have no influence.
    torch.testing.assert_close(
        infer_name_vectors(torch.tensor([[6, 9, 7, 0]]), words, seen_tensor), alone
    )


# --------------------------------------------------------------------------------------
# Neighbours and their first words
# --------------------------------------------------------------------------------------


def test_neighbours_by_name_exclude_methods_with_the_name() -> None:
    names = LabelNames.from_labels(["getName", "get_name", "fetchName", "isNew", "x1"])
    assert names.words == (("get", "name"), ("fetch", "name"), ("is", "new"), ("x",))
    assert names.name_of_label.tolist() == [0, 0, 1, 2, 3]
    first_words = collect_first_words([0, 1, 2, 3], ("get", "name"), names, [5, 2, 4, 1], 5)
    assert first_words == ["fetch", "fetch", "is", "is", "is"]
