"""How far raters agree, and which raters to leave out.

Krippendorff's α (Content Analysis, chapter 12) is agreement beyond chance where not all rate all;
the library ``krippendorff`` computes it from how often each unit was given each value. The two
filters of IdBench, section II-B, a and b, look once at all raters and leave out together all that
they find.
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


# A downer's absence raises the agreement by this share of it.
INCREASE = 0.1
# But a share of an agreement close to zero is no measure of anything.
LEAST = 0.1


def differences(votes: Direct) -> Floats:
    """How far each rater is from the others: of each question the mean over her pairs of
    |her rating − mean of the others' ratings|, from 0 to 1, and of these the mean over the
    questions. NaN for a rater who rated nothing that others rated, too."""
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
    """Raters farther from the others than τ. Who cannot be compared is none."""
    with np.errstate(invalid="ignore"):
        found: Mask = difference > threshold
    return found


def agreements(votes: Direct, scale: Scale = Scale.ORDINAL) -> dict[str, float]:
    """α of each question."""
    found = {}
    for place, question in enumerate(QUESTIONS):
        given = votes.ratings[:, place] > 0
        values = votes.ratings[given, place].astype(np.int64) - 1
        found[question] = alpha(votes.pair[given], values, scale)
    return found


def increases(votes: Direct, scale: Scale = Scale.ORDINAL) -> Floats:
    """For each question and rater, how much α grows without her, as a share of α. NaN where α is
    not defined, with her or without."""
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
    """Raters without whom α of either question is higher by this share or more."""
    with np.errstate(invalid="ignore"):
        found: Mask = np.any(increase >= least, axis=0)
    return found
