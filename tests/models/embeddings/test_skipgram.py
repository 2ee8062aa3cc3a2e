"""Tests of skip-gram over arbitrary contexts. Oracles: differences of the loss, and gensim."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from codeacumen.models.embeddings.paths import (
    compute_keep_probabilities,
    make_noise_table,
    train_skip_gram,
    update_vectors,
)

SETTINGS = {"negative": 5, "sample": 0.0, "alpha": 0.05}


def compute_loss(row: np.ndarray, others: np.ndarray, negative: int) -> float:
    """Return the loss of one pair with context 0 if all negative samples are context 1."""
    positive_logit, negative_logit = row @ others[0], row @ others[1]
    return float(np.log1p(np.exp(-positive_logit)) + negative * np.log1p(np.exp(negative_logit)))


@pytest.mark.parametrize("size", [3, 4, 10])
def test_step_follows_adagrad_gradient(size: int) -> None:
    """Each vector moves by its own gradient, divided by the root of the accumulated mean squares,
    as Adagrad does."""
    random = np.random.default_rng(1)
    row, others = random.normal(size=size), random.normal(size=(2, size))
    rows32, others32 = row[None].astype(np.float32), others.astype(np.float32)
    sums = np.array([0.5], dtype=np.float32), np.array([0.25, 0.0], dtype=np.float32)
    rate, negative, epsilon = 1e-4, 3, 1e-6
    update_vectors(
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        rows32,
        others32,
        *sums,
        np.ones(8, dtype=np.int32),
        np.ones(1, dtype=np.float32),
        negative,
        np.float32(rate),
        np.ones(1, dtype=np.uint64),
    )

    def compute_gradient(target: int) -> np.ndarray:
        """Return the gradient of the loss along the row (`target` is -1) or along a context."""
        gradient = np.zeros(size)
        for j in range(size):
            moved_row, changed_others = row.copy(), others.copy()
            (moved_row if target < 0 else changed_others[target])[j] += epsilon
            gradient[j] = (
                compute_loss(moved_row, changed_others, negative)
                - compute_loss(row, others, negative)
            ) / epsilon
        return gradient

    gradient = compute_gradient(-1)
    expected = -gradient / np.sqrt(0.5 + (gradient**2).mean())
    np.testing.assert_allclose((rows32[0] - row) / rate, expected, atol=0.02)
    gradient = compute_gradient(0)
    expected = -gradient / np.sqrt(0.25 + (gradient**2).mean())
    np.testing.assert_allclose((others32[0] - others[0]) / rate, expected, atol=0.02)
    # Three negative samples, one after the other, each with a third of the gradient.
    gradient = compute_gradient(1) / negative
    step_scale = sum(1 / np.sqrt(k * (gradient**2).mean()) for k in range(1, negative + 1))
    np.testing.assert_allclose((others32[1] - others[1]) / rate, -gradient * step_scale, atol=0.02)


def test_negative_samples_follow_frequency_to_three_quarters() -> None:
    counts = np.array([1000, 100, 10, 1])
    table = make_noise_table(counts, 1 << 16)
    shares = np.bincount(table, minlength=4) / len(table)
    expected = counts**0.75 / (counts**0.75).sum()
    np.testing.assert_allclose(shares, expected, atol=1e-4)


def test_frequent_words_are_skipped_as_often_as_by_gensim() -> None:
    models = pytest.importorskip("gensim.models")
    counts = {"often": 100_000, "less": 1000, "rare": 3}
    model = models.Word2Vec(sample=1e-3, min_count=1)
    model.build_vocab_from_freq(counts)
    theirs = [model.wv.get_vecattr(word, "sample_int") / (2**32 - 1) for word in counts]
    ours = compute_keep_probabilities(np.array(list(counts.values())), 1e-3)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_same_seed_returns_same_vectors() -> None:
    random = np.random.default_rng(0)
    word = random.integers(0, 50, 5000).astype(np.int32)
    context = random.integers(0, 80, 5000).astype(np.int32)
    vectors = [
        train_skip_gram(word, context, (50, 80), size=8, epochs=2, seed=seed, **SETTINGS)  # type: ignore[arg-type]
        for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(vectors[0], vectors[1])
    assert not np.array_equal(vectors[0], vectors[2])


@pytest.mark.thorough
def test_window_contexts_train_vectors_like_gensim() -> None:
    """Cosines of frequent words agree with gensim's, and agree as well as gensim's do with a
    decomposition of pointwise mutual information, to which skip-gram is equivalent (Levy and
    Goldberg, NIPS 2014)."""
    models = pytest.importorskip("gensim.models")
    from gensim.test.utils import datapath

    with open(datapath("lee_background.cor"), encoding="utf-8") as stream:  # noqa: PTH123
        sentences = [line.lower().split() for line in stream]
    counts: dict[str, int] = {}
    for word in itertools.chain.from_iterable(sentences):
        counts[word] = counts.get(word, 0) + 1
    words = sorted((w for w in counts if counts[w] >= 5), key=lambda w: (-counts[w], w))
    code_by_word = {word: i for i, word in enumerate(words)}
    left, right = [], []
    random = np.random.default_rng(0)
    for sentence in sentences:
        codes = [code_by_word[word] for word in sentence if word in code_by_word]
        for i, code in enumerate(codes):
            reach = int(random.integers(1, 6))
            neighbor_codes = codes[max(0, i - reach) : i] + codes[i + 1 : i + 1 + reach]
            left += [code] * len(neighbor_codes)
            right += neighbor_codes
    ours = train_skip_gram(
        np.array(left, dtype=np.int32),
        np.array(right, dtype=np.int32),
        (len(words),) * 2,
        size=30,
        epochs=15,
        seed=0,
        **SETTINGS,  # type: ignore[arg-type]
    )
    model = models.Word2Vec(
        sentences,
        vector_size=30,
        min_count=5,
        window=5,
        sg=1,
        negative=5,
        sample=0,
        epochs=15,
        seed=1,
        workers=1,
    )
    theirs = np.array([model.wv[word] for word in words])
    cooccurrences = np.zeros((len(words),) * 2)
    np.add.at(cooccurrences, (left, right), 1)
    expected = np.outer(cooccurrences.sum(axis=1), (shares := cooccurrences.sum(axis=0) ** 0.75))
    with np.errstate(divide="ignore"):
        information = np.log(cooccurrences / expected * shares.sum())
    rows, values, _ = np.linalg.svd(np.maximum(information, 0))
    decomposed = rows[:, :30] * np.sqrt(values[:30])
    sampled_pairs = np.random.default_rng(5).integers(20, 300, (2, 3000))

    def compute_cosines(rows: np.ndarray) -> np.ndarray:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray((unit[sampled_pairs[0]] * unit[sampled_pairs[1]]).sum(axis=1))

    reference_cosines = compute_cosines(decomposed)
    gensim_correlation = spearmanr(compute_cosines(theirs), reference_cosines)[0]
    assert gensim_correlation > 0.5
    assert spearmanr(compute_cosines(ours), reference_cosines)[0] > gensim_correlation - 0.05
    assert spearmanr(compute_cosines(ours), compute_cosines(theirs))[0] > 0.7
