"""Output of commands: tables, facts, JSON, and notes to the user on standard error."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

import typer

# Characters in a line of a table that is piped: it must not be cut to the 80 that rich assumes for
# an unknown terminal.
PIPED_WIDTH = 160
# A folded column is not made narrower than this.
NARROWEST = 20
# Length of an id, which must stay whole; a width in which every table has room.
_ID_LENGTH, _UNLIMITED = 36, 100_000


def _get_width() -> int | None:
    """Return the number of characters in a line; None where the terminal decides."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    return None if sys.stdout.isatty() else PIPED_WIDTH


def escape_control(text: str) -> str:
    """Return the text with control characters escaped: a model's error must not steer a
    terminal."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def print_note(text: str) -> None:
    """Print a note on standard error, so that it never mixes with output for machines."""
    typer.echo(escape_control(text), err=True)


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers that are not finite, which JSON lacks, are null."""
    typer.echo(json.dumps(_replace_not_finite(value), indent=1, ensure_ascii=True, allow_nan=False))


def _replace_not_finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _replace_not_finite(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_not_finite(element) for element in value]
    return value


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    caption: str = "",
    right: Sequence[int] = (),
    wide: int | None = None,
) -> None:
    """Print a table; without any text in ``columns``, it has no header.

    ``right`` are the indices of the columns of numbers, which are aligned right. Where the terminal
    is narrow, one column may be folded, that is, its cells get several lines: the one with the
    index ``wide``, by default the column of text with the longest cell. Other cells stay whole: if
    that is still too much, lines are longer than the terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_header=any(columns))
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i in right else "left", no_wrap=True)
    cells = [[Text(escape_control(cell)) for cell in row] for row in rows]
    for row in cells:
        table.add_row(*row)
    out = Console(width=_get_width(), highlight=False)
    table_width = out.measure(table, options=out.options.update(width=_UNLIMITED)).maximum
    if table_width > out.width:
        # For each column, the length of its title or of the longest line of a cell.
        lengths = [
            max(len(column), *(line.cell_len for row in cells for line in row[i].split()), 0)
            for i, column in enumerate(columns)
        ]
        folded = _choose_folded_column(lengths, right) if wide is None else wide
        if folded is not None:
            column_style, length = table.columns[folded], lengths[folded]
            least = max(NARROWEST, len(columns[folded]))
            width = max(min(length, least), length - (table_width - out.width))
            column_style.width = width
            column_style.no_wrap, column_style.overflow = False, "fold"
            for row in cells:
                row[folded].plain = _break_long_words(row[folded].plain, width)
            table_width -= length - width
    if title:
        out.print(Text(title, style="bold"))
    # rich would cut a table that is wider than the console.
    terminal_width = out.width
    out.width = max(terminal_width, table_width)
    out.print(table)
    out.width = terminal_width
    if caption:
        out.print(Text(caption + "\n", style="dim"))


def _break_long_words(text: str, width: int) -> str:
    """Return the text with line ends after the slashes of words longer than ``width``.

    >>> _break_long_words("in src/main/java/A.java", 10)
    'in src/main/\\njava/\\nA.java'
    """

    def break_word(match: re.Match[str]) -> str:
        lines = [""]
        for piece in re.findall(r"[^/]*/|[^/]+", match[0]):
            if lines[-1] and len(lines[-1]) + len(piece) > width:
                lines.append("")
            lines[-1] += piece
        return "\n".join(lines)

    return re.sub(rf"[^\s]{{{width + 1},}}", break_word, text)


def _choose_folded_column(lengths: Sequence[int], right: Sequence[int]) -> int | None:
    """Return the index of the longest column of text, if it is longer than an id; else None.

    ``lengths`` has the length of the longest line of each column; ``right`` are the indices of the
    columns of numbers.
    """
    longest = max(range(len(lengths)), key=lambda i: (i not in right, lengths[i]), default=0)
    is_long = bool(lengths) and longest not in right and lengths[longest] > _ID_LENGTH
    return longest if is_long else None


def print_facts(title: str, facts: Sequence[tuple[str, str]]) -> None:
    """Print names and values, a line each."""
    print_table(["", ""], facts, title=title, wide=1)
