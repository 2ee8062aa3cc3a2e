"""Krippendorff's α: how far raters agree beyond chance, where not all rate all.

K. Krippendorff, Content Analysis, chapter 12: of the coincidences o of values within units,
α = 1 − observed / expected disagreement, after a distance between values. For the ordinal
distance, the one for ranks such as those of a Likert scale, that between two values is the number
of ratings between them, so it changes with the ratings.

To leave out a rater changes the coincidences of the units that she rated, and no others. So α
without each of 500 raters is computed from the differences, not 500 times over.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from acumen.survey.votes import Floats, Ints

# Ratings that are taken out at a time, so that memory does not grow with their number.
_BLOCK = 1 << 16


class Scale(StrEnum):
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def alpha(unit: Ints, value: Ints, scale: Scale = Scale.ORDINAL) -> float:
    """α of ratings, each a unit's number and a level from 0 on; NaN where it is not defined:
    where no unit has two ratings, or all that are compared are the same."""
    if not len(unit):
        return float("nan")
    levels = int(value.max()) + 1
    return float(_alpha(_coincidences(_counts(unit, value, levels)).sum(axis=0)[None], scale)[0])


def alpha_without(
    rater: Ints, unit: Ints, value: Ints, raters: int, scale: Scale = Scale.ORDINAL
) -> Floats:
    """α without each of the raters, by number; no rater rates a unit twice."""
    if not len(unit):
        return np.full(raters, np.nan)
    levels = int(value.max()) + 1
    counts = _counts(unit, value, levels)
    whole = _coincidences(counts)
    left = np.repeat(whole.sum(axis=0)[None], raters, axis=0)
    for first in range(0, len(unit), _BLOCK):
        block = slice(first, first + _BLOCK)
        without = counts[unit[block]]
        without[np.arange(len(without)), value[block]] -= 1
        np.add.at(left, rater[block], _coincidences(without) - whole[unit[block]])
    return _alpha(left, scale)


def _counts(unit: Ints, value: Ints, levels: int) -> Floats:
    """How often each unit (row) was given each value."""
    units = int(unit.max()) + 1
    flat = np.bincount(unit * levels + value, minlength=units * levels)
    return flat.reshape(units, levels).astype(np.float64)


def _coincidences(counts: Floats) -> Floats:
    """A matrix for each row of counts: pairs of ratings of two raters, each unit by its weight. A
    single rating coincides with none."""
    many = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    levels = np.arange(counts.shape[1])
    pairs[:, levels, levels] -= counts
    weight = np.where(many > 1, 1 / np.maximum(many - 1, 1), 0.0)
    return pairs * weight[:, None, None]


def _alpha(coincidences: Floats, scale: Scale) -> Floats:
    """Of a stack of matrices."""
    marginal = coincidences.sum(axis=2)
    total = marginal.sum(axis=1)
    distance = _distances(marginal, scale)
    observed = (coincidences * distance).sum(axis=(1, 2))
    expected = (marginal[:, :, None] * marginal[:, None, :] * distance).sum(axis=(1, 2))
    # What is left of differences of sums is not quite zero.
    varied = expected > 1e-9 * np.maximum(total, 1) ** 2
    ratio = (total - 1) * observed / np.where(varied, expected, 1)
    return np.where(varied, 1 - ratio, np.nan)


def _distances(marginal: Floats, scale: Scale) -> Floats:
    levels = marginal.shape[1]
    if scale is Scale.INTERVAL:
        # Scaled to at most 1, as the ratings are.
        line = np.arange(levels) / max(levels - 1, 1)
        return np.broadcast_to((line[:, None] - line) ** 2, (len(marginal), levels, levels))
    # Between two values lie all ratings between them, and half of those of the two.
    middle = np.cumsum(marginal, axis=1) - marginal / 2
    span = np.maximum(marginal.sum(axis=1), 1)[:, None]
    between = (middle[:, :, None] - middle[:, None, :]) / span[:, :, None]
    squared: Floats = between**2
    return squared
