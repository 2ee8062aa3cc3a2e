"""Binary classification by ranked values: average precision and F1 in weighted samples.

All functions take ``positive`` (1 or 0) and ``values``, both of shape (n,), and weights of shape
(b, n), and return b numbers, nan where a sample lacks one of the classes. Equal values are one
step, since no threshold separates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from codeacumen.api import Floats


def mass_by_value(positive: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the mass of the positives and of all rows at each distinct value, greatest first.

    Both have the shape (b, steps).
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
    """Return F1 of calling everything positive, a lower bound of the best F1."""
    positives, total = weights @ positive, weights.sum(axis=1)
    return _divide_where_defined(2.0 * positives, positives + total, positives, total)


def _divide_where_defined(
    numerators: Floats, denominators: Floats, positives: Floats, total: Floats
) -> Floats:
    """Return the quotients, nan where a sample lacks one of the classes."""
    quotients: Floats = np.full(len(total), np.nan)
    np.divide(numerators, denominators, out=quotients, where=(positives > 0) & (positives < total))
    return quotients
