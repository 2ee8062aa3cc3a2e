"""Abstract trees of any language, and the paths between their leaves.

An abstract tree is the syntax without what only its spelling needs. A language says by
``treatment`` which kinds are left out, and which are passed through, so that what they hold belongs
to the node above.

A path goes up from a leaf to the lowest common ancestor and down to another leaf. Its hash is the
same in all files. Its length is the number of edges, its width the distance of the two branches
among the ancestor's children. A node goes by its kind and operator and, where that is wanted, by
its place among its siblings. A leaf has paths to a limited number of leaves after it, the nearest
in the tree first: between two long arrays side by side there is a short path from each element to
each, so without this limit the number of paths would grow with the square of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Language

from codeacumen.languages.kernel import STEP, Words, kernel, mixed
from codeacumen.languages.syntax import Column, Syntax, number_texts

# What becomes of a kind; the first two are no nodes.
OUT, THROUGH, INNER, LEAF, LEAF_IF_BARE = range(5)

Treatment = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Tree:
    """One value a node, in pre-order. ``node`` is the node of the syntax; ``up`` the parent
    (-1: none); ``place`` counts the siblings before; ``operator`` is the symbol of the operator
    (0: none); ``leaf`` are the leaves, in order."""

    node: Column
    up: Column
    place: Column
    depth: Column
    operator: NDArray[np.uint16]
    leaf: Column

    def __len__(self) -> int:
        return len(self.node)


def treatment(
    grammar: Language,
    out: Iterable[int],
    through: Iterable[int],
    leaves: Iterable[int],
    leaves_if_bare: Iterable[int] = (),
) -> Treatment:
    """By symbol, what becomes of it: punctuation and ``out`` are left out, ``through`` is passed
    through, ``leaves_if_bare`` are leaves where nothing is below them."""
    # What the grammar may come to have, and tree-sitter's errors, are inner nodes.
    found = np.full(1 << 16, INNER, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        if not grammar.node_kind_is_named(symbol):
            found[symbol] = OUT
    for symbols, how in (
        (out, OUT),
        (through, THROUGH),
        (leaves, LEAF),
        (leaves_if_bare, LEAF_IF_BARE),
    ):
        found[list(symbols)] = how
    return found


def abstract_tree(syntax: Syntax, treatment: Treatment, operator: int) -> Tree:
    """``operator`` is the field that operators stand in."""
    size = syntax.end - syntax.start
    return Tree(*_tree(syntax.kind, syntax.field, syntax.parent, size, treatment, operator))


@kernel
def _tree(
    kind: NDArray[np.uint16],
    field_: NDArray[np.uint16],
    parent: Column,
    size: Column,
    treatment: NDArray[np.uint8],
    operator_field: int,
) -> tuple[Column, Column, Column, Column, NDArray[np.uint16], Column]:
    count = len(kind)
    # The place in the tree of each node or, where it has none, of the nearest node above.
    at = np.empty(count, dtype=np.int32)
    node = np.empty(count, dtype=np.int32)
    up = np.empty(count, dtype=np.int32)
    place = np.empty(count, dtype=np.int32)
    depth = np.empty(count, dtype=np.int32)
    children = np.zeros(count, dtype=np.int32)
    operator = np.zeros(count, dtype=np.uint16)
    used = 0
    for i in range(count):
        above = at[parent[i]] if i > 0 else -1
        how = treatment[kind[i]]
        if i > 0 and (how <= THROUGH or (how == LEAF and size[i] == 0)):
            at[i] = above
            if field_[i] == operator_field and node[above] == parent[i]:
                operator[above] = kind[i]
            continue
        at[i] = used
        node[used] = i
        up[used] = above
        place[used] = 0
        depth[used] = 0
        if above >= 0:
            place[used] = children[above]
            depth[used] = depth[above] + 1
            children[above] += 1
        used += 1
    leaf = np.empty(used, dtype=np.int32)
    leaves = 0
    for n in range(used):
        how = treatment[kind[node[n]]]
        if how == LEAF or (how == LEAF_IF_BARE and children[n] == 0):
            leaf[leaves] = n
            leaves += 1
    return (
        node[:used].copy(),
        up[:used].copy(),
        place[:used].copy(),
        depth[:used].copy(),
        operator[:used].copy(),
        leaf[:leaves].copy(),
    )


Flags = NDArray[np.bool_]

# Constants of splitmix64, a well-tried mixing of 64 bits.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Edges of a path; how far apart its branches are among their parent's children; how many paths
    go from a leaf to leaves after it."""

    length: int
    width: int
    most: int


@dataclass(frozen=True, slots=True)
class LeafPaths:
    """``left`` and ``right`` are places in ``tree.leaf``, left before right in the source.
    ``path`` is a hash of the path from left to right and ``back`` one of the path from right to
    left. They stand by the left leaf, from near to far."""

    left: Column
    right: Column
    path: Words
    back: Words


def leaf_paths(
    kind: NDArray[np.uint16], tree: Tree, shows_place: Flags, hashes: Words, limits: Limits
) -> LeafPaths:
    """``kind`` and ``shows_place`` are of the tree's nodes; ``hashes`` are by symbol."""
    plain = mixed(hashes[kind] + STEP * hashes[tree.operator])
    placed = mixed(plain ^ (tree.place + 1).astype(np.uint64))
    return LeafPaths(
        *_pairs(
            tree.up,
            tree.depth,
            tree.leaf,
            plain,
            np.where(shows_place, placed, plain),
            max(limits.length, 1),
            limits.width,
            limits.most,
        )
    )


def symbol_hashes(grammar: Language) -> Words:
    """By symbol, a hash of its name, which does not change with the grammar's numbers."""
    found = np.zeros(1 << 16, dtype=np.uint64)
    for symbol in (*range(1, grammar.node_kind_count), (1 << 16) - 1):
        name = grammar.node_kind_for_id(symbol) or ""
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        found[symbol] = int.from_bytes(digest, "little")
    return found


def leaf_words(
    syntax: Syntax, tree: Tree, told: Callable[[str], str]
) -> tuple[Column, tuple[str, ...]]:
    """For each leaf the place of its word, and the words: ``told`` makes them of the text."""
    node = tree.node[tree.leaf]
    word, texts = number_texts(syntax, node)
    return word, tuple(told(text.decode("utf-8", errors="replace")) for text in texts)


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
def _chains(up: Column, leaf: Column, label: Words, length: int) -> Words:
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
    plain: Words,
    label: Words,
    length: int,
    width: int,
    most: int,
) -> tuple[Column, Column, Words, Words]:
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
