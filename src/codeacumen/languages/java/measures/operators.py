"""The operators of methods, in twelve classes, with their positions.

The classes are five arithmetic operators, six comparisons and the assignment. The ``=`` of an
assignment expression counts; the one before a declaration's initial value does not, because no
other operator can stand there. Called by ``corpus.facts`` and ``corpus.measure``.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask
from codeacumen.languages.syntax import ERROR, SYMBOLS, Column

OPERATORS = ("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "=")
_ASSIGNMENT = OPERATORS.index("=")
# Owner of a node outside all method bodies, such as a field's initial value.
NO_METHOD = -1


class Operators(NamedTuple):
    """Columns with one value per operator, in source order.

    ``method`` is the innermost method or constructor around the operator, as an index into
    ``declarations.methods``; ``which`` is an index into OPERATORS; ``node`` is the operator's node.
    """

    method: Column
    which: NDArray[np.int8]
    node: Column


def find_operators(file: JavaFile) -> Operators:
    """Return the operators of all method bodies of a file."""
    syntax = file.syntax
    which = _operator_classes()[syntax.kind]
    nodes = np.flatnonzero((which >= 0) & (syntax.field == field_number("operator")))
    above = syntax.kind[syntax.parent[nodes]]
    assigns = which[nodes] == _ASSIGNMENT
    nodes = nodes[
        np.where(
            assigns,
            symbol_mask("assignment_expression")[above],
            symbol_mask("binary_expression")[above],
        )
    ]
    owner = file.compute_once(find_owners)[nodes]
    has_owner = owner != NO_METHOD
    return Operators(owner[has_owner], which[nodes][has_owner], nodes[has_owner].astype(np.int32))


def find_owners(file: JavaFile) -> Column:
    """Return for each node the index of the innermost method whose body holds it.

    NO_METHOD if no body does.
    """
    syntax, methods = file.syntax, file.declarations.methods
    owner = np.full(len(syntax), NO_METHOD, dtype=np.int32)
    # In source order, an inner method comes after the one around it and overwrites its index.
    for place in sorted(file.bodies, key=lambda place: methods[place].node):
        body = methods[place].body
        owner[body : syntax.stop[body]] = place
    return owner


def find_readable_methods(file: JavaFile) -> NDArray[np.bool_]:
    """Return a mask over ``declarations.methods`` of the methods without a syntax error."""
    syntax = file.syntax
    # A missing token that the parser inserted has no width.
    is_error = (syntax.kind == ERROR) | (syntax.is_leaf & (syntax.start == syntax.end))
    errors_before = np.concatenate([[0], np.cumsum(is_error)])
    nodes = np.array([method.node for method in file.declarations.methods], dtype=np.int64)
    if not len(nodes):
        return np.zeros(0, dtype=np.bool_)
    is_readable: NDArray[np.bool_] = errors_before[syntax.stop[nodes]] == errors_before[nodes]
    return is_readable


@cache
def _operator_classes() -> NDArray[np.int8]:
    """Return the index in OPERATORS of each symbol of the grammar, -1 for all others."""
    grammar = load_grammar()
    classes = np.full(SYMBOLS, -1, dtype=np.int8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol)
        if name in OPERATORS and not grammar.node_kind_is_named(symbol):
            classes[symbol] = OPERATORS.index(name)
    return classes
