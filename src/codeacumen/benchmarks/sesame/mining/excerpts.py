"""Print excerpts of Java files: a method with the members that a person needs to judge it.

An excerpt has the fields that the method uses and the methods and constructors that it calls, as
far as the same file declares them; the members that those methods use and call in turn; the imports
of names that occur; and the skeleton of the classes around. It resembles the excerpt that SeSaMe's
raters saw, with three differences. The source keeps its formatting apart from indentation. An enum
stays an enum, with the constants that occur. Each member appears once, in the type that declares
it. ``pipeline`` makes an excerpt of each sampled method with ``format_method_excerpt``.

A call refers to the method of the static type, not to those that override it. Where overloads are
ambiguous because their types are declared in other files, all candidates belong to the excerpt.

Nodes are indices in ``Syntax``, which is in pre-order: a parent precedes its children, and
``stop[node]`` is the index after a node's last descendant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from codeacumen.languages.java.bindings.names import ROLE
from codeacumen.languages.java.resolve import JavaProject, extract_facts, load_platform
from codeacumen.languages.java.resolve.attribution import Attribution
from codeacumen.languages.java.resolve.call_sites import build_rows
from codeacumen.languages.java.syntax.declarations import NONE, type_text
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import find_symbols, symbol_mask
from codeacumen.languages.syntax import Syntax

_COMMENTS = ("line_comment", "block_comment")
# Kinds of types without a header to print; their members belong to the named type around.
_UNPRINTABLE = ("anonymous", "enum constant")
# The modifiers of a type that affect the meaning of its members.
_PRINTED_MODIFIERS = ("abstract", "static")
INDENT = " " * 4
# Columns of a tab.
TAB = 8
# Levels of indentation; deeper nesting is indented no further, so that 10,000 nested classes do not
# need 10,000 levels.
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class ExcerptMembers:
    """Members to print: indices of methods and of fields in the declarations, nodes of constants.

    The subject, the method that the excerpt is for, is the first method.
    """

    methods: tuple[int, ...]
    fields: tuple[int, ...]
    constants: tuple[int, ...]


def format_excerpt(file: JavaFile, members: ExcerptMembers) -> str:
    printer = _ExcerptPrinter(file, members)
    body = printer.format_body()
    imports = printer.list_imports()
    return "".join(f"{line}\n" for line in imports) + ("\n" if imports else "") + body


class _ExcerptPrinter:
    """Printer of an excerpt: the tree of types to print, with their members.

    ``fields`` (nodes), ``methods`` (indices), ``constants`` (names) and ``inner`` (indices of
    types) are by the index of the type that has them, or NONE for those outside types; ``seen`` has
    the types that were added. ``nodes`` are the printed nodes, whose names need imports.
    """

    def __init__(self, file: JavaFile, members: ExcerptMembers) -> None:
        self.file, self.members = file, members
        self.nodes: list[int] = []
        self.fields: dict[int, list[int]] = {}
        self.methods: dict[int, list[int]] = {}
        self.constants: dict[int, list[str]] = {}
        self.inner: dict[int, list[int]] = {}
        self.seen: set[int] = set()
        self._collect_members()

    def _collect_members(self) -> None:
        declarations, syntax = self.file.declarations, self.file.syntax
        first = self._find_named_type(declarations.methods[self.members.methods[0]].type)
        self._add_type(first)
        for index in self.members.methods:
            type_ = self._find_named_type(declarations.methods[index].type)
            self._add_type(type_)
            self.methods.setdefault(type_, []).append(index)
        for index in self.members.fields:
            field = declarations.fields[index]
            self._add_type(field.type)
            # int a, b; is one declaration.
            node = int(syntax.parent[field.node])
            type_fields = self.fields.setdefault(field.type, [])
            if node not in type_fields:
                type_fields.append(node)
        types = {declaration.node: index for index, declaration in enumerate(declarations.types)}
        for node in sorted(self.members.constants):
            # The parent of a constant is the enum's body, whose parent is the enum.
            owner = types.get(int(syntax.parent[syntax.parent[node]]), NONE)
            if owner != NONE and self._find_named_type(owner) == owner:
                self._add_type(owner)
                names = [
                    child
                    for child in syntax.children(node)
                    if _is_kind(syntax, child, "identifier")
                ]
                self.constants.setdefault(owner, []).append(syntax.text(names[0]))

    def _find_named_type(self, type_: int) -> int:
        """Return the type itself if it has a name, else the innermost enclosing one that has."""
        types = self.file.declarations.types
        while type_ != NONE and types[type_].kind in _UNPRINTABLE:
            type_ = types[type_].owner
        return type_

    def _add_type(self, type_: int) -> None:
        """Add a type and the types around it; types are printed in the order of addition."""
        types = self.file.declarations.types
        while type_ not in self.seen:
            self.seen.add(type_)
            if type_ == NONE:
                return
            owner = self._find_named_type(types[type_].owner)
            self.inner.setdefault(owner, []).append(type_)
            type_ = owner

    def format_body(self) -> str:
        parts: list[str] = []
        first = self.members.methods[0]
        # The types whose items are being printed, outermost first; the file itself is NONE. Only a
        # broken file has members outside types.
        stack: list[tuple[int, Iterator[str | int]]] = [(NONE, self._list_items(NONE, first))]
        while stack:
            type_, items = stack[-1]
            item = next(items, None)
            depth = min(len(stack) - 1, DEEPEST)
            if item is None:
                stack.pop()
                if type_ != NONE:
                    _close_brace(parts, INDENT * max(0, min(depth - 1, DEEPEST)))
            elif isinstance(item, int):
                parts.append(_indent_lines(f"{self._format_header(item)} {{", depth) + "\n")
                if self.file.declarations.types[item].kind == "enum":
                    names = ", ".join(self.constants.get(item, ()))
                    parts.append(_indent_lines(f"{names};", depth + 1) + "\n\n")
                stack.append((item, self._list_items(item, first)))
            else:
                parts.append(_indent_lines(item, depth) + "\n\n")
        return "".join(parts).rstrip("\n") + "\n"

    def _list_items(self, type_: int, first: int) -> Iterator[str | int]:
        """Yield the items of a type in order, a text for members and an index for an inner type.

        The subject, ``first``, or the inner type around it comes first; then fields, other methods,
        other types.
        """
        methods, inner = self.methods.get(type_, []), self.inner.get(type_, [])
        if methods[:1] == [first]:
            yield self._format_method(first)
            methods = methods[1:]
        # The types around the subject were added first, so only inner[0] can contain it.
        elif inner and type_ != NONE and self._contains_method(inner[0], first):
            yield inner[0]
            inner = inner[1:]
        fields = [
            self._format_member(node, _find_javadoc(self.file.syntax, node))
            for node in self.fields.get(type_, ())
        ]
        if fields:
            yield "\n".join(fields)
        for method in methods:
            yield self._format_method(method)
        yield from inner

    def _contains_method(self, type_: int, method: int) -> bool:
        """Return whether a method is in a type or in a type inside it."""
        owner = self.file.declarations.methods[method].type
        types = self.file.declarations.types
        node = types[type_].node
        return owner != NONE and node <= types[owner].node < int(self.file.syntax.stop[node])

    def _format_method(self, index: int) -> str:
        method = self.file.declarations.methods[index]
        return self._format_member(method.node, method.javadoc)

    def _format_member(self, node: int, javadoc: int) -> str:
        self.nodes.append(node)
        syntax = self.file.syntax
        start = int(syntax.start[node if javadoc == NONE else javadoc])
        return remove_margin(syntax.source, start, int(syntax.end[node]))

    def _format_header(self, type_: int) -> str:
        """Return the declaration of a type: ``abstract class A<T> extends B implements C``."""
        syntax, declaration = self.file.syntax, self.file.declarations.types[type_]
        skipped = find_symbols(
            "modifiers",
            "permits",
            *_COMMENTS,
            "class_body",
            "interface_body",
            "enum_body",
            "annotation_type_body",
        )
        text = " ".join(word for word in _PRINTED_MODIFIERS if word in declaration.modifiers)
        for child in syntax.children(declaration.node):
            if int(syntax.kind[child]) in skipped:
                continue
            if _is_kind(syntax, child, "superclass", "super_interfaces", "extends_interfaces"):
                self.nodes.append(child)
            needs_space = text and not _is_kind(
                syntax, child, "type_parameters", "formal_parameters"
            )
            text += (" " if needs_space else "") + type_text(syntax, child).replace(",", ", ")
        return text

    def list_imports(self) -> list[str]:
        """Return the imports of names that occur in the printed members.

        On-demand imports (``import a.*``) are included if a type occurs that neither the file nor
        another import declares. Call it after ``format_body``, which collects the printed nodes.
        """
        names, has_unknown_type = self._collect_names()
        syntax = self.file.syntax
        lines = []
        for node in np.flatnonzero(symbol_mask("import_declaration")[syntax.kind]).tolist():
            text = type_text(syntax, node).rstrip(";")
            last = text.rpartition(".")[2]
            if last in names or (last == "*" and has_unknown_type):
                lines.append(f"{text};")
        return lines

    def _collect_names(self) -> tuple[set[str], bool]:
        """Return the names in the printed nodes, and whether the file leaves a type unexplained.

        A type is explained if the file declares it, imports it by name, or has a type parameter of
        that name.
        """
        file, syntax = self.file, self.file.syntax
        # Indices in ``file.names.words``: of all names in the printed nodes, and of those of types.
        words: set[int] = set()
        types: set[int] = set()
        is_type = symbol_mask("type_identifier")[syntax.kind]
        for node in self.nodes:
            span = slice(node, int(syntax.stop[node]))
            span_words = file.names.word_of[span]
            words.update(span_words[span_words >= 0].tolist())
            types.update(span_words[(span_words >= 0) & is_type[span]].tolist())
        names = {file.names.words[word] for word in words}
        known_types = {declared.name for declared in file.declarations.types}
        explains = np.flatnonzero(symbol_mask("import_declaration", "type_parameter")[syntax.kind])
        for node in explains.tolist():
            known_types.add(type_text(syntax, node).rstrip(";").rpartition(".")[2].split(" ")[0])
        return names, any(file.names.words[type_] not in known_types for type_ in types)


def _is_kind(syntax: Syntax, node: int, *kinds: str) -> bool:
    return int(syntax.kind[node]) in find_symbols(*kinds)


def _find_javadoc(syntax: Syntax, node: int) -> int:
    """Return the node of the JavaDoc before a node, or NONE; other comments may be in between."""
    comment = node - 1
    while (
        comment > 0
        and _is_kind(syntax, comment, *_COMMENTS)
        and syntax.parent[comment] == syntax.parent[node]
    ):
        if syntax.source.startswith(b"/**", int(syntax.start[comment])):
            return comment
        comment -= 1
    return NONE


def remove_margin(source: bytes, start: int, end: int) -> str:
    """Return ``source[start:end]`` without the indentation of its first line.

    A tab is eight columns. If there is a Java text block in it, only the white space that all lines
    share is removed, so that the block's value stays.
    """
    line_start = source.rfind(b"\n", 0, start) + 1
    text = source[start:end].decode("utf-8", errors="replace").replace("\r\n", "\n")
    first, *rest = text.replace("\r", "\n").split("\n")
    before = source[line_start:start].decode("utf-8", errors="replace")
    margin = before[: len(before) - len(before.lstrip(" \t"))]
    if '"""' in text:
        for text_line in rest:
            while text_line.strip() and not text_line.startswith(margin):
                margin = margin[:-1]
        rest = [text_line[len(margin) :] for text_line in rest]
    else:
        width = len(margin.expandtabs(TAB))
        rest = [_remove_columns(text_line, width) for text_line in rest]
    return "\n".join([first, *(text_line if text_line.strip() else "" for text_line in rest)])


def _remove_columns(line: str, width: int) -> str:
    """Return a line with this many columns of white space removed."""
    code = line.lstrip(" \t")
    columns = len(line[: len(line) - len(code)].expandtabs(TAB))
    return " " * max(0, columns - width) + code


def _indent_lines(text: str, depth: int) -> str:
    indent = INDENT * min(depth, DEEPEST)
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _close_brace(parts: list[str], indent: str) -> None:
    """Append a closing brace directly after the last member."""
    if parts[-1].endswith("\n\n"):
        parts[-1] = parts[-1][:-1]
    parts.append(f"{indent}}}\n\n")


# Name of the file in the project of one file that resolves its calls.
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
    """Ascending byte offsets of the references to the file's own members, and their targets.

    A target is the kind of a member ("method", "field" or "constant") and its index or node.
    """

    offset: list[int]
    target: list[tuple[str, int]]

    def list_inside(self, start: int, end: int) -> Iterator[tuple[str, int]]:
        for index in range(bisect_left(self.offset, start), bisect_left(self.offset, end)):
            yield self.target[index]


def find_surroundings(file: JavaFile, method: int) -> Surroundings:
    """Return the members that belong to a method, by a breadth-first search over its uses.

    ``method`` is an index in ``file.declarations.methods``.
    """
    uses, declarations, syntax = file.compute_once(_find_uses), file.declarations, file.syntax
    members: dict[tuple[str, int], None] = {("method", method): None}
    waiting = deque([method])
    # Members inside a printed method, in local classes, must not be printed again.
    spans: list[tuple[int, int]] = []
    while waiting:
        node = declarations.methods[waiting.popleft()].node
        spans.append((node, int(syntax.stop[node])))
        for use in uses.list_inside(int(syntax.start[node]), int(syntax.end[node])):
            if use not in members and _is_printable(file, use):
                members[use] = None
                if use[0] == "method":
                    waiting.append(use[1])
    printed_spans = _Spans(spans)
    kinds: dict[str, list[int]] = {"method": [], "field": [], "constant": []}
    for kind, index in members:
        if (kind, index) == ("method", method) or not printed_spans.is_inside(
            _find_node(file, kind, index)
        ):
            kinds[kind].append(index)
    return Surroundings(*(tuple(kinds[kind]) for kind in ("method", "field", "constant")))


def format_method_excerpt(file: JavaFile, method: int) -> str:
    """Return a method's excerpt: imports, then the types with the method first.

    ``method`` is an index in ``file.declarations.methods``.
    """
    members = find_surroundings(file, method)
    return format_excerpt(file, ExcerptMembers(members.methods, members.fields, members.constants))


class _Spans:
    """Spans of nodes, reduced to the outermost."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        for start, stop in sorted(spans):
            if not self.stops or stop > self.stops[-1]:
                self.starts.append(start)
                self.stops.append(stop)

    def is_inside(self, node: int) -> bool:
        """Return whether a node is inside a span and is not the span's own node."""
        index = bisect_left(self.starts, node) - 1
        return index >= 0 and node < self.stops[index]


def _find_node(file: JavaFile, kind: str, index: int) -> int:
    if kind == "constant":
        return index
    declarations = file.declarations
    return declarations.methods[index].node if kind == "method" else declarations.fields[index].node


def _is_printable(file: JavaFile, use: tuple[str, int]) -> bool:
    """Return whether a member can be printed: members of anonymous and local classes cannot."""
    kind, index = use
    if kind == "constant":
        return True
    declarations = file.declarations
    type_ = (
        declarations.methods[index].type if kind == "method" else declarations.fields[index].type
    )
    return type_ in file.compute_once(_find_named_types)


def _find_named_types(file: JavaFile) -> frozenset[int]:
    """Return the types that are neither anonymous nor local, nor inside such a type."""
    named_types: set[int] = set()
    # An enclosing type precedes the types in it.
    for index, declaration in enumerate(file.declarations.types):
        is_owner_named = declaration.owner == NONE or declaration.owner in named_types
        if is_owner_named and declaration.method == NONE and declaration.kind not in _UNPRINTABLE:
            named_types.add(index)
    return frozenset(named_types)


def _find_uses(file: JavaFile) -> _Uses:
    uses = sorted({*_list_call_uses(file), *_list_variable_uses(file)})
    return _Uses([use[0] for use in uses], [use[1:] for use in uses])


def _list_call_uses(file: JavaFile) -> Iterator[tuple[int, str, int]]:
    file_facts = extract_facts(file)
    project = JavaProject([(_FILE, file_facts.declared)], load_platform())
    attribution = Attribution(
        project.world, build_rows(project.world.units[_FILE], file_facts.sites)
    )
    for row in attribution.rows.list_calls():
        for candidate in attribution.resolution_of(row).candidates:
            for path, index in candidate.method.targets:
                if path == _FILE:
                    yield attribution.rows.b[row], "method", index


def _list_variable_uses(file: JavaFile) -> Iterator[tuple[int, str, int]]:
    """Yield uses of fields and constants, and of methods that the file's bindings resolve.

    A use is a byte offset, the kind of the member, and its index or node.
    """
    bindings, syntax, declarations = file.bindings, file.syntax, file.declarations
    fields = {
        _find_name_node(file, item.node): index for index, item in enumerate(declarations.fields)
    }
    methods = {
        _find_name_node(file, item.node): index for index, item in enumerate(declarations.methods)
    }
    is_use = np.isin(bindings.role, [ROLE[name] for name in ("field", "enum constant", "method")])
    # A name that is resolved and is not the declaration's own name.
    is_use &= (bindings.declaration >= 0) & (bindings.declaration != bindings.node)
    chosen = np.flatnonzero(is_use)
    columns = (bindings.node[chosen], bindings.declaration[chosen], bindings.role[chosen])
    for node, declaration, role in zip(*(column.tolist() for column in columns), strict=True):
        offset = int(syntax.start[node])
        if role == ROLE["method"] and declaration in methods:
            yield offset, "method", methods[declaration]
        elif role == ROLE["field"] and declaration in fields:
            yield offset, "field", fields[declaration]
        elif role == ROLE["enum constant"]:
            yield offset, "constant", int(syntax.parent[declaration])


def _find_name_node(file: JavaFile, node: int) -> int:
    """Return the node of a declaration's name, or NONE."""
    syntax = file.syntax
    for child in syntax.children(node):
        if int(syntax.kind[child]) in _identifier_symbols():
            return child
    return NONE


@lru_cache(maxsize=1)
def _identifier_symbols() -> frozenset[int]:
    return find_symbols("identifier")
