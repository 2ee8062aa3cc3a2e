"""Symbols (classes, methods, fields) and types of expressions, as far as calls depend on them.

Types are interned: equal types are the same object. A type that cannot be determined is a type
too: some subtype of a class, or anything at all. A guess never becomes a fact, because a wrong type
would lose calls, whereas an unknown type only makes them ambiguous.

Symbols have identity: there is one object per declaration of the project or the platform, and it
caches what is derived from it. A cache that is None is not filled yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# A method of the project: path, index of the method in its file's declarations.
Target = tuple[str, int]

# Kinds of classes that are interfaces, and that have no name of their own.
INTERFACES = ("interface", "annotation")
NAMELESS = ("anonymous", "enum constant")


@dataclass(slots=True, eq=False)
class Unit:
    """A file: its imports and what it declares.

    ``classes`` and ``methods`` have the order of ``Declarations``; ``fields`` ends with the enum
    constants. ``single_imports`` maps a simple name to the qualified one, ``static_imports`` a
    member's name to the classes it may come from; ``on_demand_imports`` are packages or classes
    (``a.*``). ``placeholder`` is the class of methods and fields outside of any type, as in a
    source with errors.
    """

    path: str
    package: str
    single_imports: dict[str, str] = field(default_factory=dict)
    on_demand_imports: list[str] = field(default_factory=list)
    static_imports: dict[str, list[str]] = field(default_factory=dict)
    static_on_demand_imports: list[str] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    # Local classes by the indices of the type and the method around them.
    local_classes: dict[tuple[int, int], list[Class]] = field(default_factory=dict)
    # Cache of ``scopes.resolve_at_top_level``.
    top_level_names: dict[str, Class | None] = field(default_factory=dict)
    placeholder: Class = field(init=False)


@dataclass(slots=True, eq=False)
class Class:
    """A class or interface.

    Outside the project ``unit`` is None and ``index`` is -1. A class of which only the name is
    known has the kind ``outside``. ``flags`` has a letter for each modifier, such as ``s`` for
    static (``FileFacts`` lists them). ``owner`` is the class around it, ``method_index`` the method
    that it is local to (-1: none). ``is_member`` is False for local and anonymous classes and for
    the bodies of enum constants. ``declaration`` is its row in ``FileFacts.declared``, or the
    ``PlatformType``. ``is_complete``: all its ancestors are known; final only after
    ``find_ancestors``.
    """

    name: str
    package: str
    kind: str
    flags: str
    unit: Unit | None = None
    index: int = -1
    owner: Class | None = None
    method_index: int = -1
    is_member: bool = True
    declaration: Any = None
    methods: dict[str, list[Method]] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    member_classes: dict[str, Class] = field(default_factory=dict)
    # Caches, filled on first use. The exception is ``subclasses``, the direct subclasses:
    # ``fill_subclasses`` fills it for all classes in one pass. ``functional_method`` is a Method,
    # False for none, None if not filled. A key of ``resolved_names`` or ``resolved_types`` is the
    # index of the method around the type (-1: none) and the type's name or text.
    type_parameters: tuple[TypeVariable, ...] | None = None
    supertypes: tuple[ClassType, ...] | None = None
    ancestors: dict[Class, ClassType] | None = None
    is_complete: bool = True
    parameterizations: dict[tuple[Type, ...], ClassType] = field(default_factory=dict)
    unknown_subtype: Unknown | None = None
    resolved_names: dict[tuple[int, str], Any] = field(default_factory=dict)
    resolved_types: dict[tuple[int, str], Type] = field(default_factory=dict)
    members_by_name: dict[str, tuple[Method, ...]] = field(default_factory=dict)
    subclasses: list[Class] = field(default_factory=list)
    descendants: frozenset[Class] | None = None
    functional_method: Any = None
    qualified_name: str = ""

    @property
    def is_interface(self) -> bool:
        return self.kind in INTERFACES

    @property
    def outermost(self) -> Class:
        """The top-level class around it, or itself."""
        cls = self
        while cls.owner is not None:
            cls = cls.owner
        return cls


@dataclass(slots=True, eq=False)
class Method:
    """A method or constructor.

    ``index`` is its position in its file's declarations; -1 for a method that is not in the
    source: a default constructor, a record's accessor, a method from outside the project.
    ``name`` of a constructor is ``<init>``. ``declaration`` is a row of the ``methods`` in
    ``FileFacts.declared``. ``targets`` holds the method itself, or nothing without an index;
    ``targets_by_class`` what a call may run, overrides included, by the receiver's static class.
    """

    cls: Class
    name: str
    flags: str
    parameter_count: int
    index: int = -1
    declaration: Any = None
    targets: tuple[Target, ...] = ()
    # Caches, filled on first use.
    type_parameters: tuple[TypeVariable, ...] | None = None
    parameter_types: tuple[Type, ...] | None = None
    return_type: Type | None = None
    erased_parameter_types: tuple[Type, ...] | None = None
    signature: str = ""
    targets_by_class: dict[Class, Any] = field(default_factory=dict)

    @property
    def is_static(self) -> bool:
        return "s" in self.flags

    @property
    def is_abstract(self) -> bool:
        return "a" in self.flags

    @property
    def is_varargs(self) -> bool:
        return "v" in self.flags


@dataclass(slots=True, eq=False)
class Field:
    """A field. ``declared_type`` is the text of its type; empty for an enum constant, whose type is
    its class."""

    cls: Class
    name: str
    flags: str
    declared_type: str
    resolved_type: Type | None = None


# Deeper than anyone nests type arguments; without a limit, inference might not terminate.
MAX_TYPE_DEPTH = 12
# The largest number of an array's dimensions (JVMS 4.10).
MAX_DIMENSIONS = 255


class _InternedType:
    """Base class of types: holds the types derived from this one, so that each exists once.

    ``_array`` is the array of this type, ``_plus`` and ``_minus`` the wildcards with this bound.
    ``free``: a type variable occurs in it. ``depth`` is the nesting of type arguments and arrays.
    """

    __slots__ = ("_array", "_minus", "_plus")
    free = False
    depth = 0

    def __init__(self) -> None:
        self._array: ArrayType | None = None
        self._plus: Wildcard | None = None
        self._minus: Wildcard | None = None


class Primitive(_InternedType):
    """A primitive type, ``void`` or the type of ``null``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class ClassType(_InternedType):
    """A class or interface with its type arguments; a generic class without arguments is raw."""

    __slots__ = ("args", "cls", "depth", "free", "supertype_cache")

    def __init__(self, cls: Class, args: tuple[Type, ...]) -> None:
        super().__init__()
        self.cls = cls
        self.args = args
        self.free = any(arg.free for arg in args)
        self.depth = 1 + max([arg.depth for arg in args], default=0)
        # Cache of ``as_supertype``.
        self.supertype_cache: dict[Class, ClassType] = {}


class ArrayType(_InternedType):
    __slots__ = ("component_type", "depth", "free")

    def __init__(self, component_type: Type) -> None:
        super().__init__()
        self.component_type = component_type
        self.free = component_type.free
        self.depth = component_type.depth + 1


class TypeVariable(_InternedType):
    """A type parameter of a class or a method.

    The bounds are set after construction, because they may refer to the variable itself.
    """

    __slots__ = ("bounds", "name", "owner")
    free = True

    def __init__(self, name: str, owner: Class | Method) -> None:
        super().__init__()
        self.name = name
        self.owner = owner
        self.bounds: tuple[Type, ...] = ()


class Wildcard(_InternedType):
    """A wildcard: ``? extends bound`` (sign +), ``? super bound`` (-) or ``?`` (*, bound None)."""

    __slots__ = ("bound", "depth", "free", "sign")

    def __init__(self, sign: str, bound: Type | None) -> None:
        super().__init__()
        self.sign = sign
        self.bound = bound
        self.free = bound is not None and bound.free
        self.depth = 0 if bound is None else bound.depth


class Unknown(_InternedType):
    """Some subtype of ``bound_class``; any type, primitive types included, if that is None."""

    __slots__ = ("bound_class",)

    def __init__(self, bound_class: Class | None) -> None:
        super().__init__()
        self.bound_class = bound_class


class IntersectionType(_InternedType):
    """An intersection type: a value of it has all ``parts`` as types."""

    __slots__ = ("free", "parts")

    def __init__(self, parts: tuple[Type, ...]) -> None:
        super().__init__()
        self.parts = parts
        self.free = any(part.free for part in parts)


Type: TypeAlias = (
    Primitive | ClassType | ArrayType | TypeVariable | Wildcard | Unknown | IntersectionType
)

PRIMITIVES = {
    name: Primitive(name)
    for name in ("boolean", "byte", "short", "char", "int", "long", "float", "double", "void")
}
BOOLEAN, INT, VOID = PRIMITIVES["boolean"], PRIMITIVES["int"], PRIMITIVES["void"]
NULL = Primitive("null")
UNKNOWN = Unknown(None)
UNBOUNDED_WILDCARD = Wildcard("*", None)

BOXES = {
    "boolean": "java.lang.Boolean",
    "byte": "java.lang.Byte",
    "short": "java.lang.Short",
    "char": "java.lang.Character",
    "int": "java.lang.Integer",
    "long": "java.lang.Long",
    "float": "java.lang.Float",
    "double": "java.lang.Double",
}
# Widening of primitive types (JLS 5.1.2).
WIDENINGS = {
    "byte": ("short", "int", "long", "float", "double"),
    "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"),
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
}


def class_type(cls: Class, args: tuple[Type, ...] = ()) -> ClassType:
    """Return the type of a class with type arguments; unknown ones if they nest too deep."""
    type_ = cls.parameterizations.get(args)
    if type_ is None:
        type_ = ClassType(cls, args)
        if type_.depth > MAX_TYPE_DEPTH:
            return class_type(cls, (UNKNOWN,) * len(args))
        cls.parameterizations[args] = type_
    return type_


def array_of(type_: Type, dimensions: int = 1) -> Type:
    """Return the array type with this component type; UNKNOWN with too many dimensions."""
    if type_.depth + dimensions > MAX_DIMENSIONS:
        return UNKNOWN
    for _ in range(dimensions):
        if type_._array is None:
            type_._array = ArrayType(type_)
        type_ = type_._array
    return type_


def wildcard_type(sign: str, bound: Type) -> Wildcard:
    """Return ``? extends bound`` (sign +) or ``? super bound`` (sign -)."""
    if sign == "+":
        if bound._plus is None:
            bound._plus = Wildcard(sign, bound)
        return bound._plus
    if bound._minus is None:
        bound._minus = Wildcard(sign, bound)
    return bound._minus


def unknown_subtype_of(bound_class: Class | None) -> Unknown:
    """Return the unknown subtype of a class; of None, the type that may be any type."""
    if bound_class is None:
        return UNKNOWN
    if bound_class.unknown_subtype is None:
        bound_class.unknown_subtype = Unknown(bound_class)
    return bound_class.unknown_subtype


def substitute_variables(type_: Type, substitution: Mapping[TypeVariable, Type]) -> Type:
    """Return the type with its type variables replaced.

    If a wildcard replaces a variable, a type argument becomes the wildcard. Elsewhere the variable
    becomes the wildcard's upper bound, the type of a value read through the wildcard.
    """
    if not type_.free or not substitution:
        return type_
    if isinstance(type_, TypeVariable):
        replacement = substitution.get(type_, type_)
        return upper_bound(replacement, type_) if isinstance(replacement, Wildcard) else replacement
    if isinstance(type_, ArrayType):
        return array_of(substitute_variables(type_.component_type, substitution))
    if isinstance(type_, IntersectionType):
        return IntersectionType(
            tuple([substitute_variables(part, substitution) for part in type_.parts])
        )
    if isinstance(type_, ClassType):
        return class_type(
            type_.cls, tuple([substitute_argument(arg, substitution) for arg in type_.args])
        )
    return substitute_argument(type_, substitution)


def substitute_argument(type_: Type, substitution: Mapping[TypeVariable, Type]) -> Type:
    """Return a type argument with its variables replaced; it may stay or become a wildcard."""
    if not type_.free:
        return type_
    if isinstance(type_, TypeVariable):
        replacement = substitution.get(type_, type_)
        # A primitive type cannot be a type argument. NULL can: it stands for an argument that is
        # not inferred yet (see ``generics``).
        return (
            UNKNOWN
            if isinstance(replacement, Primitive) and replacement is not NULL
            else replacement
        )
    if not isinstance(type_, Wildcard) or type_.bound is None:
        return substitute_variables(type_, substitution)
    type_bound = type_.bound
    bound = (
        substitution.get(type_bound, type_bound)
        if isinstance(type_bound, TypeVariable)
        else substitute_variables(type_bound, substitution)
    )
    if not isinstance(bound, Wildcard):
        return wildcard_type(type_.sign, bound)
    if bound.bound is None or (type_.sign == "+" and bound.sign == "-"):
        return UNBOUNDED_WILDCARD
    # In ``? super T`` with ``? extends X`` for T, only T's upper bound X is known; ``? super X``
    # is an approximation.
    return wildcard_type(type_.sign, bound.bound)


def upper_bound(type_: Type, variable: TypeVariable | None = None) -> Type:
    """Return the type of values read through a wildcard that stands for the variable; any other
    type unchanged."""
    if not isinstance(type_, Wildcard):
        return type_
    if type_.sign == "+" and type_.bound is not None:
        return type_.bound
    return erasure(variable) if variable is not None else UNKNOWN


def lower_bound(type_: Type, variable: TypeVariable | None = None) -> Type:
    """Return the type of values accepted where a wildcard stands for the variable: its bound, also
    that of ``? extends``, as in the function type of a wildcard (JLS 9.9)."""
    if isinstance(type_, Wildcard) and type_.bound is not None:
        return type_.bound
    return upper_bound(type_, variable)


def erasure(type_: Type) -> Type:
    """Return the erasure of a type (JLS 4.6)."""
    for _ in range(MAX_TYPE_DEPTH):
        if isinstance(type_, TypeVariable):
            type_ = type_.bounds[0] if type_.bounds else UNKNOWN
        elif isinstance(type_, IntersectionType):
            type_ = type_.parts[0]
        else:
            break
    if isinstance(type_, ClassType):
        return class_type(type_.cls) if type_.args else type_
    if isinstance(type_, ArrayType):
        return array_of(erasure(type_.component_type))
    # In a source with errors, bounds may be cyclic.
    return type_ if isinstance(type_, Primitive) else UNKNOWN


def mentions_variable(type_: Type, variables: frozenset[TypeVariable]) -> bool:
    """Return whether one of the variables occurs in a type."""
    if not type_.free:
        return False
    if isinstance(type_, TypeVariable):
        return type_ in variables
    if isinstance(type_, ArrayType):
        return mentions_variable(type_.component_type, variables)
    if isinstance(type_, Wildcard):
        return type_.bound is not None and mentions_variable(type_.bound, variables)
    if isinstance(type_, ClassType):
        return any(mentions_variable(arg, variables) for arg in type_.args)
    return isinstance(type_, IntersectionType) and any(
        mentions_variable(part, variables) for part in type_.parts
    )
