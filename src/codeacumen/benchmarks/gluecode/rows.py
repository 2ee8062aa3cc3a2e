"""Write a data set's rows for one shard of a corpus: the question with its mask, and the answer.

Rows are written as JSON lines and as Parquet, one part for each task and shard. All rows have
``id`` (the method's UUID), ``project``, ``split``, ``path``, ``line``, ``type``, ``label`` (the
answer), ``text`` (the masked method) and ``near_duplicate`` (whether training has one); tasks add
columns (``MethodTaskSpec.columns``). ``build`` runs ``write_rows`` in worker processes and joins
the parts.

The offer of a masked call is the record of the names available there, ``AvailableNames``: the names
of the methods that could be called, with the type of the receiver and the number of arguments.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from codeacumen.benchmarks.gluecode.candidates import Pool, TaskSample
from codeacumen.benchmarks.gluecode.masks import mask_method_text
from codeacumen.benchmarks.gluecode.specs import (
    COMPLETION,
    SPECS,
    MethodTaskSpec,
    Row,
    SampledMethod,
    Warnings,
)
from codeacumen.corpus.facts import read_sites
from codeacumen.corpus.link import load_world
from codeacumen.corpus.parquet import column_to_values
from codeacumen.languages.java.resolve.link import (
    NO_AVAILABLE_NAMES,
    AvailableNames,
    AvailableNamesFinder,
)

_COLUMNS = [
    "method_id",
    "file_id",
    "project",
    "split",
    "path",
    "line",
    "type",
    "name",
    "start_byte",
    "text",
]


def group_methods_by_shard(
    pool: Pool, samples: Mapping[str, TaskSample], warnings: Warnings
) -> dict[str, dict[int, list[SampledMethod]]]:
    """Return the sampled methods by task and index of the shard, in the order of the rows."""
    sampled: dict[str, dict[int, list[SampledMethod]]] = {task: {} for task in SPECS}
    for task, task_sample in samples.items():
        spec = SPECS[task]
        for split, sample in task_sample.samples.items():
            columns = (
                sample.positions.tolist(),
                sample.label.tolist(),
                task_sample.near_duplicate[split].tolist(),
            )
            for position, label, near_duplicate in zip(*columns, strict=True):
                details = spec.details(pool, position, label, warnings)
                method = SampledMethod(
                    int(pool.row[position]), label, near_duplicate=near_duplicate, **details
                )
                sampled[task].setdefault(int(pool.shard[position]), []).append(method)
    for shards in sampled.values():
        for methods in shards.values():
            methods.sort(key=lambda method: method.row)
    return sampled


@dataclass(frozen=True, slots=True)
class RowJob:
    """Input of ``write_rows`` for one shard.

    ``corpus`` is its folder, ``shards`` are the names of all shards of the project, ``calls`` is
    the shard's table of calls, ``sampled`` has the methods by task, and ``parts`` is the common
    prefix of the parts' paths.
    """

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    calls: Path
    sampled: Mapping[str, Sequence[SampledMethod]]
    parts: Path


def part_path(job: RowJob, task: str, ending: str) -> Path:
    """Return the path of a task's part; ``ending`` is jsonl or parquet."""
    return job.parts.with_name(f"{job.parts.name}.{task}.{ending}")


def write_rows(job: RowJob) -> None:
    """Write the two parts of each task for a shard; an engine runs this in a worker process."""
    row_indices = sorted({method.row for sampled in job.sampled.values() for method in sampled})
    methods = _read_methods(job, row_indices)
    for task, sampled in job.sampled.items():
        spec = SPECS[task]
        rows = [_make_row(spec, methods[method.row], method) for method in sampled]
        if spec is COMPLETION and rows:
            _add_contexts(job, rows, [methods[method.row] for method in sampled], sampled)
        with part_path(job, task, "jsonl").open("w", encoding="utf-8") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        table = pa.Table.from_pylist(rows, schema=_make_schema(spec))
        pq.write_table(table, part_path(job, task, "parquet"))


def _read_methods(job: RowJob, row_indices: Sequence[int]) -> dict[int, Row]:
    """Return some rows of the shard's table of methods, by their index."""
    folder = job.corpus / "shards" / job.shard
    table = pq.read_table(folder / "methods.parquet", columns=_COLUMNS)
    table = table.take(pa.array(row_indices, pa.int64()))
    columns = [column_to_values(table[name]) for name in _COLUMNS]
    rows = [dict(zip(_COLUMNS, values, strict=True)) for values in zip(*columns, strict=True)]
    return dict(zip(row_indices, rows, strict=True))


def _make_row(spec: MethodTaskSpec, method: Row, sampled: SampledMethod) -> Row:
    length = sampled.end - sampled.start
    # The position of the masked token in its file, for other views of the instance.
    position = {"start_byte": sampled.start, "end_byte": sampled.end} if sampled.start >= 0 else {}
    return {
        "id": str(uuid.UUID(bytes=method["method_id"])),
        **{name: method[name] for name in ("project", "split", "path", "line", "type")},
        "label": spec.label(method, sampled),
        "text": mask_method_text(spec.name, method, sampled.start, length),
        "near_duplicate": sampled.near_duplicate,
        **position,
        **(sampled.further or {}),
    }


_COMMON_COLUMNS = [
    *((name, pa.string()) for name in ("id", "project", "split", "path")),
    ("line", pa.int32()),
    *((name, pa.string()) for name in ("type", "label", "text")),
    ("near_duplicate", pa.bool_()),
]


def _make_schema(spec: MethodTaskSpec) -> pa.Schema:
    return pa.schema([*_COMMON_COLUMNS, *spec.columns()])


def join_tables(parts: Sequence[Path], into: Path, task: str) -> None:
    """Write the rows of all parts to one Parquet file, in their order, with reproducible bytes."""
    with pq.ParquetWriter(into, _make_schema(SPECS[task]), compression="zstd") as writer:
        for part in parts:
            table = pq.read_table(part)
            if table.num_rows:
                writer.write_table(table)


@lru_cache(maxsize=1)
def _load_offers(corpus: Path, shards: tuple[str, ...]) -> AvailableNamesFinder:
    """Return the finder of available names for a project, given its shards; the last is cached."""
    return AvailableNamesFinder(load_world(corpus, shards)[0])


def _add_contexts(
    job: RowJob, rows: Iterable[Row], methods: Sequence[Row], sampled: Sequence[SampledMethod]
) -> None:
    """Add ``origin``, ``receiver``, ``static``, ``arguments`` and ``candidates`` to the rows.

    ``candidates`` are the names of the methods that could stand at the masked call.
    """
    folder = job.corpus / "shards" / job.shard
    offers = _load_offers(job.corpus, job.shards)
    starts: dict[str, list[int]] = {}
    for method, instance in zip(methods, sampled, strict=True):
        starts.setdefault(method["path"], []).append(instance.start)
    offer_at: dict[tuple[str, int], AvailableNames] = {}
    for path, sites, _ in read_sites(folder):
        if path in starts:
            file_offers = offers.find_names(path, sites, starts[path])
            offer_at |= {(path, start): offer for start, offer in file_offers.items()}
    packages = dict(_read_columns(folder / "files.parquet", "path", "package"))
    callees = _read_callees(job.calls, starts)
    for row, method, instance in zip(rows, methods, sampled, strict=True):
        key = (method["path"], instance.start)
        offer = offer_at.get(key, NO_AVAILABLE_NAMES)
        package = packages[method["path"]]
        row["origin"] = classify_origin(offers, package, method["type"], *callees[key])
        row["receiver"], row["static"] = offer.receiver, offer.static
        row["arguments"], row["candidates"] = offer.arguments, list(offer.names)


def _read_columns(path: Path, *names: str) -> Iterable[tuple[Any, ...]]:
    table = pq.read_table(path, columns=list(names))
    return zip(*(table[name].to_pylist() for name in names), strict=True)


def _read_callees(calls: Path, starts: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], Any]:
    """Return by path and offset the called method, and whether the project may declare it.

    ``starts`` has the offsets of the calls of interest by path.
    """
    call_sites = {(path, start) for path, path_starts in starts.items() for start in path_starts}
    return {
        (path, start): (callee, inside)
        for path, start, callee, inside in _read_columns(
            calls, "path", "start_byte", "callee", "inside"
        )
        if (path, start) in call_sites
    }


def classify_origin(
    offers: AvailableNamesFinder, package: str, type_: str, callee: str, inside: bool
) -> str:
    """Return the origin of a called method, one of ``ORIGINS``.

    The method is declared in the class around the call or one that encloses this class ("class"),
    in the same package, elsewhere in the project, or in a library. ``package`` and ``type_`` are
    those around the call; ``callee`` has the forms of ``resolve.link.Call``, such as ``a.B.add/2``.
    ``inside`` means that the project declares the method, or may.
    """
    if not inside:
        return "library"
    declaring = callee.partition("(")[0].partition("/")[0].rpartition(".")[0]
    caller = f"{package}.{type_}" if package else type_
    if caller == declaring or caller.startswith(f"{declaring}."):
        return "class"
    # A name alone cannot tell ``package.Type`` from ``package.sub``, so look the type up below.
    may_be_in_package = not package or declaring.startswith(f"{package}.")
    top_level = declaring.removeprefix(f"{package}.").partition(".")[0]
    if may_be_in_package and (package, top_level) in offers.world.top_level_classes:
        return "package"
    return "project"
