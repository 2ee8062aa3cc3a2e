"""Tests that the tables of docs/networks-robustness.md agree with the stored runs.

The script reads each run's results.json. The oracle is independent: the gathered scores.csv, and
the study's published files for the figures in brackets.
"""

from __future__ import annotations

import csv
import re
from functools import cache

import pytest

from codeacumen.datasets.published import read_published
from research.networks.robustness_tables import KEPT, PAGE, ROBUSTNESS, TABLES, markdown, remade

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
def gathered(training: str) -> dict[tuple[str, ...], float | None]:
    names = ("network", "task", "metric", "evaluation_set")
    with (KEPT / training / "scores.csv").open() as stream:
        return {
            tuple(row[one] for one in names): float(row["value"]) if row["value"] else None
            for row in csv.DictReader(stream)
            if row["task"].startswith("robustness/") and not row["slice"]
        }


def kept(model: str, kind: str, metric: str, where: str) -> float | None:
    network = "codeacumen-base" if model.startswith("the same") else model
    return gathered(TRAININGS[model])[network, f"robustness/{kind}", metric, where]


def cells(name: str, labels: int = 1) -> list[tuple[str, str, str]]:
    """Return label, network and text of each cell of a table."""
    block = TEXT.split(f"<!-- table: {name} -->\n\n", 1)[1].split("\n\n", 1)[0]
    head, _, *rows = ([one.strip() for one in line.split("|")[1:-1]] for line in block.splitlines())
    return [
        (", ".join(row[:labels]), model, said)
        for row in rows
        for model, said in zip(head, row, strict=True)
        if model in TRAININGS
    ]


def numbers(said: str) -> list[float]:
    """Return our figures of a cell, without interval and published figures."""
    return [float(one) for one in re.sub(r"[\[(].*", "", said).split(" / ")]


def near(model: str, kind: str, metric: str, where: str = "single") -> object:
    # Gathered scores have five digits, and the page rounds them again.
    return pytest.approx(kept(model, kind, metric, where), abs=0.051)


def test_the_page_is_what_the_script_makes() -> None:
    assert remade(TEXT) == TEXT, "run research.networks.robustness_tables"


def test_every_table_of_the_page_is_made() -> None:
    assert re.findall(r"<!-- table: (\S+) -->", TEXT) == list(TABLES)
    assert len(re.findall(r"^\|---", TEXT, re.MULTILINE)) == len(TABLES)


def test_a_wrong_number_and_a_missing_row_are_noticed() -> None:
    assert TEXT.count("57.5 [55.3, 59.5]") == 1
    assert remade(TEXT.replace("57.5 [55.3, 59.5]", "57.6 [55.3, 59.5]")) == TEXT
    lines = TEXT.splitlines(keepends=True)
    lines.remove(next(line for line in lines if line.startswith("| permute, 25% ")))
    assert remade("".join(lines)) == TEXT


def test_table_1_is_what_was_gathered_and_what_was_published() -> None:
    block = TEXT.split("<!-- table: table-1 -->\n\n", 1)[1].split("\n\n", 1)[0]
    study = {
        row["model"].lower(): row
        for row in read_published(ROBUSTNESS, "models")
        if (row["table"], row["dataset"]) == ("1", "Java-Small")
    }
    trainings = dict.fromkeys(("cognac", "gtnm", "transformer", "codeacumen-base"), "ninth")
    trainings["classical"] = "classical"
    seen = []
    for line in block.splitlines()[2:]:
        network, *said = (one.strip() for one in line.split("|")[1:-1])
        training = trainings.get(network, "eighth")
        with (KEPT / training / "scores.csv").open() as stream:
            kept = {
                row["metric"]: row
                for row in csv.DictReader(stream)
                if (row["task"], row["network"]) == ("gluecode/naming", network)
            }
        for name, cell in zip(("precision", "recall", "f1"), said, strict=True):
            right = [100 * float(kept[f"corpus_{name}"][one]) for one in ("value", "low", "high")]
            if network in study:
                right.append(float(study[network][name]))
            found = [float(one) for one in re.findall(r"\d+\.\d", cell)]
            assert found == pytest.approx(right, abs=0.051)
        seen.append(network)
    assert seen[:3] == [*study]
    assert len(seen) == 13


@pytest.mark.parametrize("name", ["table-2", "table-2-others"])
def test_table_2_is_what_was_gathered(name: str) -> None:
    for label, model, said in cells(name):
        assert numbers(said) == [near(model, label.split()[0], "pcp")]


def test_figure_2_and_table_3_are_what_was_gathered() -> None:
    for label, model, said in cells("figure-2"):
        assert numbers(said) == [near(model, label.split()[0], "pcp", "all")]
    seen = cells("table-3")
    for label, model, said in seen:
        kind, share = label.split(", ")
        assert numbers(said) == [near(model, kind, "pcp", share)]
    assert {label.split(", ")[0] for label, _, _ in seen} == {
        "rename",
        "permute",
        "loop",
        "switch",
        "boolean",
    }


def test_table_4_is_what_was_gathered_and_each_five_add_up() -> None:
    fates = {
        "right, stays right": "ccp",
        "right, becomes wrong": "cwp",
        "wrong, becomes right": "wcp",
        "wrong, stays the same": "wwsp",
        "wrong, becomes another": "wwdp",
    }
    sums: dict[tuple[str, str], float] = {}
    for label, model, said in cells("table-4", labels=2):
        kind, fate = label.split(", ", 1)
        (value,) = numbers(said)
        assert value == near(model, kind, fates[fate])
        sums[model, kind] = sums.get((model, kind), 0.0) + value
    assert len(sums) == 54
    assert list(sums.values()) == pytest.approx([100.0] * 54, abs=0.25)


@pytest.mark.parametrize("name", ["table-5", "table-5-others"])
def test_table_5_is_what_was_gathered(name: str) -> None:
    for label, model, said in cells(name, labels=2):
        kind, metric = label.lower().split(", ")
        assert numbers(said) == [
            near(model, kind, f"{metric}_{one}") for one in ("before", "after")
        ]


@pytest.mark.parametrize("name", ["figure-3", "figure-3-others"])
def test_figure_3_is_what_was_gathered(name: str) -> None:
    for label, model, said in cells(name):
        both = ("cwp_share", "wrong_change_share")
        assert numbers(said) == [near(model, label.split()[0], one) for one in both]


def test_all_that_the_study_has_stands_in_brackets() -> None:
    names = [one for one in TABLES if one.startswith(("table", "figure")) and one != "table-1"]
    brackets = "".join(re.sub(r" \([A-Z]{2}\)", "", markdown(TABLES[one]())) for one in names)
    told = [one for found in re.findall(r"\(([^)]*)\)", brackets) for one in found.split(" / ")]
    assert len(told) == len(read_published(ROBUSTNESS, "java_small"))
