"""Variables, fields and elements of arrays, translated; and what may not be null."""

from __future__ import annotations

from acumen.lang.java.nulls import _tree as t
from acumen.lang.java.nulls import code
from acumen.lang.java.nulls._builder import Builder
from acumen.lang.java.nulls.code import THIS

PRIMITIVES = frozenset(("integral_type", "floating_point_type", "boolean_type"))
NUMBERS = frozenset(
    (
        "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
        "binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal",
        "character_literal",
    )
)  # fmt: skip
# Values that are never null, and that nobody has to look into.
SOLID = frozenset(
    (
        "string_literal", "class_literal", "this", "super", "object_creation_expression",
        "array_creation_expression", "lambda_expression", "method_reference", *NUMBERS, "true",
        "false", "binary_expression", "unary_expression", "update_expression",
        "instanceof_expression",
    )
)  # fmt: skip


class Names(Builder):
    def deref(self, node: int, register: int, why: int) -> None:
        """The value of an expression must not be null here."""
        bare = self.tree.bare(node)
        if self.caught or self.tree.kind[bare] in SOLID:
            return
        at = self.tree.start[node]
        self.emit(code.DEREF, a=register, b=why, c=self.expression(node), at=at)

    def number(self, node: int, register: int) -> None:
        """The value is used as a number or a truth value: a box is opened."""
        bare = self.tree.bare(node)
        kind = self.tree.kind[bare]
        if kind == "identifier" and self.is_primitive(bare):
            return
        if kind in ("identifier", "method_invocation", "field_access", "array_access",
                    "null_literal", "ternary_expression"):  # fmt: skip
            self.deref(node, register, code.BY_UNBOXING)

    def is_primitive(self, node: int) -> bool:
        tree = self.tree
        symbol = tree.symbol.get(node, -1)
        declared = tree.declared.get(node, -1)
        return symbol in self.primitive or self.fields.get(declared) == code.PRIMITIVE

    def is_null(self, node: int) -> bool:
        return self.tree.kind[self.tree.bare(node)] == "null_literal"

    def identifier(self, node: int) -> int:
        role = self.tree.role.get(node, 0)
        if role in t.VARIABLES:
            return self.register(node)
        if role == t.CONSTANT or role in t.OF_TYPE:
            made = self.new()
            self.emit(code.TEXT, made, c=self.pool.text(self.tree.text(node)))
            return made
        return self.load(THIS, node, node)

    def load(self, base: int, name: int, node: int) -> int:
        made = self.new()
        declared = self.tree.declared.get(name, -1)
        if declared in self.truths:
            self.emit(code.CONST, made, self.truths[declared])
            return made
        if declared in self.numbers:
            self.emit(code.TEXT, made, c=self.pool.text(self.numbers[declared]))
            return made
        told = self.fields.get(declared, code.PLAIN)
        if declared < 0 and base <= THIS and _is_constant(self.tree.text(name)):
            told = code.FILLED
        text = self.pool.text(self.tree.text(name))
        self.emit(code.LOAD, made, base, told, text, at=self.tree.start[name])
        return made

    def is_class(self, node: int) -> bool:
        """Whether an expression names a type or a package."""
        tree = self.tree
        if tree.kind[node] == "field_access":
            name = tree.child(node, t.FIELD)
            return name >= 0 and tree.role.get(name, 0) in t.OF_TYPE
        if tree.kind[node] in ("scoped_identifier", "type_identifier", "scoped_type_identifier",
                               "generic_type"):  # fmt: skip
            return True
        return tree.kind[node] == "identifier" and tree.role.get(node, 0) in t.OF_TYPE

    def field_access(self, node: int) -> int:
        tree = self.tree
        base, name = tree.child(node, t.OBJECT), tree.child(node, t.FIELD)
        if base < 0 or name < 0:
            return self.constant(code.UNKNOWN)
        if tree.kind[name] == "this":
            # Fields of an enclosing object are taken for the object's own.
            return THIS
        if self.is_class(base):
            if tree.role.get(name, 0) == t.CONSTANT:
                return self.identifier(name)
            return self.load(-1, name, node)
        register = self.value(base)
        self.deref(base, register, code.BY_FIELD)
        return self.load(register, name, node)

    def array_access(self, node: int) -> int:
        tree = self.tree
        array, index = tree.child(node, t.ARRAY), tree.child(node, t.INDEX)
        if array < 0 or index < 0:
            return self.constant(code.UNKNOWN)
        base, place = self.value(array), self.value(index)
        self.number(index, place)
        self.deref(array, base, code.BY_INDEX)
        made = self.new()
        self.emit(code.INDEX, made, base, place, at=tree.start[node])
        return made


def _is_constant(name: str) -> bool:
    """Whether the name of a field that another file declares is written as constants are: those
    are not null."""
    return len(name) > 1 and name.isupper()
