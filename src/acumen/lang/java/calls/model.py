"""Classes, methods and fields of a project and of the platform, as calls see them.

Objects with identity: there is one for each declaration, and what is derived from it is kept in
it. What is None is not yet asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from acumen.lang.java.calls.types import ClassType, Type, Unknown, Variable

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
