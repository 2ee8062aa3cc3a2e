"""Read a git commit without checking it out, and fetch a commit from a remote repository.

A file is a blob, and its ``Entry.stamp`` the hash of the blob. Only one commit is fetched if the
server supports that. ``sources.git`` decides what to read; this module imports pygit2.
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
from codeacumen.corpus.sources.paths import describe_error, path_exists, path_from_bytes, to_os_path
from codeacumen.corpus.sources.project import Entry, PathFilter, check_size, get_or_make_folder

# Limit against git bombs: nested trees that contain the same tree many times.
MOST_FILES = 2_000_000
# Number of repositories that a process keeps open.
_OPEN = 16
GIT_ERRORS = (pygit2.GitError, KeyError, ValueError, OSError)


@dataclass(frozen=True, slots=True)
class GitRoot:
    """The files of a commit; ``repository`` is the path of its repository."""

    repository: Path
    commit: str

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        entries: list[Entry | Problem] = []
        try:
            repository, tree = _open_tree(self.repository, self.commit, os.getpid())
        except GIT_ERRORS as error:  # the commit was readable when the build began
            return [Problem(".", "unreadable", f"git: {describe_error(error)}")]
        # Folders to visit: path with a slash at the end, tree, and depth of the folder from 1.
        pending = [(b"", tree, 1)]
        count = 0
        while pending:
            folder, tree, level = pending.pop()
            try:
                members = list(tree)
            except GIT_ERRORS as error:
                message = f"a folder: {describe_error(error)}"
                entries.append(
                    Problem(path_from_bytes(folder).rstrip("/") or ".", "unreadable", message)
                )
                continue
            count += len(members)
            if count > MOST_FILES:
                message = f"more than {MOST_FILES:,} files; the rest is left out"
                return [*entries, Problem(".", "git bomb", message)]
            for member in members:
                path = folder + (member.raw_name or b"")
                if isinstance(member, pygit2.Tree):
                    if level != levels:
                        pending.append((path + b"/", member, level + 1))
                elif is_wanted(path_from_bytes(path)):
                    entries.append(_make_entry(repository, member, path_from_bytes(path)))
        return entries

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        try:
            repository, tree = _open_tree(self.repository, self.commit, os.getpid())
            blob = tree[to_os_path(path)]
            if not isinstance(blob, pygit2.Blob) or blob.filemode == FileMode.LINK:
                return Problem(path, "unreadable", "not a regular file")
            return read_blob(repository, blob.id, path, largest)
        except GIT_ERRORS as error:
            return Problem(path, "unreadable", f"git: {describe_error(error)}")


@dataclass(frozen=True, slots=True)
class BlobsRoot:
    """Blobs of a repository, as hashes by path, such as the staged content of files.

    ``checker`` reads staged files with it. Entries have size 0, because the size is unknown until a
    blob is read.
    """

    repository: Path
    blobs: dict[str, str]

    def list_entries(
        self, is_wanted: PathFilter, levels: int | None = None
    ) -> list[Entry | Problem]:
        return [Entry(path, 0, blob) for path, blob in self.blobs.items() if is_wanted(path)]

    def read_file(self, path: str, largest: int) -> bytes | Problem:
        try:
            repository = _open_repository(self.repository, os.getpid())
            return read_blob(repository, self.blobs[path], path, largest)
        except GIT_ERRORS as error:
            return Problem(path, "unreadable", f"git: {describe_error(error)}")


def read_blob(
    repository: pygit2.Repository, blob: pygit2.Oid | str, path: str, largest: int
) -> bytes | Problem:
    """Return a blob's bytes, or the problem if it is too large or cannot be read."""
    try:
        problem = check_size(path, repository.odb.read_header(blob)[1], largest)
        return problem or repository[blob].peel(pygit2.Blob).data
    except GIT_ERRORS as error:
        return Problem(path, "unreadable", f"git: {describe_error(error)}")


def _make_entry(repository: pygit2.Repository, member: pygit2.Object, path: str) -> Entry | Problem:
    if member.filemode == FileMode.LINK:
        return Problem(path, "link", "a link; its target is read under its own path")
    if member.filemode == FileMode.COMMIT:
        return Problem(path, "submodule", "another repository; pass it as a separate source")
    if {"", ".", ".."}.intersection(path.split("/")):
        return Problem(path, "unreadable", "not a valid file name")
    try:
        return Entry(path, repository.odb.read_header(member.id)[1], str(member.id))
    except GIT_ERRORS as error:
        return Problem(path, "unreadable", f"git: {describe_error(error)}")


@lru_cache(maxsize=_OPEN)
def _open_repository(path: Path, process_id: int) -> pygit2.Repository:
    """Return an open repository; ``process_id`` makes a forked process open its own."""
    return pygit2.Repository(str(path), RepositoryOpenFlag.NO_SEARCH)


@lru_cache(maxsize=_OPEN)
def _open_tree(path: Path, commit: str, process_id: int) -> tuple[pygit2.Repository, pygit2.Tree]:
    """Return the repository and the top tree of a commit."""
    repository = _open_repository(path, process_id)
    return repository, repository[commit].peel(pygit2.Tree)


def open_repository(path: Path, source: str) -> pygit2.Repository:
    """Return the repository at a path; errors begin with ``source``, the text that names it."""
    if not path_exists(path):
        raise CodeacumenError(f"{source}: there is no {path}", "for a URL, begin with https://")
    try:
        return pygit2.Repository(str(path), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        hint = ""
        if "owned" in str(error):
            hint = f"if you trust it: git config --global --add safe.directory {path}"
        raise CodeacumenError(f"{source}: {path} is no git repository ({error})", hint) from error


def resolve_commit(repository: pygit2.Repository, rev: str, source: str) -> str:
    """Return the full hash of the commit that a branch, a tag or a commit hash names."""
    try:
        return str(repository.revparse_single(rev).peel(pygit2.Commit).id)
    except GIT_ERRORS as error:
        problem = (
            "the repository has no commits" if rev == "HEAD" else f"no branch, tag or commit {rev}"
        )
        # The message of a KeyError is only the revision.
        reason = "" if isinstance(error, KeyError) else f" ({describe_error(error)})"
        raise CodeacumenError(
            f"{source}: {problem}{reason}", "git:URL@REV; `git branch -a` and `git tag` list them"
        ) from error


# Time limits for connecting to a server, and for a server that sends nothing.
CONNECT_SECONDS, SILENT_SECONDS = 30, 300
# Our reference to the fetched commit in the cached repository.
_REF = "refs/codeacumen/source"
_ALL = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_COMMIT = re.compile(r"[0-9a-f]{4,40}")


def find_remote_commit(url: str, rev: str, source: str) -> tuple[str, str]:
    """Return the remote reference and the commit that ``rev`` names, without fetching.

    An empty ``rev`` means HEAD.
    If no reference has that name and ``rev`` looks like a hash, return an empty reference and the
    hash, which may be abbreviated.
    """
    _set_timeouts()
    try:
        # An empty repository in memory is enough to list remote references.
        remote = pygit2.Repository().remotes.create_anonymous(url)
        heads = remote.list_heads(callbacks=_Callbacks(), proxy=True)
    except (pygit2.GitError, ValueError, OSError) as error:
        raise _unreachable_error(source, error) from error
    commits = {head.name: str(head.oid) for head in heads if head.name}
    # The order of git rev-parse.
    for ref in (rev, f"refs/{rev}", f"refs/tags/{rev}", f"refs/heads/{rev}") if rev else ("HEAD",):
        if ref in commits:
            # For an annotated tag, the server also lists the commit behind it, as ``ref^{}``.
            return ref, commits.get(f"{ref}^{{}}", commits[ref])
    if _COMMIT.fullmatch(rev.lower()):
        return "", rev.lower()
    names = sorted({name.split("/", 2)[2] for name in commits if name.count("/") >= 2})
    close_names = difflib.get_close_matches(rev, names)
    raise CodeacumenError(
        f"{source}: the repository has no branch, tag or commit {rev or 'HEAD'}",
        f"close to it: {', '.join(close_names)}" if close_names else "",
    )


def fetch_commit(
    url: str, ref: str, commit: str, repository_path: Path, source: str, progress: Progress
) -> None:
    """Fetch the commit into a bare repository at ``repository_path``, unless that exists.

    ``ref`` and ``commit`` are the result of ``find_remote_commit``.
    """

    def fill_folder(part: Path) -> None:
        callbacks = _Callbacks(f"fetching {source}", progress)
        repository = pygit2.init_repository(str(part), bare=True)
        remote = repository.remotes.create_anonymous(url)
        # What to fetch and how many commits of its history; depth 0 is the whole history.
        attempts = [([f"+{ref or commit}:{_REF}"], 1), ([f"+{ref}:{_REF}"] if ref else _ALL, 0)]
        # Only a full hash can be requested, and not every server supports fetching a single commit
        # or an unreferenced one; the second attempt fetches everything.
        for refs, depth in attempts if ref or len(commit) == 40 else attempts[1:]:
            try:
                remote.fetch(list(refs), callbacks=callbacks, proxy=True, depth=depth)
                break
            except (pygit2.GitError, ValueError, OSError) as error:
                if depth == 0:
                    raise _unreachable_error(source, error) from error
        if ref and commit not in repository:
            raise CodeacumenError(f"{source} changed while it was fetched", "run the command again")
        resolve_commit(repository, commit, source)
        repository.free()

    _set_timeouts()
    get_or_make_folder(repository_path, fill_folder)


class _Callbacks(pygit2.RemoteCallbacks):
    """Callbacks of libgit2: credentials of the ssh agent, and progress under the name ``what``."""

    def __init__(self, what: str = "", progress: Progress | None = None) -> None:
        super().__init__()
        self._what = what
        self._progress = progress
        self._has_tried_agent = False

    def credentials(
        self, url: str, username_from_url: str | None, allowed_types: CredentialType
    ) -> pygit2.KeypairFromAgent:
        # Offer the ssh agent's keys once: libgit2 calls again without end if they are refused.
        if self._has_tried_agent or not allowed_types & CredentialType.SSH_KEY:
            raise pygit2.GitError("it needs a password or a key")
        self._has_tried_agent = True
        return pygit2.KeypairFromAgent(username_from_url or "git")

    def transfer_progress(self, stats: pygit2.remotes.TransferProgress) -> None:
        if self._progress is not None:
            self._progress(self._what, stats.received_objects, stats.total_objects)


def _set_timeouts() -> None:
    """Set libgit2's timeouts, so that an unresponsive server is an error."""
    pygit2.settings.server_connect_timeout = CONNECT_SECONDS * 1000
    pygit2.settings.server_timeout = SILENT_SECONDS * 1000


def _unreachable_error(source: str, error: Exception) -> CodeacumenError:
    return CodeacumenError(
        f"{source}: the repository cannot be read ({describe_error(error)})",
        "check the URL and the network; for a repository that needs a password, name the path "
        "of a clone: git:PATH@REV",
    )
