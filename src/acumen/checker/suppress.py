"""Inline suppressions: a person says that a name is right, where the name is.

``// acumen: ok`` on the line of a method's head, or alone on a line above it, silences all rules;
``// acumen: ok(get-void, is-not-boolean) because ...`` those that it names. So does
``@SuppressWarnings("acumen:names")`` on the method or on a type around it, for all rules.
"""

from __future__ import annotations

import re

import numpy as np

from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import among, name_of
from acumen.lang.lines import line_at, line_starts

ALL = "*"
WORD = "acumen:names"
_OK = re.compile(r"\bacumen:\s*ok\b(?:\s*\(([^()\n]*)\))?", re.IGNORECASE)
_COMMENTS = ("line_comment", "block_comment")
_ANNOTATIONS = ("annotation", "marker_annotation")


def silenced(file: JavaFile) -> dict[int, tuple[str, ...]]:
    """The rules that are switched off, by the method's place in ``declarations.methods``."""
    # Nearly all files have none of this, and reading them costs nothing then.
    if b"acumen:" not in file.source.lower():
        return {}
    found: dict[int, set[str]] = {}
    for place, rules in [*_by_comments(file), *_by_annotations(file)]:
        found.setdefault(place, set()).update(rules)
    return {place: tuple(sorted(rules)) for place, rules in found.items()}


def _by_comments(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
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
            # Between the modifiers, or after the parameters, it stands in the head itself.
            places = above or [
                one for one in heads.get(line, [])
                if int(syntax.start[methods[one].node]) < start
            ]  # fmt: skip
        found += [(place, rules) for place in places]
    return found


def _rules(written: str | None) -> tuple[str, ...]:
    named = [] if written is None else re.split(r"[\s,]+", written.strip())
    return tuple(filter(None, named)) or (ALL,)


def _by_annotations(file: JavaFile) -> list[tuple[int, tuple[str, ...]]]:
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
    for declared in declarations.types:  # owners stand before what they own
        around = declared.owner != NONE and quiet[declared.owner]
        if not around and declared.method != NONE:
            around = declarations.methods[declared.method].node in marked
        quiet.append(around or declared.node in marked)
    return [
        (place, (ALL,))
        for place, method in enumerate(declarations.methods)
        if method.node in marked or (method.type != NONE and quiet[method.type])
    ]
