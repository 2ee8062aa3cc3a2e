"""Which raters are left out, by small examples computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from codeacumen.survey.agreement import Scale, agreements, differences, downers, increases, outliers
from survey.by_hand import direct

THREE = direct(
    {
        "ann": {"a b": (1, 1), "c d": (5, 1)},
        "bob": {"a b": (1, 1), "c d": (5, 3)},
        "cid": {"a b": (5, 1)},
    }
)


def test_the_difference_is_to_the_mean_of_the_others() -> None:
    # ann, relatedness: |0 − (0 + 1) / 2| and |1 − 1|; similarity: |0 − 0| and |0 − 0.5|.
    # cid, relatedness: |1 − 0|; similarity: |0 − 0|.
    assert differences(THREE).tolist() == [0.25, 0.25, 0.5]


def test_a_question_not_answered_does_not_count() -> None:
    votes = direct({"ann": {"a b": (1, 0)}, "bob": {"a b": (5, 1)}})
    assert differences(votes).tolist() == [1.0, 1.0]


def test_who_rates_what_nobody_else_does_cannot_be_judged() -> None:
    votes = direct({"ann": {"a b": (1, 1)}, "bob": {"c d": (5, 5)}})
    far = differences(votes)
    assert np.isnan(far).all()
    assert not outliers(far, 0.0).any()


def test_an_outlier_is_farther_than_the_threshold_not_as_far() -> None:
    far = differences(THREE)
    assert outliers(far, 0.25).tolist() == [False, False, True]
    assert outliers(far, 0.5).tolist() == [False, False, False]


def many(*odd: tuple[int, int]) -> dict[str, dict[str, tuple[int, int]]]:
    """Five who agree on six pairs, and one who gives the odd answers."""
    good = {f"a{i} b{i}": (1 + i % 5, 1 + (i * 2) % 5) for i in range(6)}
    noise = {f"a{i} b{i}": (1 + (i + 1) % 5, 1 + (i * 2) % 5) for i in range(6)}
    answers = {f"a{i} b{i}": one for i, one in enumerate(odd)}
    return {"a": good, "b": good, "c": good, "d": good, "e": noise, "odd": answers}


def test_a_downer_lowers_the_agreement_on_either_question() -> None:
    votes = direct(many(*[(1 + i % 5, 5 - (i * 2) % 5) for i in range(6)]))
    found = increases(votes)
    before = agreements(votes)
    gone = agreements(votes.without(np.array([name == "odd" for name in votes.raters])))
    odd = votes.raters.index("odd")
    for place, question in enumerate(("relatedness", "similarity")):
        share = (gone[question] - before[question]) / before[question]
        assert found[place, odd] == pytest.approx(share)
    assert found[1, odd] > 0.1 > found[0, odd]
    assert downers(found)[odd]
    assert not downers(found, 10.0).any()


def test_the_increase_is_at_least_the_share() -> None:
    assert downers(np.array([[0.1, 0.0999], [np.nan, np.nan]])).tolist() == [True, False]


def test_where_people_hardly_agree_a_small_increase_makes_no_downer() -> None:
    rng = np.random.default_rng(3)
    votes = direct(
        {
            f"r{i}": {f"a{j} b{j}": tuple(rng.integers(1, 6, 2).tolist()) for j in range(30)}
            for i in range(30)
        }
    )
    assert abs(agreements(votes)["similarity"]) < 0.02
    assert downers(increases(votes)).sum() < 3


def test_perfect_agreement_drops_nobody() -> None:
    votes = direct({name: {"a b": (1, 1), "c d": (5, 4)} for name in "abc"})
    assert not outliers(differences(votes), 0.0).any()
    assert not downers(increases(votes)).any()
    assert agreements(votes, Scale.INTERVAL) == {"relatedness": 1.0, "similarity": 1.0}
