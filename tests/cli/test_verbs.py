"""The verbs on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.benchmarks.idbench.figures import published_correlations
from codeacumen.cli import app
from support import ROOT, Codeacumen

VERBS = [
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


def test_help_names_every_verb(codeacumen_here: Codeacumen) -> None:
    text = codeacumen_here("--help").stdout
    assert all(verb in text for verb in VERBS)


def list_commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command below a group, with the words that call it."""
    for name, command in group.commands.items():
        loaded = command._verb.load() if hasattr(command, "_verb") else command
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
            if parameter.name != "help" and parameter.param_type_name == "option":
                assert parameter.help, f"{words}: --{parameter.name} has no help"


def test_completion_is_offered() -> None:
    # The shell is looked for among the processes above; the tests' own may be none.
    command = f"'{sys.executable}' -m codeacumen --show-completion; true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "_CODEACUMEN_COMPLETE" in done.stdout


def test_a_new_user_without_data_gets_scores_and_is_told_what_is_missing(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    done = codeacumen_here("eval", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "abbreviations/expand" in done.stdout
    assert "idbench" in done.stderr
    assert "the data is not here" in done.stderr
    assert (tmp_path / "run" / "results.json").is_file()


def test_asking_for_absent_data_says_how_to_get_it(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    done = codeacumen_here("eval", "-m", "levenshtein", "-t", "idbench", "--out", tmp_path / "run")
    assert done.returncode == 2
    assert "codeacumen dataset get idbench --from DIR" in done.stderr
    assert "Traceback" not in done.stderr


def test_json_is_json_and_nothing_else(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", out, "--json")
    assert json.loads(done.stdout)["schema"] == "codeacumen.results/2"
    listed = json.loads(codeacumen_here("tasks", "list", "--json").stdout)
    assert set(listed[0]) == {"name", "summary", "origin", "benchmark", "here", "command"}
    shown = json.loads(codeacumen_here("tasks", "show", "abbreviations/match", "--json").stdout)
    assert shown["instances"] == 475
    card = json.loads(codeacumen_here("models", "show", "random:seed=3", "--json").stdout)
    assert card["settings"] == {"seed": 3}


def test_an_embedding_of_your_own(codeacumen: Codeacumen, tmp_path: Path) -> None:
    """The worked example of the documentation: a file with a model, no package."""
    done = codeacumen(
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
    cells = json.loads(done.stdout)["cells"]
    assert {cell["model"] for cell in cells} == {"trigrams", "trigrams:case=true"}
    assert all(cell["scores"][0]["value"] > 0.6 for cell in cells)


def test_compare_models_and_runs(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    codeacumen_here(
        "eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations/expand", "-o", one
    )
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", two)
    done = codeacumen_here(
        "compare", one, two, "jaro-winkler", "-t", "abbreviations/expand", "--json"
    )
    assert done.returncode == 0, done.stderr
    (comparison,) = json.loads(done.stdout)
    assert set(comparison["values"]) == {
        f"levenshtein ({one})",
        f"levenshtein ({two})",
        "random",
        "jaro-winkler",
    }
    verdicts = {
        frozenset((test["first"], test["second"])): test["different"]
        for test in comparison["tests"]
    }
    assert not verdicts[frozenset((f"levenshtein ({one})", f"levenshtein ({two})"))]
    assert verdicts[frozenset(("jaro-winkler", "random"))]
    table = codeacumen_here("compare", "levenshtein", "random", "-t", "abbreviations/expand").stdout
    assert "McNemar" in table
    assert "smallest visible" in table


def test_compare_says_what_it_needs(codeacumen_here: Codeacumen) -> None:
    done = codeacumen_here("compare", "levenshtein", "random")
    assert done.returncode == 2
    assert "--task" in done.stderr
    done = codeacumen_here(
        "compare", "levenshtein", "random", "-t", "abbreviations", "--evaluation-set", "x"
    )
    assert "no evaluation set" in done.stderr


def test_reproduce_idbench(codeacumen: Codeacumen, idbench: Path) -> None:
    """63 cells of the seven techniques within 0.0005, nine of the ensemble within 0.02. What is
    printed without --json, the page of the documentation shows."""
    done = codeacumen("reproduce", "idbench", "--resamples", "100", "--json")
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


def test_reproduce_notices_a_cell_that_is_off(
    codeacumen_here: Codeacumen, idbench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single wrong number in the published table, 0.4933 for 0.4833, must end in exit code 1.
    Without the techniques that take longer."""
    table = [one for one in published_correlations() if one.technique in ("LV", "NW")]
    assert len(table) == 18
    (place,) = (place for place, one in enumerate(table) if one.value == 0.4833)
    monkeypatch.setattr(
        "codeacumen.benchmarks.idbench.reproduce.published_correlations", lambda: table
    )
    done = codeacumen_here("reproduce", "idbench", "--resamples", "100")
    assert done.returncode == 0, done.stderr
    table[place] = replace(table[place], value=0.4933)
    done = codeacumen_here("reproduce", "idbench", "--resamples", "100")
    assert done.returncode == 1
    assert "numbers outside their tolerance: 1" in done.stderr


def test_report_is_written(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    run, pictures = tmp_path / "run", tmp_path / "figures"
    codeacumen_here("eval", "-m", "levenshtein", "-m", "random", "-t", "abbreviations", "-o", run)
    done = codeacumen_here("report", run, "--plots", pictures, "--format", "svg")
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
        ["dataset", "get", "nothing"],
        ["tasks", "show", "nothing"],
    ],
)
def test_mistakes_get_an_answer_not_a_traceback(
    codeacumen_here: Codeacumen, arguments: list[str]
) -> None:
    done = codeacumen_here(*arguments)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_path_that_cannot_be_written_gets_an_answer(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = codeacumen_here(
        "eval", "-m", "random", "-t", "abbreviations", "-o", tmp_path / "file" / "run"
    )
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough_is_no_error(home: Path, tmp_path: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        f'"{sys.executable}" -m codeacumen tasks list | head -1',
        shell=True,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr


def test_a_models_error_cannot_steer_the_terminal(codeacumen: Codeacumen, tmp_path: Path) -> None:
    plugin = tmp_path / "rude.py"
    plugin.write_text(
        "from codeacumen.registry import model\n"
        "class Rude:\n"
        "    def similarity(self, pairs):\n"
        "        raise ValueError('\\x1b[2J\\udcff')\n"
        "model('rude')(Rude)\n"
    )
    done = codeacumen(
        "eval", "--plugin", plugin, "-m", "rude", "-t", "abbreviations/match", "-o", tmp_path / "r"
    )
    assert done.returncode == 1
    assert "475 of 475 instances failed" in done.stderr
    assert "\x1b[2J" not in done.stderr + done.stdout
    assert "\\x1b[2J" in done.stderr


def test_answers_changed_after_scoring_are_not_compared(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    codeacumen_here(
        "eval", "-m", "random", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", run
    )
    answers = run / "answers" / "abbreviations" / "expand" / "random.jsonl"
    answers.write_text(answers.read_text().replace('"abstract"}', '"account"}'))
    done = codeacumen_here("compare", run)
    assert done.returncode == 2
    assert "changed after they were scored" in done.stderr


def test_a_member_of_an_ensemble_may_have_settings(codeacumen_here: Codeacumen) -> None:
    done = codeacumen_here(
        "models", "show", "ensemble:levenshtein:decimals=2,jaro-winkler", "--json"
    )
    assert json.loads(done.stdout)["settings"]["members"] == [
        "levenshtein:decimals=2",
        "jaro-winkler",
    ]


def test_somebody_elses_broken_package_spoils_only_its_own(
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
    done = codeacumen("eval", "-m", "levenshtein", "-o", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "not today" in done.stderr
    done = codeacumen("eval", "-t", "abbreviations/match", "-o", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    # What is at fault is told with its reason; what needs a setting is not at fault.
    unready, fault = done.stderr.splitlines()
    assert "need a setting or a package" in unready
    assert "nearest-namer" in unready
    assert "not today" in fault
    assert codeacumen("models", "show", "levenshtein").returncode == 0


def test_tables_say_who_has_seen_labels(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen_here(
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
    told = {line.split()[0]: line for line in done.stdout.splitlines() if "475 of 475" in line}
    assert "has seen the labels" in told["oracle"]
    assert "leave-one-out" in told["ensemble:levenshtein"]
    assert "labels" not in told["levenshtein"]


def test_a_model_beside_its_own_run_is_told_apart(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations/expand", "-o", run)
    done = codeacumen_here("compare", run, "levenshtein", "--json")
    (comparison,) = json.loads(done.stdout)
    assert set(comparison["values"]) == {"levenshtein", "levenshtein (asked now)"}


def test_a_task_with_one_model_does_not_keep_others_from_being_compared(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    codeacumen_here("eval", "-m", "levenshtein", "-t", "abbreviations", "-o", one)
    codeacumen_here("eval", "-m", "random", "-t", "abbreviations/expand", "-o", two)
    done = codeacumen_here("compare", one, two, "--json")
    assert [c["task"] for c in json.loads(done.stdout)] == ["abbreviations/expand"]
    assert "abbreviations/match: fewer than two models" in done.stderr


def test_nothing_to_ask_is_no_success(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen_here("eval", "-m", "ft-cbow", "-o", tmp_path / "run")
    assert done.returncode == 2
    assert "no model can answer a task" in done.stderr
    assert not (tmp_path / "run" / "results.json").exists()


def test_damaged_data_is_noticed(
    codeacumen_here: Codeacumen, idbench: Path, tmp_path: Path
) -> None:
    file = idbench / "small_pair_wise.csv"
    file.write_bytes(file.read_bytes()[:3000])
    done = codeacumen_here("eval", "-m", "levenshtein", "-t", "idbench", "-o", tmp_path / "run")
    assert done.returncode == 2
    assert "1 of 6 files are missing or damaged" in done.stderr
    assert "codeacumen dataset get idbench" in codeacumen_here("dataset", "list").stdout
