"""Numbers as tables show them."""

from __future__ import annotations

ABSENT = "–"


def format_number(value: float | None, digits: int = 3) -> str:
    return ABSENT if value is None else f"{value:.{digits}f}"


def format_interval(low: float | None, high: float | None, digits: int = 3) -> str:
    if low is None or high is None:
        return ""
    return f"{low:.{digits}f} to {high:.{digits}f}"


def format_difference(value: float | None) -> str:
    """The value with its sign, rounded before it is formatted so that no cell reads -0.0000."""
    return ABSENT if value is None else f"{round(value, 4) + 0.0:+.4f}"
