"""From what a person names to projects that can be read."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from acumen.api import AcumenError
from acumen.core.progress import Progress, ignore_progress
from acumen.corpus.reading import LARGEST
from acumen.corpus.sources import archive, debian, git, npm
from acumen.corpus.sources.folder import FileRoot, FolderRoot
from acumen.corpus.sources.paths import is_there, name_of
from acumen.corpus.sources.project import Asked, Bring, Project
from acumen.corpus.sources.recipe import Listed, listed

FORMS = (
    "a source is a folder, a source file, a zip or jar of sources, git:URL@REV, debian:PACKAGE, "
    "npm:PACKAGE@VERSION, or a recipe (.toml); NAME=SOURCE gives it a name"
)
# Single files that make a project by themselves.
SOURCES = (".java", ".js", ".mjs", ".cjs", ".jsx")
ARCHIVES = (".zip", ".jar")
# A name before =: nothing that could be a path or one of the forms.
_NAMED = re.compile(r"(?P<name>[^\s:/\\=]+)=(?P<source>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A source, as it was written, which of its files, and where it was named."""

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
    """Projects in the order of their sources. That all of them exist is checked before any is
    fetched, those on this disk before any that needs the network. What is fetched is kept in
    ``cache``."""
    # Processes that read may be in another folder.
    cache = cache.absolute()
    chosen = [one for source in sources for one in _chosen(source, cache)]
    if not chosen:
        raise AcumenError("no source is given", FORMS)
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
    """The source that a text on the command line names, or those of the recipe that it names."""
    name, source = "", text
    match = _NAMED.fullmatch(text)
    # A folder with = in its name is still a folder.
    if match and not is_there(Path(text)):
        name, source = match["name"], match["source"]
    file = Path(source)
    if file.suffix != ".toml" or not is_there(file) or file.is_dir():
        return [_Chosen(_named(_asked(source, Path(), cache), name), text)]
    if name:
        raise AcumenError(f"{text}: a recipe names its projects itself")
    return [_of_recipe(one, file, cache) for one in listed(file)]


def _of_recipe(one: Listed, file: Path, cache: Path) -> _Chosen:
    if one.source.endswith(".toml"):
        raise AcumenError(f"{one.where}: {one.source} is a recipe, and in a recipe there is none")
    with _told_where(one.where):
        asked = _named(_asked(one.source, file.parent, cache), one.name)
    return _Chosen(asked, one.source, one.include, one.exclude, one.where)


@contextmanager
def _told_where(where: str) -> Iterator[None]:
    """What is wrong with a project of a recipe is told with its place in the file."""
    try:
        yield
    except AcumenError as error:
        raise AcumenError(f"{where}: {error}" if where else str(error), error.hint) from error


def _named(asked: Asked, name: str) -> Asked:
    asked = replace(asked, name=name or asked.name)
    if not asked.name:
        raise AcumenError(f"{asked.source} has no name of its own", "name it: NAME=SOURCE")
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
        raise AcumenError(f"{text or repr(text)}: there is no such folder or archive", FORMS)
    name = name_of(place)
    if place.is_dir():
        return Asked(name, name, lambda: lambda progress: (FolderRoot(place), ""))
    if place.suffix.lower() in SOURCES:
        return Asked(place.stem, name, lambda: lambda progress: (FileRoot(place), ""))
    if not zipfile.is_zipfile(place):
        if place.suffix.lower() in ARCHIVES:
            raise AcumenError(f"{text}: a damaged zip, or none", "a download that was cut off?")
        raise AcumenError(f"{text}: neither a folder, a zip nor a source file", FORMS)
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
            raise AcumenError(
                f"two sources have the name {one.asked.name}: {where}",
                f"give one another name: other-{one.asked.name}=SOURCE, in a recipe the key name",
            )
