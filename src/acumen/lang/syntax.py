"""A file's syntax as flat arrays: one parse in C, one walk in Python, then only arrays.

Nodes stand in pre-order. Everything that analyses code reads these arrays; nobody walks a tree
of objects. Offsets are bytes of the UTF-8 source.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

Column: TypeAlias = NDArray[np.int32]

# array's codes for what tree-sitter gives: symbols and fields are 16 bits, offsets 32.
_SYMBOL, _INDEX = "H", "i"


@dataclass(frozen=True)
class Syntax:
    """Columns of one value a node, in pre-order.

    ``kind`` is the grammar's symbol and ``field`` the field's number in the parent (0: none);
    ``stop`` is the place after a node's last descendant, so its subtree is ``[i, stop[i])``;
    ``child`` is its place among its siblings; the root's ``parent`` is -1.
    """

    source: bytes
    kind: NDArray[np.uint16]
    field: NDArray[np.uint16]
    start: Column
    end: Column
    parent: Column
    depth: Column
    child: Column
    stop: Column
    broken: bool

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, node: int) -> str:
        return self.source[self.start[node] : self.end[node]].decode("utf-8", errors="replace")

    def children(self, node: int) -> list[int]:
        """The node's children, in order."""
        found: list[int] = []
        at, stop = node + 1, int(self.stop[node])
        while at < stop:
            found.append(at)
            at = int(self.stop[at])
        return found

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        leaves: NDArray[np.bool_] = self.stop == np.arange(1, len(self) + 1)
        return leaves


def flatten(tree: Tree, source: bytes) -> Syntax:
    """One walk over a parsed tree into columns. No recursion: nesting may be 10,000 deep."""
    kind, field = array(_SYMBOL), array(_SYMBOL)
    start, end = array(_INDEX), array(_INDEX)
    parent, depth, child = array(_INDEX), array(_INDEX), array(_INDEX)
    stop = array(_INDEX)
    cursor = tree.walk()
    # Bound methods, because this loop runs once for each of tens of millions of nodes.
    add_kind, add_field = kind.append, field.append
    add_start, add_end = start.append, end.append
    add_parent, add_depth, add_child, add_stop = (
        parent.append, depth.append, child.append, stop.append,
    )  # fmt: skip
    down, across, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    above: list[tuple[int, int]] = []
    mother, place, count = -1, 0, 0
    while True:
        node = cursor.node
        add_kind(node.kind_id)  # type: ignore[union-attr]
        add_start(node.start_byte)  # type: ignore[union-attr]
        add_end(node.end_byte)  # type: ignore[union-attr]
        add_field(cursor.field_id or 0)
        add_parent(mother)
        add_depth(len(above))
        add_child(place)
        count += 1
        add_stop(count)
        if down():
            above.append((mother, place))
            mother, place = count - 1, 0
            continue
        while not across():
            if not up():
                return Syntax(
                    source=source,
                    kind=np.frombuffer(kind, dtype=np.uint16),
                    field=np.frombuffer(field, dtype=np.uint16),
                    start=np.frombuffer(start, dtype=np.int32),
                    end=np.frombuffer(end, dtype=np.int32),
                    parent=np.frombuffer(parent, dtype=np.int32),
                    depth=np.frombuffer(depth, dtype=np.int32),
                    child=np.frombuffer(child, dtype=np.int32),
                    stop=np.frombuffer(stop, dtype=np.int32),
                    broken=tree.root_node.has_error,
                )
            stop[mother] = count
            mother, place = above.pop()
        place += 1


def parse(language: Language, source: bytes) -> Syntax:
    """The syntax of a source in UTF-8; any bytes give some tree."""
    from tree_sitter import Parser

    return flatten(Parser(language).parse(source), source)
