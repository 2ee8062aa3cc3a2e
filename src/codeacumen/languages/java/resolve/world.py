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
    """A method, or a field if ``parameters`` is None; ``variables`` are its type parameters.

    ``flags`` are those of ``FileFacts`` except u, public; ``type`` is the type of the field or the
    result.
    """

    flags: str
    name: str
    variables: tuple[str, ...]
    parameters: tuple[str, ...] | None
    type: str


class PlatformType(NamedTuple):
    """A class or interface of the platform; ``variables`` are its type parameters.

    ``name`` is qualified; ``supers`` are the superclass, if any, and the interfaces.
    """

    name: str
    kind: str
    flags: str
    variables: tuple[str, ...]
    supers: tuple[str, ...]
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Platform:
    """The JDK ``jdk_name``: its packages, and the unparsed block of each type by qualified name."""

    jdk_name: str
    blocks: dict[str, str]
    packages: frozenset[str]

    def find_type(self, name: str) -> PlatformType | None:
        """Return the type of a qualified name such as ``java.util.Map.Entry``, or None."""
        block = self.blocks.get(name)
        if block is None:
            return None
        header, *lines = block.split("\n")
        kind, flags, variables, supers = header.split("\t")
        members = tuple([_parse_member(line) for line in lines if line])
        return PlatformType(
            name, kind, flags, _split_parts(variables), _split_parts(supers), members
        )


def parse_platform(text: str) -> Platform:
    """Parse the text of a table that ``scripts/jdk_api.py`` wrote."""
    jdk_name, _, blocks_text = text.partition("\n")
    blocks = dict(block.split("\t", 1) for block in blocks_text.split("\n\n") if block.strip())
    packages = set()
    for name in blocks:
        package = name.rpartition(".")[0]
        if package not in blocks:
            packages.add(package)
    return Platform(jdk_name, blocks, frozenset(packages))


@lru_cache(maxsize=1)
def load_platform() -> Platform:
    """Load the table of the JDK's public API that ships with the package."""
    packed = files("codeacumen.languages.java.resolve").joinpath(TABLE).read_bytes()
    return parse_platform(lzma.decompress(packed).decode())


def _parse_member(line: str) -> Member:
    """Parse a member's line: four columns for a field, five for a method (``JdkApi.java``)."""
    flags, name, variables, *rest = line.split("\t")
    if len(rest) == 1:
        return Member(flags, name, (), None, rest[0])
    return Member(flags, name, _split_parts(variables), _split_parts(rest[0]), rest[1])


def _split_parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


OBJECT = "java.lang.Object"
# Maximum number of class names in a qualified name: classes may be nested 10,000 deep, and the
# names of all would take quadratic space.
MAX_NAME_PARTS = 100
# In a source with errors, methods and fields may be outside of any type. A placeholder declares
# them; this is its row of the ``types`` in ``FileFacts.declared``.
_PLACEHOLDER_DECLARATION: list[Any] = ["class", "", -1, -1, 1, "", [], [""], []]


class DeclaringClasses(NamedTuple):
    """The project's classes that declare methods of one name and parameter count, with the methods.

    ``extended`` lists the classes among them that have subclasses.
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
        self.top_level_classes: dict[tuple[str, str], list[Class]] = {}
        self.packages: set[str] = set()
        # The project's methods except constructors: those of fixed arity by name and parameter
        # count, those of variable arity by name.
        self._methods_by_arity: dict[tuple[str, int], list[Method]] = {}
        self._varargs_methods: dict[str, list[Method]] = {}
        # Cache of ``resolution._has_no_other_overloads``.
        self.has_no_other_overloads: dict[tuple[Class, str, int], bool] = {}
        self._declaring_classes: dict[tuple[str, int], DeclaringClasses] = {}
        # Names of all records' components: each component has an accessor of that name, declared
        # or not.
        self.record_accessors: set[str] = set()
        self._member_classes: dict[str, list[Class]] = {}
        self._platform_classes: dict[str, Class | None] = {}
        self._outside_classes: dict[str, Class] = {}
        self._outside_namesakes: dict[str, list[Class]] = {}
        # Classes whose supertypes are being resolved. ``cycle_count`` counts how often the
        # resolution met one of these classes again, or the nesting limit, and stopped: results
        # computed meanwhile are not cached.
        self.resolving_supertypes: set[Class] = set()
        self.cycle_count = 0
        for path, facts in declared:
            self._add_file(path, facts)
        self.object_class = self.find_or_add_class(OBJECT)
        self.object_type = class_type(self.object_class)

    def _add_file(self, path: str, facts: Any) -> None:
        package = facts["package"]
        unit = Unit(path, package)
        self.units[path] = unit
        self.packages.add(package)
        _add_imports(unit, facts["imports"])
        for index, declaration in enumerate(facts["types"]):
            kind, name, owner, method_index, is_member, flags = declaration[:6]
            cls = Class(name, package, kind, flags, unit, index, declaration=declaration)
            if owner >= 0:
                cls.owner, cls.method_index, cls.is_member = (
                    unit.classes[owner],
                    method_index,
                    bool(is_member),
                )
                if kind in NAMELESS:
                    pass
                elif is_member:
                    cls.owner.member_classes.setdefault(name, cls)
                    self._member_classes.setdefault(name, []).append(cls)
                else:
                    unit.local_classes.setdefault((owner, method_index), []).append(cls)
            else:
                self.top_level_classes.setdefault((package, name), []).append(cls)
            unit.classes.append(cls)
        placeholder = unit.placeholder = Class(
            "", package, "class", "f", unit, declaration=_PLACEHOLDER_DECLARATION
        )
        # Column 1 of a method is the index of its type.
        for index, declaration in enumerate(facts["methods"]):
            self._add_method(
                unit,
                unit.classes[declaration[1]] if declaration[1] >= 0 else placeholder,
                index,
                declaration,
            )
        for name, type_index, flags, declared_type in facts["fields"]:
            cls = unit.classes[type_index] if type_index >= 0 else placeholder
            # An interface's fields are implicitly static and public.
            field = Field(cls, name, flags + "su" if cls.is_interface else flags, declared_type)
            cls.fields.setdefault(name, field)
            unit.fields.append(field)
        for cls in unit.classes:
            _add_implicit_members(cls)
            if cls.kind == "record":
                # Column 8 holds the names and types of the components.
                self.record_accessors.update(name for name, _ in cls.declaration[8])

    def _add_method(self, unit: Unit, cls: Class, index: int, declaration: Any) -> None:
        name, _, flags, _, parameters, _ = declaration
        method = Method(
            cls, name, flags, len(parameters), index, declaration, ((unit.path, index),)
        )
        unit.methods.append(method)
        cls.methods.setdefault(name, []).append(method)
        if name != "<init>":
            if method.is_varargs:
                self._varargs_methods.setdefault(name, []).append(method)
            else:
                self._methods_by_arity.setdefault((name, method.parameter_count), []).append(method)

    def find_methods_accepting(self, name: str, argument_count: int) -> list[Method]:
        """Return the project's methods with this name that accept this number of arguments; no
        constructors."""
        methods = self._methods_by_arity.get((name, argument_count), [])
        varargs_methods = self._varargs_methods.get(name)
        if varargs_methods:
            methods = methods + [
                method for method in varargs_methods if argument_count >= method.parameter_count - 1
            ]
        return methods

    def find_declaring_classes(self, name: str, parameter_count: int) -> DeclaringClasses:
        """Return the project's classes that declare a method with this name and parameter count."""
        declaring_classes = self._declaring_classes.get((name, parameter_count))
        if declaring_classes is None:
            classes: dict[Class, list[Method]] = {}
            varargs_methods = [
                varargs_method
                for varargs_method in self._varargs_methods.get(name, ())
                if varargs_method.parameter_count == parameter_count
            ]
            for method in self._methods_by_arity.get((name, parameter_count), []) + varargs_methods:
                classes.setdefault(method.cls, []).append(method)
            declaring_classes = DeclaringClasses(
                classes, [cls for cls in classes if cls.subclasses]
            )
            self._declaring_classes[name, parameter_count] = declaring_classes
        return declaring_classes

    def find_methods_named(self, name: str) -> list[Method]:
        """Return the project's methods with this name; no constructors."""
        methods = list(self._varargs_methods.get(name, ()))
        for count in range(256):  # JVMS 4.3.3: at most 255 parameters
            methods += self._methods_by_arity.get((name, count), ())
        return methods

    def find_inner_classes(self, name: str) -> list[Class]:
        """Return the project's inner (not static) member classes with this name."""
        return [
            inner_class
            for inner_class in self._member_classes.get(name, ())
            if "s" not in inner_class.flags
        ]

    def find_class(self, name: str, near_unit: Unit | None = None) -> Class | None:
        """Return the class with this qualified name; None if it is unknown.

        If the project declares several, return the class nearest to the file ``near_unit``.
        """
        end = len(name)
        while True:
            # Most classes are top-level: split at the last dot first.
            dot = name.rfind(".", 0, end)
            type_path = name[dot + 1 :]
            top_level_name, _, member_path = type_path.partition(".")
            candidates = self.top_level_classes.get((name[: max(dot, 0)], top_level_name))
            if candidates:
                cls: Class | None = (
                    candidates[0] if len(candidates) == 1 else nearest_class(candidates, near_unit)
                )
                for part in member_path.split(".") if member_path else ():
                    cls = cls.member_classes.get(part) if cls else None
                if cls:
                    return cls
            if dot < 0:
                break
            end = dot
        if name not in self._platform_classes:
            self._platform_classes[name] = None
            self._platform_classes[name] = self._load_platform_class(name)
        return self._platform_classes[name]

    def find_or_add_class(self, name: str) -> Class:
        """Return the class with this qualified name; if unknown, a class of kind ``outside``."""
        cls = self.find_class(name)
        if cls is None:
            cls = self._outside_classes.get(name)
        if cls is None:
            package, _, simple_name = name.rpartition(".")
            cls = self._outside_classes[name] = Class(
                simple_name, package, "outside", "", is_complete=False
            )
            cls.type_parameters = ()
            self._outside_namesakes.setdefault(simple_name, []).append(cls)
        return cls

    def find_namesakes(self, cls: Class) -> list[Class]:
        """Return the class and every class that may be the same one.

        Only a class of kind ``outside`` has others: those of this kind with its simple name, if one
        of the two packages is unknown (``?``).
        """
        if cls.kind != "outside":
            return [cls]
        same_name = self._outside_namesakes.get(cls.name, [])
        return [
            namesake
            for namesake in same_name
            if namesake is cls or "?" in (namesake.package, cls.package)
        ]

    def guess_class(self, name: str, unit: Unit) -> Class:
        """Return a class of kind ``outside`` for an unknown simple name.

        If exactly one on-demand import names an unknown package, the class gets that package;
        otherwise its package is ``?``.
        """
        unknown_packages = [
            package
            for package in unit.on_demand_imports
            if not self.is_package(package) and not self.find_class(package)
        ]
        return self.find_or_add_class(
            f"{unknown_packages[0]}.{name}" if len(unknown_packages) == 1 else f"?.{name}"
        )

    def is_package(self, name: str) -> bool:
        return name in self.packages or name in self.platform.packages

    def _load_platform_class(self, name: str) -> Class | None:
        platform_type = self.platform.find_type(name)
        if platform_type is None:
            return None
        owner_name, _, simple_name = name.rpartition(".")
        owner = self.find_class(owner_name) if owner_name in self.platform.blocks else None
        package = owner.package if owner else owner_name
        cls = Class(
            simple_name,
            package,
            platform_type.kind,
            platform_type.flags + "u",
            owner=owner,
            declaration=platform_type,
        )
        for member in platform_type.members:
            # The table has no flag for public: a member that is not protected is public.
            flags = member.flags if "p" in member.flags else member.flags + "u"
            if member.parameters is None:
                cls.fields[member.name] = Field(cls, member.name, flags, member.type)
            else:
                declaration = [
                    member.name,
                    -1,
                    flags,
                    member.variables,
                    member.parameters,
                    member.type,
                ]
                method = Method(
                    cls, member.name, flags, len(member.parameters), declaration=declaration
                )
                cls.methods.setdefault(member.name, []).append(method)
        return cls


def qualified_name(cls: Class) -> str:
    """Return a class's qualified name, with the names of the classes around it."""
    if not cls.qualified_name:
        names = [cls.name]
        owner = cls.owner
        while owner is not None and len(names) < MAX_NAME_PARTS:
            names.append(owner.name)
            owner = owner.owner
        if cls.package:
            names.append(cls.package)
        cls.qualified_name = ".".join(reversed(names))
    return cls.qualified_name


def nearest_class(classes: list[Class], unit: Unit | None) -> Class:
    """Return the class whose file shares the most leading folders with the file ``unit``."""
    if unit is None or len(classes) == 1:
        return classes[0]
    path = unit.path.split("/")

    def count_shared_folders(cls: Class) -> int:
        other_path = cls.unit.path.split("/") if cls.unit else []
        matches = [a == b for a, b in zip(path, other_path, strict=False)]
        return matches.index(False) if False in matches else len(matches)

    return max(classes, key=count_shared_folders)


def _add_imports(unit: Unit, texts: list[str]) -> None:
    """Add imports, as in ``FileFacts.declared``, to a file."""
    for text in texts:
        static, _, name = text.rpartition(" ")
        owner_name, _, simple_name = name.rpartition(".")
        if static and simple_name == "*":
            unit.static_on_demand_imports.append(owner_name)
        elif static:
            unit.static_imports.setdefault(simple_name, []).append(owner_name)
        elif simple_name == "*":
            unit.on_demand_imports.append(owner_name)
        else:
            unit.single_imports[simple_name] = name


def _add_implicit_members(cls: Class) -> None:
    """Add the implicitly declared members (JLS 8.8.9, 8.9.3, 8.10).

    ``FileFacts`` explains the flags.
    """
    if cls.kind == "record":
        types = [declared_type for _, declared_type in cls.declaration[8]]
        for name, declared_type in cls.declaration[8]:
            cls.fields.setdefault(name, Field(cls, name, "fr", declared_type))
            _add_missing_method(cls, name, "fu", [], declared_type)
        _add_missing_method(cls, "<init>", "uv" if "..." in "".join(types[-1:]) else "u", types, "")
        _add_missing_method(cls, "equals", "fu", ["java.lang.Object"], "boolean")
        _add_missing_method(cls, "hashCode", "fu", [], "int")
        _add_missing_method(cls, "toString", "fu", [], "java.lang.String")
    elif cls.kind in ("class", "enum") and "<init>" not in cls.methods:
        # A default constructor is public, protected or private like its class.
        access = "".join(letter for letter in cls.flags if letter in "upr")
        _add_missing_method(cls, "<init>", access, [], "")
    if cls.kind == "enum":
        _add_missing_method(cls, "values", "su", [], f"{cls.name}[]")
        _add_missing_method(cls, "valueOf", "su", ["java.lang.String"], cls.name)


def _add_missing_method(cls: Class, name: str, flags: str, types: list[str], result: str) -> None:
    """Add a method unless the class declares one with the same parameter types.

    ``types`` are the texts of the parameter types, as column 4 of a declared method holds them.
    """
    parameter_types = [_simplify_type_text(text) for text in types]
    methods = cls.methods.setdefault(name, [])
    if not any(
        [_simplify_type_text(text) for text in method.declaration[4]] == parameter_types
        for method in methods
    ):
        methods.append(
            Method(cls, name, flags, len(types), declaration=[name, -1, flags, (), types, result])
        )


def _simplify_type_text(text: str) -> str:
    """Return a type without package and type arguments, so that different spellings are equal.

    A variable-arity type (``...``) keeps them.
    """
    name = text.partition("<")[0].rpartition(".")[2] if "..." not in text else text
    dimensions = text.count("[]") if "<" not in text else text.rpartition(">")[2].count("[]")
    return name.replace("[]", "") + "[]" * dimensions
