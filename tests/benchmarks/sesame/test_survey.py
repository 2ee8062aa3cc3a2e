"""SeSaMe's filter. The oracle is the published data: the filtered file and the figures of the
paper, Kamp et al. 2019, section III."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.survey import clean, filtered, is_sesame, majorities, read_ratings
from codeacumen.datasets.published import read_published
from support import SHARED

PUBLISHED = {
    row["figure"]: float(row["value"])
    for row in read_published("codeacumen.benchmarks.sesame", "figures")
}


@pytest.fixture(scope="module")
def sesame() -> Path:
    folder = SHARED / "sesame"
    if not (folder / "dataset-unfiltered.json").is_file():
        pytest.skip(f"SeSaMe's files are not in {folder}")
    return folder


def test_from_900_pairs_to_the_published_857_to_the_byte(sesame: Path, tmp_path: Path) -> None:
    report = clean(sesame / "dataset-unfiltered.json", tmp_path)
    assert report["pairs"] == {
        "before": PUBLISHED["pairs_sampled"],
        "after": PUBLISHED["pairs_kept"],
    }
    assert (tmp_path / "sesame.json").read_bytes() == (sesame / "dataset.json").read_bytes()
    assert len(report["removed"]) == 43
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == 858
    assert "900 pairs, 857 kept" in (tmp_path / "report.md").read_text()


def test_agreement_and_majorities_are_the_papers(sesame: Path, tmp_path: Path) -> None:
    report = clean(sesame / "dataset-unfiltered.json", tmp_path)
    alpha = report["alpha"]["without removed pairs"]
    wanted = {"goals": 0.874, "operations": 0.804, "effects": 0.816}
    for flavour, value in wanted.items():
        assert alpha[flavour] == pytest.approx(value, abs=5e-4)
        # The paper cuts the digits off.
        assert int(alpha[flavour] * 100) / 100 == PUBLISHED[f"alpha_{flavour}"]
    assert report["majority_in_all_three"] == {
        "similar": PUBLISHED["pairs_majority_similar_in_all_three"],
        "dissimilar": PUBLISHED["pairs_majority_dissimilar_in_all_three"],
    }


def test_what_is_filtered_already_stays_as_it_is(sesame: Path) -> None:
    ratings = read_ratings(sesame / "dataset.json")
    kept, removed = filtered(ratings)
    assert len(kept) == len(ratings) == 857
    assert removed == []


def entry(goals: str, name: str = "0") -> dict[str, object]:
    """Votes as ``rating:confidence``, − where there is none; the other flavours agree."""
    votes = [
        {"rating": -1, "confidence": -1}
        if one == "-"
        else {"rating": int(one[0]), "confidence": int(one[2])}
        for one in goals.split()
    ]
    sure = [{"rating": 2, "confidence": 2} for _ in votes]
    return {"pairid": name, "goals": votes, "operations": sure, "effects": sure}


@pytest.mark.parametrize(
    ("goals", "kept", "majority"),
    [
        ("2:2 1:1 2:1 -", True, 2),
        ("0:2 1:1 0:1 -", True, 0),
        ("0:2 2:1 1:2 -", False, -1),
        # Without the unsure vote there is no contradiction.
        ("0:0 2:1 2:2 -", True, 2),
        ("0:0 2:0 2:2 -", False, 2),
        ("0:1 1:1 2:0 -", True, -1),
    ],
)
def test_the_filter(tmp_path: Path, goals: str, kept: bool, majority: int) -> None:
    path = tmp_path / "votes.json"
    path.write_text(json.dumps([entry(goals)]))
    ratings = read_ratings(path)
    assert len(filtered(ratings)[0]) == kept
    assert majorities(ratings)[0, 0] == majority


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
def test_what_is_no_sesame_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "votes.json"
    path.write_text(text)
    with pytest.raises(CodeacumenError, match=r"votes\.json"):
        read_ratings(path)


def test_it_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_text(json.dumps([entry("2:2")], indent=4))
    assert is_sesame(path)
    path.write_text("rater,left,right\n")
    assert not is_sesame(path)
    assert not is_sesame(tmp_path)
