"""Tests of flattening nested rewrites to edits; the oracle is a plain recursive rendering."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.transforms.edits import (
    ConflictError,
    Edit,
    Part,
    Rewrite,
    apply_edits,
    compose_edits,
    flatten_rewrites,
    replace_range,
    wrap_range,
)


@dataclass
class RewriteTree:
    """A rewrite with its nested rewrites, which do not overlap."""

    rewrite: Rewrite
    inner: list[RewriteTree] = field(default_factory=list)

    def render(self, source: bytes) -> bytes:
        return b"".join(
            part if isinstance(part, bytes) else render_range(source, *part, self.inner)
            for part in self.rewrite.parts
        )

    def list_rewrites(self) -> list[Rewrite]:
        """Return all rewrites; of two with the same range, the inner one first."""
        return [
            *(inner_rewrite for tree in self.inner for inner_rewrite in tree.list_rewrites()),
            self.rewrite,
        ]


def render_range(source: bytes, start: int, end: int, trees: list[RewriteTree]) -> bytes:
    out, at = b"", start
    for tree in sorted(trees, key=lambda nested: nested.rewrite.start):
        low, high = tree.rewrite.start, tree.rewrite.end
        if start <= low and high <= end:
            out += source[at:low] + tree.render(source)
            at = high
    return out + source[at:end]


TEXT = st.text("abXY ", max_size=3).map(str.encode)


def draw_ranges(draw: st.DrawFn, start: int, end: int, most: int) -> list[tuple[int, int]]:
    """Return some non-empty disjoint ranges inside a range, in order."""
    cuts = draw(st.lists(st.integers(start, end), max_size=2 * most, unique=True).map(sorted))
    return [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]


def draw_tree(draw: st.DrawFn, start: int, end: int, deep: int) -> RewriteTree:
    ranges = draw_ranges(draw, start, end, 3) if draw(st.booleans()) else [(start, end)]
    chosen = draw(st.permutations(ranges)) if draw(st.booleans()) else ranges
    parts: list[Part] = []
    for stretch in chosen:
        parts += (draw(TEXT), stretch)
        if draw(st.integers(0, 5)) == 0:
            parts.append(stretch)  # twice
    parts.append(draw(TEXT))
    inner = []
    for low, high in ranges if deep else ():
        for a, b in draw_ranges(draw, low, high, 2) if draw(st.booleans()) else [(low, high)]:
            inner.append(draw_tree(draw, a, b, deep - 1))
    return RewriteTree(Rewrite(start, end, tuple(parts)), inner)


@st.composite
def draw_changes(draw: st.DrawFn) -> tuple[bytes, list[RewriteTree]]:
    source = draw(st.text("abXklm", max_size=30)).encode()
    return source, [draw_tree(draw, a, b, 3) for a, b in draw_ranges(draw, 0, len(source), 3)]


@settings(max_examples=300, deadline=None)
@given(draw_changes())
def test_flat_edits_equal_nested_rewrites(
    source_and_trees: tuple[bytes, list[RewriteTree]],
) -> None:
    source, trees = source_and_trees
    edits = flatten_rewrites(
        source, [rewrite for tree in trees for rewrite in tree.list_rewrites()]
    )
    assert apply_edits(source, edits) == render_range(source, 0, len(source), trees)


@settings(max_examples=200, deadline=None)
@given(draw_changes())
def test_order_matters_only_for_equal_ranges(
    source_and_trees: tuple[bytes, list[RewriteTree]],
) -> None:
    source, trees = source_and_trees
    rewrites = [rewrite for tree in trees for rewrite in tree.list_rewrites()]
    edits = flatten_rewrites(source, rewrites)
    # A stable sort with a key that is equal for equal ranges.
    mixed = sorted(rewrites, key=lambda rewrite: (rewrite.start * 7919 + rewrite.end) % 13)
    assert flatten_rewrites(source, mixed) == edits


@settings(max_examples=200, deadline=None)
@given(draw_changes())
def test_edits_are_ordered_disjoint_and_change_something(
    source_and_trees: tuple[bytes, list[RewriteTree]],
) -> None:
    source, trees = source_and_trees
    edits = flatten_rewrites(
        source, [rewrite for tree in trees for rewrite in tree.list_rewrites()]
    )
    for edit in edits:
        assert 0 <= edit.start <= edit.end <= len(source)
        assert source[edit.start : edit.end] != edit.text
    assert all(edit.end < other.start for edit, other in pairwise(edits))


@st.composite
def draw_edits(draw: st.DrawFn, length: int) -> tuple[Edit, ...]:
    edits: list[Edit] = []
    at = 0
    for cut in draw(st.lists(st.integers(0, length), max_size=6).map(sorted)):
        if cut >= at:
            end = min(length, cut + draw(st.integers(0, 4)))
            edits.append(Edit(cut, end, draw(TEXT)))
            at = end + draw(st.integers(0, 1))
    return tuple(edits)


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_composed_edits_equal_successive_edits(data: st.DataObject) -> None:
    source = data.draw(st.text("abXk", max_size=20)).encode()
    first = data.draw(draw_edits(len(source)))
    between = apply_edits(source, first)
    second = data.draw(draw_edits(len(between)))
    both = compose_edits(source, first, second)
    assert apply_edits(source, both) == apply_edits(between, second)
    assert all(edit.end < other.start for edit, other in pairwise(both))
    third = data.draw(draw_edits(len(apply_edits(between, second))))
    assert apply_edits(source, compose_edits(source, both, third)) == apply_edits(
        apply_edits(between, second), third
    )


def test_reverted_edit_is_no_change() -> None:
    first = (Edit(2, 3, b"xyz"),)
    assert compose_edits(b"abcdef", first, (Edit(2, 5, b"c"),)) == ()
    assert compose_edits(b"abcdef", first, (Edit(2, 5, b""),)) == (Edit(2, 3, b""),)


def test_only_changed_text_is_an_edit() -> None:
    source = b"while (c) { f(); }"
    rewrites = [Rewrite(0, 18, (b"for (;", (7, 8), b";) ", (10, 18))), replace_range(12, 13, b"g")]
    assert flatten_rewrites(source, rewrites) == (
        Edit(0, 7, b"for (;"),
        Edit(8, 10, b";) "),
        Edit(12, 13, b"g"),
    )
    assert flatten_rewrites(source, [wrap_range(12, 16, b"{ ", b" }")]) == (
        Edit(12, 12, b"{ "),
        Edit(16, 16, b" }"),
    )
    assert flatten_rewrites(source, [replace_range(7, 8, b"c")]) == ()
    assert flatten_rewrites(source, []) == ()


def test_later_rewrite_of_equal_range_is_outer() -> None:
    edits = flatten_rewrites(b"x", [wrap_range(0, 1, b"(", b")"), wrap_range(0, 1, b"[", b"]")])
    assert apply_edits(b"x", edits) == b"[(x)]"


@pytest.mark.parametrize(
    "rewrites",
    [
        [replace_range(0, 4, b"x"), replace_range(2, 6, b"y")],
        [replace_range(0, 4, b"x"), replace_range(1, 2, b"y")],
        [replace_range(1, 2, b"y"), Rewrite(0, 4, ((0, 1), (2, 4)))],
        [replace_range(1, 3, b"y"), Rewrite(0, 4, ((0, 2), (2, 4)))],
        # The inner one is incomplete: the outer one contains half of it.
        [replace_range(1, 3, b"y"), Rewrite(0, 6, ((0, 4), (2, 6)))],
        # Nested in ranges that are swapped.
        [replace_range(4, 5, b"y"), replace_range(3, 6, b"z"), Rewrite(0, 6, ((3, 6), (0, 3)))],
        [replace_range(0, 2, b"x"), replace_range(0, 2, b"y")],
    ],
)
def test_conflicting_rewrites_are_refused(rewrites: list[Rewrite]) -> None:
    with pytest.raises(ConflictError):
        flatten_rewrites(b"abcdef", rewrites)


@pytest.mark.parametrize(
    "rewrite",
    [
        Rewrite(2, 2, (b"x",)),
        Rewrite(3, 2, (b"x",)),
        Rewrite(2, 4, ((1, 3),)),
        Rewrite(2, 4, ((3, 5),)),
        Rewrite(2, 4, ((3, 3),)),
    ],
)
def test_invalid_rewrite_is_refused(rewrite: Rewrite) -> None:
    with pytest.raises(ValueError, match="byte"):
        flatten_rewrites(b"abcdef", [rewrite])
