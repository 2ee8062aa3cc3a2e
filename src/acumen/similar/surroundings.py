"""A method with what belongs to it in its file: what a person needs to judge it.

These are the fields that it uses and the methods and constructors that it calls, as far as the same
file declares them; what those use and call in turn; the imports of names that occur; and the
skeleton of the classes around. It is the excerpt that SeSaMe's raters saw, with three differences.
The source stays as it was written, only indented anew. An enum is shown as one, with the constants
that occur. Members are shown once, in the type that declares them.

A call means the method that its static type tells, not those that override it. Where overloads
cannot be told apart because their types are declared in other files, all that may be meant belong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from acumen.lang.java.bindings import ROLE
from acumen.lang.java.calls import Project, facts, platform
from acumen.lang.java.calls.attribution import Attribution
from acumen.lang.java.calls.rows import rows
from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import symbols
from acumen.similar._surroundings_text import Shown, text_of

_UNPRINTABLE = ("anonymous", "enum constant")
_FILE = "File.java"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Places in the file's declarations. ``methods`` begins with the method itself, in the order
    in which they are reached; ``constants`` are nodes of an enum's constants."""

    methods: tuple[int, ...]
    fields: tuple[int, ...]
    constants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Uses:
    """Bytes of the source at which a method, a field or a constant of the file is meant, going
    up, and which one."""

    offset: list[int]
    what: list[tuple[str, int]]

    def inside(self, start: int, end: int) -> Iterator[tuple[str, int]]:
        for place in range(bisect_left(self.offset, start), bisect_left(self.offset, end)):
            yield self.what[place]


def surroundings(file: JavaFile, method: int) -> Surroundings:
    """What belongs to a method, given by its place in ``file.declarations.methods``."""
    uses, declared, syntax = file.once(_uses), file.declarations, file.syntax
    found: dict[tuple[str, int], None] = {("method", method): None}
    waiting = deque([method])
    # Spans of what is shown in any case: a class inside a method brings its members along.
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
    """The source of a small file: imports, classes, the method first."""
    found = surroundings(file, method)
    return text_of(file, Shown(found.methods, found.fields, found.constants))


class _Spans:
    """Spans of nodes, some inside others."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.stops: list[int] = []
        for start, stop in sorted(spans):
            if not self.stops or stop > self.stops[-1]:
                self.starts.append(start)
                self.stops.append(stop)

    def around(self, node: int) -> bool:
        """Whether a node is inside one of them, and not the one itself."""
        place = bisect_left(self.starts, node) - 1
        return place >= 0 and node < self.stops[place]


def _node(file: JavaFile, kind: str, place: int) -> int:
    if kind == "constant":
        return place
    declared = file.declarations
    return declared.methods[place].node if kind == "method" else declared.fields[place].node


def _stands_alone(file: JavaFile, use: tuple[str, int]) -> bool:
    """Whether a member is of a class that can be shown, not of one without a name."""
    kind, place = use
    if kind == "constant":
        return True
    declared = file.declarations
    type_ = declared.methods[place].type if kind == "method" else declared.fields[place].type
    return type_ in file.once(_with_name)


def _with_name(file: JavaFile) -> frozenset[int]:
    """The types that have a name, and around which all have one."""
    found: set[int] = set()
    # A type stands after the one around it.
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
        for one in at.resolution(row).candidates:
            for path, place in one.method.target:
                if path == _FILE:
                    yield at.rows.b[row], "method", place


def _variables(file: JavaFile) -> Iterator[tuple[int, str, int]]:
    """Fields and constants, read or written, and the methods whose meaning the file alone tells."""
    bound, syntax, declared = file.bindings, file.syntax, file.declarations
    fields = {_name(file, one.node): place for place, one in enumerate(declared.fields)}
    methods = {_name(file, one.node): place for place, one in enumerate(declared.methods)}
    wanted = np.isin(bound.role, [ROLE[one] for one in ("field", "enum constant", "method")])
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
    """The node of a declaration's name."""
    syntax = file.syntax
    for child in syntax.children(node):
        if int(syntax.kind[child]) in _identifier():
            return child
    return NONE


@lru_cache(maxsize=1)
def _identifier() -> frozenset[int]:
    return symbols("identifier")
