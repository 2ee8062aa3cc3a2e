"""What a switch selects by: how its selector is kept, and how it is compared to a label.

Tests have no effects, so a local variable is tested again and again; everything else is kept in a
new variable first. A selector that is null makes a switch throw a NullPointerException, and so
does the first test here: by unboxing, or by calling a method on it.
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
# These bind tighter than ``==``, or are as good as in parentheses.
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
    """``plain``: it may be tested more than once as it is. ``type``: that of the variable that
    keeps it otherwise. ``test`` and ``opposite`` have places for it and for a label; a constant
    that is a bare name is put behind ``owner``. ``unboxes``: it may be null, and an assignment to
    the variable throws. ``error`` is what is thrown where no constant is met."""

    kind: str
    plain: bool
    type: str
    test: str
    opposite: str
    owner: str = ""
    unboxes: bool = False
    error: str = ""

    def compared(self, code: Code, name: str, label: int, same: bool = True) -> str:
        text = code.text(label)
        if self.owner and code.kind[label] == "identifier":
            text = f"{self.owner}.{text}"
        elif self.kind == NUMBER and code.kind[label] not in _TIGHT:
            text = f"({text})"
        return (self.test if same else self.opposite).format(name, text)

    def touched(self, name: str) -> str:
        """A statement that throws for null, and does nothing else."""
        return {STRING: f"{name}.hashCode();", ENUM: f"{name}.ordinal();"}.get(self.kind, "")


def selector(code: Code, types: Types, switch: Switch) -> Selector:
    node = switch.selector
    plain = _is_plain(code, node)
    typed = types.of(node)
    kind = _kind(code, types, switch, typed)
    if kind != ENUM and switch.gives and not any(case.default for case in switch.cases):
        raise RefusedError("some values have no case")  # javac would not have it
    if kind == NUMBER:
        # Unboxing is what the switch does first. All there are fit into an int.
        name = UNBOXED.get(typed.name, typed.name) if typed else "int"
        unboxes = typed is None or typed.kind != "primitive"
        return Selector(NUMBER, plain, name, "{} == {}", "{} != {}", unboxes=unboxes)
    if kind == STRING:
        name = "java.lang.String" if types.hides("String") else "String"
        return Selector(STRING, plain, name, "{}.equals({})", "!{}.equals({})")
    return _enum(code, types, switch, plain)


def _enum(code: Code, types: Types, switch: Switch, plain: bool) -> Selector:
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
        # Its type has no name here, but the constants have.
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
    """Whether an enum's constructor holds a node (JLS 8.9.2)."""
    for one in code.up(node):
        if code.kind[one] == "constructor_declaration":
            return code.kind[code.parent[one]] == "enum_body_declarations"
        if code.kind[one] in TYPES:
            break
    return False


def _is_plain(code: Code, node: int) -> bool:
    """``this`` and literals, and local variables: not of a method around the class, since the
    class may inherit a field of that name."""
    if code.kind[node] != "identifier":
        return code.kind[node] == "this" or code.kind[node] in _LITERALS
    declared = code.declaration.get(node, NONE)
    if declared == NONE or code.role[node] not in LOCALS:
        return False
    return _class(code, node) == _class(code, declared)


def _class(code: Code, node: int) -> int:
    return next((one for one in code.up(node) if code.kind[one] in TYPES), NONE)


def _kind(code: Code, types: Types, switch: Switch, typed: Typed | None) -> str:
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
        # Of a class that is neither a string nor a box, only an enum has labels that are names.
        return ENUM
    for label in labels:
        kind = _of_label(code, types, label)
        if kind:
            return kind
    if len(bare) < len(labels):
        raise RefusedError(_UNKNOWN)
    return _of_names(code, types, bare)


def _of_label(code: Code, types: Types, label: int) -> str:
    """What a label tells of the selector. A bare name tells nothing: it may be a constant of an
    enum, whatever else has that name."""
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
    """What labels that are names tell: a name that no variable has is a constant of an enum.
    Names of several constants of this file are those constants, and not by chance an enum's."""
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
