"""Oracles: scikit-learn on the sample with repeated rows; ReName4J's Table 3 and Table 6 from the
counts that they imply; the existing adapter from naming to judging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    precision_recall_curve,
    precision_recall_fscore_support,
    roc_auc_score,
    roc_curve,
)

from codeacumen.api import Json, Method, Metric, NamedMethod
from codeacumen.metrics import name_checking
from codeacumen.metrics.binary import curve_points
from codeacumen.models.adapters import agreement_with_own_name
from codeacumen.text.subtokens import split_subtokens

# Whether a name is consistent, its predicted fitness, and its number of repetitions. Few values,
# so that ties and values at the threshold are frequent.
ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)), st.integers(1, 3)),
    min_size=2,
    max_size=25,
)
NAMES = st.text(alphabet="abAB_1", max_size=6)


def make_truth(consistent: bool, tested: str = "", fixed: str = "") -> Json:
    label = name_checking.CONSISTENT if consistent else name_checking.INCONSISTENT
    return {"value": float(consistent), "label": label, "tested": tested, "fixed": fixed}


def compute_value(
    metric: Metric, rows: list[tuple[Json, Json]], weights: list[int] | None = None
) -> float:
    columns = np.array([metric.observe(*row) for row in rows], dtype=float).T
    row_weights = np.array([weights or [1] * len(rows)], dtype=float)
    statistic = float(metric.statistic(columns, row_weights)[0])
    of_sums = getattr(metric, "of_sums", None)
    if of_sums is not None:
        assert of_sums(columns @ row_weights.T, row_weights.sum(axis=1))[0] == pytest.approx(
            statistic
        )
    return statistic


@given(ROWS, st.sampled_from((0.25, 0.5, 1.0)))
def test_metrics_at_threshold_equal_scikit_learn(
    rows: list[tuple[bool, float, int]], threshold: float
) -> None:
    judged_rows = [(make_truth(consistent), fitness) for consistent, fitness, _ in rows]
    times = [count for *_, count in rows]
    wrong = np.repeat([not consistent for consistent, *_ in rows], times)
    alarm = np.repeat([fitness < threshold for _, fitness, _ in rows], times)
    values = {
        metric.name: compute_value(metric, judged_rows, times)
        for metric in name_checking.make_threshold_metrics(name_checking.read_fitness, threshold)
    }
    assert values["accuracy"] == pytest.approx(accuracy_score(wrong, alarm))
    for suffix, label in (("ic", True), ("c", False)):
        precision, recall, f1, _ = precision_recall_fscore_support(
            wrong, alarm, pos_label=label, average="binary", zero_division=0
        )
        assert values[f"precision_{suffix}"] == pytest.approx(precision)
        assert values[f"recall_{suffix}"] == pytest.approx(recall)
        assert values[f"f1_{suffix}"] == pytest.approx(f1)


@given(ROWS)
def test_metrics_without_threshold_equal_scikit_learn(
    rows: list[tuple[bool, float, int]],
) -> None:
    judged_rows = [(make_truth(consistent), fitness) for consistent, fitness, _ in rows]
    times = [count for *_, count in rows]
    wrong = np.repeat([not consistent for consistent, *_ in rows], times)
    suspicion = np.repeat([-fitness for _, fitness, _ in rows], times)
    values = {
        metric.name: compute_value(metric, judged_rows, times)
        for metric in name_checking.make_ranking_metrics(name_checking.read_fitness)
    }
    if len(set(wrong.tolist())) < 2:
        assert all(np.isnan(metric_value) for metric_value in values.values())
        return
    assert values["roc_auc"] == pytest.approx(roc_auc_score(wrong, suspicion))
    assert values["average_precision"] == pytest.approx(average_precision_score(wrong, suspicion))
    # By ascending threshold: the last one with that recall has the fewest alarms.
    precision, recall, _ = precision_recall_curve(wrong, suspicion)
    assert values["precision_at_50"] == pytest.approx(precision[recall >= 0.5][-1])


@given(ROWS)
def test_curves_equal_scikit_learn(rows: list[tuple[bool, float, int]]) -> None:
    wrong = np.array([not consistent for consistent, *_ in rows], dtype=float)
    suspicion = np.array([-fitness for _, fitness, _ in rows])
    if len(set(wrong.tolist())) < 2:
        return
    thresholds, precision, recall, false = curve_points(wrong, suspicion)
    theirs, theirs_recall, at = precision_recall_curve(wrong, suspicion)
    assert thresholds == pytest.approx(at[::-1])
    assert precision == pytest.approx(theirs[-2::-1])
    assert recall == pytest.approx(theirs_recall[-2::-1])
    rates, _, _ = roc_curve(wrong, suspicion, drop_intermediate=False)
    assert false == pytest.approx(rates[1:])


@given(ROWS)
def test_trivial_rows_equal_a_model_that_flags_all(
    rows: list[tuple[bool, float, int]],
) -> None:
    judged_rows = [(make_truth(consistent), fitness) for consistent, fitness, _ in rows]
    flagged = [(row_truth, 0.0) for row_truth, _ in judged_rows]
    share, f1 = name_checking.make_trivial_metrics(name_checking.read_fitness)
    accuracy, precision, _, all_f1, *_ = name_checking.make_threshold_metrics(
        name_checking.read_fitness
    )
    assert compute_value(share, judged_rows) == pytest.approx(compute_value(precision, flagged))
    assert compute_value(share, judged_rows) == pytest.approx(compute_value(accuracy, flagged))
    assert compute_value(f1, judged_rows) == pytest.approx(compute_value(all_f1, flagged))
    cost, least = name_checking.make_cost_metrics(name_checking.read_fitness)
    unflagged = [(row_truth, 1.0) for row_truth, _ in judged_rows]
    assert compute_value(least, judged_rows) == pytest.approx(
        min(compute_value(cost, flagged), compute_value(cost, unflagged))
    )


def test_flagging_all_of_balanced_set_has_f1_of_two_thirds() -> None:
    rows = [(make_truth(is_consistent), 1.0) for is_consistent in (True, False)]
    assert compute_value(
        name_checking.make_trivial_metrics(name_checking.read_fitness)[1], rows
    ) == pytest.approx(2 / 3)


def test_costs_by_hand() -> None:
    """Ten names with one miss of cost 7 and two false alarms of cost 2."""
    rows = [
        (make_truth(False), 0.9),
        *[(make_truth(True), 0.1)] * 2,
        *[(make_truth(True), 0.9)] * 7,
    ]
    cost, _ = name_checking.make_cost_metrics(name_checking.read_fitness, false_alarm=2.0, miss=7.0)
    assert compute_value(cost, rows) == pytest.approx((7 + 2 * 2) / 10)


def make_table_rows(tp: int, fn: int, tn: int, fp: int) -> list[tuple[Json, Json]]:
    return [
        *[(make_truth(False), 0.0)] * tp,
        *[(make_truth(False), 1.0)] * fn,
        *[(make_truth(True), 1.0)] * tn,
        *[(make_truth(True), 0.0)] * fp,
    ]


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        # Spot's F1 is printed as 64.44, which contradicts its precision and recall.
        ((388, 12, 20, 380), (51.00, 50.52, 97.00, 66.44, 62.50, 5.00, 9.26)),
        ((320, 80, 57, 343), (47.125, 48.27, 80.00, 60.21, 41.61, 14.25, 21.23)),
        ((264, 136, 58, 342), (40.25, 43.56, 66.00, 52.49, 29.90, 14.50, 19.53)),
    ],
)
def test_table_3_of_rename4j(counts: tuple[int, int, int, int], printed: tuple[float, ...]) -> None:
    rows = make_table_rows(*counts)
    values = [
        100 * compute_value(metric, rows)
        for metric in name_checking.make_threshold_metrics(name_checking.read_fitness)
    ]
    assert values == pytest.approx(printed, abs=0.005)


def test_table_6_of_rename4j() -> None:
    """Cognac: 25 of 400 wrong names get the right name, and 343 right names are reported."""
    rows = [
        *[(make_truth(False, "oldName", "newWord"), "newWord")] * 25,
        *[(make_truth(False, "oldName", "newWord"), "somethingElse")] * 295,
        *[(make_truth(False, "oldName", "newWord"), "oldName")] * 80,
        *[(make_truth(True, "newWord", "newWord"), "somethingElse")] * 343,
        *[(make_truth(True, "newWord", "newWord"), "newWord")] * 57,
    ]
    values = [
        100 * compute_value(metric, rows)
        for metric in name_checking.make_corrected_metrics(split_subtokens)
    ]
    assert values == pytest.approx([6.79, 6.25, 6.51], abs=0.005)
    plain = name_checking.make_threshold_metrics(
        name_checking.FitnessByName(split_subtokens), name_checking.PUBLISHED_THRESHOLD
    )
    assert 100 * compute_value(plain[2], rows) == pytest.approx(80.0)


def test_correction_requires_alarm() -> None:
    """The right name in another order has all subtokens of the old one: no alarm, so no
    correction."""
    precision, recall, _ = name_checking.make_corrected_metrics(split_subtokens)
    rows = [(make_truth(False, "nameOld", "oldName"), "oldName"), (make_truth(True, "x", "x"), "x")]
    assert compute_value(recall, rows) == 0.0
    assert compute_value(precision, rows) == 0.0


@pytest.mark.parametrize(
    ("threshold", "recommended", "alarm"),
    [
        (1.0, "extract_Topic", False),  # the same subtokens: Sim = 1, and 1 < 1 is false
        (1.0, "extract", True),
        (2 / 3, "extract", False),  # Sim is exactly 2/3: consistent at the threshold itself
        (0.67, "extract", True),
        (0.85, "", True),  # an empty name shares nothing
    ],
)
def test_similarity_at_threshold_is_consistent(
    threshold: float, recommended: str, alarm: bool
) -> None:
    accuracy, *_ = name_checking.make_threshold_metrics(
        name_checking.FitnessByName(split_subtokens), threshold
    )
    row_truth = make_truth(False, "extractTopic", "other")
    assert accuracy.observe(row_truth, recommended) == (float(alarm),)


@given(NAMES, NAMES)
def test_similarity_equals_that_of_the_adapter(left: str, right: str) -> None:
    judge = agreement_with_own_name(lambda methods: [right] * len(methods))
    (adapted,) = judge([NamedMethod(Method("m", ""), left)])
    assert name_checking.compute_name_similarity(split_subtokens, left, right) == adapted
    assert name_checking.compute_name_similarity(split_subtokens, right, left) == adapted
    assert 0.0 <= adapted <= 1.0


def test_answers_of_another_kind_are_refused() -> None:
    for wrong in (True, "0.5", None, float("nan")):
        with pytest.raises((TypeError, ValueError)):
            name_checking.read_fitness(make_truth(True), wrong)
    with pytest.raises(TypeError):
        name_checking.FitnessByName(split_subtokens)(make_truth(True, "a", "a"), 0.5)
