"""A recipe: a TOML file that lists the projects of a corpus.

[[project]]
name = "commons-cli"              # optional: the source's own name otherwise
source = "git:https://…@v1.5.0"   # anything but another recipe; paths are relative to the file
include = ["src/main/**"]         # optional: only these files
exclude = ["**/generated"]        # optional: not these
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from acumen.api import AcumenError

_KEYS = ("name", "source", "include", "exclude")
_HEADER = re.compile(r"^\s*\[\[\s*project\s*\]\]")
_FORM = 'each project is [[project]] with source = "..." and, if wanted, name, include, exclude'


@dataclass(frozen=True, slots=True)
class Listed:
    """A project of a recipe; ``where`` is its place in the file."""

    source: str
    name: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    where: str


def listed(file: Path) -> list[Listed]:
    try:
        text = file.read_text("utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:  # TOMLDecodeError names the line
        raise AcumenError(f"{file.name}: no recipe can be read from it ({error})", _FORM) from error
    for key in content:
        if key != "project":
            raise AcumenError(f"{file.name}: {_unknown(key, ('project',))}", _FORM)
    projects = content.get("project", [])
    if not isinstance(projects, list) or not projects:
        raise AcumenError(f"{file.name}: it lists no project", _FORM)
    lines = [at for at, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    found = []
    for number, one in enumerate(projects, 1):
        where = f"{file.name}, project {number}"
        if len(lines) == len(projects):
            where += f" (line {lines[number - 1]})"
        if not isinstance(one, dict):
            raise AcumenError(f"{where}: no table", _FORM)
        found.append(_listed(one, where))
    return found


def _listed(one: Mapping[str, object], where: str) -> Listed:
    for key in one:
        if key not in _KEYS:
            raise AcumenError(f"{where}: {_unknown(key, _KEYS)}", _FORM)
    source = _text(one, "source", where)
    if not source:
        raise AcumenError(f"{where}: it has no source", _FORM)
    include, exclude = _patterns(one, "include", where), _patterns(one, "exclude", where)
    return Listed(source, _text(one, "name", where), include, exclude, where)


def _text(one: Mapping[str, object], key: str, where: str) -> str:
    value = one.get(key, "")
    if not isinstance(value, str) or (key in one and not value.strip()):
        raise AcumenError(f"{where}: {key} is a text in quotes, not {value!r}", _FORM)
    if not value.isprintable():
        raise AcumenError(f"{where}: {key} is one line of text, not {value!r}")
    return value


def _patterns(one: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
    value = one.get(key, [])
    if not isinstance(value, list) or (key in one and not value):
        raise AcumenError(f'{where}: {key} is a list of patterns such as ["src/**"], not {value!r}')
    for pattern in value:
        if not isinstance(pattern, str) or not pattern.strip("/. ") or ".." in pattern.split("/"):
            raise AcumenError(f"{where}: in {key}, {pattern!r} is no pattern of paths")
    return tuple(value)


def _unknown(key: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(key, known, 1)
    return f"unknown key {key!r}" + (f", is it {near[0]!r}?" if near else "")
