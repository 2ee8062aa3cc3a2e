"""Decides whether a statement can complete normally (JLS 14.22), so that the next one is reachable.

The source is assumed to compile: every statement is then reachable, so a block completes if its
last statement does, and every ``break`` counts. Answers have three values. None means that the
answer depends on a constant that the file does not show, such as another class's ``static final``;
callers must then do something that is correct in both cases, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import BLOCKS, LAMBDA, LOCALS, LOOPS, SWITCH, TYPES, Code

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
_WALLS = TYPES | {LAMBDA, "method_declaration", "constructor_declaration"}
# An expression with one of these nodes is not constant.
_VARYING = frozenset(
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
_DEEPEST = 20  # length of a chain of constants that are defined by other constants
_WIDEST = 2**31


class _Sign:
    """An expression without a known constant value."""


VARIES = _Sign()  # no constant expression (JLS 15.29)
HIDDEN = _Sign()  # perhaps a constant expression, whose value is not in this file
Constant: TypeAlias = bool | int | _Sign


def completes(code: Code, node: int) -> Answer:
    """Return whether a reachable statement can complete normally."""
    kind = code.kind
    answers: list[Answer] = []
    # A loop instead of recursion, because chains of ``else if`` may be long.
    while True:
        which = kind[node]
        if which in BLOCKS or which == "switch_block_statement_group":
            last = _last(code, node)
            if last == NONE:
                answers.append(True)
                break
            node = last
        elif which == "if_statement":
            node, first = code.child(node, "alternative"), code.child(node, "consequence")
            answers.append(node == NONE or completes(code, first))
            if answers[-1]:
                break
        elif which == "synchronized_statement":
            node = code.child(node, "body")
        elif which == "labeled_statement":
            answers.append(left_by_break(code, node))
            node = code.children(node)[-1]
        else:
            answers.append(_simple(code, node))
            break
    return any_of(answers)


def _simple(code: Code, node: int) -> Answer:
    """Return whether a statement other than a block, ``if``, lock or label can complete."""
    kind = code.kind[node]
    if kind in ENDINGS:
        return False
    if kind in ("while_statement", "for_statement"):
        condition = code.child(node, "condition")
        endless = condition == NONE or always(code, condition)
        return any_of((opposite(endless), endless is not False and left_by_break(code, node)))
    if kind == "do_statement":
        return _do(code, node)
    if kind == SWITCH:
        return _switch(code, node)
    if kind in TRIES:
        return _try(code, node)
    return True


def left_by_break(code: Code, node: int) -> Answer:
    """Return whether a ``break`` leaves this loop, switch or labelled statement.

    A ``break`` does not if a ``finally`` on its way cannot complete.
    """
    return any_of(
        exits(code, one, node)
        for one in code.of_kind(node, "break_statement")
        if target(code, one) == node
    )


def exits(code: Code, jump: int, outer: int) -> Answer:
    """Return whether a jump reaches the statement ``outer`` around it: all ``finally`` blocks on
    its way can complete."""
    answers: list[Answer] = []
    below = jump
    for node in code.up(jump):
        if node == outer:
            break
        if code.kind[node] in TRIES and code.kind[below] != "finally_clause":
            answers.append(_finally(code, node))
        below = node
    return all_of(answers)


def target(code: Code, jump: int) -> int:
    """Return the loop, switch or labelled statement that a ``break`` leaves, or the loop that a
    ``continue`` continues; NONE in broken source."""
    label = next((one for one in code.children(jump) if code.kind[one] == "identifier"), NONE)
    going_on = code.kind[jump] == "continue_statement"
    name = code.bytes(label) if label != NONE else b""
    for node in code.up(jump):
        kind = code.kind[node]
        if label == NONE:
            if kind in LOOPS or (kind == SWITCH and not going_on):
                return node
        elif kind == "labeled_statement" and code.bytes(node + 1) == name:
            while going_on and code.kind[node] == "labeled_statement":
                node = code.children(node)[-1]
            return node
        if kind in _WALLS:
            break
    return NONE


# ---- statements with parts


def _last(code: Code, node: int) -> int:
    """Return the last statement of a block or of a switch's group; NONE if there is none."""
    last = NONE
    at, stop, kind = node + 1, code.stop[node], code.kind
    while at < stop:
        # The empty statement is a ``;``, so that punctuation is excluded by kind.
        if kind[at] not in _NO_STATEMENT:
            last = at
        at = code.stop[at]
    return last


_NO_STATEMENT = frozenset(("{", "}", ":", "->", "switch_label", "line_comment", "block_comment"))


def _do(code: Code, node: int) -> Answer:
    """Return whether a ``do`` can complete (JLS 14.22)."""
    around = any_of(
        (
            completes(code, code.child(node, "body")),
            *(
                exits(code, one, node)
                for one in code.of_kind(node, "continue_statement")
                if target(code, one) == node
            ),
        )
    )
    ends = all_of((around, opposite(always(code, code.child(node, "condition")))))
    return ends or any_of((ends, left_by_break(code, node)))


def _switch(code: Code, node: int) -> Answer:
    """Return whether a ``switch`` statement can complete (JLS 14.22)."""
    body = code.children(code.child(node, "body"))[1:-1]
    if not body:
        return True
    labels = [one for part in body for one in code.children(part) if _is(code, one, "switch_label")]
    marks = {code.kind[one] for label in labels for one in range(label + 1, code.stop[label])}
    # The grammar parses the default of ``case null, default`` as a name.
    total = bool(marks & {"default", "pattern", "null_literal"}) or any(
        code.bytes(one) == b"default" for label in labels for one in code.children(label)
    )
    # Qualified names may be the constants of a sealed type, so the labels may be exhaustive.
    answers: list[Answer] = [
        False if total else None if marks & {"field_access", "scoped_identifier"} else True
    ]
    if code.kind[body[0]] == "switch_rule":
        answers += (completes(code, _last(code, rule)) for rule in body)
    else:
        answers.append(completes(code, body[-1]))
    return any_of(answers) or any_of((*answers, left_by_break(code, node)))


def _is(code: Code, node: int, kind: str) -> bool:
    """Return whether a node has this kind."""
    return code.kind[node] == kind


def _try(code: Code, node: int) -> Answer:
    """Return whether a ``try`` can complete: its body or a handler, and its ``finally``."""
    blocks = [code.child(node, "body")]
    blocks += (
        code.child(one, "body") for one in code.children(node) if _is(code, one, "catch_clause")
    )
    return all_of((any_of(completes(code, one) for one in blocks), _finally(code, node)))


def _finally(code: Code, node: int) -> Answer:
    """Return whether the ``finally`` of a ``try`` can complete; True if there is none."""
    for one in code.children(node):
        if code.kind[one] == "finally_clause":
            return completes(code, code.children(one)[-1])
    return True


# ---- three-valued logic (Kleene)


def any_of(answers: Iterable[Answer]) -> Answer:
    """Return the disjunction of the answers."""
    unsure = False
    for answer in answers:
        if answer:
            return True
        unsure = unsure or answer is None
    return None if unsure else False


def all_of(answers: Iterable[Answer]) -> Answer:
    """Return the conjunction of the answers."""
    return opposite(any_of(opposite(answer) for answer in answers))


def opposite(answer: Answer) -> Answer:
    """Return the negation of an answer."""
    return None if answer is None else not answer


# ---- constants


def always(code: Code, expression: int) -> Answer:
    """Return whether an expression is a constant with the value true."""
    value = constant(code, expression)
    if isinstance(value, _Sign):
        return False if value is VARIES else None
    return value is True


def constant(code: Code, node: int, depth: int = 0) -> Constant:
    """Return the value of a constant expression (JLS 15.29) that is a boolean or a small integer.

    For other expressions the result is VARIES or HIDDEN.
    """
    node = code.unwrapped(node)
    kind = code.kind[node]
    if kind in ("true", "false"):
        return kind == "true"
    if kind == "decimal_integer_literal":
        digits = code.text(node).replace("_", "").rstrip("lL")
        # A number with a leading zero is octal; the grammar calls it decimal.
        return int(digits) if digits == "0" or digits[0] != "0" else HIDDEN
    if kind in _VARYING:
        return VARIES
    if kind == "identifier":
        return _variable(code, node, depth)
    if kind == "field_access":
        return _qualified(code, node, depth)
    if kind not in _COMPOSED:
        return HIDDEN
    operands = [code.child(node, field) for field in _COMPOSED[kind]]
    values = [constant(code, one, depth) for one in operands]
    if VARIES in values:
        return VARIES
    known = [value for value in values if not isinstance(value, _Sign)]
    if len(known) < len(values):
        return HIDDEN
    if kind == "ternary_expression":
        return known[1] if known[0] else known[2]
    if kind == "cast_expression":
        return HIDDEN
    return _operated(code.text(code.child(node, "operator")), known)


_COMPOSED = {
    "binary_expression": ("left", "right"),
    "cast_expression": ("value",),
    "ternary_expression": ("condition", "consequence", "alternative"),
    "unary_expression": ("operand",),
}


def _operated(operator: str, known: list[bool | int]) -> Constant:
    """Return the result of an operator; HIDDEN if it is unsupported or too large."""
    left, right = known[0], known[-1]
    if len(known) == 1:
        done: bool | int | None = {"!": not left, "-": -left, "+": left}.get(operator)
    else:
        done = {
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
    return HIDDEN if done is None or abs(done) >= _WIDEST else done


def _qualified(code: Code, node: int, depth: int) -> Constant:
    """Return the value of a qualified name.

    ``Type.NAME`` may be constant; a field of a variable, of ``this`` or of a call's result is not.
    """
    outer, name = code.child(node, "object"), code.child(node, "field")
    if code.kind[outer] == "field_access":
        outer = code.child(outer, "field")
    if code.kind[outer] != "identifier":
        return VARIES
    of = code.role.get(outer, "unknown")
    if of in LOCALS or of in ("field", "enum constant"):
        return VARIES
    return _variable(code, name, depth)


def _variable(code: Code, name: int, depth: int) -> Constant:
    """Return the value of a ``final`` variable of a primitive type or String whose initial value is
    constant."""
    declared = code.declaration.get(name, NONE)
    if declared < 0:
        return HIDDEN
    declarator = code.parent[declared]
    value = code.child(declarator, "value")
    if code.kind[declarator] != "variable_declarator" or value == NONE:
        return VARIES
    statement = code.parent[declarator]
    if code.kind[statement] != "constant_declaration" and not any(
        code.kind[one] == "modifiers" and code.of_kind(one, "final")
        for one in code.children(statement)
    ):
        return VARIES
    type_ = code.declared_type(declared)
    if type_ not in _CONSTANT_TYPES:
        return VARIES
    found = HIDDEN if depth >= _DEEPEST else constant(code, value, depth + 1)
    # A number may be rounded when it is stored.
    return HIDDEN if type_ in ("float", "double") and found is not VARIES else found
