"""Export a view of every method as JSON lines, for ``codeacumen corpus export``."""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from codeacumen.api import CodeacumenError, Json, View
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.store import CALLS, Corpus, compute_rows, require_compat
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view

# Columns of ``methods`` that the export of calls reads.
_COLUMNS = ("method_id", "project", "path", "line", "name", "place", "body", "text", "kind")
# Lines between two progress reports.
_LINES_PER_REPORT = 500


def write_view(
    corpus: Corpus,
    view: str,
    out: Path,
    compat: str = "",
    progress: Progress = ignore_progress,
) -> int:
    """Write a view of every method as JSON lines; return the number of lines.

    The file ``out`` appears when it is complete; ``-`` prints the lines. ``compat`` names a tool
    whose output is written instead of ours.
    """
    values = iterate_view_values(corpus, view, compat)
    method_count = corpus.manifest.counts["bodies"]
    if str(out) == "-":
        return _write_lines(values, sys.stdout, method_count, progress)
    if out.is_dir():
        raise CodeacumenError(f"{out} is a folder", "name a file, or - to print")
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            line_count = _write_lines(values, stream, method_count, progress)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return line_count


def _write_lines(
    values: Iterable[Json], stream: TextIO, method_count: int, progress: Progress
) -> int:
    line_count = 0
    for value in values:
        stream.write(json.dumps(value, ensure_ascii=False) + "\n")
        line_count += 1
        if line_count % _LINES_PER_REPORT == 0:
            progress("writing", line_count, method_count)
    return line_count


def iterate_view_values(corpus: Corpus, view_name: str, compat: str = "") -> Iterator[Json]:
    """Return an iterator over the view's values, each with the method's id, file, line and so on.

    The methods are those with a body, in the order of the store; with ``compat``, methods that the
    tool leaves out are skipped. An unknown view or tool raises an error here, not at the first
    value. One shard at a time is in memory.
    """
    if view_name == CALLS:
        require_compat(None, compat)
        return _iterate_calls(corpus)
    view = make_view(view_name)
    require_compat(view, compat)
    return (
        _to_json_row(row, value)
        for shard in corpus.shards
        for row, value in _iterate_values(corpus, shard, view, compat)
    )


def _to_json_row(row: dict[str, Any], value: Json) -> Json:
    return {
        "method_id": str(row["method_id"]),
        "project": row["project"],
        "file": row["path"],
        "line": row["line"],
        "name": row["name"],
        "value": value,
    }


def _iterate_values(
    corpus: Corpus, shard: str, view: View, compat: str
) -> Iterator[tuple[dict[str, Any], Json]]:
    """Yield each method of a shard that has a body, as its row of ``methods``, and its value.

    Stored rows are used if the corpus has the view; otherwise the files are parsed.
    """
    methods = corpus.read_table(corpus.table_path(shard, "methods")).to_pylist()
    is_stored = not compat and all(table.name in corpus.stored_tables for table in view.tables)
    if is_stored:
        tables = {
            table.name: corpus.read_table(corpus.table_path(shard, table.name))
            for table in view.tables
        }
        for index, row in enumerate(methods):
            if row["body"]:
                rows = {
                    name: table.slice(index, 1).to_pylist()[0] for name, table in tables.items()
                }
                yield row, view.value(row, rows)
        return
    files = corpus.read_table(corpus.table_path(shard, "files"), ["file_id", "source"])
    sources: dict[uuid.UUID, str] = dict(
        zip(files["file_id"].to_pylist(), files["source"].to_pylist(), strict=True)
    )
    for file_id, rows_of_file in groupby(methods, key=lambda row: row["file_id"]):
        file = JavaFile(sources[file_id].encode())
        for row in rows_of_file:
            if row["body"] and compat:
                value = view.compatible(compat, file, row["place"])
                if value is not None:
                    yield row, value
            elif row["body"]:
                yield row, view.value(row, compute_rows(view, file, row))


def _iterate_calls(corpus: Corpus) -> Iterator[Json]:
    """Yield every method that has a body, with the calls in it."""
    ids = corpus.read_table(corpus.folder / "numbers.parquet")["method_id"].to_pylist()
    set_table = corpus.read_table(corpus.folder / "dispatch.parquet", ["project", "targets"])
    pairs = zip(set_table["project"].to_pylist(), set_table["targets"].to_pylist(), strict=True)
    set_numbers = {pair: number for number, pair in enumerate(pairs)}
    sets = corpus.index.target_sets
    for project, shards in corpus.manifest.shards.items():
        for shard in shards:
            calls_of_method: dict[uuid.UUID, list[Json]] = {}
            for call in corpus.read_table(corpus.calls_path(project, shard)).to_pylist():
                targets = call["targets"]
                numbers = (
                    sets[set_numbers[project, targets]].tolist() if targets is not None else []
                )
                calls_of_method.setdefault(call["caller_id"], []).append(
                    {
                        **{key: call[key] for key in ("start_byte", "line", "kind", "callee")},
                        "reference": call["reference"],
                        "inside": call["inside"],
                        "ambiguous": call["ambiguous"],
                        "targets": [str(ids[method_number]) for method_number in numbers],
                    }
                )
            for row in corpus.read_table(corpus.table_path(shard, "methods"), _COLUMNS).to_pylist():
                if row["body"]:
                    yield _to_json_row(row, calls_of_method.get(row["method_id"], []))
