"""The rows of one file, ready to be walked: who stands above whom, and in which scope.

What rows mean, by their code; after a semicolon, their children:

=============================  =====================================  ==========================
code                           ``a``                                  ``b``
=============================  =====================================  ==========================
TYPED, a variable              its type                               dimensions after its name
REF, a variable                row of its declaration                 its name
NAME, field, type or package   the name
FIELD, of its child            the name
OUTER, ``X.this``; child: X
CALL; arguments                name                                   byte offset of the name
INVOKE; receiver, arguments    name                                   byte offset of the name
UPCALL, ``X.super.m()``        name; first child: X                   byte offset of the name
NEW; arguments, CLASS          type                                   byte offset of its name
INNER; outer object, as NEW    type                                   byte offset of its name
CONSTRUCT; arguments           1 this, 2 super, +2 if qualified       byte offset of the word
CONSTANT; arguments, CLASS     name of the enum constant              byte offset of the name
REFERENCE, of its child        name, -1 for ``new``                   byte offset of the name
LAMBDA; parameters, body       number of parameters                   sum of BLOCK, GIVES, …
PARAM, of a lambda             its place
DECL; initialiser              type                                   dimensions after the name
VAR; initialiser
EACH; iterable, body           type, -1 for ``var``                   dimensions after the name
TEST, ``instanceof``           type of the variable it declares, -1
ARRAY, ``new T[n]``            type                                   dimensions
CAST, CLASS_OF, TYPE           type
ARGUMENTS, ``<T>m()``          the type arguments
LITERAL                        place in LITERALS
BINARY, UNARY                  PLUS, ARITHMETIC, …
ASSIGN; left, right            1 ``=``, 0 compound
BODY, CLASS, INIT              place of the method, type, field
=============================  =====================================  ==========================

Types and names are places in a list of texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from acumen.lang.java.calls.expressions import (
    ARGUMENTS,
    BODY,
    CALLS,
    CLASS,
    CONSTRUCT,
    INNER,
    INVOKE,
    REFERENCE,
    UPCALL,
)  # fmt: skip
from acumen.lang.java.calls.sites import Sites
from acumen.lang.java.calls.types import Class, Unit


class Scope(NamedTuple):
    """The type and the method (-1: none) that code stands in."""

    cls: Class
    method: int


@dataclass(slots=True)
class Rows:
    unit: Unit
    texts: list[str]
    code: list[int]
    size: list[int]
    a: list[int]
    b: list[int]
    parent: list[int] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)

    def text(self, row: int) -> str:
        return self.texts[self.a[row]]

    def children(self, row: int) -> list[int]:
        found = []
        at, stop = row + 1, row + self.size[row]
        while at < stop:
            found.append(at)
            at += self.size[at]
        return found

    def arguments(self, row: int) -> list[int]:
        """What a call is given; neither the receiver nor a class without a name."""
        found = self.children(row)
        code = self.code[row]
        if code in (INVOKE, UPCALL, INNER) or (code == CONSTRUCT and self.a[row] > 2):
            del found[:1]
        if found and self.code[found[0]] == ARGUMENTS:
            del found[0]
        if found and self.code[found[-1]] == CLASS:
            del found[-1]
        return [] if code == REFERENCE else found

    def receiver(self, row: int) -> int:
        """The first child of a call that has a receiver; -1 if the source is broken."""
        return row + 1 if self.size[row] > 1 else -1

    def type_arguments(self, row: int) -> str:
        """Written between dot and name: ``Collections.<String>emptyList()``; empty if none."""
        at = row + 1
        if self.code[row] in (INVOKE, UPCALL) and self.size[row] > 1:
            at += self.size[at]
        if at < row + self.size[row] and self.code[at] == ARGUMENTS:
            return self.text(at)
        return ""

    def created(self, row: int) -> int:
        """The place of the class without a name that a creation has, -1 if it has none."""
        found = self.children(row)
        if found and self.code[found[-1]] == CLASS:
            return self.a[found[-1]]
        return -1

    def calls(self) -> list[int]:
        """All calls, in the order in which they are evaluated: what a call depends on comes before
        it, so that nothing goes deep."""
        found = [row for row, code in enumerate(self.code) if code in CALLS]
        found.sort(key=lambda row: (row + self.size[row], -row))
        return found


def rows(unit: Unit, sites: Sites, within: Scope | None = None) -> Rows:
    """``within`` is the scope of rows that stand in no other: those of a part of a file."""
    code, size, a, b = (column.tolist() for column in sites[1:])
    found = Rows(unit, sites.texts, code, size, a, b)
    count = len(code)
    parent = found.parent = [-1] * count
    nobody = within or Scope(unit.nobody, -1)
    scopes = found.scopes = [nobody] * count
    # Open rows: where each ends, and the scope of what stands in it.
    open_: list[tuple[int, int, Scope]] = []
    for row in range(count):
        while open_ and open_[-1][0] <= row:
            open_.pop()
        scope = nobody
        if open_:
            _, parent[row], scope = open_[-1]
        if code[row] == CLASS:
            scope = Scope(unit.classes[a[row]], -1)
        elif code[row] == BODY:
            scope = Scope(unit.methods[a[row]].cls, a[row])
        scopes[row] = scope
        if size[row] > 1:
            open_.append((row + size[row], row, scope))
    return found
