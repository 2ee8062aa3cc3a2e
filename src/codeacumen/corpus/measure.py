"""Measure the methods of Java sources, for ``codeacumen.interface.measures``.

A source is anything that ``corpus.sources`` reads, or a corpus, which has stored measures. An
engine runs jobs of some files each, and results are yielded in the order of the files, so that the
output does not depend on the number of workers. A shard is a group of a corpus' files with its own
tables (``corpus.shards``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.ids import compute_signature
from codeacumen.corpus.reading import Problem, Source, read_source
from codeacumen.corpus.shards import to_printable
from codeacumen.corpus.sources import Entry, Project, find_projects
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.lines import line_at, line_starts

# Suffixes of the files to measure.
JAVA = (".java",)
# Bytes of source after which a job ends: small, so that all workers finish at about the same time.
STRETCH = 1 << 20
# Time limit for a job, in seconds; the first one may have to wait for the kernels' compilation.
LIMIT = 1800.0


class Measure(Protocol):
    """A measure of methods. It is pickled and sent to worker processes."""

    @property
    def name(self) -> str: ...

    def measure_file(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        """Return the measured methods, as indexes in ``declarations.methods``, with their values.

        The values are columns of the row of a method.
        """
        ...

    def measure_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        """Return the stored values of each method of a shard; None for unmeasured methods."""
        ...


@dataclass(frozen=True, slots=True)
class NPath:
    """NPath complexity of every method with a body (column ``value``).

    The column ``bin`` is its interval in GLUECode's task, None outside of all intervals.
    ``rules`` is one of ``RULES`` of ``languages.java.measures.npath``.
    """

    name: ClassVar[str] = "npath"
    rules: str = "pmd6"

    def measure_file(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        from codeacumen.languages.java.measures.npath import compute_npath

        return list(zip(file.bodies, _with_bins(compute_npath(file, self.rules)), strict=True))

    def measure_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        import pyarrow.parquet as pq

        from codeacumen.corpus.facts import npath_column_name

        name = npath_column_name(self.rules)
        column = pq.read_table(shard / "measures.parquet", columns=[name])[name]
        measured_rows = iter(_with_bins(column.drop_null().to_numpy()))
        return [next(measured_rows) if valid else None for valid in column.is_valid().to_pylist()]


@dataclass(frozen=True, slots=True)
class OperatorCounts:
    """Number of occurrences of GLUECode's twelve operators in every method with a body.

    The column ``operators`` lists only operators that occur.
    """

    name: ClassVar[str] = "operators"

    def measure_file(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        from codeacumen.languages.java.measures.operators import OPERATORS, find_operators

        occurrences = find_operators(file)
        counts = np.zeros((len(file.declarations.methods), len(OPERATORS)), dtype=np.int64)
        np.add.at(counts, (occurrences.method, occurrences.which), 1)
        return [(method, _name_counts(counts[method])) for method in file.bodies]

    def measure_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        import pyarrow.parquet as pq

        from codeacumen.corpus.facts import column_to_arrays
        from codeacumen.languages.java.measures.operators import OPERATORS

        # NPath is null where a method has no body; an empty list of operators would not show that.
        names = ["operators", "npath_pmd6"]
        table = pq.read_table(shard / "measures.parquet", columns=names)
        has_body = table["npath_pmd6"].is_valid().to_pylist()
        return [
            _name_counts(np.bincount(codes, minlength=len(OPERATORS))) if body else None
            for codes, body in zip(column_to_arrays(table["operators"]), has_body, strict=True)
        ]


def _name_counts(counts: NDArray[np.int64]) -> dict[str, Any]:
    """Return the column ``operators`` of a method, given the count of each operator."""
    from codeacumen.languages.java.measures.operators import OPERATORS

    named = zip(OPERATORS, counts.tolist(), strict=True)
    return {"operators": {operator: count for operator, count in named if count}}


def _with_bins(values: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return the columns ``value`` and ``bin`` of each method, given the NPath complexities."""
    from codeacumen.languages.java.measures.npath import BINS, NO_BIN, find_bins

    bins = [None if index == NO_BIN else BINS[index] for index in find_bins(values).tolist()]
    return [
        {"value": value, "bin": bin_} for value, bin_ in zip(values.tolist(), bins, strict=True)
    ]


@dataclass(slots=True)
class Measurements:
    """Measurements of some files: a row for each measured method.

    ``files`` counts the files that were measured, ``broken`` those of them with syntax errors.
    ``skipped`` are the other files, as pairs of project and problem.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    broken: int = 0
    skipped: list[tuple[str, Problem]] = field(default_factory=list)

    def add_measurements(self, other: Measurements) -> None:
        """Append the rows and skipped files of other measurements, and add their counts."""
        self.rows += other.rows
        self.files += other.files
        self.broken += other.broken
        self.skipped += other.skipped


@dataclass(frozen=True, slots=True)
class _MeasureJob:
    """Files of a project to measure, or a shard of a corpus.

    Either ``source``, ``paths`` and ``problems`` (of files that cannot be read) are set, or
    ``shard``, the folder of a shard with stored measures.
    """

    measure: Measure
    project: str
    source: Project | None = None
    shard: Path | None = None
    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def measure_sources(
    measure: Measure,
    sources: Sequence[str],
    engine: Engine,
    cache: Path,
    progress: Progress = ignore_progress,
) -> Iterator[Measurements]:
    """Yield the measurements of all Java files of these sources, job by job, in order.

    ``cache`` is the folder of fetched sources. A file that kills its worker is skipped.
    """
    jobs = _plan_jobs(measure, sources, cache, progress)
    # Results that arrived before their turn, by job. A job that killed its worker (a suspect) is
    # repeated when all others are done, so it and all later results are yielded then.
    waiting: dict[int, Measurements] = {}
    next_index = 0
    suspects: dict[int, WorkerLost] = {}
    for done, (index, outcome) in enumerate(engine.run(_run_job, jobs, LIMIT), 1):
        progress("measuring", done, len(jobs))
        if isinstance(outcome, WorkerLost):
            suspects[index] = outcome
        else:
            waiting[index] = outcome
        while next_index in waiting:
            yield waiting.pop(next_index)
            next_index += 1
    for index in range(next_index, len(jobs)):
        if index in suspects:
            yield _run_file_by_file(jobs[index], engine, suspects[index])
        else:
            yield waiting.pop(index)


def _plan_jobs(
    measure: Measure, sources: Sequence[str], cache: Path, progress: Progress
) -> list[_MeasureJob]:
    from codeacumen.corpus.manifest import NAME

    jobs: list[_MeasureJob] = []
    for source in sources:
        if (Path(source) / NAME).is_file():
            jobs += _plan_corpus(measure, Path(source))
        else:
            # One source at a time, so that two folders may have the same name.
            for project in find_projects([source], cache, progress):
                jobs += _plan_project(measure, project)
    return jobs


def _plan_corpus(measure: Measure, folder: Path) -> Iterator[_MeasureJob]:
    from codeacumen.corpus import Corpus

    corpus = Corpus.open(folder.absolute())
    for project, shards in corpus.manifest.shards.items():
        for shard in shards:
            yield _MeasureJob(measure, project, shard=corpus.folder / "shards" / shard)


def _plan_project(measure: Measure, project: Project) -> Iterator[_MeasureJob]:
    """Yield jobs of about ``STRETCH`` bytes each."""
    whole_project = _MeasureJob(measure, project.name, project)
    paths: list[str] = []
    problems: list[Problem] = []
    size = 0
    for entry in project.list_entries(JAVA):
        if isinstance(entry, Entry):
            paths.append(entry.path)
            size += entry.size
        else:
            problems.append(entry)
        if size >= STRETCH:
            yield replace(whole_project, paths=tuple(paths), problems=tuple(problems))
            paths, problems, size = [], [], 0
    if paths or problems:
        yield replace(whole_project, paths=tuple(paths), problems=tuple(problems))


def _run_job(job: _MeasureJob) -> Measurements:
    """Return the measurements of a job; an engine runs this function."""
    if job.shard is not None:
        return _measure_shard(job, job.shard)
    measurements = Measurements(skipped=[(job.project, problem) for problem in job.problems])
    for source in _read_sources(job):
        problem = source if isinstance(source, Problem) else _add_file(measurements, job, source)
        if problem is not None:
            measurements.skipped.append((job.project, problem))
    return measurements


def _measure_shard(job: _MeasureJob, shard: Path) -> Measurements:
    """Return the stored measures of a shard, as if its files had been measured now."""
    import pyarrow.parquet as pq

    files = pq.read_table(shard / "files.parquet", columns=["language", "broken"]).to_pylist()
    broken = [file["broken"] for file in files if file["language"] == "java"]
    names = {"path": "file", "line": "line", "name": "method", "signature": "signature"}
    methods = pq.read_table(shard / "methods.parquet", columns=list(names))
    rows = [
        {"project": job.project, **method, **measures}
        for method, measures in zip(
            methods.rename_columns(names).to_pylist(), job.measure.measure_shard(shard), strict=True
        )
        if measures is not None
    ]
    return Measurements(rows, len(broken), sum(broken))


def _read_sources(job: _MeasureJob) -> Iterator[Source | Problem]:
    """Yield each file of a job, or the problem if it cannot be read."""
    if job.source is not None:
        for path in job.paths:
            content = job.source.read_file(path)
            if isinstance(content, Problem):
                yield content
            else:
                yield read_source(to_printable(path), content, job.source.largest)


def _add_file(measurements: Measurements, job: _MeasureJob, source: Source) -> Problem | None:
    """Add a file's rows to the measurements; return the problem if it cannot be measured."""
    try:
        file = JavaFile(source.data)
        declared, lines = file.declarations, line_starts(source.data)
        rows = []
        for index, values in job.measure.measure_file(file):
            method = declared.methods[index]
            rows.append(
                {
                    "project": job.project,
                    "file": source.path,
                    "line": line_at(lines, int(file.syntax.start[method.node])),
                    "method": method.name,
                    "signature": compute_signature(declared, method),
                    **values,
                }
            )
    except Exception as error:
        # A single bad file must not end a run; the problem is counted and reported.
        return Problem(source.path, "failed", f"{type(error).__name__}: {error}")
    measurements.rows += rows
    measurements.files += 1
    measurements.broken += file.syntax.broken
    return None


def _run_file_by_file(job: _MeasureJob, engine: Engine, lost: WorkerLost) -> Measurements:
    """Repeat a job that killed its worker file by file; skip only files that kill it again.

    A job of a single file is not repeated; ``lost`` is its result. A shard cannot be divided, so it
    raises an error.
    """
    measurements = Measurements(skipped=[(job.project, problem) for problem in job.problems])
    if job.shard is not None:
        raise CodeacumenError(
            f"{job.project}: the shard {job.shard.name} cannot be read: {lost.reason}",
            "fewer workers leave more memory to each: --workers 1",
        )
    paths = job.paths
    single_file_jobs = [replace(job, paths=(path,), problems=()) for path in paths]
    outcomes = (
        dict(engine.run(_run_job, single_file_jobs, LIMIT))
        if len(single_file_jobs) > 1
        else {0: lost}
    )
    for index, path in enumerate(paths):
        outcome = outcomes[index]
        if isinstance(outcome, WorkerLost):
            measurements.skipped.append((job.project, Problem(path, "crashed", outcome.reason)))
            continue
        measurements.rows += outcome.rows
        measurements.files += outcome.files
        measurements.broken += outcome.broken
        measurements.skipped += outcome.skipped
    return measurements
