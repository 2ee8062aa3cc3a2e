"""Compile-time resolution of calls, constructors and method references (JLS 15.12.1 to 15.12.3).

Which override runs at run time is up to ``members.find_targets``. A ``row`` is the index of an
expression in the ``Rows`` of a file; ``call_sites`` explains its columns ``a`` and ``b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.conversions import MAYBE, NO
from codeacumen.languages.java.resolve.generics import is_diamond
from codeacumen.languages.java.resolve.members import (
    bound_types,
    find_function_type,
    find_member_methods,
    find_subclasses,
    overrides,
)
from codeacumen.languages.java.resolve.overloads import (
    Argument,
    Candidate,
    accepts_argument_count,
    check_applicability,
    is_one_method,
    select_overloads,
)
from codeacumen.languages.java.resolve.scopes import (
    MAX_NESTING,
    as_supertype,
    find_ancestors,
    find_supertypes,
    own_type,
    resolve_type,
)
from codeacumen.languages.java.resolve.types import (
    UNKNOWN,
    ArrayType,
    Class,
    ClassType,
    Method,
    Type,
    Unknown,
    class_type,
)
from codeacumen.languages.java.resolve.world import World, qualified_name

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

CONSTRUCTOR = "<init>"
# Arrays have a public clone of their own (JLS 10.7).
ARRAY_CLONE = "[].clone()"


class Resolution(NamedTuple):
    """The methods that a call may mean.

    ``candidates`` holds one method, or several if the choice is not certain (``is_ambiguous``) or
    if one method is inherited from several ancestors. Without candidates, ``name`` describes the
    called method (``a.B.m/2``: two arguments; ``?`` for an unknown class). The callee may still be
    a method of the project: one of that name in ``base_class`` or an ancestor or descendant of it
    (Object: any class; None: no method of the project). ``is_special``: the call runs the method
    itself, no override. ``is_static``: the call is made on a type.
    """

    candidates: tuple[Candidate, ...] = ()
    is_ambiguous: bool = False
    is_special: bool = False
    is_static: bool = False
    name: str = ""
    base_class: Class | None = None


UNRESOLVED = Resolution()


def resolve_call(attribution: Attribution, row: int) -> Resolution:
    """Return the methods that a call, a creation or a method reference may mean.

    ``Attribution.resolution_of`` calls it once per row and caches the result.
    """
    row_code = attribution.rows.code[row]
    if row_code == code.CALL:
        return _resolve_unqualified(attribution, row)
    if row_code == code.INVOKE:
        return _resolve_qualified(attribution, row)
    if row_code == code.UPCALL:
        return _resolve_qualified_super(attribution, row)
    if row_code == code.REFERENCE:
        return resolve_reference(attribution, row)
    return _resolve_creation(attribution, row)


# ---- methods


def _resolve_unqualified(attribution: Attribution, row: int) -> Resolution:
    """Resolve a call without receiver in the innermost class that has methods of the name, then in
    the static imports (JLS 15.12.1)."""
    world, rows = attribution.world, attribution.rows
    name = rows.text(row)
    arguments = rows.arguments(row)
    cls: Class | None = rows.scopes[row].cls
    # The innermost class that may have a method of the name that is not known.
    incomplete_class: Class | None = None
    for _ in range(MAX_NESTING):
        if cls is None:
            break
        methods = find_member_methods(world, cls, name)
        if methods:
            site = own_type(world, cls)
            resolution = _select_candidates(
                attribution, row, [Candidate(method, site) for method in methods], arguments
            )
            if resolution.candidates:
                # A class in between may inherit a method of the name from an unknown class.
                return (
                    resolution
                    if incomplete_class is None
                    else resolution._replace(is_ambiguous=True)
                )
            incomplete_class = incomplete_class or cls
        if not cls.is_complete:
            incomplete_class = incomplete_class or cls
        cls = cls.owner
    unit = rows.unit
    candidates: list[Candidate] = []
    unknown_owner = ""
    single_imports = unit.static_imports.get(name, [])
    for owner_names in (single_imports, unit.static_on_demand_imports):
        for owner_name in owner_names:
            owner = world.find_class(owner_name, unit)
            if owner is not None:
                methods = find_member_methods(world, owner, name)
                candidates += [Candidate(method, None) for method in methods if method.is_static]
            if owner is None or not owner.is_complete:
                unknown_owner = unknown_owner or owner_name
        if candidates or (unknown_owner and single_imports):
            break
    resolution = (
        _select_candidates(attribution, row, candidates, arguments) if candidates else UNRESOLVED
    )
    if resolution.candidates:
        # An import of the method by its name is certain.
        is_certain = incomplete_class is None or bool(single_imports)
        return resolution if is_certain else resolution._replace(is_ambiguous=True)
    argument_count = len(arguments)
    if single_imports and unknown_owner:
        return Resolution(name=f"{unknown_owner}.{name}/{argument_count}", is_static=True)
    if incomplete_class is None and unknown_owner:
        return Resolution(name=f"?.{name}/{argument_count}")
    return _resolve_unknown(attribution, incomplete_class, name, argument_count)


def _name_unknown_ancestor(attribution: Attribution, cls: Class) -> str:
    """Return the qualified name of the first unknown ancestor; of the class if all are known."""
    for ancestor in find_ancestors(attribution.world, cls):
        if ancestor.kind == "outside":
            return qualified_name(ancestor)
    return qualified_name(cls)


def _resolve_qualified(attribution: Attribution, row: int) -> Resolution:
    """Resolve a call with a receiver: ``x.m()``, ``Type.m()``, ``super.m()``."""
    rows = attribution.rows
    receiver = rows.receiver(row)
    arguments = rows.arguments(row)
    if rows.code[receiver] == code.SUPER:
        return _resolve_on_super(attribution, row, rows.scopes[row].cls, arguments)
    meaning = attribution.meaning_of(receiver)
    if meaning.kind == "package":
        return _resolve_on_type(attribution, row, UNKNOWN, arguments)
    if meaning.kind == "type":
        return _resolve_on_type(attribution, row, meaning.type, arguments, is_static=True)._replace(
            is_static=True
        )
    return _resolve_on_type(attribution, row, meaning.type, arguments)


def _resolve_on_super(
    attribution: Attribution, row: int, cls: Class, arguments: Sequence[Argument]
) -> Resolution:
    """Resolve ``super.m()`` in the superclass of a class."""
    supertypes = find_supertypes(attribution.world, cls)
    type_: Type = supertypes[0] if supertypes else attribution.world.object_type
    return _resolve_on_type(attribution, row, type_, arguments)._replace(is_special=True)


def _resolve_qualified_super(attribution: Attribution, row: int) -> Resolution:
    """Resolve ``X.super.m()``: ``X`` is a superinterface or an outer class."""
    rows = attribution.rows
    arguments = rows.arguments(row)
    type_ = attribution.meaning_of(rows.receiver(row)).type
    if not isinstance(type_, ClassType):
        return _resolve_on_type(attribution, row, UNKNOWN, arguments)
    if type_.cls.is_interface:
        supertype = as_supertype(
            attribution.world, own_type(attribution.world, rows.scopes[row].cls), type_.cls
        )
        return _resolve_on_type(attribution, row, supertype or type_, arguments)._replace(
            is_special=True
        )
    return _resolve_on_super(attribution, row, type_.cls, arguments)


def _resolve_on_type(
    attribution: Attribution,
    row: int,
    type_: Type,
    arguments: Sequence[Argument],
    is_static: bool = False,
) -> Resolution:
    """Resolve a call on an object of a type, or on the type itself (``is_static``)."""
    world = attribution.world
    name = attribution.rows.text(row)
    argument_count = len(arguments)
    candidates: list[Candidate] = []
    incomplete_class: Class | None = None
    for bound in bound_types(type_):
        if isinstance(bound, ArrayType):
            if name == "clone" and not argument_count:
                return Resolution(name=ARRAY_CLONE)
            # No class extends an array type, so that no override can run.
            methods = find_member_methods(world, world.object_class, name)
            candidates += [Candidate(method, None) for method in methods]
            continue
        if not isinstance(bound, ClassType):
            cls = (
                bound.bound_class
                if isinstance(bound, Unknown) and bound.bound_class
                else world.object_class
            )
            if not _has_no_other_overloads(attribution, cls, name, argument_count):
                class_name = "?" if cls is world.object_class else qualified_name(cls)
                return Resolution(
                    name=f"{class_name}.{name}/{argument_count}", base_class=cls, is_ambiguous=True
                )
            return _resolve_on_type(attribution, row, class_type(cls), arguments)._replace(
                is_ambiguous=True
            )
        methods = find_member_methods(world, bound.cls, name)
        if is_static and any(method.is_static for method in methods):
            methods = tuple([method for method in methods if method.is_static])
        known_methods = {candidate.method for candidate in candidates}
        candidates += [
            Candidate(method, bound) for method in methods if method not in known_methods
        ]
        if not bound.cls.is_complete:
            incomplete_class = incomplete_class or bound.cls
    resolution = (
        _select_candidates(attribution, row, candidates, arguments, is_static)
        if candidates
        else UNRESOLVED
    )
    if resolution.candidates:
        return resolution
    return _resolve_unknown(attribution, incomplete_class, name, argument_count)


def _resolve_unknown(
    attribution: Attribution, incomplete_class: Class | None, name: str, argument_count: int
) -> Resolution:
    """Return the resolution of a call of an unknown method, which an unknown ancestor of a class
    may have."""
    if incomplete_class is None:
        object_class = attribution.world.object_class
        return Resolution(name=f"?.{name}/{argument_count}", base_class=object_class)
    return Resolution(
        name=f"{_name_unknown_ancestor(attribution, incomplete_class)}.{name}/{argument_count}",
        base_class=incomplete_class,
    )


def _has_no_other_overloads(
    attribution: Attribution, cls: Class, name: str, argument_count: int
) -> bool:
    """Return whether a call on any descendant of a class means a method that the class has.

    It does if the class has a method of the name for this number of arguments, and no descendant
    declares one that overrides none of these.
    """
    key = (cls, name, argument_count)
    if key not in attribution.world.has_no_other_overloads:
        world = attribution.world
        known_methods = [
            method
            for method in find_member_methods(world, cls, name)
            if accepts_argument_count(method, argument_count)
        ]
        descendants = find_subclasses(world, cls)
        attribution.world.has_no_other_overloads[key] = bool(known_methods) and all(
            method in known_methods
            or any(overrides(world, method, known_method) for known_method in known_methods)
            for method in world.find_methods_accepting(name, argument_count)
            if method.cls in descendants
        )
    return attribution.world.has_no_other_overloads[key]


def _select_candidates(
    attribution: Attribution,
    row: int,
    candidates: Sequence[Candidate],
    arguments: Sequence[Argument],
    is_static: bool = False,
) -> Resolution:
    """Resolve to the overloads among candidates that the call may mean (JLS 15.12.2).

    Candidates that are not accessible are dropped, unless none is accessible.
    """
    selected = [
        candidate
        for candidate in candidates
        if accepts_argument_count(candidate.method, len(arguments))
    ]
    if len(selected) > 1:
        scope = attribution.rows.scopes[row].cls
        selected = [
            candidate
            for candidate in selected
            if is_accessible(attribution.world, scope, candidate.method)
        ] or selected
        selected = select_overloads(attribution, selected, arguments)
    is_ambiguous = not is_one_method(attribution, selected) and len(selected) > 0
    if any(
        candidate.site is not None and not candidate.site.cls.is_complete for candidate in selected
    ):
        # Unknown ancestors may declare further overloads: being the only one is not enough.
        applicabilities = {
            candidate: check_applicability(attribution, candidate, arguments)
            for candidate in selected
        }
        selected = [candidate for candidate in selected if applicabilities[candidate] != NO]
        is_ambiguous = is_ambiguous or any(
            applicabilities[candidate] == MAYBE for candidate in selected
        )
    return Resolution(tuple(selected), is_ambiguous=is_ambiguous)


def is_accessible(world: World, scope: Class, method: Method) -> bool:
    """Return whether code in the class ``scope`` may access a method (JLS 6.6).

    The flags are those of ``FileFacts``: u public, r private, p protected.
    """
    flags, cls = method.flags, method.cls
    if "u" in flags:
        return True
    if "r" in flags:
        return cls.outermost is scope.outermost
    if cls.package == scope.package:
        return True
    if "p" not in flags:
        return False
    enclosing_class: Class | None = scope
    for _ in range(MAX_NESTING):
        if enclosing_class is None:
            return False
        if cls in find_ancestors(world, enclosing_class):
            return True
        enclosing_class = enclosing_class.owner
    return True


# ---- constructors


def _resolve_creation(attribution: Attribution, row: int) -> Resolution:
    """Resolve the constructor of ``new``, ``this(…)``, ``super(…)`` or an enum constant."""
    rows, world = attribution.rows, attribution.world
    cls = rows.scopes[row].cls
    row_code = rows.code[row]
    arguments = rows.arguments(row)
    site: Type
    if row_code == code.CONSTANT:
        site = own_type(world, cls)
    elif row_code == code.CONSTRUCT:
        supertypes = find_supertypes(world, cls)
        # Column a: 1 for this, 2 for super, 2 more if qualified.
        is_this_call = rows.a[row] in (1, 3)
        site = own_type(world, cls) if is_this_call else (supertypes[0] if supertypes else UNKNOWN)
    else:
        site = attribution.created_type(row)
    if isinstance(site, ClassType) and site.cls.is_interface:
        site = world.object_type  # an anonymous class that implements an interface
    return resolve_constructor(attribution, row, site, arguments)


def resolve_constructor(
    attribution: Attribution, row: int, site: Type, arguments: Sequence[Argument]
) -> Resolution:
    """Resolve the constructor of the class type ``site`` for the arguments of a call (JLS 15.9.3).

    If none fits, all constructors of the class are candidates.
    """
    argument_count = len(arguments)
    if not isinstance(site, ClassType) and attribution.rows.code[row] == code.INNER:
        # The outer object's type is unknown: any inner class of the name may be meant.
        classes = attribution.world.find_inner_classes(attribution.rows.text(row).partition("<")[0])
        constructors = [
            constructor for cls in classes for constructor in cls.methods.get(CONSTRUCTOR, ())
        ]
        candidates = tuple(
            [
                Candidate(constructor, None)
                for constructor in constructors
                if accepts_argument_count(constructor, argument_count)
            ]
        )
        return Resolution(
            candidates, bool(candidates), is_special=True, name=f"?.{CONSTRUCTOR}/{argument_count}"
        )
    if not isinstance(site, ClassType) or site.cls.kind == "outside":
        name = qualified_name(site.cls) if isinstance(site, ClassType) else "?"
        return Resolution(name=f"{name}.{CONSTRUCTOR}/{argument_count}", is_special=True)
    constructors = site.cls.methods.get(CONSTRUCTOR, [])
    has_diamond = attribution.rows.code[row] in (code.NEW, code.INNER) and is_diamond(
        attribution, row
    )
    created_type = own_type(attribution.world, site.cls) if has_diamond else site
    resolution = _select_candidates(
        attribution,
        row,
        [Candidate(constructor, created_type, has_diamond) for constructor in constructors],
        arguments,
    )
    if not resolution.candidates:
        all_candidates = tuple([Candidate(constructor, site) for constructor in constructors])
        resolution = Resolution(
            all_candidates,
            is_ambiguous=True,
            name=f"{qualified_name(site.cls)}.{CONSTRUCTOR}/{argument_count}",
        )
    return resolution._replace(is_special=True)


# ---- method references


def find_referred_methods(attribution: Attribution, row: int) -> tuple[list[Candidate], bool, bool]:
    """Return the methods that the name of a method reference may mean, and two flags.

    The first flag: the object may be the first argument (``Type::method``). The second: the call
    runs the method itself, no override (``super::method``, ``Type::new``). There is no candidate
    where the receiver's type is unknown.
    """
    rows, world = attribution.rows, attribution.world
    receiver = rows.receiver(row)
    if receiver < 0:
        return [], False, False
    scope = rows.scopes[row]
    is_special = rows.code[receiver] == code.SUPER
    is_unbound = False
    if is_special:
        supertypes = find_supertypes(world, scope.cls)
        type_: Type = supertypes[0] if supertypes else world.object_type
    elif rows.code[receiver] == code.TYPE:
        text = rows.text(receiver)
        is_special = text.endswith(".super")
        type_ = resolve_type(world, scope.cls, scope.method, text.removesuffix(".super"))
        is_unbound = not is_special
    else:
        meaning = attribution.meaning_of(receiver)
        type_ = UNKNOWN if meaning.kind == "package" else meaning.type
        is_unbound = meaning.kind == "type"
    # ``Type::new`` has no name.
    if rows.a[row] < 0:
        if not isinstance(type_, ClassType):
            return [], False, True
        constructors = type_.cls.methods.get(CONSTRUCTOR, [])
        return [Candidate(constructor, type_) for constructor in constructors], False, True
    name = rows.text(row)
    candidates: list[Candidate] = []
    for bound in bound_types(type_):
        if isinstance(bound, ArrayType):
            bound = world.object_type
        if isinstance(bound, ClassType):
            candidates += [
                Candidate(method, bound) for method in find_member_methods(world, bound.cls, name)
            ]
    return candidates, is_unbound, is_special


def resolve_reference(attribution: Attribution, row: int) -> Resolution:
    """Resolve a method reference for the function type that is expected of it (JLS 15.13.1)."""
    rows, world = attribution.rows, attribution.world
    candidates, is_unbound, is_special = attribution.referred_candidates(row)
    if not candidates:
        return _resolve_unknown_reference(attribution, row)
    signature = find_function_type(world, attribution.expected_type(row) or UNKNOWN)
    scope = rows.scopes[row].cls
    accessible_candidates = [
        candidate for candidate in candidates if is_accessible(world, scope, candidate.method)
    ] or list(candidates)
    if signature is None:
        return Resolution(
            tuple(accessible_candidates),
            not is_one_method(attribution, accessible_candidates),
            is_special,
        )
    parameter_types = signature[0]
    selected: list[Candidate] = []
    if is_unbound:
        static_candidates = [
            candidate for candidate in accessible_candidates if candidate.method.is_static
        ]
        selected += select_overloads(attribution, static_candidates, parameter_types)
        if parameter_types:
            instance_candidates = [
                candidate for candidate in accessible_candidates if not candidate.method.is_static
            ]
            selected += select_overloads(
                attribution,
                _type_raw_receivers(attribution, instance_candidates, parameter_types[0]),
                parameter_types[1:],
            )
    else:
        selected = select_overloads(attribution, accessible_candidates, parameter_types)
    selected = selected or accessible_candidates
    return Resolution(tuple(selected), not is_one_method(attribution, selected), is_special)


def _type_raw_receivers(
    attribution: Attribution, candidates: Iterable[Candidate], first: Type
) -> list[Candidate]:
    """Return the candidates with the type of the first argument, as that class's parameterization,
    in place of raw receiver types (``List::size``; JLS 15.13.1)."""
    typed_candidates = []
    for candidate in candidates:
        site = candidate.site
        if site is not None and not site.args:
            for type_ in bound_types(first):
                if isinstance(type_, ClassType):
                    site = as_supertype(attribution.world, type_, site.cls) or site
                    break
        typed_candidates.append(Candidate(candidate.method, site))
    return typed_candidates


def _resolve_unknown_reference(attribution: Attribution, row: int) -> Resolution:
    """Resolve a reference to a method of which no declaration is known, to its name only."""
    rows, world = attribution.rows, attribution.world
    # ``Type::new`` has no name.
    if rows.a[row] < 0:
        return UNRESOLVED if rows.receiver(row) < 0 else _resolve_unknown_creation(attribution, row)
    name = rows.text(row)
    receiver = rows.receiver(row)
    if receiver >= 0 and rows.code[receiver] != code.SUPER:
        if rows.code[receiver] == code.TYPE:
            scope = rows.scopes[receiver]
            type_ = resolve_type(world, scope.cls, scope.method, rows.text(receiver))
        else:
            type_ = attribution.meaning_of(receiver).type
        for bound in bound_types(type_):
            if isinstance(bound, ClassType) and not bound.cls.is_complete:
                return Resolution(
                    name=f"{_name_unknown_ancestor(attribution, bound.cls)}.{name}",
                    base_class=bound.cls,
                )
    return Resolution(name=f"?.{name}", base_class=world.object_class, is_ambiguous=True)


def _resolve_unknown_creation(attribution: Attribution, row: int) -> Resolution:
    """Resolve ``Type::new`` for a class of which no constructor is known."""
    rows = attribution.rows
    receiver = rows.receiver(row)
    scope = rows.scopes[row]
    if rows.code[receiver] == code.TYPE:
        type_ = resolve_type(attribution.world, scope.cls, scope.method, rows.text(receiver))
    else:
        type_ = attribution.meaning_of(receiver).type
    if isinstance(type_, ClassType):
        return Resolution(name=f"{qualified_name(type_.cls)}.{CONSTRUCTOR}", is_special=True)
    return UNRESOLVED
