"""A view of every method, one JSON object a line."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pyarrow.parquet as pq

from acumen.api import Json, View
from acumen.corpus.store import Corpus, compat_of, computed_rows
from acumen.lang.java.file import JavaFile
from acumen.registry import make_view

_COLUMNS = ("method_id", "project", "path", "line", "name", "place", "body", "text", "kind")


def export(corpus: Corpus, view: str, compat: str = "") -> Iterator[Json]:
    """Method id, project, file, line, name and value of each method that has a body, in the
    store's order. Memory is that of one shard."""
    if view == "calls":
        yield from _calls(corpus)
        return
    made = make_view(view)
    compat_of(made, compat)
    for shard in corpus.shards:
        for row, value in _values(corpus, shard, made, compat):
            yield _told(row, value)


def _told(row: dict[str, Any], value: Json) -> Json:
    return {
        "method_id": str(row["method_id"]),
        "project": row["project"],
        "file": row["path"],
        "line": row["line"],
        "name": row["name"],
        "value": value,
    }


def _values(
    corpus: Corpus, shard: str, view: View, compat: str
) -> Iterator[tuple[dict[str, Any], Json]]:
    folder = corpus.folder / "shards" / shard
    methods = pq.read_table(folder / "methods.parquet").to_pylist()
    stored = not compat and all(table.name in corpus.stored for table in view.tables)
    if stored:
        tables = {
            table.name: pq.read_table(folder / f"{table.name}.parquet") for table in view.tables
        }
        for at, row in enumerate(methods):
            if row["body"]:
                rows = {name: table.slice(at, 1).to_pylist()[0] for name, table in tables.items()}
                yield row, view.value(row, rows)
        return
    files = pq.read_table(folder / "files.parquet", columns=["file_id", "source"])
    sources: dict[uuid.UUID, str] = dict(
        zip(files["file_id"].to_pylist(), files["source"].to_pylist(), strict=True)
    )
    for file_id, rows_of_file in groupby(methods, key=lambda row: row["file_id"]):
        file = JavaFile(sources[file_id].encode())
        for row in rows_of_file:
            if row["body"] and compat:
                yield row, view.compatible(compat, file, row["place"])
            elif row["body"]:
                yield row, view.value(row, computed_rows(view, file, row))


def _calls(corpus: Corpus) -> Iterator[Json]:
    """Every method with the calls that stand in it."""
    ids = pq.read_table(corpus.folder / "numbers.parquet")["method_id"].to_pylist()
    sets = corpus.index.sets
    for project, link in corpus.manifest.links.items():
        places = corpus.sets_by_targets(project)
        for shard in corpus.manifest.shards[project]:
            calls = pq.read_table(corpus.folder / "calls" / link / f"{shard}.parquet").to_pylist()
            of_method: dict[uuid.UUID, list[Json]] = {}
            for call in calls:
                targets = call["targets"]
                numbers = sets[places[targets]].tolist() if targets is not None else []
                of_method.setdefault(call["caller_id"], []).append(
                    {
                        **{key: call[key] for key in ("start_byte", "line", "kind", "callee")},
                        "reference": call["reference"],
                        "inside": call["inside"],
                        "ambiguous": call["ambiguous"],
                        "targets": [str(ids[number]) for number in numbers],
                    }
                )
            methods = pq.read_table(
                corpus.folder / "shards" / shard / "methods.parquet", columns=list(_COLUMNS)
            )
            for row in methods.to_pylist():
                if row["body"]:
                    yield _told(row, of_method.get(row["method_id"], []))
