"""Tests of prediction change against the paper's examples, the published tables, scikit-learn, and
a direct count as in code2vec."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.preprocessing import MultiLabelBinarizer

from codeacumen import metrics
from codeacumen.api import Metric
from codeacumen.metrics.prediction_change import TYPES, classify_change, count_subtokens
from codeacumen.text.subtokens import split_subtokens
from support import SHARED

PCP = metrics.prediction_change(split_subtokens)
FURTHER = {metric.name: metric for metric in metrics.change_metrics(split_subtokens)}

# Truth, name before, name after.
Triple = tuple[str, str, str]


def compute_value(metric: Metric, triples: Sequence[Triple]) -> tuple[float, int]:
    """Return the metric's value and the number of triples on which it is based."""
    rows = [
        row
        for truth, before, after in triples
        if (row := metric.observe(truth, {"before": before, "after": after})) is not None
    ]
    if not rows:
        return float("nan"), 0
    return float(metric.statistic(np.array(rows).T, np.ones((1, len(rows))))[0]), len(rows)


@pytest.mark.parametrize(
    ("truth", "before", "after", "expected"),
    [
        # Section 4.3: computeResult equals result_compute, since case and order do not count.
        ("computeResult", "computeResult", "result_compute", "ccp"),
        ("computeResult", "result_compute", "compute", "cwp"),
        ("compareTo", "compareTo", "getCount", "cwp"),  # figure 1
        ("computeResult", "compute", "computeResult", "wcp"),
        ("computeResult", "compute", "result", "wwdp"),
        ("computeResult", "compute", "compute", "wwsp"),
        # The same wrong name in another spelling; and the same words in another order.
        ("run", "getCount", "get_count", "wwsp"),
        ("run", "getCount", "GET_COUNT", "wwsp"),
        ("run", "getCount", "countGet", "wwdp"),
        # A name with more or fewer words differs.
        ("getCount", "getCountOf", "get", "wwdp"),
        # A repeated word is not another word.
        ("get", "getGet", "get", "ccp"),
        # No answer is wrong, and a change if there was a name before.
        ("run", "", "", "wwsp"),
        ("run", "", "go", "wwdp"),
        ("run", "run", "", "cwp"),
        # A name without words must match exactly.
        ("_", "", "_", "wcp"),
        ("$", "_", "$", "wcp"),
        ("_", "", "__", "wwsp"),
    ],
)
def test_type_of_change(truth: str, before: str, after: str, expected: str) -> None:
    assert classify_change(split_subtokens, truth, before, after) == expected


@pytest.mark.parametrize(
    ("name", "counts", "precision", "recall"),
    [
        ("result_compute", (2, 0, 0), 100, 100),
        ("compute", (1, 0, 1), 100, 50),
        ("compute_model_result", (2, 1, 0), 67, 100),
    ],
)
def test_subtokens_of_the_papers_example(
    name: str, counts: tuple[int, int, int], precision: int, recall: int
) -> None:
    assert count_subtokens(split_subtokens, "computeResult", name) == counts
    triples = [("computeResult", name, "computeResult")]
    assert round(compute_value(FURTHER["precision_before"], triples)[0]) == precision
    assert round(compute_value(FURTHER["recall_before"], triples)[0]) == recall
    assert compute_value(FURTHER["f1_after"], triples)[0] == 100


NAMES = st.lists(st.sampled_from(["get", "set", "count", "run", "to", "XML"]), max_size=3).map(
    lambda words: "".join(word.capitalize() for word in words)
)
TRIPLES = st.lists(st.tuples(NAMES.filter(bool), NAMES, NAMES), min_size=1, max_size=40)


@given(TRIPLES)
def test_identities_hold_exactly(triples: list[Triple]) -> None:
    """Counts in whole numbers of pairs: the five types cover all pairs, and a change is one of
    three types."""
    triple_count = len(triples)

    def count_pairs(metric: Metric) -> int:
        value, row_count = compute_value(metric, triples)
        assert row_count == triple_count
        count = round(value * triple_count / 100)
        assert value == 100 * count / triple_count
        return count

    counts = {name: count_pairs(FURTHER[name]) for name in TYPES}
    assert sum(counts.values()) == triple_count
    assert count_pairs(PCP) == counts["cwp"] + counts["wcp"] + counts["wwdp"]
    right, wrong = counts["ccp"] + counts["cwp"], counts["wwsp"] + counts["wcp"] + counts["wwdp"]
    for name, part, total in (
        ("cwp_share", counts["cwp"], right),
        ("wcp_share", counts["wcp"], wrong),
        ("wrong_change_share", counts["wcp"] + counts["wwdp"], wrong),
    ):
        value, row_count = compute_value(FURTHER[name], triples)
        assert row_count == total
        assert value == pytest.approx(100 * part / total) if total else np.isnan(value)


WORDS = ["get", "set", "count", "run", "parse", "name", "of", "all"]


@pytest.mark.parametrize("seed", range(20))
def test_precision_recall_and_f1_equal_micro_averages_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def make_words() -> list[str]:
        # Without repetition: scikit-learn supports only sets.
        return list(rng.choice(WORDS, size=rng.integers(1, 5), replace=False))

    truths, befores, afters = ([make_words() for _ in range(50)] for _ in range(3))
    triples = [tuple(map("_".join, three)) for three in zip(truths, befores, afters, strict=True)]
    binarizer = MultiLabelBinarizer(classes=WORDS)
    true_labels = binarizer.fit_transform(truths)
    for when, predicted_names in (("before", befores), ("after", afters)):
        predicted_labels = binarizer.transform(predicted_names)
        for title, score in (
            ("precision", precision_score),
            ("recall", recall_score),
            ("f1", f1_score),
        ):
            expected = 100 * score(true_labels, predicted_labels, average="micro")
            assert compute_value(FURTHER[f"{title}_{when}"], triples)[0] == pytest.approx(expected)


@given(TRIPLES)
def test_repeated_subtokens_count_like_in_code2vec(triples: list[Triple]) -> None:
    true = false = missed = 0
    for truth, before, _ in triples:
        true_tokens = Counter(token.lower() for token in split_subtokens(truth))
        predicted_tokens = Counter(token.lower() for token in split_subtokens(before))
        true += sum(n for token, n in predicted_tokens.items() if token in true_tokens)
        false += sum(n for token, n in predicted_tokens.items() if token not in true_tokens)
        missed += sum(n for token, n in true_tokens.items() if token not in predicted_tokens)
    precision = 100 * true / (true + false) if true + false else float("nan")
    assert compute_value(FURTHER["precision_before"], triples)[0] == pytest.approx(
        precision, nan_ok=True
    )
    assert compute_value(FURTHER["recall_before"], triples)[0] == pytest.approx(
        100 * true / (true + missed)
    )


# One pair of names of each type, for a method called "right".
EXAMPLES = {
    "CCP": ("right", "right"),
    "CWP": ("right", "left"),
    "WWSP": ("left", "left"),
    "WCP": ("left", "right"),
    "WWDP": ("left", "up"),
}


@pytest.mark.parametrize("model", ["c2v", "c2s"])
def test_published_tables_are_reproduced_from_pairs_of_names(model: str) -> None:
    """Rows with few methods determine the number of pairs of each type from the percentages; such
    pairs reproduce Table 2, Table 4 and figure 3 to the last digit."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")

    def read_table(name: str) -> list[dict[str, str]]:
        with (SHARED / "tnpa" / f"{name}.csv").open(newline="") as stream:
            return list(csv.DictReader(stream))

    name = {"c2v": "code2vec", "c2s": "code2seq"}[model]
    figure_3 = {
        (row["type"], row["dataset"], row["transformation"]): float(row["pcp"])
        for row in read_table("correct_vs_incorrect")
        if row["model"] == name
    }
    checked = 0
    for summary, details in zip(read_table("pcp_summary"), read_table("pcp_details"), strict=True):
        method_count = int(summary["transformed"])
        if method_count > 5000:
            continue
        checked += 1
        printed = {change: float(details[f"{change}_{model}"]) for change in EXAMPLES}
        counts = {
            change: round(printed[change] * method_count / 100) for change in list(EXAMPLES)[:4]
        }
        counts["WWDP"] = method_count - sum(counts.values())
        triples = [
            ("right", *EXAMPLES[change]) for change, count in counts.items() for _ in range(count)
        ]
        assert round(compute_value(PCP, triples)[0], 2) == float(summary[f"pcp_{model}"])
        for change in list(EXAMPLES)[:4]:
            assert round(compute_value(FURTHER[change.lower()], triples)[0], 2) == printed[change]
        # The last type is printed as 100 minus the others.
        assert compute_value(FURTHER["wwdp"], triples)[0] == pytest.approx(
            printed["WWDP"], abs=0.02
        )
        key = (summary["dataset"], summary["transformation"])
        for type_, metric in (("correct", "cwp_share"), ("incorrect", "wrong_change_share")):
            share = compute_value(FURTHER[metric], triples)[0]
            assert round(share, 2) == figure_3[type_, *key], (key, type_)
    assert checked == 3


def test_value_is_undefined_without_denominator() -> None:
    silent = [("run", "", ""), ("go", "", "")]
    assert np.isnan(compute_value(FURTHER["precision_before"], silent)[0])
    assert compute_value(FURTHER["recall_before"], silent)[0] == 0
    assert compute_value(FURTHER["f1_before"], silent)[0] == 0
    assert compute_value(FURTHER["cwp_share"], silent)[1] == 0


@pytest.mark.parametrize("answer", ["run", None, {"before": "run"}, {"before": "a", "after": 1}])
def test_answer_that_is_no_pair_of_names_is_refused(answer: object) -> None:
    with pytest.raises((TypeError, KeyError)):
        PCP.observe("run", answer)
