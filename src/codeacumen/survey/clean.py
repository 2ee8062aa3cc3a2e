"""Cleaning of votes to three benchmarks, after IdBench, sections II-B and II-C.

1. Outlier raters: their mean distance from the other raters over both questions exceeds τ.
2. Downers: raters without whom Krippendorff's α of either question is higher by 10 % or more.
3. Pairs with fewer than ten remaining ratings get no direct scores. The paper gathers ten or more
   for each pair and does not say what happens to pairs that lose some. Its smaller benchmarks, from
   fewer raters, have fewer pairs, so there was some rule; this one is our guess.
4. Outlier pairs: the contextual score is dropped if it differs from the direct similarity by more
   than θ. A pair without a direct score keeps it, like 54 pairs of the published small benchmark.

The contextual scores come from all raters and are the same in all sizes, as in the published files:
the filters of raters look at the direct survey only.

Scores lie between 0 and 1. The direct survey's ratings are scaled and averaged. The indirect survey
is analysed as a signal detection experiment, after Miller and Charles (1991), whose subjects sorted
sentences by which of two words had been removed from them. For a pair (a, b), a hit is the choice
of a in a context of a, a false alarm the choice of a in a context of b. Interchangeable names are
chosen equally often in both, so their distance

    d' = z(hit rate) − z(false-alarm rate)

is 0; z is the inverse of the normal distribution. The distance does not depend on the order of the
names.

Rates of 0 and 1 have no finite z. The log-linear correction (Hautus 1995) adds half a hit and half
a miss to each rate, always, so that it favours no pair: (hits + 0.5) / (contexts + 1). A pair with
choices in contexts of only one of its names has no distance, because the other rate is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codeacumen.survey.agreement import (
    INCREASE,
    Scale,
    agreements,
    differences,
    downers,
    increases,
    outliers,
)
from codeacumen.survey.votes import QUESTIONS, Direct, Floats, Indirect, Ints, Mask, Pair, Votes


def means(votes: Direct) -> Floats:
    """Return the mean rating of each pair (row) and question (column), from 0 to 1, or NaN."""
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
    """Return for each pair (row) the number of choices of the first name, and of all choices.

    The columns are contexts of the first name and contexts of the second name.
    """
    size = len(votes.pairs)
    place = votes.pair * 2 + votes.second
    # In a context of the second name, the wrong choice is the first name.
    first = votes.right != votes.second
    total = np.bincount(place, minlength=2 * size).reshape(size, 2)
    chosen = np.bincount(place[first], minlength=2 * size).reshape(size, 2)
    return chosen.astype(np.int64), total.astype(np.int64)


def distances(chosen: Ints, total: Ints) -> Floats:
    """Return d' of each pair; NaN if there are no choices in contexts of one of the names.

    It is negative if the raters chose the wrong name more often than the right one.
    """
    from scipy.special import ndtri

    rates = (chosen + 0.5) / (total + 1)
    hit, false_alarm = ndtri(rates[:, 0]), ndtri(rates[:, 1])
    return np.where((total > 0).all(axis=1), hit - false_alarm, np.nan)


def similarities(distance: Floats) -> Floats:
    """Return similarities s = 1 − (d − min) / (max − min) from distances; all 1 if min = max."""
    known = distance[~np.isnan(distance)]
    if not len(known):
        return distance.copy()
    low, high = known.min(), known.max()
    if low == high:
        return np.where(np.isnan(distance), np.nan, 1.0)
    turned: Floats = np.clip(1 - (distance - low) / (high - low), 0, 1)
    return turned


SIMILARITY = QUESTIONS.index("similarity")
# The labels of a pair, in the order of IdBench's columns.
LABELS = ("similarity", "relatedness", "contextual_similarity")
LEAST_VOTES = 10


@dataclass(frozen=True, slots=True)
class Size:
    """A size of the benchmark: ``tau`` is the threshold of outlier raters, ``theta`` of pairs."""

    name: str
    tau: float
    theta: float


# The thresholds of IdBench's Table II.
PUBLISHED_SIZES = (Size("small", 0.215, 0.4), Size("medium", 0.23, 0.5), Size("large", 0.25, 0.6))


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the cleaning."""

    sizes: tuple[Size, ...] = PUBLISHED_SIZES
    scale: Scale = Scale.ORDINAL
    increase: float = INCREASE
    least_votes: int = LEAST_VOTES


@dataclass(frozen=True, slots=True)
class Stage:
    """Numbers of raters, pairs and votes after a filter, and α of each question."""

    name: str
    raters: int
    pairs: int
    votes: int
    alpha: dict[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped rater or pair: the filter, the value that it measured, and the limit."""

    what: str | Pair
    by: str
    value: float
    limit: float


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Result of the cleaning for one size.

    ``labels`` has a row for each of ``pairs`` and a column for each of LABELS, NaN for no label.
    """

    size: Size
    stages: tuple[Stage, ...]
    dropped: tuple[Dropped, ...]
    pairs: tuple[Pair, ...]
    labels: Floats


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Result of the cleaning for all sizes."""

    benchmarks: tuple[Benchmark, ...]
    # Raters without a pair in common with others; the filters cannot judge them.
    alone: tuple[str, ...]
    # Pairs with choices in contexts of only one of their names.
    one_sided: tuple[Pair, ...]


def clean(votes: Votes, rules: Rules | None = None) -> Cleaned:
    """Clean the votes of a survey."""
    rules = rules or Rules()
    direct, indirect = votes.direct, votes.indirect
    chosen, total = choices(indirect)
    distance = distances(chosen, total)
    contextual = dict(zip(indirect.pairs, similarities(distance).tolist(), strict=True))
    apart = differences(direct)
    return Cleaned(
        tuple(_benchmark(direct, contextual, apart, size, rules) for size in rules.sizes),
        _named(direct.raters, np.isnan(apart)),
        tuple(pair for pair, far in zip(indirect.pairs, distance, strict=True) if np.isnan(far)),
    )


def _benchmark(
    direct: Direct, contextual: dict[Pair, float], apart: Floats, size: Size, rules: Rules
) -> Benchmark:
    stages = [_stage("all votes", direct, rules)]
    far = outliers(apart, size.tau)
    dropped = [
        Dropped(direct.raters[one], "outlier rater", float(apart[one]), size.tau)
        for one in np.flatnonzero(far).tolist()
    ]
    kept = direct.without(far)
    stages.append(_stage("outlier raters", kept, rules))

    increase = increases(kept, rules.scale)
    down = downers(increase, rules.increase)
    dropped += [
        Dropped(direct.raters[one], "downer", float(np.nanmax(increase[:, one])), rules.increase)
        for one in np.flatnonzero(down).tolist()
    ]
    kept = kept.without(down)
    stages.append(_stage("downers", kept, rules))

    scores = means(kept)
    many = kept.votes_of_pairs()
    few = many < rules.least_votes
    dropped += [
        Dropped(direct.pairs[one], "too few votes", float(many[one]), float(rules.least_votes))
        for one in np.flatnonzero(few).tolist()
    ]
    kept = kept.where(~few[kept.pair])
    stages.append(_stage("pairs with too few votes", kept, rules))

    found: dict[Pair, list[float]] = {}
    for place in np.flatnonzero(~few).tolist():
        relatedness, similarity = scores[place].tolist()
        found[direct.pairs[place]] = [similarity, relatedness, float("nan")]
    similarity_of = dict(zip(direct.pairs, scores[:, SIMILARITY].tolist(), strict=True))
    for pair, score in contextual.items():
        if np.isnan(score):
            continue
        difference = abs(similarity_of.get(pair, float("nan")) - score)
        if difference > size.theta:
            dropped.append(Dropped(pair, "outlier pair", difference, size.theta))
        else:
            found.setdefault(pair, [float("nan")] * len(LABELS))[-1] = score
    pairs = tuple(sorted(found))
    labels = np.array([found[pair] for pair in pairs], dtype=np.float64)
    return Benchmark(
        size, tuple(stages), tuple(dropped), pairs, labels.reshape(len(pairs), len(LABELS))
    )


def _stage(name: str, votes: Direct, rules: Rules) -> Stage:
    raters, pairs = len(np.unique(votes.rater)), len(np.unique(votes.pair))
    return Stage(name, raters, pairs, len(votes), agreements(votes, rules.scale))


def _named(names: Sequence[str], which: Mask) -> tuple[str, ...]:
    return tuple(names[one] for one in np.flatnonzero(which).tolist())
