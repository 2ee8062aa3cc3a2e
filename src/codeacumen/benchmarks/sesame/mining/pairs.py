"""Compute all pairs of rows whose cosine is above a bound, and store them in a file.

Each row, the vector of a method's JavaDoc, is compared with the rows after it. In a sparse space, a
row's values are multiplied by those of the rows that share its columns, one column after the other;
as rows have length 1, the sums are cosines. In a dense space, a matrix product computes them. Both
process spans of rows with a bounded number of pairs, so memory does not grow with the number of
pairs. Threads do the work; the spans and the order of sums do not depend on the number of threads,
so neither do the bytes of the file.

The file: Parquet, columns ``left`` and ``right`` (int32, left < right) and ``sim`` (float32),
sorted by (left, right). Its metadata hold the number of rows and the caller's notes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import CodeacumenError
from codeacumen.core.machine import count_processors
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.languages.kernel import kernel

if TYPE_CHECKING:
    from codeacumen.benchmarks.sesame.mining.spaces import Vectors

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

# Sums are scanned in blocks of 1 << 6 rows; blocks without a shared column are skipped.
_SHIFT = 6


def transpose_rows(starts: Longs, columns: Ints, total: int) -> tuple[Longs, Ints, Longs]:
    """Return a sparse matrix by columns: their starts, their rows, and the values' source indices.

    ``starts`` (rows + 1) and ``columns`` (values) are the matrix by rows, with ``total`` columns. A
    column's rows ascend; the source index of a value is its index among the values by rows.
    """
    from scipy.sparse import csr_matrix

    shape = (len(starts) - 1, total)
    by_column = csr_matrix((np.arange(len(columns)), columns, starts), shape=shape).tocsc()
    column_starts = by_column.indptr.astype(np.int64, copy=False)
    return column_starts, by_column.indices.astype(np.int32, copy=False), by_column.data


def bound_pairs(
    starts: Longs, columns: Ints, column_starts: Longs, column_positions: Longs
) -> Longs:
    """Return an upper bound on each row's number of pairs with later rows.

    It counts the later rows that share a column with the row, once per shared column, but no more
    than there are later rows. ``column_positions`` has each value's index in the matrix by columns.
    """
    later_counts = np.zeros(len(columns) + 1, dtype=np.int64)
    # By value, the number of entries after it in its column, then the sums of these numbers.
    np.cumsum(column_starts[columns + 1] - column_positions - 1, out=later_counts[1:])
    return np.minimum(np.diff(later_counts[starts]), np.arange(len(starts) - 1)[::-1])


@kernel
def compute_cosines(
    first: int,
    stop: int,
    capacity: int,
    min_cosine: float,
    starts: Longs,
    columns: Ints,
    values: Floats,
    column_starts: Longs,
    column_rows: Ints,
    column_values: Floats,
    column_positions: Longs,
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Return the pairs of the rows ``first`` to ``stop`` (exclusive) with later rows.

    ``starts``, ``columns`` and ``values`` are the matrix by rows; ``column_starts``,
    ``column_rows`` and ``column_values`` are the same matrix by columns; ``column_positions`` has
    each value's index among the latter. ``capacity`` is an upper bound on the number of pairs. The
    order of a pair's sum does not depend on the span.
    """
    total = len(starts) - 1
    left = np.empty(capacity, dtype=np.int32)
    right = np.empty(capacity, dtype=np.int32)
    similarities = np.empty(capacity, dtype=np.float32)
    sums = np.zeros(total, dtype=np.float64)
    touched = np.zeros((total >> _SHIFT) + 1, dtype=np.uint8)
    count = 0
    for row in range(first, stop):
        for index in range(starts[row], starts[row + 1]):
            value = values[index]
            # Rows ascend in a column, so the entries after the row's own are the later rows.
            for entry in range(column_positions[index] + 1, column_starts[columns[index] + 1]):
                sums[column_rows[entry]] += value * column_values[entry]
                touched[column_rows[entry] >> _SHIFT] = 1
        for block in range(row >> _SHIFT, len(touched)):
            if touched[block]:
                touched[block] = 0
                begin = block << _SHIFT
                # Here an entry is a row.
                for entry in range(begin, min(total, begin + (1 << _SHIFT))):
                    if sums[entry] > min_cosine:
                        left[count], right[count] = row, entry
                        similarities[count] = min(sums[entry], 1.0)
                        count += 1
                    sums[entry] = 0.0
    return left[:count], right[:count], similarities[:count]


@kernel
def look_up_similarities(
    left: Ints, right: Ints, starts: Longs, rights: Ints, similar: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the similarity of each pair, whose rows may be in either order, by binary search.

    It is 0 for a pair that is not stored and 1 for a row with itself. ``starts``, ``rights`` and
    ``similar`` are the columns of ``StoredPairs``.
    """
    similarities = np.zeros(len(left), dtype=np.float32)
    for i in range(len(left)):
        smaller, larger = min(left[i], right[i]), max(left[i], right[i])
        if smaller == larger:
            similarities[i] = 1.0
            continue
        low, high = starts[smaller], starts[smaller + 1]
        while low < high:
            middle = (low + high) // 2
            if rights[middle] < larger:
                low = middle + 1
            else:
                high = middle
        if low < starts[smaller + 1] and rights[low] == larger:
            similarities[i] = similar[low]
    return similarities


# Columns of some pairs: left rows, right rows, cosines.
Block = tuple[Ints, Ints, NDArray[np.float32]]

# Maximum pairs of a span (12 bytes each), unless a single row has more.
MOST_PAIRS = 1 << 22
# Maximum rows of a span, so that all threads have work.
_ROWS = 1 << 10
# Pairs of a row group of the file.
_GROUP = 1 << 20
# Key of the number of rows in the file's metadata.
_ROWS_KEY = b"codeacumen.rows"


@dataclass(frozen=True, slots=True)
class Written:
    """Numbers of compared rows and of written pairs."""

    rows: int
    pairs: int


def write_pairs(
    vectors: Vectors,
    path: Path,
    *,
    min_cosine: float = 0.0,
    workers: int = 0,
    notes: Mapping[str, str] | None = None,
    most_pairs: int = MOST_PAIRS,
    step: Progress = ignore_progress,
) -> Written:
    """Write all pairs with a cosine above ``min_cosine``, atomically.

    ``vectors`` are rows of length 1 or 0, sparse or dense. ``notes`` are stored in the file's
    metadata. 0 ``workers`` means all processors.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = {_ROWS_KEY: str(vectors.shape[0]).encode()}
    metadata |= {key.encode(): value.encode() for key, value in (notes or {}).items()}
    names = ("left", "right", "sim")
    types = (pa.int32(), pa.int32(), pa.float32())
    schema = pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in zip(names, types, strict=True)],
        metadata=metadata,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    pairs = 0
    try:
        with pq.ParquetWriter(
            part,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=False,
            write_statistics=["left"],
            column_encoding={
                "left": "DELTA_BINARY_PACKED",
                "right": "DELTA_BINARY_PACKED",
                "sim": "BYTE_STREAM_SPLIT",
            },
        ) as writer:
            pair_blocks = iterate_blocks(
                vectors, min_cosine=min_cosine, workers=workers, most_pairs=most_pairs, step=step
            )
            for group in _regroup_blocks(pair_blocks):
                pairs += len(group[0])
                writer.write_table(
                    pa.table([pa.array(column) for column in group], schema=schema),
                    row_group_size=_GROUP,
                )
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return Written(vectors.shape[0], pairs)


def iterate_blocks(
    vectors: Vectors,
    *,
    min_cosine: float = 0.0,
    workers: int = 0,
    most_pairs: int = MOST_PAIRS,
    step: Progress = ignore_progress,
) -> Iterator[Block]:
    """Yield the pairs of each span of rows, sorted by left and right row.

    Raises an error if ``min_cosine`` is negative, or 0 in a dense space.
    """
    workers = workers or count_processors()
    total = vectors.shape[0]
    if isinstance(vectors, np.ndarray):
        if not min_cosine > 0:
            raise CodeacumenError(
                "in a dense space nearly all pairs have a cosine above 0",
                "set a bound above 0, as in min_cosine=0.5",
            )
        with _limit_blas_threads():
            yield from _run_in_order(
                *_plan_dense(vectors, min_cosine, most_pairs), total, workers, step
            )
    else:
        yield from _run_in_order(
            *_plan_sparse(vectors, min_cosine, most_pairs), total, workers, step
        )


# First row of a span, and the row after its last.
RowSpan = tuple[int, int]
# Computes the pairs of a span.
Work = Callable[[RowSpan], Block]


def _plan_sparse(vectors: Any, min_cosine: float, most_pairs: int) -> tuple[Work, list[RowSpan]]:
    if not min_cosine >= 0:
        raise CodeacumenError(
            f"a bound of {min_cosine} on the cosine is invalid",
            "rows that share nothing are not listed",
        )
    matrix = vectors.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    starts = matrix.indptr.astype(np.int64)
    columns = matrix.indices.astype(np.int32)
    values = matrix.data.astype(np.float64)
    column_starts, rows, order = transpose_rows(starts, columns, matrix.shape[1])
    column_positions = np.empty(len(order), dtype=np.int64)
    column_positions[order] = np.arange(len(order))
    column_values = values[order]
    bound = bound_pairs(starts, columns, column_starts, column_positions)

    def compute_span(span: RowSpan) -> Block:
        first, stop = span
        capacity = int(bound[first:stop].sum())
        return compute_cosines(
            first,
            stop,
            capacity,
            float(min_cosine),
            starts,
            columns,
            values,
            column_starts,
            rows,
            column_values,
            column_positions,
        )

    return compute_span, _split_rows(bound, most_pairs)


def _plan_dense(
    vectors: NDArray[Any], min_cosine: float, most_pairs: int
) -> tuple[Work, list[RowSpan]]:
    rows = np.ascontiguousarray(vectors, dtype=np.float32)

    def compute_span(span: RowSpan) -> Block:
        first, stop = span
        product = rows[first:stop] @ rows[first:].T
        # Exclude each row's pairs with itself and with earlier rows: −1 is below any bound.
        product[np.tri(stop - first, len(rows) - first, dtype=bool)] = -1.0
        left, right = np.nonzero(product > min_cosine)
        similarities = np.minimum(product[left, right], np.float32(1.0))
        return (left + first).astype(np.int32), (right + first).astype(np.int32), similarities

    return compute_span, _split_rows(np.arange(len(rows))[::-1], most_pairs)


def _split_rows(bound: NDArray[np.int64], most_pairs: int) -> list[RowSpan]:
    """Return spans of consecutive rows, each of at most ``most_pairs`` pairs or a single row.

    ``bound`` has the upper bound on each row's number of pairs.
    """
    spans: list[RowSpan] = []
    first = pair_count = 0
    for row, pairs in enumerate(bound.tolist()):
        if row > first and (pair_count + pairs > most_pairs or row - first == _ROWS):
            spans.append((first, row))
            first, pair_count = row, 0
        pair_count += pairs
    if len(bound):
        spans.append((first, len(bound)))
    return spans


def _run_in_order(
    work: Work, spans: list[RowSpan], total: int, workers: int, step: Progress
) -> Iterator[Block]:
    """Yield the pairs of each span in order, while threads compute the next ``workers`` spans.

    ``total`` is the number of rows, for the progress.
    """
    waiting: deque[tuple[int, Future[Block]]] = deque()
    todo = iter(spans)
    with ThreadPoolExecutor(workers) as pool:
        while True:
            while len(waiting) <= workers and (span := next(todo, None)) is not None:
                waiting.append((span[1], pool.submit(work, span)))
            if not waiting:
                return
            stop, future = waiting.popleft()
            yield future.result()
            step("pairs", stop, total)


def _regroup_blocks(pair_blocks: Iterator[Block]) -> Iterator[Block]:
    """Yield the same pairs in groups of ``_GROUP`` pairs; the last may be smaller."""
    pending: list[Block] = []
    count = 0
    for block in pair_blocks:
        pending.append(block)
        count += len(block[0])
        if count >= _GROUP:
            joined = _join_blocks(pending)
            full_size = count - count % _GROUP
            for start in range(0, full_size, _GROUP):
                yield _slice_block(joined, start, start + _GROUP)
            # Joining copies the rest, so that the memory of the yielded groups can be freed.
            pending = [_join_blocks([_slice_block(joined, full_size, count)])]
            count -= full_size
    if count:
        yield _join_blocks(pending)


def _join_blocks(pair_blocks: list[Block]) -> Block:
    left, right, similar = (np.concatenate(column) for column in zip(*pair_blocks, strict=True))
    return left, right, similar


def _slice_block(block: Block, start: int, stop: int) -> Block:
    return block[0][start:stop], block[1][start:stop], block[2][start:stop]


@contextmanager
def _limit_blas_threads() -> Iterator[None]:
    """Limit BLAS to one thread: our threads do the work, and sums have one order."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


@dataclass(frozen=True)
class StoredPairs:
    """A file of pairs in memory, 8 bytes a pair.

    ``rows`` is the number of compared rows. The right rows of the pairs with the left row i are
    ``right[starts[i] : starts[i + 1]]``, ascending; ``similar`` has their cosines. ``notes`` is the
    file's metadata.
    """

    rows: int
    starts: NDArray[np.int64]
    right: Ints
    similar: NDArray[np.float32]
    notes: Mapping[str, str]

    @classmethod
    def open(cls, path: Path) -> StoredPairs:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                notes = {
                    key.decode(): value.decode()
                    for key, value in (file.schema_arrow.metadata or {}).items()
                    if key != b"ARROW:schema"
                }
                rows = int(notes.pop(_ROWS_KEY.decode()))
                total = file.metadata.num_rows
                right = np.empty(total, dtype=np.int32)
                similar = np.empty(total, dtype=np.float32)
                counts = np.zeros(rows + 1, dtype=np.int64)
                done = 0
                # Group by group, so that memory holds one copy of the pairs, not two.
                for group in range(file.metadata.num_row_groups):
                    table = file.read_row_group(group)
                    span = slice(done, done + table.num_rows)
                    counts[1:] += np.bincount(table["left"].to_numpy(), minlength=rows)
                    right[span] = table["right"].to_numpy()
                    similar[span] = table["sim"].to_numpy()
                    done += table.num_rows
        except FileNotFoundError as error:
            raise CodeacumenError(f"no file of pairs at {path}") from error
        except (OSError, KeyError, ValueError, pa.ArrowException) as error:
            raise CodeacumenError(
                f"{path} is not a file of pairs: {type(error).__name__}: {error}",
                "write it again",
            ) from error
        return cls(rows, np.cumsum(counts), right, similar, notes)

    def __len__(self) -> int:
        return len(self.right)

    @property
    def left(self) -> Ints:
        """Left row of each pair, expanded on each access; 4 bytes a pair."""
        return np.repeat(np.arange(self.rows, dtype=np.int32), np.diff(self.starts))

    def look_up_similarity(self, left: Any, right: Any) -> NDArray[np.float32]:
        """Return the similarity of pairs of rows, given as numbers or arrays that broadcast.

        The rows of a pair may be in either order. The similarity is 0 for a pair that the file
        lacks and 1 for a row with itself. Raises IndexError for a row that does not exist.
        """
        left_rows, right_rows = np.broadcast_arrays(np.asarray(left), np.asarray(right))
        shape = left_rows.shape
        # Copies, because numba compiles another kernel for read-only arrays.
        left_rows, right_rows = (
            left_rows.astype(np.int32).ravel(),
            right_rows.astype(np.int32).ravel(),
        )
        if len(left_rows) and not (
            min(left_rows.min(), right_rows.min()) >= 0
            and max(left_rows.max(), right_rows.max()) < self.rows
        ):
            raise IndexError(f"rows are numbered from 0 to {self.rows - 1}")
        similarities = look_up_similarities(
            left_rows, right_rows, self.starts, self.right, self.similar
        )
        return similarities.reshape(shape)

    def list_neighbours(self, row: int) -> tuple[Ints, NDArray[np.float32]]:
        """Return all rows that are stored in a pair with a row, ascending, and their cosines."""
        begins, lefts, pair_indices = self._by_right_row
        before = slice(begins[row], begins[row + 1])
        after = slice(self.starts[row], self.starts[row + 1])
        return (
            np.concatenate([lefts[before], self.right[after]]),
            np.concatenate([self.similar[pair_indices[before]], self.similar[after]]),
        )

    @cached_property
    def _by_right_row(self) -> tuple[NDArray[np.int64], Ints, NDArray[np.int64]]:
        """Starts, left rows and pair indices by right row, computed on first use; 12 bytes a pair.

        The pair indices point into ``right`` and ``similar``.
        """
        return transpose_rows(self.starts, self.right, self.rows)
