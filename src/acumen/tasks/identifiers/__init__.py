"""IdBench: are two identifiers related, similar, similar in context?

Nine tasks: three questions, each on a small, a medium and a large set of pairs. The
smaller sets were cleaned more strictly, so that raters agree more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acumen import metrics
from acumen.api import Ceiling, Convention, Face, Instance, Metric, Pair, TaskCard
from acumen.datasets import dataset, require
from acumen.published import idbench_agreement
from acumen.registry import task
from acumen.tasks.identifiers.pairs import (
    LABELS,
    RELATIONS,
    SIZES,
    SUBSETS,
    read_pairs,
    read_subsets,
)

CONVENTIONS = (
    Convention(
        "complete", "pairs that every published technique scores, as in the paper", tag="complete"
    ),
    Convention("own", "every labelled pair the model itself scores"),
)


class IdBench:
    """Rank pairs of identifiers as developers did."""

    def __init__(self, question: str, size: str) -> None:
        self.question = question
        self.size = size
        self.metric: Metric = metrics.spearman
        self.card = TaskCard(
            name=f"idbench/{question}/{size}",
            title=f"IdBench {question}, {size}",
            version="1",
            face=Face.SIMILARITY,
            metric=self.metric.name,
            summary=summary(question, size),
            dataset="idbench",
            citation=dataset("idbench").citation,
            conventions=CONVENTIONS,
            # The subsets were drawn from the large file; see read_subsets.
            slices=tuple(SUBSETS.values()) if size == "large" else (),
            ceiling=_ceiling(question, size),
        )

    def instances(self) -> Sequence[Instance]:
        folder = require("idbench")
        subsets = read_subsets(folder) if self.size == "large" else {}
        return [
            Instance(
                id=f"{pair.left}~{pair.right}",
                input=Pair(pair.left, pair.right, RELATIONS[self.question]),
                truth=pair.labels[self.question],
                tags=subsets.get((pair.left, pair.right), frozenset())
                | ({"complete"} if pair.complete else set()),
            )
            for pair in read_pairs(folder, self.size)
            if pair.labels[self.question] is not None
        ]


def summary(question: str, size: str) -> str:
    return f"Are two identifiers {RELATIONS[question]}? Ranked as developers did ({size} set)"


def _ceiling(question: str, size: str) -> Ceiling | None:
    agreement = idbench_agreement(question, size)
    if agreement is None:
        return None
    return Ceiling("agreement between raters (Krippendorff's α)", agreement, "IdBench, Table II")


def _factory(question: str, size: str) -> Callable[[], IdBench]:
    def make() -> IdBench:
        return IdBench(question, size)

    return make


for _question in LABELS:
    for _size in SIZES:
        task(f"idbench/{_question}/{_size}", summary=summary(_question, _size))(
            _factory(_question, _size)
        )
