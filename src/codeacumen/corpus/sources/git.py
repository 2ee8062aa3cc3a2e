"""Git repositories at a revision: ``git:URL@REV``.

A local repository is read in place. A remote one is fetched into the cache, if possible only the
one commit.
"""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from collections.abc import Callable
from pathlib import Path

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress
from codeacumen.corpus.sources.paths import is_there, name_of
from codeacumen.corpus.sources.project import Asked, Bring, Root

_FULL = re.compile(r"[0-9a-f]{40}")
# The scp-like forms user@host:path and host:path.
_SSH = re.compile(r"(?:[^@:/\\]+@)?[^@:/\\]{2,}:(?!//)")


def asked(text: str, base: Path, cache: Path) -> Asked:
    """Return the source for the text after ``git:``; relative paths are relative to ``base``."""
    url, rev = split(text, base)
    if not url:
        raise CodeacumenError(f"git:{text} names no repository", "git:URL@REV, or git:PATH@REV")
    place = local_path(url, base)
    if place is None:
        name = re.split(r"[/:]", url.rstrip("/"))[-1].removesuffix(".git")
        source = _written(without_password(url), rev)
        return Asked(name, source, lambda: _find_remote(url, rev, name, source, cache))
    here = place.absolute()
    # The folder .git has no telling name; use that of the working tree.
    name = name_of(here.parent if here.name == ".git" else here).removesuffix(".git")
    return Asked(name, _written(name, rev), _found_here(here, rev, _written(name, rev)))


def _written(url: str, rev: str) -> str:
    return f"git:{url}@{rev}" if rev else f"git:{url}"


def _found_here(place: Path, rev: str, source: str) -> Callable[[], Bring]:
    from codeacumen.corpus.sources.git_tree import GitRoot, commit_or_error, opened_or_error

    commit = commit_or_error(opened_or_error(place, source), rev or "HEAD", source)
    return lambda: lambda progress: (GitRoot(place, commit), commit)


def split(text: str, base: Path = Path()) -> tuple[str, str]:
    """Split a text into URL and revision at an ``@``.

    The ``@`` of ``user@host`` does not count, nor does one at the beginning of a path segment. The
    first other one counts, because a revision may contain ``@`` (the tag ``package@1.0``). For a
    local repository, the longest prefix that exists is the path.

    >>> split_url_and_revision("ssh://git@example.org/a/b.git"),
    split_url_and_revision("git@example.org:a/b@v1")
    (('ssh://git@example.org/a/b.git', ''), ('git@example.org:a/b', 'v1'))
    """
    ends = [place for place, char in enumerate(text) if char == "@"]
    if local_path(text, base) is not None:
        for end in [len(text), *reversed(ends)]:
            place = local_path(text[:end], base)
            if end and place is not None and is_there(place):
                return text[:end], text[end + 1 :]
        return text, ""
    host = re.match(r"[^:]+://[^/]*|[^:]*:", text)
    for end in ends:
        if host is not None and end > host.end() and text[end - 1] != "/":
            return text[:end], text[end + 1 :]
    return text, ""


def local_path(url: str, base: Path) -> Path | None:
    """Return the path of a local repository, or None for a remote one."""
    if url.startswith("file://"):
        return Path(urllib.parse.unquote(urllib.parse.urlsplit(url).path))
    if "://" in url or _SSH.match(url):
        return None
    return base / url


def without_password(url: str) -> str:
    """Return the URL without user and password, which must not be stored in a corpus.

    ssh needs the user name, so there it is kept.
    """
    parts = urllib.parse.urlsplit(url)
    if not parts.netloc or "@" not in parts.netloc:
        return url
    user, _, host = parts.netloc.rpartition("@")
    keeps = parts.scheme.endswith("ssh")
    return parts._replace(netloc=f"{user.split(':')[0]}@{host}" if keeps else host).geturl()


def _find_remote(url: str, rev: str, name: str, source: str, cache: Path) -> Bring:
    from codeacumen.corpus.sources.git_tree import (
        GitRoot,
        commit_or_error,
        fetch_commit,
        find_remote_commit,
        opened_or_error,
    )

    folder = re.sub(r"[^\w.-]", "_", name)
    home = cache / "git" / f"{folder}-{hashlib.sha256(url.encode()).hexdigest()[:12]}"
    # A commit never changes, so a cached one needs no network.
    if _FULL.fullmatch(rev) and (home / f"{rev}.git").is_dir():
        ref, commit = "", rev
    else:
        ref, commit = find_remote_commit(url, rev, source)

    def bring(progress: Progress) -> tuple[Root, str]:
        place = home / f"{commit}.git"
        fetch_commit(url, ref, commit, place, source, progress)
        full = commit_or_error(opened_or_error(place, source), commit, source)
        return GitRoot(place, full), full

    return bring
