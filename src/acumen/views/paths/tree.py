"""Java's syntax made into the tree of JavaParser 3.0.0-alpha.4, for all methods of a file at once.

The builder follows the rules (``rules``), which it gets as arrays, and what was found out about
single pieces of syntax (``details``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.lang.syntax import Column

if TYPE_CHECKING:
    from acumen.views.paths.tables import Tables

Rows = NDArray[np.int32]

# Codes of this file alone: compiled code is kept under this file's time stamp. ``tables`` hands
# over what they mean in the grammar that is installed.
#
# A reading below zero takes what is inside, in context -1 - reading or in the same one.
SAME = -100
# In a rule's slot whatever the source says: a phantom, or the same syntax again, by a rule or
# (from AGAIN on) read in a context.
PHANTOM, AGAIN = -1, 1000
LEFT_OUT = 255
TAKEN, ELEMENT, PAIRS, LEVELS = range(4)
# Ways to be a leaf: what the leaf's text is.
(
    NO_LEAF, TEXT, NAME, TYPE, BRACKETS, BRACES, PARENTHESES, WILDCARD, DIAMOND, LEAST_INT,
    LEAST_LONG,
) = range(11)  # fmt: skip
MARKS = (
    "", "identifier", "type_identifier", "lambda_expression", "cast_expression",
    "ternary_expression", "array_type", "dimensions", "[", "dimensions_expr",
    "enum_body_declarations", ";", "type_arguments", "comment", "annotation", "annotates",
)  # fmt: skip
(
    _, IDENTIFIER, TYPE_IDENTIFIER, LAMBDA, CAST, TERNARY, ARRAY_TYPE, DIMENSIONS, OPENING,
    DIMENSION, ENUM_MEMBERS, SEMICOLON, TYPE_ARGUMENTS, COMMENT, ANNOTATION, ANNOTATES,
) = range(len(MARKS))  # fmt: skip
SPECIALS = (
    "", "kind", "instead", "reference", "cast", "inner cast", "intersection", "conditional",
    "array", "generic", "scoped",
)  # fmt: skip
(
    _, KIND, INSTEAD, REFERENCE, CASTING, INNER_CAST, INTERSECTION, CONDITIONAL, ARRAY, GENERIC,
    SCOPED,
) = range(len(SPECIALS))  # fmt: skip
RULES = (
    "Method", "NameExpr", "Enclosed", "TypeExpr", "InnerCast", "ArrayType", "ArrayLevel",
    "BracketPair", "CatchParameter", "CaughtType",
)  # fmt: skip
(
    R_METHOD, R_NAME, R_ENCLOSED, R_TYPE_EXPR, R_INNER_CAST, R_ARRAY, R_LEVEL, R_PAIR,
    R_CATCH_PARAMETER, R_CAUGHT,
) = range(len(RULES))  # fmt: skip
KINDS = (
    "MethodReferenceExpr", "ClassOrInterfaceType", "PrimitiveType", "IntegerLiteralMinValueExpr",
    "LongLiteralMinValueExpr",
)  # fmt: skip
K_REFERENCE, K_CLASS, K_PRIMITIVE, K_LEAST_INT, K_LEAST_LONG = range(len(KINDS))

# Siblings with the same source range share a child id: those without a range, the levels of an
# array creation (they have that of the whole), a lambda and the name it left behind. Java knows
# 255 dimensions; past that a child counts for itself.
NO_RANGE, LEVEL, LEFT_BEHIND = 1, 2, 3
_SHARED = 255
_LAST_RANK = 254


class Syntax(NamedTuple):
    """A file's syntax, and what is known of its nodes (``details``)."""

    symbol: NDArray[np.uint16]
    mark: NDArray[np.uint8]
    field: NDArray[np.uint16]
    start: Column
    end: Column
    up: Column
    stop: Column
    rule: NDArray[np.int32]
    kind: NDArray[np.int16]
    other: NDArray[np.int32]


@kernel
def _first(code: Syntax, node: int) -> int:
    """The first child that is no comment, the node itself if there is none."""
    at = node + 1
    while at < code.stop[node]:
        if code.mark[at] != COMMENT:
            return at
        at = code.stop[at]
    return node


@kernel
def _room(rows: Rows, needed: int) -> Rows:
    if needed <= len(rows):
        return rows
    larger = np.empty((2 * needed, rows.shape[1]), dtype=np.int32)
    larger[: len(rows)] = rows
    return larger


@kernel
def _add(
    rows: Rows, count: int, node: int, rule: int, rank: int, shared: int, extra: int
) -> tuple[Rows, int]:
    rows = _room(rows, count + 1)
    rows[count, 0] = node
    rows[count, 1] = rule
    rows[count, 2] = rank
    rows[count, 3] = shared
    rows[count, 4] = extra
    return rows, count + 1


@kernel
def _add_brackets(
    code: Syntax, rows: Rows, count: int, group: int, rule: int, rank: int, shared: int
) -> tuple[Rows, int]:
    """One node for each pair of brackets in a group of them."""
    at = group + 1
    while at < code.stop[group]:
        if code.mark[at] == OPENING:
            rows, count = _add(rows, count, at, rule, rank, shared, 0)
        at = code.stop[at]
    return rows, count


@kernel
def _add_element(
    code: Syntax, t: Tables, rows: Rows, count: int, node: int, slot: int, brackets: int
) -> tuple[Rows, int]:
    """A declared array: the type of its elements, and the brackets elsewhere."""
    at = _first(code, node)
    reading = int(t.reading[code.symbol[at], 0])
    if reading > 0:
        rows, count = _add(rows, count, at, reading, slot, 0, 0)
    while at < code.stop[node]:
        if code.mark[at] == DIMENSIONS:
            pair = t.own_rule[R_PAIR]
            rows, count = _add_brackets(code, rows, count, at, pair, brackets, NO_RANGE)
        at = code.stop[at]
    return rows, count


@kernel
def _slot(code: Syntax, t: Tables, rule: int, node: int) -> int:
    """The slot of a rule that takes a child, from 1 on; 0 if none does."""
    slot = 0
    if code.field[node] != 0:
        slot = int(t.by_field[rule, code.field[node]])
    if slot == 0:
        slot = int(t.by_symbol[rule, code.symbol[node]])
    if slot == 0:
        slot = int(t.rest[rule])
    return 0 if slot == LEFT_OUT else slot


@kernel
def _gather(
    code: Syntax, t: Tables, rows: Rows, frames: Rows, node: int, rule: int, skip: int
) -> tuple[Rows, int]:
    """A node's children by its rule, each with its rank, in source order within a rank."""
    count = 0
    for slot in range(t.slots[rule]):
        fixed = t.fixed[rule, slot]
        if fixed == PHANTOM:
            rows, count = _add(rows, count, -1, 0, slot, NO_RANGE, 0)
        elif fixed != 0:
            again = fixed if fixed < AGAIN else t.reading[code.symbol[node], fixed - AGAIN]
            if again > 0:
                rows, count = _add(rows, count, node, again, slot, 0, 0)
    # What is taken from inside other nodes: where it ends, its slot, its context.
    depth = 0
    at = node + 1
    while at < code.stop[node]:
        while depth > 0 and at >= frames[depth - 1, 0]:
            depth -= 1
        symbol, after = code.symbol[at], int(code.stop[at])
        as_rule = 0
        if depth == 0:
            slot = _slot(code, t, rule, at) - 1
            if slot < 0 or at == skip:
                at = after
                continue
            context, as_rule = int(t.context[rule, slot]), int(t.rule[rule, slot])
        else:
            slot, context = int(frames[depth - 1, 1]), int(frames[depth - 1, 2])
            if t.inside[rule, symbol] != 0:
                slot = int(t.inside[rule, symbol]) - 1
            if at == skip:
                at = after
                continue
        treatment = t.treatment[rule, slot]
        if treatment == PAIRS or treatment == LEVELS:
            pair = t.own_rule[R_PAIR if treatment == PAIRS else R_LEVEL]
            shared = LEVEL if treatment == LEVELS else 0
            if code.mark[at] == DIMENSIONS:
                rows, count = _add_brackets(code, rows, count, at, pair, slot, shared)
            elif code.mark[at] == DIMENSION:
                rows, count = _add(rows, count, at, pair, slot, shared, 0)
            at = after
            continue
        reading = as_rule if as_rule != 0 else int(t.reading[symbol, context])
        if reading < 0:
            inner = context if reading == SAME else -1 - reading
            if depth < len(frames):
                frames[depth, 0], frames[depth, 1], frames[depth, 2] = after, slot, inner
                depth += 1
            # The semicolon between an enum's constants and its members is no member.
            members = code.mark[at] == ENUM_MEMBERS
            at += 1
            if members and at < after and code.mark[at] == SEMICOLON:
                at += 1
            continue
        if reading > 0 and treatment == ELEMENT and code.mark[at] == ARRAY_TYPE:
            brackets = int(t.brackets[rule]) - 1
            rows, count = _add_element(code, t, rows, count, at, slot, brackets)
        elif reading > 0:
            unranged = (
                reading == t.own_rule[R_ARRAY]
                or reading == t.own_rule[R_CATCH_PARAMETER]
                or reading == t.own_rule[R_CAUGHT]
            )
            rows, count = _add(rows, count, at, reading, slot, NO_RANGE if unranged else 0, 0)
        at = after
    return rows, count


@kernel
def _settle(
    code: Syntax, t: Tables, rows: Rows, count: int, node: int, special: int, extra: int
) -> tuple[Rows, int]:
    """What a cast or a condition makes of its last operand; a cast to several types is two, the
    outer one to the last of them."""
    if special == CASTING and count > 2:
        rows[0] = rows[count - 2]
        rows[1, 0], rows[1, 1], rows[1, 2] = node, t.own_rule[R_INNER_CAST], 1
        rows[1, 3], rows[1, 4] = 0, extra
        return rows, 2
    if special == INTERSECTION or count == 0:
        return rows, max(count - 1, 0)
    last = count - 1
    operand = int(rows[last, 0])
    if operand == extra:
        scope = _first(code, operand)
        rows[last, 0], rows[last, 1] = scope, t.reading[code.symbol[scope], 0]
    elif code.mark[operand] == CAST or code.mark[operand] == TERNARY:
        rows[last, 4] = extra
    elif code.mark[operand] == LAMBDA and code.other[operand] >= 0:
        before = code.other[operand]
        is_name = code.mark[before] == IDENTIFIER
        rows, count = _add(rows, count, operand, rows[last, 1], rows[last, 2], 0, 0)
        rows[last, 0], rows[last, 1] = before, t.own_rule[R_NAME if is_name else R_ENCLOSED]
        rows[last, 3] = rows[last + 1, 3] = LEFT_BEHIND if is_name else 0
    return rows, count


@kernel
def _refer(
    code: Syntax, t: Tables, rows: Rows, node: int, around: int, rule: int
) -> tuple[Rows, int]:
    """A method reference: what it refers to, or the cast it has taken in; then type arguments."""
    count = 0
    scope = _first(code, node)
    if around >= 0:
        rows, count = _add(rows, count, around, rule, 0, 0, node)
    elif scope > node:
        reading = int(t.reading[code.symbol[scope], 0])
        if code.other[node] == 1:
            reading = int(t.own_rule[R_TYPE_EXPR])
        if reading > 0:
            rows, count = _add(rows, count, scope, reading, 0, 0, 0)
    at = node + 1
    while at < code.stop[node]:
        # Into the list of type arguments, past everything else.
        if code.mark[code.up[at]] == TYPE_ARGUMENTS and t.reading[code.symbol[at], 0] > 0:
            reading = int(t.reading[code.symbol[at], 0])
            shared = NO_RANGE if reading == t.own_rule[R_ARRAY] else 0
            rows, count = _add(rows, count, at, reading, 1, shared, 0)
        at = at + 1 if code.mark[at] == TYPE_ARGUMENTS else int(code.stop[at])
    return rows, count


@kernel
def _array_levels(
    code: Syntax, t: Tables, rows: Rows, node: int, rule: int, left: int
) -> tuple[Rows, int]:
    """An array type is the type of its elements within as many array types as it has brackets."""
    if left == 0:
        at = node + 1
        while at < code.stop[node]:
            left += code.mark[at] == OPENING and code.mark[code.up[at]] == DIMENSIONS
            at = at + 1 if code.mark[at] == DIMENSIONS else int(code.stop[at])
    if left > 1:
        return _add(rows, 0, node, rule, 0, NO_RANGE, left - 1)
    element = _first(code, node)
    reading = int(t.reading[code.symbol[element], 0])
    if element == node or reading <= 0:
        return rows, 0
    return _add(rows, 0, element, reading, 0, 0, 0)


@kernel
def _add_annotations(
    code: Syntax, t: Tables, rows: Rows, count: int, node: int
) -> tuple[Rows, int]:
    """Annotations written before a type, where they belong to it."""
    at = code.up[node] + 1
    while at < node:
        if code.mark[at] == ANNOTATION:
            reading = int(t.reading[code.symbol[at], 0])
            rows, count = _add(rows, count, at, reading, _LAST_RANK, 0, 0)
        at = code.stop[at]
    return rows, count


@kernel
def _push(
    stack: Rows, top: int, rows: Rows, ordered: Rows, count: int, mother: int
) -> tuple[Rows, Rows, int]:
    """Children by rank, with their ids, onto the stack, the first on top."""
    ordered = _room(ordered, count)
    stack = _room(stack, top + count)
    done, rank = 0, 0
    while done < count:
        following = _LAST_RANK + 1
        for i in range(count):
            if rows[i, 2] == rank:
                ordered[done] = rows[i]
                done += 1
            elif rank < rows[i, 2] < following:
                following = int(rows[i, 2])
        rank = following
    first = np.full(4, -1, dtype=np.int64)
    for i in range(count):
        shared = ordered[i, 3]
        ordered[i, 2] = i
        if shared != 0:
            if first[shared] < 0:
                first[shared] = i
            if i - first[shared] < _SHARED:
                ordered[i, 2] = first[shared]
    for i in range(count - 1, -1, -1):
        if ordered[i, 0] >= 0 and ordered[i, 1] > 0:
            stack[top, 0], stack[top, 1], stack[top, 2] = ordered[i, 0], ordered[i, 1], mother
            stack[top, 3], stack[top, 4] = ordered[i, 2], ordered[i, 4]
            top += 1
    return stack, ordered, top


@kernel
def _anchor(code: Syntax, t: Tables, node: int, leaf: int) -> int:
    """The node whose text a leaf has, -1 if it has none."""
    if leaf == NAME or leaf == TYPE:
        at = node + 1
        while at < code.stop[node]:
            if code.field[at] == t.name or (leaf == TYPE and code.mark[at] == TYPE_IDENTIFIER):
                break
            at = code.stop[at]
        node = at if at < code.stop[node] else -1
    if node < 0 or code.end[node] <= code.start[node]:
        return -1
    return node


@kernel
def trees(roots: NDArray[np.int64], code: Syntax, t: Tables) -> tuple[NDArray[np.int64], Rows]:
    """The trees of methods (a root below 0 has none), one after the other; where each starts.

    A row is a node, in the order of the parser's walk: its kind, its parent (inside the method),
    its child id, the piece of syntax that holds its text, and how it is a leaf.
    """
    nodes = np.empty((1024, 5), dtype=np.int32)
    stack = np.empty((256, 5), dtype=np.int32)
    rows = np.empty((256, 5), dtype=np.int32)
    ordered = np.empty((256, 5), dtype=np.int32)
    frames = np.empty((32, 3), dtype=np.int32)
    offsets = np.zeros(len(roots) + 1, dtype=np.int64)
    total = 0
    for which in range(len(roots)):
        base, top = total, 0
        if roots[which] >= 0:
            stack[0, 0], stack[0, 1], stack[0, 2] = roots[which], t.own_rule[R_METHOD], -1
            stack[0, 3] = stack[0, 4] = 0
            top = 1
        while top > 0:
            top -= 1
            node, rule, mother = int(stack[top, 0]), int(stack[top, 1]), stack[top, 2]
            child, extra = stack[top, 3], int(stack[top, 4])
            special = t.special[rule]
            if special == INSTEAD:
                if code.other[node] >= 0:
                    node = int(code.other[node])
                    # An annotated type, or an error: not read as anything here.
                    reading = int(t.reading[code.symbol[node], 0])
                    rule = reading if reading > 0 else rule
                elif code.rule[node] >= 0:
                    rule = int(code.rule[node])
                special = t.special[rule]
            kind, leaf = int(t.kind[rule]), int(t.leaf[rule])
            anchor, skip, count = node, -1, 0
            if special == GENERIC:
                skip = anchor = int(code.stop[_first(code, node)]) - 1
                leaf = DIAMOND
            elif special == SCOPED:
                skip = anchor = int(code.stop[node]) - 1
            elif special == KIND and code.kind[node] >= 0:
                kind = int(code.kind[node])
                if kind == t.own_kind[K_LEAST_INT]:
                    leaf = LEAST_INT
                elif kind == t.own_kind[K_LEAST_LONG]:
                    leaf = LEAST_LONG
            casting = special == CASTING or special == CONDITIONAL
            if casting and extra == 0 and code.other[node] >= 0:
                kind = int(t.own_kind[K_REFERENCE])
                rows, count = _refer(code, t, rows, int(code.other[node]), node, rule)
            elif special == REFERENCE:
                rows, count = _refer(code, t, rows, node, -1, rule)
            elif special == ARRAY:
                rows, count = _array_levels(code, t, rows, node, rule, extra)
            elif t.slots[rule] > 0 and leaf < LEAST_INT:
                rows, count = _gather(code, t, rows, frames, node, rule, skip)
                if CASTING <= special <= CONDITIONAL:
                    rows, count = _settle(code, t, rows, count, node, special, extra)
            is_type = kind == t.own_kind[K_CLASS] or kind == t.own_kind[K_PRIMITIVE]
            if is_type and code.up[node] >= 0 and code.mark[code.up[node]] == ANNOTATES:
                rows, count = _add_annotations(code, t, rows, count, node)
            before = top
            if count > 0:
                stack, ordered, top = _push(stack, top, rows, ordered, count, total - base)
            if leaf != NO_LEAF and top == before:
                anchor = _anchor(code, t, anchor, leaf)
            else:
                leaf = NO_LEAF
            nodes = _room(nodes, total + 1)
            nodes[total, 0], nodes[total, 1], nodes[total, 2] = kind, mother, child
            nodes[total, 3], nodes[total, 4] = anchor, leaf if anchor >= 0 else NO_LEAF
            total += 1
        offsets[which + 1] = total
    return offsets, nodes[:total].copy()
