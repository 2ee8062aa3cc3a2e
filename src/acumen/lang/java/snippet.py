"""Parsing methods that stand alone: each is put into a class, since a method alone is no Java.

For valid code the newlines of the wrapper change line numbers only. For code with syntax errors
tree-sitter's error recovery counts the characters and lines that it skips, so about 1 broken
snippet in 300 gets another tree with another wrapper. Callers therefore choose the newlines, and
keep the choice with which their scores were measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.file import JavaFile

_HEAD, _TAIL = b"class T {", b"\n}"


class Snippet(NamedTuple):
    """A snippet occupies the bytes from ``start`` to ``stop`` of ``file.source``."""

    file: JavaFile
    start: int
    stop: int


class Snippets(NamedTuple):
    """Several snippets in one file, with the first byte of each and the byte after its last."""

    file: JavaFile
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


def parse_snippet(
    text: str | bytes, *, leading_newline: bool = False, trailing_newline: bool = False
) -> Snippet:
    """Return the file of a class whose body is ``text``, and where the text is in it.

    >>> file, start, stop = parse_snippet("int f() { return 1; }")
    >>> file.source[start:stop]
    b'int f() { return 1; }'
    """
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    head = _HEAD + b"\n" * leading_newline
    source = b"".join((head, data, _TAIL, b"\n" * trailing_newline))
    return Snippet(JavaFile(source), len(head), len(head) + len(data))


def parse_snippets(texts: Sequence[bytes], *, leading_newline: bool = False) -> Iterator[Snippets]:
    """Yield all texts in one file, each in a class of its own with a trailing newline.

    One parse of many methods is several times as fast as many parses. If a text is broken or
    closes its class early, each text is yielded in a file of its own, so that it spoils no other.
    """
    head, tail = _HEAD + b"\n" * leading_newline, _TAIL + b"\n"
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ends = np.cumsum(lengths + len(head) + len(tail))
    starts = ends - len(tail) - lengths
    file = JavaFile(b"".join(head + text + tail for text in texts))
    if len(texts) > 1:
        top = file.syntax.depth == 1
        if file.syntax.broken or not np.array_equal(file.syntax.start[top], starts - len(head)):
            for text in texts:
                yield from parse_snippets([text], leading_newline=leading_newline)
            return
    yield Snippets(file, starts, starts + lengths)
