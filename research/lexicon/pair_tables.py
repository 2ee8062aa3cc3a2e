"""Tables of word pairs: sorted integer keys with values, looked up in bulk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Keys = NDArray[np.int64]
Indices = NDArray[np.int64]
BASE = 1 << 16


def make_keys(left: NDArray[np.integer], right: NDArray[np.integer]) -> Keys:
    """Return one integer per pair of word indices; both orders of a pair have the same key."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    keys: Keys = low.astype(np.int64) * BASE + high
    return keys


def split_keys(keys: Keys) -> tuple[Indices, Indices]:
    """Return the smaller and the larger word index of each key."""
    return keys // BASE, keys % BASE


@dataclass(frozen=True, slots=True)
class PairTable:
    """Sorted pair keys and their values; a pair that is not in the table has value 0."""

    key: Keys
    value: NDArray[np.float32]

    def look_up(self, keys: Keys) -> NDArray[np.float32]:
        """Return the values of the keys."""
        if not len(self.key):
            return np.zeros(len(keys), dtype=np.float32)
        index = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        return np.where(self.key[index] == keys, self.value[index], np.float32(0))


def compute_association(key: Keys, count: NDArray[np.float64], shrinkage: float) -> PairTable:
    """Return log(1 + lift) of each pair: how much more often the words meet than by chance.

    Small counts are shrunk towards 0 by ``count / (count + shrinkage)``.
    """
    left, right = split_keys(key)
    size = int(right.max()) + 1 if len(right) else 0
    occurrences = np.bincount(left, count, size) + np.bincount(right, count, size)
    lift = count * occurrences.sum() / np.maximum(occurrences[left] * occurrences[right], 1e-9)
    value = np.log1p(lift) * count / (count + shrinkage)
    return PairTable(key, value.astype(np.float32))


@kernel
def pair_within_groups(group: NDArray[np.int64], word: NDArray[np.int32], largest: int) -> Keys:
    """Return the keys of all pairs of words in the same group, for groups up to a size.

    The rows must be distinct and sorted by group and word.
    """
    total = 0
    begin = 0
    for i in range(1, len(group) + 1):
        if i == len(group) or group[i] != group[begin]:
            size = i - begin
            if size <= largest:
                total += size * (size - 1) // 2
            begin = i
    keys = np.empty(total, dtype=np.int64)
    position = 0
    begin = 0
    for i in range(1, len(group) + 1):
        if i == len(group) or group[i] != group[begin]:
            if i - begin <= largest:
                for a in range(begin, i):
                    for b in range(a + 1, i):
                        keys[position] = np.int64(word[a]) * 65536 + word[b]
                        position += 1
            begin = i
    return keys
