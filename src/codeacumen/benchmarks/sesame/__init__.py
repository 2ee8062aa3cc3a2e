"""Similarity of methods: SeSaMe, and pairs that are similar by construction.

SeSaMe: do two methods share goals, operations, effects? Twelve tasks, ``sesame/FLAVOUR/SIGHT``:
three questions, each on four amounts of source (``sights.py``). The truth has several readings
(``pairs.py``): the headline is the rank correlation with the votes' mean weighted by confidence.

By construction: is one method a variant of the other? The data sets are those of ``build.py``. Each
sight is a task, ``similar/SIGHT``; each kind of transformation is a slice, with as many similar
pairs as other pairs.

``BENCHMARKS`` defines the means over SeSaMe's questions and what models lose when they see less of
the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from codeacumen.api import (
    Benchmark,
    Ceiling,
    Convention,
    Face,
    InputLevels,
    Instance,
    Metric,
    Pair,
    TaskCard,
    TaskGroup,
)
from codeacumen.datasets import dataset, missing_files, require
from codeacumen.datasets.built import Built
from codeacumen.metrics import read_metric
from codeacumen.registry import task
from codeacumen.views.masking.levels import BARE, SIGHTS, UNCOMMENTED, UNNAMED, WHOLE

FLAVOURS = {
    "goals": "have the same purpose",
    "operations": "take the same steps",
    "effects": "change the state alike",
}
APPROACH, SAME_KIND, UNSURE = "approach differs", "same kind of project", "low confidence"
# A tag to look at pairs by, but no slice: where all are 0 or 2 there is little to rank.
UNANIMOUS = "unanimous"

HEADLINE = read_metric("spearman")
_SIMILAR = "mean rating of 1 or more"
FURTHER = (
    read_metric("kendall"),
    read_metric("roc_auc", "mean", 1.0, told=_SIMILAR),
    read_metric("average_precision", "mean", 1.0, told=_SIMILAR),
    read_metric("best_f1", "mean", 1.0, told=_SIMILAR),
    read_metric("all_positive_f1", "mean", 1.0, told=_SIMILAR),
    read_metric("roc_auc", "majority", 2.0, suffix="agree", told="majority agrees"),
    read_metric("spearman", "majority", suffix="majority", told="with the ordinal majority"),
    read_metric(
        "spearman", "majority_all", suffix="majority_all",
        told="with the ordinal majority of all votes",
    ),
)  # fmt: skip
CONVENTION = Convention("own", "every pair the model itself scores")


class Sesame:
    """Rank pairs of methods as developers did."""

    metric: Metric = HEADLINE
    metrics: Sequence[Metric] = FURTHER

    def __init__(self, flavour: str, sight: str) -> None:
        self.flavour, self.sight_name = flavour, sight

    @cached_property
    def card(self) -> TaskCard:
        return TaskCard(
            name=f"sesame/{self.flavour}/{self.sight_name}",
            title=f"SeSaMe {self.flavour}, {self.sight_name}",
            version="1",
            face=Face.SIMILARITY,
            metric=self.metric.name,
            summary=_summary(self.flavour, self.sight_name),
            dataset="sesame",
            citation=dataset("sesame").citation,
            conventions=(CONVENTION,),
            slices=(APPROACH, SAME_KIND, UNSURE),
            ceiling=_ceiling(self.flavour),
        )

    def instances(self) -> Sequence[Instance]:
        from codeacumen.benchmarks.sesame.pairs import read_pairs
        from codeacumen.views.masking.levels import shown

        return [
            Instance(
                id=pair.id,
                input=Pair(
                    shown(pair.first, self.sight_name),
                    shown(pair.second, self.sight_name),
                    self.flavour,
                ),
                truth=dict(pair.readings[self.flavour]),
                cluster=pair.cluster,
                tags=pair.tags[self.flavour],
            )
            for pair in read_pairs(require("sesame"))
        ]


def _summary(flavour: str, sight: str) -> str:
    return f"Do two methods {FLAVOURS[flavour]}? Ranked as developers did ({SIGHTS[sight]})"


def _ceiling(flavour: str) -> Ceiling | None:
    """From the votes; unknown while they are not on this machine."""
    if missing_files(dataset("sesame")):
        return None
    from codeacumen.benchmarks.sesame.pairs import PAIRS, ceiling, ratings_of

    value = ceiling(ratings_of(require("sesame") / PAIRS), flavour)
    return Ceiling("a voter against the other two (Spearman)", round(value, 3), "SeSaMe's votes")


@dataclass(frozen=True, slots=True)
class _Factory:
    flavour: str
    sight: str

    def __call__(self) -> Sesame:
        return Sesame(self.flavour, self.sight)


for _flavour in FLAVOURS:
    for _sight in SIGHTS:
        task(f"sesame/{_flavour}/{_sight}", summary=_summary(_flavour, _sight))(
            _Factory(_flavour, _sight)
        )


_MEANINGS = {
    WHOLE: "all of the text",
    UNCOMMENTED: "without comments",
    UNNAMED: "without names",
    BARE: "without either",
}
_SESAME_TASKS = {
    level: tuple(f"sesame/{aspect}/{level}" for aspect in FLAVOURS) for level in SIGHTS
}

BENCHMARKS = (
    Benchmark(
        "sesame",
        groups=tuple(
            TaskGroup(
                name=f"sesame/{level}",
                title=f"SeSaMe, {level}",
                tasks=tasks,
                caption=(
                    "The interval resamples the clusters of pairs, which the tasks share, for all "
                    "of them together."
                ),
            )
            for level, tasks in _SESAME_TASKS.items()
        ),
        input_levels=(InputLevels("sesame", "SeSaMe", _SESAME_TASKS, _MEANINGS),),
    ),
    Benchmark(
        "similar",
        input_levels=(
            InputLevels(
                "similar",
                "Similar methods",
                {level: (f"similar/{level}",) for level in SIGHTS},
                _MEANINGS,
            ),
        ),
    ),
)


BUILT_PAIRS = "pairs.jsonl"


class Similar:
    """Tell a method's variants from other methods."""

    metric: Metric = read_metric("roc_auc")
    metrics: Sequence[Metric] = (read_metric("average_precision"),)

    def __init__(self, built: Built, sight: str) -> None:
        self.built, self.sight_name = built, sight
        self.card = TaskCard(
            name=f"similar/{sight}",
            title=f"Similar methods, {sight}",
            version="1",
            face=Face.SIMILARITY,
            metric=self.metric.name,
            summary=_similar_summary(built, sight),
            conventions=(CONVENTION,),
            slices=tuple(built.about["kinds"]),
        )

    def instances(self) -> Sequence[Instance]:
        from codeacumen.views.masking.levels import shown

        return [
            Instance(
                id=row["id"],
                input=Pair(
                    shown(row["left"], self.sight_name), shown(row["right"], self.sight_name)
                ),
                truth=row["label"],
                cluster=row["cluster"],
                tags=frozenset(row["tags"]),
            )
            for row in self.built.rows(BUILT_PAIRS)
        ]


def _similar_summary(built: Built, sight: str) -> str:
    return f"Is one method a variant of the other? ({built.folder.name}, {SIGHTS[sight]})"


@dataclass(frozen=True, slots=True)
class _SimilarFactory:
    built: Built
    sight: str

    def __call__(self) -> Similar:
        return Similar(self.built, self.sight)


def tasks(built: Built) -> Iterator[tuple[str, str, _SimilarFactory]]:
    """The tasks of a data set: one for each sight."""
    for sight in SIGHTS:
        yield f"similar/{sight}", _similar_summary(built, sight), _SimilarFactory(built, sight)
