"""Lines of a source: CR, LF and CR LF each end a line (JLS 3.4, ECMAScript 12.3).

Offsets count the bytes of the UTF-8 source, and lines count from 1. All code that reports line
numbers uses these functions.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_CR, _LF = 13, 10
# A CR without an LF after it.
_LONE = re.compile(rb"\r(?!\n)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def line_starts(source: bytes) -> NDArray[np.int64]:
    """Return the offset of the start of each line after the first.

    A line break at the end of the source also starts a line.

    >>> line_starts(b"a\\rb\\nc\\r\\nd\\n").tolist()
    [2, 4, 7, 9]
    """
    data = np.frombuffer(source, dtype=np.uint8)
    is_end = data == _LF
    if b"\r" in source:
        is_lone_cr = data == _CR
        is_lone_cr[:-1] &= ~is_end[1:]
        is_end |= is_lone_cr
    return np.flatnonzero(is_end) + 1


def line_count(source: bytes) -> int:
    """Return the number of lines; text after the last line break is a line.

    >>> [line_count(source) for source in (b"", b"a", b"a\\n", b"a\\r\\n\\rb")]
    [0, 1, 1, 3]
    """
    ends = line_of(source, len(source)) - 1
    return ends + (bool(source) and source[-1] not in (_CR, _LF))


def line_at(starts: NDArray[np.int64], offset: int) -> int:
    """Return the number of the line that has a byte; ``starts`` are the ``line_starts``."""
    return int(np.searchsorted(starts, offset, side="right")) + 1


def line_of(source: bytes, offset: int) -> int:
    """Return the number of the line that has a byte.

    For a single offset this is faster than ``line_starts`` and ``line_at``.
    """
    # A CR LF is one line end, so its CR is not counted. If ``offset`` is that of the LF, the line
    # has not ended yet; therefore the CR LF at ``offset`` is subtracted too.
    ends, cr_count = source.count(b"\n", 0, offset), source.count(b"\r", 0, offset)
    if cr_count:
        ends += cr_count - source.count(b"\r\n", 0, offset + 1)
    return ends + 1


def longest_line(source: bytes) -> int:
    """Return the size in bytes of the longest line, including its line break."""
    bounds = np.concatenate([[0], line_starts(source), [len(source)]])
    return int(np.diff(bounds).max())


def normalize_line_ends(source: bytes) -> bytes:
    """Return the source with each CR that has no LF after it replaced by LF.

    Offsets stay the same. A parser may end a line comment only at LF.
    """
    if b"\r" not in source:
        return source
    return _LONE.sub(b"\n", source)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, each with its line break.

    ``str.splitlines`` would also split at form feeds and other characters that end no line of code.

    >>> split_lines("a\\r\\nb\\x0cc\\rd")
    ['a\\r\\n', 'b\\x0cc\\r', 'd']
    """
    return _LINE.findall(text)
