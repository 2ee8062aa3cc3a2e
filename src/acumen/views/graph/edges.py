"""Edges between nodes of the syntax, and their numbers in each method's graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.columns import Ragged
from acumen.lang.java import language
from acumen.lang.java.bindings import ROLE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.flow import DECLARE, READ, VARIABLES, WRITE, flow, outermost
from acumen.lang.java.grammar import field, name_of, symbols
from acumen.lang.syntax import Column, Syntax
from acumen.views.ast import Trees
from acumen.views.ast.labels import LABEL
from acumen.views.graph import _edges_kernel as kernel
from acumen.views.graph import _numbers_kernel as numbers
from acumen.views.graph.arguments import argument_edges

# Stored edges; CH is the tree's and NT the chain of tokens.
EDGES = ("LU", "LW", "CF", "LL", "RT", "FA", "GB", "GN")
# Kinds of edges that lead to a node of the tree; the others lead to a token.
_TO_TREE = np.isin(np.arange(len(EDGES)), (kernel.RT, kernel.GB, kernel.GN))
_VARIABLES = np.isin(np.arange(256), [ROLE[name] for name in VARIABLES])


@dataclass(frozen=True, slots=True)
class Graphs:
    """For each kind of edge and each method its edges, source and target in turn, sorted. Nodes
    are numbered: those of the tree, then the tokens. ``own`` are the tokens, numbered from 0, that
    tell the method's name: where it is declared, then where a method of that name is called or
    referred to."""

    edges: Mapping[str, Ragged]
    own: Ragged


def original(file: JavaFile) -> JavaFile | None:
    """The file as it was before an operator was hidden in it, node for node; None: it is that
    itself. A variable is still written where ``=`` is hidden: the edges tell what the program
    does."""
    return None


def graphs(file: JavaFile, methods: Sequence[int], trees: Trees) -> Graphs:
    """The graphs of methods (places in ``declarations.methods``), whose trees are given."""
    return numbered(file, methods, trees, file_edges(file.once(original) or file, methods))


def file_edges(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Distinct rows of kind, source and target, in that order, all inside one of the methods."""
    found = flow(file, methods)
    roots = outermost(file, methods)
    names, declared = variable_names(file), declarations(file)
    count = int(names.max()) + 1 if len(names) else 0
    pieces = [
        _between_points(found.last_use, found.node, found.event, kernel.LU),
        _between_points(found.last_write, found.node, found.event, kernel.LW),
        argument_edges(file, np.where(declared, -1, names), roots),
    ]
    kinds, fields = _tables()
    syntax = file.syntax
    room = 2 * len(syntax) + 64
    while True:
        rows, done = kernel.syntactic(
            kinds[syntax.kind], fields[syntax.field], syntax.stop, syntax.parent, names, declared,
            count, roots, room,
        )  # fmt: skip
        if done:
            break
        room *= 4
    return distinct(np.concatenate([*pieces, rows]), len(syntax))


def distinct(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    key = (rows[:, 0] * size + rows[:, 1]) * size + rows[:, 2]
    key.sort()
    key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key
    source, target = np.divmod(key, size)
    found = np.empty((len(key), 3), dtype=np.int64)
    found[:, 0], found[:, 1] = np.divmod(source, size)
    found[:, 2] = target
    return found


def _between_points(
    pairs: NDArray[np.int32], node: Column, event: NDArray[np.uint8], kind: int
) -> NDArray[np.int64]:
    """From an occurrence to an earlier one. A declaration without a value writes nothing; and
    that ``x++`` reads before it writes makes no edge."""
    pairs = pairs[pairs[:, 1] >= 0]
    if kind == kernel.LW:
        pairs = pairs[event[pairs[:, 1]] != DECLARE]
    source, target = node[pairs[:, 0]], node[pairs[:, 1]]
    own = (source == target) & (event[pairs[:, 0]] == WRITE) & (event[pairs[:, 1]] == READ)
    rows: NDArray[np.int64] = np.empty((len(pairs), 3), dtype=np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2] = kind, source, target
    kept: NDArray[np.int64] = rows[~own]
    return kept


def numbered(
    file: JavaFile, methods: Sequence[int], trees: Trees, rows: NDArray[np.int64],
    from_tree: tuple[int, ...] = (),
) -> Graphs:  # fmt: skip
    """Edges as numbers in the graph of each method that holds both their ends. ``from_tree``:
    kinds of edges that also start at a node of the tree."""
    syntax, tokens = file.syntax, file.tokens
    nodes = np.array([file.declarations.methods[place].node for place in methods], dtype=np.int64)
    token = np.full(len(syntax), -1, dtype=np.int64)
    token[tokens.node] = np.arange(len(tokens))
    first = np.searchsorted(tokens.start, syntax.start[nodes])
    element = _tree_elements(syntax, trees, nodes, outermost(file, methods))
    starts = np.zeros(len(EDGES), dtype=np.bool_)
    starts[list(from_tree)] = True
    room = len(rows) + 64
    while True:
        flat, ends, done = numbers.number(
            rows, len(EDGES), nodes, syntax.stop, token, element, first, np.diff(trees.offsets),
            starts, _TO_TREE, room,
        )  # fmt: skip
        if done:
            break
        room *= 4
    found: dict[str, Ragged] = {}
    for at, name in enumerate(EDGES):
        offsets = ends[at * len(nodes) : (at + 1) * len(nodes) + 1]
        values = flat[offsets[0] : offsets[-1]].ravel()
        found[name] = Ragged(values, 2 * (offsets - offsets[0]))
    called = file.bindings.node[file.bindings.role == ROLE["method"]]
    own = numbers.own_names(
        nodes, syntax.field, syntax.stop, file.names.word_of, called, token, first, field("name")
    )
    return Graphs(found, Ragged(*own))


def _tree_elements(
    syntax: Syntax, trees: Trees, nodes: NDArray[np.int64], roots: Column
) -> NDArray[np.int64]:
    """For a node of the syntax, the place in all trees of what javac has for it, in the tree of
    the outermost method. Getters stand for the same node as what they hold: four of them bear the
    name of a kind, but they come before it."""
    real = (trees.label < LABEL["NAME"]) | (trees.label == LABEL["MASK"])
    if len(roots) < len(nodes):
        real &= np.repeat(np.isin(nodes, roots), np.diff(trees.offsets))
    places = np.flatnonzero(real)
    element = np.full(len(syntax), -1, dtype=np.int64)
    element[trees.node[places]] = places
    return element


def variable_names(file: JavaFile) -> Column:
    """For each node the symbol of the variable that it names, alone and not as a part of
    something (``this.x``, ``o.x``); -1 for all others."""
    syntax, bound = file.syntax, file.bindings
    rows = _VARIABLES[bound.role]
    node, symbol = bound.node[rows], bound.symbol[rows]
    part = syntax.field[node] == field("field")
    part &= _field_access()[syntax.kind[syntax.parent[node]]]
    found = np.full(len(syntax), -1, dtype=np.int32)
    found[node[~part]] = symbol[~part]
    return found


def declarations(file: JavaFile) -> NDArray[np.bool_]:
    """For each node whether it is a name at its declaration."""
    bound = file.bindings
    found = np.zeros(len(file.syntax), dtype=np.bool_)
    found[bound.node[bound.declaration == bound.node]] = True
    return found


@lru_cache(maxsize=1)
def _field_access() -> NDArray[np.bool_]:
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[list(symbols("field_access"))] = True
    return found


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The kernel's codes of the grammar's symbols and fields."""
    kinds, fields = np.zeros(1 << 16, dtype=np.uint8), np.zeros(1 << 16, dtype=np.uint8)
    for symbol in range(language().node_kind_count):
        kinds[symbol] = kernel.CODES.get(name_of(symbol), 0)
    for name, code in kernel.FIELDS.items():
        fields[field(name)] = code
    return kinds, fields
