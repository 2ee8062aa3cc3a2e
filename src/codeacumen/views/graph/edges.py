"""Edges of the graph view, computed between syntax nodes and then numbered within each graph.

A graph holds one method, so FormalArgName covers only recursion and calls to members of local and
anonymous classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.flow.graph import DECLARE, READ, VARIABLES, WRITE, flow, outermost
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field, name_of, symbols
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.text.columns import Ragged
from codeacumen.views.ast import Trees
from codeacumen.views.ast.labels import LABEL
from codeacumen.views.graph import _edges_kernel as kernel

Edge = tuple[int, int]


def argument_edges(
    file: JavaFile, names: Column, roots: Column, spread: bool = True
) -> NDArray[np.int64]:
    """Return rows (FA, source, target) from each variable in an argument to the parameter's name.

    ``variables`` is -1 at nodes that name no variable. One of the ``roots`` must contain both the
    call and the callee. With ``spread``, all variable arguments map to the last parameter.
    """
    rows: list[tuple[int, int, int]] = []
    syntax = file.syntax
    for call, method in _calls(file, roots):
        formals, variable = _parameters(syntax, method)
        for place, argument in enumerate(_arguments(syntax, call)):
            if place >= len(formals) and not (spread and variable):
                break
            formal = formals[min(place, len(formals) - 1)]
            rows += [(kernel.FA, name, formal) for name in variables_in(syntax, names, argument)]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def variables_in(syntax: Syntax, names: Column, node: int) -> list[int]:
    """Return the variable names below a node, except those inside an anonymous class."""
    stop = int(syntax.stop[node])
    found = node + np.flatnonzero(names[node:stop] >= 0)
    bodies = node + np.flatnonzero(np.isin(syntax.kind[node:stop], list(symbols("class_body"))))
    for body in bodies.tolist():
        if int(syntax.kind[syntax.parent[body]]) in symbols("object_creation_expression"):
            found = found[(found < body) | (found >= syntax.stop[body])]
    kept: list[int] = found.tolist()
    return kept


def _calls(file: JavaFile, roots: Column) -> list[Edge]:
    """Return calls and the methods or constructors that they call, as pairs of nodes."""
    syntax, bound = file.syntax, file.bindings
    if not len(roots):
        return []
    called, created, generic, explicit = _kinds()
    named = np.flatnonzero((bound.role == ROLE["method"]) & (bound.declaration >= 0))
    node, target = bound.node[named], bound.declaration[named]
    call, method = syntax.parent[node], syntax.parent[target]
    own = called[syntax.kind[call]] & _together(syntax, roots, call, method)
    found = list(zip(call[own].tolist(), method[own].tolist(), strict=True))
    makers = [
        (method.node, file.declarations.types[method.type].node)
        for method in file.declarations.methods
        if method.kind == "constructor" and method.type != NONE
    ]
    if not makers:
        return sorted(found)
    named = np.flatnonzero((bound.role == ROLE["type"]) & (bound.declaration >= 0))
    call, owner = syntax.parent[bound.node[named]], syntax.parent[bound.declaration[named]]
    call = np.where(generic[syntax.kind[call]], syntax.parent[call], call)
    new = created[syntax.kind[call]]
    new &= _together(syntax, roots, call, owner) | _in_constructor(roots, makers, call, owner)
    for place, class_ in zip(call[new].tolist(), owner[new].tolist(), strict=True):
        found += _fitting(syntax, place, class_, makers)
    return sorted([*found, *_own_constructors(syntax, roots, explicit, makers)])


def _together(syntax: Syntax, roots: Column, one: Column, other: Column) -> NDArray[np.bool_]:
    """Return a mask of the pairs of nodes that lie inside the same root."""
    place = np.searchsorted(roots, one, side="right") - 1
    low, high = roots[place], syntax.stop[roots[place]]
    return np.asarray((place >= 0) & (one < high) & (low <= other) & (other < high))


def _in_constructor(
    roots: Column, makers: list[Edge], call: Column, owner: Column
) -> NDArray[np.bool_]:
    """Return a mask of the creations inside a root that is a constructor of the same class."""
    node, class_ = np.array(makers, dtype=np.int32).T
    place = np.minimum(np.searchsorted(node, call, side="right") - 1, len(node) - 1)
    return np.asarray((place >= 0) & (class_[place] == owner) & _among(roots, node[place]))


def _among(roots: Column, nodes: Column) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are roots."""
    return np.asarray(roots[np.searchsorted(roots, nodes, side="right") - 1] == nodes)


def _own_constructors(
    syntax: Syntax, roots: Column, explicit: NDArray[np.bool_], makers: list[Edge]
) -> Iterator[Edge]:
    """Yield calls of this(…) in constructors of local classes; super(…) is not resolved."""
    calls = np.flatnonzero(explicit[syntax.kind]).astype(np.int32)
    within = syntax.parent[syntax.parent[calls]]
    # If a constructor is a root itself, the other constructors are outside of its graph.
    local = _together(syntax, roots, calls, calls) & ~_among(roots, within)
    owners = dict(makers)
    for call, inside in zip(calls[local].tolist(), within[local].tolist(), strict=True):
        first = child(syntax, call, "constructor")
        if first >= 0 and inside in owners and syntax.text(first) == "this":
            yield from _fitting(syntax, call, owners[inside], makers)


def _fitting(syntax: Syntax, call: int, class_: int, makers: list[Edge]) -> list[Edge]:
    """Return the call and its constructor if only one constructor takes that many arguments.

    Return nothing if the call has a class body, since that declares another class."""
    if any(int(syntax.kind[part]) in symbols("class_body") for part in syntax.children(call)):
        return []
    given = len(_arguments(syntax, call))
    fitting = [one for one, owner in makers if owner == class_ and _takes(syntax, one, given)]
    return [(call, fitting[0])] if len(fitting) == 1 else []


@lru_cache(maxsize=1)
def _kinds() -> tuple[NDArray[np.bool_], ...]:
    """Return masks over grammar symbols: calls, creations, generic types, constructor calls."""
    masks = np.zeros((4, 1 << 16), dtype=np.bool_)
    for mask, name in zip(
        masks,
        (
            "method_invocation",
            "object_creation_expression",
            "generic_type",
            "explicit_constructor_invocation",
        ),
        strict=True,
    ):
        mask[list(symbols(name))] = True
    return tuple(masks)


def child(syntax: Syntax, node: int, name: str) -> int:
    """Return the first child in a field, or -1 if there is none."""
    return next((part for part in syntax.children(node) if syntax.field[part] == field(name)), -1)


def _takes(syntax: Syntax, method: int, given: int) -> bool:
    """Return whether a constructor accepts this number of arguments."""
    formals, variable = _parameters(syntax, method)
    return given == len(formals) or (variable and given >= len(formals) - 1)


def _arguments(syntax: Syntax, call: int) -> list[int]:
    """Return the nodes of a call's arguments."""
    group = child(syntax, call, "arguments")
    if group < 0:
        return []
    skipped = symbols("line_comment", "block_comment")
    return [
        part
        for part in syntax.children(group)
        if syntax.text(part) not in ("(", ",", ")") and int(syntax.kind[part]) not in skipped
    ]


def _parameters(syntax: Syntax, method: int) -> tuple[list[int], bool]:
    """Return the nodes of the parameters' names, and whether the last one is variadic."""
    group = child(syntax, method, "parameters")
    names: list[int] = []
    variable = False
    for part in syntax.children(group) if group >= 0 else []:
        kind = int(syntax.kind[part])
        if kind in symbols("formal_parameter"):
            names.append(child(syntax, part, "name"))
        elif kind in symbols("spread_parameter"):
            variable = True
            names += [
                child(syntax, inner, "name")
                for inner in syntax.children(part)
                if int(syntax.kind[inner]) in symbols("variable_declarator")
            ]
    return [name for name in names if name >= 0], variable and bool(names)


# Stored edges; the tree implies CH and the order of the tokens NT.
EDGES = ("LU", "LW", "CF", "LL", "RT", "FA", "GB", "GN")
# Kinds of edges that lead to a node of the tree; the others lead to a token.
_TO_TREE = np.isin(np.arange(len(EDGES)), (kernel.RT, kernel.GB, kernel.GN))
_VARIABLES = np.isin(np.arange(256), [ROLE[name] for name in VARIABLES])


@dataclass(frozen=True, slots=True)
class Graphs:
    """Graphs of several methods: for each kind of edge, sorted sources and targets in turn.

    Nodes are numbered: those of the tree, then the tokens. ``own_tokens`` holds the tokens,
    numbered from 0, that spell the method's name: at its declaration, then at calls of and
    references to methods of that name."""

    edges: Mapping[str, Ragged]
    own: Ragged


def original(file: JavaFile) -> JavaFile | None:
    """Key of ``JavaFile.once`` for the unmasked version of a file; None if nothing is masked.

    ``masking.files`` stores that version when it hides an operator, node for node. The edges
    describe what the program does: a hidden ``=`` still writes its variable."""
    return None


def graphs(file: JavaFile, methods: Sequence[int], trees: Trees) -> Graphs:
    """Return the graphs of methods (indices into ``declarations.methods``) with these trees."""
    return numbered(file, methods, trees, file_edges(file.once(original) or file, methods))


def file_edges(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return sorted distinct rows (kind, source, target); each edge lies inside one method."""
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
            kinds[syntax.kind],
            fields[syntax.field],
            syntax.stop,
            syntax.parent,
            names,
            declared,
            count,
            roots,
            room,
        )
        if done:
            break
        room *= 4
    return distinct(np.concatenate([*pieces, rows]), len(syntax))


def distinct(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the rows sorted and without duplicates; ``size`` exceeds all node numbers."""
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
    """Return rows from an occurrence to an earlier one.

    A declaration without a value writes nothing, and the read of ``x++`` before its write makes
    no edge."""
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
    file: JavaFile,
    methods: Sequence[int],
    trees: Trees,
    rows: NDArray[np.int64],
    from_tree: tuple[int, ...] = (),
) -> Graphs:
    """Number the edges within the graph of each method that contains both of their ends.

    ``from_tree`` lists the kinds of edges that start at a node of the tree, not at a token."""
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
        flat, ends, done = kernel.number(
            rows,
            len(EDGES),
            nodes,
            syntax.stop,
            token,
            element,
            first,
            np.diff(trees.offsets),
            starts,
            _TO_TREE,
            room,
        )
        if done:
            break
        room *= 4
    found: dict[str, Ragged] = {}
    for at, name in enumerate(EDGES):
        offsets = ends[at * len(nodes) : (at + 1) * len(nodes) + 1]
        values = flat[offsets[0] : offsets[-1]].ravel()
        found[name] = Ragged(values, 2 * (offsets - offsets[0]))
    called = file.bindings.node[file.bindings.role == ROLE["method"]]
    own = kernel.own_names(
        nodes, syntax.field, syntax.stop, file.names.word_of, called, token, first, field("name")
    )
    return Graphs(found, Ragged(*own))


def _tree_elements(
    syntax: Syntax, trees: Trees, nodes: NDArray[np.int64], roots: Column
) -> NDArray[np.int64]:
    """Map syntax nodes to elements of all trees; nested methods map to their outermost method.

    A getter maps to the same syntax node as its content. Four getters share the name of a kind,
    but their content follows them and overwrites their entry."""
    real = (trees.label < LABEL["NAME"]) | (trees.label == LABEL["MASK"])
    if len(roots) < len(nodes):
        real &= np.repeat(np.isin(nodes, roots), np.diff(trees.offsets))
    places = np.flatnonzero(real)
    element = np.full(len(syntax), -1, dtype=np.int64)
    element[trees.node[places]] = places
    return element


def variable_names(file: JavaFile) -> Column:
    """Return the variable's symbol for each node that names one by itself, -1 for all others.

    ``this.x`` and ``o.x`` do not name ``x`` by itself."""
    syntax, bound = file.syntax, file.bindings
    rows = _VARIABLES[bound.role]
    node, symbol = bound.node[rows], bound.symbol[rows]
    part = syntax.field[node] == field("field")
    part &= _field_access()[syntax.kind[syntax.parent[node]]]
    found = np.full(len(syntax), -1, dtype=np.int32)
    found[node[~part]] = symbol[~part]
    return found


def declarations(file: JavaFile) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are names at their declaration."""
    bound = file.bindings
    found = np.zeros(len(file.syntax), dtype=np.bool_)
    found[bound.node[bound.declaration == bound.node]] = True
    return found


@lru_cache(maxsize=1)
def _field_access() -> NDArray[np.bool_]:
    """Return a mask of the grammar's symbols for ``field_access``."""
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[list(symbols("field_access"))] = True
    return found


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the kernel's codes for the grammar's symbols and fields."""
    kinds, fields = np.zeros(1 << 16, dtype=np.uint8), np.zeros(1 << 16, dtype=np.uint8)
    for symbol in range(language().node_kind_count):
        kinds[symbol] = kernel.CODES.get(name_of(symbol), 0)
    for name, code in kernel.FIELDS.items():
        fields[field(name)] = code
    return kinds, fields
