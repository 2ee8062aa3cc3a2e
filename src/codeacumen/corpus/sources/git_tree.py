"""Read a git commit without checking it out, and fetch a commit from a remote repository.

A file is a blob, and its stamp the hash of the blob. Only one commit is fetched if the server
supports that.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pygit2
from pygit2.enums import CredentialType, FileMode, RepositoryOpenFlag

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.reading import Problem
from codeacumen.corpus.sources.fetching import kept
from codeacumen.corpus.sources.paths import as_text, is_there, on_disk, why
from codeacumen.corpus.sources.project import Entry, Wanted, too_large

# Limit against git bombs: nested trees that contain the same tree many times.
MOST_FILES = 2_000_000
# Number of repositories that a process keeps open.
_OPEN = 16
GIT_ERRORS = (pygit2.GitError, KeyError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class GitRoot:
    """The files of a commit."""

    repository: Path
    commit: str

    def entries(self, wanted: Wanted, levels: int | None = None) -> list[Entry | Problem]:
        found: list[Entry | Problem] = []
        try:
            repository, tree = _opened(self.repository, self.commit, os.getpid())
        except GIT_ERRORS as error:  # it was readable when the build began
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
    """Return an open repository, one for each process."""
    return pygit2.Repository(str(place), RepositoryOpenFlag.NO_SEARCH)


@lru_cache(maxsize=_OPEN)
def _opened(place: Path, commit: str, process: int) -> tuple[pygit2.Repository, pygit2.Tree]:
    repository = _open_repository(place, process)
    return repository, repository[commit].peel(pygit2.Tree)


def opened_or_error(place: Path, source: str) -> pygit2.Repository:
    if not is_there(place):
        raise CodeacumenError(f"{source}: there is no {place}", "for a URL, begin with https://")
    try:
        return pygit2.Repository(str(place), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        hint = ""
        if "owned" in str(error):
            hint = f"if you trust it: git config --global --add safe.directory {place}"
        raise CodeacumenError(f"{source}: {place} is no git repository ({error})", hint) from error


def commit_or_error(repository: pygit2.Repository, rev: str, source: str) -> str:
    """Return the full hash of the commit that a branch, a tag or a commit hash names."""
    try:
        return str(repository.revparse_single(rev).peel(pygit2.Commit).id)
    except GIT_ERRORS as error:
        what = "nothing was ever committed" if rev == "HEAD" else f"no branch, tag or commit {rev}"
        # The message of a KeyError is only the revision.
        reason = "" if isinstance(error, KeyError) else f" ({why(error)})"
        raise CodeacumenError(
            f"{source}: {what}{reason}", "git:URL@REV; `git branch -a` and `git tag` list them"
        ) from error


CONNECT_SECONDS, SILENT_SECONDS = 30, 300
_REF = "refs/codeacumen/source"
_ALL = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_COMMIT = re.compile(r"[0-9a-f]{4,40}")


def find_remote_commit(url: str, rev: str, source: str) -> tuple[str, str]:
    """Return the reference and the commit that ``rev`` names, without fetching.

    If no reference has that name and ``rev`` looks like a hash, return an empty reference and the
    hash, which may be abbreviated.
    """
    _be_patient()
    try:
        # An empty repository in memory is enough to list remote references.
        remote = pygit2.Repository().remotes.create_anonymous(url)
        heads = remote.list_heads(callbacks=_Callbacks(), proxy=True)
    except (pygit2.GitError, ValueError, OSError) as error:
        raise _unreachable(source, error) from error
    commits = {head.name: str(head.oid) for head in heads if head.name}
    # The order of git rev-parse.
    for ref in (rev, f"refs/{rev}", f"refs/tags/{rev}", f"refs/heads/{rev}") if rev else ("HEAD",):
        if ref in commits:
            return ref, commits.get(f"{ref}^{{}}", commits[ref])
    if _COMMIT.fullmatch(rev.lower()):
        return "", rev.lower()
    names = sorted({name.split("/", 2)[2] for name in commits if name.count("/") >= 2})
    near = difflib.get_close_matches(rev, names)
    raise CodeacumenError(
        f"{source}: the repository has no branch, tag or commit {rev or 'HEAD'}",
        f"close to it: {', '.join(near)}" if near else "",
    )


def fetch_commit(
    url: str, ref: str, commit: str, place: Path, source: str, progress: Progress
) -> None:
    """Fetch the commit into a bare repository at ``repository_path``, unless it exists."""

    def make(part: Path) -> None:
        callbacks = _Callbacks(f"fetching {source}", progress)
        repository = pygit2.init_repository(str(part), bare=True)
        remote = repository.remotes.create_anonymous(url)
        attempts = [([f"+{ref or commit}:{_REF}"], 1), ([f"+{ref}:{_REF}"] if ref else _ALL, 0)]
        # Only a full hash can be requested, and not every server supports fetching a single commit
        # or an unreferenced one; the second attempt fetches everything.
        for refs, depth in attempts if ref or len(commit) == 40 else attempts[1:]:
            try:
                remote.fetch(list(refs), callbacks=callbacks, proxy=True, depth=depth)
                break
            except (pygit2.GitError, ValueError, OSError) as error:
                if depth == 0:
                    raise _unreachable(source, error) from error
        if ref and commit not in repository:
            raise CodeacumenError(
                f"{source} moved on while it was fetched", "run the command again"
            )
        commit_or_error(repository, commit, source)
        repository.free()

    _be_patient()
    kept(place, make)


class _Callbacks(pygit2.RemoteCallbacks):
    def __init__(self, what: str = "", progress: Progress | None = None) -> None:
        super().__init__()
        self._what = what
        self._progress = progress
        self._asked = False

    def credentials(
        self, url: str, username_from_url: str | None, allowed_types: CredentialType
    ) -> pygit2.KeypairFromAgent:
        # Offer the ssh agent's keys once: libgit2 calls again without end if they are refused.
        if self._asked or not allowed_types & CredentialType.SSH_KEY:
            raise pygit2.GitError("it wants a password or a key")
        self._asked = True
        return pygit2.KeypairFromAgent(username_from_url or "git")

    def transfer_progress(self, stats: pygit2.remotes.TransferProgress) -> None:
        if self._progress is not None:
            self._progress(self._what, stats.received_objects, stats.total_objects)


def _be_patient() -> None:
    """Set libgit2's timeouts, so that an unresponsive server is an error."""
    pygit2.settings.server_connect_timeout = CONNECT_SECONDS * 1000
    pygit2.settings.server_timeout = SILENT_SECONDS * 1000


def _unreachable(source: str, error: Exception) -> CodeacumenError:
    return CodeacumenError(
        f"{source}: the repository cannot be read ({why(error)})",
        "check the URL and the network; for a repository that needs a password, name the path "
        "of a clone: git:PATH@REV",
    )
