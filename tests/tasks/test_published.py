"""Tests of the published tables of all benchmarks."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.tasks.published import read_published

BENCHMARKS = Path(__file__).resolve().parents[2] / "src" / "codeacumen" / "benchmarks"
TABLES = sorted(BENCHMARKS.glob("*/published/*.csv"))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_table_has_rows_and_a_stated_source(table: Path) -> None:
    assert read_published(f"codeacumen.benchmarks.{table.parts[-3]}", table.stem)
    assert f"`{table.name}`" in (table.parent / "README.md").read_text()


def test_five_benchmarks_have_published_tables() -> None:
    assert len({table.parts[-3] for table in TABLES}) == 5
