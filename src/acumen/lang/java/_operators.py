"""Kernels: the types of operators' results (JLS 15.15 to 15.27), which calls are chosen by."""

from __future__ import annotations

from typing import Any

from acumen.lang.kernel import kernel

(
    OTHER, PARENTHESES, BINARY, UNARY, UPDATE, CONDITIONAL, INSTANCEOF, PLUS, SHIFT, COMPARISON,
    BITWISE, NOT, COMMENT,
) = range(13)  # fmt: skip
CODES = {
    "parenthesized_expression": PARENTHESES, "binary_expression": BINARY,
    "unary_expression": UNARY, "update_expression": UPDATE, "ternary_expression": CONDITIONAL,
    "instanceof_expression": INSTANCEOF, "+": PLUS, "<<": SHIFT, ">>": SHIFT, ">>>": SHIFT,
    "==": COMPARISON, "!=": COMPARISON, "<": COMPARISON, ">": COMPARISON, "<=": COMPARISON,
    ">=": COMPARISON, "&&": COMPARISON, "||": COMPARISON, "&": BITWISE, "|": BITWISE,
    "^": BITWISE, "!": NOT, "line_comment": COMMENT, "block_comment": COMMENT,
}  # fmt: skip
EVENTS = (PARENTHESES, BINARY, UNARY, UPDATE, CONDITIONAL, INSTANCEOF)

# Values of types as in _types.
BOOLEAN, INT, DOUBLE = 256 * 1, 256 * 5, 256 * 8


@kernel
def operators(code: Any, stop: Any, nodes: Any, text: int, value: Any) -> None:
    """The values of operators' results, from the inside out; ``text`` is String's."""
    for n in range(len(nodes) - 1, -1, -1):
        node = nodes[n]
        if value[node] == 0:
            value[node] = _result(code, stop, node, text, value)


@kernel
def _after(code: Any, stop: Any, at: int, end: int) -> int:
    """What follows a node, comments left out."""
    at = stop[at]
    while at < end - 1 and code[at] == COMMENT:
        at += 1
    return at


@kernel
def _result(code: Any, stop: Any, node: int, text: int, value: Any) -> int:
    kind, left, end = code[node], node + 1, stop[node]
    if end == left:
        return 0
    second = _after(code, stop, left, end)
    if kind == PARENTHESES:
        return int(value[second]) if second < end else 0
    if kind == INSTANCEOF or code[left] == NOT:
        return BOOLEAN
    if second >= end:
        return 0
    if kind == UNARY:
        return _promoted(value[second], value[second])
    if kind == UPDATE:
        return int(max(value[left], value[second]))
    third = _after(code, stop, second, end)
    if third >= end:
        return 0
    if kind == CONDITIONAL:
        last = _after(code, stop, _after(code, stop, third, end), end)
        return int(value[third]) if last < end and value[third] == value[last] else 0
    if code[second] == COMPARISON:
        return BOOLEAN
    if code[second] == PLUS and (value[left] == text or value[third] == text):
        return int(text)
    if code[second] == SHIFT:
        return _promoted(value[left], value[left])
    if code[second] == BITWISE and value[left] == BOOLEAN:
        return BOOLEAN
    return _promoted(value[left], value[third])


@kernel
def _promoted(left: int, right: int) -> int:
    """Binary numeric promotion (JLS 5.6)."""
    if BOOLEAN < left <= DOUBLE and BOOLEAN < right <= DOUBLE and (left | right) & 255 == 0:
        return max(left, right, INT)
    return 0
