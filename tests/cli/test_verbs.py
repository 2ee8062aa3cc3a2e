"""Every verb as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import ROOT, Acumen

VERBS = ["data", "tasks", "models", "eval", "score", "compare", "reproduce", "report"]
EXAMPLE = ROOT / "examples" / "trigram_embedding.py"


def test_help_names_every_verb(acumen: Acumen) -> None:
    text = acumen("--help").stdout
    assert all(verb in text for verb in VERBS)


@pytest.mark.parametrize("verb", ["eval", "score", "compare", "reproduce", "report", "data get"])
def test_help_has_an_example(acumen: Acumen, verb: str) -> None:
    assert "Example: acumen" in acumen(*verb.split(), "--help").stdout


def test_completion_is_offered(acumen: Acumen) -> None:
    assert "_ACUMEN_COMPLETE" in acumen("--show-completion", "bash").stdout


def test_a_new_user_without_data_gets_scores_and_is_told_what_is_missing(
    acumen: Acumen, tmp_path: Path
) -> None:
    done = acumen("eval", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "abbreviations/expand" in done.stdout
    assert "idbench" in done.stderr
    assert "data is not here" in done.stderr
    assert (tmp_path / "run" / "results.json").is_file()


def test_asking_for_absent_data_says_how_to_get_it(acumen: Acumen, tmp_path: Path) -> None:
    done = acumen("eval", "-m", "levenshtein", "-t", "idbench", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "acumen data get idbench --from DIR" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_json_and_nothing_else(acumen: Acumen, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = acumen("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", out, "--json")
    assert json.loads(done.stdout)["schema"] == "acumen.results/1"
    listed = json.loads(acumen("tasks", "list", "--json").stdout)
    assert {"name", "summary", "origin"} == set(listed[0])
    shown = json.loads(acumen("tasks", "show", "abbreviations/match", "--json").stdout)
    assert shown["instances"] == 475
    card = json.loads(acumen("models", "show", "random:seed=3", "--json").stdout)
    assert card["settings"] == {"seed": 3}


def test_an_embedding_of_your_own(acumen: Acumen, tmp_path: Path) -> None:
    """The worked example of the documentation: a file with a model, no package."""
    done = acumen(
        "eval", "--plugin", EXAMPLE, "-m", "trigrams", "-m", "trigrams:case=true",
        "-t", "abbreviations", "-o", tmp_path / "run", "--json",
    )  # fmt: skip
    cells = json.loads(done.stdout)["cells"]
    assert {cell["model"] for cell in cells} == {"trigrams", "trigrams:case=true"}
    assert all(cell["scores"][0]["value"] > 0.6 for cell in cells)


def test_compare_models_and_runs(acumen: Acumen, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    acumen("eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations/expand", "-o", one)
    acumen("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", two)
    done = acumen("compare", one, two, "jaro-winkler", "-t", "abbreviations/expand", "--json")
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)
    assert set(comparison["values"]) == {
        f"levenshtein ({one})", f"levenshtein ({two})", "random", "jaro-winkler",
    }  # fmt: skip
    verdicts = {
        frozenset((test["first"], test["second"])): test["different"]
        for test in comparison["tests"]
    }
    assert not verdicts[frozenset((f"levenshtein ({one})", f"levenshtein ({two})"))]
    assert verdicts[frozenset(("jaro-winkler", "random"))]
    table = acumen("compare", "levenshtein", "random", "-t", "abbreviations/expand").stdout
    assert "McNemar" in table
    assert "smallest visible" in table


def test_compare_says_what_it_needs(acumen: Acumen) -> None:
    done = acumen("compare", "levenshtein", "random")
    assert done.returncode == 2
    assert "--task" in done.stderr
    done = acumen("compare", "levenshtein", "random", "-t", "abbreviations", "--convention", "x")
    assert "no convention" in done.stderr


def test_reproduce_idbench(acumen: Acumen, idbench: Path) -> None:
    """63 cells of the seven techniques within 0.0005, nine of the ensemble within 0.02."""
    done = acumen("reproduce", "idbench", "--resamples", "200", "--json")
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)
    wanted = {
        "table",
        "task",
        "size",
        "technique",
        "n",
        "ours",
        "published",
        "difference",
        "verdict",
    }
    assert all(wanted <= set(cell) for cell in cells)
    figure = [cell for cell in cells if cell["table"] == "figure 2"]
    seven = [cell for cell in figure if cell["technique"] != "combined"]
    assert len(seven) == 63
    assert all(abs(cell["ours"] - cell["published"]) <= 0.0005 for cell in seven)
    ensemble = [cell for cell in figure if cell["technique"] == "combined"]
    assert len(ensemble) == 9
    assert all(abs(cell["ours"] - cell["published"]) <= 0.02 for cell in ensemble)
    assert all(cell["verdict"] == "within" for cell in figure)
    subsets = [cell for cell in cells if cell["table"] == "figure 3"]
    assert len(subsets) == 5 * 3 * 7
    assert all(cell["low"] <= cell["ours"] <= cell["high"] for cell in subsets)
    rows = {
        (cell["technique"], cell["size"]): (cell["ours"], cell["n"])
        for cell in cells
        if cell["table"] == "columns"
    }
    assert sum(n for _, n in rows.values()) == 2 * 786
    assert all(equal == n for equal, n in rows.values())
    text = acumen("reproduce", "idbench", "--resamples", "200").stdout
    assert "72 of 72 cells within tolerance" in text
    assert "LV from scratch: 786 of 786" in text


def test_reproduce_notices_a_cell_that_is_off(
    acumen: Acumen, idbench: Path, tmp_path: Path
) -> None:
    """A single wrong number in the published table must end in exit code 1: run against a copy
    of the package whose table says 0.4933 where it should say 0.4833."""
    import os
    import shutil

    copy = tmp_path / "src" / "acumen"
    shutil.copytree(ROOT / "src" / "acumen", copy)
    table = copy / "published" / "idbench_correlations.csv"
    table.write_text(table.read_text().replace("small,154,LV,0.4833", "small,154,LV,0.4933"))
    done = acumen(
        "reproduce", "idbench", "--resamples", "100",
        env={**os.environ, "PYTHONPATH": str(copy.parent)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "1 cells are outside" in done.stderr


def test_report_is_written(acumen: Acumen, tmp_path: Path) -> None:
    run, pictures = tmp_path / "run", tmp_path / "figures"
    acumen("eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations", "-o", run)
    done = acumen("report", run, "--plots", pictures, "--format", "svg")
    assert done.returncode == 0, done.stderr
    assert (run / "report.html").read_text().lstrip().lower().startswith("<!doctype html>")
    assert list(pictures.glob("*.svg"))
    assert not list(pictures.glob("*.png"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "nowhere"],
        ["compare", "nowhere", "neither", "-t", "abbreviations"],
        ["score", "nowhere.jsonl", "-t", "abbreviations/match"],
        ["eval", "-m", "levenstein"],
        ["eval", "--plugin", "nowhere.py"],
        ["reproduce", "nothing"],
        ["data", "get", "nothing"],
        ["tasks", "show", "nothing"],
    ],
)
def test_mistakes_get_an_answer_not_a_traceback(acumen: Acumen, arguments: list[str]) -> None:
    done = acumen(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
