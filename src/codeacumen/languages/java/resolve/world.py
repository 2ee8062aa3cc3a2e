"""All classes that a project's calls can involve: its own, the platform's, and unknown ones.

A project's class hides the platform's class of the same name, since the JDK itself may be the
project.

The platform is the JDK's public API, from a text table that ``scripts/jdk_api.py`` generates: a
first line that names the JDK, then one block per type (see ``scripts/JdkApi.java``). Loading the
table only indexes the blocks by name; a block is parsed when its type is looked up.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from codeacumen.languages.java.resolve.types import NAMELESS, Class, Field, Method, Unit, class_type

TABLE = "jdk_api.txt.xz"


class Member(NamedTuple):
    """A method, or a field if ``parameters`` is None."""

    flags: str
    name: str
    variables: tuple[str, ...]
    parameters: tuple[str, ...] | None
    type: str


class PlatformType(NamedTuple):
    name: str
    kind: str
    flags: str
    variables: tuple[str, ...]
    supers: tuple[str, ...]
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Platform:
    """The JDK ``made_from``, and the unparsed block of each type by its qualified name."""

    made_from: str
    blocks: dict[str, str]
    packages: frozenset[str]

    def get(self, name: str) -> PlatformType | None:
        """Return the type of a qualified name such as ``java.util.Map.Entry``, or None."""
        block = self.blocks.get(name)
        if block is None:
            return None
        head, *lines = block.split("\n")
        kind, flags, variables, supers = head.split("\t")
        members = tuple([_member(line) for line in lines if line])
        return PlatformType(name, kind, flags, _parts(variables), _parts(supers), members)


def read(text: str) -> Platform:
    """Parse the text of a table that ``scripts/jdk_api.py`` wrote."""
    made_from, _, rest = text.partition("\n")
    blocks = dict(block.split("\t", 1) for block in rest.split("\n\n") if block.strip())
    packages = set()
    for name in blocks:
        package = name.rpartition(".")[0]
        if package not in blocks:
            packages.add(package)
    return Platform(made_from, blocks, frozenset(packages))


@lru_cache(maxsize=1)
def platform() -> Platform:
    packed = files("codeacumen.languages.java.resolve").joinpath(TABLE).read_bytes()
    return read(lzma.decompress(packed).decode())


def _member(line: str) -> Member:
    flags, name, variables, *rest = line.split("\t")
    if len(rest) == 1:
        return Member(flags, name, (), None, rest[0])
    return Member(flags, name, _parts(variables), _parts(rest[0]), rest[1])


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


OBJECT = "java.lang.Object"
# Qualified names are cut after so many parts: nesting may be 10,000 deep.
LONGEST = 100
# Declaration of the placeholder for code outside of any type, in a source with errors.
_NOBODY: list[Any] = ["class", "", -1, -1, 1, "", [], [""], []]


class Declaring(NamedTuple):
    """The project's classes that declare methods of one name and parameter count.

    ``extended`` lists those that have subclasses.
    """

    classes: dict[Class, list[Method]]
    extended: list[Class]


class World:
    """All classes by name, and the project's methods by name and parameter count.

    ``declared`` holds the path and the declarations (``FileFacts.declared``) of each file.
    """

    def __init__(self, declared: Iterable[tuple[str, Any]], platform: Platform) -> None:
        self.platform = platform
        self.units: dict[str, Unit] = {}
        self.tops: dict[tuple[str, str], list[Class]] = {}
        self.packages: set[str] = set()
        self._by_arity: dict[tuple[str, int], list[Method]] = {}
        self._by_varargs: dict[str, list[Method]] = {}
        # Cache of ``resolution._has_no_other_overloads``.
        self.settled: dict[tuple[Class, str, int], bool] = {}
        self._declaring: dict[tuple[str, int], Declaring] = {}
        # Names of the accessors that records have without declaring them.
        self.accessors: set[str] = set()
        self._inner: dict[str, list[Class]] = {}
        self._platform: dict[str, Class | None] = {}
        self._outside: dict[str, Class] = {}
        self._namesakes: dict[str, list[Class]] = {}
        # Classes whose supertypes are being resolved, and how often that met one of them again.
        self.busy: set[Class] = set()
        self.circles = 0
        for path, facts in declared:
            self._add(path, facts)
        self.object = self.named(OBJECT)
        self.object_type = class_type(self.object)

    def _add(self, path: str, facts: Any) -> None:
        package = facts["package"]
        unit = Unit(path, package)
        self.units[path] = unit
        self.packages.add(package)
        _add_imports(unit, facts["imports"])
        for place, row in enumerate(facts["types"]):
            kind, name, owner, method, member, flags = row[:6]
            cls = Class(name, package, kind, flags, unit, place, row=row)
            if owner >= 0:
                cls.owner, cls.method, cls.member = unit.classes[owner], method, bool(member)
                if kind in NAMELESS:
                    pass
                elif member:
                    cls.owner.inner.setdefault(name, cls)
                    self._inner.setdefault(name, []).append(cls)
                else:
                    unit.local.setdefault((owner, method), []).append(cls)
            else:
                self.tops.setdefault((package, name), []).append(cls)
            unit.classes.append(cls)
        nobody = unit.nobody = Class("", package, "class", "f", unit, row=_NOBODY)
        for place, row in enumerate(facts["methods"]):
            self._add_method(unit, unit.classes[row[1]] if row[1] >= 0 else nobody, place, row)
        for name, type_, flags, written in facts["fields"]:
            cls = unit.classes[type_] if type_ >= 0 else nobody
            made = Field(cls, name, flags + "su" if cls.is_interface else flags, written)
            cls.fields.setdefault(name, made)
            unit.fields.append(made)
        for cls in unit.classes:
            _add_implicit(cls)
            if cls.kind == "record":
                self.accessors.update(name for name, _ in cls.row[8])

    def _add_method(self, unit: Unit, cls: Class, place: int, row: Any) -> None:
        name, _, flags, _, parameters, _ = row
        made = Method(cls, name, flags, len(parameters), place, row, ((unit.path, place),))
        unit.methods.append(made)
        cls.methods.setdefault(name, []).append(made)
        if name != "<init>":
            if made.varargs:
                self._by_varargs.setdefault(name, []).append(made)
            else:
                self._by_arity.setdefault((name, made.count), []).append(made)

    def like(self, name: str, count: int) -> list[Method]:
        """Return the project's methods of a name that accept so many arguments."""
        found = self._by_arity.get((name, count), [])
        more = self._by_varargs.get(name)
        if more:
            found = found + [one for one in more if count >= one.count - 1]
        return found

    def declaring(self, name: str, count: int) -> Declaring:
        """Return the project's classes with a method of a name and exact parameter count."""
        found = self._declaring.get((name, count))
        if found is None:
            classes: dict[Class, list[Method]] = {}
            more = [one for one in self._by_varargs.get(name, ()) if one.count == count]
            for method in self._by_arity.get((name, count), []) + more:
                classes.setdefault(method.cls, []).append(method)
            found = Declaring(classes, [cls for cls in classes if cls.subclasses])
            self._declaring[name, count] = found
        return found

    def named_like(self, name: str) -> list[Method]:
        """Return the project's methods of a name."""
        found = list(self._by_varargs.get(name, ()))
        for count in range(256):  # JVMS 4.3.3: at most 255 parameters
            found += self._by_arity.get((name, count), ())
        return found

    def inner_classes(self, name: str) -> list[Class]:
        """Return the project's inner member classes (not static ones) of a name."""
        return [one for one in self._inner.get(name, ()) if "s" not in one.flags]

    def find(self, name: str, near: Unit | None = None) -> Class | None:
        """Return the class of a qualified name, None if it is unknown.

        If the project declares several, return the one nearest to the file ``near``.
        """
        at = len(name)
        while True:
            # Most classes are top-level: split at the last dot first.
            dot = name.rfind(".", 0, at)
            rest = name[dot + 1 :]
            first, _, inner = rest.partition(".")
            tops = self.tops.get((name[: max(dot, 0)], first))
            if tops:
                found: Class | None = tops[0] if len(tops) == 1 else nearest(tops, near)
                for part in inner.split(".") if inner else ():
                    found = found.inner.get(part) if found else None
                if found:
                    return found
            if dot < 0:
                break
            at = dot
        if name not in self._platform:
            self._platform[name] = None
            self._platform[name] = self._from_platform(name)
        return self._platform[name]

    def named(self, name: str) -> Class:
        """Return the class of a qualified name; if it is unknown, a placeholder for it."""
        found = self.find(name)
        if found is None:
            found = self._outside.get(name)
        if found is None:
            package, _, last = name.rpartition(".")
            found = self._outside[name] = Class(last, package, "outside", "", complete=False)
            found.variables = ()
            self._namesakes.setdefault(last, []).append(found)
        return found

    def namesakes(self, cls: Class) -> list[Class]:
        """Return the class and every class that may be the same one.

        For a class from outside these are others of its simple name, if either package is unknown.
        """
        if cls.kind != "outside":
            return [cls]
        named = self._namesakes.get(cls.name, [])
        return [one for one in named if one is cls or "?" in (one.package, cls.package)]

    def guess(self, name: str, unit: Unit) -> Class:
        """Return a placeholder for an unknown simple name.

        If exactly one import on demand names an unknown package, the class is taken to be from it.
        """
        strange = [one for one in unit.on_demand if not self.is_package(one) and not self.find(one)]
        return self.named(f"{strange[0]}.{name}" if len(strange) == 1 else f"?.{name}")

    def is_package(self, name: str) -> bool:
        return name in self.packages or name in self.platform.packages

    def _from_platform(self, name: str) -> Class | None:
        told = self.platform.get(name)
        if told is None:
            return None
        before, _, last = name.rpartition(".")
        owner = self.find(before) if before in self.platform.blocks else None
        package = owner.package if owner else before
        cls = Class(last, package, told.kind, told.flags + "u", owner=owner, row=told)
        for one in told.members:
            flags = one.flags if "p" in one.flags else one.flags + "u"
            if one.parameters is None:
                cls.fields[one.name] = Field(cls, one.name, flags, one.type)
            else:
                row = [one.name, -1, flags, one.variables, one.parameters, one.type]
                made = Method(cls, one.name, flags, len(one.parameters), row=row)
                cls.methods.setdefault(one.name, []).append(made)
        return cls


def label(cls: Class) -> str:
    """Return a class's qualified name."""
    if not cls.label:
        names = [cls.name]
        owner = cls.owner
        while owner is not None and len(names) < LONGEST:
            names.append(owner.name)
            owner = owner.owner
        if cls.package:
            names.append(cls.package)
        cls.label = ".".join(reversed(names))
    return cls.label


def nearest(classes: list[Class], unit: Unit | None) -> Class:
    """Return the class whose path shares the most leading folders with the file's path."""
    if unit is None or len(classes) == 1:
        return classes[0]
    path = unit.path.split("/")

    def shared(cls: Class) -> int:
        other = cls.unit.path.split("/") if cls.unit else []
        same = [a == b for a, b in zip(path, other, strict=False)]
        return same.index(False) if False in same else len(same)

    return max(classes, key=shared)


def _add_imports(unit: Unit, texts: list[str]) -> None:
    for text in texts:
        static, _, name = text.rpartition(" ")
        before, _, last = name.rpartition(".")
        if static and last == "*":
            unit.static_on_demand.append(before)
        elif static:
            unit.static.setdefault(last, []).append(before)
        elif last == "*":
            unit.on_demand.append(before)
        else:
            unit.imported[last] = name


def _add_implicit(cls: Class) -> None:
    """Add the implicitly declared members (JLS 8.8.9, 8.9.3, 8.10)."""
    if cls.kind == "record":
        types = [written for _, written in cls.row[8]]
        for name, written in cls.row[8]:
            cls.fields.setdefault(name, Field(cls, name, "fr", written))
            _add_missing(cls, name, "fu", [], written)
        _add_missing(cls, "<init>", "uv" if "..." in "".join(types[-1:]) else "u", types, "")
        _add_missing(cls, "equals", "fu", ["java.lang.Object"], "boolean")
        _add_missing(cls, "hashCode", "fu", [], "int")
        _add_missing(cls, "toString", "fu", [], "java.lang.String")
    elif cls.kind in ("class", "enum") and "<init>" not in cls.methods:
        access = "".join(letter for letter in cls.flags if letter in "upr")
        _add_missing(cls, "<init>", access, [], "")
    if cls.kind == "enum":
        _add_missing(cls, "values", "su", [], f"{cls.name}[]")
        _add_missing(cls, "valueOf", "su", ["java.lang.String"], cls.name)


def _add_missing(cls: Class, name: str, flags: str, types: list[str], result: str) -> None:
    """Add a method unless one with the same parameters is declared."""
    same = [_plain(text) for text in types]
    there = cls.methods.setdefault(name, [])
    if not any([_plain(text) for text in one.row[4]] == same for one in there):
        there.append(Method(cls, name, flags, len(types), row=[name, -1, flags, (), types, result]))


def _plain(text: str) -> str:
    """Return a type without package and type arguments, so that different spellings are equal."""
    name = text.partition("<")[0].rpartition(".")[2] if "..." not in text else text
    dimensions = text.count("[]") if "<" not in text else text.rpartition(">")[2].count("[]")
    return name.replace("[]", "") + "[]" * dimensions
