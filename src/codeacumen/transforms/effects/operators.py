"""What operators give, and what can go wrong in them (JLS 15.14 to 15.26), from their operands'
types.

A type is the text it is written with: ``int``, ``String``, ``Foo[]``. ``null`` and ``object`` stand
for what is surely a reference and surely no box; the empty text is a type that is not in sight.
An operand that may be a box is unboxed, which throws if it is null.
"""

from __future__ import annotations

from typing import NamedTuple

NUMBERS = ("double", "float", "long", "int", "short", "char", "byte")
PRIMITIVE = frozenset((*NUMBERS, "boolean"))
_FLOATING = frozenset(("double", "float"))
_BOOLEAN = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))

UNBOXES = "may unbox null"
DIVIDES = "may divide by zero"
JOINS = "makes a text of an object"


class Outcome(NamedTuple):
    """The type of a result; how it may throw; how it may run code that is not in sight."""

    type: str
    throws: str = ""
    calls: str = ""


def reference(type_: str) -> bool:
    """Surely a reference and no box. Other names may be boxes, or variables bounded by one."""
    return type_ in ("String", "null", "object") or type_.endswith("]")


def binary(operator: str, left: str, right: str, nonzero: bool) -> Outcome:
    """``nonzero``: whether the right operand is a number that is surely not zero."""
    if operator == "+":
        return _plus(left, right)
    if operator in ("==", "!="):
        return Outcome("boolean", _compared(left, right))
    plain = left in PRIMITIVE and right in PRIMITIVE
    throws = "" if plain else UNBOXES
    if operator in _BOOLEAN:
        return Outcome("boolean", throws)
    if operator in ("/", "%") and not nonzero and not (plain and {left, right} & _FLOATING):
        throws = DIVIDES
    if not plain:
        return Outcome("int", throws)  # a number at any rate, which is all that "int" tells
    if operator in ("<<", ">>", ">>>"):
        return Outcome(promoted(left, left), throws)
    return Outcome(promoted(left, right), throws)


def _plus(left: str, right: str) -> Outcome:
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted(left, right))
    if "String" in (left, right):
        other = right if left == "String" else left
        return Outcome("String", "", "" if _plain_text(other) else JOINS)
    if left in PRIMITIVE or right in PRIMITIVE:
        return Outcome("", UNBOXES)
    return Outcome("", "", JOINS)


def _plain_text(type_: str) -> bool:
    """Whether a value becomes text without a method of its own."""
    return type_ in PRIMITIVE or type_ in ("String", "null")


def _compared(left: str, right: str) -> str:
    """A box is unboxed only where the other operand is a number or a truth value."""
    if left in PRIMITIVE and right in PRIMITIVE:
        return ""
    if reference(left) or reference(right):
        return ""
    known = left and right and left not in PRIMITIVE and right not in PRIMITIVE
    return "" if known else UNBOXES


def promoted(left: str, right: str) -> str:
    """The type that two numbers, or two truth values, are brought to (JLS 5.6)."""
    for type_ in ("boolean", "double", "float", "long"):
        if type_ in (left, right):
            return type_
    return "int"


def unary(operator: str, operand: str) -> Outcome:
    type_ = "boolean" if operator == "!" else promoted(operand, operand)
    return Outcome(type_, "" if operand in PRIMITIVE else UNBOXES)


def converted(target: str, value: str) -> str:
    """How an assignment may throw: only by unboxing (JLS 5.2)."""
    if value in PRIMITIVE or reference(value) or (target and target not in PRIMITIVE):
        return ""
    return UNBOXES


def compound(operator: str, target: str, value: str, nonzero: bool) -> Outcome:
    """``target operator= value``. The result is the target, whatever the operator gives."""
    outcome = binary(operator, target, value, nonzero)
    return Outcome(target, outcome.throws, outcome.calls)


def conditional(condition: str, left: str, right: str) -> Outcome:
    """Two boxes of different kinds are unboxed, as is a box beside a number (JLS 15.25)."""
    throws = "" if condition == "boolean" else UNBOXES
    if left == right:
        return Outcome(left, throws if left else UNBOXES)
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted(left, right), throws)
    if reference(left) or reference(right):
        return Outcome(_either(left, right), throws)
    return Outcome("", UNBOXES)


def _either(left: str, right: str) -> str:
    """Null has the other one's type, unless that is a number, which is put into a box."""
    for one, other in ((left, right), (right, left)):
        if one == "null" and other not in PRIMITIVE:
            return other
    return ""


def cast(target: str, value: str) -> Outcome:
    """Names of other types may mean different things where they were written."""
    if target in PRIMITIVE:
        return Outcome(target, "" if value in PRIMITIVE else UNBOXES)
    fits = value in PRIMITIVE or value == "null" or target == "Object"
    return Outcome(target, "" if fits or target == value == "String" else "may fail to cast")
