"""The plan of each node's tree, and the trees drawn by them.

A row of a plan is a node to draw, with its depth below the first, or the plan of another node to
follow at that depth. Plans are made from parts that ``rules`` lists for each code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.views.ast import codes as c
from acumen.views.ast import labels


class Shape(NamedTuple):
    """The syntax, settled: see ``kinds``."""

    code: NDArray[np.uint8]
    label: NDArray[np.uint8]
    annotated: NDArray[np.int32]
    field: NDArray[np.uint8]
    stop: NDArray[np.int32]
    up: NDArray[np.int32]


class Rules(NamedTuple):
    """The ``parts`` of a code, from ``first[code]`` on: how, label, depth, chosen, and, as the
    way asks, which members or which brackets; ``lists``: who is in a list."""

    first: NDArray[np.int32]
    parts: NDArray[np.int32]
    lists: NDArray[np.uint8]


class Plan(NamedTuple):
    """``rows``: label and flags, depth, node; ``size[0]``: how many."""

    rows: NDArray[np.int32]
    size: NDArray[np.int64]


@kernel
def _add(plan: Plan, label: int, depth: int, node: int) -> None:
    at = plan.size[0]
    if at < len(plan.rows):  # else the plan is made again, with more room
        plan.rows[at, 0] = label
        plan.rows[at, 1] = depth
        plan.rows[at, 2] = node
    plan.size[0] = at + 1


@kernel
def _draw(shape: Shape, plan: Plan, depth: int, node: int) -> None:
    drawn = shape.code[node] >= c.TREES
    _add(plan, c.PLAN_OF if drawn else labels.ERRONEOUS, depth, node)


@kernel
def _child(shape: Shape, node: int, chosen: int) -> int:
    """A child by field, place or code; -1 if there is none."""
    at, end, seen, last = node + 1, shape.stop[node], c.FIRST - 1, -1
    while at < end:
        kind = shape.code[at]
        tree = c.TREES <= kind < c.ASIDE
        if chosen < c.FIRST:
            if shape.field[at] == chosen and kind != c.COMMENT:
                return -1 if kind == c.HIDDEN else at
        elif chosen >= c.BY_CODE:
            if kind == chosen - c.BY_CODE:
                return at
        elif chosen == c.LAST:
            if tree or kind == c.EMPTY:
                last = at
        elif chosen == c.LEFT_END or chosen == c.RIGHT_END:
            if kind >= c.HIDDEN:
                last = -1 if kind == c.HIDDEN else at
                if chosen == c.LEFT_END:
                    return last
        elif chosen == c.UNFIELDED:
            if tree and shape.field[at] == 0:
                return at
        elif tree:
            seen += 1
            if seen == chosen:
                return at
        at = shape.stop[at]
    return last


@kernel
def _pick(shape: Shape, node: int, chosen: int) -> int:
    """What a part chooses: among the node's own children, or elsewhere."""
    whose, chosen = chosen & ~511, chosen & 511
    if whose == c.ANNOTATED:
        return shape.annotated[node]  # type: ignore[no-any-return]
    if whose == c.OF_OWNER:
        node = shape.up[node]
    elif whose == c.OF_RECORD:
        node = shape.up[shape.up[node]]
        if shape.code[node] != c.RECORD:
            return -1
    elif whose == c.OF_DECLARATOR:
        node = _child(shape, node, c.BY_CODE + c.DECLARATOR)
    return _child(shape, node, chosen) if node >= 0 else -1


@kernel
def _members(
    shape: Shape, rules: Rules, plan: Plan, label: int, depth: int, at: int, end: int,
    which: int, wrapped: bool,
) -> bool:  # fmt: skip
    """A getter and the members of a list from one place to another; nothing if there are none.
    Without a label: members of a getter that is there already."""
    found = False
    while at < end:
        kind = shape.code[at]
        if which >= c.BY_FIELD:
            fits = kind >= c.TREES and shape.field[at] == which - c.BY_FIELD
        else:
            member = rules.lists[which, kind]
            if member == c.BELOW:
                at += 1
                continue
            fits = member == c.ITSELF
        if fits:
            if label >= 0 and not found:
                _add(plan, label, depth, shape.up[at])
            found = True
            if wrapped and kind != c.DECLARATION:
                _add(plan, labels.EXPRESSION_STATEMENT, depth + 1, at)
                _add(plan, labels.EXPRESSION, depth + 2, at)
            _draw(shape, plan, depth + (3 if wrapped and kind != c.DECLARATION else 1), at)
        at = shape.stop[at]
    return found


@kernel
def _brackets(shape: Shape, plan: Plan, depth: int, at: int, end: int) -> int:
    """Array types of brackets, the first being the outermost; the depth of what is below."""
    annotation = -1
    while at < end:
        kind = shape.code[at]
        if kind == c.ANNOTATION and annotation < 0:
            annotation = at
        elif kind == c.OPEN or kind == c.ELLIPSIS:
            holder = shape.up[at]
            if annotation >= 0:
                _add(plan, labels.ANNOTATED_TYPE, depth, holder)
                _annotations(shape, plan, depth + 1, annotation, at)
                _add(plan, labels.UNDERLYING_TYPE, depth + 1, holder)
                depth, annotation = depth + 2, -1
            _add(plan, labels.ARRAY_TYPE, depth, holder)
            _add(plan, labels.TYPE, depth + 1, holder)
            depth += 2
        at = shape.stop[at]
    return depth


@kernel
def _annotations(shape: Shape, plan: Plan, depth: int, at: int, end: int) -> None:
    _add(plan, labels.ANNOTATIONS, depth, shape.up[at])
    while at < end:
        if shape.code[at] == c.ANNOTATION:
            _draw(shape, plan, depth + 1, at)
        at = shape.stop[at]


@kernel
def _type(
    shape: Shape, plan: Plan, label: int, depth: int, node: int, dims: int, skipped: bool
) -> None:
    """A getter and the type it holds, with brackets that stand elsewhere."""
    if label >= 0:
        _add(plan, label, depth, node)
        depth += 1
    if dims >= 0 and shape.code[dims] == c.ELLIPSIS:
        depth = _brackets(shape, plan, depth, dims, dims + 1)
    elif dims >= 0:
        first = _child(shape, dims, c.BY_CODE + c.OPEN) if skipped else dims
        depth = _brackets(shape, plan, depth, first + 1, shape.stop[dims])
    _draw(shape, plan, depth, node)


@kernel
def _select(shape: Shape, plan: Plan, depth: int, node: int, name: int) -> None:
    """A name, or a member of something; ``Outer.super.f`` is a member of a member."""
    of = _child(shape, node, c.F_OBJECT)
    if of < 0:
        _draw(shape, plan, depth, name)
        return
    _add(plan, labels.MEMBER_SELECT, depth, node)
    outer = _child(shape, node, c.BY_CODE + c.SUPER)
    if outer >= 0 and outer != of and outer != name:
        _add(plan, labels.EXPRESSION, depth + 1, outer)
        _add(plan, labels.MEMBER_SELECT, depth + 2, outer)
        _add(plan, labels.EXPRESSION, depth + 3, of)
        _draw(shape, plan, depth + 4, of)
        _add(plan, labels.IDENTIFIER, depth + 3, outer)
    else:
        _add(plan, labels.EXPRESSION, depth + 1, of)
        _draw(shape, plan, depth + 2, of)
    _add(plan, labels.IDENTIFIER, depth + 1, name)


@kernel
def _part(
    shape: Shape, rules: Rules, plan: Plan, node: int, row: int, held: bool
) -> bool:
    """A part of a node's tree; whether it was a list and had members. ``held``: the getter is
    there already."""
    how, label, depth = rules.parts[row, 0], rules.parts[row, 1], rules.parts[row, 2]
    which = rules.parts[row, 4]
    if how == c.ADD:
        _add(plan, shape.label[node] if label == c.OWN_LABEL else label, depth, node)
        return False
    label = -1 if held else label
    if how == c.OWN or how == c.STATEMENT_LIST:
        end, wrapped = shape.stop[node], how == c.STATEMENT_LIST
        return _members(shape, rules, plan, label, depth, node + 1, end, which, wrapped)
    if how == c.REST:
        at, end = shape.stop[node], shape.stop[shape.up[node]]
        return _members(shape, rules, plan, label, depth, at, end, which, False)
    chosen = _pick(shape, node, rules.parts[row, 3])
    if chosen < 0:
        return False
    if how == c.LIST:
        if shape.code[chosen] in (c.TYPES_CLAUSE, c.EXTENDS_TYPES):
            chosen = _child(shape, chosen, c.BY_CODE + c.TYPE_LIST)
            if chosen < 0:
                return False
        at, end = chosen + 1, shape.stop[chosen]
        return _members(shape, rules, plan, label, depth, at, end, which, False)
    if how == c.LEAF:
        _add(plan, label, depth, chosen)
    elif how == c.LATE:
        _add(plan, c.PLAN_OF | c.LATER, depth, chosen)
    elif how == c.DRAW:
        _draw(shape, plan, depth, chosen)
    elif how == c.TYPED or how == c.ELEMENT_TYPED:
        dims = _pick(shape, node, which)
        _type(shape, plan, label, depth, chosen, dims, how == c.ELEMENT_TYPED)
    elif how == c.OUTER_ANNOTATIONS:
        annotation = _child(shape, chosen, c.BY_CODE + c.ANNOTATION)
        opening = _child(shape, chosen, c.BY_CODE + c.OPEN)
        if 0 <= annotation < opening:
            _annotations(shape, plan, depth, annotation, opening)
    elif how == c.SELECT:
        if label >= 0:
            _add(plan, label, depth, chosen)
        _select(shape, plan, depth + (label >= 0), node, chosen)
    elif how == c.CREATED and shape.code[chosen] == c.IDENTIFIER:
        _add(plan, c.PLAN_OF | c.LATER, depth, chosen)
    else:
        _add(plan, label, depth, chosen)
        _draw(shape, plan, depth + 1, chosen)
    return False


@kernel
def _plan(shape: Shape, rules: Rules, plan: Plan, node: int) -> None:
    """The rows of a node's tree, after those that are there."""
    kind = shape.code[node]
    begin, end = rules.first[kind], rules.first[kind + 1]
    held = False
    for row in range(begin, end):
        again = row > begin and rules.parts[row, 1] == rules.parts[row - 1, 1]
        held = held and again
        held = _part(shape, rules, plan, node, row, held) or held


@kernel
def _longer(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    more = np.empty((2 * len(rows), rows.shape[1]), dtype=np.int32)
    more[: len(rows)] = rows
    return more


@kernel
def draw(
    shape: Shape, rules: Rules, roots: NDArray[np.int32], room: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Label, parent, late and node of what is drawn for each root, one tree after the other, and
    where each begins."""
    drawn = np.empty((room + 64, 4), dtype=np.int32)
    offsets = np.zeros(len(roots) + 1, dtype=np.int64)
    plan = Plan(np.empty((256, 3), dtype=np.int32), np.zeros(1, dtype=np.int64))
    # Of each plan under way: its next row, where its rows begin and end, its depth, and whether
    # its edge comes late.
    under_way = np.empty((64, 5), dtype=np.int32)
    # The node drawn last at each depth: the parent of what comes next below it.
    last = np.empty((64, 1), dtype=np.int32)
    count = 0
    for i in range(len(roots)):
        begin, top, depth, late, node = count, -1, 0, False, roots[i]
        while True:
            # The plan of a node that is met.
            start = plan.size[0]
            _plan(shape, rules, plan, node)
            while plan.size[0] > len(plan.rows):
                plan.size[0] = start
                plan = Plan(_longer(plan.rows), plan.size)
                _plan(shape, rules, plan, node)
            top += 1
            if top == len(under_way):
                under_way = _longer(under_way)
            under_way[top, 0], under_way[top, 1], under_way[top, 2] = start, start, plan.size[0]
            under_way[top, 3], under_way[top, 4] = depth, late
            # Its rows, and those of the plans around it, until another node is met.
            node = -1
            while top >= 0 and node < 0:
                row = under_way[top, 0]
                if row == under_way[top, 2]:
                    plan.size[0] = under_way[top, 1]
                    top -= 1
                    continue
                under_way[top, 0] = row + 1
                what = plan.rows[row, 0]
                depth = under_way[top, 3] + plan.rows[row, 1]
                late = what & c.LATER != 0 or (plan.rows[row, 1] == 0 and under_way[top, 4] != 0)
                if what & c.PLAN_OF:
                    node = plan.rows[row, 2]
                    continue
                while depth >= len(last):
                    last = _longer(last)
                if count == len(drawn):
                    drawn = _longer(drawn)
                last[depth, 0] = count - begin
                drawn[count, 0] = what & 255
                drawn[count, 1] = last[depth - 1, 0] if depth > 0 else -1
                drawn[count, 2] = late
                drawn[count, 3] = plan.rows[row, 2]
                count += 1
            if node < 0:
                break
        offsets[i + 1] = count
    return drawn[:count], offsets
