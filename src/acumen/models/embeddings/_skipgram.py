"""Skip-gram with negative sampling over arbitrary pairs of words and contexts.

Levy and Goldberg's generalisation of word2vec ("Dependency-based word embeddings", ACL 2014): the
contexts of a word are whatever the caller says, with vectors of their own. For each pair the
context and some others, drawn by their frequency to the power 3/4, are told apart by one step of
gradient descent. One thread, one stream of random numbers: the same input gives the same vectors.

Otherwise than in word2vec, each vector has a learning rate of its own, which falls with what it
has learned: Adagrad (Duchi et al., JMLR 2011), with one sum for a vector, and the rate of GloVe.
Windows have few contexts, and each is seen very often; paths have many, and most are seen a dozen
times. With one rate for all, either those stay near where they began, and with them the names, all
in one direction; or the frequent ones are torn to and fro.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.core.progress import Progress, ignore_progress
from acumen.lang.kernel import kernel

Rows = NDArray[np.float32]
Ints = NDArray[np.int32]

# Places of the table that negative samples are drawn from.
TABLE = 1 << 22
# Pairs between two steps of the progress bar.
CHUNK = 1 << 20


def noise(counts: NDArray[np.int64], places: int = TABLE) -> Ints:
    """A table in which each context has places by its count to the power 3/4."""
    shares = np.cumsum(counts.astype(np.float64) ** 0.75)
    ends = np.round(shares / shares[-1] * places).astype(np.int64)
    return np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(ends, prepend=0))


def kept_shares(counts: NDArray[np.int64], sample: float) -> Rows:
    """How much of each word is learned from: all of a rare one, less of a frequent one."""
    share = counts / max(1, counts.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = np.sqrt(sample / share) + sample / share
    return np.where(counts > 0, np.minimum(kept, 1.0), 1.0).astype(np.float32)


def skip_gram(
    word: Ints,
    context: Ints,
    sizes: tuple[int, int],
    *,
    size: int,
    epochs: int,
    negative: int,
    sample: float,
    alpha: float,
    seed: int,
    step: Progress = ignore_progress,
) -> Rows:
    """A vector for each of the words; ``sizes``: how many words and how many contexts there are."""
    words = np.bincount(word, minlength=sizes[0]).astype(np.int64)
    contexts = np.bincount(context, minlength=sizes[1]).astype(np.int64)
    random = np.random.default_rng(seed)
    # Both begin with a length that does not depend on the dimensions.
    width = np.float32(1 / np.sqrt(size))
    rows = (random.random((sizes[0], size), dtype=np.float32) - np.float32(0.5)) * width
    others = (random.random((sizes[1], size), dtype=np.float32) - np.float32(0.5)) * width
    learned = (np.zeros(sizes[0], dtype=np.float32), np.zeros(sizes[1], dtype=np.float32))
    kept = kept_shares(words, sample) if sample else np.ones(sizes[0], dtype=np.float32)
    table, total = noise(contexts), epochs * len(word)
    state = np.array([seed * 2 + 1], dtype=np.uint64)
    for epoch in range(epochs):
        for start in range(0, len(word), CHUNK):
            done = epoch * len(word) + start
            step(f"epoch {epoch + 1} of {epochs}", done, total)
            learn(
                word[start : start + CHUNK], context[start : start + CHUNK], rows, others, *learned,
                table, kept, negative, np.float32(alpha), state,
            )  # fmt: skip
    return rows


@kernel
def learn(
    word: Ints,
    context: Ints,
    rows: Rows,
    others: Rows,
    row_sum: Rows,
    other_sum: Rows,
    table: Ints,
    kept: Rows,
    negative: int,
    rate: np.float32,
    state: NDArray[np.uint64],
) -> None:
    """One step of gradient descent for each pair, in place. The two sums are of the gradients'
    mean squares, so far; a step is divided by the root."""
    size = rows.shape[1]
    share, least = np.float32(1.0 / size), np.float32(1e-12)
    change = np.empty(size, dtype=np.float32)
    random = state[0]
    one, zero = np.float32(1.0), np.float32(0.0)
    for i in range(len(word)):
        mine = word[i]
        # Knuth's constants for a linear congruential generator; its high bits are good.
        random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        if (
            kept[mine] < one
            and np.float32(random >> np.uint64(40)) / np.float32(1 << 24) >= (kept[mine])
        ):
            continue
        row = rows[mine]
        square = zero
        for j in range(size):
            change[j] = zero
            square += row[j] * row[j]
        square *= share
        for k in range(negative + 1):
            target = np.int64(context[i])
            label = one
            if k > 0:
                random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                target = np.int64(table[np.int64(random >> np.uint64(33)) % len(table)])
                if target == context[i]:
                    continue
                label = zero
            other = others[target]
            # Four sums side by side, which the machine adds at once.
            a, b, c, d = zero, zero, zero, zero
            j = 0
            while j + 4 <= size:
                a += row[j] * other[j]
                b += row[j + 1] * other[j + 1]
                c += row[j + 2] * other[j + 2]
                d += row[j + 3] * other[j + 3]
                j += 4
            while j < size:
                a += row[j] * other[j]
                j += 1
            value = (a + b) + (c + d)
            value = min(max(value, np.float32(-30.0)), np.float32(30.0))
            error = label - one / (one + np.exp(-value))
            other_sum[target] += error * error * square
            step = error * rate / np.sqrt(other_sum[target] + least)
            for j in range(size):
                change[j] += error * other[j]
                other[j] += step * row[j]
        square = zero
        for j in range(size):
            square += change[j] * change[j]
        row_sum[mine] += square * share
        step = rate / np.sqrt(row_sum[mine] + least)
        for j in range(size):
            row[j] += step * change[j]
    state[0] = random
