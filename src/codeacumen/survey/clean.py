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
    DOWNER_INCREASE,
    Scale,
    compute_alphas,
    compute_differences,
    compute_increases,
    find_downers,
    find_outliers,
)
from codeacumen.survey.votes import (
    QUESTIONS,
    DirectVotes,
    Floats,
    IndirectVotes,
    Ints,
    Mask,
    Pair,
    Votes,
)


def compute_means(votes: DirectVotes) -> Floats:
    """Return the mean rating of each pair (row) and question (column), from 0 to 1, or NaN."""
    scores = votes.compute_scores()
    mean_ratings = np.full((len(votes.pairs), len(QUESTIONS)), np.nan)
    for question in range(len(QUESTIONS)):
        is_answered = ~np.isnan(scores[:, question])
        pair, size = votes.pair[is_answered], len(votes.pairs)
        count = np.bincount(pair, minlength=size)
        total = np.bincount(pair, weights=scores[is_answered, question], minlength=size)
        mean_ratings[count > 0, question] = total[count > 0] / count[count > 0]
    return mean_ratings


def count_choices(votes: IndirectVotes) -> tuple[Ints, Ints]:
    """Return the numbers of choices of the first name and of all choices, each of shape (pairs, 2).

    The columns are contexts of the first name and contexts of the second name.
    """
    size = len(votes.pairs)
    # The index of each vote's pair and context in the flattened result.
    cell = votes.pair * 2 + votes.second
    # The first name was chosen: rightly in its own context, wrongly in one of the second name.
    first = votes.right != votes.second
    total = np.bincount(cell, minlength=2 * size).reshape(size, 2)
    chosen = np.bincount(cell[first], minlength=2 * size).reshape(size, 2)
    return chosen.astype(np.int64), total.astype(np.int64)


def compute_distances(chosen: Ints, total: Ints) -> Floats:
    """Return d' of each pair; NaN if there are no choices in contexts of one of the names.

    The arguments are those that ``count_choices`` returns. d' is negative if the raters chose the
    wrong name more often than the right one.
    """
    from scipy.special import ndtri

    rates = (chosen + 0.5) / (total + 1)
    hit, false_alarm = ndtri(rates[:, 0]), ndtri(rates[:, 1])
    return np.where((total > 0).all(axis=1), hit - false_alarm, np.nan)


def compute_similarities(distance: Floats) -> Floats:
    """Return similarities s = 1 − (d − min) / (max − min) from distances; all 1 if min = max."""
    known_distances = distance[~np.isnan(distance)]
    if not len(known_distances):
        return distance.copy()
    low, high = known_distances.min(), known_distances.max()
    if low == high:
        return np.where(np.isnan(distance), np.nan, 1.0)
    inverted: Floats = np.clip(1 - (distance - low) / (high - low), 0, 1)
    return inverted


SIMILARITY = QUESTIONS.index("similarity")
# The labels of a pair, in the order of IdBench's columns.
LABELS = ("similarity", "relatedness", "contextual_similarity")
# IdBench gathers at least ten ratings of each pair.
LEAST_VOTES = 10


@dataclass(frozen=True, slots=True)
class BenchmarkSize:
    """A size of the benchmark, with the threshold τ (``tau``) of outlier raters and the threshold θ
    (``theta``) of outlier pairs."""

    name: str
    tau: float
    theta: float


# The thresholds of IdBench's Table II.
PUBLISHED_SIZES = (
    BenchmarkSize("small", 0.215, 0.4),
    BenchmarkSize("medium", 0.23, 0.5),
    BenchmarkSize("large", 0.25, 0.6),
)


@dataclass(frozen=True, slots=True)
class CleaningRules:
    """Settings of the cleaning; ``scale`` is that of α.

    ``increase`` is the share by which α must rise without a downer, ``least_votes`` the number of
    ratings that a pair's direct scores need.
    """

    sizes: tuple[BenchmarkSize, ...] = PUBLISHED_SIZES
    scale: Scale = Scale.ORDINAL
    increase: float = DOWNER_INCREASE
    least_votes: int = LEAST_VOTES


@dataclass(frozen=True, slots=True)
class CleaningStage:
    """Numbers of raters, pairs and votes after a filter, and α of each question."""

    name: str
    raters: int
    pairs: int
    votes: int
    alpha: dict[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped rater (a text) or pair: the filter, the value that it measured, and the limit."""

    subject: str | Pair
    filter_name: str
    value: float
    limit: float


@dataclass(frozen=True, slots=True)
class CleanedBenchmark:
    """Result of the cleaning for one size.

    ``labels`` has a row for each of ``pairs`` and a column for each of LABELS, NaN for no label.
    """

    size: BenchmarkSize
    stages: tuple[CleaningStage, ...]
    dropped: tuple[Dropped, ...]
    pairs: tuple[Pair, ...]
    labels: Floats


@dataclass(frozen=True, slots=True)
class CleanedSurvey:
    """Result of the cleaning for all sizes."""

    benchmarks: tuple[CleanedBenchmark, ...]
    # Raters without a pair in common with others; the filters cannot judge them.
    uncompared_raters: tuple[str, ...]
    # Pairs with choices in contexts of only one of their names.
    one_sided: tuple[Pair, ...]


def clean_votes(votes: Votes, rules: CleaningRules | None = None) -> CleanedSurvey:
    """Clean the votes of a survey."""
    rules = rules or CleaningRules()
    direct, indirect = votes.direct, votes.indirect
    chosen, total = count_choices(indirect)
    distance = compute_distances(chosen, total)
    contextual = dict(zip(indirect.pairs, compute_similarities(distance).tolist(), strict=True))
    rater_differences = compute_differences(direct)
    return CleanedSurvey(
        tuple(
            _clean_size(direct, contextual, rater_differences, size, rules) for size in rules.sizes
        ),
        _select_names(direct.raters, np.isnan(rater_differences)),
        tuple(
            pair
            for pair, pair_distance in zip(indirect.pairs, distance, strict=True)
            if np.isnan(pair_distance)
        ),
    )


def _clean_size(
    direct: DirectVotes,
    contextual: dict[Pair, float],
    rater_differences: Floats,
    size: BenchmarkSize,
    rules: CleaningRules,
) -> CleanedBenchmark:
    stages = [_measure_stage("all votes", direct, rules)]
    is_outlier = find_outliers(rater_differences, size.tau)
    dropped = [
        Dropped(direct.raters[rater], "outlier rater", float(rater_differences[rater]), size.tau)
        for rater in np.flatnonzero(is_outlier).tolist()
    ]
    remaining = direct.drop_raters(is_outlier)
    stages.append(_measure_stage("outlier raters", remaining, rules))

    increase = compute_increases(remaining, rules.scale)
    is_downer = find_downers(increase, rules.increase)
    dropped += [
        Dropped(
            direct.raters[rater], "downer", float(np.nanmax(increase[:, rater])), rules.increase
        )
        for rater in np.flatnonzero(is_downer).tolist()
    ]
    remaining = remaining.drop_raters(is_downer)
    stages.append(_measure_stage("downers", remaining, rules))

    scores = compute_means(remaining)
    rating_counts = remaining.count_ratings()
    has_few_ratings = rating_counts < rules.least_votes
    dropped += [
        Dropped(
            direct.pairs[pair_index],
            "too few votes",
            float(rating_counts[pair_index]),
            float(rules.least_votes),
        )
        for pair_index in np.flatnonzero(has_few_ratings).tolist()
    ]
    remaining = remaining.select_votes(~has_few_ratings[remaining.pair])
    stages.append(_measure_stage("pairs with too few votes", remaining, rules))

    labels_by_pair: dict[Pair, list[float]] = {}
    for pair_index in np.flatnonzero(~has_few_ratings).tolist():
        # The columns of ``scores`` are QUESTIONS; the labels have the order of LABELS.
        relatedness, similarity = scores[pair_index].tolist()
        labels_by_pair[direct.pairs[pair_index]] = [similarity, relatedness, float("nan")]
    similarity_of = dict(zip(direct.pairs, scores[:, SIMILARITY].tolist(), strict=True))
    for pair, score in contextual.items():
        if np.isnan(score):
            continue
        difference = abs(similarity_of.get(pair, float("nan")) - score)
        if difference > size.theta:
            dropped.append(Dropped(pair, "outlier pair", difference, size.theta))
        else:
            labels_by_pair.setdefault(pair, [float("nan")] * len(LABELS))[-1] = score
    pairs = tuple(sorted(labels_by_pair))
    labels = np.array([labels_by_pair[pair] for pair in pairs], dtype=np.float64)
    return CleanedBenchmark(
        size, tuple(stages), tuple(dropped), pairs, labels.reshape(len(pairs), len(LABELS))
    )


def _measure_stage(name: str, votes: DirectVotes, rules: CleaningRules) -> CleaningStage:
    raters, pairs = len(np.unique(votes.rater)), len(np.unique(votes.pair))
    return CleaningStage(name, raters, pairs, len(votes), compute_alphas(votes, rules.scale))


def _select_names(names: Sequence[str], mask: Mask) -> tuple[str, ...]:
    return tuple(names[index] for index in np.flatnonzero(mask).tolist())
