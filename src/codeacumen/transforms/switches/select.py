"""The selector of a switch: how its value is kept, and how it is compared with a label.

Tests have no side effects, so a local variable is tested repeatedly; any other selector is first
stored in a new variable. A selector that is null makes a switch throw a NullPointerException. So
does the first test here, by unboxing or by calling a method on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeacumen.languages.java.resolve.static_types import UNBOXED, Typed, Types
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.transforms.code import LOCALS, TYPES, Code
from codeacumen.transforms.switches.parts import RefusedError, Switch

NUMBER, STRING, ENUM, ITSELF = "number", "string", "enum", "itself"
# JLS 15.28.2, of Java 17.
_ERROR = "IncompatibleClassChangeError"
_UNKNOWN = "the type of the selector is not known"
_NUMBERS = frozenset(("byte", "short", "char", "int"))
# Expressions that bind tighter than ``==`` and need no parentheses.
_TIGHT = frozenset(
    (
        "identifier",
        "field_access",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "character_literal",
        "parenthesized_expression",
        "unary_expression",
        "cast_expression",
    )
)
_LITERALS = frozenset(one for one in _TIGHT if one.endswith("_literal"))


@dataclass(frozen=True, slots=True)
class Selector:
    """How to store and compare the value of a selector.

    ``is_repeatable``: it may be evaluated more than once. ``type``: the type of the variable that
    stores it otherwise. ``test`` and ``negated_test`` are templates for the selector and a label;
    ``owner`` qualifies a constant that is a simple name. ``unboxes``: it may be null, and an
    assignment to the variable throws. ``error`` is thrown where no constant matches.
    """

    kind: str
    plain: bool
    type: str
    test: str
    opposite: str
    owner: str = ""
    unboxes: bool = False
    error: str = ""

    def compared(self, code: Code, name: str, label: int, same: bool = True) -> str:
        """Return the test that compares the selector with a label, or its negation."""
        text = code.text(label)
        if self.owner and code.kind[label] == "identifier":
            text = f"{self.owner}.{text}"
        elif self.kind == NUMBER and code.kind[label] not in _TIGHT:
            text = f"({text})"
        return (self.test if same else self.opposite).format(name, text)

    def touched(self, name: str) -> str:
        """Return a statement that throws if the selector is null and has no other effect."""
        return {STRING: f"{name}.hashCode();", ENUM: f"{name}.ordinal();"}.get(self.kind, "")


def selector(code: Code, types: Types, switch: Switch) -> Selector:
    """Return how to store and compare a switch's selector; raise ``RefusedError`` if its type is
    unknown or unsupported."""
    node = switch.selector
    plain = _is_plain(code, node)
    typed = types.of(node)
    kind = _kind(code, types, switch, typed)
    if kind != ENUM and switch.gives and not any(case.default for case in switch.cases):
        raise RefusedError("some values have no case")  # javac rejects such a switch
    if kind == NUMBER:
        # The switch unboxes the selector first. All its types fit into an int.
        name = UNBOXED.get(typed.name, typed.name) if typed else "int"
        unboxes = typed is None or typed.kind != "primitive"
        return Selector(NUMBER, plain, name, "{} == {}", "{} != {}", unboxes=unboxes)
    if kind == STRING:
        name = "java.lang.String" if types.hides("String") else "String"
        return Selector(STRING, plain, name, "{}.equals({})", "!{}.equals({})")
    return _enum(code, types, switch, plain)


def _enum(code: Code, types: Types, switch: Switch, plain: bool) -> Selector:
    """Return the selector of an enum's switch."""
    node = switch.selector
    if _in_constructor(code, node):
        raise RefusedError("an enum's constants cannot be named in its constructor")
    error = f"java.lang.{_ERROR}" if types.hides(_ERROR) else _ERROR
    owner = types.spelling(node, value=True)
    name = owner if plain else types.spelling(node)
    if code.kind[node] == "this" and owner:
        test, opposite = "{} == {}", "{} != {}"
        return Selector(ITSELF, True, name, test, opposite, owner, error=error)
    if not owner or not name:
        # The type cannot be named here, but the constants can.
        if any(code.kind[one] != "identifier" for case in switch.cases for one in case.labels):
            raise RefusedError("the enum cannot be named here")
        name = "java.lang.Enum<?>" if types.hides("Enum") else "Enum<?>"
        test, owner = '{}.name().equals("{}")', ""
    elif types.has_method(node, "equals"):
        return Selector(
            ENUM, plain, name, "{}.compareTo({}) == 0", "{}.compareTo({}) != 0", owner, error=error
        )
    else:
        test = "{}.equals({})"
    return Selector(ENUM, plain, name, test, f"!{test}", owner, error=error)


def _in_constructor(code: Code, node: int) -> bool:
    """Return whether a node is in an enum's constructor (JLS 8.9.2)."""
    for one in code.up(node):
        if code.kind[one] == "constructor_declaration":
            return code.kind[code.parent[one]] == "enum_body_declarations"
        if code.kind[one] in TYPES:
            break
    return False


def _is_plain(code: Code, node: int) -> bool:
    """Return whether a selector may be evaluated repeatedly: ``this``, literals and local
    variables.

    Variables of a method around the class are excluded, because the class may inherit a field of
    that name.
    """
    if code.kind[node] != "identifier":
        return code.kind[node] == "this" or code.kind[node] in _LITERALS
    declared = code.declaration.get(node, NONE)
    if declared == NONE or code.role[node] not in LOCALS:
        return False
    return _class(code, node) == _class(code, declared)


def _class(code: Code, node: int) -> int:
    """Return the innermost type around a node."""
    return next((one for one in code.up(node) if code.kind[one] in TYPES), NONE)


def _kind(code: Code, types: Types, switch: Switch, typed: Typed | None) -> str:
    """Return the kind of a selector by its type, or else by the labels."""
    labels = [label for case in switch.cases for label in case.labels]
    if typed is not None and typed.kind:
        name = UNBOXED.get(typed.name, typed.name)
        if name in _NUMBERS:
            return NUMBER
        if name == "java.lang.String":
            return STRING
        if typed.kind == "enum":
            return ENUM
        raise RefusedError("the selector is of a type that is not handled")
    bare = [one for one in labels if code.kind[one] == "identifier"]
    if bare and (typed is not None or types.written(switch.selector)):
        # Among classes other than String and boxes, only an enum has labels that are names.
        return ENUM
    for label in labels:
        kind = _of_label(code, types, label)
        if kind:
            return kind
    if len(bare) < len(labels):
        raise RefusedError(_UNKNOWN)
    return _of_names(code, types, bare)


def _of_label(code: Code, types: Types, label: int) -> str:
    """Return the kind of selector that a label implies.

    A simple name implies none: it may be a constant of an enum even if something else has that
    name.
    """
    if code.kind[label] in _LITERALS:
        return NUMBER
    if code.kind[label] == "string_literal":
        return STRING
    if code.kind[label] == "identifier":
        return ""
    found = types.of(label)
    if found is None:
        return ""
    return NUMBER if found.name in _NUMBERS else STRING if found.name == "java.lang.String" else ""


def _of_names(code: Code, types: Types, labels: list[int]) -> str:
    """Return the kind of selector that labels with simple names imply.

    A name that no variable has is a constant of an enum. If several labels name constants of this
    file, they are those constants and not constants of an enum with the same names.
    """
    declared = {
        code.declared_type(code.declaration[one]) if code.declaration.get(one, NONE) >= 0 else ""
        for one in labels
    }
    if len(labels) > 1 and declared <= _NUMBERS:
        return NUMBER
    if len(labels) > 1 and declared == {"String"} and not types.hides("String"):
        return STRING
    if any(not types.may_be_variable(code.text(one), one) for one in labels):
        return ENUM
    raise RefusedError(_UNKNOWN)
