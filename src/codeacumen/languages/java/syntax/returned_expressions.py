"""The expressions that a method returns, from its own text: null, results of calls, variables.

Also access to a node's children by field. The analyses of names and of null values use both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask, symbol_name
from codeacumen.languages.syntax import Syntax

# Children of a return statement or of parentheses besides the expression; then the field of the
# operand of expressions that have their operand's value.
_AROUND = frozenset(("return", ";", "(", ")", "line_comment", "block_comment"))
_WRAPPED = {"cast_expression": "value", "assignment_expression": "right"}


def children_in_fields(syntax: Syntax, node: int, *names: str) -> list[int]:
    """Return the children in the named fields; a node with a syntax error may lack them."""
    fields = {field_number(name) for name in names}
    return [child for child in syntax.children(node) if syntax.field[child] in fields]


def field_text(syntax: Syntax, node: int, name: str) -> str:
    """Return the text of a node's first child in a field; empty if there is none."""
    return "".join(syntax.text(child) for child in children_in_fields(syntax, node, name)[:1])


def list_result_expressions(syntax: Syntax, expression: int) -> list[int]:
    """Return the nodes whose value may be that of an expression or a return statement, in source
    order: both sides of each ``?:``, without the parentheses, casts and assignments around them."""
    expressions: list[int] = []
    pending = [expression]
    while pending:
        node = pending.pop()
        kind = symbol_name(int(syntax.kind[node]))
        if kind in ("return_statement", "parenthesized_expression"):
            inner = syntax.children(node)
            pending += [
                child for child in inner if symbol_name(int(syntax.kind[child])) not in _AROUND
            ][:1]
        elif kind == "ternary_expression":
            pending += reversed(children_in_fields(syntax, node, "consequence", "alternative"))
        elif kind in _WRAPPED and field_text(syntax, node, "operator") in ("", "="):
            pending += children_in_fields(syntax, node, _WRAPPED[kind])
        else:
            expressions.append(node)
    return expressions


# Simple names of annotations that say that a method may return null.
PROMISES = frozenset(("Nullable", "CheckForNull"))


class Returned(NamedTuple):
    """Kinds of values that a method may return: ``null`` (literally, or by its annotations), the
    results of ``calls`` (names of the called methods, each once), the value of a ``variable`` (a
    local variable, parameter or field)."""

    null: bool
    calls: tuple[str, ...]
    variable: bool


def describe_returned(syntax: Syntax, method: int) -> Returned:
    """Return the kinds of values that the method at a node returns. Returns of its lambdas and
    inner classes do not count; the arms of a returned ``switch`` are not examined.

    >>> from codeacumen.languages.java import parse_java
    >>> syntax = parse_java(b"class A { @Nullable B f() { return a ? map.get(k) : this.b; } }")
    >>> method = int(np.flatnonzero(symbol_mask("method_declaration")[syntax.kind])[0])
    >>> describe_returned(syntax, method)
    Returned(null=True, calls=('get',), variable=True)
    """
    null, variable, calls = _promises_null(syntax, method), False, dict[str, None]()
    stop = int(syntax.stop[method])
    statements = method + np.flatnonzero(symbol_mask("return_statement")[syntax.kind[method:stop]])
    for statement in statements.tolist():
        if _find_owner(syntax, statement) != method:
            continue
        for node in list_result_expressions(syntax, statement):
            kind = symbol_name(int(syntax.kind[node]))
            if kind == "null_literal":
                null = True
            elif kind == "identifier" or (kind == "field_access" and _is_field(syntax, node)):
                variable = True
            elif kind == "method_invocation":
                calls[field_text(syntax, node, "name")] = None
    return Returned(null, tuple(calls), variable)


def _promises_null(syntax: Syntax, method: int) -> bool:
    """Return whether the method has an annotation that says it may return null."""
    modifiers = [
        child for child in syntax.children(method) if symbol_mask("modifiers")[syntax.kind[child]]
    ]
    return any(
        field_text(syntax, annotation, "name").rpartition(".")[2] in PROMISES
        for group in modifiers
        for annotation in syntax.children(group)
        if symbol_mask("marker_annotation", "annotation")[syntax.kind[annotation]]
    )


def _find_owner(syntax: Syntax, node: int) -> int:
    """Return the node of the method, lambda or initialiser around a return statement; -1 if
    none."""
    owners = symbol_mask(
        "method_declaration",
        "lambda_expression",
        "constructor_declaration",
        "compact_constructor_declaration",
        "static_initializer",
    )
    while node >= 0 and not owners[syntax.kind[node]]:
        node = int(syntax.parent[node])
    return node


def _is_field(syntax: Syntax, node: int) -> bool:
    """Return whether a field access is ``a.b`` and not ``A.this``."""
    return field_text(syntax, node, "field") != "this"
