"""Types of expressions, as far as the file shows them without a full attribution.

Only evident types count: numbers, booleans, strings and arrays. A name that may be a box or any
other type stays that name. The types of an expression's parts are computed before its own.

The module also describes the fields of a file, with the effects of accessing them, and the few
members of java.lang and java.util that are known to have no side effects. A type of java.util
counts only if it is imported by its full name, because a type of the file's own package would take
precedence over ``import java.util.*``.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from codeacumen.languages.java.bindings.names import READS
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.transforms.code import LAMBDA, LOCALS, Code
from codeacumen.transforms.effects.operators import PRIMITIVE, Outcome, promoted

# Nodes that make it unclear whether an expression is constant.
_OPEN = frozenset(
    (
        "identifier",
        "type_identifier",
        "this",
        "super",
        "lambda_expression",
        "switch_expression",
        "/",
        "%",
        "null_literal",
        "ERROR",
    )
)
_INTERFACES = ("interface", "annotation")
_INNER = ("class", "anonymous", "enum constant")


class Field(NamedTuple):
    """A field of the file.

    ``type`` is as written; ``owner`` is the index of the declaring type. The value of a
    ``constant`` is copied into the compiled code (JLS 4.12.4), so reading it has no side effect.
    """

    name: str
    type: str
    owner: int
    static: bool
    final: bool
    volatile: bool
    constant: bool


class Fields:
    """Fields that a file declares, by the identifiers at their declarations."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.types = code.file.declarations.types
        self._of: dict[int, Field] = {}
        self._certain: dict[tuple[int, int], bool] = {}
        self._running: dict[tuple[int, int], bool] = {}

    @cached_property
    def _declared(self) -> dict[int, int]:
        """Indices of the fields by their declarators."""
        fields = self.code.file.declarations.fields
        return {one.node: place for place, one in enumerate(fields)}

    @cached_property
    def _types(self) -> dict[int, int]:
        """Indices of the types by the nodes of their declarations."""
        return {one.node: place for place, one in enumerate(self.types)}

    def of(self, declaration: int) -> Field:
        """Return the field with this declaration."""
        found = self._of.get(declaration)
        if found is None:
            found = self._of[declaration] = self._field(declaration)
        return found

    def _field(self, declaration: int) -> Field:
        """Return the field with this declaration, without the cache."""
        code = self.code
        name = code.text(declaration)
        place = self._declared.get(code.parent[declaration])
        if place is not None:
            one = code.file.declarations.fields[place]
            implicit = one.type != NONE and self.types[one.type].kind in _INTERFACES
            static = implicit or "static" in one.modifiers
            final = implicit or "final" in one.modifiers
            constant = static and final and self._constant(one.node, one.declared)
            volatile = "volatile" in one.modifiers
            return Field(name, one.declared, one.type, static, final, volatile, constant)
        around = next((one for one in code.up(declaration) if one in self._types), NONE)
        owner = self._types.get(around, NONE)
        if code.kind[code.parent[declaration]] == "enum_constant":
            return Field(name, "object", owner, True, True, False, False)
        # A record's component.
        return Field(name, code.declared_type(declaration), owner, False, True, False, False)

    def _constant(self, declarator: int, type_: str) -> bool:
        """Return whether an initial value is evidently constant."""
        if type_ not in PRIMITIVE and type_ != "String":
            return False
        code = self.code
        value = code.child(declarator, "value")
        return value != NONE and _OPEN.isdisjoint(code.kind[value : code.stop[value]])

    # ---- enclosing types

    def certain(self, here: int, owner: int) -> bool:
        """Return whether an unqualified name certainly denotes the member of the enclosing type
        ``owner``.

        It may not if an unknown supertype in between may have a member of that name, which would
        hide the outer one.
        """
        key = here, owner
        if key not in self._certain:
            self._certain[key] = self._nothing_between(here, owner)
        return self._certain[key]

    def _nothing_between(self, here: int, owner: int) -> bool:
        """Return whether no type between two types has a supertype."""
        while here not in (owner, NONE):
            node = self.types[here].node
            if self.code.kind[node] == "class_body" or any(
                self.code.kind[one] in ("superclass", "super_interfaces", "extends_interfaces")
                for one in self.code.children(node)
            ):
                return False
            here = self.types[here].owner
        return here == owner

    def running(self, here: int, owner: int) -> bool:
        """Return whether the initialisation of ``owner`` has begun when a method of the type
        ``here`` runs.

        That is so for the type itself, and for the types around an inner class.
        """
        key = here, owner
        if key not in self._running:
            self._running[key] = self._inner(here, owner)
        return self._running[key]

    def _inner(self, here: int, owner: int) -> bool:
        """Return whether a type is ``owner`` or an inner class in it."""
        while here not in (owner, NONE):
            one = self.types[here]
            inner = one.kind in _INNER and "static" not in one.modifiers
            if not inner or (one.owner != NONE and self.types[one.owner].kind in _INTERFACES):
                return False
            here = one.owner
        return here == owner


_LITERALS = {
    "true": "boolean",
    "false": "boolean",
    "character_literal": "char",
    "null_literal": "null",
    "string_literal": "String",
    "class_literal": "object",
    "this": "object",
    LAMBDA: "object",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
}
_INTEGERS = frozenset(
    (
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
    )
)
_KNOWN = frozenset(
    (
        "Byte",
        "Character",
        "Double",
        "Float",
        "Integer",
        "Long",
        "Math",
        "Object",
        "Short",
        "String",
        "StringBuffer",
        "StringBuilder",
    )
)
_NEVER_NULL = frozenset(
    (
        "this",
        "super",
        "object_creation_expression",
        "array_creation_expression",
        "array_initializer",
        "string_literal",
        "class_literal",
        LAMBDA,
    )
)
_NONZERO = re.compile(rb"0[xX][0_]*[1-9a-fA-F]|0[bB]?[0_]*[1-9]|[1-9]")
_DIGITS = re.compile(rb"(0|[1-9][0-9_]*)")
_MAXIMUM = 1 << 20


class Types:
    """Types of a file's expressions and variables, computed on demand."""

    def __init__(self, code: Code, fields: Fields) -> None:
        self.code = code
        self.fields = fields
        # Types of the nodes computed so far.
        self.known: dict[int, str] = {}
        self._variables: dict[int, str] = {NONE: ""}
        self._inferred: set[int] = set()
        self._values: dict[int, int] = {}

    def of(self, node: int) -> str:
        """Return the type of an expression; empty if it is unknown."""
        found = self.known.get(node)
        if found is None:
            found = self.known[node] = self._leaf(node)
        return found

    def _leaf(self, node: int) -> str:
        """Return the type of a name or a literal; empty if it is unknown."""
        code = self.code
        kind = code.kind[node]
        if kind == "identifier":
            role = code.role.get(node)
            if role in LOCALS or role in ("field", "enum constant"):
                return self.variable(code.declaration[node])
            return ""
        if kind in _INTEGERS:
            return "long" if code.source[code.end[node] - 1] in b"lL" else "int"
        return _LITERALS.get(kind, "")

    def variable(self, declaration: int) -> str:
        """Return the type of a variable or a field by the identifier at its declaration."""
        found = self._variables.get(declaration)
        if found is None:
            found = self._variables[declaration] = self._declared(declaration)
        return found

    def _declared(self, declaration: int) -> str:
        """Return the declared type of a variable or a field; of ``var`` the type of its value if it
        is evident."""
        code = self.code
        if code.role[declaration] in ("field", "enum constant"):
            return self._spelt(self.fields.of(declaration).type)
        written = code.declared_type(declaration)
        if written != "var":
            return self._spelt(written)
        self._inferred.add(declaration)
        # No inference beyond literals and array creations.
        value = code.child(code.parent[declaration], "value")
        kind = code.kind[value] if value != NONE else ""
        if kind == "array_creation_expression":
            return self.created(value)
        return self._leaf(value) if kind in _LITERALS or kind in _INTEGERS else ""

    def inferred(self, declaration: int) -> bool:
        """Return whether a variable is declared with ``var`` and so has the type of its value."""
        self.variable(declaration)
        return declaration in self._inferred

    def written(self, node: int) -> str:
        """Return the type that a node of the syntax tree denotes."""
        return self._spelt(type_text(self.code.file.syntax, node))

    def _spelt(self, type_: str) -> str:
        """Return the canonical text of a type; types that only look like those of java.lang get a
        ``?``."""
        if type_.endswith("..."):
            type_ = f"{type_[:-3]}[]"
        if type_.startswith("java.lang."):
            type_ = type_[len("java.lang.") :]
        elif type_ in self._other:
            return f"?{type_}"
        return type_

    def full_name(self, node: int) -> str:
        """Return the qualified name of the type that a simple name denotes.

        Empty unless the type is imported by that name or belongs to java.lang.
        """
        word = self.code.text(node)
        if self.code.role.get(node) != "type" or self.code.declaration[node] != NONE:
            return ""
        if word in self._imported:
            return self._imported[word]
        return f"java.lang.{word}" if word in _KNOWN and word not in self._other else ""

    @cached_property
    def _imported(self) -> dict[str, str]:
        """Qualified names of the types that are imported by name."""
        found: dict[str, str] = {}
        for node in self.code.children(0):
            parts = self.code.children(node)
            if self.code.kind[node] == "import_declaration" and len(parts) == 3:
                name = type_text(self.code.file.syntax, parts[1])
                found[name.rpartition(".")[2]] = name
        return found

    @cached_property
    def _other(self) -> frozenset[str]:
        """Names of types in java.lang that denote another type in this file."""
        declared = self.code.file.declarations
        names = {one.name for one in declared.types}
        groups = [one.type_parameters for one in declared.types]
        groups += [one.type_parameters for one in declared.methods]
        names.update(re.split(r"\W", one)[0] for group in groups for one in group)
        names.update(word for word, name in self._imported.items() if name != f"java.lang.{word}")
        return frozenset(name for name in _KNOWN if name in names)

    # ---- arrays

    def element(self, type_: str) -> str:
        """Return the element type of an array type; empty for other types."""
        return type_[:-2] if type_.endswith("[]") else ""

    def created(self, node: int) -> str:
        """Return the type of an array creation such as ``new int[3][]``."""
        code = self.code
        parts = code.fields(node, "dimensions")
        brackets = sum(code.bytes(part).count(b"[") for part in parts[1:])
        if not parts:
            return ""
        first = 1 if code.kind[parts[0]] == "dimensions_expr" else code.bytes(parts[0]).count(b"[")
        return self.written(code.child(node, "type")) + "[]" * (first + brackets)

    def initialised(self, node: int) -> str:
        """Return the type of an array initialiser ``{ ... }``."""
        code, deep = self.code, 0
        around = code.parent[node]
        while code.kind[around] == "array_initializer":
            around, deep = code.parent[around], deep + 2
        if code.kind[around] == "variable_declarator":
            type_ = self.variable(code.child(around, "name"))
        elif code.kind[around] == "array_creation_expression":
            type_ = self.created(around)
        else:
            return ""
        return type_[: len(type_) - deep] if type_.endswith("]") else ""

    def number(self, node: int) -> int:
        """Return the value of a small integer literal; NONE for any other expression."""
        code = self.code
        node = code.unwrapped(node)
        if code.kind[node] != "decimal_integer_literal":
            return NONE
        text = code.bytes(node)
        value = int(text) if _DIGITS.fullmatch(text) else NONE
        return value if value < _MAXIMUM else NONE

    def nonzero(self, node: int) -> bool:
        """Return whether an expression is an integer literal other than zero."""
        code = self.code
        node = code.unwrapped(node)
        return code.kind[node] in _INTEGERS and bool(_NONZERO.match(code.bytes(node)))

    # ---- values that variables certainly hold

    def never_null(self, node: int) -> bool:
        """Return whether an expression is certainly not null."""
        code = self.code
        node = code.unwrapped(node)
        kind = code.kind[node]
        if kind in _NEVER_NULL:
            return True
        if kind == "field_access":
            return code.kind[code.stop[node] - 1] in ("this", "super")
        return kind == "identifier" and self._value(node) != NONE

    def length(self, node: int) -> int:
        """Return the length of the array that a local variable certainly holds; NONE if it is
        unknown.

        It is also unknown if the array's type differs from the variable's, so that a store may
        fail.
        """
        code = self.code
        value = self._value(node)
        if value == NONE:
            return NONE
        if code.kind[value] == "array_creation_expression":
            if self.created(value) != self.variable(code.declaration[node]):
                return NONE
            filled = code.child(value, "value")
            if filled == NONE:
                sizes = code.children(code.child(value, "dimensions"))
                return self.number(sizes[1]) if len(sizes) == 3 else NONE
            value = filled
        if code.kind[value] != "array_initializer":
            return NONE
        return sum(code.kind[one] not in ("{", "}", ",") for one in code.children(value))

    def _value(self, node: int) -> int:
        """Return the initial value of a local variable that is never assigned again; NONE if that
        does not hold or the value may be null."""
        if self.code.role.get(node) != "local":
            return NONE
        declaration = self.code.declaration[node]
        found = self._values.get(declaration)
        if found is None:
            found = self._values[declaration] = self._made(declaration)
        return found

    def _made(self, declaration: int) -> int:
        """Return the value for ``_value``, without the cache."""
        code = self.code
        if code.kind[code.parent[declaration]] != "variable_declarator":
            return NONE
        value = code.child(code.parent[declaration], "value")
        if value == NONE or code.kind[value] not in _NEVER_NULL:
            return NONE
        uses = code.occurrences[declaration]
        kept = all(one == declaration or code.access[one] == READS for one in uses)
        return value if kept else NONE


# Classes whose constructors take a non-negative size or nothing, and classes for which only the
# constructor without arguments is known.
_SIZED = frozenset(
    (
        "java.util.ArrayDeque",
        "java.util.ArrayList",
        "java.util.HashMap",
        "java.util.HashSet",
        "java.util.Hashtable",
        "java.util.IdentityHashMap",
        "java.util.LinkedHashMap",
        "java.util.LinkedHashSet",
        "java.util.Vector",
        "java.lang.StringBuffer",
        "java.lang.StringBuilder",
    )
)
_UNSIZED = frozenset(
    ("java.lang.Object", "java.util.LinkedList", "java.util.TreeMap", "java.util.TreeSet")
)
_BOUNDS = {
    "Byte": "byte",
    "Short": "short",
    "Character": "char",
    "Integer": "int",
    "Long": "long",
    "Float": "float",
    "Double": "double",
}


def creation(code: Code, types: Types, node: int) -> bool:
    """Return whether ``new ...`` has no effect except that it creates an object."""
    if code.kind[node + 1] != "new" or code.kind[code.stop[node] - 1] != ")":
        return False  # o.new Inner(), or a class body
    # A generic type's first child is its name.
    written = code.child(node, "type")
    if code.kind[written] == "generic_type":
        written += 1
    name = types.full_name(written)
    if name not in _SIZED and name not in _UNSIZED:
        return False
    given = code.children(code.child(node, "arguments"))[1:-1]
    return not given or (name in _SIZED and len(given) == 1 and types.number(given[0]) >= 0)


def call(code: Code, types: Types, node: int) -> Outcome | None:
    """Return the outcome of calls such as ``Math.max(a, b)``; None for calls that may do
    anything."""
    receiver = code.child(node, "object")
    if code.bytes(code.child(node, "name")) not in (b"max", b"min", b"abs") or receiver == NONE:
        return None
    if code.kind[receiver] != "identifier" or types.full_name(receiver) != "java.lang.Math":
        return None
    given = code.children(code.child(node, "arguments"))
    of = [types.of(one) for one in given if code.kind[one] not in ("(", ")", ",")]
    if any(one not in PRIMITIVE for one in of):
        return None
    return Outcome(promoted(of[0], of[-1]))


def constant(code: Code, types: Types, receiver: int, name: str) -> str:
    """Return the type of a constant such as ``Integer.MAX_VALUE``; empty for other fields."""
    if name not in ("MAX_VALUE", "MIN_VALUE") or code.kind[receiver] != "identifier":
        return ""
    package, _, box = types.full_name(receiver).rpartition(".")
    return _BOUNDS.get(box, "") if package == "java.lang" else ""
