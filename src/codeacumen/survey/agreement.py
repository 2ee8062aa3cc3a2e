"""Agreement of raters, and the raters to leave out.

Krippendorff's α (Content Analysis, chapter 12) is agreement beyond chance with missing ratings; the
library ``krippendorff`` computes it from the number of ratings of each unit with each value. The
two filters of IdBench (section II-B, a and b) look at all raters once and drop all that they find
at the same time.
"""

from __future__ import annotations

from enum import StrEnum

import krippendorff
import numpy as np

from codeacumen.survey.votes import QUESTIONS, Direct, Floats, Ints, Mask


class Scale(StrEnum):
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def alpha(unit: Ints, value: Ints, scale: Scale = Scale.ORDINAL) -> float:
    """Return α of ratings, each with the index of its unit and a level from 0.

    α is NaN if no unit has two ratings, or if all ratings that can be compared are equal.
    """
    return _alpha_of_counts(_count_values(unit, value), scale) if len(unit) else float("nan")


def alpha_without(
    rater: Ints, unit: Ints, value: Ints, raters: int, scale: Scale = Scale.ORDINAL
) -> Floats:
    """Return for each rater α without this rater's ratings; no rater rates a unit twice."""
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
    # The library fails if no value that can be compared varies.
    if np.count_nonzero(compared.any(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=compared, level_of_measurement=scale.value))


# Minimum increase of α without a downer, as a share of α.
INCREASE = 0.1
# Minimum divisor of that share, because a share of an α close to zero means nothing.
LEAST = 0.1


def differences(votes: Direct) -> Floats:
    """Return the distance of each rater from the others, from 0 to 1.

    For each question it is the mean of |rating − mean of the others' ratings| over the rater's
    pairs; the result is the mean over the questions. NaN for a rater without a pair in common with
    others.
    """
    scores = votes.scores()
    pairs, raters = len(votes.pairs), len(votes.raters)
    found = np.full((len(QUESTIONS), raters), np.nan)
    for question in range(len(QUESTIONS)):
        given = ~np.isnan(scores[:, question])
        mine, pair, rater = scores[given, question], votes.pair[given], votes.rater[given]
        others = np.bincount(pair, minlength=pairs)[pair] - 1
        total = np.bincount(pair, weights=mine, minlength=pairs)[pair] - mine
        judged = others > 0
        apart = np.abs(mine[judged] - total[judged] / others[judged])
        count = np.bincount(rater[judged], minlength=raters)
        summed = np.bincount(rater[judged], weights=apart, minlength=raters)
        found[question, count > 0] = summed[count > 0] / count[count > 0]
    known = ~np.isnan(found)
    asked = known.sum(axis=0)
    means = np.where(known, found, 0).sum(axis=0) / np.maximum(asked, 1)
    return np.where(asked > 0, means, np.nan)


def outliers(difference: Floats, threshold: float) -> Mask:
    """Return a mask of the raters farther from the others than τ; NaN counts as no outlier."""
    with np.errstate(invalid="ignore"):
        found: Mask = difference > threshold
    return found


def agreements(votes: Direct, scale: Scale = Scale.ORDINAL) -> dict[str, float]:
    """Return α of each question."""
    found = {}
    for place, question in enumerate(QUESTIONS):
        given = votes.ratings[:, place] > 0
        values = votes.ratings[given, place].astype(np.int64) - 1
        found[question] = alpha(votes.pair[given], values, scale)
    return found


def increases(votes: Direct, scale: Scale = Scale.ORDINAL) -> Floats:
    """Return for each question and rater the increase of α without this rater, as a share of α.

    NaN if α is undefined with or without the rater.
    """
    found = np.full((len(QUESTIONS), len(votes.raters)), np.nan)
    before = agreements(votes, scale)
    for place, question in enumerate(QUESTIONS):
        given = votes.ratings[:, place] > 0
        values = votes.ratings[given, place].astype(np.int64) - 1
        without = alpha_without(
            votes.rater[given], votes.pair[given], values, len(votes.raters), scale
        )
        found[place] = (without - before[question]) / max(abs(before[question]), LEAST)
    return found


def downers(increase: Floats, least: float = INCREASE) -> Mask:
    """Return a mask of the raters without whom α of either question is higher by this share."""
    with np.errstate(invalid="ignore"):
        found: Mask = np.any(increase >= least, axis=0)
    return found
