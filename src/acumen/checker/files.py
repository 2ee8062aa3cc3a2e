"""Which files are read: what people wrote, of the project around the path that was named.

The whole project is learned from, whatever part of it is checked: the repository that the path lies
in, or, without git, the folder. Left out are what git ignores, what builds write, tests (a setting)
and what the settings exclude.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pygit2

from acumen.api import AcumenError
from acumen.checker.settings import Settings
from acumen.corpus.reading import Problem
from acumen.corpus.sources.folder import FolderRoot
from acumen.corpus.sources.globs import fits
from acumen.corpus.sources.paths import as_text, is_there, on_disk
from acumen.corpus.sources.project import Project, Root

SUFFIX = ".java"
# Folders that builds write; below a folder of sources such a name is a package.
_BUILDS = frozenset(("build", "target", "out", "bin", ".gradle", ".idea", "node_modules", "dist"))
_SOURCES = frozenset(("src", "source", "sources", "java"))
_TEST_FOLDERS = frozenset(("test", "tests", "androidtest", "integrationtest", "testfixtures"))
_TEST_ENDS = ("Test", "Tests", "TestCase", "TestSuite", "IT")


@dataclass(frozen=True, slots=True)
class Tree:
    """A project on this disk: its root, the parts of it that were named (paths from the root; the
    empty one is all), and whether git looks after it."""

    root: Path
    parts: tuple[str, ...]
    git: bool


def trees(paths: Iterable[Path]) -> list[Tree]:
    """The projects that some paths lie in, in the order in which they were named."""
    found: dict[Path, tuple[list[str], bool]] = {}
    for path in paths:
        if not is_there(path):
            raise AcumenError(
                f"{path}: there is no such file or folder", "name Java files or folders"
            )
        real = Path(os.path.realpath(path))
        root, git = _root(real)
        part = as_text(os.fsencode(os.path.relpath(real, root)))
        found.setdefault(root, ([], git))[0].append("" if part == "." else part)
    return [Tree(root, tuple(dict.fromkeys(parts)), git) for root, (parts, git) in found.items()]


def _root(real: Path) -> tuple[Path, bool]:
    folder = real if real.is_dir() else real.parent
    try:
        place = pygit2.discover_repository(str(folder))
        repository = pygit2.Repository(place) if place else None
    except (pygit2.GitError, ValueError):
        return folder, False
    if repository is None or not repository.workdir:
        return folder, False
    root = Path(os.path.realpath(repository.workdir))
    # Who names what git ignores means just that: sources that were unpacked there, for instance.
    if not real.is_relative_to(root) or _ignored(repository, os.path.relpath(real, root)):
        return folder, False
    return root, True


def _ignored(repository: pygit2.Repository, path: str) -> bool:
    try:
        return path != "." and repository.path_is_ignored(path)
    except (pygit2.GitError, ValueError):
        return False


def chosen(path: str, settings: Settings) -> bool:
    """Whether a file is read, as far as its path tells.

    >>> [chosen(path, Settings()) for path in ("src/build/A.java", "build/A.java", "a/ATest.java")]
    [True, False, False]
    """
    if not path.lower().endswith(SUFFIX):
        return False
    if settings.exclude and fits(path, settings.exclude):
        return False
    *folders, name = path.split("/")
    for folder in folders:
        if folder in _SOURCES:
            break
        if folder in _BUILDS:
            return False
    return settings.tests or not is_test(folders, name)


def is_test(folders: Iterable[str], name: str) -> bool:
    stem = name.rsplit(".", 1)[0]
    if stem.endswith(_TEST_ENDS) or (stem.startswith("Test") and stem[4:5].isupper()):
        return True
    return any(folder.lower() in _TEST_FOLDERS for folder in folders)


def listed(root: Root, settings: Settings) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Path and stamp of the files to read, by path; and what stands in the way of others."""
    files: list[tuple[str, str]] = []
    problems: list[Problem] = []
    for entry in Project("", "", "", root).entries((SUFFIX,)):
        if isinstance(entry, Problem):
            if entry.kind == "link" or chosen(entry.path, settings):
                problems.append(entry)
        elif chosen(entry.path, settings):
            files.append((entry.path, entry.stamp))
    return files, problems


def on_disk_listed(tree: Tree, settings: Settings) -> tuple[list[tuple[str, str]], list[Problem]]:
    """The same for a project on disk: without what git ignores, with the files that were named."""
    files, problems = listed(FolderRoot(tree.root), settings)
    if tree.git:
        repository = pygit2.Repository(str(tree.root))
        files = [one for one in files if not _ignored(repository, on_disk(one[0]))]
        problems = [one for one in problems if not _ignored(repository, on_disk(one.path))]
    there = {path for path, _ in files}
    # Who names a file means it, whatever its name looks like.
    named = [
        (part, "")
        for part in tree.parts
        if part.lower().endswith(SUFFIX)
        and part not in there
        and (tree.root / on_disk(part)).is_file()
    ]
    return sorted([*files, *named]), problems
