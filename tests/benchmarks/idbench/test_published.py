"""Tests of IdBench's published numbers."""

from __future__ import annotations

from codeacumen.benchmarks.idbench import read_published_agreement, read_published_correlations


def test_eight_techniques_on_nine_tasks() -> None:
    numbers = read_published_correlations()
    assert len(numbers) == 72
    assert len({(number.task, number.size) for number in numbers}) == 9
    assert {number.tolerance for number in numbers if number.technique != "combined"} == {0.0005}
    assert {number.tolerance for number in numbers if number.technique == "combined"} == {0.02}


def test_published_correlations_agree_with_the_text_of_the_paper() -> None:
    """The text states 74 % and 35 to 38 % for FastText, and +19 points for the ensemble."""
    value_by_key = {
        (number.task, number.size, number.technique): number.value
        for number in read_published_correlations()
    }
    assert round(value_by_key["relatedness", "medium", "FT-cbow"], 2) == 0.74
    similar = [value_by_key["similarity", size, "FT-cbow"] for size in ("small", "medium", "large")]
    assert (round(min(similar), 2), round(max(similar), 2)) == (0.35, 0.38)
    gain = (
        value_by_key["similarity", "large", "combined"]
        - value_by_key["similarity", "large", "FT-cbow"]
    )
    assert round(gain, 2) == 0.19


def test_agreement_between_raters() -> None:
    assert read_published_agreement("similarity", "small") == 0.62
    assert read_published_agreement("contextual", "small") is None
