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
    """Raised if two rewrites overlap, or if one lies in code that the other removes."""


def wrap_range(start: int, end: int, before: bytes, after: bytes) -> Rewrite:
    """Return the rewrite that puts text before and after a range."""
    return Rewrite(start, end, (before, (start, end), after))


def replace_range(start: int, end: int, text: bytes) -> Rewrite:
    """Return the rewrite that replaces a range by text."""
    return Rewrite(start, end, (text,))


def flatten_rewrites(source: bytes, rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """Return the edits that several rewrites amount to, in order.

    If two rewrites have the same range, the later one is the outer one.
    """
    edits: list[Edit] = []
    for node in _nest_rewrites(rewrites):
        node.add_edits(source, edits)
    return _merge_edits(source, edits)


def apply_edits(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the text with all edits applied, which are in order and do not overlap."""
    pieces: list[bytes] = []
    position = 0
    for edit in edits:
        pieces += (source[position : edit.start], edit.text)
        position = edit.end
    pieces.append(source[position:])
    return b"".join(pieces)


def compose_edits(source: bytes, first: Sequence[Edit], second: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits of the original that are equivalent to ``first`` followed by ``second``, whose
    offsets refer to the result of ``first``."""
    # The intermediate text, as ranges of the original and pieces of new text in order.
    intermediate: list[Part] = []
    position = 0
    for edit in first:
        intermediate += ((position, edit.start), edit.text)
        position = edit.end
    intermediate.append((position, len(source)))
    result: list[Part] = []
    position = 0
    for edit in second:
        result += (*_slice_parts(intermediate, position, edit.start), edit.text)
        position = edit.end
    result += _slice_parts(intermediate, position, sum(map(_part_length, intermediate)))
    edits: list[Edit] = []
    position, text = 0, b""
    # The empty range at the end adds the last edit; other empty ranges are skipped.
    for part in (*result, (len(source), len(source))):
        if isinstance(part, bytes):
            text += part
        elif part[0] < part[1] or part[0] == len(source):
            edits.append(Edit(position, part[0], text))
            position, text = part[1], b""
    return _merge_edits(source, edits)


def _part_length(part: Part) -> int:
    """Return the number of bytes of a part."""
    return len(part) if isinstance(part, bytes) else part[1] - part[0]


def _slice_parts(parts: Iterable[Part], start: int, end: int) -> list[Part]:
    """Return the parts between two offsets of the text that ``parts`` make up."""
    sliced: list[Part] = []
    offset = 0
    for part in parts:
        low, high = max(start - offset, 0), min(end - offset, _part_length(part))
        offset += _part_length(part)
        if low < high:
            sliced.append(
                part[low:high] if isinstance(part, bytes) else (part[0] + low, part[0] + high)
            )
    return sliced


@dataclass(slots=True)
class _Node:
    """A rewrite and the rewrites directly inside it."""

    rewrite: Rewrite
    inner: list[_Node]

    @property
    def kept_ranges(self) -> list[tuple[int, int]]:
        """Ranges of the source among the rewrite's parts, in the order of the new text."""
        return [part for part in self.rewrite.parts if not isinstance(part, bytes)]

    def check_inner(self) -> None:
        """Raise an error unless every inner rewrite lies completely in a range that is kept."""
        kept_ranges = self.kept_ranges
        low, high = self.rewrite.start, self.rewrite.end
        if any(not low <= start < end <= high for start, end in kept_ranges):
            raise ValueError(f"a rewrite at byte {low} has a part that is empty or outside of it")
        for node in self.inner:
            start, end = node.rewrite.start, node.rewrite.end
            overlapping = [part for part in kept_ranges if start < part[1] and part[0] < end]
            if not overlapping or any(start < a or b < end for a, b in overlapping):
                raise ConflictError(f"a rewrite at byte {start} lies in code that another removes")

    def nodes_within(self, start: int, end: int) -> list[_Node]:
        """Return the inner rewrites that lie in a range."""
        return [
            node for node in self.inner if start <= node.rewrite.start and node.rewrite.end <= end
        ]

    def render(self, source: bytes) -> bytes:
        """Return the text that the rewrite produces."""
        return b"".join(
            part if isinstance(part, bytes) else self.render_range(source, *part)
            for part in self.rewrite.parts
        )

    def render_range(self, source: bytes, start: int, end: int) -> bytes:
        """Return a range of the source with the inner rewrites applied."""
        pieces: list[bytes] = []
        for node in self.nodes_within(start, end):
            pieces += (source[start : node.rewrite.start], node.render(source))
            start = node.rewrite.end
        return b"".join((*pieces, source[start:end]))

    def add_edits(self, source: bytes, edits: list[Edit]) -> None:
        """Append the rewrite's edits to ``edits``.

        Where the ranges of the source stay in order, only new text becomes an edit; otherwise the
        whole range does.
        """
        kept_ranges = self.kept_ranges
        if any(kept_ranges[i][1] > kept_ranges[i + 1][0] for i in range(len(kept_ranges) - 1)):
            edits.append(Edit(self.rewrite.start, self.rewrite.end, self.render(source)))
            return
        position, text = self.rewrite.start, b""
        for part in self.rewrite.parts:
            if isinstance(part, bytes):
                text += part
                continue
            edits.append(Edit(position, part[0], text))
            for node in self.nodes_within(*part):
                node.add_edits(source, edits)
            position, text = part[1], b""
        edits.append(Edit(position, self.rewrite.end, text))


def _nest_rewrites(rewrites: Iterable[Rewrite]) -> list[_Node]:
    """Return the outermost rewrites as trees; raise an error for rewrites that overlap."""
    # In sorted order a rewrite comes before those inside it, and the later of two with the same
    # range before the other one.
    ordered = [
        (rewrite.start, -rewrite.end, -order, rewrite) for order, rewrite in enumerate(rewrites)
    ]
    roots: list[_Node] = []
    nodes: list[_Node] = []
    open_nodes: list[_Node] = []
    for _, _, _, rewrite in sorted(ordered, key=lambda row: row[:3]):
        if rewrite.start >= rewrite.end:
            raise ValueError(f"an empty range at byte {rewrite.start} cannot be rewritten")
        while open_nodes and open_nodes[-1].rewrite.end <= rewrite.start:
            open_nodes.pop()
        node = _Node(rewrite, [])
        if not open_nodes:
            roots.append(node)
        elif rewrite.end > open_nodes[-1].rewrite.end:
            raise ConflictError(f"two rewrites overlap at byte {rewrite.start}")
        else:
            open_nodes[-1].inner.append(node)
        open_nodes.append(node)
        nodes.append(node)
    for node in nodes:
        node.check_inner()
    return roots


def _merge_edits(source: bytes, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the edits with adjacent ones merged, without those that change nothing."""
    merged: list[Edit] = []
    for edit in edits:
        if source[edit.start : edit.end] == edit.text:
            continue
        if merged and merged[-1].end == edit.start:
            last = merged.pop()
            edit = Edit(last.start, edit.end, last.text + edit.text)
        merged.append(edit)
    # A merged edit changes nothing if one part removes the text that another inserts.
    return tuple(edit for edit in merged if source[edit.start : edit.end] != edit.text)
