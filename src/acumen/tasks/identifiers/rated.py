"""Benchmarks that `acumen survey clean` made: IdBench's questions, asked of other people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acumen import metrics
from acumen.api import Ceiling, Face, Instance, Metric, Pair, TaskCard
from acumen.datasets.built import Built
from acumen.tasks.identifiers.pairs import LABELS, RELATIONS, read_pairs


class Rated:
    """Rank pairs of identifiers as the raters of a survey did."""

    def __init__(self, built: Built, question: str, size: str) -> None:
        self.built, self.question, self.size = built, question, size
        self.metric: Metric = metrics.spearman
        agreement = built.about["kinds"][size]["agreement"].get(question)
        self.card = TaskCard(
            name=f"identifiers/{question}/{size}",
            title=f"Identifiers {question}, {size}",
            version="1",
            face=Face.SIMILARITY,
            metric=self.metric.name,
            summary=_summary(built, question, size),
            ceiling=None
            if agreement is None
            else Ceiling("agreement between raters (Krippendorff's α)", agreement, "report.json"),
        )

    def instances(self) -> Sequence[Instance]:
        self.built.checked(f"{self.size}_pair_wise.csv")
        return [
            Instance(
                id=f"{pair.left}~{pair.right}",
                input=Pair(pair.left, pair.right, RELATIONS[self.question]),
                truth=pair.labels[self.question],
            )
            for pair in read_pairs(self.built.folder, self.size)
            if pair.labels[self.question] is not None
        ]


def _summary(built: Built, question: str, size: str) -> str:
    return (
        f"Are two identifiers {RELATIONS[question]}? As raters said ({built.folder.name}, {size})"
    )


@dataclass(frozen=True, slots=True)
class _Factory:
    built: Built
    question: str
    size: str

    def __call__(self) -> Rated:
        return Rated(self.built, self.question, self.size)


def tasks(built: Built) -> Iterator[tuple[str, str, _Factory]]:
    """The tasks of a data set: each size that has labels for a question."""
    for question, column in LABELS.items():
        for size, about in built.about["kinds"].items():
            if about["labels"][column]:
                name = f"identifiers/{question}/{size}"
                yield name, _summary(built, question, size), _Factory(built, question, size)
