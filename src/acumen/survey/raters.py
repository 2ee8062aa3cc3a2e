"""Which raters to leave out: IdBench, section II-B, a and b.

Both filters look once at all raters and leave out together all that they find.
"""

from __future__ import annotations

import numpy as np

from acumen.survey.agreement import Scale, alpha, alpha_without
from acumen.survey.votes import QUESTIONS, Direct, Floats, Mask

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
