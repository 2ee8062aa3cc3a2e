"""Convert a source file to rows of the store: the file, its types, methods, facts and problems.

``shards`` calls ``add_file`` for each new file, and ``parquet`` writes the rows. The columns are
those of ``corpus.schema``; ``place`` is the index of a type or a method in the file's declarations.
"""

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
from codeacumen.corpus.facts import compute_fact_columns, compute_method_measures
from codeacumen.corpus.ids import (
    compute_method_ids_within_types,
    compute_signatures,
    compute_type_ids,
    file_id,
    project_id,
)
from codeacumen.corpus.reading import Problem, Source, detect_origin
from codeacumen.corpus.sources.paths import is_utf8
from codeacumen.languages.base import Language
from codeacumen.languages.java.syntax.declarations import NONE, MethodDeclaration, TypeDeclaration
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.syntax import Syntax, find_first_error
from codeacumen.text.columns import Ragged
from codeacumen.text.lines import line_at, line_count, line_of, line_starts

# A file whose syntax tree is deeper than this gets a row in ``problems``, but is not skipped.
DEEPEST = 1000


@dataclass(slots=True)
class Rows:
    """Rows of several files, in order.

    ``tables`` holds rows by table, ``views`` the columns of views' tables, by table and column: a
    ``Ragged`` for each Java file, with one list per method.
    """

    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    views: dict[str, dict[str, list[Ragged]]] = field(default_factory=dict)
    # Processor time of each stage in seconds, for the summary of the build; not stored.
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def time_stage(self, name: str) -> Iterator[None]:
        """Add the processor time of the context to that of a stage."""
        start = time.process_time()
        yield
        self.seconds[name] += time.process_time() - start

    def add_row(self, table: str, row: dict[str, Any]) -> None:
        self.tables.setdefault(table, []).append(row)

    def add_problem(self, project: str, problem: Problem, *, skipped: bool) -> None:
        """Add a row of ``problems``; ``skipped`` if the corpus lacks the file because of it."""
        columns = {"path": problem.path, "kind": problem.kind, "message": problem.message}
        self.add_row("problems", {"project": project, **columns, "skipped": skipped})


@dataclass(frozen=True, slots=True)
class RowContext:
    """Settings that a file's rows depend on besides its content.

    ``tables`` are those of the corpus' views, ``languages`` are by suffix, such as ``.java``.
    """

    project: str
    split: str
    tables: tuple[Table, ...]
    languages: Mapping[str, Language]


def add_file(rows: Rows, context: RowContext, source: Source, raw_sha256: str) -> None:
    """Add the rows of one file to ``rows``; ``raw_sha256`` is the hash of its undecoded bytes.

    An exception of the analysis is passed on; nothing of the file has been added then.
    """
    language = context.languages["." + source.path.rsplit(".", 1)[-1].lower()]
    file_rows = Rows()
    row = _file_row(context, source, language.name, raw_sha256)
    if language.name == "java":
        _add_java(file_rows, context, source, row, language.title)
    else:
        with file_rows.time_stage("syntax"):
            syntax = language.parse(source.data)
        _add_syntax(file_rows, context, source, row, syntax, language.title)
    file_rows.add_row("files", row)
    for problem in find_remarks(source, row):
        file_rows.add_problem(context.project, problem, skipped=False)
    for stage, spent in file_rows.seconds.items():
        rows.seconds[stage] += spent
    for table, new_rows in file_rows.tables.items():
        rows.tables.setdefault(table, []).extend(new_rows)
    for table, columns in file_rows.views.items():
        view_columns = rows.views.setdefault(table, {})
        for name, lists in columns.items():
            view_columns.setdefault(name, []).extend(lists)


def _file_row(context: RowContext, source: Source, language: str, sha256: str) -> dict[str, Any]:
    """Return the row of ``files``; the analysis fills in package, nodes and broken.

    ``language`` is the name of the language, ``sha256`` the hash of the undecoded bytes.
    """
    data = source.data
    return {
        "file_id": file_id(context.project, source.path).bytes,
        "project_id": project_id(context.project).bytes,
        "project": context.project,
        "path": source.path,
        "language": language,
        "package": "",
        "encoding": source.encoding,
        "origin": detect_origin(source)[0],
        "bytes": len(data),
        "lines": line_count(data),
        "nodes": 0,
        "broken": False,
        "sha256": sha256,
        "source": data,
    }


def find_remarks(source: Source, row: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of a file that was read nevertheless; ``row`` is its row of ``files``."""
    path, data = source.path, source.data
    problems: list[Problem] = []
    if not data.strip():
        problems.append(Problem(path, "empty", "the file has no content"))
    if source.has_byte_order_mark:
        problems.append(
            Problem(path, "byte order mark", f"{source.encoding} byte order mark skipped")
        )
    if source.encoding != "utf-8":
        problems.append(Problem(path, "encoding", f"read as {source.encoding}"))
    if b"\r" in data:
        problems.append(Problem(path, "line ends", "CR or CR LF, kept as they are"))
    if row["lines"] == 1 and len(data) > 200:
        problems.append(Problem(path, "one line", f"{len(data):,} bytes without a line end"))
    if row["origin"] != "written":
        problems.append(Problem(path, *detect_origin(source)))
    if not is_utf8(path):
        problems.append(Problem(path, "name", "the name is not UTF-8; invalid bytes are escaped"))
    return problems


def _add_java(
    rows: Rows, context: RowContext, source: Source, row: dict[str, Any], title: str
) -> None:
    """Add all rows of a Java file but its row of ``files``, which is ``row`` and is completed.

    ``title`` is the display name of the language, for messages.
    """
    file = JavaFile(source.data)
    # Computed one by one, so that each has its own processor time.
    for stage in ("syntax", "declarations", "tokens", "names", "bindings"):
        with rows.time_stage(stage):
            getattr(file, stage)
    with rows.time_stage("rows"):
        methods = _add_declared(rows, context, source, row, file)
        _add_syntax(rows, context, source, row, file.syntax, title)
    with rows.time_stage("calls"):
        ids = {"file_id": row["file_id"], "path": source.path}
        rows.add_row("facts", ids | compute_fact_columns(file))
    with rows.time_stage("measures"):
        for method, measures in zip(methods, compute_method_measures(file), strict=True):
            rows.add_row("measures", {"method_id": method.bytes, **measures})
    # The upper half of a method's id seeds the random samples of views.
    seeds = np.array([methods[place].int >> 64 for place in file.bodies], dtype=np.uint64)
    for table in context.tables:
        with rows.time_stage(table.name):
            columns = table.columns(file, seeds)
        view_columns = rows.views.setdefault(table.name, {})
        for name, lists in columns.items():
            view_columns.setdefault(name, []).append(spread_lists(lists, file.bodies, len(methods)))


def _add_declared(
    rows: Rows, context: RowContext, source: Source, row: dict[str, Any], file: JavaFile
) -> list[uuid.UUID]:
    """Add the rows of the file's types and methods; return the ids of all methods, in order."""
    declared = file.declarations
    row["package"] = declared.package
    project, path = context.project, source.path
    types, signatures = compute_type_ids(project, path, declared), compute_signatures(declared)
    methods = compute_method_ids_within_types(project, path, declared, types, signatures)
    lines = line_starts(source.data)
    for index, declared_type in enumerate(declared.types):
        rows.add_row(
            "types", _type_row(file, context, index, declared_type, row, types, methods, lines)
        )
    for index, method in enumerate(declared.methods):
        method_row = _method_row(file, context, index, method, row, types, lines)
        ids = {"method_id": methods[index].bytes, "signature": signatures[index]}
        rows.add_row("methods", method_row | ids)
    return methods


def _add_syntax(
    rows: Rows,
    context: RowContext,
    source: Source,
    row: dict[str, Any],
    syntax: Syntax,
    title: str,
) -> None:
    """Complete the row of ``files`` with properties of the syntax tree, and add its problems."""
    row |= {"nodes": len(syntax), "broken": syntax.broken}
    path = source.path
    if syntax.broken:
        line = line_of(source.data, find_first_error(syntax))
        message = f"not {title} from line {line} on; parsed in part"
        rows.add_problem(context.project, Problem(path, "syntax", message), skipped=False)
    deepest = int(syntax.depth.max())
    if deepest > DEEPEST:
        message = f"{deepest:,} levels of syntax"
        rows.add_problem(context.project, Problem(path, "deep nesting", message), skipped=False)


def spread_lists(lists: Ragged, positions: Sequence[int], count: int) -> Ragged:
    """Return ``count`` lists: ``lists`` at these increasing positions, empty ones elsewhere.

    Views compute one list for each method with a body; their tables have a row for every method.
    """
    lengths = np.zeros(count, dtype=np.int64)
    lengths[list(positions)] = np.diff(lists.offsets)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(lists.values, offsets, lists.words)


def _type_row(
    file: JavaFile,
    context: RowContext,
    index: int,
    declared_type: TypeDeclaration,
    row: Mapping[str, Any],
    types: list[uuid.UUID],
    methods: list[uuid.UUID],
    lines: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the row of the type at ``index`` in ``declarations.types``.

    ``row`` is the file's row of ``files``; ``types`` and ``methods`` are ids by index, ``lines``
    the ``line_starts`` of the file.
    """
    package = f"{row['package']}." if row["package"] else ""
    syntax = file.syntax
    return {
        "type_id": types[index].bytes,
        "file_id": row["file_id"],
        "owner_id": types[declared_type.owner].bytes if declared_type.owner != NONE else None,
        "method_id": methods[declared_type.method].bytes if declared_type.method != NONE else None,
        "project": context.project,
        "place": index,
        "kind": declared_type.kind,
        "name": declared_type.name,
        "qualified": package + ".".join(file.declarations.type_path(index)),
        "line": line_at(lines, int(syntax.start[declared_type.node])),
        "modifiers": sorted(declared_type.modifiers),
        "annotations": declared_type.annotations,
        "type_parameters": declared_type.type_parameters,
        "javadoc": syntax.text(declared_type.javadoc) if declared_type.javadoc != NONE else "",
    }


def _method_row(
    file: JavaFile,
    context: RowContext,
    index: int,
    method: MethodDeclaration,
    row: Mapping[str, Any],
    types: list[uuid.UUID],
    lines: NDArray[np.int64],
) -> dict[str, Any]:
    """Return the row of the method at ``index``, without id and signature; see ``_type_row``."""
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
        "place": index,
        "kind": method.kind,
        "type": ".".join(file.declarations.type_path(method.type)),
        "name": method.name,
        "returns": method.returns,
        "parameters": [
            {"name": parameter.name, "type": parameter.type} for parameter in method.parameters
        ],
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


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
