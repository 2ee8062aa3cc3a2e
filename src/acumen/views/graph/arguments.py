"""FormalArgName: which argument is which parameter, of calls to what the same method declares.

Only such calls count, because a graph holds one method: recursion, and calls to members of local
and anonymous classes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.bindings import ROLE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field, symbols
from acumen.lang.syntax import Column, Syntax
from acumen.views.graph import _edges_kernel as kernel

Edge = tuple[int, int]


def argument_edges(
    file: JavaFile, names: Column, roots: Column, spread: bool = True
) -> NDArray[np.int64]:
    """Rows of FA, source and target: from each variable in an argument to the parameter's name.
    With ``spread``, all arguments of a variable number go to the last parameter. ``names`` tells
    which nodes are variables; of calls and callees, one of the ``roots`` must hold both."""
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
    """The variables named below a node, but not in a class declared by an expression there."""
    stop = int(syntax.stop[node])
    found = node + np.flatnonzero(names[node:stop] >= 0)
    bodies = node + np.flatnonzero(np.isin(syntax.kind[node:stop], list(symbols("class_body"))))
    for body in bodies.tolist():
        if int(syntax.kind[syntax.parent[body]]) in symbols("object_creation_expression"):
            found = found[(found < body) | (found >= syntax.stop[body])]
    kept: list[int] = found.tolist()
    return kept


def _calls(file: JavaFile, roots: Column) -> list[Edge]:
    """Calls and the methods or constructors they mean, as nodes."""
    syntax, bound = file.syntax, file.bindings
    if not len(roots):
        return []
    named = np.flatnonzero((bound.role == ROLE["method"]) & (bound.declaration >= 0))
    node, target = bound.node[named], bound.declaration[named]
    inside = _root(syntax, roots, node)
    own = (node != target) & (inside >= 0) & (inside == _root(syntax, roots, target))
    call, method = syntax.parent[node[own]], syntax.parent[target[own]]
    called = np.isin(syntax.kind[call], list(symbols("method_invocation")))
    found = list(zip(call[called].tolist(), method[called].tolist(), strict=True))
    return sorted([*found, *_creations(file, roots)])


def _root(syntax: Syntax, roots: Column, nodes: Column) -> NDArray[np.int64]:
    """The place of the root that holds each node, -1 if none does."""
    place = np.searchsorted(roots, nodes, side="right") - 1
    return np.where((place >= 0) & (nodes < syntax.stop[roots[place]]), place, -1)


def _creations(file: JavaFile, roots: Column) -> Iterator[Edge]:
    """Creations of local classes, where only one constructor takes that many arguments."""
    syntax, declared = file.syntax, file.declarations
    makers: dict[int, list[int]] = {}
    for method in declared.methods:
        if method.kind == "constructor" and _within(syntax, roots, method.node):
            makers.setdefault(declared.types[method.type].node, []).append(method.node)
    if not makers:
        return
    by_name = {_named(syntax, node): node for node in makers}
    bound = file.bindings
    for call in np.flatnonzero(
        np.isin(
            syntax.kind,
            list(symbols("object_creation_expression", "explicit_constructor_invocation")),
        )
    ).tolist():
        if not _within(syntax, roots, call):
            continue
        if int(syntax.kind[call]) in symbols("explicit_constructor_invocation"):
            # this(…) in a constructor of the class; what super(…) means is not looked for.
            own = any(
                syntax.field[child] == field("constructor") and syntax.text(child) == "this"
                for child in syntax.children(call)
            )
            place = call
            while own and place >= 0 and place not in makers:
                place = int(syntax.parent[place])
            owner = place if own else -1
        else:
            name = _type_name(syntax, call)
            row = int(np.searchsorted(bound.node, name))
            owner = by_name.get(int(bound.declaration[row]), -1) if name >= 0 else -1
        given = len(_arguments(syntax, call))
        fitting = [node for node in makers.get(owner, ()) if _takes(syntax, node, given)]
        if len(fitting) == 1:
            yield call, fitting[0]


def _within(syntax: Syntax, roots: Column, node: int) -> bool:
    return bool(_root(syntax, roots, np.array([node], dtype=np.int32))[0] >= 0)


def _child(syntax: Syntax, node: int, name: str) -> int:
    return next(
        (child for child in syntax.children(node) if syntax.field[child] == field(name)), -1
    )


def _named(syntax: Syntax, node: int) -> int:
    return _child(syntax, node, "name")


def _type_name(syntax: Syntax, call: int) -> int:
    """The name of the class that is created; -1 if it gets a body, and so is another one."""
    children = syntax.children(call)
    if any(int(syntax.kind[child]) in symbols("class_body") for child in children):
        return -1
    node = _child(syntax, call, "type")
    while node >= 0 and int(syntax.kind[node]) not in symbols("type_identifier"):
        inner = syntax.children(node)
        wanted = [
            child
            for child in inner
            if int(syntax.kind[child])
            in symbols("type_identifier", "scoped_type_identifier", "generic_type")
        ]
        node = wanted[-1] if wanted else -1
    return node


def _takes(syntax: Syntax, method: int, given: int) -> bool:
    formals, variable = _parameters(syntax, method)
    return given == len(formals) or (variable and given >= len(formals) - 1)


def _arguments(syntax: Syntax, call: int) -> list[int]:
    group = _child(syntax, call, "arguments")
    if group < 0:
        return []
    skipped = symbols("line_comment", "block_comment")
    return [
        child
        for child in syntax.children(group)
        if syntax.text(child) not in ("(", ",", ")") and int(syntax.kind[child]) not in skipped
    ]


def _parameters(syntax: Syntax, method: int) -> tuple[list[int], bool]:
    """The names of the parameters, and whether the last takes any number of arguments."""
    group = _child(syntax, method, "parameters")
    names: list[int] = []
    variable = False
    for child in syntax.children(group) if group >= 0 else []:
        kind = int(syntax.kind[child])
        if kind in symbols("formal_parameter"):
            names.append(_named(syntax, child))
        elif kind in symbols("spread_parameter"):
            variable = True
            names += [
                _named(syntax, part)
                for part in syntax.children(child)
                if int(syntax.kind[part]) in symbols("variable_declarator")
            ]
    return [name for name in names if name >= 0], variable and bool(names)
