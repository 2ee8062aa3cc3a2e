"""Near-duplicates: pairs of methods that share most of their token shingles.

MinHash with locality-sensitive banding (Broder 1997; Leskovec et al., Mining of Massive Datasets,
3.4): methods with equal hashes in one band are candidates, and the exact Jaccard similarity decides
about each candidate pair. Within a group of equal hashes a method is compared with the group's
first member and with its neighbour only, so that 10,000 copies of one method cost about 20,000
comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import STEP, Words, kernel, mixed
from codeacumen.text.columns import Ragged

# Tokens of a shingle. Five tokens distinguish code, and a renamed variable changes only the
# shingles that contain it.
SHINGLE = 5
# With 25 bands of 5 rows, a pair of similarity 0.8 is a candidate with probability 0.9999.
BANDS, ROWS = 25, 5
THRESHOLD = 0.8
# Methods with fewer tokens are skipped: getters, setters and delegates resemble each other anyway.
SHORTEST = 25


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of similar methods, each once, and the cluster of every method.

    The number of a cluster is that of its first member; a method without duplicates is its own
    cluster.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]
    cluster: NDArray[np.int64]


def near_duplicates(
    tokens: Ragged, *, threshold: float = THRESHOLD, shortest: int = SHORTEST, seed: int = 0
) -> Pairs:
    """Return the pairs of methods with a Jaccard similarity of at least ``threshold``.

    ``tokens`` holds an integer for each token of each method; equal tokens have equal integers.
    """
    hashed = mixed(tokens.values.astype(np.uint64) + STEP)
    values, offsets = shingles(hashed, tokens.offsets, shortest)
    signatures = minhashes(values, offsets, _multipliers(seed))
    left, right = _candidates(signatures, np.diff(offsets) > 0)
    similarity = jaccard(values, offsets, left, right)
    good = similarity >= threshold
    left, right, similarity = left[good], right[good], similarity[good]
    return Pairs(left, right, similarity, _clusters(left, right, len(tokens)))


def _multipliers(seed: int) -> Words:
    drawn = np.random.default_rng(seed).integers(0, 1 << 63, BANDS * ROWS, dtype=np.uint64)
    return drawn * np.uint64(2) + np.uint64(1)


@kernel
def shingles(
    values: Words, offsets: NDArray[np.int64], shortest: int
) -> tuple[Words, NDArray[np.int64]]:
    """Return the sorted distinct hashes of each method's shingles; none for short methods."""
    found = np.empty(len(values), dtype=np.uint64)
    stops = np.zeros(len(offsets), dtype=np.int64)
    count = 0
    for method in range(len(offsets) - 1):
        first, last = offsets[method], offsets[method + 1]
        start = count
        if last - first >= max(shortest, SHINGLE):
            for at in range(first, last - SHINGLE + 1):
                x = np.uint64(0)
                for place in range(SHINGLE):
                    x = x * np.uint64(0x100000001B3) + values[at + place]
                found[count] = x ^ (x >> np.uint64(29))
                count += 1
            found[start:count].sort()
            kept = start
            for at in range(start, count):
                if at == start or found[at] != found[kept - 1]:
                    found[kept] = found[at]
                    kept += 1
            count = kept
        stops[method + 1] = count
    return found[:count].copy(), stops


@kernel
def minhashes(values: Words, offsets: NDArray[np.int64], multipliers: Words) -> Words:
    """Return the smallest hash of each method's shingles, (methods, hash functions)."""
    count = len(multipliers)
    found = np.empty((len(offsets) - 1, count), dtype=np.uint64)
    for method in range(len(offsets) - 1):
        for k in range(count):
            found[method, k] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for at in range(offsets[method], offsets[method + 1]):
            for k in range(count):
                x = values[at] * multipliers[k]
                x ^= x >> np.uint64(32)
                if x < found[method, k]:
                    found[method, k] = x
    return found


def _candidates(
    signatures: Words, used: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    which = np.flatnonzero(used)
    pairs: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    count = len(signatures)
    for band in range(BANDS):
        part = signatures[which, band * ROWS : (band + 1) * ROWS]
        key = mixed(part[:, 0] + STEP)
        for row in range(1, ROWS):
            key = mixed((key ^ part[:, row]) + STEP)
        order = np.argsort(key, kind="stable")
        same = key[order][1:] == key[order][:-1]
        if not same.any():
            continue
        members = which[order]
        # The first member of each member's group.
        starts = np.flatnonzero(np.concatenate([[True], ~same]))
        group = np.cumsum(np.concatenate([[False], ~same]))
        first = members[starts][group]
        left = np.concatenate([members[:-1][same], first[1:][same]])
        right = np.concatenate([members[1:][same], members[1:][same]])
        pairs.append(np.minimum(left, right) * count + np.maximum(left, right))
    found = np.unique(np.concatenate(pairs))
    left, right = found // max(1, count), found % max(1, count)
    distinct = left != right
    return left[distinct], right[distinct]


@kernel
def jaccard(
    values: Words, offsets: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the Jaccard similarity of each pair of sorted sets."""
    found = np.zeros(len(left), dtype=np.float64)
    for pair in range(len(left)):
        i, j = offsets[left[pair]], offsets[right[pair]]
        last_i, last_j = offsets[left[pair] + 1], offsets[right[pair] + 1]
        size = (last_i - i) + (last_j - j)
        shared = 0
        while i < last_i and j < last_j:
            if values[i] == values[j]:
                shared += 1
                i += 1
                j += 1
            elif values[i] < values[j]:
                i += 1
            else:
                j += 1
        if size > 0:
            found[pair] = shared / (size - shared)
    return found


@kernel
def _clusters(left: NDArray[np.int64], right: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the smallest member of each method's connected component (union-find)."""
    cluster = np.arange(count)
    for pair in range(len(left)):
        a, b = left[pair], right[pair]
        while cluster[a] != a:
            cluster[a] = cluster[cluster[a]]
            a = cluster[a]
        while cluster[b] != b:
            cluster[b] = cluster[cluster[b]]
            b = cluster[b]
        if a < b:
            cluster[b] = a
        else:
            cluster[a] = b
    for one in range(count):
        root = one
        while cluster[root] != root:
            root = cluster[root]
        cluster[one] = root
    return cluster
