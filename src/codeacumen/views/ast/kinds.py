"""Compiled pass that assigns the code of each node's tree where it depends on context or text.

It visits the nodes of a file once, parents before children; a node may also change the code of
its parent. The columns ``codes.CODE`` and ``codes.LABEL`` get the results; ``codes.SYMBOL``, the
code that the node's symbol alone implies, stays. A **blank** is the name ``_``.
``below`` and ``operators`` are those of ``tables.Tables``.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.views.ast import codes as c
from codeacumen.views.ast import labels

Nodes: TypeAlias = NDArray[np.int32]
Bytes: TypeAlias = NDArray[np.uint8]


@kernel
def _find_child(nodes: Nodes, node: int, code: int, field: int) -> int:
    """Return the first child whose symbol has this code, or that is in this field; -1 if none is.

    A code of -1 matches no symbol, a field of 0 no child."""
    at, end = node + 1, nodes[node, c.STOP]
    while at < end:
        if nodes[at, c.SYMBOL] == code or (field > 0 and nodes[at, c.FIELD] == field):
            return at
        at = nodes[at, c.STOP]
    return -1


@kernel
def _first_tree(nodes: Nodes, node: int) -> int:
    """Return the first child that is an operand, statement or type, or -1 if there is none."""
    at, end = node + 1, nodes[node, c.STOP]
    while at < end:
        if c.TREES <= nodes[at, c.SYMBOL] < c.ASIDE:
            return at
        at = nodes[at, c.STOP]
    return -1


@kernel
def _has_text(nodes: Nodes, source: Bytes, node: int, word: bytes) -> bool:
    """Return whether the text of a node equals ``word``."""
    start = nodes[node, c.START]
    is_same = nodes[node, c.END] - start == len(word)
    for i in range(len(word)):
        is_same = is_same and source[start + i] == word[i]
    return bool(is_same)


@kernel
def _is_statement_switch(nodes: Nodes, below: Bytes, node: int) -> bool:
    """Return True if a switch stands where a statement may stand; it is no expression there."""
    up = nodes[node, c.UP]
    child_kind = below[nodes[up, c.SYMBOL]]
    if nodes[up, c.SYMBOL] == c.EXPRESSION_STATEMENT:
        is_statement = nodes[nodes[up, c.UP], c.SYMBOL] != c.RULE
    elif child_kind == c.IN_FIELD:
        is_statement = nodes[node, c.FIELD] in (c.F_BODY, c.F_CONSEQUENCE, c.F_ALTERNATIVE)
    else:
        is_statement = child_kind == c.IN_LIST or child_kind == c.ALONE
    return bool(is_statement)


@kernel
def _set_number_label(nodes: Nodes, source: Bytes, node: int, literal: int) -> None:
    """Set label and code of a number, with a VALUE if the value is spelled like the token.

    javac's token lacks the radix and the suffix of a whole number. ``is_canonical_double`` of the
    package handles fractions later. ``node`` is ``literal``, or the minus before it."""
    kind = nodes[literal, c.SYMBOL]
    width = nodes[literal, c.END] - nodes[literal, c.START]
    # ``| 0x20`` folds the case of the suffix.
    last = source[nodes[literal, c.END] - 1] | 0x20 if width > 0 else 0
    if kind == c.FLOATING or kind == c.HEX_FLOATING:
        nodes[node, c.CODE] = c.PLAIN
        label = labels.FLOAT_LITERAL if last == ord("f") else labels.DOUBLE_LITERAL
    else:
        # ``0x7`` or ``0b1``: without the radix, the token is the value's only decimal digit.
        is_single_digit = width - (last == ord("l")) == 3 and source[
            nodes[literal, c.START] + 2
        ] <= ord("9")
        has_value = kind == c.DECIMAL or (is_single_digit and kind != c.OCTAL)
        nodes[node, c.CODE] = c.VALUED if has_value else c.PLAIN
        label = labels.LONG_LITERAL if last == ord("l") else labels.INT_LITERAL
    nodes[node, c.LABEL] = label


@kernel
def _is_binding_type(nodes: Nodes, node: int) -> bool:
    """Return True for the type of a pattern's variable; its annotations belong to the variable."""
    return nodes[node, c.SYMBOL] == c.ANNOTATED_TYPE and nodes[nodes[node, c.UP], c.CODE] in (
        c.MARKED_BINDING,
        c.FINAL_MARKED_BINDING,
    )


@kernel
def _move_annotations(nodes: Nodes, node: int) -> None:
    """Move annotations before a type to its innermost part: ``java`` in ``@A java.util.List[]``."""
    if _find_child(nodes, node, c.ANNOTATION, 0) < 0 or _is_binding_type(nodes, node):
        return
    of_type = nodes[node, c.SYMBOL] == c.ANNOTATED_TYPE
    inner = _first_tree(nodes, node) if of_type else _find_child(nodes, node, -1, c.F_TYPE)
    while inner >= 0 and nodes[inner, c.SYMBOL] in (c.SCOPED_TYPE, c.GENERIC_TYPE, c.ARRAY_TYPE):
        inner = _first_tree(nodes, inner)
    if inner >= 0 and nodes[inner, c.SYMBOL] in (c.IDENTIFIER, c.PRIMITIVE):
        primitive = nodes[inner, c.SYMBOL] == c.PRIMITIVE
        nodes[inner, c.CODE] = c.MARKED_PRIMITIVE if primitive else c.MARKED_IDENTIFIER
        nodes[inner, c.ANNOTATED] = node


@kernel
def _assign_name_code(nodes: Nodes, source: Bytes, node: int) -> None:
    """Assign the code of a name: keywords by context, lambda parameters, blanks and ``var``."""
    up = nodes[node, c.UP]
    above = nodes[up, c.SYMBOL]
    blank = nodes[node, c.SYMBOL] == c.UNDERSCORE or _has_text(nodes, source, node, b"_")
    if above == c.INFERRED or (above == c.LAMBDA and nodes[node, c.FIELD] == c.F_PARAMETERS):
        nodes[node, c.CODE] = c.UNNAMED if blank else c.LAMBDA_NAME
    elif above == c.CASE_LABEL:
        if _has_text(nodes, source, node, b"default"):
            nodes[node, c.CODE] = c.DEFAULT_LABEL
    elif blank and (nodes[node, c.FIELD] == c.F_NAME or above == c.TYPE_PATTERN):
        nodes[node, c.CODE] = c.HIDDEN
    elif above == c.PARAMETER and nodes[node, c.FIELD] == c.F_NAME:
        # The grammar parses an annotated receiver as a parameter.
        if _has_text(nodes, source, node, b"this"):
            nodes[up, c.CODE] = c.RECEIVING_PARAMETER
    elif _has_text(nodes, source, node, b"var"):
        local = above in (c.DECLARATION, c.FOREACH, c.RESOURCE) or (
            above == c.PARAMETER and nodes[nodes[nodes[up, c.UP], c.UP], c.SYMBOL] == c.LAMBDA
        )
        first = above == c.TYPE_PATTERN and _first_tree(nodes, up) == node
        if first or (local and nodes[node, c.FIELD] == c.F_TYPE):
            nodes[node, c.CODE] = c.HIDDEN
            # javac places the modifiers of a resource at its type, so ``var`` becomes their token.
            if above == c.RESOURCE and _find_child(nodes, up, c.BARE_MODIFIERS, 0) < 0:
                nodes[up, c.CODE] = c.VAR_RESOURCE


@kernel
def _assign_token_code(nodes: Nodes, operators: Bytes, node: int) -> None:
    """Assign the parent's label or code by one of its tokens; a masked operator is a MASK."""
    up, kind = nodes[node, c.UP], nodes[node, c.SYMBOL]
    above = nodes[up, c.SYMBOL]
    if kind == c.FLAG:
        if above == c.BARE_MODIFIERS:
            nodes[up, c.CODE] = c.MODIFIERS
    elif kind == c.EXTENDS:
        if above == c.WILDCARD:
            nodes[up, c.LABEL] = labels.EXTENDS_WILDCARD
    elif above == c.CATCH_TYPE:
        nodes[up, c.CODE] = c.UNION
    elif above == c.CAST:
        nodes[up, c.CODE] = c.INTERSECTION
    elif above == c.OPERATION:
        nodes[up, c.LABEL] = operators[c.BETWEEN, kind]
    elif above == c.ASSIGNMENT:
        nodes[up, c.LABEL] = operators[c.ASSIGNING, kind]
    elif above == c.STEP:
        nodes[up, c.LABEL] = operators[c.BEFORE if node == up + 1 else c.AFTER, kind]
    elif above == c.UNARY and nodes[up, c.CODE] != c.PLAIN:
        nodes[up, c.LABEL] = operators[c.BEFORE, kind]


@kernel
def _assign_annotation_label(nodes: Nodes, below: Bytes, node: int) -> None:
    """Assign the label of an annotation, and the code of its parent."""
    up = nodes[node, c.UP]
    above = nodes[up, c.SYMBOL]
    of_type = below[above] == c.OF_TYPE and not _is_binding_type(nodes, up)
    nodes[node, c.LABEL] = labels.TYPE_ANNOTATION if of_type else labels.ANNOTATION
    if above == c.SCOPED_TYPE:
        nodes[up, c.CODE] = c.MARKED_SCOPED_TYPE
    elif above == c.WILDCARD:
        nodes[up, c.CODE] = c.MARKED_WILDCARD
    elif above == c.METHOD and nodes[node, c.FIELD] == 0:
        nodes[up, c.CODE] = c.MARKED_METHOD
    elif above == c.LENGTH:
        nodes[up, c.CODE] = c.MARKED_LENGTH
        nodes[node, c.CODE] = c.LENGTH_ANNOTATION


@kernel
def _assign_case_label_code(nodes: Nodes, node: int) -> None:
    """Assign the code of a case label in a group; only the last of several has the statements."""
    if nodes[nodes[node, c.UP], c.SYMBOL] != c.GROUP:
        return
    at, end = nodes[node, c.STOP], nodes[nodes[node, c.UP], c.STOP]
    while at < end and nodes[at, c.SYMBOL] in (c.COLON, c.COMMENT):
        at = nodes[at, c.STOP]
    more = at < end and nodes[at, c.SYMBOL] == c.CASE_LABEL
    nodes[node, c.CODE] = c.GROUP_LABEL if more else c.LAST_LABEL


@kernel
def _assign_statement_code(nodes: Nodes, below: Bytes, node: int) -> None:
    """Assign the code of an expression statement.

    After the arrow of a switch expression it is no statement, and a switch followed by a semicolon
    is two statements."""
    up = nodes[node, c.UP]
    inner = _first_tree(nodes, node)
    if nodes[up, c.SYMBOL] == c.RULE:
        if not _is_statement_switch(nodes, below, nodes[nodes[up, c.UP], c.UP]):
            nodes[node, c.CODE] = c.INNER
    elif inner >= 0 and nodes[inner, c.SYMBOL] == c.SWITCH:
        both = below[nodes[up, c.SYMBOL]] == c.IN_LIST
        nodes[node, c.CODE] = c.SWITCH_STATEMENT if both else c.INNER


@kernel
def _assign_pattern_code(nodes: Nodes, node: int) -> None:
    """Assign the code of a pattern, or of an ``instanceof`` with a pattern."""
    if nodes[node, c.SYMBOL] == c.TYPE_PATTERN:
        first = _first_tree(nodes, node)
        if first >= 0 and nodes[first, c.SYMBOL] == c.UNDERSCORE:
            nodes[node, c.CODE] = c.ANY_PATTERN
    elif _find_child(nodes, node, -1, c.F_NAME) >= 0:
        final = _find_child(nodes, node, c.FLAG, 0) >= 0
        if _find_child(nodes, node, c.ANNOTATED_TYPE, 0) >= 0:
            nodes[node, c.CODE] = c.FINAL_MARKED_BINDING if final else c.MARKED_BINDING
        else:
            nodes[node, c.CODE] = c.FINAL_BINDING if final else c.BINDING


@kernel
def _assign_constant_code(nodes: Nodes, node: int) -> None:
    """Assign the code of an enum constant: with a body, with a creation, or plain.

    The creation is drawn if the constant has arguments or a body; a body needs members."""
    arguments = _find_child(nodes, node, c.ARGUMENT_LIST, 0)
    body = _find_child(nodes, node, c.CLASS_BODY, 0)
    if body >= 0 and _first_tree(nodes, body) >= 0:
        nodes[node, c.CODE] = c.CONSTANT_WITH_BODY
    elif body >= 0 or (arguments >= 0 and _first_tree(nodes, arguments) >= 0):
        nodes[node, c.CODE] = c.CREATED_CONSTANT


@kernel
def _assign_step_code(nodes: Nodes, source: Bytes, node: int) -> None:
    """Swap the operators of ``-i++``, which the grammar parses as ``(-i)++`` (JLS 15.15)."""
    operand = _first_tree(nodes, node)
    if operand != node + 1 or nodes[operand, c.SYMBOL] != c.UNARY:
        return
    nodes[node, c.CODE] = c.INNER
    inner = operand
    while inner >= 0 and nodes[inner, c.SYMBOL] == c.UNARY:
        operand = inner
        inner = _find_child(nodes, operand, -1, c.F_OPERAND)
    plus = source[nodes[node, c.END] - 1] == ord("+")
    nodes[operand, c.CODE] = c.INCREMENTED_UNARY if plus else c.DECREMENTED_UNARY


@kernel
def _assign_other_code(nodes: Nodes, source: Bytes, below: Bytes, node: int) -> None:
    """Assign the codes of the remaining kinds of nodes."""
    kind = nodes[node, c.SYMBOL]
    if kind == c.CREATION:
        _move_annotations(nodes, node)
        if _find_child(nodes, node, c.CLASS_BODY, 0) >= 0:
            nodes[node, c.CODE] = c.ANONYMOUS
    elif kind == c.ARRAY_CREATION:
        _move_annotations(nodes, node)
        if _find_child(nodes, node, -1, c.F_VALUE) >= 0:
            nodes[node, c.CODE] = c.VALUES_CREATION
    elif kind == c.ANNOTATED_TYPE:
        _move_annotations(nodes, node)
    elif kind == c.UNARY:
        # javac's parser treats the minus before decimal digits (0 is octal) as part of the number.
        operand = _find_child(nodes, node, c.DECIMAL, 0)
        minus = source[nodes[node, c.START]] == ord("-")
        if minus and operand >= 0 and source[nodes[operand, c.START]] != ord("0"):
            _set_number_label(nodes, source, node, operand)
            nodes[node, c.CODE] = c.PLAIN
    elif kind == c.STEP:
        _assign_step_code(nodes, source, node)
    elif kind == c.SWITCH:
        statement = _is_statement_switch(nodes, below, node)
        nodes[node, c.LABEL] = labels.SWITCH if statement else labels.SWITCH_EXPRESSION
    elif kind == c.ANNOTATION_TYPE:
        # javac counts the @ of @interface among the tokens of the modifiers.
        if _find_child(nodes, node, c.BARE_MODIFIERS, 0) < 0:
            nodes[node, c.CODE] = c.UNMODIFIED_ANNOTATION_TYPE
    elif kind == c.RECEIVER:
        dotted = _find_child(nodes, node, c.DOT, 0) >= 0
        nodes[node, c.CODE] = c.QUALIFIED_RECEIVER if dotted else c.RECEIVER
    elif kind == c.RESOURCE:
        if _find_child(nodes, node, -1, c.F_NAME) < 0:
            nodes[node, c.CODE] = c.INNER
    elif kind == c.ENUM_CONSTANT:
        _assign_constant_code(nodes, node)
    elif kind == c.INSTANCE_OF or kind == c.TYPE_PATTERN:
        _assign_pattern_code(nodes, node)
    elif kind == c.EXPRESSION_STATEMENT:
        _assign_statement_code(nodes, below, node)


@kernel
def assign_codes(nodes: Nodes, source: Bytes, operators: Bytes, below: Bytes, version: int) -> bool:
    """Assign codes and labels to all nodes; return False if compiled with other codes."""
    if version != c.VERSION:
        return False
    for node in range(1, len(nodes)):
        kind = nodes[node, c.SYMBOL]
        if kind == c.NOTHING or kind == c.COMMENT:
            continue
        if kind == c.IDENTIFIER or kind == c.UNDERSCORE:
            _assign_name_code(nodes, source, node)
        elif kind == c.FLAG or kind == c.EXTENDS or c.OPERATORS <= kind < c.TREES:
            _assign_token_code(nodes, operators, node)
        elif c.DECIMAL <= kind <= c.HEX_FLOATING:
            _set_number_label(nodes, source, node, node)
        elif c.CHARACTER <= kind <= c.NULL:
            nodes[node, c.CODE] = c.PLAIN if kind == c.STRING else c.VALUED
        elif kind == c.ANNOTATION:
            _assign_annotation_label(nodes, below, node)
        elif kind == c.CASE_LABEL:
            _assign_case_label_code(nodes, node)
        elif kind == c.SUPER:
            if nodes[nodes[node, c.UP], c.SYMBOL] == c.WILDCARD:
                nodes[nodes[node, c.UP], c.LABEL] = labels.SUPER_WILDCARD
        elif kind == c.DIMS:
            # Brackets after the parameters make the return type span the method's name, which
            # becomes a token of that type and has no leaf.
            name = _find_child(nodes, nodes[node, c.UP], -1, c.F_NAME)
            if nodes[nodes[node, c.UP], c.SYMBOL] == c.METHOD and name >= 0:
                nodes[name, c.CODE] = c.HIDDEN
        else:
            _assign_other_code(nodes, source, below, node)
    return True
