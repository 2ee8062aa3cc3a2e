"""Nine tasks of IdBench: are two identifiers related, similar, similar in context?

Each of the three questions has a small, a medium and a large set of pairs. The smaller sets were
cleaned more strictly, so that their raters agree more. ``list_tasks`` yields the tasks of a folder
that ``codeacumen survey clean`` wrote: the same questions, answered by other raters.

In the files, a missing value is the text ``NAN``. The authors' script reads numbers as strings and
ranks them as text, which changes columns with negative values (w2v-cbow); this module parses them
as numbers.

Published numbers are the correlations of figure 2 and the agreement of Table II. A technique is a
published similarity of identifiers: embeddings (FT: FastText, w2v: word2vec, each as CBOW or
skip-gram, SG; Path-based: syntax paths), string distances (LV: Levenshtein, NW: Needleman-Wunsch),
and their ensemble, "combined".
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

from codeacumen.api import Ceiling, EvaluationSet, Instance, Pair
from codeacumen.datasets import find_dataset, require_dataset
from codeacumen.datasets.built import BuiltDataset, BuiltTask
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo
from codeacumen.tasks.kinds import PairTask
from codeacumen.tasks.published import read_published

SIZES = ("small", "medium", "large")

# The label column of each question.
LABELS = {
    "relatedness": "relatedness",
    "similarity": "similarity",
    "contextual": "contextual_similarity",
}

# The relation of the pairs in each question, in words.
RELATIONS = {
    "relatedness": "related",
    "similarity": "similar",
    "contextual": "similar in context",
}

MEASURES = {
    "relatedness": "relatedness",
    "similarity": "similarity",
    "contextual": "contextual similarity",
}

# Techniques in the order of the authors' ensemble.
TECHNIQUES = ("FT-cbow", "FT-SG", "w2v-SG", "w2v-cbow", "Path-based", "LV", "NW")

# Columns of interesting_subsets.csv, with our tags for them, which are also names of slices.
SUBSETS = {
    "Abbreviation": "abbreviations",
    "Opposites": "opposites",
    "Synonyms": "synonyms",
    "Added subtoken": "added subtoken",
    "Tricky tokenization": "tricky tokenization",
}


@dataclass(frozen=True, slots=True)
class RatedPair:
    """Two identifiers, their mean ratings by question and published scores by technique.

    Ratings and scores are None where they are missing.
    """

    left: str
    right: str
    labels: Mapping[str, float | None]
    scores: Mapping[str, float | None]

    @property
    def is_complete(self) -> bool:
        """Return whether all seven published techniques score the pair."""
        return all(score is not None for score in self.scores.values())


def _parse_number(text: str) -> float | None:
    return None if text == "NAN" else float(text)


@lru_cache(maxsize=8)
def read_pairs(folder: Path, size: str) -> tuple[RatedPair, ...]:
    """Return the pairs of a set in a folder, in the order of its file.

    The files of a survey have no columns of techniques, and their pairs no scores.
    """
    with (folder / f"{size}_pair_wise.csv").open(encoding="utf-8", newline="") as stream:
        return tuple(
            RatedPair(
                row["id1"],
                row["id2"],
                {task: _parse_number(row[column]) for task, column in LABELS.items()},
                {name: _parse_number(row[name]) for name in TECHNIQUES if name in row},
            )
            for row in csv.DictReader(stream)
        )


@lru_cache(maxsize=2)
def read_subsets(folder: Path) -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the subsets of each of the 167 inspected pairs.

    According to the paper, these are the pairs of the small set; but the file has those pairs of
    the large set that have both a relatedness and a contextual label.
    """
    with (folder / "interesting_subsets.csv").open(encoding="utf-8", newline="") as stream:
        return {
            (row["id1"], row["id2"]): frozenset(
                tag for column, tag in SUBSETS.items() if row[column] == "1"
            )
            for row in csv.DictReader(stream)
        }


# The scores of the seven techniques are published, so only rounding may differ. The ensemble counts
# words of a dictionary, and dictionaries differ between releases.
TECHNIQUE_TOLERANCE = 0.0005
ENSEMBLE_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class PublishedCorrelation:
    """A correlation of figure 2 on ``n`` pairs, and the tolerance for its reproduction.

    ``task`` is the question, and ``technique`` one of ``TECHNIQUES`` or "combined", the ensemble.
    """

    task: str
    size: str
    technique: str
    n: int
    value: float
    tolerance: float


@lru_cache(maxsize=1)
def read_published_correlations() -> tuple[PublishedCorrelation, ...]:
    return tuple(
        PublishedCorrelation(
            row["task"],
            row["size"],
            row["technique"],
            int(row["pairs"]),
            float(row["spearman"]),
            ENSEMBLE_TOLERANCE if row["technique"] == "combined" else TECHNIQUE_TOLERANCE,
        )
        for row in read_published(__name__, "correlations")
    )


@lru_cache(maxsize=1)
def _read_sizes() -> dict[str, dict[str, str]]:
    return {row["size"]: row for row in read_published(__name__, "sizes")}


def read_published_agreement(question: str, size: str) -> float | None:
    """Return the agreement between raters (Table II); None for contextual similarity."""
    value = _read_sizes()[size].get(f"{question}_ira")
    return float(value) if value else None


# Tag of complete pairs.
COMPLETE = "complete"
EVALUATION_SETS = (
    EvaluationSet(
        "complete", "pairs that every published technique scores, as in the paper", tag=COMPLETE
    ),
    EvaluationSet("own", "every labelled pair that the model scores"),
)
AGREEMENT = "agreement between raters (Krippendorff's α)"


def _load_instances(folder: Path, question: str, size: str) -> list[Instance]:
    """Return the labelled pairs of a set as instances without tags."""
    return [
        Instance(
            id=f"{pair.left}~{pair.right}",
            input=Pair(pair.left, pair.right, RELATIONS[question]),
            truth=pair.labels[question],
        )
        for pair in read_pairs(folder, size)
        if pair.labels[question] is not None
    ]


def _load_published_instances(question: str, size: str) -> list[Instance]:
    """Return the instances, with tags for the subsets and for complete pairs."""
    folder = require_dataset("idbench")
    subsets = read_subsets(folder) if size == "large" else {}
    complete = {(pair.left, pair.right) for pair in read_pairs(folder, size) if pair.is_complete}
    instances = []
    for instance in _load_instances(folder, question, size):
        assert isinstance(instance.input, Pair)
        names = (instance.input.left, instance.input.right)
        tags = subsets.get(names, frozenset()) | ({COMPLETE} if names in complete else set())
        instances.append(replace(instance, tags=tags))
    return instances


def summarize_question(question: str, size: str) -> str:
    return f"Rank identifier pairs by {MEASURES[question]} as developers did ({size} set)"


def make_task(question: str, size: str) -> PairTask:
    """Return a task of IdBench: rank pairs of identifiers as developers did."""
    agreement = read_published_agreement(question, size)
    info = TaskInfo(
        name=f"idbench/{question}/{size}",
        title=f"IdBench {question}, {size}",
        summary=summarize_question(question, size),
        dataset="idbench",
        citation=find_dataset("idbench").citation,
        evaluation_sets=EVALUATION_SETS,
        # The subsets stem from the large file; see read_subsets.
        slices=tuple(SUBSETS.values()) if size == "large" else (),
        ceiling=None if agreement is None else Ceiling(AGREEMENT, agreement, "IdBench, Table II"),
    )
    return PairTask(info, partial(_load_published_instances, question, size))


for _question in LABELS:
    for _size in SIZES:
        task(f"idbench/{_question}/{_size}", summary=summarize_question(_question, _size))(
            partial(make_task, _question, _size)
        )


def make_survey_task(built: BuiltDataset, question: str, size: str) -> PairTask:
    """Return a task of a survey's data set, with the agreement of its raters as the ceiling."""

    def load_instances() -> list[Instance]:
        built.verify_file(f"{size}_pair_wise.csv")
        return _load_instances(built.folder, question, size)

    agreement = built.about["kinds"][size]["agreement"].get(question)
    info = TaskInfo(
        name=f"identifiers/{question}/{size}",
        title=f"Identifiers {question}, {size}",
        summary=_summarize_survey(built, question, size),
        evaluation_sets=(EvaluationSet("all", "every instance"),),
        ceiling=None if agreement is None else Ceiling(AGREEMENT, agreement, "report.json"),
    )
    return PairTask(info, load_instances, built=built)


def _summarize_survey(built: BuiltDataset, question: str, size: str) -> str:
    name = built.folder.name
    return f"Rank identifier pairs by {MEASURES[question]} as raters did ({name}, {size})"


def list_tasks(built: BuiltDataset) -> Iterator[BuiltTask]:
    """Yield the tasks of a data set: the questions with labels, at each size."""
    for question, column in LABELS.items():
        for size, about in built.about["kinds"].items():
            if about["labels"][column]:
                name = f"identifiers/{question}/{size}"
                summary = _summarize_survey(built, question, size)
                yield BuiltTask(name, summary, built, make_survey_task, (question, size))
