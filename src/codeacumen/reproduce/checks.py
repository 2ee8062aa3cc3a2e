"""Checks whether the published numbers of a paper are consistent with each other.

The ``table`` of a cell is the check, ``ours`` is computed from other published numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codeacumen.reproduce import OUTSIDE, WITHIN, ReproducedCell, TextTable
from codeacumen.text.numbers import ABSENT, format_difference, format_number


def harmonic_mean(precision: float, recall: float) -> float:
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def nearest_percentage(value: float, n: int) -> float:
    """Return the percentage nearest to a value that stands for a whole number of n things.

    ``value`` is a percentage.
    """
    return 100 * round(value * n / 100) / n


def sort_by_check(
    cells: Sequence[ReproducedCell], checks: Mapping[str, str]
) -> list[ReproducedCell]:
    """Return the cells in the order of the checks."""
    order = list(checks)
    return sorted(cells, key=lambda cell: order.index(cell.table))


def summarize_checks(
    cells: Sequence[ReproducedCell], checks: Mapping[str, str], title: str
) -> TextTable:
    """Return a table of how many numbers pass each check.

    ``checks`` maps a check, which is the ``table`` of its cells, to its condition.
    """
    rows = []
    for check, meaning in checks.items():
        verdicts = [cell.verdict for cell in cells if cell.table == check]
        within = verdicts.count(WITHIN)
        rows.append([check, meaning, str(len(verdicts)), str(within), str(len(verdicts) - within)])
    columns = ["check", "what must hold", "numbers", "hold", "do not"]
    return TextTable(title, columns, rows, numeric=(2, 3, 4))


def tabulate_inconsistent(
    cells: Sequence[ReproducedCell], fields: Mapping[str, str], decimals: int, caption: str
) -> list[TextTable]:
    """Return a table of the inconsistent numbers, or nothing without such numbers.

    ``fields`` maps the title of a column to the field of ``ReproducedCell`` that it shows, to
    locate the number. Our numbers are shown with this number of ``decimals``.
    """
    rows = [
        [
            *(getattr(cell, field) for field in fields.values()),
            f"{cell.n:,}" if cell.n else ABSENT,
            format_number(cell.published, 2),
            format_number(cell.ours, decimals),
            format_difference(cell.difference),
            cell.note,
        ]
        for cell in cells
        if cell.verdict == OUTSIDE
    ]
    columns = [*fields, "n", "printed", "should be", "difference", "remark"]
    numeric = range(len(fields), len(fields) + 4)
    return [TextTable("Inconsistent numbers", columns, rows, caption, numeric)] if rows else []
