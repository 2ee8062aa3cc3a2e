"""Java bodies lowered to instructions: points in the order of evaluation, labels, jumps.

A stack of tasks takes the place of recursion, because nesting may be 10,000 deep. Most constructs
are recipes of tasks, which are data (``_flow_tables``). Frames tell what encloses a point and is
left, or run through, when control leaves it (JLS 14.1); a task carries its frame.
"""

from __future__ import annotations

from typing import Any

from acumen.lang.kernel import kernel

# What a node of the syntax is to control flow. OTHER: its children, one after the other; SKIP:
# nothing is evaluated; NAME: an identifier that brings a variable to life with a value.
(
    OTHER, SKIP, OPERATION, IDENT, NAME, PAREN, FIELD_ACCESS, ARRAY_ACCESS, ASSIGN, COMPOUND,
    DIVIDE_BY, UPDATE, AND, OR, NOT, TRUE, FALSE, BINARY, CONCAT, TERNARY, INSTANCEOF, LAMBDA,
    DECLARED, INITIALISED, RESOURCES, RESOURCE, CLASS_BODY, METHOD, STATIC_BLOCK, FIELD, CONSTANT,
    FORMAL, SPREAD, INFERRED, BINDING, RECORD_PATTERN, PATTERN, GROUP, RULE, LABEL, GUARD, DEFAULT,
    NULL, CATCH, FINALLY, ANSWER, SWITCH, BLOCK, SIMPLE, LOCAL, LABELED, ASSERT, DO, BREAK,
    CONTINUE, RETURN, YIELD, THROW, TRY, IF, WHILE, FOR, FOREACH, SYNCHRONIZED, CODES,
) = range(65)  # fmt: skip
# Children by field or by place among what is evaluated; or the node itself.
(
    NO_FIELD, IN_ALTERNATIVE, IN_BODY, IN_CONDITION, IN_CONSEQUENCE, IN_DECLARATOR, IN_FIELD,
    IN_INIT, IN_LEFT, IN_NAME, IN_OBJECT, IN_OPERATOR, IN_PARAMETERS, IN_PATTERN, IN_RESOURCES,
    IN_RIGHT, IN_TYPE, IN_UPDATE, IN_VALUE, IN_CATCH, IN_FINALLY, IN_GUARD, FIRST, SECOND, SELF,
) = range(25)  # fmt: skip
# What is known of a switch, or of one of its labels: it has a default; a guard; it must match, or
# fail; something happens in the label itself.
HAS_DEFAULT, HAS_GUARD, MUST_MATCH, LOUD = 1, 2, 4, 8
# What happens at a point; then what is no point but an instruction.
(
    ENTRY, EXIT, RAISE, STATEMENT, OPERATES, BRANCH, JOIN, HANDLER, TARGET, DECLARE, BIND, READ,
    WRITE, SET, JUMP, STOP, ARC, HUB, NOTHING,
) = range(19)  # fmt: skip
# How an edge is taken.
NEXT, WHEN_TRUE, WHEN_FALSE, EXCEPTION = range(4)
# Tasks, up to CHOOSES steps of recipes. SET and JUMP are tasks too.
(
    POINT, VISIT, EACH, CHILDREN, DECIDE, FORK, OPERATE, RAISES, LEAVES, AIMS, WRITES, TRIES,
    NAMES, CHOOSES, CASES, HEADS, CATCHES, CLEANS, UNWINDS,
) = range(20, 39)  # fmt: skip
# What a step is given: labels (a condition's two ways, then those made for it), nothing, an event.
THEN, ELSE, YES, NO, END, AGAIN, NONE, EVENTS = range(8)
# Columns of a frame, and kinds of frames.
PARENT, KIND, HANDLED, FINAL, DEPTH, WORD, BROKEN, CONTINUED, PLACE, LAID, TEST, LAST = range(12)
TRYING, CLEANING, LOOPING, CHOOSING, ANSWERING, NAMING = range(6)
# Counters; room ran out; a finally is laid out again below this many rows; the exit's label.
ROWS, LABELS, FRAMES, TASKS, COPIES, FULL, LIMIT, EXITS, COUNTERS = range(9)

# The syntax: code, field, stop, parent, variable, trait, word. What is made: counters, rows,
# frames, tasks, copies, slots. Recipes: offsets, steps, labels to make and whether it loops.


@kernel
def _room(made: Any, counter: int, array: Any) -> int:
    """The next row of an array; the last one again and again when there are no more."""
    at = made[0][counter]
    if at + 1 >= len(array):
        made[0][FULL] = 1
    else:
        made[0][counter] = at + 1
    return int(at)


@kernel
def _row(made: Any, op: int, a: int, b: int, c: int) -> int:
    rows = made[1]
    at = _room(made, ROWS, rows)
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3] = op, a, b, c
    return at


@kernel
def _label(made: Any) -> int:
    made[0][LABELS] += 1
    return int(made[0][LABELS] - 1)


@kernel
def _operate(made: Any, node: int, event: int, env: int) -> int:
    """A point that may throw."""
    return _row(made, event, node, made[2][env, HANDLED], 0)


@kernel
def _fork(made: Any, node: int, yes: int, no: int) -> None:
    head = _row(made, BRANCH, node, -1, 0)
    _row(made, ARC, head, yes, WHEN_TRUE)
    _row(made, ARC, head, no, WHEN_FALSE)


@kernel
def _frame(made: Any, kind: int, parent: int, broken: int, continued: int) -> int:
    frames = made[2]
    at = _room(made, FRAMES, frames)
    frames[at, :] = -1
    frames[at, PARENT], frames[at, KIND] = parent, kind
    frames[at, HANDLED] = frames[parent, HANDLED]
    frames[at, FINAL] = at if kind == CLEANING else frames[parent, FINAL]
    frames[at, DEPTH] = frames[parent, DEPTH] + 1
    frames[at, BROKEN], frames[at, CONTINUED] = broken, continued
    return at


@kernel
def _push(made: Any, op: int, a: int, b: int, c: int, env: int) -> None:
    tasks = made[3]
    at = _room(made, TASKS, tasks)
    tasks[at, 0], tasks[at, 1], tasks[at, 2], tasks[at, 3], tasks[at, 4] = op, a, b, c, env


@kernel
def _child(tree: Any, node: int, which: int) -> int:
    """The first such child; -1 if there is none."""
    code, fields, stop = tree[0], tree[1], tree[2]
    if which == SELF:
        return node
    wanted = 2 if which == SECOND else 1
    at = node + 1
    while at < stop[node]:
        if fields[at] == which or (which >= FIRST and code[at] != SKIP):
            wanted -= 1
            if wanted == 0:
                return int(at)
        at = stop[at]
    return -1


@kernel
def _bare(tree: Any, node: int) -> int:
    """Without the parentheses around it."""
    while node >= 0 and tree[0][node] == PAREN:
        node = _child(tree, node, FIRST)
    return node


@kernel
def _aim(tree: Any, made: Any, node: int, event: int, env: int) -> None:
    """What is evaluated of a left side before the right one is (JLS 15.26)."""
    node = _bare(tree, node)
    kind = tree[0][node] if node >= 0 else SKIP
    if kind == FIELD_ACCESS:
        _push(made, VISIT, _child(tree, node, IN_OBJECT), -1, 0, env)
    elif kind == ARRAY_ACCESS:
        _push(made, CHILDREN, node + 1, tree[2][node], 0, env)
    elif kind != IDENT:
        _push(made, VISIT, node, -1, 0, env)
    elif tree[4][node] >= 0 and event != NOTHING:
        # A reference may be unboxed, or printed, where it is read.
        risky = event == READ and tree[5][node]
        _row(made, event, node, made[2][env, HANDLED] if risky else -1, 0)


@kernel
def _expand(tree: Any, made: Any, recipes: Any, recipe: int, task: Any) -> None:
    """The tasks of a construct, from its recipe, with the labels it is given."""
    offsets, steps, needs = recipes
    node, env, slots = task[1], task[4], made[5]
    slots[THEN], slots[ELSE], slots[AGAIN] = task[2], task[3], task[2]
    inner = env
    for slot in range(YES, NONE):
        if needs[recipe, slot] and (slot != AGAIN or task[2] < 0):
            slots[slot] = _label(made)
    if needs[recipe, NONE]:
        inner = _frame(made, LOOPING, env, slots[END], slots[AGAIN])
    for at in range(offsets[recipe + 1] - 1, offsets[recipe] - 1, -1):
        op, which, b, c = steps[at]
        if op in (EACH, CHILDREN):
            _push(made, op, node + 1, tree[2][node], which, env)
        else:
            child = _child(tree, node, which)
            _push(made, op, child, slots[b], slots[c], inner if op == VISIT else env)


@kernel
def _leave(tree: Any, made: Any, node: int, env: int) -> None:
    """return, yield, break and continue: to their label, through each finally on the way."""
    frames, kind = made[2], tree[0][node]
    name = _child(tree, node, FIRST) if kind in (BREAK, CONTINUE) else -1
    label, depth = made[0][EXITS], -1
    at = env if kind != RETURN else -1
    while at >= 0 and depth < 0:
        of = frames[at, KIND]
        found = of == ANSWERING if kind == YIELD else of == LOOPING
        found = found or (of == CHOOSING and kind == BREAK)
        if name >= 0:
            found = of == NAMING and frames[at, WORD] == tree[6][name]
        if found:
            label, depth = frames[at, CONTINUED if kind == CONTINUE else BROKEN], frames[at, DEPTH]
        at = frames[at, PARENT]
    _push(made, UNWINDS, label, depth, 0, env)


@kernel
def _unwind(tree: Any, made: Any, label: int, depth: int, env: int) -> None:
    n, frames, copies = made[0], made[2], made[4]
    last = frames[env, FINAL]
    if last < 0 or frames[last, DEPTH] <= depth:
        _row(made, JUMP, label, 0, 0)
        return
    place, outer = frames[last, PLACE], frames[last, PARENT]
    # All ways out to one label share one copy of the block.
    at = frames[last, LAID]
    while at >= 0:
        if copies[at, 0] == label:
            _row(made, JUMP, copies[at, 1], 0, 0)
            return
        at = copies[at, 2]
    _push(made, UNWINDS, label, depth, 0, outer)
    if tree[0][place] == RESOURCES:
        _operate(made, place, OPERATES, outer)
    elif n[ROWS] < n[LIMIT]:
        at = _room(made, COPIES, copies)
        copies[at, 0], copies[at, 1], copies[at, 2] = label, _label(made), frames[last, LAID]
        frames[last, LAID] = at
        _row(made, SET, copies[at, 1], 0, 0)
        _push(made, VISIT, place, -1, 0, outer)


@kernel
def _try(tree: Any, made: Any, node: int, env: int) -> None:
    """JLS 14.20. An exception goes to a hub, from there to each catch and outward."""
    frames = made[2]
    start = _row(made, STATEMENT, node, -1, 0)
    done = _label(made)
    _push(made, SET, 0, done, 0, env)
    outer, last = env, _child(tree, node, IN_FINALLY)
    if last >= 0:
        outer = _frame(made, CLEANING, env, -1, -1)
        frames[outer, PLACE] = last
        frames[outer, HANDLED], done = _label(made), _label(made)
        _push(made, VISIT, last, -1, 0, env)
        _push(made, SET, 0, done, 0, env)
        _push(made, CLEANS, start, done, last, outer)
    inner, caught = outer, _child(tree, node, IN_CATCH)
    if caught >= 0:
        inner = _frame(made, TRYING, outer, done, -1)
        frames[inner, HANDLED] = _label(made)
        _push(made, CATCHES, caught, tree[2][node], start, inner)
    _push(made, JUMP, 0, done, 0, env)
    body, resources = _child(tree, node, IN_BODY), _child(tree, node, IN_RESOURCES)
    if resources >= 0:
        closing = _frame(made, CLEANING, inner, -1, -1)
        frames[closing, PLACE] = resources
        _push(made, OPERATE, resources, 0, 0, inner)
        _push(made, VISIT, body, -1, 0, closing)
        _push(made, VISIT, resources, -1, 0, inner)
    else:
        _push(made, VISIT, body, -1, 0, inner)


@kernel
def _hub(made: Any, node: int, start: int, env: int, outer: int) -> int:
    """Where the exceptions of a try meet; if nothing in it seems to throw, the try itself does."""
    _row(made, HUB, made[2][env, HANDLED], start, 0)
    _row(made, SET, made[2][env, HANDLED], 0, 0)
    return _operate(made, node, HANDLER, outer)


@kernel
def _catches(tree: Any, made: Any, at: int, end: int, start: int, env: int) -> None:
    """The hub, when ``start`` is still there; then one catch clause after the other."""
    frames = made[2]
    outer = frames[env, PARENT]
    if start >= 0:
        frames[env, TEST] = _hub(made, tree[3][at], start, env, outer)
        _row(made, STOP, 0, 0, 0)
    while at < end and tree[0][at] != CATCH:
        at = tree[2][at]
    if at < end:
        label = _label(made)
        _row(made, ARC, frames[env, TEST], label, EXCEPTION)
        _row(made, SET, label, 0, 0)
        _push(made, CATCHES, tree[2][at], end, -1, env)
        _push(made, JUMP, 0, frames[env, BROKEN], 0, outer)
        _push(made, VISIT, _child(tree, at, IN_BODY), -1, 0, outer)
        _push(made, VISIT, _child(tree, at, FIRST), -1, 0, outer)


@kernel
def _choose(tree: Any, made: Any, node: int, env: int) -> None:
    """switch (JLS 14.11, 15.28): from its head to each label; with guards, label by label."""
    frames, trait = made[2], tree[5][node]
    head = _operate(made, node, BRANCH, env)
    end = _label(made)
    _push(made, SET, 0, end, 0, env)
    answers = tree[0][node] == ANSWER
    inner = _frame(made, ANSWERING if answers else CHOOSING, env, end, -1)
    frames[inner, PLACE] = head
    if trait & HAS_DEFAULT:
        frames[inner, LAST] = _label(made)
    elif not (answers or trait & MUST_MATCH):
        frames[inner, LAST] = end
        _row(made, ARC, head, end, NEXT)
    if trait & HAS_GUARD:
        frames[inner, TEST] = _label(made)
        _row(made, ARC, head, frames[inner, TEST], NEXT)
    block = _child(tree, node, IN_BODY)
    if block >= 0:
        _push(made, CASES, block + 1, tree[2][block], node, inner)


@kernel
def _cases(tree: Any, made: Any, at: int, end: int, node: int, env: int) -> None:
    """One group of a switch, then the others; what falls into it passes by its labels."""
    code, stop, frames = tree[0], tree[2], made[2]
    while at < end and code[at] != GROUP and code[at] != RULE:
        at = stop[at]
    if at < end:
        body = _label(made)
        _row(made, JUMP, body, 0, 0)
        _push(made, CASES, stop[at], end, node, env)
        if code[at] == RULE:
            _push(made, JUMP, 0, frames[env, BROKEN], 0, env)
        _push(made, HEADS, at + 1, stop[at], body, env)
    elif frames[env, TEST] >= 0:
        _row(made, JUMP, frames[env, BROKEN], 0, 0)
        _row(made, SET, frames[env, TEST], 0, 0)
        if frames[env, LAST] >= 0:
            _row(made, JUMP, frames[env, LAST], 0, 0)
        else:
            _operate(made, node, OPERATES, frames[env, PARENT])
            _row(made, STOP, 0, 0, 0)


@kernel
def _heads(tree: Any, made: Any, at: int, end: int, body: int, env: int) -> None:
    """One label of a group; after the last one, what the group does."""
    code, stop, frames = tree[0], tree[2], made[2]
    while at < end and code[at] == SKIP:
        at = stop[at]
    if at >= end or code[at] != LABEL:
        _push(made, CHILDREN, at, end, 0, env)
        _row(made, SET, body, 0, 0)
        return
    _push(made, HEADS, stop[at], end, body, env)
    test, head, label = frames[env, TEST], frames[env, PLACE], _label(made)
    if test < 0:
        _row(made, ARC, head, label, NEXT)
    elif tree[5][at] & HAS_DEFAULT:
        label = frames[env, LAST]
    else:
        frames[env, TEST] = _label(made)
        _row(made, SET, test, 0, 0)
        _fork(made, at, label, frames[env, TEST])
    _row(made, SET, label, 0, 0)
    if tree[5][at] & HAS_GUARD:
        _push(made, DECIDE, _child(tree, at, IN_GUARD), body, frames[env, TEST], env)
    else:
        _push(made, JUMP, 0, body, 0, env)
    if tree[5][at] & LOUD:
        _push(made, CHILDREN, at + 1, stop[at], 0, env)


@kernel
def _step(tree: Any, made: Any, recipes: Any, task: Any) -> None:
    code, stop, n = tree[0], tree[2], made[0]
    op, a, b, c, env = task
    if op in (EACH, CHILDREN):
        if a < b:
            _push(made, op, stop[a], b, c, env)
            if op == CHILDREN or tree[1][a] == c:
                _push(made, VISIT, a, -1, 0, env)
    elif op in (SET, JUMP):
        _row(made, op, b, 0, 0)
    elif op == UNWINDS:
        _unwind(tree, made, a, b, env)
    elif op == CASES:
        _cases(tree, made, a, b, c, env)
    elif op == HEADS:
        _heads(tree, made, a, b, c, env)
    elif op == CATCHES:
        _catches(tree, made, a, b, c, env)
    elif op == CLEANS:
        # With too many copies already, the exception shares that of the normal way out.
        outer = made[2][env, PARENT]
        _hub(made, c, a, env, outer)
        if n[ROWS] < n[LIMIT]:
            _push(made, RAISES, c, 0, 0, outer)
            _push(made, VISIT, c, -1, 0, outer)
        else:
            _row(made, JUMP, b, 0, 0)
    elif op == DECIDE:
        task[1] = _bare(tree, a)
        if task[1] < 0:
            _row(made, JUMP, b, 0, 0)
        else:
            _expand(tree, made, recipes, CODES + code[task[1]], task)
    elif a >= 0:
        if op == VISIT:
            _expand(tree, made, recipes, code[a], task)
        elif op == POINT:
            _row(made, b, a, -1, 0)
        elif op == FORK:
            _fork(made, a, b, c)
        elif op in (OPERATE, RAISES):
            _operate(made, a, OPERATES, env)
            if op == RAISES:
                _row(made, STOP, 0, 0, 0)
        elif op == LEAVES:
            _leave(tree, made, a, env)
        elif op == AIMS:
            _aim(tree, made, a, b, env)
        elif op == WRITES:
            to = _bare(tree, a)
            if to < 0 or code[to] != IDENT:
                _operate(made, a, OPERATES, env)
            elif tree[4][to] >= 0:
                _row(made, WRITE, to, -1, 0)
        elif op == TRIES:
            _try(tree, made, a, env)
        elif op == CHOOSES:
            _choose(tree, made, a, env)
        elif op == NAMES:
            end, again = _label(made), b if b >= 0 else _label(made)
            inner = _frame(made, NAMING, env, end, again)
            made[2][inner, WORD] = tree[6][_child(tree, a, FIRST)]
            _push(made, SET, 0, end, 0, env)
            _push(made, VISIT, _child(tree, a, SECOND), again, 0, inner)


@kernel
def lower(tree: Any, made: Any, recipes: Any, units: Any, starts: Any) -> None:
    """The rows of each unit, one unit after the other; ``starts`` are their first rows."""
    n, frames, tasks = made[0], made[2], made[3]
    task = tasks[len(tasks) - 1].copy()
    for at in range(len(units)):
        node = units[at]
        starts[at] = n[ROWS]
        n[FRAMES], n[COPIES] = 1, 0
        n[EXITS], raises = _label(made), _label(made)
        frames[0, :] = -1
        frames[0, HANDLED], frames[0, DEPTH] = raises, 0
        _row(made, ENTRY, node, -1, 0)
        if tree[0][node] == METHOD or tree[0][node] == LAMBDA:
            _push(made, VISIT, _child(tree, node, IN_BODY), -1, 0, 0)
            _push(made, VISIT, _child(tree, node, IN_PARAMETERS), -1, 0, 0)
        else:
            _push(made, CHILDREN, node + 1, tree[2][node], 0, 0)
        while n[TASKS] > 0 and not n[FULL]:
            n[TASKS] -= 1
            task[:] = tasks[n[TASKS]]
            _step(tree, made, recipes, task)
        for label, event in ((n[EXITS], EXIT), (raises, RAISE)):
            _row(made, SET, label, 0, 0)
            _row(made, event, node, -1, 0)
    starts[len(units)] = n[ROWS]
