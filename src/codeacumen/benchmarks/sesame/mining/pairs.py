"""Compute all pairs of rows whose cosine is above a bound, and store them in a file.

Each row is compared with the rows after it. In a sparse space, a row's values are multiplied into
the rows that share its columns, one column after the other; as rows have length 1, the sums are
cosines. In a dense space, a matrix product computes them. Both process spans of rows with a bounded
number of pairs, so memory does not grow with the number of pairs. Threads do the work; the spans
and the order of sums do not depend on the number of threads, so neither do the bytes of the file.

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
from codeacumen.core.machine import processors
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.languages.kernel import kernel

if TYPE_CHECKING:
    from codeacumen.benchmarks.sesame.mining.spaces import Vectors

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

# Sums are scanned in blocks of 1 << 6 rows.
_SHIFT = 6


def transpose_rows(starts: Longs, columns: Ints, total: int) -> tuple[Longs, Ints, Longs]:
    """Return a matrix given by rows as columns: starts, rows of each column, and source indices.

    There are ``total`` columns; a column's rows ascend, and the source index of a value is its
    index among the values by rows.
    """
    from scipy.sparse import csr_matrix

    shape = (len(starts) - 1, total)
    by_column = csr_matrix((np.arange(len(columns)), columns, starts), shape=shape).tocsc()
    begins = by_column.indptr.astype(np.int64, copy=False)
    return begins, by_column.indices.astype(np.int32, copy=False), by_column.data


def bound_pairs(starts: Longs, columns: Ints, begins: Longs, places: Longs) -> Longs:
    """Return an upper bound on each row's pairs.

    It counts the later rows that share a column with it, once per shared column, and is at most the
    number of later rows.
    """
    later = np.zeros(len(columns) + 1, dtype=np.int64)
    np.cumsum(begins[columns + 1] - places - 1, out=later[1:])
    return np.minimum(np.diff(later[starts]), np.arange(len(starts) - 1)[::-1])


@kernel
def cosines(
    first: int,
    stop: int,
    most: int,
    least: float,
    starts: Longs,
    columns: Ints,
    values: Floats,
    begins: Longs,
    rows: Ints,
    copied: Floats,
    places: Longs,
) -> tuple[Ints, Ints, NDArray[np.float32]]:
    """Return the pairs of the rows ``first`` to ``stop`` (exclusive) with later rows.

    ``capacity`` is the maximum number of pairs. Sums follow the order of columns, for any span.
    """
    total = len(starts) - 1
    left = np.empty(most, dtype=np.int32)
    right = np.empty(most, dtype=np.int32)
    found = np.empty(most, dtype=np.float32)
    sums = np.zeros(total, dtype=np.float64)
    touched = np.zeros((total >> _SHIFT) + 1, dtype=np.uint8)
    used = 0
    for row in range(first, stop):
        for place in range(starts[row], starts[row + 1]):
            value = values[place]
            for other in range(places[place] + 1, begins[columns[place] + 1]):
                sums[rows[other]] += value * copied[other]
                touched[rows[other] >> _SHIFT] = 1
        for stretch in range(row >> _SHIFT, len(touched)):
            if touched[stretch]:
                touched[stretch] = 0
                begin = stretch << _SHIFT
                for other in range(begin, min(total, begin + (1 << _SHIFT))):
                    if sums[other] > least:
                        left[used], right[used] = row, other
                        found[used] = min(sums[other], 1.0)
                        used += 1
                    sums[other] = 0.0
    return left[:used], right[:used], found[:used]


@kernel
def looked_up(
    left: Ints, right: Ints, starts: Longs, rights: Ints, similar: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the similarity of each pair, in either order of its rows.

    It is 0 for a pair that is not stored and 1 for a row with itself.
    """
    found = np.zeros(len(left), dtype=np.float32)
    for i in range(len(left)):
        one, other = min(left[i], right[i]), max(left[i], right[i])
        if one == other:
            found[i] = 1.0
            continue
        low, high = starts[one], starts[one + 1]
        while low < high:
            middle = (low + high) // 2
            if rights[middle] < other:
                low = middle + 1
            else:
                high = middle
        if low < starts[one + 1] and rights[low] == other:
            found[i] = similar[low]
    return found


Block = tuple[Ints, Ints, NDArray[np.float32]]

# Maximum pairs of a span (12 bytes each), unless a single row has more.
MOST = 1 << 22
# Maximum rows of a span, so that all threads have work.
_ROWS = 1 << 10
# Pairs of a row group of the file.
_GROUP = 1 << 20
_ROWS_KEY = b"codeacumen.rows"


@dataclass(frozen=True, slots=True)
class Written:
    """Numbers of compared rows, of rows with a non-zero vector, and of pairs."""

    rows: int
    with_vector: int
    pairs: int


def write_pairs(
    vectors: Vectors,
    path: Path,
    *,
    least: float = 0.0,
    workers: int = 0,
    notes: Mapping[str, str] | None = None,
    most: int = MOST,
    step: Progress = ignore_progress,
) -> Written:
    """Write all pairs with a cosine above ``min_cosine``, atomically.

    ``vectors`` are unit rows of a space. ``notes`` go into the file's metadata.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = {_ROWS_KEY: str(vectors.shape[0]).encode()}
    told |= {key.encode(): value.encode() for key, value in (notes or {}).items()}
    names = ("left", "right", "sim")
    types = (pa.int32(), pa.int32(), pa.float32())
    schema = pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in zip(names, types, strict=True)],
        metadata=told,
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
            found = blocks(vectors, least=least, workers=workers, most=most, step=step)
            for group in _regrouped(found):
                pairs += len(group[0])
                writer.write_table(
                    pa.table([pa.array(one) for one in group], schema=schema), row_group_size=_GROUP
                )
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return Written(vectors.shape[0], _with_vector(vectors), pairs)


def blocks(
    vectors: Vectors,
    *,
    least: float = 0.0,
    workers: int = 0,
    most: int = MOST,
    step: Progress = ignore_progress,
) -> Iterator[Block]:
    """Yield the pairs of each span of rows: left, right, cosine."""
    workers = workers or processors()
    total = vectors.shape[0]
    if isinstance(vectors, np.ndarray):
        if not least > 0:
            raise CodeacumenError(
                "in a dense space nearly all pairs have a cosine above 0",
                "set a bound above 0, as in least=0.5",
            )
        with _one_thread():
            yield from _in_order(*_dense(vectors, least, most), total, workers, step)
    else:
        yield from _in_order(*_sparse(vectors, least, most), total, workers, step)


Stretch = tuple[int, int]
Work = Callable[[Stretch], Block]


def _sparse(vectors: Any, least: float, most: int) -> tuple[Work, list[Stretch]]:
    if not least >= 0:
        raise CodeacumenError(
            f"a bound of {least} on the cosine is invalid", "rows that share nothing are not listed"
        )
    matrix = vectors.tocsr()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    starts = matrix.indptr.astype(np.int64)
    columns = matrix.indices.astype(np.int32)
    values = matrix.data.astype(np.float64)
    begins, rows, order = transpose_rows(starts, columns, matrix.shape[1])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    copied = values[order]
    bound = bound_pairs(starts, columns, begins, places)

    def work(stretch: Stretch) -> Block:
        first, stop = stretch
        room = int(bound[first:stop].sum())
        return cosines(
            first, stop, room, float(least), starts, columns, values, begins, rows, copied, places
        )

    return work, _stretches(bound, most)


def _dense(vectors: NDArray[Any], least: float, most: int) -> tuple[Work, list[Stretch]]:
    rows = np.ascontiguousarray(vectors, dtype=np.float32)

    def work(stretch: Stretch) -> Block:
        first, stop = stretch
        product = rows[first:stop] @ rows[first:].T
        product[np.tri(stop - first, len(rows) - first, dtype=bool)] = -1.0
        left, right = np.nonzero(product > least)
        found = np.minimum(product[left, right], np.float32(1.0))
        return (left + first).astype(np.int32), (right + first).astype(np.int32), found

    return work, _stretches(np.arange(len(rows))[::-1], most)


def _stretches(bound: NDArray[np.int64], most: int) -> list[Stretch]:
    """Return spans of consecutive rows, each with a bounded number of pairs or a single row."""
    found: list[Stretch] = []
    first = held = 0
    for row, pairs in enumerate(bound.tolist()):
        if row > first and (held + pairs > most or row - first == _ROWS):
            found.append((first, row))
            first, held = row, 0
        held += pairs
    if len(bound):
        found.append((first, len(bound)))
    return found


def _in_order(
    work: Work, stretches: list[Stretch], total: int, workers: int, step: Progress
) -> Iterator[Block]:
    """Yield results in the order of the spans, with a few submitted in advance."""
    waiting: deque[tuple[int, Future[Block]]] = deque()
    todo = iter(stretches)
    with ThreadPoolExecutor(workers) as pool:
        while True:
            while len(waiting) <= workers and (stretch := next(todo, None)) is not None:
                waiting.append((stretch[1], pool.submit(work, stretch)))
            if not waiting:
                return
            stop, future = waiting.popleft()
            yield future.result()
            step("pairs", stop, total)


def _regrouped(found: Iterator[Block]) -> Iterator[Block]:
    """Yield the same pairs in groups of one size; the last may be smaller."""
    held: list[Block] = []
    count = 0
    for block in found:
        held.append(block)
        count += len(block[0])
        if count >= _GROUP:
            joined = _joined(held)
            whole = count - count % _GROUP
            for start in range(0, whole, _GROUP):
                yield _cut(joined, start, start + _GROUP)
            # A copy, so that the written part can be freed.
            held = [_joined([_cut(joined, whole, count)])]
            count -= whole
    if count:
        yield _joined(held)


def _joined(found: list[Block]) -> Block:
    left, right, similar = (np.concatenate(one) for one in zip(*found, strict=True))
    return left, right, similar


def _cut(block: Block, start: int, stop: int) -> Block:
    return block[0][start:stop], block[1][start:stop], block[2][start:stop]


def _with_vector(vectors: Any) -> int:
    if isinstance(vectors, np.ndarray):
        return int(np.count_nonzero(vectors.any(axis=1)))
    return int(np.count_nonzero(np.diff(vectors.tocsr().indptr)))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limit BLAS to one thread: our threads do the work, and sums have one order."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):
        yield


@dataclass(frozen=True)
class Pairs:
    """A file of pairs in memory, 8 bytes a pair.

    The pairs with the left row i are ``right[starts[i]: starts[i + 1]]``, ascending, with their
    ``similar``. ``notes`` is the file's metadata.
    """

    rows: int
    starts: NDArray[np.int64]
    right: Ints
    similar: NDArray[np.float32]
    notes: Mapping[str, str]

    @classmethod
    def open(cls, path: Path) -> Pairs:
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
                    here = slice(done, done + table.num_rows)
                    counts[1:] += np.bincount(table["left"].to_numpy(), minlength=rows)
                    right[here] = table["right"].to_numpy()
                    similar[here] = table["sim"].to_numpy()
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

    def sim(self, left: Any, right: Any) -> NDArray[np.float32]:
        """Return the similarity of pairs of rows, given as numbers or arrays of any shape.

        The rows may be in either order: 0 for a pair that the file lacks, 1 for a row with itself.
        """
        one, other = np.broadcast_arrays(np.asarray(left), np.asarray(right))
        shape = one.shape
        # Copies, because numba compiles another kernel for read-only arrays.
        one, other = one.astype(np.int32).ravel(), other.astype(np.int32).ravel()
        if len(one) and not (
            min(one.min(), other.min()) >= 0 and max(one.max(), other.max()) < self.rows
        ):
            raise IndexError(f"rows are numbered from 0 to {self.rows - 1}")
        found = looked_up(one, other, self.starts, self.right, self.similar)
        return found.reshape(shape)

    def neighbours(self, row: int) -> tuple[Ints, NDArray[np.float32]]:
        """Return all rows that are similar to a row, ascending, and their similarities."""
        begins, lefts, pair_indices = self._turned
        before = slice(begins[row], begins[row + 1])
        after = slice(self.starts[row], self.starts[row + 1])
        return (
            np.concatenate([lefts[before], self.right[after]]),
            np.concatenate([self.similar[pair_indices[before]], self.similar[after]]),
        )

    @cached_property
    def _turned(self) -> tuple[NDArray[np.int64], Ints, NDArray[np.int64]]:
        """Pairs by their right row, computed on first use; 12 bytes a pair."""
        return transpose_rows(self.starts, self.right, self.rows)
