"""Edges of the graph view, computed between syntax nodes and then numbered within each graph.

``roots`` are the nodes of the methods that are not inside another given method, in source order.
The package describes the kinds of edges, LU to GN.

A graph holds one method, so FormalArgName covers only recursion and calls to members of local and
anonymous classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.flow.graph import (
    DECLARE,
    READ,
    VARIABLES,
    WRITE,
    build_flow,
    find_outermost_methods,
)
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_name
from codeacumen.languages.syntax import Column, Syntax
from codeacumen.text.columns import Ragged
from codeacumen.views.ast import Trees
from codeacumen.views.ast.labels import LABEL
from codeacumen.views.graph import edges_kernel as kernel

Edge = tuple[int, int]


def argument_edges(
    file: JavaFile, variables: Column, roots: Column, spread: bool = True
) -> NDArray[np.int64]:
    """Return rows (FA, source, target) from each variable in an argument to the parameter's name.

    ``variables`` is a number of the variable by node, -1 at nodes that name none. One of the
    ``roots`` must contain both the call and the callee, or be the constructor that is called. With
    ``spread``, all arguments of a variable-arity parameter map to it.
    """
    rows: list[tuple[int, int, int]] = []
    syntax = file.syntax
    for call, method in _resolve_calls(file, roots):
        formals, is_variadic = _parameter_names(syntax, method)
        for index, argument in enumerate(_argument_nodes(syntax, call)):
            if index >= len(formals) and not (spread and is_variadic):
                break
            formal = formals[min(index, len(formals) - 1)]
            rows += [
                (kernel.FA, name, formal) for name in variables_in(syntax, variables, argument)
            ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def variables_in(syntax: Syntax, variables: Column, node: int) -> list[int]:
    """Return the variable names below a node, except those inside an anonymous class."""
    stop = int(syntax.stop[node])
    nodes = node + np.flatnonzero(variables[node:stop] >= 0)
    bodies = node + np.flatnonzero(
        np.isin(syntax.kind[node:stop], list(find_symbols("class_body")))
    )
    for body in bodies.tolist():
        if int(syntax.kind[syntax.parent[body]]) in find_symbols("object_creation_expression"):
            nodes = nodes[(nodes < body) | (nodes >= syntax.stop[body])]
    node_list: list[int] = nodes.tolist()
    return node_list


def _resolve_calls(file: JavaFile, roots: Column) -> list[Edge]:
    """Return calls and the methods or constructors that they call, as pairs of nodes."""
    syntax, bindings = file.syntax, file.bindings
    if not len(roots):
        return []
    called, created, generic, explicit = _symbol_masks()
    named = np.flatnonzero((bindings.role == ROLE["method"]) & (bindings.declaration >= 0))
    node, target = bindings.node[named], bindings.declaration[named]
    call, method = syntax.parent[node], syntax.parent[target]
    is_local_call = called[syntax.kind[call]] & _is_in_same_root(syntax, roots, call, method)
    pairs = list(zip(call[is_local_call].tolist(), method[is_local_call].tolist(), strict=True))
    constructors = [
        (method.node, file.declarations.types[method.type].node)
        for method in file.declarations.methods
        if method.kind == "constructor" and method.type != NONE
    ]
    if not constructors:
        return sorted(pairs)
    named = np.flatnonzero((bindings.role == ROLE["type"]) & (bindings.declaration >= 0))
    call, owner = syntax.parent[bindings.node[named]], syntax.parent[bindings.declaration[named]]
    call = np.where(generic[syntax.kind[call]], syntax.parent[call], call)
    is_local_creation = created[syntax.kind[call]]
    is_local_creation &= _is_in_same_root(syntax, roots, call, owner) | _in_constructor(
        roots, constructors, call, owner
    )
    for creation, class_ in zip(
        call[is_local_creation].tolist(), owner[is_local_creation].tolist(), strict=True
    ):
        pairs += _match_constructor(syntax, creation, class_, constructors)
    return sorted([*pairs, *_explicit_constructor_calls(syntax, roots, explicit, constructors)])


def _is_in_same_root(
    syntax: Syntax, roots: Column, first: Column, second: Column
) -> NDArray[np.bool_]:
    """Return a mask of the pairs of nodes that lie inside the same root."""
    index = np.searchsorted(roots, first, side="right") - 1
    low, high = roots[index], syntax.stop[roots[index]]
    return np.asarray((index >= 0) & (first < high) & (low <= second) & (second < high))


def _in_constructor(
    roots: Column, constructors: list[Edge], call: Column, owner: Column
) -> NDArray[np.bool_]:
    """Return a mask of the creations whose nearest constructor before them in the source is a root
    and belongs to the created class."""
    node, class_ = np.array(constructors, dtype=np.int32).T
    index = np.minimum(np.searchsorted(node, call, side="right") - 1, len(node) - 1)
    return np.asarray((index >= 0) & (class_[index] == owner) & _is_root(roots, node[index]))


def _is_root(roots: Column, nodes: Column) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are roots."""
    return np.asarray(roots[np.searchsorted(roots, nodes, side="right") - 1] == nodes)


def _explicit_constructor_calls(
    syntax: Syntax, roots: Column, explicit: NDArray[np.bool_], constructors: list[Edge]
) -> Iterator[Edge]:
    """Yield calls of this(…) in constructors of local classes; super(…) is not resolved."""
    calls = np.flatnonzero(explicit[syntax.kind]).astype(np.int32)
    within = syntax.parent[syntax.parent[calls]]
    # If a constructor is a root itself, the other constructors are outside of its graph.
    local = _is_in_same_root(syntax, roots, calls, calls) & ~_is_root(roots, within)
    owners = dict(constructors)
    for call, inside in zip(calls[local].tolist(), within[local].tolist(), strict=True):
        first = find_child(syntax, call, "constructor")
        if first >= 0 and inside in owners and syntax.text(first) == "this":
            yield from _match_constructor(syntax, call, owners[inside], constructors)


def _match_constructor(
    syntax: Syntax, call: int, class_: int, constructors: list[Edge]
) -> list[Edge]:
    """Return the call and its constructor if only one constructor takes that many arguments.

    Return nothing if the call has a class body, since that declares another class."""
    if any(int(syntax.kind[part]) in find_symbols("class_body") for part in syntax.children(call)):
        return []
    argument_count = len(_argument_nodes(syntax, call))
    fitting = [
        constructor
        for constructor, owner in constructors
        if owner == class_ and _accepts_arguments(syntax, constructor, argument_count)
    ]
    return [(call, fitting[0])] if len(fitting) == 1 else []


@lru_cache(maxsize=1)
def _symbol_masks() -> tuple[NDArray[np.bool_], ...]:
    """Return masks over the grammar's symbols: method calls, creations, generic types, and calls of
    ``this(...)`` or ``super(...)``."""
    masks = np.zeros((4, 1 << 16), dtype=np.bool_)  # symbols have 16 bits
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
        mask[list(find_symbols(name))] = True
    return tuple(masks)


def find_child(syntax: Syntax, node: int, name: str) -> int:
    """Return the first child in a field, or -1 if there is none."""
    return next(
        (part for part in syntax.children(node) if syntax.field[part] == field_number(name)), -1
    )


def _accepts_arguments(syntax: Syntax, method: int, argument_count: int) -> bool:
    """Return whether a constructor accepts this number of arguments."""
    formals, is_variadic = _parameter_names(syntax, method)
    return argument_count == len(formals) or (is_variadic and argument_count >= len(formals) - 1)


def _argument_nodes(syntax: Syntax, call: int) -> list[int]:
    """Return the nodes of a call's arguments."""
    group = find_child(syntax, call, "arguments")
    if group < 0:
        return []
    skipped = find_symbols("line_comment", "block_comment")
    return [
        part
        for part in syntax.children(group)
        if syntax.text(part) not in ("(", ",", ")") and int(syntax.kind[part]) not in skipped
    ]


def _parameter_names(syntax: Syntax, method: int) -> tuple[list[int], bool]:
    """Return the nodes of the parameters' names, and whether the last one is variadic."""
    group = find_child(syntax, method, "parameters")
    names: list[int] = []
    is_variadic = False
    for part in syntax.children(group) if group >= 0 else []:
        kind = int(syntax.kind[part])
        if kind in find_symbols("formal_parameter"):
            names.append(find_child(syntax, part, "name"))
        elif kind in find_symbols("spread_parameter"):
            is_variadic = True
            names += [
                find_child(syntax, inner, "name")
                for inner in syntax.children(part)
                if int(syntax.kind[inner]) in find_symbols("variable_declarator")
            ]
    return [name for name in names if name >= 0], is_variadic and bool(names)


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
    own_tokens: Ragged


def unmasked_file(file: JavaFile) -> JavaFile | None:
    """Return None: nothing is masked, unless ``JavaFile.store_result`` stored another result.

    ``masking.files`` stores the unmasked version of a file, which has the same nodes, when it hides
    an operator. The edges describe what the program does: a hidden ``=`` still writes its
    variable."""
    return None


def build_graphs(file: JavaFile, methods: Sequence[int], trees: Trees) -> Graphs:
    """Return the graphs of methods (indices into ``declarations.methods``) with these trees."""
    return number_edges(
        file, methods, trees, file_edges(file.compute_once(unmasked_file) or file, methods)
    )


def file_edges(file: JavaFile, methods: Sequence[int]) -> NDArray[np.int64]:
    """Return sorted distinct rows (kind, source, target) between syntax nodes of the methods.

    ``number_edges`` drops an edge whose ends are in different methods."""
    control_flow = build_flow(file, methods)
    roots = find_outermost_methods(file, methods)
    names, declared = variable_symbols(file), declaration_mask(file)
    count = int(names.max()) + 1 if len(names) else 0
    edge_arrays = [
        _point_edges(control_flow.last_use, control_flow.node, control_flow.event, kernel.LU),
        _point_edges(control_flow.last_write, control_flow.node, control_flow.event, kernel.LW),
        argument_edges(file, np.where(declared, -1, names), roots),
    ]
    kinds, fields = _kernel_codes()
    syntax = file.syntax
    capacity = 2 * len(syntax) + 64
    while True:
        rows, fits = kernel.find_syntactic_edges(
            kinds[syntax.kind],
            fields[syntax.field],
            syntax.stop,
            syntax.parent,
            names,
            declared,
            count,
            roots,
            capacity,
        )
        if fits:
            break
        capacity *= 4  # the kernel dropped rows: repeat it with more room
    return sort_distinct(np.concatenate([*edge_arrays, rows]), len(syntax))


def sort_distinct(rows: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the rows sorted and without duplicates; ``size`` exceeds all node numbers."""
    key = (rows[:, 0] * size + rows[:, 1]) * size + rows[:, 2]
    key.sort()
    key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key
    source, target = np.divmod(key, size)
    edges = np.empty((len(key), 3), dtype=np.int64)
    edges[:, 0], edges[:, 1] = np.divmod(source, size)
    edges[:, 2] = target
    return edges


def _point_edges(
    pairs: NDArray[np.int32], node: Column, event: NDArray[np.uint8], kind: int
) -> NDArray[np.int64]:
    """Return rows (kind, source, target) from an occurrence to an earlier one.

    ``pairs`` are points of the control flow, -1 where there is no earlier one; ``node`` and
    ``event`` describe each point. A declaration without a value writes nothing, and the read of
    ``x++`` before its write makes no edge."""
    pairs = pairs[pairs[:, 1] >= 0]
    if kind == kernel.LW:
        pairs = pairs[event[pairs[:, 1]] != DECLARE]
    source, target = node[pairs[:, 0]], node[pairs[:, 1]]
    is_own_read = (source == target) & (event[pairs[:, 0]] == WRITE) & (event[pairs[:, 1]] == READ)
    rows: NDArray[np.int64] = np.empty((len(pairs), 3), dtype=np.int64)
    rows[:, 0], rows[:, 1], rows[:, 2] = kind, source, target
    edges: NDArray[np.int64] = rows[~is_own_read]
    return edges


def number_edges(
    file: JavaFile,
    methods: Sequence[int],
    trees: Trees,
    rows: NDArray[np.int64],
    from_tree: tuple[int, ...] = (),
) -> Graphs:
    """Number the edges within the graph of each method that contains both of their ends.

    ``from_tree`` lists the kinds of edges that start at a node of the tree, not at a token."""
    syntax, tokens = file.syntax, file.tokens
    nodes = np.array([file.declarations.methods[method].node for method in methods], dtype=np.int64)
    token = np.full(len(syntax), -1, dtype=np.int64)
    token[tokens.node] = np.arange(len(tokens))
    first = np.searchsorted(tokens.start, syntax.start[nodes])  # first token of each method
    element = _tree_elements(syntax, trees, nodes, find_outermost_methods(file, methods))
    starts = np.zeros(len(EDGES), dtype=np.bool_)
    starts[list(from_tree)] = True
    capacity = len(rows) + 64
    while True:
        flat, ends, fits = kernel.number_edges(
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
            capacity,
        )
        if fits:
            break
        capacity *= 4
    edges: dict[str, Ragged] = {}
    for index, name in enumerate(EDGES):
        offsets = ends[index * len(nodes) : (index + 1) * len(nodes) + 1]
        # An edge becomes two values, source and target.
        values = flat[offsets[0] : offsets[-1]].ravel()
        edges[name] = Ragged(values, 2 * (offsets - offsets[0]))
    called = file.bindings.node[file.bindings.role == ROLE["method"]]
    own = kernel.find_own_names(
        nodes,
        syntax.field,
        syntax.stop,
        file.names.word_of,
        called,
        token,
        first,
        field_number("name"),
    )
    return Graphs(edges, Ragged(*own))


def _tree_elements(
    syntax: Syntax, trees: Trees, nodes: NDArray[np.int64], roots: Column
) -> NDArray[np.int64]:
    """Map syntax nodes to elements of all trees (-1: none); nested methods map to their outermost
    method.

    A getter maps to the same syntax node as its content. Four getters share the name of a kind,
    but their content follows them and overwrites their entry."""
    # Labels before NAME, and MASK, are kinds of trees; the others are getters.
    real = (trees.label < LABEL["NAME"]) | (trees.label == LABEL["MASK"])
    if len(roots) < len(nodes):
        real &= np.repeat(np.isin(nodes, roots), np.diff(trees.offsets))
    elements = np.flatnonzero(real)
    element = np.full(len(syntax), -1, dtype=np.int64)
    element[trees.node[elements]] = elements
    return element


def variable_symbols(file: JavaFile) -> Column:
    """Return the variable's symbol for each node that names one by itself, -1 for all others.

    ``this.x`` and ``o.x`` do not name ``x`` by itself."""
    syntax, bindings = file.syntax, file.bindings
    rows = _VARIABLES[bindings.role]
    node, symbol = bindings.node[rows], bindings.symbol[rows]
    # The name after the dot of a field access.
    part = syntax.field[node] == field_number("field")
    part &= _field_access_mask()[syntax.kind[syntax.parent[node]]]
    symbols_by_node = np.full(len(syntax), -1, dtype=np.int32)
    symbols_by_node[node[~part]] = symbol[~part]
    return symbols_by_node


def declaration_mask(file: JavaFile) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are names at their declaration."""
    bindings = file.bindings
    mask = np.zeros(len(file.syntax), dtype=np.bool_)
    mask[bindings.node[bindings.declaration == bindings.node]] = True
    return mask


@lru_cache(maxsize=1)
def _field_access_mask() -> NDArray[np.bool_]:
    """Return a mask of the grammar's symbols for ``field_access``."""
    mask = np.zeros(1 << 16, dtype=np.bool_)
    mask[list(find_symbols("field_access"))] = True
    return mask


@lru_cache(maxsize=1)
def _kernel_codes() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the kernel's codes for the grammar's symbols and fields."""
    kinds, fields = np.zeros(1 << 16, dtype=np.uint8), np.zeros(1 << 16, dtype=np.uint8)
    for symbol in range(load_grammar().node_kind_count):
        kinds[symbol] = kernel.CODES.get(symbol_name(symbol), 0)
    for name, code in kernel.FIELDS.items():
        fields[field_number(name)] = code
    return kinds, fields
