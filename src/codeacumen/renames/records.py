"""Records of renames and of stable methods, one JSON line each, mined from histories or reviews.

``code`` is the method's source right after the rename, with its comment and under its new name;
``code_before`` is the source right before. ``path``, ``owner`` (names of the enclosing types,
outermost first, joined by dots) and ``parameters`` (types as written) locate the method after the
rename."""

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
    """The review that led to a rename.

    ``comment`` is the text of all comments of the thread, ``author`` wrote the first; ``pull`` is
    the number of the pull request, ``accepted``: it was merged or approved. ``features`` are the
    criteria of the paper on ReName4J, section 3.2, as far as a program can check them (see
    ``reviews.comments.find_features``), and ``link:`` with the kind of link between thread and
    method. ``decision`` is a person's: ``include``, ``exclude`` or empty."""

    comment: str
    url: str
    author: str
    pull: int
    accepted: bool
    features: tuple[str, ...] = ()
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    """A method that was renamed in a commit, or in a pull request.

    ``commit`` has the new name and ``parent`` the old one, in the file ``path_before``. ``time`` is
    in seconds since 1970: when the commit was made, or when the pull request was closed.
    ``returns`` is the type of the result, as written. ``tags`` classify the rename (``typo``,
    ``test``, ``overload``, ...; module ``tags`` lists them). ``name_stable`` and ``body_stable``
    are true if the name and the body stayed the same until the last revision that was read; None
    where that is unknown."""

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
    """A method that kept its name and body, in a file where another method was renamed.

    ``code`` is its source at ``commit``.
    """

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
    """Write the records to a file one by one; a project's stable methods may not fit in memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as stream:
        for record in records:
            line = json.dumps(asdict(record), ensure_ascii=True, sort_keys=True)
            stream.write(f"{line}\n".encode())
    part.replace(path)


def read_renames(path: Path) -> Iterator[Rename]:
    """Yield the renames of a file; keys that are no fields, such as ``split``, are ignored."""
    for record in _read_json_lines(path):
        review_fields = record.get("review")
        review = None if review_fields is None else Review(**_convert_fields(Review, review_fields))
        yield Rename(**{**_convert_fields(Rename, record), "review": review})


def read_stable(path: Path) -> Iterator[StableMethod]:
    """Yield the stable methods of a file; keys that are no fields are ignored."""
    for record in _read_json_lines(path):
        yield StableMethod(**_convert_fields(StableMethod, record))


def _read_json_lines(path: Path) -> Iterator[dict[str, Json]]:
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise CodeacumenError(f"{path}, line {number}: {error}", "mine it again") from error


def _convert_fields(record_type: type, record: dict[str, Json]) -> dict[str, Json]:
    """Return the values of a record's fields, with JSON lists as tuples."""
    field_names = {field.name for field in fields(record_type)}
    return {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in record.items()
        if key in field_names
    }
