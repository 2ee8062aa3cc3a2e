"""What each node of the syntax stands for: the plan of its tree, in the order of drawing.

A row of a plan is a node to draw, with its depth below the plan's first, or another node's plan to
follow at that depth. Most plans are rows of a table (``rules``); what javac shapes otherwise
than it is written has code here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.views.ast import codes as c
from acumen.views.ast import labels


class Tree(NamedTuple):
    """The syntax, in our own codes and fields; ``exact``: a literal's text is its value."""

    code: NDArray[np.uint8]
    field: NDArray[np.uint8]
    stop: NDArray[np.int32]
    up: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    source: NDArray[np.uint8]
    exact: NDArray[np.bool_]


class Tables(NamedTuple):
    """``label`` and ``first`` part of each row, their ``parts`` (how, label, chosen, which);
    labels by place and ``operator``; what a code may have ``below`` it."""

    label: NDArray[np.int32]
    first: NDArray[np.int32]
    parts: NDArray[np.int32]
    operator: NDArray[np.int32]
    below: NDArray[np.uint8]


class Plan(NamedTuple):
    """``rows``: label and flags, depth, node; ``size[0]``: how many there are."""

    rows: NDArray[np.int32]
    size: NDArray[np.int64]


_NONE = -1


@kernel
def _add(plan: Plan, label: int, depth: int, node: int) -> None:
    at = plan.size[0]
    plan.rows[at, 0] = label
    plan.rows[at, 1] = depth
    plan.rows[at, 2] = node
    plan.size[0] = at + 1


@kernel
def _leaf(plan: Plan, label: int, depth: int, node: int) -> None:
    if node >= 0:
        _add(plan, label, depth, node)


@kernel
def _draw(tree: Tree, plan: Plan, depth: int, node: int) -> None:
    if node >= 0:
        drawn = c.NOTHING < tree.code[node] < c.PARTS
        _add(plan, c.PLAN_OF if drawn else labels.ERRONEOUS, depth, node)


@kernel
def _hold(tree: Tree, plan: Plan, label: int, depth: int, node: int) -> None:
    """A getter and what it holds."""
    _leaf(plan, label, depth, node)
    _draw(tree, plan, depth + 1, node)


@kernel
def _late(plan: Plan, depth: int, node: int) -> None:
    """What a getter of the same label holds: merged, which adds its edge once more, last."""
    _leaf(plan, c.PLAN_OF | c.LATER, depth, node)


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
def _child(tree: Tree, node: int, chosen: int) -> int:
    """A child by field, place or code; -1 if there is none."""
    at, end, seen, last = node + 1, tree.stop[node], c.FIRST - 1, _NONE
    while at < end:
        kind = tree.code[at]
        if chosen < c.FIRST:
            if tree.field[at] == chosen and kind != c.COMMENT:
                return at
        elif chosen >= c.BY_CODE:
            if kind == chosen - c.BY_CODE:
                return at
        elif 0 < kind < c.MODIFIERS and kind != c.ANNOTATION or c.ROWS <= kind < c.PARTS:
            last = at
            seen += 1
            if seen == chosen:
                return at
        elif kind == c.SEMICOLON:
            last = at
        at = tree.stop[at]
    return last if chosen == c.LAST else _NONE


@kernel
def _has(tree: Tree, node: int, kind: int) -> bool:
    return _child(tree, node, c.BY_CODE + kind) >= 0


@kernel
def _fits(tree: Tree, at: int, which: int) -> bool:
    """Whether a child is a member of a list."""
    kind = tree.code[at]
    drawn = 0 < kind < c.PARTS and kind != c.SEMICOLON and kind != c.MODIFIERS
    if which >= c.BY_FIELD:
        return drawn and tree.field[at] == which - c.BY_FIELD
    if which == c.STATEMENTS:
        return drawn or kind == c.SEMICOLON
    if which == c.ANNOTATIONS:
        return kind == c.ANNOTATION
    if which == c.CATCHES:
        return kind == c.CATCH
    named = kind == c.IDENTIFIER and which in (c.PATTERNS, c.CONSTANTS)
    pattern = kind == c.CASE_PATTERN or (named and _is(tree, at, b"default"))
    if which == c.PATTERNS:
        return pattern
    if which == c.CONSTANTS:
        return drawn and not pattern and kind != c.GUARD
    if which == c.LENGTHS:
        return kind == c.LENGTH
    if which == c.MARKED:
        return kind == c.LENGTH and _has(tree, at, c.ANNOTATION)
    return drawn and not (which == c.PARAMETERS and kind == c.RECEIVER)


@kernel
def _member(tree: Tree, plan: Plan, depth: int, node: int, which: int) -> None:
    kind = tree.code[node]
    if which == c.NAMES and kind == c.IDENTIFIER:
        _variable(tree, plan, depth, node)
    elif which == c.MARKED:
        for at in range(node + 1, _child(tree, node, c.BY_CODE + c.OPEN)):
            if tree.up[at] == node and tree.code[at] == c.ANNOTATION:
                _draw(tree, plan, depth, at)
    elif which == c.PATTERNS and kind == c.IDENTIFIER:
        _add(plan, labels.DEFAULT_CASE_LABEL, depth, node)
    elif which == c.PATTERNS:
        _add(plan, labels.PATTERN_CASE_LABEL, depth, node)
        _hold(tree, plan, labels.PATTERN, depth + 1, node)
    elif kind != c.DECLARATION and which in (c.BY_FIELD + c.F_INIT, c.BY_FIELD + c.F_UPDATE):
        _add(plan, labels.EXPRESSION_STATEMENT, depth, node)
        _hold(tree, plan, labels.EXPRESSION, depth + 1, node)
    else:
        _draw(tree, plan, depth, node)


@kernel
def _range(
    tree: Tree, plan: Plan, label: int, depth: int, at: int, end: int, which: int
) -> bool:
    """A getter and the members of a list from one place to another; nothing if there are none.
    Without a label: members of a getter that is there already."""
    found = False
    while at < end:
        if tree.code[at] == c.ENUM_REST:
            at += 1  # what follows the constants is as much a member
            continue
        if _fits(tree, at, which):
            if label >= 0 and not found:
                _add(plan, label, depth, tree.up[at])
            found = True
            _member(tree, plan, depth + 1, at, which)
        at = tree.stop[at]
    return found


@kernel
def _list(tree: Tree, plan: Plan, label: int, depth: int, node: int, which: int) -> bool:
    if node >= 0 and tree.code[node] in (c.TYPES_CLAUSE, c.EXTENDS_TYPES):
        node = _child(tree, node, c.BY_CODE + c.TYPE_LIST)
    if node < 0:
        return False
    return _range(tree, plan, label, depth, node + 1, tree.stop[node], which)


@kernel
def _row(tree: Tree, tables: Tables, plan: Plan, node: int) -> None:
    row = tree.code[node] - c.ROWS
    _add(plan, tables.label[row], 0, node)
    for part in range(tables.first[row], tables.first[row + 1]):
        how, label = tables.parts[part, 0], tables.parts[part, 1]
        at = node if how == c.OWN_LIST else _child(tree, node, tables.parts[part, 2])
        if how == c.HOLD:
            _hold(tree, plan, label, 1, at)
        elif how == c.LEAF:
            _leaf(plan, label, 1, at)
        elif how == c.LATE:
            _late(plan, 1, at)
        else:
            _list(tree, plan, label, 1, at, tables.parts[part, 3])


@kernel
def _literal(tree: Tree, plan: Plan, node: int, negative: bool) -> None:
    """VALUE stays where its text is the token's, which has lost radix and suffix of whole numbers.
    A minus before decimal digits belongs to the literal, not to the token."""
    kind = tree.code[node]
    width = tree.end[node] - tree.start[node]
    last = tree.source[tree.end[node] - 1] | 0x20 if width else 0
    valued = not negative
    if kind == c.FLOATING or kind == c.HEX_FLOATING:
        label = labels.FLOAT_LITERAL if last == ord("f") else labels.DOUBLE_LITERAL
        valued = tree.exact[node]
    elif kind < c.FLOATING:
        label = labels.LONG_LITERAL if last == ord("l") else labels.INT_LITERAL
        if kind != c.DECIMAL:
            one = width - (last == ord("l")) == 3
            valued = one and kind != c.OCTAL and tree.source[tree.start[node] + 2] <= ord("9")
    elif kind == c.CHARACTER:
        label = labels.CHAR_LITERAL
    elif kind == c.STRING:
        label, valued = labels.STRING_LITERAL, False
    else:
        label = labels.BOOLEAN_LITERAL if kind == c.BOOLEAN else labels.NULL_LITERAL
    _add(plan, label, 0, node)
    if valued:
        _add(plan, labels.VALUE, 1, node)


@kernel
def _annotations_of(tree: Tree, node: int) -> int:
    """The node whose annotations a name or primitive type has, being the innermost of its type:
    in ``@A java.util.List<B>[]`` they are those of ``java``."""
    while True:
        up = tree.up[node]
        kind = tree.code[up] if up >= 0 else c.NOTHING
        if kind == c.ANNOTATED_TYPE:
            return _NONE if _binds(tree, tree.up[up]) else up
        if kind == c.CREATION or kind == c.ARRAY_CREATION:
            typed = tree.field[node] == c.F_TYPE and _has(tree, up, c.ANNOTATION)
            return up if typed else _NONE
        if kind not in (c.SCOPED_TYPE, c.GENERIC_TYPE, c.ARRAY_TYPE):
            return _NONE
        if _child(tree, up, c.FIRST) != node:
            return _NONE
        node = up


@kernel
def _binds(tree: Tree, node: int) -> bool:
    """An instanceof with a variable: annotations are the variable's."""
    return tree.code[node] == c.INSTANCE_OF and _child(tree, node, c.F_NAME) >= 0


@kernel
def _marked(tree: Tree, plan: Plan, node: int, annotated: int) -> int:
    """The annotations before a type, if it has any; the depth of the type itself."""
    if annotated < 0 or not _has(tree, annotated, c.ANNOTATION):
        return 0
    _add(plan, labels.ANNOTATED_TYPE, 0, node)
    _list(tree, plan, labels.ANNOTATIONS, 1, annotated, c.ANNOTATIONS)
    _add(plan, labels.UNDERLYING_TYPE, 1, node)
    return 2


@kernel
def _brackets(tree: Tree, plan: Plan, depth: int, at: int, end: int) -> int:
    """The array types of brackets, the first being the outermost; the depth of what is below."""
    annotation = _NONE
    while at < end:
        kind = tree.code[at]
        if kind == c.ANNOTATION and annotation < 0:
            annotation = at
        elif kind == c.OPEN or kind == c.ELLIPSIS:
            if annotation >= 0:
                _add(plan, labels.ANNOTATED_TYPE, depth, tree.up[at])
                _range(tree, plan, labels.ANNOTATIONS, depth + 1, annotation, at, c.ANNOTATIONS)
                _add(plan, labels.UNDERLYING_TYPE, depth + 1, tree.up[at])
                depth, annotation = depth + 2, _NONE
            _add(plan, labels.ARRAY_TYPE, depth, tree.up[at])
            _add(plan, labels.TYPE, depth + 1, tree.up[at])
            depth += 2
        at = tree.stop[at]
    return depth


@kernel
def _typed(tree: Tree, plan: Plan, label: int, depth: int, node: int, dims: int) -> None:
    """A getter and the type it holds, which has more brackets elsewhere."""
    if node >= 0:
        _add(plan, label, depth, node)
        depth += 1
        if dims >= 0:
            alone = tree.code[dims] == c.ELLIPSIS
            depth = _brackets(tree, plan, depth, dims + (not alone), tree.stop[dims])
        _draw(tree, plan, depth, node)


@kernel
def _select(tree: Tree, plan: Plan, depth: int, node: int, name: int) -> None:
    """A name, or a member of something; ``Outer.super.f`` is a member of a member."""
    of = _child(tree, node, c.F_OBJECT)
    if of < 0:
        _draw(tree, plan, depth, name)
        return
    _add(plan, labels.MEMBER_SELECT, depth, node)
    outer = _child(tree, node, c.BY_CODE + c.SUPER)
    if outer >= 0 and outer != of and outer != name:
        _add(plan, labels.EXPRESSION, depth + 1, outer)
        _add(plan, labels.MEMBER_SELECT, depth + 2, outer)
        _hold(tree, plan, labels.EXPRESSION, depth + 3, of)
        _add(plan, labels.IDENTIFIER, depth + 3, outer)
    else:
        _hold(tree, plan, labels.EXPRESSION, depth + 1, of)
    _leaf(plan, labels.IDENTIFIER, depth + 1, name)
