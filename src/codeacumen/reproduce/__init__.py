"""The papers' tables, computed again: ours, published, difference, verdict."""

from __future__ import annotations

from dataclasses import dataclass

WITHIN = "within"
OUTSIDE = "outside"
NO_NUMBER = "no published number"


@dataclass(frozen=True, slots=True)
class ReproducedCell:
    table: str
    task: str
    size: str
    technique: str
    n: int
    ours: float | None
    published: float | None
    difference: float | None
    verdict: str
    tolerance: float | None = None
    low: float | None = None
    high: float | None = None
    subset: str = ""
    ceiling: float | None = None
    note: str = ""


def judged(
    ours: float | None, published: float | None, tolerance: float | None
) -> tuple[float | None, str]:
    """Difference and verdict; there is none without a published number."""
    if published is None or tolerance is None:
        return None, NO_NUMBER
    if ours is None:
        return None, OUTSIDE
    difference = ours - published
    return difference, WITHIN if abs(difference) <= tolerance else OUTSIDE
