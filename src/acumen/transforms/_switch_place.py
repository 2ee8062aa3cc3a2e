"""Where a switch stands, and what becomes of its value.

A switch that is a statement is written anew by itself. Of one that gives a value, the statement
around it is: each branch then returns, assigns or yields its value itself. Its values were expected
to be of the type of what takes them (JLS 15.28.1), and they still are.
"""

from __future__ import annotations

from dataclasses import dataclass

from acumen.lang.java.declarations import NONE
from acumen.transforms._switch_parts import (
    LISTS,
    RULE,
    RefusedError,
    Switch,
    yields,
    yields_to,
)
from acumen.transforms.code import COMMENTS, LAMBDA, SWITCH, TYPES, Code

STATEMENT, RETURN, ASSIGN, DECLARE, YIELD = "statement", "return", "assign", "declare", "yield"
_LARGER = "part of a larger expression"
_GUARDED = frozenset(("try_statement", "try_with_resources_statement", "synchronized_statement"))


@dataclass(frozen=True, slots=True)
class Place:
    """``how`` the value is taken, and by which statement (``node``). ``target`` is what it is
    assigned to; ``outer`` the switch it is yielded to. ``listed``: the statement is one of
    several in a row."""

    how: str
    node: int
    listed: bool
    target: str = ""
    outer: int = NONE


def place(code: Code, switch: Switch) -> Place:
    above = code.parent[switch.node]
    if not switch.gives:
        holder = above if code.kind[above] != "expression_statement" else code.parent[above]
        return Place(STATEMENT, switch.node, code.kind[holder] in LISTS)
    value = switch.node
    while code.kind[above] == "parenthesized_expression":
        value, above = above, code.parent[above]
    found = _taken(code, value, above)
    if found.how != RETURN:
        _check_target(code, switch, found, above)
    return found


def _taken(code: Code, value: int, above: int) -> Place:
    kind = code.kind[above]
    if kind == "return_statement":
        if _unit(code, above) == LAMBDA:
            raise RefusedError("the value of a lambda")
        return Place(RETURN, above, _listed(code, above))
    if kind == "yield_statement" or (
        kind == "expression_statement" and code.kind[code.parent[above]] == RULE
    ):
        outer = yields_to(code, above)
        if outer == NONE:
            raise RefusedError(_LARGER)
        _check_outer(code, outer)
        return Place(YIELD, above, _listed(code, above), outer=outer)
    if kind == "assignment_expression" and code.field[value] == "right":
        return _assigned(code, above)
    if kind == "variable_declarator" and code.field[value] == "value":
        return _declared(code, above)
    raise RefusedError(_LARGER)


def _check_outer(code: Code, outer: int) -> None:
    """What is yielded is expected to be of a type only if that is so of the switch around."""
    for _ in range(8):
        above = code.parent[outer]
        while code.kind[above] == "parenthesized_expression":
            above = code.parent[above]
        kind = code.kind[above]
        if kind == "return_statement" and _unit(code, above) != LAMBDA:
            return
        if kind == "assignment_expression" and code.text(code.child(above, "operator")) == "=":
            return
        if kind == "variable_declarator" and _type(code, above) not in ("", "var"):
            return
        outer = (
            yields_to(code, above) if kind in ("yield_statement", "expression_statement") else NONE
        )
        if outer == NONE:
            break
    raise RefusedError(_LARGER)


def _assigned(code: Code, node: int) -> Place:
    statement, left = code.parent[node], code.child(node, "left")
    plain = code.kind[left] == "identifier" or (
        code.kind[left] == "field_access"
        and code.kind[code.child(left, "object")] == "this"
        and code.stop[left] - left == 4
    )
    if (
        not plain
        or code.text(code.child(node, "operator")) != "="
        or code.kind[statement] != "expression_statement"
        or (code.kind[code.parent[statement]] == RULE and _is_value(code, statement))
    ):
        raise RefusedError(_LARGER)
    return Place(ASSIGN, statement, _listed(code, statement), code.text(left))


def _is_value(code: Code, statement: int) -> bool:
    """Whether a rule's expression is the value of its switch."""
    switch = next((one for one in code.up(statement) if code.kind[one] == SWITCH), NONE)
    return switch == NONE or yields_to(code, statement) == switch


def _declared(code: Code, declarator: int) -> Place:
    statement = code.parent[declarator]
    if code.kind[statement] != "local_variable_declaration" or not _listed(code, statement):
        raise RefusedError(_LARGER)
    if len(code.fields(statement, "declarator")) != 1 or _type(code, declarator) == "var":
        raise RefusedError(_LARGER)
    return Place(DECLARE, statement, True, code.text(code.child(declarator, "name")))


def _type(code: Code, declarator: int) -> str:
    type_ = code.child(code.parent[declarator], "type")
    return code.text(type_) if type_ != NONE else ""


def _listed(code: Code, statement: int) -> bool:
    return code.kind[code.parent[statement]] in LISTS


def _unit(code: Code, node: int) -> str:
    """The kind of the body that runs a statement."""
    return next((code.kind[one] for one in code.up(node) if code.kind[one] in TYPES | {LAMBDA}), "")


def _check_target(code: Code, switch: Switch, found: Place, above: int) -> None:
    """An assignment moves from behind the switch into it: before what ``finally`` does, and into
    the reach of ``catch``."""
    guarded = [one for one in yields(code, switch) if _is_guarded(code, switch, one)]
    if found.how != DECLARE:
        # What is yielded to another switch may be assigned there.
        if guarded:
            raise RefusedError("the value is given inside try or synchronized")
        return
    name = code.child(above, "name")
    places = code.occurrences.get(name, [name])
    if any(code.inside(one, switch.node) for one in places):
        raise RefusedError("the variable is used in its own value")
    holder = code.parent[found.node]
    if any(not code.inside(one, holder) for one in places):
        raise RefusedError("the variable is shared between cases of another switch")
    words = found.node + 1
    final = code.kind[words] == "modifiers" and code.of_kind(words, "final")
    unit = code.unit(name)
    if guarded and (final or any(code.unit(one) != unit for one in places)):
        raise RefusedError("the value is given inside try or synchronized")


def _is_guarded(code: Code, switch: Switch, node: int) -> bool:
    for one in code.up(node):
        if one == switch.node:
            return False
        if code.kind[one] in _GUARDED:
            return True
    return False


def comments(code: Code, start: int, end: int, pause: bytes = b"\n") -> bytes:
    """Comments among the nodes from one to before another, to be put in front of something;
    what follows one that ends its line is separated from it by ``pause``."""
    found = b""
    for node in range(start, end):
        if code.kind[node] in COMMENTS:
            line = code.kind[node] == "line_comment"
            found += code.bytes(node) + (pause if line else b" ")
    return found
