"""Kernels for variables whose scope does not begin at their declaration (JLS 6.3.1, 6.3.2).

The variable of an enhanced ``for`` is in scope in the body only. A pattern variable is in scope
where the pattern has certainly matched: the kernels go outwards from ``x instanceof A a``, follow
which result of each expression implies the match, and include the statements after one that
cannot complete normally. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

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
def _child(field: Any, stop: Any, node: int, wanted: int) -> int:
    at = node + 1
    while at < stop[node]:
        if field[at] == wanted:
            return at
        at = stop[at]
    return -1


@kernel
def _last(stop: Any, node: int) -> int:
    at = node + 1
    while stop[at] < stop[node]:
        at = stop[at]
    return int(at)


@kernel
def late_scopes(
    code: Any, field: Any, parent: Any, stop: Any, word: Any, loops: Any, variables: Any
) -> Any:
    """Return the scopes of these variables: first node, stop, and the node of the name.

    ``loops`` holds the name nodes of the variables of enhanced ``for`` statements, ``variables``
    those of pattern variables.
    """
    room = len(loops) + 3 * len(variables)
    found = np.empty((3, room), np.int32)
    count = 0
    for ident in loops:
        body = _child(field, stop, parent[ident], BODY)
        if body >= 0:
            found[0, count], found[1, count], found[2, count] = body, stop[body], ident
            count += 1
    if len(variables) > 0:
        completes, broken = _completion(code, field, parent, stop, word)
        for ident in variables:
            at = parent[ident]
            while code[at] == PATTERN:
                at = parent[at]
            if code[at] == SWITCH_LABEL:
                found[0, count], found[1, count] = ident + 1, stop[parent[at]]
                found[2, count] = ident
                count += 1
            else:
                count = _matched(
                    code, field, parent, stop, completes, broken, at, ident, found, count
                )
    return found[0, :count], found[1, :count], found[2, :count]


@kernel
def _matched(
    code: Any,
    field: Any,
    parent: Any,
    stop: Any,
    completes: Any,
    broken: Any,
    at: int,
    ident: int,
    found: Any,
    count: int,
) -> int:
    """Add the scopes of a pattern variable: in its expression, its statement and after that.

    Goes outwards from the pattern as long as the result of the whole expression implies a match.
    """
    when, begin, end = True, -1, -1
    up = parent[at]
    while up >= 0:
        kind = code[up]
        if kind == UNARY and code[up + 1] == NOT:
            when = not when
        elif kind == BINARY:
            operator = stop[up + 1]
            while operator < stop[up] - 1 and code[operator] == COMMENT:
                operator += 1
            if code[operator] != (AND if when else OR):
                break
            if field[at] == LEFT:
                # No name can occur between two operands to the right.
                begin = operator + 1 if begin < 0 else begin
                end = stop[up]
        elif kind != PARENTHESES:
            break
        at, up = up, parent[up]
    if begin >= 0:
        found[0, count], found[1, count], found[2, count] = begin, end, ident
        count += 1
    if up < 0:
        return count
    kind, begin, end, after = code[up], -1, -1, False
    if kind == GUARD:
        if when:
            begin, end = stop[up], stop[parent[parent[up]]]
    elif field[at] == CONDITION and kind in (CONDITIONAL, IF):
        then = _child(field, stop, up, CONSEQUENCE)
        other = _child(field, stop, up, ALTERNATIVE)
        begin = then if when else other
        end = stop[begin] if begin >= 0 else -1
        ends_then = then >= 0 and not completes[then]
        ends_other = other >= 0 and not completes[other]
        after = kind == IF and ends_then != ends_other and when == ends_other
    elif field[at] == CONDITION and kind in (WHILE, FOR, DO):
        if when and kind != DO:
            begin, end = stop[at], stop[up]
        after = not when and not broken[up]
    if begin >= 0:
        found[0, count], found[1, count], found[2, count] = begin, end, ident
        count += 1
    return _after(code, parent, stop, broken, up, ident, found, count) if after else count


@kernel
def _after(
    code: Any,
    parent: Any,
    stop: Any,
    broken: Any,
    statement: int,
    ident: int,
    found: Any,
    count: int,
) -> int:
    """Add the scope of a variable that a statement introduces for the rest of its block."""
    while code[parent[statement]] == LABELED and not broken[parent[statement]]:
        statement = parent[statement]
    block = parent[statement]
    if code[block] not in (BLOCK, GROUP):
        return count
    found[0, count], found[1, count], found[2, count] = stop[statement], stop[block], ident
    return count + 1


@kernel
def _completion(code: Any, field: Any, parent: Any, stop: Any, word: Any) -> Any:
    """Return the statements that can complete normally (JLS 14.22), and those that a break exits.

    The literal ``true`` is the only constant condition that counts.
    """
    size = len(code)
    completes = np.ones(size, np.bool_)
    broken, continued = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    # For each node, the innermost enclosing target of a break, of a continue, and of a label.
    breaks, loop, label = np.full((3, size), -1, np.int32)
    for i in range(1, size):
        p = parent[i]
        is_loop = code[p] == FOREACH or WHILE <= code[p] <= FOR
        loop[i] = p if is_loop else loop[p]
        breaks[i] = p if is_loop or code[p] == SWITCH else breaks[p]
        label[i] = p if code[p] == LABELED else label[p]
    for i in range(size - 1, -1, -1):
        kind = code[i]
        if kind in (BREAK, CONTINUE):
            completes[i] = False
            target = breaks[i] if kind == BREAK else loop[i]
            name = i + 1
            while name < stop[i] and code[name] != IDENTIFIER:
                name += 1
            if name < stop[i]:
                target = label[i]
                while target >= 0 and word[target + 1] != word[name]:
                    target = label[target]
            while target >= 0:  # a label also marks the loop that it labels
                if kind == BREAK:
                    broken[target] = True
                else:
                    continued[target] = True
                if code[target] != LABELED:
                    break
                target = _last(stop, target)
        elif kind in (RETURNS, YIELD):
            completes[i] = False
        elif kind in (BLOCK, SYNCHRONIZED, LABELED, FINALLY):
            at = i + 1
            alive = True
            while at < stop[i]:
                alive = alive and completes[at]
                at = stop[at]
            completes[i] = alive or (kind == LABELED and broken[i])
        elif kind == IF:
            then = _child(field, stop, i, CONSEQUENCE)
            other = _child(field, stop, i, ALTERNATIVE)
            completes[i] = other < 0 or then < 0 or completes[then] or completes[other]
        elif kind in (WHILE, FOR, DO):
            condition = _child(field, stop, i, CONDITION)
            endless = condition < 0 and kind == FOR
            if condition >= 0:
                while code[condition] == PARENTHESES and condition + 2 < stop[condition]:
                    condition += 2
                endless = code[condition] == TRUE
            completes[i] = broken[i] or not endless
            if kind == DO and not broken[i] and not continued[i]:
                # After a continue the condition may be false.
                body = _child(field, stop, i, BODY)
                completes[i] = completes[i] and (body < 0 or completes[body])
        elif kind == TRY:
            completes[i] = _try(code, stop, completes, i)
        elif kind == SWITCH:
            completes[i] = broken[i] or _switch(code, field, stop, completes, i)
    return completes, broken


@kernel
def _try(code: Any, stop: Any, completes: Any, node: int) -> bool:
    at, alive = node + 1, False
    while at < stop[node]:
        if code[at] == BLOCK:
            alive = alive or completes[at]
        elif code[at] == CATCH:
            inner = at + 1
            while inner < stop[at]:
                if code[inner] == BLOCK:
                    alive = alive or completes[inner]
                inner = stop[inner]
        elif code[at] == FINALLY and not completes[at]:
            return False
        at = stop[at]
    return bool(alive)


@kernel
def _switch(code: Any, field: Any, stop: Any, completes: Any, node: int) -> bool:
    """Return whether control can leave a switch statement without a break.

    Without a default it always can.
    """
    block = _child(field, stop, node, BODY)
    if block < 0:
        return True
    default, alive = False, True
    at = block + 1
    while at < stop[block]:
        if code[at] == GROUP or code[at] == RULE:
            inner, alive = at + 1, True
            while inner < stop[at]:
                if code[inner] == SWITCH_LABEL:
                    for leaf in range(inner, stop[inner]):
                        default = default or code[leaf] == DEFAULT or code[leaf] == PATTERN
                else:
                    alive = alive and completes[inner]
                inner = stop[inner]
            if code[at] == RULE and alive:
                return True
        at = stop[at]
    return alive or not default
