"""Result types of operators, and how they may throw (JLS 15.14 to 15.26), from the types of their
operands. ``EffectAnalysis`` calls these functions.

A type is its source text: ``int``, ``String``, ``Foo[]``. ``null`` and ``object`` are types that
are certainly references and not boxes; the empty text is an unknown type. A box is an object such
as an ``Integer`` that holds a primitive value; an operand that may be a box is unboxed, which
throws if it is null.
"""

from __future__ import annotations

from typing import NamedTuple

NUMBERS = ("double", "float", "long", "int", "short", "char", "byte")
PRIMITIVE = frozenset((*NUMBERS, "boolean"))
_FLOATING = frozenset(("double", "float"))
_BOOLEAN = frozenset(("==", "!=", "<", ">", "<=", ">=", "&&", "||"))

UNBOXES = "may unbox null"
DIVIDES = "may divide by zero"
CONVERTS_TO_STRING = "converts an object to a string"


class Outcome(NamedTuple):
    """Result type of an expression, and descriptions of how it may throw and call unknown code.

    Each is empty: the type if it is unknown, a description if the expression does no such thing.
    """

    type: str
    throws: str = ""
    calls: str = ""


def is_reference(type_: str) -> bool:
    """Return whether a type is certainly a reference and not a box.

    Other names may be boxes, or type variables bounded by one.
    """
    return type_ in ("String", "null", "object") or type_.endswith("]")


def binary_outcome(operator: str, left: str, right: str, is_nonzero: bool) -> Outcome:
    """Return the outcome of a binary operator.

    ``left`` and ``right`` are the operands' types. ``is_nonzero``: the right operand is a number
    that is certainly not zero.
    """
    if operator == "+":
        return _plus_outcome(left, right)
    if operator in ("==", "!="):
        return Outcome("boolean", _comparison_throws(left, right))
    are_primitive = left in PRIMITIVE and right in PRIMITIVE
    throws = "" if are_primitive else UNBOXES
    if operator in _BOOLEAN:
        return Outcome("boolean", throws)
    if (
        operator in ("/", "%")
        and not is_nonzero
        and not (are_primitive and {left, right} & _FLOATING)
    ):
        throws = DIVIDES
    if not are_primitive:
        return Outcome("int", throws)  # some number: the exact type does not matter here
    if operator in ("<<", ">>", ">>>"):
        return Outcome(promoted_type(left, left), throws)
    return Outcome(promoted_type(left, right), throws)


def _plus_outcome(left: str, right: str) -> Outcome:
    """Return the outcome of ``+``: an addition or a string concatenation."""
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted_type(left, right))
    if "String" in (left, right):
        other = right if left == "String" else left
        return Outcome("String", "", "" if _has_plain_text(other) else CONVERTS_TO_STRING)
    if left in PRIMITIVE or right in PRIMITIVE:
        return Outcome("", UNBOXES)
    return Outcome("", "", CONVERTS_TO_STRING)


def _has_plain_text(type_: str) -> bool:
    """Return whether string conversion of a value calls no method of the program."""
    return type_ in PRIMITIVE or type_ in ("String", "null")


def _comparison_throws(left: str, right: str) -> str:
    """Return how ``==`` may throw; empty if it cannot.

    It unboxes an operand only if the other one is a number or a boolean.
    """
    if left in PRIMITIVE and right in PRIMITIVE:
        return ""
    if is_reference(left) or is_reference(right):
        return ""
    are_references = left and right and left not in PRIMITIVE and right not in PRIMITIVE
    return "" if are_references else UNBOXES


def promoted_type(left: str, right: str) -> str:
    """Return the type that two numbers or two booleans are promoted to (JLS 5.6)."""
    for type_ in ("boolean", "double", "float", "long"):
        if type_ in (left, right):
            return type_
    return "int"


def unary_outcome(operator: str, operand: str) -> Outcome:
    """Return the outcome of a unary operator."""
    type_ = "boolean" if operator == "!" else promoted_type(operand, operand)
    return Outcome(type_, "" if operand in PRIMITIVE else UNBOXES)


def conversion_throws(target: str, value: str) -> str:
    """Return how the assignment of a value of one type to a variable of another may throw: only by
    unboxing (JLS 5.2); empty if it cannot."""
    if value in PRIMITIVE or is_reference(value) or (target and target not in PRIMITIVE):
        return ""
    return UNBOXES


def compound_outcome(operator: str, target: str, value: str, is_nonzero: bool) -> Outcome:
    """Return the outcome of ``target operator= value``.

    The result has the type of the target, whatever the operator returns.
    """
    outcome = binary_outcome(operator, target, value, is_nonzero)
    return Outcome(target, outcome.throws, outcome.calls)


def conditional_outcome(condition: str, left: str, right: str) -> Outcome:
    """Return the outcome of ``condition ? left : right``.

    Boxes of different types are unboxed, and so is a box beside a number (JLS 15.25).
    """
    throws = "" if condition == "boolean" else UNBOXES
    if left == right:
        return Outcome(left, throws if left else UNBOXES)
    if left in PRIMITIVE and right in PRIMITIVE:
        return Outcome(promoted_type(left, right), throws)
    if is_reference(left) or is_reference(right):
        return Outcome(_common_type(left, right), throws)
    return Outcome("", UNBOXES)


def _common_type(left: str, right: str) -> str:
    """Return the common type of two references; empty if it is unknown or a boxed number."""
    for candidate, other in ((left, right), (right, left)):
        if candidate == "null" and other not in PRIMITIVE:
            return other
    return ""


def cast_outcome(target: str, value: str) -> Outcome:
    """Return the outcome of a cast.

    Equal names of types other than String do not prove that a cast succeeds, because they may
    denote different types at the places where they were written.
    """
    if target in PRIMITIVE:
        return Outcome(target, "" if value in PRIMITIVE else UNBOXES)
    cannot_fail = value in PRIMITIVE or value == "null" or target == "Object"
    return Outcome(target, "" if cannot_fail or target == value == "String" else "may fail to cast")
