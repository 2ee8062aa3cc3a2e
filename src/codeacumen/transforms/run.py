"""Transforms a whole corpus, shard by shard, into a file of variants as JSON lines.

The variants are certified if the request says so; the changed files can be written as well. Used by
``codeacumen.transform`` and the command of that name.
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

# Seconds that one shard may take.
LIMIT = 1800.0


@dataclass(frozen=True, slots=True)
class Order:
    """Request for variants: kinds, modes, seed and level of certification.

    ``refused``: also write lines for refused locations.
    """

    kinds: tuple[str, ...]
    where: tuple[str, ...] = ("single",)
    seed: int = 0
    level: str = "none"
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to transform.

    ``shards`` are all shards of its project, which provide the types of other files.
    """

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    order: Order
    part: Path


@dataclass(slots=True)
class Counts:
    """Counts of locations by kind, of refused ones by kind and reason, of variants by kind and
    mode, and of methods that a transformation failed on, by kind and reason."""

    found: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    unmade: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add the counts of another shard."""
        # Unlike ``+=``, ``update`` keeps kinds whose count is zero.
        self.found.update(other.found)
        self.refused.update(other.refused)
        self.made.update(other.made)
        self.unmade.update(other.unmade)


def make_part(job: Job) -> Counts:
    """Write the lines of one shard to a file of its own and return the counts.

    The key ``_`` holds what certification needs and ``write_variants`` removes: the edits of the
    decoded text, and the variant's reach.
    """
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
    """Yield the method, the JSON row, and the variant (None for a refused location)."""
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
    """Add the certificate of our own front end to the row of each variant of a file."""
    subjects = [
        Subject(place, "", variant.edits, reaches.of(variant))
        for place, (_, _, variant) in enumerate(rows)
        if variant is not None
    ]
    for place, certificate in own_certificates(file, subjects, level).items():
        rows[place][1]["certificate"] = certificate.json()


def _told_edits(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Return the edits as JSON objects."""
    return [
        {"start": one.start, "end": one.end, "text": one.text.decode("utf-8", "replace")}
        for one in edits
    ]


def in_project(corpus: Path, shards: tuple[str, ...], path: str, source: bytes) -> JavaFile:
    """Return a file of a corpus's project that resolves types in all files of the project's
    shards."""
    project, _ = world_of(corpus, shards)
    file = JavaFile(source)
    file.keep(Types, Types(file, project, path))
    return file


def with_project(files: Mapping[str, JavaFile]) -> None:
    """Let the files of one project resolve each other's types."""
    project = Project([(path, declared_by(file)) for path, file in files.items()], platform())
    for path, file in files.items():
        file.keep(Types, Types(file, project, path))


class Reaches:
    """Computes a variant's reach: the range that covers its edits and the outermost method around
    them."""

    def __init__(self, file: JavaFile) -> None:
        self.code = code_of(file)
        self.outermost: dict[int, tuple[int, int]] = {}
        around = (0, 0)
        for place, node in sorted(self.code.bodies, key=lambda one: one[1]):
            span = self.code.span(node)
            around = around if span[1] <= around[1] else span
            self.outermost[place] = around

    def of(self, variant: Variant) -> tuple[int, int]:
        """Return the start and end of a variant's reach, in bytes."""
        start, end = self.outermost[variant.method]
        for edit in variant.edits:
            start, end = min(start, edit.start), max(end, edit.end)
        return start, end


def _method_ids(folder: Path) -> dict[tuple[str, int], str]:
    """Return the id of each method in a shard, by the file's id and the method's index."""
    table = pq.read_table(folder / "methods.parquet", columns=["file_id", "place", "method_id"])
    columns = [table[name].to_pylist() for name in table.column_names]
    return {(str(file), place): str(one) for file, place, one in zip(*columns, strict=True)}


@dataclass(frozen=True, slots=True)
class _Read:
    """A file of the corpus: decoded, without its byte order mark.

    ``mark``: the file on disk begins with a byte order mark.
    """

    id: str
    project: str
    path: str
    text: str
    encoding: str
    mark: bool

    def on_disk(self, edits: Sequence[Edit]) -> Sequence[Edit]:
        """Return the edits with offsets into the file on disk."""
        if self.encoding == "utf-8" and not self.mark:
            return edits
        data = self.text.encode()
        ahead = len("\ufeff".encode(self.encoding)) if self.mark else 0

        def place(offset: int) -> int:
            before = data[:offset].decode("utf-8", "replace")
            return ahead + len(before.encode(self.encoding, "replace"))

        return [Edit(place(one.start), place(one.end), one.text) for one in edits]


def java_files(folder: Path) -> Iterator[_Read]:
    """Yield the Java files of a shard."""
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
    """Return the Java files of a project by path."""
    wanted = "select path, source from files where project = ? and language = 'java'"
    table = corpus.query(wanted, [project])
    columns = (table["path"].to_pylist(), table["source"].to_pylist())
    return {path: text.encode() for path, text in zip(*columns, strict=True)}


def by_project(corpus: Corpus, of_shards: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
    """Yield each project with the items of its shards, given one item per shard in order."""
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
    """Write one file of lines for each shard; return the files in the corpus's order, and the
    counts."""
    jobs: list[Job] = []
    for shards in corpus.manifest.shards.values():
        for shard in shards:
            part = folder / f"{len(jobs):06}.jsonl"
            jobs.append(Job(corpus.folder, shard, tuple(shards), order, part))
    counts = Counts()
    for done, (place, outcome) in enumerate(engine.run(make_part, jobs, LIMIT), 1):
        if isinstance(outcome, WorkerLost):
            raise CodeacumenError(f"shard {jobs[place].shard} cannot be transformed: {outcome.why}")
        counts.add(outcome)
        step("transforming", done, len(jobs))
    return [job.part for job in jobs], counts


Row = dict[str, Any]


@dataclass(slots=True)
class Delivered:
    """Result of a run.

    ``failed`` counts variants by kind, level and reason; methods where a transformation failed and
    made no variants.
    """

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
    """Write the lines of all variants to ``out``, which appears when it is complete.

    With ``write``, write the changed files to that folder, too.
    """
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
    """Return whether the request needs a compiler."""
    return level_of(order.level) >= level_of("compiles")


def _rows_of_parts(parts: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of several files of lines."""
    for part in parts:
        with part.open(encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)


def _certified(
    rows: list[Row], sources: Mapping[str, bytes], order: Order, means: Means, step: Progress
) -> list[Row]:
    """Set the certificates of a project's rows, and return the rows."""
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
    """Return the edits of the decoded text from a row."""
    return tuple(Edit(one["start"], one["end"], one["text"].encode()) for one in row["_"][0])


class _Writer:
    """Writes changed files.

    In mode ``single``, each variant gets a folder named after its line. In the other modes, the
    whole project is written once, with all methods changed that are not inside another changed
    method.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.together: dict[str, dict[str, list[tuple[tuple[int, int], tuple[Edit, ...]]]]] = {}

    def add(self, line: int, row: Row, sources: Mapping[str, bytes]) -> None:
        """Write a variant, or keep it until the project is complete."""
        path = row["file"]
        if row["where"] == "single":
            self._write(f"{line + 1:06}", path, apply(sources[path], _edits(row)))
            return
        start, end = row["_"][1]
        files = self.together.setdefault(f"{row['kind']}-{row['where'].rstrip('%')}", {})
        mine = files.setdefault(path, [])
        # Methods are in order, so an earlier one that ends after this one begins contains it.
        if not mine or mine[-1][0][1] <= start:
            mine.append(((start, end), _edits(row)))

    def finish(self, project: str, sources: Mapping[str, bytes]) -> None:
        """Write the files of a project with all kept variants applied."""
        for name, files in self.together.items():
            for path, source in sources.items():
                edits = sorted(edit for _, several in files.get(path, ()) for edit in several)
                self._write(f"{name}/{project}", path, apply(source, edits))
        self.together.clear()

    def _write(self, folder: str, path: str, data: bytes) -> None:
        file = self.folder / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
