"""Tests of Krippendorff's α computed from counts, also without each rater.

The oracles are the library ``krippendorff`` on the whole table, and Krippendorff's example.
"""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from codeacumen.survey.agreement import Scale, compute_alpha, compute_alpha_without_each

# Raters are rows, units are columns, and −1 is a missing rating.
tables = st.tuples(st.integers(1, 7), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 4))
)


def list_votes(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    rater, unit = np.nonzero(table >= 0)
    return rater, unit, table[rater, unit]


def compute_library_alpha(table: NDArray[np.int64], scale: Scale) -> float:
    data = np.where(table < 0, np.nan, table)
    # The library needs at least two values, and warns if no two ratings can be compared.
    has_two_ratings = (table >= 0).sum(axis=0) > 1
    if len(np.unique(data[:, has_two_ratings][table[:, has_two_ratings] >= 0])) < 2:
        return math.nan
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=scale.value))


@pytest.mark.parametrize("scale", Scale)
@given(table=tables)
def test_alpha_agrees_with_the_library(scale: Scale, table: NDArray[np.int64]) -> None:
    _, unit, value = list_votes(table)
    expected = compute_library_alpha(table, scale)
    assert compute_alpha(unit, value, scale) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("scale", Scale)
@given(table=tables)
def test_alpha_without_each_rater_agrees_with_the_library(
    scale: Scale, table: NDArray[np.int64]
) -> None:
    rater, unit, value = list_votes(table)
    alphas = compute_alpha_without_each(rater, unit, value, len(table), scale)
    expected = [
        compute_library_alpha(np.delete(table, rater_index, axis=0), scale)
        for rater_index in range(len(table))
    ]
    assert alphas.tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_alpha_of_full_agreement_is_one_and_without_variation_undefined() -> None:
    unit = np.array([0, 0, 1, 1])
    assert compute_alpha(unit, np.array([0, 0, 4, 4])) == 1.0
    assert math.isnan(compute_alpha(unit, np.array([3, 3, 3, 3])))
    assert math.isnan(compute_alpha(np.array([0, 1]), np.array([0, 4])))
    assert math.isnan(compute_alpha(np.array([], dtype=np.int64), np.array([], dtype=np.int64)))


def test_krippendorffs_example() -> None:
    # Content Analysis, section 12.3.4: four observers, twelve units, α ordinal 0.815 and
    # interval 0.849.
    text = """
        1 2 3 3 2 1 4 1 2 . . .
        1 2 3 3 2 2 4 1 2 5 . 3
        . 3 3 3 2 3 4 2 2 5 1 .
        1 2 3 3 2 4 4 1 2 5 1 .
    """
    rows = [line.split() for line in text.strip().splitlines()]
    table = np.array([[-1 if cell == "." else int(cell) for cell in row] for row in rows])
    _, unit, value = list_votes(table)
    assert compute_alpha(unit, value, Scale.ORDINAL) == pytest.approx(0.815, abs=5e-4)
    assert compute_alpha(unit, value, Scale.INTERVAL) == pytest.approx(0.849, abs=5e-4)
