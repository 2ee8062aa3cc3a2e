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
from research.lexicon.threads import limit_to_one_thread
from research.lexicon.words import Codes

Matrix = NDArray[np.float32]
# A word with a larger share of the stream is subsampled.
SAMPLE = 1e-4
SMOOTHING = 0.75
# A word that occurs less often has no vector, because it would describe only those few sentences.
LEAST_COUNT = 20
# Additional dimensions and power iterations of the randomised decomposition.
OVERSAMPLING = 40
PASSES = 3
# Exponent of the singular values: 0 gives all dimensions the same weight, 1 their own; small values
# are usual.
POWER = 0.25


def build_space(
    streams: Sequence[Codes],
    words: int,
    window: int,
    size: int,
    seed: int,
    label: str,
    step: Progress = ignore_progress,
) -> Matrix:
    """Return unit vectors of words; zeros for a word that is rare or has no neighbours."""
    count = sum(np.bincount(stream[stream >= 0], minlength=words) for stream in streams)
    share = count / max(np.sum(count), 1)
    keep_probability = np.where(
        count < LEAST_COUNT, 0.0, np.sqrt(SAMPLE / np.maximum(share, 1e-12))
    )
    counts = np.zeros((words, words), dtype=np.float32)
    passes = 2 * PASSES + 3
    for number, stream in enumerate(streams):
        step(label, number, len(streams) + passes)
        _count_neighbours(counts, stream, keep_probability, window, np.uint64(seed + 1))
    row_sums = counts.sum(axis=1, dtype=np.float64)
    column_weights = row_sums**SMOOTHING
    _compute_information(counts, row_sums, column_weights / max(column_weights.sum(), 1e-12))
    size = min(size, words)

    def report_pass(done: int) -> None:
        step(label, len(streams) + done, len(streams) + passes)

    with limit_to_one_thread():
        left, values = _decompose(counts, size, seed, report_pass)
    return center_rows(left * values**POWER, row_sums > 0)


def center_rows(rows: Matrix, has_vector: NDArray[np.bool_]) -> Matrix:
    """Return rows centred by their mean and scaled to length 1; unknown rows stay 0."""
    centered = np.zeros(rows.shape, dtype=np.float32)
    if has_vector.any():
        vectors = rows[has_vector] - rows[has_vector].mean(axis=0, dtype=np.float64)
        length = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
        centered[has_vector] = vectors / np.maximum(length, 1e-9)
    return centered


def _decompose(
    matrix: Matrix, size: int, seed: int, report_pass: Callable[[int], None]
) -> tuple[Matrix, Matrix]:
    """Return the left singular vectors and singular values by randomised SVD."""
    rng = np.random.default_rng(seed)
    width = min(size + OVERSAMPLING, len(matrix))
    basis = matrix @ rng.standard_normal((len(matrix), width), dtype=np.float32)
    report_pass(1)
    for iteration in range(PASSES):
        basis, _ = np.linalg.qr(basis)
        projected = matrix.T @ basis
        report_pass(2 * iteration + 2)
        basis = matrix @ projected
        report_pass(2 * iteration + 3)
    basis, _ = np.linalg.qr(basis)
    reduced = basis.T @ matrix
    left, values, _ = np.linalg.svd(reduced.astype(np.float64), full_matrices=False)
    report_pass(2 * PASSES + 3)
    return (basis @ left[:, :size].astype(np.float32)), values[:size].astype(np.float32)


@kernel
def _count_neighbours(
    counts: Matrix,
    stream: Codes,
    keep_probability: NDArray[np.float64],
    window: int,
    seed: np.uint64,
) -> None:
    """Add the weighted counts of neighbouring words of a stream to ``counts``, in place."""
    recent_words = np.empty(window, dtype=np.int64)
    held_count = 0
    for i in range(len(stream)):
        word = stream[i]
        if word < 0:
            held_count = 0
            continue
        random_bits = np.uint64(i) + seed * np.uint64(0x9E3779B97F4A7C15)
        random_bits = (random_bits ^ (random_bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        random_bits = (random_bits ^ (random_bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        random_bits = random_bits ^ (random_bits >> np.uint64(31))
        if float(random_bits >> np.uint64(11)) * 2.0**-53 >= keep_probability[word]:
            continue
        for distance in range(1, min(held_count, window) + 1):
            other = recent_words[(held_count - distance) % window]
            weight = np.float32(window - distance + 1)
            counts[word, other] += weight
            counts[other, word] += weight
        recent_words[held_count % window] = word
        held_count += 1


@kernel
def _compute_information(
    counts: Matrix, row_sums: NDArray[np.float64], share: NDArray[np.float64]
) -> None:
    """Replace counts by positive pointwise mutual information, in place."""
    for i in range(len(counts)):
        for j in range(len(counts)):
            if counts[i, j] > 0:
                ratio = counts[i, j] / (row_sums[i] * share[j])
                counts[i, j] = np.log(ratio) if ratio > 1 else 0.0
