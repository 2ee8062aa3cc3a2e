"""Near-duplicates: pairs of methods that share most of their token shingles, for ``corpus.audit``.

MinHash with locality-sensitive banding (Broder 1997; Leskovec et al., Mining of Massive Datasets,
3.4): methods with equal hashes in one band are candidates, and the exact Jaccard similarity decides
about each candidate pair. Methods with the same shingles are copies and are compared as one, so
that 10,000 copies of a method cost no comparison. Within a group of equal hashes a method is
compared with the group's first member and with the next ``MOST_COMPARED``, so that the work stays
linear; only in larger groups of different methods can pairs be missing.

Methods are identified by their position in the input. Lists of different lengths are stored as
``values`` and ``offsets``: the values of method i are ``values[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import STEP, Words, kernel, mix_bits
from codeacumen.text.columns import Ragged

# Tokens of a shingle. Five tokens distinguish code, and a renamed variable changes only the
# shingles that contain it.
SHINGLE = 5
# Bands, and hash functions in a band: a pair of similarity 0.8 is a candidate with probability
# 1 - (1 - 0.8^5)^25 = 0.99995.
BANDS, ROWS = 25, 5
MOST_COMPARED = 100
# Jaccard similarity from which on two methods are near-duplicates.
THRESHOLD = 0.8
# Methods with fewer tokens are skipped: getters, setters and delegates resemble each other anyway.
SHORTEST = 25


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of similar methods, each once, and the original and the cluster of every method.

    ``original`` has the position of the first method with the same shingles, for each method; a
    method without shingles is its own. ``left`` and ``right`` are positions of originals, ``left``
    the smaller one. The copies of an original are pairs, too, and its copies are as similar to
    another method as the original is. The number of a cluster is the position of its first member;
    a method without duplicates is its own cluster.
    """

    original: NDArray[np.int64]

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    similarity: NDArray[np.float64]
    cluster: NDArray[np.int64]


def find_near_duplicates(
    tokens: Ragged, *, threshold: float = THRESHOLD, shortest: int = SHORTEST, seed: int = 0
) -> Pairs:
    """Return the methods with a Jaccard similarity of at least ``threshold``, in pairs.

    ``tokens`` holds an integer for each token of each method; equal tokens have equal integers.
    Methods with fewer than ``shortest`` tokens are skipped. ``seed`` determines the hash functions.
    """
    hashed = mix_bits(tokens.values.astype(np.uint64) + STEP)
    values, offsets = hash_shingles(hashed, tokens.offsets, shortest)
    original = _find_originals(values, offsets)
    is_original = original == np.arange(len(tokens))
    signatures = compute_minhashes(values, offsets, _draw_multipliers(seed))
    left, right = _find_candidate_pairs(signatures, (np.diff(offsets) > 0) & is_original)
    similarity = compute_jaccard(values, offsets, left, right)
    is_similar = similarity >= threshold
    left, right, similarity = left[is_similar], right[is_similar], similarity[is_similar]
    cluster = _find_clusters(left, right, len(tokens))[original]
    return Pairs(original, left, right, similarity, cluster)


def _find_originals(values: Words, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each method the position of the first one with the same set of shingles.

    ``values`` and ``offsets`` are those of ``hash_shingles``.
    """
    original = np.arange(len(offsets) - 1)
    methods = np.flatnonzero(np.diff(offsets) > 0)
    if len(methods):
        # Two sets with one sum of hashes are as improbable as two shingles with one hash.
        sums = np.add.reduceat(mix_bits(values + STEP), offsets[:-1][methods])
        _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
        original[methods] = methods[first[inverse]]
    return original


def _draw_multipliers(seed: int) -> Words:
    """Return a random odd multiplier for each hash function, so that multiplying is a bijection."""
    random_integers = np.random.default_rng(seed).integers(
        0, 1 << 63, BANDS * ROWS, dtype=np.uint64
    )
    return random_integers * np.uint64(2) + np.uint64(1)


@kernel
def hash_shingles(
    values: Words, offsets: NDArray[np.int64], shortest: int
) -> tuple[Words, NDArray[np.int64]]:
    """Return the sorted distinct hashes of each method's shingles, and the offsets of the methods.

    A method of fewer than ``shortest`` tokens has none. ``values`` are token codes after
    ``mix_bits``. The hash is a polynomial in the tokens, with the 64-bit FNV prime as its base.
    """
    hashes = np.empty(len(values), dtype=np.uint64)
    stops = np.zeros(len(offsets), dtype=np.int64)
    count = 0
    for method in range(len(offsets) - 1):
        first, last = offsets[method], offsets[method + 1]
        start = count
        if last - first >= max(shortest, SHINGLE):
            for position in range(first, last - SHINGLE + 1):
                shingle_hash = np.uint64(0)
                for token in range(SHINGLE):
                    shingle_hash = (
                        shingle_hash * np.uint64(0x100000001B3) + values[position + token]
                    )
                hashes[count] = shingle_hash ^ (shingle_hash >> np.uint64(29))
                count += 1
            hashes[start:count].sort()
            unique_end = start
            for position in range(start, count):
                if position == start or hashes[position] != hashes[unique_end - 1]:
                    hashes[unique_end] = hashes[position]
                    unique_end += 1
            count = unique_end
        stops[method + 1] = count
    return hashes[:count].copy(), stops


@kernel
def compute_minhashes(values: Words, offsets: NDArray[np.int64], multipliers: Words) -> Words:
    """Return the smallest hash of each method's shingles, shape (methods, hash functions).

    Methods without shingles have the largest 64-bit value.
    """
    count = len(multipliers)
    minima = np.empty((len(offsets) - 1, count), dtype=np.uint64)
    for method in range(len(offsets) - 1):
        for k in range(count):
            minima[method, k] = np.uint64(0xFFFFFFFFFFFFFFFF)
        for position in range(offsets[method], offsets[method + 1]):
            for k in range(count):
                hashed = values[position] * multipliers[k]
                hashed ^= hashed >> np.uint64(32)
                if hashed < minima[method, k]:
                    minima[method, k] = hashed
    return minima


def _find_candidate_pairs(
    signatures: Words, is_compared: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of methods with equal hashes in a band, each once, smaller position first.

    ``signatures`` is the result of ``compute_minhashes``.
    """
    methods = np.flatnonzero(is_compared)
    pair_codes = np.empty(0, dtype=np.int64)
    count = max(1, len(signatures))
    # A pair is one integer, ``left * count + right``, so that ``np.unique`` can compare pairs.
    for band in range(BANDS):
        band_signatures = signatures[methods, band * ROWS : (band + 1) * ROWS]
        key = mix_bits(band_signatures[:, 0] + STEP)
        for row in range(1, ROWS):
            key = mix_bits((key ^ band_signatures[:, row]) + STEP)
        # The sort is stable, so the members of a group are in ascending order.
        order = np.argsort(key, kind="stable")
        members, key = methods[order], key[order]
        codes = [pair_codes]
        # Positions in ``members`` whose group extends at least ``distance`` positions further.
        begin = np.arange(len(key))
        for distance in range(1, MOST_COMPARED + 1):
            begin = begin[begin < len(key) - distance]
            begin = begin[key[begin] == key[begin + distance]]
            if not len(begin):
                break
            codes.append(members[begin] * count + members[begin + distance])
        # The first member of each member's group connects a group that is larger.
        first = members[np.searchsorted(key, key)]
        codes.append((first * count + members)[first != members])
        pair_codes = np.unique(np.concatenate(codes))
    return pair_codes // count, pair_codes % count


@kernel
def compute_jaccard(
    values: Words, offsets: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the Jaccard similarity of each pair of methods ``left[i]`` and ``right[i]``.

    ``values`` and ``offsets`` are the sorted sets of shingles that ``hash_shingles`` returns.
    """
    similarity = np.zeros(len(left), dtype=np.float64)
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
            similarity[pair] = shared / (size - shared)
    return similarity


@kernel
def _find_clusters(
    left: NDArray[np.int64], right: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Return the smallest member of each method's connected component (union-find).

    ``count`` is the number of methods; the pairs are the edges.
    """
    cluster = np.arange(count)
    for pair in range(len(left)):
        left_root, right_root = left[pair], right[pair]
        while cluster[left_root] != left_root:
            cluster[left_root] = cluster[cluster[left_root]]
            left_root = cluster[left_root]
        while cluster[right_root] != right_root:
            cluster[right_root] = cluster[cluster[right_root]]
            right_root = cluster[right_root]
        if left_root < right_root:
            cluster[right_root] = left_root
        else:
            cluster[left_root] = right_root
    for member in range(count):
        root = member
        while cluster[root] != root:
            root = cluster[root]
        cluster[member] = root
    return cluster
