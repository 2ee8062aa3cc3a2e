"""Mine git repositories for renames and stable methods; write them and a summary to a folder.

Workers read the commits in any order and store them in a log. The later history of a method depends
on the whole log, so it is computed anew whenever there are new commits. The same commits give the
same bytes, whatever the number of workers and the number of interruptions."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError
from codeacumen.core.files import write_atomically
from codeacumen.core.progress import Progress
from codeacumen.renames.commit_log import (
    CommitLog,
    Fingerprints,
    Mark,
    MethodFollower,
    Record,
    RecordMarks,
)
from codeacumen.renames.records import RENAMES, STABLE, Rename, StableMethod, write_lines

if TYPE_CHECKING:
    import pygit2

    from codeacumen.engines import Engine
    from codeacumen.renames.history import VersionCache

MINED, COMMITS = "mined.json", "commits"
# Commits per task: enough of them that a worker finds files in its cache.
_CHUNK = 50
# Seconds that a worker may need to start, in addition to the time limits of its commits.
_START_SECONDS = 60.0
# Files of the last revision per task.
_PATHS_PER_ITEM = 50
# A URL that pathlib normalized, or host:path as ssh accepts it.
_REMOTE_ADDRESS = re.compile(r"\w+:/|[^/]+@[^/]+:|[^/]{2,}:[^/]")


@dataclass(frozen=True, slots=True)
class RenameMiningSettings:
    """Settings of the mining, written to ``mined.json``.

    ``branch`` is the last revision to read; the history of the revision ``since`` is skipped
    (empty: none). ``limit``: seconds per commit. ``mass``: renames that replace the same words at
    least this often in a commit are tagged ``mass``, since they are a single decision."""

    branch: str = "HEAD"
    since: str = ""
    limit: float = 10.0
    mass: int = 10


@dataclass(slots=True)
class _Project:
    """A repository while it is mined; ``head`` is empty if it has no commit.

    ``read_count`` is the number of commits read in this run; ``record_marks`` has an item for each
    of ``commits``.
    """

    name: str
    path: Path
    head: str
    commits: list[str]
    log: CommitLog
    read_count: int = 0
    record_marks: list[RecordMarks] = field(default_factory=list)
    fingerprints: Fingerprints = field(default_factory=dict)


def mine_repositories(
    repository_paths: Sequence[Path],
    out: Path,
    settings: RenameMiningSettings,
    engine: Engine,
    step: Progress,
) -> Record:
    """Mine the repositories into ``out`` and return the content of ``mined.json``.

    The result also has, as ``read``, the number of commits of each project that this run read.
    """
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out / "mining.lock", timeout=0)
    try:
        with lock:
            return _mine_locked(repository_paths, out, settings, engine, step)
    except Timeout as error:
        raise CodeacumenError(
            f"another run mines into {out}", "wait for it, or use --out"
        ) from error


def _mine_locked(
    repository_paths: Sequence[Path],
    out: Path,
    settings: RenameMiningSettings,
    engine: Engine,
    step: Progress,
) -> Record:
    projects = [_open_project(path, out, settings) for path in repository_paths]
    names = Counter(project.name for project in projects)
    repeated = [name for name, count in names.items() if count > 1]
    if repeated:
        hint = "mine them into folders of their own"
        raise CodeacumenError(f"two repositories are called {repeated[0]}", hint)
    for project in projects:
        _read_commits(project, settings, engine, step)
        project.log.sort_records(project.commits)
        _follow_methods(project, engine, step)
    summaries = {project.name: _ProjectSummary() for project in projects}
    write_lines(out / RENAMES, _iterate_renames(projects, settings, summaries))
    write_lines(out / STABLE, _iterate_stable_methods(projects, summaries))
    about: Record = {
        "settings": asdict(settings),
        "projects": {
            project.name: summaries[project.name].to_json(project) for project in projects
        },
    }
    write_atomically(out / MINED, (json.dumps(about, indent=1, sort_keys=True) + "\n").encode())
    return {**about, "read": {project.name: project.read_count for project in projects}}


def _open_project(path: Path, out: Path, settings: RenameMiningSettings) -> _Project:
    from codeacumen.corpus.sources.git_tree import GIT_ERRORS, open_repository, resolve_commit
    from codeacumen.corpus.sources.paths import display_name
    from codeacumen.renames.history import list_commits

    absolute = path.absolute()
    name = display_name(absolute.parent if absolute.name == ".git" else absolute).removesuffix(
        ".git"
    )
    if not absolute.exists() and _REMOTE_ADDRESS.match(str(path)):
        raise CodeacumenError(f"{path} is not on this disk", "clone it first: git clone --bare URL")
    repository = open_repository(absolute, name)
    log = CommitLog(out / COMMITS / f"{name}.jsonl", settings.limit)
    has_no_commit = settings.branch == "HEAD" and repository.head_is_unborn
    if has_no_commit and not list(repository.branches):
        return _Project(name, absolute, "", [], log)
    head = resolve_commit(repository, settings.branch, name)
    since = resolve_commit(repository, settings.since, name) if settings.since else ""
    try:
        commits = list_commits(repository, head, since)
    except GIT_ERRORS as error:
        hint = "run `git fsck` for details, or clone the repository again"
        raise CodeacumenError(
            f"{name}: a commit of its history is missing ({error})", hint
        ) from error
    return _Project(name, absolute, head, commits, log)


def _read_commits(
    project: _Project, settings: RenameMiningSettings, engine: Engine, step: Progress
) -> None:
    """Append the missing commits to the log.

    The commits of a lost worker are read again one by one, to find the one that ended it; that one
    is recorded as left out."""
    from codeacumen.engines import WorkerLost
    from codeacumen.renames.history import make_left_out_record

    unread = [commit for commit in project.commits if commit not in project.log.offsets]
    project.read_count = len(unread)
    chunks = [
        (project.path, unread[start : start + _CHUNK], settings.limit)
        for start in range(0, len(unread), _CHUNK)
    ]
    done, total = 0, len(unread)
    lost_commits: list[str] = []
    step(f"{project.name}: commits", 0, total)
    for index, records in engine.run(
        read_commits, chunks, settings.limit * _CHUNK + _START_SECONDS
    ):
        if isinstance(records, WorkerLost):
            lost_commits += chunks[index][1]
            continue
        project.log.append_records(records)
        done += len(records)
        step(f"{project.name}: commits", done, total)
    single_items = [(project.path, [commit], settings.limit) for commit in lost_commits]
    for index, result in engine.run(read_commits, single_items, settings.limit + _START_SECONDS):
        was_lost = isinstance(result, WorkerLost)
        project.log.append_records(
            [make_left_out_record(lost_commits[index], settings.limit)] if was_lost else result
        )
        done += 1
        step(f"{project.name}: commits", done, total)


def read_commits(item: tuple[Path, list[str], float]) -> list[Record]:
    """Return the records of some commits; runs in a worker."""
    from codeacumen.renames.history import read_commit

    path, commits, limit = item
    repository, versions = _open_repository(path, os.getpid())
    return [read_commit(repository, commit, versions, limit) for commit in commits]


@lru_cache(maxsize=2)
def _open_repository(path: Path, process_id: int) -> tuple[pygit2.Repository, VersionCache]:
    """Return a repository and its cache, opened once per process, so that forks share none."""
    from codeacumen.corpus.sources.git_tree import open_repository
    from codeacumen.renames.history import VersionCache

    repository = open_repository(path, path.name)
    return repository, VersionCache(repository)


def _follow_methods(project: _Project, engine: Engine, step: Progress) -> None:
    """Set the project's marks, and the fingerprints of these methods at its last revision."""
    from codeacumen.engines import WorkerLost

    follower = MethodFollower()
    project.record_marks = list(follower.follow_records(project.log.read_records(project.commits)))
    final_keys = list(follower.get_final_keys().items())
    items = [
        (project.path, project.head, final_keys[start : start + _PATHS_PER_ITEM])
        for start in range(0, len(final_keys), _PATHS_PER_ITEM)
    ]
    for done, (_, fingerprints) in enumerate(engine.run(read_fingerprints, items, 600.0), 1):
        if not isinstance(fingerprints, WorkerLost):
            project.fingerprints.update(fingerprints)
        step(f"{project.name}: last revision", done, len(items))


def read_fingerprints(item: tuple[Path, str, list[tuple[str, list[str]]]]) -> Fingerprints:
    """Return the fingerprints of those of the given methods that exist at a revision.

    ``item`` has the repository, the revision, and the keys of methods by path. Runs in a worker.
    """
    from codeacumen.renames.history import find_blob
    from codeacumen.renames.versions import FileVersion

    repository_path, head, keys_by_path = item
    repository, versions = _open_repository(repository_path, os.getpid())
    fingerprints: Fingerprints = {}
    for path, keys in keys_by_path:
        blob = find_blob(repository[head], path)  # type: ignore[arg-type]
        version = None if blob is None else versions.get_version(blob)
        if not isinstance(version, FileVersion):
            continue
        methods = [
            (key, version.methods_by_key[key]) for key in keys if key in version.methods_by_key
        ]
        bodies = [(key, version.parse_body(method)) for key, method in methods]
        fingerprints[path] = {key: "" if body is None else body.fingerprint for key, body in bodies}
    return fingerprints


@dataclass(slots=True)
class _ProjectSummary:
    """Counts of a project for ``mined.json``.

    ``kinds`` counts commits by their kind, ``counts`` methods and files by what happened to them;
    ``skipped`` are pairs (commit, reason) of the commits that could not be read.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    stable: int = 0
    skipped: list[list[str]] = field(default_factory=list)

    def add_record(self, record: Record) -> None:
        self.kinds[record["kind"]] += 1
        self.counts.update(record["counts"])
        if "reason" in record:
            self.skipped.append([record["commit"], record["reason"]])

    def to_json(self, project: _Project) -> Record:
        return {
            "head": project.head,
            "commits": dict(self.kinds),
            # The plus drops counts of 0.
            "methods": dict(+self.counts),
            "renames": self.counts["renamed"],
            "stable": self.stable,
            "tags": dict(self.tags),
            "skipped": self.skipped,
        }


def _iterate_renames(
    projects: Sequence[_Project],
    settings: RenameMiningSettings,
    summaries: dict[str, _ProjectSummary],
) -> Iterator[Rename]:
    from codeacumen.renames.tags import mark_mass_renames

    for project in projects:
        summary = summaries[project.name]
        for record, marks in zip(
            project.log.read_records(project.commits), project.record_marks, strict=True
        ):
            summary.add_record(record)
            renames = record.get("renames", ())
            mass_flags = mark_mass_renames(
                [(rename["old_name"], rename["new_name"]) for rename in renames], settings.mass
            )
            for rename, mark, is_mass in zip(renames, marks.renames, mass_flags, strict=True):
                labels = {
                    *rename["tags"],
                    *_tag_later_renames(rename, mark),
                    *(["mass"] if is_mass else []),
                }
                summary.tags.update(labels)
                yield _make_rename(project, record, rename, sorted(labels), mark)


def _tag_later_renames(rename: Record, mark: Mark) -> Iterator[str]:
    """Yield the tags that depend on the method's other names: reverted, again, reverts."""
    later_names = mark.get_later_names()
    if rename["old_name"] in later_names:
        yield "reverted"
    if any(name != rename["old_name"] for name in later_names):
        yield "again"
    # The names before this rename's new name.
    if rename["new_name"] in mark.track.names[: mark.name_count - 1]:
        yield "reverts"


def _make_rename(
    project: _Project, record: Record, rename: Record, labels: list[str], mark: Mark
) -> Rename:
    fields_of_rename = {
        name: rename[name]
        for name in (
            "path",
            "path_before",
            "owner",
            "old_name",
            "new_name",
            "returns",
            "code",
            "code_before",
        )
    }
    return Rename(
        id=_make_id(
            project.name, record["commit"], rename["path"], rename["key"], rename["old_name"]
        ),
        project=project.name,
        commit=record["commit"],
        parent=record["parent"],
        time=record["time"],
        parameters=tuple(rename["parameters"]),
        tags=tuple(labels),
        name_stable=mark.is_name_stable(project.fingerprints),
        body_stable=mark.is_body_stable(project.fingerprints),
        **fields_of_rename,
    )


def _iterate_stable_methods(
    projects: Sequence[_Project], summaries: dict[str, _ProjectSummary]
) -> Iterator[StableMethod]:
    """Yield methods that never had another name, at the first commit from which they are stable."""
    for project in projects:
        yielded_tracks: set[int] = set()
        for record, marks in zip(
            project.log.read_records(project.commits), project.record_marks, strict=True
        ):
            for method, mark in zip(record.get("others", ()), marks.others, strict=True):
                track = mark.track
                if id(track) in yielded_tracks or len(track.names) > 1:
                    continue
                if mark.is_name_stable(project.fingerprints) and mark.is_body_stable(
                    project.fingerprints
                ):
                    yielded_tracks.add(id(track))
                    summaries[project.name].stable += 1
                    yield StableMethod(
                        id=_make_id(project.name, record["commit"], method["path"], method["key"]),
                        project=project.name,
                        commit=record["commit"],
                        path=method["path"],
                        owner=method["owner"],
                        name=method["name"],
                        parameters=tuple(method["parameters"]),
                        returns=method["returns"],
                        code=method["code"],
                        tags=tuple(method["tags"]),
                    )


def _make_id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
