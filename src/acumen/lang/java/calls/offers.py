"""What could be called where a call stands: the methods that its receiver's type offers.

Nothing here looks at the name of the call itself, so that it may be what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acumen.lang.java.calls import expressions as code
from acumen.lang.java.calls.attribution import Attribution
from acumen.lang.java.calls.link import Project
from acumen.lang.java.calls.members import bound_types
from acumen.lang.java.calls.model import Class
from acumen.lang.java.calls.overloads import takes
from acumen.lang.java.calls.resolution import accessible
from acumen.lang.java.calls.rows import rows
from acumen.lang.java.calls.scopes import NESTING, ancestors, supers
from acumen.lang.java.calls.sites import Sites
from acumen.lang.java.calls.types import ArrayType, ClassType, Type
from acumen.lang.java.calls.world import label

# A call without a receiver is on the object itself.
_SELF = (code.CALL,)


class Offer(NamedTuple):
    """``receiver`` is the qualified name of the type that the call is made on, empty if that is
    not known; of a call without a receiver it is the class around it. ``static``: it is made on
    the type itself. ``names`` are those of the methods that this type has, its own and inherited
    ones, that may take so many ``arguments`` and may be called from there; sorted."""

    receiver: str
    arguments: int
    static: bool
    names: tuple[str, ...]


NOTHING = Offer("", 0, False, ())


class Offers:
    """Of one project. Files come one after the other; what a type offers is kept."""

    def __init__(self, project: Project) -> None:
        self.world = project.world
        self._known: dict[tuple[Class, Class, int, bool], frozenset[str]] = {}

    def of(self, path: str, sites: Sites, offsets: Iterable[int]) -> dict[int, Offer]:
        """For calls of a file, told by the bytes of their names. ``sites`` are the second part of
        the file's facts."""
        at = Attribution(self.world, rows(self.world.units[path], sites))
        wanted = set(offsets)
        return {
            at.rows.b[row]: self._offer(at, row)
            for row in at.rows.calls()
            if at.rows.b[row] in wanted and at.rows.code[row] in _METHODS
        }

    def _offer(self, at: Attribution, row: int) -> Offer:
        count = len(at.rows.arguments(row))
        scope = at.rows.scopes[row].cls
        if at.rows.code[row] in _SELF:
            names = set[str]()
            for cls in _around(scope):
                names |= self._names(scope, cls, count, static=False)
            names |= self._imported(at, scope, count)
            return Offer(label(scope), count, False, tuple(sorted(names)))
        type_, static = self._receiver(at, row, scope)
        found = set[str]()
        told = ""
        for one in bound_types(type_):
            if isinstance(one, ArrayType):
                told = told or "[]"
                found |= self._names(scope, self.world.object, count, static=False)
            elif isinstance(one, ClassType):
                told = told or label(one.cls)
                found |= self._names(scope, one.cls, count, static)
        return Offer(told, count, static, tuple(sorted(found)))

    def _receiver(self, at: Attribution, row: int, scope: Class) -> tuple[Type, bool]:
        receiver = at.rows.receiver(row)
        if at.rows.code[receiver] == code.SUPER:
            above = supers(self.world, scope)
            return (above[0] if above else self.world.object_type), False
        before = at.meaning(receiver)
        return before.type, before.kind == "type" and at.rows.code[row] != code.UPCALL

    def _imported(self, at: Attribution, scope: Class, count: int) -> set[str]:
        unit = at.rows.unit
        found = set[str]()
        for name, holders in unit.static.items():
            for holder in holders:
                cls = self.world.find(holder, unit)
                # What is imported by its name may be called, even if nobody knows its class.
                if cls is None or name in self._names(scope, cls, count, static=True):
                    found.add(name)
        for holder in unit.static_on_demand:
            cls = self.world.find(holder, unit)
            if cls is not None:
                found |= self._names(scope, cls, count, static=True)
        return found

    def _names(self, scope: Class, cls: Class, count: int, static: bool) -> frozenset[str]:
        key = (scope, cls, count, static)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = frozenset(self._having(*key))
        return found

    def _having(self, scope: Class, cls: Class, count: int, static: bool) -> Iterator[str]:
        for above in ancestors(self.world, cls):
            for name, methods in above.methods.items():
                if name != "<init>" and any(
                    takes(one, count)
                    and (one.static or not static)
                    and accessible(self.world, scope, one)
                    for one in methods
                ):
                    yield name


_METHODS = (code.CALL, code.INVOKE, code.UPCALL)


def _around(cls: Class) -> Iterator[Class]:
    """A class and those it stands in."""
    here: Class | None = cls
    for _ in range(NESTING):
        if here is None:
            return
        yield here
        here = here.owner
