"""NPath as products and sums from the leaves up: PMD 6, and PMD 7.0 to 7.13.

Numbers saturate: what would be more than ``most`` is ``most``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel

# What a node is. SKIP: comments and tokens; SEMI: a semicolon, which may be an empty statement;
# PART: what a try adds up besides its block.
(
    OTHER, SKIP, SEMI, AND_TOKEN, OR_TOKEN, PAREN, TERNARY, LAMBDA, ASSIGN, ACCESS, ARRAY,
    ARGUMENTS, DECLARATOR, TYPE_BODY, IF, WHILE, DO, FOR, FOREACH, SWITCH, CASES, GROUP, RULE,
    LABEL, TRY, PART, RETURN, THROW, YIELD, ASSERT,
) = range(30)  # fmt: skip
# What a node is to its parent, where that matters.
(
    NOWHERE, IN_CONDITION, IN_CONSEQUENCE, IN_ALTERNATIVE, IN_BODY, IN_VALUE, IN_RIGHT, IN_INDEX,
) = range(8)  # fmt: skip


@kernel
def _times(a: int, b: int, most: int) -> int:
    if b == 1:
        return a
    if a == 0 or b == 0:
        return 0
    return most if a > most // b else a * b


@kernel
def _plus(a: int, b: int, most: int) -> int:
    return most if a > most - b else a + b


@kernel
def _is_expression(mother: int, child: int, place: int) -> bool:
    """Whether PMD 6 puts a node called Expression here."""
    if child in (SKIP, SEMI):
        return False
    if mother in (PAREN, ARGUMENTS, RETURN, THROW, YIELD, ASSERT):
        return True
    if mother == ARRAY:
        return child != ARRAY
    if mother in (DECLARATOR, FOREACH):
        return place == IN_VALUE and child != ARRAY
    return (
        (mother == ACCESS and place == IN_INDEX)
        or (mother == ASSIGN and place == IN_RIGHT)
        or (mother == FOR and place == IN_CONDITION)
    )


@kernel
def _cases(code: Any, stop: Any, value: Any, block: int, seven: bool, most: int) -> int:
    """The sum over the labels of a switch. ``waiting``: values named since the last statement,
    which PMD 7 counts with the next one."""
    total = waiting = 0
    group = block + 1
    while group < stop[block]:
        rule = code[group] == RULE
        if rule or code[group] == GROUP:
            labels, statements, throws, product = 0, False, False, 1
            at = group + 1
            while at < stop[group]:
                if code[at] == LABEL:
                    labels += 1
                    waiting += value[at]
                elif code[at] != SKIP and not (rule and code[at] == SEMI):
                    statements = True
                    throws = code[at] == THROW
                    product = _times(product, value[at], most)
                at = stop[at]
            if seven or rule:
                if statements:
                    one = rule and throws and not seven
                    total = _plus(total, 1 if one else _times(product, waiting, most), most)
                    waiting = 0
            else:
                total = _plus(total, _plus(product, labels - 1, most), most)
        group = stop[group]
    return total


@kernel
def products(tree: Any, seven: bool, most: int) -> Any:
    """The value of each node by the rules of PMD 6, or of PMD 7.0 to 7.13 (``seven``). The tree:
    codes, places, ends, each node's first child that is evaluated, how many values a label names.

    From the last node to the first, so that children come before their parents. ``operators`` is
    how many && and || there are below a node, lambdas and bodies of classes left out; ``deciding``
    is PMD 7's count, in which an expression that is a ternary has two more; ``first`` is PMD 6's
    first Expression below a node; ``plain`` the product of the children, whatever the node is.
    """
    code, place, stop, inner, alternatives = tree
    count = len(code)
    value, plain = np.ones(count, dtype=np.int64), np.ones(count, dtype=np.int64)
    operators, deciding = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    first = np.full(count, -1, dtype=np.int32)
    for node in range(count - 1, -1, -1):
        kind, last = code[node], stop[node]
        if last == node + 1:
            if kind in (AND_TOKEN, OR_TOKEN):
                operators[node] = deciding[node] = 1
            continue
        product, found, total, ahead = 1, 0, 0, -1
        condition = body = one = other = -1
        at = node + 1
        while at < last:
            child, where = code[at], place[at]
            product = _times(product, value[at], most)
            bound = child in (LAMBDA, TYPE_BODY)
            if not bound:
                found += operators[at]
            if ahead < 0:
                if _is_expression(kind, child, where):
                    ahead = at
                elif not bound:
                    ahead = first[at]
            if where == IN_CONDITION:
                condition = at
            elif where == IN_BODY:
                body = at
            elif where == IN_CONSEQUENCE:
                one = at
            elif where == IN_ALTERNATIVE:
                other = at
            if child == PART or where == IN_BODY:
                total = _plus(total, value[at], most)
            at = stop[at]
        plain[node], operators[node], deciding[node], first[node] = product, found, found, ahead
        asked = 0
        if condition >= 0:
            asked = deciding[condition] if seven else operators[condition]
        if kind == PAREN:
            deciding[node] = deciding[inner[node]] if inner[node] >= 0 else 0
        elif kind == LABEL:
            product = alternatives[node]
        elif kind == CASES:
            plain[node] = _cases(code, stop, value, node, seven, most)
        elif kind == SWITCH:
            product = _plus(plain[body] if body >= 0 else 0, asked, most)
            if product == 0 and not seven:
                # PMD 6 takes a product that falls for an overflow, and nothing else gives 0.
                product = most
        elif kind == TRY:
            product = total
        elif kind == TERNARY:
            product = 0
            deciding[node] = 2
            for part in (condition, one, other):
                if part >= 0:
                    product = _plus(product, value[part], most)
                    deciding[node] += deciding[part]
            if product < most:
                product = max(_plus(product, asked, most) - 1, 1)
        elif kind == IF:
            product = _plus(value[one] if one >= 0 else 1, asked, most)
            product = _plus(product, value[other] if other >= 0 else 1, most)
        elif kind in (WHILE, DO, FOR, FOREACH):
            if kind == FOREACH:
                asked = 0
            if kind in (FOR, FOREACH) and not seven:
                asked = 0 if ahead < 0 or code[ahead] == LAMBDA else operators[ahead]
            product = _plus(value[body] if body >= 0 else 1, asked + 1, most)
        elif kind == RETURN and inner[node] >= 0:
            given = inner[node]
            if seven:
                while code[given] == PAREN and inner[given] >= 0:
                    given = inner[given]
                product = _plus(plain[given], deciding[given], most)
            else:
                asked = 0 if code[given] == LAMBDA else operators[given]
                product = _plus(value[given] if value[given] > 1 else 0, asked, most)
                product = max(product, 1)
        value[node] = product
    return value
