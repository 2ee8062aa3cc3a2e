"""Compiled drawing of trees by plans.

A row of a plan is a node to draw, with its depth below the first one, or a reference to the plan
of another syntax node at that depth. The parts that ``rules`` lists for a code yield its plan.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel
from codeacumen.views.ast import codes as c
from codeacumen.views.ast import labels

Bytes: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int32]
# Rows with the columns of ``codes``.
Nodes: TypeAlias = NDArray[np.int32]
# Rows of label with flags, depth, node; the first row holds the number of rows.
Plan: TypeAlias = NDArray[np.int32]


@kernel
def _add(plan: Plan, label: int, depth: int, node: int) -> None:
    """Append a row to a plan; beyond its capacity only count it."""
    at = plan[0, 0]
    if at < len(plan):  # else draw_trees enlarges the plan and starts it again
        plan[at, 0] = label
        plan[at, 1] = depth
        plan[at, 2] = node
    plan[0, 0] = at + 1


@kernel
def _draw(nodes: Nodes, plan: Plan, depth: int, node: int) -> None:
    """Append a reference to the plan of a tree; ERRONEOUS if the node has no tree."""
    drawn = nodes[node, c.CODE] >= c.TREES
    _add(plan, c.PLAN_OF if drawn else labels.ERRONEOUS, depth, node)


@kernel
def _child(nodes: Nodes, node: int, chosen: int) -> int:
    """Return a child by field, position or code, or -1 if there is none."""
    at, end, seen, last = node + 1, nodes[node, c.STOP], c.FIRST - 1, -1
    while at < end:
        kind = nodes[at, c.CODE]
        tree = c.TREES <= kind < c.ASIDE
        if chosen < c.FIRST:
            if nodes[at, c.FIELD] == chosen and kind != c.COMMENT:
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
            if tree and nodes[at, c.FIELD] == 0:
                return at
        elif tree:
            seen += 1
            if seen == chosen:
                return at
        at = nodes[at, c.STOP]
    return last


@kernel
def _pick(nodes: Nodes, node: int, chosen: int) -> int:
    """Return the node that a part selects, among the node's children or elsewhere, or -1."""
    whose, chosen = chosen & ~511, chosen & 511
    if whose >= c.OF_ANNOTATED:
        given = c.LEFT if whose == c.OF_LEFT else c.RIGHT
        return int(nodes[node, c.ANNOTATED if whose == c.OF_ANNOTATED else given])
    if whose == c.OF_OWNER:
        node = nodes[node, c.UP]
    elif whose == c.OF_RECORD:
        node = nodes[nodes[node, c.UP], c.UP]
        if nodes[node, c.CODE] != c.RECORD:
            return -1
    elif whose == c.OF_DECLARATOR:
        node = _child(nodes, node, c.BY_CODE + c.DECLARATOR)
    return _child(nodes, node, chosen) if node >= 0 else -1


@kernel
def _members(
    nodes: Nodes,
    lists: Bytes,
    plan: Plan,
    label: int,
    depth: int,
    at: int,
    end: int,
    which: int,
    wrapped: bool,
) -> bool:
    """Add a getter and the members of a list between two nodes; return False if it is empty.

    With a negative label, the members belong to a getter that the plan has already."""
    found = False
    while at < end:
        kind = nodes[at, c.CODE]
        if which >= c.BY_FIELD:
            fits = kind >= c.TREES and nodes[at, c.FIELD] == which - c.BY_FIELD
        else:
            member = lists[which, kind]
            if member == c.BELOW:
                at += 1
                continue
            fits = member == c.ITSELF
        if fits:
            if label >= 0 and not found:
                _add(plan, label, depth, nodes[at, c.UP])
            found = True
            if wrapped and kind != c.DECLARATION:
                _add(plan, labels.EXPRESSION_STATEMENT, depth + 1, at)
                _add(plan, labels.EXPRESSION, depth + 2, at)
            _draw(nodes, plan, depth + (3 if wrapped and kind != c.DECLARATION else 1), at)
        at = nodes[at, c.STOP]
    return found


@kernel
def _brackets(nodes: Nodes, plan: Plan, depth: int, at: int, end: int) -> int:
    """Add an array type for each pair of brackets, outermost first; return the depth below."""
    annotation = -1
    while at < end:
        kind = nodes[at, c.CODE]
        if kind == c.ANNOTATION and annotation < 0:
            annotation = at
        elif kind == c.OPEN or kind == c.ELLIPSIS:
            holder = nodes[at, c.UP]
            if annotation >= 0:
                _add(plan, labels.ANNOTATED_TYPE, depth, holder)
                _annotations(nodes, plan, depth + 1, annotation, at)
                _add(plan, labels.UNDERLYING_TYPE, depth + 1, holder)
                depth, annotation = depth + 2, -1
            _add(plan, labels.ARRAY_TYPE, depth, holder)
            _add(plan, labels.TYPE, depth + 1, holder)
            depth += 2
        at = nodes[at, c.STOP]
    return depth


@kernel
def _annotations(nodes: Nodes, plan: Plan, depth: int, at: int, end: int) -> None:
    """Add the annotations between two nodes."""
    _add(plan, labels.ANNOTATIONS, depth, nodes[at, c.UP])
    while at < end:
        if nodes[at, c.CODE] == c.ANNOTATION:
            _draw(nodes, plan, depth + 1, at)
        at = nodes[at, c.STOP]


@kernel
def _type(
    nodes: Nodes, plan: Plan, label: int, depth: int, node: int, dims: int, skipped: bool
) -> None:
    """Add a getter and its type, with the brackets of another node."""
    if label >= 0:
        _add(plan, label, depth, node)
        depth += 1
    if dims >= 0:
        first = _child(nodes, dims, c.BY_CODE + c.OPEN) if skipped else dims
        first += nodes[dims, c.CODE] != c.ELLIPSIS
        depth = _brackets(nodes, plan, depth, first, nodes[dims, c.STOP])
    _draw(nodes, plan, depth, node)


@kernel
def _select(nodes: Nodes, plan: Plan, depth: int, node: int, name: int) -> None:
    """Add a name or a member of an object; ``Outer.super.f`` is a member of a member."""
    of = _child(nodes, node, c.F_OBJECT)
    if of < 0:
        _draw(nodes, plan, depth, name)
        return
    _add(plan, labels.MEMBER_SELECT, depth, node)
    outer = _child(nodes, node, c.BY_CODE + c.SUPER)
    if outer >= 0 and outer != of and outer != name:
        _add(plan, labels.EXPRESSION, depth + 1, outer)
        _add(plan, labels.MEMBER_SELECT, depth + 2, outer)
        _add(plan, labels.EXPRESSION, depth + 3, of)
        _draw(nodes, plan, depth + 4, of)
        _add(plan, labels.IDENTIFIER, depth + 3, outer)
    else:
        _add(plan, labels.EXPRESSION, depth + 1, of)
        _draw(nodes, plan, depth + 2, of)
    _add(plan, labels.IDENTIFIER, depth + 1, name)


@kernel
def _part(
    nodes: Nodes, parts: Numbers, lists: Bytes, plan: Plan, node: int, row: int, held: bool
) -> bool:
    """Add a part of a node's tree; return True if it is a list with members.

    If ``held``, the plan has the getter already."""
    how, label, depth = parts[row, 0], parts[row, 1], parts[row, 2]
    which = parts[row, 4]
    if how == c.ADD:
        _add(plan, nodes[node, c.LABEL] if label == c.OWN_LABEL else label, depth, node)
        return False
    chosen = node
    own = how == c.OWN or how == c.STATEMENT_LIST or how == c.REST
    if not own:
        chosen = _pick(nodes, node, parts[row, 3])
        kind = nodes[chosen, c.CODE]
        if chosen >= 0 and (kind == c.TYPES_CLAUSE or kind == c.EXTENDS_TYPES):
            chosen = _child(nodes, chosen, c.BY_CODE + c.TYPE_LIST)
    if chosen < 0:
        return False
    if own or how == c.LIST:
        at, end = chosen + 1, nodes[chosen, c.STOP]
        if how == c.REST:
            at, end = nodes[node, c.STOP], nodes[nodes[node, c.UP], c.STOP]
        label = -1 if held else label
        wrapped = how == c.STATEMENT_LIST
        return _members(nodes, lists, plan, label, depth, at, end, which, wrapped)
    if how == c.LEAF:
        _add(plan, label, depth, chosen)
    elif how == c.LATE:
        _add(plan, c.PLAN_OF | c.LATER, depth, chosen)
    elif how == c.DRAW:
        _draw(nodes, plan, depth, chosen)
    elif how == c.TYPED or how == c.ELEMENT_TYPED:
        dims = _pick(nodes, node, which)
        _type(nodes, plan, label, depth, chosen, dims, how == c.ELEMENT_TYPED)
    elif how == c.OUTER_ANNOTATIONS:
        annotation = _child(nodes, chosen, c.BY_CODE + c.ANNOTATION)
        opening = _child(nodes, chosen, c.BY_CODE + c.OPEN)
        if 0 <= annotation < opening:
            _annotations(nodes, plan, depth, annotation, opening)
    elif how == c.SELECT:
        if label >= 0:
            _add(plan, label, depth, chosen)
        _select(nodes, plan, depth + (label >= 0), node, chosen)
    elif how == c.CREATED and nodes[chosen, c.CODE] == c.IDENTIFIER:
        _add(plan, c.PLAN_OF | c.LATER, depth, chosen)
    else:
        _add(plan, label, depth, chosen)
        _draw(nodes, plan, depth + 1, chosen)
    return False


@kernel
def _plan(
    nodes: Nodes, first: Numbers, parts: Numbers, lists: Bytes, plan: Plan, node: int
) -> None:
    """Append the rows of a node's tree to the plan."""
    kind = nodes[node, c.CODE]
    begin, end = first[kind], first[kind + 1]
    held = False
    for row in range(begin, end):
        again = row > begin and parts[row, 1] == parts[row - 1, 1]
        held = held and again
        held = _part(nodes, parts, lists, plan, node, row, held) or held


@kernel
def _longer(rows: Numbers) -> Numbers:
    """Return a copy with room for twice as many rows."""
    more = np.empty((2 * len(rows), rows.shape[1]), dtype=np.int32)
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            more[row, column] = rows[row, column]
    return more


@kernel
def draw(
    nodes: Nodes, first: Numbers, parts: Numbers, lists: Bytes, roots: Numbers, version: int
) -> tuple[Numbers, NDArray[np.int64]]:
    """Draw the tree of each root; return rows (label, parent, late, node) and the trees' offsets.

    The offsets are empty if this function was compiled with other codes."""
    drawn = np.empty((len(nodes) + 64, 4), dtype=np.int32)
    offsets = np.zeros(len(roots) + 1, dtype=np.int64)
    if version != c.VERSION:
        return drawn, offsets[:0]
    plan = np.empty((256, 3), dtype=np.int32)
    plan[0, 0] = 1
    # Stack of plans: next row, first row, end of the rows, depth, and whether the edge is late.
    under_way = np.empty((64, 5), dtype=np.int32)
    # The last node drawn at each depth, which is the parent of the next one below.
    last = np.empty((64, 1), dtype=np.int32)
    count = 0
    for i in range(len(roots)):
        begin, top, depth, late, node = count, -1, 0, False, int(roots[i])
        while True:
            # Push the plan of a node.
            start = plan[0, 0]
            while True:
                _plan(nodes, first, parts, lists, plan, node)
                if plan[0, 0] <= len(plan):
                    break
                plan[0, 0] = start
                plan = _longer(plan)
            top += 1
            if top == len(under_way):
                under_way = _longer(under_way)
            under_way[top, 0], under_way[top, 1], under_way[top, 2] = start, start, plan[0, 0]
            under_way[top, 3], under_way[top, 4] = depth, late
            # Draw its rows, and those of the plans around it, up to the next reference to a node.
            node = -1
            while top >= 0 and node < 0:
                row = under_way[top, 0]
                if row == under_way[top, 2]:
                    plan[0, 0] = under_way[top, 1]
                    top -= 1
                    continue
                under_way[top, 0] = row + 1
                what = plan[row, 0]
                depth = int(under_way[top, 3] + plan[row, 1])
                late = what & c.LATER != 0 or (plan[row, 1] == 0 and under_way[top, 4] != 0)
                if what & c.PLAN_OF:
                    node = int(plan[row, 2])
                    continue
                while depth >= len(last):
                    last = _longer(last)
                if count == len(drawn):
                    drawn = _longer(drawn)
                last[depth, 0] = count - begin
                drawn[count, 0] = what & 255
                drawn[count, 1] = last[depth - 1, 0] if depth > 0 else -1
                drawn[count, 2] = late
                drawn[count, 3] = plan[row, 2]
                count += 1
            if node < 0:
                break
        offsets[i + 1] = count
    return drawn[:count], offsets
