"""Types, methods and fields of a file, with their positions and enclosing declarations.

One pass visits the declaring nodes in source order, with a stack of the enclosing ones.
``JavaFile.declarations`` holds the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.grammar import (
    field_number,
    find_symbols,
    symbol_mask,
    symbol_name,
)
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column, Syntax

# No node or no index.
NONE = -1

# Kinds of declarations by the grammar's names.
_TYPES = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "annotation",
}
_METHODS = {
    "method_declaration": "method",
    "constructor_declaration": "constructor",
    "compact_constructor_declaration": "compact constructor",
    "annotation_type_element_declaration": "annotation element",
}
_FIELDS = ("field_declaration", "constant_declaration")
_COMMENTS = ("line_comment", "block_comment")
_ANNOTATIONS = ("annotation", "marker_annotation")
# Kinds of classes without a name by the kind of node that holds their ``class_body``.
_ANONYMOUS = {"object_creation_expression": "anonymous", "enum_constant": "enum constant"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A formal parameter or a record's component; the type of ``T... x`` is ``T...``."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """A declared type. ``owner`` is the index of the enclosing type, ``method`` of the method that
    the type is local to (NONE: none); ``javadoc`` is the node of its comment (NONE: none). The n-th
    class without a name in the file is called ``$n``. ``components`` are those of a record."""

    node: int
    kind: str
    name: str
    owner: int
    method: int
    modifiers: frozenset[str]
    annotations: tuple[str, ...]
    javadoc: int
    components: tuple[Parameter, ...] = ()
    type_parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodDeclaration:
    """A declared method or constructor. ``type`` is the index of the declaring type (NONE: outside
    of any, in a source with errors); ``body`` is the node of its body, ``javadoc`` of its comment
    (NONE: none). Types are as written, without white space; ``returns`` is empty for a
    constructor."""

    node: int
    kind: str
    name: str
    type: int
    parameters: tuple[Parameter, ...]
    type_parameters: tuple[str, ...]
    returns: str
    modifiers: frozenset[str]
    annotations: tuple[str, ...]
    body: int
    javadoc: int


@dataclass(frozen=True, slots=True)
class FieldDeclaration:
    """A declared field. ``node`` is its declarator, ``type`` the index of the declaring type
    (NONE: none), ``declared`` its own type as written."""

    node: int
    name: str
    type: int
    declared: str
    modifiers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Declarations:
    """A file's package (empty: none) and declarations, each kind in source order."""

    package: str
    types: tuple[TypeDeclaration, ...]
    methods: tuple[MethodDeclaration, ...]
    fields: tuple[FieldDeclaration, ...]

    def type_path(self, type_: int) -> tuple[str, ...]:
        """Return the names of the enclosing types, outermost first, and of the type itself.

        The result is not stored: nesting may be 10,000 deep, and all paths would take quadratic
        space."""
        names: list[str] = []
        while type_ != NONE:
            names.append(self.types[type_].name)
            type_ = self.types[type_].owner
        return tuple(reversed(names))


# The grammar's fields of a declaration's parts, and the index of each in a row of _Parts, whose
# last element is for the modifiers.
_FIELD_NAMES = ("name", "type", "dimensions", "parameters", "body", "type_parameters")
_NAME, _TYPE, _DIMENSIONS, _PARAMETERS, _BODY, _TYPE_PARAMETERS, _MODIFIERS = range(7)


class _Parts:
    """The parts of all declarations of a file, collected in one pass for speed: corpora have
    hundreds of thousands of methods.

    ``rows`` holds for each declaring node its first child in each of _FIELD_NAMES and its modifiers
    (NONE: none); ``children`` the parameters, declarators and type parameters of each node, with
    their kinds; ``words`` the children of each node of modifiers, with their kinds."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        of_interest = np.flatnonzero(_load_masks().declares[syntax.kind])
        numbers = np.array([field_number(name) for name in _FIELD_NAMES], dtype=np.uint16)
        rows = _find_parts(
            of_interest, syntax.kind, syntax.field, syntax.stop, numbers, _load_masks().modifiers
        )
        self.rows: dict[int, list[int]] = dict(
            zip(of_interest.tolist(), rows.tolist(), strict=True)
        )
        listed = _load_masks().listed[syntax.kind]
        listed &= (
            _load_masks().declares[syntax.kind[syntax.parent]]
            | _load_masks().lists[syntax.kind[syntax.parent]]
        )
        self.children = self._group_by_parent(listed)
        self.words = self._group_by_parent(_load_masks().modifiers[syntax.kind[syntax.parent]])

    def _group_by_parent(self, is_listed: NDArray[np.bool_]) -> dict[int, list[tuple[int, int]]]:
        """Return the listed nodes with their kinds, by parent, in order."""
        children: dict[int, list[tuple[int, int]]] = {}
        nodes = np.flatnonzero(is_listed)
        columns = (nodes, self.syntax.kind[nodes], self.syntax.parent[nodes])
        for node, kind, parent in zip(*(column.tolist() for column in columns), strict=True):
            children.setdefault(parent, []).append((node, kind))
        return children

    def part_text(self, node: int, *parts: int) -> str:
        """Return the joined text of a declaration's parts, normalised as by ``type_text``; missing
        parts are empty."""
        row = self.rows[node]
        return "".join(type_text(self.syntax, row[part]) for part in parts if row[part] != NONE)

    def list_children(self, node: int, *kinds: str) -> list[int]:
        """Return the collected children of the given kinds; none for the node NONE."""
        if node == NONE:
            return []
        kind_numbers = find_symbols(*kinds)
        return [child for child, kind in self.children.get(node, ()) if kind in kind_numbers]


@dataclass(frozen=True, slots=True)
class _Masks:
    """Masks over symbols: nodes whose parts are collected, parts of which a node may hold several,
    lists of such parts, and the group of modifiers."""

    declares: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    lists: NDArray[np.bool_]
    modifiers: NDArray[np.bool_]


@lru_cache(maxsize=1)
def _load_masks() -> _Masks:
    parameters = ("formal_parameter", "spread_parameter")
    return _Masks(
        symbol_mask(
            *_TYPES,
            *_METHODS,
            *_FIELDS,
            *parameters,
            "variable_declarator",
            "class_body",
            *_ANNOTATIONS,
        ),
        symbol_mask(*parameters, "variable_declarator", "type_parameter"),
        symbol_mask("formal_parameters", "type_parameters"),
        symbol_mask("modifiers"),
    )


@kernel
def _find_parts(
    nodes: NDArray[np.int64],
    kind: NDArray[np.uint16],
    field: NDArray[np.uint16],
    stop: Column,
    numbers: NDArray[np.uint16],
    modifiers: NDArray[np.bool_],
) -> Column:
    """Return an array (nodes, fields + 1) of each node's first child in each field of ``numbers``,
    and its modifiers; -1 where there is none."""
    width = len(numbers)
    parts = np.full((len(nodes), width + 1), -1, dtype=np.int32)
    for row in range(len(nodes)):
        child, last = nodes[row] + 1, stop[nodes[row]]
        while child < last:
            if modifiers[kind[child]] and parts[row, width] < 0:
                parts[row, width] = child
            elif field[child] != 0:
                for position in range(width):
                    if field[child] == numbers[position] and parts[row, position] < 0:
                        parts[row, position] = child
            child = stop[child]
    return parts


def find_declarations(syntax: Syntax) -> Declarations:
    """Return the types, methods and fields that a file declares."""
    types: list[TypeDeclaration] = []
    methods: list[MethodDeclaration] = []
    fields: list[FieldDeclaration] = []
    package = ""
    anonymous = 0  # the number of classes without a name so far
    docs = _find_javadocs(syntax)
    parts = _Parts(syntax)
    # Declarations around the current node: the node after each, and the type and the method that
    # are innermost inside of it.
    enclosing: list[tuple[int, int, int]] = []
    for node in np.flatnonzero(_declaring_mask()[syntax.kind]).tolist():
        while enclosing and enclosing[-1][0] <= node:
            enclosing.pop()
        _, owner, method = enclosing[-1] if enclosing else (0, NONE, NONE)
        stop = int(syntax.stop[node])
        kind = symbol_name(int(syntax.kind[node]))
        parent_kind = symbol_name(int(syntax.kind[syntax.parent[node]]))
        if kind == "package_declaration":
            name_kinds = find_symbols("scoped_identifier", "identifier")
            names = [
                child for child in syntax.children(node) if int(syntax.kind[child]) in name_kinds
            ]
            package = type_text(syntax, names[0]) if names else ""
        elif kind in _METHODS:
            method_kind, doc = _METHODS[kind], docs.get(node, NONE)
            method_declaration = _make_method(parts, node, method_kind, owner, doc)
            # It has no parameter list: its parameters are the record's components (JLS 8.10.4.2).
            if method_kind == "compact constructor" and owner != NONE:
                method_declaration = replace(method_declaration, parameters=types[owner].components)
            methods.append(method_declaration)
            enclosing.append((stop, owner, len(methods) - 1))
        elif kind in _FIELDS:
            fields += _list_fields(parts, node, owner)
        elif kind in _TYPES or parent_kind in _ANONYMOUS:
            anonymous += kind not in _TYPES
            declaration = _make_type(
                parts, node, _TYPES.get(kind) or _ANONYMOUS[parent_kind], f"${anonymous}"
            )
            doc = docs.get(node, NONE)
            types.append(replace(declaration, owner=owner, method=method, javadoc=doc))
            enclosing.append((stop, len(types) - 1, NONE))
    return Declarations(package, tuple(types), tuple(methods), tuple(fields))


def _declaring_mask() -> NDArray[np.bool_]:
    """Return a mask of the symbols of declarations; class_body stands for unnamed classes."""
    return symbol_mask(*_TYPES, *_METHODS, *_FIELDS, "class_body", "package_declaration")


def _find_javadocs(syntax: Syntax) -> dict[int, int]:
    """Return the documentation comment of each node that follows one; other comments may stand
    between them."""
    # From the last comment backwards, so that the node after a sequence of comments is known:
    # ``follows`` maps a comment to the first node after it that is none.
    follows: dict[int, int] = {}
    javadocs: dict[int, int] = {}
    for comment in np.flatnonzero(symbol_mask(*_COMMENTS)[syntax.kind]).tolist()[::-1]:
        after = comment + 1
        if after >= syntax.stop[syntax.parent[comment]]:
            continue
        target = follows.get(after, after)
        follows[comment] = target
        start, end = int(syntax.start[comment]), int(syntax.end[comment])
        # A comment of four bytes, /**/, is an empty one, not documentation. The last
        # documentation comment before a node counts.
        if end - start > 4 and syntax.source[start : start + 3] == b"/**":
            javadocs.setdefault(target, comment)
    return javadocs


def _read_modifiers(parts: _Parts, node: int) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return a declaration's modifiers and the names of its annotations."""
    group = parts.rows[node][_MODIFIERS]
    if group == NONE:
        return _NO_MODIFIERS
    words: list[int] = []
    annotations: list[str] = []
    for child, kind in parts.words.get(group, ()):
        if kind in find_symbols(*_ANNOTATIONS):
            annotations.append(parts.part_text(child, _NAME))
        elif kind not in find_symbols(*_COMMENTS):
            words.append(kind)
    return _spell_keywords(tuple(words)), tuple(annotations)


_NO_MODIFIERS: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())


@lru_cache(maxsize=4096)
def _spell_keywords(words: tuple[int, ...]) -> frozenset[str]:
    """Return the modifiers with these symbols: the symbol of a keyword has the keyword's name."""
    return frozenset(map(symbol_name, words))


def _make_type(parts: _Parts, node: int, kind: str, anonymous: str) -> TypeDeclaration:
    """Return the declaration of a type; the caller adds its owner, method and JavaDoc.

    ``anonymous`` is its name if it is a class without a name."""
    name = anonymous if kind in _ANONYMOUS.values() else parts.part_text(node, _NAME)
    modifiers, annotations = _read_modifiers(parts, node)
    components = _list_parameters(parts, parts.rows[node][_PARAMETERS])
    return TypeDeclaration(
        node,
        kind,
        name,
        NONE,
        NONE,
        modifiers,
        annotations,
        NONE,
        components,
        _list_type_parameters(parts, node),
    )


def _make_method(
    parts: _Parts, node: int, kind: str, owner: int, javadoc: int
) -> MethodDeclaration:
    modifiers, annotations = _read_modifiers(parts, node)
    row = parts.rows[node]
    return MethodDeclaration(
        node=node,
        kind=kind,
        name=parts.part_text(node, _NAME),
        type=owner,
        parameters=_list_parameters(parts, row[_PARAMETERS]),
        type_parameters=_list_type_parameters(parts, node),
        # Brackets after the parameters belong to the return type: int f()[].
        returns=parts.part_text(node, _TYPE, _DIMENSIONS),
        modifiers=modifiers,
        annotations=annotations,
        body=row[_BODY],
        javadoc=javadoc,
    )


def _list_type_parameters(parts: _Parts, node: int) -> tuple[str, ...]:
    """Return the texts of a declaration's type parameters, such as ``T extends A&B``."""
    group = parts.rows[node][_TYPE_PARAMETERS]
    return tuple(
        type_text(parts.syntax, parameter)
        for parameter in parts.list_children(group, "type_parameter")
    )


def _list_parameters(parts: _Parts, group: int) -> tuple[Parameter, ...]:
    """Return the formal parameters in a node of parameters (NONE: none), without a receiver
    parameter (``this``)."""
    parameters: list[Parameter] = []
    for node in parts.list_children(group, "formal_parameter", "spread_parameter"):
        declarators = parts.list_children(node, "variable_declarator")
        if declarators:  # T... name
            name = parts.part_text(declarators[0], _NAME)
            declared_type = _spread_type(parts.syntax, node, declarators[0])
        else:
            name = parts.part_text(node, _NAME)
            declared_type = parts.part_text(node, _TYPE, _DIMENSIONS)
        parameters.append(Parameter(name, declared_type))
    return tuple(parameters)


def _spread_type(syntax: Syntax, node: int, declarator: int) -> str:
    """Return the type of a variable-arity parameter (JLS 8.4.1), ``T...``."""
    skipped = find_symbols("modifiers", *_ANNOTATIONS, *_COMMENTS)
    for child in syntax.children(node):
        kind = int(syntax.kind[child])
        if child < declarator and kind not in skipped and symbol_name(kind) != "...":
            return type_text(syntax, child) + "..."
    return "..."


def _list_fields(parts: _Parts, node: int, owner: int) -> list[FieldDeclaration]:
    """Return a field for each declarator of a field declaration."""
    modifiers, _ = _read_modifiers(parts, node)
    declared_type = parts.part_text(node, _TYPE)
    return [
        FieldDeclaration(
            child,
            parts.part_text(child, _NAME),
            owner,
            declared_type + parts.part_text(child, _DIMENSIONS),
            modifiers,
        )
        for child in parts.list_children(node, "variable_declarator")
    ]


def type_text(syntax: Syntax, node: int) -> str:
    """Return a type as written, without white space, comments and annotations; two adjacent words
    stay separated by a space."""
    if syntax.stop[node] == node + 1:
        return syntax.text(node)
    skipped = find_symbols(*_ANNOTATIONS, *_COMMENTS)
    text = ""
    at, stop = node, int(syntax.stop[node])
    while at < stop:
        if int(syntax.kind[at]) in skipped:
            at = int(syntax.stop[at])
            continue
        if syntax.stop[at] == at + 1 and syntax.end[at] > syntax.start[at]:
            piece = syntax.text(at)
            apart = text and text[-1].isalnum() and piece[0].isalnum()
            text += f" {piece}" if apart else piece
        at += 1
    return text
