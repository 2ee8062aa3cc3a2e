"""Tasks on similar methods: the pairs of SeSaMe, and pairs that are similar by construction.

SeSaMe asks whether two methods share goals, operations or effects. It has twelve tasks,
``sesame/FLAVOUR/LEVEL``: three questions, each with four levels of source
(``views/masking/levels.py``). The truth has several aggregates of the votes (``pairs.py``); the
headline is the rank correlation with the mean of the votes, weighted by confidence.

``similarity/LEVEL`` asks whether one method is a variant of the other; ``build.py`` builds the data
sets. Each kind of transformation is a slice, with as many similar as dissimilar pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from codeacumen.api import Ceiling, Instance, Pair
from codeacumen.datasets import dataset, missing_files, require
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.metrics import read_metric
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo
from codeacumen.tasks.pairs import PairTask
from codeacumen.views.masking.levels import LEVELS

FLAVOURS = {
    "goals": "have the same purpose",
    "operations": "take the same steps",
    "effects": "change the state in the same way",
}
APPROACH, SAME_KIND, UNSURE = "approach differs", "same kind of project", "low confidence"
# A tag, but not a slice: unanimous pairs have too few distinct ratings to rank.
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
        "spearman",
        "majority_all",
        suffix="majority_all",
        told="with the ordinal majority of all votes",
    ),
)


def _load_instances(flavour: str, level: str) -> list[Instance]:
    from codeacumen.benchmarks.sesame.pairs import read_pairs
    from codeacumen.views.masking.levels import shown

    return [
        Instance(
            id=pair.id,
            input=Pair(shown(pair.first, level), shown(pair.second, level), flavour),
            truth=dict(pair.readings[flavour]),
            cluster=pair.cluster,
            tags=pair.tags[flavour],
        )
        for pair in read_pairs(require("sesame"))
    ]


def make_task(flavour: str, level: str) -> PairTask:
    """Return a task of SeSaMe: rank pairs of methods as developers did."""
    info = TaskInfo(
        name=f"sesame/{flavour}/{level}",
        title=f"SeSaMe {flavour}, {level}",
        summary=_summarize(flavour, level),
        dataset="sesame",
        citation=dataset("sesame").citation,
        slices=(APPROACH, SAME_KIND, UNSURE),
        ceiling=_compute_ceiling(flavour),
    )
    load = partial(_load_instances, flavour, level)
    return PairTask(info, load, metric=HEADLINE, metrics=FURTHER)


def _summarize(flavour: str, level: str) -> str:
    return f"Do two methods {FLAVOURS[flavour]}? Ranked as developers did ({LEVELS[level]})"


def _compute_ceiling(flavour: str) -> Ceiling | None:
    """Return the agreement of voters; None if the votes are not on this machine."""
    if missing_files(dataset("sesame")):
        return None
    from codeacumen.benchmarks.sesame.pairs import PAIRS, ceiling, ratings_of

    value = ceiling(ratings_of(require("sesame") / PAIRS), flavour)
    return Ceiling("a voter against the other two (Spearman)", round(value, 3), "SeSaMe's votes")


for _flavour in FLAVOURS:
    for _level in LEVELS:
        task(f"sesame/{_flavour}/{_level}", summary=_summarize(_flavour, _level))(
            partial(make_task, _flavour, _level)
        )


BUILT_PAIRS = "pairs.jsonl"


def make_variants_task(built: BuiltDataset, level: str) -> PairTask:
    """Return a task of a built data set: distinguish a method's variants from other methods."""

    def load() -> list[Instance]:
        from codeacumen.views.masking.levels import shown

        return [
            Instance(
                id=row["id"],
                input=Pair(shown(row["left"], level), shown(row["right"], level)),
                truth=row["label"],
                cluster=row["cluster"],
                tags=frozenset(row["tags"]),
            )
            for row in built.rows(BUILT_PAIRS)
        ]

    info = TaskInfo(
        name=f"similarity/{level}",
        title=f"Similar methods, {level}",
        summary=_summarize_variants(built, level),
        slices=tuple(built.about["kinds"]),
    )
    metrics = (read_metric("average_precision"),)
    return PairTask(info, load, metric=read_metric("roc_auc"), metrics=metrics, built=built)


def _summarize_variants(built: BuiltDataset, level: str) -> str:
    return f"Is one method a variant of the other? ({built.folder.name}, {LEVELS[level]})"


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks of a data set: one for each level."""
    for level in LEVELS:
        summary = _summarize_variants(built, level)
        yield BuiltTask(f"similarity/{level}", summary, built, make_variants_task, (level,))
