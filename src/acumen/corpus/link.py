"""A project's calls: which methods each call in the source may reach.

The declarations of a whole project decide what one call means, so this runs when all of its
shards are there, again shard by shard. Calls that may reach the same methods share one set of
targets: a call of ``toString`` on an Object reaches thousands.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from acumen.corpus.parquet import write_table
from acumen.corpus.schema import CALLS
from acumen.lang.java.calls import Project as World
from acumen.lang.java.calls import platform

# Project-local numbers of methods, until all projects are known.
SETS = pa.schema([("targets", pa.int64()), ("callees", pa.list_(pa.int32()))])


@dataclass(frozen=True, slots=True)
class Link:
    """One shard whose calls are to be linked, and all shards of its project, in order."""

    out: Path
    project: str
    slug: str
    key: str
    shards: tuple[str, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Linked:
    shard: str
    calls: int
    ambiguous: int
    outside: int
    seconds: float
    peak: int


def link_key(shards: Sequence[str], code: str) -> str:
    """Links depend on all declarations of the project, and on the linker."""
    return hashlib.sha256("\0".join([code, *shards]).encode()).hexdigest()[:20]


def folder_of(link: Link) -> Path:
    return link.out / "calls" / f"{link.slug}.{link.key}"


def link_shard(link: Link) -> Linked:
    folder = folder_of(link)
    name = link.shards[link.place]
    done = folder / f"{name}.parquet"
    sets_file = folder / f"{name}.sets"
    if not (done.is_file() and sets_file.is_file()):
        calls, sets = _linked(link, name)
        folder.mkdir(parents=True, exist_ok=True)
        _write(sets, sets_file)
        _write(calls, done)
    told = pq.read_table(done, columns=["ambiguous", "targets"])
    ambiguous = int(np.count_nonzero(told["ambiguous"].to_numpy()))
    return Linked(name, told.num_rows, ambiguous, told["targets"].null_count)


def _write(table: pa.Table, path: Path) -> None:
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    write_table(table, part)
    part.replace(path)


@lru_cache(maxsize=1)
def _world(out: Path, shards: tuple[str, ...]) -> tuple[World, dict[str, int]]:
    """The project's declarations, and the number of each file's first method."""
    declared: list[tuple[str, Any]] = []
    first: dict[str, int] = {}
    count = 0
    for shard in shards:
        facts = pq.read_table(
            out / "shards" / shard / "facts.parquet", columns=["path", "declared"]
        )
        declared += [
            (path, json.loads(text))
            for path, text in zip(*(facts[c].to_pylist() for c in facts.column_names), strict=True)
        ]
        paths = pq.read_table(out / "shards" / shard / "methods.parquet", columns=["path"])["path"]
        for place, path in enumerate(paths.to_pylist()):
            first.setdefault(path, count + place)
        count += len(paths)
    return World(declared, platform()), first


def _linked(link: Link, name: str) -> tuple[pa.Table, pa.Table]:
    world, first = _world(link.out, link.shards)
    shard = link.out / "shards" / name
    facts = pq.read_table(shard / "facts.parquet", columns=["path", "sites"])
    rows: dict[str, list[Any]] = {field: [] for field in CALLS.names}
    sets: dict[int, list[int]] = {}
    # The linker gives the same object for the same set: looked at once.
    seen: dict[int, tuple[Any, int | None]] = {}
    ids = _Ids(shard)
    for path, sites in zip(*(facts[c].to_pylist() for c in facts.column_names), strict=True):
        for call in world.link(path, json.loads(sites)):
            known = seen.get(id(call.targets))
            if known is None:
                numbers = sorted({first[file] + place for file, place in call.targets})
                known = seen[id(call.targets)] = (call.targets, _number_of(numbers, sets))
            ids.add(rows, link.project, path, call, known[1])
    calls = pa.Table.from_pydict(rows, schema=CALLS)
    numbers = sorted(sets)
    table = {"targets": numbers, "callees": [sets[number] for number in numbers]}
    return calls, pa.Table.from_pydict(table, schema=SETS)
