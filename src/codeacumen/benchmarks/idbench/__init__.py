"""IdBench: are two identifiers related, similar, similar in context?

Nine tasks: three questions, each on a small, a medium and a large set of pairs. The smaller sets
were cleaned more strictly, so that raters agree more. ``tasks`` lists those of a folder that
``codeacumen survey clean`` made: the same questions, answered by other raters.

Missing values are the string ``NAN``. The authors' script reads every number as a string and so
ranks them as text, which changes columns with negative values (w2v-cbow); we read numbers as
numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from codeacumen import metrics
from codeacumen.api import Ceiling, Convention, Face, Instance, Metric, Pair, TaskCard
from codeacumen.datasets import dataset, require
from codeacumen.datasets.built import Built
from codeacumen.datasets.published import idbench_agreement
from codeacumen.registry import task

SIZES = ("small", "medium", "large")

# The label column of each task.
LABELS = {
    "relatedness": "relatedness",
    "similarity": "similarity",
    "contextual": "contextual_similarity",
}

# What each task asks, in words.
RELATIONS = {
    "relatedness": "related",
    "similarity": "similar",
    "contextual": "similar in context",
}

# In the order in which the authors' ensemble takes them.
TECHNIQUES = ("FT-cbow", "FT-SG", "w2v-SG", "w2v-cbow", "Path-based", "LV", "NW")

# Column of interesting_subsets.csv and our tag for it.
SUBSETS = {
    "Abbreviation": "abbreviations",
    "Opposites": "opposites",
    "Synonyms": "synonyms",
    "Added subtoken": "added subtoken",
    "Tricky tokenization": "tricky tokenization",
}


@dataclass(frozen=True, slots=True)
class RatedPair:
    left: str
    right: str
    labels: Mapping[str, float | None]
    scores: Mapping[str, float | None]

    @property
    def complete(self) -> bool:
        """Whether all seven published techniques score the pair."""
        return all(score is not None for score in self.scores.values())


def _number(text: str) -> float | None:
    return None if text == "NAN" else float(text)


@lru_cache(maxsize=8)
def read_pairs(folder: Path, size: str) -> tuple[RatedPair, ...]:
    with (folder / f"{size}_pair_wise.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(
            RatedPair(
                row["id1"],
                row["id2"],
                {task: _number(row[column]) for task, column in LABELS.items()},
                {name: _number(row[name]) for name in TECHNIQUES if name in row},
            )
            for row in csv.DictReader(stream)
        )


@lru_cache(maxsize=2)
def read_subsets(folder: Path) -> Mapping[tuple[str, str], frozenset[str]]:
    """The subsets each of the 167 inspected pairs belongs to.

    The paper says these are the pairs of the small benchmark; the file's pairs are those of
    the large one that have both a relatedness and a contextual label.
    """
    with (folder / "interesting_subsets.csv").open(encoding="utf-8", newline="") as stream:
        return {
            (row["id1"], row["id2"]): frozenset(
                tag for column, tag in SUBSETS.items() if row[column] == "1"
            )
            for row in csv.DictReader(stream)
        }


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
            summary=_rated_summary(built, question, size),
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


def _rated_summary(built: Built, question: str, size: str) -> str:
    return (
        f"Are two identifiers {RELATIONS[question]}? As raters said ({built.folder.name}, {size})"
    )


@dataclass(frozen=True, slots=True)
class _RatedFactory:
    built: Built
    question: str
    size: str

    def __call__(self) -> Rated:
        return Rated(self.built, self.question, self.size)


def tasks(built: Built) -> Iterator[tuple[str, str, _RatedFactory]]:
    """The tasks of a data set: each size that has labels for a question."""
    for question, column in LABELS.items():
        for size, about in built.about["kinds"].items():
            if about["labels"][column]:
                name = f"identifiers/{question}/{size}"
                yield (
                    name,
                    _rated_summary(built, question, size),
                    _RatedFactory(built, question, size),
                )
