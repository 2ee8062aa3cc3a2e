"""What changed between two commits: which Java files, and their text before and after."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from dataclasses import dataclass
from urllib.parse import quote

from acumen.api import Json
from acumen.corpus.reading import Problem
from acumen.renames.match import Matched, Pair, match
from acumen.renames.reviews.answers import OK, Source, file_key
from acumen.renames.versions import Version, version_of

# GitHub lists no more files of a difference.
MOST_FILES = 300
_SHA = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Range:
    """``before`` is the commit that files are compared from: the one asked for, or the one at which
    the branches parted. ``files`` are their paths before and after."""

    before: str
    after: str
    files: tuple[tuple[str, str], ...]


class Changes:
    """The changes of one repository; ``lost`` counts what could not be looked at, by reason."""

    def __init__(self, source: Source, repository: str, lost: Counter[str]) -> None:
        self.source, self.repository, self.lost = source, repository, lost
        self._versions: dict[tuple[str, str], Version | None] = {}

    def between(self, before: str, after: str, *, from_parting: bool = False) -> Range | None:
        """The Java files in which a method may have been renamed; None if a commit is gone.

        GitHub compares with the commit at which the branches parted. Where that is not ``before``,
        a force-push came between: then the list holds at least what the pull request changes, and
        the files are read at ``before`` all the same, unless ``from_parting``.
        """
        answer = self.source.get(
            file_key(self.repository, "compare", f"{before}...{after}"),
            f"repos/{self.repository}/compare/{quote(before)}...{quote(after)}",
            {"per_page": "1"},
            fixed=True,
        )
        body = answer.body if answer.status == OK and isinstance(answer.body, dict) else None
        listed = body.get("files") if body is not None else None
        if body is None or not isinstance(listed, list):
            self.lost["a commit has vanished"] += 1
            return None
        parted = _sha(body.get("merge_base_commit"))
        forced = bool(parted) and parted != before
        if len(listed) >= MOST_FILES:
            self.lost["a difference of more files than GitHub lists"] += 1
        files = [found for item in listed if (found := _file(item, forced and not from_parting))]
        return Range((from_parting and parted) or before, after, tuple(sorted(set(files))))

    def matched(self, found: Range) -> Matched:
        pairs = []
        for before, after in found.files:
            old, new = self._version(found.before, before), self._version(found.after, after)
            if old is not None and new is not None:
                pairs.append(Pair(before, after, old, new))
        return match(pairs)

    def forget(self) -> None:
        """A pull request is done: its files are not needed any more."""
        self._versions.clear()

    def _version(self, commit: str, path: str) -> Version | None:
        if (commit, path) not in self._versions:
            self._versions[commit, path] = self._read(commit, path)
        return self._versions[commit, path]

    def _read(self, commit: str, path: str) -> Version | None:
        data = self.text(commit, path)
        if data is None:
            self.lost["a file has vanished"] += 1
            return None
        found = version_of(path, data)
        if isinstance(found, Problem):
            self.lost[f"a file is {found.kind}"] += 1
            return None
        return found

    def text(self, commit: str, path: str) -> bytes | None:
        """A file at a commit; None where it is not there."""
        answer = self.source.get(
            file_key(self.repository, "files", commit, path),
            f"repos/{self.repository}/contents/{quote(path, errors='replace')}",
            {"ref": commit},
            fixed=True,
        )
        if answer.status != OK or not isinstance(answer.body, dict):
            return None
        data = _content(answer.body)
        sha = _sha(answer.body)
        if data is None and sha:
            # Files of more than a megabyte come as blobs only.
            blob = self.source.get(
                file_key(self.repository, "blobs", sha),
                f"repos/{self.repository}/git/blobs/{quote(sha)}",
                {},
                fixed=True,
            )
            data = _content(blob.body) if isinstance(blob.body, dict) else None
        return data


def _sha(item: Json) -> str:
    found = item.get("sha") if isinstance(item, dict) else None
    return found if isinstance(found, str) and _SHA.fullmatch(found) else ""


def _content(body: dict[str, Json]) -> bytes | None:
    text = body.get("content")
    if body.get("encoding") != "base64" or not isinstance(text, str):
        return None
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None


def _file(item: Json, forced: bool) -> tuple[str, str] | None:
    """The paths of a file in which a method may have been renamed."""
    path = item.get("filename") if isinstance(item, dict) else None
    if not isinstance(path, str) or not path.isprintable() or not path.endswith(".java"):
        return None
    if item.get("status") in ("added", "removed") and not forced:
        return None
    patch = item.get("patch")
    # A rename takes a declaration away and puts one in its place. Of a long one there is no patch.
    if isinstance(patch, str) and not forced:
        lines = patch.split("\n")
        signs = {line[0] for line in lines if line[:1] in ("+", "-") and "(" in line}
        if signs != {"+", "-"}:
            return None
    before = item.get("previous_filename")
    return (before if isinstance(before, str) and before.isprintable() else path), path
