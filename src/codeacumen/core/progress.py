"""Progress of long work: the callback type, and a bar or line that shows it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

# Called with the name of the stage, the amount that is done, and the total, in any unit.
Progress: TypeAlias = Callable[[str, int, int], None]

# The most updates per second that a notebook shows.
_UPDATES_PER_SECOND = 5


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Do nothing; the default callback."""


@contextmanager
def show_progress(enabled: bool = True) -> Iterator[Progress]:
    """Show progress while the context lasts: a bar in a terminal, a line in a notebook.

    Yields the callback. Elsewhere, as where standard error is a file or a pipe, and without
    ``enabled``, the callback shows nothing.
    """
    if enabled and sys.stderr.isatty():
        with _show_bar() as report:
            yield report
    elif enabled and _is_notebook():
        with _show_line() as report:
            yield report
    else:
        yield ignore_progress


def _is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _show_bar() -> Iterator[Progress]:
    """Show a bar on standard error, which disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as ProgressDisplay

    with ProgressDisplay(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    ) as display:
        bar = display.add_task("", total=1)

        def update_bar(stage: str, done: int, total: int) -> None:
            display.update(bar, description=stage, completed=done, total=total)

        yield update_bar


@contextmanager
def _show_line() -> Iterator[Progress]:
    """Show a line on standard error by overwriting it; unlike a bar it needs no widgets.

    The line disappears at the end.
    """
    shown_at = 0.0
    shown_width = 0

    def write_line(stage: str, done: int, total: int) -> None:
        nonlocal shown_at, shown_width
        now = time.monotonic()
        if now - shown_at < 1 / _UPDATES_PER_SECOND:
            return
        filled = round(20 * done / total) if total else 0  # of 20 characters
        line = f"{stage} [{'#' * filled}{'.' * (20 - filled)}] {done:,} of {total:,}"
        sys.stderr.write("\r" + line.ljust(shown_width))
        sys.stderr.flush()
        shown_at, shown_width = now, len(line)

    try:
        yield write_line
    finally:
        if shown_width:
            sys.stderr.write("\r" + " " * shown_width + "\r")
            sys.stderr.flush()
