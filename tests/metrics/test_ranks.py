"""Oracles: scipy's rankdata, spearmanr and kendalltau, scikit-learn's roc_auc_score, each on the
resample with repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata, spearmanr
from sklearn.metrics import roc_auc_score

from codeacumen.metrics.ranks import (
    weighted_kendall,
    weighted_midranks,
    weighted_roc_auc,
    weighted_spearman,
)

# Few distinct values, so that ties are frequent.
VALUES = st.integers(-3, 3).map(float)
COUNTS = st.integers(0, 4)
ROWS = st.lists(st.tuples(VALUES, VALUES, COUNTS), min_size=2, max_size=30)


def repeat_values(values: list[float], counts: list[int]) -> np.ndarray:
    return np.repeat(np.array(values), counts)


@given(ROWS)
def test_midranks_equal_ranks_of_repeated_rows(rows) -> None:
    values, _, counts = map(list, zip(*rows, strict=True))
    ranks = weighted_midranks(np.array(values), np.array([counts], dtype=float))[0]
    expected = rankdata(repeat_values(values, counts))
    np.testing.assert_allclose(repeat_values(ranks, counts), expected)


@given(ROWS)
def test_spearman_equals_scipy_on_repeated_rows(rows) -> None:
    x, y, counts = map(list, zip(*rows, strict=True))
    ours = weighted_spearman(np.array(x), np.array(y), np.array([counts], dtype=float))[0]
    a, b = repeat_values(x, counts), repeat_values(y, counts)
    if len(set(a)) < 2 or len(set(b)) < 2:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


@given(ROWS)
def test_kendall_equals_scipy_on_repeated_rows(rows) -> None:
    x, y, counts = map(list, zip(*rows, strict=True))
    ours = weighted_kendall(np.array(x), np.array(y), np.array([counts], dtype=float))[0]
    a, b = repeat_values(x, counts), repeat_values(y, counts)
    if len(set(a)) < 2 or len(set(b)) < 2:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(kendalltau(a, b).statistic, abs=1e-12)


@given(ROWS)
def test_roc_auc_equals_scikit_learn_on_repeated_rows(rows) -> None:
    scores, truths, counts = map(list, zip(*rows, strict=True))
    truths = [float(truth > 0) for truth in truths]
    ours = weighted_roc_auc(np.array(truths), np.array(scores), np.array([counts], dtype=float))[0]
    labels = repeat_values(truths, counts)
    if len(set(labels)) < 2:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(roc_auc_score(labels, repeat_values(scores, counts)))


@pytest.mark.parametrize("statistic", [weighted_spearman, weighted_kendall])
def test_rows_of_weights_are_independent(statistic) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=40), rng.normal(size=40)
    weights = rng.integers(0, 3, size=(5, 40)).astype(float)
    together = statistic(x, y, weights)
    one_by_one = [statistic(x, y, row[None, :])[0] for row in weights]
    np.testing.assert_allclose(together, one_by_one)
