"""The files of a corpus that is built, and rows of them: never more is read than the row groups
that hold what is asked for."""

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

# Open files that are kept, columns of ids, and row groups: what is asked about next mostly stands
# in the same.
_OPEN, _COLUMNS, _GROUPS = 256, 64, 16
# Row groups beyond which reading all ids is faster.
_FEW = 32
# Rows beyond which taking them all at once is faster than one by one.
_SLICED = 8


class Stored:
    """Methods have numbers, in the order of the shards."""

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
        """Tables that the shards hold."""
        return frozenset(
            Path(file).stem
            for shard in self.shards[:1]
            for file in self.manifest.files
            if file.startswith(f"shards/{shard}/")
        )

    def tables(self) -> dict[str, list[Path]]:
        """Each table's files, in order."""
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
        """What goes wrong with a file is told as what it is: the corpus is damaged."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise unreadable(self.folder, path) from error

    def read(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """A whole table."""
        with self.reading(path):
            return pq.read_table(path, columns=list(columns) if columns else None)

    def parquet(self, path: Path) -> pq.ParquetFile:
        with self.reading(path):
            return self._opened(path)

    def take(
        self, path: Path, places: NDArray[np.int64], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Rows of a file; places are in order, each once."""
        with self.reading(path):
            borders = self._borders(path)
        found: list[Row] = []
        # A file may have thousands of row groups: only those that hold something are looked at.
        groups = np.searchsorted(borders, places, side="right") - 1
        for group in np.unique(groups).tolist():
            rows = self._group(path, group, tuple(columns) if columns else None)
            mine = places[groups == group] - borders[group]
            found += map(_told, _chosen(rows, mine.tolist()))
        return found

    def _row_borders(self, path: Path) -> NDArray[np.int64]:
        """The first row of each row group, and how many rows there are."""
        about = self.parquet(path).metadata
        sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _row_group(self, path: Path, group: int, columns: tuple[str, ...] | None) -> pa.Table:
        with self.reading(path):
            return self.parquet(path).read_row_group(
                group, columns=list(columns) if columns else None
            )

    def where(self, path: Path, column: str, wanted: str) -> NDArray[np.int64]:
        """The rows of a file that have an id in a column, in order."""
        # As a part of an array: to make it a scalar would load pandas, for half a second.
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
        """The number of each shard's first method, and how many methods there are."""
        return self.index.first

    def shard_of(self, number: int) -> int:
        """The place of the shard that holds a method."""
        return int(np.searchsorted(self.first, number, side="right")) - 1

    @cached_property
    def project_of_shard(self) -> tuple[str, ...]:
        return tuple(name for name, shards in self.manifest.shards.items() for _ in shards)

    def first_of(self, project: str) -> int:
        """The number of a project's first method."""
        return int(self.first[self.project_of_shard.index(project)])

    def row(self, table: str, number: int, columns: Sequence[str] | None = None) -> Row:
        """A method's row in a table of the shards: ``methods``, or that of a view."""
        return self.rows(table, [number], columns)[0]

    def rows(
        self, table: str, numbers: Sequence[int], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Rows of several methods; each stretch of a file is read once."""
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
        """The row of a shard's table that has an id."""
        path = self.table(shard, table)
        found = self.take(path, self.where(path, column, wanted)[:1]) if wanted else []
        if not found:
            raise CodeacumenError(f"it has no row in {table}")
        return found[0]

    def ids_of(self, numbers: NDArray[np.int64]) -> dict[int, str]:
        """Ids of methods by their numbers, which are in order, each once."""
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
        # Taking them would load pandas too.
        return [row for place in places for row in rows.slice(place, 1).to_pylist()]
    found: list[Row] = rows.take(pa.array(places)).to_pylist()
    return found


def _told(row: Mapping[str, Any]) -> Row:
    """A row as DuckDB gives it: ids are text."""
    return {
        name: str(value) if isinstance(value, uuid.UUID) else value for name, value in row.items()
    }
