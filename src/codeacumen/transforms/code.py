"""The syntax tree of a Java file as transformations use it: nodes with the names of their kinds,
the occurrences of each variable, and the method that each node belongs to.

Everything is computed once per file and stored in plain lists, because a transformation looks up
single nodes, where numpy is slow.

The module also answers whether a name may denote an inherited field. ``new Base() { int g() {
return x; } }`` reads ``Base.x`` if that field exists, whatever local variable surrounds the class
(JLS 6.4.1). The bindings of a single file do not know ``Base``, so they bind such a name to the
variable.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from codeacumen.languages.java.bindings.names import LOCALS, ROLES
from codeacumen.languages.java.resolve.members import find_field
from codeacumen.languages.java.resolve.scopes import find_ancestors
from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_names, node_names
from codeacumen.languages.syntax import ListTree
from codeacumen.text.lines import line_of

COMMENTS = frozenset(("line_comment", "block_comment"))
LAMBDA = "lambda_expression"
LOOPS = frozenset(("for_statement", "while_statement", "do_statement", "enhanced_for_statement"))
SWITCH = "switch_expression"  # the grammar's name for statements too
# The grammar has one kind of block for methods and one for constructors.
BLOCKS = frozenset(("block", "constructor_body"))
TYPES = frozenset(
    (
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "class_body",  # anonymous classes and enum constants have no other node for the type
    )
)
TYPE_BODIES = frozenset(("class_body", "interface_body", "enum_body", "annotation_type_body"))
# Kinds of declarations whose type is in another field than ``type``.
_TYPE_FIELDS = {"instanceof_expression": "right"}
# Kinds of declarations whose type is the first child after the modifiers.
_TYPE_FIRST = frozenset(
    ("spread_parameter", "catch_formal_parameter", "type_pattern", "record_pattern_component")
)
# Unicode escapes that end a comment or a literal early (JLS 3.3). In literals each escape of a
# backslash (005c) matches, because it may escape the next character. In block comments the text
# after the match must not be empty: the end of the node is the end that the parser sees, too.
_ESCAPE = rb"(?<!\\)(?:\\\\)*\\u+00"
_ENDS = {
    "line_comment": re.compile(_ESCAPE + rb"0[aAdD]"),
    "block_comment": re.compile(
        rb"(?:\*|" + _ESCAPE + rb"2[aA])(?:/|\\u+002[fF])(?=[\s\S])",
    ),
    "string_literal": re.compile(_ESCAPE + rb"(?:0[aAdD]|22|5[cC])"),
    "character_literal": re.compile(_ESCAPE + rb"(?:0[aAdD]|27|5[cC])"),
}
# Kinds of nodes in a block, or as the body of a loop or a branch.
STATEMENTS = frozenset(
    (
        "assert_statement",
        "block",
        "break_statement",
        "continue_statement",
        "do_statement",
        "enhanced_for_statement",
        "explicit_constructor_invocation",
        "expression_statement",
        "for_statement",
        "if_statement",
        "labeled_statement",
        "local_variable_declaration",
        "return_statement",
        "synchronized_statement",
        "throw_statement",
        "try_statement",
        "try_with_resources_statement",
        "while_statement",
        "yield_statement",
        SWITCH,
        ";",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
    )
)


class Code(ListTree[str, str]):
    """Syntax tree of a file, with kinds and fields as the names in the grammar.

    The kind of a punctuation mark is the mark itself. A node is its index in pre-order, a method
    its index in ``file.declarations.methods``; NONE (-1) means that there is none.
    """

    def __init__(self, file: JavaFile) -> None:
        kinds, fields = node_names(), field_names()
        super().__init__(
            file.syntax,
            [kinds[symbol] for symbol in file.syntax.kind.tolist()],
            [fields[number] for number in file.syntax.field.tolist()],
        )
        self.file = file

    # ---- nodes

    def node_bytes(self, node: int) -> bytes:
        """Return the node's source text."""
        return self.source[self.start[node] : self.end[node]]

    def span(self, node: int) -> tuple[int, int]:
        """Return the start and end offset of the node in bytes."""
        return self.start[node], self.end[node]

    def children(self, node: int) -> list[int]:
        """Return the children without comments, in order."""
        children: list[int] = []
        child, stop, kind, after = node + 1, self.stop[node], self.kind, self.stop
        while child < stop:
            if kind[child] not in COMMENTS:
                children.append(child)
            child = after[child]
        return children

    def children_in_field(self, node: int, field: str) -> list[int]:
        """Return all children in a field, without commas and comments."""
        return [
            child
            for child in self.children(node)
            if self.field[child] == field and self.kind[child] != ","
        ]

    def descendants_of_kind(self, node: int, *kinds: str) -> list[int]:
        """Return the descendants of a node that have one of these kinds, in order."""
        kind_set = frozenset(kinds)
        return [
            descendant
            for descendant in range(node + 1, self.stop[node])
            if self.kind[descendant] in kind_set
        ]

    def ancestors(self, node: int) -> Iterator[int]:
        """Yield the node's parent, grandparent and so on up to the root."""
        node = self.parent[node]
        while node >= 0:
            yield node
            node = self.parent[node]

    def is_inside(self, node: int, outer: int) -> bool:
        """Return whether a node is ``outer`` or a descendant of it."""
        return outer <= node < self.stop[outer]

    def line_number(self, node: int) -> int:
        """Return the number, from 1, of the line on which a node starts."""
        return line_of(self.source, self.start[node])

    def strip_parentheses(self, node: int) -> int:
        """Return an expression without the parentheses around it."""
        while self.kind[node] == "parenthesized_expression":
            inner = [child for child in self.children(node) if self.kind[child] not in ("(", ")")]
            if len(inner) != 1:
                break
            node = inner[0]
        return node

    def has_syntax_error(self, node: int) -> bool:
        """Return whether a node or a descendant is a syntax error."""
        error_nodes = self._error_nodes
        index = bisect_left(error_nodes, node)
        return index < len(error_nodes) and error_nodes[index] < self.stop[node]

    @cached_property
    def _error_nodes(self) -> list[int]:
        """Nodes that the parser could not read (``ERROR``) or inserted with zero width."""
        if not self.file.syntax.broken:
            return []
        return [
            node
            for node, kind in enumerate(self.kind)
            if kind == "ERROR"
            or (self.start[node] == self.end[node] and self.stop[node] == node + 1)
        ]

    # ---- methods

    @cached_property
    def methods_with_body(self) -> list[tuple[int, int]]:
        """Indices of the methods with a body, each with the node of its declaration."""
        methods = self.file.declarations.methods
        return [(index, methods[index].node) for index in self.file.bodies]

    @cached_property
    def method_of(self) -> list[int]:
        """Column with the index of the innermost method around each node; NONE outside of methods.

        A class inside a method does not belong to that method; its methods are methods of their
        own.
        """
        method_by_node = {node: index for index, node in self.methods_with_body}
        boundaries = [
            node for node, kind in enumerate(self.kind) if node in method_by_node or kind in TYPES
        ]
        innermost = np.full(len(self.kind), NONE, dtype=np.int32)
        for node in boundaries:  # pre-order, so that inner declarations overwrite outer ones
            innermost[node : self.stop[node]] = method_by_node.get(node, NONE)
        column: list[int] = innermost.tolist()
        return column

    def is_in_broken_code(self, method: int) -> bool:
        """Return whether a method, or code around it, has a syntax error.

        No analysis of such a method is reliable.
        """
        if not self._error_nodes:
            return False
        node = self.file.declarations.methods[method].node
        return self.has_syntax_error(node) or any(
            self.kind[ancestor] == "ERROR" for ancestor in self.ancestors(node)
        )

    def unreadable_reason(self, method: int) -> str:
        """Return why a method's syntax tree cannot be trusted; empty if it can."""
        if self.is_in_broken_code(method):
            return "the source is broken here"
        if self.has_unicode_escapes:
            return "identifiers or comments of this file have Unicode escapes"
        return ""

    def method_key(self, method: int) -> str:
        """Return a method's enclosing types, name and parameter types, from which its random seed
        is derived."""
        declarations = self.file.declarations
        declaration = declarations.methods[method]
        types = ",".join(parameter.type for parameter in declaration.parameters)
        return f"{'.'.join(declarations.type_path(declaration.type))}.{declaration.name}({types})"

    def nodes_of(self, method: int, *kinds: str) -> list[int]:
        """Return the nodes of these kinds that belong to a method, in order."""
        node = self.file.declarations.methods[method].node
        method_of = self.method_of
        return [
            descendant
            for descendant in self.descendants_of_kind(node, *kinds)
            if method_of[descendant] == method
        ]

    def enclosing_unit(self, node: int) -> int:
        """Return the code unit that executes a node: the innermost lambda, method with a body, or
        type (for initialisers) around it; the root if there is none."""
        for ancestor in self.ancestors(node):
            if (
                self.kind[ancestor] == LAMBDA
                or ancestor in self._method_nodes
                or self.kind[ancestor] in TYPES
            ):
                return ancestor
        return 0

    @cached_property
    def _method_nodes(self) -> frozenset[int]:
        """Nodes of the declarations of methods with a body."""
        return frozenset(node for _, node in self.methods_with_body)

    # ---- variables

    @cached_property
    def role(self) -> dict[int, str]:
        """Role of each identifier, such as "local" or "method", from ``bindings.names.ROLES``."""
        bindings = self.file.bindings
        return {
            node: ROLES[role]
            for node, role in zip(bindings.node.tolist(), bindings.role.tolist(), strict=True)
        }

    @cached_property
    def declaration(self) -> dict[int, int]:
        """For each identifier of any role, the identifier node that declares it; NONE if that is in
        another file or uncertain."""
        bindings = self.file.bindings
        return dict(zip(bindings.node.tolist(), bindings.declaration.tolist(), strict=True))

    @cached_property
    def access(self) -> dict[int, int]:
        """Access of each identifier to its variable: READS, WRITES, UPDATES or DECLARES; NOTHING
        for names that are no variables."""
        bindings = self.file.bindings
        return dict(zip(bindings.node.tolist(), bindings.access.tolist(), strict=True))

    @cached_property
    def occurrences(self) -> dict[int, list[int]]:
        """All occurrences of each variable, method, type and so on in the file, in source order, by
        the identifier node that declares it.

        The declaration itself is one of the occurrences.
        """
        occurrences: dict[int, list[int]] = {}
        for node, declaration in self.declaration.items():
            if declaration >= 0:
                occurrences.setdefault(declaration, []).append(node)
        return occurrences

    @cached_property
    def local_variables(self) -> dict[int, list[int]]:
        """Identifier nodes that declare each method's local variables, in order, by the method's
        index.

        Parameters, pattern variables and the other roles in ``LOCALS`` count as local variables.
        """
        by_method: dict[int, list[int]] = {}
        for node, declaration in self.declaration.items():
            if node == declaration and self.role[node] in LOCALS and self.method_of[node] != NONE:
                by_method.setdefault(self.method_of[node], []).append(node)
        return by_method

    def declared_type(self, identifier: int) -> str:
        """Return the type in a variable's declaration without white space, including dimensions
        after the name.

        Empty where no type is written (``x -> ...``), ``var`` for ``var``.
        """
        node = self.parent[identifier]
        dimensions = self.child(node, "dimensions")
        if self.kind[node] == "variable_declarator":
            node = self.parent[node]
        type_ = self.child(node, _TYPE_FIELDS.get(self.kind[node], "type"))
        if type_ == NONE and self.kind[node] in _TYPE_FIRST:
            type_ = next(
                (child for child in self.children(node) if self.kind[child] != "modifiers"), NONE
            )
        if type_ in (NONE, identifier):
            return ""
        type_name = type_text(self.file.syntax, type_)
        if self.kind[node] == "spread_parameter":
            type_name += "..."
        return type_name + (type_text(self.file.syntax, dimensions) if dimensions != NONE else "")

    # ---- names

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """Every identifier in the file."""
        return frozenset(self.file.names.words)

    @cached_property
    def has_unicode_escapes(self) -> bool:
        """Return True if the compiler reads other tokens than the parser, due to Unicode escapes.

        Such escapes are in a name, or end a comment or a literal.
        """
        if b"\\u" not in self.source:
            return False
        # The parser reads a backslash in a name, or elsewhere between tokens, as a syntax error.
        return any(
            kind in _ENDS and _ENDS[kind].search(self.node_bytes(node))
            for node, kind in enumerate(self.kind)
        ) or any(b"\\" in self.node_bytes(node) for node in self._error_nodes)

    def find_free_name(self, stem: str, reserved: frozenset[str] = frozenset()) -> str:
        """Return ``stem`` with the first number that makes it a name that is neither in the file
        nor reserved.

        Such a name neither shadows another declaration nor is shadowed.
        """
        number = 0
        while f"{stem}{number}" in self.identifiers or f"{stem}{number}" in reserved:
            number += 1
        return f"{stem}{number}"


def code_of(file: JavaFile) -> Code:
    """Return the file's ``Code``, which is built once per file."""
    return file.compute_once(Code)


# Why a transformation refuses to change a variable for which ``may_be_field`` is true.
MAY_BE_INHERITED = "a class that uses it may inherit a field of that name"


def may_be_field(code: Code, variable: int) -> bool:
    """Return whether an occurrence of a local variable may in fact denote a field that a class
    between the occurrence and the declaration inherits."""
    method, method_of, name = code.method_of[variable], code.method_of, code.text(variable)
    for use in code.occurrences[variable]:
        if method_of[use] == method:
            continue
        for ancestor in code.ancestors(use):
            if ancestor < variable:  # it contains the declaration too, as do all ancestors above it
                break
            if code.kind[ancestor] in TYPE_BODIES and code.file.compute_once(
                _InheritedFields
            ).may_have_field(ancestor, name):
                return True
    return False


class _InheritedFields:
    """Resolves which fields the types of a file may inherit from other files.

    ``types.world`` has the classes of the project (without a project, of this file) and those of
    the JDK. The ``unit`` of a class outside the project is None. ``is_complete`` is False for a
    class with an unknown ancestor.
    """

    def __init__(self, file: JavaFile) -> None:
        self.code = code_of(file)
        self.types = file.compute_once(StaticTypes)
        self.class_index = {
            declaration.node: index for index, declaration in enumerate(file.declarations.types)
        }

    def may_have_field(self, body: int, name: str) -> bool:
        """Return whether the type with this body may have a field of that name; true in case of
        doubt."""
        code, world = self.code, self.types.world
        parent = code.parent[body]
        if code.kind[parent] == "object_creation_expression" and code.kind[parent + 1] != "new":
            return True  # x.new Inner() { }: the type of x determines which Inner
        # The node of an anonymous class is its body.
        index = self.class_index[body] if body in self.class_index else self.class_index[parent]
        cls = world.units[self.types.path].classes[index]
        # The package-private members of the JDK's classes are unknown here.
        may_have_hidden_members = any(
            superclass.unit is None
            and superclass.package == cls.package
            and not superclass.is_interface
            and superclass is not world.object_class
            for superclass in find_ancestors(world, cls)
        )
        return (
            may_have_hidden_members
            or not cls.is_complete
            or find_field(world, cls, name) is not None
        )
