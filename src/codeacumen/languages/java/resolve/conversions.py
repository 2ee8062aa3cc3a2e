"""Compatibility of a value's type with an expected type in an invocation context (JLS 5.3).

NO, STRICT and LOOSE are certain; everything else is MAYBE.
"""

from __future__ import annotations

from typing import NamedTuple

from codeacumen.languages.java.resolve.members import bound_types
from codeacumen.languages.java.resolve.scopes import ancestors, as_super
from codeacumen.languages.java.resolve.types import (
    BOXES,
    NULL,
    PRIMITIVES,
    UNKNOWN,
    VOID,
    WIDER,
    ArrayType,
    Both,
    Class,
    ClassType,
    Primitive,
    Type,
    Unknown,
    Variable,
    Wildcard,
    class_type,
    erasure,
)
from codeacumen.languages.java.resolve.world import World, label

NO, STRICT, LOOSE, MAYBE = range(4)
_UNBOXED = {box: name for name, box in BOXES.items()}
# Supertypes of arrays besides Object (JLS 4.10.3).
_OF_ARRAYS = ("java.lang.Cloneable", "java.io.Serializable")


def is_below(world: World, cls: Class, other: Class) -> int:
    """Return STRICT if a class is or extends another, NO if not, MAYBE if ancestors are unknown."""
    if cls is other or other is world.object or other in ancestors(world, cls):
        return STRICT
    # The unknown ancestors lie outside the project and cannot extend the project's classes.
    return NO if cls.complete or other.unit is not None else MAYBE


def boxed(world: World, type_: Type) -> Type:
    if isinstance(type_, Primitive) and type_.name in BOXES:
        return class_type(world.named(BOXES[type_.name]))
    return type_


def unboxed(type_: Type) -> str:
    """Return the name of the primitive type that a value is or unboxes to, else an empty text."""
    if isinstance(type_, Primitive):
        return type_.name
    if isinstance(type_, ClassType) and type_.cls.package == "java.lang":
        return _UNBOXED.get(label(type_.cls), "")
    return ""


class Open(NamedTuple):
    """Owners of type variables: ``chosen`` ones are still to be inferred by the call.

    Those of ``fixed``, the class around the call, are ordinary types.
    """

    chosen: tuple[object, ...] = ()
    fixed: Class | None = None


NOTHING_OPEN = Open()


def convert(world: World, given: Type, wanted: Type, open_: Open = NOTHING_OPEN) -> int:
    """Return how a value converts to a parameter's type: STRICT without boxing, LOOSE with it.

    A type variable that is still to be inferred counts as its bound.
    """
    if isinstance(wanted, Variable):
        if given is wanted or given is NULL:
            return STRICT
        if wanted.owner in open_.chosen:
            return convert(world, given, erasure(wanted), open_)
        if isinstance(given, Variable):
            return STRICT if wanted in given.bounds else MAYBE
        # A variable from elsewhere lost its type argument and may be anything.
        known = wanted.owner is open_.fixed and not isinstance(given, Unknown)
        return NO if known or given is VOID else MAYBE
    if isinstance(wanted, Both | Wildcard):
        return MAYBE
    if isinstance(wanted, Unknown) or isinstance(given, Unknown):
        return _unknown(world, given, wanted)
    if given is VOID:
        return NO
    if isinstance(wanted, Primitive):
        return _to_primitive(given, wanted.name)
    if given is NULL:
        return STRICT
    if isinstance(given, Primitive):
        found = convert(world, boxed(world, given), wanted, open_)
        return LOOSE if found == STRICT else found
    best = NO
    for one in bound_types(given):
        best = max(best, _to_reference(world, one, wanted, open_), key=(NO, MAYBE, STRICT).index)
    return best


def _unknown(world: World, given: Type, wanted: Type) -> int:
    if isinstance(given, Unknown) and given.upper is not None:
        # Some subtype of a class: not primitive, and a subtype of the class's supertypes.
        if isinstance(wanted, Primitive):
            boxes = given.upper is world.object or label(given.upper).startswith("java.")
            return MAYBE if boxes else NO
        if isinstance(wanted, ClassType) and not wanted.args:
            if is_below(world, given.upper, wanted.cls) == STRICT:
                return STRICT
            final = "f" in wanted.cls.flags and is_below(world, wanted.cls, given.upper) == NO
            return NO if final else MAYBE
    return MAYBE


def _to_primitive(given: Type, wanted: str) -> int:
    if isinstance(given, Primitive):
        if given.name == wanted:
            return STRICT
        return STRICT if wanted in WIDER.get(given.name, ()) else NO
    name = unboxed(erasure(given))
    if not name:
        # A type variable may be bounded by a box's interface, but then it does not unbox.
        return NO
    return LOOSE if name == wanted or wanted in WIDER.get(name, ()) else NO


def _to_reference(world: World, given: Type, wanted: Type, open_: Open) -> int:
    if isinstance(given, Unknown):
        return MAYBE
    if isinstance(given, ArrayType):
        if isinstance(wanted, ArrayType):
            if isinstance(given.of, Primitive) or isinstance(wanted.of, Primitive):
                unclear = isinstance(given.of, Unknown) or isinstance(wanted.of, Unknown)
                return MAYBE if unclear else (STRICT if given.of is wanted.of else NO)
            return convert(world, given.of, wanted.of, open_)
        if not isinstance(wanted, ClassType):
            return MAYBE
        of_arrays = wanted.cls is world.object or label(wanted.cls) in _OF_ARRAYS
        return STRICT if of_arrays else NO
    if not isinstance(given, ClassType) or not isinstance(wanted, ClassType):
        return NO if isinstance(wanted, ArrayType) else MAYBE
    found = is_below(world, given.cls, wanted.cls)
    if found == STRICT and wanted.args and _distinct(world, given, wanted):
        return NO
    return found


def _distinct(world: World, given: ClassType, wanted: ClassType) -> bool:
    """Return whether the type arguments are known and provably distinct (JLS 4.5.1)."""
    seen = as_super(world, given, wanted.cls)
    if seen is None or len(seen.args) != len(wanted.args):
        return False
    return any(
        isinstance(one, ClassType)
        and isinstance(other, ClassType)
        and one.cls is not other.cls
        and not (one.cls.kind == "outside" or other.cls.kind == "outside")
        for one, other in zip(seen.args, wanted.args, strict=True)
    )


def promoted(one: Type, other: Type) -> Type:
    """Return the type of an arithmetic operation by numeric promotion (JLS 5.6)."""
    names = {unboxed(one), unboxed(other)}
    if "" in names or "null" in names:
        return UNKNOWN
    for name in ("double", "float", "long"):
        if name in names:
            return PRIMITIVES[name]
    return PRIMITIVES["int"]
