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


def _steps(positive: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the mass of the positives and of all rows at each distinct value, greatest first.

    Both have the shape (b, steps).
    """
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(-group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) < 0])
    ordered = weights[:, order]
    true: Floats = np.add.reduceat(ordered * positive[order], starts, axis=1)
    everything: Floats = np.add.reduceat(ordered, starts, axis=1)
    return true, everything


def weighted_average_precision(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return average precision: the precision at each step, weighted by the recall it adds."""
    true, everything = _steps(positive, values, weights)
    positives, total = true.sum(axis=1), everything.sum(axis=1)
    reached = np.cumsum(everything, axis=1)
    precision = np.cumsum(true, axis=1)
    np.divide(precision, reached, out=precision, where=reached > 0)
    return _defined(np.einsum("bs,bs->b", true, precision), positives, positives, total)


def weighted_best_f1(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return F1 at the threshold where it is greatest.

    The threshold is chosen with knowledge of the truth, so this is an upper bound for a model.
    """
    true, everything = _steps(positive, values, weights)
    positives, total = true.sum(axis=1), everything.sum(axis=1)
    found = 2.0 * np.cumsum(true, axis=1)
    wanted = np.cumsum(everything, axis=1) + positives[:, None]
    np.divide(found, wanted, out=found, where=wanted > 0)
    return _defined(found.max(axis=1), np.ones(len(weights)), positives, total)


def weighted_all_positive_f1(positive: Floats, values: Floats, weights: Floats) -> Floats:
    """Return F1 of calling everything positive, a lower bound of the best F1."""
    positives, total = weights @ positive, weights.sum(axis=1)
    return _defined(2.0 * positives, positives + total, positives, total)


def _defined(part: Floats, whole: Floats, positives: Floats, total: Floats) -> Floats:
    """Return the quotients, nan where a sample lacks one of the classes."""
    found: Floats = np.full(len(total), np.nan)
    np.divide(part, whole, out=found, where=(positives > 0) & (positives < total))
    return found
