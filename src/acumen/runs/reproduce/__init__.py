"""The papers' tables, computed again: ours, published, difference, verdict."""

from acumen.runs.reproduce.cell import (
    NO_NUMBER,
    OUTSIDE,
    WITHIN,
    ReproducedCell,
    judged,
)

__all__ = ["NO_NUMBER", "OUTSIDE", "WITHIN", "ReproducedCell", "judged"]
