"""The operators of methods: which of twelve classes, and where.

The twelve are five of arithmetic, six comparisons and the assignment. Of an assignment only the
operator of an expression counts, not the sign before a declaration's first value: what stands
there can be nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import language
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field
from codeacumen.languages.syntax import ERROR, SYMBOLS, Column

OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=")
_ASSIGNMENT = OPERATORS.index("=")
NOBODY = -1


class Operators(NamedTuple):
    """One value an operator, in source order. ``method`` is the innermost method or constructor
    around it, a place in ``declarations.methods``; ``which`` numbers OPERATORS; ``node`` is the
    operator's own."""

    method: Column
    which: NDArray[np.int8]
    node: Column


def operators(file: JavaFile) -> Operators:
    """Of all bodies of a file."""
    syntax = file.syntax
    which = _classes()[syntax.kind]
    found = np.flatnonzero((which >= 0) & (syntax.field == field("operator")))
    above = syntax.kind[syntax.parent[found]]
    assigns = which[found] == _ASSIGNMENT
    found = found[
        np.where(assigns, among("assignment_expression")[above], among("binary_expression")[above])
    ]
    owner = file.once(owners)[found]
    kept = owner != NOBODY
    return Operators(owner[kept], which[found][kept], found[kept].astype(np.int32))


def owners(file: JavaFile) -> Column:
    """For each node the innermost method whose body it stands in, -1 where there is none."""
    syntax, declared = file.syntax, file.declarations.methods
    owner = np.full(len(syntax), NOBODY, dtype=np.int32)
    # In source order, an inner method comes after the one around it.
    for place in sorted(file.bodies, key=lambda place: declared[place].node):
        body = declared[place].body
        owner[body : syntax.stop[body]] = place
    return owner


def readable(file: JavaFile) -> NDArray[np.bool_]:
    """For each of the file's methods, whether the parser understands all of it."""
    syntax = file.syntax
    # A token that the parser had to make up has no width.
    wrong = (syntax.kind == ERROR) | (syntax.is_leaf & (syntax.start == syntax.end))
    before = np.concatenate([[0], np.cumsum(wrong)])
    nodes = np.array([method.node for method in file.declarations.methods], dtype=np.int64)
    if not len(nodes):
        return np.zeros(0, dtype=np.bool_)
    fine: NDArray[np.bool_] = before[syntax.stop[nodes]] == before[nodes]
    return fine


@cache
def _classes() -> NDArray[np.int8]:
    """For each symbol of the grammar the class of operator it is, -1 for all others."""
    grammar = language()
    found = np.full(SYMBOLS, -1, dtype=np.int8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol)
        if name in OPERATORS and not grammar.node_kind_is_named(symbol):
            found[symbol] = OPERATORS.index(name)
    return found
