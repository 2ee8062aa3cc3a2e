"""Java bodies lowered to instructions: points in the order of evaluation, labels, jumps.

A stack of tasks takes the place of recursion, because nesting may be 10,000 deep. Most constructs
are recipes of tasks, which are data (``_flow_tables``). Frames tell what encloses a point and is
left, or run through, when control leaves it (JLS 14.1); a task carries its frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel


def numbers(*bounds: int) -> Any:
    """Numbers that are no literals: a kernel is compiled anew for each literal it is given."""
    return map(np.int64, range(*bounds))


# What a node of the syntax is to control flow. OTHER: its children, one after the other; SKIP:
# nothing is evaluated; NAME: an identifier that brings a variable to life with a value; ALWAYS and
# NEVER: a variable that is constantly true or false (JLS 4.12.4).
(
    OTHER,
    SKIP,
    OPERATION,
    IDENT,
    NAME,
    PAREN,
    FIELD_ACCESS,
    ARRAY_ACCESS,
    ASSIGN,
    COMPOUND,
    DIVIDE_BY,
    UPDATE,
    AND,
    OR,
    NOT,
    TRUE,
    FALSE,
    ALWAYS,
    NEVER,
    BINARY,
    CONCAT,
    TERNARY,
    INSTANCEOF,
    LAMBDA,
    DECLARED,
    INITIALISED,
    RESOURCES,
    RESOURCE,
    CLASS_BODY,
    METHOD,
    STATIC_BLOCK,
    FIELD,
    CONSTANT,
    FORMAL,
    SPREAD,
    INFERRED,
    BINDING,
    RECORD_PATTERN,
    PATTERN,
    GROUP,
    RULE,
    LABEL,
    GUARD,
    DEFAULT,
    NULL,
    CATCH,
    FINALLY,
    ANSWER,
    SWITCH,
    BLOCK,
    SIMPLE,
    LOCAL,
    LABELED,
    ASSERT,
    DO,
    BREAK,
    CONTINUE,
    RETURN,
    YIELD,
    THROW,
    TRY,
    IF,
    WHILE,
    FOR,
    FOREACH,
    SYNCHRONIZED,
    CODES,
) = numbers(67)
# Children by field or by place among what is evaluated; or the node itself.
(
    NO_FIELD,
    IN_ALTERNATIVE,
    IN_BODY,
    IN_CONDITION,
    IN_CONSEQUENCE,
    IN_DECLARATOR,
    IN_FIELD,
    IN_INIT,
    IN_LEFT,
    IN_NAME,
    IN_OBJECT,
    IN_OPERATOR,
    IN_PARAMETERS,
    IN_PATTERN,
    IN_RESOURCES,
    IN_RIGHT,
    IN_TYPE,
    IN_UPDATE,
    IN_VALUE,
    IN_CATCH,
    IN_FINALLY,
    IN_GUARD,
    FIRST,
    SECOND,
    SELF,
) = numbers(25)
# Of a switch, or of a label: it has a default; a guard; it must match, or fail; it does something.
HAS_DEFAULT, HAS_GUARD, MUST_MATCH, LOUD = 1, 2, 4, 8
# What happens at a point (with the label of its handler, and HALTS if nothing falls through);
# then what is no point but an instruction. How an edge is taken.
(
    ENTRY,
    EXIT,
    RAISE,
    STATEMENT,
    OPERATES,
    BRANCH,
    JOIN,
    HANDLER,
    TARGET,
    DECLARE,
    BIND,
    READ,
    WRITE,
    SET,
    JUMP,
    ARC,
    HUB,
    NOTHING,
) = numbers(18)
NEXT, WHEN_TRUE, WHEN_FALSE, EXCEPTION = numbers(4)
# Tasks, up to CHOOSES steps of recipes. SET and JUMP are tasks too.
(
    POINT,
    VISIT,
    EACH,
    CHILDREN,
    DECIDE,
    FORK,
    OPERATE,
    RAISES,
    LEAVES,
    AIMS,
    WRITES,
    TRIES,
    NAMES,
    CHOOSES,
    CASES,
    HEADS,
    CATCHES,
    CLEANS,
    ENDS,
    UNWINDS,
) = numbers(20, 40)
# What a step is given: labels (a condition's two ways, then those made for it), nothing, an event.
THEN, ELSE, YES, NO, END, AGAIN, NONE, EVENTS = numbers(8)
# Columns of a frame, kinds of frames, columns of the syntax.
PARENT, KIND, HANDLED, FINAL, DEPTH, WORD, BROKEN, CONTINUED, PLACE, LAID, TEST, LAST = numbers(12)
TRYING, CLEANING, LOOPING, CHOOSING, ANSWERING, NAMING = numbers(6)
CODE, IN, STOPS, ABOVE, SYMBOL, TRAIT, SPELT, COLUMNS = numbers(8)
# What is made is one array. It begins with how many rows, frames, tasks and copies there are, how
# many there is room for, and where they begin; then: how many labels; room ran out; a finally is
# laid out again below this many rows; the exit's label; what a step may be given.
ROWS, FRAMES, TASKS, COPIES, ROOM, BASE, LABELS, FULL, LIMIT, EXITS, SLOTS, HEADER = (
    0,
    1,
    2,
    3,
    4,
    8,
    12,
    13,
    14,
    15,
    16,
    64,
)
WIDTHS = (4, 12, 5, 3)
NIL, _, HALTS = numbers(-1, 2)


@kernel
def _new(made: Any, what: int, width: int) -> int:
    """The next of its kind; the last one again and again when there is no more room."""
    at = made[what]
    if at + 1 >= made[ROOM + what]:
        made[FULL] = 1
    else:
        made[what] = at + 1
    return int(made[BASE + what] + at * width)


@kernel
def _row(made: Any, op: int, a: int, b: int, c: int) -> int:
    at = _new(made, ROWS, 4)
    made[at], made[at + 1], made[at + 2], made[at + 3] = op, a, b, c
    return int(made[ROWS]) - 1


@kernel
def _label(made: Any) -> int:
    made[LABELS] += 1
    return int(made[LABELS]) - 1


@kernel
def _fork(made: Any, node: int, yes: int, no: int) -> None:
    head = _row(made, BRANCH, node, NIL, NIL)
    _row(made, ARC, head, yes, WHEN_TRUE)
    _row(made, ARC, head, no, WHEN_FALSE)


@kernel
def _frame(made: Any, kind: int, parent: int, broken: int, continued: int) -> int:
    at = _new(made, FRAMES, 12)
    for column in range(12):
        made[at + column] = -1
    made[at + PARENT], made[at + KIND] = parent, kind
    made[at + HANDLED] = made[parent + HANDLED]
    made[at + FINAL] = at if kind == CLEANING else made[parent + FINAL]
    made[at + DEPTH] = made[parent + DEPTH] + 1
    made[at + BROKEN], made[at + CONTINUED] = broken, continued
    return at


@kernel
def _push(made: Any, op: int, a: int, b: int, c: int, env: int) -> None:
    at = _new(made, TASKS, 5)
    made[at], made[at + 1], made[at + 2], made[at + 3], made[at + 4] = op, a, b, c, env


@kernel
def _child(tree: Any, node: int, which: int) -> int:
    """The first such child; -1 if there is none."""
    if which == SELF:
        return node
    wanted = 2 if which == SECOND else 1
    at = node + 1
    while at < tree[node, STOPS]:
        if tree[at, IN] == which or (which >= FIRST and tree[at, CODE] != SKIP):
            wanted -= 1
            if wanted == 0:
                return int(at)
        at = tree[at, STOPS]
    return -1


@kernel
def _bare(tree: Any, node: int) -> int:
    """Without the parentheses around it."""
    while node >= 0 and tree[node, CODE] == PAREN:
        node = _child(tree, node, FIRST)
    return node


@kernel
def _aim(tree: Any, made: Any, node: int, event: int, env: int) -> None:
    """What is evaluated of a left side before the right one is (JLS 15.26)."""
    node = _bare(tree, node)
    kind = tree[node, CODE] if node >= 0 else SKIP
    if kind == FIELD_ACCESS:
        _push(made, VISIT, _child(tree, node, IN_OBJECT), NIL, NIL, env)
    elif kind == ARRAY_ACCESS:
        _push(made, CHILDREN, node + 1, tree[node, STOPS], NIL, env)
    elif kind != IDENT:
        _push(made, VISIT, node, NIL, NIL, env)
    elif tree[node, SYMBOL] >= 0 and event != NOTHING:
        # A reference may be unboxed, or printed, where it is read.
        risky = event == READ and tree[node, TRAIT]
        _row(made, event, node, made[env + HANDLED] if risky else NIL, NIL)


@kernel
def _expand(tree: Any, made: Any, recipes: Any, recipe: int, task: Any) -> None:
    """The tasks of a construct, from its recipe, with the labels it is given."""
    offsets, steps, needs = recipes
    node, env = task[1], task[4]
    made[SLOTS + THEN], made[SLOTS + ELSE], made[SLOTS + AGAIN] = task[2], task[3], task[2]
    inner = env
    for slot in range(YES, NONE):
        if needs[recipe, slot] and (slot != AGAIN or task[2] < 0):
            made[SLOTS + slot] = _label(made)
    if needs[recipe, NONE]:
        inner = _frame(made, LOOPING, env, made[SLOTS + END], made[SLOTS + AGAIN])
    for at in range(offsets[recipe + 1] - 1, offsets[recipe] - 1, -1):
        op, which, b, c = steps[at]
        if op in (EACH, CHILDREN):
            _push(made, op, node + 1, tree[node, STOPS], which, env)
        else:
            child = _child(tree, node, which)
            _push(made, op, child, made[SLOTS + b], made[SLOTS + c], inner if op == VISIT else env)


@kernel
def _leave(tree: Any, made: Any, node: int, env: int) -> None:
    """return, yield, break and continue: to their label, through each finally on the way."""
    kind = tree[node, CODE]
    name = _child(tree, node, FIRST) if kind in (BREAK, CONTINUE) else -1
    label, depth = made[EXITS], -1
    at = env if kind != RETURN else -1
    while at >= 0 and depth < 0:
        of = made[at + KIND]
        named = of == NAMING and name >= 0 and made[at + WORD] == tree[name, SPELT]
        plain = name < 0 and (of == LOOPING or (of == CHOOSING and kind == BREAK))
        if named or (plain and kind != YIELD) or (of == ANSWERING and kind == YIELD):
            label, depth = made[at + (CONTINUED if kind == CONTINUE else BROKEN)], made[at + DEPTH]
        at = made[at + PARENT]
    _push(made, UNWINDS, label, depth, NIL, env)


@kernel
def _unwind(tree: Any, made: Any, label: int, depth: int, env: int) -> None:
    last = made[env + FINAL]
    if last < 0 or made[last + DEPTH] <= depth:
        _row(made, JUMP, label, NIL, NIL)
        return
    place, outer = made[last + PLACE], made[last + PARENT]
    # All ways out to one label share one copy of the block.
    at = made[last + LAID]
    while at >= 0:
        if made[at] == label:
            _row(made, JUMP, made[at + 1], NIL, NIL)
            return
        at = made[at + 2]
    _push(made, UNWINDS, label, depth, NIL, outer)
    if tree[place, CODE] == RESOURCES:
        _row(made, OPERATES, place, made[outer + HANDLED], NIL)
    elif made[ROWS] < made[LIMIT]:
        at = _new(made, COPIES, 3)
        made[at], made[at + 1], made[at + 2] = label, _label(made), made[last + LAID]
        made[last + LAID] = at
        _row(made, SET, made[at + 1], NIL, NIL)
        _push(made, VISIT, place, NIL, NIL, outer)


@kernel
def _try(tree: Any, made: Any, node: int, env: int) -> None:
    """JLS 14.20. An exception goes to a hub, from there to each catch and outward."""
    start = _row(made, STATEMENT, node, NIL, NIL)
    done = _label(made)
    _push(made, SET, NIL, done, NIL, env)
    outer, last = env, _child(tree, node, IN_FINALLY)
    if last >= 0:
        outer = _frame(made, CLEANING, env, NIL, NIL)
        made[outer + PLACE] = last
        made[outer + HANDLED], done = _label(made), _label(made)
        _push(made, ENDS, last, NIL, NIL, outer)
        _push(made, SET, NIL, done, NIL, env)
        _push(made, CLEANS, start, done, last, outer)
    inner, caught = outer, _child(tree, node, IN_CATCH)
    if caught >= 0:
        inner = _frame(made, TRYING, outer, done, NIL)
        made[inner + HANDLED] = _label(made)
        _push(made, CATCHES, caught, tree[node, STOPS], start, inner)
    _push(made, JUMP, NIL, done, NIL, env)
    body, resources = _child(tree, node, IN_BODY), _child(tree, node, IN_RESOURCES)
    closing = inner
    if resources >= 0:
        closing = _frame(made, CLEANING, inner, NIL, NIL)
        made[closing + PLACE] = resources
    _push(made, OPERATE, resources, NIL, NIL, inner)
    _push(made, VISIT, body, NIL, NIL, closing)
    _push(made, VISIT, resources, NIL, NIL, inner)


@kernel
def _hub(made: Any, node: int, start: int, env: int, last: int) -> int:
    """Where the exceptions of a try meet; if nothing in it seems to throw, the try itself does."""
    _row(made, HUB, made[env + HANDLED], start, NIL)
    _row(made, SET, made[env + HANDLED], NIL, NIL)
    return _row(made, HANDLER, node, made[made[env + PARENT] + HANDLED], last)


@kernel
def _catches(tree: Any, made: Any, at: int, end: int, start: int, env: int) -> None:
    """The hub, when ``start`` is still there; then one catch clause after the other."""
    outer = made[env + PARENT]
    if start >= 0:
        made[env + TEST] = _hub(made, tree[at, ABOVE], start, env, HALTS)
    while at < end and tree[at, CODE] != CATCH:
        at = tree[at, STOPS]
    if at < end:
        label = _label(made)
        _row(made, ARC, made[env + TEST], label, EXCEPTION)
        _row(made, SET, label, NIL, NIL)
        _push(made, CATCHES, tree[at, STOPS], end, NIL, env)
        _push(made, JUMP, NIL, made[env + BROKEN], NIL, outer)
        _push(made, VISIT, _child(tree, at, IN_BODY), NIL, NIL, outer)
        _push(made, VISIT, _child(tree, at, FIRST), NIL, NIL, outer)


@kernel
def _choose(tree: Any, made: Any, node: int, env: int) -> None:
    """switch (JLS 14.11, 15.28): from its head to each label; with guards, label by label."""
    trait = tree[node, TRAIT]
    head = _row(made, BRANCH, node, made[env + HANDLED], NIL)
    end = _label(made)
    _push(made, SET, NIL, end, NIL, env)
    answers = tree[node, CODE] == ANSWER
    inner = _frame(made, ANSWERING if answers else CHOOSING, env, end, NIL)
    made[inner + PLACE] = head
    if trait & HAS_DEFAULT:
        made[inner + LAST] = _label(made)
    elif not (answers or trait & MUST_MATCH):
        made[inner + LAST] = end
        _row(made, ARC, head, end, NEXT)
    if trait & HAS_GUARD:
        made[inner + TEST] = _label(made)
        _row(made, ARC, head, made[inner + TEST], NEXT)
    block = _child(tree, node, IN_BODY)
    if block >= 0:
        _push(made, CASES, block + 1, tree[block, STOPS], node, inner)


@kernel
def _cases(tree: Any, made: Any, at: int, end: int, node: int, env: int) -> None:
    """One group of a switch, then the others; what falls into it passes by its labels."""
    while at < end and tree[at, CODE] != GROUP and tree[at, CODE] != RULE:
        at = tree[at, STOPS]
    if at < end:
        body = _label(made)
        _row(made, JUMP, body, NIL, NIL)
        _push(made, CASES, tree[at, STOPS], end, node, env)
        if tree[at, CODE] == RULE:
            _push(made, JUMP, NIL, made[env + BROKEN], NIL, env)
        _push(made, HEADS, at + 1, tree[at, STOPS], body, env)
    elif made[env + TEST] >= 0:
        _row(made, JUMP, made[env + BROKEN], NIL, NIL)
        _row(made, SET, made[env + TEST], NIL, NIL)
        if made[env + LAST] >= 0:
            _row(made, JUMP, made[env + LAST], NIL, NIL)
        else:
            _row(made, OPERATES, node, made[env + HANDLED], HALTS)


@kernel
def _heads(tree: Any, made: Any, at: int, end: int, body: int, env: int) -> None:
    """One label of a group; after the last one, what the group does."""
    while at < end and tree[at, CODE] == SKIP:
        at = tree[at, STOPS]
    if at >= end or tree[at, CODE] != LABEL:
        _push(made, CHILDREN, at, end, NIL, env)
        _row(made, SET, body, NIL, NIL)
        return
    _push(made, HEADS, tree[at, STOPS], end, body, env)
    test, head, label = made[env + TEST], made[env + PLACE], _label(made)
    if test < 0:
        _row(made, ARC, head, label, NEXT)
    elif tree[at, TRAIT] & HAS_DEFAULT:
        label = made[env + LAST]
    else:
        made[env + TEST] = _label(made)
        _row(made, SET, test, NIL, NIL)
        _fork(made, at, label, made[env + TEST])
    _row(made, SET, label, NIL, NIL)
    if tree[at, TRAIT] & HAS_GUARD:
        _push(made, DECIDE, _child(tree, at, IN_GUARD), body, made[env + TEST], env)
    else:
        _push(made, JUMP, NIL, body, NIL, env)
    if tree[at, TRAIT] & LOUD:
        _push(made, CHILDREN, at + 1, tree[at, STOPS], NIL, env)


@kernel
def _step(tree: Any, made: Any, recipes: Any, task: Any) -> None:
    op, a, b, c, env = task
    if op in (EACH, CHILDREN):
        while a < b and tree[a, CODE] == SKIP:
            a = tree[a, STOPS]
        if a < b:
            _push(made, op, tree[a, STOPS], b, c, env)
            if op == CHILDREN or tree[a, IN] == c:
                _push(made, VISIT, a, NIL, NIL, env)
    elif op in (SET, JUMP):
        _row(made, op, b, NIL, NIL)
    elif op == UNWINDS:
        _unwind(tree, made, a, b, env)
    elif op == CASES:
        _cases(tree, made, a, b, c, env)
    elif op == HEADS:
        _heads(tree, made, a, b, c, env)
    elif op == CATCHES:
        _catches(tree, made, a, b, c, env)
    elif op == CLEANS:
        # With too many copies already, one must do for all ways out, or for none.
        _hub(made, c, a, env, NIL)
        if made[ROWS] < made[LIMIT]:
            made[env + TEST] = 1
            _push(made, RAISES, c, NIL, NIL, made[env + PARENT])
            _push(made, VISIT, c, NIL, NIL, made[env + PARENT])
        else:
            _row(made, JUMP, b, NIL, NIL)
    elif op == ENDS and (made[env + TEST] < 0 or made[ROWS] < made[LIMIT]):
        _push(made, VISIT, a, NIL, NIL, made[env + PARENT])
    elif op == DECIDE:
        task[1] = _bare(tree, a)
        if task[1] < 0:
            _row(made, JUMP, b, NIL, NIL)
        else:
            _expand(tree, made, recipes, CODES + tree[task[1], CODE], task)
    elif a >= 0:
        if op == VISIT and tree[a, CODE] == IDENT:
            _aim(tree, made, a, READ, env)
        elif op == VISIT:
            _expand(tree, made, recipes, tree[a, CODE], task)
        elif op == POINT:
            _row(made, b, a, NIL, NIL)
        elif op == FORK:
            _fork(made, a, b, c)
        elif op in (OPERATE, RAISES):
            _row(made, OPERATES, a, made[env + HANDLED], HALTS if op == RAISES else NIL)
        elif op == LEAVES:
            _leave(tree, made, a, env)
        elif op == AIMS:
            _aim(tree, made, a, b, env)
        elif op == WRITES:
            to = _bare(tree, a)
            if to < 0 or tree[to, CODE] != IDENT:
                _row(made, OPERATES, a, made[env + HANDLED], NIL)
            elif tree[to, SYMBOL] >= 0:
                _row(made, WRITE, to, NIL, NIL)
        elif op == TRIES:
            _try(tree, made, a, env)
        elif op == CHOOSES:
            _choose(tree, made, a, env)
        elif op == NAMES:
            end, again = _label(made), b if b >= 0 else _label(made)
            inner = _frame(made, NAMING, env, end, again)
            made[inner + WORD] = tree[_child(tree, a, FIRST), SPELT]
            _push(made, SET, NIL, end, NIL, env)
            _push(made, VISIT, _child(tree, a, SECOND), again, NIL, inner)


@kernel
def lower(tree: Any, made: Any, recipes: Any, units: Any, starts: Any) -> None:
    """The rows of each unit, one unit after the other; ``starts`` are their first rows."""
    task = np.zeros(5, dtype=np.int64)
    env = made[BASE + FRAMES]
    for at in range(len(units)):
        node = units[at]
        starts[at] = made[ROWS]
        made[FRAMES], made[COPIES] = 1, 0
        made[EXITS], raises = _label(made), _label(made)
        made[env + PARENT] = made[env + FINAL] = made[env + KIND] = -1
        made[env + HANDLED], made[env + DEPTH] = raises, 0
        _row(made, ENTRY, node, NIL, NIL)
        if tree[node, CODE] == METHOD or tree[node, CODE] == LAMBDA:
            _push(made, VISIT, _child(tree, node, IN_BODY), NIL, NIL, env)
            _push(made, VISIT, _child(tree, node, IN_PARAMETERS), NIL, NIL, env)
        else:
            _push(made, CHILDREN, node + 1, tree[node, STOPS], NIL, env)
        while made[TASKS] > 0 and not made[FULL]:
            made[TASKS] -= 1
            last = made[BASE + TASKS] + 5 * made[TASKS]
            for column in range(5):
                task[column] = made[last + column]
            _step(tree, made, recipes, task)
        _row(made, SET, made[EXITS], NIL, NIL)
        _row(made, EXIT, node, NIL, NIL)
        _row(made, SET, raises, NIL, NIL)
        _row(made, RAISE, node, NIL, NIL)
    starts[len(units)] = made[ROWS]
