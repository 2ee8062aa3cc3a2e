"""Types, methods and fields of a file: who declares what, where exactly, and in whom.

One pass over the declaring nodes, in source order, with a stack of what encloses them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.grammar import among, field, name_of, symbols
from codeacumen.languages.kernel import kernel
from codeacumen.languages.syntax import Column, Syntax

NONE = -1

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
_ANONYMOUS = {"object_creation_expression": "anonymous", "enum_constant": "enum constant"}


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """``owner`` is the enclosing type, ``method`` the method it is local to (NONE: none). A
    class without a name is called ``$n``, the n-th of its kind in the file. ``components`` are
    those of a record."""

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
    """``type`` is the type that declares it; ``body`` the node of its body (NONE: none);
    ``javadoc`` the node of its comment. Types are as written, without white space."""

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
    node: int
    name: str
    type: int
    declared: str
    modifiers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Declarations:
    package: str
    types: tuple[TypeDeclaration, ...]
    methods: tuple[MethodDeclaration, ...]
    fields: tuple[FieldDeclaration, ...]

    def path(self, type_: int) -> tuple[str, ...]:
        """Names from the outermost type inward. Not stored: nesting may be 10,000 deep."""
        names: list[str] = []
        while type_ != NONE:
            names.append(self.types[type_].name)
            type_ = self.types[type_].owner
        return tuple(reversed(names))


# What a declaration's parts are called in the grammar, and the place of each in a row of _Parts.
_FIELD_NAMES = ("name", "type", "dimensions", "parameters", "body", "type_parameters")
_NAME, _TYPE, _DIMENSIONS, _PARAMETERS, _BODY, _TYPE_PARAMETERS, _MODIFIERS = range(7)


class _Parts:
    """The parts of all declarations of a file, found in one go: what is looked at again and
    again for each of hundreds of thousands of methods."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax
        of_interest = np.flatnonzero(_masks().declares[syntax.kind])
        numbers = np.array([field(name) for name in _FIELD_NAMES], dtype=np.uint16)
        rows = _parts_of(
            of_interest, syntax.kind, syntax.field, syntax.stop, numbers, _masks().modifiers
        )
        self.rows: dict[int, list[int]] = dict(
            zip(of_interest.tolist(), rows.tolist(), strict=True)
        )
        listed = _masks().listed[syntax.kind]
        listed &= (
            _masks().declares[syntax.kind[syntax.parent]]
            | _masks().lists[syntax.kind[syntax.parent]]
        )
        self.below = self._grouped(listed)
        self.words = self._grouped(_masks().modifiers[syntax.kind[syntax.parent]])

    def _grouped(self, chosen: NDArray[np.bool_]) -> dict[int, list[tuple[int, int]]]:
        """Chosen nodes with their kinds, by parent, in order."""
        found: dict[int, list[tuple[int, int]]] = {}
        nodes = np.flatnonzero(chosen)
        columns = (nodes, self.syntax.kind[nodes], self.syntax.parent[nodes])
        for node, kind, parent in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(parent, []).append((node, kind))
        return found

    def text(self, node: int, *parts: int) -> str:
        """The text of a declaration's parts as a type is written; empty where there is none."""
        row = self.rows[node]
        return "".join(type_text(self.syntax, row[part]) for part in parts if row[part] != NONE)

    def of(self, node: int, *kinds: str) -> list[int]:
        if node == NONE:
            return []
        wanted = symbols(*kinds)
        return [child for child, kind in self.below.get(node, ()) if kind in wanted]


@dataclass(frozen=True, slots=True)
class _Masks:
    """For each symbol: does it declare something; is it listed in one that does, or in one that
    lists; is it the group of modifiers."""

    declares: NDArray[np.bool_]
    listed: NDArray[np.bool_]
    lists: NDArray[np.bool_]
    modifiers: NDArray[np.bool_]


@lru_cache(maxsize=1)
def _masks() -> _Masks:
    parameters = ("formal_parameter", "spread_parameter")
    return _Masks(
        among(
            *_TYPES,
            *_METHODS,
            *_FIELDS,
            *parameters,
            "variable_declarator",
            "class_body",
            *_ANNOTATIONS,
        ),
        among(*parameters, "variable_declarator", "type_parameter"),
        among("formal_parameters", "type_parameters"),
        among("modifiers"),
    )


@kernel
def _parts_of(
    nodes: NDArray[np.int64],
    kind: NDArray[np.uint16],
    field: NDArray[np.uint16],
    stop: Column,
    numbers: NDArray[np.uint16],
    modifiers: NDArray[np.bool_],
) -> Column:
    """For each node its first child in each field, then its modifiers; -1 where there is none."""
    width = len(numbers)
    found = np.full((len(nodes), width + 1), -1, dtype=np.int32)
    for row in range(len(nodes)):
        child, last = nodes[row] + 1, stop[nodes[row]]
        while child < last:
            if modifiers[kind[child]] and found[row, width] < 0:
                found[row, width] = child
            elif field[child] != 0:
                for place in range(width):
                    if field[child] == numbers[place] and found[row, place] < 0:
                        found[row, place] = child
            child = stop[child]
    return found


def declarations(syntax: Syntax) -> Declarations:
    types: list[TypeDeclaration] = []
    methods: list[MethodDeclaration] = []
    fields: list[FieldDeclaration] = []
    package = ""
    anonymous = 0
    docs = _javadocs(syntax)
    parts = _Parts(syntax)
    # What encloses the current node: where it stops, its type, its method.
    within: list[tuple[int, int, int]] = []
    for node in np.flatnonzero(_declaring()[syntax.kind]).tolist():
        while within and within[-1][0] <= node:
            within.pop()
        _, owner, method = within[-1] if within else (0, NONE, NONE)
        stop = int(syntax.stop[node])
        kind = name_of(int(syntax.kind[node]))
        mother = name_of(int(syntax.kind[syntax.parent[node]]))
        if kind == "package_declaration":
            wanted = symbols("scoped_identifier", "identifier")
            names = [one for one in syntax.children(node) if int(syntax.kind[one]) in wanted]
            package = type_text(syntax, names[0]) if names else ""
        elif kind in _METHODS:
            method_kind, doc = _METHODS[kind], docs.get(node, NONE)
            declared = _method(parts, node, method_kind, owner, doc)
            if method_kind == "compact constructor" and owner != NONE:
                declared = replace(declared, parameters=types[owner].components)
            methods.append(declared)
            within.append((stop, owner, len(methods) - 1))
        elif kind in _FIELDS:
            fields += _fields(parts, node, owner)
        elif kind in _TYPES or mother in _ANONYMOUS:
            anonymous += kind not in _TYPES
            found = _type(parts, node, _TYPES.get(kind) or _ANONYMOUS[mother], f"${anonymous}")
            doc = docs.get(node, NONE)
            types.append(replace(found, owner=owner, method=method, javadoc=doc))
            within.append((stop, len(types) - 1, NONE))
    return Declarations(package, tuple(types), tuple(methods), tuple(fields))


def _declaring() -> NDArray[np.bool_]:
    """Which symbols declare something; class_body for the classes without a name."""
    return among(*_TYPES, *_METHODS, *_FIELDS, "class_body", "package_declaration")


def _javadocs(syntax: Syntax) -> dict[int, int]:
    """The documentation comment of each node that follows one, other comments between them."""
    # From the last comment backwards: what follows a comment is known when it is met.
    follows: dict[int, int] = {}
    found: dict[int, int] = {}
    for comment in np.flatnonzero(among(*_COMMENTS)[syntax.kind]).tolist()[::-1]:
        after = comment + 1
        if after >= syntax.stop[syntax.parent[comment]]:
            continue
        target = follows.get(after, after)
        follows[comment] = target
        start, end = int(syntax.start[comment]), int(syntax.end[comment])
        # /**/ is an empty comment and no documentation.
        if end - start > 4 and syntax.source[start : start + 3] == b"/**":
            found.setdefault(target, comment)
    return found


def _modifiers(parts: _Parts, node: int) -> tuple[frozenset[str], tuple[str, ...]]:
    group = parts.rows[node][_MODIFIERS]
    if group == NONE:
        return _NO_MODIFIERS
    words: list[int] = []
    annotations: list[str] = []
    for child, kind in parts.words.get(group, ()):
        if kind in symbols(*_ANNOTATIONS):
            annotations.append(parts.text(child, _NAME))
        elif kind not in symbols(*_COMMENTS):
            words.append(kind)
    return _spelled(tuple(words)), tuple(annotations)


_NO_MODIFIERS: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())


@lru_cache(maxsize=4096)
def _spelled(words: tuple[int, ...]) -> frozenset[str]:
    """Modifiers are keywords, and a keyword's symbol is named like it is spelt."""
    return frozenset(map(name_of, words))


def _type(parts: _Parts, node: int, kind: str, anonymous: str) -> TypeDeclaration:
    """The type as far as its own node tells; where it stands is added by whoever knows."""
    name = anonymous if kind in _ANONYMOUS.values() else parts.text(node, _NAME)
    modifiers, annotations = _modifiers(parts, node)
    components = _parameters(parts, parts.rows[node][_PARAMETERS])
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
        _type_parameters(parts, node),
    )


def _method(parts: _Parts, node: int, kind: str, owner: int, javadoc: int) -> MethodDeclaration:
    modifiers, annotations = _modifiers(parts, node)
    row = parts.rows[node]
    return MethodDeclaration(
        node=node,
        kind=kind,
        name=parts.text(node, _NAME),
        type=owner,
        parameters=_parameters(parts, row[_PARAMETERS]),
        type_parameters=_type_parameters(parts, node),
        # Brackets after the parameters belong to the return type: int f()[].
        returns=parts.text(node, _TYPE, _DIMENSIONS),
        modifiers=modifiers,
        annotations=annotations,
        body=row[_BODY],
        javadoc=javadoc,
    )


def _type_parameters(parts: _Parts, node: int) -> tuple[str, ...]:
    group = parts.rows[node][_TYPE_PARAMETERS]
    return tuple(type_text(parts.syntax, one) for one in parts.of(group, "type_parameter"))


def _parameters(parts: _Parts, group: int) -> tuple[Parameter, ...]:
    """Formal parameters; a receiver (``this``) is none."""
    found: list[Parameter] = []
    for node in parts.of(group, "formal_parameter", "spread_parameter"):
        declarators = parts.of(node, "variable_declarator")
        if declarators:  # T... name
            name = parts.text(declarators[0], _NAME)
            declared = _spread_type(parts.syntax, node, declarators[0])
        else:
            name = parts.text(node, _NAME)
            declared = parts.text(node, _TYPE, _DIMENSIONS)
        found.append(Parameter(name, declared))
    return tuple(found)


def _spread_type(syntax: Syntax, node: int, declarator: int) -> str:
    skipped = symbols("modifiers", *_ANNOTATIONS, *_COMMENTS)
    for child in syntax.children(node):
        kind = int(syntax.kind[child])
        if child < declarator and kind not in skipped and name_of(kind) != "...":
            return type_text(syntax, child) + "..."
    return "..."


def _fields(parts: _Parts, node: int, owner: int) -> list[FieldDeclaration]:
    modifiers, _ = _modifiers(parts, node)
    declared = parts.text(node, _TYPE)
    return [
        FieldDeclaration(
            child,
            parts.text(child, _NAME),
            owner,
            declared + parts.text(child, _DIMENSIONS),
            modifiers,
        )
        for child in parts.of(node, "variable_declarator")
    ]


def type_text(syntax: Syntax, node: int) -> str:
    """A type as written, without white space, comments and annotations; words stay apart."""
    if syntax.stop[node] == node + 1:
        return syntax.text(node)
    skipped = symbols(*_ANNOTATIONS, *_COMMENTS)
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
