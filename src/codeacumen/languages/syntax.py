"""A file's syntax as flat arrays, in pre-order.

tree-sitter parses the source, one walk in Python copies the tree, and all analyses then read these
arrays or plain lists of the same columns; none visits objects. Offsets are bytes of the UTF-8
source. The columns have the numbers of the grammar's symbols and fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.text.lines import normalize_line_ends

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

# Symbols have 16 bits; the largest is the error node's.
SYMBOLS = 1 << 16


def find_grammar_symbols(grammar: Language, names: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the named symbols; a name may have several, through aliases."""
    requested = set(names)
    symbols = frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(symbol) and grammar.node_kind_for_id(symbol) in requested
    )
    present = {grammar.node_kind_for_id(symbol) for symbol in symbols}
    if present != requested:
        raise ValueError(f"the grammar has no {', '.join(sorted(requested - present))}")
    return symbols


def find_grammar_field(grammar: Language, name: str) -> int:
    """Return the number of a field; raise ValueError if the grammar lacks it."""
    number = grammar.field_id_for_name(name)
    if number is None:
        raise ValueError(f"the grammar has no field {name}")
    return number


def make_symbol_mask(symbols: Iterable[int]) -> NDArray[np.bool_]:
    """Return a mask over all symbols that is true for the given ones."""
    mask = np.zeros(SYMBOLS, dtype=np.bool_)
    mask[list(symbols)] = True
    return mask


class Grammar:
    """The numbers of a language's symbols and fields; each is computed once, at first use."""

    def __init__(self, load: Callable[[], Language]) -> None:
        self._load = load
        self.find_symbols = cache(self._find_symbols)
        self.field_number = cache(self._find_field)
        self.symbol_mask = cache(self._make_mask)

    def _find_symbols(self, *names: str) -> frozenset[int]:
        """Return the numbers of the named symbols; a name may have several, through aliases."""
        return find_grammar_symbols(self._load(), names)

    def _find_field(self, name: str) -> int:
        """Return the number of a field."""
        return find_grammar_field(self._load(), name)

    def _make_mask(self, *names: str) -> NDArray[np.bool_]:
        """Return a mask over all symbols that is true for those named."""
        return make_symbol_mask(self.find_symbols(*names))


Column: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True)
class Syntax:
    """A syntax tree: columns with one value per node, in pre-order.

    ``kind`` is the grammar's symbol and ``field`` the number of the node's field in its parent
    (0: none); ``stop`` is the index after the last descendant, so the subtree is ``[i, stop[i])``;
    ``child_index`` counts the siblings before; the root's ``parent`` is -1.
    """

    source: bytes
    kind: NDArray[np.uint16]
    field: NDArray[np.uint16]
    start: Column
    end: Column
    parent: Column
    depth: Column
    child_index: Column
    stop: Column
    broken: bool

    def __len__(self) -> int:
        return len(self.kind)

    def text(self, node: int) -> str:
        """Return the source text of a node."""
        return self.source[self.start[node] : self.end[node]].decode("utf-8", errors="replace")

    def children(self, node: int) -> list[int]:
        """Return the node's children, in order."""
        children: list[int] = []
        at, stop = node + 1, int(self.stop[node])
        while at < stop:
            children.append(at)
            at = int(self.stop[at])
        return children

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """A mask of the nodes without children."""
        leaves: NDArray[np.bool_] = self.stop == np.arange(1, len(self) + 1)
        return leaves


def flatten_tree(tree: Tree, source: bytes) -> Syntax:
    """Return the columns of a parsed tree.

    The walk does not recurse, because nesting may be 10,000 deep.
    """
    rows: list[int] = []
    cursor = tree.walk()
    # This loop runs for tens of millions of nodes. It therefore uses bound methods and one call
    # per node; everything else is derived afterwards.
    add_values = rows.extend
    down, across, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    depth = 0
    while True:
        node = cursor.node
        add_values((node.kind_id, node.start_byte, node.end_byte, cursor.field_id or 0, depth))  # type: ignore[union-attr]
        if down():
            depth += 1
            continue
        while not across():
            if not up():
                return _make_syntax(rows, source, broken=tree.root_node.has_error)
            depth -= 1


def _make_syntax(rows: list[int], source: bytes, *, broken: bool) -> Syntax:
    """Return the columns from flat rows of symbol, start, end, field and depth."""
    kind, start, end, field, depth = np.array(rows, dtype=np.int32).reshape(-1, 5).T.copy()
    parent, child_index, stop = _find_relations(depth)
    return Syntax(
        source=source,
        kind=kind.astype(np.uint16),
        field=field.astype(np.uint16),
        start=start,
        end=end,
        parent=parent,
        depth=depth,
        child_index=child_index,
        stop=stop,
        broken=broken,
    )


@kernel
def _find_relations(depth: Column) -> tuple[Column, Column, Column]:
    """Return parents, indices among siblings and subtree ends from depths in pre-order."""
    count = len(depth)
    parent = np.empty(count, dtype=np.int32)
    child_index, stop = np.empty_like(parent), np.empty_like(parent)
    deepest = depth.max() + 2
    last, siblings = np.zeros(deepest, dtype=np.int32), np.zeros(deepest, dtype=np.int32)
    for i in range(count):
        level = depth[i]
        parent[i] = last[level - 1] if level > 0 else -1
        child_index[i] = siblings[level]
        siblings[level] += 1
        siblings[level + 1] = 0
        last[level] = i
        stop[i] = i + 1
    for i in range(count - 1, 0, -1):
        if stop[i] > stop[parent[i]]:
            stop[parent[i]] = stop[i]
    return parent, child_index, stop


# ERROR is the symbol of tree-sitter's error node. MASK is a symbol that no parser returns: views
# put it in place of an operator that a task hides.
ERROR = 0xFFFF
MASK = 0xFFFD


def find_first_error(syntax: Syntax) -> int:
    """Return the byte offset of the first syntax error; 0 if there is none or it is unknown."""
    is_error = syntax.kind == ERROR
    # A missing token that the parser inserted has no width.
    is_error |= syntax.is_leaf & (syntax.start == syntax.end) & (syntax.parent >= 0)
    error_nodes = np.flatnonzero(is_error)
    return int(syntax.start[error_nodes[0]]) if len(error_nodes) else 0


def find_token_nodes(
    syntax: Syntax, is_token: NDArray[np.bool_], is_whole: NDArray[np.bool_]
) -> Column:
    """Return the nodes of the tokens: leaves, and nodes of ``is_whole`` with all nodes below them.

    Nodes outside of ``is_token``, and those of zero width, which the parser inserted for missing
    tokens, do not count.
    """
    whole_nodes = np.flatnonzero(is_whole)
    inside = np.zeros(len(syntax) + 1, dtype=np.int32)
    np.add.at(inside, whole_nodes + 1, 1)
    np.add.at(inside, syntax.stop[whole_nodes], -1)
    is_unit = (syntax.is_leaf & (np.cumsum(inside)[:-1] == 0)) | is_whole
    return np.flatnonzero(is_unit & is_token & (syntax.end > syntax.start)).astype(np.int32)


def number_texts(syntax: Syntax, nodes: Column) -> tuple[Column, list[bytes]]:
    """Return the number of each node's text, and the distinct texts in order of occurrence."""
    numbers: dict[bytes, int] = {}
    source = syntax.source
    spans = zip(syntax.start[nodes].tolist(), syntax.end[nodes].tolist(), strict=True)
    column = np.fromiter(
        (numbers.setdefault(source[start:end], len(numbers)) for start, end in spans),
        dtype=np.int32,
        count=len(nodes),
    )
    return column, list(numbers)


def parse_source(language: Language, source: bytes) -> Syntax:
    """Return the syntax of a UTF-8 source; any bytes can be parsed."""
    from tree_sitter import Parser

    return flatten_tree(Parser(language).parse(normalize_line_ends(source)), source)


Kind = TypeVar("Kind")
Field = TypeVar("Field")


class ListTree(Generic[Kind, Field]):
    """The columns of ``Syntax`` as lists, which give single values faster than arrays.

    Nodes are numbers, in pre-order. Subclasses choose whether kinds and fields are the grammar's
    names or numbers.
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
