"""Tests of the commands on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.benchmarks.idbench import read_published_correlations
from codeacumen.cli import app
from support import ROOT, Codeacumen

COMMANDS = [
    "eval",
    "score",
    "compare",
    "report",
    "reproduce",
    "tasks",
    "models",
    "corpus",
    "dataset",
    "renames",
    "similar",
    "train",
    "names",
    "measure",
    "transform",
    "survey",
]
EXAMPLE = ROOT / "examples" / "trigram_embedding.py"


def test_help_lists_every_command(codeacumen_here: Codeacumen) -> None:
    text = codeacumen_here("--help").stdout
    assert all(command in text for command in COMMANDS)


def list_commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command below a group, with the words that call it."""
    for name, command in group.commands.items():
        loaded = command._verb.load_command() if hasattr(command, "_verb") else command
        if hasattr(loaded, "commands"):
            yield from list_commands(loaded, (*path, name))
        else:
            yield (*path, name), loaded


def test_every_command_has_a_summary_examples_and_help_for_each_option() -> None:
    import typer.main

    for path, command in list_commands(typer.main.get_command(app)):
        words = " ".join(path)
        assert command.help, words
        examples = (command.epilog or "").splitlines()
        called = [line for line in examples if line.strip().startswith(f"codeacumen {words}")]
        assert called, f"{words}: no example"
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                assert parameter.metavar == (parameter.metavar or "").upper(), words
            if parameter.name != "help" and parameter.param_type_name == "option":
                assert parameter.help, f"{words}: --{parameter.name} has no help"


# Verbs that read a corpus in one pass or one query, so that workers would not help.
ONE_PASS = {"corpus show", "corpus query", "corpus audit", "dataset build misnamed"}


def test_every_verb_that_works_through_a_corpus_has_an_engine() -> None:
    import typer.main

    has_engine: dict[str, bool] = {}
    for path, command in list_commands(typer.main.get_command(app)):
        names = {parameter.name for parameter in command.params}
        sources = [str(parameter.metavar) for parameter in command.params]
        if any(metavar.startswith(("CORPUS", "SOURCE")) for metavar in sources):
            has_engine[" ".join(path)] = "engine" in names
            assert ("workers" in names) == ("engine" in names), path
    assert {words for words, is_offered in has_engine.items() if not is_offered} == ONE_PASS
    assert len(has_engine) > 15


def test_shell_completion_is_available() -> None:
    # The shell is detected among the parent processes, and the tests may not run in one.
    command = f"'{sys.executable}' -m codeacumen --show-completion; true"
    completed = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "_CODEACUMEN_COMPLETE" in completed.stdout


def test_eval_without_data_scores_and_reports_missing_data(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    completed = codeacumen_here("eval", "--out", tmp_path / "run")
    assert completed.returncode == 0, completed.stderr
    assert "abbreviations/expand" in completed.stdout
    assert "idbench" in completed.stderr
    assert "data not installed" in completed.stderr
    assert (tmp_path / "run" / "results.json").is_file()


def test_missing_data_hints_at_dataset_get(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen_here(
        "eval", "-m", "levenshtein", "-t", "idbench", "--out", tmp_path / "run"
    )
    assert completed.returncode == 2
    assert "codeacumen dataset get idbench --from DIR" in completed.stderr
    assert "Traceback" not in completed.stderr


def test_json_output_is_only_json(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    out = tmp_path / "run"
    completed = codeacumen_here(
        "eval", "-m", "levenshtein", "-t", "abbreviations", "-o", out, "--json"
    )
    assert json.loads(completed.stdout)["schema"] == "codeacumen.results/3"
    task_rows = json.loads(codeacumen_here("tasks", "list", "--json").stdout)
    assert set(task_rows[0]) == {"name", "summary", "origin", "benchmark", "installed", "command"}
    task = json.loads(codeacumen_here("tasks", "show", "abbreviations/match", "--json").stdout)
    assert task["instances"] == 475
    card = json.loads(codeacumen_here("models", "show", "random:seed=3", "--json").stdout)
    assert card["settings"] == {"seed": 3}


def test_eval_with_a_plug_in_model(codeacumen: Codeacumen, tmp_path: Path) -> None:
    """The documentation's worked example is a model in a single file without a package."""
    completed = codeacumen(
        "eval",
        "--plugin",
        EXAMPLE,
        "-m",
        "trigrams",
        "-m",
        "trigrams:case=true",
        "-t",
        "abbreviations",
        "-o",
        tmp_path / "run",
        "--json",
    )
    cells = json.loads(completed.stdout)["cells"]
    assert {cell["model"] for cell in cells} == {"trigrams", "trigrams:case=true"}
    assert all(cell["scores"][0]["value"] > 0.6 for cell in cells)


def test_compare_models_and_runs(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    first_run, second_run = tmp_path / "one", tmp_path / "two"
    codeacumen_here(
        "eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations/expand", "-o", first_run
    )
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", second_run)
    completed = codeacumen_here(
        "compare", first_run, second_run, "jaro-winkler", "-t", "abbreviations/expand", "--json"
    )
    assert completed.returncode == 0, completed.stderr
    (comparison,) = json.loads(completed.stdout)
    assert set(comparison["values"]) == {
        f"levenshtein ({first_run})",
        f"levenshtein ({second_run})",
        "random",
        "jaro-winkler",
    }
    verdicts = {
        frozenset((test["first"], test["second"])): test["different"]
        for test in comparison["tests"]
    }
    assert not verdicts[frozenset((f"levenshtein ({first_run})", f"levenshtein ({second_run})"))]
    assert verdicts[frozenset(("jaro-winkler", "random"))]
    table = codeacumen_here("compare", "levenshtein", "random", "-t", "abbreviations/expand").stdout
    assert "McNemar" in table
    assert "smallest visible" in table


def test_incomplete_comparison_is_rejected(codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here("compare", "levenshtein", "random")
    assert completed.returncode == 2
    assert "--task" in completed.stderr
    completed = codeacumen_here(
        "compare", "levenshtein", "random", "-t", "abbreviations", "--evaluation-set", "x"
    )
    assert "no evaluation set" in completed.stderr


def test_reproduce_idbench(codeacumen: Codeacumen, idbench: Path) -> None:
    """63 cells of the seven techniques agree within 0.0005, nine cells of the ensemble within 0.02.
    The documentation shows the output without --json."""
    completed = codeacumen("reproduce", "idbench", "--resamples", "100", "--json")
    assert completed.returncode == 0, completed.stderr
    cells = json.loads(completed.stdout)
    required_keys = {
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
    assert all(required_keys <= set(cell) for cell in cells)
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
    assert sum(count for _, count in rows.values()) == 2 * 786
    assert all(equal == count for equal, count in rows.values())


def test_reproduce_reports_a_changed_cell(
    codeacumen_here: Codeacumen, idbench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong number in the published table, 0.4933 for 0.4833, gives exit code 1.

    Only the fast techniques are run.
    """
    table = [
        correlation
        for correlation in read_published_correlations()
        if correlation.technique in ("LV", "NW")
    ]
    assert len(table) == 18
    (index,) = (index for index, correlation in enumerate(table) if correlation.value == 0.4833)
    monkeypatch.setattr(
        "codeacumen.benchmarks.idbench.reproduce.read_published_correlations", lambda: table
    )
    completed = codeacumen_here("reproduce", "idbench", "--resamples", "100")
    assert completed.returncode == 0, completed.stderr
    table[index] = replace(table[index], value=0.4933)
    completed = codeacumen_here("reproduce", "idbench", "--resamples", "100")
    assert completed.returncode == 1
    assert "numbers outside their tolerance: 1" in completed.stderr


def test_report_is_written(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    run, pictures = tmp_path / "run", tmp_path / "figures"
    codeacumen_here("eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations", "-o", run)
    completed = codeacumen_here("report", run, "--plots", pictures, "--format", "svg")
    assert completed.returncode == 0, completed.stderr
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
        ["dataset", "get", "nothing"],
        ["tasks", "show", "nothing"],
    ],
)
def test_errors_have_no_traceback(codeacumen_here: Codeacumen, arguments: list[str]) -> None:
    completed = codeacumen_here(*arguments)
    assert completed.returncode == 2
    assert "error: " in completed.stderr
    assert "Traceback" not in completed.stderr


def test_unwritable_path_is_reported(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    completed = codeacumen_here(
        "eval", "-m", "random", "-t", "abbreviations", "-o", tmp_path / "file" / "run"
    )
    assert completed.returncode == 2
    assert "error: " in completed.stderr
    assert "Traceback" not in completed.stderr


def test_closed_pipe_is_no_error(home: Path, tmp_path: Path) -> None:
    import subprocess
    import sys

    completed = subprocess.run(
        f'"{sys.executable}" -m codeacumen tasks list | head -1',
        shell=True,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in completed.stderr
    assert "error" not in completed.stderr


def test_error_of_a_model_cannot_control_the_terminal(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    plugin = tmp_path / "rude.py"
    plugin.write_text(
        "from codeacumen.registry import model\n"
        "class Rude:\n"
        "    def similarity(self, pairs):\n"
        "        raise ValueError('\\x1b[2J\\udcff')\n"
        "model('rude')(Rude)\n"
    )
    completed = codeacumen(
        "eval", "--plugin", plugin, "-m", "rude", "-t", "abbreviations/match", "-o", tmp_path / "r"
    )
    assert completed.returncode == 1
    assert "475 of 475 instances failed" in completed.stderr
    assert "\x1b[2J" not in completed.stderr + completed.stdout
    assert "\\x1b[2J" in completed.stderr


def test_answers_changed_after_scoring_are_not_compared(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    codeacumen_here(
        "eval", "-m", "random", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", run
    )
    answers = run / "answers" / "abbreviations" / "expand" / "random.jsonl"
    answers.write_text(answers.read_text().replace('"abstract"}', '"account"}'))
    completed = codeacumen_here("compare", run)
    assert completed.returncode == 2
    assert "changed after they were scored" in completed.stderr


def test_a_member_of_an_ensemble_may_have_settings(codeacumen_here: Codeacumen) -> None:
    completed = codeacumen_here(
        "models", "show", "ensemble:levenshtein:decimals=2,jaro-winkler", "--json"
    )
    assert json.loads(completed.stdout)["settings"]["members"] == [
        "levenshtein:decimals=2",
        "jaro-winkler",
    ]


def test_broken_package_does_not_affect_other_models(
    codeacumen: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "site" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[codeacumen.models]\nbroken = broken:model\n"
        "[codeacumen.tasks]\nbroken/task = broken:task\n"
    )
    (tmp_path / "site" / "broken.py").write_text("raise RuntimeError('not today')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    completed = codeacumen("eval", "-m", "levenshtein", "-o", tmp_path / "run")
    assert completed.returncode == 0, completed.stderr
    assert "not today" in completed.stderr
    completed = codeacumen("eval", "-t", "abbreviations/match", "-o", tmp_path / "run")
    assert completed.returncode == 0, completed.stderr
    # A broken package is reported with its error; models that need a setting are only listed.
    unready, fault = completed.stderr.splitlines()
    assert "a setting or a package is missing" in unready
    assert "nearest-namer" in unready
    assert "not today" in fault
    assert codeacumen("models", "show", "levenshtein").returncode == 0


def test_tables_show_the_supervision_of_models(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen_here(
        "eval",
        "-m",
        "oracle",
        "-m",
        "ensemble:levenshtein",
        "-m",
        "levenshtein",
        "-t",
        "abbreviations/match",
        "-o",
        tmp_path / "run",
    )
    row_by_model = {
        line.split()[0]: line for line in completed.stdout.splitlines() if "475 of 475" in line
    }
    assert "knows the labels" in row_by_model["oracle"]
    assert "leave-one-out" in row_by_model["ensemble:levenshtein"]
    assert "labels" not in row_by_model["levenshtein"]


def test_model_and_its_run_have_distinct_names(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    run = tmp_path / "run"
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", run)
    completed = codeacumen_here("compare", run, "levenshtein", "--json")
    (comparison,) = json.loads(completed.stdout)
    assert set(comparison["values"]) == {"levenshtein", "levenshtein (evaluated now)"}


def test_task_with_one_model_is_skipped_in_comparisons(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    first_run, second_run = tmp_path / "one", tmp_path / "two"
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", first_run)
    codeacumen_here("eval", "-m", "random", "-t", "abbreviations/expand", "-o", second_run)
    completed = codeacumen_here("compare", first_run, second_run, "--json")
    assert [comparison["task"] for comparison in json.loads(completed.stdout)] == [
        "abbreviations/expand"
    ]
    assert "abbreviations/match: fewer than two models" in completed.stderr


def test_model_that_fits_no_task_is_an_error(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen_here("eval", "-m", "ft-cbow", "-o", tmp_path / "run")
    assert completed.returncode == 2
    assert "no model can answer a task" in completed.stderr
    assert not (tmp_path / "run" / "results.json").exists()


def test_damaged_data_is_reported(
    codeacumen_here: Codeacumen, idbench: Path, tmp_path: Path
) -> None:
    file = idbench / "small_pair_wise.csv"
    file.write_bytes(file.read_bytes()[:3000])
    completed = codeacumen_here(
        "eval", "-m", "levenshtein", "-t", "idbench", "-o", tmp_path / "run"
    )
    assert completed.returncode == 2
    assert "1 of 6 files are missing or damaged" in completed.stderr
    assert "codeacumen dataset get idbench" in codeacumen_here("dataset", "list").stdout
