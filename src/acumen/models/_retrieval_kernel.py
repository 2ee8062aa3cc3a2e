"""Loops of the nearest-neighbour namer, compiled: a method's distinct features, and the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Offsets = NDArray[np.int64]
Keys = NDArray[np.uint64]


@kernel
def distinct(keys: Keys, offsets: Offsets, most: int) -> tuple[Offsets, Keys, NDArray[np.int32]]:
    """Each list's distinct keys, sorted, with how often each stands in it. Of more than ``most``
    the smallest are kept: keys are hashes, so these are a draw, and nearly the same one for two
    lists that are nearly the same."""
    found, counts = np.empty(len(keys), np.uint64), np.empty(len(keys), np.int32)
    ends = np.zeros(len(offsets), np.int64)
    total = 0
    for row in range(len(offsets) - 1):
        first = total
        for key in np.sort(keys[offsets[row] : offsets[row + 1]]):
            if total > first and found[total - 1] == key:
                counts[total - 1] += 1
            elif total - first < most:
                found[total], counts[total] = key, 1
                total += 1
            else:
                break
        ends[row + 1] = total
    return ends, found[:total].copy(), counts[:total].copy()


@kernel
def weights(
    offsets: Offsets,
    key: Keys,
    count: NDArray[np.int32],
    column: NDArray[np.int32],
    rarity: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.float32]:
    """tf-idf of each list's features. Those of tokens (the key's highest bit is not set) and those
    of paths are vectors of length one, times the share of each."""
    found = np.empty(len(key), np.float32)
    for row in range(len(offsets) - 1):
        squares = np.zeros(2)
        for at in range(offsets[row], offsets[row + 1]):
            weight = (1.0 + np.log(count[at])) * rarity[column[at]]
            squares[key[at] >> np.uint64(63)] += weight * weight
        for at in range(offsets[row], offsets[row + 1]):
            family = key[at] >> np.uint64(63)
            weight = (1.0 + np.log(count[at])) * rarity[column[at]]
            if weight > 0.0:
                weight *= shares[family] / np.sqrt(squares[family])
            found[at] = weight
    return found


@kernel
def nearest(
    offsets: Offsets,
    column: NDArray[np.int32],
    weight: NDArray[np.float32],
    posting_offsets: Offsets,
    posting_method: NDArray[np.int32],
    posting_weight: NDArray[np.float32],
    methods: int,
    left_out: NDArray[np.int64],
    k: int,
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The ``k`` methods most similar to each question and how similar they are, nearest first,
    -1 where there are no more; the earlier method among equals.

    A question is a list of columns with its weights, rarest column first. It is followed until
    ``most`` postings have been looked at; the first column always is.
    """
    questions = len(offsets) - 1
    found = np.full((questions, k), -1, np.int64)
    similar = np.zeros((questions, k), np.float64)
    score, seen = np.zeros(methods, np.float64), np.zeros(methods, np.bool_)
    touched = np.empty(methods, np.int64)
    for question in range(questions):
        count, looked = 0, 0
        for at in range(offsets[question], offsets[question + 1]):
            # What all methods have tells nothing.
            if weight[at] <= 0.0:
                continue
            low, high = posting_offsets[column[at]], posting_offsets[column[at] + 1]
            if looked > 0 and looked + high - low > most:
                break
            looked += high - low
            for posting in range(low, high):
                method = posting_method[posting]
                if not seen[method]:
                    seen[method] = True
                    touched[count] = method
                    count += 1
                score[method] += weight[at] * posting_weight[posting]
        best, values = found[question], similar[question]
        for method in touched[:count]:
            value = score[method]
            score[method], seen[method] = 0.0, False
            if method == left_out[question]:
                continue
            place = k
            while place > 0 and (
                best[place - 1] < 0
                or value > values[place - 1]
                or (value == values[place - 1] and method < best[place - 1])
            ):
                place -= 1
            if place < k:
                best[place + 1 :] = best[place:-1].copy()
                values[place + 1 :] = values[place:-1].copy()
                best[place], values[place] = method, value
    return found, similar
