"""What one file contributes to its project's call graph, as plain values that can be stored.

``declared`` tells the other files of a project what this one declares; ``sites`` holds its calls
and what their meaning depends on. Both are made without looking at any other file.

The calls of a file, with what their meaning depends on: rows of numbers, and texts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java import language
from acumen.lang.java.bindings import ROLE
from acumen.lang.java.calls.expressions import (
    ARITHMETIC,
    BITS,
    FIELDS,
    NODES,
    OF_NAME,
    OF_TYPE,
    OTHER,
    PLUS,
    REF,
    SHIFT,
    TRUTH,
    Tree,
    every_expression,
    expressions,
)
from acumen.lang.java.declarations import NONE, Declarations, type_text
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among, field, symbols
from acumen.lang.syntax import Column, Syntax

_ALIASES = {
    "literal": (
        "decimal_integer_literal", "hex_integer_literal", "octal_integer_literal",
        "binary_integer_literal", "decimal_floating_point_literal",
        "hex_floating_point_literal", "true", "false", "character_literal", "string_literal",
        "null_literal",
    ),
    "type": (
        "type_identifier", "scoped_type_identifier", "generic_type", "array_type",
        "integral_type", "floating_point_type", "boolean_type", "void_type", "annotated_type",
        "catch_type",
    ),
    # No call stands in them.
    "skipped": (
        "modifiers", "annotation", "marker_annotation", "type_parameters", "superclass", "throws",
        "super_interfaces", "extends_interfaces", "permits", "line_comment", "block_comment",
        "package_declaration", "import_declaration", "module_declaration",
    ),
    "block": ("block", "constructor_body", "switch_block"),
    # Statements after which a block may not be left by its end.
    "endless": (
        "throw_statement", "while_statement", "do_statement", "for_statement", "try_statement",
        "try_with_resources_statement", "synchronized_statement", "labeled_statement",
        "if_statement",
    ),
}  # fmt: skip
_OPERATORS = {
    "+": PLUS, "-": ARITHMETIC, "*": ARITHMETIC, "/": ARITHMETIC, "%": ARITHMETIC, "<<": SHIFT,
    ">>": SHIFT, ">>>": SHIFT, "&": BITS, "|": BITS, "^": BITS, "~": ARITHMETIC,
}  # fmt: skip
_LITERAL_KINDS = {
    "decimal_floating_point_literal": 3, "hex_floating_point_literal": 3, "true": 5, "false": 5,
    "character_literal": 4, "string_literal": 6, "null_literal": 7,
}  # fmt: skip
_LOCALS = (
    "local", "parameter", "lambda parameter", "catch parameter", "pattern variable", "resource",
)  # fmt: skip
_LOCAL = np.isin(np.arange(256), [ROLE[name] for name in _LOCALS])
# Rows whose first number is the node of a name or a type.
_SPOKEN = np.isin(np.arange(256), (*OF_TYPE, *OF_NAME))
_SUFFIX = np.stack([np.isin(np.arange(256), list(marks)) for marks in (b"lL", b"fF")])


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """By the grammar's symbol: our number of the node, and a literal's or operator's kind; by the
    grammar's field: our number of it."""
    grammar = language()
    number = {
        alias: code for code, name in enumerate(NODES, 2) for alias in _ALIASES.get(name, (name,))
    }
    nodes = np.full(1 << 16, OTHER, dtype=np.uint8)
    kinds = np.full(1 << 16, TRUTH, dtype=np.uint8)
    for symbol in range(grammar.node_kind_count):
        name = grammar.node_kind_for_id(symbol) or ""
        if grammar.node_kind_is_named(symbol):
            nodes[symbol] = number.get(name, OTHER)
            kinds[symbol] = _LITERAL_KINDS.get(name, 0)
        else:
            nodes[symbol] = 0
            kinds[symbol] = _OPERATORS.get(name, TRUTH)
    fields = np.zeros(grammar.field_count + 1, dtype=np.uint8)
    for code, name in enumerate(FIELDS, 1):
        fields[grammar.field_id_for_name(name) or 0] = code
    return nodes, kinds, fields


def sites(file: JavaFile) -> dict[str, Any]:
    """``texts``, and the columns of ``expressions``."""
    return _with_texts(file, *expressions(_tree(file)))


def sites_below(file: JavaFile, node: int) -> tuple[dict[str, Any], Column]:
    """The same of a member of a type alone, and with rows for every expression in it; then the
    row of each node from the member's on, -1 where it has none."""
    tree = file.once(_tree)
    part = slice(node, int(file.syntax.stop[node]))
    # Nodes are counted from the member on.
    parent, stop, declared = (
        np.maximum(column[part] - np.int32(node), np.int32(-1))
        for column in (tree.parent, tree.stop, tree.declared)
    )
    code, size, a, b, row_of = every_expression(
        Tree(
            tree.kind[part], tree.field[part], tree.detail[part], parent, stop, tree.start[part],
            tree.end[part], tree.is_var[part], declared, tree.type_at[part],
            tree.method_at[part], tree.field_at[part],
        )
    )  # fmt: skip
    return _with_texts(file, code, size, a, b, node), row_of


def _with_texts(
    file: JavaFile, code: NDArray[np.uint8], size: Column, a: Column, b: Column, first: int = 0
) -> dict[str, Any]:
    texts: dict[str, int] = {}
    # Each node is read once, however many rows speak of it.
    for column, spoken in ((a, _SPOKEN[code]), (b, code == REF)):
        rows = np.flatnonzero(spoken & (column >= 0))
        nodes, which = np.unique(column[rows], return_inverse=True)
        places = [
            texts.setdefault(_text(file, node + first), len(texts)) for node in nodes.tolist()
        ]
        column[rows] = np.array(places, dtype=np.int32)[which]
    return {
        "texts": list(texts),
        "code": code.tolist(),
        "size": size.tolist(),
        "a": a.tolist(),
        "b": b.tolist(),
    }


def _tree(file: JavaFile) -> Tree:
    syntax, declared, bound = file.syntax, file.declarations, file.bindings
    nodes, details, fields = _tables()
    places = np.full((3, len(syntax)), -1, dtype=np.int32)
    places[0, [one.node for one in declared.types]] = np.arange(len(declared.types))
    places[1, [one.node for one in declared.methods]] = np.arange(len(declared.methods))
    places[2, [one.node for one in declared.fields]] = np.arange(len(declared.fields))
    local = _LOCAL[bound.role]
    declaration = np.full(len(syntax), -1, dtype=np.int32)
    declaration[bound.node[local]] = bound.declaration[local]
    is_var = np.zeros(len(syntax), dtype=np.bool_)
    if "var" in file.names.words:
        is_var |= file.names.word_of == file.names.words.index("var")
    kind, detail = nodes[syntax.kind], details[syntax.kind]
    _add_suffixes(file, np.flatnonzero(kind == NODES.index("literal") + 2), detail)
    return Tree(
        kind, fields[syntax.field], detail, syntax.parent, syntax.stop, syntax.start, syntax.end,
        is_var, declaration, places[0], places[1], places[2],
    )  # fmt: skip


def _add_suffixes(file: JavaFile, nodes: NDArray[np.int64], detail: NDArray[np.uint8]) -> None:
    """1L is long and 1f is float."""
    if not len(nodes):
        return
    source = np.frombuffer(file.source, dtype=np.uint8)
    last = source[np.maximum(file.syntax.end[nodes] - 1, 0)]
    detail[nodes[(detail[nodes] == 0) & _SUFFIX[0, last]]] = 1
    detail[nodes[(detail[nodes] == 3) & _SUFFIX[1, last]]] = 2


def _text(file: JavaFile, node: int) -> str:
    """A name or a type. Most are one word, or written without anything to leave out."""
    word = int(file.names.word_of[node])
    if word >= 0:
        return file.names.words[word]
    syntax = file.syntax
    if int(syntax.kind[node]) in symbols("cast_expression"):
        typed = field("type")
        types = [child for child in syntax.children(node) if syntax.field[child] == typed]
        return "&".join(type_text(syntax, child) for child in types)
    text = syntax.text(node)
    plain = text.isascii() and text.replace(".", "").replace("<", "").replace(">", "").isalnum()
    return text if plain else type_text(syntax, node)


_LETTERS = {
    "static": "s", "abstract": "a", "default": "d", "final": "f", "sealed": "z",
    "protected": "p", "public": "u", "private": "r",
}  # fmt: skip
_INTERFACES = ("interface", "annotation")


class Facts(NamedTuple):
    """Lists, dictionaries, strings and numbers.

    ``declared``: ``package``; ``imports`` (``a.B``, ``a.*``, ``static a.B.m``); ``types``: kind,
    name, owner, method, whether it is a member, flags, type parameters, superclass (empty: none
    written; of ``outer.new Inner() {}``: ``.Inner``) and interfaces, names and types of a record's
    components; ``methods``: name, type,
    flags, type parameters, parameters' types, result (none for a constructor); ``fields``: name,
    type, flags, declared type (none for an enum constant). Types and methods stand as in
    ``Declarations``.

    Flags: s static, a abstract, d default, f final, z sealed, u public, p protected, r private,
    v takes any number of arguments, c enum constant.

    ``sites``: ``texts``, and the columns of ``expressions``.
    """

    declared: dict[str, Any]
    sites: dict[str, Any]


def facts(file: JavaFile) -> Facts:
    return Facts(declared_by(file), sites(file))


def declared_by(file: JavaFile) -> dict[str, Any]:
    """The first part of a file's facts."""
    syntax, declared = file.syntax, file.declarations
    supers = _supertypes(syntax)
    types = []
    for one in declared.types:
        kind, above = one.kind, syntax.parent[one.node]
        if kind == "anonymous":
            # Not known here whether it is a class or an interface. After ``outer.new`` stands the
            # name of a member of the outer object's class.
            member = int(syntax.kind[above + 1]) not in _new()
            written = ["." * member + type_text(syntax, _created(syntax, int(above)))]
        elif kind in _INTERFACES:
            written = ["", *supers["extends_interfaces", one.node]]
        else:
            extended = supers["superclass", one.node][:1] or [""]
            written = [*extended, *supers["super_interfaces", one.node]]
        types.append(
            [
                kind, one.name, one.owner, one.method,
                int(above < 0 or int(syntax.kind[above]) in _member_places()),
                _flags(one.modifiers), list(one.type_parameters), written,
                [[part.name, part.type] for part in one.components],
            ]
        )  # fmt: skip
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
    """Where a type stands that is no local class."""
    return symbols(
        "program", "class_body", "interface_body", "enum_body_declarations", "enum_body",
        "annotation_type_body",
    )  # fmt: skip


@lru_cache(maxsize=1)
def _new() -> frozenset[int]:
    """The symbols of the keyword."""
    grammar = language()
    return frozenset(
        symbol
        for symbol in range(grammar.node_kind_count)
        if grammar.node_kind_for_id(symbol) == "new"
    )


def _created(syntax: Syntax, node: int) -> int:
    """The node of the type in ``new T() {}``; the node itself if the source is broken."""
    wanted = symbols("type_identifier", "scoped_type_identifier", "generic_type", "annotated_type")
    for child in syntax.children(node):
        if int(syntax.kind[child]) in wanted:
            return child
    return node


def _supertypes(syntax: Syntax) -> dict[tuple[str, int], list[str]]:
    """The types after ``extends`` and ``implements``, by the word and the declaration's node."""
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
    """Whether a node is more than a comma or a keyword."""
    return syntax.stop[node] > node + 1 or int(syntax.kind[node]) in symbols("type_identifier")


def imports(syntax: Syntax) -> list[str]:
    """What follows the word in each import: ``a.B``, ``a.*``, ``static a.B.m``."""
    found = []
    for node in np.flatnonzero(among("import_declaration")[syntax.kind]).tolist():
        text = type_text(syntax, node).rstrip(";")
        found.append(text.removeprefix("import").strip())
    return found


def _constants(syntax: Syntax, declared: Declarations) -> list[list[Any]]:
    """An enum's constants are fields of its own type."""
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
