"""Statistics of binary classification by ranked values; the greater a value, the more positive.

There are average precision, F1 and precision at a recall in weighted samples, and the
precision-recall and ROC curves over all thresholds.

The functions of weighted samples take ``positive`` (1 or 0) and ``values``, both of shape (n,) for
n rows, and ``weights`` of shape (b, n) for b bootstrap samples, and return b numbers, nan where a
sample lacks one of the classes. Rows of equal value are one step, since no threshold separates
them. The mass of a step is the total weight of its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from codeacumen.api import Floats


def mass_by_value(positive: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the total weight of the positives and of all rows at each distinct value.

    Both have the shape (b, steps), with the greatest value first.
    """
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(-group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) < 0])
    ordered = weights[:, order]
    positive_mass: Floats = np.add.reduceat(ordered * positive[order], starts, axis=1)
    total_mass: Floats = np.add.reduceat(ordered, starts, axis=1)
    return positive_mass, total_mass


def weighted_average_precision(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return average precision: the precision at each step, weighted by the recall it adds."""
    positive_mass, total_mass = mass_by_value(positive, values, weights)
    positives, total = positive_mass.sum(axis=1), total_mass.sum(axis=1)
    reached = np.cumsum(total_mass, axis=1)
    precision = np.cumsum(positive_mass, axis=1)
    np.divide(precision, reached, out=precision, where=reached > 0)
    return _divide_where_defined(
        np.einsum("bs,bs->b", positive_mass, precision), positives, positives, total
    )


def weighted_best_f1(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return F1 at the threshold where it is greatest.

    The threshold is chosen with knowledge of the truth, so this is an upper bound for a model.
    """
    positive_mass, total_mass = mass_by_value(positive, values, weights)
    positives, total = positive_mass.sum(axis=1), total_mass.sum(axis=1)
    f1 = 2.0 * np.cumsum(positive_mass, axis=1)
    denominators = np.cumsum(total_mass, axis=1) + positives[:, None]
    np.divide(f1, denominators, out=f1, where=denominators > 0)
    return _divide_where_defined(f1.max(axis=1), np.ones(len(weights)), positives, total)


def weighted_all_positive_f1(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return F1 of predicting positive for all rows, a lower bound of the best F1."""
    positives, total = weights @ positive, weights.sum(axis=1)
    return _divide_where_defined(2.0 * positives, positives + total, positives, total)


def _divide_where_defined(
    numerators: Floats, denominators: Floats, positives: Floats, total: Floats
) -> Floats:
    """Return the quotients, nan where a sample lacks one of the classes.

    ``positives`` and ``total`` are the weights of the positives and of all rows, (b,).
    """
    quotients: Floats = np.full(len(total), np.nan)
    np.divide(numerators, denominators, out=quotients, where=(positives > 0) & (positives < total))
    return quotients


def weighted_precision_at_recall(
    positive: Floats, values: Floats, weights: Floats, recall: float
) -> Floats:
    """Return the precision at the highest threshold whose recall is at least ``recall``."""
    positive_mass, total_mass = mass_by_value(positive, values, weights)
    positives_reached, reached = np.cumsum(positive_mass, axis=1), np.cumsum(total_mass, axis=1)
    positives, total = positives_reached[:, -1], reached[:, -1]
    # The tolerance is for ``recall * positives``; the sums of integer weights are exact.
    step = np.argmax(positives_reached >= (recall * positives)[:, None] - 1e-9, axis=1)
    rows = np.arange(len(weights))
    precision: Floats = np.full(len(weights), np.nan)
    np.divide(
        positives_reached[rows, step],
        reached[rows, step],
        out=precision,
        where=(positives > 0) & (positives < total),
    )
    return precision


def curve_points(positive: Floats, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return thresholds, precisions, recalls (true positive rates) and false positive rates.

    The thresholds are the distinct values, greatest first; a row is predicted positive if its value
    is at least the threshold. All rows have weight 1.
    """
    positive_mass, total_mass = mass_by_value(positive, values, np.ones((1, len(values))))
    positives_reached, reached = np.cumsum(positive_mass[0]), np.cumsum(total_mass[0])
    negatives_reached = reached - positives_reached
    thresholds: Floats = np.unique(values)[::-1]
    return (
        thresholds,
        positives_reached / reached,
        positives_reached / max(positives_reached[-1], 1.0),
        negatives_reached / max(negatives_reached[-1], 1.0),
    )
