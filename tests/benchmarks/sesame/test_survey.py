"""Tests of SeSaMe's filter. Oracles: the published filtered file, and the figures of Kamp et al.
2019, section III."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.survey import (
    clean_ratings,
    compute_majorities,
    filter_ratings,
    is_sesame,
    read_ratings,
)
from codeacumen.tasks.published import read_published
from support import SHARED

PUBLISHED = {
    row["figure"]: float(row["value"])
    for row in read_published("codeacumen.benchmarks.sesame", "figures")
}


@pytest.fixture(scope="module")
def sesame_folder() -> Path:
    folder = SHARED / "sesame"
    if not (folder / "dataset-unfiltered.json").is_file():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    return folder


def test_cleaned_file_equals_the_published_one(sesame_folder: Path, tmp_path: Path) -> None:
    report = clean_ratings(sesame_folder / "dataset-unfiltered.json", tmp_path)
    assert report["pairs"] == {
        "before": PUBLISHED["pairs_sampled"],
        "after": PUBLISHED["pairs_kept"],
    }
    assert (tmp_path / "sesame.json").read_bytes() == (sesame_folder / "dataset.json").read_bytes()
    assert len(report["removed"]) == 43
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == 858
    assert "900 pairs, 857 kept" in (tmp_path / "report.md").read_text()


def test_agreement_and_majorities_equal_those_of_the_paper(
    sesame_folder: Path, tmp_path: Path
) -> None:
    report = clean_ratings(sesame_folder / "dataset-unfiltered.json", tmp_path)
    alpha = report["alpha"]["without removed pairs"]
    expected_alpha = {"goals": 0.874, "operations": 0.804, "effects": 0.816}
    for flavour, value in expected_alpha.items():
        assert alpha[flavour] == pytest.approx(value, abs=5e-4)
        # The paper truncates instead of rounding.
        assert int(alpha[flavour] * 100) / 100 == PUBLISHED[f"alpha_{flavour}"]
    assert report["majority_in_all_three"] == {
        "similar": PUBLISHED["pairs_majority_similar_in_all_three"],
        "dissimilar": PUBLISHED["pairs_majority_dissimilar_in_all_three"],
    }


def test_filtered_ratings_stay_unchanged(sesame_folder: Path) -> None:
    ratings = read_ratings(sesame_folder / "dataset.json")
    remaining, removed = filter_ratings(ratings)
    assert len(remaining) == len(ratings) == 857
    assert removed == []


def make_entry(goals: str, name: str = "0") -> dict[str, object]:
    """Return an entry with votes ``rating:confidence``; ``-`` is a missing vote. The other flavours
    agree."""
    votes = [
        {"rating": -1, "confidence": -1}
        if vote == "-"
        else {"rating": int(vote[0]), "confidence": int(vote[2])}
        for vote in goals.split()
    ]
    agreed = [{"rating": 2, "confidence": 2} for _ in votes]
    return {"pairid": name, "goals": votes, "operations": agreed, "effects": agreed}


@pytest.mark.parametrize(
    ("goals", "is_kept", "majority"),
    [
        ("2:2 1:1 2:1 -", True, 2),
        ("0:2 1:1 0:1 -", True, 0),
        ("0:2 2:1 1:2 -", False, -1),
        # An unconfident vote does not contradict.
        ("0:0 2:1 2:2 -", True, 2),
        ("0:0 2:0 2:2 -", False, 2),
        ("0:1 1:1 2:0 -", True, -1),
    ],
)
def test_filter_removes_contradicting_votes(
    tmp_path: Path, goals: str, is_kept: bool, majority: int
) -> None:
    path = tmp_path / "votes.json"
    path.write_text(json.dumps([make_entry(goals)]))
    ratings = read_ratings(path)
    assert len(filter_ratings(ratings)[0]) == is_kept
    assert compute_majorities(ratings)[0, 0] == majority


@pytest.mark.parametrize(
    "text",
    [
        '[{"pairid": "1"}]',
        "[1]",
        "[",
        '{"pairid": 1}',
        '[{"pairid":"1","goals":[{"rating":9,"confidence":1}],"operations":[],"effects":[]}]',
        "[" * 100_000,
    ],
)
def test_malformed_votes_are_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "votes.json"
    path.write_text(text)
    with pytest.raises(CodeacumenError, match=r"votes\.json"):
        read_ratings(path)


def test_votes_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_text(json.dumps([make_entry("2:2")], indent=4))
    assert is_sesame(path)
    path.write_text("rater,left,right\n")
    assert not is_sesame(path)
    assert not is_sesame(tmp_path)
