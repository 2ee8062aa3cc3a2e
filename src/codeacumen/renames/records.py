"""A rename as it is kept: one line of JSON, whether a history or a review told of it.

``code`` is the method's source right after the rename, with its comment, under its new name;
``code_before`` right before. Where a method is, is said as it was after: ``path``, ``owner`` (names
of the enclosing types, outermost first, joined by dots), ``parameters`` (types as written).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from codeacumen.api import CodeacumenError, Json

RENAMES, STABLE = "renames.jsonl", "stable.jsonl"


@dataclass(frozen=True, slots=True)
class Review:
    """What was said. ``features`` are the criteria of ReName4J, section 3.2, as far as a program
    can tell; ``decision`` is a person's: ``include``, ``exclude`` or empty."""

    comment: str
    url: str
    author: str
    pull: int
    accepted: bool
    features: tuple[str, ...] = ()
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    """``tags`` say what kind of rename it is (``typo``, ``test``, ``overload``, ``mass``, ...).
    ``name_stable`` and ``body_stable``: whether these stayed until the last revision that was
    looked at; None where that is not known."""

    id: str
    project: str
    commit: str
    parent: str
    time: int
    path: str
    path_before: str
    owner: str
    old_name: str
    new_name: str
    parameters: tuple[str, ...]
    returns: str
    code: str
    code_before: str
    tags: tuple[str, ...] = ()
    name_stable: bool | None = None
    body_stable: bool | None = None
    review: Review | None = None


@dataclass(frozen=True, slots=True)
class StableMethod:
    """A method of a file in which another was renamed, that kept its own name and body."""

    id: str
    project: str
    commit: str
    path: str
    owner: str
    name: str
    parameters: tuple[str, ...]
    returns: str
    code: str
    tags: tuple[str, ...] = ()


def write_lines(path: Path, records: Iterable[Rename | StableMethod]) -> None:
    """One by one: a large project has more stable methods than should be in memory at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as stream:
        for one in records:
            line = json.dumps(asdict(one), ensure_ascii=True, sort_keys=True)
            stream.write(f"{line}\n".encode())
    part.replace(path)


def read_renames(path: Path) -> Iterator[Rename]:
    for record in _lines(path):
        told = record.get("review")
        review = None if told is None else Review(**_tuples(Review, told))
        yield Rename(**{**_tuples(Rename, record), "review": review})


def read_stable(path: Path) -> Iterator[StableMethod]:
    for record in _lines(path):
        yield StableMethod(**_tuples(StableMethod, record))


def _lines(path: Path) -> Iterator[dict[str, Json]]:
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise CodeacumenError(f"{path}, line {number}: {error}", "mine it again") from error


def _tuples(kind: type, record: dict[str, Json]) -> dict[str, Json]:
    known = {one.name for one in fields(kind)}
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in record.items()
        if key in known
    }
