"""Scores from votes. The oracle of z is Python's own normal distribution."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.survey.clean import choices, distances, means, similarities
from survey.by_hand import direct, survey

z = NormalDist().inv_cdf


def test_means_are_of_scaled_ratings() -> None:
    votes = direct({"ann": {"a b": (1, 0), "c d": (5, 5)}, "bob": {"a b": (2, 0)}})
    assert means(votes)[:, 0].tolist() == [0.125, 1.0]
    assert np.isnan(means(votes)[0, 1])


def test_hits_and_false_alarms() -> None:
    votes = survey(
        {},
        [
            ("ann", "a b", "a", "a"),
            ("bob", "b a", "a", "b"),
            ("cid", "a b", "a", "a"),
            ("ann", "a b", "b", "a"),
            ("bob", "a b", "b", "b"),
        ],
    ).indirect
    chosen, total = choices(votes)
    assert chosen.tolist() == [[2, 1]]
    assert total.tolist() == [[3, 2]]
    wanted = z(2.5 / 4) - z(1.5 / 3)
    assert distances(chosen, total).tolist() == pytest.approx([wanted])


def test_names_chosen_alike_are_no_distance_apart_and_rates_of_one_are_finite() -> None:
    chosen, total = np.array([[3, 3], [6, 0], [0, 6]]), np.array([[6, 6], [6, 6], [6, 6]])
    same, right, wrong = distances(chosen, total).tolist()
    assert same == 0
    assert right == pytest.approx(2 * z(6.5 / 7))
    assert wrong == pytest.approx(-right)


def test_contexts_of_one_name_alone_tell_no_distance() -> None:
    assert np.isnan(distances(np.array([[3, 0]]), np.array([[3, 0]]))).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_it_does_not_matter_which_name_comes_first(hits: list[tuple[int, int]]) -> None:
    chosen, total = np.array(hits), np.full((len(hits), 2), 9)
    turned = (total - chosen)[:, ::-1]
    np.testing.assert_allclose(distances(chosen, total), distances(turned, total), atol=1e-12)


def test_similarity_is_distance_normalised_and_turned_round() -> None:
    found = similarities(np.array([2.0, -1.0, np.nan, 0.5]))
    assert found.tolist() == pytest.approx([0.0, 1.0, np.nan, 0.5], nan_ok=True)
    assert similarities(np.array([1.5, np.nan])).tolist() == pytest.approx(
        [1.0, np.nan], nan_ok=True
    )
    assert np.isnan(similarities(np.array([np.nan]))).all()
