"""Java bodies lowered to instructions: points in the order of evaluation, labels, jumps.

To lower a node is to emit its instructions. A unit is a body that runs by itself, and a point is
one of its events (``flow/graph.py``). An instruction is a row of the program; a label is a number
that stands for a position among the instructions, so that jumps can precede their target.

A stack of tasks replaces recursion, because nesting may be 10,000 deep. Most constructs are
recipes of tasks, which are data (``flow/tables.py``). Frames describe the statements around a
point that control leaves, or runs through, on an abrupt completion (JLS 14.1); each task carries
its frame. ``flow/graph.py`` calls ``lower_units``; ``assemble_graph`` of ``flow/nodes.py`` turns
the instructions into a graph.

Arguments that the kernels share:

- ``tree``: int64 array (nodes, COLUMNS) of the syntax in pre-order, from ``classify_nodes``;
- ``program``: int64 array with the header and the tables below; a frame is the position of its
  row there;
- ``recipes``: offsets, steps and needed labels, from ``compile_recipes``;
- ``task``: operation, a, b, c and frame; the meaning of a, b and c depends on the operation.

In all of them -1 (NIL) stands for no node, no label and no frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel


def count_int64(*bounds: int) -> Any:
    """Yield a range as numpy's int64, because numba compiles a kernel anew for each Python int that
    a call passes as a literal."""
    return map(np.int64, range(*bounds))


# Codes of syntax nodes for control flow. OTHER: its children are evaluated one after the other;
# SKIP: nothing is evaluated; NAME: an identifier that declares a variable with a value; ALWAYS and
# NEVER: a constant variable that is true or false (JLS 4.12.4); ANSWER: a switch expression;
# CODES: the number of codes. ``flow/tables.py`` lists the grammar's names of most of the others.
(
    OTHER, SKIP, OPERATION, IDENT, NAME, PAREN, FIELD_ACCESS, ARRAY_ACCESS, ASSIGN, COMPOUND,
    DIVIDE_BY, UPDATE, AND, OR, NOT, TRUE, FALSE, ALWAYS, NEVER, BINARY, CONCAT, TERNARY,
    INSTANCEOF, LAMBDA, DECLARED, INITIALISED, RESOURCES, RESOURCE, CLASS_BODY, METHOD,
    STATIC_BLOCK, FIELD, CONSTANT, FORMAL, SPREAD, INFERRED, BINDING, RECORD_PATTERN, PATTERN,
    GROUP, RULE, LABEL, GUARD, DEFAULT, NULL, CATCH, FINALLY, ANSWER, SWITCH, BLOCK, SIMPLE,
    LOCAL, LABELED, ASSERT, DO, BREAK, CONTINUE, RETURN, YIELD, THROW, TRY, IF, WHILE, FOR,
    FOREACH, SYNCHRONIZED, CODES,
) = count_int64(67)  # fmt: skip
# Selectors of a child: by field, or by position among the evaluated children, or the node itself.
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
) = count_int64(25)
# Flags of a switch or a label (column TRAIT): it has a default; it has a guard; some label must
# match, otherwise the switch throws; evaluating the label has events. For a read of a variable
# TRAIT is 1 if it may throw.
HAS_DEFAULT, HAS_GUARD, MUST_MATCH, LOUD = 1, 2, 4, 8
# Operations of instructions (rows of op, a, b, c). Up to WRITE each makes a point with that event:
# a is its node, b the label of the handler (NIL: it does not throw), c is HALTS if control does not
# fall through. RAISE is the exceptional exit of the unit, JOIN only joins paths, HANDLER collects
# the exceptions of a try. SET places the label a here, JUMP continues at the label a, ARC adds an
# edge of kind c from the point of row a to the label b, HUB adds an exception edge from the point
# of row b to the label a unless an earlier instruction leads there. NOTHING: no event. Then the
# kinds of edges.
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
) = count_int64(18)
NEXT, WHEN_TRUE, WHEN_FALSE, EXCEPTION = count_int64(4)
# Operations of tasks. Those up to CHOOSES are steps of recipes (``flow/tables.py`` describes them):
# a is the node; b and c are labels, or b the event of POINT and AIMS; EACH and CHILDREN lower the
# children in the nodes [a, b), EACH only those in the field c. SET and JUMP (label b) are tasks
# too, so that the numbers begin after those of the instructions. The tasks after CHOOSES continue a
# construct: CASES the switch c with its groups in [a, b); HEADS a group with its labels in [a, b),
# c is the label of its statements; CATCHES a try with its clauses in [a, b), c is the row of the
# try, only before the first clause; CLEANS the finally block c after an exception, a is the row of
# the try, b the label of the block's copy for normal completion; ENDS this copy of the block a;
# UNWINDS a jump to the label a, through the finally blocks deeper than b.
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
) = count_int64(20, 40)
# Arguments of a step, as slots of the header: the labels of a condition (THEN, ELSE), the labels
# that the recipe makes, no label (NONE), and from EVENTS on the number of each event.
THEN, ELSE, YES, NO, END, AGAIN, NONE, EVENTS = count_int64(8)
# Columns of a frame: the enclosing frame; its kind; the label of the innermost handler; the
# innermost CLEANING frame, itself included; its depth (the number of frames around it); the word of
# a labelled statement; the targets of break and continue; PLACE: the node of the finally block or
# resources (CLEANING), the row of the head (switches); the newest of its COPIES; TEST: the row of
# the HANDLER (TRYING), 1 once exceptions have a copy of the finally block of their own (CLEANING),
# the label of the next test (switches with guards); the label of default. Then the kinds of frames:
# a try with catch clauses, a finally block or resources, a loop, a switch statement, a switch
# expression, a labelled statement. Then the columns of the syntax: the node's code; the selector of
# its field; the node after its subtree; its parent; its variable's symbol; TRAIT; the number of an
# identifier's text.
(
    PARENT,
    KIND,
    HANDLER_LABEL,
    CLEANUP_FRAME,
    DEPTH,
    WORD,
    BREAK_LABEL,
    CONTINUE_LABEL,
    PLACE,
    FIRST_COPY,
    TEST,
    DEFAULT_LABEL,
) = count_int64(12)
TRYING, CLEANING, LOOPING, CHOOSING, ANSWERING, NAMING = count_int64(6)
CODE, FIELD_CODE, STOP, PARENT_NODE, SYMBOL, TRAIT, WORD_ID, COLUMNS = count_int64(8)
# The program is one array with four tables. Its header holds the number of rows (instructions),
# frames, tasks and copies of finally blocks (a row is the target label, the label of the copy, the
# next row), the capacity and the first position of each table; then the number of labels; a flag
# that a table is full; the number of rows beyond which a finally block is not copied again; the
# label of the exit; the arguments of steps. WIDTHS: columns of a row, by table. CAPACITY and BASE
# have one element per table, so the capacity of TASKS is at CAPACITY + TASKS.
ROWS, FRAMES, TASKS, COPIES, CAPACITY, BASE, LABELS, IS_FULL, LIMIT, EXIT_LABEL, SLOTS, HEADER = (
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
NIL, _, HALTS = count_int64(-1, 2)


@kernel
def _allocate_row(program: Any, table: int, width: int) -> int:
    """Return the position of a table's next row; of its last row, after setting IS_FULL, if the
    table is full."""
    at = program[table]
    if at + 1 >= program[CAPACITY + table]:
        program[IS_FULL] = 1
    else:
        program[table] = at + 1
    return int(program[BASE + table] + at * width)


@kernel
def _emit_instruction(program: Any, op: int, a: int, b: int, c: int) -> int:
    """Append an instruction and return its row number."""
    at = _allocate_row(program, ROWS, 4)
    program[at], program[at + 1], program[at + 2], program[at + 3] = op, a, b, c
    return int(program[ROWS]) - 1


@kernel
def _new_label(program: Any) -> int:
    """Return the number of a new label, which a SET instruction places later."""
    program[LABELS] += 1
    return int(program[LABELS]) - 1


@kernel
def _emit_fork(program: Any, node: int, true_label: int, false_label: int) -> None:
    """Emit a BRANCH point of a node and its edges to two labels."""
    head = _emit_instruction(program, BRANCH, node, NIL, NIL)
    _emit_instruction(program, ARC, head, true_label, WHEN_TRUE)
    _emit_instruction(program, ARC, head, false_label, WHEN_FALSE)


@kernel
def _push_frame(program: Any, kind: int, parent: int, break_label: int, continue_label: int) -> int:
    """Append a frame inside ``parent``, whose handler it inherits, and return its position."""
    at = _allocate_row(program, FRAMES, 12)
    for column in range(12):
        program[at + column] = -1
    program[at + PARENT], program[at + KIND] = parent, kind
    program[at + HANDLER_LABEL] = program[parent + HANDLER_LABEL]
    program[at + CLEANUP_FRAME] = at if kind == CLEANING else program[parent + CLEANUP_FRAME]
    program[at + DEPTH] = program[parent + DEPTH] + 1
    program[at + BREAK_LABEL], program[at + CONTINUE_LABEL] = break_label, continue_label
    return at


@kernel
def _push_task(program: Any, op: int, a: int, b: int, c: int, frame: int) -> None:
    """Push a task on the stack; the task pushed last runs first."""
    at = _allocate_row(program, TASKS, 5)
    program[at], program[at + 1], program[at + 2], program[at + 3], program[at + 4] = (
        op,
        a,
        b,
        c,
        frame,
    )


@kernel
def _find_child(tree: Any, node: int, field_code: int) -> int:
    """Return the first child that the selector ``field_code`` (IN_…, FIRST, SECOND, SELF) matches;
    -1 if there is none."""
    if field_code == SELF:
        return node
    remaining = 2 if field_code == SECOND else 1
    at = node + 1
    while at < tree[node, STOP]:
        if tree[at, FIELD_CODE] == field_code or (field_code >= FIRST and tree[at, CODE] != SKIP):
            remaining -= 1
            if remaining == 0:
                return int(at)
        at = tree[at, STOP]
    return -1


@kernel
def _strip_parentheses(tree: Any, node: int) -> int:
    """Return the expression inside any parentheses; -1 if there is none (a source with errors)."""
    while node >= 0 and tree[node, CODE] == PAREN:
        node = _find_child(tree, node, FIRST)
    return node


@kernel
def _lower_assignment_target(tree: Any, program: Any, node: int, event: int, frame: int) -> None:
    """Lower the part of an assignment's left side that is evaluated before the right side (JLS
    15.26); ``event`` is the event of a plain variable. Reads of variables are lowered here too."""
    node = _strip_parentheses(tree, node)
    kind = tree[node, CODE] if node >= 0 else SKIP
    if kind == FIELD_ACCESS:
        _push_task(program, VISIT, _find_child(tree, node, IN_OBJECT), NIL, NIL, frame)
    elif kind == ARRAY_ACCESS:
        _push_task(program, CHILDREN, node + 1, tree[node, STOP], NIL, frame)
    elif kind != IDENT:
        _push_task(program, VISIT, node, NIL, NIL, frame)
    elif tree[node, SYMBOL] >= 0 and event != NOTHING:
        # A reference may be unboxed, or converted to a string, where it is read.
        may_throw = event == READ and tree[node, TRAIT]
        _emit_instruction(
            program, event, node, program[frame + HANDLER_LABEL] if may_throw else NIL, NIL
        )


@kernel
def _expand_recipe(tree: Any, program: Any, recipes: Any, recipe: int, task: Any) -> None:
    """Push the tasks of a construct's recipe, last step first, with the labels that it needs.

    Of the task, b and c become THEN and ELSE; b is also AGAIN, which a labelled statement around a
    loop has already made. ``recipe`` is a code of nodes, plus CODES if the node is a condition."""
    offsets, steps, needs = recipes
    # The columns of a task are operation, a, b, c and frame.
    node, frame = task[1], task[4]
    program[SLOTS + THEN], program[SLOTS + ELSE], program[SLOTS + AGAIN] = task[2], task[3], task[2]
    loop_frame = frame
    for slot in range(YES, NONE):
        if needs[recipe, slot] and (slot != AGAIN or task[2] < 0):
            program[SLOTS + slot] = _new_label(program)
    if needs[recipe, NONE]:
        loop_frame = _push_frame(
            program, LOOPING, frame, program[SLOTS + END], program[SLOTS + AGAIN]
        )
    for at in range(offsets[recipe + 1] - 1, offsets[recipe] - 1, -1):
        # b and c are slots: SLOTS + b holds the label or the event that they stand for.
        op, child_code, b, c = steps[at]
        if op in (EACH, CHILDREN):
            _push_task(program, op, node + 1, tree[node, STOP], child_code, frame)
        else:
            child = _find_child(tree, node, child_code)
            _push_task(
                program,
                op,
                child,
                program[SLOTS + b],
                program[SLOTS + c],
                loop_frame if op == VISIT else frame,
            )


@kernel
def _lower_jump(tree: Any, program: Any, node: int, frame: int) -> None:
    """Lower return, yield, break and continue: jump to the target through each finally block.

    The depth of the target's frame limits the unwinding; -1: all frames up to the exit. A jump
    without a target, which only a source with errors has, leads to the exit, too."""
    kind = tree[node, CODE]
    name = _find_child(tree, node, FIRST) if kind in (BREAK, CONTINUE) else -1
    label, depth = program[EXIT_LABEL], -1
    enclosing = frame if kind != RETURN else -1
    while enclosing >= 0 and depth < 0:
        frame_kind = program[enclosing + KIND]
        is_named_target = (
            frame_kind == NAMING and name >= 0 and program[enclosing + WORD] == tree[name, WORD_ID]
        )
        is_plain_target = name < 0 and (
            frame_kind == LOOPING or (frame_kind == CHOOSING and kind == BREAK)
        )
        if (
            is_named_target
            or (is_plain_target and kind != YIELD)
            or (frame_kind == ANSWERING and kind == YIELD)
        ):
            label, depth = (
                program[enclosing + (CONTINUE_LABEL if kind == CONTINUE else BREAK_LABEL)],
                program[enclosing + DEPTH],
            )
        enclosing = program[enclosing + PARENT]
    _push_task(program, UNWINDS, label, depth, NIL, frame)


@kernel
def _unwind_frames(tree: Any, program: Any, label: int, depth: int, frame: int) -> None:
    """Lower the innermost cleanup deeper than ``depth`` and push the task for the next one; jump to
    the label if there is none."""
    cleanup = program[frame + CLEANUP_FRAME]
    if cleanup < 0 or program[cleanup + DEPTH] <= depth:
        _emit_instruction(program, JUMP, label, NIL, NIL)
        return
    cleanup_node, outer = program[cleanup + PLACE], program[cleanup + PARENT]
    # All jumps to one label share one copy of the block. A row of COPIES is the target's label, the
    # label of the copy and the next row.
    copy = program[cleanup + FIRST_COPY]
    while copy >= 0:
        if program[copy] == label:
            _emit_instruction(program, JUMP, program[copy + 1], NIL, NIL)
            return
        copy = program[copy + 2]
    _push_task(program, UNWINDS, label, depth, NIL, outer)
    if tree[cleanup_node, CODE] == RESOURCES:
        _emit_instruction(program, OPERATES, cleanup_node, program[outer + HANDLER_LABEL], NIL)
    elif program[ROWS] < program[LIMIT]:
        copy = _allocate_row(program, COPIES, 3)
        program[copy], program[copy + 1], program[copy + 2] = (
            label,
            _new_label(program),
            program[cleanup + FIRST_COPY],
        )
        program[cleanup + FIRST_COPY] = copy
        _emit_instruction(program, SET, program[copy + 1], NIL, NIL)
        _push_task(program, VISIT, cleanup_node, NIL, NIL, outer)


@kernel
def _lower_try(tree: Any, program: Any, node: int, frame: int) -> None:
    """Lower a try statement (JLS 14.20). Exceptions lead to one handler point, from there to each
    catch clause and outward. Tasks are pushed last first: read the pushes from the end."""
    start = _emit_instruction(program, STATEMENT, node, NIL, NIL)
    end = _new_label(program)
    _push_task(program, SET, NIL, end, NIL, frame)
    outer, finally_node = frame, _find_child(tree, node, IN_FINALLY)
    if finally_node >= 0:
        outer = _push_frame(program, CLEANING, frame, NIL, NIL)
        program[outer + PLACE] = finally_node
        program[outer + HANDLER_LABEL], end = _new_label(program), _new_label(program)
        _push_task(program, ENDS, finally_node, NIL, NIL, outer)
        _push_task(program, SET, NIL, end, NIL, frame)
        _push_task(program, CLEANS, start, end, finally_node, outer)
    inner, first_catch = outer, _find_child(tree, node, IN_CATCH)
    if first_catch >= 0:
        inner = _push_frame(program, TRYING, outer, end, NIL)
        program[inner + HANDLER_LABEL] = _new_label(program)
        _push_task(program, CATCHES, first_catch, tree[node, STOP], start, inner)
    _push_task(program, JUMP, NIL, end, NIL, frame)
    body, resources = _find_child(tree, node, IN_BODY), _find_child(tree, node, IN_RESOURCES)
    body_frame = inner
    if resources >= 0:
        body_frame = _push_frame(program, CLEANING, inner, NIL, NIL)
        program[body_frame + PLACE] = resources
    _push_task(program, OPERATE, resources, NIL, NIL, inner)
    _push_task(program, VISIT, body, NIL, NIL, body_frame)
    _push_task(program, VISIT, resources, NIL, NIL, inner)


@kernel
def _emit_handler(program: Any, node: int, start: int, frame: int, halts: int) -> int:
    """Emit the point that collects the exceptions of a try and return its row.

    If no operation in the try may throw, the edge comes from the try statement itself, the row
    ``start``. ``halts`` is HALTS or NIL."""
    _emit_instruction(program, HUB, program[frame + HANDLER_LABEL], start, NIL)
    _emit_instruction(program, SET, program[frame + HANDLER_LABEL], NIL, NIL)
    return _emit_instruction(
        program, HANDLER, node, program[program[frame + PARENT] + HANDLER_LABEL], halts
    )


@kernel
def _lower_catches(tree: Any, program: Any, at: int, end: int, start: int, frame: int) -> None:
    """Lower the next catch clause in the nodes ``[at, end)``; before the first one (``start``, the
    row of the try statement, is not -1) emit the handler point."""
    outer = program[frame + PARENT]
    if start >= 0:
        program[frame + TEST] = _emit_handler(program, tree[at, PARENT_NODE], start, frame, HALTS)
    while at < end and tree[at, CODE] != CATCH:
        at = tree[at, STOP]
    if at < end:
        label = _new_label(program)
        _emit_instruction(program, ARC, program[frame + TEST], label, EXCEPTION)
        _emit_instruction(program, SET, label, NIL, NIL)
        _push_task(program, CATCHES, tree[at, STOP], end, NIL, frame)
        _push_task(program, JUMP, NIL, program[frame + BREAK_LABEL], NIL, outer)
        _push_task(program, VISIT, _find_child(tree, at, IN_BODY), NIL, NIL, outer)
        _push_task(program, VISIT, _find_child(tree, at, FIRST), NIL, NIL, outer)


@kernel
def _lower_switch(tree: Any, program: Any, node: int, frame: int) -> None:
    """Lower a switch (JLS 14.11, 15.28): edges from its head to each label, or, with guards, one
    test per label."""
    trait = tree[node, TRAIT]
    head = _emit_instruction(program, BRANCH, node, program[frame + HANDLER_LABEL], NIL)
    end = _new_label(program)
    _push_task(program, SET, NIL, end, NIL, frame)
    is_expression = tree[node, CODE] == ANSWER
    inner = _push_frame(program, ANSWERING if is_expression else CHOOSING, frame, end, NIL)
    program[inner + PLACE] = head
    if trait & HAS_DEFAULT:
        program[inner + DEFAULT_LABEL] = _new_label(program)
    elif not (is_expression or trait & MUST_MATCH):
        program[inner + DEFAULT_LABEL] = end
        _emit_instruction(program, ARC, head, end, NEXT)
    if trait & HAS_GUARD:
        program[inner + TEST] = _new_label(program)
        _emit_instruction(program, ARC, head, program[inner + TEST], NEXT)
    block = _find_child(tree, node, IN_BODY)
    if block >= 0:
        _push_task(program, CASES, block + 1, tree[block, STOP], node, inner)


@kernel
def _lower_switch_groups(tree: Any, program: Any, at: int, end: int, node: int, frame: int) -> None:
    """Lower the next group or rule in the nodes ``[at, end)`` of the switch ``node``; control that
    falls into it skips its labels. After the last one, lower the case that no guard matches."""
    while at < end and tree[at, CODE] != GROUP and tree[at, CODE] != RULE:
        at = tree[at, STOP]
    if at < end:
        body = _new_label(program)
        _emit_instruction(program, JUMP, body, NIL, NIL)
        _push_task(program, CASES, tree[at, STOP], end, node, frame)
        if tree[at, CODE] == RULE:
            _push_task(program, JUMP, NIL, program[frame + BREAK_LABEL], NIL, frame)
        _push_task(program, HEADS, at + 1, tree[at, STOP], body, frame)
    elif program[frame + TEST] >= 0:
        _emit_instruction(program, JUMP, program[frame + BREAK_LABEL], NIL, NIL)
        _emit_instruction(program, SET, program[frame + TEST], NIL, NIL)
        if program[frame + DEFAULT_LABEL] >= 0:
            _emit_instruction(program, JUMP, program[frame + DEFAULT_LABEL], NIL, NIL)
        else:
            _emit_instruction(program, OPERATES, node, program[frame + HANDLER_LABEL], HALTS)


@kernel
def _lower_switch_labels(tree: Any, program: Any, at: int, end: int, body: int, frame: int) -> None:
    """Lower the next label in the nodes ``[at, end)`` of a group; after the last label, set the
    label ``body`` and lower the group's statements."""
    while at < end and tree[at, CODE] == SKIP:
        at = tree[at, STOP]
    if at >= end or tree[at, CODE] != LABEL:
        _push_task(program, CHILDREN, at, end, NIL, frame)
        _emit_instruction(program, SET, body, NIL, NIL)
        return
    _push_task(program, HEADS, tree[at, STOP], end, body, frame)
    test, head, label = program[frame + TEST], program[frame + PLACE], _new_label(program)
    if test < 0:
        _emit_instruction(program, ARC, head, label, NEXT)
    elif tree[at, TRAIT] & HAS_DEFAULT:
        # With guards the default is no test: control arrives there after the last test has failed.
        label = program[frame + DEFAULT_LABEL]
    else:
        program[frame + TEST] = _new_label(program)
        _emit_instruction(program, SET, test, NIL, NIL)
        _emit_fork(program, at, label, program[frame + TEST])
    _emit_instruction(program, SET, label, NIL, NIL)
    if tree[at, TRAIT] & HAS_GUARD:
        _push_task(
            program, DECIDE, _find_child(tree, at, IN_GUARD), body, program[frame + TEST], frame
        )
    else:
        _push_task(program, JUMP, NIL, body, NIL, frame)
    if tree[at, TRAIT] & LOUD:
        _push_task(program, CHILDREN, at + 1, tree[at, STOP], NIL, frame)


@kernel
def _run_task(tree: Any, program: Any, recipes: Any, task: Any) -> None:
    """Emit the instructions of a task and push the tasks that it consists of.

    A step for a node that is missing (-1, an optional child) does nothing; a missing condition
    (``for (;;)``) is true."""
    op, a, b, c, frame = task
    if op in (EACH, CHILDREN):
        while a < b and tree[a, CODE] == SKIP:
            a = tree[a, STOP]
        if a < b:
            _push_task(program, op, tree[a, STOP], b, c, frame)
            if op == CHILDREN or tree[a, FIELD_CODE] == c:
                _push_task(program, VISIT, a, NIL, NIL, frame)
    elif op in (SET, JUMP):
        _emit_instruction(program, op, b, NIL, NIL)
    elif op == UNWINDS:
        _unwind_frames(tree, program, a, b, frame)
    elif op == CASES:
        _lower_switch_groups(tree, program, a, b, c, frame)
    elif op == HEADS:
        _lower_switch_labels(tree, program, a, b, c, frame)
    elif op == CATCHES:
        _lower_catches(tree, program, a, b, c, frame)
    elif op == CLEANS:
        # After too many copies of finally blocks, this exit shares one copy, or has none.
        _emit_handler(program, c, a, frame, NIL)
        if program[ROWS] < program[LIMIT]:
            program[frame + TEST] = 1
            _push_task(program, RAISES, c, NIL, NIL, program[frame + PARENT])
            _push_task(program, VISIT, c, NIL, NIL, program[frame + PARENT])
        else:
            _emit_instruction(program, JUMP, b, NIL, NIL)
    elif op == ENDS and (program[frame + TEST] < 0 or program[ROWS] < program[LIMIT]):
        # Exceptions without a copy of their own (TEST is -1) use this one, so it must exist.
        _push_task(program, VISIT, a, NIL, NIL, program[frame + PARENT])
    elif op == DECIDE:
        task[1] = _strip_parentheses(tree, a)
        if task[1] < 0:
            _emit_instruction(program, JUMP, b, NIL, NIL)
        else:
            _expand_recipe(tree, program, recipes, CODES + tree[task[1], CODE], task)
    elif a >= 0:
        if op == VISIT and tree[a, CODE] == IDENT:
            _lower_assignment_target(tree, program, a, READ, frame)
        elif op == VISIT:
            _expand_recipe(tree, program, recipes, tree[a, CODE], task)
        elif op == POINT:
            _emit_instruction(program, b, a, NIL, NIL)
        elif op == FORK:
            _emit_fork(program, a, b, c)
        elif op in (OPERATE, RAISES):
            _emit_instruction(
                program, OPERATES, a, program[frame + HANDLER_LABEL], HALTS if op == RAISES else NIL
            )
        elif op == LEAVES:
            _lower_jump(tree, program, a, frame)
        elif op == AIMS:
            _lower_assignment_target(tree, program, a, b, frame)
        elif op == WRITES:
            target = _strip_parentheses(tree, a)
            if target < 0 or tree[target, CODE] != IDENT:
                _emit_instruction(program, OPERATES, a, program[frame + HANDLER_LABEL], NIL)
            elif tree[target, SYMBOL] >= 0:
                _emit_instruction(program, WRITE, target, NIL, NIL)
        elif op == TRIES:
            _lower_try(tree, program, a, frame)
        elif op == CHOOSES:
            _lower_switch(tree, program, a, frame)
        elif op == NAMES:
            end, again = _new_label(program), b if b >= 0 else _new_label(program)
            inner = _push_frame(program, NAMING, frame, end, again)
            program[inner + WORD] = tree[_find_child(tree, a, FIRST), WORD_ID]
            _push_task(program, SET, NIL, end, NIL, frame)
            _push_task(program, VISIT, _find_child(tree, a, SECOND), again, NIL, inner)


@kernel
def lower_units(tree: Any, program: Any, recipes: Any, units: Any, starts: Any) -> None:
    """Lower all units (nodes, int64), one after the other; write the first row of each and, as the
    last element, the number of all rows to ``starts``.

    The result is incomplete if IS_FULL is set: call again with a larger program."""
    task = np.zeros(5, dtype=np.int64)
    # The first frame stands for the unit itself: it has no kind, and its handler is RAISE.
    frame = program[BASE + FRAMES]
    for at in range(len(units)):
        node = units[at]
        starts[at] = program[ROWS]
        program[FRAMES], program[COPIES] = 1, 0
        program[EXIT_LABEL], raise_label = _new_label(program), _new_label(program)
        program[frame + PARENT] = program[frame + CLEANUP_FRAME] = program[frame + KIND] = -1
        program[frame + HANDLER_LABEL], program[frame + DEPTH] = raise_label, 0
        _emit_instruction(program, ENTRY, node, NIL, NIL)
        if tree[node, CODE] == METHOD or tree[node, CODE] == LAMBDA:
            _push_task(program, VISIT, _find_child(tree, node, IN_BODY), NIL, NIL, frame)
            _push_task(program, VISIT, _find_child(tree, node, IN_PARAMETERS), NIL, NIL, frame)
        else:
            _push_task(program, CHILDREN, node + 1, tree[node, STOP], NIL, frame)
        while program[TASKS] > 0 and not program[IS_FULL]:
            program[TASKS] -= 1
            task_row = program[BASE + TASKS] + 5 * program[TASKS]
            for column in range(5):
                task[column] = program[task_row + column]
            _run_task(tree, program, recipes, task)
        _emit_instruction(program, SET, program[EXIT_LABEL], NIL, NIL)
        _emit_instruction(program, EXIT, node, NIL, NIL)
        _emit_instruction(program, SET, raise_label, NIL, NIL)
        _emit_instruction(program, RAISE, node, NIL, NIL)
    starts[len(units)] = program[ROWS]
