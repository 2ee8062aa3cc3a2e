"""Types, methods and fields of a file: who declares what, where exactly, and in whom.

One pass over the declaring nodes, in source order, with a stack of what encloses them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from acumen.lang.java.grammar import field, name_of, symbols
from acumen.lang.syntax import Syntax

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


class _Parts:
    """A node's children, read once: all of them, and by field."""

    def __init__(self, syntax: Syntax, node: int) -> None:
        self.syntax = syntax
        self.nodes = syntax.children(node)
        self.kinds = syntax.kind[self.nodes].tolist() if self.nodes else []
        numbers = syntax.field[self.nodes].tolist() if self.nodes else []
        pairs = zip(reversed(numbers), reversed(self.nodes), strict=True)
        self.by_field: dict[int, int] = dict(pairs)

    def get(self, name: str) -> int:
        """The child in a field, the first if there are several; NONE if there is none."""
        return self.by_field.get(field(name), NONE)

    def text(self, name: str) -> str:
        """The text of a field as a type is written; empty if there is none."""
        node = self.get(name)
        return type_text(self.syntax, node) if node != NONE else ""

    def of(self, *kinds: str) -> list[int]:
        wanted = symbols(*kinds)
        pairs = zip(self.nodes, self.kinds, strict=True)
        return [node for node, kind in pairs if kind in wanted]


def declarations(syntax: Syntax) -> Declarations:
    types: list[TypeDeclaration] = []
    methods: list[MethodDeclaration] = []
    fields: list[FieldDeclaration] = []
    package = ""
    anonymous = 0
    docs = _javadocs(syntax)
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
            names = _Parts(syntax, node).of("scoped_identifier", "identifier")
            package = type_text(syntax, names[0]) if names else ""
        elif kind in _METHODS:
            method_kind, doc = _METHODS[kind], docs.get(node, NONE)
            declared = _method(syntax, node, method_kind, owner, doc)
            if method_kind == "compact constructor" and owner != NONE:
                declared = replace(declared, parameters=types[owner].components)
            methods.append(declared)
            within.append((stop, owner, len(methods) - 1))
        elif kind in _FIELDS:
            fields += _fields(syntax, node, owner)
        elif kind in _TYPES or mother in _ANONYMOUS:
            anonymous += kind not in _TYPES
            found = _type(syntax, node, _TYPES.get(kind) or _ANONYMOUS[mother], f"${anonymous}")
            doc = docs.get(node, NONE)
            types.append(replace(found, owner=owner, method=method, javadoc=doc))
            within.append((stop, len(types) - 1, NONE))
    return Declarations(package, tuple(types), tuple(methods), tuple(fields))


@lru_cache(maxsize=1)
def _declaring() -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which symbols declare something; class_body for the classes without a name."""
    mask = np.zeros(1 << 16, dtype=np.bool_)
    mask[list(symbols(*_TYPES, *_METHODS, *_FIELDS, "class_body", "package_declaration"))] = True
    return mask


def _javadocs(syntax: Syntax) -> dict[int, int]:
    """The documentation comment of each node that follows one, other comments between them."""
    # From the last comment backwards: what follows a comment is known when it is met.
    follows: dict[int, int] = {}
    found: dict[int, int] = {}
    for comment in np.flatnonzero(np.isin(syntax.kind, list(symbols(*_COMMENTS)))).tolist()[::-1]:
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


def _modifiers(syntax: Syntax, parts: _Parts) -> tuple[frozenset[str], tuple[str, ...]]:
    words: list[str] = []
    annotations: list[str] = []
    for group in parts.of("modifiers"):
        for child in syntax.children(group):
            kind = int(syntax.kind[child])
            if kind in symbols(*_ANNOTATIONS):
                annotations.append(_Parts(syntax, child).text("name"))
            elif kind not in symbols(*_COMMENTS):
                words.append(syntax.text(child))
    return frozenset(words), tuple(annotations)


def _type(syntax: Syntax, node: int, kind: str, anonymous: str) -> TypeDeclaration:
    """The type as far as its own node tells; where it stands is added by whoever knows."""
    parts = _Parts(syntax, node)
    name = anonymous if kind in _ANONYMOUS.values() else parts.text("name")
    modifiers, annotations = _modifiers(syntax, parts)
    components = _parameters(syntax, parts.get("parameters"))
    return TypeDeclaration(
        node, kind, name, NONE, NONE, modifiers, annotations, NONE, components,
        _type_parameters(syntax, parts),
    )  # fmt: skip


def _method(syntax: Syntax, node: int, kind: str, owner: int, javadoc: int) -> MethodDeclaration:
    parts = _Parts(syntax, node)
    modifiers, annotations = _modifiers(syntax, parts)
    return MethodDeclaration(
        node=node,
        kind=kind,
        name=parts.text("name"),
        type=owner,
        parameters=_parameters(syntax, parts.get("parameters")),
        type_parameters=_type_parameters(syntax, parts),
        # Brackets after the parameters belong to the return type: int f()[].
        returns=parts.text("type") + parts.text("dimensions"),
        modifiers=modifiers,
        annotations=annotations,
        body=parts.get("body"),
        javadoc=javadoc,
    )


def _type_parameters(syntax: Syntax, parts: _Parts) -> tuple[str, ...]:
    group = parts.get("type_parameters")
    if group == NONE:
        return ()
    return tuple(type_text(syntax, one) for one in _Parts(syntax, group).of("type_parameter"))


def _parameters(syntax: Syntax, group: int) -> tuple[Parameter, ...]:
    """Formal parameters; a receiver (``this``) is none."""
    if group == NONE:
        return ()
    found: list[Parameter] = []
    for node in _Parts(syntax, group).of("formal_parameter", "spread_parameter"):
        parts = _Parts(syntax, node)
        declarators = parts.of("variable_declarator")
        if declarators:  # T... name
            name = _Parts(syntax, declarators[0]).text("name")
            skipped = symbols("modifiers", *_ANNOTATIONS, *_COMMENTS)
            typed = [
                child
                for child, kind in zip(parts.nodes, parts.kinds, strict=True)
                if child < declarators[0] and kind not in skipped and name_of(kind) != "..."
            ]
            declared = type_text(syntax, typed[0]) + "..." if typed else "..."
        else:
            name = parts.text("name")
            declared = parts.text("type") + parts.text("dimensions")
        found.append(Parameter(name, declared))
    return tuple(found)


def _fields(syntax: Syntax, node: int, owner: int) -> list[FieldDeclaration]:
    parts = _Parts(syntax, node)
    modifiers, _ = _modifiers(syntax, parts)
    declared = parts.text("type")
    found: list[FieldDeclaration] = []
    for child in parts.of("variable_declarator"):
        variable = _Parts(syntax, child)
        text = declared + variable.text("dimensions")
        found.append(FieldDeclaration(child, variable.text("name"), owner, text, modifiers))
    return found


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
