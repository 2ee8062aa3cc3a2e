"""Tests of `codeacumen dataset`, and of the commands that use a data set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora import build_single_file_corpus, read_files
from support import SHARED, Codeacumen

SOURCE = """class Till {
    int sum;
    int add(int amount) { return sum += amount; }
    int addTwice(int amount) {
        int before = sum;
        add(amount);
        add(amount);
        int after = sum;
        return after - before;
    }
    int sumOf(int[] amounts, int times) {
        int found = 0;
        for (int amount : amounts) found += amount * times;
        return found;
    }
    boolean isEmpty(Till other) { Till one = other; return one.sum == 0 && sum == 0; }
}
"""

# A model that names a method after its first parameter; only renaming changes the answer.
NAMER = '''
import re

from codeacumen.registry import model


class FirstVariable:
    batch_size = 8

    def name(self, methods):
        found = [re.search(r"\\\\((?:\\\\w+(?:\\\\[\\\\])? (\\\\w+))", one.text) for one in methods]
        return [one[1] if one else None for one in found]


@model("first-variable")
def make():
    """Names a method after its first parameter"""
    return FirstVariable()
'''.replace("\\\\", "\\")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_single_file_corpus(tmp_path_factory.mktemp("till"), "Till.java", SOURCE).folder


def build_robustness(codeacumen: Codeacumen, corpus: Path, out: Path, *options: str) -> Path:
    completed = codeacumen(
        "dataset", "build", "robustness", corpus, "--out", out, "--split", "all", *options
    )
    assert completed.returncode == 0, completed.stderr
    return out


def test_robustness_from_corpus_to_scores(
    codeacumen: Codeacumen, corpus: Path, tmp_path: Path
) -> None:
    data = build_robustness(
        codeacumen, corpus, tmp_path / "data", "-k", "VN", "-w", "single", "-w", "all"
    )
    (tmp_path / "namer.py").write_text(NAMER)
    plugin = ("--plugin", tmp_path / "namer.py")

    task_rows = json.loads(codeacumen("tasks", "list", "-t", f"robustness@{data}", "--json").stdout)
    assert task_rows == [
        {
            "name": "robustness/rename",
            "summary": "Stability of the predicted name when a variable is renamed",
            "origin": "data",
            "benchmark": "robustness",
            "installed": True,
            "command": "",
        }
    ]
    task_output = codeacumen("tasks", "show", f"robustness/rename@{data}")
    assert "Prediction change (PCP, %)" in task_output.stdout

    run = tmp_path / "run"
    completed = codeacumen(
        "eval",
        *plugin,
        "-m",
        "first-variable",
        "-m",
        "majority",
        "-m",
        "oracle",
        "-t",
        f"robustness@{data}",
        "-o",
        run,
    )
    assert completed.returncode == 0, completed.stderr
    rows = [line.split() for line in completed.stdout.splitlines()]
    ranked = [row[0] for row in rows if len(row) > 5 and row[1] in ("0.000", "40.000")]
    assert ranked[:3] == ["majority", "oracle", "first-variable"]
    assert any(row[:1] == ["wrong_change_share"] for row in rows)
    # The first parameter of each of four methods is renamed once, among ten variants.
    cells = json.loads((run / "results.json").read_text())["cells"]
    (scores,) = [cell["scores"] for cell in cells if cell["model"] == "first-variable"]
    assert (scores[0]["metric"], scores[0]["value"], scores[0]["n"]) == ("pcp", 40.0, 10)
    by_mode = {
        score["evaluation_set"]: score["value"] for score in scores if score["metric"] == "pcp"
    }
    assert by_mode["all"] == 100.0

    # A run stores the folder of its data set.
    completed = codeacumen("compare", run, "--json")
    assert completed.returncode == 0, completed.stderr
    assert list(json.loads(completed.stdout)[0]["values"]) == [
        "majority",
        "oracle",
        "first-variable",
    ]

    answers = run / "answers" / "robustness" / "rename" / "first-variable.jsonl"
    completed = codeacumen("score", answers, "-t", f"robustness/rename@{data}", "--json")
    assert json.loads(completed.stdout)["cells"][0]["scores"] == scores

    completed = codeacumen("report", run)
    assert completed.returncode == 0, completed.stderr
    assert "the data set is not available" not in (run / "report.html").read_text()

    moved = data.rename(tmp_path / "moved")
    completed = codeacumen("compare", run)
    assert completed.returncode == 2
    assert f"its data set robustness is no longer in {data}" in completed.stderr
    assert codeacumen("compare", run, "-t", f"robustness@{moved}").returncode == 0
    page = tmp_path / "without.html"
    assert codeacumen("report", run, "-o", page).returncode == 0
    assert "the data set is not available" in page.read_text()
    assert codeacumen("report", run, "-t", f"robustness@{moved}", "-o", page).returncode == 0
    assert "the data set is not available" not in page.read_text()


def test_workers_do_not_change_the_data(
    codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("-k", "rename", "--limit", "4", "--seed", "3", "--json", "-j")
    reports = []
    for workers in ("1", "2"):
        completed = codeacumen_here(
            "dataset",
            "build",
            "robustness",
            corpus,
            "--out",
            tmp_path / workers,
            "--split",
            "all",
            *options,
            workers,
        )
        assert completed.returncode == 0, completed.stderr
        reports.append(json.loads(completed.stdout))
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert read_files(tmp_path / "1") == read_files(tmp_path / "2")
    about = json.loads((tmp_path / "1" / "dataset.json").read_text())
    assert reports == [about, about]
    assert about["settings"]["most"] == 4
    assert about["counts"]["variants"]["rename"]["single"] == 4
    assert about["counts"]["variants_found"]["rename"]["single"] == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-k", "refactor"], "there is no transformation 'refactor'"),
        (["-k", "rename", "-w", "some"], "there is no mode 'some'"),
        (["-k", "rename", "--certify", "hopes"], "hopes"),
    ],
)
def test_unknown_settings_are_errors(
    codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    completed = codeacumen_here(
        "dataset", "build", "robustness", corpus, "--out", tmp_path / "data", *options
    )
    assert completed.returncode == 2
    assert message in completed.stderr
    assert not (tmp_path / "data").exists()


def test_folder_that_is_not_a_data_set_is_rejected(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    completed = codeacumen_here("eval", "-t", f"robustness@{tmp_path}", "-m", "oracle")
    assert completed.returncode == 2
    assert "a folder that `codeacumen dataset build` wrote" in completed.stderr


def test_published_data_sets_are_shown_and_exported(
    codeacumen_here: Codeacumen, idbench: Path, tmp_path: Path
) -> None:
    data_sets = json.loads(codeacumen_here("dataset", "list", "--json").stdout)
    assert {row["name"]: row["installed"] for row in data_sets["published"]}["idbench"]
    assert "gluecode" in [row["name"] for row in data_sets["built"]]
    show_output = codeacumen_here("dataset", "show", "idbench").stdout
    assert "large_pair_wise.csv" in show_output
    file = tmp_path / "pairs.csv"
    completed = codeacumen_here("dataset", "export", "idbench/similarity/large", "--out", file)
    assert completed.returncode == 0, completed.stderr
    assert file.read_text().splitlines()[0] == "task,id,left,right,relation"
    completed = codeacumen_here("dataset", "export", "idbench/similarity/large", "--out", "-")
    assert json.loads(completed.stdout.splitlines()[0])["task"] == "idbench/similarity/large"


def test_a_built_data_set_is_shown(codeacumen: Codeacumen, corpus: Path, tmp_path: Path) -> None:
    data = build_robustness(codeacumen, corpus, tmp_path / "data", "-k", "VN")
    text = codeacumen("dataset", "show", data).stdout
    assert "robustness/rename" in text
    assert "split=all" in text
    about = json.loads(codeacumen("dataset", "show", data, "--json").stdout)
    assert about["tasks"] == ["robustness/rename"]
    completed = codeacumen("dataset", "show", tmp_path)
    assert completed.returncode == 2
    assert "codeacumen dataset build" in completed.stderr


def test_benchmark_without_data_hints_at_the_build_command(codeacumen: Codeacumen) -> None:
    completed = codeacumen("eval", "-m", "majority", "-t", "gluecode")
    assert completed.returncode == 2
    assert "codeacumen dataset build gluecode CORPUS --out gluecode" in completed.stderr


def test_help_has_examples(codeacumen_here: Codeacumen) -> None:
    text = codeacumen_here("dataset", "build", "robustness", "--help").stdout
    assert "codeacumen dataset build robustness corpus" in text.partition("Examples:")[2]
    assert "dataset" in codeacumen_here("--help").stdout


def test_reproduce_generalizability(codeacumen_here: Codeacumen) -> None:
    """Inconsistent rows of the published tables give exit code 1."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")
    completed = codeacumen_here("reproduce", "generalizability")
    assert completed.returncode == 2
    assert "codeacumen dataset get tnpa" in completed.stderr
    assert codeacumen_here("dataset", "get", "tnpa", "--from", SHARED / "tnpa").returncode == 0
    completed = codeacumen_here("reproduce", "generalizability")
    assert completed.returncode == 1
    assert "CWP + WCP + WWDP = PCP of Table 2" in completed.stdout
    assert "Inconsistent numbers" in completed.stdout
    assert "numbers outside their tolerance: 33" in completed.stderr
    cells = json.loads(codeacumen_here("reproduce", "generalizability", "--json").stdout)
    inconsistent = [cell for cell in cells if cell["verdict"] == "outside"]
    assert len(inconsistent) == 33
    assert "all six fit 248 methods" in {cell["note"] for cell in inconsistent}
