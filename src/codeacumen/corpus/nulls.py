"""Find null dereferences in a corpus: derive facts shard by shard, then analyse each project.

The analysis (``languages/java/nulls``) follows the calls that were linked when the corpus was
built. Null facts depend on these links, so they cannot be derived when a shard is parsed. They are
derived when first needed and stored in ``nulls/LINKS/SHARD.CODE.parquet``: LINKS is the key of the
project's links, CODE the hash of the code that derives the facts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.build import code_hash
from codeacumen.corpus.facts import arrays_of, lists_of
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.schema import NULLS
from codeacumen.corpus.store import Corpus
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.nulls import Facts, Report, facts, solve
from codeacumen.languages.java.nulls.code import Site
from codeacumen.languages.java.nulls.facts import COLUMNS
from codeacumen.languages.java.nulls.solve import MOST_TARGETS
from codeacumen.languages.java.syntax.file import JavaFile

# Time limits for a shard and for a project, in seconds.
SHARD_LIMIT, PROJECT_LIMIT = 1800.0, 7200.0

# A method: the path of its file and its index in ``declarations.methods``.
Target = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Shard:
    corpus: Path
    project: str
    shard: str
    shards: tuple[str, ...]
    calls: Path
    stored: Path
    # Where the facts are stored if the corpus is read-only.
    spare: Path


@dataclass(frozen=True, slots=True)
class Failed:
    """A project, a file or a method for which the analysis failed; ``why`` names the method."""

    project: str
    path: str
    why: str


def null_reports(
    corpus: Corpus,
    engine: Engine,
    step: Progress = ignore_progress,
    *,
    without: frozenset[str] = frozenset(),
) -> tuple[dict[str, list[Report]], list[Failed]]:
    """Return the reports of each project that is not excluded, and the failures.

    Reports are in the order of paths and of positions in the file.
    """
    code = code_hash(("codeacumen.languages", "codeacumen.corpus"))
    with tempfile.TemporaryDirectory(prefix="codeacumen-nulls-") as name:
        jobs = [
            _Shard(
                corpus.folder,
                project,
                shard,
                tuple(corpus.manifest.shards[project]),
                corpus.calls_of(project, shard),
                corpus.folder
                / "nulls"
                / corpus.manifest.links[project]
                / f"{shard}.{code}.parquet",
                Path(name) / f"{place:06}.parquet",
            )
            for place, (project, shard) in enumerate(
                zip(corpus.project_of_shard, corpus.shards, strict=True)
            )
            if project not in without
        ]
        failed: list[Failed] = []
        parts: dict[str, list[Path]] = {}
        derived = _run(engine, "reading for nulls", _derive_facts, jobs, SHARD_LIMIT, step)
        for job, outcome in zip(jobs, derived, strict=True):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"{job.project}: the shard {job.shard} cannot be read: {outcome.why}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            part, of_shard = outcome
            parts.setdefault(job.project, []).append(part)
            failed += of_shard
        projects = [name for name in corpus.manifest.shards if name not in without]
        # Largest project first: otherwise the other workers would idle while it finishes last.
        order = sorted(projects, key=lambda name: -sum(one.stat().st_size for one in parts[name]))
        ordered = [parts[name] for name in order]
        solved = _run(engine, "looking for nulls", _solve, ordered, PROJECT_LIMIT, step)
        outcomes = dict(zip(order, solved, strict=True))
        found: dict[str, list[Report]] = {}
        for project in projects:
            outcome = outcomes[project]
            if isinstance(outcome, WorkerLost):
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


def _derive_facts(job: _Shard) -> tuple[Path, list[Failed]]:
    """Store the null facts of a shard, unless they are stored; return their path and failures."""
    try:
        table = _read(job.stored)
        part = job.stored
    except (OSError, pa.ArrowException):  # missing or damaged
        table = pa.Table.from_pylist(list(_facts_of_files(job)), schema=NULLS)
        part = _store(table, job)
    columns = (table[name].to_pylist() for name in ("path", "failed"))
    failures = [(path, why) for path, why in zip(*columns, strict=True) if why is not None]
    return part, [Failed(job.project, path, why) for path, why in failures]


def _store(table: pa.Table, job: _Shard) -> Path:
    try:
        job.stored.parent.mkdir(parents=True, exist_ok=True)
        replace_table(table, job.stored, checksums=True)
    except OSError:
        replace_table(table, job.spare, checksums=True)
        return job.spare
    return job.stored


def _read(path: Path) -> pa.Table:
    return pq.read_table(path, page_checksum_verification=True)


def _facts_of_files(job: _Shard) -> Iterator[dict[str, Any]]:
    """Yield the rows of a shard's null facts."""
    sites = _sites(job)
    folder = job.corpus / "shards" / job.shard
    files = pq.read_table(folder / "files.parquet", columns=["path", "source", "language"])
    for file in files.filter(pc.equal(files["language"], "java")).to_pylist():
        path = file["path"]
        try:
            of_file = facts(JavaFile(file["source"].encode()), sites.get(path, ()), path)
        except Exception as error:  # a file that fails must not end the run
            yield {"path": path, "failed": f"{type(error).__name__}: {error}"}
        else:
            yield _fact_row(of_file)


def _fact_row(of_file: Facts) -> dict[str, Any]:
    targets = [target for targets in of_file.targets for target in targets]
    return {
        "path": of_file.path,
        "texts": of_file.texts,
        **{name: getattr(of_file, name).ravel() for name in _ARRAYS},
        "target_sizes": [len(targets) for targets in of_file.targets],
        "target_paths": [path for path, _ in targets],
        "target_places": [place for _, place in targets],
        "class_names": list(of_file.classes),
        "class_fields": list(of_file.classes.values()),
        "record_names": list(of_file.records),
        "record_components": list(of_file.records.values()),
        "throwing": list(of_file.throws),
        "thrown": list(of_file.throws.values()),
    }


_ARRAYS = ("units", "code", "expressions", "calls", "lines")


def _read_facts(part: Path) -> Iterator[Facts]:
    table = _read(part)
    table = table.filter(pc.is_null(table["failed"]))
    arrays = {name: arrays_of(table[name]) for name in _ARRAYS}
    lists = {
        name: lists_of(table[name])
        for name in NULLS.names
        if name not in ("path", "failed", *_ARRAYS)
    }
    for row, path in enumerate(table["path"].to_pylist()):
        units, code, expressions, calls, lines = (arrays[name][row] for name in _ARRAYS)
        of_file = {name: column[row] for name, column in lists.items()}
        targets = zip(of_file["target_paths"], of_file["target_places"], strict=True)
        yield Facts(
            path,
            tuple(of_file["texts"]),
            units.reshape(-1, COLUMNS),
            code,
            expressions.reshape(-1, 4),
            calls,
            tuple(tuple(islice(targets, size)) for size in of_file["target_sizes"]),
            _tuples(of_file["class_names"], of_file["class_fields"]),
            _tuples(of_file["record_names"], of_file["record_components"]),
            _tuples(of_file["throwing"], of_file["thrown"]),
            lines,
        )


def _tuples(keys: list[Any], values: list[list[int]]) -> dict[Any, tuple[int, ...]]:
    return dict(zip(keys, map(tuple, values), strict=True))


def _sites(job: _Shard) -> dict[str, list[Site]]:
    """Return the linked calls of each file, with their targets."""
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
    """Return the sets of targets of a project's calls, by name.

    The analysis ignores sets of more than ``MOST_TARGETS`` methods, so all larger sets share one
    placeholder of ``MOST_TARGETS + 1`` methods.
    """
    opened = Corpus.open(corpus)
    first = opened.first_of(project)
    places: list[Target] = []
    for shard in shards:
        table = pq.read_table(opened.table(shard, "methods"), columns=["path", "place"])
        places += zip(table["path"].to_pylist(), table["place"].to_pylist(), strict=True)
    many = tuple(places[: MOST_TARGETS + 1])
    table = pq.read_table(
        corpus / "dispatch.parquet",
        columns=["targets", "callees"],
        filters=[("project", "=", project)],
    )
    few = pc.less_equal(pc.list_value_length(table["callees"]), MOST_TARGETS)
    found = dict.fromkeys(table.filter(pc.invert(few))["targets"].to_pylist(), many)
    small = table.filter(few)
    for name, callees in zip(
        small["targets"].to_pylist(), small["callees"].to_pylist(), strict=True
    ):
        found[name] = tuple(places[one - first] for one in callees)
    return found


def _solve(parts: list[Path]) -> tuple[list[Report], list[tuple[str, str]]]:
    """Return the reports of a project, and path and reason of the methods that failed."""
    left_out: dict[tuple[str, str], None] = {}

    def fail(path: str, method: str, error: Exception) -> None:
        # A dict, since a method in a cycle of calls is analysed, and fails, more than once.
        left_out[path, f"{method}: {type(error).__name__}: {error}"] = None

    return solve(chain.from_iterable(map(_read_facts, parts)), fail), list(left_out)
