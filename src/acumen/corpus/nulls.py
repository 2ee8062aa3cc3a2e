"""Null dereferences of a corpus: facts of the files, shard by shard, then project by project the
analysis itself (``lang/java/nulls``), which follows the calls that were linked when the corpus was
built."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from acumen.api import AcumenError
from acumen.core.progress import Progress, ignore_progress
from acumen.corpus.engines import Died, Engine
from acumen.corpus.store import Corpus
from acumen.lang.java.file import JavaFile
from acumen.lang.java.nulls import Facts, Report, facts, solve
from acumen.lang.java.nulls._builder import Site
from acumen.lang.java.nulls.solve import MOST_TARGETS

# Seconds a shard, and a project, may take.
SHARD_LIMIT, PROJECT_LIMIT = 1800.0, 7200.0

# Path and place of a method.
Target = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Shard:
    corpus: Path
    project: str
    shard: str
    shards: tuple[str, ...]
    calls: Path
    part: Path


@dataclass(frozen=True, slots=True)
class Failed:
    """A project, a file or a method that the analysis could not bear; ``why`` names the method."""

    project: str
    path: str
    why: str


def null_reports(
    corpus: Corpus, engine: Engine, step: Progress = ignore_progress,
    *, without: frozenset[str] = frozenset(),
) -> tuple[dict[str, list[Report]], list[Failed]]:  # fmt: skip
    """The reports of each project but some, in the order of paths and places; what had to be left
    out."""
    with tempfile.TemporaryDirectory(prefix="acumen-nulls-") as name:
        jobs = [
            _Shard(
                corpus.folder, project, shard, tuple(corpus.manifest.shards[project]),
                corpus.calls_of(project, shard), Path(name) / f"{place:06}",
            )
            for place, (project, shard) in enumerate(
                zip(corpus.project_of_shard, corpus.shards, strict=True)
            )
            if project not in without
        ]  # fmt: skip
        failed: list[Failed] = []
        made = _run(engine, "reading for nulls", _make_facts, jobs, SHARD_LIMIT, step)
        for job, outcome in zip(jobs, made, strict=True):
            if isinstance(outcome, Died):
                raise AcumenError(
                    f"{job.project}: the shard {job.shard} cannot be read: {outcome.why}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            failed += outcome
        projects = [name for name in corpus.manifest.shards if name not in without]
        parts = {name: [job.part for job in jobs if job.project == name] for name in projects}
        # The largest first: the rest is done beside it, and nobody waits for it at the end.
        order = sorted(projects, key=lambda name: -sum(one.stat().st_size for one in parts[name]))
        ordered = [parts[name] for name in order]
        solved = _run(engine, "looking for nulls", _solve, ordered, PROJECT_LIMIT, step)
        outcomes = dict(zip(order, solved, strict=True))
        found: dict[str, list[Report]] = {}
        for project in projects:
            outcome = outcomes[project]
            if isinstance(outcome, Died):
                failed.append(Failed(project, "", outcome.why))
                found[project] = []
                continue
            found[project], left_out = outcome
            failed += (Failed(project, path, why) for path, why in left_out)
        return found, failed


def _run(
    engine: Engine,
    what: str,
    work: Callable[[Any], Any],
    jobs: list[Any],
    limit: float,
    step: Progress,
) -> list[Any]:
    made: dict[int, Any] = {}
    for place, outcome in engine.run(work, jobs, limit):
        made[place] = outcome
        step(what, len(made), len(jobs))
    return [made[place] for place in range(len(jobs))]


def _make_facts(job: _Shard) -> list[Failed]:
    """Written into the shard's part; gives the files that had to be left out."""
    made: list[Facts] = []
    failed: list[Failed] = []
    sites = _sites(job)
    folder = job.corpus / "shards" / job.shard
    files = pq.read_table(folder / "files.parquet", columns=["path", "source", "language"])
    for row in files.filter(pc.equal(files["language"], "java")).to_pylist():
        path = row["path"]
        try:
            made.append(facts(JavaFile(row["source"].encode()), sites.get(path, ()), path))
        except Exception as error:  # one file that it cannot bear ends nothing else
            failed.append(Failed(job.project, path, f"{type(error).__name__}: {error}"))
    with job.part.open("wb") as stream:
        pickle.dump(made, stream, protocol=pickle.HIGHEST_PROTOCOL)
    return failed


def _sites(job: _Shard) -> dict[str, list[Site]]:
    """The linked calls of each file. Of a call that may reach many methods none is told: the
    analysis would learn nothing from them."""
    targets = _targets(job.corpus, job.project, job.shards)
    names = ("path", "start_byte", "callee", "targets", "ambiguous", "inside", "kind")
    table = pq.read_table(job.calls, columns=list(names))
    found: dict[str, list[Site]] = {}
    columns = (table[name].to_pylist() for name in names)
    for path, start, callee, set_, *told in zip(*columns, strict=True):
        site = Site(start, callee, targets.get(set_, ()), *told)
        found.setdefault(path, []).append(site)
    return found


@lru_cache(maxsize=1)
def _targets(corpus: Path, project: str, shards: tuple[str, ...]) -> dict[int, tuple[Target, ...]]:
    """The small sets of methods that calls of a project may reach, by their names. A large set
    is told by more methods than the analysis looks at."""
    opened = Corpus.open(corpus)
    first = opened.first_of(project)
    places: list[Target] = []
    for shard in shards:
        table = pq.read_table(opened.table(shard, "methods"), columns=["path", "place"])
        places += zip(table["path"].to_pylist(), table["place"].to_pylist(), strict=True)
    many = tuple(places[: MOST_TARGETS + 1])
    table = pq.read_table(
        corpus / "dispatch.parquet", columns=["targets", "callees"],
        filters=[("project", "=", project)],
    )  # fmt: skip
    few = pc.less_equal(pc.list_value_length(table["callees"]), MOST_TARGETS)
    found = dict.fromkeys(table.filter(pc.invert(few))["targets"].to_pylist(), many)
    small = table.filter(few)
    for name, callees in zip(
        small["targets"].to_pylist(), small["callees"].to_pylist(), strict=True
    ):
        found[name] = tuple(places[one - first] for one in callees)
    return found


def _solve(parts: list[Path]) -> tuple[list[Report], list[tuple[str, str]]]:
    """The reports of a project, and the methods that had to be left out: path and why."""
    left_out: dict[tuple[str, str], None] = {}

    def fail(path: str, method: str, error: Exception) -> None:
        # In a circle of calls a method is run more than once.
        left_out[path, f"{method}: {type(error).__name__}: {error}"] = None

    return solve(_read(parts), fail), list(left_out)


def _read(parts: list[Path]) -> Iterator[Facts]:
    for part in parts:
        with part.open("rb") as stream:
            yield from pickle.load(stream)
