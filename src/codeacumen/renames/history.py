"""One commit read from a git repository, nothing checked out: renames, and what became of methods.

A commit is compared with its first parent. Of a merge only what it changed itself counts: files
that are as in none of its parents, and there the renames that it makes whichever parent it is
compared with. Files are followed when git takes them for the same (half of their lines).
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileMode, SortMode

from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.git_tree import GIT_ERRORS, read_blob
from codeacumen.corpus.sources.paths import as_text, on_disk
from codeacumen.renames import tags
from codeacumen.renames.commit_log import Record
from codeacumen.renames.match import Located, Matched, Pair, Renamed, match
from codeacumen.renames.versions import Version, version_of

# Source that a process keeps, in bytes: the next commit begins where one before it ended. Of the
# last of it, the whole syntax.
_KEPT = 48 << 20
_PARSED = 4 << 20
# Files that are compared with each other to find those that moved.
_MOVED_AT_MOST = 400


class TooLongError(Exception):
    """A commit took more time than it may."""


class Versions:
    """Versions by the hash of their bytes, the last used ones; each is parsed once."""

    def __init__(self, repository: pygit2.Repository) -> None:
        self.repository = repository
        self._kept: OrderedDict[str, Version | Problem] = OrderedDict()
        self._size = 0
        self._parsed: deque[Version] = deque()
        self._parsed_size = 0

    def of(self, blob: pygit2.Oid) -> Version | Problem:
        name = str(blob)
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        found = self._kept[name] = self._read(blob)
        self._size += _size(found)
        while self._size > _KEPT and len(self._kept) > 2:
            self._size -= _size(self._kept.popitem(last=False)[1])
        if isinstance(found, Version):
            self._parsed.append(found)
            self._parsed_size += _size(found)
        while self._parsed_size > _PARSED and len(self._parsed) > 2:
            old = self._parsed.popleft()
            old.forget()
            self._parsed_size -= _size(old)
        return found

    def _read(self, blob: pygit2.Oid) -> Version | Problem:
        data = read_blob(self.repository, blob, "", LARGEST)
        return data if isinstance(data, Problem) else version_of("", data)


def _size(one: Version | Problem) -> int:
    return 1 if isinstance(one, Problem) else len(one.source.data)


@dataclass(frozen=True, slots=True)
class Change:
    """A Java file that a commit changed; None where it was not or is no more."""

    before: str
    after: str
    old: pygit2.Oid | None
    new: pygit2.Oid | None


def commits_of(repository: pygit2.Repository, head: str, since: str = "") -> list[str]:
    """Commits from the oldest on, parents first: all that ``head`` comes from and ``since`` does
    not."""
    order = SortMode.TOPOLOGICAL | SortMode.TIME | SortMode.REVERSE
    walker = repository.walk(pygit2.Oid(hex=head), order)
    if since:
        walker.hide(pygit2.Oid(hex=since))
    return [str(one.id) for one in walker]


def read_commit(
    repository: pygit2.Repository, commit: str, versions: Versions, limit: float
) -> Record:
    """What there is to know about a commit, as it is kept in the log."""
    deadline = time.monotonic() + limit
    record: Record = {"commit": commit, "kind": "ordinary", "counts": {}}

    def pause() -> None:
        if time.monotonic() > deadline:
            raise TooLongError

    try:
        _read(repository, repository[commit], versions, record, pause)  # type: ignore[arg-type]
    except TooLongError:
        return left_out(commit, limit)
    except GIT_ERRORS as error:
        return {"commit": commit, "kind": "unreadable", "why": str(error), "counts": {}}
    return record


def left_out(commit: str, limit: float) -> Record:
    why = f"it took more than {limit:g} seconds"
    return {"commit": commit, "kind": "left out", "why": why, "limit": limit, "counts": {}}


def _read(
    repository: pygit2.Repository,
    commit: pygit2.Commit,
    versions: Versions,
    record: Record,
    pause: Callable[[], None],
) -> None:
    record["time"] = commit.commit_time
    parents = [repository.get(one) for one in commit.parent_ids]
    if not parents or not isinstance(parents[0], pygit2.Commit):
        record["kind"] = "shallow" if parents or repository.is_shallow else "root"
        return
    first = parents[0]
    record["parent"] = str(first.id)
    if len(parents) > 1:
        record["kind"] = "merge"
    changes = changes_of(repository, first, commit)
    if not changes:
        return
    record["paths"] = [
        [one.before, one.after]
        for one in changes
        if one.old and one.new and one.before != one.after
    ]
    if len(parents) > 1:
        others = [one for one in parents[1:] if isinstance(one, pygit2.Commit)]
        changes = [one for one in changes if _is_own(one, others)]
        if not changes:
            return
    reading = _Reading(versions, pause)
    pairs = reading.pairs(changes)
    matched = match(pairs, pause)
    if len(parents) > 1:
        renames = _in_all(repository, commit, others, matched.renames, changes, versions, pause)
        _keep(record, matched, renames, merged=True)
    else:
        _keep(record, matched, matched.renames, merged=False)
    record["counts"].update(reading.problems)


def changes_of(
    repository: pygit2.Repository, before: pygit2.Commit, after: pygit2.Commit
) -> list[Change]:
    """The Java files that differ, in the order of their paths."""
    flags = DiffOption.SKIP_BINARY_CHECK | DiffOption.INCLUDE_TYPECHANGE
    diff = repository.diff(before, after, flags=flags, context_lines=0)
    kinds = {one.status for one in diff.deltas if _is_java(one)}
    if {DeltaStatus.ADDED, DeltaStatus.DELETED} <= kinds:
        diff.find_similar(rename_limit=_MOVED_AT_MOST)
    found: list[Change] = []
    for delta in diff.deltas:
        old, new = _side(delta.old_file), _side(delta.new_file)
        if delta.status == DeltaStatus.ADDED:
            old = None
        elif delta.status == DeltaStatus.DELETED:
            new = None
        if old is None and new is None:
            continue
        before_path, after_path = as_text(delta.old_file.raw_path), as_text(delta.new_file.raw_path)
        found.append(Change(before_path, after_path, old, new))
    return sorted(found, key=lambda one: (one.after, one.before))


def _is_java(delta: pygit2.DiffDelta) -> bool:
    return delta.new_file.raw_path.endswith(b".java") or delta.old_file.raw_path.endswith(b".java")


def _side(file: pygit2.DiffFile) -> pygit2.Oid | None:
    """The file's bytes, if it is an ordinary Java file."""
    ordinary = file.mode in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)
    return file.id if ordinary and file.raw_path.endswith(b".java") else None


def _is_own(change: Change, others: Iterable[pygit2.Commit]) -> bool:
    """Whether a merge itself made the file what it is."""
    if change.old is None or change.new is None:
        return False
    return all(blob_at(one, change.after) not in (change.new, None) for one in others)


def blob_at(commit: pygit2.Commit, path: str) -> pygit2.Oid | None:
    try:
        return commit.tree[on_disk(path)].id
    except GIT_ERRORS:
        return None


@dataclass(slots=True)
class _Reading:
    versions: Versions
    pause: Callable[[], None]
    problems: Counter[str] = field(default_factory=Counter)

    def pairs(self, changes: Sequence[Change]) -> list[Pair]:
        """Both versions of each file. Those that are only on one side are read where something
        may have gone there from another file, or come from there."""
        found: list[Pair] = []
        both = [one for one in changes if one.old is not None and one.new is not None]
        added = [one for one in changes if one.old is None]
        deleted = [one for one in changes if one.new is None]
        for one in both:
            old, new = self._version(one.old), self._version(one.new)
            if old is not None and new is not None:
                found.append(Pair(one.before, one.after, old, new))
        lost = deleted or any(_keys(one.old) - _keys(one.new) for one in found)
        won = added or any(_keys(one.new) - _keys(one.old) for one in found)
        for one in added if lost else ():
            new = self._version(one.new)
            if new is not None:
                found.append(Pair(one.after, one.after, None, new))
        for one in deleted if won else ():
            old = self._version(one.old)
            if old is not None:
                found.append(Pair(one.before, one.before, old, None))
        return found

    def _version(self, blob: pygit2.Oid | None) -> Version | None:
        self.pause()
        assert blob is not None
        found = self.versions.of(blob)
        if isinstance(found, Problem):
            self.problems[f"files: {found.kind}"] += 1
            return None
        self.problems["files"] += 1
        return found


def _keys(version: Version | None) -> set[str]:
    return set() if version is None else set(version.by_key)


def _in_all(
    repository: pygit2.Repository,
    commit: pygit2.Commit,
    others: Sequence[pygit2.Commit],
    renames: list[Renamed],
    changes: Sequence[Change],
    versions: Versions,
    pause: Callable[[], None],
) -> list[Renamed]:
    """The renames of a merge that it makes whichever parent it is compared with."""
    own = {one.after for one in changes}
    for parent in others:
        if not renames:
            break
        there = [
            one
            for one in changes_of(repository, parent, commit)
            if one.after in own and one.old is not None and one.new is not None
        ]
        found = match(_Reading(versions, pause).pairs(there), pause)
        made = {(one.new.path, one.new.method.key, one.old.name) for one in found.renames}
        renames = [
            one for one in renames if (one.new.path, one.new.method.key, one.old.name) in made
        ]
    return renames


def _keep(record: Record, found: Matched, renames: list[Renamed], *, merged: bool) -> None:
    """The facts of a commit in plain lists. Of a merge, only its own renames are facts."""
    labels = tags.of_commit(renames)
    record["renames"] = [
        _rename(one, sorted({*label, "merge"} if merged else label))
        for one, label in zip(renames, labels, strict=True)
    ]
    record["moves"] = [[*_ends(one.old, one.new), "renamed"] for one in renames]
    files = {one.new.path for one in renames}
    record["others"] = [
        _other(new) for _, new in found.same if new.path in files and new.method.has_body
    ]
    record["counts"]["renamed"] = len(renames)
    if merged:
        return
    record["moves"] += [[*_ends(old, new), how] for old, new, how in found.followed]
    record["owners"] = [
        [*old, *new]
        for old, new in found.owners.items()
        if old[1] != new[1] or _left(old, new, record)
    ]
    record["changed"] = [[old.path, old.method.key] for old, _ in found.changed]
    record["respelt"] = [
        [new.path, new.method.key, _print(new)]
        for old, new in found.same
        if old.body is not None and old.body.print != _print(old)
    ]
    record["gone"] = [[one.path, one.method.key] for one in found.gone]
    hows = Counter(how for _, _, how in found.followed)
    record["counts"].update(
        {
            "changed": len(found.changed),
            "signature": hows["signature"],
            "moved": hows["moved"],
            "rewritten": hows["rewritten"],
            "gone": len(found.gone),
            "new": len(found.fresh),
            "delegates": found.delegates,
        }
    )


def _left(old: tuple[str, str], new: tuple[str, str], record: Record) -> bool:
    """Whether a type went to another file, its own staying."""
    return old[0] != new[0] and [old[0], new[0]] not in record["paths"]


def _ends(old: Located, new: Located) -> list[str]:
    return [old.path, old.method.key, new.path, new.method.key, _print(new)]


def _print(one: Located) -> str:
    body = one.version.body(one.method)
    return "" if body is None else body.print


def _rename(one: Renamed, labels: list[str]) -> Record:
    old, new = one.old, one.new
    return {
        "path": new.path,
        "path_before": old.path,
        "owner": new.method.shown,
        "old_name": old.name,
        "new_name": new.name,
        "parameters": list(new.method.parameters),
        "returns": new.method.declared.returns,
        "code": new.version.code(new.method),
        "code_before": old.version.code(old.method),
        "tags": labels,
        "key": new.method.key,
        "print": _print(new),
    }


def _other(one: Located) -> Record:
    version, method = one.version, one.method
    labels = {*tags.of_place(one.path, version, method), *tags.of_method(version, method)}
    return {
        "path": one.path,
        "owner": method.shown,
        "name": method.name,
        "parameters": list(method.parameters),
        "returns": method.declared.returns,
        "code": version.code(method),
        "tags": sorted(labels),
        "key": method.key,
        "print": _print(one),
    }
