"""Collect a corpus's candidate methods as columns, and sample the methods of each task.

A method is a candidate if it has a body that the parser understands (``readable`` in the corpus's
measures) and its class is not inside another method (``nested``). The task ``naming`` excludes
constructors, which have no name of their own. ``build`` finds the candidates of each shard in
worker processes, joins them into a ``Pool``, and samples from it; nothing here reads a method's
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codeacumen.benchmarks.gluecode.sampling import (
    Families,
    Sample,
    compute_sampling_number,
    compute_sampling_numbers,
    mask_duplicates_in,
)
from codeacumen.benchmarks.gluecode.specs import SPECS, Sizes
from codeacumen.corpus import Corpus
from codeacumen.corpus.facts import column_to_arrays, npath_column_name
from codeacumen.corpus.parquet import column_to_values
from codeacumen.corpus.splits import SPLITS
from codeacumen.languages.java.measures.operators import OPERATORS

# Folders with these names hold test code.
TEST_FOLDERS = frozenset(("test", "tests", "testing", "androidTest", "testFixtures"))
# Part of the name of a called constructor.
CONSTRUCTOR = "<init>"
# Byte offset of a call or operator that a method does not have.
NOTHING = -1
_NO_CALL = (NOTHING, NOTHING)


@dataclass(frozen=True, slots=True)
class CandidateJob:
    """Input of ``find_candidates``: a shard's folder, its table of calls, the seed, NPath rules.

    ``rules`` is a version of PMD, such as ``pmd6``.
    """

    shard: Path
    calls: Path
    seed: int
    rules: str


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """Columns with one value per candidate method of a shard.

    ``row`` is the method's index in the shard. ``npath`` is the NPath complexity. ``named`` is
    false for constructors; ``letters`` is the length of the name. ``call`` is the offset in the
    file of the name in the call that was sampled for completion, ``call_end`` the offset after the
    name, in bytes; both are -1 for a constructor and for a method without a usable call.
    ``operator`` has a column for each operator in ``OPERATORS``: the offset of one sampled
    occurrence, -1 if the method has none.
    """

    row: NDArray[np.int32]
    npath: NDArray[np.int64]
    named: NDArray[np.bool_]
    letters: NDArray[np.int32]
    call: NDArray[np.int32]
    call_end: NDArray[np.int32]
    operator: NDArray[np.int32]


def find_candidates(job: CandidateJob) -> CandidateColumns:
    """Return the candidates of a shard; worker processes call this."""
    methods = pq.read_table(
        job.shard / "methods.parquet", columns=["method_id", "kind", "name", "body", "nested"]
    )
    measures = pq.read_table(
        job.shard / "measures.parquet",
        columns=[npath_column_name(job.rules), "readable", "operators", "operator_starts"],
    )
    is_candidate = pc.and_(
        pc.and_(methods["body"], measures["readable"]), pc.invert(methods["nested"])
    )
    methods, measures = methods.filter(is_candidate), measures.filter(is_candidate)
    ids = column_to_values(methods["method_id"])
    named = pc.equal(methods["kind"], "method").to_numpy()
    calls = _read_calls_by_method(job)
    sampled_calls = [
        _sample_call(calls.get(method, ()), method, job.seed) if has_name else _NO_CALL
        for method, has_name in zip(ids, named.tolist(), strict=True)
    ]
    call, call_end = np.array(sampled_calls, dtype=np.int32).reshape(-1, 2).T
    sampled_operators = [
        _sample_operators(classes, starts, method, job.seed)
        for classes, starts, method in zip(
            column_to_arrays(measures["operators"]),
            column_to_arrays(measures["operator_starts"]),
            ids,
            strict=True,
        )
    ]
    return CandidateColumns(
        row=np.flatnonzero(is_candidate.to_numpy()).astype(np.int32),
        npath=measures[npath_column_name(job.rules)].to_numpy(),
        named=named,
        letters=np.array([len(name) for name in methods["name"].to_pylist()], dtype=np.int32),
        call=call,
        call_end=call_end,
        operator=np.array(sampled_operators, dtype=np.int32).reshape(-1, len(OPERATORS)),
    )


def _read_calls_by_method(job: CandidateJob) -> dict[bytes, list[tuple[int, int]]]:
    """Return start and end offset of the called name in each call, by the calling method's id.

    The end is -1 if it is unknown. Constructor calls and method references are left out.
    """
    names = ["caller_id", "start_byte", "end_byte", "reference", "callee"]
    table = pq.read_table(job.calls, columns=names)
    is_call = pc.invert(
        pc.or_(table["reference"], pc.match_substring(table["callee"], CONSTRUCTOR))
    )
    table = table.filter(pc.and_(is_call, pc.is_valid(table["caller_id"])))
    ends = pc.fill_null(table["end_byte"], NOTHING)
    calls: dict[bytes, list[tuple[int, int]]] = {}
    for caller, start, end in zip(
        column_to_values(table["caller_id"]),
        table["start_byte"].to_pylist(),
        ends.to_pylist(),
        strict=True,
    ):
        calls.setdefault(caller, []).append((start, end))
    return calls


def _sample_call(calls: Sequence[tuple[int, int]], method: bytes, seed: int) -> tuple[int, int]:
    """Return start and end of one call's name, (-1, -1) if there is none or its end is unknown.

    Only the seed, the method and its calls determine the choice.
    """
    if not calls:
        return _NO_CALL
    start, end = sorted(calls)[compute_sampling_number(seed, "call", method) % len(calls)]
    return (start, end) if end != NOTHING else _NO_CALL


def _sample_operators(
    classes: NDArray[np.int8], starts: NDArray[np.int32], method: bytes, seed: int
) -> NDArray[np.int32]:
    """Return, for each operator in ``OPERATORS``, the offset of one of its occurrences or -1.

    ``classes`` has the index in ``OPERATORS`` of each operator in the method, ``starts`` its
    offset.
    """
    sampled = np.full(len(OPERATORS), NOTHING, dtype=np.int32)
    for class_ in np.unique(classes).tolist():
        class_starts = starts[classes == class_]
        sampled[class_] = class_starts[
            compute_sampling_number(seed, OPERATORS[class_], method) % len(class_starts)
        ]
    return sampled


@dataclass(frozen=True, slots=True)
class Pool:
    """Columns with one value per candidate method of the corpus.

    ``number`` is the method's number in the corpus; ``shard`` (an index) and ``row`` locate it.
    ``id`` has the 16 bytes of its id, ``split`` the index in ``SPLITS``, ``project`` that in the
    corpus. ``warnings`` counts its null-dereference warnings. ``CandidateColumns`` explains
    ``npath`` to ``operator``. A position in the pool is an index of these columns.
    """

    number: NDArray[np.int64]
    shard: NDArray[np.int32]
    row: NDArray[np.int32]
    id: NDArray[np.uint8]
    split: NDArray[np.int8]
    project: NDArray[np.int32]
    npath: NDArray[np.int64]
    named: NDArray[np.bool_]
    letters: NDArray[np.int32]
    call: NDArray[np.int32]
    call_end: NDArray[np.int32]
    operator: NDArray[np.int32]
    warnings: NDArray[np.int32]
    is_test_code: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.number)

    def split_mask(self, split: str) -> NDArray[np.bool_]:
        """Return a mask of the methods of a split."""
        mask: NDArray[np.bool_] = self.split == SPLITS.index(split)
        return mask


def join_candidates(
    corpus: Corpus, shards: Sequence[CandidateColumns], warnings: Mapping[int, int]
) -> Pool:
    """Return the pool of the candidates of all shards, given in the corpus's order.

    ``warnings`` maps a method's number to its count of warnings; methods without any are absent.
    """
    shard = np.repeat(
        np.arange(len(shards), dtype=np.int32), [len(candidates.row) for candidates in shards]
    )
    row = _concatenate_columns([candidates.row for candidates in shards], np.int32)
    number = corpus.first_numbers[shard] + row
    ids, split, project, is_test_code = _method_columns(corpus)
    return Pool(
        number=number,
        shard=shard,
        row=row,
        id=ids[number],
        split=split[number],
        project=project[number],
        npath=_concatenate_columns([candidates.npath for candidates in shards], np.int64),
        named=_concatenate_columns([candidates.named for candidates in shards], np.bool_),
        letters=_concatenate_columns([candidates.letters for candidates in shards], np.int32),
        call=_concatenate_columns([candidates.call for candidates in shards], np.int32),
        call_end=_concatenate_columns([candidates.call_end for candidates in shards], np.int32),
        operator=_concatenate_columns(
            [candidates.operator.ravel() for candidates in shards], np.int32
        ).reshape(-1, len(OPERATORS)),
        warnings=np.array([warnings.get(method, 0) for method in number.tolist()], dtype=np.int32),
        is_test_code=is_test_code[number],
    )


def _method_columns(
    corpus: Corpus,
) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int32], NDArray[np.bool_]]:
    """Return ids, splits, projects and a mask of test code for all methods, in corpus order."""
    ids: list[bytes] = []
    splits: list[str] = []
    is_test_code: list[bool] = []
    project = np.repeat(
        np.array([corpus.manifest.projects.index(name) for name in corpus.project_of_shard]),
        np.diff(corpus.first_numbers),
    )
    for shard in corpus.shards:
        table = corpus.read_table(
            corpus.table_path(shard, "methods"), ["method_id", "split", "path"]
        )
        ids += column_to_values(table["method_id"])
        splits += table["split"].to_pylist()
        is_test_code += [is_test_path(path) for path in table["path"].to_pylist()]
    split_indices = np.array([SPLITS.index(name) for name in splits], dtype=np.int8)
    raw = np.frombuffer(b"".join(ids), dtype=np.uint8).reshape(-1, 16)
    return raw, split_indices, project.astype(np.int32), np.array(is_test_code, dtype=np.bool_)


@lru_cache(maxsize=1024)
def is_test_path(path: str) -> bool:
    """Return whether one of the file's folders marks it as test code.

    >>> is_test_path("src/test/java/a/B.java"), is_test_path("src/main/java/a/Test.java")
    (True, False)
    """
    return any(part in TEST_FOLDERS for part in path.split("/")[:-1])


def _concatenate_columns(columns: Sequence[NDArray[Any]], type_: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=type_), *columns]).astype(type_)


@dataclass(frozen=True, slots=True)
class TaskSample:
    """Sampled methods of a task by split, as positions in the pool.

    ``near_duplicate`` has by split a mask of the sampled methods with a near-duplicate in the
    task's training sample; it is false for the training split.
    """

    samples: Mapping[str, Sample]
    near_duplicate: Mapping[str, NDArray[np.bool_]]


def sample_tasks(
    pool: Pool, seed: int, families: Families | None, *, dedup: bool, sizes: Sizes
) -> dict[str, TaskSample]:
    """Return the sampled methods of each task in ``sizes``, in this order.

    ``families`` has the near-duplicate family of each method in the pool; None if it is unknown,
    and then ``dedup`` has no effect. ``dedup`` removes each method with a near-duplicate in a later
    split, so that training contains no near-duplicates of tested methods.
    """
    is_unique = _mask_unique_methods(pool, families) if dedup and families is not None else None
    sampled: dict[str, TaskSample] = {}
    for task in sizes:
        spec = SPECS[task]
        samples = {}
        for split in SPLITS:
            eligible = (
                pool.split_mask(split) if is_unique is None else pool.split_mask(split) & is_unique
            )
            positions = np.flatnonzero(eligible)
            if spec.sampled_from:
                positions = sampled[spec.sampled_from].samples[split].positions
            numbers = compute_sampling_numbers(seed, spec.sampling_key, pool.id[positions])
            sample = spec.sample(pool, positions, numbers, sizes[task][split])
            samples[split] = replace(sample, positions=positions[sample.positions])
        sampled[task] = TaskSample(samples, _duplicates_in_training(pool, samples, families))
    return sampled


def _mask_unique_methods(pool: Pool, families: Families) -> NDArray[np.bool_]:
    """Return a mask of the methods without a near-duplicate in a later split."""
    is_unique = np.ones(len(pool), dtype=np.bool_)
    for split_index, split in enumerate(SPLITS):
        is_unique &= ~mask_duplicates_in(families, pool.split_mask(split), pool.split > split_index)
    return is_unique


def _duplicates_in_training(
    pool: Pool, samples: Mapping[str, Sample], families: Families | None
) -> dict[str, NDArray[np.bool_]]:
    """Return by split a mask of the sampled methods with a near-duplicate in training."""
    near_duplicate = {}
    in_training = np.zeros(len(pool), dtype=np.bool_)
    in_training[samples["train"].positions] = True
    for split, sample in samples.items():
        if families is None or split == "train":
            near_duplicate[split] = np.zeros(len(sample.positions), dtype=np.bool_)
        else:
            own = np.zeros(len(pool), dtype=np.bool_)
            own[sample.positions] = True
            near_duplicate[split] = mask_duplicates_in(families, own, in_training)[sample.positions]
    return near_duplicate
