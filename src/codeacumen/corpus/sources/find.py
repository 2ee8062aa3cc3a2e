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
from codeacumen.corpus.sources.paths import display_name, path_exists
from codeacumen.corpus.sources.project import Project, SourceFetcher, SourceSpec

_KEYS = ("name", "source", "include", "exclude")
_HEADER = re.compile(r"^\s*\[\[\s*project\s*\]\]")
_FORM = 'each project is [[project]] with source = "..." and, if wanted, name, include, exclude'


@dataclass(frozen=True, slots=True)
class RecipeProject:
    """A project of a recipe; ``where`` is its location in the file, for error messages.

    ``name`` is empty if the recipe has none; empty ``include`` selects all files.
    """

    source: str
    name: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    where: str


def read_recipe(file: Path) -> list[RecipeProject]:
    """Read a recipe; errors name the project and its line."""
    try:
        text = file.read_text("utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as error:  # TOMLDecodeError names the line
        raise CodeacumenError(f"{file.name}: not a readable recipe ({error})", _FORM) from error
    for key in content:
        if key != "project":
            raise CodeacumenError(f"{file.name}: {_describe_unknown_key(key, ('project',))}", _FORM)
    project_tables = content.get("project", [])
    if not isinstance(project_tables, list) or not project_tables:
        raise CodeacumenError(f"{file.name}: it lists no project", _FORM)
    lines = [
        line_number for line_number, line in enumerate(text.splitlines(), 1) if _HEADER.match(line)
    ]
    recipe_projects = []
    for number, project_table in enumerate(project_tables, 1):
        where = f"{file.name}, project {number}"
        # Another notation of TOML may have no header lines; then the line is not known.
        if len(lines) == len(project_tables):
            where += f" (line {lines[number - 1]})"
        if not isinstance(project_table, dict):
            raise CodeacumenError(f"{where}: not a table", _FORM)
        recipe_projects.append(_parse_recipe_project(project_table, where))
    return recipe_projects


def _parse_recipe_project(project_table: Mapping[str, object], where: str) -> RecipeProject:
    for key in project_table:
        if key not in _KEYS:
            raise CodeacumenError(f"{where}: {_describe_unknown_key(key, _KEYS)}", _FORM)
    source = _get_text(project_table, "source", where)
    if not source:
        raise CodeacumenError(f"{where}: it has no source", _FORM)
    include, exclude = (
        _get_patterns(project_table, "include", where),
        _get_patterns(project_table, "exclude", where),
    )
    return RecipeProject(source, _get_text(project_table, "name", where), include, exclude, where)


def _get_text(project_table: Mapping[str, object], key: str, where: str) -> str:
    value = project_table.get(key, "")
    if not isinstance(value, str) or (key in project_table and not value.strip()):
        raise CodeacumenError(f"{where}: {key} is a text in quotes, not {value!r}", _FORM)
    if not value.isprintable():
        raise CodeacumenError(f"{where}: {key} is one line of text, not {value!r}")
    return value


def _get_patterns(project_table: Mapping[str, object], key: str, where: str) -> tuple[str, ...]:
    value = project_table.get(key, [])
    if not isinstance(value, list) or (key in project_table and not value):
        raise CodeacumenError(
            f'{where}: {key} is a list of patterns such as ["src/**"], not {value!r}'
        )
    for pattern in value:
        if not isinstance(pattern, str) or not pattern.strip("/. ") or ".." in pattern.split("/"):
            raise CodeacumenError(f"{where}: in {key}, {pattern!r} is not a path pattern")
    return tuple(value)


def _describe_unknown_key(key: str, known_keys: tuple[str, ...]) -> str:
    close_keys = difflib.get_close_matches(key, known_keys, 1)
    return f"unknown key {key!r}" + (f", is it {close_keys[0]!r}?" if close_keys else "")


FORMS = (
    "a source is a folder, a source file, a zip or jar of sources, git:URL@REV, debian:PACKAGE, "
    "npm:PACKAGE@VERSION, or a recipe (.toml); NAME=SOURCE gives it a name"
)
# Suffixes of single files that are a project by themselves.
SOURCES = (".java", ".js", ".mjs", ".cjs", ".jsx")
ARCHIVES = (".zip", ".jar")
# NAME=SOURCE, where NAME can be neither a path nor begin with a scheme such as git:.
_NAMED = re.compile(r"(?P<name>[^\s:/\\=]+)=(?P<source>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _SelectedSource:
    """A source with the user's text, the patterns of its files and its location in a recipe.

    ``where`` is empty for a source that is not in a recipe.
    """

    spec: SourceSpec
    text: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    where: str = ""


def find_projects(
    sources: Sequence[str],
    cache: Path,
    progress: Progress = ignore_progress,
    largest: int = LARGEST,
) -> list[Project]:
    """Return the projects of the sources, in order; ``cache`` is the folder of fetched sources.

    The form of all sources and the existence of local files are checked first, then the existence
    of remote sources; only then is any fetched. ``largest`` is the limit for a file in bytes.
    """
    # Workers may run in another folder.
    cache = cache.absolute()
    selected_sources = [
        selected for source in sources for selected in _select_sources(source, cache)
    ]
    if not selected_sources:
        raise CodeacumenError("no source is given", FORMS)
    _require_distinct_names(selected_sources)
    fetchers: list[SourceFetcher] = []
    for number, selected in enumerate(selected_sources):
        progress(f"looking for {selected.spec.source}", number, len(selected_sources))
        with _add_location_to_errors(selected.where):
            fetchers.append(selected.spec.find())
    projects = []
    for number, (selected, fetch_source) in enumerate(zip(selected_sources, fetchers, strict=True)):
        progress(f"fetching {selected.spec.source}", number, len(selected_sources))
        with _add_location_to_errors(selected.where):
            root, revision = fetch_source(progress)
        spec = selected.spec
        projects.append(
            Project(
                spec.name, spec.source, revision, root, selected.include, selected.exclude, largest
            )
        )
    progress("sources are here", len(selected_sources), len(selected_sources))
    return projects


def _select_sources(text: str, cache: Path) -> list[_SelectedSource]:
    """Return the source that an argument names, or the sources of the recipe that it names."""
    name, source = "", text
    match = _NAMED.fullmatch(text)
    # A folder with = in its name is still a folder.
    if match and not path_exists(Path(text)):
        name, source = match["name"], match["source"]
    file = Path(source)
    if file.suffix != ".toml" or not path_exists(file) or file.is_dir():
        return [_SelectedSource(_name_source(_parse_source(source, Path(), cache), name), text)]
    if name:
        raise CodeacumenError(f"{text}: a recipe names its projects itself")
    return [
        _select_recipe_project(recipe_project, file, cache) for recipe_project in read_recipe(file)
    ]


def _select_recipe_project(
    recipe_project: RecipeProject, file: Path, cache: Path
) -> _SelectedSource:
    if recipe_project.source.endswith(".toml"):
        raise CodeacumenError(
            f"{recipe_project.where}: {recipe_project.source} is a recipe; a recipe cannot "
            "contain recipes"
        )
    with _add_location_to_errors(recipe_project.where):
        spec = _name_source(
            _parse_source(recipe_project.source, file.parent, cache), recipe_project.name
        )
    return _SelectedSource(
        spec,
        recipe_project.source,
        recipe_project.include,
        recipe_project.exclude,
        recipe_project.where,
    )


@contextmanager
def _add_location_to_errors(where: str) -> Iterator[None]:
    """Add the location in the recipe to errors of one of its projects."""
    try:
        yield
    except CodeacumenError as error:
        raise CodeacumenError(f"{where}: {error}" if where else str(error), error.hint) from error


def _name_source(spec: SourceSpec, name: str) -> SourceSpec:
    """Return the source under the user's name, or its own name if ``name`` is empty."""
    spec = replace(spec, name=name or spec.name)
    if not spec.name:
        raise CodeacumenError(f"{spec.source} has no name of its own", "name it: NAME=SOURCE")
    return spec


def _parse_source(text: str, base: Path, cache: Path) -> SourceSpec:
    """Return the source that a text names; local paths are relative to ``base``."""
    kind, colon, rest = text.partition(":")
    if colon and kind == "git":
        return git.parse_source(rest, base, cache)
    if colon and kind == "debian":
        return debian.parse_source(rest, cache)
    if colon and kind == "npm":
        return npm.parse_source(rest, cache)
    return _parse_local_source(text, base)


def _parse_local_source(text: str, base: Path) -> SourceSpec:
    path = (base / text).absolute()
    if not text or not path_exists(path):
        raise CodeacumenError(f"{text or repr(text)}: there is no such folder or archive", FORMS)
    name = display_name(path)
    # ``SourceSpec.find`` checks a source and returns a function that fetches it. A local source is
    # checked here and needs no fetching.
    if path.is_dir():
        return SourceSpec(name, name, lambda: lambda progress: (FolderRoot(path), ""))
    if path.suffix.lower() in SOURCES:
        return SourceSpec(path.stem, name, lambda: lambda progress: (FileRoot(path), ""))
    if not zipfile.is_zipfile(path):
        if path.suffix.lower() in ARCHIVES:
            raise CodeacumenError(f"{text}: a damaged zip, or none", "a download that was cut off?")
        raise CodeacumenError(f"{text}: neither a folder, a zip nor a source file", FORMS)
    revision = archive.hash_archive(path)
    root = archive.ZipRoot(path)
    return SourceSpec(PurePosixPath(name).stem, name, lambda: lambda progress: (root, revision))


def _require_distinct_names(selected_sources: Sequence[_SelectedSource]) -> None:
    source_of_name: dict[str, _SelectedSource] = {}
    for selected in selected_sources:
        other = source_of_name.setdefault(selected.spec.name, selected)
        if other is not selected:
            locations = [
                f"{source.text}{source.where and f' ({source.where})'}"
                for source in (other, selected)
            ]
            where = (
                " and ".join(locations)
                if locations[0] != locations[1]
                else f"{locations[0]}, twice"
            )
            raise CodeacumenError(
                f"two sources have the name {selected.spec.name}: {where}",
                f"give one another name: other-{selected.spec.name}=SOURCE, in a recipe the "
                "key name",
            )
