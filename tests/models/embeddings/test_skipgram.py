"""Skip-gram over arbitrary contexts. Oracles: differences of the loss, and gensim."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from codeacumen.models.embeddings.paths import kept_shares, learn, noise, skip_gram

SETTINGS = {"negative": 5, "sample": 0.0, "alpha": 0.05}


def loss(row: np.ndarray, others: np.ndarray, negative: int) -> float:
    """Of one pair with context 0, all negative samples being context 1."""
    good, bad = row @ others[0], row @ others[1]
    return float(np.log1p(np.exp(-good)) + negative * np.log1p(np.exp(bad)))


@pytest.mark.parametrize("size", [3, 4, 10])
def test_a_step_goes_down_the_gradient(size: int) -> None:
    """Each vector by its own gradient, divided by the root of the sum of its mean squares so far:
    Adagrad, by the book."""
    random = np.random.default_rng(1)
    row, others = random.normal(size=size), random.normal(size=(2, size))
    rows32, others32 = row[None].astype(np.float32), others.astype(np.float32)
    sums = np.array([0.5], dtype=np.float32), np.array([0.25, 0.0], dtype=np.float32)
    rate, negative, little = 1e-4, 3, 1e-6
    learn(
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

    def slopes(of: int) -> np.ndarray:
        """Of the loss along the row (-1) or a context."""
        found = np.zeros(size)
        for j in range(size):
            moved, changed = row.copy(), others.copy()
            (moved if of < 0 else changed[of])[j] += little
            found[j] = (loss(moved, changed, negative) - loss(row, others, negative)) / little
        return found

    slope = slopes(-1)
    expected = -slope / np.sqrt(0.5 + (slope**2).mean())
    np.testing.assert_allclose((rows32[0] - row) / rate, expected, atol=0.02)
    slope = slopes(0)
    expected = -slope / np.sqrt(0.25 + (slope**2).mean())
    np.testing.assert_allclose((others32[0] - others[0]) / rate, expected, atol=0.02)
    # Three negative samples, one after the other, each with a third of the gradient.
    slope = slopes(1) / negative
    times = sum(1 / np.sqrt(k * (slope**2).mean()) for k in range(1, negative + 1))
    np.testing.assert_allclose((others32[1] - others[1]) / rate, -slope * times, atol=0.02)


def test_negative_samples_by_frequency_to_three_quarters() -> None:
    counts = np.array([1000, 100, 10, 1])
    table = noise(counts, 1 << 16)
    shares = np.bincount(table, minlength=4) / len(table)
    expected = counts**0.75 / (counts**0.75).sum()
    np.testing.assert_allclose(shares, expected, atol=1e-4)


def test_frequent_words_are_skipped_as_gensim_skips_them() -> None:
    models = pytest.importorskip("gensim.models")
    counts = {"often": 100_000, "less": 1000, "rare": 3}
    model = models.Word2Vec(sample=1e-3, min_count=1)
    model.build_vocab_from_freq(counts)
    theirs = [model.wv.get_vecattr(word, "sample_int") / (2**32 - 1) for word in counts]
    ours = kept_shares(np.array(list(counts.values())), 1e-3)
    np.testing.assert_allclose(ours, theirs, rtol=1e-3)


def test_the_same_seed_gives_the_same_vectors() -> None:
    random = np.random.default_rng(0)
    word = random.integers(0, 50, 5000).astype(np.int32)
    context = random.integers(0, 80, 5000).astype(np.int32)
    made = [
        skip_gram(word, context, (50, 80), size=8, epochs=2, seed=seed, **SETTINGS)  # type: ignore[arg-type]
        for seed in (3, 3, 4)
    ]
    np.testing.assert_array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])


@pytest.mark.thorough
def test_on_windows_it_learns_what_gensim_learns() -> None:
    """The cosines of frequent words agree with those of what skip-gram stands for, a decomposition
    of pointwise mutual information (Levy and Goldberg, NIPS 2014), as well as gensim's do, and
    with gensim's."""
    models = pytest.importorskip("gensim.models")
    from gensim.test.utils import datapath

    with open(datapath("lee_background.cor"), encoding="utf-8") as stream:  # noqa: PTH123
        sentences = [line.lower().split() for line in stream]
    counts: dict[str, int] = {}
    for word in itertools.chain.from_iterable(sentences):
        counts[word] = counts.get(word, 0) + 1
    words = sorted((w for w in counts if counts[w] >= 5), key=lambda w: (-counts[w], w))
    places = {word: i for i, word in enumerate(words)}
    left, right = [], []
    random = np.random.default_rng(0)
    for sentence in sentences:
        codes = [places[word] for word in sentence if word in places]
        for i, code in enumerate(codes):
            reach = int(random.integers(1, 6))
            near = codes[max(0, i - reach) : i] + codes[i + 1 : i + 1 + reach]
            left += [code] * len(near)
            right += near
    ours = skip_gram(
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
    together = np.zeros((len(words),) * 2)
    np.add.at(together, (left, right), 1)
    expected = np.outer(together.sum(axis=1), (shares := together.sum(axis=0) ** 0.75))
    with np.errstate(divide="ignore"):
        information = np.log(together / expected * shares.sum())
    rows, values, _ = np.linalg.svd(np.maximum(information, 0))
    decomposed = rows[:, :30] * np.sqrt(values[:30])
    some = np.random.default_rng(5).integers(20, 300, (2, 3000))

    def cosines(rows: np.ndarray) -> np.ndarray:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray((unit[some[0]] * unit[some[1]]).sum(axis=1))

    truth = cosines(decomposed)
    gensim = spearmanr(cosines(theirs), truth)[0]
    assert gensim > 0.5
    assert spearmanr(cosines(ours), truth)[0] > gensim - 0.05
    assert spearmanr(cosines(ours), cosines(theirs))[0] > 0.7
