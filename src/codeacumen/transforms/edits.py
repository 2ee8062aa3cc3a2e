"""Changes to a source text: nested rewrites, which are flattened into plain edits.

A transformation describes how to rewrite a range of the source, from new text and from ranges of
the source. Those ranges may be rewritten themselves, so that several changes of one method combine:
a loop inside a loop, or an inverted variable in the value of another one. The result is a list of
plain edits of the original; all bytes outside of them stay the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

# New text, or a range of the source (start and end in bytes).
Part: TypeAlias = bytes | tuple[int, int]


class Edit(NamedTuple):
    """Replaces bytes ``start`` to ``end`` of the original by ``text``."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replaces a non-empty range of the source by ``parts``.

    A part that is a range of the source must lie inside this range.
    """

    start: int
    end: int
    parts: tuple[Part, ...]


class ConflictError(ValueError):
    """Two changes exclude each other."""


def wrap(start: int, end: int, before: bytes, after: bytes) -> Rewrite:
    """Return the rewrite that puts text before and after a range."""
    return Rewrite(start, end, (before, (start, end), after))


def replace(start: int, end: int, text: bytes) -> Rewrite:
    """Return the rewrite that replaces a range by text."""
    return Rewrite(start, end, (text,))


def flatten(source: bytes, rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """Return the edits that several rewrites amount to, in order.

    If two rewrites have the same range, the later one is the outer one.
    """
    edits: list[Edit] = []
    for node in _nested(rewrites):
        node.add_edits(source, edits)
    return _joined(source, edits)


def apply(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the text with all edits applied."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += (source[at : edit.start], edit.text)
        at = edit.end
    pieces.append(source[at:])
    return b"".join(pieces)


def then(source: bytes, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits of the original that are equivalent to ``first`` followed by ``second``, whose
    offsets refer to the result of ``first``."""
    # The intermediate text, as ranges of the original and pieces of new text in order.
    between: list[Part] = []
    at = 0
    for edit in first:
        between += ((at, edit.start), edit.text)
        at = edit.end
    between.append((at, len(source)))
    after: list[Part] = []
    at = 0
    for edit in second:
        after += (*_cut(between, at, edit.start), edit.text)
        at = edit.end
    after += _cut(between, at, sum(map(_length, between)))
    edits: list[Edit] = []
    at, text = 0, b""
    for part in (*after, (len(source), len(source))):
        if isinstance(part, bytes):
            text += part
        elif part[0] < part[1] or part[0] == len(source):
            edits.append(Edit(at, part[0], text))
            at, text = part[1], b""
    return _joined(source, edits)


def _length(part: Part) -> int:
    """Return the number of bytes of a part."""
    return len(part) if isinstance(part, bytes) else part[1] - part[0]


def _cut(parts: Iterable[Part], start: int, end: int) -> list[Part]:
    """Return the parts between two offsets of the text that ``parts`` make up."""
    found: list[Part] = []
    at = 0
    for part in parts:
        low, high = max(start - at, 0), min(end - at, _length(part))
        at += _length(part)
        if low < high:
            found.append(
                part[low:high] if isinstance(part, bytes) else (part[0] + low, part[0] + high)
            )
    return found


@dataclass(slots=True)
class _Node:
    """A rewrite and the rewrites directly inside it."""

    rewrite: Rewrite
    inner: list[_Node]

    @property
    def kept(self) -> list[tuple[int, int]]:
        """Ranges of the source that the rewrite keeps."""
        return [part for part in self.rewrite.parts if not isinstance(part, bytes)]

    def check(self) -> None:
        """Raise an error unless every inner rewrite lies completely in a range that is kept."""
        kept = self.kept
        low, high = self.rewrite.start, self.rewrite.end
        if any(not low <= start < end <= high for start, end in kept):
            raise ValueError(f"a rewrite at byte {low} has a part that is empty or outside of it")
        for one in self.inner:
            start, end = one.rewrite.start, one.rewrite.end
            touched = [part for part in kept if start < part[1] and part[0] < end]
            if not touched or any(start < a or b < end for a, b in touched):
                raise ConflictError(f"a rewrite at byte {start} lies in code that another removes")

    def within(self, start: int, end: int) -> list[_Node]:
        """Return the inner rewrites that lie in a range."""
        return [one for one in self.inner if start <= one.rewrite.start and one.rewrite.end <= end]

    def text(self, source: bytes) -> bytes:
        """Return the text that the rewrite produces."""
        return b"".join(
            part if isinstance(part, bytes) else self.rendered(source, *part)
            for part in self.rewrite.parts
        )

    def rendered(self, source: bytes, start: int, end: int) -> bytes:
        """Return a range of the source with the inner rewrites applied."""
        pieces: list[bytes] = []
        for one in self.within(start, end):
            pieces += (source[start : one.rewrite.start], one.text(source))
            start = one.rewrite.end
        return b"".join((*pieces, source[start:end]))

    def add_edits(self, source: bytes, edits: list[Edit]) -> None:
        """Append the rewrite's edits to ``edits``.

        Where the ranges of the source stay in order, only new text becomes an edit; otherwise the
        whole range does.
        """
        kept = self.kept
        if any(kept[i][1] > kept[i + 1][0] for i in range(len(kept) - 1)):
            edits.append(Edit(self.rewrite.start, self.rewrite.end, self.text(source)))
            return
        at, text = self.rewrite.start, b""
        for part in self.rewrite.parts:
            if isinstance(part, bytes):
                text += part
                continue
            edits.append(Edit(at, part[0], text))
            for one in self.within(*part):
                one.add_edits(source, edits)
            at, text = part[1], b""
        edits.append(Edit(at, self.rewrite.end, text))


def _nested(rewrites: Iterable[Rewrite]) -> list[_Node]:
    """Return the outermost rewrites as trees; raise an error for rewrites that overlap."""
    found = [(one.start, -one.end, -order, one) for order, one in enumerate(rewrites)]
    roots: list[_Node] = []
    all_: list[_Node] = []
    open_: list[_Node] = []
    for _, _, _, one in sorted(found, key=lambda row: row[:3]):
        if one.start >= one.end:
            raise ValueError(f"an empty range at byte {one.start} cannot be rewritten")
        while open_ and open_[-1].rewrite.end <= one.start:
            open_.pop()
        node = _Node(one, [])
        if not open_:
            roots.append(node)
        elif one.end > open_[-1].rewrite.end:
            raise ConflictError(f"two rewrites overlap at byte {one.start}")
        else:
            open_[-1].inner.append(node)
        open_.append(node)
        all_.append(node)
    for node in all_:
        node.check()
    return roots


def _joined(source: bytes, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits with adjacent ones merged, without those that change nothing."""
    found: list[Edit] = []
    for edit in edits:
        if source[edit.start : edit.end] == edit.text:
            continue
        if found and found[-1].end == edit.start:
            last = found.pop()
            edit = Edit(last.start, edit.end, last.text + edit.text)
        found.append(edit)
    # A merged edit changes nothing if one part removes the text that another inserts.
    return tuple(one for one in found if source[one.start : one.end] != one.text)
