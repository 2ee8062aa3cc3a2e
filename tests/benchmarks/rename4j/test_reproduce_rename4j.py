"""Tests that recompute ReName4J's tables from the counts that they imply. Oracles: the paper and
arithmetic by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.benchmarks.rename4j import reproduce as recipe
from codeacumen.datasets import find_dataset
from codeacumen.datasets.fetch import fetch_dataset
from codeacumen.reproduce import OUTSIDE, RecipeOptions, ReproducedCell
from support import SHARED, Codeacumen

Cells = dict[tuple[str, str, str], ReproducedCell]


@pytest.fixture
def cells(home: Path) -> Cells:
    return {
        (cell.table, cell.technique, cell.subset): cell
        for cell in recipe.compute_cells(RecipeOptions())
    }


def list_outside(cells: Cells, table: str) -> set[tuple[str, str]]:
    return {
        (model, figure)
        for (check, model, figure), cell in cells.items()
        if check == table and cell.verdict == OUTSIDE
    }


def test_f1_of_spot_in_table_3_is_inconsistent(cells: Cells) -> None:
    """2 · 388 / (2 · 388 + 12 + 380) = 66.44 %, printed as 64.44."""
    assert list_outside(cells, "table 3") == {("Spot", "f1_ic")}
    assert cells["table 3", "Spot", "f1_ic"].ours == pytest.approx(66.44, abs=0.005)
    assert cells["table 3", "Spot", "f1_ic"].note == ""


def test_tables_5_and_6_are_consistent(cells: Cells) -> None:
    assert (
        list_outside(cells, "table 5")
        == list_outside(cells, "table 6")
        == list_outside(cells, "text")
        == set()
    )


def test_table_4_is_inconsistent_with_13137_names(cells: Cells) -> None:
    """With 388 of 400 detected and 94.44 % of 13,137 flagged, precision is 3.03 %."""
    cell = cells["table 4", "Spot", "precision_ic"]
    assert cell.ours == pytest.approx(100 * 388 / (388 + 13_137 - 731), abs=0.005)
    assert "8,054 to 8,057" in cell.note
    for model in ("Cognac", "GTNM"):
        minimum, maximum = (
            int(bound.replace(",", ""))
            for bound in cells["table 4", model, "precision_ic"].note.split()[:3:2]
        )
        # The stable methods together with the 400 fixed names fit.
        assert minimum <= 13_137 + 400 <= maximum


def test_inconsistent_figures_of_table_2(cells: Cells) -> None:
    assert list_outside(cells, "table 2") == {
        ("Cognac", "f1"),
        ("Cognac", "em_acc"),
        ("GTNM", "em_acc"),
        ("GTNM", "f1, as first reported"),
    }


def test_cognac_corrects_fewer_names_than_it_predicts_exactly(cells: Cells) -> None:
    assert list_outside(cells, "order") == {("Cognac", "recall_ic, corrected")}


@pytest.mark.parametrize(
    ("counts", "wrong_names", "right_names"),
    [((388, 12, 20, 380), 400, 400), ((264, 136, 1870, 11_267), 400, 13_137)],
)
def test_counts_are_recovered_from_printed_figures(
    counts: tuple[int, int, int, int], wrong_names: int, right_names: int
) -> None:
    tp, fn, tn, fp = counts
    expected = recipe.ConfusionMatrix(tp, fn, tn, fp)
    printed = {name: round(value, 2) for name, value in expected.figures.items()}
    assert recipe.infer_counts(printed, wrong_names, right_names, 0.005) == expected


def test_published_facts_about_the_data_of_liu(home: Path) -> None:
    if not (SHARED / "liu2019" / "methods.jsonl").is_file():
        pytest.skip(f"Liu's methods are not in {SHARED / 'liu2019'}")
    assert not any(cell.table == "liu" for cell in recipe.compute_cells(RecipeOptions()))
    fetch_dataset(find_dataset("liu2019"), SHARED / "liu2019")
    cell_by_subset = {
        cell.subset: cell for cell in recipe.compute_cells(RecipeOptions()) if cell.table == "liu"
    }
    outside = {name for name, cell in cell_by_subset.items() if cell.verdict == OUTSIDE}
    assert outside == {"projects"}
    assert cell_by_subset["projects"].ours == 247


def test_reproduce_command_reports_inconsistent_numbers(codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here("reproduce", "rename4j")
    assert completed.returncode == 1
    assert "Inconsistent numbers" in completed.stdout
    assert "66.44" in completed.stdout
    cells = json.loads(codeacumen_here("reproduce", "rename4j", "--json").stdout)
    assert len(cells) == 106
