"""Precision-recall and ROC curves over all thresholds, and precision at a given recall.

Equal values are one step, since no threshold separates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from codeacumen.metrics.binary import mass_by_value

if TYPE_CHECKING:
    from codeacumen.api import Floats


def weighted_precision_at_recall(
    positive: Floats, values: Floats, weights: Floats, recall: float
) -> Floats:
    """Return the precision at the highest threshold that reaches a recall, in each weighted sample.

    nan where a sample lacks one of the classes.
    """
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

    The thresholds are the distinct values, greatest first.
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
