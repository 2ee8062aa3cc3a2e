"""Select the files to check, and the methods that a change touches.

The model learns from the whole project, whatever part of it is checked: the repository around the
path, or, without git, the folder. Excluded are files that git ignores, output of builds, tests
(unless the settings include them) and files that the settings exclude.

A change is a git diff between a revision and the present files; line numbers are those of the new
side. Where lines were only removed, the change touches the method around that position. It touches
all methods of untracked files and of files whose lines git cannot count (UTF-16).
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
from codeacumen.checker.settings import CheckerSettings
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.folder import FolderRoot
from codeacumen.corpus.sources.git_tree import resolve_commit
from codeacumen.corpus.sources.paths import (
    matches_patterns,
    path_exists,
    path_from_bytes,
    to_os_path,
)
from codeacumen.corpus.sources.project import Project, SourceRoot

SUFFIX = ".java"
# Folders that builds write. Below a source folder, such a name is a package.
_BUILD_FOLDERS = frozenset(
    ("build", "target", "out", "bin", ".gradle", ".idea", "node_modules", "dist")
)
_SOURCE_FOLDERS = frozenset(("src", "source", "sources", "java"))
_TEST_FOLDERS = frozenset(("test", "tests", "androidtest", "integrationtest", "testfixtures"))
_TEST_ENDS = ("Test", "Tests", "TestCase", "TestSuite", "IT")


@dataclass(frozen=True, slots=True)
class CheckedProject:
    """A project on disk: its root, the parts to check (paths from the root; the empty path is the
    whole project), and whether it is a git work tree."""

    root: Path
    parts: tuple[str, ...]
    is_git: bool


def find_projects(paths: Iterable[Path]) -> list[CheckedProject]:
    """Return the projects that contain the paths, in the order of the paths."""
    parts_by_root: dict[Path, tuple[list[str], bool]] = {}
    for path in paths:
        if not path_exists(path):
            raise CodeacumenError(f"{path}: no such file or folder", "name Java files or folders")
        real = Path(os.path.realpath(path))
        root, is_git = _find_root(real)
        part = path_from_bytes(os.fsencode(os.path.relpath(real, root)))
        parts_by_root.setdefault(root, ([], is_git))[0].append("" if part == "." else part)
    return [
        CheckedProject(root, tuple(dict.fromkeys(parts)), is_git)
        for root, (parts, is_git) in parts_by_root.items()
    ]


def _find_root(real: Path) -> tuple[Path, bool]:
    """Return the root of the project around a path, and whether that root is a git work tree."""
    folder = real if real.is_dir() else real.parent
    try:
        git_dir = pygit2.discover_repository(str(folder))
        repository = pygit2.Repository(git_dir) if git_dir else None
    except (pygit2.GitError, ValueError):
        return folder, False
    if repository is None or not repository.workdir:
        return folder, False
    root = Path(os.path.realpath(repository.workdir))
    # A user who names an ignored folder wants to check it: unpacked sources, for example.
    if not real.is_relative_to(root) or _is_ignored(repository, os.path.relpath(real, root)):
        return folder, False
    return root, True


def _is_ignored(repository: pygit2.Repository, path: str) -> bool:
    try:
        return path != "." and repository.path_is_ignored(path)
    except (pygit2.GitError, ValueError):
        return False


def is_included_path(path: str, settings: CheckerSettings) -> bool:
    """Return True if the path is a Java file that the settings do not exclude.

    >>> paths = ("src/build/A.java", "build/A.java", "a/ATest.java")
    >>> [is_included_path(path, CheckerSettings()) for path in paths]
    [True, False, False]
    """
    if not path.lower().endswith(SUFFIX):
        return False
    if settings.exclude and matches_patterns(path, settings.exclude):
        return False
    *folders, name = path.split("/")
    for folder in folders:
        if folder in _SOURCE_FOLDERS:
            break
        if folder in _BUILD_FOLDERS:
            return False
    return settings.tests or not is_test(folders, name)


def is_test(folders: Iterable[str], name: str) -> bool:
    """Return True if the name or a folder of a file marks it as a test."""
    stem = name.rsplit(".", 1)[0]
    if stem.endswith(_TEST_ENDS) or (stem.startswith("Test") and stem[4:5].isupper()):
        return True
    return any(folder.lower() in _TEST_FOLDERS for folder in folders)


def list_files(
    root: SourceRoot, settings: CheckerSettings
) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Return path and stamp of the files to read, sorted by path, and problems with other files.

    In a commit, the stamp (``Entry.stamp``) is the hash of the content; that of a file on disk is
    not used (``index.read_files``).
    """
    files: list[tuple[str, str]] = []
    problems: list[Problem] = []
    for entry in Project("", "", "", root).list_entries((SUFFIX,)):
        if isinstance(entry, Problem):
            if entry.kind == "link" or is_included_path(entry.path, settings):
                problems.append(entry)
        elif is_included_path(entry.path, settings):
            files.append((entry.path, entry.stamp))
    return files, problems


def list_files_on_disk(
    project: CheckedProject, settings: CheckerSettings
) -> tuple[list[tuple[str, str]], list[Problem]]:
    """Return the same as ``list_files`` for a project on disk.

    Files that git ignores are left out; files that the user named are always included.
    """
    files, problems = list_files(FolderRoot(project.root), settings)
    if project.is_git:
        repository = pygit2.Repository(str(project.root))
        files = [file for file in files if not _is_ignored(repository, to_os_path(file[0]))]
        problems = [
            problem for problem in problems if not _is_ignored(repository, to_os_path(problem.path))
        ]
    listed_paths = {path for path, _ in files}
    # A file that the user names is checked even if its path would be excluded.
    named = [
        (part, "")
        for part in project.parts
        if part.lower().endswith(SUFFIX)
        and part not in listed_paths
        and (project.root / to_os_path(part)).is_file()
    ]
    return sorted([*files, *named]), problems


_DELETED_STATUSES = (DeltaStatus.DELETED, DeltaStatus.UNREADABLE)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A changed file.

    ``path`` is from the repository's root. ``lines`` are the changed ranges as
    ``_find_changed_ranges`` returns them; None: all lines. ``blob`` is the git id of the staged
    content; empty unless staged changes are checked.
    """

    path: str
    lines: tuple[tuple[int, int], ...] | None
    blob: str = ""

    def touches_method(self, place: Place) -> bool:
        """Return True if a changed line belongs to the method at this place."""
        if self.lines is None:
            return True
        return any(first <= place.last and place.first <= last for first, last in self.lines)


def resolve_base(repository: pygit2.Repository, revision: str) -> str:
    """Return the commit to compare a change with.

    ``main...`` means the merge base: the commit where the branch left main.
    """
    revision_name = revision.removesuffix("...")
    if not revision_name or revision_name.startswith("-"):
        raise CodeacumenError(f"{revision!r} is not a revision", "--since main, or --since main...")
    source = repository.workdir or repository.path
    commit = resolve_commit(repository, revision_name, source)
    if revision_name == revision:
        return commit
    head = resolve_commit(repository, "HEAD", source)
    common = repository.merge_base(commit, head)
    if common is None:
        raise CodeacumenError(
            f"{revision_name} and HEAD have no commit in common",
            "in a shallow clone: git fetch --unshallow",
        )
    return str(common)


def resolve_head(repository: pygit2.Repository) -> str:
    """Return the commit at HEAD, or an empty text in a repository without commits."""
    return "" if repository.head_is_unborn else str(repository.head.peel(pygit2.Commit).id)


def list_changed_files(
    repository: pygit2.Repository, base: str, *, staged: bool
) -> list[ChangedFile]:
    """Return the Java files that differ from a commit (empty: from the empty tree), by path."""
    tree = repository[base or repository.TreeBuilder().write()].peel(pygit2.Tree)
    if staged:
        diff = tree.diff_to_index(repository.index, context_lines=0)
    else:
        options = DiffOption.INCLUDE_UNTRACKED | DiffOption.RECURSE_UNTRACKED_DIRS
        options |= DiffOption.SHOW_UNTRACKED_CONTENT
        diff = tree.diff_to_workdir(options, context_lines=0)
    # Detect moves: a file that was only moved has no changed lines.
    diff.find_similar()
    changed_files: dict[str, ChangedFile] = {}
    for patch in diff:
        if patch is None:
            continue
        delta = patch.delta
        path = path_from_bytes(delta.new_file.raw_path)
        if delta.status in _DELETED_STATUSES or not path.lower().endswith(".java"):
            continue
        if delta.new_file.mode in (FileMode.LINK, FileMode.COMMIT):
            continue
        lines = (
            None
            if delta.is_binary
            else tuple(
                line_range for hunk in patch.hunks for line_range in _find_changed_ranges(hunk)
            )
        )
        # No line was added or removed: the file was only moved, for example.
        if lines == () and delta.status != DeltaStatus.UNTRACKED:
            continue
        changed_files[path] = ChangedFile(
            path, lines or None, str(delta.new_file.id) if staged else ""
        )
    return [changed_files[path] for path in sorted(changed_files)]


def _find_changed_ranges(hunk: pygit2.DiffHunk) -> list[tuple[int, int]]:
    """Return the first and last line (from 1) of each changed range of a hunk, without context.

    Where lines were only removed, the last line is the one before the first: such a range overlaps
    a method that lies on both sides of it, but not one that ends or begins there.
    """
    ranges: list[tuple[int, int]] = []
    # ``position`` is the number of the last line of the new side so far. The loop ends with an
    # artificial context line, which closes a range at the end of the hunk.
    position = hunk.new_start - (hunk.new_lines > 0)
    added, removed = 0, False
    for origin, line in [
        *((diff_line.origin, diff_line.new_lineno) for diff_line in hunk.lines),
        (" ", 0),
    ]:
        if origin == "+":
            added += 1
            position = line
        elif origin == "-":
            removed = True
        elif origin == " ":
            if added or removed:
                ranges.append((position - added + 1, position))
            position, added, removed = line, 0, False
    return ranges


def is_under(parents: Sequence[str], path: str) -> bool:
    """Return True if a path is one of the parents or below one; the empty path is the root."""
    return any(not parent or path == parent or path.startswith(f"{parent}/") for parent in parents)
