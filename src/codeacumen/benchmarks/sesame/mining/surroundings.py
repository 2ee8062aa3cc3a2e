"""Excerpts of Java files: a method with the members that a person needs to judge it.

An excerpt has the fields that the method uses and the methods and constructors that it calls, as
far as the same file declares them; the members that those use and call in turn; the imports of
names that occur; and the skeleton of the classes around. It resembles the excerpt that SeSaMe's
raters saw, with three differences. The source keeps its formatting apart from indentation. An enum
stays an enum, with the constants that occur. Each member appears once, in the type that declares
it.

A call refers to the method of the static type, not to those that override it. Where overloads are
ambiguous because their types are declared in other files, all candidates belong to the excerpt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.resolve import Project, facts, platform
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.sites import rows
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, symbols
from codeacumen.languages.syntax import Syntax

_COMMENTS = ("line_comment", "block_comment")
_UNPRINTABLE = ("anonymous", "enum constant")
# The modifiers of a type that affect the meaning of its members.
_TOLD = ("abstract", "static")
INDENT = " " * 4
TAB = 8
# Deeper nesting stays at this depth, so that 10,000 nested classes do not need 10,000 columns.
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Shown:
    """Members to print: indices of methods (the subject first), of fields, nodes of constants."""

    methods: tuple[int, ...]
    fields: tuple[int, ...]
    constants: tuple[int, ...]


def text_of(file: JavaFile, shown: Shown) -> str:
    page = _Page(file, shown)
    body = page.body()
    imports = page.imports()
    return "".join(f"{one}\n" for one in imports) + ("\n" if imports else "") + body


class _Page:
    """The tree of types to print, with their members."""

    def __init__(self, file: JavaFile, shown: Shown) -> None:
        self.file, self.shown = file, shown
        self.nodes: list[int] = []
        self.fields: dict[int, list[int]] = {}
        self.methods: dict[int, list[int]] = {}
        self.constants: dict[int, list[str]] = {}
        self.inner: dict[int, list[int]] = {}
        self.seen: set[int] = set()
        self._place()

    def _place(self) -> None:
        declared, syntax = self.file.declarations, self.file.syntax
        first = self._printable(declared.methods[self.shown.methods[0]].type)
        self._add_type(first)
        for place in self.shown.methods:
            type_ = self._printable(declared.methods[place].type)
            self._add_type(type_)
            self.methods.setdefault(type_, []).append(place)
        for place in self.shown.fields:
            field = declared.fields[place]
            self._add_type(field.type)
            # int a, b; is one declaration.
            node = int(syntax.parent[field.node])
            of_type = self.fields.setdefault(field.type, [])
            if node not in of_type:
                of_type.append(node)
        types = {one.node: place for place, one in enumerate(declared.types)}
        for node in sorted(self.shown.constants):
            owner = types.get(int(syntax.parent[syntax.parent[node]]), NONE)
            if owner != NONE and self._printable(owner) == owner:
                self._add_type(owner)
                names = [n for n in syntax.children(node) if _is(syntax, n, "identifier")]
                self.constants.setdefault(owner, []).append(syntax.text(names[0]))

    def _printable(self, type_: int) -> int:
        """Return the innermost enclosing type that has a name."""
        types = self.file.declarations.types
        while type_ != NONE and types[type_].kind in _UNPRINTABLE:
            type_ = types[type_].owner
        return type_

    def _add_type(self, type_: int) -> None:
        """Add a type and those around it; the first added is the first printed."""
        types = self.file.declarations.types
        while type_ not in self.seen:
            self.seen.add(type_)
            if type_ == NONE:
                return
            owner = self._printable(types[type_].owner)
            self.inner.setdefault(owner, []).append(type_)
            type_ = owner

    def body(self) -> str:
        parts: list[str] = []
        first = self.shown.methods[0]
        # Only a broken file has members outside types (NONE).
        stack: list[tuple[int, Iterator[str | int]]] = [(NONE, self._items(NONE, first))]
        while stack:
            type_, items = stack[-1]
            item = next(items, None)
            depth = min(len(stack) - 1, DEEPEST)
            if item is None:
                stack.pop()
                if type_ != NONE:
                    _close(parts, INDENT * max(0, min(depth - 1, DEEPEST)))
            elif isinstance(item, int):
                parts.append(_indented(f"{self._header(item)} {{", depth) + "\n")
                if self.file.declarations.types[item].kind == "enum":
                    names = ", ".join(self.constants.get(item, ()))
                    parts.append(_indented(f"{names};", depth + 1) + "\n\n")
                stack.append((item, self._items(item, first)))
            else:
                parts.append(_indented(item, depth) + "\n\n")
        return "".join(parts).rstrip("\n") + "\n"

    def _items(self, type_: int, first: int) -> Iterator[str | int]:
        """Yield the items of a type in order, a text for a member and a number for a type.

        The subject method, or the type that it is in, comes first; then fields, other methods,
        other types.
        """
        methods, inner = self.methods.get(type_, []), self.inner.get(type_, [])
        if methods[:1] == [first]:
            yield self._method(first)
            methods = methods[1:]
        elif inner and type_ != NONE and self._leads(inner[0], first):
            yield inner[0]
            inner = inner[1:]
        fields = [
            self._text(node, _javadoc(self.file.syntax, node))
            for node in self.fields.get(type_, ())
        ]
        if fields:
            yield "\n".join(fields)
        for place in methods:
            yield self._method(place)
        yield from inner

    def _leads(self, type_: int, method: int) -> bool:
        """Return whether a method is in a type.

        It suffices to test the first type of each type, because types are added for the subject
        first.
        """
        at = self.file.declarations.methods[method].type
        types = self.file.declarations.types
        node = types[type_].node
        return at != NONE and node <= types[at].node < int(self.file.syntax.stop[node])

    def _method(self, place: int) -> str:
        method = self.file.declarations.methods[place]
        return self._text(method.node, method.javadoc)

    def _text(self, node: int, javadoc: int) -> str:
        self.nodes.append(node)
        syntax = self.file.syntax
        start = int(syntax.start[node if javadoc == NONE else javadoc])
        return outdented(syntax.source, start, int(syntax.end[node]))

    def _header(self, type_: int) -> str:
        """Return the declaration of a type: ``abstract class A<T> extends B implements C``."""
        syntax, declared = self.file.syntax, self.file.declarations.types[type_]
        skipped = symbols(
            "modifiers",
            "permits",
            *_COMMENTS,
            "class_body",
            "interface_body",
            "enum_body",
            "annotation_type_body",
        )
        text = " ".join(word for word in _TOLD if word in declared.modifiers)
        for child in syntax.children(declared.node):
            if int(syntax.kind[child]) in skipped:
                continue
            if _is(syntax, child, "superclass", "super_interfaces", "extends_interfaces"):
                self.nodes.append(child)
            apart = text and not _is(syntax, child, "type_parameters", "formal_parameters")
            text += (" " if apart else "") + type_text(syntax, child).replace(",", ", ")
        return text

    def imports(self) -> list[str]:
        """Return the imports of names that occur.

        On-demand imports are included if a type occurs that nothing else explains.
        """
        names, strange = self._names()
        syntax = self.file.syntax
        found = []
        for node in np.flatnonzero(among("import_declaration")[syntax.kind]).tolist():
            text = type_text(syntax, node).rstrip(";")
            last = text.rpartition(".")[2]
            if last in names or (last == "*" and strange):
                found.append(f"{text};")
        return found

    def _names(self) -> tuple[set[str], bool]:
        """Return the words of the printed members, and whether one is a type of unknown origin."""
        file, syntax = self.file, self.file.syntax
        words: set[int] = set()
        types: set[int] = set()
        of_type = among("type_identifier")[syntax.kind]
        for node in self.nodes:
            span = slice(node, int(syntax.stop[node]))
            span_words = file.names.word_of[span]
            words.update(span_words[span_words >= 0].tolist())
            types.update(span_words[(span_words >= 0) & of_type[span]].tolist())
        names = {file.names.words[word] for word in words}
        known = {declared.name for declared in file.declarations.types}
        explains = np.flatnonzero(among("import_declaration", "type_parameter")[syntax.kind])
        for node in explains.tolist():
            known.add(type_text(syntax, node).rstrip(";").rpartition(".")[2].split(" ")[0])
        return names, any(file.names.words[type_] not in known for type_ in types)


def _is(syntax: Syntax, node: int, *kinds: str) -> bool:
    return int(syntax.kind[node]) in symbols(*kinds)


def _javadoc(syntax: Syntax, node: int) -> int:
    """Return the documentation comment before a node; other comments may stand between them."""
    at = node - 1
    while at > 0 and _is(syntax, at, *_COMMENTS) and syntax.parent[at] == syntax.parent[node]:
        if syntax.source.startswith(b"/**", int(syntax.start[at])):
            return at
        at -= 1
    return NONE


def outdented(source: bytes, start: int, end: int) -> str:
    """Return a piece of source without the margin that it has in its file; a tab is eight columns.

    Around a text block, only the margin that all lines share is removed, so that its value stays.
    """
    line = source.rfind(b"\n", 0, start) + 1
    text = source[start:end].decode("utf-8", errors="replace").replace("\r\n", "\n")
    first, *rest = text.replace("\r", "\n").split("\n")
    before = source[line:start].decode("utf-8", errors="replace")
    margin = before[: len(before) - len(before.lstrip(" \t"))]
    if '"""' in text:
        for one in rest:
            while one.strip() and not one.startswith(margin):
                margin = margin[:-1]
        rest = [one[len(margin) :] for one in rest]
    else:
        width = len(margin.expandtabs(TAB))
        rest = [_without(one, width) for one in rest]
    return "\n".join([first, *(one if one.strip() else "" for one in rest)])


def _without(line: str, width: int) -> str:
    """Return a line with this many columns of white space removed."""
    code = line.lstrip(" \t")
    columns = len(line[: len(line) - len(code)].expandtabs(TAB))
    return " " * max(0, columns - width) + code


def _indented(text: str, depth: int) -> str:
    indent = INDENT * min(depth, DEEPEST)
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _close(parts: list[str], indent: str) -> None:
    """Append a closing brace directly after the last member."""
    if parts[-1].endswith("\n\n"):
        parts[-1] = parts[-1][:-1]
    parts.append(f"{indent}}}\n\n")


_FILE = "File.java"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Indices in the file's declarations of the members that belong to a method.

    ``methods`` begins with the method itself, in the order of discovery; ``constants`` are nodes of
    an enum's constants.
    """

    methods: tuple[int, ...]
    fields: tuple[int, ...]
    constants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Uses:
    """Ascending byte offsets of the references to the file's own members, and their targets."""

    offset: list[int]
    what: list[tuple[str, int]]

    def inside(self, start: int, end: int) -> Iterator[tuple[str, int]]:
        for place in range(bisect_left(self.offset, start), bisect_left(self.offset, end)):
            yield self.what[place]


def surroundings(file: JavaFile, method: int) -> Surroundings:
    """Return the members that belong to a method, by a breadth-first search over its uses.

    ``method`` is an index in ``file.declarations.methods``.
    """
    uses, declared, syntax = file.once(_uses), file.declarations, file.syntax
    found: dict[tuple[str, int], None] = {("method", method): None}
    waiting = deque([method])
    # A printed method includes the members of the classes inside it.
    spans: list[tuple[int, int]] = []
    while waiting:
        node = declared.methods[waiting.popleft()].node
        spans.append((node, int(syntax.stop[node])))
        for use in uses.inside(int(syntax.start[node]), int(syntax.end[node])):
            if use not in found and _stands_alone(file, use):
                found[use] = None
                if use[0] == "method":
                    waiting.append(use[1])
    shown = _Spans(spans)
    kinds: dict[str, list[int]] = {"method": [], "field": [], "constant": []}
    for kind, place in found:
        if (kind, place) == ("method", method) or not shown.around(_node(file, kind, place)):
            kinds[kind].append(place)
    return Surroundings(*(tuple(kinds[kind]) for kind in ("method", "field", "constant")))


def excerpt(file: JavaFile, method: int) -> str:
    """Return the source of a small file: imports, then the types with the method first."""
    found = surroundings(file, method)
    return text_of(file, Shown(found.methods, found.fields, found.constants))


class _Spans:
    """Spans of nodes, reduced to the outermost."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        for start, stop in sorted(spans):
            if not self.stops or stop > self.stops[-1]:
                self.starts.append(start)
                self.stops.append(stop)

    def around(self, node: int) -> bool:
        """Return whether a node is inside a span and is not the span's own node."""
        place = bisect_left(self.starts, node) - 1
        return place >= 0 and node < self.stops[place]


def _node(file: JavaFile, kind: str, place: int) -> int:
    if kind == "constant":
        return place
    declared = file.declarations
    return declared.methods[place].node if kind == "method" else declared.fields[place].node


def _stands_alone(file: JavaFile, use: tuple[str, int]) -> bool:
    """Return whether a member can be printed in its class: anonymous classes cannot."""
    kind, place = use
    if kind == "constant":
        return True
    declared = file.declarations
    type_ = declared.methods[place].type if kind == "method" else declared.fields[place].type
    return type_ in file.once(_with_name)


def _with_name(file: JavaFile) -> frozenset[int]:
    """Return the types whose enclosing types and which themselves have a name."""
    found: set[int] = set()
    # An enclosing type precedes the types in it.
    for place, one in enumerate(file.declarations.types):
        outside = one.owner == NONE or one.owner in found
        if outside and one.method == NONE and one.kind not in _UNPRINTABLE:
            found.add(place)
    return frozenset(found)


def _uses(file: JavaFile) -> _Uses:
    found = sorted({*_calls(file), *_variables(file)})
    return _Uses([one[0] for one in found], [one[1:] for one in found])


def _calls(file: JavaFile) -> Iterator[tuple[int, str, int]]:
    made = facts(file)
    project = Project([(_FILE, made.declared)], platform())
    at = Attribution(project.world, rows(project.world.units[_FILE], made.sites))
    for row in at.rows.calls():
        for candidate in at.resolution(row).candidates:
            for path, index in candidate.method.target:
                if path == _FILE:
                    yield at.rows.b[row], "method", index


def _variables(file: JavaFile) -> Iterator[tuple[int, str, int]]:
    """Yield uses of fields and constants, and the calls that the file's bindings resolve."""
    bound, syntax, declared = file.bindings, file.syntax, file.declarations
    fields = {_name(file, item.node): index for index, item in enumerate(declared.fields)}
    methods = {_name(file, item.node): index for index, item in enumerate(declared.methods)}
    wanted = np.isin(bound.role, [ROLE[name] for name in ("field", "enum constant", "method")])
    wanted &= (bound.declaration >= 0) & (bound.declaration != bound.node)
    chosen = np.flatnonzero(wanted)
    columns = (bound.node[chosen], bound.declaration[chosen], bound.role[chosen])
    for node, declaration, role in zip(*(column.tolist() for column in columns), strict=True):
        offset = int(syntax.start[node])
        if role == ROLE["method"] and declaration in methods:
            yield offset, "method", methods[declaration]
        elif role == ROLE["field"] and declaration in fields:
            yield offset, "field", fields[declaration]
        elif role == ROLE["enum constant"]:
            yield offset, "constant", int(syntax.parent[declaration])


def _name(file: JavaFile, node: int) -> int:
    """Return the node of a declaration's name."""
    syntax = file.syntax
    for child in syntax.children(node):
        if int(syntax.kind[child]) in _identifier():
            return child
    return NONE


@lru_cache(maxsize=1)
def _identifier() -> frozenset[int]:
    return symbols("identifier")
