"""The abstract tree: the syntax without what only its spelling needs.

The grammar's tree is concrete. Limits on paths were published for abstract trees, so what those
do not have is left out here: punctuation, comments, empty statements, the inside of literals;
and parentheses, lists of arguments or parameters and the like are passed through: what they
hold belongs to the node above. What is left has the shape of ESTree's trees, but for a few
nodes that the grammar makes one (``{x}``, ``{x() {}}``, ``for (const x of y)``, ``<x/>``).

Leaves are identifiers, literals, ``this`` and ``super``. A template with substitutions is no
leaf, and its characters are none.

The grammar has its limits: ``await (a, b)()`` is a call of ``await`` in its trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.javascript import language
from acumen.lang.javascript.grammar import IDENTIFIERS, field, symbols
from acumen.lang.kernel import kernel
from acumen.lang.syntax import Column, Syntax

_LITERALS = ("string", "number", "regex", "true", "false", "null", "this", "super")
_PASSED = (
    "parenthesized_expression", "arguments", "formal_parameters", "computed_property_name",
    "template_substitution", "class_heritage", "switch_body", "else_clause", "finally_clause",
    "import_clause", "named_imports", "export_clause",
)  # fmt: skip
_LEFT_OUT = (
    "comment", "html_comment", "hash_bang_line", "empty_statement", "optional_chain", "import",
    "string_fragment", "escape_sequence", "regex_pattern", "regex_flags", "jsx_text",
    "html_character_reference",
)  # fmt: skip
# What becomes of a kind; the first two are no nodes.
_OUT, _THROUGH, _INNER, _LEAF, _LEAF_IF_BARE = range(5)


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


@lru_cache(maxsize=1)
def _treatment() -> NDArray[np.uint8]:
    grammar = language()
    # What the grammar may come to have, and tree-sitter's errors, are inner nodes.
    treatment = np.full(1 << 16, _INNER, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        if not grammar.node_kind_is_named(symbol):
            treatment[symbol] = _OUT
    treatment[list(symbols(*_LEFT_OUT))] = _OUT
    treatment[list(symbols(*_PASSED))] = _THROUGH
    treatment[list(symbols(*IDENTIFIERS, *_LITERALS))] = _LEAF
    treatment[list(symbols("template_string"))] = _LEAF_IF_BARE
    return treatment


def tree(syntax: Syntax) -> Tree:
    return Tree(
        *_tree(
            syntax.kind, syntax.field, syntax.parent, syntax.end - syntax.start, _treatment(),
            field("operator"),
        )
    )  # fmt: skip


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
        if i > 0 and (how <= _THROUGH or (how == _LEAF and size[i] == 0)):
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
        if how == _LEAF or (how == _LEAF_IF_BARE and children[n] == 0):
            leaf[leaves] = n
            leaves += 1
    return (
        node[:used].copy(), up[:used].copy(), place[:used].copy(), depth[:used].copy(),
        operator[:used].copy(), leaf[:leaves].copy(),
    )  # fmt: skip
