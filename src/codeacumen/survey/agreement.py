"""Agreement of raters, and the raters to leave out.

Krippendorff's α (Content Analysis, chapter 12) is agreement beyond chance with missing ratings; the
library ``krippendorff`` computes it from the number of ratings of each unit with each value. A unit
is what is rated, here a pair; a level is a rating counted from 0.

The two filters of IdBench (section II-B, a and b) find outliers, raters who are far from the
others, and downers, raters without whom α is clearly higher. Each filter looks at all raters once
and drops all that it finds at the same time.
"""

from __future__ import annotations

from enum import StrEnum

import krippendorff
import numpy as np

from codeacumen.survey.votes import QUESTIONS, DirectVotes, Floats, Ints, Mask


class Scale(StrEnum):
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def compute_alpha(unit: Ints, value: Ints, scale: Scale = Scale.ORDINAL) -> float:
    """Return α of ratings; each has the index of what is rated (``unit``) and a level from 0.

    α is NaN if no unit has two ratings, or if all ratings that can be compared are equal.
    """
    return (
        _compute_alpha_of_counts(_count_values(unit, value), scale) if len(unit) else float("nan")
    )


def compute_alpha_without_each(
    rater: Ints, unit: Ints, value: Ints, raters: int, scale: Scale = Scale.ORDINAL
) -> Floats:
    """Return for each of ``raters`` raters α without that rater; no rater may rate a unit twice."""
    if not len(unit):
        return np.full(raters, np.nan)
    counts = _count_values(unit, value)
    # Leaving out a rater without ratings changes nothing.
    alphas = np.full(raters, _compute_alpha_of_counts(counts, scale))
    order = np.argsort(rater, kind="stable")
    for ratings in np.split(order, np.flatnonzero(np.diff(rater[order])) + 1):
        counts[unit[ratings], value[ratings]] -= 1
        alphas[rater[ratings[0]]] = _compute_alpha_of_counts(counts, scale)
        counts[unit[ratings], value[ratings]] += 1
    return alphas


def _count_values(unit: Ints, value: Ints) -> Ints:
    """Count how often each unit (row) was given each value (column)."""
    units, levels = int(unit.max()) + 1, int(value.max()) + 1
    flat = np.bincount(unit * levels + value, minlength=units * levels)
    return flat.reshape(units, levels)


def _compute_alpha_of_counts(counts: Ints, scale: Scale) -> float:
    compared = counts[counts.sum(axis=1) > 1]
    # The library fails if no value that can be compared varies.
    if np.count_nonzero(compared.any(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=compared, level_of_measurement=scale.value))


# Minimum increase of α without a downer, as a share of α.
DOWNER_INCREASE = 0.1
# Minimum divisor of that share, because a share of an α close to zero means nothing.
MIN_ALPHA = 0.1


def compute_differences(votes: DirectVotes) -> Floats:
    """Return the distance of each rater from the others, from 0 to 1.

    For each question it is the mean of |rating − mean of the others' ratings| over the rater's
    pairs; the result is the mean over the questions. NaN for a rater without a pair in common with
    others.
    """
    scores = votes.compute_scores()
    pairs, raters = len(votes.pairs), len(votes.raters)
    by_question = np.full((len(QUESTIONS), raters), np.nan)
    for question in range(len(QUESTIONS)):
        is_answered = ~np.isnan(scores[:, question])
        scores_given, pair, rater = (
            scores[is_answered, question],
            votes.pair[is_answered],
            votes.rater[is_answered],
        )
        others = np.bincount(pair, minlength=pairs)[pair] - 1
        total = np.bincount(pair, weights=scores_given, minlength=pairs)[pair] - scores_given
        has_others = others > 0
        apart = np.abs(scores_given[has_others] - total[has_others] / others[has_others])
        count = np.bincount(rater[has_others], minlength=raters)
        summed = np.bincount(rater[has_others], weights=apart, minlength=raters)
        by_question[question, count > 0] = summed[count > 0] / count[count > 0]
    is_known = ~np.isnan(by_question)
    question_counts = is_known.sum(axis=0)
    means = np.where(is_known, by_question, 0).sum(axis=0) / np.maximum(question_counts, 1)
    return np.where(question_counts > 0, means, np.nan)


def find_outliers(difference: Floats, threshold: float) -> Mask:
    """Return a mask of the raters farther from the others than ``threshold`` (IdBench's τ).

    A rater whose difference is NaN is no outlier.
    """
    with np.errstate(invalid="ignore"):
        is_outlier: Mask = difference > threshold
    return is_outlier


def compute_alphas(votes: DirectVotes, scale: Scale = Scale.ORDINAL) -> dict[str, float]:
    """Return α of each question."""
    alphas = {}
    for column, question in enumerate(QUESTIONS):
        # Ratings count from 1 (0: no answer), levels from 0.
        is_answered = votes.ratings[:, column] > 0
        values = votes.ratings[is_answered, column].astype(np.int64) - 1
        alphas[question] = compute_alpha(votes.pair[is_answered], values, scale)
    return alphas


def compute_increases(votes: DirectVotes, scale: Scale = Scale.ORDINAL) -> Floats:
    """Return the increase of α without each rater, as a share of α, of shape (questions, raters).

    NaN if α is undefined with or without the rater.
    """
    shares = np.full((len(QUESTIONS), len(votes.raters)), np.nan)
    before = compute_alphas(votes, scale)
    for column, question in enumerate(QUESTIONS):
        is_answered = votes.ratings[:, column] > 0
        values = votes.ratings[is_answered, column].astype(np.int64) - 1
        without = compute_alpha_without_each(
            votes.rater[is_answered], votes.pair[is_answered], values, len(votes.raters), scale
        )
        shares[column] = (without - before[question]) / max(abs(before[question]), MIN_ALPHA)
    return shares


def find_downers(increase: Floats, minimum: float = DOWNER_INCREASE) -> Mask:
    """Return a mask of the raters without whom α of either question is higher by ``minimum``."""
    with np.errstate(invalid="ignore"):
        is_downer: Mask = np.any(increase >= minimum, axis=0)
    return is_downer
