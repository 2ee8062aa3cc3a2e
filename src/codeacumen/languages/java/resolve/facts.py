"""Facts of one file for its project's call graph, as plain values that can be stored.

Facts depend on no other file; ``corpus/facts.py`` writes them as columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.resolve.call_sites import Sites, extract_sites
from codeacumen.languages.java.syntax.declarations import NONE, Declarations, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import find_symbols, symbol_mask
from codeacumen.languages.syntax import Syntax

# Letters of ``FileFacts``; other modifiers have none.
_FLAG_BY_MODIFIER = {
    "static": "s",
    "abstract": "a",
    "default": "d",
    "final": "f",
    "sealed": "z",
    "protected": "p",
    "public": "u",
    "private": "r",
}
_INTERFACES = ("interface", "annotation")


class FileFacts(NamedTuple):
    """The declarations of a file, which other files of the project refer to, and its call sites.

    ``declared`` holds lists, strings and numbers; the numbers below are the columns of a row:

    - ``package``
    - ``imports``: ``a.B``, ``a.*``, ``static a.B.m``
    - ``types``: 0 kind, 1 name, 2 owner (the type around it), 3 method (that it is local to), 4 is
      member (0 or 1), 5 flags, 6 type parameters, 7 superclass (empty: none; ``.Inner`` for
      ``outer.new Inner() {}``) followed by interfaces, 8 names and types of a record's components
    - ``methods``: 0 name (``<init>``: constructor), 1 type, 2 flags, 3 type parameters, 4 types of
      the parameters, 5 result type (empty for a constructor)
    - ``fields``: 0 name, 1 type, 2 flags, 3 declared type (empty for an enum constant)

    Types and methods have the order of ``Declarations``; owner, method and the type of a method or
    field are indices there (-1: none). Texts of types are as ``type_text`` returns them.

    Flags: s static, a abstract, d default, f final, z sealed, u public, p protected, r private,
    v varargs, c enum constant; those that an interface's method has implicitly (u, a) included.
    """

    declared: dict[str, Any]
    sites: Sites


def extract_facts(file: JavaFile) -> FileFacts:
    """Return the declarations and the call sites of a file."""
    return FileFacts(extract_declarations(file), extract_sites(file))


def extract_declarations(file: JavaFile) -> dict[str, Any]:
    """Return the declarations of a file, as ``FileFacts.declared`` describes them."""
    syntax, declared = file.syntax, file.declarations
    supertypes = _collect_supertypes(syntax)
    types = []
    for type_ in declared.types:
        kind, parent = type_.kind, syntax.parent[type_.node]
        if kind == "anonymous":
            # Only linking decides whether the supertype is a class or an interface. The type after
            # ``outer.new`` is a member of the outer object's class; any other creation has the
            # keyword as its first child, ``parent + 1``.
            is_member = int(syntax.kind[parent + 1]) not in _find_new_symbols()
            supertype_texts = [
                "." * is_member + type_text(syntax, _find_created_type(syntax, int(parent)))
            ]
        elif kind in _INTERFACES:
            supertype_texts = ["", *supertypes["extends_interfaces", type_.node]]
        else:
            superclass = supertypes["superclass", type_.node][:1] or [""]
            supertype_texts = [*superclass, *supertypes["super_interfaces", type_.node]]
        types.append(
            [
                kind,
                type_.name,
                type_.owner,
                type_.method,
                int(parent < 0 or int(syntax.kind[parent]) in _member_parent_kinds()),
                _encode_flags(type_.modifiers),
                list(type_.type_parameters),
                supertype_texts,
                [[component.name, component.type] for component in type_.components],
            ]
        )
    methods = [
        [
            "<init>" if method.kind.endswith("constructor") else method.name,
            method.type,
            _encode_method_flags(declared, method.type, method.modifiers, method.body != NONE)
            + ("v" if method.parameters and method.parameters[-1].type.endswith("...") else ""),
            list(method.type_parameters),
            [parameter.type for parameter in method.parameters],
            method.returns,
        ]
        for method in declared.methods
    ]
    fields = [
        [field.name, field.type, _encode_flags(field.modifiers), field.declared]
        for field in declared.fields
    ]
    return {
        "package": declared.package,
        "imports": list_imports(syntax),
        "types": types,
        "methods": methods,
        "fields": fields + _list_enum_constants(syntax, declared),
    }


def _encode_flags(modifiers: Iterable[str]) -> str:
    return "".join(
        sorted(_FLAG_BY_MODIFIER[word] for word in modifiers if word in _FLAG_BY_MODIFIER)
    )


def _encode_method_flags(
    declared: Declarations, type_index: int, modifiers: frozenset[str], has_body: bool
) -> str:
    """Return a method's flags, with those that it has implicitly in an interface (JLS 9.4)."""
    flags = _encode_flags(modifiers)
    if type_index != NONE and declared.types[type_index].kind in _INTERFACES:
        if "r" not in flags:
            flags += "u"
        if not has_body:
            flags += "a"
    return flags


def _member_parent_kinds() -> frozenset[int]:
    """Return the kinds of nodes whose child types are not local classes."""
    return find_symbols(
        "program",
        "class_body",
        "interface_body",
        "enum_body_declarations",
        "enum_body",
        "annotation_type_body",
    )


@lru_cache(maxsize=1)
def _find_new_symbols() -> frozenset[int]:
    """Return the grammar's symbols of the keyword ``new``, with which an unqualified creation
    begins."""
    grammar = load_grammar()
    return frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == "new"
    )


def _find_created_type(syntax: Syntax, node: int) -> int:
    """Return the node of the type in ``new T() {}``; the node itself in a source with errors."""
    type_kinds = find_symbols(
        "type_identifier", "scoped_type_identifier", "generic_type", "annotated_type"
    )
    for child in syntax.children(node):
        if int(syntax.kind[child]) in type_kinds:
            return child
    return node


def _collect_supertypes(syntax: Syntax) -> dict[tuple[str, int], list[str]]:
    """Return the types after ``extends`` and ``implements``, by clause ("superclass",
    "super_interfaces", "extends_interfaces") and node of the declaration."""
    supertypes: dict[tuple[str, int], list[str]] = defaultdict(list)
    skipped = find_symbols("line_comment", "block_comment", "annotation", "marker_annotation")
    for name in ("superclass", "super_interfaces", "extends_interfaces"):
        for node in np.flatnonzero(symbol_mask(name)[syntax.kind]).tolist():
            listed = supertypes[name, int(syntax.parent[node])]
            for child in syntax.children(node):
                if int(syntax.kind[child]) in find_symbols("type_list"):
                    type_nodes = syntax.children(child)
                else:
                    type_nodes = [child]
                listed += [
                    type_text(syntax, type_node)
                    for type_node in type_nodes
                    if int(syntax.kind[type_node]) not in skipped and _is_named(syntax, type_node)
                ]
    return supertypes


def _is_named(syntax: Syntax, node: int) -> bool:
    """Return whether a node is a type, not a comma or a keyword."""
    return syntax.stop[node] > node + 1 or int(syntax.kind[node]) in find_symbols("type_identifier")


def list_imports(syntax: Syntax) -> list[str]:
    """Return the imports without the keyword: ``a.B``, ``a.*``, ``static a.B.m``."""
    imports = []
    for node in np.flatnonzero(symbol_mask("import_declaration")[syntax.kind]).tolist():
        text = type_text(syntax, node).rstrip(";")
        imports.append(text.removeprefix("import").strip())
    return imports


def _list_enum_constants(syntax: Syntax, declared: Declarations) -> list[list[Any]]:
    """Return the enum constants as rows of ``fields``; their type is the enum.

    The flags are c enum constant, f final, s static and u public (JLS 8.9.3).
    """
    type_indices = {type_.node: index for index, type_ in enumerate(declared.types)}
    rows: list[list[Any]] = []
    for node in np.flatnonzero(symbol_mask("enum_constant")[syntax.kind]).tolist():
        owner = int(syntax.parent[syntax.parent[node]])
        names = [
            child
            for child in syntax.children(node)
            if int(syntax.kind[child]) in find_symbols("identifier")
        ]
        if owner in type_indices and names:
            rows.append([syntax.text(names[0]), type_indices[owner], "cfsu", ""])
    return rows
