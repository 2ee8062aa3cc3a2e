"""Tests that the tables of docs/networks-robustness.md agree with the stored runs.

The script reads each run's results.json. The oracle is independent: the gathered scores.csv, and
the study's published files for the figures in brackets.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from codeacumen.tasks.published import read_published
from research.networks.robustness_tables import (
    PAGE,
    ROBUSTNESS,
    TABLES,
    format_markdown,
    update_tables,
)
from research.networks.stored_results import read_stored_rows

TEXT = PAGE.read_text()
TRAININGS = {
    "code2vec": "eighth",
    "code2seq": "eighth",
    "ggnn": "ninth",
    "cognac": "ninth",
    "gtnm": "eighth",
    "spot-cnn": "eighth",
    "transformer": "ninth",
    "codeacumen-base": "ninth",
    "the same, 5th": "fifth",
}


@cache
def read_gathered_scores(training: str) -> dict[tuple[str, ...], float | None]:
    names = ("network", "task", "metric", "evaluation_set")
    return {
        tuple(row[name] for name in names): float(row["value"]) if row["value"] else None
        for row in read_stored_rows(training, "scores.csv")
        if row["task"].startswith("robustness/") and not row["slice"]
    }


def find_gathered_score(model: str, kind: str, metric: str, evaluation_set: str) -> float | None:
    network = "codeacumen-base" if model.startswith("the same") else model
    return read_gathered_scores(TRAININGS[model])[
        network, f"robustness/{kind}", metric, evaluation_set
    ]


def list_cells(name: str, labels: int = 1) -> list[tuple[str, str, str]]:
    """Return label, network and text of each cell of a table."""
    block = TEXT.split(f"<!-- table: {name} -->\n\n", 1)[1].split("\n\n", 1)[0]
    head, _, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in block.splitlines()
    )
    return [
        (", ".join(row[:labels]), model, cell_text)
        for row in rows
        for model, cell_text in zip(head, row, strict=True)
        if model in TRAININGS
    ]


def parse_numbers(cell_text: str) -> list[float]:
    """Return our figures of a cell, without interval and published figures."""
    return [float(number) for number in re.sub(r"[\[(].*", "", cell_text).split(" / ")]


def approximate_score(model: str, kind: str, metric: str, evaluation_set: str = "single") -> object:
    # Gathered scores have five digits, and the page rounds them again.
    return pytest.approx(find_gathered_score(model, kind, metric, evaluation_set), abs=0.051)


def test_page_is_up_to_date() -> None:
    assert update_tables(TEXT) == TEXT, "run research.networks.robustness_tables"


def test_script_makes_every_table_of_the_page() -> None:
    assert re.findall(r"<!-- table: (\S+) -->", TEXT) == list(TABLES)
    assert len(re.findall(r"^\|---", TEXT, re.MULTILINE)) == len(TABLES)


def test_update_tables_mends_wrong_number_and_missing_row() -> None:
    assert TEXT.count("57.5 [55.3, 59.5]") == 1
    assert update_tables(TEXT.replace("57.5 [55.3, 59.5]", "57.6 [55.3, 59.5]")) == TEXT
    lines = TEXT.splitlines(keepends=True)
    lines.remove(next(line for line in lines if line.startswith("| permute, 25% ")))
    assert update_tables("".join(lines)) == TEXT


def test_table_1_agrees_with_results_and_study() -> None:
    block = TEXT.split("<!-- table: table-1 -->\n\n", 1)[1].split("\n\n", 1)[0]
    study = {
        row["model"].lower(): row
        for row in read_published(ROBUSTNESS, "models")
        if (row["table"], row["dataset"]) == ("1", "Java-Small")
    }
    trainings = dict.fromkeys(("cognac", "gtnm", "transformer", "codeacumen-base"), "ninth")
    trainings["classical"] = "classical"
    networks = []
    for line in block.splitlines()[2:]:
        network, *cell_texts = (cell.strip() for cell in line.split("|")[1:-1])
        training = trainings.get(network, "eighth")
        row_of_metric = {
            row["metric"]: row
            for row in read_stored_rows(training, "scores.csv")
            if (row["task"], row["network"]) == ("gluecode/naming", network)
        }
        for name, cell in zip(("precision", "recall", "f1"), cell_texts, strict=True):
            expected = [
                100 * float(row_of_metric[f"corpus_{name}"][column])
                for column in ("value", "low", "high")
            ]
            if network in study:
                expected.append(float(study[network][name]))
            page_numbers = [float(number) for number in re.findall(r"\d+\.\d", cell)]
            assert page_numbers == pytest.approx(expected, abs=0.051)
        networks.append(network)
    assert networks[:3] == [*study]
    assert len(networks) == 13


@pytest.mark.parametrize("name", ["table-2", "table-2-others"])
def test_table_2_agrees_with_results(name: str) -> None:
    for label, model, cell_text in list_cells(name):
        assert parse_numbers(cell_text) == [approximate_score(model, label.split()[0], "pcp")]


def test_figure_2_and_table_3_agree_with_results() -> None:
    for label, model, cell_text in list_cells("figure-2"):
        assert parse_numbers(cell_text) == [
            approximate_score(model, label.split()[0], "pcp", "all")
        ]
    table_3_cells = list_cells("table-3")
    for label, model, cell_text in table_3_cells:
        kind, share = label.split(", ")
        assert parse_numbers(cell_text) == [approximate_score(model, kind, "pcp", share)]
    assert {label.split(", ")[0] for label, _, _ in table_3_cells} == {
        "rename",
        "permute",
        "loop",
        "switch",
        "boolean",
    }


def test_table_4_agrees_with_results_and_shares_add_up() -> None:
    fates = {
        "right, stays right": "ccp",
        "right, becomes wrong": "cwp",
        "wrong, becomes right": "wcp",
        "wrong, stays the same": "wwsp",
        "wrong, becomes another": "wwdp",
    }
    sums: dict[tuple[str, str], float] = {}
    for label, model, cell_text in list_cells("table-4", labels=2):
        kind, fate = label.split(", ", 1)
        (value,) = parse_numbers(cell_text)
        assert value == approximate_score(model, kind, fates[fate])
        sums[model, kind] = sums.get((model, kind), 0.0) + value
    assert len(sums) == 54
    assert list(sums.values()) == pytest.approx([100.0] * 54, abs=0.25)


@pytest.mark.parametrize("name", ["table-5", "table-5-others"])
def test_table_5_agrees_with_results(name: str) -> None:
    for label, model, cell_text in list_cells(name, labels=2):
        kind, metric = label.lower().split(", ")
        assert parse_numbers(cell_text) == [
            approximate_score(model, kind, f"{metric}_{time}") for time in ("before", "after")
        ]


@pytest.mark.parametrize("name", ["figure-3", "figure-3-others"])
def test_figure_3_agrees_with_results(name: str) -> None:
    for label, model, cell_text in list_cells(name):
        share_names = ("cwp_share", "wrong_change_share")
        assert parse_numbers(cell_text) == [
            approximate_score(model, label.split()[0], share_name) for share_name in share_names
        ]


def test_page_has_every_figure_of_the_study() -> None:
    names = [
        table_name
        for table_name in TABLES
        if table_name.startswith(("table", "figure")) and table_name != "table-1"
    ]
    brackets = "".join(
        re.sub(r" \([A-Z]{2}\)", "", format_markdown(TABLES[table_name]())) for table_name in names
    )
    study_figures = [
        figure
        for bracket in re.findall(r"\(([^)]*)\)", brackets)
        for figure in bracket.split(" / ")
    ]
    assert len(study_figures) == len(read_published(ROBUSTNESS, "java_small"))
