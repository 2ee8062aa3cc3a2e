"""A boolean holds the opposite: its values are negated, and its uses where the tool knows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import Code
from acumen.transforms.edits import Rewrite, replace, wrap
from acumen.transforms.location import Doubt, Location, Numbered, worst
from acumen.transforms.published.names import by_text, declared, is_expression, method_node

# Statements whose expression may be the name itself; conditions stand in parentheses there.
_STATEMENTS = frozenset((
    "return_statement", "assert_statement", "expression_statement", "yield_statement",
    "for_statement",
))  # fmt: skip
_CONDITIONED = frozenset(("if_statement", "while_statement", "do_statement", "switch_expression"))


class PublishedBoolean:
    name = "published-boolean"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        top, why = method_node(code, method), code.unreadable(method)
        numbered, written = Numbered(self.name), by_text(code, top)
        found: list[Location] = []
        for node in declared(code, top):
            above = code.parent[node]
            if code.kind[above] != "variable_declarator" or code.child(above, "value") == NONE:
                continue
            if code.declared_type(node).lower() != "boolean":
                continue
            id_ = numbered.id(code.text(node))
            doubt = None if why else worst(_doubts(code, node, written[code.bytes(node)]))
            found.append(Location(id_, method, *code.span(node), why, node, doubt=doubt))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        written = by_text(code, method_node(code, chosen[0].method))
        values, found = [], []
        for text in dict.fromkeys(code.bytes(location.detail) for location in chosen):
            for node in written[text]:
                rewrite, value = _use(code, node)
                if rewrite is not None:
                    found.append(rewrite)
                if value != NONE:
                    values.append(value)
        values += [code.child(code.parent[location.detail], "value") for location in chosen]
        # What is around a use is written around it.
        return [*found, *(wrap(*code.span(one), b"!(", b")") for one in dict.fromkeys(values))]


def _use(code: Code, node: int) -> tuple[Rewrite | None, int]:
    """How a use of the name is written; and, where it is assigned, the value."""
    if not is_expression(code, node):
        return None, NONE
    above = code.parent[node]
    kind, field = code.kind[above], code.field[node]
    if kind == "assignment_expression" and field == "left":
        return None, code.child(above, "right")
    if kind == "unary_expression" and code.kind[above + 1] == "!":
        return replace(*code.span(above), code.bytes(node)), NONE
    if _is_known(code, node):
        return replace(*code.span(node), b"!" + code.bytes(node)), NONE
    return None, NONE


def _is_known(code: Code, node: int) -> bool:
    """Whether the tool negates a use that stands here."""
    above = code.parent[node]
    kind, field = code.kind[above], code.field[node]
    if kind in ("binary_expression", "variable_declarator", "assignment_expression"):
        return True
    if kind in _STATEMENTS or (kind == "lambda_expression" and field == "body"):
        return True
    if kind == "parenthesized_expression":
        return code.kind[code.parent[above]] in _CONDITIONED
    if kind == "argument_list":
        return code.kind[code.parent[above]] == "method_invocation"
    return kind == "method_invocation" and field == "object"


def _doubts(code: Code, variable: int, nodes: Sequence[int]) -> Iterator[Doubt]:
    for node in nodes:
        if not is_expression(code, node):
            continue
        above = code.parent[node]
        if code.declaration.get(node, NONE) != variable:
            # If that has its values negated as well, it is right.
            yield Doubt("it changes another variable of that name, too", wrong=False)
        elif code.kind[above] == "assignment_expression" and code.field[node] == "left":
            if code.kind[code.child(above, "operator")] != "=":
                yield Doubt("what is added to it is negated")
        elif code.kind[above] != "unary_expression" and not _is_known(code, node):
            yield Doubt("a use stays as it was")
    if code.declared_type(variable) != "boolean":
        yield Doubt("Boolean may be null", wrong=False)
