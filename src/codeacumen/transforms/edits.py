"""Changes to a text: nested while they are made, flat when they are done.

A transformation says how a stretch of the source is to be written anew, out of new text and of
stretches of the source. Those stretches may be written anew themselves, so several changes of one
method fit into each other: a loop inside a loop, a flipped variable in a flipped variable's value.
What comes out are plain edits of the original; every byte outside of them is as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

# New text, or a stretch of the source from one byte to another.
Part: TypeAlias = bytes | tuple[int, int]


class Edit(NamedTuple):
    """Bytes ``start`` to ``end`` of the original give way to a text."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Rewrite:
    """How a stretch of the source, never empty, is written anew. Where a ``part`` is a stretch
    of the source, it must lie inside this one."""

    start: int
    end: int
    parts: tuple[Part, ...]


class ConflictError(ValueError):
    """Two changes that cannot both be made."""


def wrap(start: int, end: int, before: bytes, after: bytes) -> Rewrite:
    return Rewrite(start, end, (before, (start, end), after))


def replace(start: int, end: int, text: bytes) -> Rewrite:
    return Rewrite(start, end, (text,))


def flatten(source: bytes, rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """The edits that several rewrites come to, in order. Of two rewrites of the same stretch,
    the later one is the outer."""
    edits: list[Edit] = []
    for node in _nested(rewrites):
        node.add_edits(source, edits)
    return _joined(source, edits)


def apply(source: bytes, edits: Iterable[Edit]) -> bytes:
    """The text with all edits made."""
    pieces: list[bytes] = []
    at = 0
    for edit in edits:
        pieces += (source[at : edit.start], edit.text)
        at = edit.end
    pieces.append(source[at:])
    return b"".join(pieces)


def then(source: bytes, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """One set of edits of the original for edits of what other edits made of it."""
    # The text between as stretches of the original and of new text, in order.
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
    return len(part) if isinstance(part, bytes) else part[1] - part[0]


def _cut(parts: Iterable[Part], start: int, end: int) -> list[Part]:
    """What lies between two places of the text that the parts make."""
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
    """A rewrite, and those inside it."""

    rewrite: Rewrite
    inner: list[_Node]

    @property
    def kept(self) -> list[tuple[int, int]]:
        return [part for part in self.rewrite.parts if not isinstance(part, bytes)]

    def check(self) -> None:
        """Whatever lies inside must come out whole."""
        kept = self.kept
        low, high = self.rewrite.start, self.rewrite.end
        if any(not low <= start < end <= high for start, end in kept):
            raise ValueError(f"a change at byte {low} takes from outside of itself, or nothing")
        for one in self.inner:
            start, end = one.rewrite.start, one.rewrite.end
            touched = [part for part in kept if start < part[1] and part[0] < end]
            if not touched or any(start < a or b < end for a, b in touched):
                raise ConflictError(f"a change at byte {start} lies in what another drops")

    def within(self, start: int, end: int) -> list[_Node]:
        return [one for one in self.inner if start <= one.rewrite.start and one.rewrite.end <= end]

    def text(self, source: bytes) -> bytes:
        return b"".join(
            part if isinstance(part, bytes) else self.rendered(source, *part)
            for part in self.rewrite.parts
        )

    def rendered(self, source: bytes, start: int, end: int) -> bytes:
        pieces: list[bytes] = []
        for one in self.within(start, end):
            pieces += (source[start : one.rewrite.start], one.text(source))
            start = one.rewrite.end
        return b"".join((*pieces, source[start:end]))

    def add_edits(self, source: bytes, edits: list[Edit]) -> None:
        """Only what is new, where the source's stretches stay in their order."""
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
    found = [(one.start, -one.end, -order, one) for order, one in enumerate(rewrites)]
    roots: list[_Node] = []
    all_: list[_Node] = []
    open_: list[_Node] = []
    for _, _, _, one in sorted(found, key=lambda row: row[:3]):
        if one.start >= one.end:
            raise ValueError(f"an empty stretch at byte {one.start} cannot be written anew")
        while open_ and open_[-1].rewrite.end <= one.start:
            open_.pop()
        node = _Node(one, [])
        if not open_:
            roots.append(node)
        elif one.end > open_[-1].rewrite.end:
            raise ConflictError(f"two changes overlap at byte {one.start}")
        else:
            open_[-1].inner.append(node)
        open_.append(node)
        all_.append(node)
    for node in all_:
        node.check()
    return roots


def _joined(source: bytes, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Neighbours as one, without what changes nothing."""
    found: list[Edit] = []
    for edit in edits:
        if source[edit.start : edit.end] == edit.text:
            continue
        if found and found[-1].end == edit.start:
            last = found.pop()
            edit = Edit(last.start, edit.end, last.text + edit.text)
        found.append(edit)
    # What one takes away another may put back.
    return tuple(one for one in found if source[one.start : one.end] != one.text)
