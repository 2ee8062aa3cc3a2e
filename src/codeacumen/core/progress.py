"""The callback through which long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

# Called with the stage, how much of it is done, and how much there is in total.
Progress: TypeAlias = Callable[[str, int, int], None]


def ignore_progress(stage: str, done: int, total: int) -> None:
    """Do nothing: the default where nobody watches."""
