"""Encoded examples on disk: an Arrow file that is mapped into memory, not read as a whole.

A row is an example, and each column has a list of integers for it. The column ``answer`` has the
correct answer as text, or the id of a question. ``prepare`` writes such files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.models.neural.architecture import Encoded
from codeacumen.text.columns import Ragged

# Name of the column of answers, which is not a column for the network.
ANSWER = "answer"


def make_record_batch(rows: Sequence[Encoded], answers: Sequence[str]) -> pa.RecordBatch:
    """Return encoded examples, at least one, and their answers as an Arrow record batch."""
    columns = {
        name: pa.array([row[name] for row in rows], pa.list_(pa.int32())) for name in rows[0]
    }
    return pa.record_batch({**columns, ANSWER: pa.array(answers, pa.string())})


def write_batches(batches: Iterable[pa.RecordBatch], output_file: Path) -> int:
    """Write a file of batches, at least one, that share a schema; return the number of rows."""
    part = output_file.with_name(output_file.name + ".part")
    rows, writer = 0, None
    with pa.OSFile(str(part), "wb") as sink:
        for batch in batches:
            writer = writer or pa.ipc.new_file(sink, batch.schema)
            writer.write_batch(batch)
            rows += batch.num_rows
        if writer is not None:
            writer.close()
    part.replace(output_file)
    return rows


class EncodedFile:
    """The examples of a file, by their row numbers, from 0."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._source = pa.memory_map(str(path))
            reader = pa.ipc.open_file(self._source)
            batches = [reader.get_batch(index) for index in range(reader.num_record_batches)]
        except (OSError, pa.ArrowInvalid) as error:
            raise CodeacumenError(
                f"{path}: damaged or empty file: {error}", "remove the folder and train again"
            ) from error
        self._batches = batches
        self.column_names = [name for name in batches[0].schema.names if name != ANSWER]
        self._first_rows = np.cumsum([0, *(batch.num_rows for batch in batches)])

    def __len__(self) -> int:
        return int(self._first_rows[-1])

    @cached_property
    def _column_parts(self) -> dict[str, list[tuple[NDArray[np.int32], NDArray[Any]]]]:
        """Values and offsets of each column in each batch; views of the mapped file."""
        return {
            name: [
                (batch[name].values.to_numpy(), batch[name].offsets.to_numpy())
                for batch in self._batches
            ]
            for name in self.column_names
        }

    def take_rows(self, rows: NDArray[np.int64]) -> dict[str, Ragged]:
        """Return rows as columns, in the order of ``rows``."""
        batch_indices = np.searchsorted(self._first_rows, rows, side="right") - 1
        rows_in_batch = rows - self._first_rows[batch_indices]
        positions = list(zip(batch_indices.tolist(), rows_in_batch.tolist(), strict=True))
        columns: dict[str, Ragged] = {}
        for name in self.column_names:
            # ``parts[i]`` has the values and the offsets of batch i.
            parts = self._column_parts[name]
            lists = [
                parts[batch_index][0][parts[batch_index][1][row] : parts[batch_index][1][row + 1]]
                for batch_index, row in positions
            ]
            offsets = np.zeros(len(lists) + 1, np.int64)
            np.cumsum([len(values) for values in lists], out=offsets[1:])
            columns[name] = Ragged(np.concatenate([np.zeros(0, np.int32), *lists]), offsets)
        return columns

    def read_column(self, name: str) -> NDArray[np.int32]:
        """Return all values of a column, the rows' lists concatenated."""
        parts = self._column_parts[name]
        return np.concatenate([values[offsets[0] : offsets[-1]] for values, offsets in parts])

    def take_answers(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the answers of rows, in the order of ``rows``."""
        batch_indices = np.searchsorted(self._first_rows, rows, side="right") - 1
        rows_in_batch = rows - self._first_rows[batch_indices]
        return [
            self._batches[batch_index][ANSWER][row].as_py()
            for batch_index, row in zip(batch_indices.tolist(), rows_in_batch.tolist(), strict=True)
        ]

    def empty_columns(self) -> dict[str, Ragged]:
        """Return all columns with offsets but without values, to compute each example's length."""
        no_values = np.zeros(0, np.int32)
        columns = {}
        for name, parts in self._column_parts.items():
            lengths = np.concatenate([np.diff(offsets) for _, offsets in parts])
            columns[name] = Ragged(no_values, np.concatenate([[0], np.cumsum(lengths)]))
        return columns
