"""Check whether a value's type converts to an expected type in an invocation context (JLS 5.3).

Results: NO, no conversion; STRICT, without boxing or unboxing; LOOSE, with boxing or unboxing;
MAYBE, uncertain because a type is not known.
"""

from __future__ import annotations

from typing import NamedTuple

from codeacumen.languages.java.resolve.members import bound_types
from codeacumen.languages.java.resolve.scopes import as_supertype, find_ancestors
from codeacumen.languages.java.resolve.types import (
    BOXES,
    NULL,
    PRIMITIVES,
    UNKNOWN,
    VOID,
    WIDENINGS,
    ArrayType,
    Class,
    ClassType,
    IntersectionType,
    Primitive,
    Type,
    TypeVariable,
    Unknown,
    Wildcard,
    class_type,
    erasure,
)
from codeacumen.languages.java.resolve.world import World, qualified_name

NO, STRICT, LOOSE, MAYBE = range(4)
_PRIMITIVE_OF_BOX = {box: name for name, box in BOXES.items()}
# Supertypes of arrays besides Object (JLS 4.10.3).
_ARRAY_SUPERTYPES = ("java.lang.Cloneable", "java.io.Serializable")


def check_subclass(world: World, cls: Class, other: Class) -> int:
    """Return STRICT if ``cls`` is ``other`` or a subtype of it, NO if not, MAYBE if uncertain."""
    if cls is other or other is world.object_class or other in find_ancestors(world, cls):
        return STRICT
    # Unknown ancestors are outside the project, so they cannot extend one of its classes.
    return NO if cls.is_complete or other.unit is not None else MAYBE


def box_type(world: World, type_: Type) -> Type:
    """Return the box class of a primitive type (JLS 5.1.7), any other type unchanged."""
    if isinstance(type_, Primitive) and type_.name in BOXES:
        return class_type(world.find_or_add_class(BOXES[type_.name]))
    return type_


def unboxed_name(type_: Type) -> str:
    """Return the name of a primitive type, or of the one that a box unboxes to, else an empty text.

    ``NULL`` counts as a primitive type with the name ``null``.
    """
    if isinstance(type_, Primitive):
        return type_.name
    if isinstance(type_, ClassType) and type_.cls.package == "java.lang":
        return _PRIMITIVE_OF_BOX.get(qualified_name(type_.cls), "")
    return ""


class OpenVariables(NamedTuple):
    """Owners of the type variables that matter to a call.

    ``inferred`` are the owners (methods or classes) of variables that the call still has to infer.
    ``fixed`` is the class whose variables stand for themselves, since the receiver has that class's
    own type; None if there is none.
    """

    inferred: tuple[object, ...] = ()
    fixed: Class | None = None


NO_OPEN_VARIABLES = OpenVariables()


def classify_conversion(
    world: World, source: Type, target: Type, open_variables: OpenVariables = NO_OPEN_VARIABLES
) -> int:
    """Return how a value of type ``source`` converts to the parameter type ``target``: NO, STRICT,
    LOOSE or MAYBE.

    A target that is a type variable which the call still has to infer counts as its bound.
    """
    if isinstance(target, TypeVariable):
        if source is target or source is NULL:
            return STRICT
        if target.owner in open_variables.inferred:
            return classify_conversion(world, source, erasure(target), open_variables)
        if isinstance(source, TypeVariable):
            return STRICT if target in source.bounds else MAYBE
        # The type argument of a variable with another owner is unknown.
        is_certain = target.owner is open_variables.fixed and not isinstance(source, Unknown)
        return NO if is_certain or source is VOID else MAYBE
    if isinstance(target, IntersectionType | Wildcard):
        return MAYBE
    if isinstance(target, Unknown) or isinstance(source, Unknown):
        return _classify_unknown(world, source, target)
    if source is VOID:
        return NO
    if isinstance(target, Primitive):
        return _classify_to_primitive(source, target.name)
    if source is NULL:
        return STRICT
    if isinstance(source, Primitive):
        conversion = classify_conversion(world, box_type(world, source), target, open_variables)
        return LOOSE if conversion == STRICT else conversion
    # A value has all its bounds as types, so the best answer counts. LOOSE cannot occur here.
    best = NO
    for bound in bound_types(source):
        best = max(
            best,
            _classify_to_reference(world, bound, target, open_variables),
            key=(NO, MAYBE, STRICT).index,
        )
    return best


def _classify_unknown(world: World, source: Type, target: Type) -> int:
    """Return how a value converts if its type or the target is unknown: NO, STRICT or MAYBE."""
    if isinstance(source, Unknown) and source.bound_class is not None:
        # The source is a subtype of the class: not primitive, and a subtype of its supertypes.
        if isinstance(target, Primitive):
            # Boxes only have supertypes from Java's own packages.
            may_be_box = source.bound_class is world.object_class or qualified_name(
                source.bound_class
            ).startswith("java.")
            return MAYBE if may_be_box else NO
        if isinstance(target, ClassType) and not target.args:
            if check_subclass(world, source.bound_class, target.cls) == STRICT:
                return STRICT
            is_disjoint = (
                "f" in target.cls.flags
                and check_subclass(world, target.cls, source.bound_class) == NO
            )
            return NO if is_disjoint else MAYBE
    return MAYBE


def _classify_to_primitive(source: Type, target_name: str) -> int:
    """Return how a value converts to a primitive type, by widening or after unboxing."""
    if isinstance(source, Primitive):
        if source.name == target_name:
            return STRICT
        return STRICT if target_name in WIDENINGS.get(source.name, ()) else NO
    name = unboxed_name(erasure(source))
    if not name:
        # This includes a type variable whose bound is an interface of a box: it does not unbox.
        return NO
    return LOOSE if name == target_name or target_name in WIDENINGS.get(name, ()) else NO


def _classify_to_reference(
    world: World, source: Type, target: Type, open_variables: OpenVariables
) -> int:
    """Return how a value of a class or array type converts to one: NO, STRICT or MAYBE."""
    if isinstance(source, Unknown):
        return MAYBE
    if isinstance(source, ArrayType):
        if isinstance(target, ArrayType):
            if isinstance(source.component_type, Primitive) or isinstance(
                target.component_type, Primitive
            ):
                is_unclear = isinstance(source.component_type, Unknown) or isinstance(
                    target.component_type, Unknown
                )
                return (
                    MAYBE
                    if is_unclear
                    else (STRICT if source.component_type is target.component_type else NO)
                )
            return classify_conversion(
                world, source.component_type, target.component_type, open_variables
            )
        if not isinstance(target, ClassType):
            return MAYBE
        is_array_supertype = (
            target.cls is world.object_class or qualified_name(target.cls) in _ARRAY_SUPERTYPES
        )
        return STRICT if is_array_supertype else NO
    if not isinstance(source, ClassType) or not isinstance(target, ClassType):
        return NO if isinstance(target, ArrayType) else MAYBE
    subclass_check = check_subclass(world, source.cls, target.cls)
    if subclass_check == STRICT and target.args and _has_distinct_arguments(world, source, target):
        return NO
    return subclass_check


def _has_distinct_arguments(world: World, source: ClassType, target: ClassType) -> bool:
    """Return whether two corresponding type arguments are known and distinct (JLS 4.5.1)."""
    supertype = as_supertype(world, source, target.cls)
    if supertype is None or len(supertype.args) != len(target.args):
        return False
    return any(
        isinstance(source_argument, ClassType)
        and isinstance(target_argument, ClassType)
        and source_argument.cls is not target_argument.cls
        and not (source_argument.cls.kind == "outside" or target_argument.cls.kind == "outside")
        for source_argument, target_argument in zip(supertype.args, target.args, strict=True)
    )


def promote_numeric(left: Type, right: Type) -> Type:
    """Return the type of an arithmetic operation by numeric promotion (JLS 5.6); UNKNOWN if an
    operand has no primitive type."""
    names = {unboxed_name(left), unboxed_name(right)}
    if "" in names or "null" in names:
        return UNKNOWN
    for name in ("double", "float", "long"):
        if name in names:
            return PRIMITIVES[name]
    return PRIMITIVES["int"]
