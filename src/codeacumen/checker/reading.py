"""Read the methods of a file for the checker: facts, positions of names, inline suppressions.

No input raises an exception: a file that is not Java yields no methods and a problem.

``// codeacumen: ok`` on the line of a method's head, or alone on a line above it, suppresses all
rules;
``// codeacumen: ok(get-void, is-not-boolean) because ...`` suppresses the named ones.
``@SuppressWarnings("codeacumen:names")`` on the method or on an enclosing type suppresses all
rules.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import numpy as np

from codeacumen.checker.findings import Place
from codeacumen.corpus.reading import Problem, detect_origin, read_source
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import field_number, symbol_mask, symbol_name
from codeacumen.models.method_naming.facts import Facts, read_facts
from codeacumen.text.lines import line_at, line_starts

ALL_RULES = "*"
SUPPRESS_WARNINGS_VALUE = "codeacumen:names"
_OK_COMMENT = re.compile(r"\bcodeacumen:\s*ok\b(?:\s*\(([^()\n]*)\))?", re.IGNORECASE)
_COMMENTS = ("line_comment", "block_comment")
_ANNOTATIONS = ("annotation", "marker_annotation")


def find_suppressions(file: JavaFile) -> dict[int, tuple[str, ...]]:
    """Return the suppressed rules, by the method's index in ``declarations.methods``."""
    # Most files suppress nothing: skip them quickly.
    if b"codeacumen:" not in file.source.lower():
        return {}
    rules_by_method: dict[int, set[str]] = {}
    for index, rules in [*_find_comment_suppressions(file), *_find_annotation_suppressions(file)]:
        rules_by_method.setdefault(index, set()).update(rules)
    return {index: tuple(sorted(rules)) for index, rules in rules_by_method.items()}


def _find_comment_suppressions(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
    """Return index and rules of each method for which a comment suppresses rules."""
    syntax, methods = file.syntax, file.declarations.methods
    # ``starts`` begins with the second line, so line n starts at ``starts[n - 2]``.
    starts = line_starts(file.source)
    methods_by_line: dict[int, list[int]] = {}
    index_by_node = {method.node: index for index, method in enumerate(methods)}
    for index, method in enumerate(methods):
        head_end = method.body if method.body != NONE else method.node
        first = line_at(starts, int(syntax.start[method.node]))
        for line in range(first, line_at(starts, int(syntax.start[head_end])) + 1):
            methods_by_line.setdefault(line, []).append(index)
    comments = np.flatnonzero(symbol_mask(*_COMMENTS)[syntax.kind]).tolist()
    is_comment = frozenset(comments)
    suppressions = []
    for comment in comments:
        match = _OK_COMMENT.search(syntax.text(comment))
        if match is None:
            continue
        rules = _parse_rules(match[1])
        start = int(syntax.start[comment])
        line = line_at(starts, start)
        line_start = int(starts[line - 2]) if line > 1 else 0
        if file.source[line_start:start].strip():
            indices = methods_by_line.get(line, [])
        else:
            # ``stop`` is the node after a subtree, here the declaration below or another comment.
            next_node = int(syntax.stop[comment])
            while next_node in is_comment:
                next_node = int(syntax.stop[next_node])
            method_below = [index_by_node[next_node]] if next_node in index_by_node else []
            # A comment between the modifiers or after the parameters stands inside the head.
            indices = method_below or [
                index
                for index in methods_by_line.get(line, [])
                if int(syntax.start[methods[index].node]) < start
            ]
        suppressions += [(index, rules) for index in indices]
    return suppressions


def _parse_rules(text: str | None) -> tuple[str, ...]:
    """Return the rules in the parentheses of a comment; all rules if there are none."""
    names = [] if text is None else re.split(r"[\s,]+", text.strip())
    return tuple(filter(None, names)) or (ALL_RULES,)


def _find_annotation_suppressions(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
    """Return index and rules of each method for which an annotation suppresses all rules."""
    syntax, declarations = file.syntax, file.declarations
    annotated: set[int] = set()
    for node in np.flatnonzero(symbol_mask(*_ANNOTATIONS)[syntax.kind]).tolist():
        text = syntax.text(node)
        if "SuppressWarnings" in text and f'"{SUPPRESS_WARNINGS_VALUE}"' in text:
            # Annotations of a declaration are below its node ``modifiers``.
            group = int(syntax.parent[node])
            is_group = group >= 0 and symbol_name(int(syntax.kind[group])) == "modifiers"
            annotated.add(int(syntax.parent[group]) if is_group else group)
    if not annotated:
        return []
    is_suppressed: list[bool] = []
    for type_declaration in declarations.types:  # an owner comes before its members
        is_inside = type_declaration.owner != NONE and is_suppressed[type_declaration.owner]
        if not is_inside and type_declaration.method != NONE:
            is_inside = declarations.methods[type_declaration.method].node in annotated
        is_suppressed.append(is_inside or type_declaration.node in annotated)
    return [
        (index, (ALL_RULES,))
        for index, method in enumerate(declarations.methods)
        if method.node in annotated or (method.type != NONE and is_suppressed[method.type])
    ]


WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class FileMethods:
    """Methods of a file with their positions, or the problem with the file.

    ``origin`` is ``written`` (by people), or generated, vendored or minified. ``is_broken``: the
    file has syntax errors. ``has_bare_cr``: some lines end with a CR alone; git counts only LF, so
    its line numbers differ from ours.
    """

    facts: tuple[Facts, ...] = ()
    places: tuple[Place, ...] = ()
    origin: str = WRITTEN
    is_broken: bool = False
    has_bare_cr: bool = False
    problem: Problem | None = None


# Functions that return all fields of a record as a tuple.
_FACTS, _PLACE = (
    attrgetter(*(record_field.name for record_field in fields(kind))) for kind in (Facts, Place)
)


def methods_to_tuple(file_methods: FileMethods) -> tuple[object, ...]:
    """Return the record as nested tuples, which pickle several times faster than records."""
    facts, places = map(_FACTS, file_methods.facts), map(_PLACE, file_methods.places)
    other_values = (
        file_methods.origin,
        file_methods.is_broken,
        file_methods.has_bare_cr,
        file_methods.problem,
    )
    return (tuple(facts), tuple(places), *other_values)


def methods_from_tuple(values: Any) -> FileMethods | None:
    """Return the record that ``methods_to_tuple`` turned into tuples; None for other values."""
    try:
        facts, places, *other_values = values
        return FileMethods(
            tuple(Facts(*fact_values) for fact_values in facts),
            tuple(Place(*place_values) for place_values in places),
            *other_values,
        )
    except (TypeError, ValueError):
        return None


def read_methods(path: str, data: bytes) -> FileMethods:
    """Parse a file and return its methods, or the problem with it."""
    source = read_source(path, data)
    if isinstance(source, Problem):
        return FileMethods(problem=source)
    try:
        file = JavaFile(source.data)
        facts = read_facts(file, path)
        places = _find_places(file, [method_facts.method_index for method_facts in facts])
        has_bare_cr = data.count(b"\r") > data.count(b"\r\n")
        return FileMethods(
            tuple(facts), tuple(places), detect_origin(source)[0], file.syntax.broken, has_bare_cr
        )
    except Exception as error:  # one bad file must not abort the check
        return FileMethods(problem=Problem(path, "failed", f"{type(error).__name__}: {error}"))


def hash_content(data: bytes) -> str:
    """Return git's blob id of the content, so that files on disk and in commits share entries."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _find_places(file: JavaFile, methods: list[int]) -> list[Place]:
    """Return the positions of the methods with these indices."""
    if not methods:
        return []
    syntax, source = file.syntax, file.source
    # ``starts`` begins with the second line, so line n starts at ``starts[n - 2]``.
    starts = line_starts(source)
    suppressions = find_suppressions(file)
    name_field = field_number("name")
    places: list[Place] = []
    for index in methods:
        method = file.declarations.methods[index]
        node = method.node
        names = [child for child in syntax.children(node) if syntax.field[child] == name_field]
        name = names[0] if names else node
        start, end = int(syntax.start[name]), int(syntax.end[name])
        line = line_at(starts, start)
        line_start = int(starts[line - 2]) if line > 1 else 0
        column = _count_characters(source[line_start:start]) + 1
        opening = method.javadoc if method.javadoc != NONE else node
        places.append(
            Place(
                line=line,
                column=column,
                end=column + _count_characters(source[start:end]),
                first=line_at(starts, int(syntax.start[opening])),
                last=line_at(starts, max(int(syntax.end[node]) - 1, 0)),
                silenced=suppressions.get(index, ()),
            )
        )
    return places


def _count_characters(data: bytes) -> int:
    return len(data.decode("utf-8", errors="replace"))
