"""ReName4J's tables from the counts that they imply. Oracle: the paper, and arithmetic by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeacumen.benchmarks.rename4j import reproduce as recipe
from codeacumen.datasets import dataset
from codeacumen.datasets.fetch import get
from codeacumen.reproduce import OUTSIDE, RecipeOptions, ReproducedCell
from support import SHARED, Codeacumen

Cells = dict[tuple[str, str, str], ReproducedCell]


@pytest.fixture
def cells(home: Path) -> Cells:
    return {
        (one.table, one.technique, one.subset): one for one in recipe.compute_cells(RecipeOptions())
    }


def wrong(cells: Cells, table: str) -> set[tuple[str, str]]:
    return {
        (model, figure)
        for (check, model, figure), cell in cells.items()
        if check == table and cell.verdict == OUTSIDE
    }


def test_spots_f1_is_a_slip(cells: Cells) -> None:
    """2 · 388 / (2 · 388 + 12 + 380) = 66.44 %, printed as 64.44."""
    assert wrong(cells, "table 3") == {("Spot", "f1_ic")}
    assert cells["table 3", "Spot", "f1_ic"].ours == pytest.approx(66.44, abs=0.005)
    assert cells["table 3", "Spot", "f1_ic"].note == ""


def test_tables_5_and_6_add_up(cells: Cells) -> None:
    assert wrong(cells, "table 5") == wrong(cells, "table 6") == wrong(cells, "text") == set()


def test_table_4_does_not_stand_on_13137_names(cells: Cells) -> None:
    """With 388 of 400 found, and 94.44 % of 13,137 called wrong, precision is 3.03 %."""
    cell = cells["table 4", "Spot", "precision_ic"]
    assert cell.ours == pytest.approx(100 * 388 / (388 + 13_137 - 731), abs=0.005)
    assert "8,054 to 8,057" in cell.note
    for model in ("Cognac", "GTNM"):
        least, most = (
            int(one.replace(",", ""))
            for one in cells["table 4", model, "precision_ic"].note.split()[:3:2]
        )
        # The stable methods and the 400 fixed ones together fit.
        assert least <= 13_137 + 400 <= most


def test_table_2(cells: Cells) -> None:
    assert wrong(cells, "table 2") == {
        ("Cognac", "f1"),
        ("Cognac", "em_acc"),
        ("GTNM", "em_acc"),
        ("GTNM", "f1, as first reported"),
    }


def test_more_names_are_right_to_the_letter_than_are_corrected(cells: Cells) -> None:
    assert wrong(cells, "order") == {("Cognac", "recall_ic, corrected")}


@pytest.mark.parametrize(
    ("counts", "wrong_names", "right_names"),
    [((388, 12, 20, 380), 400, 400), ((264, 136, 1870, 11_267), 400, 13_137)],
)
def test_counts_are_found_again_from_printed_figures(
    counts: tuple[int, int, int, int], wrong_names: int, right_names: int
) -> None:
    tp, fn, tn, fp = counts
    made = recipe.Counts(tp, fn, tn, fp)
    printed = {name: round(value, 2) for name, value in made.figures.items()}
    assert recipe.counts_of(printed, wrong_names, right_names, 0.005) == made


def test_lius_facts_where_the_data_is(home: Path) -> None:
    if not (SHARED / "liu2019" / "methods.jsonl").is_file():
        pytest.skip(f"Liu's methods are not in {SHARED / 'liu2019'}")
    assert not any(one.table == "liu" for one in recipe.compute_cells(RecipeOptions()))
    get(dataset("liu2019"), SHARED / "liu2019")
    found = {one.subset: one for one in recipe.compute_cells(RecipeOptions()) if one.table == "liu"}
    outside = {name for name, one in found.items() if one.verdict == OUTSIDE}
    assert outside == {"projects"}
    assert found["projects"].ours == 247


def test_the_verb(codeacumen_here: Codeacumen) -> None:
    done = codeacumen_here("reproduce", "rename4j")
    assert done.returncode == 1
    assert "Inconsistent numbers" in done.stdout
    assert "66.44" in done.stdout
    cells = json.loads(codeacumen_here("reproduce", "rename4j", "--json").stdout)
    assert len(cells) == 106
