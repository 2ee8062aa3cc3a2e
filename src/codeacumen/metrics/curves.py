"""Precision-recall and ROC curves over all thresholds, and precision at a given recall.

Equal values are one step, since no threshold separates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codeacumen.metrics.binary import _steps

if TYPE_CHECKING:
    from codeacumen.api import Floats


def weighted_precision_at_recall(
    positive: Floats, values: Floats, weights: Floats, recall: float
) -> Floats:
    """Return the precision at the highest threshold that reaches a recall, in each weighted sample.

    nan where a sample lacks one of the classes.
    """
    true, everything = _steps(positive, values, weights)
    found, reached = np.cumsum(true, axis=1), np.cumsum(everything, axis=1)
    positives, total = found[:, -1], reached[:, -1]
    # The tolerance is for ``recall * positives``; the sums of integer weights are exact.
    at = np.argmax(found >= (recall * positives)[:, None] - 1e-9, axis=1)
    rows = np.arange(len(weights))
    precision: Floats = np.full(len(weights), np.nan)
    np.divide(
        found[rows, at],
        reached[rows, at],
        out=precision,
        where=(positives > 0) & (positives < total),
    )
    return precision


def curve_points(positive: Floats, values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return thresholds, precisions, recalls (true positive rates) and false positive rates.

    The thresholds are the distinct values, greatest first.
    """
    true, everything = _steps(positive, values, np.ones((1, len(values))))
    found, reached = np.cumsum(true[0]), np.cumsum(everything[0])
    false = reached - found
    thresholds: Floats = np.unique(values)[::-1]
    return (
        thresholds,
        found / reached,
        found / max(found[-1], 1.0),
        false / max(false[-1], 1.0),
    )
