"""Write the tables of shards to Parquet files and read them; equal rows give equal bytes.

A shard's tables are files of its folder, ``TABLE.parquet``.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from codeacumen.core.files import sha256_of
from codeacumen.corpus.rows import Rows
from codeacumen.corpus.schema import SHARD, list_of
from codeacumen.text.columns import Ragged

# Rows of a row group. Reading one method reads its whole row group, which takes a few milliseconds
# with a few hundred rows.
ROW_GROUP = 512

# Tables of a shard by name.
Tables = Mapping[str, pa.Table]


def write_tables(folder: Path, sources: Sequence[Rows | Tables]) -> None:
    """Concatenate the rows of several sources in order and write one file per table."""
    parts = [to_tables(source) if isinstance(source, Rows) else source for source in sources]
    names = dict.fromkeys([*SHARD, *(name for part in parts for name in part)])
    for name in names:
        tables = [part[name] for part in parts if name in part and part[name].num_rows]
        table = pa.concat_tables(tables) if tables else _find_empty_table(name, parts)
        write_table(table, folder / f"{name}.parquet")


def write_table(table: pa.Table, path: Path, *, checksums: bool = False) -> None:
    """Write a table, with a checksum for each page if ``checksums``.

    Checksums are for files whose hash is not in the manifest.
    """
    pq.write_table(
        table.combine_chunks(),
        path,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=1,
        # A dictionary would not shrink columns whose values are all different.
        use_dictionary=[name for name in table.column_names if name not in _UNIQUE],
        store_schema=True,
        write_page_checksum=checksums,
    )


def replace_table(table: pa.Table, path: Path, *, checksums: bool = False) -> None:
    """Write a table atomically, replacing the file if there is one.

    The name of the temporary file is random, since two processes may write the same table.
    """
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
    write_table(table, part, checksums=checksums)
    part.replace(path)


# Columns that are written without a dictionary.
_UNIQUE = ("source", "text", "javadoc", "sha256", "parent", "node")


def _find_empty_table(name: str, parts: Sequence[Tables]) -> pa.Table:
    """Return a table without rows; only the parts have the schemas of views' tables."""
    for part in parts:
        if name in part:
            return part[name]
    return SHARD[name].empty_table()


def to_tables(rows: Rows) -> dict[str, pa.Table]:
    """Return the rows as Arrow tables, by name."""
    tables = {
        name: pa.Table.from_pylist(rows.tables.get(name, []), schema=schema)
        for name, schema in SHARD.items()
    }
    methods = tables["methods"]
    for name, columns in rows.views.items():
        arrays = {column: to_list_array(lists) for column, lists in columns.items()}
        tables[name] = pa.table({"method_id": methods["method_id"], **arrays})
    return tables


def to_list_array(lists: Sequence[Ragged]) -> pa.ListArray:
    """Return the lists of several files as one array.

    The elements are words if the lists have ``words``; Parquet's dictionary encoding then stores
    each distinct word once.
    """
    lengths = np.concatenate([np.diff(part.offsets) for part in lists])
    offsets = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    if lists[0].words is None:
        values = pa.array(np.concatenate([part.values for part in lists]))
    else:
        values = _to_word_array(lists)
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=list_of(values.type))


def _to_word_array(lists: Sequence[Ragged]) -> pa.Array:
    """Return the words of all lists, one after the other.

    The values of each file are indices into its own ``words``; ``places`` has the index of each
    word in the vocabulary of all files.
    """
    places: dict[str, int] = {}
    codes = []
    for part in lists:
        words = part.words or ()
        new_codes = np.fromiter(
            (places.setdefault(word, len(places)) for word in words), np.int32, len(words)
        )
        codes.append(new_codes[part.values] if len(words) else np.empty(0, np.int32))
    vocabulary = pa.array([_to_valid_utf8(word) for word in places], type=pa.string())
    return vocabulary.take(pa.array(np.concatenate(codes)))


def _to_valid_utf8(word: str) -> str:
    # Java source may spell an unpaired surrogate, which UTF-8 cannot encode.
    return word.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def read_rows(folder: Path, paths: Sequence[str]) -> Tables:
    """Return all rows of the files with these paths of a shard, in the shard's order."""
    tables: dict[str, pa.Table] = {}
    path_array = pa.array(paths, type=pa.string())
    file_ids = _read_id_bytes(
        _read_table(folder / "files.parquet").filter(_is_in(folder, "files", "path", path_array))
    )
    is_method_row = _is_in(folder, "methods", "file_id", file_ids)
    for file in sorted(folder.glob("*.parquet")):
        table = _read_table(file)
        if file.stem == "problems":
            # Only problems of files that were read: the build tries skipped files again and then
            # reports their problems anew.
            was_read = pc.invert(table["skipped"])
            tables[file.stem] = table.filter(
                pc.and_(_is_in(folder, "problems", "path", path_array), was_read)
            )
        elif "file_id" in table.column_names:
            tables[file.stem] = table.filter(_is_in(folder, file.stem, "file_id", file_ids))
        else:  # measures and tables of views have a row per row of METHODS
            tables[file.stem] = table.filter(is_method_row)
    return tables


def _is_in(folder: Path, table: str, column: str, values: pa.Array) -> pa.ChunkedArray:
    """Return for each row of a shard's table whether its column has one of the values."""
    present = _read_table(folder / f"{table}.parquet")[column]
    if isinstance(present.type, pa.UuidType):
        present = pa.chunked_array([chunk.storage for chunk in present.chunks], pa.binary(16))
    return pc.is_in(present, values)


def _read_id_bytes(files: pa.Table) -> pa.Array:
    """Return the ids of files as 16-byte values, which pyarrow can compare."""
    chunks = [chunk.storage for chunk in files["file_id"].chunks]
    return pa.chunked_array(chunks, pa.binary(16)).combine_chunks()


@lru_cache(maxsize=16)
def _read_table(path: Path) -> pa.Table:
    return pq.read_table(path)


def column_to_values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column as Python values; ids as bytes, since ``uuid.UUID`` objects are slow."""
    if isinstance(column.type, pa.UuidType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], pa.binary(16))
    values: list[Any] = column.to_pylist()
    return values


def file_hashes(folder: Path) -> list[tuple[str, str]]:
    """Return path and SHA-256 of a shard's files; an empty list if the table cannot be read."""
    try:
        table = pq.read_table(folder / "files.parquet", columns=["path", "sha256"])
    except (OSError, pa.ArrowException):
        return []
    return list(zip(table["path"].to_pylist(), table["sha256"].to_pylist(), strict=True))


def row_counts(folder: Path) -> dict[str, int]:
    """Return the number of rows of each table of a shard."""
    return {file.stem: pq.read_metadata(file).num_rows for file in sorted(folder.glob("*.parquet"))}


def table_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each table's file of a shard."""
    return {file.stem: sha256_of(file) for file in sorted(folder.glob("*.parquet"))}


def count_true(folder: Path, table: str, column: str) -> int:
    """Return the number of rows of a shard's table in which a column is true."""
    flags = pq.read_table(folder / f"{table}.parquet", columns=[column])[column]
    return int(pc.sum(flags).as_py() or 0)


def problem_kinds(folder: Path) -> list[tuple[str, bool]]:
    """Return kind and ``skipped`` of each problem of a shard."""
    table = pq.read_table(folder / "problems.parquet", columns=["kind", "skipped"])
    return list(zip(table["kind"].to_pylist(), table["skipped"].to_pylist(), strict=True))
