"""A file's methods, as the checker keeps them: facts, and where the names stand.

Any bytes are survivable input: what is no Java gives no methods and the reason.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from acumen.checker.findings import Place
from acumen.checker.suppress import silenced
from acumen.corpus.reading import Problem, origin, read_source
from acumen.lang.java.declarations import NONE
from acumen.lang.java.file import JavaFile
from acumen.lang.java.grammar import field
from acumen.lang.lines import line_at, line_starts
from acumen.models.naming.facts import Facts, facts_of

WRITTEN = "written"


@dataclass(frozen=True, slots=True)
class Methods:
    """``origin`` is who wrote the file: ``written`` by people, or generated, vendored, minified.
    ``broken``: the parser had to guess somewhere in it. ``returns``: a CR alone ends some lines, so
    that git, which knows LF only, counts other lines."""

    facts: tuple[Facts, ...] = ()
    places: tuple[Place, ...] = ()
    origin: str = WRITTEN
    broken: bool = False
    returns: bool = False
    problem: Problem | None = None


_FACTS, _PLACE = (
    attrgetter(*(one.name for one in fields(kind))) for kind in (Facts, Place)
)  # fmt: skip


def as_plain(methods: Methods) -> tuple[object, ...]:
    """The same as tuples, which are kept and brought back several times faster than records."""
    facts, places = map(_FACTS, methods.facts), map(_PLACE, methods.places)
    told = (methods.origin, methods.broken, methods.returns, methods.problem)
    return (tuple(facts), tuple(places), *told)


def from_plain(plain: Any) -> Methods | None:
    """What was made plain; None of anything else."""
    try:
        facts, places, *told = plain
        return Methods(
            tuple(Facts(*one) for one in facts), tuple(Place(*one) for one in places), *told
        )
    except (TypeError, ValueError):
        return None


def methods_of(path: str, data: bytes) -> Methods:
    source = read_source(path, data)
    if isinstance(source, Problem):
        return Methods(problem=source)
    try:
        file = JavaFile(source.data)
        facts = facts_of(file, path)
        places = _places(file, [one.place for one in facts])
        returns = data.count(b"\r") > data.count(b"\r\n")
        return Methods(tuple(facts), tuple(places), origin(source)[0], file.syntax.broken, returns)
    except Exception as error:  # one file never ends a check
        return Methods(problem=Problem(path, "failed", f"{type(error).__name__}: {error}"))


def content_key(data: bytes) -> str:
    """A file's content as git names it, so that a file on disk and one in a commit are the same."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _places(file: JavaFile, methods: list[int]) -> list[Place]:
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
