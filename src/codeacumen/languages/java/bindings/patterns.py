"""Kernels for variables whose scope does not begin at their declaration (JLS 6.3.1, 6.3.2).

The variable of an enhanced ``for`` is in scope in the body only. A pattern variable is in scope
where the pattern has certainly matched: the kernels go outwards from ``x instanceof A a``, follow
which result of each expression implies the match, and include the statements after one that
cannot complete normally. ``bindings/__init__.py`` defines the short names. Called by
``bindings.names``.

A late scope is one that begins after its variable's declaration. In ``late``, an array of shape (3,
scopes), the rows are its first node, the first node after it, and the node of the name. A statement
introduces a variable (JLS 6.3.2) if the scope goes on after the statement, up to the block's end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

# Codes of nodes. PATTERN is any node of a pattern, RETURNS is ``return`` and ``throw``.
(
    OTHER,
    FOREACH,
    INSTANCEOF,
    PARENTHESES,
    NOT,
    AND,
    OR,
    CONDITIONAL,
    IF,
    WHILE,
    DO,
    FOR,
    GUARD,
    RULE,
    GROUP,
    SWITCH_LABEL,
    PATTERN,
    BLOCK,
    LABELED,
    RETURNS,
    BREAK,
    CONTINUE,
    SWITCH,
    SWITCH_BLOCK,
    TRY,
    CATCH,
    FINALLY,
    SYNCHRONIZED,
    UNARY,
    BINARY,
    IDENTIFIER,
    TRUE,
    COMMENT,
    DEFAULT,
    YIELD,
    RESOURCES,
) = range(36)
CODES = {
    "enhanced_for_statement": FOREACH, "instanceof_expression": INSTANCEOF,
    "parenthesized_expression": PARENTHESES, "!": NOT, "&&": AND, "||": OR,
    "ternary_expression": CONDITIONAL, "if_statement": IF, "while_statement": WHILE,
    "do_statement": DO, "for_statement": FOR, "guard": GUARD, "switch_rule": RULE,
    "switch_block_statement_group": GROUP, "switch_label": SWITCH_LABEL, "pattern": PATTERN,
    "type_pattern": PATTERN, "record_pattern": PATTERN, "record_pattern_body": PATTERN,
    "record_pattern_component": PATTERN, "block": BLOCK, "constructor_body": BLOCK,
    "labeled_statement": LABELED, "return_statement": RETURNS, "throw_statement": RETURNS,
    "yield_statement": YIELD, "break_statement": BREAK, "continue_statement": CONTINUE,
    "switch_expression": SWITCH, "switch_block": SWITCH_BLOCK, "try_statement": TRY,
    "try_with_resources_statement": TRY, "catch_clause": CATCH, "finally_clause": FINALLY,
    "synchronized_statement": SYNCHRONIZED, "unary_expression": UNARY,
    "binary_expression": BINARY, "identifier": IDENTIFIER, "true": TRUE,
    "line_comment": COMMENT, "block_comment": COMMENT, "default": DEFAULT,
    "resource_specification": RESOURCES,
}  # fmt: skip

# Codes of the node fields that the kernels look up.
NO_FIELD, BODY, CONDITION, CONSEQUENCE, ALTERNATIVE, LEFT, RIGHT, UPDATE = range(8)
FIELDS = {
    "body": BODY,
    "condition": CONDITION,
    "consequence": CONSEQUENCE,
    "alternative": ALTERNATIVE,
    "left": LEFT,
    "right": RIGHT,
    "update": UPDATE,
}


@kernel
def _child_in_field(field: Any, stop: Any, node: int, wanted_field: int) -> int:
    """Return the first child of ``node`` in a field; -1 if there is none."""
    child = node + 1
    while child < stop[node]:
        if field[child] == wanted_field:
            return child
        child = stop[child]
    return -1


@kernel
def _last_child(stop: Any, node: int) -> int:
    """Return the last child of ``node``, which must have children."""
    child = node + 1
    while stop[child] < stop[node]:
        child = stop[child]
    return int(child)


@kernel
def collect_late_scopes(
    code: Any, field: Any, parent: Any, stop: Any, word: Any, loops: Any, variables: Any
) -> Any:
    """Return the scopes of these variables as three arrays, one value per scope in each.

    The arrays hold the first node, the first node after the scope, and the node of the name. A
    pattern variable has up to three scopes: in its expression, in its statement and after that.
    ``loops`` holds the name nodes of the variables of enhanced ``for`` statements, ``variables``
    those of pattern variables.
    """
    capacity = len(loops) + 3 * len(variables)
    late = np.empty((3, capacity), np.int32)
    count = 0
    for ident in loops:
        body = _child_in_field(field, stop, parent[ident], BODY)
        if body >= 0:
            late[0, count], late[1, count], late[2, count] = body, stop[body], ident
            count += 1
    if len(variables) > 0:
        completes, is_exited = _find_completion(code, field, parent, stop, word)
        for ident in variables:
            outer = parent[ident]
            while code[outer] == PATTERN:
                outer = parent[outer]
            if code[outer] == SWITCH_LABEL:
                late[0, count], late[1, count] = ident + 1, stop[parent[outer]]
                late[2, count] = ident
                count += 1
            else:
                count = _add_pattern_scopes(
                    code, field, parent, stop, completes, is_exited, outer, ident, late, count
                )
    return late[0, :count], late[1, :count], late[2, :count]


@kernel
def _add_pattern_scopes(
    code: Any,
    field: Any,
    parent: Any,
    stop: Any,
    completes: Any,
    is_exited: Any,
    node: int,
    ident: int,
    late: Any,
    count: int,
) -> int:
    """Add the scopes of a pattern variable to ``late``, and return the new number of scopes.

    The walk goes outwards from ``node``, the expression with the pattern, as long as one result of
    the whole expression implies a match. ``completes`` and ``is_exited`` come from
    ``_find_completion``.
    """
    matches_if_true, begin, end = True, -1, -1
    outer = parent[node]
    while outer >= 0:
        kind = code[outer]
        if kind == UNARY and code[outer + 1] == NOT:
            matches_if_true = not matches_if_true
        elif kind == BINARY:
            operator = stop[outer + 1]
            while operator < stop[outer] - 1 and code[operator] == COMMENT:
                operator += 1
            if code[operator] != (AND if matches_if_true else OR):
                break
            if field[node] == LEFT:
                # Operands to the right of outer operators extend the scope: between two of them
                # are only operators and parentheses, no names.
                begin = operator + 1 if begin < 0 else begin
                end = stop[outer]
        elif kind != PARENTHESES:
            break
        node, outer = outer, parent[outer]
    if begin >= 0:
        late[0, count], late[1, count], late[2, count] = begin, end, ident
        count += 1
    if outer < 0:
        return count
    kind, begin, end, introduces = code[outer], -1, -1, False
    if kind == GUARD:
        if matches_if_true:
            begin, end = stop[outer], stop[parent[parent[outer]]]
    elif field[node] == CONDITION and kind in (CONDITIONAL, IF):
        consequence = _child_in_field(field, stop, outer, CONSEQUENCE)
        alternative = _child_in_field(field, stop, outer, ALTERNATIVE)
        begin = consequence if matches_if_true else alternative
        end = stop[begin] if begin >= 0 else -1
        ends_consequence = consequence >= 0 and not completes[consequence]
        ends_alternative = alternative >= 0 and not completes[alternative]
        introduces = (
            kind == IF
            and ends_consequence != ends_alternative
            and matches_if_true == ends_alternative
        )
    elif field[node] == CONDITION and kind in (WHILE, FOR, DO):
        if matches_if_true and kind != DO:
            begin, end = stop[node], stop[outer]
        introduces = not matches_if_true and not is_exited[outer]
    if begin >= 0:
        late[0, count], late[1, count], late[2, count] = begin, end, ident
        count += 1
    return (
        _add_following_scope(code, parent, stop, is_exited, outer, ident, late, count)
        if introduces
        else count
    )


@kernel
def _add_following_scope(
    code: Any,
    parent: Any,
    stop: Any,
    is_exited: Any,
    statement: int,
    ident: int,
    late: Any,
    count: int,
) -> int:
    """Add the scope of a variable that a statement introduces for the rest of its block.

    Returns the new number of scopes.
    """
    while code[parent[statement]] == LABELED and not is_exited[parent[statement]]:
        statement = parent[statement]
    block = parent[statement]
    if code[block] not in (BLOCK, GROUP):
        return count
    late[0, count], late[1, count], late[2, count] = stop[statement], stop[block], ident
    return count + 1


@kernel
def _find_completion(code: Any, field: Any, parent: Any, stop: Any, word: Any) -> Any:
    """Return a mask of the statements that can complete normally, and a mask of those a break
    exits.

    See JLS 14.22. The literal ``true`` is the only constant condition that counts.
    """
    size = len(code)
    completes = np.ones(size, np.bool_)
    is_exited, is_continued = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    # For each node, the innermost enclosing target of a break, of a continue, and of a label.
    break_target, continue_target, label_target = np.full((3, size), -1, np.int32)
    for i in range(1, size):
        p = parent[i]
        is_loop = code[p] == FOREACH or WHILE <= code[p] <= FOR  # WHILE, DO or FOR
        continue_target[i] = p if is_loop else continue_target[p]
        break_target[i] = p if is_loop or code[p] == SWITCH else break_target[p]
        label_target[i] = p if code[p] == LABELED else label_target[p]
    for i in range(size - 1, -1, -1):
        kind = code[i]
        if kind in (BREAK, CONTINUE):
            completes[i] = False
            target = break_target[i] if kind == BREAK else continue_target[i]
            name = i + 1
            while name < stop[i] and code[name] != IDENTIFIER:
                name += 1
            if name < stop[i]:
                # The first child of a labelled statement is the label.
                target = label_target[i]
                while target >= 0 and word[target + 1] != word[name]:
                    target = label_target[target]
            while target >= 0:  # a label also marks the loop that it labels
                if kind == BREAK:
                    is_exited[target] = True
                else:
                    is_continued[target] = True
                if code[target] != LABELED:
                    break
                target = _last_child(stop, target)
        elif kind in (RETURNS, YIELD):
            completes[i] = False
        elif kind in (BLOCK, SYNCHRONIZED, LABELED, FINALLY):
            child = i + 1
            can_complete = True
            while child < stop[i]:
                can_complete = can_complete and completes[child]
                child = stop[child]
            completes[i] = can_complete or (kind == LABELED and is_exited[i])
        elif kind == IF:
            consequence = _child_in_field(field, stop, i, CONSEQUENCE)
            alternative = _child_in_field(field, stop, i, ALTERNATIVE)
            completes[i] = (
                alternative < 0
                or consequence < 0
                or completes[consequence]
                or completes[alternative]
            )
        elif kind in (WHILE, FOR, DO):
            condition = _child_in_field(field, stop, i, CONDITION)
            endless = condition < 0 and kind == FOR
            if condition >= 0:
                while code[condition] == PARENTHESES and condition + 2 < stop[condition]:
                    condition += 2  # the node after the opening parenthesis
                endless = code[condition] == TRUE
            completes[i] = is_exited[i] or not endless
            if kind == DO and not is_exited[i] and not is_continued[i]:
                # Without a continue, control reaches the condition only at the end of the body.
                body = _child_in_field(field, stop, i, BODY)
                completes[i] = completes[i] and (body < 0 or completes[body])
        elif kind == TRY:
            completes[i] = _try_completes(code, stop, completes, i)
        elif kind == SWITCH:
            completes[i] = is_exited[i] or _switch_completes(code, field, stop, completes, i)
    return completes, is_exited


@kernel
def _try_completes(code: Any, stop: Any, completes: Any, node: int) -> bool:
    """Return whether a ``try`` statement can complete normally (JLS 14.22)."""
    child, can_complete = node + 1, False
    while child < stop[node]:
        if code[child] == BLOCK:
            can_complete = can_complete or completes[child]
        elif code[child] == CATCH:
            grandchild = child + 1
            while grandchild < stop[child]:
                if code[grandchild] == BLOCK:
                    can_complete = can_complete or completes[grandchild]
                grandchild = stop[grandchild]
        elif code[child] == FINALLY and not completes[child]:
            return False
        child = stop[child]
    return bool(can_complete)


@kernel
def _switch_completes(code: Any, field: Any, stop: Any, completes: Any, node: int) -> bool:
    """Return whether control can leave a switch statement without a break.

    Without a default or a pattern it always can, because the selector may match no label.
    """
    block = _child_in_field(field, stop, node, BODY)
    if block < 0:
        return True
    has_default, can_complete = False, True
    group = block + 1
    while group < stop[block]:
        if code[group] == GROUP or code[group] == RULE:
            child, can_complete = group + 1, True
            while child < stop[group]:
                if code[child] == SWITCH_LABEL:
                    for leaf in range(child, stop[child]):
                        has_default = has_default or code[leaf] == DEFAULT or code[leaf] == PATTERN
                else:
                    can_complete = can_complete and completes[child]
                child = stop[child]
            if code[group] == RULE and can_complete:
                return True
        group = stop[group]
    return can_complete or not has_default
