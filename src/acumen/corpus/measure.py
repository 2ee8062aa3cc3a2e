"""What a measure says of the methods of any Java there is: files, folders, archives, corpora.

A measure looks at one file at a time. Stretches of files go to an engine; what comes back is handed
on in the order of the files, so it is the same whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol

from acumen.core.progress import Progress, ignore_progress
from acumen.corpus.engines import Died, Engine
from acumen.corpus.ids import signature
from acumen.corpus.reading import Problem, Source, read_source
from acumen.corpus.shards import printable
from acumen.corpus.sources import Entry, Project, projects
from acumen.lang.java.file import JavaFile
from acumen.lang.lines import line_at, line_starts

JAVA = (".java",)
# Bytes of source after which a stretch ends: many for each worker, so that all end together.
STRETCH = 1 << 20
# Seconds; the first file of a fresh installation waits until the kernels are compiled.
LIMIT = 1800.0


class Measure(Protocol):
    """It goes to other processes, so it is small and can be sent."""

    @property
    def name(self) -> str: ...

    def of(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        """What is to be told of methods, by their places in ``declarations.methods``."""
        ...


@dataclass(frozen=True, slots=True)
class NPath:
    """NPath of every method with a body, and its class in GLUECode's task."""

    name: ClassVar[str] = "npath"
    rules: str = "pmd6"

    def of(self, file: JavaFile) -> list[tuple[int, dict[str, Any]]]:
        from acumen.lang.java.npath import BINS, NO_BIN, bins_of, npath

        values = npath(file, self.rules)
        bins = [None if place == NO_BIN else BINS[place] for place in bins_of(values).tolist()]
        told = zip(file.bodies, values.tolist(), bins, strict=True)
        return [(place, {"value": value, "bin": bin_}) for place, value, bin_ in told]


@dataclass(slots=True)
class Measured:
    """Of a stretch of files, or of all: a row for each method that is told of; how many files were
    read, and how many of them are no Java somewhere; files that could not be read, and why."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    files: int = 0
    broken: int = 0
    skipped: list[tuple[str, Problem]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Files of a project; or of a shard of a corpus (``shard``), all of them if none is named."""

    measure: Measure
    project: str
    source: Project | None = None
    shard: Path | None = None
    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def measured(
    measure: Measure, places: Sequence[str], engine: Engine, cache: Path,
    step: Progress = ignore_progress,
) -> Iterator[Measured]:  # fmt: skip
    """What the measure says of all Java in these places, stretch by stretch."""
    stretches = _stretches(measure, places, cache, step)
    # Results that came before their turn; a stretch that ended its process has none yet.
    waiting: dict[int, Measured] = {}
    turn = 0
    suspects: dict[int, Died] = {}
    for done, (place, outcome) in enumerate(engine.run(_work, stretches, LIMIT), 1):
        step("measuring", done, len(stretches))
        if isinstance(outcome, Died):
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
    from acumen.corpus.manifest import NAME

    found: list[_Stretch] = []
    for place in places:
        if (Path(place) / NAME).is_file():
            found += _of_corpus(measure, Path(place))
        else:
            # One at a time: two folders of the same name are no trouble here.
            for project in projects([place], cache, step):
                found += _of_project(measure, project)
    return found


def _of_corpus(measure: Measure, folder: Path) -> Iterator[_Stretch]:
    from acumen.corpus import Corpus

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
    found = Measured(skipped=[(stretch.project, problem) for problem in stretch.problems])
    for source in _sources(stretch):
        problem = source if isinstance(source, Problem) else _add(found, stretch, source)
        if problem is not None:
            found.skipped.append((stretch.project, problem))
    return found


def _sources(stretch: _Stretch) -> Iterator[Source | Problem]:
    if stretch.shard is not None:
        import pyarrow.parquet as pq

        names = ["path", "source", "language", "encoding"]
        for row in pq.read_table(stretch.shard / "files.parquet", columns=names).to_pylist():
            wanted = not stretch.paths or row["path"] in stretch.paths
            if row["language"] == "java" and wanted:
                yield Source(row["path"], row["source"].encode(), row["encoding"])
    elif stretch.source is not None:
        for path in stretch.paths:
            content = stretch.source.read(path)
            if isinstance(content, Problem):
                yield content
            else:
                yield read_source(printable(path), content, stretch.source.largest)


def _add(found: Measured, stretch: _Stretch, source: Source) -> Problem | None:
    """A file's rows; why there are none if it cannot be measured."""
    try:
        file = JavaFile(source.data)
        declared, lines = file.declarations, line_starts(source.data)
        rows = []
        for place, told in stretch.measure.of(file):
            method = declared.methods[place]
            rows.append({
                "project": stretch.project,
                "file": source.path,
                "line": line_at(lines, int(file.syntax.start[method.node])),
                "method": method.name,
                "signature": signature(declared, method),
                **told,
            })  # fmt: skip
    except Exception as error:
        # One bad file never ends a run; what went wrong is told, and counted.
        return Problem(source.path, "failed", f"{type(error).__name__}: {error}")
    found.rows += rows
    found.files += 1
    found.broken += file.syntax.broken
    return None


def _one_by_one(stretch: _Stretch, engine: Engine, died: Died) -> Measured:
    """A stretch whose process was lost, file by file: only the one that does it is left out."""
    found = Measured(skipped=[(stretch.project, problem) for problem in stretch.problems])
    paths = stretch.paths
    if stretch.shard is not None:
        paths = tuple(one.path for one in _sources(stretch))
    single = [replace(stretch, paths=(path,), problems=()) for path in paths]
    outcomes = dict(engine.run(_work, single, LIMIT)) if len(single) > 1 else {0: died}
    for place, path in enumerate(paths):
        outcome = outcomes[place]
        if isinstance(outcome, Died):
            found.skipped.append((stretch.project, Problem(path, "lethal", outcome.why)))
            continue
        found.rows += outcome.rows
        found.files += outcome.files
        found.broken += outcome.broken
        found.skipped += outcome.skipped
    return found
