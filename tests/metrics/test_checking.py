"""Oracles: scikit-learn on the sample written out; ReName4J's Table 3 and Table 6 from the counts
that they imply; the adapter from naming to judging, which was written before."""

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
from codeacumen.metrics import checking
from codeacumen.metrics.curves import curve_points
from codeacumen.models.adapters import agreement_with_own_name
from codeacumen.text.subtokens import subtokens

# Whether a name is consistent, how well it is said to fit, how often it stands there. Few values,
# so that ties and the threshold itself are the rule.
ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0)), st.integers(1, 3)),
    min_size=2,
    max_size=25,
)
NAMES = st.text(alphabet="abAB_1", max_size=6)


def truth(consistent: bool, tested: str = "", fixed: str = "") -> Json:
    label = checking.CONSISTENT if consistent else checking.INCONSISTENT
    return {"value": float(consistent), "label": label, "tested": tested, "fixed": fixed}


def value(metric: Metric, rows: list[tuple[Json, Json]], weights: list[int] | None = None) -> float:
    columns = np.array([metric.observe(*row) for row in rows], dtype=float).T
    times = np.array([weights or [1] * len(rows)], dtype=float)
    found = float(metric.statistic(columns, times)[0])
    of_sums = getattr(metric, "of_sums", None)
    if of_sums is not None:
        assert of_sums(columns @ times.T, times.sum(axis=1))[0] == pytest.approx(found)
    return found


@given(ROWS, st.sampled_from((0.25, 0.5, 1.0)))
def test_figures_at_a_threshold_are_scikit_learns(
    rows: list[tuple[bool, float, int]], threshold: float
) -> None:
    asked = [(truth(consistent), fitness) for consistent, fitness, _ in rows]
    times = [count for *_, count in rows]
    wrong = np.repeat([not consistent for consistent, *_ in rows], times)
    alarm = np.repeat([fitness < threshold for _, fitness, _ in rows], times)
    found = {
        one.name: value(one, asked, times)
        for one in checking.at_threshold(checking.judged, threshold)
    }
    assert found["accuracy"] == pytest.approx(accuracy_score(wrong, alarm))
    for suffix, label in (("ic", True), ("c", False)):
        precision, recall, f1, _ = precision_recall_fscore_support(
            wrong, alarm, pos_label=label, average="binary", zero_division=0
        )
        assert found[f"precision_{suffix}"] == pytest.approx(precision)
        assert found[f"recall_{suffix}"] == pytest.approx(recall)
        assert found[f"f1_{suffix}"] == pytest.approx(f1)


@given(ROWS)
def test_figures_without_a_threshold_are_scikit_learns(
    rows: list[tuple[bool, float, int]],
) -> None:
    asked = [(truth(consistent), fitness) for consistent, fitness, _ in rows]
    times = [count for *_, count in rows]
    wrong = np.repeat([not consistent for consistent, *_ in rows], times)
    suspicion = np.repeat([-fitness for _, fitness, _ in rows], times)
    found = {one.name: value(one, asked, times) for one in checking.ranked(checking.judged)}
    if len(set(wrong.tolist())) < 2:
        assert all(np.isnan(one) for one in found.values())
        return
    assert found["roc_auc"] == pytest.approx(roc_auc_score(wrong, suspicion))
    assert found["average_precision"] == pytest.approx(average_precision_score(wrong, suspicion))
    # From the least threshold up: the last with that recall has the fewest alarms.
    precision, recall, _ = precision_recall_curve(wrong, suspicion)
    assert found["precision_at_50"] == pytest.approx(precision[recall >= 0.5][-1])


@given(ROWS)
def test_curves_are_scikit_learns(rows: list[tuple[bool, float, int]]) -> None:
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
def test_trivial_rows_are_those_of_a_model_that_flags_all(
    rows: list[tuple[bool, float, int]],
) -> None:
    asked = [(truth(consistent), fitness) for consistent, fitness, _ in rows]
    flagged = [(one, 0.0) for one, _ in asked]
    share, f1 = checking.trivial(checking.judged)
    accuracy, precision, _, all_f1, *_ = checking.at_threshold(checking.judged)
    assert value(share, asked) == pytest.approx(value(precision, flagged))
    assert value(share, asked) == pytest.approx(value(accuracy, flagged))
    assert value(f1, asked) == pytest.approx(value(all_f1, flagged))
    cost, least = checking.costs(checking.judged)
    silent = [(one, 1.0) for one, _ in asked]
    assert value(least, asked) == pytest.approx(min(value(cost, flagged), value(cost, silent)))


def test_calling_all_of_a_balanced_set_inconsistent() -> None:
    rows = [(truth(one), 1.0) for one in (True, False)]
    assert value(checking.trivial(checking.judged)[1], rows) == pytest.approx(2 / 3)


def test_costs_by_hand() -> None:
    """Of ten names one miss at 7 and two false alarms at 2."""
    rows = [(truth(False), 0.9), *[(truth(True), 0.1)] * 2, *[(truth(True), 0.9)] * 7]
    cost, _ = checking.costs(checking.judged, false_alarm=2.0, miss=7.0)
    assert value(cost, rows) == pytest.approx((7 + 2 * 2) / 10)


def table_rows(tp: int, fn: int, tn: int, fp: int) -> list[tuple[Json, Json]]:
    return [
        *[(truth(False), 0.0)] * tp,
        *[(truth(False), 1.0)] * fn,
        *[(truth(True), 1.0)] * tn,
        *[(truth(True), 0.0)] * fp,
    ]


@pytest.mark.parametrize(
    ("counts", "printed"),
    [
        # Spot's F1 is printed as 64.44, which cannot be.
        ((388, 12, 20, 380), (51.00, 50.52, 97.00, 66.44, 62.50, 5.00, 9.26)),
        ((320, 80, 57, 343), (47.125, 48.27, 80.00, 60.21, 41.61, 14.25, 21.23)),
        ((264, 136, 58, 342), (40.25, 43.56, 66.00, 52.49, 29.90, 14.50, 19.53)),
    ],
)
def test_table_3_of_rename4j(counts: tuple[int, int, int, int], printed: tuple[float, ...]) -> None:
    rows = table_rows(*counts)
    found = [100 * value(one, rows) for one in checking.at_threshold(checking.judged)]
    assert found == pytest.approx(printed, abs=0.005)


def test_table_6_of_rename4j() -> None:
    """Cognac: 25 of 400 wrong names get the right one, 343 right names are called wrong."""
    rows = [
        *[(truth(False, "oldName", "newWord"), "newWord")] * 25,
        *[(truth(False, "oldName", "newWord"), "somethingElse")] * 295,
        *[(truth(False, "oldName", "newWord"), "oldName")] * 80,
        *[(truth(True, "newWord", "newWord"), "somethingElse")] * 343,
        *[(truth(True, "newWord", "newWord"), "newWord")] * 57,
    ]
    found = [100 * value(one, rows) for one in checking.corrected(subtokens)]
    assert found == pytest.approx([6.79, 6.25, 6.51], abs=0.005)
    plain = checking.at_threshold(checking.ByName(subtokens), checking.PUBLISHED)
    assert 100 * value(plain[2], rows) == pytest.approx(80.0)


def test_what_is_recommended_must_be_called_wrong_to_be_found() -> None:
    """The right name in another order has all subtokens of the old one: no alarm, no find."""
    precision, recall, _ = checking.corrected(subtokens)
    rows = [(truth(False, "nameOld", "oldName"), "oldName"), (truth(True, "x", "x"), "x")]
    assert value(recall, rows) == 0.0
    assert value(precision, rows) == 0.0


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
def test_the_threshold_itself_is_consistent(
    threshold: float, recommended: str, alarm: bool
) -> None:
    accuracy, *_ = checking.at_threshold(checking.ByName(subtokens), threshold)
    asked = truth(False, "extractTopic", "other")
    assert accuracy.observe(asked, recommended) == (float(alarm),)


@given(NAMES, NAMES)
def test_similarity_is_that_of_the_adapter(one: str, other: str) -> None:
    judge = agreement_with_own_name(lambda methods: [other] * len(methods))
    (adapted,) = judge([NamedMethod(Method("m", ""), one)])
    assert checking.name_similarity(subtokens, one, other) == adapted
    assert checking.name_similarity(subtokens, other, one) == adapted
    assert 0.0 <= adapted <= 1.0


def test_answers_of_another_kind_are_refused() -> None:
    for wrong in (True, "0.5", None, float("nan")):
        with pytest.raises((TypeError, ValueError)):
            checking.judged(truth(True), wrong)
    with pytest.raises(TypeError):
        checking.ByName(subtokens)(truth(True, "a", "a"), 0.5)
