"""Paths between leaves: what path-based embeddings of JavaScript are trained on.

As in PigeonJS (Alon et al., "A general path-based representation for predicting program
properties", PLDI 2018): a path goes up from a leaf to the lowest common ancestor and down to
another leaf. Its length is the number of edges, its width the distance of the two branches among
the ancestor's children; 7 and 3 are the paper's limits for JavaScript. A node goes by its kind
and operator, and by its place among its siblings if it is a leaf or stands below a call, a
member, a subscript or an assignment, where the place tells the part played.

Otherwise than there, the tree is that of ``acumen.lang.javascript.tree``; paths are taken from
the whole file, not function by function; and two leaves of the same name are no exception to the
limits. And a leaf has paths to at most so many leaves after it, the nearest in the tree first:
between two long arrays side by side there is a short path from each element to each, so without
this the number of paths would grow with the square of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.javascript import language
from acumen.lang.javascript.grammar import IDENTIFIERS, among
from acumen.lang.javascript.literals import name_value, string_value
from acumen.lang.javascript.tree import Tree, tree
from acumen.lang.kernel import kernel
from acumen.lang.syntax import Column, Syntax

LENGTH, WIDTH, MOST = 7, 3, 200
# PigeonJS cuts literals here.
_LONGEST = 64
_PARTS = (
    "call_expression", "member_expression", "subscript_expression", "assignment_expression",
    "augmented_assignment_expression",
)  # fmt: skip

Hashes = NDArray[np.uint64]
# Constants of splitmix64, a well-tried mixing of 64 bits.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB),
)  # fmt: skip


@dataclass(frozen=True)
class Paths:
    """``left`` and ``right`` are places in ``tree.leaf``, left before right in the source.
    ``path`` is a hash of the path from left to right and ``back`` one of the path from right to
    left; a path has the same hash in all files. Of each leaf, ``word`` is the place of its text
    in ``words``, and ``is_name`` tells whether it is an identifier. ``shows_place`` is of the
    nodes of the tree: whether the place is part of the name."""

    syntax: Syntax
    tree: Tree
    left: Column
    right: Column
    path: Hashes
    back: Hashes
    word: Column
    words: tuple[str, ...]
    is_name: NDArray[np.bool_]
    shows_place: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.left)

    def string(self, i: int) -> str:
        """The path from left to right, as PigeonJS writes paths: that of ``a + 1`` is
        ``(identifier0)^(binary_expression+)_(number1)``."""
        return self.between(int(self.left[i]), int(self.right[i]))

    def between(self, one: int, other: int) -> str:
        """The path from one leaf to another, whatever its length."""
        up, depth, kind, label = self._steps
        a, b = int(self.tree.leaf[one]), int(self.tree.leaf[other])
        rising: list[str] = []
        falling: list[str] = []
        while a != b:
            if depth[a] >= depth[b]:
                rising.append(f"({label[a]})^")
                a = up[a]
            else:
                falling.append(f"_({label[b]})")
                b = up[b]
        return "".join((*rising, f"({kind[a]})", *reversed(falling)))

    @cached_property
    def _steps(self) -> tuple[list[int], list[int], list[str], list[str]]:
        """Parent, depth, kind and name of all nodes of the tree, for quick reading."""
        symbol = self.syntax.kind[self.tree.node].tolist()
        kind = [
            _name(one) + (_name(operator) if operator else "")
            for one, operator in zip(symbol, self.tree.operator.tolist(), strict=True)
        ]
        place = np.where(self.shows_place, self.tree.place, -1).tolist()
        label = [
            f"{one}{where}" if where >= 0 else one for one, where in zip(kind, place, strict=True)
        ]
        return self.tree.up.tolist(), self.tree.depth.tolist(), kind, label


def paths(syntax: Syntax, length: int = LENGTH, width: int = WIDTH, most: int = MOST) -> Paths:
    """All paths of a file within the limits, by the left leaf and from near to far."""
    shape = tree(syntax)
    kind = syntax.kind[shape.node]
    shows_place = among(*_PARTS)[kind[np.maximum(shape.up, 0)]] & (shape.up >= 0)
    shows_place[shape.leaf] = True
    hashes = _hashes()
    plain = _scrambled(hashes[kind] + _STEP * hashes[shape.operator])
    placed = _scrambled(plain ^ (shape.place + 1).astype(np.uint64))
    left, right, path, back = _pairs(
        shape.up, shape.depth, shape.leaf, plain, np.where(shows_place, placed, plain),
        max(length, 1), width, most,
    )  # fmt: skip
    word, words = _words(syntax, shape)
    is_name = among(*IDENTIFIERS)[kind[shape.leaf]]
    return Paths(syntax, shape, left, right, path, back, word, words, is_name, shows_place)


def contexts(
    syntax: Syntax,
    length: int = LENGTH,
    width: int = WIDTH,
    most: int = MOST,
    strings: dict[int, str] | None = None,
) -> Iterator[tuple[str, str]]:
    """Words and their contexts, for skip-gram with arbitrary contexts: an identifier, and a path
    with the word at its other end after a comma. Each path serves both its ends.

    Over many files, give the same ``strings``, in which the paths' strings are kept by hash.
    """
    found = paths(syntax, length, width, most)
    known = {} if strings is None else strings
    word = [found.words[place] for place in found.word.tolist()]
    is_name = found.is_name.tolist()
    ends = zip(found.left.tolist(), found.right.tolist(), strict=True)
    hashes = zip(found.path.tolist(), found.back.tolist(), strict=True)
    for (left, right), (path, back) in zip(ends, hashes, strict=True):
        if is_name[left]:
            if path not in known:
                known[path] = found.between(left, right)
            yield word[left], f"{known[path]},{word[right]}"
        if is_name[right]:
            if back not in known:
                known[back] = found.between(right, left)
            yield word[right], f"{known[back]},{word[left]}"


def _words(syntax: Syntax, shape: Tree) -> tuple[Column, tuple[str, ...]]:
    """Names as they are; literals cut, and strings in the same quotes."""
    node = shape.node[shape.leaf]
    places: dict[bytes, int] = {}
    source = syntax.source
    spans = zip(syntax.start[node].tolist(), syntax.end[node].tolist(), strict=True)
    word = np.fromiter(
        (places.setdefault(source[start:end], len(places)) for start, end in spans),
        dtype=np.int32,
        count=len(node),
    )
    return word, tuple(_word(text.decode("utf-8", errors="replace")) for text in places)


def _word(text: str) -> str:
    if text[0] in "'\"":
        return f'"{string_value(text)[:_LONGEST]}"'
    return text[:_LONGEST] if text[0] in "`/" else name_value(text)


@cache
def _name(symbol: int) -> str:
    return language().node_kind_for_id(symbol) or ""


@lru_cache(maxsize=1)
def _hashes() -> Hashes:
    """By symbol, a hash of its name, which does not change with the grammar's numbers."""
    found = np.zeros(1 << 16, dtype=np.uint64)
    for symbol in (*range(1, language().node_kind_count), (1 << 16) - 1):
        digest = hashlib.blake2b(_name(symbol).encode(), digest_size=8).digest()
        found[symbol] = int.from_bytes(digest, "little")
    return found


def _scrambled(values: Hashes) -> Hashes:
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


@kernel
def _joined(one: np.uint64, other: np.uint64) -> np.uint64:
    """A hash of two hashes in this order."""
    value = one * _STEP + other
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def _levels(depth: Column, leaf: Column) -> Column:
    """The leaves (places in ``leaf``) by depth, then in order: those at one depth below a node
    stand together."""
    deepest = 0
    for node in leaf:
        deepest = max(deepest, depth[node])
    first = np.zeros(deepest + 2, dtype=np.int32)
    for node in leaf:
        first[depth[node] + 1] += 1
    for d in range(1, deepest + 2):
        first[d] += first[d - 1]
    level = np.empty(len(leaf), dtype=np.int32)
    for place in range(len(leaf)):
        d = depth[leaf[place]]
        level[first[d]] = place
        first[d] += 1
    return level


@kernel
def _stretches(
    up: Column, leaf: Column, level: Column, length: int
) -> tuple[Column, Column, Column]:
    """For each node and each distance below it, its leaves at that distance as a stretch of
    ``level``: where it begins and how many they are. And for each node, the sibling after it."""
    count = len(up)
    first = np.zeros((count, length), dtype=np.int32)
    many = np.zeros((count, length), dtype=np.int32)
    after = np.full(count, -1, dtype=np.int32)
    latest = np.full(count, -1, dtype=np.int32)
    for position in range(len(level)):
        node = leaf[level[position]]
        first[node, 0], many[node, 0] = position, 1
    # Backwards, so that a node's own stretches are ready before its parent's, and that the
    # first child is the last to say where the parent's begin.
    for node in range(count - 1, 0, -1):
        above = up[node]
        after[node] = latest[above]
        latest[above] = node
        for far in range(length - 1):
            if many[node, far] > 0:
                first[above, far + 1] = first[node, far]
                many[above, far + 1] += many[node, far]
    return first, many, after


@kernel
def _chains(up: Column, leaf: Column, label: Hashes, length: int) -> Hashes:
    """For each leaf, hashes of the way up: the leaf alone, the leaf and one node, and so on."""
    chain = np.zeros((len(leaf), length), dtype=np.uint64)
    for place in range(len(leaf)):
        node = leaf[place]
        value = label[node]
        for far in range(length):
            chain[place, far] = value
            node = up[node]
            if node < 0:
                break
            value = _joined(value, label[node])
    return chain


@kernel
def _pairs(
    up: Column,
    depth: Column,
    leaf: Column,
    plain: Hashes,
    label: Hashes,
    length: int,
    width: int,
    most: int,
) -> tuple[Column, Column, Hashes, Hashes]:
    """Paths through a node join a stretch of leaves below one child with a stretch below one of
    the next. Only stretches are looked at, as many for each node as the limits allow, and the
    leaves that have paths."""
    level = _levels(depth, leaf)
    first, many, after = _stretches(up, leaf, level, length)
    chain = _chains(up, leaf, label, length)
    found = np.zeros(len(leaf), dtype=np.int64)
    begin = np.zeros(len(leaf) + 1, dtype=np.int64)
    left = np.empty(0, dtype=np.int32)
    right = np.empty(0, dtype=np.int32)
    path = np.empty(0, dtype=np.uint64)
    back = np.empty(0, dtype=np.uint64)
    # Once to count the paths of each leaf, once to write them down.
    for writing in range(2):
        if writing == 1:
            begin[1:] = np.cumsum(found)
            found[:] = 0
            left = np.empty(begin[-1], dtype=np.int32)
            right = np.empty(begin[-1], dtype=np.int32)
            path = np.empty(begin[-1], dtype=np.uint64)
            back = np.empty(begin[-1], dtype=np.uint64)
        # Backwards, so that a leaf's lower branches come before its higher ones.
        for one in range(len(up) - 1, 0, -1):
            top = plain[up[one]]
            other = after[one]
            for _ in range(width):
                if other < 0:
                    break
                for rise in range(length - 1):
                    for fall in range(length - 1 - rise):
                        if many[other, fall] == 0:
                            continue
                        for i in range(first[one, rise], first[one, rise] + many[one, rise]):
                            source = level[i]
                            taken = min(many[other, fall], most - found[source])
                            at = begin[source] + found[source]
                            found[source] += taken
                            if writing == 0:
                                continue
                            rising = chain[source, rise]
                            for j in range(taken):
                                target = level[first[other, fall] + j]
                                falling = chain[target, fall]
                                left[at + j] = source
                                right[at + j] = target
                                path[at + j] = _joined(_joined(rising, top), falling)
                                back[at + j] = _joined(_joined(falling, top), rising)
                other = after[other]
    return left, right, path, back
