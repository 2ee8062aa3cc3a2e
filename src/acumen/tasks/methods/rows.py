"""The rows of the data set that one shard of a corpus gives: what is asked, masked, and the answer.

JSON lines, one part for each task and shard. All rows have ``id`` (the method's UUID), ``project``,
``split``, ``path``, ``line``, ``type``, ``label``, ``text`` and ``twin``.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from acumen.api import Json
from acumen.corpus.facts import read_sites
from acumen.corpus.link import world_of
from acumen.corpus.parquet import values_of
from acumen.lang.java.calls.link import NOTHING, Offer, Offers
from acumen.lang.java.npath import BINS
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods.masks import NO_WARNING, masked_method_text
from acumen.tasks.methods.parquet import write_part

Row = dict[str, Any]

_COLUMNS = ["method_id", "file_id", "project", "split", "path", "line", "type", "name",
            "start_byte", "text"]  # fmt: skip


class Asked(NamedTuple):
    """A method that is asked something: its row in the shard; the class of its label, or its
    value; where the masked token begins and ends in its file. ``told`` are further columns."""

    row: int
    label: int = 0
    start: int = -1
    end: int = -1
    twin: bool = False
    told: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A shard and those of its whole project; ``parts`` is the beginning of the parts' names."""

    corpus: Path
    shard: str
    shards: tuple[str, ...]
    calls: Path
    asked: Mapping[str, Sequence[Asked]]
    parts: Path


def part_of(job: Job, task: str, ending: str) -> Path:
    return job.parts.with_name(f"{job.parts.name}.{task}.{ending}")


def make_rows(job: Job) -> dict[str, int]:
    """What an engine runs: writes the parts, gives the number of rows of each."""
    wanted = sorted({one.row for asked in job.asked.values() for one in asked})
    methods = _methods(job, wanted)
    counts: dict[str, int] = {}
    for task, asked in job.asked.items():
        rows = [_row(task, methods[one.row], one) for one in asked]
        if task == "completion" and rows:
            _add_contexts(job, rows, [methods[one.row] for one in asked], asked)
        with part_of(job, task, "jsonl").open("w", encoding="utf-8") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
        write_part(rows, part_of(job, task, "parquet"), task)
        counts[task] = len(rows)
    return counts


def _methods(job: Job, wanted: Sequence[int]) -> dict[int, Row]:
    folder = job.corpus / "shards" / job.shard
    table = pq.read_table(folder / "methods.parquet", columns=_COLUMNS)
    table = table.take(pa.array(wanted, pa.int64()))
    columns = [values_of(table[name]) for name in _COLUMNS]
    rows = [dict(zip(_COLUMNS, values, strict=True)) for values in zip(*columns, strict=True)]
    return dict(zip(wanted, rows, strict=True))


def _row(task: str, method: Row, asked: Asked) -> Row:
    length = asked.end - asked.start
    return {
        "id": str(uuid.UUID(bytes=method["method_id"])),
        **{name: method[name] for name in ("project", "split", "path", "line", "type")},
        "label": _label(task, method, asked),
        "text": masked_method_text(task, method, asked.start, length),
        "twin": asked.twin,
        **_position(asked),
        **(asked.told or {}),
    }


def _label(task: str, method: Row, asked: Asked) -> str:
    if task == "npath":
        return BINS[asked.label]
    if task == "operators":
        return OPERATORS[asked.label]
    if task == "naming":
        return str(method["name"])
    if task == "completion":
        start = asked.start - method["start_byte"]
        data = method["text"].encode()[start : start + asked.end - asked.start]
        return str(data.decode("utf-8", "replace"))
    return str((asked.told or {}).get("token", NO_WARNING))


def _position(asked: Asked) -> Row:
    """Where in its file the masked token is, for whoever serves other views of it."""
    return {"start_byte": asked.start, "end_byte": asked.end} if asked.start >= 0 else {}


# ---------------------------------------------------------------- completion


@lru_cache(maxsize=1)
def _offers(corpus: Path, shards: tuple[str, ...]) -> Offers:
    return Offers(world_of(corpus, shards)[0])


def _add_contexts(
    job: Job, rows: Iterable[Row], methods: Sequence[Row], asked: Sequence[Asked]
) -> None:
    """What could be called there, and where the called method is from."""
    folder = job.corpus / "shards" / job.shard
    offers = _offers(job.corpus, job.shards)
    starts: dict[str, list[int]] = {}
    for method, one in zip(methods, asked, strict=True):
        starts.setdefault(method["path"], []).append(one.start)
    found: dict[tuple[str, int], Offer] = {}
    for path, sites, _ in read_sites(folder):
        if path in starts:
            of_file = offers.of(path, sites, starts[path])
            found |= {(path, start): offer for start, offer in of_file.items()}
    packages = dict(_pairs(folder / "files.parquet", "path", "package"))
    callees = _callees(job.calls, starts)
    for row, method, one in zip(rows, methods, asked, strict=True):
        key = (method["path"], one.start)
        offer = found.get(key, NOTHING)
        package = packages[method["path"]]
        row["origin"] = origin(offers, package, method["type"], *callees[key])
        row["receiver"], row["static"] = offer.receiver, offer.static
        row["arguments"], row["candidates"] = offer.arguments, list(offer.names)


def _pairs(path: Path, *names: str) -> Iterable[tuple[Any, ...]]:
    table = pq.read_table(path, columns=list(names))
    return zip(*(table[name].to_pylist() for name in names), strict=True)


def _callees(calls: Path, starts: Mapping[str, Sequence[int]]) -> dict[tuple[str, int], Any]:
    wanted = {(path, start) for path, mine in starts.items() for start in mine}
    return {
        (path, start): (callee, inside)
        for path, start, callee, inside in _pairs(calls, "path", "start_byte", "callee", "inside")
        if (path, start) in wanted
    }


def origin(offers: Offers, package: str, type_: str, callee: str, inside: bool) -> str:
    """Where the method that a call names is declared: in the class around the call or one that
    this stands in, in its package, elsewhere in the project, or in a library."""
    if not inside:
        return "library"
    declaring = callee.partition("(")[0].partition("/")[0].rpartition(".")[0]
    here = f"{package}.{type_}" if package else type_
    if here == declaring or here.startswith(f"{declaring}."):
        return "class"
    within = not package or declaring.startswith(f"{package}.")
    top = declaring.removeprefix(f"{package}.").partition(".")[0]
    if within and (package, top) in offers.world.tops:
        return "package"
    return "project"
