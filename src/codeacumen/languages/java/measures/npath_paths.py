"""NPath as a walk: PMD 7.14 and later count the paths that lead to each point of a body.

The walk is in the order of evaluation and carries a counter. An expression has three numbers:
the paths that end it, those in which it is true, those in which it is false. A stack of tasks
replaces recursion, because nesting may be 10,000 deep. Numbers saturate at ``maximum``. Called by
``measures/npath.py``.

The kernels share these arrays. ``tree`` is the tuple of columns that ``count_paths`` describes.
``has_branches`` is a mask of nodes. ``body_counts`` has, for the node of each finished body, the
paths that reach its end and the paths that leave it before; -1 for all other nodes. ``tasks`` and
``frames`` are the stacks, and ``registers`` holds the numbers that REGISTERS counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

# Codes of nodes. SKIP: comments and tokens; from CALL to ARRAY: expressions, whose parts are
# evaluated one after the other or short-circuit.
(
    OTHER,
    SKIP,
    SEMI,
    AND_TOKEN,
    OR_TOKEN,
    NOT_TOKEN,
    TRUE,
    PAREN,
    CALL,
    BINARY,
    UNARY,
    TERNARY,
    LAMBDA,
    ASSIGN,
    ACCESS,
    ARRAY,
    TYPE_BODY,
    LABELED,
    IF,
    WHILE,
    DO,
    FOR,
    FOREACH,
    SWITCH,
    GROUP,
    RULE,
    LABEL,
    BREAK,
    CONTINUE,
    RETURN,
    THROW,
    YIELD,
) = range(32)
# Fields of a node in its parent, as far as the rules need them.
(
    NOWHERE,
    IN_CONDITION,
    IN_CONSEQUENCE,
    IN_ALTERNATIVE,
    IN_BODY,
    IN_VALUE,
    IN_INIT,
    IN_UPDATE,
    IN_LEFT,
    IN_RIGHT,
) = range(10)
# Flags of a switch. TOTAL: some label always matches; ANSWERS: the switch is an expression.
TOTAL, ANSWERS = 1, 2
# Registers: PATHS, the paths that lead to this point; END, YES and NO, the paths that end the last
# expression, in which it is true, and in which it is false; LEFT_PATHS, the paths that have left
# the method; TASKS and FRAMES, the heights of the stacks. REGISTERS is the number of registers.
PATHS, END, YES, NO, LEFT_PATHS, TASKS, FRAMES, REGISTERS = range(8)
# Tasks: FLOW a statement, EVALUATE an expression, both also for all children of a node (FLOWS,
# EVALUATES); the others continue a construct after its parts. A task has a code and three numbers
# (a, b, c), whose meaning depends on the code: nodes, or counts to be added later. FLOWS and
# EVALUATES: the children in the nodes [a, b), FLOWS only those in the field c (NOWHERE: all). TAKE
# continues with the paths that end an expression. AND_RIGHT, OR_RIGHT: a is the right operand;
# AND_DONE, OR_DONE: a and b are the left operand's END and its NO or YES. SWAP exchanges YES and
# NO. TERNARY_NO, IF_NO: b counts the paths on which the condition of node a is false; TERNARY_DONE
# has END, YES and NO of the first arm; JOIN has the paths that end the first branch. LOOP_DONE: b
# counts the paths that skip the loop a; DO_DONE: a counts those that break out of it. CHOOSE begins
# the switch a; NEXT_CASE: its remaining groups are in [a, b), and c paths reach it; RULE_DONE: a
# counts the paths before the rule; CHOSEN: b paths have reached the switch a. UNFRAME ends a
# labelled ``if``; LEAVE is return and throw, JUMP is break, continue and yield.
(
    FLOW,
    FLOWS,
    EVALUATE,
    EVALUATES,
    TAKE,
    AND_RIGHT,
    AND_DONE,
    OR_RIGHT,
    OR_DONE,
    SWAP,
    TERNARY_YES,
    TERNARY_NO,
    TERNARY_DONE,
    IF_YES,
    IF_NO,
    JOIN,
    UNFRAME,
    LOOP_BODY,
    LOOP_DONE,
    DO_TEST,
    DO_DONE,
    CHOOSE,
    NEXT_CASE,
    RULE_DONE,
    CHOSEN,
    LEAVE,
    JUMP,
) = range(27)
# Columns of a frame: the statement that a jump can leave, its kind, and the paths that have left
# it by break (or yield) and by continue. FRAME is the number of columns. Kinds: an ``if`` with a
# label (NAMED), a switch statement (BREAKS), a loop (LOOPS), a switch expression (YIELDS).
NODE, FRAME_KIND, BROKEN, CONTINUED, FRAME = range(5)
NAMED, BREAKS, LOOPS, YIELDS = range(4)


@kernel
def _saturating_product(a: int, b: int, maximum: int) -> int:
    if a == 0 or b == 0:
        return 0
    return maximum if a > maximum // b else a * b


@kernel
def _saturating_sum(a: int, b: int, maximum: int) -> int:
    return maximum if a > maximum - b else a + b


@kernel
def _find_child(field: Any, stop: Any, node: int, field_code: int) -> int:
    """Return the first child of ``node`` in a field; -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if field[at] == field_code:
            return at
        at = stop[at]
    return -1


@kernel
def _push_task(tasks: Any, registers: Any, op: int, a: int, b: int, c: int) -> None:
    row = registers[TASKS]
    tasks[row, 0], tasks[row, 1], tasks[row, 2], tasks[row, 3] = op, a, b, c
    registers[TASKS] = row + 1


@kernel
def _push_frame(frames: Any, registers: Any, node: int, kind: int) -> None:
    row = registers[FRAMES]
    frames[row, NODE], frames[row, FRAME_KIND] = node, kind
    frames[row, BROKEN] = frames[row, CONTINUED] = 0
    registers[FRAMES] = row + 1


@kernel
def _leave_statement(tree: Any, frames: Any, registers: Any, node: int, maximum: int) -> None:
    """Add the paths of a break, continue or yield to the frame of its target.

    PMD supports labels of if, switch and loops; it drops the paths that leave any other statement
    by its label.
    """
    code, _, _, inner, _, parent, word, _ = tree
    kind = code[node]
    # The identifier of the label: the only child of a break or continue that is no token.
    label = inner[node] if kind != YIELD else -1
    for row in range(registers[FRAMES] - 1, -1, -1):
        frame_kind, ancestor = frames[row, FRAME_KIND], parent[frames[row, NODE]]
        is_target = (
            frame_kind == YIELDS
            if kind == YIELD
            else frame_kind == LOOPS or (frame_kind == BREAKS and kind == BREAK)
        )
        if label >= 0:
            is_target = False
            while ancestor >= 0 and code[ancestor] == LABELED and not is_target:
                is_target = inner[ancestor] >= 0 and word[inner[ancestor]] == word[label]
                ancestor = parent[ancestor]
            is_target = is_target and (frame_kind == LOOPS or kind == BREAK)
        if is_target:
            counter = CONTINUED if kind == CONTINUE else BROKEN
            frames[row, counter] = _saturating_sum(frames[row, counter], registers[PATHS], maximum)
            break
    registers[PATHS] = 0


@kernel
def _start_expression(tree: Any, has_branches: Any, tasks: Any, registers: Any, node: int) -> None:
    """Set END, YES and NO to PATHS, which is right without branches, and push tasks for the parts.

    ``node`` is -1 for a missing expression, as in ``for (;;)``.
    """
    code, field, stop, inner, _, _, _, _ = tree
    registers[END] = registers[YES] = registers[NO] = registers[PATHS]
    if node < 0 or not has_branches[node]:
        return
    kind = code[node]
    if kind in (LAMBDA, TYPE_BODY):
        return
    if kind == PAREN:
        _push_task(tasks, registers, EVALUATE, inner[node], 0, 0)
        return
    if kind == TERNARY:
        _push_task(tasks, registers, TERNARY_YES, node, 0, 0)
        _push_task(tasks, registers, EVALUATE, _find_child(field, stop, node, IN_CONDITION), 0, 0)
        return
    at = node + 1
    while at < stop[node] and kind in (BINARY, UNARY):
        if code[at] in (AND_TOKEN, OR_TOKEN):
            right = AND_RIGHT if code[at] == AND_TOKEN else OR_RIGHT
            _push_task(tasks, registers, right, _find_child(field, stop, node, IN_RIGHT), 0, 0)
            _push_task(tasks, registers, EVALUATE, _find_child(field, stop, node, IN_LEFT), 0, 0)
            return
        if code[at] == NOT_TOKEN:
            _push_task(tasks, registers, SWAP, 0, 0, 0)
            _push_task(tasks, registers, EVALUATE, inner[node], 0, 0)
            return
        at = stop[at]
    _push_task(tasks, registers, EVALUATES, node + 1, stop[node], 0)


@kernel
def _start_statement(
    tree: Any,
    has_branches: Any,
    body_counts: Any,
    tasks: Any,
    frames: Any,
    registers: Any,
    node: int,
    maximum: int,
) -> None:
    """Push the tasks of a statement; ``node`` may also be an expression, or -1 for no statement.

    A body whose counts are known multiplies PATHS at once.
    """
    code, field, stop, inner, _, parent, _, _ = tree
    if node < 0 or not has_branches[node]:
        return
    kind = code[node]
    if body_counts[node, 0] >= 0:
        registers[LEFT_PATHS] = _saturating_sum(
            registers[LEFT_PATHS],
            _saturating_product(registers[PATHS], body_counts[node, 1], maximum),
            maximum,
        )
        registers[PATHS] = _saturating_product(registers[PATHS], body_counts[node, 0], maximum)
    elif kind == PAREN:
        _push_task(tasks, registers, FLOW, inner[node], 0, 0)
    elif CALL <= kind <= ARRAY:
        _push_task(tasks, registers, TAKE, 0, 0, 0)
        _push_task(tasks, registers, EVALUATE, node, 0, 0)
    elif kind == IF:
        if code[parent[node]] == LABELED:
            _push_frame(frames, registers, node, NAMED)
            _push_task(tasks, registers, UNFRAME, 0, 0, 0)
        _push_task(tasks, registers, IF_YES, node, 0, 0)
        _push_task(tasks, registers, EVALUATE, _find_child(field, stop, node, IN_CONDITION), 0, 0)
    elif kind in (WHILE, FOR, FOREACH):
        _push_task(tasks, registers, LOOP_BODY, node, 0, 0)
        condition = _find_child(field, stop, node, IN_VALUE if kind == FOREACH else IN_CONDITION)
        _push_task(tasks, registers, EVALUATE, condition, 0, 0)
        if kind == FOR:
            _push_task(tasks, registers, FLOWS, node + 1, stop[node], IN_INIT)
        elif kind == FOREACH:
            _push_task(tasks, registers, FLOW, condition, 0, 0)
    elif kind == DO:
        _push_frame(frames, registers, node, LOOPS)
        _push_task(tasks, registers, DO_TEST, node, 0, 0)
        _push_task(tasks, registers, FLOW, _find_child(field, stop, node, IN_BODY), 0, 0)
    elif kind == SWITCH:
        _push_task(tasks, registers, CHOOSE, node, 0, 0)
        _push_task(tasks, registers, FLOW, _find_child(field, stop, node, IN_CONDITION), 0, 0)
    elif kind in (RETURN, THROW):
        _push_task(tasks, registers, LEAVE, node, 0, 0)
        _push_task(tasks, registers, FLOW, inner[node], 0, 0)
    elif kind in (BREAK, CONTINUE, YIELD):
        _push_task(tasks, registers, JUMP, node, 0, 0)
        if kind == YIELD:
            _push_task(tasks, registers, FLOW, inner[node], 0, 0)
    else:
        _push_task(tasks, registers, FLOWS, node + 1, stop[node], NOWHERE)


@kernel
def _start_next_case(
    tree: Any, tasks: Any, registers: Any, at: int, end: int, start: int, maximum: int
) -> None:
    """Start the next group of a switch, the first between the nodes ``at`` and ``end``.

    PATHS already holds the paths that fall through into it; ``start`` paths reach the switch.
    """
    code, _, stop, _, alternatives, _, _, _ = tree
    while at < end and code[at] != GROUP and code[at] != RULE:
        at = stop[at]
    if at >= end:
        return
    _push_task(tasks, registers, NEXT_CASE, stop[at], end, start)
    entry, label = 0, at + 1
    while label < stop[at]:
        if code[label] == LABEL:
            label_paths = _saturating_product(start, alternatives[label], maximum)
            entry = _saturating_sum(entry, label_paths, maximum)
        label = stop[label]
    if code[at] == RULE:
        _push_task(tasks, registers, RULE_DONE, registers[PATHS], 0, 0)
        registers[PATHS] = entry
    else:
        registers[PATHS] = _saturating_sum(registers[PATHS], entry, maximum)
    _push_task(tasks, registers, FLOWS, at + 1, stop[at], NOWHERE)


@kernel
def _is_endless(tree: Any, node: int) -> bool:
    """Return whether a loop has no condition, as in ``for (;;)``, or the condition ``true``.

    False for an enhanced ``for``.
    """
    code, field, stop, inner, _, _, _, _ = tree
    if code[node] == FOREACH:
        return False
    condition = _find_child(field, stop, node, IN_CONDITION)
    while condition >= 0 and code[condition] == PAREN:
        condition = inner[condition]
    return condition < 0 or code[condition] == TRUE


@kernel
def _run_task(
    tree: Any,
    has_branches: Any,
    body_counts: Any,
    tasks: Any,
    frames: Any,
    registers: Any,
    maximum: int,
) -> None:
    """Take the last task from the stack and run it; it may push further tasks."""
    code, field, stop, _, _, _, _, trait = tree
    registers[TASKS] -= 1
    op, a, b, c = tasks[registers[TASKS]]
    if op == FLOW:
        _start_statement(tree, has_branches, body_counts, tasks, frames, registers, a, maximum)
    elif op == EVALUATE:
        _start_expression(tree, has_branches, tasks, registers, a)
    elif op == FLOWS:
        # Of the children up to b, those in field c; all of them if c is NOWHERE.
        while a < b and (
            not has_branches[a] or code[a] == LABEL or (c != NOWHERE and field[a] != c)
        ):
            a = stop[a]
        if a < b:
            _push_task(tasks, registers, FLOWS, stop[a], b, c)
            _push_task(tasks, registers, FLOW, a, 0, 0)
    elif op == EVALUATES:
        # The paths that end one child lead to the next.
        registers[PATHS] = registers[END]
        while a < b and not has_branches[a]:
            a = stop[a]
        if a < b:
            _push_task(tasks, registers, EVALUATES, stop[a], b, 0)
            _push_task(tasks, registers, EVALUATE, a, 0, 0)
        else:
            registers[YES] = registers[NO] = registers[END]
    elif op == TAKE:
        registers[PATHS] = registers[END]
    elif op in (AND_RIGHT, OR_RIGHT):
        if op == AND_RIGHT:
            _push_task(tasks, registers, AND_DONE, registers[END], registers[NO], 0)
            registers[PATHS] = registers[YES]
        else:
            _push_task(tasks, registers, OR_DONE, registers[END], registers[YES], 0)
            registers[PATHS] = registers[NO]
        _push_task(tasks, registers, EVALUATE, a, 0, 0)
    elif op in (AND_DONE, OR_DONE):
        registers[END] = _saturating_sum(registers[END], a, maximum)
        other = NO if op == AND_DONE else YES
        registers[other] = _saturating_sum(registers[other], b, maximum)
    elif op == SWAP:
        registers[YES], registers[NO] = registers[NO], registers[YES]
    elif op == TERNARY_YES:
        _push_task(tasks, registers, TERNARY_NO, a, registers[NO], 0)
        registers[PATHS] = registers[YES]
        _push_task(tasks, registers, EVALUATE, _find_child(field, stop, a, IN_CONSEQUENCE), 0, 0)
    elif op == TERNARY_NO:
        _push_task(tasks, registers, TERNARY_DONE, registers[END], registers[YES], registers[NO])
        registers[PATHS] = b
        _push_task(tasks, registers, EVALUATE, _find_child(field, stop, a, IN_ALTERNATIVE), 0, 0)
    elif op == TERNARY_DONE:
        registers[END] = _saturating_sum(registers[END], a, maximum)
        registers[YES] = _saturating_sum(registers[YES], b, maximum)
        registers[NO] = _saturating_sum(registers[NO], c, maximum)
    elif op == IF_YES:
        _push_task(tasks, registers, IF_NO, a, registers[NO], 0)
        registers[PATHS] = registers[YES]
        _push_task(tasks, registers, FLOW, _find_child(field, stop, a, IN_CONSEQUENCE), 0, 0)
    elif op == IF_NO:
        _push_task(tasks, registers, JOIN, registers[PATHS], 0, 0)
        registers[PATHS] = b
        _push_task(tasks, registers, FLOW, _find_child(field, stop, a, IN_ALTERNATIVE), 0, 0)
    elif op == JOIN:
        registers[PATHS] = _saturating_sum(registers[PATHS], a, maximum)
    elif op == LOOP_BODY:
        _push_frame(frames, registers, a, LOOPS)
        _push_task(tasks, registers, LOOP_DONE, a, registers[NO], 0)
        registers[PATHS] = registers[YES]
        _push_task(tasks, registers, FLOWS, a + 1, stop[a], IN_UPDATE)
        _push_task(tasks, registers, FLOW, _find_child(field, stop, a, IN_BODY), 0, 0)
    elif op == DO_DONE:
        # PMD adds the paths back to the head of a ``do`` to the value of the method.
        registers[LEFT_PATHS] = _saturating_sum(registers[LEFT_PATHS], registers[YES], maximum)
        registers[PATHS] = _saturating_sum(registers[NO], a, maximum)
    elif op == CHOOSE:
        _push_frame(frames, registers, a, YIELDS if trait[a] & ANSWERS else BREAKS)
        _push_task(tasks, registers, CHOSEN, a, registers[PATHS], 0)
        block = _find_child(field, stop, a, IN_BODY)
        if block >= 0:
            _push_task(tasks, registers, NEXT_CASE, block + 1, stop[block], registers[PATHS])
        registers[PATHS] = 0
    elif op == NEXT_CASE:
        _start_next_case(tree, tasks, registers, a, b, c, maximum)
    elif op == RULE_DONE:
        last = registers[FRAMES] - 1
        frames[last, BROKEN] = _saturating_sum(frames[last, BROKEN], registers[PATHS], maximum)
        registers[PATHS] = a
    elif op == LEAVE:
        registers[LEFT_PATHS] = _saturating_sum(registers[LEFT_PATHS], registers[PATHS], maximum)
        registers[PATHS] = 0
    elif op == JUMP:
        _leave_statement(tree, frames, registers, a, maximum)
    else:  # UNFRAME, LOOP_DONE, DO_TEST, CHOSEN: the statement of the top frame ends
        registers[FRAMES] -= 1
        broken, continued = frames[registers[FRAMES], BROKEN], frames[registers[FRAMES], CONTINUED]
        registers[PATHS] = _saturating_sum(registers[PATHS], continued, maximum)
        if op == DO_TEST:
            _push_task(tasks, registers, DO_DONE, broken, 0, 0)
            _push_task(tasks, registers, EVALUATE, _find_child(field, stop, a, IN_CONDITION), 0, 0)
            return
        registers[PATHS] = _saturating_sum(registers[PATHS], broken, maximum)
        may_skip = op == CHOSEN and not trait[a] & (TOTAL | ANSWERS)
        if may_skip or (op == LOOP_DONE and not _is_endless(tree, a)):
            registers[PATHS] = _saturating_sum(registers[PATHS], b, maximum)


@kernel
def _find_branching_nodes(tree: Any) -> Any:
    """Return a mask of the nodes that contain a construct that changes the number of paths."""
    code, _, _, _, _, parent, _, _ = tree
    has_branches = np.zeros(len(code), dtype=np.bool_)
    for node in range(len(code) - 1, 0, -1):
        kind = code[node]
        # The codes from IF on are statements that branch or jump, and the parts of a switch.
        if kind in (AND_TOKEN, OR_TOKEN, TERNARY) or kind >= IF:
            has_branches[node] = True
        if has_branches[node] and kind != LAMBDA:
            has_branches[parent[node]] = True
    return has_branches


@kernel
def count_paths(tree: Any, bodies: Any, deepest: int, maximum: int) -> Any:
    """Return the value of each body by the rules of PMD 7.14 (``docs/npath.md``).

    ``tree`` holds the columns of ``NpathNodes`` (codes, fields, ends, each node's first evaluated
    child, the number of values of a label), parents, and the columns of ``Jumps``. ``bodies`` holds
    nodes in source order, ``deepest`` is the depth of the syntax tree.

    Inner bodies come first: a body in a local class counts as a part of the body around it, and its
    counts are proportional to the paths that lead to it, so they are computed once.
    """
    body_counts = np.full((len(tree[0]), 2), -1, dtype=np.int64)
    values = np.ones(len(bodies), dtype=np.int64)
    # Each level of the syntax has at most five waiting tasks and one frame.
    tasks = np.empty((6 * deepest + 16, 4), dtype=np.int64)
    frames = np.empty((deepest + 2, FRAME), dtype=np.int64)
    registers = np.zeros(REGISTERS, dtype=np.int64)
    has_branches = _find_branching_nodes(tree)
    for at in range(len(bodies) - 1, -1, -1):
        registers[PATHS], registers[LEFT_PATHS] = 1, 0
        _push_task(tasks, registers, FLOW, bodies[at], 0, 0)
        while registers[TASKS] > 0:
            _run_task(tree, has_branches, body_counts, tasks, frames, registers, maximum)
        body_counts[bodies[at], 0], body_counts[bodies[at], 1] = (
            registers[PATHS],
            registers[LEFT_PATHS],
        )
        values[at] = _saturating_sum(registers[PATHS], registers[LEFT_PATHS], maximum)
    return values
