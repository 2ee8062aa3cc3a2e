"""Kernels: variables whose scope does not begin where they are declared (JLS 6.3.1, 6.3.2).

The variable of an enhanced ``for`` is seen in the body only. A pattern's variable is seen where
the pattern has certainly matched: from ``x instanceof A a`` outwards, what is true when, and what
follows a statement that cannot complete normally.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel

(
    OTHER, FOREACH, INSTANCEOF, PARENTHESES, NOT, AND, OR, CONDITIONAL, IF, WHILE, DO, FOR, GUARD,
    RULE, GROUP, SWITCH_LABEL, PATTERN, BLOCK, LABELED, RETURNS, BREAK, CONTINUE, SWITCH,
    SWITCH_BLOCK, TRY, CATCH, FINALLY, SYNCHRONIZED, UNARY, BINARY, IDENTIFIER, TRUE, COMMENT,
    DEFAULT, YIELD, RESOURCES,
) = range(36)  # fmt: skip
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
    "body": BODY, "condition": CONDITION, "consequence": CONSEQUENCE, "alternative": ALTERNATIVE,
    "left": LEFT, "right": RIGHT, "update": UPDATE,
}  # fmt: skip


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
    room = len(loops) + 8 * len(variables) + 8
    first, last = np.empty(room, np.int32), np.empty(room, np.int32)
    name = np.empty(room, np.int32)
    count = 0
    for ident in loops:
        body = _child(field, stop, parent[ident], BODY)
        if body >= 0:
            first[count], last[count], name[count] = body, stop[body], ident
            count += 1
    if len(variables) == 0:
        return first[:count], last[:count], name[:count]
    completes, broken = _completion(code, field, parent, stop, word)
    for ident in variables:
        at = parent[ident]
        while code[at] == PATTERN:
            at = parent[at]
        if code[at] == SWITCH_LABEL:
            if count == len(first):
                first, last, name = _more(first), _more(last), _more(name)
            first[count], last[count], name[count] = ident + 1, stop[parent[at]], ident
            count += 1
            continue
        when = True
        while at >= 0:
            up = parent[at]
            if up < 0:
                break
            kind = code[up]
            begin, end = -1, -1
            going = False
            if kind == PARENTHESES:
                going = True
            elif kind == UNARY:
                going = code[up + 1] == NOT
                when = not when
            elif kind == BINARY:
                operator = stop[up + 1]
                while operator < stop[up] and code[operator] == COMMENT:
                    operator += 1
                if code[operator] == (AND if when else OR):
                    going = True
                    if field[at] == LEFT:
                        begin, end = operator + 1, stop[up]
            elif kind == CONDITIONAL:
                if field[at] == CONDITION:
                    begin = _child(field, stop, up, CONSEQUENCE if when else ALTERNATIVE)
                    end = stop[begin]
            elif kind == GUARD:
                if when:
                    label = parent[up]
                    begin, end = stop[up], stop[parent[label]]
            elif kind == IF and field[at] == CONDITION:
                then = _child(field, stop, up, CONSEQUENCE)
                other = _child(field, stop, up, ALTERNATIVE)
                begin = then if when else other
                if begin >= 0:
                    end = stop[begin]
                ends_then = then >= 0 and not completes[then]
                ends_other = other >= 0 and not completes[other]
                if ends_then != ends_other and when == ends_other:
                    first, last, name, count = _after(
                        code, parent, stop, broken, up, ident, first, last, name, count
                    )
            elif (kind == WHILE or kind == FOR or kind == DO) and field[at] == CONDITION:
                if when and kind != DO:
                    begin, end = stop[at], stop[up]
                elif not when and not broken[up]:
                    first, last, name, count = _after(
                        code, parent, stop, broken, up, ident, first, last, name, count
                    )
            if begin >= 0:
                if count == len(first):
                    first, last, name = _more(first), _more(last), _more(name)
                first[count], last[count], name[count] = begin, end, ident
                count += 1
            if not going:
                break
            at = up
    return first[:count], last[:count], name[:count]


@kernel
def _more(values: Any) -> Any:
    grown = np.empty(2 * len(values), np.int32)
    grown[: len(values)] = values
    return grown


@kernel
def _after(
    code: Any, parent: Any, stop: Any, broken: Any, statement: int, ident: int,
    first: Any, last: Any, name: Any, count: int,
) -> Any:  # fmt: skip
    """What a statement introduces is seen by the statements that follow it in its block."""
    while code[parent[statement]] == LABELED and not broken[parent[statement]]:
        statement = parent[statement]
    block = parent[statement]
    if code[block] == BLOCK or code[block] == GROUP:
        if count == len(first):
            first, last, name = _more(first), _more(last), _more(name)
        first[count], last[count], name[count] = stop[statement], stop[block], ident
        count += 1
    return first, last, name, count


@kernel
def _completion(code: Any, field: Any, parent: Any, stop: Any, word: Any) -> Any:
    """Which statements can complete normally (JLS 14.22), and which have a break out of them.
    Of constant conditions only the literal ``true`` is known."""
    size = len(code)
    completes = np.ones(size, np.bool_)
    broken = np.zeros(size, np.bool_)
    for i in range(size - 1, -1, -1):
        kind = code[i]
        if kind == BREAK:
            completes[i] = False
            label = i + 1
            while label < stop[i] and code[label] != IDENTIFIER:
                label += 1
            at = parent[i]
            while at >= 0:
                if label < stop[i]:
                    if code[at] == LABELED and word[at + 1] == word[label]:
                        break
                elif FOREACH == code[at] or WHILE <= code[at] <= FOR or code[at] == SWITCH:
                    break
                at = parent[at]
            if at >= 0:
                broken[at] = True
                while code[at] == LABELED:  # the loop that bears the label ends as well
                    at = _last(stop, at)
                    broken[at] = True
        elif kind == RETURNS or kind == CONTINUE or kind == YIELD:
            completes[i] = False
        elif kind == BLOCK or kind == SYNCHRONIZED or kind == LABELED or kind == FINALLY:
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
        elif kind == WHILE or kind == FOR or kind == DO:
            condition = _child(field, stop, i, CONDITION)
            endless = condition < 0 and kind == FOR
            if condition >= 0:
                while code[condition] == PARENTHESES and condition + 2 < stop[condition]:
                    condition += 2
                endless = code[condition] == TRUE
            completes[i] = broken[i] or not endless
            if kind == DO and not broken[i]:
                body = _child(field, stop, i, BODY)
                # A continue leads to the condition, which may be false.
                if body >= 0 and not completes[body] and not _continues(code, stop, body):
                    completes[i] = False
        elif kind == TRY:
            completes[i] = _try(code, stop, completes, i)
        elif kind == SWITCH:
            completes[i] = broken[i] or _switch(code, field, stop, completes, i)
    return completes, broken


@kernel
def _continues(code: Any, stop: Any, node: int) -> bool:
    for at in range(node, stop[node]):  # noqa: SIM110
        if code[at] == CONTINUE:
            return True
    return False


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
