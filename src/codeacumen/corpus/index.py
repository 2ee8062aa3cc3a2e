"""The index of a corpus: from a method's id to its number, and along calls, in microseconds.

Methods are numbered in the order of the shards. The index consists of numpy files that are mapped
into memory on access, so that a corpus of a million methods opens at once.
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
from codeacumen.corpus.integrity import unreadable
from codeacumen.corpus.manifest import Manifest
from codeacumen.corpus.parquet import replace_table
from codeacumen.corpus.schema import DISPATCH, NUMBERS, list_of

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of numbers, one after the other, mapped from files.

    ``is_certain`` is False for numbers that were guessed by name.
    """

    offsets: NDArray[np.int64]
    values: Numbers
    sure: NDArray[np.bool_] | None = None

    def __getitem__(self, i: int) -> Numbers:
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def gather(self, which: Numbers, *, guesses: bool = True) -> Numbers:
        """Return the distinct numbers of several lists, sorted; certain ones only if not
        ``guesses``."""
        pieces: list[Numbers] = [np.empty(0, dtype=np.int32)]
        for i in which.tolist():
            found = self[i]
            if not guesses and self.sure is not None:
                found = found[self.sure[self.offsets[i] : self.offsets[i + 1]]]
            pieces.append(found)
        return np.unique(np.concatenate(pieces))


class Index:
    """The index of a corpus; its arrays are loaded on access.

    ``called_sets`` lists the sets of targets that a method calls, ``target_sets`` the methods in a
    set. In the other direction, ``containing_sets`` lists the sets that contain a method and
    ``set_callers`` the methods that call a set.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _array(self, name: str) -> Any:
        path = self.folder / f"{name}.npy"
        try:
            return np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise unreadable(self.folder.parent, path) from error

    def _lists(self, name: str, *, sure: bool = False) -> Lists:
        flags = self._array(f"{name}_sure") if sure else None
        return Lists(self._array(f"{name}_offsets"), self._array(name), flags)

    @cached_property
    def halves(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The upper and the lower 64 bits of all ids, sorted by id."""
        return self._array("high"), self._array("low")

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The number of each shard's first method, then the number of all methods."""
        found: NDArray[np.int64] = self._array("first")
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """The method number of each id, in the order of ``id_halves``."""
        found: Numbers = self._array("numbers")
        return found

    def number(self, method: uuid.UUID) -> int:
        """Return the number of a method, or -1 if there is no such method."""
        high, low = self.halves
        upper, lower = method.int >> 64, method.int & _LOWER
        at = int(np.searchsorted(high, np.uint64(upper)))
        while at < len(high) and high[at] == upper:
            if low[at] == lower:
                return int(self.numbers[at])
            at += 1
        return -1

    @cached_property
    def calls(self) -> Lists:
        return self._lists("calls", sure=True)

    @cached_property
    def sets(self) -> Lists:
        return self._lists("sets")

    @cached_property
    def within(self) -> Lists:
        return self._lists("within")

    @cached_property
    def callers(self) -> Lists:
        return self._lists("callers", sure=True)


_ID = np.dtype([("high", ">u8"), ("low", ">u8")])
_LOWER = (1 << 64) - 1


def write_index(out: Path, manifest: Manifest) -> dict[str, str]:
    """Write the index, the numbers and the sets of targets.

    Return the SHA-256 of every file of the corpus that is not in a shard.
    """
    folder = out / "index"
    folder.mkdir(exist_ok=True)
    ids, shards = _ids(out, manifest)
    # The number of each project's first method.
    place, first = 0, {}
    for project, keys in manifest.shards.items():
        first[project] = int(shards[place])
        place += len(keys)
    order = np.lexsort((ids["low"], ids["high"]))
    # Little-endian halves: numpy copies arrays of another byte order before each search.
    high, low = (ids[half][order].astype("<u8") for half in ("high", "low"))
    sets, pairs = _calls(out, manifest, _Sorted(high, low, order), first)
    arrays: dict[str, NDArray[Any]] = {
        "first": shards,
        "high": high,
        "low": low,
        "numbers": order.astype(np.int32),
    }
    arrays |= _ways(sets, pairs, len(ids))
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
    replace_table(sets.table(), out / "dispatch.parquet")
    files = [*(f"index/{name}.npy" for name in arrays)]
    files += [f"{name}.parquet" for name in ("projects", "dispatch", "numbers")]
    files += [
        f"calls/{link}/{shard}.{suffix}"
        for project, link in manifest.links.items()
        for shard in manifest.shards[project]
        for suffix in ("parquet", "sets")
    ]
    return {file: sha256_of(out / file) for file in files}


def _ids(out: Path, manifest: Manifest) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return the ids of all methods by number, and the first number of each shard and of the
    end.
    """
    pieces: list[NDArray[np.void]] = [np.empty(0, dtype=_ID)]
    for shards in manifest.shards.values():
        for shard in shards:
            path = out / "shards" / shard / "methods.parquet"
            pieces.append(_as_pairs(pq.read_table(path, columns=["method_id"])["method_id"]))
    return np.concatenate(pieces), np.cumsum([len(piece) for piece in pieces], dtype=np.int64)


def _as_pairs(column: pa.ChunkedArray) -> NDArray[np.void]:
    """Return a column of ids without nulls as pairs of 64-bit halves."""
    found = pa.chunked_array([chunk.storage for chunk in column.chunks], pa.binary(16))
    whole = found.combine_chunks()
    data = np.frombuffer(whole.buffers()[1] or b"", dtype=_ID)
    return data[whole.offset : whole.offset + len(whole)]


@dataclass(frozen=True, slots=True)
class _Sorted:
    """Halves of the sorted ids, and the method number of each id."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    order: NDArray[np.intp]

    def numbers_of(self, wanted: NDArray[np.void]) -> NDArray[np.intp]:
        """Return the method numbers of ids, all of which must exist."""
        high, low = (wanted[half].astype("<u8") for half in ("high", "low"))
        at = np.searchsorted(self.high, high)
        # Step over ids that share the upper half, which is possible though very unlikely.
        while True:
            wrong = self.low[at] != low
            if not wrong.any():
                return self.order[at]
            at = at + wrong


@dataclass(slots=True)
class _Sets:
    """Sets of call targets of all projects; ``members`` are method numbers in the corpus."""

    project: list[str]
    targets: list[NDArray[np.int64]]
    offsets: list[NDArray[np.int64]]
    members: list[Numbers]

    def __len__(self) -> int:
        return sum(map(len, self.targets))

    def lists(self) -> Lists:
        lengths = [np.diff(one) for one in self.offsets]
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(np.concatenate([np.empty(0, np.int64), *lengths]), out=offsets[1:])
        return Lists(offsets, np.concatenate([np.empty(0, np.int32), *self.members]))

    def table(self) -> pa.Table:
        lists = self.lists()
        names = [name for name, one in zip(self.project, self.targets, strict=True) for _ in one]
        targets = np.concatenate([np.empty(0, np.int64), *self.targets])
        offsets = pa.array(lists.offsets.astype(np.int32))
        callees = pa.ListArray.from_arrays(offsets, lists.values, type=list_of(pa.int32()))
        columns = [pa.array(names, pa.string()), pa.array(targets), callees]
        return pa.table(columns, schema=DISPATCH)


def _calls(
    out: Path, manifest: Manifest, ids: _Sorted, first: dict[str, int]
) -> tuple[_Sets, NDArray[np.int64]]:
    """Return all sets of targets, and a row (caller, set, is certain) for each resolved call."""
    sets = _Sets([], [], [], [])
    pairs: list[NDArray[np.int64]] = [np.empty((0, 3), dtype=np.int64)]
    for project, link in manifest.links.items():
        files = [out / "calls" / link / shard for shard in manifest.shards[project]]
        tables = [pq.read_table(f"{file}.sets") for file in files]
        if not tables:
            continue
        base = len(sets)
        found = pa.concat_tables(tables).combine_chunks()
        distinct, places = np.unique(found["targets"].to_numpy(), return_index=True)
        chosen = found.take(pa.array(places)).combine_chunks()
        lists = chosen["callees"].combine_chunks()
        sets.project.append(project)
        sets.targets.append(distinct)
        sets.offsets.append(lists.offsets.to_numpy().astype(np.int64))
        sets.members.append((lists.flatten().to_numpy() + first[project]).astype(np.int32))
        for file in files:
            calls = pq.read_table(f"{file}.parquet", columns=["caller_id", "targets", "ambiguous"])
            known = pc.and_(pc.is_valid(calls["caller_id"]), pc.is_valid(calls["targets"]))
            calls = calls.filter(known)
            caller = ids.numbers_of(_as_pairs(calls["caller_id"]))
            which = np.searchsorted(distinct, calls["targets"].to_numpy()) + base
            sure = ~calls["ambiguous"].to_numpy().astype(np.bool_)
            pairs.append(np.stack([caller, which, sure], axis=1).astype(np.int64))
    return sets, np.concatenate(pairs)


def _ways(sets: _Sets, pairs: NDArray[np.int64], methods: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of the four lists of ``CorpusIndex``, by file name.

    A method that calls a set several times has it once, as certain if one call is certain.
    """
    lists = sets.lists()
    order = np.lexsort((1 - pairs[:, 2], pairs[:, 1], pairs[:, 0]))
    pairs = pairs[order]
    distinct = np.ones(len(pairs), dtype=np.bool_)
    distinct[1:] = (pairs[1:, :2] != pairs[:-1, :2]).any(axis=1)
    pairs = pairs[distinct]
    owner = np.repeat(np.arange(len(sets)), np.diff(lists.offsets))
    back = np.argsort(pairs[:, 1], kind="stable")
    inverse = np.argsort(lists.values, kind="stable")
    return {
        "calls": pairs[:, 1].astype(np.int32),
        "calls_offsets": _offsets(pairs[:, 0], methods),
        "calls_sure": pairs[:, 2].astype(np.bool_),
        "sets": lists.values,
        "sets_offsets": lists.offsets,
        "within": owner[inverse].astype(np.int32),
        "within_offsets": _offsets(lists.values, methods),
        "callers": pairs[back, 0].astype(np.int32),
        "callers_sure": pairs[back, 2].astype(np.bool_),
        "callers_offsets": _offsets(pairs[:, 1], len(sets)),
    }


def _offsets(owner: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the offsets of ``count`` lists whose entries are sorted by owner."""
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=offsets[1:])
    return offsets
