"""Mine git repositories for renames and stable methods.

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
from codeacumen.renames.commit_log import Followed, Follower, Log, Mark, Prints, Record
from codeacumen.renames.records import RENAMES, STABLE, Rename, StableMethod, write_lines

if TYPE_CHECKING:
    import pygit2

    from codeacumen.engines import Engine
    from codeacumen.renames.history import Versions

MINED, COMMITS = "mined.json", "commits"
# Commits per task: enough of them that a worker finds files in its cache.
_CHUNK = 50
# Seconds that a worker may need to start, in addition to the commits' time.
_START = 60.0
_PATHS = 50
# A URL that pathlib normalized, or host:path as ssh accepts it.
_ELSEWHERE = re.compile(r"\w+:/|[^/]+@[^/]+:|[^/]{2,}:[^/]")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the mining, written to ``mined.json``.

    ``limit``: seconds per commit. ``mass``: number of renames of one kind in a commit that count as
    a single decision."""

    branch: str = "HEAD"
    since: str = ""
    limit: float = 10.0
    mass: int = 10


@dataclass(slots=True)
class _Project:
    name: str
    place: Path
    head: str
    commits: list[str]
    log: Log
    read: int = 0
    followed: list[Followed] = field(default_factory=list)
    prints: Prints = field(default_factory=dict)


def mine(
    places: Sequence[Path], out: Path, settings: Settings, engine: Engine, step: Progress
) -> Record:
    """Mine the repositories and return the content of ``mined.json``, with the commits read."""
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out / "mining.lock", timeout=0)
    try:
        with lock:
            return _mine(places, out, settings, engine, step)
    except Timeout as error:
        raise CodeacumenError(
            f"another run mines into {out}", "wait for it, or use --out"
        ) from error


def _mine(
    places: Sequence[Path], out: Path, settings: Settings, engine: Engine, step: Progress
) -> Record:
    projects = [_opened(place, out, settings) for place in places]
    names = Counter(project.name for project in projects)
    repeated = [name for name, count in names.items() if count > 1]
    if repeated:
        hint = "mine them into folders of their own"
        raise CodeacumenError(f"two repositories are called {repeated[0]}", hint)
    for project in projects:
        _read_commits(project, settings, engine, step)
        project.log.arrange(project.commits)
        _follow(project, engine, step)
    summaries = {project.name: _Summary() for project in projects}
    write_lines(out / RENAMES, _renames(projects, settings, summaries))
    write_lines(out / STABLE, _stable(projects, summaries))
    about: Record = {
        "settings": asdict(settings),
        "projects": {project.name: summaries[project.name].told(project) for project in projects},
    }
    write_atomically(out / MINED, (json.dumps(about, indent=1, sort_keys=True) + "\n").encode())
    return {**about, "read": {project.name: project.read for project in projects}}


def _opened(place: Path, out: Path, settings: Settings) -> _Project:
    from codeacumen.corpus.sources.git_tree import GIT_ERRORS, commit_or_error, opened_or_error
    from codeacumen.corpus.sources.paths import name_of
    from codeacumen.renames.history import commits_of

    absolute = place.absolute()
    name = name_of(absolute.parent if absolute.name == ".git" else absolute).removesuffix(".git")
    if not absolute.exists() and _ELSEWHERE.match(str(place)):
        raise CodeacumenError(
            f"{place} is not on this disk", "clone it first: git clone --bare URL"
        )
    repository = opened_or_error(absolute, name)
    log = Log(out / COMMITS / f"{name}.jsonl", settings.limit)
    has_no_commit = settings.branch == "HEAD" and repository.head_is_unborn
    if has_no_commit and not list(repository.branches):
        return _Project(name, absolute, "", [], log)
    head = commit_or_error(repository, settings.branch, name)
    since = commit_or_error(repository, settings.since, name) if settings.since else ""
    try:
        commits = commits_of(repository, head, since)
    except GIT_ERRORS as error:
        hint = "run `git fsck` for details, or clone the repository again"
        raise CodeacumenError(
            f"{name}: a commit of its history is missing ({error})", hint
        ) from error
    return _Project(name, absolute, head, commits, log)


def _read_commits(one: _Project, settings: Settings, engine: Engine, step: Progress) -> None:
    """Append the missing commits to the log.

    The commits of a lost worker are read again one by one, to find the one that ended it."""
    from codeacumen.engines import WorkerLost
    from codeacumen.renames.history import left_out

    unread = [commit for commit in one.commits if commit not in one.log.at]
    one.read = len(unread)
    chunks = [
        (one.place, unread[start : start + _CHUNK], settings.limit)
        for start in range(0, len(unread), _CHUNK)
    ]
    done, total = 0, len(unread)
    lost_commits: list[str] = []
    step(f"{one.name}: commits", 0, total)
    for index, records in engine.run(read_commits, chunks, settings.limit * _CHUNK + _START):
        if isinstance(records, WorkerLost):
            lost_commits += chunks[index][1]
            continue
        one.log.append(records)
        done += len(records)
        step(f"{one.name}: commits", done, total)
    singly = [(one.place, [commit], settings.limit) for commit in lost_commits]
    for index, result in engine.run(read_commits, singly, settings.limit + _START):
        was_lost = isinstance(result, WorkerLost)
        one.log.append([left_out(lost_commits[index], settings.limit)] if was_lost else result)
        done += 1
        step(f"{one.name}: commits", done, total)


def read_commits(item: tuple[Path, list[str], float]) -> list[Record]:
    """Return the records of some commits; runs in a worker."""
    from codeacumen.renames.history import read_commit

    path, commits, limit = item
    repository, versions = _repository(path, os.getpid())
    return [read_commit(repository, commit, versions, limit) for commit in commits]


@lru_cache(maxsize=2)
def _repository(place: Path, process: int) -> tuple[pygit2.Repository, Versions]:
    from codeacumen.corpus.sources.git_tree import opened_or_error
    from codeacumen.renames.history import Versions

    repository = opened_or_error(place, place.name)
    return repository, Versions(repository)


def _follow(one: _Project, engine: Engine, step: Progress) -> None:
    from codeacumen.engines import WorkerLost

    follower = Follower()
    one.followed = list(follower.run(one.log.read(one.commits)))
    ends = list(follower.ends().items())
    items = [
        (one.place, one.head, ends[start : start + _PATHS]) for start in range(0, len(ends), _PATHS)
    ]
    for done, (_, fingerprints) in enumerate(engine.run(prints_of, items, 600.0), 1):
        if not isinstance(fingerprints, WorkerLost):
            one.prints.update(fingerprints)
        step(f"{one.name}: last revision", done, len(items))


def prints_of(item: tuple[Path, str, list[tuple[str, list[str]]]]) -> Prints:
    """Return the fingerprints of the methods that exist at a revision; runs in a worker."""
    from codeacumen.renames.history import blob_at
    from codeacumen.renames.versions import Version

    repository_path, head, keys_by_path = item
    repository, versions = _repository(repository_path, os.getpid())
    fingerprints: Prints = {}
    for path, keys in keys_by_path:
        blob = blob_at(repository[head], path)  # type: ignore[arg-type]
        version = None if blob is None else versions.of(blob)
        if not isinstance(version, Version):
            continue
        methods = [(key, version.by_key[key]) for key in keys if key in version.by_key]
        bodies = [(key, version.body(method)) for key, method in methods]
        fingerprints[path] = {key: "" if body is None else body.print for key, body in bodies}
    return fingerprints


@dataclass(slots=True)
class _Summary:
    kinds: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    stable: int = 0
    left_out: list[list[str]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        self.kinds[record["kind"]] += 1
        self.counts.update(record["counts"])
        if "why" in record:
            self.left_out.append([record["commit"], record["why"]])

    def told(self, one: _Project) -> Record:
        return {
            "head": one.head,
            "commits": dict(self.kinds),
            "methods": dict(+self.counts),
            "renames": self.counts["renamed"],
            "stable": self.stable,
            "tags": dict(self.tags),
            "left out": self.left_out,
        }


def _renames(
    projects: Sequence[_Project], settings: Settings, summaries: dict[str, _Summary]
) -> Iterator[Rename]:
    from codeacumen.renames.tags import mass

    for project in projects:
        summary = summaries[project.name]
        for record, followed in zip(
            project.log.read(project.commits), project.followed, strict=True
        ):
            summary.add(record)
            renames = record.get("renames", ())
            mass_flags = mass(
                [(rename["old_name"], rename["new_name"]) for rename in renames], settings.mass
            )
            for rename, mark, is_mass in zip(renames, followed.renames, mass_flags, strict=True):
                labels = {*rename["tags"], *_later(rename, mark), *(["mass"] if is_mass else [])}
                summary.tags.update(labels)
                yield _rename(project, record, rename, sorted(labels), mark)


def _later(each: Record, mark: Mark) -> Iterator[str]:
    later = mark.later_names()
    if each["old_name"] in later:
        yield "reverted"
    if any(name != each["old_name"] for name in later):
        yield "again"
    if each["new_name"] in mark.track.names[: mark.names - 1]:
        yield "reverts"


def _rename(one: _Project, record: Record, each: Record, labels: list[str], mark: Mark) -> Rename:
    fields_of_rename = {
        name: each[name]
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
        id=_id(one.name, record["commit"], each["path"], each["key"], each["old_name"]),
        project=one.name,
        commit=record["commit"],
        parent=record["parent"],
        time=record["time"],
        parameters=tuple(each["parameters"]),
        tags=tuple(labels),
        name_stable=mark.name_stable(one.prints),
        body_stable=mark.body_stable(one.prints),
        **fields_of_rename,
    )


def _stable(projects: Sequence[_Project], summaries: dict[str, _Summary]) -> Iterator[StableMethod]:
    """Yield each method once, at the first commit from which on it is stable."""
    for project in projects:
        yielded_tracks: set[int] = set()
        for record, followed in zip(
            project.log.read(project.commits), project.followed, strict=True
        ):
            for method, mark in zip(record.get("others", ()), followed.others, strict=True):
                track = mark.track
                if id(track) in yielded_tracks or len(track.names) > 1:
                    continue
                if mark.name_stable(project.prints) and mark.body_stable(project.prints):
                    yielded_tracks.add(id(track))
                    summaries[project.name].stable += 1
                    yield StableMethod(
                        id=_id(project.name, record["commit"], method["path"], method["key"]),
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


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
