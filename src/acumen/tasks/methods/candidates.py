"""What may be asked about the methods of one shard of a corpus, from what the corpus has stored.

A method is taken if it has a body that the parser understands and its class does not stand in
another method. It is asked for its name if it has one of its own, which a constructor has not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from acumen.corpus.facts import arrays_of, npath_column
from acumen.corpus.parquet import values_of
from acumen.lang.java.operators import OPERATORS
from acumen.tasks.methods.lots import lot

CONSTRUCTOR = "<init>"
NOTHING = -1
_NO_CALL = (NOTHING, NOTHING)


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
    ``call`` is the byte of the call sampled for completion, ``call_end`` that after its name, -1
    where the method calls nothing. ``operator`` has for each of the twelve classes the byte of
    the one sampled for it, -1 where the method has none.
    """

    row: NDArray[np.int32]
    npath: NDArray[np.int64]
    named: NDArray[np.bool_]
    letters: NDArray[np.int32]
    call: NDArray[np.int32]
    call_end: NDArray[np.int32]
    operator: NDArray[np.int32]


def candidates(job: Job) -> Candidates:
    """Return the candidates of a shard; an engine runs this."""
    methods = pq.read_table(
        job.shard / "methods.parquet", columns=["method_id", "kind", "name", "body", "nested"]
    )
    measures = pq.read_table(
        job.shard / "measures.parquet",
        columns=[npath_column(job.rules), "readable", "operators", "operator_starts"],
    )
    wanted = pc.and_(pc.and_(methods["body"], measures["readable"]), pc.invert(methods["nested"]))
    methods, measures = methods.filter(wanted), measures.filter(wanted)
    ids = values_of(methods["method_id"])
    named = pc.equal(methods["kind"], "method").to_numpy()
    calls = _calls_by_method(job)
    sampled_calls = [
        _sample_call(calls.get(method, ()), method, job.seed) if has_name else _NO_CALL
        for method, has_name in zip(ids, named.tolist(), strict=True)
    ]
    call, call_end = np.array(sampled_calls, dtype=np.int32).reshape(-1, 2).T
    sampled_operators = [
        _sample_operators(classes, starts, method, job.seed)
        for classes, starts, method in zip(
            arrays_of(measures["operators"]), arrays_of(measures["operator_starts"]), ids,
            strict=True,
        )
    ]  # fmt: skip
    return Candidates(
        row=np.flatnonzero(wanted.to_numpy()).astype(np.int32),
        npath=measures[npath_column(job.rules)].to_numpy(),
        named=named,
        letters=np.array([len(name) for name in methods["name"].to_pylist()], dtype=np.int32),
        call=call,
        call_end=call_end,
        operator=np.array(sampled_operators, dtype=np.int32).reshape(-1, len(OPERATORS)),
    )


def _calls_by_method(job: Job) -> dict[bytes, list[tuple[int, int]]]:
    """For each method, first and last byte of the names of the methods that it calls: no
    constructors, no references."""
    names = ["caller_id", "start_byte", "end_byte", "reference", "callee"]
    table = pq.read_table(job.calls, columns=names)
    wanted = pc.invert(pc.or_(table["reference"], pc.match_substring(table["callee"], CONSTRUCTOR)))
    table = table.filter(pc.and_(wanted, pc.is_valid(table["caller_id"])))
    ends = pc.fill_null(table["end_byte"], NOTHING)
    found: dict[bytes, list[tuple[int, int]]] = {}
    for caller, start, end in zip(
        values_of(table["caller_id"]), table["start_byte"].to_pylist(), ends.to_pylist(),
        strict=True,
    ):  # fmt: skip
        found.setdefault(caller, []).append((start, end))
    return found


def _sample_call(calls: Sequence[tuple[int, int]], method: bytes, seed: int) -> tuple[int, int]:
    """One of the calls, the same whatever else there is."""
    if not calls:
        return _NO_CALL
    start, end = sorted(calls)[lot(seed, "call", method) % len(calls)]
    return (start, end) if end != NOTHING else _NO_CALL


def _sample_operators(
    classes: NDArray[np.int8], starts: NDArray[np.int32], method: bytes, seed: int
) -> NDArray[np.int32]:
    """For each class, one of the method's operators."""
    sampled = np.full(len(OPERATORS), NOTHING, dtype=np.int32)
    for which in np.unique(classes).tolist():
        mine = starts[classes == which]
        sampled[which] = mine[lot(seed, OPERATORS[which], method) % len(mine)]
    return sampled
