"""An inverted index of methods' features: who has what, weighted, and who is near a question.

Similarity is the cosine of tf-idf vectors. Tokens and paths make a vector of length one each; a
method's is of both, in the shares that are set.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from acumen.models._retrieval_features import Features, joined, kept
from acumen.models._retrieval_kernel import nearest, weights

# A question follows its rarest features first, and stops where it would look at more postings:
# what it has not followed by then are the words that everybody has.
MOST_POSTINGS = 100_000


class Index:
    def __init__(self, parts: Iterable[Features], paths: float) -> None:
        """``paths`` is the share of the paths, from 0 (tokens alone) to 1."""
        self.shares = np.sqrt(np.array([1.0 - paths, paths]))
        found = joined([self._chosen(part) for part in parts])
        self.methods = len(found)
        # Methods stay in order below each feature: the search goes through memory one way.
        order = np.argsort(found.key, kind="stable")
        ordered = found.key[order]
        new = np.ones(len(ordered), dtype=np.bool_)
        new[1:] = ordered[1:] != ordered[:-1]
        first = np.flatnonzero(new)
        self.key = ordered[first]
        self.offsets = np.append(first, len(ordered))
        self.rarity = np.log((1.0 + self.methods) / (1.0 + np.diff(self.offsets)))
        column = np.empty(len(ordered), dtype=np.int32)
        column[order] = np.cumsum(new, dtype=np.int32) - 1
        self.weight = self._weights(found, column)[order]
        method = np.repeat(np.arange(len(found), dtype=np.int32), np.diff(found.offsets))
        self.method = method[order]

    def __len__(self) -> int:
        return self.methods

    def nearest(
        self, questions: Features, left_out: NDArray[np.int64], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """For each question the ``k`` nearest methods and their similarities, nearest first; the
        method ``left_out`` (-1: none) is not among them."""
        found = self._chosen(questions)
        place = np.searchsorted(self.key, found.key)
        known = np.append(self.key, np.uint64(0))[place] == found.key
        known &= place < len(self.key)
        found, column = kept(found, known), place[known].astype(np.int32)
        weight = self._weights(found, column)
        question = np.repeat(np.arange(len(found)), np.diff(found.offsets))
        order = np.lexsort((-self.rarity[column], question))
        return nearest(
            found.offsets, column[order], weight[order], self.offsets, self.method, self.weight,
            self.methods, left_out, k, MOST_POSTINGS,
        )  # fmt: skip

    def _chosen(self, found: Features) -> Features:
        """Without the family that has no share."""
        if self.shares.all():
            return found
        return kept(found, self.shares[found.key >> np.uint64(63)] > 0)

    def _weights(self, found: Features, column: NDArray[np.int32]) -> NDArray[np.float32]:
        return weights(found.offsets, found.key, found.count, column, self.rarity, self.shares)
