"""Oracles: scikit-learn's precision, recall and F1 of label sets for the counting per name; the
paper's worked examples; code2seq's published counting, written out here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from codeacumen.api import Metric
from codeacumen.metrics.name_recommendation import (
    compute_set_scores,
    count_corpus_subtokens,
    name_f1,
    naming_metrics,
)
from codeacumen.text.subtokens import split_subtokens

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (name_f1(split_subtokens), *naming_metrics(split_subtokens))
}
WORDS = ("get", "set", "topic", "partition", "id", "size")
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("_".join)
PAIRS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=12)


def compute_value(
    metric: Metric, pairs: list[tuple[str, str]], weights: list[float] | None = None
) -> float:
    rows = [metric.observe(truth, name) for truth, name in pairs]
    columns = np.array(rows, dtype=float).T
    return float(metric.statistic(columns, np.array([weights or [1.0] * len(pairs)]))[0])


@given(PAIRS)
def test_scores_per_name_equal_sample_averages_of_scikit_learn(
    pairs: list[tuple[str, str]],
) -> None:
    binary = MultiLabelBinarizer(classes=WORDS)
    truth = binary.fit_transform([set(true_name.split("_")) for true_name, _ in pairs])
    predicted = binary.transform([set(predicted_name.split("_")) for _, predicted_name in pairs])
    expected = precision_recall_fscore_support(truth, predicted, average="samples", zero_division=0)
    for name, oracle in zip(("name_precision", "name_recall", "name_f1"), expected, strict=False):
        assert compute_value(METRICS[name], pairs) == pytest.approx(oracle)


@given(PAIRS)
def test_corpus_scores_count_like_code2seq(pairs: list[tuple[str, str]]) -> None:
    true = false = missed = 0
    for original, predicted in (
        (true_name.split("_"), predicted_name.split("_")) for true_name, predicted_name in pairs
    ):
        if "".join(original) == "".join(predicted):
            true += len(original)
            continue
        for word in predicted:
            if word in original:
                true += 1
            else:
                false += 1
        for word in original:
            if word not in predicted:
                missed += 1
    precision = true / (true + false) if true + false else 0.0
    recall = true / (true + missed) if true + missed else 0.0
    total = precision + recall
    assert compute_value(METRICS["corpus_precision"], pairs) == pytest.approx(precision)
    assert compute_value(METRICS["corpus_recall"], pairs) == pytest.approx(recall)
    expected_f1 = 2 * precision * recall / total if total else 0.0
    assert compute_value(METRICS["corpus_f1"], pairs) == pytest.approx(expected_f1)


@given(PAIRS, st.data())
def test_weight_equals_repetition(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(pairs), max_size=len(pairs)))
    repeated_pairs = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
    for metric in METRICS.values():
        weighted = compute_value(metric, pairs, [float(count) for count in times])
        assert weighted == pytest.approx(compute_value(metric, repeated_pairs))


@given(NAMES, NAMES)
def test_equal_names_score_one_and_swapping_exchanges_precision_and_recall(
    left: str, right: str
) -> None:
    assert compute_set_scores(split_subtokens, left, left) == (1.0, 1.0, 1.0)
    precision, recall, f1 = compute_set_scores(split_subtokens, left, right)
    assert compute_set_scores(split_subtokens, right, left) == (recall, precision, f1)


def test_examples_of_the_paper() -> None:
    """ReName4J, section 4.1: ``createTopic`` recommended for ``extractTopicPartition``."""
    scores = compute_set_scores(split_subtokens, "extractTopicPartition", "createTopic")
    assert scores == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert compute_set_scores(split_subtokens, "approximateNumEntries", "size") == (0.0, 0.0, 0.0)


def test_f1_of_means_equals_table_2() -> None:
    """Its 26.27 is the harmonic mean of 30.79 and 22.90, not a mean of F1 scores."""
    columns = np.array([[0.3079], [0.2290]])
    f1_of_means = METRICS["name_f1_of_means"].statistic(columns, np.ones((1, 1)))[0]
    assert round(100 * f1_of_means, 2) == 26.27


def test_name_and_corpus_recall_weigh_long_names_differently() -> None:
    pairs = [("get", "get"), ("getTopicPartitionId", "set")]
    assert compute_value(METRICS["name_recall"], pairs) == pytest.approx(1 / 2)
    assert compute_value(METRICS["corpus_recall"], pairs) == pytest.approx(1 / 5)


def test_names_without_words() -> None:
    assert compute_set_scores(split_subtokens, "_", "_") == (1.0, 1.0, 1.0)
    assert compute_set_scores(split_subtokens, "_", "$") == (0.0, 0.0, 0.0)
    assert compute_set_scores(split_subtokens, "get", "") == (0.0, 0.0, 0.0)
    assert count_corpus_subtokens(split_subtokens, "getId", "") == (0, 0, 2)
    assert METRICS["same_subtokens"].observe("_", "$") == (0.0,)
    assert METRICS["same_subtokens"].observe("getId", "get_id") == (1.0,)
    assert METRICS["exact_match"].observe("getId", "get_id") == (0.0,)


def test_missing_answers_score_zero_and_numbers_are_refused() -> None:
    for metric in METRICS.values():
        if metric.unanswered is not None:
            assert set(metric.unanswered) == {0.0}
        with pytest.raises(TypeError):
            metric.observe("get", 0.5)
