"""Loops over bags: sorted numbers with a value each, one bag after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Keys = NDArray[np.uint64]
Values = NDArray[np.float64]
Places = NDArray[np.int64]


@kernel
def products(
    keys: Keys, offsets: Places, one: Values, other: Values, left: Places, right: Places
) -> Values:
    """Of each pair of bags the sum, over what they have in common, of the left one's value in
    ``one`` times the right one's in ``other``; always in the same order, so that it does not depend
    on what else is compared."""
    found = np.zeros(len(left), np.float64)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        total = 0.0
        while a < a_end and b < b_end:
            if keys[a] < keys[b]:
                a += 1
            elif keys[b] < keys[a]:
                b += 1
            else:
                total += one[a] * other[b]
                a += 1
                b += 1
        found[i] = total
    return found


@kernel
def overlaps(
    keys: Keys, offsets: Places, values: Values, left: Places, right: Places
) -> tuple[Values, Values]:
    """Of each pair of bags the sum of the lesser values, and of the greater ones."""
    least, most = np.zeros(len(left), np.float64), np.zeros(len(left), np.float64)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        low, high = 0.0, 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and keys[a] < keys[b]):
                high += values[a]
                a += 1
            elif a == a_end or keys[b] < keys[a]:
                high += values[b]
                b += 1
            else:
                low += min(values[a], values[b])
                high += max(values[a], values[b])
                a += 1
                b += 1
        least[i], most[i] = low, high
    return least, most
