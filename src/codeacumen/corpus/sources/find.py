"""Turn the sources that a user names into projects that can be read.

A recipe is a TOML file that lists the projects of a corpus:

    [[project]]
    name = "commons-cli"              # optional, by default the source's own name
    source = "git:https://…@v1.5.0"   # anything but another recipe; paths are relative to the file
    include = ["src/main/**"]         # optional: only these files
    exclude = ["**/generated"]        # optional: not these
"""

from __future__ import annotations

import difflib
import re
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.reading import LARGEST
from codeacumen.corpus.sources import archive, debian, git, npm
from codeacumen.corpus.sources.folder import FileRoot, FolderRoot
from codeacumen.corpus.sources.paths import is_there, name_of
from codeacumen.corpus.sources.project import Asked, Bring, Project

_KEYS = ("name", "source", "include", "exclude")
_HEADER = re.compile(r"^\s*\[\[\s*project\s*\]\]")
_FORM = 'each project is [[project]] with source = "..." and, if wanted, name, include, exclude'


@dataclass(frozen=True, slots=True)
class Listed:
    """A project of a recipe; ``where`` is its location in the file, for error messages."""

    source: str
    name: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    where: str


def listed(file: Path) -> list[Listed]:
    """Read a recipe; errors name the project and its line."""
    try:
        text = file.read_text("utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:  # TOMLDecodeError names the line
        raise CodeacumenError(f"{file.name}: not a readable recipe ({error})", _FORM) from error
    for key in content:
        if key != "project":
            raise CodeacumenError(f"{file.name}: {_unknown(key, ('project',))}", _FORM)
    projects = content.get("project", [])
    if not isinstance(projects, list) or not projects:
        raise CodeacumenError(f"{file.name}: it lists no project", _FORM)
    lines = [at for at, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)]
    found = []
    for number, one in enumerate(projects, 1):
        where = f"{file.name}, project {number}"
        if len(lines) == len(projects):
            where += f" (line {lines[number - 1]})"
        if not isinstance(one, dict):
            raise CodeacumenError(f"{where}: not a table", _FORM)
        found.append(_listed(one, where))
    return found


def _listed(one: Mapping[str, object], where: str) -> Listed:
    for key in one:
        if key not in _KEYS:
            raise CodeacumenError(f"{where}: {_unknown(key, _KEYS)}", _FORM)
    source = _text(one, "source", where)
    if not source:
        raise CodeacumenError(f"{where}: it has no source", _FORM)
    include, exclude = _patterns(one, "include", where), _patterns(one, "exclude", where)
    return Listed(source, _text(one, "name", where), include, exclude, where)


def _text(one: Mapping[str, object], key: str, where: str) -> str:
    value = one.get(key, "")
    if not isinstance(value, str) or (key in one and not value.strip()):
        raise CodeacumenError(f"{where}: {key} is a text in quotes, not {value!r}", _FORM)
    if not value.isprintable():
        raise CodeacumenError(f"{where}: {key} is one line of text, not {value!r}")
    return value


def _patterns(one: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
    value = one.get(key, [])
    if not isinstance(value, list) or (key in one and not value):
        raise CodeacumenError(
            f'{where}: {key} is a list of patterns such as ["src/**"], not {value!r}'
        )
    for pattern in value:
        if not isinstance(pattern, str) or not pattern.strip("/. ") or ".." in pattern.split("/"):
            raise CodeacumenError(f"{where}: in {key}, {pattern!r} is not a path pattern")
    return tuple(value)


def _unknown(key: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(key, known, 1)
    return f"unknown key {key!r}" + (f", is it {near[0]!r}?" if near else "")


FORMS = (
    "a source is a folder, a source file, a zip or jar of sources, git:URL@REV, debian:PACKAGE, "
    "npm:PACKAGE@VERSION, or a recipe (.toml); NAME=SOURCE gives it a name"
)
# Single files that make a project by themselves.
SOURCES = (".java", ".js", ".mjs", ".cjs", ".jsx")
ARCHIVES = (".zip", ".jar")
# NAME=SOURCE, where NAME can be neither a path nor begin with a scheme such as git:.
_NAMED = re.compile(r"(?P<name>[^\s:/\\=]+)=(?P<source>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A source with its text, the patterns of its files and its location in a recipe."""

    asked: Asked
    text: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    where: str = ""


def projects(
    sources: Sequence[str],
    cache: Path,
    progress: Progress = ignore_progress,
    largest: int = LARGEST,
) -> list[Project]:
    """Return the projects of the sources, in order; ``cache`` keeps the fetched ones.

    All sources are checked before any is fetched, and local sources before any that needs the
    network.
    """
    # Workers may run in another folder.
    cache = cache.absolute()
    chosen = [one for source in sources for one in _chosen(source, cache)]
    if not chosen:
        raise CodeacumenError("no source is given", FORMS)
    _distinct(chosen)
    bringing: list[Bring] = []
    for number, one in enumerate(chosen):
        progress(f"looking for {one.asked.source}", number, len(chosen))
        with _told_where(one.where):
            bringing.append(one.asked.find())
    found = []
    for number, (one, bring) in enumerate(zip(chosen, bringing, strict=True)):
        progress(f"fetching {one.asked.source}", number, len(chosen))
        with _told_where(one.where):
            root, revision = bring(progress)
        asked = one.asked
        found.append(
            Project(asked.name, asked.source, revision, root, one.include, one.exclude, largest)
        )
    progress("sources are here", len(chosen), len(chosen))
    return found


def _chosen(text: str, cache: Path) -> list[_Chosen]:
    """Return the source that an argument names, or the sources of the recipe that it names."""
    name, source = "", text
    match = _NAMED.fullmatch(text)
    # A folder with = in its name is still a folder.
    if match and not is_there(Path(text)):
        name, source = match["name"], match["source"]
    file = Path(source)
    if file.suffix != ".toml" or not is_there(file) or file.is_dir():
        return [_Chosen(_named(_asked(source, Path(), cache), name), text)]
    if name:
        raise CodeacumenError(f"{text}: a recipe names its projects itself")
    return [_of_recipe(one, file, cache) for one in listed(file)]


def _of_recipe(one: Listed, file: Path, cache: Path) -> _Chosen:
    if one.source.endswith(".toml"):
        raise CodeacumenError(
            f"{one.where}: {one.source} is a recipe; a recipe cannot contain recipes"
        )
    with _told_where(one.where):
        asked = _named(_asked(one.source, file.parent, cache), one.name)
    return _Chosen(asked, one.source, one.include, one.exclude, one.where)


@contextmanager
def _told_where(where: str) -> Iterator[None]:
    """Add the location in the recipe to errors of one of its projects."""
    try:
        yield
    except CodeacumenError as error:
        raise CodeacumenError(f"{where}: {error}" if where else str(error), error.hint) from error


def _named(asked: Asked, name: str) -> Asked:
    asked = replace(asked, name=name or asked.name)
    if not asked.name:
        raise CodeacumenError(f"{asked.source} has no name of its own", "name it: NAME=SOURCE")
    return asked


def _asked(text: str, base: Path, cache: Path) -> Asked:
    kind, colon, rest = text.partition(":")
    if colon and kind == "git":
        return git.asked(rest, base, cache)
    if colon and kind == "debian":
        return debian.asked(rest, cache)
    if colon and kind == "npm":
        return npm.asked(rest, cache)
    return _on_disk(text, base)


def _on_disk(text: str, base: Path) -> Asked:
    place = (base / text).absolute()
    if not text or not is_there(place):
        raise CodeacumenError(f"{text or repr(text)}: there is no such folder or archive", FORMS)
    name = name_of(place)
    if place.is_dir():
        return Asked(name, name, lambda: lambda progress: (FolderRoot(place), ""))
    if place.suffix.lower() in SOURCES:
        return Asked(place.stem, name, lambda: lambda progress: (FileRoot(place), ""))
    if not zipfile.is_zipfile(place):
        if place.suffix.lower() in ARCHIVES:
            raise CodeacumenError(f"{text}: a damaged zip, or none", "a download that was cut off?")
        raise CodeacumenError(f"{text}: neither a folder, a zip nor a source file", FORMS)
    revision = archive.revision_of(place)
    root = archive.ZipRoot(place)
    return Asked(PurePosixPath(name).stem, name, lambda: lambda progress: (root, revision))


def _distinct(chosen: Sequence[_Chosen]) -> None:
    seen: dict[str, _Chosen] = {}
    for one in chosen:
        other = seen.setdefault(one.asked.name, one)
        if other is not one:
            places = [f"{each.text}{each.where and f' ({each.where})'}" for each in (other, one)]
            where = " and ".join(places) if places[0] != places[1] else f"{places[0]}, twice"
            raise CodeacumenError(
                f"two sources have the name {one.asked.name}: {where}",
                f"give one another name: other-{one.asked.name}=SOURCE, in a recipe the key name",
            )
