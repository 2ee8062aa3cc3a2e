"""Mask the answers of the five tasks in a method's text.

``naming`` hides the method's own name, ``completion`` the name of one call, ``operators`` one
operator; ``npath`` and ``nulltoken`` hide nothing, because the source does not state their answers.
``MASK`` replaces a call's name and an operator, ``METHOD_NAME`` a method's name. This module masks
only the text, quickly, for ``rows``, which writes hundreds of thousands; ``code_context`` serves
all other views of an instance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from codeacumen.views.masking.files import MASKED as MASK
from codeacumen.views.masking.text import mask_snippet

__all__ = ["MASK", "Mask", "mask_method_text", "mask_token"]

NAMING = "naming"
COMPLETION = "completion"
OPERATORS = "operators"
NPATH = "npath"
NULLTOKEN = "nulltoken"
# Places of a called method's declaration, nearest first.
ORIGINS = ("class", "package", "project", "library")
# Answer of ``nulltoken`` for a method without a warning.
NO_WARNING = "<none>"


@dataclass(frozen=True, slots=True)
class Mask:
    """The hidden part of an instance of a ``task``.

    ``naming`` hides the ``name``; ``completion`` and ``operators`` hide the token of ``length``
    bytes at byte ``start`` of the method's file. Other fields keep their defaults.
    """

    task: str
    name: str = ""
    start: int = -1
    length: int = 0


def mask_method_text(task: str, row: Mapping[str, Any], start: int = -1, length: int = 0) -> str:
    """Return the text of a method as a task shows it.

    ``row`` is a row of the store with ``text``, ``name`` and ``start_byte``. ``start`` and
    ``length`` locate the masked token in the method's file.
    """
    text: str = row["text"]
    if task == NAMING:
        return mask_snippet(text, row["name"])
    if task in (COMPLETION, OPERATORS):
        return mask_token(text, start - row["start_byte"], length)
    if task in (NPATH, NULLTOKEN):
        return text
    raise ValueError(f"no task {task!r}")


def mask_token(text: str, offset: int, length: int) -> str:
    """Return a text with the token of ``length`` bytes at byte ``offset`` of its UTF-8 masked."""
    data = text.encode("utf-8", "replace")
    if not (offset >= 0 and length > 0 and offset + length <= len(data)):
        raise ValueError(f"no token of {length} bytes at byte {offset} of {len(data)}")
    return b"".join((data[:offset], MASK.encode(), data[offset + length :])).decode(
        "utf-8", "replace"
    )
