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
from codeacumen.transforms.booleans.values import CAST, UNSURE, is_primitive, results, values_of
from codeacumen.transforms.code import LOOPS, MAY_BE_INHERITED, SWITCH, Code, may_be_field
from codeacumen.transforms.edits import Part, Rewrite, replace
from codeacumen.transforms.location import Location, Numbered

NOT = "unary_expression"
PARENTHESES = "parenthesized_expression"
ASSIGNMENT = "assignment_expression"
DECLARATOR = "variable_declarator"
_DUAL = {"&=": b"|=", "|=": b"&="}
_OPPOSITE = {"true": b"false", "false": b"true"}
# Statements whose grammar includes the parentheses around the condition.
_CONDITIONS = frozenset(
    ("if_statement", "while_statement", "do_statement", "synchronized_statement", SWITCH)
)
# Parents that accept any expression without parentheses.
_FREE = frozenset(
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
_READ = _FREE | {
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
_TIGHT = frozenset(
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
_WORD = frozenset(byte for byte in range(256) if byte > 127 or chr(byte).isalnum()) | set(b"_$")


class _Point(NamedTuple):
    """An expression to negate, with all ``!`` and parentheses around it.

    ``cast``: it needs a cast to boolean. ``keeps_not``: a ``!`` in front of it stays.
    """

    node: int
    cast: bool = False
    kept: bool = False


class _Plan(NamedTuple):
    """The expressions to negate for one variable, and the operators to replace by their duals."""

    points: list[_Point]
    operators: list[int]


class _RefusedError(Exception):
    """The transformation is refused, with the reason."""


class BooleanExchange:
    """Boolean exchange of local variables (abbreviated BX in the paper)."""

    name = "boolean"

    def locations(self, code: Code, method: int, seed: int) -> list[Location]:
        numbered = Numbered(self.name)
        found: list[Location] = []
        for variable in code.variables.get(method, ()):
            type_ = _type(code, variable)
            if not type_:
                continue
            plan, why = None, ""
            try:
                plan = _plan(code, method, variable, type_)
            except _RefusedError as reason:
                why = str(reason)
            id_ = numbered.id(code.text(variable))
            found.append(Location(id_, method, *code.span(variable), why, plan))
        return found

    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        turned: dict[int, _Point] = {}
        found: list[Rewrite] = []
        for location in chosen:
            plan: _Plan = location.detail
            # Two negations of the same expression cancel out.
            for point in plan.points:
                if turned.pop(point.node, None) is None:
                    turned[point.node] = point
            found += [replace(*code.span(one), _DUAL[code.kind[one]]) for one in plan.operators]
        for point in turned.values():
            found += _negated(code, point)
        return found


# ---- candidates


def _type(code: Code, variable: int) -> str:
    """Return ``boolean``, ``Boolean`` or ``var`` for a variable that is a candidate, else an empty
    string."""
    if code.role[variable] != "local":
        return ""
    holder = code.parent[variable]
    if code.kind[holder] == DECLARATOR:
        if code.child(holder, "dimensions") != NONE:
            return ""
        value = code.child(holder, "value")
        holder = code.parent[holder]
    else:
        value = NONE
    type_ = code.child(holder, "type")
    if type_ == NONE:
        return ""
    kind = code.kind[type_]
    if kind == "boolean_type":
        return "boolean"
    if kind == "scoped_type_identifier":
        return "Boolean" if code.declared_type(variable).endswith("lang.Boolean") else ""
    if kind != "type_identifier":
        return ""
    written = code.bytes(type_)
    if written == b"Boolean":
        return "Boolean"
    return "var" if written == b"var" and value != NONE and is_primitive(code, value) else ""


def _plan(code: Code, method: int, variable: int, type_: str) -> _Plan:
    """Return what to change for a variable; raise ``_RefusedError`` where the exchange is not
    safe."""
    if why := code.unreadable(method):
        raise _RefusedError(why)
    if type_ == "Boolean":
        raise _RefusedError("Boolean may be null")
    holder = code.parent[variable]
    if code.kind[holder] != DECLARATOR:
        raise _RefusedError("its values come from what is looped over")
    if may_be_field(code, variable):
        raise _RefusedError(MAY_BE_INHERITED)
    plan = _Plan([], [])
    value = code.child(holder, "value")
    if value != NONE:
        plan.points.append(_value(code, method, value, type_))
    for use in code.occurrences[variable]:
        if use != variable:
            _add_use(code, method, use, plan)
    if not plan.points and not plan.operators:
        raise _RefusedError("it has neither a value nor a use")
    return plan


# ---- expressions to negate


def _add_use(code: Code, method: int, use: int, plan: _Plan) -> None:
    """Add the expressions and operators to change for one use of the variable."""
    parent = code.parent[use]
    if code.kind[parent] != ASSIGNMENT or code.field[use] != "left":
        plan.points.append(_Point(_read(code, use)))
        return
    operator, value = code.child(parent, "operator"), code.child(parent, "right")
    sign = code.kind[operator]
    if sign == "=":
        plan.points.append(_value(code, method, value, ""))
    elif sign in _DUAL:
        plan.points.append(_Point(value, kept=_captured(code, method, value)))
        plan.operators.append(operator)
    elif sign != "^=":
        raise _RefusedError("it is used in a way that is not understood")
    if not _is_statement(code, parent):
        plan.points.append(_Point(_read(code, parent)))


def _read(code: Code, node: int) -> int:
    """Return an expression with all ``!`` and parentheses around it."""
    kind, parent = code.kind, code.parent
    if kind[node] == "type_identifier" and kind[parent[node]] == "cast_expression":
        # (a) + b, which the grammar parses as a cast.
        return node
    above = parent[node]
    while kind[above] == NOT or (
        kind[above] == PARENTHESES and kind[parent[above]] not in _CONDITIONS
    ):
        node, above = above, parent[above]
    if kind[above] not in _READ or (kind[above] == "for_statement" and _is_clause(code, node)):
        raise _RefusedError("it is used in a way that is not understood")
    return node


def _is_clause(code: Code, node: int) -> bool:
    """Return whether a node is in the initialisation or the update of a ``for``."""
    return code.field[node] in ("init", "update")


def _is_statement(code: Code, node: int) -> bool:
    """Return whether the value of an assignment is unused."""
    above = code.parent[node]
    if code.kind[above] == "for_statement":
        return _is_clause(code, node)
    # The expression after an arrow is a value if the switch is an expression.
    while code.kind[above] == "expression_statement":
        rule = code.parent[above]
        if code.kind[rule] != "switch_rule":
            return True
        switch = code.parent[code.parent[rule]]
        above = code.parent[switch]
        if code.kind[above] in _WITH_STATEMENTS:
            return True
        if code.kind[above] in LOOPS and code.field[switch] == "body":
            return True
    return False


_WITH_STATEMENTS = frozenset(
    (
        "block",
        "constructor_body",
        "if_statement",
        "labeled_statement",
        "switch_block_statement_group",
    )
)


def _value(code: Code, method: int, value: int, type_: str) -> _Point:
    """Return the value of a declaration or an assignment as an expression to negate."""
    core = code.unwrapped(value)
    if code.kind[core] == NOT:
        # The ``!`` stays if the operand may not be a valid boolean here without it.
        operand = code.child(core, "operand")
        kept = (
            _captured(code, method, value)
            or (type_ == "var" and not is_primitive(code, operand))
            or any(code.kind[one] == "null_literal" for one in results(code, operand))
        )
        return _Point(value, kept=kept)
    told = values_of(code).told(code, core)
    if told == UNSURE:
        raise _RefusedError("the type of a call may depend on its context")
    return _Point(value, cast=told == CAST)


def _captured(code: Code, method: int, value: int) -> bool:
    """Return whether a value is a variable of another method, negated or not.

    Its ``!`` then belongs to that variable, which may be exchanged as well.
    """
    while code.kind[value] in (NOT, PARENTHESES):
        value = code.child(value, "operand") if code.kind[value] == NOT else _inside(code, value)
    declaration = code.declaration.get(value, NONE)
    return code.role.get(declaration) == "local" and code.method_of[declaration] != method


def _inside(code: Code, parentheses: int) -> int:
    """Return the expression in parentheses."""
    return next(one for one in code.children(parentheses) if code.kind[one] not in ("(", ")"))


# ---- text of the changes


def _negated(code: Code, point: _Point) -> Iterable[Rewrite]:
    """Return the rewrites that negate an expression."""
    node = point.node
    core = code.unwrapped(node)
    if code.kind[core] in _OPPOSITE:
        return (replace(*code.span(core), _OPPOSITE[code.kind[core]]),)
    if code.kind[core] == NOT and not point.kept:
        return _stripped(code, core)
    start, end = code.span(node)
    before = b"!(boolean) " if point.cast else b"!"
    parts: tuple[Part, ...] = (before, (start, end))
    if code.kind[node] not in _TIGHT and code.kind[node] != "type_identifier":
        parts = (before + b"(", (start, end), b")")
    return (Rewrite(start, end, parts),)


def _stripped(code: Code, node: int) -> Iterable[Rewrite]:
    """Return the rewrites that remove a ``!`` and the parentheses that only it needed."""
    sign, operand = code.child(node, "operator"), code.child(node, "operand")
    start, end = code.span(sign)
    if not code.source[end : code.start[operand]].strip():
        end = code.start[operand]
    if (
        code.kind[operand] == PARENTHESES
        and end == code.start[operand]
        and code.kind[code.parent[node]] in _FREE
        and code.kind[_inside(code, operand)] not in _TIGHT
    ):
        last = code.end[operand]
        return _gone(code, start, end + 1), replace(last - 1, last, b"")
    return (_gone(code, start, end),)


def _gone(code: Code, start: int, end: int) -> Rewrite:
    """Return the rewrite that removes a range; a space remains where two words would join."""
    apart = code.source[start - 1] in _WORD and code.source[end] in _WORD
    return replace(start, end, b" " if apart else b"")
