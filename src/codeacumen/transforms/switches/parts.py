"""Parts of a switch: its cases, the ones that fall through, and the statements that leave it.

The module also finds variables that one case declares and another one uses, because the cases of a
switch are one scope and the branches of an ``if`` are not; and it finds the use of a switch
expression's value.

A switch statement is rewritten by itself. A switch expression is rewritten with the statement
around it: each branch then returns, assigns or yields its value itself. The target type of the
values (JLS 15.28.1) stays the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, COMMENTS, LAMBDA, LOOPS, SWITCH, TYPES, Code
from codeacumen.transforms.completes import completes, target
from codeacumen.transforms.edits import Part, Rewrite

RULE = "switch_rule"
GROUP = "switch_block_statement_group"
# Parents whose children are a list of statements.
LISTS = BLOCKS | {GROUP}
_HOLDERS = LISTS | LOOPS | {"if_statement", "labeled_statement"}
_LABEL = "switch_label"
_NO_STATEMENT = COMMENTS | {_LABEL, ":", "->"}
_BODIES = TYPES | {LAMBDA}


class RefusedError(Exception):
    """The switch cannot be rewritten, with the reason."""


@dataclass(slots=True)
class Case:
    """A case of a switch.

    ``nodes`` are the groups of the grammar: all but the last have labels only. ``statements`` of a
    rule are its body. ``falls_through``: control continues in the next case.
    """

    nodes: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    default: bool = False
    statements: list[int] = field(default_factory=list)
    falls: bool = False

    def holds(self, code: Code, node: int) -> bool:
        """Return whether a node is in the case."""
        return any(code.inside(node, one) for one in self.nodes)


@dataclass
class Switch:
    """A switch.

    ``block`` is its body. ``is_expression``: it has a value.
    """

    node: int
    selector: int
    block: int
    gives: bool
    rules: bool
    cases: list[Case]

    @cached_property
    def runs(self) -> list[list[Case]]:
        """Runs of cases that fall through into each other."""
        found: list[list[Case]] = []
        falls = False
        for case in self.cases:
            if falls:
                found[-1].append(case)
            else:
                found.append([case])
            falls = case.falls
        return found


def read(code: Code, node: int) -> Switch:
    """Return the parts of a switch; raise ``RefusedError`` if it contains unsupported ones."""
    condition, block = code.child(node, "condition"), code.child(node, "body")
    if condition == NONE or block == NONE:
        raise RefusedError("the source is broken here")
    cases: list[Case] = []
    case = Case()
    rules = False
    for part in code.children(block)[1:-1]:
        rules = rules or code.kind[part] == RULE
        case.nodes.append(part)
        for label in (one for one in code.children(part) if code.kind[one] == _LABEL):
            _add_label(code, label, case)
        case.statements = [
            one for one in code.children(part) if code.kind[one] not in _NO_STATEMENT
        ]
        if rules or case.statements:
            cases.append(case)
            case = Case()
    if case.nodes:
        cases.append(case)
    if not rules:
        _add_falls(code, cases)
    return Switch(node, code.unwrapped(condition), block, gives(code, node), rules, cases)


def _add_label(code: Code, label: int, case: Case) -> None:
    """Add the parts of a label to a case."""
    word, *parts = code.children(label)
    if code.kind[word] == "default":
        case.default = True
    for one in parts:
        kind = code.kind[one]
        if kind in ("pattern", "guard", "null_literal") or code.bytes(one) == b"default":
            raise RefusedError("patterns are not handled")
        if kind != ",":
            case.labels.append(one)


def _add_falls(code: Code, cases: list[Case]) -> None:
    """Set which cases fall through."""
    for case in cases[:-1]:
        answer = completes(code, case.nodes[-1])
        if answer is None:
            raise RefusedError("it is not clear whether a case falls through")
        case.falls = answer


def gives(code: Code, node: int) -> bool:
    """Return whether a switch is an expression.

    The grammar parses some switch statements that a semicolon follows as expressions.
    """
    above = code.parent[node]
    if code.kind[above] == "expression_statement":
        return code.kind[code.parent[above]] == RULE
    held = code.field[node] in ("", "body", "consequence", "alternative")
    return not (held and code.kind[above] in _HOLDERS)


def breaks(code: Code, switch: Switch) -> list[int]:
    """Return the ``break`` statements that leave a switch."""
    found = code.of_kind(switch.block, "break_statement")
    return [one for one in found if target(code, one) == switch.node]


def yields(code: Code, switch: Switch) -> list[int]:
    """Return the ``yield`` statements that provide the value of a switch."""
    found = code.of_kind(switch.block, "yield_statement")
    return [one for one in found if yields_to(code, one) == switch.node]


def yields_to(code: Code, node: int) -> int:
    """Return the switch for which a ``yield``, or the expression of a rule, provides the value;
    NONE if there is none."""
    for one in code.up(node):
        if code.kind[one] == SWITCH and gives(code, one):
            return one
        if code.kind[one] in _BODIES:
            break
    return NONE


def tail(code: Code, case: Case) -> int:
    """Return the last statement of a case, also if it is in a block at the end; NONE if the case
    has none."""
    if not case.statements:
        return NONE
    last = case.statements[-1]
    while code.kind[last] == "block":
        inner = [one for one in code.children(last) if code.kind[one] not in ("{", "}")]
        if not inner:
            break
        last = inner[-1]
    return last


def is_tail(code: Code, switch: Switch, node: int) -> bool:
    """Return whether a statement is the last one of a case."""
    return any(tail(code, case) == node for case in switch.cases)


_CLASSES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
SHARED = "a variable is shared between cases"


def shared(code: Code, switch: Switch) -> list[int]:
    """Return the declarations that must move before the branches."""
    if switch.rules:
        return []
    found: list[int] = []
    classes = False
    for case in switch.cases:
        for statement in case.statements:
            kind = code.kind[statement]
            if kind in _CLASSES:
                classes = True
            elif kind == "local_variable_declaration":
                names = _names(code, statement)
                if not all(_stays(code, statement, name) for name in names):
                    _check(code, switch, statement, names)
                    found.append(statement)
    if found and classes:
        # A local class is in scope in its own case only, and may be the variable's type.
        raise RefusedError(SHARED)
    return found


def _names(code: Code, statement: int) -> list[int]:
    """Return the names of the variables that a statement declares."""
    return [code.child(one, "name") for one in code.fields(statement, "declarator")]


def _stays(code: Code, statement: int, name: int) -> bool:
    """Return whether all uses of a variable remain in scope when the case becomes a block."""
    end = code.stop[code.parent[statement]]
    return all(statement <= one < end for one in code.occurrences.get(name, ()))


def _check(code: Code, switch: Switch, statement: int, names: list[int]) -> None:
    """Raise ``RefusedError`` unless the variables can be declared before all branches instead."""
    type_ = code.child(statement, "type")
    if code.kind[statement + 1] == "modifiers" or code.text(type_) == "var":
        raise RefusedError(SHARED)
    for name in names:
        value = code.child(code.parent[name], "value")
        if value != NONE and code.kind[value] == "array_initializer":
            raise RefusedError(SHARED)
        uses = set(code.occurrences[name])
        text = code.bytes(name)
        for node in range(switch.node, code.stop[switch.node]):
            kind = code.kind[node]
            # The declaration would shadow another variable or a field of that name.
            if kind == "identifier" and node not in uses and code.bytes(node) == text:
                raise RefusedError(SHARED)
            if kind == "switch_label" and any(code.inside(one, node) for one in uses):
                raise RefusedError(SHARED)


def declared(code: Code, statement: int) -> bytes:
    """Return the declaration without initial values."""
    names = [
        code.bytes(name) + _dimensions(code, code.parent[name]) for name in _names(code, statement)
    ]
    return code.bytes(code.child(statement, "type")) + b" " + b", ".join(names) + b";"


def _dimensions(code: Code, declarator: int) -> bytes:
    """Return the dimensions after the name of a variable."""
    found = code.child(declarator, "dimensions")
    return code.bytes(found) if found != NONE else b""


def assigned(code: Code, statement: int) -> Rewrite:
    """Return the rewrite of a declaration into assignments of its initial values."""
    parts: list[Part] = []
    for name in _names(code, statement):
        value = code.child(code.parent[name], "value")
        if value != NONE:
            space = b" " if parts else b""
            parts += (space + code.bytes(name) + b" = ", code.span(value), b";")
    if not parts and any(
        code.kind[one] in COMMENTS for one in range(statement, code.stop[statement])
    ):
        parts = [b";"]
    return Rewrite(*code.span(statement), tuple(parts or [b";"]))


STATEMENT, RETURN, ASSIGN, DECLARE, YIELD = "statement", "return", "assign", "declare", "yield"
_LARGER = "part of a larger expression"
_GUARDED = frozenset(("try_statement", "try_with_resources_statement", "synchronized_statement"))


@dataclass(frozen=True, slots=True)
class Place:
    """Use of a switch's value.

    ``kind`` is the kind of use, ``node`` the statement that uses it, ``target`` the variable that
    it is assigned to, ``outer`` the switch that it is yielded to. ``is_in_list``: the statement is
    in a list of statements.
    """

    how: str
    node: int
    listed: bool
    target: str = ""
    outer: int = NONE


def find_place(code: Code, switch: Switch) -> Place:
    """Return how a switch is used; raise ``RefusedError`` if its value cannot be moved into the
    branches."""
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
    """Return how the parent of a switch expression uses its value."""
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
    """Raise ``RefusedError`` unless the value of the outer switch has a target type.

    Only then has a yielded value a target type, too.
    """
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
    """Return the use of a value that is assigned."""
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
    """Return whether the expression of a rule is the value of its switch."""
    switch = next((one for one in code.up(statement) if code.kind[one] == SWITCH), NONE)
    return switch == NONE or yields_to(code, statement) == switch


def _declared(code: Code, declarator: int) -> Place:
    """Return the use of a value that initialises a variable."""
    statement = code.parent[declarator]
    if code.kind[statement] != "local_variable_declaration" or not _listed(code, statement):
        raise RefusedError(_LARGER)
    if len(code.fields(statement, "declarator")) != 1 or _type(code, declarator) == "var":
        raise RefusedError(_LARGER)
    return Place(DECLARE, statement, True, code.text(code.child(declarator, "name")))


def _type(code: Code, declarator: int) -> str:
    """Return the declared type of a variable; empty if there is none."""
    type_ = code.child(code.parent[declarator], "type")
    return code.text(type_) if type_ != NONE else ""


def _listed(code: Code, statement: int) -> bool:
    """Return whether a statement is in a list of statements."""
    return code.kind[code.parent[statement]] in LISTS


def _unit(code: Code, node: int) -> str:
    """Return the kind of the lambda or type that contains a statement."""
    return next((code.kind[one] for one in code.up(node) if code.kind[one] in TYPES | {LAMBDA}), "")


def _check_target(code: Code, switch: Switch, found: Place, above: int) -> None:
    """Raise ``RefusedError`` if the assignment must not move from behind the switch into it.

    It would then precede the code of a ``finally``, and an exception in it would reach a ``catch``.
    """
    guarded = [one for one in yields(code, switch) if _is_guarded(code, switch, one)]
    if found.how != DECLARE:
        # A value that is yielded to another switch may be assigned there.
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
    """Return whether a node is inside a ``try`` or ``synchronized`` statement of the switch."""
    for one in code.up(node):
        if one == switch.node:
            return False
        if code.kind[one] in _GUARDED:
            return True
    return False


def comments(code: Code, start: int, end: int, pause: bytes = b"\n") -> bytes:
    """Return the comments in a range of nodes as text to put before other code.

    A comment that ends its line is followed by ``separator``.
    """
    found = b""
    for node in range(start, end):
        if code.kind[node] in COMMENTS:
            line = code.kind[node] == "line_comment"
            found += code.bytes(node) + (pause if line else b" ")
    return found
