"""From votes to scores between 0 and 1: IdBench, section II-C, a.

The direct survey's ratings are scaled and averaged. The indirect survey is read as an experiment in
signal detection, after Miller and Charles (1991), who had people sort sentences by which of two
words was cut out of them. For a pair (a, b), a hit is to choose a where a was cut out, a false
alarm is to choose a where it was b. Two names that can stand for each other are chosen alike in
both, so their distance

    d' = z(hit rate) − z(false-alarm rate)

is 0; z is the inverse of the normal distribution. It is the same whichever name comes first.

Rates of 0 and 1 have no finite z. The log-linear correction (Hautus 1995) adds half a hit and half
a miss to each rate, always, so that it favours no pair: (hits + 0.5) / (contexts + 1). A pair with
choices in contexts of one of its names only has no distance: the other rate is not known.
"""

from __future__ import annotations

import numpy as np

from acumen.survey.votes import QUESTIONS, Direct, Floats, Indirect, Ints


def means(votes: Direct) -> Floats:
    """Mean rating of each pair (row) and question (column), from 0 to 1; NaN where nobody
    rated it."""
    scores = votes.scores()
    found = np.full((len(votes.pairs), len(QUESTIONS)), np.nan)
    for question in range(len(QUESTIONS)):
        given = ~np.isnan(scores[:, question])
        pair, size = votes.pair[given], len(votes.pairs)
        count = np.bincount(pair, minlength=size)
        total = np.bincount(pair, weights=scores[given, question], minlength=size)
        found[count > 0, question] = total[count > 0] / count[count > 0]
    return found


def choices(votes: Indirect) -> tuple[Ints, Ints]:
    """For each pair (row), choices of the first name, and choices altogether: in contexts of the
    first name and in those of the second (columns)."""
    size = len(votes.pairs)
    place = votes.pair * 2 + votes.second
    # In a context of the second name, the wrong choice is the first name.
    first = votes.right != votes.second
    total = np.bincount(place, minlength=2 * size).reshape(size, 2)
    chosen = np.bincount(place[first], minlength=2 * size).reshape(size, 2)
    return chosen.astype(np.int64), total.astype(np.int64)


def distances(chosen: Ints, total: Ints) -> Floats:
    """d' of each pair, NaN where there are no choices in contexts of one of the names. Less than
    0 where people chose the wrong name more often than not."""
    from scipy.special import ndtri

    rates = (chosen + 0.5) / (total + 1)
    hit, false_alarm = ndtri(rates[:, 0]), ndtri(rates[:, 1])
    return np.where((total > 0).all(axis=1), hit - false_alarm, np.nan)


def similarities(distance: Floats) -> Floats:
    """Distances turned round: s = 1 − (d − min) / (max − min), over all pairs that have one. All 1
    where all are equally far."""
    known = distance[~np.isnan(distance)]
    if not len(known):
        return distance.copy()
    low, high = known.min(), known.max()
    if low == high:
        return np.where(np.isnan(distance), np.nan, 1.0)
    turned: Floats = np.clip(1 - (distance - low) / (high - low), 0, 1)
    return turned
