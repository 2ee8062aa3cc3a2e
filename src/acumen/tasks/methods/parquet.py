"""The rows of a task as Parquet, for whoever reads tables rather than lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from acumen.api import Json

_TEXTS = ("id", "project", "split", "path")
_COMMON = [
    *((name, pa.string()) for name in _TEXTS),
    ("line", pa.int32()),
    ("type", pa.string()),
    ("label", pa.string()),
    ("text", pa.string()),
    ("twin", pa.bool_()),
]
_PLACE = [("start_byte", pa.int32()), ("end_byte", pa.int32())]
_STEP = pa.struct(
    [
        ("level", pa.int32()),
        ("path", pa.string()),
        ("line", pa.int32()),
        ("description", pa.string()),
    ]
)
_FURTHER = {
    "npath": [("value", pa.int64())],
    "operators": _PLACE,
    "naming": [],
    "completion": [
        *_PLACE,
        ("origin", pa.string()),
        ("receiver", pa.string()),
        ("static", pa.bool_()),
        ("arguments", pa.int32()),
        ("candidates", pa.list_(pa.string())),
    ],
    "nulltoken": [
        ("token", pa.string()),
        ("expression", pa.string()),
        ("qualifier", pa.string()),
        ("trace", pa.list_(_STEP)),
        ("warning_line", pa.int32()),
    ],
}


def schema_of(task: str) -> pa.Schema:
    return pa.schema([*_COMMON, *_FURTHER[task]])


def write_part(rows: Sequence[Mapping[str, Json]], into: Path, task: str) -> None:
    pq.write_table(pa.Table.from_pylist(list(rows), schema=schema_of(task)), into)


def join_parts(parts: Sequence[Path], into: Path, task: str) -> None:
    """One file of all parts, in their order; always in the same bytes."""
    with pq.ParquetWriter(into, schema_of(task), compression="zstd") as writer:
        for part in parts:
            table = pq.read_table(part)
            if table.num_rows:
                writer.write_table(table)
