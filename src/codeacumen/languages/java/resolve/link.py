"""A project's call graph by class-hierarchy analysis from source.

Each call in the source is one record: who calls, where, what it names, and every method of the
project that may run. A call whose receiver's type or whose overload is not certain is ambiguous
and has all methods that it could mean; a call on an object of a known type is not, even if many
classes below that type override the method.

A lambda is an object whose code belongs to the method it stands in. A call of an interface's
method reaches the classes that implement it; if only lambdas do, it reaches the abstract method.

What could be called where a call stands: the methods that its receiver's type offers.

Nothing here looks at the name of the call itself, so that it may be what is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.expressions import REFERENCE
from codeacumen.languages.java.resolve.members import below, bound_types, connect, erased, reached
from codeacumen.languages.java.resolve.overloads import Candidate, takes
from codeacumen.languages.java.resolve.resolution import Resolution, accessible
from codeacumen.languages.java.resolve.scopes import NESTING, ancestors, supers
from codeacumen.languages.java.resolve.sites import Sites, rows
from codeacumen.languages.java.resolve.types import (
    ArrayType,
    Class,
    ClassType,
    Method,
    Primitive,
    Target,
    Type,
)
from codeacumen.languages.java.resolve.world import Platform, World, label

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


# A call without a receiver is on the object itself.
_SELF = (code.CALL,)


class AvailableNames(NamedTuple):
    """``receiver`` is the qualified name of the type that the call is made on, empty if that is
    not known; of a call without a receiver it is the class around it. ``static``: it is made on
    the type itself. ``names`` are those of the methods that this type has, its own and inherited
    ones, that may take so many ``arguments`` and may be called from there; sorted."""

    receiver: str
    arguments: int
    static: bool
    names: tuple[str, ...]


NOTHING = AvailableNames("", 0, False, ())


class Offers:
    """Of one project. Files come one after the other; what a type offers is kept."""

    def __init__(self, project: Project) -> None:
        self.world = project.world
        self._known: dict[tuple[Class, Class, int, bool], frozenset[str]] = {}

    def of(self, path: str, sites: Sites, offsets: Iterable[int]) -> dict[int, AvailableNames]:
        """For calls of a file, told by the bytes of their names. ``sites`` are the second part of
        the file's facts."""
        at = Attribution(self.world, rows(self.world.units[path], sites))
        wanted = set(offsets)
        return {
            at.rows.b[row]: self._offer(at, row)
            for row in at.rows.calls()
            if at.rows.b[row] in wanted and at.rows.code[row] in _METHODS
        }

    def _offer(self, at: Attribution, row: int) -> AvailableNames:
        count = len(at.rows.arguments(row))
        scope = at.rows.scopes[row].cls
        if at.rows.code[row] in _SELF:
            names = set[str]()
            for cls in _around(scope):
                names |= self._names(scope, cls, count, static=False)
            names |= self._imported(at, scope, count)
            return AvailableNames(label(scope), count, False, tuple(sorted(names)))
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
        return AvailableNames(told, count, static, tuple(sorted(found)))

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
