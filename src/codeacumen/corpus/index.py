"""The index of a corpus: from a method's id to its number, and along calls, in microseconds.

Methods are numbered from 0 in the order of the shards. The index consists of numpy files that are
mapped into memory on access, so that a corpus of a million methods opens at once. ``corpus.build``
writes the index, ``corpus.stored_corpus`` and ``corpus.store`` read it.

A set of targets holds the methods that a call may reach. A set has a name, which is a hash of its
members, and a number, which is its row in ``dispatch.parquet``.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codeacumen.core.files import sha256_of
from codeacumen.corpus.manifest import Manifest, damaged_corpus_error
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.schema import DISPATCH, NUMBERS, list_of

# Numbers of methods, or of sets of call targets.
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RaggedLists:
    """Lists of numbers, one after the other: list i is ``values[offsets[i]:offsets[i + 1]]``.

    ``is_certain`` has a flag for each value: False if only ambiguous calls lead to it. It is None
    for lists that do not come from calls.
    """

    offsets: NDArray[np.int64]
    values: Numbers
    is_certain: NDArray[np.bool_] | None = None

    def __getitem__(self, i: int) -> Numbers:
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def gather_distinct(self, positions: Numbers, *, guesses: bool = True) -> Numbers:
        """Return the distinct numbers of the lists at these positions, sorted.

        Without ``guesses``, uncertain numbers are left out.
        """
        pieces: list[Numbers] = [np.empty(0, dtype=np.int32)]
        for i in positions.tolist():
            values = self[i]
            if not guesses and self.is_certain is not None:
                values = values[self.is_certain[self.offsets[i] : self.offsets[i + 1]]]
            pieces.append(values)
        return np.unique(np.concatenate(pieces))


class CorpusIndex:
    """The index of a corpus; its arrays are loaded on access.

    Calls that may reach the same methods share one set of targets. ``called_sets`` lists the sets
    that each method calls, ``target_sets`` the methods in each set. In the other direction,
    ``containing_sets`` lists the sets that contain each method, ``set_callers`` the methods that
    call each set.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _load_array(self, name: str) -> Any:
        path = self.folder / f"{name}.npy"
        try:
            return np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise damaged_corpus_error(self.folder.parent, path) from error

    def _load_lists(self, name: str, *, with_certainty: bool = False) -> RaggedLists:
        flags = self._load_array(f"{name}_sure") if with_certainty else None
        return RaggedLists(self._load_array(f"{name}_offsets"), self._load_array(name), flags)

    @cached_property
    def id_halves(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The upper and the lower 64 bits of all methods' ids, sorted by id.

        The ids are in halves because numpy has no 128-bit integers.
        """
        return self._load_array("high"), self._load_array("low")

    @cached_property
    def first_numbers(self) -> NDArray[np.int64]:
        """The number of each shard's first method, then the number of all methods."""
        numbers: NDArray[np.int64] = self._load_array("first")
        return numbers

    @cached_property
    def numbers_by_id(self) -> Numbers:
        """The method number of each id, in the order of ``id_halves``."""
        numbers: Numbers = self._load_array("numbers")
        return numbers

    def find_number(self, method: uuid.UUID) -> int:
        """Return the number of a method, or -1 if there is no such method."""
        high, low = self.id_halves
        upper, lower = method.int >> 64, method.int & _LOWER
        position = int(np.searchsorted(high, np.uint64(upper)))
        while position < len(high) and high[position] == upper:
            if low[position] == lower:
                return int(self.numbers_by_id[position])
            position += 1
        return -1

    @cached_property
    def called_sets(self) -> RaggedLists:
        return self._load_lists("calls", with_certainty=True)

    @cached_property
    def target_sets(self) -> RaggedLists:
        return self._load_lists("sets")

    @cached_property
    def containing_sets(self) -> RaggedLists:
        return self._load_lists("within")

    @cached_property
    def set_callers(self) -> RaggedLists:
        return self._load_lists("callers", with_certainty=True)


# The 16 bytes of a UUID, which are big-endian.
_ID = np.dtype([("high", ">u8"), ("low", ">u8")])
_LOWER = (1 << 64) - 1


def write_index(out: Path, manifest: Manifest) -> dict[str, str]:
    """Write the folder ``index``, ``numbers.parquet`` and ``dispatch.parquet``.

    Return the SHA-256 of these files and of all other files that the manifest lists outside of
    shards: the projects and the calls.
    """
    folder = out / "index"
    folder.mkdir(exist_ok=True)
    ids, shard_starts = _load_ids(out, manifest)
    # The number of each project's first method.
    shard_index, first_numbers = 0, {}
    for project, keys in manifest.shards.items():
        first_numbers[project] = int(shard_starts[shard_index])
        shard_index += len(keys)
    order = np.lexsort((ids["low"], ids["high"]))
    # Little-endian halves: numpy copies arrays of another byte order before each search.
    high, low = (ids[half][order].astype("<u8") for half in ("high", "low"))
    sets, pairs = _load_calls(out, manifest, _SortedIds(high, low, order), first_numbers)
    arrays: dict[str, NDArray[Any]] = {
        "first": shard_starts,
        "high": high,
        "low": low,
        "numbers": order.astype(np.int32),
    }
    arrays |= _build_call_arrays(sets, pairs, len(ids))
    for name, array in arrays.items():
        part = folder / f".{name}.part"
        with part.open("wb") as stream:
            np.save(stream, array)
        part.replace(folder / f"{name}.npy")
    storage = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(16), len(ids), [None, pa.py_buffer(ids.astype(_ID).tobytes())]
    )
    numbered = [
        pa.array(np.arange(len(ids), dtype=np.int32)),
        pa.ExtensionArray.from_storage(pa.uuid(), storage),
    ]
    replace_table(pa.table(numbered, schema=NUMBERS), out / "numbers.parquet")
    replace_table(sets.to_table(), out / "dispatch.parquet")
    files = [*(f"index/{name}.npy" for name in arrays)]
    files += [f"{name}.parquet" for name in ("projects", "dispatch", "numbers")]
    files += [
        f"calls/{link}/{shard}.{suffix}"
        for project, link in manifest.links.items()
        for shard in manifest.shards[project]
        for suffix in ("parquet", "sets")
    ]
    return {file: sha256_of(out / file) for file in files}


def _load_ids(out: Path, manifest: Manifest) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return the ids of all methods by number, and the first number of each shard.

    The numbers of the shards end with the number of all methods.
    """
    pieces: list[NDArray[np.void]] = [np.empty(0, dtype=_ID)]
    for shards in manifest.shards.values():
        for shard in shards:
            path = out / "shards" / shard / "methods.parquet"
            pieces.append(_split_ids(pq.read_table(path, columns=["method_id"])["method_id"]))
    return np.concatenate(pieces), np.cumsum([len(piece) for piece in pieces], dtype=np.int64)


def _split_ids(column: pa.ChunkedArray) -> NDArray[np.void]:
    """Return a column of ids without nulls as pairs of 64-bit halves."""
    storage = pa.chunked_array([chunk.storage for chunk in column.chunks], pa.binary(16))
    combined = storage.combine_chunks()
    data = np.frombuffer(combined.buffers()[1] or b"", dtype=_ID)
    return data[combined.offset : combined.offset + len(combined)]


@dataclass(frozen=True, slots=True)
class _SortedIds:
    """Upper and lower halves of the sorted ids, and in ``order`` the method number of each id."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    order: NDArray[np.intp]

    def find_numbers(self, ids: NDArray[np.void]) -> NDArray[np.intp]:
        """Return the method numbers of ids, all of which must exist."""
        high, low = (ids[half].astype("<u8") for half in ("high", "low"))
        position = np.searchsorted(self.high, high)
        # Step over ids that share the upper half, which is possible though very unlikely.
        while True:
            differs = self.low[position] != low
            if not differs.any():
                return self.order[position]
            position = position + differs


@dataclass(slots=True)
class _AllTargetSets:
    """Sets of call targets, each field with one element per project.

    ``set_names`` are hashes (``ids.name_target_set``); ``offsets`` cut ``members``, which are
    method numbers in the corpus, into the sets of the project.
    """

    projects: list[str]
    set_names: list[NDArray[np.int64]]
    offsets: list[NDArray[np.int64]]
    members: list[Numbers]

    def __len__(self) -> int:
        """Return the number of sets of all projects."""
        return sum(map(len, self.set_names))

    def to_lists(self) -> RaggedLists:
        """Return the members of all sets, by the number of the set."""
        lengths = [np.diff(project_offsets) for project_offsets in self.offsets]
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths]), out=offsets[1:])
        return RaggedLists(offsets, np.concatenate([np.empty(0, np.int32), *self.members]))

    def to_table(self) -> pa.Table:
        """Return the rows of ``DISPATCH``; the row of a set is its number."""
        lists = self.to_lists()
        names = [
            name
            for name, project_set_names in zip(self.projects, self.set_names, strict=True)
            for _ in project_set_names
        ]
        targets = np.concatenate([np.empty(0, np.int64), *self.set_names])
        offsets = pa.array(lists.offsets.astype(np.int32))
        callees = pa.ListArray.from_arrays(offsets, lists.values, type=list_of(pa.int32()))
        columns = [pa.array(names, pa.string()), pa.array(targets), callees]
        return pa.table(columns, schema=DISPATCH)


def _load_calls(
    out: Path, manifest: Manifest, ids: _SortedIds, first_numbers: dict[str, int]
) -> tuple[_AllTargetSets, NDArray[np.int64]]:
    """Return all sets of targets, and the resolved calls as rows (caller, set, is certain).

    The rows have the shape (calls, 3). ``first_numbers`` are the projects' first method numbers.
    """
    sets = _AllTargetSets([], [], [], [])
    pairs: list[NDArray[np.int64]] = [np.empty((0, 3), dtype=np.int64)]
    for project, link in manifest.links.items():
        files = [out / "calls" / link / shard for shard in manifest.shards[project]]
        tables = [pq.read_table(f"{file}.sets") for file in files]
        if not tables:
            continue
        # Sets are numbered project after project, and inside a project in the order of their names.
        base = len(sets)
        set_table = pa.concat_tables(tables).combine_chunks()
        set_names, first_rows = np.unique(set_table["targets"].to_numpy(), return_index=True)
        distinct_sets = set_table.take(pa.array(first_rows)).combine_chunks()
        lists = distinct_sets["callees"].combine_chunks()
        sets.projects.append(project)
        sets.set_names.append(set_names)
        sets.offsets.append(lists.offsets.to_numpy().astype(np.int64))
        sets.members.append((lists.flatten().to_numpy() + first_numbers[project]).astype(np.int32))
        for file in files:
            calls = pq.read_table(f"{file}.parquet", columns=["caller_id", "targets", "ambiguous"])
            is_resolved = pc.and_(pc.is_valid(calls["caller_id"]), pc.is_valid(calls["targets"]))
            calls = calls.filter(is_resolved)
            caller = ids.find_numbers(_split_ids(calls["caller_id"]))
            set_numbers = np.searchsorted(set_names, calls["targets"].to_numpy()) + base
            is_certain = ~calls["ambiguous"].to_numpy().astype(np.bool_)
            pairs.append(np.stack([caller, set_numbers, is_certain], axis=1).astype(np.int64))
    return sets, np.concatenate(pairs)


def _build_call_arrays(
    sets: _AllTargetSets, pairs: NDArray[np.int64], method_count: int
) -> dict[str, NDArray[Any]]:
    """Return the arrays of the four lists of ``CorpusIndex``, by file name.

    The properties of ``CorpusIndex`` load the files: ``calls`` is ``called_sets``, ``sets`` is
    ``target_sets``, ``within`` is ``containing_sets``, ``callers`` is ``set_callers``, and
    ``NAME_sure`` has their ``is_certain``.

    ``pairs`` has the columns caller, set, and 1 for a certain call. A set that a method calls
    several times is listed once, as certain if one call is certain.
    """
    lists = sets.to_lists()
    # By caller, then set; certain calls first, so that the first row of each pair is certain if any
    # is.
    order = np.lexsort((1 - pairs[:, 2], pairs[:, 1], pairs[:, 0]))
    pairs = pairs[order]
    is_first = np.ones(len(pairs), dtype=np.bool_)
    is_first[1:] = (pairs[1:, :2] != pairs[:-1, :2]).any(axis=1)
    pairs = pairs[is_first]
    owner = np.repeat(np.arange(len(sets)), np.diff(lists.offsets))
    by_set = np.argsort(pairs[:, 1], kind="stable")
    by_member = np.argsort(lists.values, kind="stable")
    return {
        "calls": pairs[:, 1].astype(np.int32),
        "calls_offsets": _compute_offsets(pairs[:, 0], method_count),
        "calls_sure": pairs[:, 2].astype(np.bool_),
        "sets": lists.values,
        "sets_offsets": lists.offsets,
        "within": owner[by_member].astype(np.int32),
        "within_offsets": _compute_offsets(lists.values, method_count),
        "callers": pairs[by_set, 0].astype(np.int32),
        "callers_sure": pairs[by_set, 2].astype(np.bool_),
        "callers_offsets": _compute_offsets(pairs[:, 1], len(sets)),
    }


def _compute_offsets(owner: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the offsets of ``count`` lists whose entries are sorted by owner.

    ``owner`` has for each entry the number of the list that it belongs to, in any order.
    """
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=offsets[1:])
    return offsets
