"""Where the nodes of a file stand, and which declarations of the file they speak of."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from acumen.lang.java.declarations import NONE, type_text
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field, name_of

_WITH_TYPE = frozenset(
    ("formal_parameter", "enhanced_for_statement", "resource", "method_declaration")
)
_MARKS = frozenset(("(", ")", "line_comment", "block_comment"))


class Places:
    """Made for a few questions: nothing is computed before it is asked for."""

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
        """An expression without the parentheses around it."""
        while self.kind(node) == "parenthesized_expression":
            inner = [one for one in self.file.syntax.children(node) if self.kind(one) not in _MARKS]
            if len(inner) != 1:
                break
            node = inner[0]
        return node

    def declaration(self, node: int) -> int:
        """The declaring identifier of a variable, or of the method that is called, in this file:
        ``x``, ``this.x``, ``m()``, ``this.m()``."""
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
