"""From git repositories to renames and stable methods.

Commits are read by workers in any order and kept in a log; what became of methods is told by the
whole log, so it is worked out anew whenever there are new commits. The same commits give the same
bytes, whatever the number of workers and however often it was interrupted.
"""

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
# Commits that a worker reads in one go: many enough that it meets the files it knows.
_CHUNK = 50
# Seconds that a worker may need to start, beside the commits' own.
_START = 60.0
_PATHS = 50
# What a URL is as a path, or host:path as ssh takes it.
_ELSEWHERE = re.compile(r"\w+:/|[^/]+@[^/]+:|[^/]{2,}:[^/]")


@dataclass(frozen=True, slots=True)
class Settings:
    """``limit``: seconds for a commit; ``mass``: so many renames of one kind in a commit are one
    decision."""

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
    """Renames and stable methods of repositories; gives what ``mined.json`` holds, and how many
    commits were read this time."""
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
    names = Counter(one.name for one in projects)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        hint = "mine them into folders of their own"
        raise CodeacumenError(f"two repositories are called {twice[0]}", hint)
    for one in projects:
        _read_commits(one, settings, engine, step)
        one.log.arrange(one.commits)
        _follow(one, engine, step)
    summaries = {one.name: _Summary() for one in projects}
    write_lines(out / RENAMES, _renames(projects, settings, summaries))
    write_lines(out / STABLE, _stable(projects, summaries))
    told: Record = {
        "settings": asdict(settings),
        "projects": {one.name: summaries[one.name].told(one) for one in projects},
    }
    write_atomically(out / MINED, (json.dumps(told, indent=1, sort_keys=True) + "\n").encode())
    return {**told, "read": {one.name: one.read for one in projects}}


def _opened(place: Path, out: Path, settings: Settings) -> _Project:
    from codeacumen.corpus.sources.git_tree import GIT_ERRORS, commit_or_error, opened_or_error
    from codeacumen.corpus.sources.paths import name_of
    from codeacumen.renames.history import commits_of

    here = place.absolute()
    name = name_of(here.parent if here.name == ".git" else here).removesuffix(".git")
    if not here.exists() and _ELSEWHERE.match(str(place)):
        raise CodeacumenError(
            f"{place} is not on this disk", "clone it first: git clone --bare URL"
        )
    repository = opened_or_error(here, name)
    log = Log(out / COMMITS / f"{name}.jsonl", settings.limit)
    unborn = settings.branch == "HEAD" and repository.head_is_unborn
    if unborn and not list(repository.branches):
        return _Project(name, here, "", [], log)
    head = commit_or_error(repository, settings.branch, name)
    since = commit_or_error(repository, settings.since, name) if settings.since else ""
    try:
        commits = commits_of(repository, head, since)
    except GIT_ERRORS as error:
        hint = "`git fsck` tells more; a fresh clone has all of it"
        raise CodeacumenError(
            f"{name}: a commit of its history is missing ({error})", hint
        ) from error
    return _Project(name, here, head, commits, log)


def _read_commits(one: _Project, settings: Settings, engine: Engine, step: Progress) -> None:
    """Append what is not in the log yet. A worker that is lost is asked again commit by commit, to
    find the one it was lost with."""
    from codeacumen.engines import WorkerLost
    from codeacumen.renames.history import left_out

    todo = [commit for commit in one.commits if commit not in one.log.at]
    one.read = len(todo)
    chunks = [
        (one.place, todo[start : start + _CHUNK], settings.limit)
        for start in range(0, len(todo), _CHUNK)
    ]
    done, total = 0, len(todo)
    lost: list[str] = []
    step(f"{one.name}: commits", 0, total)
    for place, found in engine.run(read_commits, chunks, settings.limit * _CHUNK + _START):
        if isinstance(found, WorkerLost):
            lost += chunks[place][1]
            continue
        one.log.append(found)
        done += len(found)
        step(f"{one.name}: commits", done, total)
    singly = [(one.place, [commit], settings.limit) for commit in lost]
    for place, found in engine.run(read_commits, singly, settings.limit + _START):
        gave_up = isinstance(found, WorkerLost)
        one.log.append([left_out(lost[place], settings.limit)] if gave_up else found)
        done += 1
        step(f"{one.name}: commits", done, total)


def read_commits(item: tuple[Path, list[str], float]) -> list[Record]:
    """In a worker."""
    from codeacumen.renames.history import read_commit

    place, commits, limit = item
    repository, versions = _repository(place, os.getpid())
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
    for done, (_, found) in enumerate(engine.run(prints_of, items, 600.0), 1):
        if not isinstance(found, WorkerLost):
            one.prints.update(found)
        step(f"{one.name}: last revision", done, len(items))


def prints_of(item: tuple[Path, str, list[tuple[str, list[str]]]]) -> Prints:
    """In a worker: fingerprints of methods at a revision, as far as they are there."""
    from codeacumen.renames.history import blob_at
    from codeacumen.renames.versions import Version

    place, head, wanted = item
    repository, versions = _repository(place, os.getpid())
    found: Prints = {}
    for path, keys in wanted:
        blob = blob_at(repository[head], path)  # type: ignore[arg-type]
        version = None if blob is None else versions.of(blob)
        if not isinstance(version, Version):
            continue
        methods = [(key, version.by_key[key]) for key in keys if key in version.by_key]
        bodies = [(key, version.body(method)) for key, method in methods]
        found[path] = {key: "" if body is None else body.print for key, body in bodies}
    return found


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

    for one in projects:
        summary = summaries[one.name]
        for record, followed in zip(one.log.read(one.commits), one.followed, strict=True):
            summary.add(record)
            found = record.get("renames", ())
            many = mass([(each["old_name"], each["new_name"]) for each in found], settings.mass)
            for each, mark, alike in zip(found, followed.renames, many, strict=True):
                labels = {*each["tags"], *_later(each, mark), *(["mass"] if alike else [])}
                summary.tags.update(labels)
                yield _rename(one, record, each, sorted(labels), mark)


def _later(each: Record, mark: Mark) -> Iterator[str]:
    later = mark.later_names()
    if each["old_name"] in later:
        yield "reverted"
    if any(name != each["old_name"] for name in later):
        yield "again"
    if each["new_name"] in mark.track.names[: mark.names - 1]:
        yield "reverts"


def _rename(one: _Project, record: Record, each: Record, labels: list[str], mark: Mark) -> Rename:
    told = {
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
        **told,
    )


def _stable(projects: Sequence[_Project], summaries: dict[str, _Summary]) -> Iterator[StableMethod]:
    """Each method once, at the first commit from which on it is stable."""
    for one in projects:
        told: set[int] = set()
        for record, followed in zip(one.log.read(one.commits), one.followed, strict=True):
            for each, mark in zip(record.get("others", ()), followed.others, strict=True):
                track = mark.track
                if id(track) in told or len(track.names) > 1:
                    continue
                if mark.name_stable(one.prints) and mark.body_stable(one.prints):
                    told.add(id(track))
                    summaries[one.name].stable += 1
                    yield StableMethod(
                        id=_id(one.name, record["commit"], each["path"], each["key"]),
                        project=one.name,
                        commit=record["commit"],
                        path=each["path"],
                        owner=each["owner"],
                        name=each["name"],
                        parameters=tuple(each["parameters"]),
                        returns=each["returns"],
                        code=each["code"],
                        tags=tuple(each["tags"]),
                    )


def _id(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
