"""The abstract tree: the syntax without what only its spelling needs, for any language.

What a grammar has too much for that, a language says by ``treatment``: some kinds are left out, and
some are passed through, so that what they hold belongs to the node above.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tree_sitter import Language

from acumen.lang.kernel import kernel
from acumen.lang.syntax import Column, Syntax

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
        (out, OUT), (through, THROUGH), (leaves, LEAF), (leaves_if_bare, LEAF_IF_BARE),
    ):  # fmt: skip
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
        node[:used].copy(), up[:used].copy(), place[:used].copy(), depth[:used].copy(),
        operator[:used].copy(), leaf[:leaves].copy(),
    )  # fmt: skip
