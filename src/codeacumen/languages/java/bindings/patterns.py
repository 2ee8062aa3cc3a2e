"""Kernels: variables whose scope does not begin where they are declared (JLS 6.3.1, 6.3.2).

The variable of an enhanced ``for`` is seen in the body only. A pattern's variable is seen where
the pattern has certainly matched: from ``x instanceof A a`` outwards, what is true when, and what
follows a statement that cannot complete normally.
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

# Fields of a node, as the kernels ask for them.
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
    """Stretches of the file in which such a variable is seen: first node, stop, its name's node.
    ``loops`` are the names of enhanced for's variables, ``variables`` those of patterns."""
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
    """From a pattern outwards, as long as its match can be told from the whole's result: what
    stands to the right, in an expression, then in the statement, then after it."""
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
                # Between two operands to the right nothing can be named.
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
    """What a statement introduces is seen by the statements that follow it in its block."""
    while code[parent[statement]] == LABELED and not broken[parent[statement]]:
        statement = parent[statement]
    block = parent[statement]
    if code[block] not in (BLOCK, GROUP):
        return count
    found[0, count], found[1, count], found[2, count] = stop[statement], stop[block], ident
    return count + 1


@kernel
def _completion(code: Any, field: Any, parent: Any, stop: Any, word: Any) -> Any:
    """Which statements can complete normally (JLS 14.22), and which have a break out of them.
    Of constant conditions only the literal ``true`` is known."""
    size = len(code)
    completes = np.ones(size, np.bool_)
    broken, continued = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    # The statements that a break, a continue and a label around them belong to.
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
            at = breaks[i] if kind == BREAK else loop[i]
            name = i + 1
            while name < stop[i] and code[name] != IDENTIFIER:
                name += 1
            if name < stop[i]:
                at = label[i]
                while at >= 0 and word[at + 1] != word[name]:
                    at = label[at]
            while at >= 0:  # with a label the loop that bears it as well
                if kind == BREAK:
                    broken[at] = True
                else:
                    continued[at] = True
                if code[at] != LABELED:
                    break
                at = _last(stop, at)
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
                # A continue leads to the condition, which may be false.
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
    """Can control fall out of a switch statement without a break? Without a default it can."""
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
