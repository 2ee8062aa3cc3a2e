"""Read IdBench's published numbers: the correlations of figure 2, the agreement of Table II."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from codeacumen.datasets.published import read_published

PACKAGE = "codeacumen.benchmarks.idbench"
# The scores of the seven techniques are published, so only rounding may differ. The ensemble counts
# words of a dictionary, and dictionaries differ between releases.
TECHNIQUE_TOLERANCE = 0.0005
ENSEMBLE_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class PublishedCorrelation:
    """A correlation of figure 2, on ``n`` pairs, and the tolerance for its reproduction."""

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
        for row in read_published(PACKAGE, "correlations")
    )


@lru_cache(maxsize=1)
def _read_sizes() -> dict[str, dict[str, str]]:
    return {row["size"]: row for row in read_published(PACKAGE, "sizes")}


def read_published_agreement(question: str, size: str) -> float | None:
    """Return the agreement between raters (Table II); None for contextual similarity."""
    value = _read_sizes()[size].get(f"{question}_ira")
    return float(value) if value else None
