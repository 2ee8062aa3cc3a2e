"""What each of the five tasks hides of a method, and its text with that hidden: ``MASK`` stands
for a call's name and for an operator, METHOD_NAME for a method's.

``naming`` hides a name, ``completion`` the name of one call, ``operators`` one operator; ``npath``
and ``nulltoken`` ask for what does not stand in the source and hide nothing. The text alone is
masked here, quickly, for a builder that writes hundreds of thousands of them; all else that a model
may see of an instance is served by ``context``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codeacumen.views.masking.files import MASKED as MASK
from codeacumen.views.masking.text import masked

__all__ = ["MASK", "Mask", "masked_method_text", "without_token"]

NAMING = "naming"
COMPLETION = "completion"
OPERATORS = "operators"
NPATH = "npath"
NULLTOKEN = "nulltoken"
# Where a called method is declared, the nearest first.
ORIGINS = ("class", "package", "project", "library")
NO_WARNING = "<none>"


@dataclass(frozen=True, slots=True)
class Mask:
    """What an instance hides: in ``naming`` the ``name``; in ``completion`` and ``operators`` the
    token of ``length`` bytes that begins at byte ``start`` of the method's file."""

    task: str
    name: str = ""
    start: int = -1
    length: int = 0


def masked_method_text(task: str, row: Mapping[str, Any], start: int = -1, length: int = 0) -> str:
    """The text of a method, a row of the store with ``text``, ``name`` and ``start_byte``, as a
    task shows it. ``start`` and ``length`` are those of the masked token in the method's file."""
    text: str = row["text"]
    if task == NAMING:
        return masked(text, row["name"])
    if task in (COMPLETION, OPERATORS):
        return without_token(text, start - row["start_byte"], length)
    if task in (NPATH, NULLTOKEN):
        return text
    raise ValueError(f"there is no task called {task!r}")


def without_token(text: str, at: int, length: int) -> str:
    """A text with the token at byte ``at`` of its UTF-8 masked."""
    data = text.encode("utf-8", "replace")
    if not (at >= 0 and length > 0 and at + length <= len(data)):
        raise ValueError(f"there is no token of {length} bytes at byte {at} of {len(data)}")
    return b"".join((data[:at], MASK.encode(), data[at + length :])).decode("utf-8", "replace")
