"""Read rows of the Parquet files of a corpus; the base of ``corpus.store.Corpus``.

Only the row groups (the parts of a Parquet file that are read as a whole) that hold the requested
rows are read.
"""

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
from codeacumen.corpus.index import CorpusIndex
from codeacumen.corpus.manifest import Manifest, damaged_corpus_error

Row = dict[str, Any]

# Sizes of the caches of open files, id columns and row groups: consecutive requests mostly need the
# same ones.
_OPEN, _COLUMNS, _GROUPS = 256, 64, 16
# If ids are requested from more row groups than this, reading the whole column is faster.
_FEW = 32
# From this many rows on, taking them together is faster than slicing one by one.
_SLICED = 8


class StoredCorpus:
    """The files of a corpus.

    Methods are numbered from 0 in the order of the shards, and shards by their position in
    ``shards``.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        self.index = CorpusIndex(folder / "index")
        # Cached forms of the functions below, for this corpus only.
        self._opened = lru_cache(maxsize=_OPEN)(_open_parquet)
        self._ids = lru_cache(maxsize=_COLUMNS)(self._id_column)
        self._group = lru_cache(maxsize=_GROUPS)(self._row_group)
        self._borders = lru_cache(maxsize=_OPEN)(self._row_borders)

    @cached_property
    def shards(self) -> tuple[str, ...]:
        """Names of the shards of all projects, in order."""
        return tuple(shard for shards in self.manifest.shards.values() for shard in shards)

    @cached_property
    def stored_tables(self) -> frozenset[str]:
        """Names of the tables in each shard, those of views included."""
        return frozenset(
            Path(file).stem
            for shard in self.shards[:1]
            for file in self.manifest.files
            if file.startswith(f"shards/{shard}/")
        )

    def list_table_files(self) -> dict[str, list[Path]]:
        """Return the files of each table, in the order of the shards."""
        files_of_table = {
            name: [self.folder / f"{name}.parquet"] for name in ("projects", "dispatch", "numbers")
        }
        for name in sorted(self.stored_tables):
            files_of_table[name] = [self.table_path(shard, name) for shard in self.shards]
        files_of_table["calls"] = [
            self.calls_path(project, shard)
            for project, shards in self.manifest.shards.items()
            for shard in shards
        ]
        return {name: files for name, files in files_of_table.items() if files}

    def table_path(self, shard: str, table: str) -> Path:
        """Return the file of a shard's table."""
        return self.folder / "shards" / shard / f"{table}.parquet"

    def calls_path(self, project: str, shard: str) -> Path:
        """Return the file of the linked calls of a shard."""
        return self.folder / "calls" / self.manifest.links[project] / f"{shard}.parquet"

    # ---------------------------------------------------------------- reading

    @contextmanager
    def report_damage(self, path: Path) -> Iterator[None]:
        """Turn errors of reading a file into an error that says that the corpus is damaged."""
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            raise damaged_corpus_error(self.folder, path) from error

    def read_table(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a whole table, or some of its columns."""
        with self.report_damage(path):
            return pq.read_table(path, columns=list(columns) if columns else None)

    def open_parquet(self, path: Path) -> pq.ParquetFile:
        """Return an open file, which stays open for later requests."""
        with self.report_damage(path):
            return self._opened(path)

    def take_rows(
        self, path: Path, places: NDArray[np.int64], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Return rows of a file by position; ``places`` are sorted and distinct."""
        with self.report_damage(path):
            borders = self._borders(path)
        selected_rows: list[Row] = []
        # A file may have thousands of row groups: visit only those with requested rows.
        groups = np.searchsorted(borders, places, side="right") - 1
        for group in np.unique(groups).tolist():
            rows = self._group(path, group, tuple(columns) if columns else None)
            group_places = places[groups == group] - borders[group]
            selected_rows += map(_ids_to_text, _take_rows(rows, group_places.tolist()))
        return selected_rows

    def _row_borders(self, path: Path) -> NDArray[np.int64]:
        """Return the position of the first row of each row group, and the number of rows."""
        metadata = self.open_parquet(path).metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def _row_group(self, path: Path, group: int, columns: tuple[str, ...] | None) -> pa.Table:
        """Return a row group; None for ``columns`` means all."""
        with self.report_damage(path):
            return self.open_parquet(path).read_row_group(
                group, columns=list(columns) if columns else None
            )

    def find_rows(self, path: Path, column: str, id_: str) -> NDArray[np.int64]:
        """Return the positions of the rows whose column has the id ``id_``, in order."""
        # An element of an array: ``pa.scalar`` would import pandas, which takes half a second.
        data = [None, pa.py_buffer(uuid.UUID(id_).bytes)]
        scalar = pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), 1, data)[0]
        same = pc.equal(self._ids(path, column), scalar)
        return np.array(pc.indices_nonzero(same).to_pylist(), dtype=np.int64)

    def _id_column(self, path: Path, column: str) -> pa.ChunkedArray:
        """Return a column of ids as 16-byte values, which pyarrow can compare."""
        with self.report_damage(path):
            ids = self.open_parquet(path).read(columns=[column])[column]
        return pa.chunked_array([chunk.storage for chunk in ids.chunks], pa.binary(16))

    # ---------------------------------------------------------------- rows of methods

    @cached_property
    def first_numbers(self) -> NDArray[np.int64]:
        """The number of each shard's first method, then the number of all methods."""
        return self.index.first_numbers

    def shard_of(self, number: int) -> int:
        """Return the position of the shard that holds a method."""
        return int(np.searchsorted(self.first_numbers, number, side="right")) - 1

    @cached_property
    def project_of_shard(self) -> tuple[str, ...]:
        """The project of each shard, in the order of ``shards``."""
        return tuple(name for name, shards in self.manifest.shards.items() for _ in shards)

    def first_number_of(self, project: str) -> int:
        """Return the number of a project's first method."""
        return int(self.first_numbers[self.project_of_shard.index(project)])

    def read_row(self, table: str, number: int, columns: Sequence[str] | None = None) -> Row:
        """Return a method's row in a table of the shards: ``methods`` or the table of a view."""
        return self.read_rows(table, [number], columns)[0]

    def read_rows(
        self, table: str, numbers: Sequence[int], columns: Sequence[str] | None = None
    ) -> list[Row]:
        """Return the rows of several methods in the order of ``numbers``, which may repeat."""
        wanted_numbers = np.asarray(numbers, dtype=np.int64)
        row_of_number: dict[int, Row] = {}
        shard_of_number = np.searchsorted(self.first_numbers, wanted_numbers, side="right") - 1
        for shard in np.unique(shard_of_number).tolist():
            shard_numbers = np.unique(wanted_numbers[shard_of_number == shard])
            rows = self.take_rows(
                self.table_path(self.shards[shard], table),
                shard_numbers - self.first_numbers[shard],
                columns,
            )
            row_of_number |= zip(shard_numbers.tolist(), rows, strict=True)
        return [row_of_number[number] for number in wanted_numbers.tolist()]

    def read_row_with_id(self, shard: str, table: str, column: str, id_: str | None) -> Row:
        """Return the first row of a shard's table whose column has an id.

        Raise an error if there is no such row, or if the id is None.
        """
        path = self.table_path(shard, table)
        rows = self.take_rows(path, self.find_rows(path, column, id_)[:1]) if id_ else []
        if not rows:
            raise CodeacumenError(f"the method has no row in the table {table}")
        return rows[0]

    def read_ids(self, numbers: NDArray[np.int64]) -> dict[int, str]:
        """Return the ids of methods by number; ``numbers`` are sorted and distinct."""
        # Row i of this table has the id of method i.
        path = self.folder / "numbers.parquet"
        group = (
            max(1, self.open_parquet(path).metadata.row_group(0).num_rows) if len(numbers) else 1
        )
        if len(np.unique(numbers // group)) <= _FEW:
            rows = self.take_rows(path, numbers, ["method_id"])
            return dict(zip(numbers.tolist(), (row["method_id"] for row in rows), strict=True))
        ids = self._ids(path, "method_id").take(pa.array(numbers))
        id_texts = (str(uuid.UUID(bytes=id_)) for id_ in ids.to_pylist())
        return dict(zip(numbers.tolist(), id_texts, strict=True))


def _open_parquet(path: Path) -> pq.ParquetFile:
    return pq.ParquetFile(path, memory_map=True)


def _take_rows(rows: pa.Table, places: list[int]) -> list[Row]:
    """Return the rows at these positions of a row group."""
    if len(places) < _SLICED:
        # ``take`` would import pandas too.
        return [row for place in places for row in rows.slice(place, 1).to_pylist()]
    selected_rows: list[Row] = rows.take(pa.array(places)).to_pylist()
    return selected_rows


def _ids_to_text(row: Mapping[str, Any]) -> Row:
    """Return a row with ids as text."""
    return {
        name: str(value) if isinstance(value, uuid.UUID) else value for name, value in row.items()
    }
