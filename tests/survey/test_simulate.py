"""Simulated surveys, and what the filters find in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.survey.clean import clean
from codeacumen.survey.simulate import KINDS, Plan, judged, read_truth, simulate, write
from codeacumen.survey.votes import read_votes


@pytest.fixture(scope="module", params=[0, 1, 2])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """By size, how well the survey of 500 raters was cleaned."""
    folder = tmp_path_factory.mktemp("votes")
    write(Plan(seed=request.param), folder)
    votes = read_votes([folder])
    assert votes.rows == len(votes.direct) + len(votes.indirect) == 500 * (18 + 15)
    truth = read_truth(folder)
    assert truth is not None
    return judged(clean(votes), votes, truth)


def test_random_and_contrarian_raters_are_found_and_honest_ones_kept(found: Any) -> None:
    for told in found.values():
        raters = told["raters"]
        assert raters["contrarian"]["dropped"] == raters["contrarian"]["raters"] == 50
        assert raters["random"]["dropped"] >= 48
        assert raters["honest"]["dropped"] <= 3
        # Who always gives the same answer is at times right: not all of them are found.
        assert raters["straight"]["dropped"] >= 12
        assert told["recall"] >= 0.88
    # Stricter thresholds drop more of the noisy raters, which are not counted as bad.
    assert [
        told["precision"] >= least
        for told, least in zip(found.values(), (0.65, 0.75, 0.85), strict=True)
    ] == [True] * 3


def test_cleaned_scores_are_closer_to_the_truth(found: Any) -> None:
    for told in found.values():
        for label in ("relatedness", "similarity"):
            scores = told["spearman"][label]
            assert scores["cleaned"] > scores["raw"] + 0.02
            assert scores["cleaned"] > 0.97
        contextual = told["spearman"]["contextual_similarity"]
        assert contextual["cleaned"] > contextual["raw_on_all_pairs"] + 0.02


def test_contexts_that_show_nothing_are_found_more_often_than_by_chance(found: Any) -> None:
    odd = found["large"]["outlier_pairs"]
    assert odd["dropped"] >= 5
    # One pair in ten is of that kind.
    assert odd["unhelpful"] >= 0.5 * odd["dropped"]


def test_shares_and_seed() -> None:
    plan = Plan(raters=40, pairs=20, shares={"honest": 3, "random": 1}, seed=5)
    one = simulate(plan)
    assert Counter(one.kinds.values()) == {"honest": 30, "random": 10}
    assert one.direct == simulate(plan).direct
    assert one.indirect != simulate(Plan(raters=40, pairs=20, seed=6)).indirect
    assert len({name for pair in one.pairs for name in pair}) == 40
    assert (one.relatedness >= one.similarity).all()


def test_each_kind_answers_as_it_is_said_to() -> None:
    for kind in KINDS:
        found = simulate(Plan(raters=60, pairs=50, shares={kind: 1}, unhelpful=0, seed=1))
        close = dict(zip(found.pairs, found.similarity.tolist(), strict=True))
        apart = [
            abs((rating - 1) / 4 - close[(min(left, right), max(left, right))])
            for _, left, right, _, rating in found.direct
        ]
        mean = sum(apart) / len(apart)
        low, high = {
            "honest": (0, 0.15),
            "noisy": (0.15, 0.25),
            "random": (0.3, 0.5),
            "contrarian": (0.5, 0.8),
            "straight": (0.3, 0.5),
        }[kind]
        assert low <= mean <= high, kind
        right = [original == chosen for *_, original, chosen in found.indirect]
        share = sum(right) / len(right)
        assert {
            "honest": share > 0.7,
            "noisy": 0.6 < share < 0.75,
            "random": 0.4 < share < 0.6,
            "contrarian": share < 0.3,
            "straight": 0.4 < share < 0.6,
        }[kind], kind
        if kind == "straight":
            answers: dict[str, set[int]] = {}
            for rater, _, _, first, second in found.direct:
                answers.setdefault(rater, set()).update((first, second))
            assert all(len(one) == 1 for one in answers.values())


def test_what_cannot_be_simulated_is_told(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no such kind of rater: lazy"):
        Plan(shares={"lazy": 1})
    with pytest.raises(CodeacumenError, match="not all of them 0"):
        Plan(shares={"honest": 0})
    (tmp_path / "votes.xlsx").touch()
    with pytest.raises(CodeacumenError, match="not empty"):
        write(Plan(raters=1), tmp_path)
    (tmp_path / "truth.json").write_text("{}")
    with pytest.raises(CodeacumenError, match="damaged"):
        read_truth(tmp_path)
