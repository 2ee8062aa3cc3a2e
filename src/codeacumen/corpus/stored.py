"""Read rows of the files of a corpus; only the row groups that hold them are read."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.corpus.index import Index
from codeacumen.corpus.integrity import unreadable
from codeacumen.corpus.manifest import Manifest

Row = dict[str, Any]

# Sizes of the caches of open files, id columns and row groups: consecutive requests mostly need the
# same ones.
_OPEN, _COLUMNS, _GROUPS = 256, 64, 16
# With more row groups than this, reading all ids is faster.
_FEW = 32
# From this many rows on, taking them together is faster than slicing one by one.
_SLICED = 8


class Stored:
    """The files of a corpus. Methods have numbers, in the order of the shards."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self.index = Index(folder / "index")
        self._opened = lru_cache(maxsize=_OPEN)(_open)
        self._ids = lru_cache(maxsize=_COLUMNS)(self._id_column)
        self._group = lru_cache(maxsize=_GROUPS)(self._row_group)
        self._borders = lru_cache(maxsize=_OPEN)(self._row_borders)

    @cached_property
    def shards(self) -> tuple[str, ...]:
        return tuple(shard for shards in self.manifest.shards.values() for shard in shards)

    @cached_property
    def stored(self) -> frozenset[str]:
        """Names of the tables in the shards."""
        return frozenset(
            Path(file).stem
            for shard in self.shards[:1]
            for file in self.manifest.files
            if file.startswith(f"shards/{shard}/")
        )

    def tables(self) -> dict[str, list[Path]]:
        """Return the files of each table, in order."""
        found = {
            name: [self.folder / f"{name}.parquet"] for name in ("projects", "dispatch", "numbers")
        }
        for name in sorted(self.stored):
            found[name] = [self.table(shard, name) for shard in self.shards]
        found["calls"] = [
            self.calls_of(project, shard)
            for project, shards in self.manifest.shards.items()
            for shard in shards
        ]
        return {name: files for name, files in found.items() if files}

    def table(self, shard: str, table: str) -> Path:
        return self.folder / "shards" / shard / f"{table}.parquet"

    def calls_of(self, project: str, shard: str) -> Path:
        return self.folder / "calls" / self.manifest.links[project] / f"{shard}.parquet"

    # ---------------------------------------------------------------- reading

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Turn errors of reading a file into an error that says that the corpus is damaged."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.folder, path) from error

    def read(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a whole table, or some of its columns."""
        with self.reading(path):
            return pq.read_table(path, columns=list(columns) if columns else None)

    def parquet(self, path: Path) -> pq.ParquetFile:
        with self.reading(path):
            return self._opened(path)

    def take(
        self, path: Path, places: NDArray[np.int64], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Return rows of a file by position; ``places`` are sorted and distinct."""
        with self.reading(path):
            borders = self._borders(path)
        found: list[Row] = []
        # A file may have thousands of row groups: visit only those with requested rows.
        groups = np.searchsorted(borders, places, side="right") - 1
        for group in np.unique(groups).tolist():
            rows = self._group(path, group, tuple(columns) if columns else None)
            mine = places[groups == group] - borders[group]
            found += map(_told, _chosen(rows, mine.tolist()))
        return found

    def _row_borders(self, path: Path) -> NDArray[np.int64]:
        """Return the position of the first row of each row group, and the number of rows."""
        about = self.parquet(path).metadata
        sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _row_group(self, path: Path, group: int, columns: tuple[str, ...] | None) -> pa.Table:
        with self.reading(path):
            return self.parquet(path).read_row_group(
                group, columns=list(columns) if columns else None
            )

    def where(self, path: Path, column: str, wanted: str) -> NDArray[np.int64]:
        """Return the positions of the rows that have an id in a column, in order."""
        # An element of an array: ``pa.scalar`` would import pandas, which takes half a second.
        data = [None, pa.py_buffer(uuid.UUID(wanted).bytes)]
        one = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), 1, data)[0]
        same = pc.equal(self._ids(path, column), one)
        return np.array(pc.indices_nonzero(same).to_pylist(), dtype=np.int64)

    def _id_column(self, path: Path, column: str) -> pa.ChunkedArray:
        with self.reading(path):
            found = self.parquet(path).read(columns=[column])[column]
        return pa.chunked_array([chunk.storage for chunk in found.chunks], pa.binary(16))

    # ---------------------------------------------------------------- rows of methods

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The number of each shard's first method, then the number of all methods."""
        return self.index.first

    def shard_of(self, number: int) -> int:
        """Return the position of the shard that holds a method."""
        return int(np.searchsorted(self.first, number, side="right")) - 1

    @cached_property
    def project_of_shard(self) -> tuple[str, ...]:
        return tuple(name for name, shards in self.manifest.shards.items() for _ in shards)

    def first_of(self, project: str) -> int:
        """Return the number of a project's first method."""
        return int(self.first[self.project_of_shard.index(project)])

    def row(self, table: str, number: int, columns: Sequence[str] | None = None) -> Row:
        """Return a method's row in a table of the shards: ``methods`` or the table of a view."""
        return self.rows(table, [number], columns)[0]

    def rows(
        self, table: str, numbers: Sequence[int], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Return the rows of several methods; each row group is read once."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found: dict[int, Row] = {}
        places = np.searchsorted(self.first, wanted, side="right") - 1
        for place in np.unique(places).tolist():
            mine = np.unique(wanted[places == place])
            rows = self.take(
                self.table(self.shards[place], table), mine - self.first[place], columns
            )
            found |= zip(mine.tolist(), rows, strict=True)
        return [found[number] for number in wanted.tolist()]

    def row_with(self, shard: str, table: str, column: str, wanted: str | None) -> Row:
        """Return the first row of a shard's table that has an id in a column."""
        path = self.table(shard, table)
        found = self.take(path, self.where(path, column, wanted)[:1]) if wanted else []
        if not found:
            raise CodeacumenError(f"the method has no row in the table {table}")
        return found[0]

    def ids_of(self, numbers: NDArray[np.int64]) -> dict[int, str]:
        """Return the ids of methods by number; ``numbers`` are sorted and distinct."""
        path = self.folder / "numbers.parquet"
        group = max(1, self.parquet(path).metadata.row_group(0).num_rows) if len(numbers) else 1
        if len(np.unique(numbers // group)) <= _FEW:
            rows = self.take(path, numbers, ["method_id"])
            return dict(zip(numbers.tolist(), (row["method_id"] for row in rows), strict=True))
        found = self._ids(path, "method_id").take(pa.array(numbers))
        names = (str(uuid.UUID(bytes=one)) for one in found.to_pylist())
        return dict(zip(numbers.tolist(), names, strict=True))


def _open(path: Path) -> pq.ParquetFile:
    return pq.ParquetFile(path, memory_map=True)


def _chosen(rows: pa.Table, places: list[int]) -> list[Row]:
    if len(places) < _SLICED:
        # ``take`` would import pandas too.
        return [row for place in places for row in rows.slice(place, 1).to_pylist()]
    found: list[Row] = rows.take(pa.array(places)).to_pylist()
    return found


def _told(row: Mapping[str, Any]) -> Row:
    """Return a row with ids as text."""
    return {
        name: str(value) if isinstance(value, uuid.UUID) else value for name, value in row.items()
    }
