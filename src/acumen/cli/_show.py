"""What the verbs share: tables, JSON, progress, and how an error looks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from acumen.registry import Kind

# Exit codes: 0 all well; 1 it ran, and something failed or is outside its tolerance;
# 2 it could not run.
FOUND_FAILURES = 1
COULD_NOT_RUN = 2
PIPED_WIDTH = 160


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    # Into a pipe, a table must not be cut to 80 columns.
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=stderr, width=width, highlight=False)


def printable(text: str) -> str:
    """The text with control characters spelt out: a model's error must not steer a terminal."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


def say(text: str) -> None:
    """A remark for the person at the terminal; never mixed with output for machines."""
    typer.echo(printable(text), err=True)


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=1, ensure_ascii=True))


def print_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    caption: str = "",
    right: Sequence[int] = (),
) -> None:
    """A table, with its title above and its caption below; ``right``: columns of numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_header=any(columns))
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    out = console()
    if title:
        out.print(Text(title, style="bold"))
    out.print(table)
    if caption:
        out.print(Text(caption + "\n", style="dim"))


def print_facts(title: str, facts: Sequence[tuple[str, str]]) -> None:
    """What there is to know about one thing, a line each."""
    print_table(["", ""], facts, title=title)


def print_listing(kind: Kind, what: str, *, as_json: bool) -> None:
    """All models, or all tasks, there are."""
    from acumen.registry import listing

    rows = list(listing(kind))
    if as_json:
        print_json([{"name": n, "summary": s, "origin": o} for n, s, o in rows])
    else:
        print_table([kind, what, "from"], rows)


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def bounds(low: float | None, high: float | None, digits: int = 3) -> str:
    if low is None or high is None:
        return ""
    return f"{low:.{digits}f} to {high:.{digits}f}"


# Told what is being done, how much of it is done, and of how much.
Step = Callable[[str, int, int], None]


@contextmanager
def progress_bar() -> Iterator[Step]:
    """A bar on standard error, moved by calling what this gives; silent when that is not a
    terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    errors = console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        disable=not errors.is_terminal,
        transient=True,
    ) as progress:
        bar = progress.add_task("", total=1)

        def step(what: str, done: int, total: int) -> None:
            progress.update(bar, description=what, completed=done, total=total)

        yield step
