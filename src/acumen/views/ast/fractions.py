"""Fractions as the virtual machine prints them, to tell whether one is written that way."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache


@lru_cache(maxsize=1 << 12)
def is_printed(literal: bytes) -> bool:
    """Whether a literal of type double reads as its value is printed (``0.5``, ``1.0E10``), case
    aside: ``Double.toString`` gives the fewest digits that tell it from its neighbours, and no
    exponent from a thousandth up to ten million."""
    text = literal.decode("ascii", errors="replace").replace("_", "").upper()
    if text[-1] in "FD":
        return False
    try:
        value = float(text)
    except ValueError:
        return False
    return text == printed(value)


def printed(value: float) -> str:
    """A double that is not negative, as ``Double.toString`` gives it."""
    if value == float("inf"):
        return "INFINITY"
    if value == 0 or 1e-3 <= value < 1e7:
        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else f"{plain}.0"
    # Two digits are always given: the nearest two, where a single one would do.
    two = f"{value:.1e}"
    decimal = Decimal(two if float(two) == value else repr(value))
    _, digits, exponent = decimal.normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{first}.{''.join(rest) or '0'}E{int(exponent) + len(rest)}"
