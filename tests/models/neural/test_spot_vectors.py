"""Spot's vectors of words and names, by other ways."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional

from codeacumen.models.neural.networks.spot_cnn import Names, firsts
from codeacumen.models.neural.networks.spot_vectors import (
    Learning,
    found_names,
    in_scale,
    move,
    name_word_vectors,
    word_step,
    word_vectors,
)
from codeacumen.search.vectors import unit_rows


def test_a_step_is_the_gradient() -> None:
    """Oracle: autograd of the objective, pair by pair."""
    torch.manual_seed(0)
    rows, others = torch.randn(7, 5, dtype=torch.float64), torch.randn(7, 5, dtype=torch.float64)
    words, texts = torch.tensor([1, 2, 3, 1, 4, 2, 6]), torch.tensor([0, 0, 0, 0, 1, 1, 1])
    drawn, window, negative, rate = torch.tensor([5, 2, 5]), 2, 5, 1e-6
    v, u = rows.clone().requires_grad_(), others.clone().requires_grad_()
    total = torch.zeros((), dtype=torch.float64)
    for i in range(7):
        for j in range(7):
            apart = abs(i - j)
            if 0 < apart <= window and texts[i] == texts[j]:
                true = functional.logsigmoid(v[words[i]] @ u[words[j]])
                false = functional.logsigmoid(-(u[drawn] @ v[words[i]])).mean()
                total = total + (window - apart + 1) / window * (true + negative * false)
    total.backward()
    moved, others_moved = rows.clone(), others.clone()
    word_step(moved, others_moved, words, texts, drawn, window, negative, rate)
    torch.testing.assert_close((moved - rows) / rate, v.grad, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close((others_moved - others) / rate, u.grad, rtol=1e-6, atol=1e-8)


def test_what_is_there_often_goes_no_farther_than_the_mean() -> None:
    table = torch.zeros(3, 2)
    rows = torch.tensor([0] * 1000 + [2])
    move(table, rows, torch.ones(1001, 2), torch.ones(1001), 0.01)
    torch.testing.assert_close(table, torch.tensor([[1.0, 1.0], [0.0, 0.0], [0.01, 0.01]]))


def test_values_of_a_text_have_a_mean_square_of_one() -> None:
    vectors = torch.rand(5, 3) / 100
    words = np.array([1, 2, 2, 4], np.int32)
    made = in_scale(vectors, words)
    assert made[words].square().mean().item() == pytest.approx(1)
    torch.testing.assert_close(unit_rows(made), unit_rows(vectors))


def texts_of_two_topics() -> list[list[int]]:
    draw = np.random.default_rng(0)
    return [(2 + 10 * (n % 2) + draw.integers(0, 10, 12)).tolist() for n in range(400)]


def test_neighbours_of_words_are_those_of_gensim() -> None:
    """Oracle: gensim's skip-gram. What stands in the same texts is near in both."""
    gensim = pytest.importorskip("gensim.models")
    texts = texts_of_two_topics()
    theirs = gensim.Word2Vec(
        [[str(one) for one in text] for text in texts],
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
    made = word_vectors(words, text, 24, 4, Learning(16, 0.1, 10))
    assert not made[[0, 1, 22, 23]].any()
    near = unit_rows(made) @ unit_rows(made).T
    for word in range(2, 22):
        of_theirs = {int(one) for one, _ in theirs.wv.most_similar(str(word), topn=9)}
        ours = {one for one in near[word].topk(10).indices.tolist() if one != word}
        assert ours == of_theirs
    again = word_vectors(words, text, 24, 4, Learning(16, 0.1, 10))
    assert torch.equal(made, again)
    assert not torch.equal(made, word_vectors(words, text, 24, 4, Learning(16, 0.1, 10, seed=1)))


def test_names_of_the_same_words_are_near_and_unseen_ones_are_found() -> None:
    """Two kinds of names, {2..5} and {6..9}; one that was not seen is near its own kind."""
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
    words, drawn = name_word_vectors(names, table, 10, Learning(12, 0.1, 10))
    seen = torch.from_numpy(drawn)
    found = found_names(torch.from_numpy(table), words, seen)
    torch.testing.assert_close(found.norm(dim=1), torch.ones(len(found)))
    unseen = found_names(torch.tensor([[2, 3, 4], [9, 7, 6], [0, 0, 0]]), words, seen)
    near = (unseen @ found.T).topk(6, dim=1).indices
    assert (near[0] < 12).all()
    assert (near[1] >= 12).all()
    assert not unseen[2].any()
    alone = found_names(torch.tensor([[9, 7, 6]]), words, seen)
    torch.testing.assert_close(alone[0], unseen[1])
    # Order and padding tell nothing.
    torch.testing.assert_close(found_names(torch.tensor([[6, 9, 7, 0]]), words, seen), alone)


# --------------------------------------------------------------------------------------
# Neighbours and what is told by them
# --------------------------------------------------------------------------------------


def test_neighbours_by_name_are_methods_and_not_those_of_the_name() -> None:
    names = Names.of(["getName", "get_name", "fetchName", "isNew", "x1"])
    assert names.words == (("get", "name"), ("fetch", "name"), ("is", "new"), ("x",))
    assert names.meant.tolist() == [0, 0, 1, 2, 3]
    found = firsts([0, 1, 2, 3], ("get", "name"), names, [5, 2, 4, 1], 5)
    assert found == ["fetch", "fetch", "is", "is", "is"]
