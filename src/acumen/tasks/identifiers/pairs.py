"""The rows of IdBench's three files, read as they should be.

Missing values are the string ``NAN``. The authors' script reads every number as a string
and so ranks them as text, which changes columns with negative values (w2v-cbow); we read
numbers as numbers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

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
