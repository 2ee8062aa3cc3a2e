"""Git repositories at a revision: ``git:URL@REV``.

A local repository is read in place. Of a remote repository, only the commit is fetched into the
cache, or everything if the server does not support that. ``@REV`` may be left out and means HEAD.
"""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from collections.abc import Callable
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.sources.paths import display_name, path_exists
from codeacumen.corpus.sources.project import SourceFetcher, SourceRoot, SourceSpec

# A full commit hash.
_FULL = re.compile(r"[0-9a-f]{40}")
# The scp-like forms user@host:path and host:path.
_SSH = re.compile(r"(?:[^@:/\\]+@)?[^@:/\\]{2,}:(?!//)")


def parse_source(text: str, base: Path, cache: Path) -> SourceSpec:
    """Return the source for the text after ``git:``; relative paths are relative to ``base``."""
    url, rev = split_url_and_revision(text, base)
    if not url:
        raise CodeacumenError(f"git:{text} names no repository", "git:URL@REV, or git:PATH@REV")
    local_repository = to_local_path(url, base)
    if local_repository is None:
        name = re.split(r"[/:]", url.rstrip("/"))[-1].removesuffix(".git")
        source = _format_source(remove_password(url), rev)
        return SourceSpec(name, source, lambda: _find_remote(url, rev, name, source, cache))
    repository_path = local_repository.absolute()
    # The folder .git says nothing about the project: use the name of the working tree.
    name = display_name(
        repository_path.parent if repository_path.name == ".git" else repository_path
    ).removesuffix(".git")
    return SourceSpec(
        name,
        _format_source(name, rev),
        _find_local(repository_path, rev, _format_source(name, rev)),
    )


def _format_source(url: str, rev: str) -> str:
    return f"git:{url}@{rev}" if rev else f"git:{url}"


def _find_local(repository_path: Path, rev: str, source: str) -> Callable[[], SourceFetcher]:
    """Return ``SourceSpec.find`` of a local repository, whose commit is resolved at once."""
    from codeacumen.corpus.sources.git_tree import GitRoot, open_repository, resolve_commit

    commit = resolve_commit(open_repository(repository_path, source), rev or "HEAD", source)
    return lambda: lambda progress: (GitRoot(repository_path, commit), commit)


def split_url_and_revision(text: str, base: Path = Path()) -> tuple[str, str]:
    """Split a text into URL and revision at an ``@``; the revision may be empty.

    The ``@`` of ``user@host`` and an ``@`` at the beginning of a path segment are part of the URL.
    The first other ``@`` separates, because a revision may contain ``@`` (the tag
    ``package@1.0``). For a local repository, the longest prefix that exists is the path.

    >>> split_url_and_revision("ssh://git@example.org/a/b.git")
    ('ssh://git@example.org/a/b.git', '')
    >>> split_url_and_revision("git@example.org:a/b@v1")
    ('git@example.org:a/b', 'v1')
    """
    at_signs = [position for position, char in enumerate(text) if char == "@"]
    if to_local_path(text, base) is not None:
        for at_sign in [len(text), *reversed(at_signs)]:
            place = to_local_path(text[:at_sign], base)
            if at_sign and place is not None and path_exists(place):
                return text[:at_sign], text[at_sign + 1 :]
        return text, ""
    host = re.match(r"[^:]+://[^/]*|[^:]*:", text)
    for at_sign in at_signs:
        if host is not None and at_sign > host.end() and text[at_sign - 1] != "/":
            return text[:at_sign], text[at_sign + 1 :]
    return text, ""


def to_local_path(url: str, base: Path) -> Path | None:
    """Return the path of a local repository, or None for a remote one."""
    if url.startswith("file://"):
        return Path(urllib.parse.unquote(urllib.parse.urlsplit(url).path))
    if "://" in url or _SSH.match(url):
        return None
    return base / url


def remove_password(url: str) -> str:
    """Return the URL without user and password, which must not be stored in a corpus.

    ssh needs the user name, so there it is kept.
    """
    parts = urllib.parse.urlsplit(url)
    if not parts.netloc or "@" not in parts.netloc:
        return url
    user, _, host = parts.netloc.rpartition("@")
    keeps_user = parts.scheme.endswith("ssh")
    return parts._replace(netloc=f"{user.split(':')[0]}@{host}" if keeps_user else host).geturl()


def _find_remote(url: str, rev: str, name: str, source: str, cache: Path) -> SourceFetcher:
    """Return the function that fetches a commit of a remote repository."""
    from codeacumen.corpus.sources.git_tree import (
        GitRoot,
        fetch_commit,
        find_remote_commit,
        open_repository,
        resolve_commit,
    )

    folder = re.sub(r"[^\w.-]", "_", name)
    home = cache / "git" / f"{folder}-{hashlib.sha256(url.encode()).hexdigest()[:12]}"
    # A commit never changes, so a cached one needs no network.
    if _FULL.fullmatch(rev) and (home / f"{rev}.git").is_dir():
        ref, commit = "", rev
    else:
        ref, commit = find_remote_commit(url, rev, source)

    def fetch_source(progress: Progress) -> tuple[SourceRoot, str]:
        repository_path = home / f"{commit}.git"
        fetch_commit(url, ref, commit, repository_path, source, progress)
        full_hash = resolve_commit(open_repository(repository_path, source), commit, source)
        return GitRoot(repository_path, full_hash), full_hash

    return fetch_source
