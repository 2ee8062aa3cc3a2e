"""Rank statistics of weighted samples: Spearman's ρ, the area under the ROC curve, Kendall's τ-b.

A bootstrap resample is the original sample of n rows with a multiplicity (weight) per row, so
``weights`` has the shape (b, n) for b resamples. The values are therefore sorted only once: ranks
in every resample follow from cumulative weights.

A *group* is the rows of one value, and its *mass* in a resample is their total weight. In the
index strings of ``einsum``, b is the resample, g the group and n the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from codeacumen.api import Floats


def _group_by_value(values: Floats, weights: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Return total weight and average rank of each distinct value, both (b, groups), and the group
    of each row, (n,).
    """
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    mass: Floats = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks = np.cumsum(mass, axis=1)
    ranks -= mass / 2.0
    ranks += 0.5
    return mass, ranks, group


def weighted_midranks(values: Floats, weights: Floats) -> Floats:
    """Return the average ranks of ``values``, (n,), in each weighted sample, (b, n).

    With weights 1 these are ``scipy.stats.rankdata(values)``; with integer weights they are the
    ranks in the sample that contains row i ``weights[:, i]`` times.
    """
    _, ranks, group = _group_by_value(values, weights)
    return ranks[:, group]


def weighted_spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Spearman's rank correlation of x and y, both (n,), in each weighted sample, (b,).

    It is nan where one of them is constant.
    """
    total = weights.sum(axis=1, keepdims=True)
    # The mean of average ranks is always (total + 1) / 2.
    centre = (total + 1.0) / 2.0
    mass_x, ranks_x, group_x = _group_by_value(x, weights)
    mass_y, ranks_y, group_y = _group_by_value(y, weights)
    ranks_x -= centre
    ranks_y -= centre
    sxx = np.einsum("bg,bg->b", mass_x * ranks_x, ranks_x)
    syy = np.einsum("bg,bg->b", mass_y * ranks_y, ranks_y)
    sxy = np.einsum("bn,bn->b", weights * ranks_x[:, group_x], ranks_y[:, group_y])
    r: Floats = np.full(len(weights), np.nan)
    # Ranks are multiples of 1/2, so the variance of a constant is exactly 0, any other much larger.
    defined = (sxx > 1e-9) & (syy > 1e-9)
    r[defined] = sxy[defined] / np.sqrt(sxx[defined] * syy[defined])
    return np.clip(r, -1.0, 1.0)


def weighted_roc_auc(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return the area under the ROC curve (ties count half) in each weighted sample, (b,).

    ``positive`` is 1 or 0. The area is computed as the Mann-Whitney statistic: the rank sum of the
    positives, less its minimum, over the number of positive-negative pairs. It is nan where a
    sample lacks one of the classes.
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


def weighted_kendall(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return Kendall's τ-b of x and y, both (n,), in each weighted sample, (b,).

    It is nan where one of them is constant. The groups of equal x are visited in ascending order,
    and each row is compared with the total weight of all earlier rows below and above its y. The
    time grows with the number of distinct values of x, so the variable with fewer distinct values
    is used as x.
    """
    if len(np.unique(y)) < len(np.unique(x)):
        x, y = y, x
    _, group_y = np.unique(y, return_inverse=True)
    _, group_x = np.unique(x, return_inverse=True)
    order = np.lexsort((group_y, group_x))
    # Mass of each group of y among the rows with smaller x.
    before: Floats = np.zeros((len(weights), int(group_y.max()) + 1))
    excess: Floats = np.zeros(len(weights))
    squares_x: Floats = np.zeros(len(weights))
    for rows in np.split(order, np.flatnonzero(np.diff(group_x[order])) + 1):
        starts = np.flatnonzero(np.r_[True, np.diff(group_y[rows]) > 0])
        # The groups of y that occur among these rows, ascending, and their masses.
        places = group_y[rows[starts]]
        mass: Floats = np.add.reduceat(weights[:, rows], starts, axis=1)
        # Mass below y minus mass above y = 2 * cumulative sum - mass at y - total.
        balance = 2.0 * np.cumsum(before, axis=1) - before
        balance -= before.sum(axis=1, keepdims=True)
        excess += np.einsum("bg,bg->b", mass, balance[:, places])
        before[:, places] += mass
        squares_x += mass.sum(axis=1) ** 2
    # Pairs of rows that are not tied; copies of a row are tied in both variables.
    total = weights.sum(axis=1)
    untied_x = (total**2 - squares_x) / 2.0
    untied_y = (total**2 - np.einsum("bg,bg->b", before, before)) / 2.0
    tau: Floats = np.full(len(weights), np.nan)
    defined = (untied_x > 1e-9) & (untied_y > 1e-9)
    tau[defined] = excess[defined] / np.sqrt(untied_x[defined] * untied_y[defined])
    return np.clip(tau, -1.0, 1.0)
