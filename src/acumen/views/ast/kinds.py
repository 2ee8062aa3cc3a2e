"""What kind of tree each node is, where that depends on what is around it, below it, or its text.

One pass over the nodes of a file, parents before children; a node may settle its parent's kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.views.ast import codes as c
from acumen.views.ast import labels


class Tree(NamedTuple):
    """The syntax, in our own codes (of symbols) and fields."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    stop: NDArray[np.int32]
    up: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    source: NDArray[np.uint8]


class Kinds(NamedTuple):
    """Of each node: its code; its label, if the code does not tell it; the node whose annotations
    belong to it (-1: none)."""

    code: NDArray[np.uint8]
    label: NDArray[np.uint8]
    annotated: NDArray[np.int32]


@kernel
def _find(tree: Tree, node: int, code: int, field: int) -> int:
    """The first child with this code or in this field; -1 if there is none."""
    at, end = node + 1, tree.stop[node]
    while at < end:
        if tree.code[at] == code or (field > 0 and tree.field[at] == field):
            return at
        at = tree.stop[at]
    return -1


@kernel
def _tree(tree: Tree, node: int, last: bool) -> int:
    """The first or the last child that is a tree, annotations aside; -1 if there is none."""
    at, end, found = node + 1, tree.stop[node], -1
    while at < end:
        if c.TREES <= tree.code[at] < c.ASIDE:
            found = at
            if not last:
                break
        at = tree.stop[at]
    return found


@kernel
def _is(tree: Tree, node: int, word: bytes) -> bool:
    start = tree.start[node]
    if tree.end[node] - start != len(word):
        return False
    for i in range(len(word)):
        if tree.source[start + i] != word[i]:
            return False
    return True


@kernel
def _is_statement(tree: Tree, below: NDArray[np.uint8], node: int) -> bool:
    """A switch is one where a statement may stand; written there, it is never an expression."""
    up = tree.up[node]
    place = below[tree.code[up]]
    if place == c.IN_FIELD:
        return tree.field[node] in (c.F_BODY, c.F_CONSEQUENCE, c.F_ALTERNATIVE)
    if tree.code[up] == c.EXPRESSION_STATEMENT:
        return tree.code[tree.up[up]] != c.RULE
    return place == c.IN_LIST or place == c.ALONE


@kernel
def _number(tree: Tree, kinds: Kinds, node: int, literal: int) -> None:
    """A literal's VALUE stays where it reads as the token does, which has lost its radix and the
    suffix of a whole number. Whether a fraction's does is settled elsewhere."""
    kind = tree.code[literal]
    width = tree.end[literal] - tree.start[literal]
    last = tree.source[tree.end[literal] - 1] | 0x20 if width > 0 else 0
    if kind == c.FLOATING or kind == c.HEX_FLOATING:
        kinds.code[node] = c.PLAIN
        label = labels.FLOAT_LITERAL if last == ord("f") else labels.DOUBLE_LITERAL
    else:
        one = width - (last == ord("l")) == 3 and tree.source[tree.start[literal] + 2] <= ord("9")
        valued = kind == c.DECIMAL or (one and kind != c.OCTAL)
        kinds.code[node] = c.VALUED if valued else c.PLAIN
        label = labels.LONG_LITERAL if last == ord("l") else labels.INT_LITERAL
    kinds.label[node] = label


@kernel
def _is_bound(tree: Tree, kinds: Kinds, node: int) -> bool:
    """The annotated type of a pattern's variable, whose annotations belong to the variable."""
    return tree.code[node] == c.ANNOTATED_TYPE and kinds.code[tree.up[node]] in (
        c.MARKED_BINDING, c.FINAL_MARKED_BINDING,
    )  # fmt: skip


@kernel
def _annotate(tree: Tree, kinds: Kinds, node: int) -> None:
    """Annotations before a type belong to the innermost of it: in ``@A java.util.List<B>[]`` to
    ``java``."""
    if _find(tree, node, c.ANNOTATION, 0) < 0 or _is_bound(tree, kinds, node):
        return
    of_type = tree.code[node] == c.ANNOTATED_TYPE
    inner = _tree(tree, node, False) if of_type else _find(tree, node, -1, c.F_TYPE)
    while inner >= 0 and tree.code[inner] in (c.SCOPED_TYPE, c.GENERIC_TYPE, c.ARRAY_TYPE):
        inner = _tree(tree, inner, False)
    if inner >= 0 and tree.code[inner] in (c.IDENTIFIER, c.PRIMITIVE):
        primitive = tree.code[inner] == c.PRIMITIVE
        kinds.code[inner] = c.MARKED_PRIMITIVE if primitive else c.MARKED_IDENTIFIER
        kinds.annotated[inner] = node


@kernel
def _settle_name(tree: Tree, kinds: Kinds, node: int) -> None:
    """Words that are no names in some places, and names that are variables."""
    up = tree.up[node]
    above = tree.code[up]
    blank = tree.code[node] == c.UNDERSCORE or _is(tree, node, b"_")
    if above == c.INFERRED or (above == c.LAMBDA and tree.field[node] == c.F_PARAMETERS):
        kinds.code[node] = c.UNNAMED if blank else c.LAMBDA_NAME
    elif above == c.CASE_LABEL:
        if _is(tree, node, b"default"):
            kinds.code[node] = c.DEFAULT_LABEL
    elif blank and (tree.field[node] == c.F_NAME or above == c.TYPE_PATTERN):
        kinds.code[node] = c.HIDDEN
    elif _is(tree, node, b"var"):
        local = above in (c.DECLARATION, c.FOREACH, c.RESOURCE) or (
            above == c.PARAMETER and tree.code[tree.up[tree.up[up]]] == c.LAMBDA
        )
        first = above == c.TYPE_PATTERN and _tree(tree, up, False) == node
        if first or (local and tree.field[node] == c.F_TYPE):
            kinds.code[node] = c.HIDDEN


@kernel
def _settle_token(tree: Tree, kinds: Kinds, operators: NDArray[np.uint8], node: int) -> None:
    """Tokens tell what kind of tree they are part of."""
    up, kind = tree.up[node], tree.code[node]
    above = tree.code[up]
    if kind == c.FLAG:
        if above == c.BARE_MODIFIERS:
            kinds.code[up] = c.MODIFIERS
    elif kind == c.EXTENDS:
        if above == c.WILDCARD:
            kinds.label[up] = labels.EXTENDS_WILDCARD
    elif above == c.CATCH_TYPE:
        kinds.code[up] = c.UNION
    elif above == c.CAST:
        kinds.code[up] = c.INTERSECTION
    elif above == c.OPERATION:
        kinds.label[up] = operators[c.BETWEEN, kind]
    elif above == c.ASSIGNMENT:
        kinds.label[up] = operators[c.ASSIGNING, kind]
    elif above == c.STEP:
        kinds.label[up] = operators[c.BEFORE if node == up + 1 else c.AFTER, kind]
    elif above == c.UNARY and kinds.code[up] == c.UNARY:
        kinds.label[up] = operators[c.BEFORE, kind]


@kernel
def _settle_annotation(
    tree: Tree, kinds: Kinds, below: NDArray[np.uint8], node: int
) -> None:
    up = tree.up[node]
    above = tree.code[up]
    of_type = below[above] == c.OF_TYPE and not _is_bound(tree, kinds, up)
    kinds.label[node] = labels.TYPE_ANNOTATION if of_type else labels.ANNOTATION
    if above == c.SCOPED_TYPE:
        kinds.code[up] = c.MARKED_SCOPED_TYPE
    elif above == c.WILDCARD:
        kinds.code[up] = c.MARKED_WILDCARD
    elif above == c.METHOD:
        kinds.code[up] = c.MARKED_METHOD
    elif above == c.LENGTH:
        kinds.code[up] = c.MARKED_LENGTH
        kinds.code[node] = c.LENGTH_ANNOTATION


@kernel
def _settle_label(tree: Tree, kinds: Kinds, node: int) -> None:
    """A case of a group is a tree; only the last of several has the statements."""
    if tree.code[tree.up[node]] != c.GROUP:
        return
    at, end = tree.stop[node], tree.stop[tree.up[node]]
    while at < end and tree.code[at] in (c.COLON, c.COMMENT):
        at = tree.stop[at]
    more = at < end and tree.code[at] == c.CASE_LABEL
    kinds.code[node] = c.GROUP_LABEL if more else c.LAST_LABEL


@kernel
def _settle_statement(tree: Tree, kinds: Kinds, below: NDArray[np.uint8], node: int) -> None:
    """An expression after an arrow is no statement in a switch that is an expression itself; a
    switch with a semicolon after it is two statements."""
    up = tree.up[node]
    inner = _tree(tree, node, False)
    if tree.code[up] == c.RULE:
        if not _is_statement(tree, below, tree.up[tree.up[up]]):
            kinds.code[node] = c.INNER
    elif inner >= 0 and tree.code[inner] == c.SWITCH:
        both = below[tree.code[up]] == c.IN_LIST
        kinds.code[node] = c.SWITCH_STATEMENT if both else c.INNER


@kernel
def _settle_pattern(tree: Tree, kinds: Kinds, node: int) -> None:
    if tree.code[node] == c.TYPE_PATTERN:
        first = _tree(tree, node, False)
        if first >= 0 and tree.code[first] == c.UNDERSCORE:
            kinds.code[node] = c.ANY_PATTERN
    elif _find(tree, node, -1, c.F_NAME) >= 0:
        final = _find(tree, node, c.FLAG, 0) >= 0
        if _find(tree, node, c.ANNOTATED_TYPE, 0) >= 0:
            kinds.code[node] = c.FINAL_MARKED_BINDING if final else c.MARKED_BINDING
        else:
            kinds.code[node] = c.FINAL_BINDING if final else c.BINDING


@kernel
def _settle_constant(tree: Tree, kinds: Kinds, node: int) -> None:
    """An enum constant creates an object, which shows where arguments or a body are written; a
    body without members leaves nothing but the creation."""
    arguments = _find(tree, node, c.ARGUMENT_LIST, 0)
    body = _find(tree, node, c.CLASS_BODY, 0)
    if body >= 0 and _tree(tree, body, False) >= 0:
        kinds.code[node] = c.CONSTANT_WITH_BODY
    elif body >= 0 or (arguments >= 0 and _tree(tree, arguments, False) >= 0):
        kinds.code[node] = c.CREATED_CONSTANT


@kernel
def _settle_other(tree: Tree, kinds: Kinds, below: NDArray[np.uint8], node: int) -> None:
    kind = tree.code[node]
    if kind == c.CREATION:
        _annotate(tree, kinds, node)
        if _find(tree, node, c.CLASS_BODY, 0) >= 0:
            kinds.code[node] = c.ANONYMOUS
    elif kind == c.ARRAY_CREATION:
        _annotate(tree, kinds, node)
        if _find(tree, node, -1, c.F_VALUE) >= 0:
            kinds.code[node] = c.VALUES_CREATION
    elif kind == c.ANNOTATED_TYPE:
        _annotate(tree, kinds, node)
    elif kind == c.UNARY:
        # javac's parser takes the minus before decimal digits (0 is octal) as part of the number.
        operand = _find(tree, node, -1, c.F_OPERAND)
        minus = tree.source[tree.start[node]] == ord("-")
        if minus and operand >= 0 and tree.code[operand] == c.DECIMAL:
            if tree.source[tree.start[operand]] != ord("0"):
                _number(tree, kinds, node, operand)
                kinds.code[node] = c.PLAIN
    elif kind == c.SWITCH:
        statement = _is_statement(tree, below, node)
        kinds.label[node] = labels.SWITCH if statement else labels.SWITCH_EXPRESSION
    elif kind == c.ANNOTATION_TYPE:
        # The @ of @interface is a token of the modifiers.
        if _find(tree, node, c.BARE_MODIFIERS, 0) < 0:
            kinds.code[node] = c.UNMODIFIED_ANNOTATION_TYPE
    elif kind == c.RECEIVER:
        dotted = _find(tree, node, c.DOT, 0) >= 0
        kinds.code[node] = c.QUALIFIED_RECEIVER if dotted else c.RECEIVER
    elif kind == c.RESOURCE:
        if _find(tree, node, -1, c.F_NAME) < 0:
            kinds.code[node] = c.INNER
    elif kind == c.ENUM_CONSTANT:
        _settle_constant(tree, kinds, node)
    elif kind == c.INSTANCE_OF or kind == c.TYPE_PATTERN:
        _settle_pattern(tree, kinds, node)
    elif kind == c.EXPRESSION_STATEMENT:
        _settle_statement(tree, kinds, below, node)


@kernel
def settle(
    tree: Tree, kinds: Kinds, operators: NDArray[np.uint8], below: NDArray[np.uint8]
) -> None:
    for node in range(1, len(tree.code)):
        kind = tree.code[node]
        if kind == c.NOTHING or kind == c.COMMENT:
            continue
        if kind == c.IDENTIFIER or kind == c.UNDERSCORE:
            _settle_name(tree, kinds, node)
        elif kind == c.FLAG or kind == c.EXTENDS or c.OPERATORS <= kind < c.TREES:
            _settle_token(tree, kinds, operators, node)
        elif c.DECIMAL <= kind <= c.HEX_FLOATING:
            _number(tree, kinds, node, node)
        elif c.CHARACTER <= kind <= c.NULL:
            kinds.code[node] = c.PLAIN if kind == c.STRING else c.VALUED
        elif kind == c.ANNOTATION:
            _settle_annotation(tree, kinds, below, node)
        elif kind == c.CASE_LABEL:
            _settle_label(tree, kinds, node)
        elif kind == c.SUPER:
            if tree.code[tree.up[node]] == c.WILDCARD:
                kinds.label[tree.up[node]] = labels.SUPER_WILDCARD
        elif kind == c.DIMS:
            # Brackets after the parameters make the return type span the method's name, which
            # then is the token of that type and finds no leaf.
            name = _find(tree, tree.up[node], -1, c.F_NAME)
            if tree.code[tree.up[node]] == c.METHOD and name >= 0:
                kinds.code[name] = c.HIDDEN
        else:
            _settle_other(tree, kinds, below, node)
