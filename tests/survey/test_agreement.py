"""Krippendorff's α of counted ratings is the library's α of the table of all raters, also without
each rater; and that of Krippendorff's own example."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from codeacumen.survey.agreement import Scale, alpha, alpha_without

# Raters in rows, units in columns, −1 where there is no rating.
tables = st.tuples(st.integers(1, 7), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 4))
)


def votes_of(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    rater, unit = np.nonzero(table >= 0)
    return rater, unit, table[rater, unit]


def by_library(table: NDArray[np.int64], scale: Scale) -> float:
    data = np.where(table < 0, np.nan, table)
    # It wants two values or more, and warns where no two ratings can be compared.
    compared = (table >= 0).sum(axis=0) > 1
    if len(np.unique(data[:, compared][table[:, compared] >= 0])) < 2:
        return math.nan
    return float(krippendorff.alpha(reliability_data=data, level_of_measurement=scale.value))


@pytest.mark.parametrize("scale", Scale)
@given(table=tables)
def test_alpha_is_that_of_the_library(scale: Scale, table: NDArray[np.int64]) -> None:
    _, unit, value = votes_of(table)
    wanted = by_library(table, scale)
    assert alpha(unit, value, scale) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("scale", Scale)
@given(table=tables)
def test_leaving_out_each_rater_is_as_with_the_library(
    scale: Scale, table: NDArray[np.int64]
) -> None:
    rater, unit, value = votes_of(table)
    found = alpha_without(rater, unit, value, len(table), scale)
    wanted = [by_library(np.delete(table, one, axis=0), scale) for one in range(len(table))]
    assert found.tolist() == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_agreement_of_everybody_is_one_and_where_nothing_varies_none() -> None:
    unit = np.array([0, 0, 1, 1])
    assert alpha(unit, np.array([0, 0, 4, 4])) == 1.0
    assert math.isnan(alpha(unit, np.array([3, 3, 3, 3])))
    assert math.isnan(alpha(np.array([0, 1]), np.array([0, 4])))
    assert math.isnan(alpha(np.array([], dtype=np.int64), np.array([], dtype=np.int64)))


def test_krippendorffs_own_example() -> None:
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
    _, unit, value = votes_of(table)
    assert alpha(unit, value, Scale.ORDINAL) == pytest.approx(0.815, abs=5e-4)
    assert alpha(unit, value, Scale.INTERVAL) == pytest.approx(0.849, abs=5e-4)
