"""What the commands share: tables, JSON, progress, and a command group that prints our errors."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from codeacumen.api import CodeacumenError

if TYPE_CHECKING:
    from rich.console import Console

    from codeacumen.core.progress import Progress
    from codeacumen.registry import Kind

# Exit codes: 0 all well; 1 it ran, and something failed or is outside its tolerance;
# 2 it could not run.
FOUND_FAILURES = 1
COULD_NOT_RUN = 2
PIPED_WIDTH = 160
# A folded column is not made narrower than this.
NARROWEST = 20
_ID, _ENDLESS = 36, 100_000


def console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=_width(stream), highlight=False)


def _width(stream: TextIO) -> int | None:
    """Columns of what is printed; None where the terminal says."""
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked):
        return int(asked)
    # Into a pipe, a table must not be cut to 80 columns.
    return None if stream.isatty() else PIPED_WIDTH


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
    wide: int | None = None,
) -> None:
    """A table, with its title above and its caption below; ``right``: columns of numbers.

    One column may be folded where the terminal is narrow: ``wide``, or the one of the longest
    cells. Ids, numbers and names stay whole: where that is still too much, lines run over.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_header=any(columns))
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i in right else "left", no_wrap=True)
    cells = [[Text(printable(cell)) for cell in row] for row in rows]
    for row in cells:
        table.add_row(*row)
    out = console()
    whole = out.measure(table, options=out.options.update(width=_ENDLESS)).maximum
    if whole > out.width:
        lengths = [
            max(len(column), *(line.cell_len for row in cells for line in row[i].split()), 0)
            for i, column in enumerate(columns)
        ]
        folded = _folded(lengths, right) if wide is None else wide
        if folded is not None:
            narrow, length = table.columns[folded], lengths[folded]
            least = max(NARROWEST, len(columns[folded]))
            narrow.width = max(min(length, least), length - (whole - out.width))
            narrow.no_wrap, narrow.overflow = False, "fold"
            for row in cells:
                row[folded].plain = _parted(row[folded].plain, narrow.width)
            whole -= length - narrow.width
    if title:
        out.print(Text(title, style="bold"))
    room = out.width
    out.width = max(room, whole)
    out.print(table)
    out.width = room
    if caption:
        out.print(Text(caption + "\n", style="dim"))


def _parted(text: str, width: int) -> str:
    """A text whose long words, such as paths, have line ends after their slashes.

    >>> _parted("in src/main/java/A.java", 10)
    'in src/main/\\njava/A.java'
    """

    def part(match: re.Match[str]) -> str:
        lines = [""]
        for piece in re.findall(r"[^/]*/|[^/]+", match[0]):
            if lines[-1] and len(lines[-1]) + len(piece) > width:
                lines.append("")
            lines[-1] += piece
        return "\n".join(lines)

    return re.sub(rf"[^\s]{{{width + 1},}}", part, text)


def _folded(lengths: Sequence[int], right: Sequence[int]) -> int | None:
    """The column to fold where none is named: the longest, if it is more than an id."""
    longest = max(range(len(lengths)), key=lambda i: (i not in right, lengths[i]), default=0)
    return longest if lengths and longest not in right and lengths[longest] > _ID else None


def print_facts(title: str, facts: Sequence[tuple[str, str]]) -> None:
    """What there is to know about one thing, a line each."""
    print_table(["", ""], facts, title=title, wide=1)


def print_listing(kind: Kind, what: str, *, as_json: bool) -> None:
    """All models, or all tasks, there are."""
    from codeacumen.registry import listing

    rows = list(listing(kind))
    if as_json:
        print_json([{"name": n, "summary": s, "origin": o} for n, s, o in rows])
    else:
        print_table([kind, what, "from"], rows, wide=1)


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def bounds(low: float | None, high: float | None, digits: int = 3) -> str:
    if low is None or high is None:
        return ""
    return f"{low:.{digits}f} to {high:.{digits}f}"


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error, moved by calling what this gives; silent when that is not a
    terminal."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as ProgressDisplay

    errors = console(stderr=True)
    with ProgressDisplay(
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


INTERRUPTED = 130


# As data flows; typer would list groups last.
ORDER = (
    "data", "corpus", "measure", "transform", "similar", "names", "survey", "dataset", "tasks",
    "models", "train", "neighbours", "embed", "eval", "score", "compare", "report", "reproduce",
)  # fmt: skip


class Verbs(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else -1)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CodeacumenError as error:
            say(f"error: {error}")
            if error.hint:
                say(f"hint: {error.hint}")
            raise typer.Exit(COULD_NOT_RUN) from error
        except BrokenPipeError:
            raise  # the reader has seen enough: the group above ends quietly
        except OSError as error:
            say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
            say("hint: is the path right, may you write there, and is there room?")
            raise typer.Exit(COULD_NOT_RUN) from error
        except KeyboardInterrupt as error:
            say("stopped. Run the same command again and it goes on where it was.")
            raise typer.Exit(INTERRUPTED) from error


class Verb(TyperCommand):
    """A command whose help is its docstring, each paragraph on one line: typer would keep the
    line ends of the source."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        paragraphs = (self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def verbs(help_text: str) -> typer.Typer:
    return typer.Typer(
        help=help_text, no_args_is_help=True, rich_markup_mode="rich", cls=Verbs,
        context_settings={"help_option_names": ["-h", "--help"]},
    )  # fmt: skip
