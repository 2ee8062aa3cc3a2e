"""Tests of the consistency checks of the generalizability study's tables: which numbers are
consistent, which are not, and that a changed number is detected. The tables are the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.benchmarks.robustness import reproduce as recipe
from codeacumen.benchmarks.robustness.reproduce import CHECKS, compute_cells
from codeacumen.datasets import dataset_folder, find_dataset
from codeacumen.datasets.fetch import fetch_dataset
from codeacumen.reproduce import OUTSIDE, WITHIN, RecipeOptions, ReproducedCell
from codeacumen.reproduce.checks import nearest_percentage
from support import SHARED


@pytest.fixture
def tables(home: Path) -> Path:
    """Return the folder of the study's tables in an otherwise empty CODEACUMEN_HOME."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")
    fetch_dataset(find_dataset("tnpa"), SHARED / "tnpa")
    return dataset_folder(find_dataset("tnpa"))


def list_outside(cells: list[ReproducedCell]) -> list[tuple[str, str, str, str, str]]:
    return [
        (cell.table, cell.size, cell.task, cell.technique, cell.subset)
        for cell in cells
        if cell.verdict == OUTSIDE
    ]


def test_the_identities_hold_in_all_54_rows(tables: Path) -> None:
    verdicts = Counter((cell.table, cell.verdict) for cell in compute_cells(RecipeOptions()))
    assert {table for table, _ in verdicts} == set(CHECKS)
    for check, count in {
        "types": 54,
        "change": 54,
        "average": 18,
        "single": 36,
        "before": 108,
        "size": 54,
        "buckets": 54,
        "methods": 108,
        "text": 22,
    }.items():
        assert (verdicts[check, WITHIN], verdicts[check, OUTSIDE]) == (count, 0), check


def test_inconsistent_published_numbers(tables: Path) -> None:
    """Inconsistent are two F1 values of Table 1, GGNN's percentages, which fit fewer methods than
    the tables state, and Table 3's averages, which are of four runs instead of five."""
    cells = compute_cells(RecipeOptions())
    outside = list_outside(cells)
    assert [cell_key for cell_key in outside if cell_key[0] == "f1"] == [
        ("f1", "JS", "", "ggnn", "before"),
        ("f1", "JL", "", "ggnn", "before"),
    ]
    outside_whole = [cell_key for cell_key in outside if cell_key[0] == "whole"]
    assert {cell_key[3] for cell_key in outside_whole} == {"ggnn"}
    assert {cell_key[1:3] for cell_key in outside_whole} == {
        ("JS", "BX"),
        ("JS", "LX"),
        ("JS", "SF"),
        ("JM", "SF"),
    }
    notes = {
        (cell.size, cell.task): cell.note
        for cell in cells
        if cell.table == "whole" and cell.verdict == OUTSIDE
    }
    assert notes["JS", "SF"] == "all six fit 248 methods"
    assert notes["JS", "BX"] == "all six fit 1389 methods"
    runs = [cell for cell in cells if cell.table == "runs" and cell.verdict == OUTSIDE]
    assert len(runs) == 16
    assert all("4 runs" in cell.note for cell in runs)
    assert {cell_key[0] for cell_key in outside} == {"f1", "whole", "runs"}


def test_cell_reports_published_and_recomputed_value(tables: Path) -> None:
    (cell,) = [
        cell
        for cell in compute_cells(RecipeOptions())
        if (cell.table, cell.size, cell.technique, cell.subset) == ("f1", "JS", "ggnn", "before")
    ]
    precision, recall = 49.12, 47.18
    assert cell.published == 48.59
    assert cell.ours == pytest.approx(2 * precision * recall / (precision + recall))
    assert cell.difference == pytest.approx(-0.46, abs=0.001)


def make_change(file: str, before: str, after: str) -> Callable[[Path], None]:
    def change_table(folder: Path) -> None:
        path = folder / f"{file}.csv"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after, 1))

    return change_table


@pytest.mark.parametrize(
    ("change", "check", "place"),
    [
        # One digit of the CCP of Java-Small, variable renaming, code2vec.
        (
            make_change("pcp_details", "JS,VN,02.32", "JS,VN,02.92"),
            "types",
            ("JS", "VN", "code2vec"),
        ),
        (
            make_change("pcp_summary", "31113,123123,54.92", "31113,123123,54.98"),
            "change",
            ("JS", "VN", "code2vec"),
        ),
        (
            make_change("pcp_summary", "252725,916565,42.06", "252725,906565,42.96"),
            "average",
            ("all", "VN", "code2vec"),
        ),
        (
            make_change(
                "single_vs_all", "single,code2seq,JM,LX,45.29", "single,code2seq,JM,LX,45.28"
            ),
            "single",
            ("JM", "LX", "code2seq"),
        ),
        (
            make_change(
                "correct_vs_incorrect",
                "correct,code2vec,JS,BX,15.71",
                "correct,code2vec,JS,BX,16.71",
            ),
            "before",
            ("JS", "BX", "code2vec"),
        ),
        (
            make_change("num_of_stmt", "60.92,53.85", "60.92,53.86"),
            "size",
            ("JS", "BX", "code2vec"),
        ),
        (
            make_change("num_of_stmt", "67.71,39.97", "67.71,09.97"),
            "buckets",
            ("JS", "UN", "code2vec"),
        ),
        (
            make_change("prf1_subtoken", "06.66,32.89,30.00", "06.66,32.89,30.40"),
            "f1",
            ("JS", "VN", "ggnn"),
        ),
        (make_change("prf1_subtoken", "JL,UN,370927", "JL,UN,370926"), "methods", ("JL", "UN", "")),
        (
            make_change("pcp_xpercent", "code2seq,LX,JL,50,2899", "code2seq,LX,JL,50,2898"),
            "methods",
            ("JL", "LX", ""),
        ),
        (
            make_change("pcp_details", "JS,SF,01.54", "JS,SF,01.74"),
            "whole",
            ("JS", "SF", "code2vec"),
        ),
        (
            make_change("single_vs_all", "all,code2vec,JS,SF,76.92", "all,code2vec,JS,SF,76.29"),
            "whole",
            ("JS", "SF", "code2vec"),
        ),
        (
            make_change(
                "pcp_xpercent", "code2vec,SF,JL,50,125,73.60", "code2vec,SF,JL,50,125,73.67"
            ),
            "runs",
            ("JL", "SF", "code2vec"),
        ),
        (make_change("pcp_summary", "JS,VN,31113", "JS,VN,31114"), "text", ("", "", "")),
    ],
)
def test_single_changed_number_is_detected(
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    check: str,
    place: tuple[str, str, str],
) -> None:
    monkeypatch.setattr(recipe, "require_dataset", lambda name: tables)
    before = list_outside(compute_cells(RecipeOptions()))
    change(tables)
    new = [
        cell_key
        for cell_key in list_outside(compute_cells(RecipeOptions()))
        if cell_key not in before
    ]
    assert (check, *place) in [cell_key[:4] for cell_key in new]


@pytest.mark.parametrize(
    ("value", "n", "expected"),
    [(33.33, 3, 100 / 3), (33.0, 3, 100 / 3), (68.73, 259, 100 * 178 / 259), (0.0, 5, 0.0)],
)
def test_nearest_percentage_of_a_whole_number(value: float, n: int, expected: float) -> None:
    assert nearest_percentage(value, n) == pytest.approx(expected)
