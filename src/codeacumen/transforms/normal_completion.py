"""Decides whether a statement can complete normally (JLS 14.22), so that the next one is reachable.

The source is assumed to compile: every statement is then reachable, so a block completes if its
last statement does, and every ``break`` counts. Answers have three values. None means that the
answer depends on a constant that the file does not show, such as another class's ``static final``;
callers must then do something that is correct in both cases, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from codeacumen.languages.java.bindings.names import LOCALS
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, LAMBDA, LOOPS, SWITCH, TYPES, Code

Answer: TypeAlias = bool | None

# Statements that never complete normally.
ENDINGS = frozenset(
    (
        "break_statement",
        "continue_statement",
        "return_statement",
        "throw_statement",
        "yield_statement",
    )
)
TRIES = frozenset(("try_statement", "try_with_resources_statement"))
# Nodes that a jump cannot leave.
_JUMP_BOUNDARIES = TYPES | {LAMBDA, "method_declaration", "constructor_declaration"}
# An expression with one of these nodes is not constant.
_NON_CONSTANT_KINDS = frozenset(
    (
        "method_invocation",
        "object_creation_expression",
        "array_creation_expression",
        "array_access",
        "assignment_expression",
        "update_expression",
        "instanceof_expression",
        "null_literal",
        "this",
        "class_literal",
        "method_reference",
        LAMBDA,
        SWITCH,
    )
)
_CONSTANT_TYPES = frozenset(
    ("boolean", "byte", "short", "char", "int", "long", "float", "double", "String", "var")
)
_MAX_CONSTANT_DEPTH = 20  # length of a chain of constants that are defined by other constants
_INT_LIMIT = 2**31  # larger results may overflow, so they count as unknown


class _NoValue:
    """An expression without a known constant value."""


VARIES = _NoValue()  # no constant expression (JLS 15.29)
HIDDEN = _NoValue()  # perhaps a constant expression, whose value is not in this file
Constant: TypeAlias = bool | int | _NoValue


def can_complete(code: Code, node: int) -> Answer:
    """Return whether a reachable statement can complete normally."""
    kind = code.kind
    # The statement can complete if one of these answers is true.
    answers: list[Answer] = []
    # A loop instead of recursion, because chains of ``else if`` may be long.
    while True:
        node_kind = kind[node]
        if node_kind in BLOCKS or node_kind == "switch_block_statement_group":
            last_statement = _last_statement(code, node)
            if last_statement == NONE:
                answers.append(True)
                break
            node = last_statement
        elif node_kind == "if_statement":
            node, consequence = code.child(node, "alternative"), code.child(node, "consequence")
            answers.append(node == NONE or can_complete(code, consequence))
            if answers[-1]:
                break
        elif node_kind == "synchronized_statement":
            node = code.child(node, "body")
        elif node_kind == "labeled_statement":
            answers.append(is_left_by_break(code, node))
            node = code.children(node)[-1]
        else:
            answers.append(_simple_can_complete(code, node))
            break
    return any_of(answers)


def _simple_can_complete(code: Code, node: int) -> Answer:
    """Return whether a statement other than a block, ``if``, lock or label can complete."""
    kind = code.kind[node]
    if kind in ENDINGS:
        return False
    if kind in ("while_statement", "for_statement"):
        condition = code.child(node, "condition")
        endless = condition == NONE or is_always_true(code, condition)
        return any_of(
            (negate_answer(endless), endless is not False and is_left_by_break(code, node))
        )
    if kind == "do_statement":
        return _do_can_complete(code, node)
    if kind == SWITCH:
        return _switch_can_complete(code, node)
    if kind in TRIES:
        return _try_can_complete(code, node)
    return True


def is_left_by_break(code: Code, node: int) -> Answer:
    """Return whether a ``break`` leaves this loop, switch or labelled statement.

    A ``break`` does not if a ``finally`` on its way cannot complete.
    """
    return any_of(
        jump_reaches(code, jump, node)
        for jump in code.descendants_of_kind(node, "break_statement")
        if jump_target(code, jump) == node
    )


def jump_reaches(code: Code, jump: int, outer: int) -> Answer:
    """Return whether a jump reaches the statement ``outer`` around it: all ``finally`` blocks on
    its way can complete."""
    answers: list[Answer] = []
    child = jump
    for node in code.ancestors(jump):
        if node == outer:
            break
        if code.kind[node] in TRIES and code.kind[child] != "finally_clause":
            answers.append(_finally_can_complete(code, node))
        child = node
    return all_of(answers)


def jump_target(code: Code, jump: int) -> int:
    """Return the loop, switch or labelled statement that a ``break`` leaves, or the loop that a
    ``continue`` continues; NONE in broken source."""
    label = next((child for child in code.children(jump) if code.kind[child] == "identifier"), NONE)
    is_continue = code.kind[jump] == "continue_statement"
    name = code.node_bytes(label) if label != NONE else b""
    for node in code.ancestors(jump):
        kind = code.kind[node]
        if label == NONE:
            if kind in LOOPS or (kind == SWITCH and not is_continue):
                return node
        elif kind == "labeled_statement" and code.node_bytes(node + 1) == name:
            while is_continue and code.kind[node] == "labeled_statement":
                node = code.children(node)[-1]
            return node
        if kind in _JUMP_BOUNDARIES:
            break
    return NONE


# ---- statements with parts


def _last_statement(code: Code, node: int) -> int:
    """Return the last statement of a block or of a switch's group; NONE if there is none."""
    last = NONE
    child, stop, kind = node + 1, code.stop[node], code.kind
    while child < stop:
        # The empty statement is a ``;``, so that punctuation is excluded by kind.
        if kind[child] not in _NON_STATEMENT_KINDS:
            last = child
        child = code.stop[child]
    return last


_NON_STATEMENT_KINDS = frozenset(
    ("{", "}", ":", "->", "switch_label", "line_comment", "block_comment")
)


def _do_can_complete(code: Code, node: int) -> Answer:
    """Return whether a ``do`` can complete (JLS 14.22)."""
    reaches_condition = any_of(
        (
            can_complete(code, code.child(node, "body")),
            *(
                jump_reaches(code, jump, node)
                for jump in code.descendants_of_kind(node, "continue_statement")
                if jump_target(code, jump) == node
            ),
        )
    )
    condition_can_be_false = all_of(
        (reaches_condition, negate_answer(is_always_true(code, code.child(node, "condition"))))
    )
    # Search for a ``break`` only if the condition does not decide.
    return condition_can_be_false or any_of((condition_can_be_false, is_left_by_break(code, node)))


def _switch_can_complete(code: Code, node: int) -> Answer:
    """Return whether a ``switch`` statement can complete (JLS 14.22)."""
    # The groups or rules of the switch, without the braces.
    body_parts = code.children(code.child(node, "body"))[1:-1]
    if not body_parts:
        return True
    labels = [
        label
        for body_part in body_parts
        for label in code.children(body_part)
        if _has_kind(code, label, "switch_label")
    ]
    label_kinds = {
        code.kind[label_part]
        for label in labels
        for label_part in range(label + 1, code.stop[label])
    }
    # The grammar parses the default of ``case null, default`` as a name.
    has_catch_all = bool(label_kinds & {"default", "pattern", "null_literal"}) or any(
        code.node_bytes(label_child) == b"default"
        for label in labels
        for label_child in code.children(label)
    )
    # Qualified names may be the constants of a sealed type, so the labels may be exhaustive.
    answers: list[Answer] = [
        False
        if has_catch_all
        else None
        if label_kinds & {"field_access", "scoped_identifier"}
        else True
    ]
    if code.kind[body_parts[0]] == "switch_rule":
        answers += (can_complete(code, _last_statement(code, rule)) for rule in body_parts)
    else:
        answers.append(can_complete(code, body_parts[-1]))
    return any_of(answers) or any_of((*answers, is_left_by_break(code, node)))


def _has_kind(code: Code, node: int, kind: str) -> bool:
    """Return whether a node has this kind."""
    return code.kind[node] == kind


def _try_can_complete(code: Code, node: int) -> Answer:
    """Return whether a ``try`` can complete: its body or a handler, and its ``finally``."""
    blocks = [code.child(node, "body")]
    blocks += (
        code.child(child, "body")
        for child in code.children(node)
        if _has_kind(code, child, "catch_clause")
    )
    return all_of(
        (any_of(can_complete(code, block) for block in blocks), _finally_can_complete(code, node))
    )


def _finally_can_complete(code: Code, node: int) -> Answer:
    """Return whether the ``finally`` of a ``try`` can complete; True if there is none."""
    for child in code.children(node):
        if code.kind[child] == "finally_clause":
            return can_complete(code, code.children(child)[-1])
    return True


# ---- three-valued logic (Kleene)


def any_of(answers: Iterable[Answer]) -> Answer:
    """Return the disjunction of the answers."""
    is_unsure = False
    for answer in answers:
        if answer:
            return True
        is_unsure = is_unsure or answer is None
    return None if is_unsure else False


def all_of(answers: Iterable[Answer]) -> Answer:
    """Return the conjunction of the answers."""
    return negate_answer(any_of(negate_answer(answer) for answer in answers))


def negate_answer(answer: Answer) -> Answer:
    """Return the negation of an answer."""
    return None if answer is None else not answer


# ---- constants


def is_always_true(code: Code, expression: int) -> Answer:
    """Return whether an expression is a constant with the value true."""
    value = constant_value(code, expression)
    if isinstance(value, _NoValue):
        return False if value is VARIES else None
    return value is True


def constant_value(code: Code, node: int, depth: int = 0) -> Constant:
    """Return the value of a constant expression (JLS 15.29) that is a boolean or a small integer.

    For other expressions the result is VARIES or HIDDEN. ``depth`` is the number of variables whose
    initial values led to this expression.
    """
    node = code.strip_parentheses(node)
    kind = code.kind[node]
    if kind in ("true", "false"):
        return kind == "true"
    if kind == "decimal_integer_literal":
        digits = code.text(node).replace("_", "").rstrip("lL")
        # A number with a leading zero is octal; the grammar calls it decimal.
        return int(digits) if digits == "0" or digits[0] != "0" else HIDDEN
    if kind in _NON_CONSTANT_KINDS:
        return VARIES
    if kind == "identifier":
        return _variable_value(code, node, depth)
    if kind == "field_access":
        return _qualified_name_value(code, node, depth)
    if kind not in _OPERAND_FIELDS:
        return HIDDEN
    operands = [code.child(node, field) for field in _OPERAND_FIELDS[kind]]
    values = [constant_value(code, operand, depth) for operand in operands]
    if VARIES in values:
        return VARIES
    known_values = [value for value in values if not isinstance(value, _NoValue)]
    if len(known_values) < len(values):
        return HIDDEN
    if kind == "ternary_expression":
        return known_values[1] if known_values[0] else known_values[2]
    if kind == "cast_expression":
        return HIDDEN
    return _apply_operator(code.text(code.child(node, "operator")), known_values)


_OPERAND_FIELDS = {
    "binary_expression": ("left", "right"),
    "cast_expression": ("value",),
    "ternary_expression": ("condition", "consequence", "alternative"),
    "unary_expression": ("operand",),
}


def _apply_operator(operator: str, operands: list[bool | int]) -> Constant:
    """Return the result of an operator; HIDDEN if it is unsupported or may overflow an int."""
    left, right = operands[0], operands[-1]
    if len(operands) == 1:
        result: bool | int | None = {"!": not left, "-": -left, "+": left}.get(operator)
    else:
        result = {
            "&&": bool(left and right),
            "||": bool(left or right),
            "&": left & right,
            "|": left | right,
            "^": left ^ right,
            "==": left == right,
            "!=": left != right,
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
            "+": left + right,
            "-": left - right,
            "*": left * right,
        }.get(operator)
    return HIDDEN if result is None or abs(result) >= _INT_LIMIT else result


def _qualified_name_value(code: Code, node: int, depth: int) -> Constant:
    """Return the value of a qualified name.

    ``Type.NAME`` may be constant; a field of a variable, of ``this`` or of a call's result is not.
    """
    outer, name = code.child(node, "object"), code.child(node, "field")
    if code.kind[outer] == "field_access":
        outer = code.child(outer, "field")
    if code.kind[outer] != "identifier":
        return VARIES
    role = code.role.get(outer, "unknown")
    if role in LOCALS or role in ("field", "enum constant"):
        return VARIES
    return _variable_value(code, name, depth)


def _variable_value(code: Code, name: int, depth: int) -> Constant:
    """Return the value of a ``final`` variable of a primitive type or String whose initial value is
    constant."""
    declaration = code.declaration.get(name, NONE)
    if declaration < 0:
        return HIDDEN
    declarator = code.parent[declaration]
    value = code.child(declarator, "value")
    if code.kind[declarator] != "variable_declarator" or value == NONE:
        return VARIES
    statement = code.parent[declarator]
    if code.kind[statement] != "constant_declaration" and not any(
        code.kind[child] == "modifiers" and code.descendants_of_kind(child, "final")
        for child in code.children(statement)
    ):
        return VARIES
    type_ = code.declared_type(declaration)
    if type_ not in _CONSTANT_TYPES:
        return VARIES
    constant = HIDDEN if depth >= _MAX_CONSTANT_DEPTH else constant_value(code, value, depth + 1)
    # A number may be rounded when it is stored.
    return HIDDEN if type_ in ("float", "double") and constant is not VARIES else constant
