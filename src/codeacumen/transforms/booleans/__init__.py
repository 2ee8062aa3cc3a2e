"""Boolean exchange: a boolean variable holds the opposite value.

Its initial value and every value assigned to it are negated. ``&=`` becomes ``|=`` and vice versa,
both with a negated right side; ``^=`` stays. Every use is negated in its context. Where the value
of an assignment is used, as in ``x = (a = v)``, it is negated back: ``x = !(a = !v)``. Only local
variables are candidates: a parameter gets its values from callers, which are in other methods.

A negation is written as a person would write it: ``true`` for ``false``, ``a`` for ``!a``, ``e``
for ``!(e)``, otherwise with a ``!``. Applied twice, the transformation therefore restores the text
byte for byte, unless the original contains a double negation, redundant parentheses around a value
or after a ``!``, or white space after a ``!``, or unless a cast had to be added before a call (see
``booleans.values``).

The transformation preserves the types of all expressions, because ``a`` and ``!a`` are both
primitive; which expressions are constant; and definite assignment (JLS 16), because a name, an
assignment and a whole value have the same effect on it when true as when false.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.booleans.values import (
    CAST,
    UNSURE,
    boolean_evidence,
    is_primitive_boolean,
    result_expressions,
)
from codeacumen.transforms.code import LOOPS, MAY_BE_INHERITED, SWITCH, Code, may_be_field
from codeacumen.transforms.edits import Part, Rewrite, replace_range
from codeacumen.transforms.location import Location, LocationIds

NOT = "unary_expression"
PARENTHESES = "parenthesized_expression"
ASSIGNMENT = "assignment_expression"
DECLARATOR = "variable_declarator"
_DUAL = {"&=": b"|=", "|=": b"&="}
_OPPOSITE = {"true": b"false", "false": b"true"}
# Statements whose grammar includes the parentheses around the condition.
_PARENTHESIZED_CONDITIONS = frozenset(
    ("if_statement", "while_statement", "do_statement", "synchronized_statement", SWITCH)
)
# Parents that accept any expression without parentheses.
_ANY_EXPRESSION_CONTEXTS = frozenset(
    (
        DECLARATOR,
        ASSIGNMENT,
        PARENTHESES,
        "argument_list",
        "array_initializer",
        "assert_statement",
        "expression_statement",
        "for_statement",
        "return_statement",
        "yield_statement",
    )
)
# Parents that read a boolean.
_BOOLEAN_CONTEXTS = _ANY_EXPRESSION_CONTEXTS | {
    "annotation_argument_list",
    "binary_expression",
    "cast_expression",
    "element_value_array_initializer",
    "element_value_pair",
    "guard",
    "lambda_expression",
    "ternary_expression",
}
# Operands of ``!`` that need no parentheses.
_UNPARENTHESIZED_OPERANDS = frozenset(
    (
        "array_access",
        "cast_expression",
        "field_access",
        "identifier",
        "method_invocation",
        "object_creation_expression",
        PARENTHESES,
        NOT,
    )
)
# Bytes of identifiers and keywords, including those beyond ASCII.
_WORD_BYTES = frozenset(byte for byte in range(256) if byte > 127 or chr(byte).isalnum()) | set(
    b"_$"
)


class _Negation(NamedTuple):
    """An expression to negate, with all ``!`` and parentheses around it.

    ``cast``: it needs a cast to boolean. ``keeps_not``: a ``!`` that it starts with stays, so that
    a second one is added.
    """

    node: int
    cast: bool = False
    keeps_not: bool = False


class _Exchange(NamedTuple):
    """The expressions to negate for one variable, and the operators to replace by their duals."""

    negations: list[_Negation]
    operators: list[int]


class _RefusedError(Exception):
    """Raised if a variable cannot be exchanged; the message is the reason that users see."""


class BooleanExchange:
    """Boolean exchange of local variables (abbreviated BX in the paper)."""

    name = "boolean"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        location_ids = LocationIds(self.name)
        locations: list[Location] = []
        for variable in code.local_variables.get(method, ()):
            type_ = _candidate_type(code, variable)
            if not type_:
                continue
            exchange, refusal = None, ""
            try:
                exchange = _plan_exchange(code, method, variable, type_)
            except _RefusedError as reason:
                refusal = str(reason)
            id_ = location_ids.next_id(code.text(variable))
            locations.append(Location(id_, method, *code.span(variable), refusal, exchange))
        return locations

    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]:
        negations: dict[int, _Negation] = {}
        rewrites: list[Rewrite] = []
        for location in selected:
            exchange: _Exchange = location.detail
            # Two negations of the same expression cancel out.
            for negation in exchange.negations:
                if negations.pop(negation.node, None) is None:
                    negations[negation.node] = negation
            rewrites += [
                replace_range(*code.span(operator), _DUAL[code.kind[operator]])
                for operator in exchange.operators
            ]
        for negation in negations.values():
            rewrites += _negate(code, negation)
        return rewrites


# ---- candidates


def _candidate_type(code: Code, variable: int) -> str:
    """Return ``boolean``, ``Boolean`` or ``var`` for a variable that is a candidate, else an empty
    string."""
    if code.role[variable] != "local":
        return ""
    declaration = code.parent[variable]
    if code.kind[declaration] == DECLARATOR:
        if code.child(declaration, "dimensions") != NONE:
            return ""
        value = code.child(declaration, "value")
        declaration = code.parent[declaration]
    else:
        value = NONE
    type_ = code.child(declaration, "type")
    if type_ == NONE:
        return ""
    kind = code.kind[type_]
    if kind == "boolean_type":
        return "boolean"
    if kind == "scoped_type_identifier":
        return "Boolean" if code.declared_type(variable).endswith("lang.Boolean") else ""
    if kind != "type_identifier":
        return ""
    type_name = code.node_bytes(type_)
    if type_name == b"Boolean":
        return "Boolean"
    return (
        "var" if type_name == b"var" and value != NONE and is_primitive_boolean(code, value) else ""
    )


def _plan_exchange(code: Code, method: int, variable: int, type_: str) -> _Exchange:
    """Return what to change for a variable; raise ``_RefusedError`` where the exchange is not
    safe."""
    if reason := code.unreadable_reason(method):
        raise _RefusedError(reason)
    if type_ == "Boolean":
        raise _RefusedError("Boolean may be null")
    declarator = code.parent[variable]
    if code.kind[declarator] != DECLARATOR:
        raise _RefusedError("a loop assigns its values")
    if may_be_field(code, variable):
        raise _RefusedError(MAY_BE_INHERITED)
    exchange = _Exchange([], [])
    value = code.child(declarator, "value")
    if value != NONE:
        exchange.negations.append(_negation_of_value(code, method, value, type_))
    for use in code.occurrences[variable]:
        if use != variable:
            _add_use(code, method, use, exchange)
    if not exchange.negations and not exchange.operators:
        raise _RefusedError("it has neither a value nor a use")
    return exchange


# ---- expressions to negate


def _add_use(code: Code, method: int, use: int, exchange: _Exchange) -> None:
    """Add the expressions and operators to change for one use of the variable."""
    parent = code.parent[use]
    if code.kind[parent] != ASSIGNMENT or code.field[use] != "left":
        exchange.negations.append(_Negation(_widen_to_negations(code, use)))
        return
    operator, value = code.child(parent, "operator"), code.child(parent, "right")
    sign = code.kind[operator]
    if sign == "=":
        exchange.negations.append(_negation_of_value(code, method, value, ""))
    elif sign in _DUAL:
        exchange.negations.append(
            _Negation(value, keeps_not=_is_captured_variable(code, method, value))
        )
        exchange.operators.append(operator)
    elif sign != "^=":
        raise _RefusedError("it has an unsupported use")
    if not _is_value_unused(code, parent):
        exchange.negations.append(_Negation(_widen_to_negations(code, parent)))


def _widen_to_negations(code: Code, node: int) -> int:
    """Return an expression with all ``!`` and parentheses around it; raise ``_RefusedError`` unless
    the code around them reads a boolean."""
    kind, parent = code.kind, code.parent
    if kind[node] == "type_identifier" and kind[parent[node]] == "cast_expression":
        # (a) + b, which the grammar parses as a cast.
        return node
    parent_node = parent[node]
    while kind[parent_node] == NOT or (
        kind[parent_node] == PARENTHESES
        and kind[parent[parent_node]] not in _PARENTHESIZED_CONDITIONS
    ):
        node, parent_node = parent_node, parent[parent_node]
    if kind[parent_node] not in _BOOLEAN_CONTEXTS or (
        kind[parent_node] == "for_statement" and _is_clause(code, node)
    ):
        raise _RefusedError("it has an unsupported use")
    return node


def _is_clause(code: Code, node: int) -> bool:
    """Return whether a node is in the initialisation or the update of a ``for``."""
    return code.field[node] in ("init", "update")


def _is_value_unused(code: Code, node: int) -> bool:
    """Return whether the value of an assignment is unused."""
    parent = code.parent[node]
    if code.kind[parent] == "for_statement":
        return _is_clause(code, node)
    # The expression after an arrow is a value if the switch is an expression.
    while code.kind[parent] == "expression_statement":
        rule = code.parent[parent]
        if code.kind[rule] != "switch_rule":
            return True
        switch = code.parent[code.parent[rule]]
        parent = code.parent[switch]
        if code.kind[parent] in _STATEMENT_PARENTS:
            return True
        if code.kind[parent] in LOOPS and code.field[switch] == "body":
            return True
    return False


_STATEMENT_PARENTS = frozenset(
    (
        "block",
        "constructor_body",
        "if_statement",
        "labeled_statement",
        "switch_block_statement_group",
    )
)


def _negation_of_value(code: Code, method: int, value: int, type_: str) -> _Negation:
    """Return the value of a declaration or an assignment as an expression to negate."""
    core = code.strip_parentheses(value)
    if code.kind[core] == NOT:
        # The ``!`` stays if the operand may not be a valid boolean here without it.
        operand = code.child(core, "operand")
        keeps_not = (
            _is_captured_variable(code, method, value)
            or (type_ == "var" and not is_primitive_boolean(code, operand))
            or any(
                code.kind[result] == "null_literal" for result in result_expressions(code, operand)
            )
        )
        return _Negation(value, keeps_not=keeps_not)
    evidence = boolean_evidence(code).of_value(code, core)
    if evidence == UNSURE:
        raise _RefusedError("the type of a call may depend on its context")
    return _Negation(value, cast=evidence == CAST)


def _is_captured_variable(code: Code, method: int, value: int) -> bool:
    """Return whether a value is a variable of another method, negated or not.

    Its ``!`` then belongs to that variable, which may be exchanged as well.
    """
    while code.kind[value] in (NOT, PARENTHESES):
        value = (
            code.child(value, "operand")
            if code.kind[value] == NOT
            else _inner_expression(code, value)
        )
    declaration = code.declaration.get(value, NONE)
    return code.role.get(declaration) == "local" and code.method_of[declaration] != method


def _inner_expression(code: Code, parentheses: int) -> int:
    """Return the expression in parentheses."""
    return next(child for child in code.children(parentheses) if code.kind[child] not in ("(", ")"))


# ---- text of the changes


def _negate(code: Code, negation: _Negation) -> Iterable[Rewrite]:
    """Return the rewrites that negate an expression."""
    node = negation.node
    core = code.strip_parentheses(node)
    if code.kind[core] in _OPPOSITE:
        return (replace_range(*code.span(core), _OPPOSITE[code.kind[core]]),)
    if code.kind[core] == NOT and not negation.keeps_not:
        return _strip_not(code, core)
    start, end = code.span(node)
    before = b"!(boolean) " if negation.cast else b"!"
    parts: tuple[Part, ...] = (before, (start, end))
    if code.kind[node] not in _UNPARENTHESIZED_OPERANDS and code.kind[node] != "type_identifier":
        parts = (before + b"(", (start, end), b")")
    return (Rewrite(start, end, parts),)


def _strip_not(code: Code, node: int) -> Iterable[Rewrite]:
    """Return the rewrites that remove a ``!`` and the parentheses that only it needed."""
    sign, operand = code.child(node, "operator"), code.child(node, "operand")
    start, end = code.span(sign)
    if not code.source[end : code.start[operand]].strip():
        end = code.start[operand]
    if (
        code.kind[operand] == PARENTHESES
        and end == code.start[operand]
        and code.kind[code.parent[node]] in _ANY_EXPRESSION_CONTEXTS
        and code.kind[_inner_expression(code, operand)] not in _UNPARENTHESIZED_OPERANDS
    ):
        closing = code.end[operand]
        return _remove_range(code, start, end + 1), replace_range(closing - 1, closing, b"")
    return (_remove_range(code, start, end),)


def _remove_range(code: Code, start: int, end: int) -> Rewrite:
    """Return the rewrite that removes a range; a space remains where two words would join."""
    needs_space = code.source[start - 1] in _WORD_BYTES and code.source[end] in _WORD_BYTES
    return replace_range(start, end, b" " if needs_space else b"")
