"""The parts of a switch: its cases, which of them run into the next, what leaves it.

Variables that one case declares and another uses: the cases of a switch are one scope, the
branches that they become are not.

Where a switch stands, and what becomes of its value.

A switch that is a statement is written anew by itself. Of one that gives a value, the statement
around it is: each branch then returns, assigns or yields its value itself. Its values were expected
to be of the type of what takes them (JLS 15.28.1), and they still are.
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
# Parents that hold statements in a row.
LISTS = BLOCKS | {GROUP}
_HOLDERS = LISTS | LOOPS | {"if_statement", "labeled_statement"}
_LABEL = "switch_label"
_NO_STATEMENT = COMMENTS | {_LABEL, ":", "->"}
_BODIES = TYPES | {LAMBDA}


class RefusedError(Exception):
    """Why a switch stays as it is."""


@dataclass(slots=True)
class Case:
    """What runs for some labels. ``nodes`` are the grammar's groups: all but the last have
    labels only. ``statements``: of a rule, its body. ``falls``: it runs into the next case."""

    nodes: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    default: bool = False
    statements: list[int] = field(default_factory=list)
    falls: bool = False

    def holds(self, code: Code, node: int) -> bool:
        return any(code.inside(node, one) for one in self.nodes)


@dataclass
class Switch:
    """``block`` is its body. ``gives``: it is an expression."""

    node: int
    selector: int
    block: int
    gives: bool
    rules: bool
    cases: list[Case]

    @cached_property
    def runs(self) -> list[list[Case]]:
        """Cases that run into each other, together."""
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
    """A switch's parts; refused if it has others than those known here."""
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
    for case in cases[:-1]:
        answer = completes(code, case.nodes[-1])
        if answer is None:
            raise RefusedError("it is not clear whether a case falls through")
        case.falls = answer


def gives(code: Code, node: int) -> bool:
    """Whether a switch is an expression. The grammar takes some statements that a semicolon
    follows for expressions."""
    above = code.parent[node]
    if code.kind[above] == "expression_statement":
        return code.kind[code.parent[above]] == RULE
    held = code.field[node] in ("", "body", "consequence", "alternative")
    return not (held and code.kind[above] in _HOLDERS)


def breaks(code: Code, switch: Switch) -> list[int]:
    """The ``break`` statements that leave a switch."""
    found = code.of_kind(switch.block, "break_statement")
    return [one for one in found if target(code, one) == switch.node]


def yields(code: Code, switch: Switch) -> list[int]:
    """The ``yield`` statements that give a switch its value."""
    found = code.of_kind(switch.block, "yield_statement")
    return [one for one in found if yields_to(code, one) == switch.node]


def yields_to(code: Code, node: int) -> int:
    """The switch that a ``yield`` gives its value to, or a rule that is a value does."""
    for one in code.up(node):
        if code.kind[one] == SWITCH and gives(code, one):
            return one
        if code.kind[one] in _BODIES:
            break
    return NONE


def tail(code: Code, case: Case) -> int:
    """The last statement of a case, in blocks at its end too; NONE if it has none."""
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
    return any(tail(code, case) == node for case in switch.cases)


_CLASSES = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
SHARED = "a variable is shared between cases"


def shared(code: Code, switch: Switch) -> list[int]:
    """The declarations (statements) that must move before the branches."""
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
        # Those are in scope in their own case only, and may be the variable's type.
        raise RefusedError(SHARED)
    return found


def _names(code: Code, statement: int) -> list[int]:
    return [code.child(one, "name") for one in code.fields(statement, "declarator")]


def _stays(code: Code, statement: int, name: int) -> bool:
    """Whether a name is used only where it is still in scope when the case is a block."""
    end = code.stop[code.parent[statement]]
    return all(statement <= one < end for one in code.occurrences.get(name, ()))


def _check(code: Code, switch: Switch, statement: int, names: list[int]) -> None:
    """Whether variables may be declared before all branches instead."""
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
            # Another variable of that name, or a field, would be hidden.
            if kind == "identifier" and node not in uses and code.bytes(node) == text:
                raise RefusedError(SHARED)
            if kind == "switch_label" and any(code.inside(one, node) for one in uses):
                raise RefusedError(SHARED)


def declared(code: Code, statement: int) -> bytes:
    """The declaration without values."""
    names = [
        code.bytes(name) + _dimensions(code, code.parent[name]) for name in _names(code, statement)
    ]
    return code.bytes(code.child(statement, "type")) + b" " + b", ".join(names) + b";"


def _dimensions(code: Code, declarator: int) -> bytes:
    found = code.child(declarator, "dimensions")
    return code.bytes(found) if found != NONE else b""


def assigned(code: Code, statement: int) -> Rewrite:
    """What is left where a declaration was: its values are assigned."""
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
    """``how`` the value is taken, and by which statement (``node``). ``target`` is what it is
    assigned to; ``outer`` the switch it is yielded to. ``listed``: the statement is one of
    several in a row."""

    how: str
    node: int
    listed: bool
    target: str = ""
    outer: int = NONE


def find_place(code: Code, switch: Switch) -> Place:
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
