"""Types of expressions, as far as calls depend on them.

A type exists once: equal types are the same object. What is not known is a type too: ``Unknown``
is some subtype of a class, or anything at all. A guess is never made into a fact, because a wrong
type would lose calls and an unknown one only makes them ambiguous.

Classes, methods and fields of a project and of the platform, as calls see them.

Objects with identity: there is one for each declaration, and what is derived from it is kept in
it. What is None is not yet asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# (path, place among the file's methods)
Target = tuple[str, int]

INTERFACES = ("interface", "annotation")
NAMELESS = ("anonymous", "enum constant")


@dataclass(slots=True, eq=False)
class Unit:
    """A file: what names mean in it by its imports, and what it declares."""

    path: str
    package: str
    imported: dict[str, str] = field(default_factory=dict)
    on_demand: list[str] = field(default_factory=list)
    static: dict[str, list[str]] = field(default_factory=dict)
    static_on_demand: list[str] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    methods: list[Method] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    # Local classes by the type and the method they stand in.
    local: dict[tuple[int, int], list[Class]] = field(default_factory=dict)
    names: dict[str, Class | None] = field(default_factory=dict)
    nobody: Class = field(init=False)


@dataclass(slots=True, eq=False)
class Class:
    """A class or interface. ``unit`` is None outside the project; then ``place`` is -1.
    A class of which nothing but the name is known has the kind ``outside``."""

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
    # Filled in when asked for.
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
    """``place`` is its number in its file's declarations, -1 for one that nobody wrote: a
    default constructor, a record's accessor, what is outside the project."""

    cls: Class
    name: str
    flags: str
    count: int
    place: int = -1
    row: Any = None
    target: tuple[Target, ...] = ()
    # Filled in when asked for.
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
    """``written`` is its type as declared; empty for an enum constant, which has its class."""

    cls: Class
    name: str
    flags: str
    written: str
    type: Type | None = None


# Deeper nesting of type arguments than anyone writes; inference could go on for ever.
DEEPEST = 12
# JVMS 4.10: no array has more.
MOST_DIMENSIONS = 255


class _Once:
    """Where a type keeps those made of it, so that they exist once."""

    __slots__ = ("_array", "_minus", "_plus")
    free = False
    depth = 0

    def __init__(self) -> None:
        self._array: ArrayType | None = None
        self._plus: Wildcard | None = None
        self._minus: Wildcard | None = None


class Primitive(_Once):
    """Also ``void`` and the type of ``null``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class ClassType(_Once):
    """A class or interface with its type arguments; without them though it has parameters, it
    is raw. ``free``: it mentions a type variable."""

    __slots__ = ("above", "args", "cls", "depth", "free")

    def __init__(self, cls: Class, args: tuple[Type, ...]) -> None:
        super().__init__()
        self.cls = cls
        self.args = args
        self.free = any(one.free for one in args)
        self.depth = 1 + max([one.depth for one in args], default=0)
        # Its supertypes, by class, as they are asked for.
        self.above: dict[Class, ClassType] = {}


class ArrayType(_Once):
    __slots__ = ("depth", "free", "of")

    def __init__(self, of: Type) -> None:
        super().__init__()
        self.of = of
        self.free = of.free
        self.depth = of.depth + 1


class Variable(_Once):
    """A type parameter of a class or a method. Its bounds are filled in after it is made, since
    they may speak of it."""

    __slots__ = ("bounds", "name", "owner")
    free = True

    def __init__(self, name: str, owner: Class | Method) -> None:
        super().__init__()
        self.name = name
        self.owner = owner
        self.bounds: tuple[Type, ...] = ()


class Wildcard(_Once):
    """``? extends bound`` (sign +), ``? super bound`` (-), ``?`` (no bound)."""

    __slots__ = ("bound", "depth", "free", "sign")

    def __init__(self, sign: str, bound: Type | None) -> None:
        super().__init__()
        self.sign = sign
        self.bound = bound
        self.free = bound is not None and bound.free
        self.depth = 0 if bound is None else bound.depth


class Unknown(_Once):
    """Some type below ``upper``; None: any, primitive types too."""

    __slots__ = ("upper",)

    def __init__(self, upper: Class | None) -> None:
        super().__init__()
        self.upper = upper


class Both(_Once):
    """An intersection: what has all of these types."""

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
    """The type with its variables replaced. What replaces may be a wildcard: then a variable that
    stands alone becomes the wildcard's upper bound, as reading through it would."""
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
    """A type argument with its variables replaced: here a wildcard may stay one."""
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
    # ``? super T`` with T captured from ``? extends X``: X is what can be said of T.
    return wildcard(type_.sign, bound.bound)


def upper(type_: Type, variable: Variable | None = None) -> Type:
    """What may be read through a wildcard that stands for the variable."""
    if not isinstance(type_, Wildcard):
        return type_
    if type_.sign == "+" and type_.bound is not None:
        return type_.bound
    return erasure(variable) if variable is not None else UNKNOWN


def lower(type_: Type, variable: Variable | None = None) -> Type:
    """What may be given where a wildcard stands for the variable."""
    if isinstance(type_, Wildcard) and type_.bound is not None:
        return type_.bound
    return upper(type_, variable)


def erasure(type_: Type) -> Type:
    """JLS 4.6."""
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
    # Bounds of a broken source may go round in circles.
    return type_ if isinstance(type_, Primitive) else UNKNOWN


def mentions(type_: Type, variables: frozenset[Variable]) -> bool:
    """Whether a type speaks of one of the variables."""
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
