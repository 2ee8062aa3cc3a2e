"""Pairs by construction, asked: is this method the same as that one, written in another way?

The data sets are those of ``build.py``. Each sight is a task, ``similar/SIGHT``; each kind of
transformation is a slice, with as many pairs that are alike as pairs that are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acumen.api import Face, Instance, Metric, Pair, TaskCard
from acumen.datasets.built import Built
from acumen.metrics import read_metric
from acumen.tasks.similarity import CONVENTION
from acumen.tasks.similarity.sights import SIGHTS

PAIRS = "pairs.jsonl"


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
            summary=_summary(built, sight),
            conventions=(CONVENTION,),
            slices=tuple(built.about["kinds"]),
        )

    def instances(self) -> Sequence[Instance]:
        from acumen.tasks.similarity.sights import shown

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
            for row in self.built.rows(PAIRS)
        ]


def _summary(built: Built, sight: str) -> str:
    return f"Is one method a variant of the other? ({built.folder.name}, {SIGHTS[sight]})"


@dataclass(frozen=True, slots=True)
class _Factory:
    built: Built
    sight: str

    def __call__(self) -> Similar:
        return Similar(self.built, self.sight)


def tasks(built: Built) -> Iterator[tuple[str, str, _Factory]]:
    """The tasks of a data set: one for each sight."""
    for sight in SIGHTS:
        yield f"similar/{sight}", _summary(built, sight), _Factory(built, sight)
