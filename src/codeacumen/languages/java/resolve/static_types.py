"""Static types of a file's expressions as javac determines them, where they are certain.

The declared type of a variable is read from the file. Everything else uses the attribution of the
call graph (``attribution``), lazily for each member of a type. Without a project the file stands
alone: other files of its package are unknown, and are taken not to hide the types of ``java.lang``
or those that the file imports.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.names import ROLES
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.certainty import KNOWN, Certainty, Places
from codeacumen.languages.java.resolve.conversions import unboxed
from codeacumen.languages.java.resolve.facts import declared_by, imports
from codeacumen.languages.java.resolve.link import Project
from codeacumen.languages.java.resolve.meanings import variable
from codeacumen.languages.java.resolve.scopes import ancestors, resolve, type_in
from codeacumen.languages.java.resolve.sites import Scope, rows, sites_below
from codeacumen.languages.java.resolve.types import (
    BOXES,
    NAMELESS,
    NULL,
    UNKNOWN,
    ArrayType,
    Class,
    ClassType,
    Primitive,
    Type,
    Unit,
    erasure,
    upper,
)
from codeacumen.languages.java.resolve.world import World, label, platform
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Column

UNBOXED = {box: name for name, box in BOXES.items()}
_VARIABLES = (
    "local",
    "parameter",
    "lambda parameter",
    "catch parameter",
    "pattern variable",
    "resource",
    "field",
)
_OF_CLASSES = frozenset(
    (
        "program",
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "annotation_type_body",
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    )
)
# Poly expressions: where a type is expected of them, they have that type.
_POLY = frozenset(("ternary_expression", "switch_expression"))
_EXPECTS_NOTHING = frozenset(
    (
        "switch_expression",
        "method_invocation",
        "field_access",
        "binary_expression",
        "array_access",
        "unary_expression",
        "instanceof_expression",
        "synchronized_statement",
        "method_reference",
    )
)
_HIDING_NOTHING = ("java.lang.Object", "java.lang.Enum", "java.lang.Comparable")


class Typed(NamedTuple):
    """A type without its type arguments.

    ``name`` is qualified: ``int``, ``java.lang.String``, ``a.Outer.Color``, ``int[]``; for a local
    class it is the simple name. ``kind`` is primitive, null, void, array, class, interface, enum,
    record or annotation; empty for a class of which only the name is known.
    """

    name: str
    kind: str


class _Region(NamedTuple):
    """The attribution of one member of a type.

    ``row_of`` holds the row of each node from ``first`` on.
    """

    at: Attribution
    row_of: Column
    first: int


class Types(Places):
    """Types of the expressions at nodes of a file; ``path`` is the file's path in the project."""

    def __init__(self, file: JavaFile, project: Project | None = None, path: str = "") -> None:
        super().__init__(file)
        self.path = path
        self._project = project
        self._regions: dict[int, _Region] = {}
        self._found: dict[int, Type | None] = {}

    def of(self, node: int) -> Typed | None:
        """Return the erased type of an expression; None if it is not certain."""
        node = self.unwrapped(node)
        text = self.written(node)
        if text in BOXES:
            return Typed(text, "primitive")
        if text in KNOWN and text not in self._own_types:
            return Typed(f"java.lang.{text}", "class")
        found = self._erased(node)
        return self._told(found) if found is not None else None

    def written(self, node: int) -> str:
        """Return the declared type of an expression as its declaration spells it.

        The expression has to be a local variable, or a field or a call of a method that the class
        around it declares, so that the text means the same type there. Empty for all others and
        for ``var``.
        """
        declared = self.declaration(self.unwrapped(node))
        if declared == NONE or self.type_around(declared) != self.type_around(node):
            return ""
        text = self.declared_text(declared)
        return "" if text == "var" else text

    def hides(self, name: str) -> bool:
        """Return whether the file declares or imports a type that hides java.lang's of a name."""
        return name in self._own_types

    # ---- spelling of types

    def spelling(self, node: int, value: bool = False) -> str:
        """Return a spelling of an expression's class that is valid where the expression stands.

        Empty if there is none for certain. With ``value`` the spelling can begin an expression
        (``Color.RED``): no variable of that name hides it.
        """
        node = self.unwrapped(node)
        scope = self._scope(node)
        text = self.written(node)
        if text.replace(".", "").isidentifier() and text not in BOXES:
            # A type parameter of the method may have the same name.
            before = self.method_of(self.declaration(node))
            here = resolve(self.world, scope.cls, scope.method, text)
            same = here is resolve(self.world, scope.cls, before, text)
            plain = same and isinstance(here, Class) and self._is_plain(here, scope)
            names = [text] if plain else []
        else:
            found = self._erased(node)
            if not isinstance(found, ClassType) or not _is_accessible(found.cls, scope.cls):
                return ""
            names = self._names(found.cls, scope)
        for name in names:
            if not value or not self._is_obscured(name.partition(".")[0], node, scope):
                return name
        return ""

    def has_method(self, node: int, name: str) -> bool:
        """Return whether an expression's class may have a method of a name.

        Methods that every object and every enum has do not count.
        """
        found = self._erased(self.unwrapped(node))
        if not isinstance(found, ClassType):
            return True
        above = ancestors(self.world, found.cls)
        return not found.cls.complete or any(
            name in one.methods for one in above if label(one) not in _HIDING_NOTHING
        )

    def _is_plain(self, cls: Class, scope: Scope) -> bool:
        return cls.member or self._certainty.name(scope.cls, scope.method, cls.name)

    def _names(self, cls: Class, scope: Scope) -> list[str]:
        """Return the valid spellings of a class in a scope, the shortest first."""
        found: list[str] = []
        tail = ""
        at: Class | None = cls
        while at is not None and at.kind not in NAMELESS:
            sure = self._certainty.name(scope.cls, scope.method, at.name)
            if sure and resolve(self.world, scope.cls, scope.method, at.name) is at:
                found.append(at.name + tail)
            if not at.member:
                return found
            tail = f".{at.name}{tail}"
            at = at.owner
        known = cls.kind != "outside" or self._is_imported(cls)
        if cls.package and known and cls.package.partition(".")[0] not in self._words:
            found.append(label(cls))
        return found

    def may_be_variable(self, name: str, node: int) -> bool:
        """Return whether a simple name may mean a variable at a node."""
        if name in self._variables:
            return True
        return variable(self._region(node).at, self._scope(node).cls, name) is not None

    def _is_obscured(self, name: str, node: int, scope: Scope) -> bool:
        """Return whether a variable obscures the type or package of a simple name (JLS 6.4.2).

        Unknown inherited variables are taken not to be named like types, or like packages that the
        file refers to.
        """
        if name in self._variables:
            return True
        found = variable(self._region(node).at, scope.cls, name)
        usual = name[:1].isupper() and any(letter.islower() for letter in name)
        return found is not None and not (found is UNKNOWN and (usual or name in self._packages))

    @cached_property
    def _packages(self) -> frozenset[str]:
        """First parts of the names of packages that the file refers to."""
        texts = [one.rpartition(" ")[2] for one in imports(self.file.syntax)]
        texts += ["java", self.file.declarations.package]
        return frozenset(text.partition(".")[0] for text in texts)

    @cached_property
    def _variables(self) -> frozenset[str]:
        """Names of all variables that the file declares or refers to; constant labels in ``switch``
        count only if declared."""
        constants = self._words_as("enum constant", declared=True)
        return constants | self._words_as(*_VARIABLES)

    @cached_property
    def _words(self) -> frozenset[str]:
        """Names of all variables and types, any of which may obscure a package of that name."""
        return self._variables | self._words_as("type", "type variable")

    def _words_as(self, *roles: str, declared: bool = False) -> frozenset[str]:
        names, bound = self.file.names, self.file.bindings
        wanted = np.isin(bound.role, [ROLES.index(role) for role in roles])
        if declared:
            wanted &= bound.declaration == bound.node
        return frozenset(names.words[word] for word in set(names.word[wanted].tolist()))

    @cached_property
    def _own_types(self) -> frozenset[str]:
        """Simple names of types that may hide those of java.lang."""
        declared = self.file.declarations
        found = {one.name for one in declared.types}
        generic = [one.type_parameters for one in declared.types]
        generic += [one.type_parameters for one in declared.methods]
        found.update(text.partition(" ")[0] for texts in generic for text in texts)
        found.update(one.rpartition(".")[2] for one in imports(self.file.syntax))
        if self._project is not None:
            found.update(one for one in KNOWN if (declared.package, one) in self.world.tops)
        return frozenset(found)

    # ---- types

    def _told(self, type_: Type) -> Typed | None:
        if isinstance(type_, Primitive):
            plain = type_.name in BOXES
            return Typed(type_.name, "primitive" if plain else type_.name)
        if isinstance(type_, ArrayType):
            of = self._told(type_.of)
            return Typed(f"{of.name}[]", "array") if of else None
        if not isinstance(type_, ClassType) or type_.cls.kind in NAMELESS:
            return None
        cls = type_.cls
        if cls.kind == "outside":
            return Typed(label(cls), "") if self._is_imported(cls) else None
        return Typed(_name(cls), cls.kind)

    def _is_imported(self, cls: Class) -> bool:
        """Return whether an import confirms the qualified name of an unknown class."""
        name = label(cls)
        return any(name == one or name.startswith(f"{one}.") for one in self._imported)

    @cached_property
    def _imported(self) -> frozenset[str]:
        units = self.world.units.values()
        return frozenset(one for unit in units for one in unit.imported.values())

    def _erased(self, node: int) -> Type | None:
        if node not in self._found:
            type_ = self._attributed(node)
            found = erasure(upper(type_)) if type_ is not None else UNKNOWN
            known = isinstance(found, Primitive | ArrayType | ClassType)
            self._found[node] = found if known else None
        return self._found[node]

    def _attributed(self, node: int) -> Type | None:
        kind, region = self.kind(node), self._region(node)
        row = int(region.row_of[node - region.first])
        if row < 0:
            return self._plain(node) if kind == "identifier" else None
        type_ = region.at.type_of(row)
        # A numeric or boolean conditional is a standalone expression (JLS 15.25).
        if kind in _POLY and not unboxed(type_) and not self._stands_alone(node):
            return None
        sure = type_ is NULL or self._certainty.of(region.at, row)
        return type_ if sure else None

    def _plain(self, node: int) -> Type | None:
        """Return the type of a name without a row: no call depends on it."""
        text, scope = self.written(node), self._scope(node)
        if not text or not self._certainty.text(scope.cls, scope.method, text):
            return None
        return type_in(self.world, scope.cls, scope.method, text)

    def _stands_alone(self, node: int) -> bool:
        """Return whether no type is expected of an expression (JLS 15.25, 15.28.1)."""
        above = self.above(node)
        while above != NONE and self.kind(above) == "parenthesized_expression":
            above = self.above(above)
        return above != NONE and self.kind(above) in _EXPECTS_NOTHING

    # ---- the file

    @cached_property
    def world(self) -> World:
        if self._project is not None:
            return self._project.world
        return World([(self.path, declared_by(self.file))], platform())

    @cached_property
    def _unit(self) -> Unit:
        return self.world.units[self.path]

    @cached_property
    def _certainty(self) -> Certainty:
        return Certainty(self.world)

    def _region(self, node: int) -> _Region:
        """Return the attribution of the outermost member of a type around a node."""
        first, around = node, NONE
        at = node
        while at != NONE:
            if self.kind(at) not in _OF_CLASSES:
                first, around = at, NONE
            elif around == NONE:
                around = self.types.get(at, NONE)
            at = self.above(at)
        if first not in self._regions:
            cls = self._unit.classes[around] if around != NONE else self._unit.nobody
            sites, row_of = sites_below(self.file, first)
            made = rows(self._unit, sites, Scope(cls, -1))
            self._regions[first] = _Region(Attribution(self.world, made), row_of, first)
        return self._regions[first]

    def _scope(self, node: int) -> Scope:
        place = self.type_around(node)
        cls = self._unit.classes[place] if place != NONE else self._unit.nobody
        return Scope(cls, self.method_of(node))


def _name(cls: Class) -> str:
    """Return a class's qualified name; inside of a local class, the name from that class on."""
    names = []
    at: Class | None = cls
    while at is not None:
        names.append(at.name)
        if not at.member:
            return ".".join(reversed(names))
        at = at.owner
    return label(cls)


def _is_accessible(cls: Class, here: Class) -> bool:
    """Return whether a class is accessible from another (JLS 6.6); an unknown class always is."""
    at: Class | None = cls
    while at is not None and at.kind != "outside":
        if at.member and _outermost(at) is not _outermost(here):
            public = "u" in at.flags or (at.owner is not None and at.owner.is_interface)
            if "r" in at.flags or not (public or at.package == here.package):
                return False
        at = at.owner
    return True


def _outermost(cls: Class) -> Class:
    while cls.owner is not None:
        cls = cls.owner
    return cls
