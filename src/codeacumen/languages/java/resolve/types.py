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

# (path, index of the method in its file's declarations)
Target = tuple[str, int]

INTERFACES = ("interface", "annotation")
NAMELESS = ("anonymous", "enum constant")


@dataclass(slots=True, eq=False)
class Unit:
    """A file: its imports and what it declares."""

    path: str
    package: str
    imported: dict[str, str] = field(default_factory=dict)
    on_demand: list[str] = field(default_factory=list)
    static: dict[str, list[str]] = field(default_factory=dict)
    static_on_demand: list[str] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    # Local classes by the indices of the type and the method around them.
    local: dict[tuple[int, int], list[Class]] = field(default_factory=dict)
    names: dict[str, Class | None] = field(default_factory=dict)
    nobody: Class = field(init=False)


@dataclass(slots=True, eq=False)
class Class:
    """A class or interface.

    Outside the project ``unit`` is None and ``index`` is -1. A class of which only the name is
    known has the kind ``outside``. ``is_complete``: all its ancestors are known.
    """

    name: str
    package: str
    kind: str
    flags: str
    unit: Unit | None = None
    place: int = -1
    owner: Class | None = None
    method: int = -1
    member: bool = True
    row: Any = None
    methods: dict[str, list[Method]] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    inner: dict[str, Class] = field(default_factory=dict)
    # Caches, filled on first use.
    variables: tuple[Variable, ...] | None = None
    supers: tuple[ClassType, ...] | None = None
    ancestors: dict[Class, ClassType] | None = None
    complete: bool = True
    types: dict[tuple[Type, ...], ClassType] = field(default_factory=dict)
    unknown: Unknown | None = None
    named: dict[tuple[int, str], Any] = field(default_factory=dict)
    written: dict[tuple[int, str], Type] = field(default_factory=dict)
    found: dict[str, tuple[Method, ...]] = field(default_factory=dict)
    subclasses: list[Class] = field(default_factory=list)
    below: frozenset[Class] | None = None
    functional: Any = None
    label: str = ""

    @property
    def is_interface(self) -> bool:
        return self.kind in INTERFACES


@dataclass(slots=True, eq=False)
class Method:
    """A method or constructor.

    ``index`` is its position in its file's declarations; -1 for a method that is not in the
    source: a default constructor, a record's accessor, a method from outside the project.
    """

    cls: Class
    name: str
    flags: str
    count: int
    place: int = -1
    row: Any = None
    target: tuple[Target, ...] = ()
    # Caches, filled on first use.
    variables: tuple[Variable, ...] | None = None
    parameters: tuple[Type, ...] | None = None
    returns: Type | None = None
    erased: tuple[Type, ...] | None = None
    label: str = ""
    reached: dict[Class, Any] = field(default_factory=dict)

    @property
    def static(self) -> bool:
        return "s" in self.flags

    @property
    def abstract(self) -> bool:
        return "a" in self.flags

    @property
    def varargs(self) -> bool:
        return "v" in self.flags

    @property
    def private(self) -> bool:
        return "r" in self.flags


@dataclass(slots=True, eq=False)
class Field:
    """A field. ``declared_type`` is empty for an enum constant, whose type is its class."""

    cls: Class
    name: str
    flags: str
    written: str
    type: Type | None = None


# Deeper than anyone nests type arguments; without a limit, inference might not terminate.
DEEPEST = 12
# JVMS 4.10
MOST_DIMENSIONS = 255


class _Once:
    """Base class of types: holds the types derived from this one, so that each exists once."""

    __slots__ = ("_array", "_minus", "_plus")
    free = False
    depth = 0

    def __init__(self) -> None:
        self._array: ArrayType | None = None
        self._plus: Wildcard | None = None
        self._minus: Wildcard | None = None


class Primitive(_Once):
    """A primitive type, ``void`` or the type of ``null``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class ClassType(_Once):
    """A class or interface with its type arguments; a generic class without arguments is raw."""

    __slots__ = ("above", "args", "cls", "depth", "free")

    def __init__(self, cls: Class, args: tuple[Type, ...]) -> None:
        super().__init__()
        self.cls = cls
        self.args = args
        self.free = any(one.free for one in args)
        self.depth = 1 + max([one.depth for one in args], default=0)
        # Cache of ``as_supertype``.
        self.above: dict[Class, ClassType] = {}


class ArrayType(_Once):
    __slots__ = ("depth", "free", "of")

    def __init__(self, of: Type) -> None:
        super().__init__()
        self.of = of
        self.free = of.free
        self.depth = of.depth + 1


class Variable(_Once):
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


class Wildcard(_Once):
    """A wildcard: ``? extends bound`` (sign +), ``? super bound`` (-) or ``?`` (no bound)."""

    __slots__ = ("bound", "depth", "free", "sign")

    def __init__(self, sign: str, bound: Type | None) -> None:
        super().__init__()
        self.sign = sign
        self.bound = bound
        self.free = bound is not None and bound.free
        self.depth = 0 if bound is None else bound.depth


class Unknown(_Once):
    """Some subtype of ``bound_class``; any type, primitive types included, if that is None."""

    __slots__ = ("upper",)

    def __init__(self, upper: Class | None) -> None:
        super().__init__()
        self.upper = upper


class Both(_Once):
    """An intersection type: a value of it has all ``parts`` as types."""

    __slots__ = ("free", "parts")

    def __init__(self, parts: tuple[Type, ...]) -> None:
        super().__init__()
        self.parts = parts
        self.free = any(one.free for one in parts)


Type: TypeAlias = Primitive | ClassType | ArrayType | Variable | Wildcard | Unknown | Both

PRIMITIVES = {
    name: Primitive(name)
    for name in ("boolean", "byte", "short", "char", "int", "long", "float", "double", "void")
}
BOOLEAN, INT, VOID = PRIMITIVES["boolean"], PRIMITIVES["int"], PRIMITIVES["void"]
NULL = Primitive("null")
UNKNOWN = Unknown(None)
ANY = Wildcard("*", None)

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
WIDER = {
    "byte": ("short", "int", "long", "float", "double"),
    "short": ("int", "long", "float", "double"),
    "char": ("int", "long", "float", "double"),
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
}


def class_type(cls: Class, args: tuple[Type, ...] = ()) -> ClassType:
    found = cls.types.get(args)
    if found is None:
        found = ClassType(cls, args)
        if found.depth > DEEPEST:
            return class_type(cls, (UNKNOWN,) * len(args))
        cls.types[args] = found
    return found


def array_of(of: Type, dimensions: int = 1) -> Type:
    if of.depth + dimensions > MOST_DIMENSIONS:
        return UNKNOWN
    for _ in range(dimensions):
        if of._array is None:
            of._array = ArrayType(of)
        of = of._array
    return of


def wildcard(sign: str, bound: Type) -> Wildcard:
    if sign == "+":
        if bound._plus is None:
            bound._plus = Wildcard(sign, bound)
        return bound._plus
    if bound._minus is None:
        bound._minus = Wildcard(sign, bound)
    return bound._minus


def unknown(upper: Class | None) -> Unknown:
    if upper is None:
        return UNKNOWN
    if upper.unknown is None:
        upper.unknown = Unknown(upper)
    return upper.unknown


def substitute(type_: Type, given: Mapping[Variable, Type]) -> Type:
    """Return the type with its type variables replaced.

    A variable that is replaced by a wildcard becomes the wildcard's upper bound, unless it is a
    type argument: that is the type of a value read through the wildcard.
    """
    if not type_.free or not given:
        return type_
    if isinstance(type_, Variable):
        found = given.get(type_, type_)
        return upper(found, type_) if isinstance(found, Wildcard) else found
    if isinstance(type_, ArrayType):
        return array_of(substitute(type_.of, given))
    if isinstance(type_, Both):
        return Both(tuple([substitute(one, given) for one in type_.parts]))
    if isinstance(type_, ClassType):
        return class_type(type_.cls, tuple([substitute_argument(one, given) for one in type_.args]))
    return substitute_argument(type_, given)


def substitute_argument(type_: Type, given: Mapping[Variable, Type]) -> Type:
    """Return a type argument with its variables replaced; it may stay or become a wildcard."""
    if not type_.free:
        return type_
    if isinstance(type_, Variable):
        found = given.get(type_, type_)
        return UNKNOWN if isinstance(found, Primitive) and found is not NULL else found
    if not isinstance(type_, Wildcard) or type_.bound is None:
        return substitute(type_, given)
    inner = type_.bound
    bound = given.get(inner, inner) if isinstance(inner, Variable) else substitute(inner, given)
    if not isinstance(bound, Wildcard):
        return wildcard(type_.sign, bound)
    if bound.bound is None or (type_.sign == "+" and bound.sign == "-"):
        return ANY
    # ``? super T`` with T captured from ``? extends X``: of T only the bound X is known.
    return wildcard(type_.sign, bound.bound)


def upper(type_: Type, variable: Variable | None = None) -> Type:
    """Return the type of values read through a wildcard that stands for the variable."""
    if not isinstance(type_, Wildcard):
        return type_
    if type_.sign == "+" and type_.bound is not None:
        return type_.bound
    return erasure(variable) if variable is not None else UNKNOWN


def lower(type_: Type, variable: Variable | None = None) -> Type:
    """Return the type of values accepted where a wildcard stands for the variable."""
    if isinstance(type_, Wildcard) and type_.bound is not None:
        return type_.bound
    return upper(type_, variable)


def erasure(type_: Type) -> Type:
    """Return the erasure of a type (JLS 4.6)."""
    for _ in range(DEEPEST):
        if isinstance(type_, Variable):
            type_ = type_.bounds[0] if type_.bounds else UNKNOWN
        elif isinstance(type_, Both):
            type_ = type_.parts[0]
        else:
            break
    if isinstance(type_, ClassType):
        return class_type(type_.cls) if type_.args else type_
    if isinstance(type_, ArrayType):
        return array_of(erasure(type_.of))
    # In a source with errors, bounds may be cyclic.
    return type_ if isinstance(type_, Primitive) else UNKNOWN


def mentions(type_: Type, variables: frozenset[Variable]) -> bool:
    """Return whether one of the variables occurs in a type."""
    if not type_.free:
        return False
    if isinstance(type_, Variable):
        return type_ in variables
    if isinstance(type_, ArrayType):
        return mentions(type_.of, variables)
    if isinstance(type_, Wildcard):
        return type_.bound is not None and mentions(type_.bound, variables)
    if isinstance(type_, ClassType):
        return any(mentions(one, variables) for one in type_.args)
    return isinstance(type_, Both) and any(mentions(one, variables) for one in type_.parts)
