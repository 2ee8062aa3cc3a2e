"""Files to check, and the methods that a change touches.

The model learns from the whole project, whatever part of it is checked: the repository that the
path lies in, or, without git, the folder. Left out are files that git ignores, that builds write,
tests (a setting) and files that the settings exclude.

A change is a git diff between a revision and the present files. Lines are those of the new side.
Where lines were only removed, the method around that position is touched. Untracked files, and
files whose lines git cannot count (UTF-16), are touched as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileMode

from codeacumen.api import CodeacumenError
from codeacumen.checker.findings import Place
from codeacumen.checker.settings import Settings
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.git_tree import commit_or_error
from codeacumen.corpus.sources.paths import as_text, fits, is_there, on_disk
from codeacumen.corpus.sources.project import Project, Root

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
            raise CodeacumenError(
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


_GONE = (DeltaStatus.DELETED, DeltaStatus.UNREADABLE)


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that changed: its path from the repository's root, the lines that did (None: all), and
    its staged content where that is what counts."""

    path: str
    lines: tuple[tuple[int, int], ...] | None
    blob: str = ""

    def touches(self, place: Place) -> bool:
        if self.lines is None:
            return True
        return any(first <= place.last and place.first <= last for first, last in self.lines)


def base_of(repository: pygit2.Repository, revision: str) -> str:
    """The commit that a change is compared with. ``main...`` is where the branch left main."""
    named = revision.removesuffix("...")
    if not named or named.startswith("-"):
        raise CodeacumenError(f"{revision!r} is no revision", "--since main, or --since main...")
    source = repository.workdir or repository.path
    commit = commit_or_error(repository, named, source)
    if named == revision:
        return commit
    head = commit_or_error(repository, "HEAD", source)
    common = repository.merge_base(commit, head)
    if common is None:
        raise CodeacumenError(
            f"{named} and HEAD have no commit in common",
            "in a shallow clone: git fetch --unshallow",
        )
    return str(common)


def head_of(repository: pygit2.Repository) -> str:
    """The last commit, or nothing before the first."""
    return "" if repository.head_is_unborn else str(repository.head.peel(pygit2.Commit).id)


def changes(repository: pygit2.Repository, base: str, *, staged: bool) -> list[Changed]:
    """The Java files that differ from a commit (empty: from nothing), by path."""
    tree = repository[base or repository.TreeBuilder().write()].peel(pygit2.Tree)
    if staged:
        diff = tree.diff_to_index(repository.index, context_lines=0)
    else:
        options = DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS
        options |= DiffOption.SHOW_UNTRACKED_CONTENT
        diff = tree.diff_to_workdir(options, context_lines=0)
    # A file that was only moved has no line that changed.
    diff.find_similar()
    found: dict[str, Changed] = {}
    for patch in diff:
        if patch is None:
            continue
        delta = patch.delta
        path = as_text(delta.new_file.raw_path)
        if delta.status in _GONE or not path.lower().endswith(".java"):
            continue
        if delta.new_file.mode in (FileMode.LINK, FileMode.COMMIT):
            continue
        lines = (
            None if delta.is_binary else tuple(each for one in patch.hunks for each in _ranges(one))
        )
        if lines == () and delta.status != DeltaStatus.UNTRACKED:
            continue
        found[path] = Changed(path, lines or None, str(delta.new_file.id) if staged else "")
    return [found[path] for path in sorted(found)]


def _ranges(hunk: pygit2.DiffHunk) -> list[tuple[int, int]]:
    """First and last lines of what changed, without the lines around it, which some diffs have.
    Where lines only went, the last stands before the first: that meets what lies on both sides, and
    not what ends or begins there."""
    found: list[tuple[int, int]] = []
    before = hunk.new_start - (hunk.new_lines > 0)
    added, removed = 0, False
    for origin, line in [*((one.origin, one.new_lineno) for one in hunk.lines), (" ", 0)]:
        if origin == "+":
            added += 1
            before = line
        elif origin == "-":
            removed = True
        elif origin == " ":
            if added or removed:
                found.append((before - added + 1, before))
            before, added, removed = line, 0, False
    return found


def under(paths: Sequence[str], path: str) -> bool:
    """Whether a path is one of some, or below one; the empty path is the root."""
    return any(not one or path == one or path.startswith(f"{one}/") for one in paths)
