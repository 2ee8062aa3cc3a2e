"""The methods of one version of a file, as far as they can be compared with another version's.

A method is known by its **key**: owner, name and the types of its parameters. What its body says
is compared by words: tokens without comments and white space, in which every name of a method
(called, referred to or declared) is kept apart, since a rename changes it wherever it stands.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from codeacumen.corpus.reading import Problem, Source, origin, read_source
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, type_text
from codeacumen.languages.java.syntax.file import JavaFile, parse_snippet
from codeacumen.languages.java.syntax.grammar import among, field, symbols

# Types nested deeper than this have names longer than any that people write.
DEEPEST = 64
VISIBILITY = frozenset(("public", "protected", "private"))

_PACKAGE = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Body:
    """``words`` has an empty one where a method is named; ``calls`` are those names, in order."""

    words: tuple[str, ...]
    calls: tuple[str, ...]

    def masked(self, own: str) -> tuple[str, ...]:
        """The names in it without the method's own."""
        return tuple("" if name == own else name for name in self.calls)

    def spelt(self, types: Mapping[str, str]) -> Body:
        """The same where types have other names."""
        if not types:
            return self
        return Body(tuple(types.get(word, word) for word in self.words), self.calls)

    @property
    def print(self) -> str:
        """A fingerprint that renames of methods do not change."""
        return hashlib.blake2b("\0".join(self.words).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Method:
    """``owner`` is how its type is called here: a class without a name by what it extends, since a
    number changes with every class before it. ``shown`` is the owner as records tell it.
    ``types`` and ``gives`` are parameters and result without packages; ``kind`` is its type's. Its
    bytes are ``[start, end)``, with its JavaDoc from ``first`` on."""

    key: str
    owner: str
    shown: str
    name: str
    types: tuple[str, ...]
    gives: str
    declared: MethodDeclaration
    kind: str
    first: int
    start: int
    end: int

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(one.type for one in self.declared.parameters)

    @property
    def has_body(self) -> bool:
        return self.declared.body != NONE


@dataclass(frozen=True, slots=True)
class Type:
    """``mother`` is the owner of the type around it, empty for one of the file."""

    owner: str
    mother: str
    name: str
    kind: str


class Version:
    """A file's types and methods, by what they are called; bodies are read when asked for.

    The syntax of a file takes ten times its bytes, so it may be forgotten; what is asked for then
    is told by the method's own bytes, which are parsed again.
    """

    def __init__(self, source: Source, file: JavaFile) -> None:
        self.source = source
        self._file: JavaFile | None = file
        self._bodies: dict[str, Body | None] = {}
        self._name_types(file)

    def forget(self) -> None:
        """Keep only what methods are called, and where they are."""
        self._file = None

    @property
    def file(self) -> JavaFile:
        if self._file is None:
            self._file = JavaFile(self.source.data)
        return self._file

    def _name_types(self, file: JavaFile) -> None:
        found, syntax = file.declarations, file.syntax
        owners: list[str] = []
        taken: Counter[str] = Counter()
        self.types: dict[str, Type] = {}
        for one in found.types:
            mother = owners[one.owner] if one.owner != NONE else ""
            name = one.name
            if name.startswith("$") and one.kind in ("anonymous", "enum constant"):
                name = f"${_made(file, one.node)}"
            owner = f"{mother}.{name}" if mother else name
            taken[owner] += 1
            if taken[owner] > 1:
                owner = f"{owner}~{taken[owner]}"
            owners.append(owner)
            self.types[owner] = Type(owner, mother, owner.rpartition(".")[2], one.kind)
        self.methods: list[Method] = []
        for method in found.methods:
            if method.kind != "method" or method.type == NONE or not method.name:
                continue
            types = tuple(without_packages(one.type) for one in method.parameters)
            key = f"{owners[method.type]}#{method.name}({','.join(types)})"
            taken[key] += 1
            if taken[key] > 1:
                key = f"{key}~{taken[key]}"
            first = method.node if method.javadoc == NONE else method.javadoc
            self.methods.append(
                Method(
                    key,
                    owners[method.type],
                    ".".join(found.path(method.type)),
                    method.name,
                    types,
                    without_packages(method.returns),
                    method,
                    found.types[method.type].kind,
                    int(syntax.start[first]),
                    int(syntax.start[method.node]),
                    int(syntax.end[method.node]),
                )
            )

    @cached_property
    def by_key(self) -> dict[str, Method]:
        return {one.key: one for one in self.methods}

    @cached_property
    def by_owner(self) -> dict[str, list[Method]]:
        found: dict[str, list[Method]] = {}
        for one in self.methods:
            found.setdefault(one.owner, []).append(one)
        return found

    @cached_property
    def generated(self) -> bool:
        return origin(self.source)[0] == "generated"

    def raw(self, method: Method) -> bytes:
        """The bytes of a method without its comment."""
        return self.source.data[method.start : method.end]

    def code(self, method: Method) -> str:
        """The text of a method with its JavaDoc."""
        return self.source.data[method.first : method.end].decode("utf-8", errors="replace")

    def body(self, method: Method) -> Body | None:
        """What its body says; None for one that has none."""
        if not method.has_body:
            return None
        if method.key not in self._bodies:
            file, declared = self._parsed(method)
            self._bodies[method.key] = _said(file, declared.body)
        return self._bodies[method.key]

    def heads(self, method: Method) -> tuple[str, ...]:
        """Parameters with their names, and what it throws, in words."""
        file, declared = self._parsed(method)
        listed = [
            child
            for child in file.syntax.children(declared.node)
            if int(file.syntax.kind[child]) in symbols("formal_parameters", "throws")
        ]
        return tuple(word for node in listed for word in _said(file, node).words)

    def _parsed(self, method: Method) -> tuple[JavaFile, MethodDeclaration]:
        if self._file is not None:
            return self._file, method.declared
        alone = parse_snippet(self.raw(method)).file
        return alone, alone.declarations.methods[0]


def _made(file: JavaFile, node: int) -> str:
    """What a class without a name extends; of an enum's constant, its name."""
    syntax = file.syntax
    wanted = (field("type"), field("name"))
    for child in syntax.children(int(syntax.parent[node])):
        if int(syntax.field[child]) in wanted:
            return without_packages(type_text(syntax, child))
    return ""


def names_of_methods(file: JavaFile) -> NDArray[np.bool_]:
    """For each node, whether it is the name of a method: called, referred to or declared."""
    syntax = file.syntax
    mother = syntax.kind[syntax.parent]
    named = among("method_invocation", "method_declaration")[mother]
    called = (syntax.field == field("name")) & named
    last = syntax.stop == syntax.stop[syntax.parent]
    found: NDArray[np.bool_] = among("identifier")[syntax.kind] & (
        called | (last & among("method_reference")[mother])
    )
    return found


def _said(file: JavaFile, node: int) -> Body:
    """The words of a node."""
    syntax, tokens, named = file.syntax, file.tokens, file.once(names_of_methods)
    low, high = np.searchsorted(
        tokens.start, [int(syntax.start[node]), int(syntax.end[node])], side="left"
    ).tolist()
    words: list[str] = []
    calls: list[str] = []
    spans = zip(
        tokens.start[low:high].tolist(),
        tokens.end[low:high].tolist(),
        named[tokens.node[low:high]].tolist(),
        strict=True,
    )
    for start, end, is_name in spans:
        text = file.source[start:end].decode("utf-8", errors="replace")
        if is_name:
            calls.append(text)
            text = ""
        words.append(text)
    return Body(tuple(words), tuple(calls))


def version_of(path: str, data: bytes) -> Version | Problem:
    """A file's version, or why it cannot be compared."""
    source = read_source(path, data)
    if isinstance(source, Problem):
        return source
    file = JavaFile(source.data)
    if file.syntax.broken:
        return Problem(path, "broken", "the grammar does not know all of it")
    depths: list[int] = []
    for one in file.declarations.types:
        depths.append(depths[one.owner] + 1 if one.owner != NONE else 1)
    if max(depths, default=0) > DEEPEST:
        return Problem(path, "too deep", f"types are nested more than {DEEPEST} deep")
    return Version(source, file)


def without_packages(text: str) -> str:
    """A type without its package; that of an outer type stays.

    >>> without_packages("java.util.Map.Entry<java.lang.String,T>[]")
    'Map.Entry<String,T>[]'
    """
    return _PACKAGE.sub("", text)


def respelt(text: str, types: Mapping[str, str]) -> str:
    """A type where others have other names."""
    return _WORD.sub(lambda word: types.get(word[0], word[0]), text) if types else text
