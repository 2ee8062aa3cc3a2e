"""What a count weighs: PPMI, tf-idf, BM25. Each is learned from a matrix of counts, texts by
n-grams, and weighs the counts of any other texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.similar._spaces_counts import Sparse

Floats = NDArray[np.float64]
Weigh = Callable[[Sparse], Sparse]


def ppmi(counts: Sparse, alpha: float) -> Weigh:
    """Positive pointwise mutual information, columns' sums to the power of ``alpha`` (context
    distribution smoothing, Levy et al., TACL 2015): ln(max(1, F_ij · Σ_k C_k^α / (R_i · C_j^α))),
    with R the sums of rows and C those of columns.

    The formula printed in SeSaMe's paper divides by the sum over rows (of row sums to the power)
    where its code, and Levy et al., have that over columns; this is the code's. A new row is
    weighed by its own sum and the columns' sums as learned.
    """
    smoothed = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel() ** alpha
    total = smoothed.sum()

    def weigh(matrix: Sparse) -> Sparse:
        sums = _row_sums(matrix)
        share = total / smoothed[matrix.indices] / np.repeat(sums, np.diff(matrix.indptr))
        return _with(matrix, np.log(np.maximum(1.0, matrix.data * share)))

    return weigh


def tfidf(counts: Sparse, sublinear: bool) -> Weigh:
    """Counts (or 1 + ln of them) times ln((1 + texts) / (1 + texts with the n-gram)) + 1, as
    scikit-learn smooths it."""
    idf = np.log((1 + counts.shape[0]) / (1 + _texts_with(counts))) + 1

    def weigh(matrix: Sparse) -> Sparse:
        data = 1 + np.log(matrix.data) if sublinear else matrix.data
        return _with(matrix, data * idf[matrix.indices])

    return weigh


def bm25(counts: Sparse, k: float, b: float) -> Weigh:
    """Okapi BM25 (Robertson and Zaragoza, 2009): what each n-gram of a text would add to its score
    if asked for. The idf is ln(1 + (N − n + ½) / (n + ½)), which is never negative."""
    texts, having = counts.shape[0], _texts_with(counts)
    idf = np.log1p((texts - having + 0.5) / (having + 0.5))
    mean = counts.sum() / max(1, texts)

    def weigh(matrix: Sparse) -> Sparse:
        length = 1 - b + b * _row_sums(matrix) / (mean or 1.0)
        less = k * np.repeat(length, np.diff(matrix.indptr))
        data = matrix.data * (k + 1) / (matrix.data + less)
        return _with(matrix, data * idf[matrix.indices])

    return weigh


def varying(weighed: Sparse, least: float) -> NDArray[np.int64]:
    """The columns whose values have a variance above ``least``, over all rows, zeros too (as
    scikit-learn's VarianceThreshold has it)."""
    rows, columns = weighed.shape
    if not rows:
        return np.arange(columns)
    mean = np.bincount(weighed.indices, weighed.data, minlength=columns) / rows
    # Around the mean, for what is nearly constant would be lost in the difference of two squares.
    apart = (weighed.data - mean[weighed.indices]) ** 2
    stored = np.bincount(weighed.indices, minlength=columns)
    variance = np.bincount(weighed.indices, apart, minlength=columns) + (rows - stored) * mean**2
    return np.flatnonzero(variance / rows > least)


def unit(matrix: Any) -> Any:
    """Rows of length 1; a row of zeros stays."""
    if isinstance(matrix, np.ndarray):
        length = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
        return (matrix / np.where(length > 0, length, 1.0)[:, None]).astype(matrix.dtype)
    matrix.eliminate_zeros()
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    length = np.sqrt(np.bincount(rows, matrix.data**2, minlength=matrix.shape[0]))
    return _with(matrix, matrix.data / length[rows])


def _with(matrix: Sparse, data: Floats) -> Sparse:
    from scipy.sparse import csr_matrix

    return csr_matrix((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _row_sums(matrix: Sparse) -> Floats:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _texts_with(counts: Sparse) -> Floats:
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.float64)
