from __future__ import annotations

from pathlib import Path

import pytest

from acumen.published import idbench_agreement, idbench_correlations, read_table

TABLES = Path(__file__).resolve().parents[2] / "src" / "acumen" / "published"


def test_eight_techniques_on_nine_tasks() -> None:
    numbers = idbench_correlations()
    assert len(numbers) == 72
    assert len({(n.task, n.size) for n in numbers}) == 9
    assert {n.tolerance for n in numbers if n.technique != "combined"} == {0.0005}
    assert {n.tolerance for n in numbers if n.technique == "combined"} == {0.02}


def test_figures_in_the_papers_text() -> None:
    """74 % and 35 to 38 % for FastText, +19 points for the ensemble on large similarity."""
    value = {(n.task, n.size, n.technique): n.value for n in idbench_correlations()}
    assert round(value["relatedness", "medium", "FT-cbow"], 2) == 0.74
    similar = [value["similarity", size, "FT-cbow"] for size in ("small", "medium", "large")]
    assert (round(min(similar), 2), round(max(similar), 2)) == (0.35, 0.38)
    gain = value["similarity", "large", "combined"] - value["similarity", "large", "FT-cbow"]
    assert round(gain, 2) == 0.19


def test_agreement_between_raters() -> None:
    assert idbench_agreement("similarity", "small") == 0.62
    assert idbench_agreement("contextual", "small") is None


@pytest.mark.parametrize("table", sorted(path.stem for path in TABLES.glob("*.csv")))
def test_every_table_reads_and_has_its_source_told(table: str) -> None:
    assert read_table(table)
    assert f"`{table}.csv`" in (TABLES / "README.md").read_text()
