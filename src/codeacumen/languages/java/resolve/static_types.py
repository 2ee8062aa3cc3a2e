"""Static types of a file's expressions as javac determines them, where they are certain.

The declared type of a variable is read from the file. Everything else uses the attribution of the
call graph (``attribution``), lazily for each member of a type. Without a project the file stands
alone: other files of its package are unknown, and are taken not to hide the types of ``java.lang``
or those that the file imports. The transforms use ``StaticTypes``.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.names import LOCALS, ROLES
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.call_sites import Scope, build_rows, extract_sites_below
from codeacumen.languages.java.resolve.certainty import COMMON_CLASSES, Certainty, SyntaxNavigator
from codeacumen.languages.java.resolve.conversions import unboxed_name
from codeacumen.languages.java.resolve.facts import extract_declarations, list_imports
from codeacumen.languages.java.resolve.link import JavaProject
from codeacumen.languages.java.resolve.name_classification import find_variable_type
from codeacumen.languages.java.resolve.scopes import find_ancestors, resolve_type, resolve_type_name
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
    upper_bound,
)
from codeacumen.languages.java.resolve.world import World, load_platform, qualified_name
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Column

# Primitive types by the qualified names of their boxes.
UNBOXED = {box: name for name, box in BOXES.items()}
# Roles of names that are variables; enum constants are counted apart.
_VARIABLES = (*LOCALS, "field")
# Kinds of nodes around a member of a type.
_CLASS_LEVEL_KINDS = frozenset(
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
# Kinds of poly expressions: where a type is expected of them, they have that type.
_POLY_KINDS = frozenset(("ternary_expression", "switch_expression"))
# Kinds of parents that expect no type of a poly expression: it is their operand, selector or
# receiver. An argument has the kind ``argument_list`` as its parent.
_KINDS_WITHOUT_TARGET_TYPE = frozenset(
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
# Classes whose methods every object or every enum has.
_UNIVERSAL_SUPERTYPES = ("java.lang.Object", "java.lang.Enum", "java.lang.Comparable")


class ErasedType(NamedTuple):
    """A type without its type arguments.

    ``name`` is qualified: ``int``, ``java.lang.String``, ``a.Outer.Color``, ``int[]``; for a local
    class it is the simple name. ``kind`` is primitive, null, void, array, class, interface, enum,
    record or annotation; empty for a class of which only the name is known.
    """

    name: str
    kind: str


class _Region(NamedTuple):
    """The attribution of one member of a type: the part of the file that is attributed at once.

    ``row_of`` holds the row of each of the member's nodes, from ``first_node`` on (-1: none).
    """

    attribution: Attribution
    row_of: Column
    first_node: int


class StaticTypes(SyntaxNavigator):
    """Types of the expressions at nodes of a file.

    ``path`` is the file's path in the project; without a project it may be empty.
    """

    def __init__(self, file: JavaFile, project: JavaProject | None = None, path: str = "") -> None:
        super().__init__(file)
        self.path = path
        self._project = project
        self._regions: dict[int, _Region] = {}
        self._erased_types: dict[int, Type | None] = {}

    def type_of(self, node: int) -> ErasedType | None:
        """Return the erased type of an expression; None if it is not certain."""
        node = self.unwrap_parentheses(node)
        declared_text = self.spell_declared_type(node)
        if declared_text in BOXES:
            return ErasedType(declared_text, "primitive")
        if declared_text in COMMON_CLASSES and declared_text not in self._hiding_type_names:
            return ErasedType(f"java.lang.{declared_text}", "class")
        erased_type = self._erase_type(node)
        return self._describe_type(erased_type) if erased_type is not None else None

    def spell_declared_type(self, node: int) -> str:
        """Return the declared type of an expression as its declaration spells it.

        The expression has to be a local variable, or a field or a call of a method that the class
        around it declares, so that the text means the same type at the expression. The result is
        empty for all other expressions and for ``var``.
        """
        declared = self.find_declaration(self.unwrap_parentheses(node))
        if declared == NONE or self.type_around(declared) != self.type_around(node):
            return ""
        text = self.declared_type_text(declared)
        return "" if text == "var" else text

    def hides_java_lang_type(self, name: str) -> bool:
        """Return whether the file declares or imports a type that hides the type of java.lang with
        this name, or the project declares one in its package."""
        return name in self._hiding_type_names

    # ---- spelling of types

    def find_spelling(self, node: int, in_expression: bool = False) -> str:
        """Return a spelling of an expression's class that is valid where the expression stands.

        The result is empty if no spelling is certain. With ``in_expression`` the spelling can begin
        an expression (``Color.RED``): no variable of that name hides it.
        """
        node = self.unwrap_parentheses(node)
        scope = self._find_scope(node)
        declared_text = self.spell_declared_type(node)
        if declared_text.replace(".", "").isidentifier() and declared_text not in BOXES:
            # A type parameter of the method may have the same name.
            declaring_method = self.method_around(self.find_declaration(node))
            cls = resolve_type_name(self.world, scope.cls, scope.method, declared_text)
            is_same_class = cls is resolve_type_name(
                self.world, scope.cls, declaring_method, declared_text
            )
            is_spellable = (
                is_same_class and isinstance(cls, Class) and self._is_certain_name(cls, scope)
            )
            spellings = [declared_text] if is_spellable else []
        else:
            erased_type = self._erase_type(node)
            if not isinstance(erased_type, ClassType) or not _is_class_accessible(
                erased_type.cls, scope.cls
            ):
                return ""
            spellings = self._list_spellings(erased_type.cls, scope)
        for spelling in spellings:
            if not in_expression or not self._is_obscured(spelling.partition(".")[0], node, scope):
                return spelling
        return ""

    def has_method(self, node: int, name: str) -> bool:
        """Return whether an expression's class may have a method of a name; true if the class is
        not known.

        Methods that every object or every enum has do not count.
        """
        erased_type = self._erase_type(self.unwrap_parentheses(node))
        if not isinstance(erased_type, ClassType):
            return True
        ancestors_of_class = find_ancestors(self.world, erased_type.cls)
        return not erased_type.cls.is_complete or any(
            name in ancestor.methods
            for ancestor in ancestors_of_class
            if qualified_name(ancestor) not in _UNIVERSAL_SUPERTYPES
        )

    def _is_certain_name(self, cls: Class, scope: Scope) -> bool:
        """Return whether a class is not local, or its name is certain in a scope."""
        return cls.is_member or self._certainty.is_name_certain(scope.cls, scope.method, cls.name)

    def _list_spellings(self, cls: Class, scope: Scope) -> list[str]:
        """Return the valid spellings of a class in a scope, the shortest first."""
        spellings: list[str] = []
        member_path = ""
        enclosing_class: Class | None = cls
        while enclosing_class is not None and enclosing_class.kind not in NAMELESS:
            is_certain = self._certainty.is_name_certain(
                scope.cls, scope.method, enclosing_class.name
            )
            if (
                is_certain
                and resolve_type_name(self.world, scope.cls, scope.method, enclosing_class.name)
                is enclosing_class
            ):
                spellings.append(enclosing_class.name + member_path)
            if not enclosing_class.is_member:
                return spellings
            member_path = f".{enclosing_class.name}{member_path}"
            enclosing_class = enclosing_class.owner
        has_known_package = cls.kind != "outside" or self._is_imported(cls)
        if (
            cls.package
            and has_known_package
            and cls.package.partition(".")[0] not in self._obscuring_names
        ):
            spellings.append(qualified_name(cls))
        return spellings

    def may_be_variable(self, name: str, node: int) -> bool:
        """Return whether a simple name may mean a variable at a node; any variable of the file
        counts, wherever it is declared."""
        if name in self._variable_names:
            return True
        return (
            find_variable_type(
                self._find_region(node).attribution, self._find_scope(node).cls, name
            )
            is not None
        )

    def _is_obscured(self, name: str, node: int, scope: Scope) -> bool:
        """Return whether a variable obscures the type or package of a simple name (JLS 6.4.2).

        Unknown inherited variables are taken not to be named like types, or like packages that the
        file refers to.
        """
        if name in self._variable_names:
            return True
        variable_type = find_variable_type(self._find_region(node).attribution, scope.cls, name)
        is_type_like = name[:1].isupper() and any(letter.islower() for letter in name)
        return variable_type is not None and not (
            variable_type is UNKNOWN and (is_type_like or name in self._package_roots)
        )

    @cached_property
    def _package_roots(self) -> frozenset[str]:
        """First parts of the names of packages that the file refers to."""
        package_names = [
            import_text.rpartition(" ")[2] for import_text in list_imports(self.file.syntax)
        ]
        package_names += ["java", self.file.declarations.package]
        return frozenset(text.partition(".")[0] for text in package_names)

    @cached_property
    def _variable_names(self) -> frozenset[str]:
        """Names of all variables that the file declares or refers to; constant labels in ``switch``
        count only if declared."""
        constants = self._collect_names("enum constant", only_declared=True)
        return constants | self._collect_names(*_VARIABLES)

    @cached_property
    def _obscuring_names(self) -> frozenset[str]:
        """Names of all variables and types, any of which may obscure a package of that name."""
        return self._variable_names | self._collect_names("type", "type variable")

    def _collect_names(self, *roles: str, only_declared: bool = False) -> frozenset[str]:
        """Return the words that have one of the roles in the file; with ``only_declared`` only
        those at declarations."""
        names, bindings = self.file.names, self.file.bindings
        is_selected = np.isin(bindings.role, [ROLES.index(role) for role in roles])
        if only_declared:
            is_selected &= bindings.declaration == bindings.node
        return frozenset(names.words[word] for word in set(names.word[is_selected].tolist()))

    @cached_property
    def _hiding_type_names(self) -> frozenset[str]:
        """Simple names of types that may hide those of java.lang."""
        declarations = self.file.declarations
        names = {type_.name for type_ in declarations.types}
        type_parameter_lists = [type_.type_parameters for type_ in declarations.types]
        type_parameter_lists += [method.type_parameters for method in declarations.methods]
        names.update(text.partition(" ")[0] for texts in type_parameter_lists for text in texts)
        names.update(
            import_text.rpartition(".")[2] for import_text in list_imports(self.file.syntax)
        )
        if self._project is not None:
            names.update(
                name
                for name in COMMON_CLASSES
                if (declarations.package, name) in self.world.top_level_classes
            )
        return frozenset(names)

    # ---- types

    def _describe_type(self, type_: Type) -> ErasedType | None:
        """Return the name and kind of an erased type; None if it has no certain name."""
        if isinstance(type_, Primitive):
            is_primitive = type_.name in BOXES
            return ErasedType(type_.name, "primitive" if is_primitive else type_.name)
        if isinstance(type_, ArrayType):
            component = self._describe_type(type_.component_type)
            return ErasedType(f"{component.name}[]", "array") if component else None
        if not isinstance(type_, ClassType) or type_.cls.kind in NAMELESS:
            return None
        cls = type_.cls
        if cls.kind == "outside":
            return ErasedType(qualified_name(cls), "") if self._is_imported(cls) else None
        return ErasedType(_name_class(cls), cls.kind)

    def _is_imported(self, cls: Class) -> bool:
        """Return whether an import confirms the qualified name of an unknown class."""
        name = qualified_name(cls)
        return any(
            name == imported_name or name.startswith(f"{imported_name}.")
            for imported_name in self._imported_names
        )

    @cached_property
    def _imported_names(self) -> frozenset[str]:
        """Qualified names in the single-type imports of all files of the project."""
        units = self.world.units.values()
        return frozenset(
            imported_name for unit in units for imported_name in unit.single_imports.values()
        )

    def _erase_type(self, node: int) -> Type | None:
        """Return the erased type of an expression, cached; None if it is not certain."""
        if node not in self._erased_types:
            type_ = self._attribute_type(node)
            erased_type = erasure(upper_bound(type_)) if type_ is not None else UNKNOWN
            is_known = isinstance(erased_type, Primitive | ArrayType | ClassType)
            self._erased_types[node] = erased_type if is_known else None
        return self._erased_types[node]

    def _attribute_type(self, node: int) -> Type | None:
        """Return the attributed type of an expression; None if it is not certain."""
        kind, region = self.kind(node), self._find_region(node)
        row = int(region.row_of[node - region.first_node])
        if row < 0:
            return self._resolve_declared_type(node) if kind == "identifier" else None
        type_ = region.attribution.type_of(row)
        # A numeric or boolean conditional is a standalone expression (JLS 15.25).
        if kind in _POLY_KINDS and not unboxed_name(type_) and not self._stands_alone(node):
            return None
        is_certain = type_ is NULL or self._certainty.is_certain(region.attribution, row)
        return type_ if is_certain else None

    def _resolve_declared_type(self, node: int) -> Type | None:
        """Return the declared type of a name that has no row; None if it is not certain."""
        declared_text, scope = self.spell_declared_type(node), self._find_scope(node)
        if not declared_text or not self._certainty.is_text_certain(
            scope.cls, scope.method, declared_text
        ):
            return None
        return resolve_type(self.world, scope.cls, scope.method, declared_text)

    def _stands_alone(self, node: int) -> bool:
        """Return whether no type is expected of an expression (JLS 15.25, 15.28.1)."""
        parent = self.parent(node)
        while parent != NONE and self.kind(parent) == "parenthesized_expression":
            parent = self.parent(parent)
        return parent != NONE and self.kind(parent) in _KINDS_WITHOUT_TARGET_TYPE

    # ---- the file

    @cached_property
    def world(self) -> World:
        if self._project is not None:
            return self._project.world
        return World([(self.path, extract_declarations(self.file))], load_platform())

    @cached_property
    def _unit(self) -> Unit:
        return self.world.units[self.path]

    @cached_property
    def _certainty(self) -> Certainty:
        return Certainty(self.world)

    def _find_region(self, node: int) -> _Region:
        """Return the attribution of the outermost method, field or initialiser around a node, which
        includes the classes in it."""
        first_node, type_index = node, NONE
        ancestor_node = node
        while ancestor_node != NONE:
            if self.kind(ancestor_node) not in _CLASS_LEVEL_KINDS:
                first_node, type_index = ancestor_node, NONE
            elif type_index == NONE:
                type_index = self.type_index_by_node.get(ancestor_node, NONE)
            ancestor_node = self.parent(ancestor_node)
        if first_node not in self._regions:
            cls = self._unit.classes[type_index] if type_index != NONE else self._unit.placeholder
            sites, row_of = extract_sites_below(self.file, first_node)
            region_rows = build_rows(self._unit, sites, Scope(cls, -1))
            self._regions[first_node] = _Region(
                Attribution(self.world, region_rows), row_of, first_node
            )
        return self._regions[first_node]

    def _find_scope(self, node: int) -> Scope:
        """Return the innermost class and method around a node."""
        type_index = self.type_around(node)
        cls = self._unit.classes[type_index] if type_index != NONE else self._unit.placeholder
        return Scope(cls, self.method_around(node))


def _name_class(cls: Class) -> str:
    """Return a class's qualified name; inside of a local class, the name from that class on."""
    names = []
    enclosing_class: Class | None = cls
    while enclosing_class is not None:
        names.append(enclosing_class.name)
        if not enclosing_class.is_member:
            return ".".join(reversed(names))
        enclosing_class = enclosing_class.owner
    return qualified_name(cls)


def _is_class_accessible(cls: Class, from_class: Class) -> bool:
    """Return whether a class is accessible from another (JLS 6.6); an unknown class always is."""
    enclosing_class: Class | None = cls
    while enclosing_class is not None and enclosing_class.kind != "outside":
        if enclosing_class.is_member and enclosing_class.outermost is not from_class.outermost:
            is_public = "u" in enclosing_class.flags or (
                enclosing_class.owner is not None and enclosing_class.owner.is_interface
            )
            if "r" in enclosing_class.flags or not (
                is_public or enclosing_class.package == from_class.package
            ):
                return False
        enclosing_class = enclosing_class.owner
    return True
