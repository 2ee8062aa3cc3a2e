"""Format numbers for tables."""

from __future__ import annotations

# Stands for a number that is None.
ABSENT = "–"


def format_number(value: float | None, digits: int = 3) -> str:
    """Return a number with this many decimals; ``ABSENT`` for None."""
    return ABSENT if value is None else f"{value:.{digits}f}"


def format_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return the bounds of an interval; empty if a bound is None."""
    if low is None or high is None:
        return ""
    return f"{low:.{digits}f} to {high:.{digits}f}"


def format_difference(value: float | None) -> str:
    """Return a difference with sign and four decimals; ``ABSENT`` for None.

    It is rounded before it is formatted, so that no cell reads -0.0000.
    """
    return ABSENT if value is None else f"{round(value, 4) + 0.0:+.4f}"
