"""Read one commit from a git repository, without a checkout, into a record of the log.

``commit_log`` describes the record; ``renames.mining`` reads all commits in worker processes.

A commit is compared with its first parent. Of a merge only its own changes count: files that differ
from those of all parents, and in them the renames that appear against every parent. Files are
followed when git takes them for the same file (at least half of their lines are equal)."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import pygit2
from pygit2.enums import DeltaStatus, DiffOption, FileMode, SortMode

from codeacumen.corpus.reading import LARGEST, Problem
from codeacumen.corpus.sources.git_tree import GIT_ERRORS, read_blob
from codeacumen.corpus.sources.paths import path_from_bytes, to_os_path
from codeacumen.renames import tags
from codeacumen.renames.commit_log import Record
from codeacumen.renames.match import (
    FilePair,
    LocatedMethod,
    MatchedRename,
    MatchResult,
    match_methods,
)
from codeacumen.renames.versions import FileVersion, parse_version

# Bytes of source that a process caches: the old versions of a commit's files are the new ones of an
# earlier commit. Syntax trees need ten times as much memory and are kept for fewer bytes of source.
_MAX_CACHED_BYTES = 48 << 20
_MAX_PARSED_BYTES = 4 << 20
# git's limit on the files that it compares with each other to find moved ones.
_MAX_MOVED_FILES = 400


class TooLongError(Exception):
    """A commit took longer than the time limit."""


class VersionCache:
    """Cache of the last used file versions, by git id; the oldest lose their syntax first."""

    def __init__(self, repository: pygit2.Repository) -> None:
        self.repository = repository
        self._cache: OrderedDict[str, FileVersion | Problem] = OrderedDict()
        self._cached_bytes = 0
        self._parsed: deque[FileVersion] = deque()
        self._parsed_bytes = 0

    def get_version(self, blob: pygit2.Oid) -> FileVersion | Problem:
        blob_id = str(blob)
        if blob_id in self._cache:
            self._cache.move_to_end(blob_id)
            return self._cache[blob_id]
        version = self._cache[blob_id] = self._read_version(blob)
        self._cached_bytes += _count_bytes(version)
        while self._cached_bytes > _MAX_CACHED_BYTES and len(self._cache) > 2:
            self._cached_bytes -= _count_bytes(self._cache.popitem(last=False)[1])
        if isinstance(version, FileVersion):
            self._parsed.append(version)
            self._parsed_bytes += _count_bytes(version)
        while self._parsed_bytes > _MAX_PARSED_BYTES and len(self._parsed) > 2:
            oldest = self._parsed.popleft()
            oldest.drop_syntax()
            self._parsed_bytes -= _count_bytes(oldest)
        return version

    def _read_version(self, blob: pygit2.Oid) -> FileVersion | Problem:
        data = read_blob(self.repository, blob, "", LARGEST)
        return data if isinstance(data, Problem) else parse_version("", data)


def _count_bytes(version: FileVersion | Problem) -> int:
    return 1 if isinstance(version, Problem) else len(version.source.data)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A Java file that a commit changed: its paths, and the git ids of its contents.

    ``old`` or ``new`` is None if there is no such Java file on that side.
    """

    before: str
    after: str
    old: pygit2.Oid | None
    new: pygit2.Oid | None


def list_commits(repository: pygit2.Repository, head: str, since: str = "") -> list[str]:
    """Return ``head`` and its ancestors without ``since`` and its ancestors, parents first."""
    order = SortMode.TOPOLOGICAL | SortMode.TIME | SortMode.REVERSE
    walker = repository.walk(pygit2.Oid(hex=head), order)
    if since:
        walker.hide(pygit2.Oid(hex=since))
    return [str(commit.id) for commit in walker]


def read_commit(
    repository: pygit2.Repository, commit: str, versions: VersionCache, limit: float
) -> Record:
    """Return the record of a commit, as the log stores it; ``limit`` is in seconds."""
    deadline = time.monotonic() + limit
    record: Record = {"commit": commit, "kind": "ordinary", "counts": {}}

    def check_deadline() -> None:
        if time.monotonic() > deadline:
            raise TooLongError

    try:
        _fill_record(repository, repository[commit], versions, record, check_deadline)  # type: ignore[arg-type]
    except TooLongError:
        return make_left_out_record(commit, limit)
    except GIT_ERRORS as error:
        return {"commit": commit, "kind": "unreadable", "reason": str(error), "counts": {}}
    return record


def make_left_out_record(commit: str, limit: float) -> Record:
    """Return the record, of kind ``skipped``, of a commit that took more than ``limit`` seconds."""
    reason = f"it took more than {limit:g} seconds"
    return {"commit": commit, "kind": "skipped", "reason": reason, "limit": limit, "counts": {}}


def _fill_record(
    repository: pygit2.Repository,
    commit: pygit2.Commit,
    versions: VersionCache,
    record: Record,
    check_deadline: Callable[[], None],
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
    changes = list_changes(repository, first_parent, commit)
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
    reader = _PairReader(versions, check_deadline)
    pairs = reader.read_pairs(changes)
    matched = match_methods(pairs, check_deadline)
    if len(parents) > 1:
        renames = _select_own_renames(
            repository, commit, other_parents, matched.renames, changes, versions, check_deadline
        )
        _add_facts(record, matched, renames, is_merge=True)
    else:
        _add_facts(record, matched, matched.renames, is_merge=False)
    record["counts"].update(reader.problems)


def list_changes(
    repository: pygit2.Repository, before: pygit2.Commit, after: pygit2.Commit
) -> list[FileChange]:
    """Return the Java files that differ, in the order of their paths."""
    flags = DiffOption.SKIP_BINARY_CHECK | DiffOption.INCLUDE_TYPECHANGE
    diff = repository.diff(before, after, flags=flags, context_lines=0)
    statuses = {delta.status for delta in diff.deltas if _is_java(delta)}
    if {DeltaStatus.ADDED, DeltaStatus.DELETED} <= statuses:
        diff.find_similar(rename_limit=_MAX_MOVED_FILES)
    changes: list[FileChange] = []
    for delta in diff.deltas:
        old, new = _get_java_blob_id(delta.old_file), _get_java_blob_id(delta.new_file)
        if delta.status == DeltaStatus.ADDED:
            old = None
        elif delta.status == DeltaStatus.DELETED:
            new = None
        if old is None and new is None:
            continue
        before_path, after_path = (
            path_from_bytes(delta.old_file.raw_path),
            path_from_bytes(delta.new_file.raw_path),
        )
        changes.append(FileChange(before_path, after_path, old, new))
    return sorted(changes, key=lambda change: (change.after, change.before))


def _is_java(delta: pygit2.DiffDelta) -> bool:
    return delta.new_file.raw_path.endswith(b".java") or delta.old_file.raw_path.endswith(b".java")


def _get_java_blob_id(file: pygit2.DiffFile) -> pygit2.Oid | None:
    """Return the id of the file's bytes if it is an ordinary Java file."""
    ordinary = file.mode in (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)
    return file.id if ordinary and file.raw_path.endswith(b".java") else None


def _is_own(change: FileChange, other_parents: Iterable[pygit2.Commit]) -> bool:
    """Return True if a file's content after a merge differs from that in every parent.

    ``change`` is against the first parent. A file that another parent lacks does not count.
    """
    if change.old is None or change.new is None:
        return False
    return all(
        find_blob(parent, change.after) not in (change.new, None) for parent in other_parents
    )


def find_blob(commit: pygit2.Commit, path: str) -> pygit2.Oid | None:
    """Return the git id of a path in a commit; None if it does not exist."""
    try:
        return commit.tree[to_os_path(path)].id
    except GIT_ERRORS:
        return None


@dataclass(slots=True)
class _PairReader:
    """Reads both versions of changed files; ``problems`` counts readable and unreadable ones."""

    versions: VersionCache
    check_deadline: Callable[[], None]
    problems: Counter[str] = field(default_factory=Counter)

    def read_pairs(self, changes: Sequence[FileChange]) -> list[FilePair]:
        """Return both versions of each file.

        An added file is read only if a method may have moved out of another file, a deleted one
        only if a method may have moved into another file."""
        pairs: list[FilePair] = []
        modified = [
            change for change in changes if change.old is not None and change.new is not None
        ]
        added = [change for change in changes if change.old is None]
        deleted = [change for change in changes if change.new is None]
        for change in modified:
            old, new = self._get_version(change.old), self._get_version(change.new)
            if old is not None and new is not None:
                pairs.append(FilePair(change.before, change.after, old, new))
        may_have_moved_out = deleted or any(
            _get_keys(pair.old) - _get_keys(pair.new) for pair in pairs
        )
        may_have_moved_in = added or any(
            _get_keys(pair.new) - _get_keys(pair.old) for pair in pairs
        )
        for change in added if may_have_moved_out else ():
            new = self._get_version(change.new)
            if new is not None:
                pairs.append(FilePair(change.after, change.after, None, new))
        for change in deleted if may_have_moved_in else ():
            old = self._get_version(change.old)
            if old is not None:
                pairs.append(FilePair(change.before, change.before, old, None))
        return pairs

    def _get_version(self, blob: pygit2.Oid | None) -> FileVersion | None:
        self.check_deadline()
        assert blob is not None
        version = self.versions.get_version(blob)
        if isinstance(version, Problem):
            self.problems[f"files: {version.kind}"] += 1
            return None
        self.problems["files"] += 1
        return version


def _get_keys(version: FileVersion | None) -> set[str]:
    return set() if version is None else set(version.methods_by_key)


def _select_own_renames(
    repository: pygit2.Repository,
    commit: pygit2.Commit,
    other_parents: Sequence[pygit2.Commit],
    renames: list[MatchedRename],
    changes: Sequence[FileChange],
    versions: VersionCache,
    check_deadline: Callable[[], None],
) -> list[MatchedRename]:
    """Return the renames of a merge that appear against every parent."""
    changed_paths = {change.after for change in changes}
    for parent in other_parents:
        if not renames:
            break
        parent_changes = [
            change
            for change in list_changes(repository, parent, commit)
            if change.after in changed_paths and change.old is not None and change.new is not None
        ]
        matched = match_methods(
            _PairReader(versions, check_deadline).read_pairs(parent_changes), check_deadline
        )
        parent_renames = {
            (rename.new.path, rename.new.method.key, rename.old.name) for rename in matched.renames
        }
        renames = [
            rename
            for rename in renames
            if (rename.new.path, rename.new.method.key, rename.old.name) in parent_renames
        ]
    return renames


def _add_facts(
    record: Record, matched: MatchResult, renames: list[MatchedRename], *, is_merge: bool
) -> None:
    """Add the matched methods of a commit to its record; of a merge, only its own renames.

    Other changes that a merge brings were recorded with the commits that it merges.
    ``commit_log.Record`` describes the items of the lists.
    """
    labels = tags.tag_commit(renames)
    record["renames"] = [
        _describe_rename(rename, sorted({*label, "merge"} if is_merge else label))
        for rename, label in zip(renames, labels, strict=True)
    ]
    record["moves"] = [[*_describe_move(rename.old, rename.new), "renamed"] for rename in renames]
    renamed_paths = {rename.new.path for rename in renames}
    record["others"] = [
        _describe_method(new)
        for _, new in matched.unchanged
        if new.path in renamed_paths and new.method.has_body
    ]
    record["counts"]["renamed"] = len(renames)
    if is_merge:
        return
    record["moves"] += [
        [*_describe_move(old, new), change_kind] for old, new, change_kind in matched.followed
    ]
    record["owners"] = [
        [*old, *new]
        for old, new in matched.owners.items()
        if old[1] != new[1] or _has_left_file(old, new, record)
    ]
    record["changed"] = [[old.path, old.method.key] for old, _ in matched.changed]
    # ``old.body`` has the new names of types, the fingerprint of ``old`` the old ones.
    record["respelt"] = [
        [new.path, new.method.key, _get_fingerprint(new)]
        for old, new in matched.unchanged
        if old.body is not None and old.body.fingerprint != _get_fingerprint(old)
    ]
    record["removed"] = [[method.path, method.method.key] for method in matched.removed]
    change_kinds = Counter(change_kind for _, _, change_kind in matched.followed)
    record["counts"].update(
        {
            "changed": len(matched.changed),
            "signature": change_kinds["signature"],
            "moved": change_kinds["moved"],
            "rewritten": change_kinds["rewritten"],
            "removed": len(matched.removed),
            "new": len(matched.added),
            "delegates": matched.delegates,
        }
    )


def _has_left_file(old: tuple[str, str], new: tuple[str, str], record: Record) -> bool:
    """Return True if a type went to another file, and not because its whole file was moved."""
    return old[0] != new[0] and [old[0], new[0]] not in record["paths"]


def _describe_move(old: LocatedMethod, new: LocatedMethod) -> list[str]:
    return [old.path, old.method.key, new.path, new.method.key, _get_fingerprint(new)]


def _get_fingerprint(located: LocatedMethod) -> str:
    body = located.version.parse_body(located.method)
    return "" if body is None else body.fingerprint


def _describe_rename(rename: MatchedRename, labels: list[str]) -> Record:
    old, new = rename.old, rename.new
    return {
        "path": new.path,
        "path_before": old.path,
        "owner": new.method.displayed_owner,
        "old_name": old.name,
        "new_name": new.name,
        "parameters": list(new.method.parameters),
        "returns": new.method.declaration.returns,
        "code": new.version.extract_code(new.method),
        "code_before": old.version.extract_code(old.method),
        "tags": labels,
        "key": new.method.key,
        "print": _get_fingerprint(new),
    }


def _describe_method(located: LocatedMethod) -> Record:
    version, method = located.version, located.method
    labels = {*tags.tag_location(located.path, version, method), *tags.tag_method(version, method)}
    return {
        "path": located.path,
        "owner": method.displayed_owner,
        "name": method.name,
        "parameters": list(method.parameters),
        "returns": method.declaration.returns,
        "code": version.extract_code(method),
        "tags": sorted(labels),
        "key": method.key,
        "print": _get_fingerprint(located),
    }
