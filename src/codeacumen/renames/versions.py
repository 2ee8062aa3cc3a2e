"""The methods of one version of a file, in a form that can be compared with another version.

A method is identified by its **key**, ``owner#name(types of parameters)``; ``~2`` and so on
distinguish methods with the same key. Bodies are compared by words: tokens without comments and
white space, in which every name of a method (called, referred to or declared) is kept apart, since
a rename changes it wherever it stands."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from codeacumen.corpus.reading import Problem, Source, detect_origin, read_source
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, type_text
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.languages.java.syntax.grammar import field_number, find_symbols, symbol_mask

# Types nested deeper than this have names longer than any that people write.
MAX_TYPE_DEPTH = 64
VISIBILITY = frozenset(("public", "protected", "private"))

_PACKAGE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Body:
    """Words of a body, braces included; the names of methods are empty words.

    ``calls`` lists these names in order.
    """

    words: tuple[str, ...]
    calls: tuple[str, ...]

    def mask_own_name(self, own_name: str) -> tuple[str, ...]:
        """Return the called names with the method's own name blanked."""
        return tuple("" if name == own_name else name for name in self.calls)

    def with_type_names(self, types: Mapping[str, str]) -> Body:
        """Return the same body with other names of types."""
        if not types:
            return self
        return Body(tuple(types.get(word, word) for word in self.words), self.calls)

    @property
    def fingerprint(self) -> str:
        """A fingerprint that renames of methods do not change."""
        return hashlib.blake2b("\0".join(self.words).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class MethodVersion:
    """A method of a version.

    ``owner`` names its type for the comparison: a class without a name by the type it extends,
    since its number changes with every class before it. ``displayed_owner`` is the owner as records
    write it. ``parameter_types`` and ``result_type`` are parameters and result without packages;
    ``owner_kind`` is its type's kind. Its bytes are ``[start, end)``, with its JavaDoc from
    ``start_with_javadoc`` on."""

    key: str
    owner: str
    displayed_owner: str
    name: str
    parameter_types: tuple[str, ...]
    result_type: str
    declaration: MethodDeclaration
    owner_kind: str
    start_with_javadoc: int
    start: int
    end: int

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(parameter.type for parameter in self.declaration.parameters)

    @property
    def has_body(self) -> bool:
        return self.declaration.body != NONE


@dataclass(frozen=True, slots=True)
class Type:
    """A type of a version; ``outer`` is the owner of the enclosing type, empty at the top level."""

    owner: str
    outer: str
    name: str
    kind: str


class FileVersion:
    """A file's types and methods by key; bodies are read on demand.

    The syntax of a file takes ten times its bytes, so it may be dropped; a later request parses
    only the method's own bytes again."""

    def __init__(self, source: Source, file: JavaFile) -> None:
        self.source = source
        self._file: JavaFile | None = file
        self._bodies: dict[str, Body | None] = {}
        self._index_declarations(file)

    def drop_syntax(self) -> None:
        """Drop the syntax and keep the keys and positions of methods."""
        self._file = None

    @property
    def file(self) -> JavaFile:
        if self._file is None:
            self._file = JavaFile(self.source.data)
        return self._file

    def _index_declarations(self, file: JavaFile) -> None:
        declarations, syntax = file.declarations, file.syntax
        owners: list[str] = []
        # Counts of owners and of keys, which differ because only keys contain a #.
        use_counts: Counter[str] = Counter()
        self.types: dict[str, Type] = {}
        for type_ in declarations.types:
            outer = owners[type_.owner] if type_.owner != NONE else ""
            name = type_.name
            if name.startswith("$") and type_.kind in ("anonymous", "enum constant"):
                name = f"${_name_unnamed_type(file, type_.node)}"
            owner = f"{outer}.{name}" if outer else name
            use_counts[owner] += 1
            if use_counts[owner] > 1:
                owner = f"{owner}~{use_counts[owner]}"
            owners.append(owner)
            self.types[owner] = Type(owner, outer, owner.rpartition(".")[2], type_.kind)
        self.methods: list[MethodVersion] = []
        for method in declarations.methods:
            if method.kind != "method" or method.type == NONE or not method.name:
                continue
            parameter_types = tuple(
                strip_packages(parameter.type) for parameter in method.parameters
            )
            key = f"{owners[method.type]}#{method.name}({','.join(parameter_types)})"
            use_counts[key] += 1
            if use_counts[key] > 1:
                key = f"{key}~{use_counts[key]}"
            first_node = method.node if method.javadoc == NONE else method.javadoc
            self.methods.append(
                MethodVersion(
                    key,
                    owners[method.type],
                    ".".join(declarations.type_path(method.type)),
                    method.name,
                    parameter_types,
                    strip_packages(method.returns),
                    method,
                    declarations.types[method.type].kind,
                    int(syntax.start[first_node]),
                    int(syntax.start[method.node]),
                    int(syntax.end[method.node]),
                )
            )

    @cached_property
    def methods_by_key(self) -> dict[str, MethodVersion]:
        return {method.key: method for method in self.methods}

    @cached_property
    def methods_by_owner(self) -> dict[str, list[MethodVersion]]:
        methods: dict[str, list[MethodVersion]] = {}
        for method in self.methods:
            methods.setdefault(method.owner, []).append(method)
        return methods

    @cached_property
    def is_generated(self) -> bool:
        return detect_origin(self.source)[0] == "generated"

    def extract_bytes(self, method: MethodVersion) -> bytes:
        """Return the bytes of a method without its comment."""
        return self.source.data[method.start : method.end]

    def extract_code(self, method: MethodVersion) -> str:
        """Return the text of a method with its JavaDoc."""
        return self.source.data[method.start_with_javadoc : method.end].decode(
            "utf-8", errors="replace"
        )

    def parse_body(self, method: MethodVersion) -> Body | None:
        """Return the words of a method's body; None if it has no body."""
        if not method.has_body:
            return None
        if method.key not in self._bodies:
            file, declaration = self._get_declaration(method)
            self._bodies[method.key] = _extract_words(file, declaration.body)
        return self._bodies[method.key]

    def parse_header_words(self, method: MethodVersion) -> tuple[str, ...]:
        """Return the words of the parameters, with their names, and of the throws clause."""
        file, declaration = self._get_declaration(method)
        nodes = [
            child
            for child in file.syntax.children(declaration.node)
            if int(file.syntax.kind[child]) in find_symbols("formal_parameters", "throws")
        ]
        return tuple(word for node in nodes for word in _extract_words(file, node).words)

    def _get_declaration(self, method: MethodVersion) -> tuple[JavaFile, MethodDeclaration]:
        if self._file is not None:
            return self._file, method.declaration
        snippet = parse_snippet(self.extract_bytes(method)).file
        return snippet, snippet.declarations.methods[0]


def _name_unnamed_type(file: JavaFile, node: int) -> str:
    """Return the type that a class without a name extends, or the name of an enum's constant."""
    syntax = file.syntax
    fields = (field_number("type"), field_number("name"))
    for child in syntax.children(int(syntax.parent[node])):
        if int(syntax.field[child]) in fields:
            return strip_packages(type_text(syntax, child))
    return ""


def mask_method_names(file: JavaFile) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are a method's name: called, referred to or declared."""
    syntax = file.syntax
    parent_kind = syntax.kind[syntax.parent]
    names_field_parent = symbol_mask("method_invocation", "method_declaration")[parent_kind]
    is_declared_or_called = (syntax.field == field_number("name")) & names_field_parent
    last = syntax.stop == syntax.stop[syntax.parent]
    mask: NDArray[np.bool_] = symbol_mask("identifier")[syntax.kind] & (
        is_declared_or_called | (last & symbol_mask("method_reference")[parent_kind])
    )
    return mask


def _extract_words(file: JavaFile, node: int) -> Body:
    """Return the words of a node."""
    syntax, tokens, name_mask = file.syntax, file.tokens, file.compute_once(mask_method_names)
    first_token, end_token = np.searchsorted(
        tokens.start, [int(syntax.start[node]), int(syntax.end[node])], side="left"
    ).tolist()
    words: list[str] = []
    calls: list[str] = []
    spans = zip(
        tokens.start[first_token:end_token].tolist(),
        tokens.end[first_token:end_token].tolist(),
        name_mask[tokens.node[first_token:end_token]].tolist(),
        strict=True,
    )
    for start, end, is_name in spans:
        text = file.source[start:end].decode("utf-8", errors="replace")
        if is_name:
            calls.append(text)
            text = ""
        words.append(text)
    return Body(tuple(words), tuple(calls))


def parse_version(path: str, data: bytes) -> FileVersion | Problem:
    """Return a file's version, or the problem that prevents a comparison, such as broken syntax."""
    source = read_source(path, data)
    if isinstance(source, Problem):
        return source
    file = JavaFile(source.data)
    if file.syntax.broken:
        return Problem(path, "broken", "the grammar does not know all of it")
    depths: list[int] = []
    for type_ in file.declarations.types:
        depths.append(depths[type_.owner] + 1 if type_.owner != NONE else 1)
    if max(depths, default=0) > MAX_TYPE_DEPTH:
        return Problem(path, "too deep", f"types are nested more than {MAX_TYPE_DEPTH} deep")
    return FileVersion(source, file)


def strip_packages(text: str) -> str:
    """Return a type without its package; an outer type stays.

    >>> strip_packages("java.util.Map.Entry<java.lang.String,T>[]")
    'Map.Entry<String,T>[]'
    """
    return _PACKAGE.sub("", text)


def replace_type_names(text: str, types: Mapping[str, str]) -> str:
    """Return the text of a type with new names of types; ``types`` maps old names to new ones."""
    return _WORD.sub(lambda word: types.get(word[0], word[0]), text) if types else text
