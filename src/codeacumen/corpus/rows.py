"""Convert one analysed file to the rows of the store: the file, its types, its methods."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Table
from codeacumen.corpus.facts import fact_columns, method_measures
from codeacumen.corpus.ids import file_id, ids_of_methods, project_id, signatures, type_ids
from codeacumen.corpus.reading import Problem, Source, origin
from codeacumen.corpus.sources.paths import is_utf8
from codeacumen.languages.base import Language
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, TypeDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Syntax, first_error
from codeacumen.text.columns import Ragged
from codeacumen.text.lines import line_at, line_count, line_of, line_starts

DEEPEST = 1000


@dataclass(slots=True)
class Rows:
    """Rows of several files, in order: rows by table, and the lists of views by table and
    column.
    """

    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    views: dict[str, dict[str, list[Ragged]]] = field(default_factory=dict)
    # Processor time of each stage, for the summary of the build; not stored.
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        clock = time.process_time()
        yield
        self.seconds[name] += time.process_time() - clock

    def add(self, table: str, row: dict[str, Any]) -> None:
        self.tables.setdefault(table, []).append(row)

    def note(self, project: str, problem: Problem, *, skipped: bool) -> None:
        told = {"path": problem.path, "kind": problem.kind, "message": problem.message}
        self.add("problems", {"project": project, **told, "skipped": skipped})


@dataclass(frozen=True, slots=True)
class Context:
    """All that a file's rows depend on besides its content; ``languages`` are by suffix."""

    project: str
    split: str
    tables: tuple[Table, ...]
    languages: Mapping[str, Language]


def add_file(rows: Rows, context: Context, source: Source, raw_sha256: str) -> None:
    """Add the rows of one file to ``rows``.

    An exception of the analysis is passed on; nothing of the file has been added then.
    """
    language = context.languages["." + source.path.rsplit(".", 1)[-1].lower()]
    found = Rows()
    row = _file_row(context, source, language.name, raw_sha256)
    if language.name == "java":
        _add_java(found, context, source, row, language.title)
    else:
        with found.stage("syntax"):
            syntax = language.parse(source.data)
        _add_syntax(found, context, source, row, syntax, language.title)
    found.add("files", row)
    for problem in remarks(source, row):
        found.note(context.project, problem, skipped=False)
    for stage, spent in found.seconds.items():
        rows.seconds[stage] += spent
    for table, more in found.tables.items():
        rows.tables.setdefault(table, []).extend(more)
    for table, columns in found.views.items():
        kept = rows.views.setdefault(table, {})
        for name, lists in columns.items():
            kept.setdefault(name, []).extend(lists)


def _file_row(context: Context, source: Source, language: str, sha256: str) -> dict[str, Any]:
    data = source.data
    return {
        "file_id": file_id(context.project, source.path).bytes,
        "project_id": project_id(context.project).bytes,
        "project": context.project,
        "path": source.path,
        "language": language,
        "package": "",
        "encoding": source.encoding,
        "origin": origin(source)[0],
        "bytes": len(data),
        "lines": line_count(data),
        "nodes": 0,
        "broken": False,
        "sha256": sha256,
        "source": data,
    }


def remarks(source: Source, row: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of a file that was read nevertheless."""
    path, data = source.path, source.data
    found: list[Problem] = []
    if not data.strip():
        found.append(Problem(path, "empty", "there is nothing in it"))
    if source.mark:
        found.append(Problem(path, "byte order mark", f"a mark of {source.encoding}, left out"))
    if source.encoding != "utf-8":
        found.append(Problem(path, "encoding", f"read as {source.encoding}"))
    if b"\r" in data:
        found.append(Problem(path, "line ends", "not those of Unix; kept as they are"))
    if row["lines"] == 1 and len(data) > 200:
        found.append(Problem(path, "one line", f"{len(data):,} bytes without a line end"))
    if row["origin"] != "written":
        found.append(Problem(path, *origin(source)))
    if not is_utf8(path):
        found.append(Problem(path, "name", "its name is no UTF-8; other bytes are spelt out"))
    return found


def _add_java(
    rows: Rows, context: Context, source: Source, row: dict[str, Any], title: str
) -> None:
    file = JavaFile(source.data)
    # Computed one by one, so that each has its own processor time.
    for stage in ("syntax", "declarations", "tokens", "names", "bindings"):
        with rows.stage(stage):
            getattr(file, stage)
    with rows.stage("rows"):
        methods = _add_declared(rows, context, source, row, file)
        _add_syntax(rows, context, source, row, file.syntax, title)
    with rows.stage("calls"):
        ids = {"file_id": row["file_id"], "path": source.path}
        rows.add("facts", ids | fact_columns(file))
    with rows.stage("measures"):
        for method, measures in zip(methods, method_measures(file), strict=True):
            rows.add("measures", {"method_id": method.bytes, **measures})
    seeds = np.array([methods[place].int >> 64 for place in file.bodies], dtype=np.uint64)
    for table in context.tables:
        with rows.stage(table.name):
            columns = table.columns(file, seeds)
        kept = rows.views.setdefault(table.name, {})
        for name, lists in columns.items():
            kept.setdefault(name, []).append(spread(lists, file.bodies, len(methods)))


def _add_declared(
    rows: Rows, context: Context, source: Source, row: dict[str, Any], file: JavaFile
) -> list[uuid.UUID]:
    """Add the rows of the file's types and methods; return the ids of the methods."""
    declared = file.declarations
    row["package"] = declared.package
    project, path = context.project, source.path
    types, erased = type_ids(project, path, declared), signatures(declared)
    methods = ids_of_methods(project, path, declared, types, erased)
    lines = line_starts(source.data)
    for place, one in enumerate(declared.types):
        rows.add("types", _type_row(file, context, place, one, row, types, methods, lines))
    for place, method in enumerate(declared.methods):
        told = _method_row(file, context, place, method, row, types, lines)
        ids = {"method_id": methods[place].bytes, "signature": erased[place]}
        rows.add("methods", told | ids)
    return methods


def _add_syntax(
    rows: Rows,
    context: Context,
    source: Source,
    row: dict[str, Any],
    syntax: Syntax,
    title: str,
) -> None:
    row |= {"nodes": len(syntax), "broken": syntax.broken}
    path = source.path
    if syntax.broken:
        line = line_of(source.data, first_error(syntax))
        what = f"not {title} from line {line} on; read as far as it is"
        rows.note(context.project, Problem(path, "syntax", what), skipped=False)
    deepest = int(syntax.depth.max())
    if deepest > DEEPEST:
        what = f"{deepest:,} levels of syntax"
        rows.note(context.project, Problem(path, "deep nesting", what), skipped=False)


def spread(lists: Ragged, places: Sequence[int], count: int) -> Ragged:
    """Return ``count`` lists: the given ones at these positions, empty ones elsewhere."""
    lengths = np.zeros(count, dtype=np.int64)
    lengths[list(places)] = np.diff(lists.offsets)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(lists.values, offsets, lists.words)


def _type_row(
    file: JavaFile,
    context: Context,
    place: int,
    one: TypeDeclaration,
    row: Mapping[str, Any],
    types: list[uuid.UUID],
    methods: list[uuid.UUID],
    lines: NDArray[np.int64],
) -> dict[str, Any]:
    package = f"{row['package']}." if row["package"] else ""
    syntax = file.syntax
    return {
        "type_id": types[place].bytes,
        "file_id": row["file_id"],
        "owner_id": types[one.owner].bytes if one.owner != NONE else None,
        "method_id": methods[one.method].bytes if one.method != NONE else None,
        "project": context.project,
        "place": place,
        "kind": one.kind,
        "name": one.name,
        "qualified": package + ".".join(file.declarations.path(place)),
        "line": line_at(lines, int(syntax.start[one.node])),
        "modifiers": sorted(one.modifiers),
        "annotations": one.annotations,
        "type_parameters": one.type_parameters,
        "javadoc": syntax.text(one.javadoc) if one.javadoc != NONE else "",
    }


def _method_row(
    file: JavaFile,
    context: Context,
    place: int,
    method: MethodDeclaration,
    row: Mapping[str, Any],
    types: list[uuid.UUID],
    lines: NDArray[np.int64],
) -> dict[str, Any]:
    syntax = file.syntax
    start, end = int(syntax.start[method.node]), int(syntax.end[method.node])
    owner = file.declarations.types[method.type] if method.type != NONE else None
    return {
        "type_id": types[method.type].bytes if owner else None,
        "file_id": row["file_id"],
        "project_id": row["project_id"],
        "project": context.project,
        "split": context.split,
        "path": row["path"],
        "place": place,
        "kind": method.kind,
        "type": ".".join(file.declarations.path(method.type)),
        "name": method.name,
        "returns": method.returns,
        "parameters": [{"name": one.name, "type": one.type} for one in method.parameters],
        "type_parameters": method.type_parameters,
        "modifiers": sorted(method.modifiers),
        "annotations": method.annotations,
        "body": method.body != NONE,
        "nested": owner is not None and owner.method != NONE,
        "start_byte": start,
        "end_byte": end,
        "line": line_at(lines, start),
        "end_line": line_at(lines, max(start, end - 1)),
        "javadoc": syntax.text(method.javadoc) if method.javadoc != NONE else "",
        "text": file.source[start:end],
    }


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
