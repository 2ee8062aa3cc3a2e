"""What a method gives back, as far as its own text says: null, what a call gives, a variable.

Parts of a node of the syntax by their fields, and what an expression may come to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.syntax.grammar import among, field, name_of
from codeacumen.languages.syntax import Syntax

_AROUND = frozenset(("return", ";", "(", ")", "line_comment", "block_comment"))
_WRAPPED = {"cast_expression": "value", "assignment_expression": "right"}


def parts(syntax: Syntax, node: int, *names: str) -> list[int]:
    """The children in some fields; what could not be read may lack them."""
    wanted = {field(name) for name in names}
    return [one for one in syntax.children(node) if syntax.field[one] in wanted]


def word(syntax: Syntax, node: int, name: str) -> str:
    """The text in a field; nothing where there is none."""
    return "".join(syntax.text(one) for one in parts(syntax, node, name)[:1])


def alternatives(syntax: Syntax, expression: int) -> list[int]:
    """The expressions of which one is what an expression gives, or a statement returns: both sides
    of each ``?:``, without the parentheses, casts and assignments around."""
    found: list[int] = []
    left = [expression]
    while left:
        node = left.pop()
        kind = name_of(int(syntax.kind[node]))
        if kind in ("return_statement", "parenthesized_expression"):
            inner = syntax.children(node)
            left += [one for one in inner if name_of(int(syntax.kind[one])) not in _AROUND][:1]
        elif kind == "ternary_expression":
            left += reversed(parts(syntax, node, "consequence", "alternative"))
        elif kind in _WRAPPED and word(syntax, node, "operator") in ("", "="):
            left += parts(syntax, node, _WRAPPED[kind])
        else:
            found.append(node)
    return found


PROMISES = frozenset(("Nullable", "CheckForNull"))


class Returned(NamedTuple):
    """Whether null is returned, chosen or promised; the calls whose results are handed on; whether
    a variable is."""

    null: bool
    calls: tuple[str, ...]
    variable: bool


def returned(syntax: Syntax, method: int) -> Returned:
    """Of the method at that node. What its lambdas and inner classes return is not its own; into a
    ``switch`` that is returned nobody looks.

    >>> from codeacumen.languages.java import parse_java
    >>> syntax = parse_java(b"class A { @Nullable B f() { return a ? map.get(k) : this.b; } }")
    >>> method = int(np.flatnonzero(among("method_declaration")[syntax.kind])[0])
    >>> returned(syntax, method)
    Returned(null=True, calls=('get',), variable=True)
    """
    null, variable, calls = _promised(syntax, method), False, dict[str, None]()
    stop = int(syntax.stop[method])
    statements = method + np.flatnonzero(among("return_statement")[syntax.kind[method:stop]])
    for statement in statements.tolist():
        if _owner(syntax, statement) != method:
            continue
        for node in alternatives(syntax, statement):
            kind = name_of(int(syntax.kind[node]))
            if kind == "null_literal":
                null = True
            elif kind == "identifier" or (kind == "field_access" and _is_field(syntax, node)):
                variable = True
            elif kind == "method_invocation":
                calls[word(syntax, node, "name")] = None
    return Returned(null, tuple(calls), variable)


def _promised(syntax: Syntax, method: int) -> bool:
    """Whether the method's own annotations say that it may give null."""
    modifiers = [one for one in syntax.children(method) if among("modifiers")[syntax.kind[one]]]
    return any(
        word(syntax, one, "name").rpartition(".")[2] in PROMISES
        for group in modifiers
        for one in syntax.children(group)
        if among("marker_annotation", "annotation")[syntax.kind[one]]
    )


def _owner(syntax: Syntax, node: int) -> int:
    """What a statement returns from; -1 if from nothing."""
    owners = among(
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
    """``a.b``, and not ``A.this``."""
    return word(syntax, node, "field") != "this"
