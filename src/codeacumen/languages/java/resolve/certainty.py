"""Decide whether the attributed type of an expression is certain; the call graph accepts guesses.

A class with an unknown ancestor may inherit a type or a field that hides the visible one. The call
graph uses the visible one, which is most likely right; here it does not count as certain. Common
types of ``java.lang`` (``String``, ``Integer``) and types that the file imports by name are
exceptions: inherited types are taken not to hide them. ``static_types`` uses ``Certainty``.

``SyntaxNavigator`` finds the declarations that nodes of the file refer to.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.members import find_field
from codeacumen.languages.java.resolve.scopes import (
    MAX_NESTING,
    find_ancestors,
    find_type_in_method,
    look_up_type_name,
    resolve_method_type_parameters,
    resolve_return_type,
    resolve_type_parameters,
)
from codeacumen.languages.java.resolve.type_programs import compile_type
from codeacumen.languages.java.resolve.types import (
    BOXES,
    PRIMITIVES,
    Class,
    ClassType,
    Field,
    Method,
    mentions_variable,
)
from codeacumen.languages.java.resolve.world import World, qualified_name
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_name

# Kinds of nodes that hold the type of the name that they declare in the field ``type``.
_TYPED_DECLARATIONS = frozenset(
    ("formal_parameter", "enhanced_for_statement", "resource", "method_declaration")
)
_PARENTHESES_AND_COMMENTS = frozenset(("(", ")", "line_comment", "block_comment"))


class SyntaxNavigator:
    """Navigation in a file's syntax, by node; its tables are computed on first use."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file

    @cached_property
    def type_index_by_node(self) -> dict[int, int]:
        return {type_.node: index for index, type_ in enumerate(self.file.declarations.types)}

    @cached_property
    def method_index_by_node(self) -> dict[int, int]:
        return {method.node: index for index, method in enumerate(self.file.declarations.methods)}

    def type_around(self, node: int) -> int:
        """Return the index of the innermost type declaration around a node, or NONE."""
        ancestor = self.parent(node)
        while ancestor != NONE and ancestor not in self.type_index_by_node:
            ancestor = self.parent(ancestor)
        return self.type_index_by_node.get(ancestor, NONE)

    def method_around(self, node: int) -> int:
        """Return the index of the method around a node in its innermost type, or NONE."""
        ancestor = self.parent(node)
        while (
            ancestor != NONE
            and ancestor not in self.type_index_by_node
            and ancestor not in self.method_index_by_node
        ):
            ancestor = self.parent(ancestor)
        return self.method_index_by_node.get(ancestor, NONE)

    def kind(self, node: int) -> str:
        return symbol_name(int(self.file.syntax.kind[node]))

    def parent(self, node: int) -> int:
        return int(self.file.syntax.parent[node])

    def child_in_field(self, node: int, name: str) -> int:
        """Return the first child in a field of the grammar, or NONE."""
        syntax, field_id = self.file.syntax, field_number(name)
        child, stop = node + 1, int(syntax.stop[node])
        while child < stop:
            if int(syntax.field[child]) == field_id:
                return child
            child = int(syntax.stop[child])
        return NONE

    def unwrap_parentheses(self, node: int) -> int:
        """Return the expression inside of any parentheses."""
        while self.kind(node) == "parenthesized_expression":
            inner = [
                child
                for child in self.file.syntax.children(node)
                if self.kind(child) not in _PARENTHESES_AND_COMMENTS
            ]
            if len(inner) != 1:
                break
            node = inner[0]
        return node

    def find_declaration(self, node: int) -> int:
        """Return the identifier that declares a variable or called method in this file, or NONE.

        The node may be ``x``, ``this.x``, ``m()`` or ``this.m()``.
        """
        kind = self.kind(node)
        if kind in ("field_access", "method_invocation"):
            receiver = self.child_in_field(node, "object")
            if receiver != NONE and self.kind(receiver) != "this":
                return NONE
            node = self.child_in_field(node, "field" if kind == "field_access" else "name")
        elif kind != "identifier":
            return NONE
        bindings = self.file.bindings
        index = int(np.searchsorted(bindings.node, node))
        if index >= len(bindings.node) or int(bindings.node[index]) != node:
            return NONE
        return int(bindings.declaration[index])

    def declared_type_text(self, identifier: int) -> str:
        """Return the text of the type that the declaration of an identifier writes; empty if it
        writes none (a lambda's parameter) or the declaration is of another kind."""
        parent = self.parent(identifier)
        kind = self.kind(parent)
        group = self.parent(parent) if kind == "variable_declarator" else parent
        if kind == "variable_declarator" or kind in _TYPED_DECLARATIONS:
            type_ = self.child_in_field(group, "type")
        elif kind == "instanceof_expression":
            type_ = self.child_in_field(parent, "right")
        else:
            return ""
        if type_ == NONE or type_ >= identifier:
            return ""
        dimensions = self.child_in_field(parent, "dimensions")
        text = type_text(self.file.syntax, type_)
        return text + (type_text(self.file.syntax, dimensions) if dimensions != NONE else "")


# Expressions inside each other; deeper ones do not count as certain.
MAX_DEPTH = 40
# Simple names of classes of java.lang that inherited types are taken not to hide.
COMMON_CLASSES = frozenset(
    ["String", "Object", "Class", *(box.rpartition(".")[2] for box in BOXES.values())]
)
_CALLS = (code.CALL, code.INVOKE, code.UPCALL)
# Codes of rows whose type is written in the source (``a`` is the text's index), and of rows whose
# type follows from that of their first child.
_TYPED_BY_TEXT = (code.TYPED, code.CAST, code.ARRAY, code.NEW, code.CLASS_OF, code.DECL)
_TYPED_BY_FIRST_CHILD = (code.INDEX, code.ASSIGN, code.UPDATE, code.VAR, code.YIELD)
# Classes whose methods return the type that is expected of the call (JLS 15.12.3).
_POLYMORPHIC = ("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle")
# Codes of rows whose type depends on no name.
_ALWAYS_CERTAIN = (code.LITERAL, code.THIS, code.TEST)


class Certainty:
    """Decides for rows and type names whether their types are certain; has a cache for texts."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._texts: dict[tuple[Class, int, str], bool] = {}

    def is_certain(self, attribution: Attribution, row: int, depth: int = 0) -> bool:
        """Return whether the type attributed to a row, if any, is certain.

        ``depth`` counts the rows on whose certainty that of the first one depends.
        """
        rows = attribution.rows
        row_code, scope = rows.code[row], rows.scopes[row]
        if depth > MAX_DEPTH:
            return False
        if row_code in _ALWAYS_CERTAIN:
            return True
        if row_code in _TYPED_BY_TEXT:
            return rows.a[row] < 0 or self.is_text_certain(scope.cls, scope.method, rows.text(row))
        if row_code == code.REF:
            return self._is_local_certain(attribution, row, depth)
        if row_code == code.NAME:
            return self._is_field_certain(find_field_named(attribution, scope.cls, rows.text(row)))
        if row_code == code.FIELD:
            return self._is_field_access_certain(attribution, row, depth)
        if row_code in _CALLS:
            return self._is_call_certain(attribution, row, depth)
        if row_code in _TYPED_BY_FIRST_CHILD:
            return rows.size[row] > 1 and self.is_certain(attribution, row + 1, depth + 1)
        if row_code in (code.BINARY, code.UNARY):
            is_boolean = rows.a[row] == code.TRUTH
            return is_boolean or all(
                self.is_certain(attribution, child, depth + 1) for child in rows.children(row)
            )
        if row_code == code.CONDITION:
            branches = rows.children(row)[1:]
            return all(
                self.is_certain(attribution, branch, depth + 1) for branch in branches
            ) and not any(_is_generic_call(attribution, branch) for branch in branches)
        if row_code == code.EACH:
            if rows.a[row] >= 0:
                return self.is_text_certain(scope.cls, scope.method, rows.text(row))
            return rows.size[row] > 1 and self.is_certain(attribution, row + 1, depth + 1)
        return row_code == code.OUTER and self._is_outer_this_certain(attribution, row)

    def is_text_certain(self, cls: Class, method: int, text: str) -> bool:
        """Return whether all names in the text of a type are certain in a scope."""
        key = (cls, method, text)
        if key not in self._texts:
            steps = compile_type(text)
            self._texts[key] = steps is not None and all(
                self.is_name_certain(cls, method, step.name.partition(".")[0])
                for step in steps
                if step.operation == "name" and step.name not in PRIMITIVES
            )
        return self._texts[key]

    def is_name_certain(self, cls: Class, method: int, name: str) -> bool:
        """Return whether no unknown declaration can hide a type's simple name in a scope."""
        if cls.unit is None or name in COMMON_CLASSES or name in cls.unit.single_imports:
            return True
        here: Class | None = cls
        for _ in range(MAX_NESTING):
            if here is None:
                return True
            local = find_type_in_method(self.world, here, method, name)
            if local is not None:
                # A local class is not in scope everywhere in its method.
                is_local_class = isinstance(local, Class)
                return not is_local_class or look_up_type_name(self.world, here, -1, name) is None
            if here.name == name or name in here.member_classes:
                return True
            if any(variable.name == name for variable in resolve_type_parameters(self.world, here)):
                return True
            find_ancestors(self.world, here)
            if not here.is_complete:
                return False
            method, here = here.method_index, here.owner
        return False

    def _is_local_certain(self, attribution: Attribution, row: int, depth: int) -> bool:
        """Return whether the type of a local variable is certain.

        For a use in an inner class, no class in between may inherit an unknown field that hides
        the variable.
        """
        rows = attribution.rows
        declaration = rows.a[row]
        here: Class | None = rows.scopes[row].cls
        owner = rows.scopes[declaration].cls
        while here is not None and here is not owner:
            find_ancestors(self.world, here)
            if not here.is_complete:
                return False
            here = here.owner
        if rows.code[declaration] == code.PARAM:
            return self._is_lambda_parameter_certain(attribution, rows.parent[declaration], depth)
        if rows.code[declaration] == code.TEST:
            scope = rows.scopes[declaration]
            return rows.a[declaration] < 0 or self.is_text_certain(
                scope.cls, scope.method, rows.text(declaration)
            )
        return self.is_certain(attribution, declaration, depth + 1)

    def _is_lambda_parameter_certain(
        self, attribution: Attribution, lambda_row: int, depth: int
    ) -> bool:
        """Return whether the call, cast or variable that types a lambda's parameters is certain."""
        rows = attribution.rows
        parent = rows.parent[lambda_row]
        if parent < 0:
            return False
        if rows.code[parent] in _CALLS:
            return self._is_call_certain(attribution, parent, depth)
        return rows.code[parent] in (code.DECL, code.CAST) and self.is_certain(
            attribution, parent, depth + 1
        )

    def _is_call_certain(self, attribution: Attribution, row: int, depth: int) -> bool:
        """Return whether the called method and its result type are certain."""
        rows = attribution.rows
        resolution = attribution.resolution_of(row)
        if resolution.is_ambiguous or not resolution.candidates:
            return False
        if rows.code[row] == code.INVOKE and not self._is_receiver_certain(attribution, row, depth):
            return False
        for candidate in resolution.candidates:
            method = candidate.method
            if not self._is_result_certain(method) or qualified_name(method.cls) in _POLYMORPHIC:
                return False
            own_variables = resolve_method_type_parameters(self.world, method)
            infers_result = own_variables and mentions_variable(
                resolve_return_type(self.world, method), frozenset(own_variables)
            )
            if infers_result and not all(
                self._is_argument_certain(attribution, argument, depth)
                for argument in rows.arguments(row)
            ):
                return False
        return True

    def _is_argument_certain(self, attribution: Attribution, row: int, depth: int) -> bool:
        """Return whether an argument's type is certain; that of a function never counts as such."""
        functions = (code.LAMBDA, code.REFERENCE)
        return attribution.rows.code[row] not in functions and self.is_certain(
            attribution, row, depth + 1
        )

    def _is_receiver_certain(self, attribution: Attribution, row: int, depth: int) -> bool:
        """Return whether the expression before the dot of a call is certain.

        ``super`` and names of types always count as certain, names of packages never.
        """
        receiver = attribution.rows.receiver(row)
        if receiver < 0:
            return False
        if attribution.rows.code[receiver] == code.SUPER:
            return True
        kind = attribution.meaning_of(receiver).kind
        return (
            kind == "type" if kind != "value" else self.is_certain(attribution, receiver, depth + 1)
        )

    def _is_result_certain(self, method: Method) -> bool:
        """Return whether the names in a method's declared result type are certain."""
        # Column 5 is the text of the result type.
        if method.cls.unit is None or method.index < 0 or not method.declaration[5]:
            return True
        method_index = method.index if resolve_method_type_parameters(self.world, method) else -1
        return self.is_text_certain(method.cls, method_index, method.declaration[5])

    def _is_field_access_certain(self, attribution: Attribution, row: int, depth: int) -> bool:
        """Return whether the type of ``x.name`` is certain; if ``x`` names a type, ``x`` counts as
        certain."""
        rows = attribution.rows
        if rows.size[row] < 2:
            return False
        qualifier = attribution.meaning_of(row + 1)
        if qualifier.kind == "value" and not self.is_certain(attribution, row + 1, depth + 1):
            return False
        if not isinstance(qualifier.type, ClassType):
            return qualifier.kind == "value"  # an array's length
        cls = qualifier.type.cls
        field = find_field(self.world, cls, rows.text(row))
        if field is None or not (field.cls is cls or cls.is_complete):
            return False
        # A field of a raw type is erased (JLS 4.8).
        is_raw = bool(resolve_type_parameters(self.world, cls)) and not qualifier.type.args
        return not (is_raw and "<" in field.declared_type) and self._is_field_certain(field)

    def _is_field_certain(self, field: Field | None) -> bool:
        """Return whether the names in a field's declared type are certain; False for None."""
        if field is None:
            return False
        return (
            field.cls.unit is None
            or not field.declared_type
            or self.is_text_certain(field.cls, -1, field.declared_type)
        )

    def _is_outer_this_certain(self, attribution: Attribution, row: int) -> bool:
        name_row, scope = row + 1, attribution.rows.scopes[row]
        if attribution.rows.size[row] < 2 or attribution.rows.code[name_row] != code.NAME:
            return False
        return self.is_name_certain(scope.cls, scope.method, attribution.rows.text(name_row))


def find_field_named(attribution: Attribution, cls: Class, name: str) -> Field | None:
    """Return the visible field that a simple name means in a class, None if there is none.

    Unlike ``name_classification.find_variable_type`` this ignores fields of unknown ancestors.
    """
    here: Class | None = cls
    for _ in range(MAX_NESTING):
        if here is None:
            break
        found_field = find_field(attribution.world, here, name)
        if found_field is not None:
            return found_field
        here = here.owner
    unit = attribution.rows.unit
    for holder_name in (*unit.static_imports.get(name, ()), *unit.static_on_demand_imports):
        holder = attribution.world.find_class(holder_name, unit)
        found_field = find_field(attribution.world, holder, name) if holder is not None else None
        if found_field is not None:
            return found_field
    return None


def _is_generic_call(attribution: Attribution, row: int) -> bool:
    """Return whether a row is a call of a generic method.

    Such a call does not count as a number in ``a ? b : c``, even if it returns one (JLS 15.25).
    """
    if attribution.rows.code[row] not in _CALLS:
        return False
    return any(
        resolve_method_type_parameters(attribution.world, candidate.method)
        for candidate in attribution.resolution_of(row).candidates
    )
