"""Tests of cleaning, from votes to the written benchmark."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.core.files import sha256_of
from codeacumen.datasets.built import ABOUT
from codeacumen.survey.clean import PUBLISHED_SIZES, BenchmarkSize, CleaningRules, clean_votes
from codeacumen.survey.output_files import write_benchmarks
from codeacumen.survey.votes import Votes
from codeacumen.tasks.published import read_published
from survey.vote_notation import make_votes

RULES = CleaningRules((BenchmarkSize("one", 0.4, 0.5),), least_votes=2)


def small_survey() -> Votes:
    ratings = {
        # All raters agree except one, who answers the opposite.
        **{name: {"a b": (5, 5), "c d": (1, 1), "e f": (5, 1)} for name in ("ann", "bob", "cid")},
        "odd": {"a b": (1, 1), "c d": (5, 5), "e f": (1, 5)},
        # No other rater rates this pair.
        "ann2": {"g h": (3, 3)},
    }
    # a and b are chosen equally often; the choices for c and d are always wrong and those for e and
    # f always right; g and h have contexts of one name only.
    choices = [
        *((f"r{i}", "a b", original, ("a", "b")[i % 2]) for i in range(4) for original in "ab"),
        *(
            (f"r{i}", "c d", original, "d" if original == "c" else "c")
            for i in range(4)
            for original in "cd"
        ),
        *((f"r{i}", "e f", original, original) for i in range(4) for original in "ef"),
        ("r1", "g h", "g", "g"),
    ]
    return make_votes(ratings, choices)


def test_filters_apply_in_order() -> None:
    cleaned = clean_votes(small_survey(), RULES)
    (benchmark,) = cleaned.benchmarks
    assert [(stage.name, stage.raters, stage.votes) for stage in benchmark.stages] == [
        ("all votes", 5, 13),
        ("outlier raters", 4, 10),
        ("downers", 4, 10),
        ("pairs with too few votes", 3, 9),
    ]
    assert benchmark.stages[0].alpha["similarity"] < 0.3
    assert benchmark.stages[-1].alpha == {"relatedness": 1.0, "similarity": 1.0}
    assert cleaned.uncompared_raters == ("ann2",)
    assert cleaned.one_sided == (("g", "h"),)
    dropped = {(str(drop.subject), drop.filter_name) for drop in benchmark.dropped}
    assert dropped == {
        ("odd", "outlier rater"),
        ("('g', 'h')", "too few votes"),
        # Wrong choices have the lowest d', so c and d appear most similar.
        ("('c', 'd')", "outlier pair"),
    }
    rows = dict(zip(benchmark.pairs, benchmark.labels.tolist(), strict=True))
    assert rows[("a", "b")] == pytest.approx([1, 1, 0.5])
    assert rows[("c", "d")][:2] == [0, 0]
    assert math.isnan(rows[("c", "d")][2])
    assert rows[("e", "f")] == pytest.approx([0, 1, 0])
    assert ("g", "h") not in rows


def test_downers_are_dropped_after_outliers() -> None:
    good = {f"a{i} b{i}": (1 + i % 5, 1 + i % 5) for i in range(10)}
    bad = {f"a{i} b{i}": (5 - i % 5, 5 - i % 5) for i in range(10)}
    votes = make_votes({"ann": good, "bob": good, "cid": good, "odd": bad})
    rules = CleaningRules((BenchmarkSize("lax", 1.0, 1.0),), least_votes=2)
    (benchmark,) = clean_votes(votes, rules).benchmarks
    ((drop),) = benchmark.dropped
    assert (drop.subject, drop.filter_name, drop.limit) == ("odd", "downer", 0.1)
    before, after = benchmark.stages[1].alpha["similarity"], benchmark.stages[2].alpha["similarity"]
    assert drop.value == pytest.approx((after - before) / max(abs(before), 0.1))
    assert after == 1.0


def test_a_pair_without_direct_score_keeps_its_contextual_score() -> None:
    votes = make_votes(
        {"ann": {"a b": (5, 5)}},
        [
            ("r", "a b", "a", "b"),
            ("r", "a b", "b", "b"),
            ("r", "c d", "c", "c"),
            ("r", "c d", "d", "d"),
        ],
    )
    (benchmark,) = clean_votes(votes, RULES).benchmarks
    assert benchmark.pairs == (("a", "b"), ("c", "d"))
    assert np.isnan(benchmark.labels[:, :2]).all()
    assert benchmark.labels[:, 2].tolist() == [1.0, 0.0]


def test_thresholds_are_those_of_table_ii() -> None:
    rows = read_published("codeacumen.benchmarks.idbench", "sizes")
    table = [(row["size"], float(row["tau"]), float(row["theta"])) for row in rows]
    assert [(size.name, size.tau, size.theta) for size in PUBLISHED_SIZES] == table
    assert len(table) == 3


@pytest.mark.parametrize("votes", [make_votes({}), make_votes({"ann": {"a b": (1, 1)}})])
def test_almost_empty_surveys_are_cleaned(votes: Votes, tmp_path: Path) -> None:
    report = write_benchmarks(clean_votes(votes), votes, CleaningRules(), [], tmp_path / "out")
    assert [size_report["pairs"] for size_report in report["sizes"].values()] == [0, 0, 0]
    assert report["sizes"]["small"]["stages"][0]["alpha"]["similarity"] is None


def test_written_files_have_idbenchs_format(tmp_path: Path) -> None:
    votes = small_survey()
    write_benchmarks(clean_votes(votes, RULES), votes, RULES, [], tmp_path)
    with (tmp_path / "one_pair_wise.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [
        ["id1", "id2", "similarity", "relatedness", "contextual_similarity"],
        ["a", "b", "1.0", "1.0", "0.5"],
        ["c", "d", "0.0", "0.0", "NAN"],
        ["e", "f", "0.0", "1.0", "0.0"],
    ]
    about = json.loads((tmp_path / ABOUT).read_bytes())
    assert about["family"] == "identifiers"
    assert about["counts"] == {"one": 3}
    assert about["kinds"]["one"]["labels"]["contextual_similarity"] == 2
    for name, expected_sha256 in about["files"].items():
        assert sha256_of(tmp_path / name) == expected_sha256
    readable = (tmp_path / "report.md").read_text()
    assert "| odd | 1 | 0.4 |" in readable
    assert "| g, h | 1 | 2 |" in readable
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["pairs_with_contexts_of_one_name"] == [["g", "h"]]
    assert report["sizes"]["one"]["dropped_by"]["outlier pair"] == 1


def test_a_second_cleaning_replaces_all_files_of_the_first(tmp_path: Path) -> None:
    votes = small_survey()
    write_benchmarks(clean_votes(votes), votes, CleaningRules(), [], tmp_path)
    (tmp_path / ABOUT).unlink()  # as if the first cleaning had been interrupted
    write_benchmarks(clean_votes(votes, RULES), votes, RULES, [], tmp_path)
    assert [path.name for path in tmp_path.glob("*_pair_wise.csv")] == ["one_pair_wise.csv"]


def test_a_folder_with_other_files_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    votes = small_survey()
    with pytest.raises(CodeacumenError, match="not empty"):
        write_benchmarks(clean_votes(votes), votes, CleaningRules(), [], tmp_path)
