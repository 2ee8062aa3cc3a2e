"""What a text is read as: a file, and the method it is about.

The text is a class with only what the method needs, the method first, as the people who rated
SeSaMe's pairs saw it; or the method alone. Comments may be gone, and names may be masked: ``v1``,
``v2`` and so on stand for all that a programmer chose, and tell nothing but which are the same.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile

# Tasks whose pairs are such texts.
ONLY = ("sesame", "similar")
# Texts of which a model remembers what it made of them: more than a benchmark has.
KEPT = 1 << 14

_MASKED = re.compile(r"v[0-9]+").fullmatch


class Code:
    """``method`` is a place in ``file.declarations.methods``; NONE: there is none with a body."""

    def __init__(self, text: str) -> None:
        self.file = JavaFile(text.encode("utf-8", "surrogatepass"))
        self.method = self._first()

    def _first(self) -> int:
        """The first method with a body; a constructor only if there is no method."""
        declared = self.file.declarations.methods
        bodies = self.file.bodies
        found = [place for place in bodies if declared[place].kind == "method"]
        return min(found or bodies, key=lambda place: declared[place].node, default=NONE)

    @property
    def span(self) -> tuple[int, int]:
        """The method's nodes: all of the file's where there is no method."""
        syntax = self.file.syntax
        if self.method == NONE:
            return 0, len(syntax)
        node = self.file.declarations.methods[self.method].node
        return node, int(syntax.stop[node])


def is_masked(name: str) -> bool:
    """Whether a name tells nothing because it is what a hidden one is called."""
    return _MASKED(name) is not None


@lru_cache(maxsize=1 << 18)
def number_of(word: str) -> int:
    """A number of 64 bits for a word, the same on every machine."""
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def numbers_of(words: list[str] | tuple[str, ...]) -> NDArray[np.uint64]:
    return np.fromiter(map(number_of, words), np.uint64, len(words))
