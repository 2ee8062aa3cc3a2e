"""NPath as a walk: PMD 7.14 and later count how many paths lead to each point of a body.

The walk is in the order of evaluation and carries a counter. An expression gives three numbers:
the paths that end it, those in which it is true, those in which it is false. A stack of tasks takes
the place of recursion, because nesting may be 10,000 deep. Numbers saturate: what would be more
than ``most`` is ``most``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

# What a node is. SKIP: comments and tokens; from CALL to ARRAY: expressions, whose parts are
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
# What a node is to its parent, where that matters.
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
# Of a switch: some label always fits; it is the value of something.
TOTAL, ANSWERS = 1, 2
# Registers: paths that lead to this point; what an expression gave: paths that end it, in which it
# is true, in which it is false; paths that have left the method; tasks and frames on their stacks.
PATHS, END, YES, NO, LEFT, TASKS, FRAMES, REGISTERS = range(8)
# Tasks: FLOW a statement, EVALUATE an expression, both with all children of a node (FLOWS,
# EVALUATES), and what is to be done when these have been.
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
# A frame: the statement that can be left, what of it, and the paths that have left it so.
NODE, HOW, BROKEN, CONTINUED, FRAME = range(5)
NAMED, BREAKS, LOOPS, YIELDS = range(4)


@kernel
def _times(a: int, b: int, most: int) -> int:
    if a == 0 or b == 0:
        return 0
    return most if a > most // b else a * b


@kernel
def _plus(a: int, b: int, most: int) -> int:
    return most if a > most - b else a + b


@kernel
def _in(place: Any, stop: Any, node: int, wanted: int) -> int:
    """The first child at that place; -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if place[at] == wanted:
            return at
        at = stop[at]
    return -1


@kernel
def _push(tasks: Any, now: Any, op: int, a: int, b: int, c: int) -> None:
    row = now[TASKS]
    tasks[row, 0], tasks[row, 1], tasks[row, 2], tasks[row, 3] = op, a, b, c
    now[TASKS] = row + 1


@kernel
def _frame(frames: Any, now: Any, node: int, how: int) -> None:
    row = now[FRAMES]
    frames[row, NODE], frames[row, HOW] = node, how
    frames[row, BROKEN] = frames[row, CONTINUED] = 0
    now[FRAMES] = row + 1


@kernel
def _leave(tree: Any, frames: Any, now: Any, node: int, most: int) -> None:
    """break, continue, yield: the paths end at their target. PMD knows labels of if, switch and
    loops; paths that leave any other statement by its label are lost to it."""
    code, _, _, inner, _, parent, word, _ = tree
    kind = code[node]
    label = inner[node] if kind != YIELD else -1
    for row in range(now[FRAMES] - 1, -1, -1):
        how, up = frames[row, HOW], parent[frames[row, NODE]]
        fits = how == YIELDS if kind == YIELD else how == LOOPS or (how == BREAKS and kind == BREAK)
        if label >= 0:
            fits = False
            while up >= 0 and code[up] == LABELED and not fits:
                fits = inner[up] >= 0 and word[inner[up]] == word[label]
                up = parent[up]
            fits = fits and (how == LOOPS or kind == BREAK)
        if fits:
            to = CONTINUED if kind == CONTINUE else BROKEN
            frames[row, to] = _plus(frames[row, to], now[PATHS], most)
            break
    now[PATHS] = 0


@kernel
def _evaluate(tree: Any, loud: Any, tasks: Any, now: Any, node: int) -> None:
    code, place, stop, inner, _, _, _, _ = tree
    now[END] = now[YES] = now[NO] = now[PATHS]
    if node < 0 or not loud[node]:
        return
    kind = code[node]
    if kind in (LAMBDA, TYPE_BODY):
        return
    if kind == PAREN:
        _push(tasks, now, EVALUATE, inner[node], 0, 0)
        return
    if kind == TERNARY:
        _push(tasks, now, TERNARY_YES, node, 0, 0)
        _push(tasks, now, EVALUATE, _in(place, stop, node, IN_CONDITION), 0, 0)
        return
    at = node + 1
    while at < stop[node] and kind in (BINARY, UNARY):
        if code[at] in (AND_TOKEN, OR_TOKEN):
            right = AND_RIGHT if code[at] == AND_TOKEN else OR_RIGHT
            _push(tasks, now, right, _in(place, stop, node, IN_RIGHT), 0, 0)
            _push(tasks, now, EVALUATE, _in(place, stop, node, IN_LEFT), 0, 0)
            return
        if code[at] == NOT_TOKEN:
            _push(tasks, now, SWAP, 0, 0, 0)
            _push(tasks, now, EVALUATE, inner[node], 0, 0)
            return
        at = stop[at]
    _push(tasks, now, EVALUATES, node + 1, stop[node], 0)


@kernel
def _flow(
    tree: Any, loud: Any, known: Any, tasks: Any, frames: Any, now: Any, node: int, most: int
) -> None:
    code, place, stop, inner, _, parent, _, _ = tree
    if node < 0 or not loud[node]:
        return
    kind = code[node]
    if known[node, 0] >= 0:
        now[LEFT] = _plus(now[LEFT], _times(now[PATHS], known[node, 1], most), most)
        now[PATHS] = _times(now[PATHS], known[node, 0], most)
    elif kind == PAREN:
        _push(tasks, now, FLOW, inner[node], 0, 0)
    elif CALL <= kind <= ARRAY:
        _push(tasks, now, TAKE, 0, 0, 0)
        _push(tasks, now, EVALUATE, node, 0, 0)
    elif kind == IF:
        if code[parent[node]] == LABELED:
            _frame(frames, now, node, NAMED)
            _push(tasks, now, UNFRAME, 0, 0, 0)
        _push(tasks, now, IF_YES, node, 0, 0)
        _push(tasks, now, EVALUATE, _in(place, stop, node, IN_CONDITION), 0, 0)
    elif kind in (WHILE, FOR, FOREACH):
        _push(tasks, now, LOOP_BODY, node, 0, 0)
        asked = _in(place, stop, node, IN_VALUE if kind == FOREACH else IN_CONDITION)
        _push(tasks, now, EVALUATE, asked, 0, 0)
        if kind == FOR:
            _push(tasks, now, FLOWS, node + 1, stop[node], IN_INIT)
        elif kind == FOREACH:
            _push(tasks, now, FLOW, asked, 0, 0)
    elif kind == DO:
        _frame(frames, now, node, LOOPS)
        _push(tasks, now, DO_TEST, node, 0, 0)
        _push(tasks, now, FLOW, _in(place, stop, node, IN_BODY), 0, 0)
    elif kind == SWITCH:
        _push(tasks, now, CHOOSE, node, 0, 0)
        _push(tasks, now, FLOW, _in(place, stop, node, IN_CONDITION), 0, 0)
    elif kind in (RETURN, THROW):
        _push(tasks, now, LEAVE, node, 0, 0)
        _push(tasks, now, FLOW, inner[node], 0, 0)
    elif kind in (BREAK, CONTINUE, YIELD):
        _push(tasks, now, JUMP, node, 0, 0)
        if kind == YIELD:
            _push(tasks, now, FLOW, inner[node], 0, 0)
    else:
        _push(tasks, now, FLOWS, node + 1, stop[node], NOWHERE)


@kernel
def _next_case(tree: Any, tasks: Any, now: Any, at: int, end: int, start: int, most: int) -> None:
    """One group of a switch, then the others. What falls into a group is there already."""
    code, _, stop, _, alternatives, _, _, _ = tree
    while at < end and code[at] != GROUP and code[at] != RULE:
        at = stop[at]
    if at >= end:
        return
    _push(tasks, now, NEXT_CASE, stop[at], end, start)
    entry, label = 0, at + 1
    while label < stop[at]:
        if code[label] == LABEL:
            more = _times(start, alternatives[label], most)
            entry = _plus(entry, more, most)
        label = stop[label]
    if code[at] == RULE:
        _push(tasks, now, RULE_DONE, now[PATHS], 0, 0)
        now[PATHS] = entry
    else:
        now[PATHS] = _plus(now[PATHS], entry, most)
    _push(tasks, now, FLOWS, at + 1, stop[at], NOWHERE)


@kernel
def _is_endless(tree: Any, node: int) -> bool:
    """``for (;;)``, and ``true`` as a condition."""
    code, place, stop, inner, _, _, _, _ = tree
    if code[node] == FOREACH:
        return False
    asked = _in(place, stop, node, IN_CONDITION)
    while asked >= 0 and code[asked] == PAREN:
        asked = inner[asked]
    return asked < 0 or code[asked] == TRUE


@kernel
def _step(tree: Any, loud: Any, known: Any, tasks: Any, frames: Any, now: Any, most: int) -> None:
    code, place, stop, _, _, _, _, trait = tree
    now[TASKS] -= 1
    op, a, b, c = tasks[now[TASKS]]
    if op == FLOW:
        _flow(tree, loud, known, tasks, frames, now, a, most)
    elif op == EVALUATE:
        _evaluate(tree, loud, tasks, now, a)
    elif op == FLOWS:
        # Of the children up to b, those at the place c; all of them if it is none.
        while a < b and (not loud[a] or code[a] == LABEL or (c != NOWHERE and place[a] != c)):
            a = stop[a]
        if a < b:
            _push(tasks, now, FLOWS, stop[a], b, c)
            _push(tasks, now, FLOW, a, 0, 0)
    elif op == EVALUATES:
        # What the last child gave is where the next begins.
        now[PATHS] = now[END]
        while a < b and not loud[a]:
            a = stop[a]
        if a < b:
            _push(tasks, now, EVALUATES, stop[a], b, 0)
            _push(tasks, now, EVALUATE, a, 0, 0)
        else:
            now[YES] = now[NO] = now[END]
    elif op == TAKE:
        now[PATHS] = now[END]
    elif op in (AND_RIGHT, OR_RIGHT):
        if op == AND_RIGHT:
            _push(tasks, now, AND_DONE, now[END], now[NO], 0)
            now[PATHS] = now[YES]
        else:
            _push(tasks, now, OR_DONE, now[END], now[YES], 0)
            now[PATHS] = now[NO]
        _push(tasks, now, EVALUATE, a, 0, 0)
    elif op in (AND_DONE, OR_DONE):
        now[END] = _plus(now[END], a, most)
        other = NO if op == AND_DONE else YES
        now[other] = _plus(now[other], b, most)
    elif op == SWAP:
        now[YES], now[NO] = now[NO], now[YES]
    elif op == TERNARY_YES:
        _push(tasks, now, TERNARY_NO, a, now[NO], 0)
        now[PATHS] = now[YES]
        _push(tasks, now, EVALUATE, _in(place, stop, a, IN_CONSEQUENCE), 0, 0)
    elif op == TERNARY_NO:
        _push(tasks, now, TERNARY_DONE, now[END], now[YES], now[NO])
        now[PATHS] = b
        _push(tasks, now, EVALUATE, _in(place, stop, a, IN_ALTERNATIVE), 0, 0)
    elif op == TERNARY_DONE:
        now[END] = _plus(now[END], a, most)
        now[YES] = _plus(now[YES], b, most)
        now[NO] = _plus(now[NO], c, most)
    elif op == IF_YES:
        _push(tasks, now, IF_NO, a, now[NO], 0)
        now[PATHS] = now[YES]
        _push(tasks, now, FLOW, _in(place, stop, a, IN_CONSEQUENCE), 0, 0)
    elif op == IF_NO:
        _push(tasks, now, JOIN, now[PATHS], 0, 0)
        now[PATHS] = b
        _push(tasks, now, FLOW, _in(place, stop, a, IN_ALTERNATIVE), 0, 0)
    elif op == JOIN:
        now[PATHS] = _plus(now[PATHS], a, most)
    elif op == LOOP_BODY:
        _frame(frames, now, a, LOOPS)
        _push(tasks, now, LOOP_DONE, a, now[NO], 0)
        now[PATHS] = now[YES]
        _push(tasks, now, FLOWS, a + 1, stop[a], IN_UPDATE)
        _push(tasks, now, FLOW, _in(place, stop, a, IN_BODY), 0, 0)
    elif op == DO_DONE:
        now[LEFT] = _plus(now[LEFT], now[YES], most)
        now[PATHS] = _plus(now[NO], a, most)
    elif op == CHOOSE:
        _frame(frames, now, a, YIELDS if trait[a] & ANSWERS else BREAKS)
        _push(tasks, now, CHOSEN, a, now[PATHS], 0)
        block = _in(place, stop, a, IN_BODY)
        if block >= 0:
            _push(tasks, now, NEXT_CASE, block + 1, stop[block], now[PATHS])
        now[PATHS] = 0
    elif op == NEXT_CASE:
        _next_case(tree, tasks, now, a, b, c, most)
    elif op == RULE_DONE:
        last = now[FRAMES] - 1
        frames[last, BROKEN] = _plus(frames[last, BROKEN], now[PATHS], most)
        now[PATHS] = a
    elif op == LEAVE:
        now[LEFT] = _plus(now[LEFT], now[PATHS], most)
        now[PATHS] = 0
    elif op == JUMP:
        _leave(tree, frames, now, a, most)
    else:  # UNFRAME, LOOP_DONE, DO_TEST, CHOSEN: a statement that could be left is done
        now[FRAMES] -= 1
        broken, continued = frames[now[FRAMES], BROKEN], frames[now[FRAMES], CONTINUED]
        now[PATHS] = _plus(now[PATHS], continued, most)
        if op == DO_TEST:
            _push(tasks, now, DO_DONE, broken, 0, 0)
            _push(tasks, now, EVALUATE, _in(place, stop, a, IN_CONDITION), 0, 0)
            return
        now[PATHS] = _plus(now[PATHS], broken, most)
        passes = op == CHOSEN and not trait[a] & (TOTAL | ANSWERS)
        if passes or (op == LOOP_DONE and not _is_endless(tree, a)):
            now[PATHS] = _plus(now[PATHS], b, most)


@kernel
def _loud(tree: Any) -> Any:
    """Whether there is anything in a node that counts paths."""
    code, _, _, _, _, parent, _, _ = tree
    found = np.zeros(len(code), dtype=np.bool_)
    for node in range(len(code) - 1, 0, -1):
        kind = code[node]
        if kind in (AND_TOKEN, OR_TOKEN, TERNARY) or kind >= IF:
            found[node] = True
        if found[node] and kind != LAMBDA:
            found[parent[node]] = True
    return found


@kernel
def paths(tree: Any, bodies: Any, deepest: int, most: int) -> Any:
    """The value of each body by the rules of PMD 7.14. The tree: codes, places, ends, each node's
    first child that is evaluated, how many values a label names, parents, labels of statements,
    what is to be known of a switch.

    Inner bodies come first: one in a local class is walked as a part of the body around it, and
    all that happens there is proportional to the paths that lead to it."""
    known = np.full((len(tree[0]), 2), -1, dtype=np.int64)
    found = np.ones(len(bodies), dtype=np.int64)
    # No level of the syntax has more than five tasks waiting, or more than one frame.
    tasks = np.empty((6 * deepest + 16, 4), dtype=np.int64)
    frames = np.empty((deepest + 2, FRAME), dtype=np.int64)
    now = np.zeros(REGISTERS, dtype=np.int64)
    loud = _loud(tree)
    for at in range(len(bodies) - 1, -1, -1):
        now[PATHS], now[LEFT] = 1, 0
        _push(tasks, now, FLOW, bodies[at], 0, 0)
        while now[TASKS] > 0:
            _step(tree, loud, known, tasks, frames, now, most)
        known[bodies[at], 0], known[bodies[at], 1] = now[PATHS], now[LEFT]
        found[at] = _plus(now[PATHS], now[LEFT], most)
    return found
