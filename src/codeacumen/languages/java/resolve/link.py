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
from codeacumen.languages.java.resolve.call_sites import Sites, build_rows
from codeacumen.languages.java.resolve.expressions import REFERENCE
from codeacumen.languages.java.resolve.members import (
    bound_types,
    erased_parameters,
    fill_subclasses,
    find_subclasses,
    find_targets,
)
from codeacumen.languages.java.resolve.overloads import Candidate, accepts_argument_count
from codeacumen.languages.java.resolve.resolution import Resolution, is_accessible
from codeacumen.languages.java.resolve.scopes import MAX_NESTING, find_ancestors, find_supertypes
from codeacumen.languages.java.resolve.types import (
    ArrayType,
    Class,
    ClassType,
    Method,
    Primitive,
    Target,
    Type,
)
from codeacumen.languages.java.resolve.world import Platform, World, qualified_name

# Kinds of calls (see ``Call``).
VIRTUAL, INTERFACE, SPECIAL, STATIC = "M", "I", "O", "S"


class Call(NamedTuple):
    """A call and the methods it may run.

    ``caller`` and ``type`` are indices of the method (-1: an initialiser) and the type around the
    call in the file's declarations. ``offset`` is the byte offset of the call's name. ``kind``: M
    virtual, I interface, O constructor or super, S static; for a method reference (``reference``)
    the kind of the method it refers to.

    ``callee`` is the called method, such as ``java.util.List.add(int,java.lang.Object)``, or as
    much of it as is known: ``a.B.add/2`` with the number of parameters or arguments, ``?.add/2``
    without the class. ``inside``: the callee is, or may be, the project's. ``targets`` are path and
    index of the project's methods that may run; equal tuples are the same object. A callee outside
    has targets if the project overrides it; a callee inside has none if it is declared implicitly,
    such as a default constructor. ``ambiguous``: the callee is not certain.
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


class JavaProject:
    """The classes of a project, ready to link its files.

    ``declared`` holds the path and the declarations (``FileFacts.declared``) of each file.
    """

    def __init__(self, declared: Iterable[tuple[str, Any]], platform: Platform) -> None:
        self.world = World(declared, platform)
        fill_subclasses(self.world)
        self._possible_targets: dict[tuple[Class, str, int], tuple[Target, ...]] = {}
        self._target_sets: dict[tuple[Target, ...], tuple[Target, ...]] = {}

    def link_file(self, path: str, sites: Sites) -> list[Call]:
        """Return the calls of a file in source order, from its call sites (``FileFacts.sites``)."""
        unit = self.world.units[path]
        attribution = Attribution(self.world, build_rows(unit, sites))
        calls = [
            call
            for row in attribution.rows.list_calls()
            if (call := self._make_call(attribution, row)) is not None
        ]
        calls.sort(key=lambda call: call.offset)
        return calls

    def _make_call(self, attribution: Attribution, row: int) -> Call | None:
        """Return the call at a row; None if nothing is known of the callee, not even a name."""
        resolution = attribution.resolution_of(row)
        if not resolution.candidates and not resolution.name:
            return None
        scope = attribution.rows.scopes[row]
        type_index = scope.cls.index
        offset = attribution.rows.b[row]
        is_reference = attribution.rows.code[row] == REFERENCE
        if resolution.candidates:
            kind, callee = self._call_kind(resolution), self._describe_callee(resolution)
            targets = self._candidate_targets(resolution)
            inside = any(
                candidate.method.cls.unit is not None for candidate in resolution.candidates
            )
            ambiguous = resolution.is_ambiguous
        else:
            # The number of arguments of a method reference is not known.
            count = -1 if is_reference else len(attribution.rows.arguments(row))
            kind = SPECIAL if resolution.is_special else STATIC if resolution.is_static else VIRTUAL
            name = "" if resolution.is_special else attribution.rows.text(row)
            targets = (
                self._find_possible_targets(resolution.base_class, name, count)
                if resolution.base_class and name
                else ()
            )
            callee = resolution.name
            # The callee may also be a record's implicit accessor, which has no parameters.
            may_be_accessor = resolution.base_class is self.world.object_class and count <= 0
            inside = bool(targets) or (may_be_accessor and name in self.world.record_accessors)
            ambiguous = inside
        return Call(
            scope.method,
            type_index,
            offset,
            kind,
            is_reference,
            callee,
            inside,
            targets,
            ambiguous,
        )

    def _candidate_targets(self, resolution: Resolution) -> tuple[Target, ...]:
        """Return the methods of the project that a call of any of the candidates may run."""
        if len(resolution.candidates) == 1:
            return self._targets_of_candidate(resolution.candidates[0], resolution.is_special)
        targets: set[Target] = set()
        for candidate in resolution.candidates:
            # A method inherited from several ancestors may be implemented for one of them only.
            targets.update(self._targets_of_candidate(candidate, resolution.is_special))
        return self._intern_targets(tuple(sorted(targets)))

    def _targets_of_candidate(self, candidate: Candidate, is_special: bool) -> tuple[Target, ...]:
        method, site = candidate.method, candidate.site
        if is_special or site is None:
            return method.targets
        return find_targets(self.world, method, site.cls)

    def _intern_targets(self, targets: tuple[Target, ...]) -> tuple[Target, ...]:
        """Return the one object for equal targets, which saves memory and time when stored."""
        return self._target_sets.setdefault(targets, targets)

    def _find_possible_targets(
        self, base_class: Class, name: str, count: int
    ) -> tuple[Target, ...]:
        """Return the project's methods of a name and argument count (-1: any) around a class.

        These are the methods of the class, its ancestors and descendants; for Object, of all
        classes.
        """
        key = (base_class, name, count)
        cached = self._possible_targets.get(key)
        if cached is None:
            world = self.world
            methods = (
                world.find_methods_named(name)
                if count < 0
                else world.find_methods_accepting(name, count)
            )
            if base_class is not world.object_class:
                related_classes = set(find_ancestors(world, base_class))
                for namesake in world.find_namesakes(base_class):
                    related_classes |= find_subclasses(world, namesake)
                methods = [method for method in methods if method.cls in related_classes]
            targets = sorted({target for method in methods for target in method.targets})
            cached = self._possible_targets[key] = self._intern_targets(tuple(targets))
        return cached

    def _call_kind(self, resolution: Resolution) -> str:
        """Return the ``kind`` of ``Call``."""
        if resolution.is_special:
            return SPECIAL
        if all(candidate.method.is_static for candidate in resolution.candidates):
            return STATIC
        method, site, _ = resolution.candidates[0]
        if site is not None and site.cls.is_interface and method.cls is not self.world.object_class:
            return INTERFACE
        return VIRTUAL

    def _describe_callee(self, resolution: Resolution) -> str:
        """Return the ``callee`` of ``Call`` by the first candidate; if it is ambiguous, with the
        number of parameters in place of their types."""
        method = resolution.candidates[0].method
        if not resolution.is_ambiguous:
            return self.qualified_signature(method)
        return f"{qualified_name(method.cls)}.{method.name}/{method.parameter_count}"

    def qualified_signature(self, method: Method) -> str:
        """Return a method's qualified name with its erased parameter types."""
        if not method.signature:
            types = ",".join(
                [_erased_type_name(type_) for type_ in erased_parameters(self.world, method)]
            )
            method.signature = f"{qualified_name(method.cls)}.{method.name}({types})"
        return method.signature


def _erased_type_name(type_: Type) -> str:
    """Return the qualified name of an erased type; ``?`` for an unknown one."""
    brackets = ""
    while isinstance(type_, ArrayType):
        type_, brackets = type_.component_type, brackets + "[]"
    if isinstance(type_, ClassType):
        return qualified_name(type_.cls) + brackets
    return (type_.name if isinstance(type_, Primitive) else "?") + brackets


# Codes of calls without a receiver.
_UNQUALIFIED = (code.CALL,)


class AvailableNames(NamedTuple):
    """Names of the methods that could be called in place of a call, sorted.

    ``receiver`` is the qualified name of the type that the call is made on (``[]``: an array),
    empty if unknown; for a call without a receiver it is the class around the call. ``static``: the
    call is made on the type itself. ``names`` are those of the receiver's own and inherited methods
    that accept this number of ``arguments`` and are accessible from the call; for a call without a
    receiver also those of the classes around it and of static imports.
    """

    receiver: str
    arguments: int
    static: bool
    names: tuple[str, ...]


NO_AVAILABLE_NAMES = AvailableNames("", 0, False, ())


class AvailableNamesFinder:
    """Finder of the names available to a project's calls, with a cache per type."""

    def __init__(self, project: JavaProject) -> None:
        self.world = project.world
        self._names_by_key: dict[tuple[Class, Class, int, bool], frozenset[str]] = {}

    def find_names(
        self, path: str, sites: Sites, offsets: Iterable[int]
    ) -> dict[int, AvailableNames]:
        """Return the available names of those method calls of a file whose names are at the byte
        offsets, by offset; creations and method references are left out."""
        attribution = Attribution(self.world, build_rows(self.world.units[path], sites))
        wanted_offsets = set(offsets)
        return {
            attribution.rows.b[row]: self._find_names_for_call(attribution, row)
            for row in attribution.rows.list_calls()
            if attribution.rows.b[row] in wanted_offsets and attribution.rows.code[row] in _METHODS
        }

    def _find_names_for_call(self, attribution: Attribution, row: int) -> AvailableNames:
        count = len(attribution.rows.arguments(row))
        scope = attribution.rows.scopes[row].cls
        if attribution.rows.code[row] in _UNQUALIFIED:
            names = set[str]()
            for cls in _enclosing_classes(scope):
                names |= self._names_in_class(scope, cls, count, is_static=False)
            names |= self._imported_names(attribution, scope, count)
            return AvailableNames(qualified_name(scope), count, False, tuple(sorted(names)))
        receiver_type, is_static = self._receiver_type(attribution, row, scope)
        available = set[str]()
        receiver_name = ""
        for bound in bound_types(receiver_type):
            if isinstance(bound, ArrayType):
                receiver_name = receiver_name or "[]"
                available |= self._names_in_class(
                    scope, self.world.object_class, count, is_static=False
                )
            elif isinstance(bound, ClassType):
                receiver_name = receiver_name or qualified_name(bound.cls)
                available |= self._names_in_class(scope, bound.cls, count, is_static)
        return AvailableNames(receiver_name, count, is_static, tuple(sorted(available)))

    def _receiver_type(self, attribution: Attribution, row: int, scope: Class) -> tuple[Type, bool]:
        """Return the type that a call is made on, and whether on the type itself."""
        receiver = attribution.rows.receiver(row)
        if attribution.rows.code[receiver] == code.SUPER:
            supertypes = find_supertypes(self.world, scope)
            return (supertypes[0] if supertypes else self.world.object_type), False
        qualifier = attribution.meaning_of(receiver)
        return qualifier.type, qualifier.kind == "type" and attribution.rows.code[
            row
        ] != code.UPCALL

    def _imported_names(self, attribution: Attribution, scope: Class, count: int) -> set[str]:
        """Return the names of the static methods that the file imports and that accept ``count``
        arguments."""
        unit = attribution.rows.unit
        names = set[str]()
        for name, holders in unit.static_imports.items():
            for holder in holders:
                cls = self.world.find_class(holder, unit)
                # A method that is imported by its name is available even if its class is unknown.
                if cls is None or name in self._names_in_class(scope, cls, count, is_static=True):
                    names.add(name)
        for holder in unit.static_on_demand_imports:
            cls = self.world.find_class(holder, unit)
            if cls is not None:
                names |= self._names_in_class(scope, cls, count, is_static=True)
        return names

    def _names_in_class(
        self, scope: Class, cls: Class, count: int, is_static: bool
    ) -> frozenset[str]:
        key = (scope, cls, count, is_static)
        names = self._names_by_key.get(key)
        if names is None:
            names = self._names_by_key[key] = frozenset(self._iter_names_in_class(*key))
        return names

    def _iter_names_in_class(
        self, scope: Class, cls: Class, count: int, is_static: bool
    ) -> Iterator[str]:
        for ancestor in find_ancestors(self.world, cls):
            for name, methods in ancestor.methods.items():
                if name != "<init>" and any(
                    accepts_argument_count(method, count)
                    and (method.is_static or not is_static)
                    and is_accessible(self.world, scope, method)
                    for method in methods
                ):
                    yield name


# Codes of calls of methods by name.
_METHODS = (code.CALL, code.INVOKE, code.UPCALL)


def _enclosing_classes(cls: Class) -> Iterator[Class]:
    """Yield a class and the classes around it."""
    enclosing: Class | None = cls
    for _ in range(MAX_NESTING):
        if enclosing is None:
            return
        yield enclosing
        enclosing = enclosing.owner
