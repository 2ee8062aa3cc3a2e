"""Compiled pass that finds JavaParser's kind of a node where the node's symbol does not decide it.

``build`` runs it once over a file before ``tree`` builds the trees. It covers operators, literals
by their last letter, calls and fields through ``super`` and ``this``, and two peculiarities of
that parser's grammar. It parses the parameters of a lambda as an expression until it reaches the
arrow: after a cast or a colon they stay as a child. And it parses a method reference to an
expression last, so the reference absorbs the cast or the condition around it.

In all kernels, ``code`` is the syntax of a file, ``looks`` holds the properties of symbols, and
``at`` is a syntax node. A **special** is the name of a decision in ``rules.Rule``; a **mark** is
the name of a group of symbols that this pass distinguishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column

# The codes are local to this file, because compiled code is cached under its time stamp; ``tables``
# maps them to the installed grammar.
# Specials of ``rules`` that this pass handles; the codes below are indices into this list.
SPECIALS = (
    "",
    "literal",
    "string",
    "binary",
    "assign",
    "unary",
    "update",
    "annotation",
    "instanceof",
    "call",
    "field",
    "resource",
    "catch",
    "reference",
    "cast",
    "conditional",
    "lambda",
)
(
    _,
    LITERAL,
    STRING,
    BINARY,
    ASSIGN,
    UNARY,
    UPDATE,
    ANNOTATION,
    INSTANCE,
    CALL,
    FIELD,
    RESOURCE,
    CATCH,
    REFERENCE,
    CAST,
    CONDITIONAL,
    LAMBDA,
) = range(len(SPECIALS))
MARKS = (
    "",
    "identifier",
    "this",
    "super",
    "field_access",
    "inferred_parameters",
    "formal_parameters",
    "element_value_pair",
    "decimal_integer_literal",
    "method_reference",
    "comment",
    "type",
)
(
    _,
    IDENTIFIER,
    THIS,
    SUPER,
    ACCESS,
    INFERRED,
    FORMAL,
    PAIR,
    DECIMAL,
    REFERRING,
    COMMENT,
    TYPE,
) = range(len(MARKS))
FIELDS = ("operator", "name", "type", "value", "alternative", "parameters", "arguments", "field")
OPERATOR, NAMED, TYPED, VALUE, ELSE, PARAMETERS, ARGUMENTS, ACCESSED = range(len(FIELDS))
RULES = ("InstanceOfVariable", "SuperCall", "SuperField", "ThisScope")
INSTANCE_VARIABLE, SUPER_CALL, SUPER_FIELD, THIS_SCOPE = range(len(RULES))
KINDS = (
    "LongLiteralExpr",
    "TextBlockLiteralExpr",
    "NormalAnnotationExpr",
    "IntegerLiteralMinValueExpr",
    "LongLiteralMinValueExpr",
)
LONG, TEXT_BLOCK, NORMAL, LEAST_INT, LEAST_LONG = range(len(KINDS))
# Rows of ``SymbolTables.operator`` for ``++`` and ``--`` before and after their operand; the rows 0
# to 2 are those of binary operators, assignments and unary operators.
BEFORE, AFTER = 3, 4

# The related node of a cast or condition that no method reference absorbs.
NOWHERE = -2


class SyntaxArrays(NamedTuple):
    """Syntax of a file as arrays by node.

    ``symbol`` numbers the grammar's symbols, then a hidden operator, then an error; ``up`` is the
    parent, ``stop`` the node after the last descendant; ``start`` and ``end`` are in bytes.
    """

    symbol: NDArray[np.uint16]
    field: NDArray[np.uint16]
    start: Column
    end: Column
    up: Column
    stop: Column
    source: NDArray[np.uint8]


class SymbolTables(NamedTuple):
    """Properties of the grammar's symbols, and numbers of fields, rules and kinds.

    ``mark``, ``special`` (indices into ``MARKS`` and ``SPECIALS``) and ``has_node`` are by symbol.
    ``operator`` is the kind of an operation by its operator's symbol, -1 for other symbols; its
    rows are binary, assignment, unary, prefix and postfix. ``field``, ``rule`` and ``kind`` hold
    the numbers of ``FIELDS``, ``RULES`` and ``KINDS``."""

    mark: NDArray[np.uint8]
    special: NDArray[np.uint8]
    has_node: NDArray[np.bool_]
    operator: NDArray[np.int16]
    field: NDArray[np.int32]
    rule: NDArray[np.int32]
    kind: NDArray[np.int32]


@kernel
def _find_child(code: SyntaxArrays, node: int, number: int) -> int:
    """Return the first child in a field, or -1 if there is none."""
    at = node + 1
    while at < code.stop[node]:
        if code.field[at] == number:
            return at
        at = code.stop[at]
    return -1


@kernel
def _first_child(code: SyntaxArrays, looks: SymbolTables, node: int) -> int:
    """Return the first child that is no comment, or -1 if there is none."""
    at = node + 1
    while at < code.stop[node]:
        if looks.mark[code.symbol[at]] != COMMENT:
            return at
        at = code.stop[at]
    return -1


@kernel
def _has_bare_super(code: SyntaxArrays, looks: SymbolTables, node: int) -> bool:
    """Return True if a child is ``super`` but not the object, as in ``Outer.super.f()``."""
    at = node + 1
    while at < code.stop[node]:
        if looks.mark[code.symbol[at]] == SUPER and code.field[at] == 0:
            return True
        at = code.stop[at]
    return False


@kernel
def _count_tree_children(code: SyntaxArrays, looks: SymbolTables, node: int) -> tuple[int, int]:
    """Return the number of children with a tree node of their own, and the first of them or -1."""
    child_count, first = 0, -1
    at = node + 1
    while at < code.stop[node]:
        if looks.has_node[code.symbol[at]]:
            child_count += 1
            if first < 0:
                first = at
        at = code.stop[at]
    return child_count, first


@kernel
def _min_value_kind(code: SyntaxArrays, looks: SymbolTables, node: int) -> int:
    """Return the kind of the smallest int or long, whose minus is part of the literal, or -1."""
    # 2147483648 has 10 characters, 9223372036854775808L has 20.
    size = code.end[node] - code.start[node]
    if looks.mark[code.symbol[node]] != DECIMAL or (size != 10 and size != 20):
        return -1
    digits = b"2147483648" if size == 10 else b"9223372036854775808"
    for i in range(len(digits)):
        if code.source[code.start[node] + i] != digits[i]:
            return -1
    if size == 10:
        return int(looks.kind[LEAST_INT])
    # 108 is l; ``| 32`` folds the case.
    return looks.kind[LEAST_LONG] if code.source[code.end[node] - 1] | 32 == 108 else -1


@kernel
def _may_be_type(code: SyntaxArrays, looks: SymbolTables, node: int) -> bool:
    """Return True for names joined by dots and for types."""
    while looks.mark[code.symbol[node]] == ACCESS:
        last = looks.mark[code.symbol[code.stop[node] - 1]]
        if last != IDENTIFIER or _has_bare_super(code, looks, node):
            return False
        node += 1
    mark = looks.mark[code.symbol[node]]
    return mark in (IDENTIFIER, TYPE)


@kernel
def _decide_kind(code: SyntaxArrays, looks: SymbolTables, node: int, special: int) -> int:
    """Return the kind that a last letter, a sign or an argument decides, or -1 for the rule's."""
    if special == LITERAL:
        ends_in_l = code.end[node] > 0 and code.source[code.end[node] - 1] | 32 == 108
        return looks.kind[LONG] if ends_in_l else -1
    if special == STRING:
        start = code.start[node]
        if code.end[node] - start < 6:
            return -1
        # 34 is the quotation mark.
        block = code.source[start + 1] == 34 and code.source[start + 2] == 34
        return looks.kind[TEXT_BLOCK] if block else -1
    if special == UPDATE:
        first = _first_child(code, looks, node)
        if first >= 0 and looks.operator[BEFORE, code.symbol[first]] >= 0:
            return int(looks.operator[BEFORE, code.symbol[first]])
        return int(looks.operator[AFTER, code.symbol[code.stop[node] - 1]])
    if special == ANNOTATION:
        # @A() and @A(x = 1) are normal annotations, @A(1) has a single member.
        group = _find_child(code, node, looks.field[ARGUMENTS])
        child_count, first = _count_tree_children(code, looks, group) if group >= 0 else (0, -1)
        single = child_count > 0 and looks.mark[code.symbol[first]] != PAIR
        return -1 if single else looks.kind[NORMAL]
    sign = _find_child(code, node, looks.field[OPERATOR])
    if sign < 0:
        return -1
    if special == UNARY and code.source[code.start[sign]] == 45:  # 45 is the minus
        operand = code.stop[sign]
        while operand < code.stop[node] and looks.mark[code.symbol[operand]] == COMMENT:
            operand = code.stop[operand]
        minimum_kind = _min_value_kind(code, looks, operand) if operand < code.stop[node] else -1
        if minimum_kind >= 0:
            return minimum_kind
    row = 0 if special == BINARY else 1 if special == ASSIGN else 2
    return int(looks.operator[row, code.symbol[sign]])


@kernel
def _lambda_parameters(code: SyntaxArrays, looks: SymbolTables, node: int) -> int:
    """Return the parameters of a lambda if they could be an expression, else -1."""
    before = _find_child(code, node, looks.field[PARAMETERS])
    if before < 0:
        return -1
    mark = looks.mark[code.symbol[before]]
    inside, _ = _count_tree_children(code, looks, before)
    if mark == IDENTIFIER or (mark == INFERRED and inside == 1) or (mark == FORMAL and inside == 0):
        return before
    return -1


@kernel
def find_details(
    code: SyntaxArrays, looks: SymbolTables, details_by_node: NDArray[np.int32]
) -> None:
    """Write three rows for the nodes of a file: rule, kind, and a related node or flag.

    Rule and kind are -1 where those of the node's symbol apply. The related node is, for a resource
    or a caught type, its replacement; for a lambda, the parameters that stay as a child; for a cast
    or a condition, the method reference that absorbs it, or NOWHERE. For a method reference, the
    flag is 1 if its scope may be a type.
    """
    size = len(code.symbol)
    details_by_node[:] = -1
    rule, kind, other = details_by_node[0], details_by_node[1], details_by_node[2]
    # Backwards, so that operands precede their casts and conditions.
    for node in range(size - 1, -1, -1):
        special = looks.special[code.symbol[node]]
        if special == 0:
            continue
        if special <= ANNOTATION:  # LITERAL to ANNOTATION decide only the kind
            kind[node] = _decide_kind(code, looks, node, special)
        elif special == INSTANCE:
            if _find_child(code, node, looks.field[NAMED]) >= 0:
                rule[node] = looks.rule[INSTANCE_VARIABLE]
        elif special == CALL:
            if _has_bare_super(code, looks, node):
                rule[node] = looks.rule[SUPER_CALL]
        elif special == FIELD:
            accessed = _find_child(code, node, looks.field[ACCESSED])
            if accessed >= 0 and looks.mark[code.symbol[accessed]] == THIS:
                rule[node] = looks.rule[THIS_SCOPE]
            elif _has_bare_super(code, looks, node):
                rule[node] = looks.rule[SUPER_FIELD]
        elif special == RESOURCE:
            # try (r): the expression replaces a declaration.
            if _find_child(code, node, looks.field[TYPED]) < 0:
                other[node] = _count_tree_children(code, looks, node)[1]
        elif special == CATCH:
            types, first = _count_tree_children(code, looks, node)
            other[node] = first if types == 1 else -1
        elif special == REFERENCE:
            scope = _first_child(code, looks, node)
            other[node] = scope >= 0 and _may_be_type(code, looks, scope)
        elif special == LAMBDA:
            other[node] = _lambda_parameters(code, looks, node)
        else:
            # A cast or a condition: it is absorbed if its last operand is a method reference to an
            # expression, or a cast or a condition that is absorbed.
            last = _find_child(code, node, looks.field[VALUE if special == CAST else ELSE])
            inner = looks.special[code.symbol[last]] if last >= 0 else 0
            other[node] = NOWHERE
            if inner in (CAST, CONDITIONAL):
                other[node] = other[last]
            elif inner == REFERENCE and other[last] == 0:
                scope = _first_child(code, looks, last)
                if scope >= 0 and looks.mark[code.symbol[scope]] != SUPER:
                    other[node] = last
