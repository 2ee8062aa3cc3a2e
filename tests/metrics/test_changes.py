"""Prediction change: against the paper's examples, the published tables, scikit-learn and a plain
count of code2vec's."""

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
from codeacumen.metrics.changes import TYPES, change_type, subtoken_counts
from codeacumen.text.subtokens import subtokens
from support import SHARED

PCP = metrics.prediction_change(subtokens)
FURTHER = {metric.name: metric for metric in metrics.change_metrics(subtokens)}

# Truth, name before, name after.
Triple = tuple[str, str, str]


def value_of(metric: Metric, triples: Sequence[Triple]) -> tuple[float, int]:
    """The metric's value, and on how many it stands."""
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
        # Section 4.3: case and order aside, computeResult is result_compute.
        ("computeResult", "computeResult", "result_compute", "ccp"),
        ("computeResult", "result_compute", "compute", "cwp"),
        ("compareTo", "compareTo", "getCount", "cwp"),  # figure 1
        ("computeResult", "compute", "computeResult", "wcp"),
        ("computeResult", "compute", "result", "wwdp"),
        ("computeResult", "compute", "compute", "wwsp"),
        # The same wrong name, otherwise written; and the same words, otherwise ordered.
        ("run", "getCount", "get_count", "wwsp"),
        ("run", "getCount", "GET_COUNT", "wwsp"),
        ("run", "getCount", "countGet", "wwdp"),
        # More words or fewer are another name.
        ("getCount", "getCountOf", "get", "wwdp"),
        # A repeated word is no other word.
        ("get", "getGet", "get", "ccp"),
        # Silence is wrong, and a change where there was a name before.
        ("run", "", "", "wwsp"),
        ("run", "", "go", "wwdp"),
        ("run", "run", "", "cwp"),
        # A name of no words is right only to the letter.
        ("_", "", "_", "wcp"),
        ("$", "_", "$", "wcp"),
        ("_", "", "__", "wwsp"),
    ],
)
def test_types_of_change(truth: str, before: str, after: str, expected: str) -> None:
    assert change_type(subtokens, truth, before, after) == expected


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
    assert subtoken_counts(subtokens, "computeResult", name) == counts
    triples = [("computeResult", name, "computeResult")]
    assert round(value_of(FURTHER["precision_before"], triples)[0]) == precision
    assert round(value_of(FURTHER["recall_before"], triples)[0]) == recall
    assert value_of(FURTHER["f1_after"], triples)[0] == 100


NAMES = st.lists(st.sampled_from(["get", "set", "count", "run", "to", "XML"]), max_size=3).map(
    lambda words: "".join(word.capitalize() for word in words)
)
TRIPLES = st.lists(st.tuples(NAMES.filter(bool), NAMES, NAMES), min_size=1, max_size=40)


@given(TRIPLES)
def test_the_identities_hold_exactly(triples: list[Triple]) -> None:
    """In whole numbers of pairs: the five types are all there is, and a change is one of three."""
    n = len(triples)

    def pairs(metric: Metric) -> int:
        value, standing_on = value_of(metric, triples)
        assert standing_on == n
        count = round(value * n / 100)
        assert value == 100 * count / n
        return count

    counts = {name: pairs(FURTHER[name]) for name in TYPES}
    assert sum(counts.values()) == n
    assert pairs(PCP) == counts["cwp"] + counts["wcp"] + counts["wwdp"]
    right, wrong = counts["ccp"] + counts["cwp"], counts["wwsp"] + counts["wcp"] + counts["wwdp"]
    for name, part, whole in (
        ("cwp_share", counts["cwp"], right),
        ("wcp_share", counts["wcp"], wrong),
        ("wrong_change_share", counts["wcp"] + counts["wwdp"], wrong),
    ):
        value, standing_on = value_of(FURTHER[name], triples)
        assert standing_on == whole
        assert value == pytest.approx(100 * part / whole) if whole else np.isnan(value)


WORDS = ["get", "set", "count", "run", "parse", "name", "of", "all"]


@pytest.mark.parametrize("seed", range(20))
def test_precision_recall_and_f1_are_scikit_learns_micro_averages(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def name() -> list[str]:
        # Without repetition: scikit-learn knows sets only.
        return list(rng.choice(WORDS, size=rng.integers(1, 5), replace=False))

    truths, befores, afters = ([name() for _ in range(50)] for _ in range(3))
    triples = [tuple(map("_".join, three)) for three in zip(truths, befores, afters, strict=True)]
    binarizer = MultiLabelBinarizer(classes=WORDS)
    wanted = binarizer.fit_transform(truths)
    for when, given_names in (("before", befores), ("after", afters)):
        found = binarizer.transform(given_names)
        for title, score in (
            ("precision", precision_score),
            ("recall", recall_score),
            ("f1", f1_score),
        ):
            expected = 100 * score(wanted, found, average="micro")
            assert value_of(FURTHER[f"{title}_{when}"], triples)[0] == pytest.approx(expected)


@given(TRIPLES)
def test_repeated_subtokens_are_counted_as_code2vec_does(triples: list[Triple]) -> None:
    true = false = missed = 0
    for truth, before, _ in triples:
        wanted = Counter(token.lower() for token in subtokens(truth))
        given_tokens = Counter(token.lower() for token in subtokens(before))
        true += sum(n for token, n in given_tokens.items() if token in wanted)
        false += sum(n for token, n in given_tokens.items() if token not in wanted)
        missed += sum(n for token, n in wanted.items() if token not in given_tokens)
    precision = 100 * true / (true + false) if true + false else float("nan")
    assert value_of(FURTHER["precision_before"], triples)[0] == pytest.approx(
        precision, nan_ok=True
    )
    assert value_of(FURTHER["recall_before"], triples)[0] == pytest.approx(
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
def test_the_published_tables_from_pairs_of_names(model: str) -> None:
    """Where a row stands on few methods, its percentages tell how many pairs of each type there
    were: from so many pairs we get Table 2, Table 4 and figure 3 to the last digit."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")

    def table(name: str) -> list[dict[str, str]]:
        with (SHARED / "tnpa" / f"{name}.csv").open(newline="") as stream:
            return list(csv.DictReader(stream))

    name = {"c2v": "code2vec", "c2s": "code2seq"}[model]
    figure_3 = {
        (row["type"], row["dataset"], row["transformation"]): float(row["pcp"])
        for row in table("correct_vs_incorrect")
        if row["model"] == name
    }
    checked = 0
    for summary, details in zip(table("pcp_summary"), table("pcp_details"), strict=True):
        n = int(summary["transformed"])
        if n > 5000:
            continue
        checked += 1
        printed = {one: float(details[f"{one}_{model}"]) for one in EXAMPLES}
        counts = {one: round(printed[one] * n / 100) for one in list(EXAMPLES)[:4]}
        counts["WWDP"] = n - sum(counts.values())
        triples = [("right", *EXAMPLES[one]) for one, count in counts.items() for _ in range(count)]
        assert round(value_of(PCP, triples)[0], 2) == float(summary[f"pcp_{model}"])
        for one in list(EXAMPLES)[:4]:
            assert round(value_of(FURTHER[one.lower()], triples)[0], 2) == printed[one]
        # The last type is printed as what the others leave to 100.
        assert value_of(FURTHER["wwdp"], triples)[0] == pytest.approx(printed["WWDP"], abs=0.02)
        key = (summary["dataset"], summary["transformation"])
        for type_, metric in (("correct", "cwp_share"), ("incorrect", "wrong_change_share")):
            found = value_of(FURTHER[metric], triples)[0]
            assert round(found, 2) == figure_3[type_, *key], (key, type_)
    assert checked == 3


def test_where_there_is_nothing_to_divide_by_there_is_no_value() -> None:
    silent = [("run", "", ""), ("go", "", "")]
    assert np.isnan(value_of(FURTHER["precision_before"], silent)[0])
    assert value_of(FURTHER["recall_before"], silent)[0] == 0
    assert value_of(FURTHER["f1_before"], silent)[0] == 0
    assert value_of(FURTHER["cwp_share"], silent)[1] == 0


@pytest.mark.parametrize("answer", ["run", None, {"before": "run"}, {"before": "a", "after": 1}])
def test_what_is_no_pair_of_names_is_no_answer(answer: object) -> None:
    with pytest.raises((TypeError, KeyError)):
        PCP.observe("run", answer)
