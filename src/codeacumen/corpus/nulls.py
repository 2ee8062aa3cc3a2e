"""Find null dereferences in a corpus: derive null facts by shard, then analyse each project.

The analysis (``languages/java/nulls``) follows the calls that were linked when the corpus was
built. Null facts depend on these links, so they cannot be derived when a shard is parsed. They are
derived when first needed and stored in ``nulls/LINKS/SHARD.CODE.parquet``: LINKS is the folder name
of the project's links (``Manifest.links``), CODE the hash of the code that derives the facts.

The facts of a file are its methods as instructions. ``NullFacts`` in ``languages/java/nulls/facts``
describes their arrays; a row of ``units`` there is one method.
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
from codeacumen.corpus.facts import column_to_arrays, column_to_lists
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.schema import NULLS
from codeacumen.corpus.store import Corpus
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.nulls import NullFacts, Report, extract_facts, solve_project
from codeacumen.languages.java.nulls.facts import COLUMNS
from codeacumen.languages.java.nulls.solve import MOST_TARGETS
from codeacumen.languages.java.nulls.translation.instructions import LinkedCall
from codeacumen.languages.java.syntax.file import JavaFile

# Time limits for a shard and for a project, in seconds.
SHARD_LIMIT, PROJECT_LIMIT = 1800.0, 7200.0

# A method that a call may reach: path of its file and its index in ``declarations.methods``.
Target = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _ShardJob:
    """A shard whose null facts are needed; sent to worker processes.

    ``shards`` are all shards of the project, ``calls`` is the file of the shard's linked calls.
    The facts are read from ``stored`` or written there, or to ``spare`` in a read-only corpus.
    """

    corpus: Path
    project: str
    shard: str
    shards: tuple[str, ...]
    calls: Path
    stored: Path
    spare: Path


@dataclass(frozen=True, slots=True)
class FailedAnalysis:
    """A project, a file or a method for which the analysis failed.

    ``path`` is empty for a whole project; ``reason`` begins with the name of the method, if it is
    one.
    """

    project: str
    path: str
    reason: str


def find_null_reports(
    corpus: Corpus,
    engine: Engine,
    progress: Progress = ignore_progress,
    *,
    excluded: frozenset[str] = frozenset(),
) -> tuple[dict[str, list[Report]], list[FailedAnalysis]]:
    """Return the reports of each project that is not in ``excluded``, and the failures.

    Reports are in the order of paths and of positions in the file. A project whose analysis fails
    as a whole has no reports.
    """
    code = code_hash(("codeacumen.languages", "codeacumen.corpus"))
    # For facts that cannot be stored in the corpus, see ``_ShardJob.spare``.
    with tempfile.TemporaryDirectory(prefix="codeacumen-nulls-") as temporary:
        jobs = [
            _ShardJob(
                corpus.folder,
                project,
                shard,
                tuple(corpus.manifest.shards[project]),
                corpus.calls_path(project, shard),
                corpus.folder
                / "nulls"
                / corpus.manifest.links[project]
                / f"{shard}.{code}.parquet",
                Path(temporary) / f"{index:06}.parquet",
            )
            for index, (project, shard) in enumerate(
                zip(corpus.project_of_shard, corpus.shards, strict=True)
            )
            if project not in excluded
        ]
        failed: list[FailedAnalysis] = []
        # The files of the facts of each project's shards.
        parts: dict[str, list[Path]] = {}
        derived = _run_jobs(
            engine, "extracting null facts", _derive_facts, jobs, SHARD_LIMIT, progress
        )
        for job, outcome in zip(jobs, derived, strict=True):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"{job.project}: the shard {job.shard} cannot be read: {outcome.reason}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            part, shard_failures = outcome
            parts.setdefault(job.project, []).append(part)
            failed += shard_failures
        projects = [name for name in corpus.manifest.shards if name not in excluded]
        # Largest project first: otherwise the other workers would idle while it finishes last.
        order = sorted(projects, key=lambda name: -sum(path.stat().st_size for path in parts[name]))
        ordered = [parts[name] for name in order]
        solved = _run_jobs(
            engine, "analysing null dereferences", _solve_project, ordered, PROJECT_LIMIT, progress
        )
        outcomes = dict(zip(order, solved, strict=True))
        reports: dict[str, list[Report]] = {}
        for project in projects:
            outcome = outcomes[project]
            if isinstance(outcome, WorkerLost):
                failed.append(FailedAnalysis(project, "", outcome.reason))
                reports[project] = []
                continue
            reports[project], left_out = outcome
            failed += (FailedAnalysis(project, path, reason) for path, reason in left_out)
        return reports, failed


def _run_jobs(
    engine: Engine,
    description: str,
    work: Callable[[Any], Any],
    jobs: list[Any],
    limit: float,
    progress: Progress,
) -> list[Any]:
    """Return the results of the jobs in their order; ``description`` is the stage shown."""
    outcomes: dict[int, Any] = {}
    for index, outcome in engine.run(work, jobs, limit):
        outcomes[index] = outcome
        progress(description, len(outcomes), len(jobs))
    return [outcomes[index] for index in range(len(jobs))]


def _derive_facts(job: _ShardJob) -> tuple[Path, list[FailedAnalysis]]:
    """Store the null facts of a shard, unless they are stored already.

    Return the path of the facts, and the files for which deriving them failed.
    """
    try:
        table = _read_table(job.stored)
        part = job.stored
    except (OSError, pa.ArrowException):  # missing or damaged
        table = pa.Table.from_pylist(list(_derive_file_facts(job)), schema=NULLS)
        part = _store_table(table, job)
    columns = (table[name].to_pylist() for name in ("path", "failed"))
    failures = [(path, reason) for path, reason in zip(*columns, strict=True) if reason is not None]
    return part, [FailedAnalysis(job.project, path, reason) for path, reason in failures]


def _store_table(table: pa.Table, job: _ShardJob) -> Path:
    """Store the facts in the corpus, or in the temporary folder if that fails; return the path."""
    try:
        job.stored.parent.mkdir(parents=True, exist_ok=True)
        replace_table(table, job.stored, checksums=True)
    except OSError:
        replace_table(table, job.spare, checksums=True)
        return job.spare
    return job.stored


def _read_table(path: Path) -> pa.Table:
    return pq.read_table(path, page_checksum_verification=True)


def _derive_file_facts(job: _ShardJob) -> Iterator[dict[str, Any]]:
    """Yield a row of ``NULLS`` for each Java file of a shard."""
    sites = _load_sites(job)
    folder = job.corpus / "shards" / job.shard
    files = pq.read_table(folder / "files.parquet", columns=["path", "source", "language"])
    for file in files.filter(pc.equal(files["language"], "java")).to_pylist():
        path = file["path"]
        try:
            file_facts = extract_facts(JavaFile(file["source"].encode()), sites.get(path, ()), path)
        except Exception as error:  # a file that fails must not end the run
            yield {"path": path, "failed": f"{type(error).__name__}: {error}"}
        else:
            yield _fact_row(file_facts)


def _fact_row(file_facts: NullFacts) -> dict[str, Any]:
    """Return the facts of a file as a row of ``NULLS``; arrays and mappings are stored flat."""
    targets = [target for targets in file_facts.targets for target in targets]
    return {
        "path": file_facts.path,
        "texts": file_facts.texts,
        **{name: getattr(file_facts, name).ravel() for name in _ARRAYS},
        "target_sizes": [len(targets) for targets in file_facts.targets],
        "target_paths": [path for path, _ in targets],
        "target_places": [method for _, method in targets],
        "class_names": list(file_facts.classes),
        "class_fields": list(file_facts.classes.values()),
        "record_names": list(file_facts.records),
        "record_components": list(file_facts.records.values()),
        "throwing": list(file_facts.throws),
        "thrown": list(file_facts.throws.values()),
    }


# The fields of ``NullFacts`` that are arrays of integers.
_ARRAYS = ("units", "code", "expressions", "calls", "lines")


def _read_facts(part: Path) -> Iterator[NullFacts]:
    """Yield the facts of each file; the inverse of ``_fact_row``, without files that failed.

    ``units`` and ``expressions`` are stored flat and become two-dimensional again, with the columns
    that ``NullFacts`` lists.
    """
    table = _read_table(part)
    table = table.filter(pc.is_null(table["failed"]))
    arrays = {name: column_to_arrays(table[name]) for name in _ARRAYS}
    lists = {
        name: column_to_lists(table[name])
        for name in NULLS.names
        if name not in ("path", "failed", *_ARRAYS)
    }
    for row, path in enumerate(table["path"].to_pylist()):
        units, code, expressions, calls, lines = (arrays[name][row] for name in _ARRAYS)
        of_file = {name: column[row] for name, column in lists.items()}
        targets = zip(of_file["target_paths"], of_file["target_places"], strict=True)
        yield NullFacts(
            path,
            tuple(of_file["texts"]),
            units.reshape(-1, COLUMNS),
            code,
            expressions.reshape(-1, 4),
            calls,
            tuple(tuple(islice(targets, size)) for size in of_file["target_sizes"]),
            _to_tuples(of_file["class_names"], of_file["class_fields"]),
            _to_tuples(of_file["record_names"], of_file["record_components"]),
            _to_tuples(of_file["throwing"], of_file["thrown"]),
            lines,
        )


def _to_tuples(keys: list[Any], values: list[list[int]]) -> dict[Any, tuple[int, ...]]:
    return dict(zip(keys, map(tuple, values), strict=True))


def _load_sites(job: _ShardJob) -> dict[str, list[LinkedCall]]:
    """Return the linked calls of each file of the shard by path, with their targets."""
    targets = _load_targets(job.corpus, job.project, job.shards)
    names = ("path", "start_byte", "callee", "targets", "ambiguous", "inside", "kind")
    table = pq.read_table(job.calls, columns=list(names))
    sites: dict[str, list[LinkedCall]] = {}
    columns = (table[name].to_pylist() for name in names)
    # ``flags`` are ``ambiguous``, ``inside`` and ``kind``, the last fields of ``LinkedCall``. The
    # name of the set is None for a call without targets in the project.
    for path, start, callee, set_name, *flags in zip(*columns, strict=True):
        site = LinkedCall(start, callee, targets.get(set_name, ()), *flags)
        sites.setdefault(path, []).append(site)
    return sites


@lru_cache(maxsize=1)
def _load_targets(
    corpus: Path, project: str, shards: tuple[str, ...]
) -> dict[int, tuple[Target, ...]]:
    """Return the sets of targets of a project's calls, by the name of the set.

    A set holds the methods that a call may reach; ``ids.name_target_set`` computes its name. The
    analysis ignores sets of more than ``MOST_TARGETS`` methods, so all larger sets share one
    placeholder of ``MOST_TARGETS + 1`` methods.
    """
    opened = Corpus.open(corpus)
    # ``callees`` are method numbers in the corpus; ``methods`` below starts at the project's first.
    first = opened.first_number_of(project)
    methods: list[Target] = []
    for shard in shards:
        table = pq.read_table(opened.table_path(shard, "methods"), columns=["path", "place"])
        methods += zip(table["path"].to_pylist(), table["place"].to_pylist(), strict=True)
    too_many = tuple(methods[: MOST_TARGETS + 1])
    table = pq.read_table(
        corpus / "dispatch.parquet",
        columns=["targets", "callees"],
        filters=[("project", "=", project)],
    )
    is_small = pc.less_equal(pc.list_value_length(table["callees"]), MOST_TARGETS)
    targets = dict.fromkeys(table.filter(pc.invert(is_small))["targets"].to_pylist(), too_many)
    small = table.filter(is_small)
    for name, callees in zip(
        small["targets"].to_pylist(), small["callees"].to_pylist(), strict=True
    ):
        targets[name] = tuple(methods[callee - first] for callee in callees)
    return targets


def _solve_project(parts: list[Path]) -> tuple[list[Report], list[tuple[str, str]]]:
    """Return the reports of a project, and path and reason of each method that failed.

    ``parts`` are the files of the facts of its shards.
    """
    left_out: dict[tuple[str, str], None] = {}

    def record_failure(path: str, method: str, error: Exception) -> None:
        # A dict, since a method in a cycle of calls is analysed, and fails, more than once.
        left_out[path, f"{method}: {type(error).__name__}: {error}"] = None

    return solve_project(chain.from_iterable(map(_read_facts, parts)), record_failure), list(
        left_out
    )
