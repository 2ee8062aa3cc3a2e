"""Read one commit from a git repository, without a checkout, into a record of the log.

A commit is compared with its first parent. Of a merge only its own changes count: files that differ
from those of all parents, and in them the renames that appear against every parent. Files are
followed when git takes them for the same (half of their lines)."""

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

# Bytes of source that a process caches: a commit starts from the files of the one before. The
# syntax is cached for the last files only.
_KEPT = 48 << 20
_PARSED = 4 << 20
# git's limit on the files that it compares with each other to find moved ones.
_MOVED_AT_MOST = 400


class TooLongError(Exception):
    """A commit took longer than the time limit."""


class Versions:
    """The last used versions by the hash of their bytes; each is parsed once."""

    def __init__(self, repository: pygit2.Repository) -> None:
        self.repository = repository
        self._kept: OrderedDict[str, Version | Problem] = OrderedDict()
        self._size = 0
        self._parsed: deque[Version] = deque()
        self._parsed_size = 0

    def of(self, blob: pygit2.Oid) -> Version | Problem:
        blob_id = str(blob)
        if blob_id in self._kept:
            self._kept.move_to_end(blob_id)
            return self._kept[blob_id]
        version = self._kept[blob_id] = self._read(blob)
        self._size += _size(version)
        while self._size > _KEPT and len(self._kept) > 2:
            self._size -= _size(self._kept.popitem(last=False)[1])
        if isinstance(version, Version):
            self._parsed.append(version)
            self._parsed_size += _size(version)
        while self._parsed_size > _PARSED and len(self._parsed) > 2:
            oldest = self._parsed.popleft()
            oldest.forget()
            self._parsed_size -= _size(oldest)
        return version

    def _read(self, blob: pygit2.Oid) -> Version | Problem:
        data = read_blob(self.repository, blob, "", LARGEST)
        return data if isinstance(data, Problem) else version_of("", data)


def _size(one: Version | Problem) -> int:
    return 1 if isinstance(one, Problem) else len(one.source.data)


@dataclass(frozen=True, slots=True)
class Change:
    """A Java file that a commit changed; a side without such a file is None."""

    before: str
    after: str
    old: pygit2.Oid | None
    new: pygit2.Oid | None


def commits_of(repository: pygit2.Repository, head: str, since: str = "") -> list[str]:
    """Return the commits that ``head`` comes from and ``since`` does not, parents first."""
    order = SortMode.TOPOLOGICAL | SortMode.TIME | SortMode.REVERSE
    walker = repository.walk(pygit2.Oid(hex=head), order)
    if since:
        walker.hide(pygit2.Oid(hex=since))
    return [str(commit.id) for commit in walker]


def read_commit(
    repository: pygit2.Repository, commit: str, versions: Versions, limit: float
) -> Record:
    """Return the record of a commit, as the log stores it."""
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
    parents = [repository.get(parent_id) for parent_id in commit.parent_ids]
    if not parents or not isinstance(parents[0], pygit2.Commit):
        record["kind"] = "shallow" if parents or repository.is_shallow else "root"
        return
    first_parent = parents[0]
    record["parent"] = str(first_parent.id)
    if len(parents) > 1:
        record["kind"] = "merge"
    changes = changes_of(repository, first_parent, commit)
    if not changes:
        return
    record["paths"] = [
        [change.before, change.after]
        for change in changes
        if change.old and change.new and change.before != change.after
    ]
    if len(parents) > 1:
        other_parents = [parent for parent in parents[1:] if isinstance(parent, pygit2.Commit)]
        changes = [change for change in changes if _is_own(change, other_parents)]
        if not changes:
            return
    reader = _Reading(versions, pause)
    pairs = reader.pairs(changes)
    matched = match(pairs, pause)
    if len(parents) > 1:
        renames = _in_all(
            repository, commit, other_parents, matched.renames, changes, versions, pause
        )
        _keep(record, matched, renames, merged=True)
    else:
        _keep(record, matched, matched.renames, merged=False)
    record["counts"].update(reader.problems)


def changes_of(
    repository: pygit2.Repository, before: pygit2.Commit, after: pygit2.Commit
) -> list[Change]:
    """Return the Java files that differ, in the order of their paths."""
    flags = DiffOption.SKIP_BINARY_CHECK | DiffOption.INCLUDE_TYPECHANGE
    diff = repository.diff(before, after, flags=flags, context_lines=0)
    statuses = {delta.status for delta in diff.deltas if _is_java(delta)}
    if {DeltaStatus.ADDED, DeltaStatus.DELETED} <= statuses:
        diff.find_similar(rename_limit=_MOVED_AT_MOST)
    changes: list[Change] = []
    for delta in diff.deltas:
        old, new = _side(delta.old_file), _side(delta.new_file)
        if delta.status == DeltaStatus.ADDED:
            old = None
        elif delta.status == DeltaStatus.DELETED:
            new = None
        if old is None and new is None:
            continue
        before_path, after_path = as_text(delta.old_file.raw_path), as_text(delta.new_file.raw_path)
        changes.append(Change(before_path, after_path, old, new))
    return sorted(changes, key=lambda delta: (delta.after, delta.before))


def _is_java(delta: pygit2.DiffDelta) -> bool:
    return delta.new_file.raw_path.endswith(b".java") or delta.old_file.raw_path.endswith(b".java")


def _side(file: pygit2.DiffFile) -> pygit2.Oid | None:
    """Return the id of the file's bytes if it is an ordinary Java file."""
    ordinary = file.mode in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)
    return file.id if ordinary and file.raw_path.endswith(b".java") else None


def _is_own(change: Change, others: Iterable[pygit2.Commit]) -> bool:
    """Return whether a merge itself made the file's new content."""
    if change.old is None or change.new is None:
        return False
    return all(blob_at(parent, change.after) not in (change.new, None) for parent in others)


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
        """Return both versions of each file.

        An added file is read only if a method may have moved out of another file, a deleted one
        only if a method may have moved into another file."""
        pairs: list[Pair] = []
        modified = [
            change for change in changes if change.old is not None and change.new is not None
        ]
        added = [change for change in changes if change.old is None]
        deleted = [change for change in changes if change.new is None]
        for change in modified:
            old, new = self._version(change.old), self._version(change.new)
            if old is not None and new is not None:
                pairs.append(Pair(change.before, change.after, old, new))
        may_have_moved_out = deleted or any(_keys(pair.old) - _keys(pair.new) for pair in pairs)
        may_have_moved_in = added or any(_keys(pair.new) - _keys(pair.old) for pair in pairs)
        for change in added if may_have_moved_out else ():
            new = self._version(change.new)
            if new is not None:
                pairs.append(Pair(change.after, change.after, None, new))
        for change in deleted if may_have_moved_in else ():
            old = self._version(change.old)
            if old is not None:
                pairs.append(Pair(change.before, change.before, old, None))
        return pairs

    def _version(self, blob: pygit2.Oid | None) -> Version | None:
        self.pause()
        assert blob is not None
        version = self.versions.of(blob)
        if isinstance(version, Problem):
            self.problems[f"files: {version.kind}"] += 1
            return None
        self.problems["files"] += 1
        return version


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
    """Return the renames of a merge that appear against every parent."""
    changed_paths = {rename.after for rename in changes}
    for parent in others:
        if not renames:
            break
        parent_changes = [
            rename
            for rename in changes_of(repository, parent, commit)
            if rename.after in changed_paths and rename.old is not None and rename.new is not None
        ]
        matched = match(_Reading(versions, pause).pairs(parent_changes), pause)
        parent_renames = {
            (rename.new.path, rename.new.method.key, rename.old.name) for rename in matched.renames
        }
        renames = [
            rename
            for rename in renames
            if (rename.new.path, rename.new.method.key, rename.old.name) in parent_renames
        ]
    return renames


def _keep(record: Record, found: Matched, renames: list[Renamed], *, merged: bool) -> None:
    """Add the facts of a commit to its record; of a merge, only its own renames are facts."""
    labels = tags.of_commit(renames)
    record["renames"] = [
        _rename(rename, sorted({*label, "merge"} if merged else label))
        for rename, label in zip(renames, labels, strict=True)
    ]
    record["moves"] = [[*_ends(rename.old, rename.new), "renamed"] for rename in renames]
    renamed_paths = {rename.new.path for rename in renames}
    record["others"] = [
        _other(new) for _, new in found.same if new.path in renamed_paths and new.method.has_body
    ]
    record["counts"]["renamed"] = len(renames)
    if merged:
        return
    record["moves"] += [[*_ends(old, new), change_kind] for old, new, change_kind in found.followed]
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
    record["gone"] = [[method.path, method.method.key] for method in found.gone]
    change_kinds = Counter(change_kind for _, _, change_kind in found.followed)
    record["counts"].update(
        {
            "changed": len(found.changed),
            "signature": change_kinds["signature"],
            "moved": change_kinds["moved"],
            "rewritten": change_kinds["rewritten"],
            "gone": len(found.gone),
            "new": len(found.fresh),
            "delegates": found.delegates,
        }
    )


def _left(old: tuple[str, str], new: tuple[str, str], record: Record) -> bool:
    """Return whether a type went to another file while its own stayed."""
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
