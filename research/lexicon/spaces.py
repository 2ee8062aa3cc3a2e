"""Word vectors: positive pointwise mutual information of neighbouring words, in few dimensions.

The matrix is reduced by a randomised singular value decomposition (Halko, Martinsson and Tropp
2011). Counts are weighted by distance: in a window of 5 a neighbour counts 5, the next word 4. They
are whole numbers, so their sum does not depend on the order. Frequent words are subsampled and the
context distribution is smoothed, both as in word2vec.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.languages.kernel import kernel
from research.lexicon._threads import one_thread
from research.lexicon._words import Codes

Matrix = NDArray[np.float32]
# A word with a larger share of the stream is subsampled.
SAMPLE = 1e-4
SMOOTHING = 0.75
# A word that occurs less often has no vector, because it would describe only those few sentences.
LEAST = 20
# Additional dimensions and power iterations of the randomised decomposition.
BEYOND = 40
PASSES = 3
# Exponent of the singular values: 0 gives all dimensions the same weight, 1 their own; small values
# are usual.
POWER = 0.25


def space(
    streams: Sequence[Codes],
    words: int,
    window: int,
    size: int,
    seed: int,
    what: str,
    step: Progress = ignore_progress,
) -> Matrix:
    """Return unit vectors of words; zeros for a word that is rare or has no neighbours."""
    count = sum(np.bincount(stream[stream >= 0], minlength=words) for stream in streams)
    share = count / max(np.sum(count), 1)
    keep = np.where(count < LEAST, 0.0, np.sqrt(SAMPLE / np.maximum(share, 1e-12)))
    counts = np.zeros((words, words), dtype=np.float32)
    passes = 2 * PASSES + 3
    for number, stream in enumerate(streams):
        step(what, number, len(streams) + passes)
        _count(counts, stream, keep, window, np.uint64(seed + 1))
    row = counts.sum(axis=1, dtype=np.float64)
    column = row**SMOOTHING
    _information(counts, row, column / max(column.sum(), 1e-12))
    size = min(size, words)

    def told(done: int) -> None:
        step(what, len(streams) + done, len(streams) + passes)

    with one_thread():
        left, values = _decomposed(counts, size, seed, told)
    return centred(left * values**POWER, row > 0)


def centred(rows: Matrix, known: NDArray[np.bool_]) -> Matrix:
    """Return rows centred by their mean and scaled to length 1; unknown rows stay 0."""
    found = np.zeros(rows.shape, dtype=np.float32)
    if known.any():
        inner = rows[known] - rows[known].mean(axis=0, dtype=np.float64)
        length = np.sqrt(np.square(inner).sum(axis=1, keepdims=True))
        found[known] = inner / np.maximum(length, 1e-9)
    return found


def _decomposed(
    matrix: Matrix, size: int, seed: int, told: Callable[[int], None]
) -> tuple[Matrix, Matrix]:
    """Return the left singular vectors and singular values by randomised SVD."""
    rng = np.random.default_rng(seed)
    width = min(size + BEYOND, len(matrix))
    base = matrix @ rng.standard_normal((len(matrix), width), dtype=np.float32)
    told(1)
    for turn in range(PASSES):
        base, _ = np.linalg.qr(base)
        other = matrix.T @ base
        told(2 * turn + 2)
        base = matrix @ other
        told(2 * turn + 3)
    base, _ = np.linalg.qr(base)
    small = base.T @ matrix
    left, values, _ = np.linalg.svd(small.astype(np.float64), full_matrices=False)
    told(2 * PASSES + 3)
    return (base @ left[:, :size].astype(np.float32)), values[:size].astype(np.float32)


@kernel
def _count(
    counts: Matrix, stream: Codes, keep: NDArray[np.float64], window: int, seed: np.uint64
) -> None:
    """Add the weighted counts of neighbouring words of a stream to ``counts``, in place."""
    before = np.empty(window, dtype=np.int64)
    held = 0
    for i in range(len(stream)):
        word = stream[i]
        if word < 0:
            held = 0
            continue
        x = np.uint64(i) + seed * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
        if float(x >> np.uint64(11)) * 2.0**-53 >= keep[word]:
            continue
        for back in range(1, min(held, window) + 1):
            other = before[(held - back) % window]
            weight = np.float32(window - back + 1)
            counts[word, other] += weight
            counts[other, word] += weight
        before[held % window] = word
        held += 1


@kernel
def _information(counts: Matrix, row: NDArray[np.float64], share: NDArray[np.float64]) -> None:
    """Replace counts by positive pointwise mutual information, in place."""
    for i in range(len(counts)):
        for j in range(len(counts)):
            if counts[i, j] > 0:
                ratio = counts[i, j] / (row[i] * share[j])
                counts[i, j] = np.log(ratio) if ratio > 1 else 0.0
