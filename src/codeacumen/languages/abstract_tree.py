"""Abstract trees of any language, and the paths between their leaves, for path-based embeddings.

An abstract tree is the syntax tree without nodes that only spelling needs. ``make_treatment``
builds a language's table of the kinds that are left out and of those that are passed through, whose
children become children of the node above.

A path goes up from a leaf to the lowest common ancestor and down to another leaf. Its hash is the
same in all files. Its length is the number of edges; its width is the distance of the two branches
among the ancestor's children. A node is labelled by its kind and operator and, where requested, by
its index among its siblings. A leaf has paths to a limited number of later leaves, the nearest in
the tree first: two long adjacent arrays have a short path from each element to each other element,
so without this limit the number of paths would grow with the square of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Language

from codeacumen.languages.kernel import STEP, Words, kernel, mix_bits
from codeacumen.languages.syntax import Column, Syntax, number_texts

# The treatment of a kind of node: OUT, left out; THROUGH, passed through; INNER, a node that is no
# leaf; LEAF, a leaf unless its text is empty (a missing token); LEAF_IF_BARE, a leaf if it has no
# children. Kinds with the first two values make no nodes. ``_build_columns`` treats these two
# alike, so a kind that is left out must have no descendants that make nodes.
OUT, THROUGH, INNER, LEAF, LEAF_IF_BARE = range(5)

Treatment = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Tree:
    """An abstract tree: columns with one value per node, in pre-order.

    ``node`` is the node of the syntax; ``parent`` is -1 at the root; ``child_index`` counts the
    siblings before; ``depth`` is 0 at the root; ``operator`` is the symbol of the operator (0:
    none). ``leaf`` is no such column: it lists the leaves, in order.
    """

    node: Column
    parent: Column
    child_index: Column
    depth: Column
    operator: NDArray[np.uint16]
    leaf: Column

    def __len__(self) -> int:
        return len(self.node)


def make_treatment(
    grammar: Language,
    out: Iterable[int],
    through: Iterable[int],
    leaves: Iterable[int],
    leaves_if_bare: Iterable[int] = (),
) -> Treatment:
    """Return the treatment of each symbol.

    Punctuation and ``out`` are left out, ``through`` is passed through, and ``leaves_if_bare`` are
    leaves if they have no children.
    """
    # Symbols of later grammars, and tree-sitter's errors, are inner nodes.
    treatment = np.full(1 << 16, INNER, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        if not grammar.node_kind_is_named(symbol):
            treatment[symbol] = OUT
    for symbols, code in (
        (out, OUT),
        (through, THROUGH),
        (leaves, LEAF),
        (leaves_if_bare, LEAF_IF_BARE),
    ):
        treatment[list(symbols)] = code
    return treatment


def build_abstract_tree(syntax: Syntax, treatment: Treatment, operator: int) -> Tree:
    """Return the abstract tree of a file; ``operator`` is the number of the operator field."""
    size = syntax.end - syntax.start
    return Tree(
        *_build_columns(syntax.kind, syntax.field, syntax.parent, size, treatment, operator)
    )


@kernel
def _build_columns(
    kind: NDArray[np.uint16],
    field_: NDArray[np.uint16],
    parent: Column,
    size: Column,
    treatment: NDArray[np.uint8],
    operator_field: int,
) -> tuple[Column, Column, Column, Column, NDArray[np.uint16], Column]:
    """Return the columns of ``Tree``, in the order of its fields."""
    count = len(kind)
    # The abstract node of each syntax node or, if it has none, of its nearest ancestor with one.
    tree_node = np.empty(count, dtype=np.int32)
    # From here on, one value per abstract node; ``up`` is its parent, ``place`` its child index.
    node = np.empty(count, dtype=np.int32)
    up = np.empty(count, dtype=np.int32)
    place = np.empty(count, dtype=np.int32)
    depth = np.empty(count, dtype=np.int32)
    children = np.zeros(count, dtype=np.int32)
    operator = np.zeros(count, dtype=np.uint16)
    node_count = 0
    for i in range(count):
        ancestor = tree_node[parent[i]] if i > 0 else -1
        code = treatment[kind[i]]
        if i > 0 and (code <= THROUGH or (code == LEAF and size[i] == 0)):
            tree_node[i] = ancestor
            # The operator of a node that is passed through does not label the node above.
            if field_[i] == operator_field and node[ancestor] == parent[i]:
                operator[ancestor] = kind[i]
            continue
        tree_node[i] = node_count
        node[node_count] = i
        up[node_count] = ancestor
        place[node_count] = 0
        depth[node_count] = 0
        if ancestor >= 0:
            place[node_count] = children[ancestor]
            depth[node_count] = depth[ancestor] + 1
            children[ancestor] += 1
        node_count += 1
    leaf = np.empty(node_count, dtype=np.int32)
    leaf_count = 0
    for tree_index in range(node_count):
        code = treatment[kind[node[tree_index]]]
        if code == LEAF or (code == LEAF_IF_BARE and children[tree_index] == 0):
            leaf[leaf_count] = tree_index
            leaf_count += 1
    return (
        node[:node_count].copy(),
        up[:node_count].copy(),
        place[:node_count].copy(),
        depth[:node_count].copy(),
        operator[:node_count].copy(),
        leaf[:leaf_count].copy(),
    )


Flags = NDArray[np.bool_]

# Constants of splitmix64, a well-tested mixing of 64 bits.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on paths.

    ``length`` is the maximum number of edges, ``width`` that of the distance of the two branches
    among their parent's children, and ``most`` that of the paths from a leaf to later leaves.
    """

    length: int
    width: int
    most: int


@dataclass(frozen=True, slots=True)
class LeafPaths:
    """Paths between leaves, sorted by the left leaf, from near to far.

    ``left`` and ``right`` are indices into ``tree.leaf``, left before right in the source. ``path``
    is the hash of the path from left to right, ``back`` that of the path from right to left.
    """

    left: Column
    right: Column
    path: Words
    back: Words


def find_leaf_paths(
    kind: NDArray[np.uint16], tree: Tree, shows_place: Flags, hashes: Words, limits: Limits
) -> LeafPaths:
    """Return all paths within the limits.

    ``kind`` and ``shows_place`` have one value per node of the tree, ``hashes`` one per symbol
    (``hash_symbols``). ``shows_place`` is true where the label includes the index among siblings.
    """
    # Labels without and with the index; the highest node of a path never shows its index.
    plain = mix_bits(hashes[kind] + STEP * hashes[tree.operator])
    with_index = mix_bits(plain ^ (tree.child_index + 1).astype(np.uint64))
    return LeafPaths(
        *_pair_leaves(
            tree.parent,
            tree.depth,
            tree.leaf,
            plain,
            np.where(shows_place, with_index, plain),
            max(limits.length, 1),
            limits.width,
            limits.most,
        )
    )


def hash_symbols(grammar: Language) -> Words:
    """Return a hash of each symbol's name, which does not change with the grammar's numbers."""
    hashes = np.zeros(1 << 16, dtype=np.uint64)
    for symbol in (*range(1, grammar.node_kind_count), (1 << 16) - 1):
        name = grammar.node_kind_for_id(symbol) or ""
        digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
        hashes[symbol] = int.from_bytes(digest, "little")
    return hashes


def number_leaf_words(
    syntax: Syntax, tree: Tree, make_word: Callable[[str], str]
) -> tuple[Column, tuple[str, ...]]:
    """Return the number of each leaf's word, and the words, which ``make_word`` makes of texts."""
    node = tree.node[tree.leaf]
    word, texts = number_texts(syntax, node)
    return word, tuple(make_word(text.decode("utf-8", errors="replace")) for text in texts)


@kernel
def _combine_hashes(first: np.uint64, second: np.uint64) -> np.uint64:
    """Return a hash of two hashes in this order."""
    value = first * _STEP + second
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def _sort_leaves_by_depth(depth: Column, leaf: Column) -> Column:
    """Return the leaves (indices into ``leaf``) by depth, then in source order.

    In this order the leaves at one depth below a node are adjacent.
    """
    deepest = 0
    for node in leaf:
        deepest = max(deepest, depth[node])
    first = np.zeros(deepest + 2, dtype=np.int32)
    for node in leaf:
        first[depth[node] + 1] += 1
    for node_depth in range(1, deepest + 2):
        first[node_depth] += first[node_depth - 1]
    by_depth = np.empty(len(leaf), dtype=np.int32)
    for leaf_index in range(len(leaf)):
        node_depth = depth[leaf[leaf_index]]
        by_depth[first[node_depth]] = leaf_index
        first[node_depth] += 1
    return by_depth


@kernel
def _find_leaf_ranges(
    up: Column, leaf: Column, by_depth: Column, length: int
) -> tuple[Column, Column, Column]:
    """Return the ranges of ``by_depth`` that have a node's leaves at each distance below it.

    The first two results (nodes, length) are the first position and the size of each range, the
    third is each node's next sibling, or -1.
    """
    count = len(up)
    first = np.zeros((count, length), dtype=np.int32)
    size = np.zeros((count, length), dtype=np.int32)
    next_sibling = np.full(count, -1, dtype=np.int32)
    latest_child = np.full(count, -1, dtype=np.int32)
    for position in range(len(by_depth)):
        node = leaf[by_depth[position]]
        first[node, 0], size[node, 0] = position, 1
    # Backwards, so that a node's ranges are complete before its parent's, and so that the first
    # child, visited last, sets where the parent's ranges begin.
    for node in range(count - 1, 0, -1):
        ancestor = up[node]
        next_sibling[node] = latest_child[ancestor]
        latest_child[ancestor] = node
        for distance in range(length - 1):
            if size[node, distance] > 0:
                first[ancestor, distance + 1] = first[node, distance]
                size[ancestor, distance + 1] += size[node, distance]
    return first, size, next_sibling


@kernel
def _hash_upward_paths(up: Column, leaf: Column, label: Words, length: int) -> Words:
    """Return hashes of each leaf's upward paths (leaves, length): the leaf, leaf and parent, …"""
    chain = np.zeros((len(leaf), length), dtype=np.uint64)
    for leaf_index in range(len(leaf)):
        node = leaf[leaf_index]
        path_hash = label[node]
        for distance in range(length):
            chain[leaf_index, distance] = path_hash
            node = up[node]
            if node < 0:
                break
            path_hash = _combine_hashes(path_hash, label[node])
    return chain


@kernel
def _pair_leaves(
    up: Column,
    depth: Column,
    leaf: Column,
    plain: Words,
    label: Words,
    length: int,
    width: int,
    most: int,
) -> tuple[Column, Column, Words, Words]:
    """Return the columns of ``LeafPaths``.

    ``plain`` and ``label`` are the labels without and with indices, by node of the tree;
    ``length``, ``width`` and ``most`` are those of ``Limits``.

    Paths through a node join a range of leaves below one child with a range below one of the next
    siblings. The loop visits only ranges, as many per node as the limits allow, and leaves that
    have paths.
    """
    by_depth = _sort_leaves_by_depth(depth, leaf)
    first, size, next_sibling = _find_leaf_ranges(up, leaf, by_depth, length)
    chain = _hash_upward_paths(up, leaf, label, length)
    path_count = np.zeros(len(leaf), dtype=np.int64)
    begin = np.zeros(len(leaf) + 1, dtype=np.int64)
    left = np.empty(0, dtype=np.int32)
    right = np.empty(0, dtype=np.int32)
    path = np.empty(0, dtype=np.uint64)
    back = np.empty(0, dtype=np.uint64)
    # The first pass counts the paths of each leaf, the second writes them.
    for is_writing in range(2):
        if is_writing == 1:
            begin[1:] = np.cumsum(path_count)
            path_count[:] = 0
            left = np.empty(begin[-1], dtype=np.int32)
            right = np.empty(begin[-1], dtype=np.int32)
            path = np.empty(begin[-1], dtype=np.uint64)
            back = np.empty(begin[-1], dtype=np.uint64)
        # Backwards, so that a leaf's lower branches come before its higher ones.
        for branch in range(len(up) - 1, 0, -1):
            top = plain[up[branch]]
            sibling = next_sibling[branch]
            for _ in range(width):
                if sibling < 0:
                    break
                # Edges from the left leaf up to ``branch``, and from the sibling down to the right
                # leaf; two more edges join them at the top.
                for rise in range(length - 1):
                    for fall in range(length - 1 - rise):
                        if size[sibling, fall] == 0:
                            continue
                        for i in range(
                            first[branch, rise], first[branch, rise] + size[branch, rise]
                        ):
                            source = by_depth[i]
                            added = min(size[sibling, fall], most - path_count[source])
                            position = begin[source] + path_count[source]
                            path_count[source] += added
                            if is_writing == 0:
                                continue
                            rising = chain[source, rise]
                            for j in range(added):
                                target = by_depth[first[sibling, fall] + j]
                                falling = chain[target, fall]
                                left[position + j] = source
                                right[position + j] = target
                                path[position + j] = _combine_hashes(
                                    _combine_hashes(rising, top), falling
                                )
                                back[position + j] = _combine_hashes(
                                    _combine_hashes(falling, top), rising
                                )
                sibling = next_sibling[sibling]
    return left, right, path, back
