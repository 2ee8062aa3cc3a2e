"""Export a view of every method as JSON lines, for ``codeacumen corpus export``."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from codeacumen.api import CodeacumenError, Json, View
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.corpus.store import CALLS, Corpus, compute_rows, require_compat
from codeacumen.engines import Engine, WorkerLost
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view

# Columns of ``methods`` that the export of calls reads. ``place`` is a method's index in its file.
_COLUMNS = ("method_id", "project", "path", "line", "name", "place", "body", "text", "kind")
# Seconds that a worker may take for a shard.
TIMEOUT = 1800.0


@dataclass(frozen=True, slots=True)
class ExportJob:
    """A shard of the corpus in ``folder``, and the view of its methods to export."""

    folder: Path
    project: str
    shard: str
    view: str
    compat: str


def write_view(
    corpus: Corpus,
    view: str,
    out: Path,
    engine: Engine,
    compat: str = "",
    progress: Progress = ignore_progress,
) -> int:
    """Write a view of every method as JSON lines; return the number of lines.

    The file ``out`` appears when it is complete; ``-`` prints the lines. ``compat`` names a tool
    whose output is written instead of ours. The bytes do not depend on the number of workers.
    """
    _load_view(view, compat)
    jobs = [
        ExportJob(corpus.folder.absolute(), project, shard, view, compat)
        for project, shards in corpus.manifest.shards.items()
        for shard in shards
    ]
    method_count = corpus.manifest.counts["bodies"]
    if str(out) == "-":
        return _write_lines(engine, jobs, sys.stdout, method_count, progress)
    if out.is_dir():
        raise CodeacumenError(f"{out} is a folder", "name a file, or - to print")
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            line_count = _write_lines(engine, jobs, stream, method_count, progress)
        part.replace(out)
    finally:
        part.unlink(missing_ok=True)
    return line_count


def _write_lines(
    engine: Engine,
    jobs: Sequence[ExportJob],
    stream: TextIO,
    method_count: int,
    progress: Progress,
) -> int:
    """Write the lines of all shards in the order of the jobs; return their number."""
    line_count = next_index = 0
    # If a shard finishes before an earlier shard, its lines are stored in a file until their turn.
    with tempfile.TemporaryDirectory(prefix="codeacumen-export-") as folder:
        waiting: dict[int, Path] = {}
        for index, outcome in engine.run(export_shard, jobs, TIMEOUT):
            if isinstance(outcome, WorkerLost):
                raise CodeacumenError(
                    f"shard {jobs[index].shard} cannot be exported: {outcome.reason}",
                    "fewer workers leave more memory to each: --workers 1",
                )
            text, count = outcome
            line_count += count
            if index == next_index:
                stream.write(text)
                next_index += 1
            else:
                waiting[index] = Path(folder) / str(index)
                waiting[index].write_text(text, encoding="utf-8", newline="")
            while next_index in waiting:
                path = waiting.pop(next_index)
                with path.open(encoding="utf-8", newline="") as lines:
                    shutil.copyfileobj(lines, stream)
                path.unlink()
                next_index += 1
            progress("writing", line_count, method_count)
    return line_count


def export_shard(job: ExportJob) -> tuple[str, int]:
    """Return the lines of a shard's methods, and their number.

    An engine runs this function.
    """
    values = _iterate_shard(_open_corpus(job.folder), job.project, job.shard, job.view, job.compat)
    lines = [json.dumps(value, ensure_ascii=False) + "\n" for value in values]
    return "".join(lines), len(lines)


@lru_cache(maxsize=1)
def _open_corpus(folder: Path) -> Corpus:
    return Corpus.open(folder)


def iterate_view_values(corpus: Corpus, view_name: str, compat: str = "") -> Iterator[Json]:
    """Return an iterator over the view's values, each with the method's id, file, line and so on.

    The methods are those with a body, in the order of the store; with ``compat``, methods that the
    tool leaves out are skipped. An unknown view or tool raises an error here, not at the first
    value. One shard at a time is in memory.
    """
    _load_view(view_name, compat)
    return (
        value
        for project, shards in corpus.manifest.shards.items()
        for shard in shards
        for value in _iterate_shard(corpus, project, shard, view_name, compat)
    )


def _load_view(name: str, compat: str) -> View | None:
    """Return the view of a name, None for the calls; raise an error for an unknown view or tool."""
    view = None if name == CALLS else make_view(name)
    require_compat(view, compat)
    return view


def _iterate_shard(
    corpus: Corpus, project: str, shard: str, view_name: str, compat: str
) -> Iterator[Json]:
    """Return an iterator over the values of one shard; see ``iterate_view_values``."""
    view = _load_view(view_name, compat)
    if view is None:
        return _iterate_calls(corpus, project, shard)
    return (_to_json_row(row, value) for row, value in _iterate_values(corpus, shard, view, compat))


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


@lru_cache(maxsize=1)
def _read_call_targets(corpus: Corpus) -> tuple[list[uuid.UUID], dict[tuple[str, str], int]]:
    """Return the ids of all methods by number, and the indices of the sets of call targets.

    The key of a set is its project and its name: the value, a hash, of the column ``targets``. The
    index is that of its row in ``dispatch.parquet``, and of the set in ``index.target_sets``.
    """
    ids = corpus.read_table(corpus.folder / "numbers.parquet")["method_id"].to_pylist()
    table = corpus.read_table(corpus.folder / "dispatch.parquet", ["project", "targets"])
    pairs = zip(table["project"].to_pylist(), table["targets"].to_pylist(), strict=True)
    return ids, {pair: index for index, pair in enumerate(pairs)}


def _iterate_calls(corpus: Corpus, project: str, shard: str) -> Iterator[Json]:
    """Yield every method of a shard that has a body, with the calls in it."""
    ids, set_indices = _read_call_targets(corpus)
    sets = corpus.index.target_sets
    calls_of_method: dict[uuid.UUID, list[Json]] = {}
    for call in corpus.read_table(corpus.calls_path(project, shard)).to_pylist():
        name = call["targets"]
        method_numbers = sets[set_indices[project, name]].tolist() if name is not None else []
        calls_of_method.setdefault(call["caller_id"], []).append(
            {
                **{key: call[key] for key in ("start_byte", "line", "kind", "callee")},
                "reference": call["reference"],
                "inside": call["inside"],
                "ambiguous": call["ambiguous"],
                "targets": [str(ids[method_number]) for method_number in method_numbers],
            }
        )
    for row in corpus.read_table(corpus.table_path(shard, "methods"), _COLUMNS).to_pylist():
        if row["body"]:
            yield _to_json_row(row, calls_of_method.get(row["method_id"], []))
