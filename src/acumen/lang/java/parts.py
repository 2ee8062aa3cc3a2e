"""Parts of a node of the syntax by their fields, and what an expression may come to."""

from __future__ import annotations

from acumen.lang.java.grammar import field, name_of
from acumen.lang.syntax import Syntax

_AROUND = frozenset(("return", ";", "(", ")", "line_comment", "block_comment"))
_WRAPPED = {"cast_expression": "value", "assignment_expression": "right"}


def parts(syntax: Syntax, node: int, *names: str) -> list[int]:
    """The children in some fields; what could not be read may lack them."""
    wanted = {field(name) for name in names}
    return [one for one in syntax.children(node) if syntax.field[one] in wanted]


def word(syntax: Syntax, node: int, name: str) -> str:
    """The text in a field; nothing where there is none."""
    return "".join(syntax.text(one) for one in parts(syntax, node, name)[:1])


def alternatives(syntax: Syntax, expression: int) -> list[int]:
    """The expressions of which one is what an expression gives, or a statement returns: both sides
    of each ``?:``, without the parentheses, casts and assignments around."""
    found: list[int] = []
    left = [expression]
    while left:
        node = left.pop()
        kind = name_of(int(syntax.kind[node]))
        if kind in ("return_statement", "parenthesized_expression"):
            inner = syntax.children(node)
            left += [one for one in inner if name_of(int(syntax.kind[one])) not in _AROUND][:1]
        elif kind == "ternary_expression":
            left += reversed(parts(syntax, node, "consequence", "alternative"))
        elif kind in _WRAPPED and word(syntax, node, "operator") in ("", "="):
            left += parts(syntax, node, _WRAPPED[kind])
        else:
            found.append(node)
    return found
