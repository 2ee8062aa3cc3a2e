"""Compiled builder of JavaParser 3.0.0-alpha.4 trees, for all methods of a file at once.

It applies the rules of ``rules``, as arrays from ``tables``, and the results of ``details``. In all
kernels, ``code`` is the syntax of a file with the rows SYMBOL to OTHER and a column for each node,
``t`` is ``tables.rule_table()``, and ``at`` is a syntax node.

A **slot** is an item of a rule's ``slots``: it takes some of the syntax node's children. A **child
id** is the number of a node that the extractor prints: its index among its siblings in the parser's
tree or, if siblings share a source range, that of the first of them. A **phantom** is a child
without text: it has no node in the result, but the ids of later siblings count it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Rows = NDArray[np.int32]
Table = NDArray[np.int16]

# The codes are local to this file, because compiled code is cached under its time stamp; ``tables``
# maps them to the installed grammar.
#
# A reading is the number of a rule, or 0 for a symbol that has no node in the tree. A negative one
# replaces a node by its children, in context -1 - reading or (SAME) in the same context.
SAME = -100
# The column FIXED of a slot: a child that it adds whatever the source has. It is a phantom, or the
# same syntax again, by a rule (its number) or (AGAIN plus the context) in a context; 0: none.
PHANTOM, AGAIN = -1, 1000
LEFT_OUT = 255  # the slot of children that the rule omits
# Treatments of a slot's children, named as in ``rules.Rule``; TAKEN, which has no name there, adds
# the child itself.
TAKEN, ELEMENT, PAIRS, LEVELS = range(4)
# Forms of leaves: the source of a leaf's text.
(
    NO_LEAF,
    TEXT,
    NAME,
    TYPE,
    BRACKETS,
    BRACES,
    PARENTHESES,
    WILDCARD,
    DIAMOND,
    LEAST_INT,
    LEAST_LONG,
) = range(11)
# Marks of symbols that the kernels distinguish; the codes below are indices into this list.
MARKS = (
    "",
    "identifier",
    "type_identifier",
    "lambda_expression",
    "cast_expression",
    "ternary_expression",
    "array_type",
    "dimensions",
    "[",
    "dimensions_expr",
    "enum_body_declarations",
    ";",
    "type_arguments",
    "comment",
    "annotation",
    "annotates",
)
(
    _,
    IDENTIFIER,
    TYPE_IDENTIFIER,
    LAMBDA,
    CAST,
    TERNARY,
    ARRAY_TYPE,
    DIMENSIONS,
    OPENING,
    DIMENSION,
    ENUM_MEMBERS,
    SEMICOLON,
    TYPE_ARGUMENTS,
    COMMENT,
    ANNOTATION,
    ANNOTATES,
) = range(len(MARKS))
# Rules with a treatment of their own; the codes below are indices into this list.
SPECIALS = (
    "",
    "kind",
    "instead",
    "reference",
    "cast",
    "inner cast",
    "intersection",
    "conditional",
    "array",
    "generic",
    "scoped",
)
(
    _,
    KIND,
    INSTEAD,
    REFERENCE,
    CASTING,
    INNER_CAST,
    INTERSECTION,
    CONDITIONAL,
    ARRAY,
    GENERIC,
    SCOPED,
) = range(len(SPECIALS))
# Rows of a file's syntax: properties from the grammar, then the results of ``details``.
SYMBOL, MARK, FIELD, UP, STOP, RULE, KIND_FOUND, OTHER = range(8)
# Columns of the table of rules (``tables``): properties of the rule; four columns for each slot;
# and the slot, from 1 on, of a child by field, by symbol, or by symbol inside another child.
KIND_OF, LEAF, SPECIAL, SLOTS, REST, BRACKETS_SLOT, SLOT = range(7)
FIXED, CONTEXT, AS_RULE, TREATMENT = range(4)
BY_FIELD, BY_SYMBOL, INSIDE, WIDTH = 64, 128, 640, 1152
# Rows of that table: a header with the numbers of a field, of rules and of kinds that the kernels
# need, in the columns NAME_FIELD to K_LEAST_LONG below; the rules, by number; and from READING on,
# the reading of each symbol in each context.
READING = 160
RULES = (
    "Method",
    "NameExpr",
    "Enclosed",
    "TypeExpr",
    "InnerCast",
    "ArrayType",
    "ArrayLevel",
    "BracketPair",
    "CatchParameter",
    "CaughtType",
)
KINDS = (
    "MethodReferenceExpr",
    "ClassOrInterfaceType",
    "PrimitiveType",
    "IntegerLiteralMinValueExpr",
    "LongLiteralMinValueExpr",
)
(
    NAME_FIELD,
    R_METHOD,
    R_NAME,
    R_ENCLOSED,
    R_TYPE_EXPR,
    R_INNER_CAST,
    R_ARRAY,
    R_LEVEL,
    R_PAIR,
    R_CATCH_PARAMETER,
    R_CAUGHT,
    K_REFERENCE,
    K_CLASS,
    K_PRIMITIVE,
    K_LEAST_INT,
    K_LEAST_LONG,
) = range(1 + len(RULES) + len(KINDS))

# Siblings with the same source range share a child id: those without a range, the levels of an
# array creation (all have the range of the whole), a lambda and the name left before its arrow.
# An array has at most 255 dimensions (JVMS 4.3.2); later siblings get their own id.
NO_RANGE, LEVEL, LEFT_BEHIND = 1, 2, 3
_SHARED = 255
_LAST_RANK = 254  # rank of annotations, after all slots


@kernel
def _first_child(code: Rows, node: int) -> int:
    """Return the first child that is no comment, or the node itself if there is none."""
    at = node + 1
    while at < code[STOP, node]:
        if code[MARK, at] != COMMENT:
            return at
        at = code[STOP, at]
    return node


@kernel
def _add_child_row(
    rows: Rows, count: int, node: int, rule: int, rank: int, shared: int, extra: int
) -> int:
    """Append a child to ``rows``, the children of one node; beyond the capacity drop it.

    The columns 0 to 4 are the last five parameters. ``node`` is -1 for a phantom. ``rank`` is the
    slot, ``shared`` the group of siblings with the same range (NO_RANGE and so on), 0 for none.
    ``extra`` is the method reference that has absorbed a cast or condition, or the number of
    dimensions left of an array type; 0 for other nodes."""
    if count < len(rows):
        rows[count, 0], rows[count, 1], rows[count, 2] = node, rule, rank
        rows[count, 3], rows[count, 4] = shared, extra
        count += 1
    return count


@kernel
def _add_brackets(
    code: Rows, rows: Rows, count: int, group: int, rule: int, rank: int, shared: int
) -> int:
    """Append a child for each pair of brackets in a ``dimensions`` node."""
    at = group + 1
    while at < code[STOP, group]:
        if code[MARK, at] == OPENING:
            count = _add_child_row(rows, count, at, rule, rank, shared, 0)
        at = code[STOP, at]
    return count


@kernel
def _add_element(
    code: Rows, t: Table, rows: Rows, count: int, node: int, slot: int, brackets: int
) -> int:
    """Append the element type of a declared array in one slot and its brackets in another."""
    at = _first_child(code, node)
    reading = t[READING, code[SYMBOL, at]]
    if reading > 0:
        count = _add_child_row(rows, count, at, reading, slot, 0, 0)
    while at < code[STOP, node]:
        if code[MARK, at] == DIMENSIONS:
            count = _add_brackets(code, rows, count, at, t[0, R_PAIR], brackets, NO_RANGE)
        at = code[STOP, at]
    return count


@kernel
def _find_slot(code: Rows, t: Table, rule: int, node: int) -> int:
    """Return the slot, from 0, of a rule that takes the child ``node``, or -1 if it omits it."""
    slot = 0
    if code[FIELD, node] != 0:
        slot = int(t[rule, BY_FIELD + code[FIELD, node]])
    if slot == 0:
        slot = int(t[rule, BY_SYMBOL + code[SYMBOL, node]])
    if slot == 0:
        slot = int(t[rule, REST])
    return -1 if slot == LEFT_OUT else slot - 1


@kernel
def _add_fixed(code: Rows, t: Table, rows: Rows, node: int, rule: int) -> int:
    """Append phantoms and further nodes for the same syntax; return the number of children."""
    count = 0
    for slot in range(t[rule, SLOTS]):
        fixed = t[rule, SLOT + 4 * slot + FIXED]
        if fixed == PHANTOM:
            count = _add_child_row(rows, count, -1, 0, slot, NO_RANGE, 0)
        elif fixed != 0:
            again = fixed if fixed < AGAIN else t[READING + fixed - AGAIN, code[SYMBOL, node]]
            if again > 0:
                count = _add_child_row(rows, count, node, again, slot, 0, 0)
    return count


@kernel
def _add_child(
    code: Rows, t: Table, rows: Rows, count: int, node: int, rule: int, slot: int, reading: int
) -> int:
    """Append a child as its slot requires; ``reading`` is the child's rule, 0 for none."""
    treatment = t[rule, SLOT + 4 * slot + TREATMENT]
    if treatment in (PAIRS, LEVELS):
        pair, shared = (t[0, R_PAIR], 0) if treatment == PAIRS else (t[0, R_LEVEL], LEVEL)
        if code[MARK, node] == DIMENSIONS:
            return _add_brackets(code, rows, count, node, pair, slot, shared)
        if code[MARK, node] == DIMENSION:
            return _add_child_row(rows, count, node, pair, slot, shared, 0)
        return count
    if reading <= 0:
        return count
    if treatment == ELEMENT and code[MARK, node] == ARRAY_TYPE:
        brackets = int(t[rule, BRACKETS_SLOT]) - 1
        return _add_element(code, t, rows, count, node, slot, brackets)
    unranged = (
        reading == t[0, R_ARRAY] or reading == t[0, R_CATCH_PARAMETER] or reading == t[0, R_CAUGHT]
    )
    return _add_child_row(rows, count, node, reading, slot, NO_RANGE if unranged else 0, 0)


@kernel
def _collect_children(
    code: Rows, t: Table, rows: Rows, frames: Rows, node: int, rule: int, skip: int
) -> int:
    """Collect a node's children by its rule, except the child ``skip`` (-1: none); return their
    number.

    The rank is the slot; children of the same rank are in source order."""
    count = _add_fixed(code, t, rows, node, rule)
    # ``frames`` is a stack of nodes that are replaced by their children: end, slot, context.
    depth = 0
    at = node + 1
    while at < code[STOP, node]:
        while depth > 0 and at >= frames[depth - 1, 0]:
            depth -= 1
        symbol, after = code[SYMBOL, at], int(code[STOP, at])
        reading = 0
        if depth == 0:
            slot = _find_slot(code, t, rule, at)
            context = int(t[rule, SLOT + 4 * slot + CONTEXT])
            reading = int(t[rule, SLOT + 4 * slot + AS_RULE])
        else:
            slot, context = int(frames[depth - 1, 1]), int(frames[depth - 1, 2])
            if t[rule, INSIDE + symbol] != 0:
                slot = int(t[rule, INSIDE + symbol]) - 1
        if slot < 0 or at == skip:
            at = after
            continue
        if reading == 0:
            reading = int(t[READING + context, symbol])
        if reading >= 0 or t[rule, SLOT + 4 * slot + TREATMENT] >= PAIRS:
            count = _add_child(code, t, rows, count, at, rule, slot, reading)
            at = after
            continue
        if depth < len(frames):
            frames[depth, 0], frames[depth, 1] = after, slot
            frames[depth, 2] = context if reading == SAME else -1 - reading
            depth += 1
        at += 1
        # Skip the semicolon between an enum's constants and its members.
        if code[MARK, at - 1] == ENUM_MEMBERS and at < after and code[MARK, at] == SEMICOLON:
            at += 1
    return count


@kernel
def _adjust_operand(
    code: Rows, t: Table, rows: Rows, count: int, node: int, special: int, extra: int
) -> int:
    """Adjust the last operand of a cast or a condition, as the parser's grammar requires.

    A cast to several types becomes two casts, the outer one to the last type."""
    if special == CASTING and count > 2:  # more than a type and a value: keep the last type
        for column in range(5):
            rows[0, column] = rows[count - 2, column]
        return _add_child_row(rows, 1, node, t[0, R_INNER_CAST], 1, 0, extra)
    if special == INTERSECTION or count == 0:
        return max(count - 1, 0)  # the last type of the cast belongs to the outer one
    last = count - 1
    operand = int(rows[last, 0])
    if operand == extra:  # the reference that has absorbed this node: only its scope stays here
        scope = _first_child(code, operand)
        rows[last, 0], rows[last, 1] = scope, t[READING, code[SYMBOL, scope]]
    elif code[MARK, operand] == CAST or code[MARK, operand] == TERNARY:
        rows[last, 4] = extra
    elif code[MARK, operand] == LAMBDA and code[OTHER, operand] >= 0:
        # The lambda's parameters stay as a child before the lambda (see ``details``).
        before = code[OTHER, operand]
        is_name = code[MARK, before] == IDENTIFIER
        shared = LEFT_BEHIND if is_name else 0
        count = _add_child_row(rows, count, operand, rows[last, 1], rows[last, 2], shared, 0)
        left = t[0, R_NAME if is_name else R_ENCLOSED]
        rows[last, 0], rows[last, 1], rows[last, 3] = before, left, shared
    return count


@kernel
def _collect_reference_children(
    code: Rows, t: Table, rows: Rows, node: int, around: int, rule: int
) -> int:
    """Collect the children of a method reference: its scope, then its type arguments.

    The scope is the cast or condition ``around`` the reference if the reference absorbs it."""
    count = 0
    scope = _first_child(code, node)
    if around >= 0:
        count = _add_child_row(rows, count, around, rule, 0, 0, node)
    elif scope > node:
        reading = int(t[READING, code[SYMBOL, scope]])
        if code[OTHER, node] == 1:  # the scope may be a type
            reading = int(t[0, R_TYPE_EXPR])
        if reading > 0:
            count = _add_child_row(rows, count, scope, reading, 0, 0, 0)
    at = node + 1
    while at < code[STOP, node]:
        # Descend into the list of type arguments and skip all other children.
        reading = int(t[READING, code[SYMBOL, at]])
        if reading > 0 and code[MARK, code[UP, at]] == TYPE_ARGUMENTS:
            shared = NO_RANGE if reading == t[0, R_ARRAY] else 0
            count = _add_child_row(rows, count, at, reading, 1, shared, 0)
        at = at + 1 if code[MARK, at] == TYPE_ARGUMENTS else int(code[STOP, at])
    return count


@kernel
def _array_levels(code: Rows, t: Table, rows: Rows, node: int, rule: int, left: int) -> int:
    """Collect the child of an array type: an array type with a dimension less, or the element type.

    ``left`` is the number of dimensions, 0 if they are not counted yet."""
    if left == 0:
        at = node + 1
        while at < code[STOP, node]:
            left += code[MARK, at] == OPENING and code[MARK, code[UP, at]] == DIMENSIONS
            at = at + 1 if code[MARK, at] == DIMENSIONS else int(code[STOP, at])
    if left > 1:
        return _add_child_row(rows, 0, node, rule, 0, NO_RANGE, left - 1)
    element = _first_child(code, node)
    reading = int(t[READING, code[SYMBOL, element]])
    if element == node or reading <= 0:
        return 0
    return _add_child_row(rows, 0, element, reading, 0, 0, 0)


@kernel
def _add_annotations(code: Rows, t: Table, rows: Rows, count: int, node: int) -> int:
    """Append the annotations before a type, which are the type's last children."""
    at = code[UP, node] + 1
    while at < node:
        if code[MARK, at] == ANNOTATION:
            count = _add_child_row(rows, count, at, t[READING, code[SYMBOL, at]], _LAST_RANK, 0, 0)
        at = code[STOP, at]
    return count


@kernel
def _push_children(stack: Rows, top: int, rows: Rows, order: Rows, count: int, mother: int) -> int:
    """Push children, sorted by rank and with their child ids, so that the first is on top.

    ``mother`` is the parent's number in the method's tree. ``order`` is scratch space: for each
    child in sorted order its row and its child id. Return the stack's new height."""
    done, rank = 0, 0
    while done < count:
        following = _LAST_RANK + 1
        for i in range(count):
            if rows[i, 2] == rank:
                order[done, 0] = i
                done += 1
            elif rank < rows[i, 2] < following:
                following = int(rows[i, 2])
        rank = following
    # The first child of each group of siblings with a shared range.
    first = (-1, -1, -1)
    for i in range(count):
        shared = rows[order[i, 0], 3]
        order[i, 1] = i
        if shared == NO_RANGE:
            first = (i if first[0] < 0 else first[0], first[1], first[2])
        elif shared == LEVEL:
            first = (first[0], i if first[1] < 0 else first[1], first[2])
        elif shared == LEFT_BEHIND:
            first = (first[0], first[1], i if first[2] < 0 else first[2])
        if shared != 0 and i - first[shared - 1] < _SHARED:
            order[i, 1] = first[shared - 1]
    for i in range(count - 1, -1, -1):
        row = order[i, 0]
        if rows[row, 0] >= 0 and rows[row, 1] > 0 and top < len(stack):
            stack[top, 0], stack[top, 1], stack[top, 2] = rows[row, 0], rows[row, 1], mother
            stack[top, 3], stack[top, 4] = order[i, 1], rows[row, 4]
            top += 1
    return top


@kernel
def _leaf_form(code: Rows, t: Table, node: int, rule: int, kind: int) -> tuple[int, int]:
    """Return the form of a node as a leaf (NO_LEAF to LEAST_LONG), and the node with its text."""
    leaf, special = int(t[rule, LEAF]), t[rule, SPECIAL]
    if special == GENERIC:
        return DIAMOND, int(code[STOP, _first_child(code, node)]) - 1
    if special == SCOPED:
        return NO_LEAF, int(code[STOP, node]) - 1
    if kind == t[0, K_LEAST_INT] or kind == t[0, K_LEAST_LONG]:
        return (LEAST_INT if kind == t[0, K_LEAST_INT] else LEAST_LONG), node
    if leaf != NAME and leaf != TYPE:
        return leaf, node
    at = node + 1
    while at < code[STOP, node]:
        named = leaf == NAME and code[FIELD, at] == t[0, NAME_FIELD]
        if named or (leaf == TYPE and code[MARK, at] == TYPE_IDENTIFIER):
            return leaf, at
        at = code[STOP, at]
    return NO_LEAF, node


@kernel
def _replace_node(code: Rows, t: Table, node: int, rule: int) -> tuple[int, int]:
    """Return the node and the rule to build instead of these, by the results of ``details``."""
    if t[rule, SPECIAL] == INSTEAD:
        other = int(code[OTHER, node])
        if other >= 0 and t[READING, code[SYMBOL, other]] > 0:
            return other, int(t[READING, code[SYMBOL, other]])
        if code[RULE, node] >= 0:
            return node, int(code[RULE, node])
    return node, rule


@kernel
def _node_kind(code: Rows, t: Table, node: int, rule: int, extra: int) -> int:
    """Return the kind (an index into ``leaves.KINDS``) of a node with this rule."""
    special = t[rule, SPECIAL]
    if special == KIND and code[KIND_FOUND, node] >= 0:
        return int(code[KIND_FOUND, node])
    # A cast or condition that a method reference absorbs comes after the reference itself.
    if special in (CASTING, CONDITIONAL) and extra == 0 and code[OTHER, node] >= 0:
        return int(t[0, K_REFERENCE])
    return int(t[rule, KIND_OF])


@kernel
def _list_children(
    code: Rows, t: Table, rows: Rows, frames: Rows, node: int, rule: int, kind: int, extra: int
) -> int:
    """Collect the children of a node; return their number."""
    special = t[rule, SPECIAL]
    count = 0
    if kind == t[0, K_REFERENCE]:
        inside = special != REFERENCE
        at = int(code[OTHER, node]) if inside else node
        count = _collect_reference_children(code, t, rows, at, node if inside else -1, rule)
    elif special == ARRAY:
        count = _array_levels(code, t, rows, node, rule, extra)
    elif t[rule, SLOTS] > 0 and kind != t[0, K_LEAST_INT] and kind != t[0, K_LEAST_LONG]:
        skip = -1
        if special == GENERIC:
            # The simple name of the type, which is no child: the last node of its first child.
            skip = int(code[STOP, _first_child(code, node)]) - 1
        elif special == SCOPED:
            skip = int(code[STOP, node]) - 1
        count = _collect_children(code, t, rows, frames, node, rule, skip)
        if CASTING <= special <= CONDITIONAL:
            count = _adjust_operand(code, t, rows, count, node, special, extra)
    is_type = kind == t[0, K_CLASS] or kind == t[0, K_PRIMITIVE]
    if is_type and code[UP, node] >= 0 and code[MARK, code[UP, node]] == ANNOTATES:
        count = _add_annotations(code, t, rows, count, node)
    return count


@kernel
def build_trees(roots: NDArray[np.int64], code: Rows, t: Table, nodes: Rows) -> NDArray[np.int64]:
    """Write the concatenated trees of methods to ``nodes`` and return their offsets.

    A negative root has no tree. A row of ``nodes`` is a node in preorder: its kind, its parent
    (within the method, -1 for the root), its child id, the syntax node with its text, and its form
    as a leaf. ``build`` calls this function with a capacity that suffices.
    """
    widest = 0
    for root in roots:
        if root >= 0:
            widest = max(widest, code[STOP, root] - root)
    # A syntax node becomes at most two nodes of the tree.
    # Columns of the stack: syntax node, rule, number of the parent in the method's tree, child id,
    # and ``extra`` of ``_add_child_row``.
    stack = np.empty((2 * widest + 64, 5), dtype=np.int32)
    rows, order = np.empty((widest + 64, 5), np.int32), np.empty((widest + 64, 2), np.int32)
    frames = np.empty((32, 3), dtype=np.int32)
    offsets = np.zeros(len(roots) + 1, dtype=np.int64)
    total = 0
    for which in range(len(roots)):
        base, top = total, 0
        if roots[which] >= 0:
            top = 1
            stack[0] = 0
            stack[0, 0], stack[0, 1], stack[0, 2] = roots[which], t[0, R_METHOD], -1
        while top > 0 and total < len(nodes):
            top -= 1
            node, rule = _replace_node(code, t, stack[top, 0], stack[top, 1])
            mother, child, extra = stack[top, 2], stack[top, 3], int(stack[top, 4])
            kind = _node_kind(code, t, node, rule, extra)
            count = _list_children(code, t, rows, frames, node, rule, kind, extra)
            before = top
            if count > 0:
                top = _push_children(stack, top, rows, order, count, total - base)
            leaf, anchor = _leaf_form(code, t, node, rule, kind)
            nodes[total, 0], nodes[total, 1], nodes[total, 2] = kind, mother, child
            nodes[total, 3], nodes[total, 4] = anchor, leaf if top == before else NO_LEAF
            total += 1
        offsets[which + 1] = total
    return offsets
