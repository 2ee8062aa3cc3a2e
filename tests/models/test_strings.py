"""Tests of string similarities. Oracles: textdistance, an independent implementation, for both
distances; and the published columns (tests/benchmarks/idbench/test_idbench.py)."""

from __future__ import annotations

import pytest
import textdistance
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import Pair
from codeacumen.models.strings import (
    levenshtein,
    make_levenshtein,
    needleman_wunsch,
    subtoken_overlap,
)

NAMES = st.text(alphabet="abcABC_1", min_size=1, max_size=12)


@given(NAMES, NAMES)
def test_levenshtein_equals_that_of_textdistance(left: str, right: str) -> None:
    expected = textdistance.levenshtein.normalized_similarity(left, right)
    assert levenshtein(left, right) == pytest.approx(expected)


@given(NAMES, NAMES)
def test_needleman_wunsch_equals_that_of_textdistance(left: str, right: str) -> None:
    expected = textdistance.needleman_wunsch.normalized_similarity(left, right)
    assert needleman_wunsch(left, right) == pytest.approx(expected)


def test_empty_identifiers_are_equal() -> None:
    assert levenshtein("", "") == needleman_wunsch("", "") == subtoken_overlap("", "") == 1.0


def test_rounding_equals_that_of_numpy() -> None:
    """Round like numpy on the one pair of IdBench where Python's round returns 0.53."""
    from codeacumen.models.strings import make_needleman_wunsch

    pair = Pair("ReactEmptyComponent", "renderToStaticMarkup")
    assert make_needleman_wunsch(decimals=2).similarity([pair]) == [0.52]
    assert make_levenshtein(decimals=2).similarity([Pair("idx", "indx")]) == [0.75]


def test_subtokens_overlap_regardless_of_case() -> None:
    assert subtoken_overlap("maxValue", "MAX_LENGTH") == pytest.approx(1 / 3)
