"""An inverted index of methods with sparse vectors, and the order of its answers.

For each column (a word, a hashed feature) the index has the *postings*: the methods with this
column, each with a weight. A method is its number in the index, from 0. The caller determines the
weights: tf-idf (term frequency times inverse document frequency) in ``features``, Okapi BM25 in
``word_index``. Dense vectors are searched in ``vectors``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Columns = NDArray[np.int32]
Weights = NDArray[np.float32]


def top_k(scores: NDArray[np.floating], k: int, methods: Offsets | None = None) -> Offsets:
    """Return the positions of the ``k`` highest scores, highest first.

    Among equal scores the method with the lower number comes first. ``methods`` has the number of
    the method at each position; without it, the number is the position.

    >>> top_k(np.array([0.5, 0.9, 0.5, 0.1]), 3).tolist()
    [1, 0, 2]
    """
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= least)
    else:
        candidates = np.arange(len(scores))
    numbers = candidates if methods is None else methods[candidates]
    order: Offsets = candidates[np.lexsort((numbers, -scores[candidates]))][:k]
    return order


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of all columns.

    The methods of column ``c`` are ``method[offsets[c]:offsets[c + 1]]``, in ascending order, and
    ``weight`` has their weights at the same positions. The arrays may be memory-mapped files.
    """

    offsets: Offsets
    method: Columns
    weight: Weights
    method_count: int

    @classmethod
    def from_rows(
        cls, column: Columns, method: Columns, weight: Weights, sizes: Offsets, method_count: int
    ) -> Postings:
        """Return the postings of entries (column, method, weight), which are sorted by method.

        ``sizes`` has the number of entries of each column.
        """
        order = np.argsort(column, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(offsets, method[order], weight[order], method_count)

    def score_all(self, query: Iterable[tuple[int, float]]) -> Weights:
        """Return the score of every method for a query of pairs (column, weight), in 32 bits."""
        scores = np.zeros(self.method_count, dtype=np.float32)
        for column, weight in query:
            row = slice(int(self.offsets[column]), int(self.offsets[column + 1]))
            scores[self.method[row]] += np.float32(weight) * self.weight[row]
        return scores

    def find_nearest(
        self,
        offsets: Offsets,
        column: Columns,
        weight: Weights,
        left_out: Offsets,
        k: int,
        max_postings: int,
    ) -> tuple[Offsets, NDArray[np.float64]]:
        """Return the ``k`` nearest methods of each query and their scores (queries, k).

        The nearest comes first; a method is -1 where fewer than ``k`` share a column with the
        query. The columns of query ``q`` are ``column[offsets[q]:offsets[q + 1]]``, the most
        informative first, because at most ``max_postings`` postings are read. The method
        ``left_out[q]`` is skipped (-1: none).
        """
        from codeacumen.search.kernel import add_postings

        query_count = len(offsets) - 1
        nearest = np.full((query_count, k), -1, np.int64)
        scores = np.zeros((query_count, k), np.float64)
        score, is_touched = np.zeros(self.method_count), np.zeros(self.method_count, np.bool_)
        touched_methods, touched_scores = (
            np.empty(self.method_count, np.int64),
            np.empty(self.method_count),
        )
        for query in range(query_count):
            part = slice(offsets[query], offsets[query + 1])
            count = add_postings(
                column[part],
                weight[part],
                self.offsets,
                self.method,
                self.weight,
                max_postings,
                score,
                is_touched,
                touched_methods,
                touched_scores,
            )
            # One more than k, because the method to leave out may be among them.
            best = top_k(touched_scores[:count], k + 1, touched_methods[:count])
            best = best[touched_methods[best] != left_out[query]][:k]
            nearest[query, : len(best)] = touched_methods[best]
            scores[query, : len(best)] = touched_scores[best]
        return nearest, scores
