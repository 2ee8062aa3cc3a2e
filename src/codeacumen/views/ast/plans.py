"""Compiled drawing of trees by plans.

A row of a plan is a node to draw, with its depth below the first one, or a reference to the plan
of another syntax node at that depth. The parts that ``rules`` lists for a code yield its plan.
In all kernels, ``first``, ``parts`` and ``lists`` are the arrays of ``tables.Tables``; a row of
``parts`` has the columns of ``rules.Part``.
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
# Rows of label with flags, depth, node; ``plan[0, 0]`` is the number of rows in use, with this one.
Plan: TypeAlias = NDArray[np.int32]


@kernel
def _add_row(plan: Plan, label: int, depth: int, node: int) -> None:
    """Append a row to a plan; beyond its capacity only count it."""
    at = plan[0, 0]
    if at < len(plan):  # else draw_trees enlarges the plan and starts it again
        plan[at, 0] = label
        plan[at, 1] = depth
        plan[at, 2] = node
    plan[0, 0] = at + 1


@kernel
def _add_tree(nodes: Nodes, plan: Plan, depth: int, node: int) -> None:
    """Append a reference to the plan of a tree; ERRONEOUS if the node has no tree."""
    is_tree = nodes[node, c.CODE] >= c.TREES
    _add_row(plan, c.PLAN_OF if is_tree else labels.ERRONEOUS, depth, node)


@kernel
def _select_child(nodes: Nodes, node: int, selection: int) -> int:
    """Return a child by field, position or code (``codes.FIRST`` to ``BY_CODE``), or -1."""
    at, end, position, last = node + 1, nodes[node, c.STOP], c.FIRST - 1, -1
    while at < end:
        kind = nodes[at, c.CODE]
        tree = c.TREES <= kind < c.ASIDE
        if selection < c.FIRST:
            if nodes[at, c.FIELD] == selection and kind != c.COMMENT:
                return -1 if kind == c.HIDDEN else at
        elif selection >= c.BY_CODE:
            if kind == selection - c.BY_CODE:
                return at
        elif selection == c.LAST:
            if tree or kind == c.EMPTY:
                last = at
        elif selection == c.LEFT_END or selection == c.RIGHT_END:
            if kind >= c.HIDDEN:
                last = -1 if kind == c.HIDDEN else at
                if selection == c.LEFT_END:
                    return last
        elif selection == c.UNFIELDED:
            if tree and nodes[at, c.FIELD] == 0:
                return at
        elif tree:  # FIRST, SECOND: count the trees from FIRST on
            position += 1
            if position == selection:
                return at
        at = nodes[at, c.STOP]
    return last


@kernel
def _select_node(nodes: Nodes, node: int, selection: int) -> int:
    """Return the node that a part selects, among the node's children or elsewhere, or -1."""
    # A multiple of 512 (OF_NODE to OF_RIGHT), and the selection of a child.
    whose, selection = selection & ~511, selection & 511
    if whose >= c.OF_ANNOTATED:
        operand_column = c.LEFT if whose == c.OF_LEFT else c.RIGHT
        return int(nodes[node, c.ANNOTATED if whose == c.OF_ANNOTATED else operand_column])
    if whose == c.OF_OWNER:
        node = nodes[node, c.UP]
    elif whose == c.OF_RECORD:
        node = nodes[nodes[node, c.UP], c.UP]
        if nodes[node, c.CODE] != c.RECORD:
            return -1
    elif whose == c.OF_DECLARATOR:
        node = _select_child(nodes, node, c.BY_CODE + c.DECLARATOR)
    return _select_child(nodes, node, selection) if node >= 0 else -1


@kernel
def _add_members(
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

    With a negative label, the members belong to a getter that the plan has already. ``wrapped``:
    a member that is no declaration becomes an expression statement."""
    has_members = False
    while at < end:
        kind = nodes[at, c.CODE]
        if which >= c.BY_FIELD:
            is_member = kind >= c.TREES and nodes[at, c.FIELD] == which - c.BY_FIELD
        else:
            member = lists[which, kind]
            if member == c.BELOW:
                at += 1
                continue
            is_member = member == c.ITSELF
        if is_member:
            if label >= 0 and not has_members:
                _add_row(plan, label, depth, nodes[at, c.UP])
            has_members = True
            if wrapped and kind != c.DECLARATION:
                _add_row(plan, labels.EXPRESSION_STATEMENT, depth + 1, at)
                _add_row(plan, labels.EXPRESSION, depth + 2, at)
            _add_tree(nodes, plan, depth + (3 if wrapped and kind != c.DECLARATION else 1), at)
        at = nodes[at, c.STOP]
    return has_members


@kernel
def _add_brackets(nodes: Nodes, plan: Plan, depth: int, at: int, end: int) -> int:
    """Add an array type for each pair of brackets, outermost first; return the depth below."""
    annotation = -1
    while at < end:
        kind = nodes[at, c.CODE]
        if kind == c.ANNOTATION and annotation < 0:
            annotation = at
        elif kind == c.OPEN or kind == c.ELLIPSIS:
            holder = nodes[at, c.UP]
            if annotation >= 0:
                _add_row(plan, labels.ANNOTATED_TYPE, depth, holder)
                _add_annotations(nodes, plan, depth + 1, annotation, at)
                _add_row(plan, labels.UNDERLYING_TYPE, depth + 1, holder)
                depth, annotation = depth + 2, -1
            _add_row(plan, labels.ARRAY_TYPE, depth, holder)
            _add_row(plan, labels.TYPE, depth + 1, holder)
            depth += 2
        at = nodes[at, c.STOP]
    return depth


@kernel
def _add_annotations(nodes: Nodes, plan: Plan, depth: int, at: int, end: int) -> None:
    """Add the annotations between two nodes."""
    _add_row(plan, labels.ANNOTATIONS, depth, nodes[at, c.UP])
    while at < end:
        if nodes[at, c.CODE] == c.ANNOTATION:
            _add_tree(nodes, plan, depth + 1, at)
        at = nodes[at, c.STOP]


@kernel
def _add_type(
    nodes: Nodes, plan: Plan, label: int, depth: int, node: int, dims: int, skips_first: bool
) -> None:
    """Add a getter and its type, with the brackets in ``dims`` (-1 if there are none).

    A negative label means no getter; ``skips_first`` leaves out the first pair of brackets."""
    if label >= 0:
        _add_row(plan, label, depth, node)
        depth += 1
    if dims >= 0:
        first = _select_child(nodes, dims, c.BY_CODE + c.OPEN) if skips_first else dims
        first += nodes[dims, c.CODE] != c.ELLIPSIS
        depth = _add_brackets(nodes, plan, depth, first, nodes[dims, c.STOP])
    _add_tree(nodes, plan, depth, node)


@kernel
def _add_selection(nodes: Nodes, plan: Plan, depth: int, node: int, name: int) -> None:
    """Add a name or a member of an object; ``Outer.super.f`` is a member of a member."""
    object_node = _select_child(nodes, node, c.F_OBJECT)
    if object_node < 0:
        _add_tree(nodes, plan, depth, name)
        return
    _add_row(plan, labels.MEMBER_SELECT, depth, node)
    outer = _select_child(nodes, node, c.BY_CODE + c.SUPER)
    if outer >= 0 and outer != object_node and outer != name:
        _add_row(plan, labels.EXPRESSION, depth + 1, outer)
        _add_row(plan, labels.MEMBER_SELECT, depth + 2, outer)
        _add_row(plan, labels.EXPRESSION, depth + 3, object_node)
        _add_tree(nodes, plan, depth + 4, object_node)
        _add_row(plan, labels.IDENTIFIER, depth + 3, outer)
    else:
        _add_row(plan, labels.EXPRESSION, depth + 1, object_node)
        _add_tree(nodes, plan, depth + 2, object_node)
    _add_row(plan, labels.IDENTIFIER, depth + 1, name)


@kernel
def _add_part(
    nodes: Nodes, parts: Numbers, lists: Bytes, plan: Plan, node: int, row: int, has_getter: bool
) -> bool:
    """Add the part in this row of ``parts`` to a node's plan; return True if it is a list with
    members.

    If ``has_getter``, the plan has the getter of a list already: several parts with the same label
    share a getter."""
    how, label, depth = parts[row, 0], parts[row, 1], parts[row, 2]
    which = parts[row, 4]
    if how == c.ADD:
        _add_row(plan, nodes[node, c.LABEL] if label == c.OWN_LABEL else label, depth, node)
        return False
    node_of_part = node
    is_own_list = how == c.OWN or how == c.STATEMENT_LIST or how == c.REST
    if not is_own_list:
        node_of_part = _select_node(nodes, node, parts[row, 3])
        kind = nodes[node_of_part, c.CODE]
        if node_of_part >= 0 and (kind == c.TYPES_CLAUSE or kind == c.EXTENDS_TYPES):
            node_of_part = _select_child(nodes, node_of_part, c.BY_CODE + c.TYPE_LIST)
    if node_of_part < 0:
        return False
    if is_own_list or how == c.LIST:
        at, end = node_of_part + 1, nodes[node_of_part, c.STOP]
        if how == c.REST:
            at, end = nodes[node, c.STOP], nodes[nodes[node, c.UP], c.STOP]
        label = -1 if has_getter else label
        wrapped = how == c.STATEMENT_LIST
        return _add_members(nodes, lists, plan, label, depth, at, end, which, wrapped)
    if how == c.LEAF:
        _add_row(plan, label, depth, node_of_part)
    elif how == c.LATE:
        _add_row(plan, c.PLAN_OF | c.LATER, depth, node_of_part)
    elif how == c.DRAW:
        _add_tree(nodes, plan, depth, node_of_part)
    elif how == c.TYPED or how == c.ELEMENT_TYPED:
        dims = _select_node(nodes, node, which)
        _add_type(nodes, plan, label, depth, node_of_part, dims, how == c.ELEMENT_TYPED)
    elif how == c.OUTER_ANNOTATIONS:
        annotation = _select_child(nodes, node_of_part, c.BY_CODE + c.ANNOTATION)
        opening = _select_child(nodes, node_of_part, c.BY_CODE + c.OPEN)
        if 0 <= annotation < opening:
            _add_annotations(nodes, plan, depth, annotation, opening)
    elif how == c.SELECT:
        if label >= 0:
            _add_row(plan, label, depth, node_of_part)
        _add_selection(nodes, plan, depth + (label >= 0), node, node_of_part)
    elif how == c.CREATED and nodes[node_of_part, c.CODE] == c.IDENTIFIER:
        _add_row(plan, c.PLAN_OF | c.LATER, depth, node_of_part)
    else:  # HOLD, or CREATED for a class that is not named by an identifier
        _add_row(plan, label, depth, node_of_part)
        _add_tree(nodes, plan, depth + 1, node_of_part)
    return False


@kernel
def _append_plan(
    nodes: Nodes, first: Numbers, parts: Numbers, lists: Bytes, plan: Plan, node: int
) -> None:
    """Append the rows of a node's tree to the plan."""
    kind = nodes[node, c.CODE]
    begin, end = first[kind], first[kind + 1]
    has_getter = False
    for row in range(begin, end):
        is_same_getter = row > begin and parts[row, 1] == parts[row - 1, 1]
        has_getter = has_getter and is_same_getter
        has_getter = _add_part(nodes, parts, lists, plan, node, row, has_getter) or has_getter


@kernel
def _double_capacity(rows: Numbers) -> Numbers:
    """Return a copy with room for twice as many rows."""
    larger = np.empty((2 * len(rows), rows.shape[1]), dtype=np.int32)
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            larger[row, column] = rows[row, column]
    return larger


@kernel
def draw_trees(
    nodes: Nodes, first: Numbers, parts: Numbers, lists: Bytes, roots: Numbers, version: int
) -> tuple[Numbers, NDArray[np.int64]]:
    """Draw the tree of each root; return rows (label, parent, late, node) and the trees' offsets.

    ``late`` is 1 if the edge to the node comes last. The offsets are empty if this function was
    compiled with other codes."""
    rows = np.empty((len(nodes) + 64, 4), dtype=np.int32)
    offsets = np.zeros(len(roots) + 1, dtype=np.int64)
    if version != c.VERSION:
        return rows, offsets[:0]
    plan = np.empty((256, 3), dtype=np.int32)
    plan[0, 0] = 1
    # Stack of plans: next row, first row, end of the rows, depth, and whether the edge is late.
    stack = np.empty((64, 5), dtype=np.int32)
    # The last node drawn at each depth, which is the parent of the next one below.
    last_at_depth = np.empty((64, 1), dtype=np.int32)
    count = 0
    for i in range(len(roots)):
        begin, top, depth, late, node = count, -1, 0, False, int(roots[i])
        while True:
            # Push the plan of a node.
            start = plan[0, 0]
            while True:
                _append_plan(nodes, first, parts, lists, plan, node)
                if plan[0, 0] <= len(plan):
                    break
                plan[0, 0] = start
                plan = _double_capacity(plan)
            top += 1
            if top == len(stack):
                stack = _double_capacity(stack)
            stack[top, 0], stack[top, 1], stack[top, 2] = start, start, plan[0, 0]
            stack[top, 3], stack[top, 4] = depth, late
            # Draw its rows, and those of the plans around it, up to the next reference to a node.
            node = -1
            while top >= 0 and node < 0:
                row = stack[top, 0]
                if row == stack[top, 2]:
                    plan[0, 0] = stack[top, 1]
                    top -= 1
                    continue
                stack[top, 0] = row + 1
                label_and_flags = plan[row, 0]
                depth = int(stack[top, 3] + plan[row, 1])
                # Rows of depth 0 inherit the flag of the reference to their plan.
                late = label_and_flags & c.LATER != 0 or (plan[row, 1] == 0 and stack[top, 4] != 0)
                if label_and_flags & c.PLAN_OF:
                    node = int(plan[row, 2])
                    continue
                while depth >= len(last_at_depth):
                    last_at_depth = _double_capacity(last_at_depth)
                if count == len(rows):
                    rows = _double_capacity(rows)
                last_at_depth[depth, 0] = count - begin
                rows[count, 0] = label_and_flags & 255
                rows[count, 1] = last_at_depth[depth - 1, 0] if depth > 0 else -1
                rows[count, 2] = late
                rows[count, 3] = plan[row, 2]
                count += 1
            if node < 0:
                break
        offsets[i + 1] = count
    return rows[:count], offsets
