"""Link the calls of a project: find the methods that each call in the source may reach.

A call's meaning depends on the declarations of the whole project, so linking starts when all of the
project's shards exist; a build runs ``link_shard`` for each of them. Calls that may reach the same
methods share one set of targets, because a call of ``toString`` on an Object may reach thousands of
methods. A call site is a call in the source, as ``languages.java.resolve.call_sites`` lists it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from codeacumen.core.machine import peak_memory_bytes
from codeacumen.corpus.facts import read_declared, read_sites
from codeacumen.corpus.ids import name_target_set
from codeacumen.corpus.parquet import column_to_values, replace_table
from codeacumen.corpus.schema import CALLS, list_of
from codeacumen.languages.java.resolve.link import JavaProject as World
from codeacumen.languages.java.resolve.world import load_platform
from codeacumen.text.lines import line_starts

# Sets of targets: the name of the set (``ids.name_target_set``) and its members. Members are method
# numbers inside the project; ``corpus.index`` adds the number of the project's first method.
SETS = pa.schema([("targets", pa.int64()), ("callees", list_of(pa.int32()))])


@dataclass(frozen=True, slots=True)
class LinkJob:
    """A shard whose calls are to be linked; sent to worker processes.

    ``out`` is the folder of the corpus. ``shards`` are all shards of the project, in order,
    ``shard_index`` is the position of the shard to link; ``folder`` is the name of the project's
    folder in ``calls``.
    """

    out: Path
    project: str
    folder: str
    shards: tuple[str, ...]
    shard_index: int


@dataclass(frozen=True, slots=True)
class LinkedShard:
    """Counts of a shard's calls, and processor time (seconds) and peak memory (bytes) of linking.

    ``ambiguous`` and ``inside`` count the calls with these flags, see ``CALLS``.
    """

    calls: int
    ambiguous: int
    inside: int
    seconds: float
    peak: int


def link_key(shards: Sequence[str], code: str) -> str:
    """Return the key of a project's links, which depend on all of its shards and on the code."""
    return hashlib.sha256("\0".join([code, *shards]).encode()).hexdigest()[:20]


def link_shard(job: LinkJob) -> LinkedShard:
    """Link and store the calls of a shard, unless they are stored already; return their counts."""
    start = time.process_time()
    folder = job.out / "calls" / job.folder
    name = job.shards[job.shard_index]
    calls_file, sets_file = folder / f"{name}.parquet", folder / f"{name}.sets"
    if not (calls_file.is_file() and sets_file.is_file()):
        calls, sets = _link_calls(job, job.out / "shards" / name)
        folder.mkdir(parents=True, exist_ok=True)
        replace_table(sets, sets_file)
        replace_table(calls, calls_file)
    flags = pq.read_table(calls_file, columns=["ambiguous", "inside"])
    ambiguous, inside = (
        int(np.count_nonzero(flags[column].to_numpy())) for column in flags.column_names
    )
    spent = time.process_time() - start
    return LinkedShard(flags.num_rows, ambiguous, inside, spent, peak_memory_bytes() or 0)


@lru_cache(maxsize=1)
def load_world(out: Path, shards: tuple[str, ...]) -> tuple[World, dict[str, int]]:
    """Return the project's declarations, and the number of each file's first method by path.

    Methods are numbered from 0 inside the project, in the order of the shards.
    """
    declared: list[tuple[str, Mapping[str, Any]]] = []
    first_methods: dict[str, int] = {}
    count = 0
    for shard in shards:
        declared += read_declared(out / "shards" / shard)
        paths = pq.read_table(out / "shards" / shard / "methods.parquet", columns=["path"])["path"]
        for position, path in enumerate(paths.to_pylist()):
            first_methods.setdefault(path, count + position)
        count += len(paths)
    return World(declared, load_platform()), first_methods


def _read_columns(path: Path, *names: str) -> Iterator[tuple[Any, ...]]:
    """Return the values of some columns of a table, row by row."""
    table = pq.read_table(path, columns=list(names))
    return zip(*(column_to_values(table[name]) for name in names), strict=True)


def _link_calls(job: LinkJob, shard: Path) -> tuple[pa.Table, pa.Table]:
    """Return the tables of the shard's calls and of the sets of targets that they name.

    ``shard`` is the folder of the shard.
    """
    world, first_methods = load_world(job.out, job.shards)
    methods, types = (
        _read_ids_by_path(shard, "methods", "method_id"),
        _read_ids_by_path(shard, "types", "type_id"),
    )
    sources = dict(_read_columns(shard / "files.parquet", "path", "source"))
    rows: dict[str, list[Any]] = {name: [] for name in CALLS.names}
    sets = _TargetSets(first_methods)
    for path, sites, name_end in read_sites(shard):
        calls = world.link_file(path, sites)
        # Rows that are calls; ``b`` of such a row is the byte offset of the called name.
        has_name_end = name_end >= 0
        ends = dict(
            zip(sites.b[has_name_end].tolist(), name_end[has_name_end].tolist(), strict=True)
        )
        # Sorted by caller. Calls in initializers have the caller -1 and come first.
        calls.sort(key=lambda call: (call.caller, call.offset))
        # As ``text.lines.line_at`` does, but for all calls at once.
        starts = line_starts(sources[path].encode())
        lines = np.searchsorted(starts, [call.offset for call in calls], side="right") + 1
        of_methods, of_types = methods.get(path, []), types.get(path, [])
        for call, line in zip(calls, lines.tolist(), strict=True):
            rows["caller_id"].append(of_methods[call.caller] if call.caller >= 0 else None)
            rows["caller_type_id"].append(of_types[call.type] if call.type >= 0 else None)
            rows["path"].append(path)
            rows["line"].append(line)
            rows["targets"].append(sets.name_set(call.targets))
            rows["start_byte"].append(call.offset)
            rows["end_byte"].append(ends.get(call.offset))
            for name in ("kind", "reference", "ambiguous", "inside", "callee"):
                rows[name].append(getattr(call, name))
    rows["project"] = [job.project] * len(rows["path"])
    return pa.Table.from_pydict(rows, schema=CALLS), sets.to_table()


def _read_ids_by_path(shard: Path, table: str, column: str) -> dict[str, list[bytes]]:
    """Return the ids of each file's methods or types, in order, by path."""
    path_of_file = dict(_read_columns(shard / "files.parquet", "file_id", "path"))
    ids_by_path: dict[str, list[bytes]] = {}
    for file, id_ in _read_columns(shard / f"{table}.parquet", "file_id", column):
        ids_by_path.setdefault(path_of_file[file], []).append(id_)
    return ids_by_path


class _TargetSets:
    """Sets of targets of a shard's calls, by name.

    The name is a hash of the members, so that equal sets of different shards have the same name.
    Members are method numbers inside the project.
    """

    def __init__(self, first_methods: Mapping[str, int]) -> None:
        self.first_methods = first_methods
        self.members: dict[int, list[int]] = {}
        # Keyed by identity: the linker returns the same tuple for equal sets, so each is hashed
        # once. The tuple is stored too, so that its identity is not reused.
        self.names: dict[int, tuple[tuple[Any, ...], int]] = {}

    def name_set(self, targets: tuple[Any, ...]) -> int | None:
        """Add a set of targets (path, index in file) and return its name; None if it is empty."""
        if not targets:
            return None
        named = self.names.get(id(targets))
        if named is None:
            # ``place`` is the index of the method in the declarations of its file.
            numbers = np.unique([self.first_methods[path] + place for path, place in targets])
            name = name_target_set(numbers)
            self.members[name] = numbers.tolist()
            named = self.names[id(targets)] = (targets, name)
        return named[1]

    def to_table(self) -> pa.Table:
        """Return the sets as a table with the schema ``SETS``, sorted by name."""
        names = sorted(self.members)
        columns = {"targets": names, "callees": [self.members[name] for name in names]}
        return pa.Table.from_pydict(columns, schema=SETS)
