"""Measure the methods of Java sources: files, folders, archives, corpora.

A measure works on one file at a time; a corpus has stored measures. An engine runs jobs of some
files each, and results are yielded in the order of the files, so that the output does not depend on
the number of workers.
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
from codeacumen.corpus.ids import signature
from codeacumen.corpus.reading import Problem, Source, read_source
from codeacumen.corpus.shards import printable
from codeacumen.corpus.sources import Entry, Project, projects
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.lines import line_at, line_starts

JAVA = (".java",)
# Bytes of source after which a job ends: small, so that all workers finish at about the same time.
STRETCH = 1 << 20
# Time limit for a job, in seconds; the first one may have to wait for the kernels' compilation.
LIMIT = 1800.0


class Measure(Protocol):
    """A measure of methods. It is pickled and sent to worker processes."""

    @property
    def name(self) -> str: ...

    def of(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        """Return the measured methods, as indexes in ``declarations.methods``, with values."""
        ...

    def of_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        """Return the stored values of each method of a shard; None for unmeasured methods."""
        ...


@dataclass(frozen=True, slots=True)
class NPath:
    """NPath complexity of every method with a body, and its class in GLUECode's task."""

    name: ClassVar[str] = "npath"
    rules: str = "pmd6"

    def of(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        from codeacumen.languages.java.measures.npath import npath

        return list(zip(file.bodies, _with_bins(npath(file, self.rules)), strict=True))

    def of_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        import pyarrow.parquet as pq

        from codeacumen.corpus.facts import npath_column

        name = npath_column(self.rules)
        column = pq.read_table(shard / "measures.parquet", columns=[name])[name]
        measured_rows = iter(_with_bins(column.drop_null().to_numpy()))
        return [next(measured_rows) if valid else None for valid in column.is_valid().to_pylist()]


@dataclass(frozen=True, slots=True)
class OperatorCounts:
    """Number of occurrences of GLUECode's twelve operators in every method with a body."""

    name: ClassVar[str] = "operators"

    def of(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        from codeacumen.languages.java.measures.operators import OPERATORS, operators

        occurrences = operators(file)
        counts = np.zeros((len(file.declarations.methods), len(OPERATORS)), dtype=np.int64)
        np.add.at(counts, (occurrences.method, occurrences.which), 1)
        return [(method, _name_counts(counts[method])) for method in file.bodies]

    def of_shard(self, shard: Path) -> list[dict[str, Any] | None]:
        import pyarrow.parquet as pq

        from codeacumen.corpus.facts import arrays_of
        from codeacumen.languages.java.measures.operators import OPERATORS

        # NPath is null where a method has no body.
        names = ["operators", "npath_pmd6"]
        table = pq.read_table(shard / "measures.parquet", columns=names)
        has_body = table["npath_pmd6"].is_valid().to_pylist()
        return [
            _name_counts(np.bincount(codes, minlength=len(OPERATORS))) if body else None
            for codes, body in zip(arrays_of(table["operators"]), has_body, strict=True)
        ]


def _name_counts(counts: NDArray[np.int64]) -> dict[str, Any]:
    from codeacumen.languages.java.measures.operators import OPERATORS

    named = zip(OPERATORS, counts.tolist(), strict=True)
    return {"operators": {operator: count for operator, count in named if count}}


def _with_bins(values: NDArray[np.int64]) -> list[dict[str, Any]]:
    from codeacumen.languages.java.measures.npath import BINS, NO_BIN, bins_of

    bins = [None if place == NO_BIN else BINS[place] for place in bins_of(values).tolist()]
    return [
        {"value": value, "bin": bin_} for value, bin_ in zip(values.tolist(), bins, strict=True)
    ]


@dataclass(slots=True)
class Measured:
    """Measurements of some files: a row per measured method, the number of files that were read and
    of those with syntax errors (``broken``), and the files that could not be read."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    broken: int = 0
    skipped: list[tuple[str, Problem]] = field(default_factory=list)

    def add(self, other: Measured) -> None:
        """Append the rows and add the counts of other files."""
        self.rows += other.rows
        self.files += other.files
        self.broken += other.broken
        self.skipped += other.skipped


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Files of a project to measure, or a shard of a corpus."""

    measure: Measure
    project: str
    source: Project | None = None
    shard: Path | None = None
    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def measured(
    measure: Measure,
    places: Sequence[str],
    engine: Engine,
    cache: Path,
    step: Progress = ignore_progress,
) -> Iterator[Measured]:
    """Yield the measurements of all Java files of these sources, job by job, in order."""
    stretches = _stretches(measure, places, cache, step)
    # Results that arrived before their turn. Jobs that killed their worker are repeated at the end.
    waiting: dict[int, Measured] = {}
    turn = 0
    suspects: dict[int, WorkerLost] = {}
    for done, (place, outcome) in enumerate(engine.run(_work, stretches, LIMIT), 1):
        step("measuring", done, len(stretches))
        if isinstance(outcome, WorkerLost):
            suspects[place] = outcome
        else:
            waiting[place] = outcome
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1
    for place in range(turn, len(stretches)):
        if place in suspects:
            yield _one_by_one(stretches[place], engine, suspects[place])
        else:
            yield waiting.pop(place)


def _stretches(
    measure: Measure, places: Sequence[str], cache: Path, step: Progress
) -> list[_Stretch]:
    from codeacumen.corpus.manifest import NAME

    found: list[_Stretch] = []
    for place in places:
        if (Path(place) / NAME).is_file():
            found += _of_corpus(measure, Path(place))
        else:
            # One source at a time, so that two folders may have the same name.
            for project in projects([place], cache, step):
                found += _of_project(measure, project)
    return found


def _of_corpus(measure: Measure, folder: Path) -> Iterator[_Stretch]:
    from codeacumen.corpus import Corpus

    corpus = Corpus.open(folder.absolute())
    for project, shards in corpus.manifest.shards.items():
        for shard in shards:
            yield _Stretch(measure, project, shard=corpus.folder / "shards" / shard)


def _of_project(measure: Measure, project: Project) -> Iterator[_Stretch]:
    whole = _Stretch(measure, project.name, project)
    paths: list[str] = []
    problems: list[Problem] = []
    size = 0
    for entry in project.entries(JAVA):
        if isinstance(entry, Entry):
            paths.append(entry.path)
            size += entry.size
        else:
            problems.append(entry)
        if size >= STRETCH:
            yield replace(whole, paths=tuple(paths), problems=tuple(problems))
            paths, problems, size = [], [], 0
    if paths or problems:
        yield replace(whole, paths=tuple(paths), problems=tuple(problems))


def _work(stretch: _Stretch) -> Measured:
    if stretch.shard is not None:
        return _measured_shard(stretch, stretch.shard)
    found = Measured(skipped=[(stretch.project, problem) for problem in stretch.problems])
    for source in _sources(stretch):
        problem = source if isinstance(source, Problem) else _add(found, stretch, source)
        if problem is not None:
            found.skipped.append((stretch.project, problem))
    return found


def _measured_shard(stretch: _Stretch, shard: Path) -> Measured:
    import pyarrow.parquet as pq

    files = pq.read_table(shard / "files.parquet", columns=["language", "broken"]).to_pylist()
    broken = [file["broken"] for file in files if file["language"] == "java"]
    names = {"path": "file", "line": "line", "name": "method", "signature": "signature"}
    methods = pq.read_table(shard / "methods.parquet", columns=list(names))
    rows = [
        {"project": stretch.project, **method, **measures}
        for method, measures in zip(
            methods.rename_columns(names).to_pylist(), stretch.measure.of_shard(shard), strict=True
        )
        if measures is not None
    ]
    return Measured(rows, len(broken), sum(broken))


def _sources(stretch: _Stretch) -> Iterator[Source | Problem]:
    if stretch.source is not None:
        for path in stretch.paths:
            content = stretch.source.read(path)
            if isinstance(content, Problem):
                yield content
            else:
                yield read_source(printable(path), content, stretch.source.largest)


def _add(found: Measured, stretch: _Stretch, source: Source) -> Problem | None:
    """Add a file's rows to the measurements; return the problem if it cannot be measured."""
    try:
        file = JavaFile(source.data)
        declared, lines = file.declarations, line_starts(source.data)
        rows = []
        for place, told in stretch.measure.of(file):
            method = declared.methods[place]
            rows.append(
                {
                    "project": stretch.project,
                    "file": source.path,
                    "line": line_at(lines, int(file.syntax.start[method.node])),
                    "method": method.name,
                    "signature": signature(declared, method),
                    **told,
                }
            )
    except Exception as error:
        # A single bad file must not end a run; the problem is counted and reported.
        return Problem(source.path, "failed", f"{type(error).__name__}: {error}")
    found.rows += rows
    found.files += 1
    found.broken += file.syntax.broken
    return None


def _one_by_one(stretch: _Stretch, engine: Engine, died: WorkerLost) -> Measured:
    """Repeat a job that killed its worker file by file; only the lethal files are left out."""
    found = Measured(skipped=[(stretch.project, problem) for problem in stretch.problems])
    if stretch.shard is not None:
        raise CodeacumenError(
            f"{stretch.project}: the shard {stretch.shard.name} cannot be read: {died.why}",
            "fewer workers leave more memory to each: --workers 1",
        )
    paths = stretch.paths
    single = [replace(stretch, paths=(path,), problems=()) for path in paths]
    outcomes = dict(engine.run(_work, single, LIMIT)) if len(single) > 1 else {0: died}
    for place, path in enumerate(paths):
        outcome = outcomes[place]
        if isinstance(outcome, WorkerLost):
            found.skipped.append((stretch.project, Problem(path, "lethal", outcome.why)))
            continue
        found.rows += outcome.rows
        found.files += outcome.files
        found.broken += outcome.broken
        found.skipped += outcome.skipped
    return found
