"""Files in a git repository, read without checking anything out: those of a commit, and single
blobs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, RepositoryOpenFlag

from acumen.api import AcumenError
from acumen.corpus.reading import Problem
from acumen.corpus.sources.paths import as_text, is_there, on_disk, why
from acumen.corpus.sources.project import Entry, Wanted, too_large

# A tree that holds one tree ten times, which holds one ten times: few objects, no end of files.
MOST_FILES = 2_000_000
# Open repositories that a process keeps.
_OPEN = 16
GIT_ERRORS = (pygit2.GitError, KeyError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class GitRoot:
    repository: Path
    commit: str

    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        found: list[Entry | Problem] = []
        try:
            repository, tree = _opened(self.repository, self.commit, os.getpid())
        except GIT_ERRORS as error:  # it was there when the build began
            return [Problem(".", "unreadable", f"git: {why(error)}")]
        waiting = [(b"", tree, 1)]
        count = 0
        while waiting:
            folder, tree, level = waiting.pop()
            try:
                members = list(tree)
            except GIT_ERRORS as error:
                message = f"a folder: {why(error)}"
                found.append(Problem(as_text(folder).rstrip("/") or ".", "unreadable", message))
                continue
            count += len(members)
            if count > MOST_FILES:
                message = f"more than {MOST_FILES:,} files; the rest is left out"
                return [*found, Problem(".", "git bomb", message)]
            for one in members:
                path = folder + (one.raw_name or b"")
                if isinstance(one, pygit2.Tree):
                    if level != levels:
                        waiting.append((path + b"/", one, level + 1))
                elif wanted(as_text(path)):
                    found.append(_entry(repository, one, as_text(path)))
        return found

    def read(self, path: str, largest: int) -> bytes | Problem:
        try:
            repository, tree = _opened(self.repository, self.commit, os.getpid())
            blob = tree[on_disk(path)]
            if not isinstance(blob, pygit2.Blob) or blob.filemode == FileMode.LINK:
                return Problem(path, "unreadable", "it is no ordinary file")
            return read_blob(repository, blob.id, path, largest)
        except GIT_ERRORS as error:
            return Problem(path, "unreadable", f"git: {why(error)}")


@dataclass(frozen=True, slots=True)
class BlobsRoot:
    """Blobs of a repository by the path of their file, such as the staged content of files."""

    repository: Path
    blobs: dict[str, str]

    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        return [Entry(path, 0, blob) for path, blob in self.blobs.items() if wanted(path)]

    def read(self, path: str, largest: int) -> bytes | Problem:
        try:
            repository = _open_repository(self.repository, os.getpid())
            return read_blob(repository, self.blobs[path], path, largest)
        except GIT_ERRORS as error:
            return Problem(path, "unreadable", f"git: {why(error)}")


def read_blob(
    repository: pygit2.Repository, blob: pygit2.Oid | str, path: str, largest: int
) -> bytes | Problem:
    """Return a blob's bytes, or the problem if it is too large or cannot be read."""
    try:
        problem = too_large(path, repository.odb.read_header(blob)[1], largest)
        return problem or repository[blob].peel(pygit2.Blob).data
    except GIT_ERRORS as error:
        return Problem(path, "unreadable", f"git: {why(error)}")


def _entry(repository: pygit2.Repository, one: pygit2.Object, path: str) -> Entry | Problem:
    if one.filemode == FileMode.LINK:
        return Problem(path, "link", "a link; what it leads to is read under its own name")
    if one.filemode == FileMode.COMMIT:
        return Problem(path, "submodule", "another repository: name it as a source of its own")
    if {"", ".", ".."}.intersection(path.split("/")):
        return Problem(path, "unreadable", "no name that a file can have")
    try:
        return Entry(path, repository.odb.read_header(one.id)[1], str(one.id))
    except GIT_ERRORS as error:
        return Problem(path, "unreadable", f"git: {why(error)}")


@lru_cache(maxsize=_OPEN)
def _open_repository(place: Path, process: int) -> pygit2.Repository:
    """Each process opens its own."""
    return pygit2.Repository(str(place), RepositoryOpenFlag.NO_SEARCH)


@lru_cache(maxsize=_OPEN)
def _opened(place: Path, commit: str, process: int) -> tuple[pygit2.Repository, pygit2.Tree]:
    repository = _open_repository(place, process)
    return repository, repository[commit].peel(pygit2.Tree)


def opened_or_error(place: Path, source: str) -> pygit2.Repository:
    if not is_there(place):
        raise AcumenError(f"{source}: there is no {place}", "for a URL, begin with https://")
    try:
        return pygit2.Repository(str(place), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        hint = ""
        if "owned" in str(error):
            hint = f"if you trust it: git config --global --add safe.directory {place}"
        raise AcumenError(f"{source}: {place} is no git repository ({error})", hint) from error


def commit_or_error(repository: pygit2.Repository, rev: str, source: str) -> str:
    """The commit's full hash: of a branch, a tag, an abbreviated or a full commit."""
    try:
        return str(repository.revparse_single(rev).peel(pygit2.Commit).id)
    except GIT_ERRORS as error:
        what = "nothing was ever committed" if rev == "HEAD" else f"no branch, tag or commit {rev}"
        # A KeyError only names it again.
        reason = "" if isinstance(error, KeyError) else f" ({why(error)})"
        raise AcumenError(
            f"{source}: {what}{reason}", "git:URL@REV; `git branch -a` and `git tag` list them"
        ) from error
