"""A file's syntax as flat arrays: one parse in C, one walk in Python, then only arrays.

Nodes stand in pre-order. Everything that analyses code reads these arrays, or plain lists of the
same columns; nobody walks a tree of objects. Offsets are bytes of the UTF-8 source. Names of a
grammar's symbols and fields become numbers, which is what the columns hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.text.lines import with_unix_ends

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

# Symbols are 16 bits; the largest is that of an error.
SYMBOLS = 1 << 16


def symbols_of(grammar: Language, names: Iterable[str]) -> frozenset[int]:
    """Numbers of the named symbols; one name may have several, through aliases."""
    wanted = set(names)
    found = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and grammar.node_kind_for_id(symbol) in wanted
    )
    known = {grammar.node_kind_for_id(symbol) for symbol in found}
    if known != wanted:
        raise ValueError(f"the grammar has no {', '.join(sorted(wanted - known))}")
    return found


def field_of(grammar: Language, name: str) -> int:
    number = grammar.field_id_for_name(name)
    if number is None:
        raise ValueError(f"the grammar has no field {name}")
    return number


def mask_of(chosen: Iterable[int]) -> NDArray[np.bool_]:
    """For any symbol, whether it is one of the chosen."""
    found = np.zeros(SYMBOLS, dtype=np.bool_)
    found[list(chosen)] = True
    return found


Column: TypeAlias = NDArray[np.int32]


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
    rows: list[int] = []
    cursor = tree.walk()
    # This loop runs once for each of tens of millions of nodes: bound methods, one call to keep
    # all that is seen, and the rest is worked out afterwards.
    keep = rows.extend
    down, across, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    depth = 0
    while True:
        node = cursor.node
        keep((node.kind_id, node.start_byte, node.end_byte, cursor.field_id or 0, depth))  # type: ignore[union-attr]
        if down():
            depth += 1
            continue
        while not across():
            if not up():
                return _columns(rows, source, broken=tree.root_node.has_error)
            depth -= 1


def _columns(rows: list[int], source: bytes, *, broken: bool) -> Syntax:
    kind, start, end, field, depth = np.array(rows, dtype=np.int32).reshape(-1, 5).T.copy()
    parent, child, stop = _relations(depth)
    return Syntax(
        source=source,
        kind=kind.astype(np.uint16),
        field=field.astype(np.uint16),
        start=start,
        end=end,
        parent=parent,
        depth=depth,
        child=child,
        stop=stop,
        broken=broken,
    )


@kernel
def _relations(depth: Column) -> tuple[Column, Column, Column]:
    """What the depths of nodes in pre-order tell: parents, places among siblings, ends."""
    count = len(depth)
    parent = np.empty(count, dtype=np.int32)
    child, stop = np.empty_like(parent), np.empty_like(parent)
    deepest = depth.max() + 2
    last, siblings = np.zeros(deepest, dtype=np.int32), np.zeros(deepest, dtype=np.int32)
    for i in range(count):
        level = depth[i]
        parent[i] = last[level - 1] if level > 0 else -1
        child[i] = siblings[level]
        siblings[level] += 1
        siblings[level + 1] = 0
        last[level] = i
        stop[i] = i + 1
    for i in range(count - 1, 0, -1):
        if stop[i] > stop[parent[i]]:
            stop[parent[i]] = stop[i]
    return parent, child, stop


# The symbol of what the parser could not read; and one that no parser gives: an operator that is
# hidden from who reads the file.
ERROR = 0xFFFF
MASK = 0xFFFD


def first_error(syntax: Syntax) -> int:
    """The byte at which the source stops being what the grammar knows; 0 if it cannot be told."""
    wrong = syntax.kind == ERROR
    # A token the parser had to make up has no width.
    wrong |= syntax.is_leaf & (syntax.start == syntax.end) & (syntax.parent >= 0)
    found = np.flatnonzero(wrong)
    return int(syntax.start[found[0]]) if len(found) else 0


def number_texts(syntax: Syntax, nodes: Column) -> tuple[Column, list[bytes]]:
    """Return the number of each node's text, and the distinct texts in the order of their first
    occurrence."""
    numbers: dict[bytes, int] = {}
    source = syntax.source
    spans = zip(syntax.start[nodes].tolist(), syntax.end[nodes].tolist(), strict=True)
    column = np.fromiter(
        (numbers.setdefault(source[start:end], len(numbers)) for start, end in spans),
        dtype=np.int32,
        count=len(nodes),
    )
    return column, list(numbers)


def parse(language: Language, source: bytes) -> Syntax:
    """The syntax of a source in UTF-8; any bytes give some tree."""
    from tree_sitter import Parser

    return flatten(Parser(language).parse(with_unix_ends(source)), source)


Kind = TypeVar("Kind")
Field = TypeVar("Field")


class ListTree(Generic[Kind, Field]):
    """The columns of ``Syntax``; nodes are numbers, in pre-order.

    Subclasses choose how kinds and fields are written: as the grammar's names or as numbers.
    """

    def __init__(self, syntax: Syntax, kind: list[Kind], field: list[Field]) -> None:
        self.source = syntax.source
        self.kind = kind
        self.field = field
        self.start: list[int] = syntax.start.tolist()
        self.end: list[int] = syntax.end.tolist()
        self.parent: list[int] = syntax.parent.tolist()
        self.stop: list[int] = syntax.stop.tolist()

    def text(self, node: int) -> str:
        return self.source[self.start[node] : self.end[node]].decode("utf-8", errors="replace")

    def children(self, node: int) -> list[int]:
        """Return the node's children, in order."""
        children: list[int] = []
        stop = self.stop
        at, end = node + 1, stop[node]
        while at < end:
            children.append(at)
            at = stop[at]
        return children

    def child(self, node: int, field: Field) -> int:
        """Return the node's first child in a field; -1 if there is none."""
        stop, fields = self.stop, self.field
        at, end = node + 1, stop[node]
        while at < end:
            if fields[at] == field:
                return at
            at = stop[at]
        return -1
