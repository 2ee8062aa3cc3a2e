"""The compiled loop of the sparse index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel


@kernel
def add_postings(
    columns: NDArray[np.int32],
    weights: NDArray[np.float32],
    offsets: NDArray[np.int64],
    methods: NDArray[np.int32],
    posting_weights: NDArray[np.float32],
    most: int,
    score: NDArray[np.float64],
    seen: NDArray[np.bool_],
    touched: NDArray[np.int64],
) -> int:
    """Add one query's products to ``score`` and list the methods reached in ``touched``; return
    how many these are. ``score`` and ``seen`` must be zero on entry.

    Columns are followed in their order until ``most`` postings are read; the first always is. A
    product is rounded to 32 bits and then added in 64: published results depend on it, and
    scipy's sparse product does not round.
    """
    count, postings_read = 0, 0
    for position in range(len(columns)):
        weight = weights[position]
        # A feature that all methods have weighs nothing.
        if weight <= 0.0:
            continue
        low, high = offsets[columns[position]], offsets[columns[position] + 1]
        if postings_read > 0 and postings_read + high - low > most:
            break
        postings_read += high - low
        for posting in range(low, high):
            method = methods[posting]
            if not seen[method]:
                seen[method] = True
                touched[count] = method
                count += 1
            score[method] += weight * posting_weights[posting]
    return count
