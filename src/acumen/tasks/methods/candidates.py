"""What may be asked about the methods of one shard of a corpus: one parse of each file.

A method is taken if it has a body that the parser understands and its class does not stand in
another method. It is asked for its name if it has one of its own, which a constructor has not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from acumen.corpus.parquet import values_of
from acumen.lang.java.file import JavaFile
from acumen.lang.java.npath import npath
from acumen.lang.java.operators import OPERATORS, operators, readable
from acumen.tasks.methods.lots import lot

_COLUMNS = ["method_id", "file_id", "path", "place", "kind", "name", "body", "nested"]
_CALLS = ["caller_id", "path", "start_byte", "reference", "callee"]
CONSTRUCTOR = "<init>"
NOTHING = -1

Rows = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """A shard, and where its calls lie."""

    shard: Path
    calls: Path
    seed: int
    rules: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """Columns of one value for each method of a shard that may be asked about.

    ``row`` is its place in the shard's methods; ``named``: for its name, which has ``letters``.
    ``call`` is the byte of the call drawn for completion, ``call_end`` that after its name, -1
    where the method calls nothing. ``operator`` has for each of the twelve classes the byte of
    the one drawn for it, -1 where the method has none. ``lost`` are files that could not be looked
    at, and why.
    """

    row: NDArray[np.int32]
    npath: NDArray[np.int64]
    named: NDArray[np.bool_]
    letters: NDArray[np.int32]
    call: NDArray[np.int32]
    call_end: NDArray[np.int32]
    operator: NDArray[np.int32]
    lost: tuple[str, ...] = ()


def candidates(job: Job) -> Candidates:
    """What an engine runs."""
    made: list[tuple[int, ...]] = []
    drawn: list[NDArray[np.int32]] = []
    lost: list[str] = []
    calls = _calls(job)
    for source, rows in _files(job.shard):
        try:
            found = list(_of_file(JavaFile(source.encode()), rows, calls, job))
        except Exception as error:  # one file that cannot be borne ends nothing else
            lost.append(f"{rows[0]['path']}: {type(error).__name__}: {error}")
            continue
        made += [values for values, _ in found]
        drawn += [operators for _, operators in found]
    columns = np.array(made, dtype=np.int64).reshape(-1, 6).T
    return Candidates(
        row=columns[0].astype(np.int32),
        npath=columns[1],
        named=columns[2].astype(np.bool_),
        letters=columns[3].astype(np.int32),
        call=columns[4].astype(np.int32),
        call_end=columns[5].astype(np.int32),
        operator=np.array(drawn, dtype=np.int32).reshape(-1, len(OPERATORS)),
        lost=tuple(lost),
    )


def _of_file(
    file: JavaFile, rows: Sequence[Rows], calls: Mapping[bytes, Sequence[int]], job: Job
) -> Iterator[tuple[tuple[int, ...], NDArray[np.int32]]]:
    value = dict(zip(file.bodies, npath(file, job.rules).tolist(), strict=True))
    fine = readable(file)
    operators = _drawn_operators(file, rows, job.seed)
    for row in rows:
        place, id_ = row["place"], row["method_id"]
        if fine[place]:
            named = row["kind"] == "method"
            start, end = _drawn_call(file, calls.get(id_, ()), id_, job.seed) if named else _NO_CALL
            told = (row["row"], value[place], named, len(row["name"]), start, end)
            yield told, operators[place]


_NO_CALL = (NOTHING, NOTHING)


def _files(shard: Path) -> Iterator[tuple[str, list[Rows]]]:
    """Text and methods of each Java file, in the corpus's order."""
    methods = pq.read_table(shard / "methods.parquet", columns=_COLUMNS)
    methods = methods.append_column("row", [list(range(len(methods)))])
    methods = methods.filter(pc.and_(methods["body"], pc.invert(methods["nested"])))
    files = pq.read_table(shard / "files.parquet", columns=["file_id", "source", "language"])
    files = files.filter(pc.equal(files["language"], "java"))
    texts = dict(zip(values_of(files["file_id"]), files["source"].to_pylist(), strict=True))
    names = ("row", "path", "place", "kind", "name", "method_id", "file_id")
    columns = [values_of(methods[name]) for name in names]
    rows = [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    for file_id, mine in groupby(rows, key=lambda row: row["file_id"]):
        if file_id in texts:
            yield texts[file_id], list(mine)


def _calls(job: Job) -> dict[bytes, list[int]]:
    """For each method, the bytes of the calls of methods that stand in it: no constructors, no
    references."""
    table = pq.read_table(job.calls, columns=_CALLS)
    wanted = pc.invert(pc.or_(table["reference"], pc.match_substring(table["callee"], CONSTRUCTOR)))
    table = table.filter(pc.and_(wanted, pc.is_valid(table["caller_id"])))
    found: dict[bytes, list[int]] = {}
    for caller, start in zip(
        values_of(table["caller_id"]), table["start_byte"].to_pylist(), strict=True
    ):
        found.setdefault(caller, []).append(start)
    return found


def _drawn_call(file: JavaFile, starts: Sequence[int], method: bytes, seed: int) -> tuple[int, int]:
    """One of the calls, the same whatever else there is."""
    if not starts:
        return _NO_CALL
    ordered = sorted(starts)
    start = ordered[lot(seed, "call", method) % len(ordered)]
    token = int(np.searchsorted(file.tokens.start, start))
    if token >= len(file.tokens) or file.tokens.start[token] != start:
        return _NO_CALL
    return start, int(file.tokens.end[token])


def _drawn_operators(
    file: JavaFile, rows: Sequence[Rows], seed: int
) -> dict[int, NDArray[np.int32]]:
    """For each method, one operator of each class that it has."""
    found = operators(file)
    start = file.syntax.start[found.node]
    places: dict[tuple[int, int], list[int]] = {}
    for method, which, at in zip(
        found.method.tolist(), found.which.tolist(), start.tolist(), strict=True
    ):
        places.setdefault((method, which), []).append(at)
    drawn: dict[int, NDArray[np.int32]] = {}
    ids = {row["place"]: row["method_id"] for row in rows}
    for place in ids:
        drawn[place] = np.full(len(OPERATORS), NOTHING, dtype=np.int32)
    for (method, which), starts in places.items():
        if method in ids:
            drawn[method][which] = starts[lot(seed, OPERATORS[which], ids[method]) % len(starts)]
    return drawn
