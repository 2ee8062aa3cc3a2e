"""Facts of one file for its project's call graph, as plain values that can be stored.

They depend on no other file; ``corpus/facts.py`` writes them as columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java import language
from codeacumen.languages.java.resolve.sites import Sites, sites
from codeacumen.languages.java.syntax.declarations import NONE, Declarations, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, symbols
from codeacumen.languages.syntax import Syntax

_LETTERS = {
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


class Facts(NamedTuple):
    """The declarations of a file, which other files of the project refer to, and its call sites.

    ``declared`` holds lists, strings and numbers:

    - ``package``
    - ``imports``: ``a.B``, ``a.*``, ``static a.B.m``
    - ``types``: kind, name, owner, method, is member, flags, type parameters, superclass (empty:
      none; ``.Inner`` for ``outer.new Inner() {}``) followed by interfaces, names and types of a
      record's components
    - ``methods``: name, type, flags, type parameters, types of the parameters, result type (empty
      for a constructor)
    - ``fields``: name, type, flags, declared type (empty for an enum constant)

    Types and methods have the order of ``Declarations``.

    Flags: s static, a abstract, d default, f final, z sealed, u public, p protected, r private,
    v varargs, c enum constant.
    """

    declared: dict[str, Any]
    sites: Sites


def facts(file: JavaFile) -> Facts:
    return Facts(declared_by(file), sites(file))


def declared_by(file: JavaFile) -> dict[str, Any]:
    """Return the declarations of a file, as ``FileFacts.declared`` describes them."""
    syntax, declared = file.syntax, file.declarations
    supers = _supertypes(syntax)
    types = []
    for one in declared.types:
        kind, above = one.kind, syntax.parent[one.node]
        if kind == "anonymous":
            # Class or interface: only linking decides. The type after ``outer.new`` is a member
            # of the outer object's class.
            member = int(syntax.kind[above + 1]) not in _new()
            written = ["." * member + type_text(syntax, _created(syntax, int(above)))]
        elif kind in _INTERFACES:
            written = ["", *supers["extends_interfaces", one.node]]
        else:
            extended = supers["superclass", one.node][:1] or [""]
            written = [*extended, *supers["super_interfaces", one.node]]
        types.append(
            [
                kind,
                one.name,
                one.owner,
                one.method,
                int(above < 0 or int(syntax.kind[above]) in _member_places()),
                _flags(one.modifiers),
                list(one.type_parameters),
                written,
                [[part.name, part.type] for part in one.components],
            ]
        )
    methods = [
        [
            "<init>" if one.kind.endswith("constructor") else one.name,
            one.type,
            _method_flags(declared, one.type, one.modifiers, one.body != NONE)
            + ("v" if one.parameters and one.parameters[-1].type.endswith("...") else ""),
            list(one.type_parameters),
            [part.type for part in one.parameters],
            one.returns,
        ]
        for one in declared.methods
    ]
    fields = [[one.name, one.type, _flags(one.modifiers), one.declared] for one in declared.fields]
    return {
        "package": declared.package,
        "imports": imports(syntax),
        "types": types,
        "methods": methods,
        "fields": fields + _constants(syntax, declared),
    }


def _flags(modifiers: Iterable[str]) -> str:
    return "".join(sorted(_LETTERS[word] for word in modifiers if word in _LETTERS))


def _method_flags(declared: Declarations, type_: int, modifiers: frozenset[str], body: bool) -> str:
    flags = _flags(modifiers)
    if type_ != NONE and declared.types[type_].kind in _INTERFACES:
        if "r" not in flags:
            flags += "u"
        if not body:
            flags += "a"
    return flags


def _member_places() -> frozenset[int]:
    """Return the kinds of nodes whose child types are not local classes."""
    return symbols(
        "program",
        "class_body",
        "interface_body",
        "enum_body_declarations",
        "enum_body",
        "annotation_type_body",
    )


@lru_cache(maxsize=1)
def _new() -> frozenset[int]:
    """Return the grammar's symbols of the keyword ``new``."""
    grammar = language()
    return frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == "new"
    )


def _created(syntax: Syntax, node: int) -> int:
    """Return the node of the type in ``new T() {}``; the node itself in a source with errors."""
    wanted = symbols("type_identifier", "scoped_type_identifier", "generic_type", "annotated_type")
    for child in syntax.children(node):
        if int(syntax.kind[child]) in wanted:
            return child
    return node


def _supertypes(syntax: Syntax) -> dict[tuple[str, int], list[str]]:
    """Return the types after ``extends`` and ``implements``, by clause and declaration node."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    skipped = symbols("line_comment", "block_comment", "annotation", "marker_annotation")
    for name in ("superclass", "super_interfaces", "extends_interfaces"):
        for node in np.flatnonzero(among(name)[syntax.kind]).tolist():
            listed = found[name, int(syntax.parent[node])]
            for child in syntax.children(node):
                if int(syntax.kind[child]) in symbols("type_list"):
                    inner = syntax.children(child)
                else:
                    inner = [child]
                listed += [
                    type_text(syntax, one)
                    for one in inner
                    if int(syntax.kind[one]) not in skipped and _is_named(syntax, one)
                ]
    return found


def _is_named(syntax: Syntax, node: int) -> bool:
    """Return whether a node is more than a comma or a keyword."""
    return syntax.stop[node] > node + 1 or int(syntax.kind[node]) in symbols("type_identifier")


def imports(syntax: Syntax) -> list[str]:
    """Return the imports without the keyword: ``a.B``, ``a.*``, ``static a.B.m``."""
    found = []
    for node in np.flatnonzero(among("import_declaration")[syntax.kind]).tolist():
        text = type_text(syntax, node).rstrip(";")
        found.append(text.removeprefix("import").strip())
    return found


def _constants(syntax: Syntax, declared: Declarations) -> list[list[Any]]:
    """Return the enum constants as rows of ``fields``; their type is the enum."""
    places = {one.node: place for place, one in enumerate(declared.types)}
    found: list[list[Any]] = []
    for node in np.flatnonzero(among("enum_constant")[syntax.kind]).tolist():
        owner = int(syntax.parent[syntax.parent[node]])
        names = [
            child
            for child in syntax.children(node)
            if int(syntax.kind[child]) in symbols("identifier")
        ]
        if owner in places and names:
            found.append([syntax.text(names[0]), places[owner], "cfsu", ""])
    return found
