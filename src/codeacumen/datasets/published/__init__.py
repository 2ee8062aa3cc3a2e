"""The papers' tables, as data, with the tolerance we hold ourselves to.

``README.md`` in this folder says where each table is from and how its numbers came about.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


def read_table(name: str) -> list[dict[str, str]]:
    text = files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@dataclass(frozen=True, slots=True)
class PublishedCorrelation:
    task: str
    size: str
    technique: str
    n: int
    value: float
    tolerance: float


# The seven techniques' scores are data, so only rounding may differ. The ensemble counts
# dictionary words, and dictionaries differ between releases.
TECHNIQUE_TOLERANCE = 0.0005
ENSEMBLE_TOLERANCE = 0.02


@lru_cache(maxsize=1)
def idbench_correlations() -> tuple[PublishedCorrelation, ...]:
    return tuple(
        PublishedCorrelation(
            row["task"],
            row["size"],
            row["technique"],
            int(row["pairs"]),
            float(row["spearman"]),
            ENSEMBLE_TOLERANCE if row["technique"] == "combined" else TECHNIQUE_TOLERANCE,
        )
        for row in read_table("idbench_correlations")
    )


@lru_cache(maxsize=1)
def _sizes() -> dict[str, dict[str, str]]:
    return {row["size"]: row for row in read_table("idbench_sizes")}


def idbench_agreement(question: str, size: str) -> float | None:
    """Agreement between raters (Table II); none was published for contextual similarity."""
    value = _sizes()[size].get(f"{question}_ira")
    return float(value) if value else None
