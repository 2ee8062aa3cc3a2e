"""FormalArgName: which argument is which parameter, of calls to what the same method declares.

Only such calls count, because a graph holds one method: recursion, and calls to members of local
and anonymous classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.bindings import ROLE
from acumen.lang.java.declarations import NONE
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
    """Whether one root holds both of two nodes."""
    place = np.searchsorted(roots, one, side="right") - 1
    low, high = roots[place], syntax.stop[roots[place]]
    return np.asarray((place >= 0) & (one < high) & (low <= other) & (other < high))


def _in_constructor(
    roots: Column, makers: list[Edge], call: Column, owner: Column
) -> NDArray[np.bool_]:
    """Whether a class is created inside one of its own constructors."""
    node, class_ = np.array(makers, dtype=np.int32).T
    place = np.minimum(np.searchsorted(node, call, side="right") - 1, len(node) - 1)
    return np.asarray((place >= 0) & (class_[place] == owner) & _among(roots, node[place]))


def _among(roots: Column, nodes: Column) -> NDArray[np.bool_]:
    return np.asarray(roots[np.searchsorted(roots, nodes, side="right") - 1] == nodes)


def _own_constructors(
    syntax: Syntax, roots: Column, explicit: NDArray[np.bool_], makers: list[Edge]
) -> Iterator[Edge]:
    """this(…) in a constructor of a local class; what super(…) means is not looked for."""
    calls = np.flatnonzero(explicit[syntax.kind]).astype(np.int32)
    within = syntax.parent[syntax.parent[calls]]
    # In a constructor that is a root itself, the other ones are elsewhere.
    local = _together(syntax, roots, calls, calls) & ~_among(roots, within)
    owners = dict(makers)
    for call, inside in zip(calls[local].tolist(), within[local].tolist(), strict=True):
        first = child(syntax, call, "constructor")
        if first >= 0 and inside in owners and syntax.text(first) == "this":
            yield from _fitting(syntax, call, owners[inside], makers)


def _fitting(syntax: Syntax, call: int, class_: int, makers: list[Edge]) -> list[Edge]:
    """The call and what it means, if only one constructor takes that many arguments, and the
    class gets no body there, which would make it another one."""
    if any(int(syntax.kind[part]) in symbols("class_body") for part in syntax.children(call)):
        return []
    given = len(_arguments(syntax, call))
    fitting = [one for one, owner in makers if owner == class_ and _takes(syntax, one, given)]
    return [(call, fitting[0])] if len(fitting) == 1 else []


@lru_cache(maxsize=1)
def _kinds() -> tuple[NDArray[np.bool_], ...]:
    """Of the grammar's symbols: calls, creations, generic types, calls of constructors."""
    masks = np.zeros((4, 1 << 16), dtype=np.bool_)
    for mask, name in zip(
        masks,
        (
            "method_invocation", "object_creation_expression", "generic_type",
            "explicit_constructor_invocation",
        ),
        strict=True,
    ):  # fmt: skip
        mask[list(symbols(name))] = True
    return tuple(masks)


def child(syntax: Syntax, node: int, name: str) -> int:
    """The first child in a field; -1 if there is none."""
    return next((part for part in syntax.children(node) if syntax.field[part] == field(name)), -1)


def _takes(syntax: Syntax, method: int, given: int) -> bool:
    formals, variable = _parameters(syntax, method)
    return given == len(formals) or (variable and given >= len(formals) - 1)


def _arguments(syntax: Syntax, call: int) -> list[int]:
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
    """The names of the parameters, and whether the last takes any number of arguments."""
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
