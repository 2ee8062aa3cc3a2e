"""Compile-time resolution of calls, constructors and method references (JLS 15.12.1 to 15.12.3).

Which override runs at run time is up to ``members.find_targets``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from codeacumen.languages.java.resolve import expressions as code
from codeacumen.languages.java.resolve.conversions import MAYBE, NO
from codeacumen.languages.java.resolve.generics import is_diamond
from codeacumen.languages.java.resolve.members import (
    below,
    bound_types,
    function,
    members,
    overrides,
)
from codeacumen.languages.java.resolve.overloads import (
    Argument,
    Candidate,
    applicable,
    choose,
    one_method,
    takes,
)
from codeacumen.languages.java.resolve.scopes import (
    NESTING,
    ancestors,
    as_super,
    own_type,
    supers,
    type_in,
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
from codeacumen.languages.java.resolve.world import World, label

if TYPE_CHECKING:
    from codeacumen.languages.java.resolve.attribution import Attribution

CONSTRUCTOR = "<init>"
# Arrays have a public clone of their own (JLS 10.7).
ARRAY_CLONE = "[].clone()"


class Resolution(NamedTuple):
    """The methods that a call may mean.

    ``candidates`` holds one, or several if that is not certain (``is_ambiguous``). Without any,
    ``name`` describes the called method. It may still be a method of the project: one of that name
    in ``base_class`` or an ancestor or descendant of it (Object: any class). ``is_special``: the
    call runs the method itself, no override. ``is_static``: it is called on a type.
    """

    candidates: tuple[Candidate, ...] = ()
    ambiguous: bool = False
    special: bool = False
    static: bool = False
    name: str = ""
    under: Class | None = None


NOTHING = Resolution()


def resolve(at: Attribution, row: int) -> Resolution:
    what = at.rows.code[row]
    if what == code.CALL:
        return _unqualified(at, row)
    if what == code.INVOKE:
        return _qualified(at, row)
    if what == code.UPCALL:
        return _upward(at, row)
    if what == code.REFERENCE:
        return resolve_reference(at, row)
    return _constructor(at, row)


# ---- methods


def _unqualified(at: Attribution, row: int) -> Resolution:
    """Resolve a call without receiver in the innermost class with the name (JLS 15.12.1)."""
    world, rows = at.world, at.rows
    name = rows.text(row)
    arguments = rows.arguments(row)
    here: Class | None = rows.scopes[row].cls
    unseen: Class | None = None
    for _ in range(NESTING):
        if here is None:
            break
        found = members(world, here, name)
        if found:
            site = own_type(world, here)
            resolution = _among(at, row, [Candidate(one, site) for one in found], arguments)
            if resolution.candidates:
                # A class in between may inherit such a method from an unknown class.
                return resolution if unseen is None else resolution._replace(ambiguous=True)
            unseen = unseen or here
        if not here.complete:
            unseen = unseen or here
        here = here.owner
    unit = rows.unit
    candidates: list[Candidate] = []
    outside = ""
    single = unit.static.get(name, [])
    for holders in (single, unit.static_on_demand):
        for before in holders:
            holder = world.find(before, unit)
            if holder is not None:
                found = members(world, holder, name)
                candidates += [Candidate(one, None) for one in found if one.static]
            if holder is None or not holder.complete:
                outside = outside or before
        if candidates or (outside and single):
            break
    resolution = _among(at, row, candidates, arguments) if candidates else NOTHING
    if resolution.candidates:
        # An import of the method by its name is certain.
        sure = unseen is None or bool(single)
        return resolution if sure else resolution._replace(ambiguous=True)
    count = len(arguments)
    if single and outside:
        return Resolution(name=f"{outside}.{name}/{count}", static=True)
    if unseen is not None:
        return Resolution(name=f"{_outside(at, unseen)}.{name}/{count}", under=unseen)
    if outside:
        return Resolution(name=f"?.{name}/{count}")
    return Resolution(name=f"?.{name}/{count}", under=world.object)


def _outside(at: Attribution, cls: Class) -> str:
    """Return the name of the first unknown ancestor, else of the class."""
    for above in ancestors(at.world, cls):
        if above.kind == "outside":
            return label(above)
    return label(cls)


def _qualified(at: Attribution, row: int) -> Resolution:
    rows = at.rows
    receiver = rows.receiver(row)
    arguments = rows.arguments(row)
    if rows.code[receiver] == code.SUPER:
        return _on_super(at, row, rows.scopes[row].cls, arguments)
    before = at.meaning(receiver)
    if before.kind == "package":
        return _on(at, row, UNKNOWN, arguments)
    if before.kind == "type":
        return _on(at, row, before.type, arguments, static=True)._replace(static=True)
    return _on(at, row, before.type, arguments)


def _on_super(at: Attribution, row: int, cls: Class, arguments: Sequence[Argument]) -> Resolution:
    above = supers(at.world, cls)
    type_: Type = above[0] if above else at.world.object_type
    return _on(at, row, type_, arguments)._replace(special=True)


def _upward(at: Attribution, row: int) -> Resolution:
    """Resolve ``X.super.m()``: ``X`` is a superinterface or an outer class."""
    rows = at.rows
    arguments = rows.arguments(row)
    type_ = at.meaning(rows.receiver(row)).type
    if not isinstance(type_, ClassType):
        return _on(at, row, UNKNOWN, arguments)
    if type_.cls.is_interface:
        seen = as_super(at.world, own_type(at.world, rows.scopes[row].cls), type_.cls)
        return _on(at, row, seen or type_, arguments)._replace(special=True)
    return _on_super(at, row, type_.cls, arguments)


def _on(
    at: Attribution,
    row: int,
    type_: Type,
    arguments: Sequence[Argument],
    static: bool = False,
) -> Resolution:
    """Resolve a call on an object of a type, or on the type itself (``static``)."""
    world = at.world
    name = at.rows.text(row)
    count = len(arguments)
    candidates: list[Candidate] = []
    unseen: Class | None = None
    for one in bound_types(type_):
        if isinstance(one, ArrayType):
            if name == "clone" and not count:
                return Resolution(name=ARRAY_CLONE)
            # No class extends an array type, so that no override can run.
            found = members(world, world.object, name)
            candidates += [Candidate(method, None) for method in found]
            continue
        if not isinstance(one, ClassType):
            cls = one.upper if isinstance(one, Unknown) and one.upper else world.object
            if not _is_settled(at, cls, name, count):
                before = "?" if cls is world.object else label(cls)
                return Resolution(name=f"{before}.{name}/{count}", under=cls, ambiguous=True)
            return _on(at, row, class_type(cls), arguments)._replace(ambiguous=True)
        found = members(world, one.cls, name)
        if static and any(method.static for method in found):
            found = tuple([method for method in found if method.static])
        known = {candidate.method for candidate in candidates}
        candidates += [Candidate(method, one) for method in found if method not in known]
        if not one.cls.complete:
            unseen = unseen or one.cls
    resolution = _among(at, row, candidates, arguments, static) if candidates else NOTHING
    if resolution.candidates:
        return resolution
    if unseen is not None:
        return Resolution(name=f"{_outside(at, unseen)}.{name}/{count}", under=unseen)
    return Resolution(name=f"?.{name}/{count}", under=world.object)


def _is_settled(at: Attribution, cls: Class, name: str, count: int) -> bool:
    """Return whether a call on any descendant of a class means a method that the class has.

    That is so if no descendant declares another method of the name for so many arguments.
    """
    key = (cls, name, count)
    if key not in at.world.settled:
        world = at.world
        known = [one for one in members(world, cls, name) if takes(one, count)]
        near = below(world, cls)
        at.world.settled[key] = bool(known) and all(
            one in known or any(overrides(world, one, other) for other in known)
            for one in world.like(name, count)
            if one.cls in near
        )
    return at.world.settled[key]


def _among(
    at: Attribution,
    row: int,
    candidates: Sequence[Candidate],
    arguments: Sequence[Argument],
    static: bool = False,
) -> Resolution:
    seen = [one for one in candidates if takes(one.method, len(arguments))]
    if len(seen) > 1:
        scope = at.rows.scopes[row].cls
        seen = [one for one in seen if accessible(at.world, scope, one.method)] or seen
        seen = choose(at, seen, arguments)
    ambiguous = not one_method(at, seen) and len(seen) > 0
    if any(one.site is not None and not one.site.cls.complete for one in seen):
        # Unknown ancestors may declare further overloads: being the only one is not enough.
        fits = {one: applicable(at, one, arguments) for one in seen}
        seen = [one for one in seen if fits[one] != NO]
        ambiguous = ambiguous or any(fits[one] == MAYBE for one in seen)
    return Resolution(tuple(seen), ambiguous=ambiguous)


def accessible(world: World, scope: Class, method: Method) -> bool:
    """Return whether code in a class may access a method (JLS 6.6)."""
    flags, cls = method.flags, method.cls
    if "u" in flags:
        return True
    if "r" in flags:
        return _outermost(cls) is _outermost(scope)
    if cls.package == scope.package:
        return True
    if "p" not in flags:
        return False
    here: Class | None = scope
    for _ in range(NESTING):
        if here is None:
            return False
        if cls in ancestors(world, here):
            return True
        here = here.owner
    return True


def _outermost(cls: Class) -> Class:
    while cls.owner is not None:
        cls = cls.owner
    return cls


# ---- constructors


def _constructor(at: Attribution, row: int) -> Resolution:
    rows, world = at.rows, at.world
    cls = rows.scopes[row].cls
    what = rows.code[row]
    arguments = rows.arguments(row)
    site: Type
    if what == code.CONSTANT:
        site = own_type(world, cls)
    elif what == code.CONSTRUCT:
        above = supers(world, cls)
        itself = rows.a[row] in (1, 3)
        site = own_type(world, cls) if itself else (above[0] if above else UNKNOWN)
    else:
        site = at.created_type(row)
    if isinstance(site, ClassType) and site.cls.is_interface:
        site = world.object_type  # an anonymous class that implements an interface
    return construct(at, row, site, arguments)


def construct(at: Attribution, row: int, site: Type, arguments: Sequence[Argument]) -> Resolution:
    count = len(arguments)
    if not isinstance(site, ClassType) and at.rows.code[row] == code.INNER:
        # The outer object's type is unknown: any inner class of the name may be meant.
        classes = at.world.inner_classes(at.rows.text(row).partition("<")[0])
        made = [one for cls in classes for one in cls.methods.get(CONSTRUCTOR, ())]
        fitting = tuple([Candidate(one, None) for one in made if takes(one, count)])
        return Resolution(fitting, bool(fitting), special=True, name=f"?.{CONSTRUCTOR}/{count}")
    if not isinstance(site, ClassType) or site.cls.kind == "outside":
        name = label(site.cls) if isinstance(site, ClassType) else "?"
        return Resolution(name=f"{name}.{CONSTRUCTOR}/{count}", special=True)
    made = site.cls.methods.get(CONSTRUCTOR, [])
    diamond = at.rows.code[row] in (code.NEW, code.INNER) and is_diamond(at, row)
    seen = own_type(at.world, site.cls) if diamond else site
    found = _among(at, row, [Candidate(one, seen, diamond) for one in made], arguments)
    if not found.candidates:
        every = tuple([Candidate(one, site) for one in made])
        found = Resolution(every, ambiguous=True, name=f"{label(site.cls)}.{CONSTRUCTOR}/{count}")
    return found._replace(special=True)


# ---- method references


def referred(at: Attribution, row: int) -> tuple[list[Candidate], bool, bool]:
    """Return the methods of a reference's name and two flags.

    The first flag: the object may be the first argument (``Type::method``). The second: the call
    runs the method itself, no override (``super::method``, ``Type::new``).
    """
    rows, world = at.rows, at.world
    before = rows.receiver(row)
    if before < 0:
        return [], False, False
    scope = rows.scopes[row]
    special = rows.code[before] == code.SUPER
    unbound = False
    if special:
        above = supers(world, scope.cls)
        type_: Type = above[0] if above else world.object_type
    elif rows.code[before] == code.TYPE:
        text = rows.text(before)
        special = text.endswith(".super")
        type_ = type_in(world, scope.cls, scope.method, text.removesuffix(".super"))
        unbound = not special
    else:
        meant = at.meaning(before)
        type_ = UNKNOWN if meant.kind == "package" else meant.type
        unbound = meant.kind == "type"
    if rows.a[row] < 0:
        if not isinstance(type_, ClassType):
            return [], False, True
        made = type_.cls.methods.get(CONSTRUCTOR, [])
        return [Candidate(one, type_) for one in made], False, True
    name = rows.text(row)
    found: list[Candidate] = []
    for one in bound_types(type_):
        if isinstance(one, ArrayType):
            one = world.object_type
        if isinstance(one, ClassType):
            found += [Candidate(method, one) for method in members(world, one.cls, name)]
    return found, unbound, special


def resolve_reference(at: Attribution, row: int) -> Resolution:
    rows, world = at.rows, at.world
    candidates, unbound, special = at.referred_candidates(row)
    if not candidates:
        return _unseen_reference(at, row)
    told = function(world, at.expected(row) or UNKNOWN)
    scope = rows.scopes[row].cls
    seen = [one for one in candidates if accessible(world, scope, one.method)] or list(candidates)
    if told is None:
        return Resolution(tuple(seen), not one_method(at, seen), special)
    given = told[0]
    left: list[Candidate] = []
    if unbound:
        static = [one for one in seen if one.method.static]
        left += choose(at, static, given)
        if given:
            bound = [one for one in seen if not one.method.static]
            left += choose(at, _seen_as(at, bound, given[0]), given[1:])
    else:
        left = choose(at, seen, given)
    left = left or seen
    return Resolution(tuple(left), not one_method(at, left), special)


def _seen_as(at: Attribution, candidates: Iterable[Candidate], first: Type) -> list[Candidate]:
    """Replace raw receiver types (``List::size``) by the type of the first argument."""
    found = []
    for one in candidates:
        site = one.site
        if site is not None and not site.args:
            for type_ in bound_types(first):
                if isinstance(type_, ClassType):
                    site = as_super(at.world, type_, site.cls) or site
                    break
        found.append(Candidate(one.method, site))
    return found


def _unseen_reference(at: Attribution, row: int) -> Resolution:
    """Resolve a reference to a method of an unknown type."""
    rows, world = at.rows, at.world
    if rows.a[row] < 0:
        return NOTHING if rows.receiver(row) < 0 else _unseen_creation(at, row)
    name = rows.text(row)
    before = rows.receiver(row)
    if before >= 0 and rows.code[before] != code.SUPER:
        if rows.code[before] == code.TYPE:
            scope = rows.scopes[before]
            type_ = type_in(world, scope.cls, scope.method, rows.text(before))
        else:
            type_ = at.meaning(before).type
        for one in bound_types(type_):
            if isinstance(one, ClassType) and not one.cls.complete:
                return Resolution(name=f"{_outside(at, one.cls)}.{name}", under=one.cls)
    return Resolution(name=f"?.{name}", under=world.object, ambiguous=True)


def _unseen_creation(at: Attribution, row: int) -> Resolution:
    rows = at.rows
    before = rows.receiver(row)
    scope = rows.scopes[row]
    if rows.code[before] == code.TYPE:
        type_ = type_in(at.world, scope.cls, scope.method, rows.text(before))
    else:
        type_ = at.meaning(before).type
    if isinstance(type_, ClassType):
        return Resolution(name=f"{label(type_.cls)}.{CONSTRUCTOR}", special=True)
    return NOTHING
