"""A project's call graph by class-hierarchy analysis from source.

Each call in the source is one record: the caller, the position, the called method, and every
method of the project that may run. A call whose receiver type or overload is not certain is
ambiguous and lists all methods that it could mean. A call on an object of a known type is not
ambiguous, even if many subclasses override the method.

A lambda's code belongs to the method around it. A call of an interface's method reaches the
classes that implement it; if only lambdas do, it reaches the abstract method.

``AvailableNamesFinder`` lists the methods that could be called in place of a call. It does not
look at the call's own name, so that this name may be the label of a task.
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
    """A call and the methods it may run.

    ``caller`` and ``type`` are indices of the method (-1: an initialiser) and the type around the
    call in the file's declarations. ``offset`` is the byte offset of the call's name. ``kind``: M
    virtual, I interface, O constructor or super, S static; for a method reference the kind of the
    method it refers to.

    ``callee`` is the called method, such as ``java.util.List.add(int,java.lang.Object)``, or as
    much of it as is known; ``inside``: it is, or may be, the project's. ``targets`` are path and
    index of the project's methods that may run; equal sets are the same object. A callee outside
    has targets if the project overrides it; a callee inside has none if it is declared implicitly,
    such as a default constructor. ``exact``: there is one target and no other.
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
    """The classes of a project, ready to link its files.

    ``declared`` holds the path and the declarations (``FileFacts.declared``) of each file.
    """

    def __init__(self, declared: Iterable[tuple[str, Any]], platform: Platform) -> None:
        self.world = World(declared, platform)
        connect(self.world)
        self._any: dict[tuple[Class, str, int], tuple[Target, ...]] = {}
        self._sets: dict[tuple[Target, ...], tuple[Target, ...]] = {}

    def link(self, path: str, sites: Sites) -> list[Call]:
        """Return the calls of a file in source order, from its call sites (``FileFacts.sites``)."""
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
            # It may also be a record's implicit accessor.
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
            # A method inherited from several ancestors may be implemented for one of them only.
            found.update(self._reached(one, meant.special))
        return self._shared(tuple(sorted(found)))

    def _reached(self, one: Candidate, special: bool) -> tuple[Target, ...]:
        method, site = one.method, one.site
        if special or site is None:
            return method.target
        return reached(self.world, method, site.cls)

    def _shared(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        return self._sets.setdefault(targets, targets)

    def _possible(self, under: Class, name: str, count: int) -> tuple[Target, ...]:
        """Return the project's methods of a name and argument count (-1: any) around a class.

        These are the methods of the class, its ancestors and descendants; for Object, of all
        classes.
        """
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
        """Return a method's qualified name with its erased parameter types."""
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


_SELF = (code.CALL,)


class AvailableNames(NamedTuple):
    """Names of the methods that could be called in place of a call, sorted.

    ``receiver`` is the qualified name of the type that the call is made on, empty if unknown; for
    a call without a receiver it is the class around the call. ``static``: it is made on the type
    itself. ``names`` are those of the receiver's own and inherited methods that accept so many
    ``arguments`` and are accessible from the call.
    """

    receiver: str
    arguments: int
    static: bool
    names: tuple[str, ...]


NOTHING = AvailableNames("", 0, False, ())


class Offers:
    """Finds the available names of a project's calls; the names of each type are cached."""

    def __init__(self, project: Project) -> None:
        self.world = project.world
        self._known: dict[tuple[Class, Class, int, bool], frozenset[str]] = {}

    def of(self, path: str, sites: Sites, offsets: Iterable[int]) -> dict[int, AvailableNames]:
        """Return the available names of a file's calls, by the byte offsets of the calls' names."""
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
                # A method that is imported by its name is available even if its class is unknown.
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
    """Yield a class and the classes around it."""
    here: Class | None = cls
    for _ in range(NESTING):
        if here is None:
            return
        yield here
        here = here.owner
