"""From votes to three benchmarks: IdBench, section II-B.

1. Outlier raters: farther from the others than τ, on the average over both questions.
2. Downers: raters without whom Krippendorff's α of either question is 10 % higher, or more.
3. Pairs that have fewer than ten ratings left get no direct scores. The paper gathers ten or more
   for each pair and does not say what happens to those that lose them. Its smaller benchmarks,
   from fewer raters, have fewer pairs, so there was some rule; that it is this one is a guess.
4. Outlier pairs: the contextual score is dropped where it differs from the direct similarity by
   more than θ. A pair without a direct score keeps it, as 54 pairs of the published small
   benchmark do.

The contextual scores are of all raters, and the same in all sizes. They are so in the published
files, too: the filters of raters look at the direct survey only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.published import read_table
from acumen.survey.agreement import Scale
from acumen.survey.conversion import choices, distances, means, similarities
from acumen.survey.raters import (
    INCREASE,
    agreements,
    differences,
    downers,
    increases,
    outliers,
)
from acumen.survey.reading import Votes
from acumen.survey.votes import QUESTIONS, Direct, Floats, Mask, Pair

SIMILARITY = QUESTIONS.index("similarity")
# The labels of a pair, in the order of IdBench's columns.
LABELS = ("similarity", "relatedness", "contextual_similarity")
LEAST_VOTES = 10


@dataclass(frozen=True, slots=True)
class Size:
    """``tau``: of outlier raters; ``theta``: of outlier pairs."""

    name: str
    tau: float
    theta: float


def published_sizes() -> tuple[Size, ...]:
    """The thresholds of IdBench's Table II."""
    return tuple(
        Size(row["size"], float(row["tau"]), float(row["theta"]))
        for row in read_table("idbench_sizes")
    )


@dataclass(frozen=True, slots=True)
class Rules:
    sizes: tuple[Size, ...] = field(default_factory=published_sizes)
    scale: Scale = Scale.ORDINAL
    increase: float = INCREASE
    least_votes: int = LEAST_VOTES


@dataclass(frozen=True, slots=True)
class Stage:
    """What is there after a filter."""

    name: str
    raters: int
    pairs: int
    votes: int
    alpha: dict[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A rater or a pair: which filter dropped it, what it measured, and what was allowed."""

    what: str | Pair
    by: str
    value: float
    limit: float


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One size. ``labels`` has a row for each of ``pairs`` and a column for each of LABELS, NaN
    where there is none."""

    size: Size
    stages: tuple[Stage, ...]
    dropped: tuple[Dropped, ...]
    pairs: tuple[Pair, ...]
    labels: Floats


@dataclass(frozen=True, slots=True)
class Cleaned:
    benchmarks: tuple[Benchmark, ...]
    # Raters who could not be compared with anybody, and so were not judged.
    alone: tuple[str, ...]
    # Pairs with choices in contexts of only one of their names.
    one_sided: tuple[Pair, ...]


def clean(votes: Votes, rules: Rules | None = None) -> Cleaned:
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
