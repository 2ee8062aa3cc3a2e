"""The loops of ``pairs``: cosines of a stretch of rows with all rows after them, and looking up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

# Rows that are looked at together after a row's products have been added up: 1 << 6.
_SHIFT = 6


@kernel
def postings(
    starts: Longs, columns: Ints, values: Floats, total: int
) -> tuple[Longs, Ints, Floats, Longs]:
    """The matrix by columns: where each begins, the rows that have it in their order, and values.
    And for each value of the matrix by rows, its place in that by columns."""
    begins = np.zeros(total + 1, dtype=np.int64)
    for place in range(len(columns)):
        begins[columns[place] + 1] += 1
    for column in range(total):
        begins[column + 1] += begins[column]
    used = begins[:-1].copy()
    rows = np.empty(len(columns), dtype=np.int32)
    copied = np.empty(len(columns), dtype=np.float64)
    places = np.empty(len(columns), dtype=np.int64)
    for row in range(len(starts) - 1):
        for place in range(starts[row], starts[row + 1]):
            target = used[columns[place]]
            used[columns[place]] += 1
            rows[target], copied[target], places[place] = row, values[place], target
    return begins, rows, copied, places


@kernel
def most_pairs(starts: Longs, columns: Ints, begins: Longs, places: Longs) -> Longs:
    """For each row a bound on its pairs: the rows after it that have any column of it, each counted
    as often as it has one; and all that there are."""
    rows = len(starts) - 1
    found = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        most = 0
        for place in range(starts[row], starts[row + 1]):
            most += begins[columns[place] + 1] - places[place] - 1
        found[row] = min(most, rows - row - 1)
    return found


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
    """The pairs of the rows from ``first`` to before ``stop`` with rows after them; there are no
    more than ``most``. Sums are made in the order of columns, whatever the stretch."""
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
    """The similarity of each pair, in whatever order its two rows are; 0 of one that is not kept,
    1 of a row with itself."""
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


@kernel
def turned(starts: Longs, rights: Ints) -> tuple[Longs, Ints, Longs]:
    """The pairs by their right row: where each row's begin, their left rows in order, and their
    places among the pairs by the left row."""
    total = len(starts) - 1
    begins = np.zeros(total + 1, dtype=np.int64)
    for place in range(len(rights)):
        begins[rights[place] + 1] += 1
    for row in range(total):
        begins[row + 1] += begins[row]
    used = begins[:-1].copy()
    lefts = np.empty(len(rights), dtype=np.int32)
    places = np.empty(len(rights), dtype=np.int64)
    for row in range(total):
        for place in range(starts[row], starts[row + 1]):
            target = used[rights[place]]
            used[rights[place]] += 1
            lefts[target], places[target] = row, place
    return begins, lefts, places
