"""From syntax to trees, as machine code; what is still to be drawn lies on a stack of its own.

A tree stands for a piece of syntax: an element, labelled with its kind, and below it the getters
that hold something. Most syntax is drawn by rows of a table (``rules``); what javac shapes
otherwise than it is written has code here.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.views.ast import codes as c
from acumen.views.ast import labels

Numbers: TypeAlias = NDArray[np.int32]
Bytes: TypeAlias = NDArray[np.uint8]
# Code, field, stop, parent, start and end of each node; the source; whether a literal's text is
# its value.
Tree: TypeAlias = tuple[Bytes, Bytes, Numbers, Numbers, Numbers, Numbers, Bytes, Bytes]
# Label and first part of each row; the parts; labels of operators; what may stand below a code.
Tables: TypeAlias = tuple[Numbers, Numbers, Numbers, Numbers, Bytes]
# What is drawn (label, parent, late, node), what is pending, how many of either, and how many
# were drawn before this tree.
Pen: TypeAlias = tuple[Numbers, Numbers, NDArray[np.int64]]

_NONE = -1
(
    _DRAW, _HOLD, _LEAF, _HOLD_LIST, _LIST, _ARRAYS, _SELECT, _CLASS, _CASES, _VARIABLE,
    _CONSTANT, _COMPONENTS,
) = range(12)  # fmt: skip
# More than one step draws or leaves pending.
_STEP = 16


@kernel
def _emit(pen: Pen, label: int, parent: int, late: int, node: int) -> int:
    out, _, count = pen
    at = count[0]
    out[at, 0] = label
    out[at, 1] = parent
    out[at, 2] = late
    out[at, 3] = node
    count[0] = at + 1
    return at - count[2]  # type: ignore[no-any-return]


@kernel
def _push(
    pen: Pen, what: int, label: int, node: int, more: int, marks: int, parent: int, late: int
) -> None:
    """Pending. ``more`` is a second node (brackets, the end of a list); ``marks`` the node whose
    annotations a type has, or which children a list has."""
    _, stack, count = pen
    at = count[1]
    stack[at, 0] = what
    stack[at, 1] = label
    stack[at, 2] = node
    stack[at, 3] = more
    stack[at, 4] = marks
    stack[at, 5] = parent
    stack[at, 6] = late
    count[1] = at + 1


@kernel
def _has(tree: Tree, node: int, annotation: bool) -> bool:
    """Whether there is an annotation, or any tree, among the children."""
    code, _, stop, _, _, _, _, _ = tree
    at, end = node + 1, stop[node]
    while at < end:
        kind = code[at]
        if kind == c.ANNOTATION or (not annotation and 0 < kind < c.PARTS and kind != c.SEMICOLON):
            return True
        at = stop[at]
    return False


@kernel
def _word(tree: Tree, node: int, word: bytes) -> bool:
    _, _, _, _, start, end, source, _ = tree
    if end[node] - start[node] != len(word):
        return False
    for i in range(len(word)):
        if source[start[node] + i] != word[i]:
            return False
    return True


@kernel
def _child(tree: Tree, node: int, chosen: int) -> int:
    """A child by field, place or code; -1 if there is none."""
    code, field, stop, _, _, _, _, _ = tree
    at, end, seen, last = node + 1, stop[node], c.FIRST - 1, _NONE
    while at < end:
        kind = code[at]
        if chosen < c.FIRST:
            if field[at] == chosen and kind != c.COMMENT:
                return at
        elif chosen >= c.BY_CODE:
            if kind == chosen - c.BY_CODE:
                return at
        elif 0 < kind < c.PARTS and kind != c.ANNOTATION and kind != c.ERROR:
            last = at
            seen += kind != c.SEMICOLON
            if seen == chosen:
                return at
        at = stop[at]
    return last if chosen == c.LAST else _NONE


@kernel
def _next(tree: Tree, at: int, end: int, which: int) -> int:
    """The first member of a list from a place on; -1 if there is none."""
    code, field, stop, _, _, _, _, _ = tree
    while at < end:
        kind = code[at]
        fits = 0 < kind < c.PARTS and kind != c.SEMICOLON
        if which >= c.BY_FIELD:
            fits = fits and field[at] == which - c.BY_FIELD
        elif which == c.STATEMENTS:
            fits = fits or kind == c.SEMICOLON
        elif which == c.ANNOTATIONS:
            fits = kind == c.ANNOTATION
        elif which == c.CATCHES:
            fits = kind == c.CATCH
        elif which == c.CONSTANTS:
            fits = fits and kind != c.CASE_PATTERN and kind != c.GUARD
            fits = fits and not _word(tree, at, b"default")
        elif which == c.PATTERNS:
            fits = kind == c.CASE_PATTERN or (fits and _word(tree, at, b"default"))
        elif which == c.PARAMETERS:
            fits = fits and kind != c.RECEIVER
        elif which == c.LENGTHS:
            fits = kind == c.LENGTH
        elif which == c.MARKED:
            fits = kind == c.LENGTH and _has(tree, at, True)
        elif kind == c.ENUM_REST:
            fits = _has(tree, at, False)
        if fits:
            return at
        at = stop[at]
    return _NONE


@kernel
def _hold(pen: Pen, label: int, node: int, parent: int) -> None:
    if node >= 0:
        _push(pen, _HOLD, label, node, _NONE, _NONE, parent, 0)


@kernel
def _hold_list(tree: Tree, pen: Pen, label: int, node: int, which: int, parent: int) -> None:
    """A getter with children of a node; nothing if there are none."""
    code, _, stop, _, _, _, _, _ = tree
    if node >= 0 and code[node] == c.TYPES_CLAUSE:
        node = _child(tree, node, c.BY_CODE + c.TYPE_LIST)
    if node >= 0:
        _push(pen, _HOLD_LIST, label, node + 1, stop[node], which, parent, 0)


@kernel
def _member(tree: Tree, pen: Pen, at: int, end: int, which: int, parent: int) -> None:
    """A member of a list; the rest of the list stays pending."""
    code, _, stop, _, _, _, _, _ = tree
    following = _next(tree, stop[at], end, which)
    if following >= 0:
        _push(pen, _LIST, 0, following, end, which, parent, 0)
    if which == c.NAMES and code[at] == c.IDENTIFIER:
        _push(pen, _VARIABLE, _NONE, at, _NONE, _NONE, parent, 0)
    elif which == c.MARKED:
        _push(pen, _HOLD_LIST, _NONE, at + 1, stop[at], c.ANNOTATIONS, parent, 0)
    elif which == c.PATTERNS and code[at] != c.CASE_PATTERN:
        _emit(pen, labels.DEFAULT_CASE_LABEL, parent, 0, at)
    elif which == c.PATTERNS:
        _hold(pen, labels.PATTERN, at, _emit(pen, labels.PATTERN_CASE_LABEL, parent, 0, at))
    elif (
        which == c.BY_FIELD + c.F_INIT or which == c.BY_FIELD + c.F_UPDATE
    ) and code[at] != c.DECLARATION:
        statement = _emit(pen, labels.EXPRESSION_STATEMENT, parent, 0, at)
        _hold(pen, labels.EXPRESSION, at, statement)
    else:
        _push(pen, _DRAW, 0, at, _NONE, _NONE, parent, 0)


@kernel
def _row(tree: Tree, tables: Tables, pen: Pen, node: int, parent: int, late: int) -> None:
    element, first, parts, _, _ = tables
    row = tree[0][node] - c.ROWS
    me = _emit(pen, element[row], parent, late, node)
    for part in range(first[row + 1] - 1, first[row] - 1, -1):
        how, label, chosen, which = parts[part]
        at = node if how == c.OWN_LIST else _child(tree, node, chosen)
        if at < 0:
            continue
        if how == c.HOLD:
            _hold(pen, label, at, me)
        elif how == c.LEAF:
            _push(pen, _LEAF, label, at, _NONE, _NONE, me, 0)
        elif how == c.LATE:
            _push(pen, _DRAW, 0, at, _NONE, _NONE, me, 1)
        else:
            _hold_list(tree, pen, label, at, which, me)


@kernel
def _literal(tree: Tree, pen: Pen, node: int, parent: int, late: int, negative: bool) -> None:
    """A literal keeps VALUE where its text, without radix and suffix, is its value: the leaf
    finds its token then. A minus before decimal digits is part of the literal, not of the token."""
    code, _, _, up, start, end, source, exact = tree
    kind, last = code[node], source[end[node] - 1] | 0x20
    digits = end[node] - start[node]
    valued = not negative
    if kind == c.FLOATING or kind == c.HEX_FLOATING:
        label = labels.FLOAT_LITERAL if last == ord("f") else labels.DOUBLE_LITERAL
        valued = exact[node] != 0
    elif kind < c.FLOATING:
        label = labels.LONG_LITERAL if last == ord("l") else labels.INT_LITERAL
        if kind != c.DECIMAL:
            digits -= 3 if last == ord("l") else 2
            valued = kind != c.OCTAL and digits == 1 and source[start[node] + 2] <= ord("9")
    elif kind == c.CHARACTER:
        label = labels.CHAR_LITERAL
    elif kind == c.STRING:
        label = labels.STRING_LITERAL
        valued = False
    else:
        label = labels.BOOLEAN_LITERAL if kind == c.BOOLEAN else labels.NULL_LITERAL
    me = _emit(pen, label, parent, late, up[node] if negative else node)
    if valued:
        _emit(pen, labels.VALUE, me, 0, node)


@kernel
def _arrays(
    tree: Tree, pen: Pen, node: int, bracket: int, marks: int, parent: int, late: int
) -> None:
    """A type and its brackets, the first of which are the outermost."""
    code, _, stop, up, _, _, _, _ = tree
    if bracket >= 0 and code[bracket] == c.ELLIPSIS:
        me = _emit(pen, labels.ARRAY_TYPE, parent, late, up[bracket])
        _push(pen, _ARRAYS, labels.TYPE, node, _NONE, marks, me, 0)
        return
    if bracket >= 0:
        end = stop[up[bracket]]
        opening = bracket
        while opening < end and code[opening] != c.OPEN:
            opening = stop[opening]
        annotation = _next(tree, bracket, opening, c.ANNOTATIONS)
        if opening < end and annotation >= 0:
            me = _emit(pen, labels.ANNOTATED_TYPE, parent, late, up[bracket])
            _push(pen, _ARRAYS, labels.UNDERLYING_TYPE, node, opening, marks, me, 0)
            _push(pen, _HOLD_LIST, labels.ANNOTATIONS, annotation, opening, c.ANNOTATIONS, me, 0)
            return
        if opening < end:
            me = _emit(pen, labels.ARRAY_TYPE, parent, late, up[bracket])
            after = _after_bracket(tree, opening)
            _push(pen, _ARRAYS, labels.TYPE, node, after, marks, me, 0)
            return
    _push(pen, _DRAW, 0, node, _NONE, marks, parent, late)


@kernel
def _after_bracket(tree: Tree, at: int) -> int:
    code, _, stop, up, _, _, _, _ = tree
    end = stop[up[at]]
    while at < end and code[at] != c.CLOSE:
        at = stop[at]
    return at + 1 if at + 1 < end else _NONE
