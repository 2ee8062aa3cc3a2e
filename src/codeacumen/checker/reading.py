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
from codeacumen.corpus.reading import Problem, origin, read_source
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.grammar import among, field, name_of
from codeacumen.models.method_naming.facts import Facts, facts_of
from codeacumen.text.lines import line_at, line_starts

ALL = "*"
WORD = "codeacumen:names"
_OK = re.compile(r"\bcodeacumen:\s*ok\b(?:\s*\(([^()\n]*)\))?", re.IGNORECASE)
_COMMENTS = ("line_comment", "block_comment")
_ANNOTATIONS = ("annotation", "marker_annotation")


def silenced(file: JavaFile) -> dict[int, tuple[str, ...]]:
    """Return the suppressed rules, by the method's index in ``declarations.methods``."""
    # Most files suppress nothing: skip them quickly.
    if b"codeacumen:" not in file.source.lower():
        return {}
    found: dict[int, set[str]] = {}
    for place, rules in [*_by_comments(file), *_by_annotations(file)]:
        found.setdefault(place, set()).update(rules)
    return {place: tuple(sorted(rules)) for place, rules in found.items()}


def _by_comments(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
    """Return index and rules of the methods that a comment suppresses."""
    syntax, methods = file.syntax, file.declarations.methods
    starts = line_starts(file.source)
    heads: dict[int, list[int]] = {}
    declared = {method.node: place for place, method in enumerate(methods)}
    for place, method in enumerate(methods):
        opens = method.body if method.body != NONE else method.node
        first = line_at(starts, int(syntax.start[method.node]))
        for line in range(first, line_at(starts, int(syntax.start[opens])) + 1):
            heads.setdefault(line, []).append(place)
    comments = np.flatnonzero(among(*_COMMENTS)[syntax.kind]).tolist()
    is_comment = frozenset(comments)
    found = []
    for comment in comments:
        told = _OK.search(syntax.text(comment))
        if told is None:
            continue
        rules = _rules(told[1])
        start = int(syntax.start[comment])
        line = line_at(starts, start)
        begins = int(starts[line - 2]) if line > 1 else 0
        if file.source[begins:start].strip():
            places = heads.get(line, [])
        else:
            after = int(syntax.stop[comment])
            while after in is_comment:
                after = int(syntax.stop[after])
            above = [declared[after]] if after in declared else []
            # A comment between the modifiers or after the parameters stands inside the head.
            places = above or [
                one for one in heads.get(line, []) if int(syntax.start[methods[one].node]) < start
            ]
        found += [(place, rules) for place in places]
    return found


def _rules(written: str | None) -> tuple[str, ...]:
    """Return the rules in the parentheses of a comment; all rules if there are none."""
    named = [] if written is None else re.split(r"[\s,]+", written.strip())
    return tuple(filter(None, named)) or (ALL,)


def _by_annotations(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
    """Return index and rules of the methods that an annotation suppresses."""
    syntax, declarations = file.syntax, file.declarations
    marked: set[int] = set()
    for node in np.flatnonzero(among(*_ANNOTATIONS)[syntax.kind]).tolist():
        text = syntax.text(node)
        if "SuppressWarnings" in text and f'"{WORD}"' in text:
            group = int(syntax.parent[node])
            is_group = group >= 0 and name_of(int(syntax.kind[group])) == "modifiers"
            marked.add(int(syntax.parent[group]) if is_group else group)
    if not marked:
        return []
    quiet: list[bool] = []
    for declared in declarations.types:  # an owner comes before its members
        around = declared.owner != NONE and quiet[declared.owner]
        if not around and declared.method != NONE:
            around = declarations.methods[declared.method].node in marked
        quiet.append(around or declared.node in marked)
    return [
        (place, (ALL,))
        for place, method in enumerate(declarations.methods)
        if method.node in marked or (method.type != NONE and quiet[method.type])
    ]


WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Methods:
    """Methods of a file with their positions, or the problem with the file.

    ``origin`` is ``written`` (by people), or generated, vendored or minified. ``is_broken``: the
    file has syntax errors. ``has_bare_cr``: some lines end with a CR alone; git counts only LF, so
    its line numbers differ from ours.
    """

    facts: tuple[Facts, ...] = ()
    places: tuple[Place, ...] = ()
    origin: str = WRITTEN
    broken: bool = False
    returns: bool = False
    problem: Problem | None = None


_FACTS, _PLACE = (attrgetter(*(one.name for one in fields(kind))) for kind in (Facts, Place))


def as_plain(methods: Methods) -> tuple[object, ...]:
    """Return the record as nested tuples, which pickle several times faster than records."""
    facts, places = map(_FACTS, methods.facts), map(_PLACE, methods.places)
    told = (methods.origin, methods.broken, methods.returns, methods.problem)
    return (tuple(facts), tuple(places), *told)


def from_plain(plain: Any) -> Methods | None:
    """Return the record that ``methods_to_tuple`` turned into tuples; None for other values."""
    try:
        facts, places, *told = plain
        return Methods(
            tuple(Facts(*one) for one in facts), tuple(Place(*one) for one in places), *told
        )
    except (TypeError, ValueError):
        return None


def methods_of(path: str, data: bytes) -> Methods:
    """Parse a file and return its methods, or the problem with it."""
    source = read_source(path, data)
    if isinstance(source, Problem):
        return Methods(problem=source)
    try:
        file = JavaFile(source.data)
        facts = facts_of(file, path)
        places = _places(file, [one.place for one in facts])
        returns = data.count(b"\r") > data.count(b"\r\n")
        return Methods(tuple(facts), tuple(places), origin(source)[0], file.syntax.broken, returns)
    except Exception as error:  # one bad file must not abort the check
        return Methods(problem=Problem(path, "failed", f"{type(error).__name__}: {error}"))


def content_key(data: bytes) -> str:
    """Return git's blob id of the content, so that files on disk and in commits share entries."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _places(file: JavaFile, methods: list[int]) -> list[Place]:
    """Return the positions of the methods with these indices."""
    if not methods:
        return []
    syntax, source = file.syntax, file.source
    starts = line_starts(source)
    quiet = silenced(file)
    wanted = field("name")
    found: list[Place] = []
    for place in methods:
        method = file.declarations.methods[place]
        node = method.node
        names = [child for child in syntax.children(node) if syntax.field[child] == wanted]
        name = names[0] if names else node
        start, end = int(syntax.start[name]), int(syntax.end[name])
        line = line_at(starts, start)
        begins = int(starts[line - 2]) if line > 1 else 0
        column = _characters(source[begins:start]) + 1
        opening = method.javadoc if method.javadoc != NONE else node
        found.append(
            Place(
                line=line,
                column=column,
                end=column + _characters(source[start:end]),
                first=line_at(starts, int(syntax.start[opening])),
                last=line_at(starts, max(int(syntax.end[node]) - 1, 0)),
                silenced=quiet.get(place, ()),
            )
        )
    return found


def _characters(data: bytes) -> int:
    return len(data.decode("utf-8", errors="replace"))
