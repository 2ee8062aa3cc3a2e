"""Tests of dropped raters with small examples computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from codeacumen.survey.agreement import (
    Scale,
    compute_alphas,
    compute_differences,
    compute_increases,
    find_downers,
    find_outliers,
)
from survey.vote_notation import make_direct_votes

THREE_RATERS = make_direct_votes(
    {
        "ann": {"a b": (1, 1), "c d": (5, 1)},
        "bob": {"a b": (1, 1), "c d": (5, 3)},
        "cid": {"a b": (5, 1)},
    }
)


def test_the_difference_is_to_the_mean_of_the_other_raters() -> None:
    # ann, relatedness: |0 − (0 + 1) / 2| and |1 − 1|; similarity: |0 − 0| and |0 − 0.5|.
    # cid, relatedness: |1 − 0|; similarity: |0 − 0|.
    assert compute_differences(THREE_RATERS).tolist() == [0.25, 0.25, 0.5]


def test_an_unanswered_question_does_not_count() -> None:
    votes = make_direct_votes({"ann": {"a b": (1, 0)}, "bob": {"a b": (5, 1)}})
    assert compute_differences(votes).tolist() == [1.0, 1.0]


def test_a_rater_of_pairs_without_other_ratings_has_no_difference() -> None:
    votes = make_direct_votes({"ann": {"a b": (1, 1)}, "bob": {"c d": (5, 5)}})
    rater_differences = compute_differences(votes)
    assert np.isnan(rater_differences).all()
    assert not find_outliers(rater_differences, 0.0).any()


def test_an_outlier_exceeds_the_threshold_strictly() -> None:
    rater_differences = compute_differences(THREE_RATERS)
    assert find_outliers(rater_differences, 0.25).tolist() == [False, False, True]
    assert find_outliers(rater_differences, 0.5).tolist() == [False, False, False]


def make_ratings_with_odd_rater(
    *odd_ratings: tuple[int, int],
) -> dict[str, dict[str, tuple[int, int]]]:
    """Return ratings of six pairs by four equal raters, a noisy one, and one with odd ratings."""
    agreeing = {f"a{i} b{i}": (1 + i % 5, 1 + (i * 2) % 5) for i in range(6)}
    noisy = {f"a{i} b{i}": (1 + (i + 1) % 5, 1 + (i * 2) % 5) for i in range(6)}
    answers = {f"a{i} b{i}": rating for i, rating in enumerate(odd_ratings)}
    return {"a": agreeing, "b": agreeing, "c": agreeing, "d": agreeing, "e": noisy, "odd": answers}


def test_a_downer_lowers_the_agreement_on_either_question() -> None:
    votes = make_direct_votes(
        make_ratings_with_odd_rater(*[(1 + i % 5, 5 - (i * 2) % 5) for i in range(6)])
    )
    alpha_increases = compute_increases(votes)
    before = compute_alphas(votes)
    after = compute_alphas(votes.drop_raters(np.array([name == "odd" for name in votes.raters])))
    odd = votes.raters.index("odd")
    for question_index, question in enumerate(("relatedness", "similarity")):
        increase = (after[question] - before[question]) / before[question]
        assert alpha_increases[question_index, odd] == pytest.approx(increase)
    assert alpha_increases[1, odd] > 0.1 > alpha_increases[0, odd]
    assert find_downers(alpha_increases)[odd]
    assert not find_downers(alpha_increases, 10.0).any()


def test_the_threshold_of_the_increase_is_inclusive() -> None:
    assert find_downers(np.array([[0.1, 0.0999], [np.nan, np.nan]])).tolist() == [True, False]


def test_random_raters_are_rarely_downers() -> None:
    rng = np.random.default_rng(3)
    votes = make_direct_votes(
        {
            f"r{i}": {f"a{j} b{j}": tuple(rng.integers(1, 6, 2).tolist()) for j in range(30)}
            for i in range(30)
        }
    )
    assert abs(compute_alphas(votes)["similarity"]) < 0.02
    assert find_downers(compute_increases(votes)).sum() < 3


def test_perfect_agreement_drops_no_rater() -> None:
    votes = make_direct_votes({name: {"a b": (1, 1), "c d": (5, 4)} for name in "abc"})
    assert not find_outliers(compute_differences(votes), 0.0).any()
    assert not find_downers(compute_increases(votes)).any()
    assert compute_alphas(votes, Scale.INTERVAL) == {"relatedness": 1.0, "similarity": 1.0}
