"""Tasks on similar methods: pairs that people judged (SeSaMe), and pairs with transformed methods.

SeSaMe asks whether two methods share goals, operations or effects. Each of these three questions is
a flavour. Each flavour has four tasks, ``sesame/FLAVOUR/LEVEL``; the level says how much of the
source a model sees (``views/masking/levels.py``). Three people voted on each pair, and its truth
holds several aggregates of their votes (``pairs.py``). A model's headline score is the rank
correlation of its answers with the mean of the votes, weighted by confidence.

``similarity/LEVEL`` asks whether one method is a variant of the other, made by a transformation;
``build.py`` builds the data sets. Each kind of transformation is a slice, with as many similar as
dissimilar pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from codeacumen.api import Ceiling, Instance, Pair
from codeacumen.datasets import find_dataset, missing_files, require_dataset
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.metrics import make_reading_metric
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo, make_neutral_id
from codeacumen.tasks.kinds import PairTask
from codeacumen.views.masking.levels import LEVELS

FLAVOURS = ("goals", "operations", "effects")
# Tags of pairs that are slices; ``_make_tags`` in ``pairs.py`` assigns them. ``APPROACH`` marks the
# pairs on which goals and operations must be separated (``is_in_approach_slice``), ``SAME_KIND``
# methods of projects of one kind, ``UNSURE`` pairs with a vote of low confidence.
APPROACH, SAME_KIND, UNSURE = "approach differs", "same kind of project", "low confidence"
# A tag, but not a slice: unanimous pairs have too few distinct ratings to rank.
UNANIMOUS = "unanimous"

HEADLINE = make_reading_metric("spearman")
# End of the titles of metrics with two classes of pairs: the definition of a similar pair.
_SIMILAR = "mean rating of 1 or more"
# Further metrics: the second argument is the aggregate of the votes ("value" by default), the third
# its minimum for a similar pair.
FURTHER = (
    make_reading_metric("kendall"),
    make_reading_metric("roc_auc", "mean", 1.0, title_suffix=_SIMILAR),
    make_reading_metric("average_precision", "mean", 1.0, title_suffix=_SIMILAR),
    make_reading_metric("best_f1", "mean", 1.0, title_suffix=_SIMILAR),
    make_reading_metric("all_positive_f1", "mean", 1.0, title_suffix=_SIMILAR),
    make_reading_metric("roc_auc", "majority", 2.0, suffix="agree", title_suffix="majority agrees"),
    make_reading_metric(
        "spearman", "majority", suffix="majority", title_suffix="with the ordinal majority"
    ),
    make_reading_metric(
        "spearman",
        "majority_all",
        suffix="majority_all",
        title_suffix="with the ordinal majority of all votes",
    ),
)


def _load_instances(flavour: str, level: str) -> list[Instance]:
    from codeacumen.benchmarks.sesame.pairs import read_pairs
    from codeacumen.views.masking.levels import show_level

    return [
        Instance(
            # In the published numbering, similar pairs come first.
            id=make_neutral_id("sesame", pair.id),
            input=Pair(show_level(pair.first, level), show_level(pair.second, level), flavour),
            truth=dict(pair.readings[flavour]),
            cluster=pair.cluster,
            tags=pair.tags[flavour],
        )
        for pair in read_pairs(require_dataset("sesame"))
    ]


def make_task(flavour: str, level: str) -> PairTask:
    """Return a task of SeSaMe: rank pairs of methods as developers did."""
    info = TaskInfo(
        name=f"sesame/{flavour}/{level}",
        title=f"SeSaMe {flavour}, {level}",
        summary=_summarize_task(flavour, level),
        version="2",  # In version 1, the ids revealed the truth.
        dataset="sesame",
        citation=find_dataset("sesame").citation,
        slices=(APPROACH, SAME_KIND, UNSURE),
        ceiling=_compute_ceiling(flavour),
    )
    load = partial(_load_instances, flavour, level)
    return PairTask(info, load, metric=HEADLINE, metrics=FURTHER)


def _summarize_task(flavour: str, level: str) -> str:
    return f"Rank method pairs by similar {flavour} as developers did ({LEVELS[level]})"


def _compute_ceiling(flavour: str) -> Ceiling | None:
    """Return the score of votes against the pair's other votes; None if SeSaMe is not installed."""
    if missing_files(find_dataset("sesame")):
        return None
    from codeacumen.benchmarks.sesame.pairs import PAIRS, compute_ceiling, load_ratings

    value = compute_ceiling(load_ratings(require_dataset("sesame") / PAIRS), flavour)
    return Ceiling(
        "correlation of a voter with the other two (Spearman)", round(value, 3), "SeSaMe's votes"
    )


for _flavour in FLAVOURS:
    for _level in LEVELS:
        task(f"sesame/{_flavour}/{_level}", summary=_summarize_task(_flavour, _level))(
            partial(make_task, _flavour, _level)
        )


# The file of a built data set that holds its pairs.
BUILT_PAIRS = "pairs.jsonl"


def make_variants_task(built: BuiltDataset, level: str) -> PairTask:
    """Return a task of a built data set: distinguish a method's variants from other methods.

    ``build.py`` writes the data set; ``level`` is one of ``LEVELS``.
    """

    def load_instances() -> list[Instance]:
        from codeacumen.views.masking.levels import show_level

        return [
            Instance(
                id=row["id"],
                input=Pair(show_level(row["left"], level), show_level(row["right"], level)),
                truth=row["label"],
                cluster=row["cluster"],
                tags=frozenset(row["tags"]),
            )
            for row in built.read_rows(BUILT_PAIRS)
        ]

    info = TaskInfo(
        name=f"similarity/{level}",
        title=f"Similar methods, {level}",
        summary=_summarize_variants(built, level),
        slices=tuple(built.about["kinds"]),
    )
    metrics = (make_reading_metric("average_precision"),)
    return PairTask(
        info, load_instances, metric=make_reading_metric("roc_auc"), metrics=metrics, built=built
    )


def _summarize_variants(built: BuiltDataset, level: str) -> str:
    return (
        f"Separate variants of a method from other methods ({built.folder.name}, {LEVELS[level]})"
    )


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks of a built data set, one for each level."""
    for level in LEVELS:
        summary = _summarize_variants(built, level)
        yield BuiltTask(f"similarity/{level}", summary, built, make_variants_task, (level,))
