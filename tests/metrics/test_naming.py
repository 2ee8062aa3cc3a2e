"""Oracles: scikit-learn's precision, recall and F1 of label sets for the per-name counting; the
paper's worked examples; code2seq's published counting, written out here."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from codeacumen.api import Metric
from codeacumen.metrics.naming import corpus_counts, name_f1, naming_metrics, set_scores
from codeacumen.text.subtokens import subtokens

METRICS: dict[str, Metric] = {
    one.name: one for one in (name_f1(subtokens), *naming_metrics(subtokens))
}
WORDS = ("get", "set", "topic", "partition", "id", "size")
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map("_".join)
PAIRS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=12)


def value(
    metric: Metric, pairs: list[tuple[str, str]], weights: list[float] | None = None
) -> float:
    rows = [metric.observe(truth, name) for truth, name in pairs]
    columns = np.array(rows, dtype=float).T
    return float(metric.statistic(columns, np.array([weights or [1.0] * len(pairs)]))[0])


@given(PAIRS)
def test_per_name_is_scikit_learns_mean_over_samples(pairs: list[tuple[str, str]]) -> None:
    binary = MultiLabelBinarizer(classes=WORDS)
    truth = binary.fit_transform([set(one.split("_")) for one, _ in pairs])
    given_ = binary.transform([set(one.split("_")) for _, one in pairs])
    wanted = precision_recall_fscore_support(truth, given_, average="samples", zero_division=0)
    for name, oracle in zip(("name_precision", "name_recall", "name_f1"), wanted, strict=False):
        assert value(METRICS[name], pairs) == pytest.approx(oracle)


@given(PAIRS)
def test_over_the_corpus_is_counted_as_code2seq_does(pairs: list[tuple[str, str]]) -> None:
    true = false = missed = 0
    for original, predicted in ((one.split("_"), other.split("_")) for one, other in pairs):
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
    both = precision + recall
    assert value(METRICS["corpus_precision"], pairs) == pytest.approx(precision)
    assert value(METRICS["corpus_recall"], pairs) == pytest.approx(recall)
    wanted = 2 * precision * recall / both if both else 0.0
    assert value(METRICS["corpus_f1"], pairs) == pytest.approx(wanted)


@given(PAIRS, st.data())
def test_a_weight_is_a_repetition(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(pairs), max_size=len(pairs)))
    written = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
    for metric in METRICS.values():
        weighted = value(metric, pairs, [float(one) for one in times])
        assert weighted == pytest.approx(value(metric, written))


@given(NAMES, NAMES)
def test_the_right_name_is_perfect_and_swapping_swaps(one: str, other: str) -> None:
    assert set_scores(subtokens, one, one) == (1.0, 1.0, 1.0)
    precision, recall, f1 = set_scores(subtokens, one, other)
    assert set_scores(subtokens, other, one) == (recall, precision, f1)


def test_the_papers_examples() -> None:
    """ReName4J, section 4.1: ``createTopic`` recommended for ``extractTopicPartition``."""
    found = set_scores(subtokens, "extractTopicPartition", "createTopic")
    assert found == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert set_scores(subtokens, "approximateNumEntries", "size") == (0.0, 0.0, 0.0)


def test_f1_of_means_is_what_table_2_prints() -> None:
    """Its 26.27 is the harmonic mean of 30.79 and 22.90, not a mean of F1s."""
    columns = np.array([[0.3079], [0.2290]])
    found = METRICS["name_f1_of_means"].statistic(columns, np.ones((1, 1)))[0]
    assert round(100 * found, 2) == 26.27


def test_countings_differ_where_names_differ_in_length() -> None:
    pairs = [("get", "get"), ("getTopicPartitionId", "set")]
    assert value(METRICS["name_recall"], pairs) == pytest.approx(1 / 2)
    assert value(METRICS["corpus_recall"], pairs) == pytest.approx(1 / 5)


def test_names_without_words() -> None:
    assert set_scores(subtokens, "_", "_") == (1.0, 1.0, 1.0)
    assert set_scores(subtokens, "_", "$") == (0.0, 0.0, 0.0)
    assert set_scores(subtokens, "get", "") == (0.0, 0.0, 0.0)
    assert corpus_counts(subtokens, "getId", "") == (0, 0, 2)
    assert METRICS["same_subtokens"].observe("_", "$") == (0.0,)
    assert METRICS["same_subtokens"].observe("getId", "get_id") == (1.0,)
    assert METRICS["exact_match"].observe("getId", "get_id") == (0.0,)


def test_silence_scores_nothing_and_numbers_are_no_names() -> None:
    for metric in METRICS.values():
        if metric.unanswered is not None:
            assert set(metric.unanswered) == {0.0}
        with pytest.raises(TypeError):
            metric.observe("get", 0.5)
