"""A project's call graph by class-hierarchy analysis from source.

Each call in the source is one record: who calls, where, what it names, and every method of the
project that may run. A call whose receiver's type or whose overload is not certain is ambiguous
and has all methods that it could mean; a call on an object of a known type is not, even if many
classes below that type override the method.

A lambda is an object whose code belongs to the method it stands in. A call of an interface's
method reaches the classes that implement it; if only lambdas do, it reaches the abstract method.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from acumen.lang.java.calls.attribution import Attribution
from acumen.lang.java.calls.expressions import REFERENCE
from acumen.lang.java.calls.hierarchy import below, connect, reached
from acumen.lang.java.calls.members import erased
from acumen.lang.java.calls.model import Class, Method, Target
from acumen.lang.java.calls.overloads import Candidate
from acumen.lang.java.calls.platform import Platform
from acumen.lang.java.calls.resolution import Resolution
from acumen.lang.java.calls.rows import rows
from acumen.lang.java.calls.scopes import ancestors
from acumen.lang.java.calls.sites import Sites
from acumen.lang.java.calls.types import ArrayType, ClassType, Primitive, Type
from acumen.lang.java.calls.world import World, label

VIRTUAL, INTERFACE, SPECIAL, STATIC = "M", "I", "O", "S"


class Call(NamedTuple):
    """``caller`` is the place of the method in its file's declarations, -1 for an initialiser,
    ``type`` that of the type. ``offset`` is the byte of the call's name. ``kind``: M virtual, I
    interface, O constructor or super, S static; of a method reference, that of what it refers to.

    ``callee`` is what the call names: ``java.util.List.add(int,java.lang.Object)``, or as much of
    it as is known; ``inside`` tells whether that is, or may be, the project's. ``targets`` are
    paths and places of the project's methods that may run; the same object for the same set.
    There may be some though the callee is outside, because the project overrides it, and none
    though it is inside, because nobody wrote it, as a default constructor. ``exact``: there is
    one target and no other.
    """

    caller: int
    type: int
    offset: int
    kind: str
    reference: bool
    callee: str
    inside: bool
    targets: tuple[Target, ...]
    ambiguous: bool
    exact: bool


class Project:
    """``declared`` holds for each file its path and the first part of its facts."""

    def __init__(self, declared: Iterable[tuple[str, Any]], platform: Platform) -> None:
        self.world = World(declared, platform)
        connect(self.world)
        self._any: dict[tuple[Class, str, int], tuple[Target, ...]] = {}
        self._sets: dict[tuple[Target, ...], tuple[Target, ...]] = {}

    def link(self, path: str, sites: Sites) -> list[Call]:
        """The calls of a file in source order, from the second part of its facts."""
        unit = self.world.units[path]
        at = Attribution(self.world, rows(unit, sites))
        found = [call for row in at.rows.calls() if (call := self._call(at, row)) is not None]
        found.sort(key=lambda call: call.offset)
        return found

    def _call(self, at: Attribution, row: int) -> Call | None:
        meant = at.resolution(row)
        if not meant.candidates and not meant.name:
            return None
        scope = at.rows.scopes[row]
        place = scope.cls.place
        offset = at.rows.b[row]
        reference = at.rows.code[row] == REFERENCE
        if meant.candidates:
            kind, callee = self._kind(meant), self._callee(meant)
            targets = self._targets(meant)
            inside = any(one.method.cls.unit is not None for one in meant.candidates)
            ambiguous = meant.ambiguous
        else:
            count = -1 if reference else len(at.rows.arguments(row))
            kind = SPECIAL if meant.special else STATIC if meant.static else VIRTUAL
            name = "" if meant.special else at.rows.text(row)
            targets = self._possible(meant.under, name, count) if meant.under and name else ()
            callee = meant.name
            # It may also be one that nobody wrote.
            accessor = meant.under is self.world.object and count <= 0
            inside = bool(targets) or (accessor and name in self.world.accessors)
            ambiguous = inside
        exact = len(targets) == 1 and not ambiguous
        return Call(
            scope.method, place, offset, kind, reference, callee, inside, targets, ambiguous, exact
        )

    def _targets(self, meant: Resolution) -> tuple[Target, ...]:
        if len(meant.candidates) == 1:
            return self._reached(meant.candidates[0], meant.special)
        found: set[Target] = set()
        for one in meant.candidates:
            found.update(self._reached(one, meant.special))
        # Of equal methods inherited on several ways, those that are implemented count.
        return self._shared(tuple(sorted(found)))

    def _reached(self, one: Candidate, special: bool) -> tuple[Target, ...]:
        method, site = one.method, one.site
        if special or site is None:
            return method.target
        return reached(self.world, method, site.cls)

    def _shared(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        return self._sets.setdefault(targets, targets)

    def _possible(self, under: Class, name: str, count: int) -> tuple[Target, ...]:
        """The project's methods of a name and number of arguments, of a class and those above
        and below it; of all classes, if the class is Object."""
        key = (under, name, count)
        found = self._any.get(key)
        if found is None:
            world = self.world
            like = world.named_like(name) if count < 0 else world.like(name, count)
            if under is not world.object:
                near = set(ancestors(world, under))
                for one in world.namesakes(under):
                    near |= below(world, one)
                like = [one for one in like if one.cls in near]
            targets = sorted({target for one in like for target in one.target})
            found = self._any[key] = self._shared(tuple(targets))
        return found

    def _kind(self, meant: Resolution) -> str:
        if meant.special:
            return SPECIAL
        if all(one.method.static for one in meant.candidates):
            return STATIC
        method, site, _ = meant.candidates[0]
        if site is not None and site.cls.is_interface and method.cls is not self.world.object:
            return INTERFACE
        return VIRTUAL

    def _callee(self, meant: Resolution) -> str:
        first = meant.candidates[0].method
        if not meant.ambiguous:
            return self.name(first)
        return f"{label(first.cls)}.{first.name}/{first.count}"

    def name(self, method: Method) -> str:
        """A method's qualified name with its erased parameters."""
        if not method.label:
            types = ",".join([_type_name(one) for one in erased(self.world, method)])
            method.label = f"{label(method.cls)}.{method.name}({types})"
        return method.label


def _type_name(type_: Type) -> str:
    brackets = ""
    while isinstance(type_, ArrayType):
        type_, brackets = type_.of, brackets + "[]"
    if isinstance(type_, ClassType):
        return label(type_.cls) + brackets
    return (type_.name if isinstance(type_, Primitive) else "?") + brackets
