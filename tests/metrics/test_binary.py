"""Oracles: scikit-learn's average_precision_score, precision_recall_curve and f1_score, each on the
resample with repeated rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_recall_curve,
    roc_auc_score,
)

from codeacumen.metrics import make_reading_metric, target_value
from codeacumen.metrics.binary import (
    weighted_all_positive_f1,
    weighted_average_precision,
    weighted_best_f1,
)
from codeacumen.metrics.general import STATISTICS
from codeacumen.metrics.ranks import weighted_roc_auc

# Few distinct values, so that ties are frequent.
ROWS = st.lists(
    st.tuples(st.booleans(), st.integers(-3, 3).map(float), st.integers(0, 4)),
    min_size=2,
    max_size=30,
)


def compute_best_f1(labels: np.ndarray, values: np.ndarray) -> float:
    precision, recall, _ = precision_recall_curve(labels, values)
    both = precision + recall
    return float(np.max(2 * precision * recall / np.where(both > 0, both, 1)))


ORACLES: list[tuple[Callable[..., np.ndarray], Callable[..., float]]] = [
    (weighted_roc_auc, roc_auc_score),
    (weighted_average_precision, average_precision_score),
    (weighted_best_f1, compute_best_f1),
    (weighted_all_positive_f1, lambda labels, values: f1_score(labels, np.ones(len(labels)))),
]


@pytest.mark.parametrize(("ours", "oracle"), ORACLES)
@given(rows=ROWS)
def test_statistic_equals_scikit_learn_on_repeated_rows(ours, oracle, rows) -> None:
    positive, values, counts = (np.array(column) for column in zip(*rows, strict=True))
    statistic = ours(positive.astype(float), values, counts[None, :].astype(float))[0]
    labels = np.repeat(positive, counts)
    if len(set(labels.tolist())) < 2:
        assert np.isnan(statistic)
    else:
        assert statistic == pytest.approx(oracle(labels, np.repeat(values, counts)), abs=1e-12)


@pytest.mark.parametrize("ours", [statistic for statistic, _ in ORACLES])
def test_rows_of_weights_are_independent(ours) -> None:
    rng = np.random.default_rng(2)
    positive, values = (rng.random(40) < 0.3).astype(float), rng.normal(size=40).round(1)
    weights = rng.integers(0, 3, size=(5, 40)).astype(float)
    together = ours(positive, values, weights)
    one_by_one = [ours(positive, values, row[None, :])[0] for row in weights]
    np.testing.assert_allclose(together, one_by_one)


def test_metric_reads_the_named_rating() -> None:
    truth = {"value": 1.5, "mean": 0.9, "majority": 2}
    assert make_reading_metric("spearman").observe(truth, 0.25) == (1.5, 0.25)
    assert make_reading_metric("roc_auc", "mean", 1.0).observe(truth, 1) == (0.0, 1.0)
    agree = make_reading_metric(
        "roc_auc", "majority", 2, suffix="agree", title_suffix="majority agrees"
    )
    assert agree.observe(truth, 0.5) == (1.0, 0.5)
    assert (agree.name, agree.title) == (
        "roc_auc_agree",
        "Area under the ROC curve, majority agrees",
    )
    assert target_value(truth) == 1.5
    assert target_value("name") == "name"


def test_every_statistic_can_be_read_by_name() -> None:
    columns = np.array([[0.0, 1.0, 1.0], [0.2, 0.1, 0.9]])
    for name in STATISTICS:
        (value,) = make_reading_metric(name).statistic(columns, np.ones((1, 3)))
        assert 0 <= value <= 1


@pytest.mark.parametrize("answer", [True, "0.5", float("nan"), None])
def test_answer_that_is_no_number_is_reported(answer: object) -> None:
    with pytest.raises((TypeError, ValueError), match="expected"):
        make_reading_metric("kendall").observe({"value": 1.0}, answer)
