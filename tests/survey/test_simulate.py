"""Tests of simulated surveys, and of the raters and pairs that the filters drop in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.survey.clean import clean_votes
from codeacumen.survey.simulate import (
    KINDS,
    SimulationPlan,
    judge_cleaning,
    read_truth,
    simulate_survey,
    write_survey,
)
from codeacumen.survey.votes import read_votes


@pytest.fixture(scope="module", params=[0, 1, 2])
def quality_by_size(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """Return by size how well the simulated survey of 500 raters was cleaned."""
    folder = tmp_path_factory.mktemp("votes")
    write_survey(SimulationPlan(seed=request.param), folder)
    votes = read_votes([folder])
    assert votes.rows == len(votes.direct) + len(votes.indirect) == 500 * (18 + 15)
    truth = read_truth(folder)
    assert truth is not None
    return judge_cleaning(clean_votes(votes), votes, truth)


def test_random_and_contrarian_raters_are_dropped_and_honest_ones_are_kept(
    quality_by_size: Any,
) -> None:
    for quality in quality_by_size.values():
        raters = quality["raters"]
        assert raters["contrarian"]["dropped"] == raters["contrarian"]["raters"] == 50
        assert raters["random"]["dropped"] >= 48
        assert raters["honest"]["dropped"] <= 3
        # A rater who always gives the same answer is sometimes right, so not all are dropped.
        assert raters["straight"]["dropped"] >= 12
        assert quality["recall"] >= 0.88
    # Stricter thresholds drop more of the noisy raters, which are not counted as bad.
    assert [
        quality["precision"] >= minimum_precision
        for quality, minimum_precision in zip(
            quality_by_size.values(), (0.65, 0.75, 0.85), strict=True
        )
    ] == [True] * 3


def test_cleaned_scores_are_closer_to_the_truth(quality_by_size: Any) -> None:
    for quality in quality_by_size.values():
        for label in ("relatedness", "similarity"):
            scores = quality["spearman"][label]
            assert scores["cleaned"] > scores["raw"] + 0.02
            assert scores["cleaned"] > 0.97
        contextual = quality["spearman"]["contextual_similarity"]
        assert contextual["cleaned"] > contextual["raw_on_all_pairs"] + 0.02


def test_pairs_with_unhelpful_contexts_are_dropped_more_often(quality_by_size: Any) -> None:
    outlier_pairs = quality_by_size["large"]["outlier_pairs"]
    assert outlier_pairs["dropped"] >= 5
    # One pair in ten has unhelpful contexts.
    assert outlier_pairs["unhelpful"] >= 0.5 * outlier_pairs["dropped"]


def test_shares_and_seed_of_a_simulation() -> None:
    plan = SimulationPlan(raters=40, pairs=20, shares={"honest": 3, "random": 1}, seed=5)
    simulation = simulate_survey(plan)
    assert Counter(simulation.kinds.values()) == {"honest": 30, "random": 10}
    assert simulation.direct == simulate_survey(plan).direct
    assert (
        simulation.indirect != simulate_survey(SimulationPlan(raters=40, pairs=20, seed=6)).indirect
    )
    assert len({name for pair in simulation.pairs for name in pair}) == 40
    assert (simulation.relatedness >= simulation.similarity).all()


def test_each_kind_of_rater_answers_as_described() -> None:
    for kind in KINDS:
        simulation = simulate_survey(
            SimulationPlan(raters=60, pairs=50, shares={kind: 1}, unhelpful=0, seed=1)
        )
        similarity_of_pair = dict(
            zip(simulation.pairs, simulation.similarity.tolist(), strict=True)
        )
        errors = [
            abs((rating - 1) / 4 - similarity_of_pair[(min(left, is_right), max(left, is_right))])
            for _, left, is_right, _, rating in simulation.direct
        ]
        mean = sum(errors) / len(errors)
        low, high = {
            "honest": (0, 0.15),
            "noisy": (0.15, 0.25),
            "random": (0.3, 0.5),
            "contrarian": (0.5, 0.8),
            "straight": (0.3, 0.5),
        }[kind]
        assert low <= mean <= high, kind
        is_right = [original == chosen for *_, original, chosen in simulation.indirect]
        share = sum(is_right) / len(is_right)
        assert {
            "honest": share > 0.7,
            "noisy": 0.6 < share < 0.75,
            "random": 0.4 < share < 0.6,
            "contrarian": share < 0.3,
            "straight": 0.4 < share < 0.6,
        }[kind], kind
        if kind == "straight":
            answers: dict[str, set[int]] = {}
            for rater, _, _, first, second in simulation.direct:
                answers.setdefault(rater, set()).update((first, second))
            assert all(len(rater_answers) == 1 for rater_answers in answers.values())


def test_invalid_plans_and_folders_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="no such kind of rater: lazy"):
        SimulationPlan(shares={"lazy": 1})
    with pytest.raises(CodeacumenError, match="not all of them 0"):
        SimulationPlan(shares={"honest": 0})
    (tmp_path / "votes.xlsx").touch()
    with pytest.raises(CodeacumenError, match="not empty"):
        write_survey(SimulationPlan(raters=1), tmp_path)
    (tmp_path / "truth.json").write_text("{}")
    with pytest.raises(CodeacumenError, match="damaged"):
        read_truth(tmp_path)
