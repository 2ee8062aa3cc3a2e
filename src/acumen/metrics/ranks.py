"""Rank statistics of weighted samples.

A bootstrap resample is the original sample with a multiplicity for each row. The values
therefore need sorting only once: ranks in every resample follow from cumulated weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from acumen.api import Floats


def weighted_midranks(values: Floats, weights: Floats) -> Floats:
    """Average ranks of ``values``, shape (n,), in each weighted sample, shape (b, n).

    With weights 1 these are ``scipy.stats.rankdata(values)``; with integer weights they are
    the ranks in the sample where row i stands ``weights[:, i]`` times.
    """
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    mass = np.add.reduceat(weights[:, order], starts, axis=1)
    below = np.cumsum(mass, axis=1) - mass
    ranks: Floats = (below + (mass + 1.0) / 2.0)[:, group]
    return ranks


def weighted_correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Pearson's r of x and y, both (b, n), row by row; nan where one is constant."""
    total = np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    dx = x - (weights * x).sum(axis=1, keepdims=True) / total
    dy = y - (weights * y).sum(axis=1, keepdims=True) / total
    sxy = np.einsum("bn,bn,bn->b", weights, dx, dy)
    sxx = np.einsum("bn,bn,bn->b", weights, dx, dx)
    syy = np.einsum("bn,bn,bn->b", weights, dy, dy)
    r: Floats = np.full(len(weights), np.nan)
    # Midranks are multiples of 1/2, so a constant row is exactly 0 but for the mean's rounding.
    defined = (sxx > 1e-9) & (syy > 1e-9)
    r[defined] = sxy[defined] / np.sqrt(sxx[defined] * syy[defined])
    return np.clip(r, -1.0, 1.0)


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation of x and y, both (n,), in each weighted sample."""
    return weighted_correlation(
        weighted_midranks(x, weights), weighted_midranks(y, weights), weights
    )


def weighted_roc_auc(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Area under the ROC curve (ties count half) in each weighted sample.

    The Mann-Whitney form: the rank sum of the positives, less its minimum, over the number
    of positive-negative pairs. nan where a sample lacks one of the classes.
    """
    ranks = weighted_midranks(values, weights)
    inside = weights * positive
    n1 = inside.sum(axis=1)
    n0 = weights.sum(axis=1) - n1
    pairs = n1 * n0
    area: Floats = np.full(len(weights), np.nan)
    defined = pairs > 0
    excess = (inside * ranks).sum(axis=1) - n1 * (n1 + 1.0) / 2.0
    area[defined] = excess[defined] / pairs[defined]
    return area
