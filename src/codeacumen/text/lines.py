"""Lines of a source: CR, LF and CR LF each end one (JLS 3.4, and ECMAScript likewise).

Offsets are bytes of the UTF-8 source.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_CR, _LF = 13, 10
_LONE = re.compile(rb"\r(?!\n)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def line_starts(source: bytes) -> NDArray[np.int64]:
    """Where each line after the first begins; after an end that is the source's last byte too.

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
    """How many lines there are; what follows the last end is one if it is not empty.

    >>> [line_count(source) for source in (b"", b"a", b"a\\n", b"a\\r\\n\\rb")]
    [0, 1, 1, 3]
    """
    ends = line_of(source, len(source)) - 1
    return ends + (bool(source) and source[-1] not in (_CR, _LF))


def line_at(starts: NDArray[np.int64], offset: int) -> int:
    """The number, from 1, of the line that holds a byte."""
    return int(np.searchsorted(starts, offset, side="right")) + 1


def line_of(source: bytes, offset: int) -> int:
    """The same for who asks once."""
    ends, cr_count = source.count(b"\n", 0, offset), source.count(b"\r", 0, offset)
    if cr_count:
        ends += cr_count - source.count(b"\r\n", 0, offset + 1)
    return ends + 1


def longest_line(source: bytes) -> int:
    """Bytes of the longest line, its end included."""
    bounds = np.concatenate([[0], line_starts(source), [len(source)]])
    return int(np.diff(bounds).max())


def normalize_line_ends(source: bytes) -> bytes:
    """A copy of the same length in which LF ends every line: a parser may know no other end of a
    comment."""
    if b"\r" not in source:
        return source
    return _LONE.sub(b"\n", source)


def split_lines(text: str) -> list[str]:
    """The lines themselves, each with its end. ``str.splitlines`` would also part them at a form
    feed and at other characters that end no line of code.

    >>> lines_of("a\\r\\nb\\x0cc\\rd")
    ['a\\r\\n', 'b\\x0cc\\r', 'd']
    """
    return _LINE.findall(text)
