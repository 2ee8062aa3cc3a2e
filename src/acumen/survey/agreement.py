"""Krippendorff's α: how far raters agree beyond chance, where not all rate all.

K. Krippendorff, Content Analysis, chapter 12, computed by the library ``krippendorff`` from how
often each unit was given each value.
"""

from __future__ import annotations

from enum import StrEnum

import krippendorff
import numpy as np

from acumen.survey.votes import Floats, Ints


class Scale(StrEnum):
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def alpha(unit: Ints, value: Ints, scale: Scale = Scale.ORDINAL) -> float:
    """Return α of ratings, each a unit's number and a level from 0 on; NaN where α is not defined:
    where no unit has two ratings, or all ratings that can be compared are the same."""
    return _alpha_of_counts(_count_values(unit, value), scale) if len(unit) else float("nan")


def alpha_without(
    rater: Ints, unit: Ints, value: Ints, raters: int, scale: Scale = Scale.ORDINAL
) -> Floats:
    """Return α without each of the raters, by number; no rater rates a unit twice."""
    if not len(unit):
        return np.full(raters, np.nan)
    counts = _count_values(unit, value)
    alphas = np.full(raters, _alpha_of_counts(counts, scale))
    order = np.argsort(rater, kind="stable")
    for ratings in np.split(order, np.flatnonzero(np.diff(rater[order])) + 1):
        counts[unit[ratings], value[ratings]] -= 1
        alphas[rater[ratings[0]]] = _alpha_of_counts(counts, scale)
        counts[unit[ratings], value[ratings]] += 1
    return alphas


def _count_values(unit: Ints, value: Ints) -> Ints:
    """Count how often each unit (row) was given each value (column)."""
    units, levels = int(unit.max()) + 1, int(value.max()) + 1
    flat = np.bincount(unit * levels + value, minlength=units * levels)
    return flat.reshape(units, levels)


def _alpha_of_counts(counts: Ints, scale: Scale) -> float:
    compared = counts[counts.sum(axis=1) > 1]
    # The library divides by zero, or refuses, where nothing that can be compared varies.
    if np.count_nonzero(compared.any(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=compared, level_of_measurement=scale.value))
