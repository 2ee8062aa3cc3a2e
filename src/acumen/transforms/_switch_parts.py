"""The parts of a switch: its cases, which of them run into the next, what leaves it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from acumen.lang.java.declarations import NONE
from acumen.transforms.code import BLOCKS, COMMENTS, LAMBDA, LOOPS, SWITCH, TYPES, Code
from acumen.transforms.completes import completes, target

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
