"""A syntax tree as plain lists, for code that looks at one node after another.

A single value is read from a list several times as fast as from a numpy array.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from acumen.lang.syntax import Syntax

Kind = TypeVar("Kind")
Field = TypeVar("Field")


class ListTree(Generic[Kind, Field]):
    """The columns of ``Syntax``; nodes are numbers, in pre-order.

    Subclasses choose how kinds and fields are written: as the grammar's names or as numbers.
    """

    def __init__(self, syntax: Syntax, kind: list[Kind], field: list[Field]) -> None:
        self.source = syntax.source
        self.kind = kind
        self.field = field
        self.start: list[int] = syntax.start.tolist()
        self.end: list[int] = syntax.end.tolist()
        self.parent: list[int] = syntax.parent.tolist()
        self.stop: list[int] = syntax.stop.tolist()

    def text(self, node: int) -> str:
        return self.source[self.start[node] : self.end[node]].decode("utf-8", errors="replace")

    def children(self, node: int) -> list[int]:
        """Return the node's children, in order."""
        children: list[int] = []
        stop = self.stop
        at, end = node + 1, stop[node]
        while at < end:
            children.append(at)
            at = stop[at]
        return children

    def child(self, node: int, field: Field) -> int:
        """Return the node's first child in a field; -1 if there is none."""
        stop, fields = self.stop, self.field
        at, end = node + 1, stop[node]
        while at < end:
            if fields[at] == field:
                return at
            at = stop[at]
        return -1
