"""Oracles: sorting all scores for the order, and a loop in Python for the postings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.search.index import Postings, top_k


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30), st.integers(1, 12))
def test_top_k_returns_highest_scores_and_lower_number_of_ties(values: list[float], k: int) -> None:
    scores = np.array(values, np.float32)
    expected = sorted(range(len(values)), key=lambda position: (-values[position], position))[:k]
    assert top_k(scores, k).tolist() == expected
    numbers = np.random.default_rng(len(values)).permutation(len(values))
    ordered = sorted(
        range(len(values)), key=lambda position: (-values[position], numbers[position])
    )
    assert top_k(scores, k, numbers).tolist() == ordered[:k]


METHODS, COLUMNS = 60, 25


@pytest.fixture(scope="module")
def dense() -> np.ndarray:
    """Return weights with few distinct values, so that many scores are equal."""
    draw = np.random.default_rng(1)
    has = draw.random((METHODS, COLUMNS)) < 0.2
    return np.where(has, draw.integers(1, 3, has.shape) / 4, 0).astype(np.float32)


@pytest.fixture(scope="module")
def postings(dense: np.ndarray) -> Postings:
    method, column = (values.astype(np.int32) for values in np.nonzero(dense))
    sizes = np.bincount(column, minlength=COLUMNS)
    return Postings.from_rows(column, method, dense[method, column], sizes, METHODS)


def test_scores_of_all_methods(postings: Postings, dense: np.ndarray) -> None:
    query = [(3, 0.5), (7, 2.0), (3, 0.25)]
    expected = sum(weight * dense[:, column] for column, weight in query)
    assert np.array_equal(postings.score_all(query), expected)


@pytest.mark.parametrize("most", [1 << 40, 30, 0])
def test_nearest_equals_loop(postings: Postings, dense: np.ndarray, most: int) -> None:
    draw = np.random.default_rng(2)
    queries = [draw.permutation(COLUMNS)[: draw.integers(0, 9)] for _ in range(40)]
    offsets = np.cumsum([0, *map(len, queries)])
    column = np.concatenate(queries).astype(np.int32)
    # Some columns have weight 0 and are skipped.
    weight = (draw.integers(0, 4, len(column)) / 8).astype(np.float32)
    left_out = draw.integers(-1, METHODS, len(queries))
    nearest, scores = postings.find_nearest(offsets, column, weight, left_out, 6, most)
    for query in range(len(queries)):
        total: dict[int, float] = {}
        postings_read = 0
        for position in range(offsets[query], offsets[query + 1]):
            having = np.flatnonzero(dense[:, column[position]])
            if weight[position] == 0:
                continue
            if postings_read and postings_read + len(having) > most:
                break
            postings_read += len(having)
            for method in having.tolist():
                product = float(weight[position] * dense[method, column[position]])
                total[method] = total.get(method, 0.0) + product
        total.pop(int(left_out[query]), None)
        best = sorted(total, key=lambda method: (-total[method], method))[:6]
        missing = 6 - len(best)
        assert nearest[query].tolist() == best + [-1] * missing
        assert scores[query].tolist() == [total[method] for method in best] + [0.0] * missing
