"""The whole way from votes to three sizes."""

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
from codeacumen.datasets.published import read_published
from codeacumen.survey.benchmark import write
from codeacumen.survey.clean import PUBLISHED_SIZES, Rules, Size, clean
from codeacumen.survey.votes import Votes
from survey.by_hand import survey

RULES = Rules((Size("one", 0.4, 0.5),), least_votes=2)


def small_survey() -> Votes:
    ratings = {
        # All agree, but for one who answers the other way round.
        **{name: {"a b": (5, 5), "c d": (1, 1), "e f": (5, 1)} for name in ("ann", "bob", "cid")},
        "odd": {"a b": (1, 1), "c d": (5, 5), "e f": (1, 5)},
        # Nobody else rates this pair.
        "ann2": {"g h": (3, 3)},
    }
    # a and b are chosen alike, c and d always rightly, and so are e and f; g and h have contexts
    # of one name only.
    choices = [
        *((f"r{i}", "a b", own, ("a", "b")[i % 2]) for i in range(4) for own in "ab"),
        *((f"r{i}", "c d", own, "d" if own == "c" else "c") for i in range(4) for own in "cd"),
        *((f"r{i}", "e f", own, own) for i in range(4) for own in "ef"),
        ("r1", "g h", "g", "g"),
    ]
    return survey(ratings, choices)


def test_the_filters_in_their_order() -> None:
    cleaned = clean(small_survey(), RULES)
    (one,) = cleaned.benchmarks
    assert [(stage.name, stage.raters, stage.votes) for stage in one.stages] == [
        ("all votes", 5, 13),
        ("outlier raters", 4, 10),
        ("downers", 4, 10),
        ("pairs with too few votes", 3, 9),
    ]
    assert one.stages[0].alpha["similarity"] < 0.3
    assert one.stages[-1].alpha == {"relatedness": 1.0, "similarity": 1.0}
    assert cleaned.alone == ("ann2",)
    assert cleaned.one_sided == (("g", "h"),)
    dropped = {(str(drop.what), drop.by) for drop in one.dropped}
    assert dropped == {
        ("odd", "outlier rater"),
        ("('g', 'h')", "too few votes"),
        # d' of the wrong choice is the least there is, so c and d seem most similar.
        ("('c', 'd')", "outlier pair"),
    }
    rows = dict(zip(one.pairs, one.labels.tolist(), strict=True))
    assert rows[("a", "b")] == pytest.approx([1, 1, 0.5])
    assert rows[("c", "d")][:2] == [0, 0]
    assert math.isnan(rows[("c", "d")][2])
    assert rows[("e", "f")] == pytest.approx([0, 1, 0])
    assert ("g", "h") not in rows


def test_a_downer_is_dropped_after_the_outliers() -> None:
    good = {f"a{i} b{i}": (1 + i % 5, 1 + i % 5) for i in range(10)}
    bad = {f"a{i} b{i}": (5 - i % 5, 5 - i % 5) for i in range(10)}
    votes = survey({"ann": good, "bob": good, "cid": good, "odd": bad})
    rules = Rules((Size("lax", 1.0, 1.0),), least_votes=2)
    (one,) = clean(votes, rules).benchmarks
    ((drop),) = one.dropped
    assert (drop.what, drop.by, drop.limit) == ("odd", "downer", 0.1)
    before, after = one.stages[1].alpha["similarity"], one.stages[2].alpha["similarity"]
    assert drop.value == pytest.approx((after - before) / max(abs(before), 0.1))
    assert after == 1.0


def test_a_pair_that_lost_its_direct_score_keeps_the_contextual_one() -> None:
    votes = survey(
        {"ann": {"a b": (5, 5)}},
        [
            ("r", "a b", "a", "b"),
            ("r", "a b", "b", "b"),
            ("r", "c d", "c", "c"),
            ("r", "c d", "d", "d"),
        ],
    )
    (one,) = clean(votes, RULES).benchmarks
    assert one.pairs == (("a", "b"), ("c", "d"))
    assert np.isnan(one.labels[:, :2]).all()
    assert one.labels[:, 2].tolist() == [1.0, 0.0]


def test_the_thresholds_are_those_of_table_ii() -> None:
    rows = read_published("codeacumen.benchmarks.idbench", "sizes")
    table = [(row["size"], float(row["tau"]), float(row["theta"])) for row in rows]
    assert [(size.name, size.tau, size.theta) for size in PUBLISHED_SIZES] == table
    assert len(table) == 3


@pytest.mark.parametrize("votes", [survey({}), survey({"ann": {"a b": (1, 1)}})])
def test_next_to_nothing_is_survivable(votes: Votes, tmp_path: Path) -> None:
    report = write(clean(votes), votes, Rules(), [], tmp_path / "out")
    assert [one["pairs"] for one in report["sizes"].values()] == [0, 0, 0]
    assert report["sizes"]["small"]["stages"][0]["alpha"]["similarity"] is None


def test_files_are_in_idbenchs_shape(tmp_path: Path) -> None:
    votes = small_survey()
    write(clean(votes, RULES), votes, RULES, [], tmp_path)
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
    for name, wanted in about["files"].items():
        assert sha256_of(tmp_path / name) == wanted
    readable = (tmp_path / "report.md").read_text()
    assert "| odd | 1 | 0.4 |" in readable
    assert "| g, h | 1 | 2 |" in readable
    report = json.loads((tmp_path / "report.json").read_bytes())
    assert report["pairs_with_contexts_of_one_name"] == [["g", "h"]]
    assert report["sizes"]["one"]["dropped_by"]["outlier pair"] == 1


def test_another_cleaning_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    votes = small_survey()
    write(clean(votes), votes, Rules(), [], tmp_path)
    (tmp_path / ABOUT).unlink()  # as if it had been ended early
    write(clean(votes, RULES), votes, RULES, [], tmp_path)
    assert [path.name for path in tmp_path.glob("*_pair_wise.csv")] == ["one_pair_wise.csv"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    votes = small_survey()
    with pytest.raises(CodeacumenError, match="not empty"):
        write(clean(votes), votes, Rules(), [], tmp_path)
