"""Tests of the conversion of votes to scores. The oracle of z is Python's normal distribution."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.survey.clean import (
    compute_distances,
    compute_means,
    compute_similarities,
    count_choices,
)
from survey.vote_notation import make_direct_votes, make_votes

z = NormalDist().inv_cdf


def test_means_of_scaled_ratings() -> None:
    votes = make_direct_votes({"ann": {"a b": (1, 0), "c d": (5, 5)}, "bob": {"a b": (2, 0)}})
    assert compute_means(votes)[:, 0].tolist() == [0.125, 1.0]
    assert np.isnan(compute_means(votes)[0, 1])


def test_distance_from_hits_and_false_alarms() -> None:
    votes = make_votes(
        {},
        [
            ("ann", "a b", "a", "a"),
            ("bob", "b a", "a", "b"),
            ("cid", "a b", "a", "a"),
            ("ann", "a b", "b", "a"),
            ("bob", "a b", "b", "b"),
        ],
    ).indirect
    chosen, total = count_choices(votes)
    assert chosen.tolist() == [[2, 1]]
    assert total.tolist() == [[3, 2]]
    expected = z(2.5 / 4) - z(1.5 / 3)
    assert compute_distances(chosen, total).tolist() == pytest.approx([expected])


def test_distances_of_equal_choices_are_zero_and_extreme_ones_finite() -> None:
    chosen, total = np.array([[3, 3], [6, 0], [0, 6]]), np.array([[6, 6], [6, 6], [6, 6]])
    equal_distance, right, wrong = compute_distances(chosen, total).tolist()
    assert equal_distance == 0
    assert right == pytest.approx(2 * z(6.5 / 7))
    assert wrong == pytest.approx(-right)


def test_contexts_of_only_one_name_have_no_distance() -> None:
    assert np.isnan(compute_distances(np.array([[3, 0]]), np.array([[3, 0]]))).all()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_distance_does_not_depend_on_the_order_of_names(hits: list[tuple[int, int]]) -> None:
    chosen, total = np.array(hits), np.full((len(hits), 2), 9)
    reversed_hits = (total - chosen)[:, ::-1]
    np.testing.assert_allclose(
        compute_distances(chosen, total), compute_distances(reversed_hits, total), atol=1e-12
    )


def test_similarity_is_the_reversed_normalised_distance() -> None:
    scores = compute_similarities(np.array([2.0, -1.0, np.nan, 0.5]))
    assert scores.tolist() == pytest.approx([0.0, 1.0, np.nan, 0.5], nan_ok=True)
    assert compute_similarities(np.array([1.5, np.nan])).tolist() == pytest.approx(
        [1.0, np.nan], nan_ok=True
    )
    assert np.isnan(compute_similarities(np.array([np.nan]))).all()
