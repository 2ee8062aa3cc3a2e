"""Evident types of expressions, which ``EffectAnalysis`` needs to decide what may throw or call.

A type is its source text, as in ``operators``. Only numbers, booleans, strings and arrays are
evident, without a full attribution; any other type stays a name, which may denote a box.

The module also describes the fields of a file, with the effects of accessing them, and the few
members of java.lang and java.util that are known to have no side effects. A type of java.util
counts only if it is imported by its full name, because a type of the file's own package would take
precedence over ``import java.util.*``.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from codeacumen.languages.java.bindings.names import LOCALS, READS
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.lexical import INTEGER_LITERALS
from codeacumen.transforms.code import LAMBDA, Code
from codeacumen.transforms.effects.operators import PRIMITIVE, Outcome, promoted_type

# Nodes that make it unclear whether an expression is constant. Division is one of them, because a
# constant expression must not throw (JLS 15.29).
_UNCLEAR_KINDS = frozenset(
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


class FieldInfo(NamedTuple):
    """A field of the file.

    ``type`` is as written, ``object`` for a constant of an enum. ``owner`` is the index of the
    declaring type in ``declarations.types``, NONE if there is none. ``is_constant``: the value is
    copied into the compiled code (JLS 4.12.4), so reading the field has no side effect.
    """

    name: str
    type: str
    owner: int
    is_static: bool
    is_final: bool
    is_volatile: bool
    is_constant: bool


class FileFields:
    """Fields, enum constants and record components that a file declares.

    A field is looked up by the identifier at its declaration, a type is an index into
    ``declarations.types``.
    """

    def __init__(self, code: Code) -> None:
        self.code = code
        self.types = code.file.declarations.types
        self._field_by_declaration: dict[int, FieldInfo] = {}
        self._certain_cache: dict[tuple[int, int], bool] = {}
        self._initialised_cache: dict[tuple[int, int], bool] = {}

    @cached_property
    def _index_by_declarator(self) -> dict[int, int]:
        """Index in ``declarations.fields`` by the node of the field's declarator."""
        fields = self.code.file.declarations.fields
        return {declaration.node: index for index, declaration in enumerate(fields)}

    @cached_property
    def _index_by_type_node(self) -> dict[int, int]:
        """Index in ``declarations.types`` by the node of the type's declaration."""
        return {declaration.node: index for index, declaration in enumerate(self.types)}

    def field_of(self, declaration: int) -> FieldInfo:
        """Return the field that the identifier ``declaration`` declares."""
        field_info = self._field_by_declaration.get(declaration)
        if field_info is None:
            field_info = self._field_by_declaration[declaration] = self._read_field(declaration)
        return field_info

    def _read_field(self, declaration: int) -> FieldInfo:
        """Return the result of ``field_of``, without the cache."""
        code = self.code
        name = code.text(declaration)
        index = self._index_by_declarator.get(code.parent[declaration])
        if index is not None:
            declaration_info = code.file.declarations.fields[index]
            is_interface_field = (
                declaration_info.type != NONE
                and self.types[declaration_info.type].kind in _INTERFACES
            )
            is_static = is_interface_field or "static" in declaration_info.modifiers
            is_final = is_interface_field or "final" in declaration_info.modifiers
            is_constant = (
                is_static
                and is_final
                and self._has_constant_value(declaration_info.node, declaration_info.declared)
            )
            is_volatile = "volatile" in declaration_info.modifiers
            return FieldInfo(
                name,
                declaration_info.declared,
                declaration_info.type,
                is_static,
                is_final,
                is_volatile,
                is_constant,
            )
        type_node = next(
            (
                ancestor
                for ancestor in code.ancestors(declaration)
                if ancestor in self._index_by_type_node
            ),
            NONE,
        )
        owner = self._index_by_type_node.get(type_node, NONE)
        if code.kind[code.parent[declaration]] == "enum_constant":
            return FieldInfo(name, "object", owner, True, True, False, False)
        # A record's component.
        return FieldInfo(name, code.declared_type(declaration), owner, False, True, False, False)

    def _has_constant_value(self, declarator: int, type_: str) -> bool:
        """Return whether an initial value is evidently constant."""
        if type_ not in PRIMITIVE and type_ != "String":
            return False
        code = self.code
        value = code.child(declarator, "value")
        return value != NONE and _UNCLEAR_KINDS.isdisjoint(code.kind[value : code.stop[value]])

    # ---- enclosing types

    def is_certain_member(self, here: int, owner: int) -> bool:
        """Return whether an unqualified name in the type ``here`` certainly denotes a member of
        the type ``owner`` around it.

        The name may denote another member if ``here`` or a type between the two has a supertype,
        which may have a member of that name and so hide the outer one.
        """
        key = here, owner
        if key not in self._certain_cache:
            self._certain_cache[key] = self._no_supertypes_between(here, owner)
        return self._certain_cache[key]

    def _no_supertypes_between(self, here: int, owner: int) -> bool:
        """Return whether ``owner`` is ``here`` or around it, and no type from ``here`` up to
        ``owner``, itself excluded, has a supertype; an anonymous class always has one."""
        while here not in (owner, NONE):
            node = self.types[here].node
            if self.code.kind[node] == "class_body" or any(
                self.code.kind[child] in ("superclass", "super_interfaces", "extends_interfaces")
                for child in self.code.children(node)
            ):
                return False
            here = self.types[here].owner
        return here == owner

    def is_initialised(self, here: int, owner: int) -> bool:
        """Return whether the initialisation of ``owner`` has begun when a method of the type
        ``here`` runs.

        That is so for the type itself, and for the types around an inner class.
        """
        key = here, owner
        if key not in self._initialised_cache:
            self._initialised_cache[key] = self._is_inner_of(here, owner)
        return self._initialised_cache[key]

    def _is_inner_of(self, here: int, owner: int) -> bool:
        """Return whether ``here`` is ``owner`` or is nested in it through inner classes only."""
        while here not in (owner, NONE):
            declaration = self.types[here]
            is_inner = declaration.kind in _INNER and "static" not in declaration.modifiers
            if not is_inner or (
                declaration.owner != NONE and self.types[declaration.owner].kind in _INTERFACES
            ):
                return False
            here = declaration.owner
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
_JAVA_LANG_NAMES = frozenset(
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
# The value of a literal from this number on counts as unknown.
_LITERAL_LIMIT = 1 << 20


class EvidentTypes:
    """Types of a file's expressions and variables, computed on demand."""

    def __init__(self, code: Code, fields: FileFields) -> None:
        self.code = code
        self.fields = fields
        # Types of the nodes computed so far. ``EffectAnalysis`` adds those of operators and calls.
        self.type_by_node: dict[int, str] = {}
        # By the identifier at a variable's declaration: its type, whether it is declared with
        # ``var``, and the node of its final value (see ``_final_value``). A name whose
        # declaration is NONE has an unknown type.
        self._variables: dict[int, str] = {NONE: ""}
        self._inferred: set[int] = set()
        self._values: dict[int, int] = {}

    def type_of(self, node: int) -> str:
        """Return the type of an expression; empty if it is unknown.

        ``EffectAnalysis`` must have visited an expression that is no name or literal.
        """
        type_ = self.type_by_node.get(node)
        if type_ is None:
            type_ = self.type_by_node[node] = self._leaf_type(node)
        return type_

    def _leaf_type(self, node: int) -> str:
        """Return the type of a name or a literal; empty if it is unknown."""
        code = self.code
        kind = code.kind[node]
        if kind == "identifier":
            role = code.role.get(node)
            if role in LOCALS or role in ("field", "enum constant"):
                return self.variable_type(code.declaration[node])
            return ""
        if kind in INTEGER_LITERALS:
            return "long" if code.source[code.end[node] - 1] in b"lL" else "int"
        return _LITERALS.get(kind, "")

    def variable_type(self, declaration: int) -> str:
        """Return the type of a variable or a field by the identifier at its declaration."""
        type_ = self._variables.get(declaration)
        if type_ is None:
            type_ = self._variables[declaration] = self._declared_type(declaration)
        return type_

    def _declared_type(self, declaration: int) -> str:
        """Return the declared type of a variable or a field; for ``var``, the type of the initial
        value, empty if it is not evident."""
        code = self.code
        if code.role[declaration] in ("field", "enum constant"):
            return self._canonical_type(self.fields.field_of(declaration).type)
        type_name = code.declared_type(declaration)
        if type_name != "var":
            return self._canonical_type(type_name)
        self._inferred.add(declaration)
        # No inference beyond literals and array creations.
        value = code.child(code.parent[declaration], "value")
        kind = code.kind[value] if value != NONE else ""
        if kind == "array_creation_expression":
            return self.created_array_type(value)
        return self._leaf_type(value) if kind in _LITERALS or kind in INTEGER_LITERALS else ""

    def is_inferred(self, declaration: int) -> bool:
        """Return whether a variable is declared with ``var`` and so has the type of its value."""
        self.variable_type(declaration)
        return declaration in self._inferred

    def type_at(self, node: int) -> str:
        """Return the type that a node of the syntax tree denotes."""
        return self._canonical_type(type_text(self.code.file.syntax, node))

    def _canonical_type(self, type_: str) -> str:
        """Return the text of a type with ``...`` as ``[]`` and without ``java.lang.``.

        A ``?`` in front marks a type of this file, or an imported one, that only shares its name
        with a type of java.lang.
        """
        if type_.endswith("..."):
            type_ = f"{type_[:-3]}[]"
        if type_.startswith("java.lang."):
            type_ = type_[len("java.lang.") :]
        elif type_ in self._shadowed_java_lang:
            return f"?{type_}"
        return type_

    def full_name(self, node: int) -> str:
        """Return the qualified name of the type that a simple name denotes.

        Empty unless the type is imported by its full name or is one of ``_JAVA_LANG_NAMES``.
        """
        word = self.code.text(node)
        if self.code.role.get(node) != "type" or self.code.declaration[node] != NONE:
            return ""
        if word in self._imported_types:
            return self._imported_types[word]
        return (
            f"java.lang.{word}"
            if word in _JAVA_LANG_NAMES and word not in self._shadowed_java_lang
            else ""
        )

    @cached_property
    def _imported_types(self) -> dict[str, str]:
        """Qualified names of the types that are imported by name."""
        imported: dict[str, str] = {}
        for node in self.code.children(0):
            parts = self.code.children(node)
            # Three parts: ``import``, the name, and the semicolon; a static or on-demand import has
            # more.
            if self.code.kind[node] == "import_declaration" and len(parts) == 3:
                name = type_text(self.code.file.syntax, parts[1])
                imported[name.rpartition(".")[2]] = name
        return imported

    @cached_property
    def _shadowed_java_lang(self) -> frozenset[str]:
        """Names of types in java.lang that denote another type in this file."""
        declarations = self.code.file.declarations
        names = {declaration.name for declaration in declarations.types}
        groups = [declaration.type_parameters for declaration in declarations.types]
        groups += [declaration.type_parameters for declaration in declarations.methods]
        names.update(
            re.split(r"\W", parameter)[0] for parameters in groups for parameter in parameters
        )
        names.update(
            word for word, name in self._imported_types.items() if name != f"java.lang.{word}"
        )
        return frozenset(name for name in _JAVA_LANG_NAMES if name in names)

    # ---- arrays

    def element_type(self, type_: str) -> str:
        """Return the element type of an array type; empty for other types."""
        return type_[:-2] if type_.endswith("[]") else ""

    def created_array_type(self, node: int) -> str:
        """Return the type of an array creation such as ``new int[3][]``."""
        code = self.code
        parts = code.children_in_field(node, "dimensions")
        brackets = sum(code.node_bytes(part).count(b"[") for part in parts[1:])
        if not parts:
            return ""
        first = (
            1 if code.kind[parts[0]] == "dimensions_expr" else code.node_bytes(parts[0]).count(b"[")
        )
        return self.type_at(code.child(node, "type")) + "[]" * (first + brackets)

    def initialiser_type(self, node: int) -> str:
        """Return the type of an array initialiser ``{ ... }``."""
        code, suffix_length = self.code, 0
        parent = code.parent[node]
        while code.kind[parent] == "array_initializer":
            parent, suffix_length = code.parent[parent], suffix_length + 2
        if code.kind[parent] == "variable_declarator":
            type_ = self.variable_type(code.child(parent, "name"))
        elif code.kind[parent] == "array_creation_expression":
            type_ = self.created_array_type(parent)
        else:
            return ""
        return type_[: len(type_) - suffix_length] if type_.endswith("]") else ""

    def literal_value(self, node: int) -> int:
        """Return the value of a decimal ``int`` literal below ``_LITERAL_LIMIT``; NONE for any
        other expression."""
        code = self.code
        node = code.strip_parentheses(node)
        if code.kind[node] != "decimal_integer_literal":
            return NONE
        text = code.node_bytes(node)
        value = int(text) if _DIGITS.fullmatch(text) else NONE
        return value if value < _LITERAL_LIMIT else NONE

    def is_nonzero_literal(self, node: int) -> bool:
        """Return whether an expression is an integer literal other than zero."""
        code = self.code
        node = code.strip_parentheses(node)
        return code.kind[node] in INTEGER_LITERALS and bool(_NONZERO.match(code.node_bytes(node)))

    # ---- values that variables certainly hold

    def is_never_null(self, node: int) -> bool:
        """Return whether an expression is certainly not null."""
        code = self.code
        node = code.strip_parentheses(node)
        kind = code.kind[node]
        if kind in _NEVER_NULL:
            return True
        if kind == "field_access":
            return code.kind[code.stop[node] - 1] in ("this", "super")
        return kind == "identifier" and self._final_value(node) != NONE

    def array_length(self, node: int) -> int:
        """Return the length of the array that a local variable certainly holds; NONE if it is
        unknown.

        It is also unknown if the array's type differs from the variable's, so that a store may
        fail.
        """
        code = self.code
        value = self._final_value(node)
        if value == NONE:
            return NONE
        if code.kind[value] == "array_creation_expression":
            if self.created_array_type(value) != self.variable_type(code.declaration[node]):
                return NONE
            initialiser = code.child(value, "value")
            if initialiser == NONE:
                # A bracket, the size, and a bracket; more in the presence of annotations.
                sizes = code.children(code.child(value, "dimensions"))
                return self.literal_value(sizes[1]) if len(sizes) == 3 else NONE
            value = initialiser
        if code.kind[value] != "array_initializer":
            return NONE
        return sum(code.kind[child] not in ("{", "}", ",") for child in code.children(value))

    def _final_value(self, node: int) -> int:
        """Return the node of a local variable's initial value, which is not null and stays its
        value; NONE if the variable is assigned again or the value may be null."""
        if self.code.role.get(node) != "local":
            return NONE
        declaration = self.code.declaration[node]
        value = self._values.get(declaration)
        if value is None:
            value = self._values[declaration] = self._find_final_value(declaration)
        return value

    def _find_final_value(self, declaration: int) -> int:
        """Return the result of ``_final_value`` for a declaration, without the cache."""
        code = self.code
        if code.kind[code.parent[declaration]] != "variable_declarator":
            return NONE
        value = code.child(code.parent[declaration], "value")
        if value == NONE or code.kind[value] not in _NEVER_NULL:
            return NONE
        uses = code.occurrences[declaration]
        is_never_reassigned = all(use == declaration or code.access[use] == READS for use in uses)
        return value if is_never_reassigned else NONE


# Classes that ``new C()`` and ``new C(size)`` create without another effect, for a size that is not
# negative; and classes for which only ``new C()`` is known to do so.
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
# Type of MIN_VALUE and MAX_VALUE by the class that declares them.
_BOUNDS = {
    "Byte": "byte",
    "Short": "short",
    "Character": "char",
    "Integer": "int",
    "Long": "long",
    "Float": "float",
    "Double": "double",
}


def is_pure_creation(code: Code, types: EvidentTypes, node: int) -> bool:
    """Return whether ``new ...`` has no effect except that it creates an object."""
    if code.kind[node + 1] != "new" or code.kind[code.stop[node] - 1] != ")":
        return False  # o.new Inner(), or a class body
    # A generic type's first child is its name.
    type_node = code.child(node, "type")
    if code.kind[type_node] == "generic_type":
        type_node += 1
    name = types.full_name(type_node)
    if name not in _SIZED and name not in _UNSIZED:
        return False
    arguments = code.children(code.child(node, "arguments"))[1:-1]  # without parentheses
    return not arguments or (
        name in _SIZED and len(arguments) == 1 and types.literal_value(arguments[0]) >= 0
    )


def pure_call_outcome(code: Code, types: EvidentTypes, node: int) -> Outcome | None:
    """Return the outcome of ``Math.max``, ``Math.min`` or ``Math.abs`` of primitive numbers; None
    for any other call, which may do anything."""
    receiver = code.child(node, "object")
    if (
        code.node_bytes(code.child(node, "name")) not in (b"max", b"min", b"abs")
        or receiver == NONE
    ):
        return None
    if code.kind[receiver] != "identifier" or types.full_name(receiver) != "java.lang.Math":
        return None
    argument_nodes = code.children(code.child(node, "arguments"))
    argument_types = [
        types.type_of(argument)
        for argument in argument_nodes
        if code.kind[argument] not in ("(", ")", ",")
    ]
    if any(argument_type not in PRIMITIVE for argument_type in argument_types):
        return None
    return Outcome(promoted_type(argument_types[0], argument_types[-1]))


def bound_constant_type(code: Code, types: EvidentTypes, receiver: int, name: str) -> str:
    """Return the type of a constant such as ``Integer.MAX_VALUE``; empty for other fields."""
    if name not in ("MAX_VALUE", "MIN_VALUE") or code.kind[receiver] != "identifier":
        return ""
    package, _, box = types.full_name(receiver).rpartition(".")
    return _BOUNDS.get(box, "") if package == "java.lang" else ""
