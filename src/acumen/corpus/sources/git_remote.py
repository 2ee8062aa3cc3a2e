"""Fetching a commit of a git repository that is elsewhere."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pygit2
from pygit2.enums import CredentialType

from acumen.api import AcumenError
from acumen.core.progress import Progress
from acumen.corpus.sources.cache import kept
from acumen.corpus.sources.git_tree import commit_or_error
from acumen.corpus.sources.paths import why

CONNECT_SECONDS, SILENT_SECONDS = 30, 300
_REF = "refs/acumen/source"
_ALL = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_COMMIT = re.compile(r"[0-9a-f]{4,40}")


def found(url: str, rev: str, source: str) -> tuple[str, str]:
    """A reference of the repository and its commit; for what may be a commit that no reference
    leads to, no reference and the (perhaps abbreviated) hash. Nothing is fetched."""
    _be_patient()
    try:
        # An empty repository that is never written to disk can ask.
        remote = pygit2.Repository().remotes.create_anonymous(url)
        heads = remote.list_heads(callbacks=_Callbacks(), proxy=True)
    except (pygit2.GitError, ValueError, OSError) as error:
        raise _unreachable(source, error) from error
    commits = {head.name: str(head.oid) for head in heads if head.name}
    # In git's own order.
    for ref in (rev, f"refs/{rev}", f"refs/tags/{rev}", f"refs/heads/{rev}") if rev else ("HEAD",):
        if ref in commits:
            return ref, commits.get(f"{ref}^{{}}", commits[ref])
    if _COMMIT.fullmatch(rev.lower()):
        return "", rev.lower()
    names = sorted({name.split("/", 2)[2] for name in commits if name.count("/") >= 2})
    near = difflib.get_close_matches(rev, names)
    raise AcumenError(
        f"{source}: the repository has no branch, tag or commit {rev or 'HEAD'}",
        f"close to it: {', '.join(near)}" if near else "",
    )


def fetch(url: str, ref: str, commit: str, place: Path, source: str, progress: Progress) -> None:
    """A bare repository at ``place`` with the commit, unless it is there."""

    def make(part: Path) -> None:
        callbacks = _Callbacks(f"fetching {source}", progress)
        repository = pygit2.init_repository(str(part), bare=True)
        remote = repository.remotes.create_anonymous(url)
        attempts = [([f"+{ref or commit}:{_REF}"], 1), ([f"+{ref}:{_REF}"] if ref else _ALL, 0)]
        # Only a full hash can be asked for; and not all servers give a single commit, or one that
        # no reference leads to.
        for refs, depth in attempts if ref or len(commit) == 40 else attempts[1:]:
            try:
                remote.fetch(list(refs), callbacks=callbacks, proxy=True, depth=depth)
                break
            except (pygit2.GitError, ValueError, OSError) as error:
                if depth == 0:
                    raise _unreachable(source, error) from error
        if ref and commit not in repository:
            raise AcumenError(f"{source} moved on while it was fetched", "run the command again")
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
        # The ssh agent's keys, once: libgit2 asks again and again when they do not fit.
        if self._asked or not allowed_types & CredentialType.SSH_KEY:
            raise pygit2.GitError("it wants a password or a key")
        self._asked = True
        return pygit2.KeypairFromAgent(username_from_url or "git")

    def transfer_progress(self, stats: pygit2.remotes.TransferProgress) -> None:
        if self._progress is not None:
            self._progress(self._what, stats.received_objects, stats.total_objects)


def _be_patient() -> None:
    """But not for ever, with a server that does not answer."""
    pygit2.settings.server_connect_timeout = CONNECT_SECONDS * 1000
    pygit2.settings.server_timeout = SILENT_SECONDS * 1000


def _unreachable(source: str, error: Exception) -> AcumenError:
    return AcumenError(
        f"{source}: the repository cannot be read ({why(error)})",
        "is the URL right, and is there a network? of one that needs a password, give the path "
        "of a clone: git:PATH@REV",
    )
