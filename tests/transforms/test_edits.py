"""Nested rewrites become flat edits; the oracle is the plain recursive rendering."""

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
    apply,
    flatten,
    replace,
    then,
    wrap,
)


@dataclass
class Tree:
    """A rewrite with those inside it, none of which touches another."""

    rewrite: Rewrite
    inner: list[Tree] = field(default_factory=list)

    def text(self, source: bytes) -> bytes:
        return b"".join(
            part if isinstance(part, bytes) else rendered(source, *part, self.inner)
            for part in self.rewrite.parts
        )

    def all(self) -> list[Rewrite]:
        """Of two of the same stretch the inner one first."""
        return [*(one for tree in self.inner for one in tree.all()), self.rewrite]


def rendered(source: bytes, start: int, end: int, trees: list[Tree]) -> bytes:
    out, at = b"", start
    for tree in sorted(trees, key=lambda one: one.rewrite.start):
        low, high = tree.rewrite.start, tree.rewrite.end
        if start <= low and high <= end:
            out += source[at:low] + tree.text(source)
            at = high
    return out + source[at:end]


TEXT = st.text("abXY ", max_size=3).map(str.encode)


def stretches(draw: st.DrawFn, start: int, end: int, most: int) -> list[tuple[int, int]]:
    """Some stretches of a stretch, not empty, in order, none touching the inside of another."""
    cuts = draw(st.lists(st.integers(start, end), max_size=2 * most, unique=True).map(sorted))
    return [(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False) if a < b]


def tree(draw: st.DrawFn, start: int, end: int, deep: int) -> Tree:
    found = stretches(draw, start, end, 3) if draw(st.booleans()) else [(start, end)]
    chosen = draw(st.permutations(found)) if draw(st.booleans()) else found
    parts: list[Part] = []
    for stretch in chosen:
        parts += (draw(TEXT), stretch)
        if draw(st.integers(0, 5)) == 0:
            parts.append(stretch)  # twice
    parts.append(draw(TEXT))
    inner = []
    for low, high in found if deep else ():
        for a, b in stretches(draw, low, high, 2) if draw(st.booleans()) else [(low, high)]:
            inner.append(tree(draw, a, b, deep - 1))
    return Tree(Rewrite(start, end, tuple(parts)), inner)


@st.composite
def changes(draw: st.DrawFn) -> tuple[bytes, list[Tree]]:
    source = draw(st.text("abXklm", max_size=30)).encode()
    return source, [tree(draw, a, b, 3) for a, b in stretches(draw, 0, len(source), 3)]


@settings(max_examples=300, deadline=None)
@given(changes())
def test_flat_edits_are_the_nested_ones(made: tuple[bytes, list[Tree]]) -> None:
    source, trees = made
    edits = flatten(source, [one for tree in trees for one in tree.all()])
    assert apply(source, edits) == rendered(source, 0, len(source), trees)


@settings(max_examples=200, deadline=None)
@given(changes())
def test_the_order_counts_for_the_same_stretch_only(made: tuple[bytes, list[Tree]]) -> None:
    source, trees = made
    rewrites = [one for tree in trees for one in tree.all()]
    edits = flatten(source, rewrites)
    # A stable sort by anything that is the same for the same stretch.
    mixed = sorted(rewrites, key=lambda one: (one.start * 7919 + one.end) % 13)
    assert flatten(source, mixed) == edits


@settings(max_examples=200, deadline=None)
@given(changes())
def test_edits_are_in_order_apart_and_change_something(made: tuple[bytes, list[Tree]]) -> None:
    source, trees = made
    edits = flatten(source, [one for tree in trees for one in tree.all()])
    for one in edits:
        assert 0 <= one.start <= one.end <= len(source)
        assert source[one.start : one.end] != one.text
    assert all(one.end < other.start for one, other in pairwise(edits))


@st.composite
def edits_of(draw: st.DrawFn, length: int) -> tuple[Edit, ...]:
    found: list[Edit] = []
    at = 0
    for cut in draw(st.lists(st.integers(0, length), max_size=6).map(sorted)):
        if cut >= at:
            end = min(length, cut + draw(st.integers(0, 4)))
            found.append(Edit(cut, end, draw(TEXT)))
            at = end + draw(st.integers(0, 1))
    return tuple(found)


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_edits_of_edits(data: st.DataObject) -> None:
    source = data.draw(st.text("abXk", max_size=20)).encode()
    first = data.draw(edits_of(len(source)))
    between = apply(source, first)
    second = data.draw(edits_of(len(between)))
    both = then(source, first, second)
    assert apply(source, both) == apply(between, second)
    assert all(one.end < other.start for one, other in pairwise(both))
    third = data.draw(edits_of(len(apply(between, second))))
    assert apply(source, then(source, both, third)) == apply(apply(between, second), third)


def test_what_is_taken_back_is_no_change() -> None:
    first = (Edit(2, 3, b"xyz"),)
    assert then(b"abcdef", first, (Edit(2, 5, b"c"),)) == ()
    assert then(b"abcdef", first, (Edit(2, 5, b""),)) == (Edit(2, 3, b""),)


def test_only_what_is_new_is_an_edit() -> None:
    source = b"while (c) { f(); }"
    rewrites = [Rewrite(0, 18, (b"for (;", (7, 8), b";) ", (10, 18))), replace(12, 13, b"g")]
    assert flatten(source, rewrites) == (
        Edit(0, 7, b"for (;"),
        Edit(8, 10, b";) "),
        Edit(12, 13, b"g"),
    )
    assert flatten(source, [wrap(12, 16, b"{ ", b" }")]) == (
        Edit(12, 12, b"{ "),
        Edit(16, 16, b" }"),
    )
    assert flatten(source, [replace(7, 8, b"c")]) == ()
    assert flatten(source, []) == ()


def test_the_later_of_the_same_stretch_is_the_outer() -> None:
    edits = flatten(b"x", [wrap(0, 1, b"(", b")"), wrap(0, 1, b"[", b"]")])
    assert apply(b"x", edits) == b"[(x)]"


@pytest.mark.parametrize(
    "rewrites",
    [
        [replace(0, 4, b"x"), replace(2, 6, b"y")],
        [replace(0, 4, b"x"), replace(1, 2, b"y")],
        [replace(1, 2, b"y"), Rewrite(0, 4, ((0, 1), (2, 4)))],
        [replace(1, 3, b"y"), Rewrite(0, 4, ((0, 2), (2, 4)))],
        # The inner one is not shown where the outer one takes half of it.
        [replace(1, 3, b"y"), Rewrite(0, 6, ((0, 4), (2, 6)))],
        # Nested in what changes places.
        [replace(4, 5, b"y"), replace(3, 6, b"z"), Rewrite(0, 6, ((3, 6), (0, 3)))],
        [replace(0, 2, b"x"), replace(0, 2, b"y")],
    ],
)
def test_changes_that_cannot_both_be_made(rewrites: list[Rewrite]) -> None:
    with pytest.raises(ConflictError):
        flatten(b"abcdef", rewrites)


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
def test_what_is_no_rewrite(rewrite: Rewrite) -> None:
    with pytest.raises(ValueError, match="byte"):
        flatten(b"abcdef", [rewrite])
