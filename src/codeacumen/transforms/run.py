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
from codeacumen.corpus.link import load_world
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.resolve.facts import extract_declarations
from codeacumen.languages.java.resolve.link import JavaProject
from codeacumen.languages.java.resolve.static_types import StaticTypes
from codeacumen.languages.java.resolve.world import load_platform
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.certify import UNMADE, Certificate, level_index, strip_location
from codeacumen.transforms.certify.front_end import Subject, own_certificates
from codeacumen.transforms.certify.projects import CertificationTools, certify_variants
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import Edit, apply_edits
from codeacumen.transforms.variants import Variant, try_variants

T = TypeVar("T")

# Seconds that one shard may take.
SHARD_TIMEOUT = 1800.0


@dataclass(frozen=True, slots=True)
class TransformRequest:
    """Request for variants: kinds, modes, seed and level of certification.

    ``kinds`` are keys of ``variants.KINDS`` or ``PUBLISHED``, joined by ``+`` in a sequence;
    ``modes`` are ``single``, ``all`` or a share such as ``25%``; ``level`` is one of
    ``certify.LEVELS``. ``refused``: also write lines for refused locations.
    """

    kinds: tuple[str, ...]
    modes: tuple[str, ...] = ("single",)
    seed: int = 0
    level: str = "none"
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A shard to transform.

    ``shards`` are all shards of its project, which provide the types of other files. ``part`` is
    the file for the shard's lines.
    """

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    request: TransformRequest
    part: Path


@dataclass(slots=True)
class TransformCounts:
    """Counts of locations by kind, of refused ones by kind and reason, of variants by kind and
    mode, and of methods that a transformation failed on, by kind and reason."""

    locations: Counter[str] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    variants: Counter[tuple[str, str]] = field(default_factory=Counter)
    failed_methods: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add_counts(self, other: TransformCounts) -> None:
        """Add the counts of another shard."""
        # Unlike ``+=``, ``update`` keeps kinds whose count is zero.
        self.locations.update(other.locations)
        self.refused.update(other.refused)
        self.variants.update(other.variants)
        self.failed_methods.update(other.failed_methods)


def make_part(job: Job) -> TransformCounts:
    """Write the lines of one shard to a file of its own and return the counts.

    The key ``_`` holds what certification needs and ``write_variants`` removes: the edits of the
    decoded text, and the variant's reach.
    """
    counts = TransformCounts()
    folder = job.corpus / "shards" / job.shard
    ids = _method_ids(folder)
    part = job.part.with_suffix(".part")
    with part.open("w", encoding="utf-8") as stream:
        for corpus_file in iterate_java_files(folder):
            file = open_in_project(
                job.corpus, job.shards, corpus_file.path, corpus_file.text.encode()
            )
            reaches = ReachIndex(file)
            rows = list(_make_rows(file, job.request, counts))
            if job.request.level != "none":
                _add_own_certificates(file, rows, reaches, job.request.level)
            for method, row, variant in rows:
                line: dict[str, Any] = {
                    "project": corpus_file.project,
                    "file": corpus_file.path,
                    "method_id": ids[corpus_file.id, method],
                    "method": file.declarations.methods[method].name,
                    "line": reaches.code.line_number(file.declarations.methods[method].node),
                    **row,
                }
                if variant is not None:
                    line["edits"] = _edits_to_json(corpus_file.edits_on_disk(variant.edits))
                    line["_"] = [_edits_to_json(variant.edits), reaches.reach_of(variant)]
                stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    part.replace(job.part)
    return counts


def _make_rows(
    file: JavaFile, request: TransformRequest, counts: TransformCounts
) -> Iterator[tuple[int, dict[str, Any], Variant | None]]:
    """Yield the method's index, the JSON row, and the variant (None for a refused location); add to
    ``counts``."""
    for kind in request.kinds:
        for method in file.bodies:
            locations, variants, error = try_variants(
                file, kind, request.modes, method, request.seed
            )
            if error:
                counts.failed_methods[kind, error] += 1
            counts.locations[kind] += len(locations)
            for location in locations:
                if location.refused:
                    counts.refused[kind, location.refused] += 1
                    if request.refused:
                        refusal = {
                            "kind": kind,
                            "locations": [location.id],
                            "refused": location.refused,
                        }
                        yield method, refusal, None
            for variant in variants:
                counts.variants[kind, variant.where] += 1
                row: dict[str, Any] = {"kind": kind, "where": variant.where}
                row["locations"] = list(variant.locations)
                if variant.doubt:
                    row["doubt"] = variant.doubt._asdict()
                yield method, row, variant


def _add_own_certificates(
    file: JavaFile,
    rows: Sequence[tuple[int, dict[str, Any], Variant | None]],
    reaches: ReachIndex,
    level: str,
) -> None:
    """Add the certificate of our own front end to the row of each variant of a file."""
    subjects = [
        Subject(index, "", variant.edits, reaches.reach_of(variant))
        for index, (_, _, variant) in enumerate(rows)
        if variant is not None
    ]
    for index, certificate in own_certificates(file, subjects, level).items():
        rows[index][1]["certificate"] = certificate.to_json()


def _edits_to_json(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    """Return the edits as JSON objects."""
    return [
        {"start": edit.start, "end": edit.end, "text": edit.text.decode("utf-8", "replace")}
        for edit in edits
    ]


def open_in_project(corpus: Path, shards: tuple[str, ...], path: str, source: bytes) -> JavaFile:
    """Return a file of a corpus's project that resolves types in all files of the project's
    shards."""
    project, _ = load_world(corpus, shards)
    file = JavaFile(source)
    file.store_result(StaticTypes, StaticTypes(file, project, path))
    return file


def link_project(files: Mapping[str, JavaFile]) -> None:
    """Let the files of one project resolve each other's types."""
    project = JavaProject(
        [(path, extract_declarations(file)) for path, file in files.items()], load_platform()
    )
    for path, file in files.items():
        file.store_result(StaticTypes, StaticTypes(file, project, path))


class ReachIndex:
    """Computes a variant's reach: the range that covers its edits and the outermost method around
    them."""

    def __init__(self, file: JavaFile) -> None:
        self.code = code_of(file)
        # Span of the outermost method around each method, in bytes, by the method's index.
        self.outermost: dict[int, tuple[int, int]] = {}
        around = (0, 0)
        for index, node in sorted(self.code.methods_with_body, key=lambda item: item[1]):
            span = self.code.span(node)
            around = around if span[1] <= around[1] else span
            self.outermost[index] = around

    def reach_of(self, variant: Variant) -> tuple[int, int]:
        """Return the start and end of a variant's reach, in bytes."""
        start, end = self.outermost[variant.method]
        for edit in variant.edits:
            start, end = min(start, edit.start), max(end, edit.end)
        return start, end


def _method_ids(folder: Path) -> dict[tuple[str, int], str]:
    """Return the id of each method in a shard, by the file's id and the method's index (the
    column ``place``)."""
    table = pq.read_table(folder / "methods.parquet", columns=["file_id", "place", "method_id"])
    columns = [table[name].to_pylist() for name in table.column_names]
    return {
        (str(file), index): str(method_id) for file, index, method_id in zip(*columns, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _CorpusFile:
    """A file of the corpus: decoded, without its byte order mark.

    ``has_byte_order_mark``: the file on disk begins with one.
    """

    id: str
    project: str
    path: str
    text: str
    encoding: str
    has_byte_order_mark: bool

    def edits_on_disk(self, edits: Sequence[Edit]) -> Sequence[Edit]:
        """Return the edits with offsets into the file on disk."""
        if self.encoding == "utf-8" and not self.has_byte_order_mark:
            return edits
        data = self.text.encode()
        mark_length = len("\ufeff".encode(self.encoding)) if self.has_byte_order_mark else 0

        def offset_on_disk(offset: int) -> int:
            before = data[:offset].decode("utf-8", "replace")
            return mark_length + len(before.encode(self.encoding, "replace"))

        return [
            Edit(offset_on_disk(edit.start), offset_on_disk(edit.end), edit.text) for edit in edits
        ]


def iterate_java_files(folder: Path) -> Iterator[_CorpusFile]:
    """Yield the Java files of a shard."""
    names = ["file_id", "project", "path", "source", "language", "encoding"]
    table = pq.read_table(folder / "files.parquet", columns=names)
    problems = pq.read_table(folder / "problems.parquet", columns=["path", "kind"]).to_pylist()
    marked = {row["path"] for row in problems if row["kind"] == "byte order mark"}
    for row in table.to_pylist():
        if row["language"] == "java":
            path = row["path"]
            yield _CorpusFile(
                str(row["file_id"]),
                row["project"],
                path,
                row["source"],
                row["encoding"],
                path in marked,
            )


def load_java_sources(corpus: Corpus, project: str) -> dict[str, bytes]:
    """Return the Java files of a project by path, encoded as UTF-8."""
    query = "select path, source from files where project = ? and language = 'java'"
    table = corpus.query(query, [project])
    columns = (table["path"].to_pylist(), table["source"].to_pylist())
    return {path: text.encode() for path, text in zip(*columns, strict=True)}


def group_by_project(corpus: Corpus, shard_items: Sequence[T]) -> Iterator[tuple[str, Sequence[T]]]:
    """Yield each project with the items of its shards, given one item per shard in order."""
    start = 0
    for project, shards in corpus.manifest.shards.items():
        yield project, shard_items[start : start + len(shards)]
        start += len(shards)


def make_parts(
    corpus: Corpus,
    request: TransformRequest,
    engine: Engine,
    folder: Path,
    step: Progress,
) -> tuple[list[Path], TransformCounts]:
    """Write one file of lines for each shard; return the files in the corpus's order, and the
    counts."""
    jobs: list[Job] = []
    for shards in corpus.manifest.shards.values():
        for shard in shards:
            part = folder / f"{len(jobs):06}.jsonl"
            jobs.append(Job(corpus.folder, shard, tuple(shards), request, part))
    counts = TransformCounts()
    for done_count, (index, outcome) in enumerate(engine.run(make_part, jobs, SHARD_TIMEOUT), 1):
        if isinstance(outcome, WorkerLost):
            raise CodeacumenError(
                f"shard {jobs[index].shard} cannot be transformed: {outcome.reason}"
            )
        counts.add_counts(outcome)
        step("transforming", done_count, len(jobs))
    return [job.part for job in jobs], counts


Row = dict[str, Any]


@dataclass(slots=True)
class TransformSummary:
    """Result of a run.

    ``failed`` counts failed variants by kind, level of certification and reason, and under the
    level ``made`` the methods on which a transformation itself failed. ``lines`` is the number of
    lines written.
    """

    counts: TransformCounts
    failed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lines: int = 0


def write_variants(
    corpus: Corpus,
    request: TransformRequest,
    engine: Engine,
    out: Path,
    tools: CertificationTools,
    step: Progress = ignore_progress,
    write: Path | None = None,
) -> TransformSummary:
    """Write the lines of all variants to ``out``, which appears when it is complete.

    If ``write`` is a folder, write the changed files there, too.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".codeacumen-", dir=out.parent) as name:
        parts, counts = make_parts(corpus, request, engine, Path(name), step)
        summary = TransformSummary(counts)
        for (kind, reason), methods in counts.failed_methods.items():
            summary.failed[kind, UNMADE, strip_location(reason)] += methods
        lines_file = Path(name) / "all"
        writer = _ProjectWriter(write) if write else None
        with lines_file.open("w", encoding="utf-8") as stream:
            for project, project_parts in group_by_project(corpus, parts):
                sources = (
                    load_java_sources(corpus, project) if writer or _needs_compiler(request) else {}
                )
                rows = _read_rows(project_parts)
                if _needs_compiler(request):
                    rows = iter(_certify_rows(list(rows), sources, request, tools, step))
                for row in rows:
                    certificate = row.get("certificate", {})
                    if certificate.get("failed"):
                        reason = strip_location(certificate["reason"])
                        summary.failed[row["kind"], certificate["failed"], reason] += 1
                    if writer and "_" in row:
                        writer.add_variant(summary.lines, row, sources)
                    row.pop("_", None)
                    stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                    summary.lines += 1
                if writer:
                    writer.finish_project(project, sources)
        lines_file.replace(out)
    return summary


def _needs_compiler(request: TransformRequest) -> bool:
    """Return whether the requested level is ``compiles`` or a higher one."""
    return level_index(request.level) >= level_index("compiles")


def _read_rows(parts: Sequence[Path]) -> Iterator[Row]:
    """Yield the rows of several files of lines."""
    for part in parts:
        with part.open(encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)


def _certify_rows(
    rows: list[Row],
    sources: Mapping[str, bytes],
    request: TransformRequest,
    tools: CertificationTools,
    step: Progress,
) -> list[Row]:
    """Set the certificates of a project's rows, and return the rows."""
    # ``_`` holds edits and reach (see ``make_part``); a row of a refused location has no such key.
    variant_rows = [row for row in rows if "_" in row]
    certificates_so_far = [Certificate(**row["certificate"]) for row in variant_rows]
    subjects = [
        Subject(index, row["file"], _edits_from_row(row), (row["_"][1][0], row["_"][1][1]))
        for index, row in enumerate(variant_rows)
    ]
    certificates = certify_variants(
        subjects, certificates_so_far, sources, request.level, tools, step
    )
    for row, certificate in zip(variant_rows, certificates, strict=True):
        row["certificate"] = certificate.to_json()
    return rows


def _edits_from_row(row: Row) -> tuple[Edit, ...]:
    """Return the edits of the decoded text from a row."""
    return tuple(Edit(edit["start"], edit["end"], edit["text"].encode()) for edit in row["_"][0])


class _ProjectWriter:
    """Writes changed files.

    In mode ``single``, each variant gets a folder named after its line. In the other modes, the
    whole project is written once, with all methods changed that are not inside another changed
    method.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Reach and edits of the current project's variants, by kind and mode, then by path.
        self.together: dict[str, dict[str, list[tuple[tuple[int, int], tuple[Edit, ...]]]]] = {}

    def add_variant(self, line: int, row: Row, sources: Mapping[str, bytes]) -> None:
        """Write a variant, or keep it until the project is complete."""
        path = row["file"]
        if row["where"] == "single":
            self._write_file(
                f"{line + 1:06}", path, apply_edits(sources[path], _edits_from_row(row))
            )
            return
        start, end = row["_"][1]
        files = self.together.setdefault(f"{row['kind']}-{row['where'].rstrip('%')}", {})
        file_edits = files.setdefault(path, [])
        # Methods are in order, so an earlier one that ends after this one begins contains it.
        if not file_edits or file_edits[-1][0][1] <= start:
            file_edits.append(((start, end), _edits_from_row(row)))

    def finish_project(self, project: str, sources: Mapping[str, bytes]) -> None:
        """Write the files of a project once per kind and mode, with the variants applied that
        ``add_variant`` stored."""
        for name, files in self.together.items():
            for path, source in sources.items():
                edits = sorted(edit for _, several in files.get(path, ()) for edit in several)
                self._write_file(f"{name}/{project}", path, apply_edits(source, edits))
        self.together.clear()

    def _write_file(self, folder: str, path: str, data: bytes) -> None:
        file = self.folder / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
