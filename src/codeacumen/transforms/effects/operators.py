"""Result types of operators, and how they may throw (JLS 15.14 to 15.26), from the types of their
operands.

A type is its source text: ``int``, ``String``, ``Foo[]``. ``null`` and ``object`` are types that
are certainly references and not boxes; the empty text is an unknown type. An operand that may be a
box is unboxed, which throws if it is null.
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
    """Result type of an expression, and descriptions of how it may throw and call unknown code."""

    type: str
    throws: str = ""
    calls: str = ""


def reference(type_: str) -> bool:
    """Return whether a type is certainly a reference and not a box.

    Other names may be boxes, or type variables bounded by one.
    """
    return type_ in ("String", "null", "object") or type_.endswith("]")


def binary(operator: str, left: str, right: str, nonzero: bool) -> Outcome:
    """Return the outcome of a binary operator.

    ``nonzero``: the right operand is a number that is certainly not zero.
    """
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
        return Outcome("int", throws)  # some number: the exact type does not matter here
    if operator in ("<<", ">>", ">>>"):
        return Outcome(promoted(left, left), throws)
    return Outcome(promoted(left, right), throws)


def _plus(left: str, right: str) -> Outcome:
    """Return the outcome of ``+``: an addition or a string concatenation."""
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted(left, right))
    if "String" in (left, right):
        other = right if left == "String" else left
        return Outcome("String", "", "" if _plain_text(other) else JOINS)
    if left in PRIMITIVE or right in PRIMITIVE:
        return Outcome("", UNBOXES)
    return Outcome("", "", JOINS)


def _plain_text(type_: str) -> bool:
    """Return whether string conversion of a value calls no method of the program."""
    return type_ in PRIMITIVE or type_ in ("String", "null")


def _compared(left: str, right: str) -> str:
    """Return how ``==`` may throw.

    It unboxes an operand only if the other one is a number or a boolean.
    """
    if left in PRIMITIVE and right in PRIMITIVE:
        return ""
    if reference(left) or reference(right):
        return ""
    known = left and right and left not in PRIMITIVE and right not in PRIMITIVE
    return "" if known else UNBOXES


def promoted(left: str, right: str) -> str:
    """Return the type that two numbers or two booleans are promoted to (JLS 5.6)."""
    for type_ in ("boolean", "double", "float", "long"):
        if type_ in (left, right):
            return type_
    return "int"


def unary(operator: str, operand: str) -> Outcome:
    """Return the outcome of a unary operator."""
    type_ = "boolean" if operator == "!" else promoted(operand, operand)
    return Outcome(type_, "" if operand in PRIMITIVE else UNBOXES)


def converted(target: str, value: str) -> str:
    """Return how an assignment may throw: only by unboxing (JLS 5.2)."""
    if value in PRIMITIVE or reference(value) or (target and target not in PRIMITIVE):
        return ""
    return UNBOXES


def compound(operator: str, target: str, value: str, nonzero: bool) -> Outcome:
    """Return the outcome of ``target operator= value``.

    The result has the type of the target, whatever the operator returns.
    """
    outcome = binary(operator, target, value, nonzero)
    return Outcome(target, outcome.throws, outcome.calls)


def conditional(condition: str, left: str, right: str) -> Outcome:
    """Return the outcome of ``condition ? left : right``.

    Boxes of different types are unboxed, and so is a box beside a number (JLS 15.25).
    """
    throws = "" if condition == "boolean" else UNBOXES
    if left == right:
        return Outcome(left, throws if left else UNBOXES)
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted(left, right), throws)
    if reference(left) or reference(right):
        return Outcome(_either(left, right), throws)
    return Outcome("", UNBOXES)


def _either(left: str, right: str) -> str:
    """Return the common type of two references; empty if it is unknown or a boxed number."""
    for one, other in ((left, right), (right, left)):
        if one == "null" and other not in PRIMITIVE:
            return other
    return ""


def cast(target: str, value: str) -> Outcome:
    """Return the outcome of a cast.

    Equal names of types other than String do not prove that a cast succeeds, because they may
    denote different types at the places where they were written.
    """
    if target in PRIMITIVE:
        return Outcome(target, "" if value in PRIMITIVE else UNBOXES)
    fits = value in PRIMITIVE or value == "null" or target == "Object"
    return Outcome(target, "" if fits or target == value == "String" else "may fail to cast")
