"""Decide whether the attributed type of an expression is certain; the call graph accepts guesses.

A class with an unknown ancestor may inherit a type or a field that hides the visible one. The call
graph uses the visible one, which is most likely right; here it does not count as certain. Common
types of ``java.lang`` (``String``, ``Integer``) and types that the file imports by name are
exceptions: inherited types are taken not to hide them.

``SyntaxNavigator`` finds the declarations that nodes of the file refer to.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.members import find_field
from codeacumen.languages.java.resolve.scopes import (
    NESTING,
    ancestors,
    around,
    lookup,
    method_variables,
    returns,
    variables,
)
from codeacumen.languages.java.resolve.types import (
    BOXES,
    PRIMITIVES,
    Class,
    ClassType,
    Field,
    Method,
    mentions,
)
from codeacumen.languages.java.resolve.world import World, label
from codeacumen.languages.java.resolve.written import program
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field, name_of

_WITH_TYPE = frozenset(
    ("formal_parameter", "enhanced_for_statement", "resource", "method_declaration")
)
_MARKS = frozenset(("(", ")", "line_comment", "block_comment"))


class Places:
    """Navigation in a file's syntax, by node; everything is computed on first use."""

    def __init__(self, file: JavaFile) -> None:
        self.file = file

    @cached_property
    def types(self) -> dict[int, int]:
        return {one.node: place for place, one in enumerate(self.file.declarations.types)}

    @cached_property
    def methods(self) -> dict[int, int]:
        return {one.node: place for place, one in enumerate(self.file.declarations.methods)}

    def type_around(self, node: int) -> int:
        at = self.above(node)
        while at != NONE and at not in self.types:
            at = self.above(at)
        return self.types.get(at, NONE)

    def method_of(self, node: int) -> int:
        at = self.above(node)
        while at != NONE and at not in self.types and at not in self.methods:
            at = self.above(at)
        return self.methods.get(at, NONE)

    def kind(self, node: int) -> str:
        return name_of(int(self.file.syntax.kind[node]))

    def above(self, node: int) -> int:
        return int(self.file.syntax.parent[node])

    def child(self, node: int, name: str) -> int:
        syntax, wanted = self.file.syntax, field(name)
        at, stop = node + 1, int(syntax.stop[node])
        while at < stop:
            if int(syntax.field[at]) == wanted:
                return at
            at = int(syntax.stop[at])
        return NONE

    def unwrapped(self, node: int) -> int:
        """Return the expression inside of any parentheses."""
        while self.kind(node) == "parenthesized_expression":
            inner = [one for one in self.file.syntax.children(node) if self.kind(one) not in _MARKS]
            if len(inner) != 1:
                break
            node = inner[0]
        return node

    def declaration(self, node: int) -> int:
        """Return the identifier that declares a variable or called method in this file, or NONE.

        The node may be ``x``, ``this.x``, ``m()`` or ``this.m()``.
        """
        kind = self.kind(node)
        if kind in ("field_access", "method_invocation"):
            before = self.child(node, "object")
            if before != NONE and self.kind(before) != "this":
                return NONE
            node = self.child(node, "field" if kind == "field_access" else "name")
        elif kind != "identifier":
            return NONE
        bound = self.file.bindings
        place = int(np.searchsorted(bound.node, node))
        if place >= len(bound.node) or int(bound.node[place]) != node:
            return NONE
        return int(bound.declaration[place])

    def declared_text(self, declared: int) -> str:
        above = self.above(declared)
        kind = self.kind(above)
        group = self.above(above) if kind == "variable_declarator" else above
        if kind == "variable_declarator" or kind in _WITH_TYPE:
            type_ = self.child(group, "type")
        elif kind == "instanceof_expression":
            type_ = self.child(above, "right")
        else:
            return ""
        if type_ == NONE or type_ >= declared:
            return ""
        behind = self.child(above, "dimensions")
        text = type_text(self.file.syntax, type_)
        return text + (type_text(self.file.syntax, behind) if behind != NONE else "")


DEEPEST = 40
KNOWN = frozenset(
    ["String", "Object", "Class", *(box.rpartition(".")[2] for box in BOXES.values())]
)
_CALLS = (code.CALL, code.INVOKE, code.UPCALL)
_WRITTEN = (code.TYPED, code.CAST, code.ARRAY, code.NEW, code.CLASS_OF, code.DECL)
_FIRST = (code.INDEX, code.ASSIGN, code.UPDATE, code.VAR, code.YIELD)
# Their methods return the type that is expected of the call (JLS 15.12.3).
_POLYMORPHIC = ("java.lang.invoke.MethodHandle", "java.lang.invoke.VarHandle")
_SURE = (code.LITERAL, code.THIS, code.TEST)


class Certainty:
    def __init__(self, world: World) -> None:
        self.world = world
        self._texts: dict[tuple[Class, int, str], bool] = {}

    def of(self, at: Attribution, row: int, depth: int = 0) -> bool:
        """Return whether the type attributed to a row, if any, is certain."""
        rows = at.rows
        what, scope = rows.code[row], rows.scopes[row]
        if depth > DEEPEST:
            return False
        if what in _SURE:
            return True
        if what in _WRITTEN:
            return rows.a[row] < 0 or self.text(scope.cls, scope.method, rows.text(row))
        if what == code.REF:
            return self._variable(at, row, depth)
        if what == code.NAME:
            return self._field(find_field_named(at, scope.cls, rows.text(row)))
        if what == code.FIELD:
            return self._selected(at, row, depth)
        if what in _CALLS:
            return self._call(at, row, depth)
        if what in _FIRST:
            return rows.size[row] > 1 and self.of(at, row + 1, depth + 1)
        if what in (code.BINARY, code.UNARY):
            truth = rows.a[row] == code.TRUTH
            return truth or all(self.of(at, one, depth + 1) for one in rows.children(row))
        if what == code.CONDITION:
            branches = rows.children(row)[1:]
            return all(self.of(at, one, depth + 1) for one in branches) and not any(
                _is_generic(at, one) for one in branches
            )
        if what == code.EACH:
            if rows.a[row] >= 0:
                return self.text(scope.cls, scope.method, rows.text(row))
            return rows.size[row] > 1 and self.of(at, row + 1, depth + 1)
        return what == code.OUTER and self._outer(at, row)

    def text(self, cls: Class, method: int, text: str) -> bool:
        """Return whether all names in the text of a type are certain in a scope."""
        key = (cls, method, text)
        if key not in self._texts:
            steps = program(text)
            self._texts[key] = steps is not None and all(
                self.name(cls, method, step.name.partition(".")[0])
                for step in steps
                if step.do == "name" and step.name not in PRIMITIVES
            )
        return self._texts[key]

    def name(self, cls: Class, method: int, name: str) -> bool:
        """Return whether no unknown declaration can hide a type's simple name in a scope."""
        if cls.unit is None or name in KNOWN or name in cls.unit.imported:
            return True
        here: Class | None = cls
        for _ in range(NESTING):
            if here is None:
                return True
            near = around(self.world, here, method, name)
            if near is not None:
                # A local class is not in scope everywhere in its method.
                local = isinstance(near, Class)
                return not local or lookup(self.world, here, -1, name) is None
            if here.name == name or name in here.inner:
                return True
            if any(one.name == name for one in variables(self.world, here)):
                return True
            ancestors(self.world, here)
            if not here.complete:
                return False
            method, here = here.method, here.owner
        return False

    def _variable(self, at: Attribution, row: int, depth: int) -> bool:
        """A local variable used in an inner class: no unknown field of a class between hides it."""
        rows = at.rows
        declared = rows.a[row]
        here: Class | None = rows.scopes[row].cls
        owner = rows.scopes[declared].cls
        while here is not None and here is not owner:
            ancestors(self.world, here)
            if not here.complete:
                return False
            here = here.owner
        if rows.code[declared] == code.PARAM:
            return self._parameter(at, rows.parent[declared], depth)
        if rows.code[declared] == code.TEST:
            scope = rows.scopes[declared]
            return rows.a[declared] < 0 or self.text(scope.cls, scope.method, rows.text(declared))
        return self.of(at, declared, depth + 1)

    def _parameter(self, at: Attribution, function: int, depth: int) -> bool:
        """A lambda's parameter is as certain as the call that the lambda is an argument of."""
        rows = at.rows
        above = rows.parent[function]
        if above < 0:
            return False
        if rows.code[above] in _CALLS:
            return self._call(at, above, depth)
        return rows.code[above] in (code.DECL, code.CAST) and self.of(at, above, depth + 1)

    def _call(self, at: Attribution, row: int, depth: int) -> bool:
        rows = at.rows
        meant = at.resolution(row)
        if meant.ambiguous or not meant.candidates:
            return False
        if rows.code[row] == code.INVOKE and not self._receiver(at, row, depth):
            return False
        for one in meant.candidates:
            method = one.method
            if not self._result(method) or label(method.cls) in _POLYMORPHIC:
                return False
            own = method_variables(self.world, method)
            chosen = own and mentions(returns(self.world, method), frozenset(own))
            if chosen and not all(self._argument(at, one, depth) for one in rows.arguments(row)):
                return False
        return True

    def _argument(self, at: Attribution, row: int, depth: int) -> bool:
        functions = (code.LAMBDA, code.REFERENCE)
        return at.rows.code[row] not in functions and self.of(at, row, depth + 1)

    def _receiver(self, at: Attribution, row: int, depth: int) -> bool:
        """The expression or the name of a type before the dot of a call."""
        first = at.rows.receiver(row)
        if first < 0:
            return False
        if at.rows.code[first] == code.SUPER:
            return True
        kind = at.meaning(first).kind
        return kind == "type" if kind != "value" else self.of(at, first, depth + 1)

    def _result(self, method: Method) -> bool:
        if method.cls.unit is None or method.place < 0 or not method.row[5]:
            return True
        scope = method.place if method_variables(self.world, method) else -1
        return self.text(method.cls, scope, method.row[5])

    def _selected(self, at: Attribution, row: int, depth: int) -> bool:
        rows = at.rows
        if rows.size[row] < 2:
            return False
        before = at.meaning(row + 1)
        if before.kind == "value" and not self.of(at, row + 1, depth + 1):
            return False
        if not isinstance(before.type, ClassType):
            return before.kind == "value"  # an array's length
        cls = before.type.cls
        field = find_field(self.world, cls, rows.text(row))
        if field is None or not (field.cls is cls or cls.complete):
            return False
        # A field of a raw type is erased (JLS 4.8).
        raw = bool(variables(self.world, cls)) and not before.type.args
        return not (raw and "<" in field.written) and self._field(field)

    def _field(self, field: Field | None) -> bool:
        if field is None:
            return False
        return (
            field.cls.unit is None or not field.written or (self.text(field.cls, -1, field.written))
        )

    def _outer(self, at: Attribution, row: int) -> bool:
        name, scope = row + 1, at.rows.scopes[row]
        if at.rows.size[row] < 2 or at.rows.code[name] != code.NAME:
            return False
        return self.name(scope.cls, scope.method, at.rows.text(name))


def find_field_named(at: Attribution, cls: Class, name: str) -> Field | None:
    """Return the field that a simple name means in a class, None if it means none."""
    here: Class | None = cls
    for _ in range(NESTING):
        if here is None:
            break
        found = find_field(at.world, here, name)
        if found is not None:
            return found
        here = here.owner
    unit = at.rows.unit
    for before in (*unit.static.get(name, ()), *unit.static_on_demand):
        holder = at.world.find(before, unit)
        found = find_field(at.world, holder, name) if holder is not None else None
        if found is not None:
            return found
    return None


def _is_generic(at: Attribution, row: int) -> bool:
    """Return whether a row is a call of a generic method.

    Such a call does not count as a number in ``a ? b : c``, even if it returns one (JLS 15.25).
    """
    if at.rows.code[row] not in _CALLS:
        return False
    return any(method_variables(at.world, one.method) for one in at.resolution(row).candidates)
