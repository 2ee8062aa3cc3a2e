"""The selector of a switch: how the chain stores its value and compares it with a label.

Tests have no side effects, so a local variable is tested repeatedly; any other selector is first
stored in a new variable. A selector that is null makes a switch throw a NullPointerException. So
does the first test here, by unboxing or by calling a method on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from codeacumen.languages.java.bindings.names import LOCALS
from codeacumen.languages.java.resolve.static_types import UNBOXED, ErasedType, StaticTypes
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.lexical import INTEGER_LITERALS
from codeacumen.transforms.code import TYPES, Code
from codeacumen.transforms.switches.parts import RefusedError, Switch

# Kinds of selectors; ITSELF is ``this`` inside an enum.
NUMBER, STRING, ENUM, ITSELF = "number", "string", "enum", "itself"
# A switch expression throws this error if no constant of the enum matches (JLS 15.28.2 of Java 17).
_NO_MATCH_ERROR = "IncompatibleClassChangeError"
_UNKNOWN = "the type of the selector is not known"
_INTEGER_TYPES = frozenset(("byte", "short", "char", "int"))
# Expressions that bind tighter than ``==`` and need no parentheses.
_OPERANDS_OF_EQUALS = frozenset(
    (
        "identifier",
        "field_access",
        *INTEGER_LITERALS,
        "character_literal",
        "parenthesized_expression",
        "unary_expression",
        "cast_expression",
    )
)
_LITERALS = frozenset(kind for kind in _OPERANDS_OF_EQUALS if kind.endswith("_literal"))


@dataclass(frozen=True, slots=True)
class Selector:
    """A way to store and compare the value of a selector.

    ``is_repeatable``: it may be evaluated more than once. ``type`` is the type of the variable that
    stores it otherwise. ``test`` and ``negated_test`` are formatted with the selector's text and a
    label's; ``owner`` qualifies a constant that is a simple name, and is empty if none needs it.
    ``unboxes``: it may be null, and an assignment to the variable then throws. ``error`` is the
    class that a switch expression throws if no constant matches; empty except for enums.
    """

    kind: str
    is_repeatable: bool
    type: str
    test: str
    negated_test: str
    owner: str = ""
    unboxes: bool = False
    error: str = ""

    def format_test(self, code: Code, name: str, label: int, is_equal: bool = True) -> str:
        """Return the test that compares the selector with a label, or its negation."""
        text = code.text(label)
        if self.owner and code.kind[label] == "identifier":
            text = f"{self.owner}.{text}"
        elif self.kind == NUMBER and code.kind[label] not in _OPERANDS_OF_EQUALS:
            text = f"({text})"
        return (self.test if is_equal else self.negated_test).format(name, text)

    def format_null_check(self, name: str) -> str:
        """Return a statement that throws if the selector is null and has no other effect."""
        return {STRING: f"{name}.hashCode();", ENUM: f"{name}.ordinal();"}.get(self.kind, "")


def choose_selector(code: Code, types: StaticTypes, switch: Switch) -> Selector:
    """Return how to store and compare a switch's selector; raise ``RefusedError`` if its type is
    unknown or unsupported."""
    node = switch.selector
    is_repeatable = _is_repeatable(code, node)
    typed = types.type_of(node)
    kind = _selector_kind(code, types, switch, typed)
    if kind != ENUM and switch.is_expression and not any(case.is_default for case in switch.cases):
        raise RefusedError("some values have no case")  # javac rejects such a switch
    if kind == NUMBER:
        # The switch unboxes the selector first. All its types fit into an int.
        name = UNBOXED.get(typed.name, typed.name) if typed else "int"
        unboxes = typed is None or typed.kind != "primitive"
        return Selector(NUMBER, is_repeatable, name, "{} == {}", "{} != {}", unboxes=unboxes)
    if kind == STRING:
        name = "java.lang.String" if types.hides_java_lang_type("String") else "String"
        return Selector(STRING, is_repeatable, name, "{}.equals({})", "!{}.equals({})")
    return _enum_selector(code, types, switch, is_repeatable)


def _enum_selector(code: Code, types: StaticTypes, switch: Switch, is_repeatable: bool) -> Selector:
    """Return the selector of an enum's switch."""
    node = switch.selector
    if _is_in_enum_constructor(code, node):
        raise RefusedError("an enum's constants cannot be named in its constructor")
    error = (
        f"java.lang.{_NO_MATCH_ERROR}"
        if types.hides_java_lang_type(_NO_MATCH_ERROR)
        else _NO_MATCH_ERROR
    )
    owner = types.find_spelling(node, in_expression=True)
    name = owner if is_repeatable else types.find_spelling(node)
    if code.kind[node] == "this" and owner:
        test, negated_test = "{} == {}", "{} != {}"
        return Selector(ITSELF, True, name, test, negated_test, owner, error=error)
    if not owner or not name:
        # The type cannot be named here, but the constants can.
        if any(code.kind[label] != "identifier" for case in switch.cases for label in case.labels):
            raise RefusedError("the enum cannot be named here")
        name = "java.lang.Enum<?>" if types.hides_java_lang_type("Enum") else "Enum<?>"
        test, owner = '{}.name().equals("{}")', ""
    elif types.has_method(node, "equals"):
        return Selector(
            ENUM,
            is_repeatable,
            name,
            "{}.compareTo({}) == 0",
            "{}.compareTo({}) != 0",
            owner,
            error=error,
        )
    else:
        test = "{}.equals({})"
    return Selector(ENUM, is_repeatable, name, test, f"!{test}", owner, error=error)


def _is_in_enum_constructor(code: Code, node: int) -> bool:
    """Return whether a node is in an enum's constructor (JLS 8.9.2)."""
    for ancestor in code.ancestors(node):
        if code.kind[ancestor] == "constructor_declaration":
            return code.kind[code.parent[ancestor]] == "enum_body_declarations"
        if code.kind[ancestor] in TYPES:
            break
    return False


def _is_repeatable(code: Code, node: int) -> bool:
    """Return whether a selector may be evaluated repeatedly: ``this``, literals and local
    variables.

    Variables of a method around the class are excluded, because the class may inherit a field of
    that name.
    """
    if code.kind[node] != "identifier":
        return code.kind[node] == "this" or code.kind[node] in _LITERALS
    declaration = code.declaration.get(node, NONE)
    if declaration == NONE or code.role[node] not in LOCALS:
        return False
    return _enclosing_type(code, node) == _enclosing_type(code, declaration)


def _enclosing_type(code: Code, node: int) -> int:
    """Return the innermost type around a node."""
    return next(
        (ancestor for ancestor in code.ancestors(node) if code.kind[ancestor] in TYPES), NONE
    )


def _selector_kind(code: Code, types: StaticTypes, switch: Switch, typed: ErasedType | None) -> str:
    """Return the kind of a selector by its type, or else by the labels."""
    labels = [label for case in switch.cases for label in case.labels]
    if typed is not None and typed.kind:
        name = UNBOXED.get(typed.name, typed.name)
        if name in _INTEGER_TYPES:
            return NUMBER
        if name == "java.lang.String":
            return STRING
        if typed.kind == "enum":
            return ENUM
        raise RefusedError("the selector is of a type that is not handled")
    simple_names = [label for label in labels if code.kind[label] == "identifier"]
    if simple_names and (typed is not None or types.spell_declared_type(switch.selector)):
        # Among classes other than String and boxes, only an enum has labels that are names.
        return ENUM
    for label in labels:
        kind = _kind_from_label(code, types, label)
        if kind:
            return kind
    if len(simple_names) < len(labels):
        raise RefusedError(_UNKNOWN)
    return _kind_from_names(code, types, simple_names)


def _kind_from_label(code: Code, types: StaticTypes, label: int) -> str:
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
    typed = types.type_of(label)
    if typed is None:
        return ""
    return (
        NUMBER
        if typed.name in _INTEGER_TYPES
        else STRING
        if typed.name == "java.lang.String"
        else ""
    )


def _kind_from_names(code: Code, types: StaticTypes, labels: list[int]) -> str:
    """Return the kind of selector that labels with simple names imply.

    A name that no variable has is a constant of an enum. If several labels name constants of this
    file, they are those constants and not constants of an enum with the same names.
    """
    declared_types = {
        code.declared_type(code.declaration[label])
        if code.declaration.get(label, NONE) >= 0
        else ""
        for label in labels
    }
    if len(labels) > 1 and declared_types <= _INTEGER_TYPES:
        return NUMBER
    if (
        len(labels) > 1
        and declared_types == {"String"}
        and not types.hides_java_lang_type("String")
    ):
        return STRING
    if any(not types.may_be_variable(code.text(label), label) for label in labels):
        return ENUM
    raise RefusedError(_UNKNOWN)
