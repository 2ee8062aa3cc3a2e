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
from codeacumen.transforms.edits import Part, Rewrite
from codeacumen.transforms.normal_completion import can_complete, jump_target

RULE = "switch_rule"
GROUP = "switch_block_statement_group"
# Parents whose children are a list of statements.
LISTS = BLOCKS | {GROUP}
_STATEMENT_PARENTS = LISTS | LOOPS | {"if_statement", "labeled_statement"}
_LABEL = "switch_label"
_NO_STATEMENT = COMMENTS | {_LABEL, ":", "->"}
_BODIES = TYPES | {LAMBDA}


class RefusedError(Exception):
    """Raised if a switch cannot be rewritten; the message is the reason that users see."""


@dataclass(slots=True)
class Case:
    """A case of a switch.

    ``nodes`` are the case's groups in the grammar, of which all but the last have labels only, or
    its one rule ``case ... ->``. ``labels`` are the nodes of the constants, without ``default``.
    ``statements`` are those of the last group, or the body of the rule. ``falls_through``: control
    continues in the next case.
    """

    nodes: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    is_default: bool = False
    statements: list[int] = field(default_factory=list)
    falls_through: bool = False

    def contains(self, code: Code, node: int) -> bool:
        """Return whether a node is in the case."""
        return any(code.is_inside(node, group) for group in self.nodes)


@dataclass
class Switch:
    """A ``switch`` statement or expression.

    ``selector`` is the node of the value that is compared, without parentheses, and ``block`` that
    of the body. ``is_expression``: the switch has a value. ``has_rules``: its cases have arrows.
    """

    node: int
    selector: int
    block: int
    is_expression: bool
    has_rules: bool
    cases: list[Case]

    @cached_property
    def fall_through_runs(self) -> list[list[Case]]:
        """Runs of cases that fall through into each other."""
        runs: list[list[Case]] = []
        falls_through = False
        for case in self.cases:
            if falls_through:
                runs[-1].append(case)
            else:
                runs.append([case])
            falls_through = case.falls_through
        return runs


def parse_switch(code: Code, node: int) -> Switch:
    """Return the parts of a switch; raise ``RefusedError`` for patterns, for broken source, and
    where it is unclear whether a case falls through."""
    condition, block = code.child(node, "condition"), code.child(node, "body")
    if condition == NONE or block == NONE:
        raise RefusedError("the source is broken here")
    cases: list[Case] = []
    case = Case()
    has_rules = False
    for part in code.children(block)[1:-1]:  # the groups or rules, without the braces
        has_rules = has_rules or code.kind[part] == RULE
        case.nodes.append(part)
        for label in (child for child in code.children(part) if code.kind[child] == _LABEL):
            _add_label(code, label, case)
        case.statements = [
            child for child in code.children(part) if code.kind[child] not in _NO_STATEMENT
        ]
        # A group without statements belongs to the case of the next group.
        if has_rules or case.statements:
            cases.append(case)
            case = Case()
    if case.nodes:
        cases.append(case)
    if not has_rules:
        _find_fall_through(code, cases)
    return Switch(
        node,
        code.strip_parentheses(condition),
        block,
        is_switch_expression(code, node),
        has_rules,
        cases,
    )


def _add_label(code: Code, label: int, case: Case) -> None:
    """Add the parts of a label to a case."""
    word, *parts = code.children(label)
    if code.kind[word] == "default":
        case.is_default = True
    for child in parts:
        kind = code.kind[child]
        if kind in ("pattern", "guard", "null_literal") or code.node_bytes(child) == b"default":
            raise RefusedError("patterns are not handled")
        if kind != ",":
            case.labels.append(child)


def _find_fall_through(code: Code, cases: list[Case]) -> None:
    """Set ``falls_through`` of each case but the last; raise ``RefusedError`` if it is unclear."""
    for case in cases[:-1]:
        falls_through = can_complete(code, case.nodes[-1])
        if falls_through is None:
            raise RefusedError("it is not clear whether a case falls through")
        case.falls_through = falls_through


def is_switch_expression(code: Code, node: int) -> bool:
    """Return whether a switch is an expression.

    The grammar parses some switch statements that a semicolon follows as expressions.
    """
    parent = code.parent[node]
    if code.kind[parent] == "expression_statement":
        return code.kind[code.parent[parent]] == RULE
    is_statement_field = code.field[node] in ("", "body", "consequence", "alternative")
    return not (is_statement_field and code.kind[parent] in _STATEMENT_PARENTS)


def find_breaks(code: Code, switch: Switch) -> list[int]:
    """Return the ``break`` statements that leave a switch."""
    statements = code.descendants_of_kind(switch.block, "break_statement")
    return [statement for statement in statements if jump_target(code, statement) == switch.node]


def find_yields(code: Code, switch: Switch) -> list[int]:
    """Return the ``yield`` statements that provide the value of a switch."""
    statements = code.descendants_of_kind(switch.block, "yield_statement")
    return [statement for statement in statements if yield_target(code, statement) == switch.node]


def yield_target(code: Code, node: int) -> int:
    """Return the switch for which a ``yield``, or the expression of a rule, provides the value;
    NONE if there is none."""
    for ancestor in code.ancestors(node):
        if code.kind[ancestor] == SWITCH and is_switch_expression(code, ancestor):
            return ancestor
        if code.kind[ancestor] in _BODIES:
            break
    return NONE


def last_statement(code: Code, case: Case) -> int:
    """Return the last statement of a case, also if it is in a block at the end; NONE if the case
    has none."""
    if not case.statements:
        return NONE
    last = case.statements[-1]
    while code.kind[last] == "block":
        inner = [child for child in code.children(last) if code.kind[child] not in ("{", "}")]
        if not inner:
            break
        last = inner[-1]
    return last


def is_last_statement(code: Code, switch: Switch, node: int) -> bool:
    """Return whether a statement is the last one of a case."""
    return any(last_statement(code, case) == node for case in switch.cases)


_CLASS_DECLARATIONS = frozenset(
    ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
)
SHARED_REASON = "a variable is shared between cases"


def find_shared_declarations(code: Code, switch: Switch) -> list[int]:
    """Return the declarations that must move before the branches, because another case uses their
    variables; raise ``RefusedError`` if one of them cannot move."""
    if switch.has_rules:
        return []
    declarations: list[int] = []
    has_classes = False
    for case in switch.cases:
        for statement in case.statements:
            kind = code.kind[statement]
            if kind in _CLASS_DECLARATIONS:
                has_classes = True
            elif kind == "local_variable_declaration":
                names = _declared_names(code, statement)
                if not all(_stays_in_scope(code, statement, name) for name in names):
                    _check_movable(code, switch, statement, names)
                    declarations.append(statement)
    if declarations and has_classes:
        # A local class is in scope in its own case only, and may be the variable's type.
        raise RefusedError(SHARED_REASON)
    return declarations


def _declared_names(code: Code, statement: int) -> list[int]:
    """Return the names of the variables that a statement declares."""
    return [
        code.child(declarator, "name")
        for declarator in code.children_in_field(statement, "declarator")
    ]


def _stays_in_scope(code: Code, statement: int, name: int) -> bool:
    """Return whether all uses of a variable remain in scope when the case becomes a block."""
    end = code.stop[code.parent[statement]]
    return all(statement <= use < end for use in code.occurrences.get(name, ()))


def _check_movable(code: Code, switch: Switch, statement: int, names: list[int]) -> None:
    """Raise ``RefusedError`` unless the variables can be declared before all branches instead."""
    type_ = code.child(statement, "type")
    if code.kind[statement + 1] == "modifiers" or code.text(type_) == "var":
        raise RefusedError(SHARED_REASON)
    for name in names:
        value = code.child(code.parent[name], "value")
        if value != NONE and code.kind[value] == "array_initializer":
            raise RefusedError(SHARED_REASON)
        uses = set(code.occurrences[name])
        text = code.node_bytes(name)
        for node in range(switch.node, code.stop[switch.node]):
            kind = code.kind[node]
            # The declaration would shadow another variable or a field of that name.
            if kind == "identifier" and node not in uses and code.node_bytes(node) == text:
                raise RefusedError(SHARED_REASON)
            if kind == "switch_label" and any(code.is_inside(use, node) for use in uses):
                raise RefusedError(SHARED_REASON)


def declare_without_values(code: Code, statement: int) -> bytes:
    """Return the declaration without initial values."""
    names = [
        code.node_bytes(name) + _dimensions_text(code, code.parent[name])
        for name in _declared_names(code, statement)
    ]
    return code.node_bytes(code.child(statement, "type")) + b" " + b", ".join(names) + b";"


def _dimensions_text(code: Code, declarator: int) -> bytes:
    """Return the dimensions after the name of a variable."""
    dimensions = code.child(declarator, "dimensions")
    return code.node_bytes(dimensions) if dimensions != NONE else b""


def replace_by_assignments(code: Code, statement: int) -> Rewrite:
    """Return the rewrite of a declaration into assignments of its initial values, or into an empty
    statement if it has none."""
    parts: list[Part] = []
    for name in _declared_names(code, statement):
        value = code.child(code.parent[name], "value")
        if value != NONE:
            space = b" " if parts else b""
            parts += (space + code.node_bytes(name) + b" = ", code.span(value), b";")
    if not parts and any(
        code.kind[node] in COMMENTS for node in range(statement, code.stop[statement])
    ):
        parts = [b";"]
    return Rewrite(*code.span(statement), tuple(parts or [b";"]))


# Kinds of ``SwitchUse``.
STATEMENT, RETURN, ASSIGN, DECLARE, YIELD = "statement", "return", "assign", "declare", "yield"
_LARGER_EXPRESSION_REASON = "part of a larger expression"
_GUARDED_KINDS = frozenset(
    ("try_statement", "try_with_resources_statement", "synchronized_statement")
)


@dataclass(frozen=True, slots=True)
class SwitchUse:
    """Use of a switch's value, or of a switch that is a statement.

    ``kind`` is STATEMENT for a switch without a value, else RETURN, ASSIGN, DECLARE or YIELD.
    ``node`` is the statement that uses the value, ``target`` the variable that it is assigned to,
    ``outer`` the switch that it is yielded to. ``is_in_list``: the statement is in a list of
    statements, so several statements can replace it.
    """

    kind: str
    node: int
    is_in_list: bool
    target: str = ""
    outer: int = NONE


def find_use(code: Code, switch: Switch) -> SwitchUse:
    """Return how a switch is used; raise ``RefusedError`` if its value cannot be moved into the
    branches."""
    parent = code.parent[switch.node]
    if not switch.is_expression:
        holder = parent if code.kind[parent] != "expression_statement" else code.parent[parent]
        return SwitchUse(STATEMENT, switch.node, code.kind[holder] in LISTS)
    value = switch.node
    while code.kind[parent] == "parenthesized_expression":
        value, parent = parent, code.parent[parent]
    use = _classify_use(code, value, parent)
    if use.kind != RETURN:
        _check_target(code, switch, use, parent)
    return use


def _classify_use(code: Code, value: int, parent: int) -> SwitchUse:
    """Return how the parent of a switch expression uses its value."""
    kind = code.kind[parent]
    if kind == "return_statement":
        if _enclosing_unit_kind(code, parent) == LAMBDA:
            raise RefusedError("the value of a lambda")
        return SwitchUse(RETURN, parent, _is_in_list(code, parent))
    if kind == "yield_statement" or (
        kind == "expression_statement" and code.kind[code.parent[parent]] == RULE
    ):
        outer = yield_target(code, parent)
        if outer == NONE:
            raise RefusedError(_LARGER_EXPRESSION_REASON)
        _check_outer(code, outer)
        return SwitchUse(YIELD, parent, _is_in_list(code, parent), outer=outer)
    if kind == "assignment_expression" and code.field[value] == "right":
        return _assignment_use(code, parent)
    if kind == "variable_declarator" and code.field[value] == "value":
        return _declaration_use(code, parent)
    raise RefusedError(_LARGER_EXPRESSION_REASON)


def _check_outer(code: Code, outer: int) -> None:
    """Raise ``RefusedError`` unless the value of the outer switch has a target type.

    Only then has a yielded value a target type, too.
    """
    for _ in range(8):  # deeper nested switch expressions are refused
        parent = code.parent[outer]
        while code.kind[parent] == "parenthesized_expression":
            parent = code.parent[parent]
        kind = code.kind[parent]
        if kind == "return_statement" and _enclosing_unit_kind(code, parent) != LAMBDA:
            return
        if kind == "assignment_expression" and code.text(code.child(parent, "operator")) == "=":
            return
        if kind == "variable_declarator" and _declared_type(code, parent) not in ("", "var"):
            return
        outer = (
            yield_target(code, parent)
            if kind in ("yield_statement", "expression_statement")
            else NONE
        )
        if outer == NONE:
            break
    raise RefusedError(_LARGER_EXPRESSION_REASON)


def _assignment_use(code: Code, node: int) -> SwitchUse:
    """Return the use of a value that is assigned."""
    statement, left = code.parent[node], code.child(node, "left")
    is_simple_target = code.kind[left] == "identifier" or (
        code.kind[left] == "field_access"
        and code.kind[code.child(left, "object")] == "this"
        and code.stop[left] - left == 4  # the nodes of ``this.name`` alone
    )
    if (
        not is_simple_target
        or code.text(code.child(node, "operator")) != "="
        or code.kind[statement] != "expression_statement"
        or (code.kind[code.parent[statement]] == RULE and _is_value(code, statement))
    ):
        raise RefusedError(_LARGER_EXPRESSION_REASON)
    return SwitchUse(ASSIGN, statement, _is_in_list(code, statement), code.text(left))


def _is_value(code: Code, statement: int) -> bool:
    """Return whether the expression of a rule is the value of its switch."""
    switch = next(
        (ancestor for ancestor in code.ancestors(statement) if code.kind[ancestor] == SWITCH), NONE
    )
    return switch == NONE or yield_target(code, statement) == switch


def _declaration_use(code: Code, declarator: int) -> SwitchUse:
    """Return the use of a value that initialises a variable."""
    statement = code.parent[declarator]
    if code.kind[statement] != "local_variable_declaration" or not _is_in_list(code, statement):
        raise RefusedError(_LARGER_EXPRESSION_REASON)
    if (
        len(code.children_in_field(statement, "declarator")) != 1
        or _declared_type(code, declarator) == "var"
    ):
        raise RefusedError(_LARGER_EXPRESSION_REASON)
    return SwitchUse(DECLARE, statement, True, code.text(code.child(declarator, "name")))


def _declared_type(code: Code, declarator: int) -> str:
    """Return the declared type of a variable; empty if there is none."""
    type_ = code.child(code.parent[declarator], "type")
    return code.text(type_) if type_ != NONE else ""


def _is_in_list(code: Code, statement: int) -> bool:
    """Return whether a statement is in a list of statements."""
    return code.kind[code.parent[statement]] in LISTS


def _enclosing_unit_kind(code: Code, node: int) -> str:
    """Return the kind of the lambda or type that contains a statement."""
    return next(
        (
            code.kind[ancestor]
            for ancestor in code.ancestors(node)
            if code.kind[ancestor] in TYPES | {LAMBDA}
        ),
        "",
    )


def _check_target(code: Code, switch: Switch, use: SwitchUse, parent: int) -> None:
    """Raise ``RefusedError`` if the assignment must not move from behind the switch into it.

    It would then precede the code of a ``finally``, and an exception in it would reach a ``catch``.
    """
    guarded_yields = [
        statement for statement in find_yields(code, switch) if _is_guarded(code, switch, statement)
    ]
    if use.kind != DECLARE:
        # A value that is yielded to another switch may be assigned there.
        if guarded_yields:
            raise RefusedError("the value is computed inside try or synchronized")
        return
    name = code.child(parent, "name")
    occurrences = code.occurrences.get(name, [name])
    if any(code.is_inside(occurrence, switch.node) for occurrence in occurrences):
        raise RefusedError("the variable is used in its own value")
    holder = code.parent[use.node]
    if any(not code.is_inside(occurrence, holder) for occurrence in occurrences):
        raise RefusedError("the variable is shared between cases of another switch")
    modifiers = use.node + 1
    is_final = code.kind[modifiers] == "modifiers" and code.descendants_of_kind(modifiers, "final")
    unit = code.enclosing_unit(name)
    if guarded_yields and (
        is_final or any(code.enclosing_unit(occurrence) != unit for occurrence in occurrences)
    ):
        raise RefusedError("the value is computed inside try or synchronized")


def _is_guarded(code: Code, switch: Switch, node: int) -> bool:
    """Return whether a node is inside a ``try`` or ``synchronized`` statement of the switch."""
    for ancestor in code.ancestors(node):
        if ancestor == switch.node:
            return False
        if code.kind[ancestor] in _GUARDED_KINDS:
            return True
    return False


def collect_comments(code: Code, start: int, end: int, separator: bytes = b"\n") -> bytes:
    """Return the comments among the nodes from ``start`` to ``end`` as text to put before code.

    A comment that ends its line is followed by ``separator``.
    """
    text = b""
    for node in range(start, end):
        if code.kind[node] in COMMENTS:
            ends_line = code.kind[node] == "line_comment"
            text += code.node_bytes(node) + (separator if ends_line else b" ")
    return text
