"""All variants of a corpus, shard by shard, as lines of JSON.

A corpus's variants, certified, in one file of lines; and the changed files themselves.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq

from codeacumen.api import CodeacumenError
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus import Corpus
from codeacumen.corpus.link import world_of
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.resolve.facts import declared_by
from codeacumen.languages.java.resolve.link import Project
from codeacumen.languages.java.resolve.static_types import Types
from codeacumen.languages.java.resolve.world import platform
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import UNMADE, Certificate, level_of, without_place
from codeacumen.transforms.certify.projects import Means, certify
from codeacumen.transforms.certify.reading import Subject, own_certificates
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import Edit, apply
from codeacumen.transforms.variants import Variant, tried

T = TypeVar("T")

# Seconds a shard may take.
LIMIT = 1800.0


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for. ``refused``: lines for refused locations too."""

    kinds: tuple[str, ...]
    where: tuple[str, ...] = ("single",)
    seed: int = 0
    level: str = "none"
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to be transformed; ``shards`` are all of its project, whose types it may use."""

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    order: Order
    part: Path


@dataclass(slots=True)
class Counts:
    """Locations found and refused, by kind and reason; variants made, by kind and where; methods
    that a transformation failed on, by kind and reason."""

    found: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    unmade: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        # Unlike ``+=`` this keeps a kind of which nothing was found.
        self.found.update(other.found)
        self.refused.update(other.refused)
        self.made.update(other.made)
        self.unmade.update(other.unmade)


def make_part(job: Job) -> Counts:
    """The lines of one shard, into a file of its own. ``_`` holds what certifying needs and the
    lines that a person gets do not: the edits of the text as it was read, and their reach."""
    counts = Counts()
    folder = job.corpus / "shards" / job.shard
    ids = _method_ids(folder)
    part = job.part.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        for found in java_files(folder):
            file = in_project(job.corpus, job.shards, found.path, found.text.encode())
            reaches = Reaches(file)
            rows = list(_rows(file, job.order, counts))
            if job.order.level != "none":
                _certify(file, rows, reaches, job.order.level)
            for method, row, variant in rows:
                told: dict[str, Any] = {
                    "project": found.project,
                    "file": found.path,
                    "method_id": ids[found.id, method],
                    "method": file.declarations.methods[method].name,
                    "line": reaches.code.line(file.declarations.methods[method].node),
                    **row,
                }
                if variant is not None:
                    told["edits"] = _told_edits(found.on_disk(variant.edits))
                    told["_"] = [_told_edits(variant.edits), reaches.of(variant)]
                stream.write(json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n")
    part.replace(job.part)
    return counts


def _rows(
    file: JavaFile, order: Order, counts: Counts
) -> Iterator[tuple[int, dict[str, Any], Variant | None]]:
    """The method, what is told of a variant or of a refused location, and the variant."""
    for kind in order.kinds:
        for method in file.bodies:
            found, variants, why = tried(file, kind, order.where, method, order.seed)
            if why:
                counts.unmade[kind, why] += 1
            counts.found[kind] += len(found)
            for one in found:
                if one.refused:
                    counts.refused[kind, one.refused] += 1
                    if order.refused:
                        told = {"kind": kind, "locations": [one.id], "refused": one.refused}
                        yield method, told, None
            for variant in variants:
                counts.made[kind, variant.where] += 1
                row: dict[str, Any] = {"kind": kind, "where": variant.where}
                row["locations"] = list(variant.locations)
                if variant.doubt:
                    row["doubt"] = variant.doubt._asdict()
                yield method, row, variant


def _certify(
    file: JavaFile,
    rows: Sequence[tuple[int, dict[str, Any], Variant | None]],
    reaches: Reaches,
    level: str,
) -> None:
    """Tell what our own front end knows of each variant of a file."""
    subjects = [
        Subject(place, "", variant.edits, reaches.of(variant))
        for place, (_, _, variant) in enumerate(rows)
        if variant is not None
    ]
    for place, certificate in own_certificates(file, subjects, level).items():
        rows[place][1]["certificate"] = certificate.json()


def _told_edits(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    return [
        {"start": one.start, "end": one.end, "text": one.text.decode("utf-8", "replace")}
        for one in edits
    ]


def in_project(corpus: Path, shards: tuple[str, ...], path: str, source: bytes) -> JavaFile:
    """A file of a corpus's project, all of whose shards are given: it knows the types of the other
    files."""
    project, _ = world_of(corpus, shards)
    file = JavaFile(source)
    file.keep(Types, Types(file, project, path))
    return file


def with_project(files: Mapping[str, JavaFile]) -> None:
    """Files of one project, told of each other: what a type of another file is, is known then."""
    project = Project([(path, declared_by(file)) for path, file in files.items()], platform())
    for path, file in files.items():
        file.keep(Types, Types(file, project, path))


class Reaches:
    """The bytes that a variant's edits and the outermost method around them lie in."""

    def __init__(self, file: JavaFile) -> None:
        self.code = code_of(file)
        self.outermost: dict[int, tuple[int, int]] = {}
        around = (0, 0)
        for place, node in sorted(self.code.bodies, key=lambda one: one[1]):
            span = self.code.span(node)
            around = around if span[1] <= around[1] else span
            self.outermost[place] = around

    def of(self, variant: Variant) -> tuple[int, int]:
        start, end = self.outermost[variant.method]
        for edit in variant.edits:
            start, end = min(start, edit.start), max(end, edit.end)
        return start, end


def _method_ids(folder: Path) -> dict[tuple[str, int], str]:
    table = pq.read_table(folder / "methods.parquet", columns=["file_id", "place", "method_id"])
    columns = [table[name].to_pylist() for name in table.column_names]
    return {(str(file), place): str(one) for file, place, one in zip(*columns, strict=True)}


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as the corpus holds it: UTF-8, without the mark that it may have begun with."""

    id: str
    project: str
    path: str
    text: str
    encoding: str
    mark: bool

    def on_disk(self, edits: Sequence[Edit]) -> Sequence[Edit]:
        """Edits with the places they have in the file itself."""
        if self.encoding == "utf-8" and not self.mark:
            return edits
        data = self.text.encode()
        ahead = len("\ufeff".encode(self.encoding)) if self.mark else 0

        def place(offset: int) -> int:
            before = data[:offset].decode("utf-8", "replace")
            return ahead + len(before.encode(self.encoding, "replace"))

        return [Edit(place(one.start), place(one.end), one.text) for one in edits]


def java_files(folder: Path) -> Iterator[_Read]:
    names = ["file_id", "project", "path", "source", "language", "encoding"]
    table = pq.read_table(folder / "files.parquet", columns=names)
    problems = pq.read_table(folder / "problems.parquet", columns=["path", "kind"]).to_pylist()
    marked = {row["path"] for row in problems if row["kind"] == "byte order mark"}
    for row in table.to_pylist():
        if row["language"] == "java":
            path = row["path"]
            yield _Read(
                str(row["file_id"]),
                row["project"],
                path,
                row["source"],
                row["encoding"],
                path in marked,
            )


def sources_of(corpus: Corpus, project: str) -> dict[str, bytes]:
    """The Java files of a project, by their paths."""
    wanted = "select path, source from files where project = ? and language = 'java'"
    table = corpus.query(wanted, [project])
    columns = (table["path"].to_pylist(), table["source"].to_pylist())
    return {path: text.encode() for path, text in zip(*columns, strict=True)}


def by_project(corpus: Corpus, of_shards: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
    """Each project, and those of its shards, where there is one of each shard, in order."""
    at = 0
    for project, shards in corpus.manifest.shards.items():
        yield project, of_shards[at : at + len(shards)]
        at += len(shards)


def make_parts(
    corpus: Corpus,
    order: Order,
    engine: Engine,
    folder: Path,
    step: Progress,
) -> tuple[list[Path], Counts]:
    """One file of lines for each shard, in the corpus's order, and what they hold."""
    jobs: list[Job] = []
    for shards in corpus.manifest.shards.values():
        for shard in shards:
            part = folder / f"{len(jobs):06}.jsonl"
            jobs.append(Job(corpus.folder, shard, tuple(shards), order, part))
    counts = Counts()
    for done, (place, outcome) in enumerate(engine.run(make_part, jobs, LIMIT), 1):
        if isinstance(outcome, WorkerLost):
            raise CodeacumenError(f"{jobs[place].shard} cannot be transformed: {outcome.why}")
        counts.add(outcome)
        step("transforming", done, len(jobs))
    return [job.part for job in jobs], counts


Row = dict[str, Any]


@dataclass(slots=True)
class Delivered:
    """What was made. ``failed`` counts variants by kind, level and reason; methods, where none
    could be made of them."""

    counts: Counts
    failed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lines: int = 0


def deliver(
    corpus: Corpus,
    order: Order,
    engine: Engine,
    out: Path,
    means: Means,
    step: Progress = ignore_progress,
    write: Path | None = None,
) -> Delivered:
    """Write the lines of all variants; the file appears when all of them are there. With
    ``write``, the changed files too."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".codeacumen-", dir=out.parent) as name:
        parts, counts = make_parts(corpus, order, engine, Path(name), step)
        found = Delivered(counts)
        for (kind, why), methods in counts.unmade.items():
            found.failed[kind, UNMADE, without_place(why)] += methods
        done = Path(name) / "all"
        writer = _Writer(write) if write else None
        with done.open("w", encoding="utf-8") as stream:
            for project, mine in by_project(corpus, parts):
                sources = sources_of(corpus, project) if writer or _compiled(order) else {}
                rows = _rows_of_parts(mine)
                if _compiled(order):
                    rows = iter(_certified(list(rows), sources, order, means, step))
                for row in rows:
                    certificate = row.get("certificate", {})
                    if certificate.get("failed"):
                        why = without_place(certificate["why"])
                        found.failed[row["kind"], certificate["failed"], why] += 1
                    if writer and "_" in row:
                        writer.add(found.lines, row, sources)
                    row.pop("_", None)
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                    found.lines += 1
                if writer:
                    writer.finish(project, sources)
        done.replace(out)
    return found


def _compiled(order: Order) -> bool:
    return level_of(order.level) >= level_of("compiles")


def _rows_of_parts(parts: Sequence[Path]) -> Iterator[Row]:
    for part in parts:
        with part.open(encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)


def _certified(
    rows: list[Row], sources: Mapping[str, bytes], order: Order, means: Means, step: Progress
) -> list[Row]:
    made = [row for row in rows if "_" in row]
    known = [Certificate(**row["certificate"]) for row in made]
    subjects = [
        Subject(place, row["file"], _edits(row), (row["_"][1][0], row["_"][1][1]))
        for place, row in enumerate(made)
    ]
    certificates = certify(subjects, known, sources, order.level, means, step)
    for row, certificate in zip(made, certificates, strict=True):
        row["certificate"] = certificate.json()
    return rows


def _edits(row: Row) -> tuple[Edit, ...]:
    return tuple(Edit(one["start"], one["end"], one["text"].encode()) for one in row["_"][0])


class _Writer:
    """Changed files: of single places each variant in a folder named by its line; else the whole
    project, every method changed that is not inside another one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.together: dict[str, dict[str, list[tuple[tuple[int, int], tuple[Edit, ...]]]]] = {}

    def add(self, line: int, row: Row, sources: Mapping[str, bytes]) -> None:
        path = row["file"]
        if row["where"] == "single":
            self._write(f"{line + 1:06}", path, apply(sources[path], _edits(row)))
            return
        start, end = row["_"][1]
        files = self.together.setdefault(f"{row['kind']}-{row['where'].rstrip('%')}", {})
        mine = files.setdefault(path, [])
        # Methods come in order: what ends after this one begins holds it.
        if not mine or mine[-1][0][1] <= start:
            mine.append(((start, end), _edits(row)))

    def finish(self, project: str, sources: Mapping[str, bytes]) -> None:
        for name, files in self.together.items():
            for path, source in sources.items():
                edits = sorted(edit for _, several in files.get(path, ()) for edit in several)
                self._write(f"{name}/{project}", path, apply(source, edits))
        self.together.clear()

    def _write(self, folder: str, path: str, data: bytes) -> None:
        file = self.folder / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
