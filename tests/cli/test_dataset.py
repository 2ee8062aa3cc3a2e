"""`codeacumen dataset`, and the verbs that use a data set afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora import contents, project_of
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

# Names a method after its first variable: a name that renaming changes, and nothing else does.
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
    return project_of(tmp_path_factory.mktemp("till"), "Till.java", SOURCE).folder


def made(codeacumen: Codeacumen, corpus: Path, out: Path, *options: str) -> Path:
    done = codeacumen(
        "dataset", "build", "robustness", corpus, "--out", out, "--split", "all", *options
    )
    assert done.returncode == 0, done.stderr
    return out


def test_from_a_corpus_to_scores(codeacumen: Codeacumen, corpus: Path, tmp_path: Path) -> None:
    data = made(codeacumen, corpus, tmp_path / "data", "-k", "VN", "-w", "single", "-w", "all")
    (tmp_path / "namer.py").write_text(NAMER)
    plugin = ("--plugin", tmp_path / "namer.py")

    listed = json.loads(codeacumen("tasks", "list", "-t", f"robustness@{data}", "--json").stdout)
    assert listed == [
        {
            "name": "robustness/rename",
            "summary": "Does the predicted name stay the same when a variable gets another name?",
            "origin": "data",
            "benchmark": "robustness",
            "here": True,
            "command": "",
        }
    ]
    shown = codeacumen("tasks", "show", f"robustness/rename@{data}")
    assert "Prediction change (PCP, %)" in shown.stdout

    run = tmp_path / "run"
    done = codeacumen(
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
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    ranked = [row[0] for row in rows if len(row) > 5 and row[1] in ("0.000", "40.000")]
    assert ranked[:3] == ["majority", "oracle", "first-variable"]
    assert any(row[:1] == ["wrong_change_share"] for row in rows)
    # Each of four methods has its parameter renamed once, of ten places in all.
    cells = json.loads((run / "results.json").read_text())["cells"]
    (scores,) = [cell["scores"] for cell in cells if cell["model"] == "first-variable"]
    assert (scores[0]["metric"], scores[0]["value"], scores[0]["n"]) == ("pcp", 40.0, 10)
    by_mode = {one["evaluation_set"]: one["value"] for one in scores if one["metric"] == "pcp"}
    assert by_mode["all"] == 100.0

    # A run knows the folder of its data set.
    done = codeacumen("compare", run, "--json")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)[0]["values"]) == ["majority", "oracle", "first-variable"]

    answers = run / "answers" / "robustness" / "rename" / "first-variable.jsonl"
    done = codeacumen("score", answers, "-t", f"robustness/rename@{data}", "--json")
    assert json.loads(done.stdout)["cells"][0]["scores"] == scores

    done = codeacumen("report", run)
    assert done.returncode == 0, done.stderr
    assert "the data set is not at hand" not in (run / "report.html").read_text()

    moved = data.rename(tmp_path / "moved")
    done = codeacumen("compare", run)
    assert done.returncode == 2
    assert f"its data set robustness is no longer in {data}" in done.stderr
    assert codeacumen("compare", run, "-t", f"robustness@{moved}").returncode == 0
    page = tmp_path / "without.html"
    assert codeacumen("report", run, "-o", page).returncode == 0
    assert "the data set is not at hand" in page.read_text()
    assert codeacumen("report", run, "-t", f"robustness@{moved}", "-o", page).returncode == 0
    assert "the data set is not at hand" not in page.read_text()


def test_workers_do_not_change_the_data(
    codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("-k", "rename", "--limit", "4", "--seed", "3", "--json", "-j")
    told = []
    for workers in ("1", "2"):
        done = codeacumen_here(
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
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout))
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    about = json.loads((tmp_path / "1" / "dataset.json").read_text())
    assert told == [about, about]
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
    done = codeacumen_here(
        "dataset", "build", "robustness", corpus, "--out", tmp_path / "data", *options
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_folder_that_is_no_data_set_is_an_error(
    codeacumen_here: Codeacumen, tmp_path: Path
) -> None:
    done = codeacumen_here("eval", "-t", f"robustness@{tmp_path}", "-m", "oracle")
    assert done.returncode == 2
    assert "a folder that `codeacumen dataset build` wrote" in done.stderr


def test_published_data_sets_are_shown_and_exported(
    codeacumen_here: Codeacumen, idbench: Path, tmp_path: Path
) -> None:
    listed = json.loads(codeacumen_here("dataset", "list", "--json").stdout)
    assert {row["name"]: row["here"] for row in listed["published"]}["idbench"]
    assert "gluecode" in [row["name"] for row in listed["built"]]
    shown = codeacumen_here("dataset", "show", "idbench").stdout
    assert "large_pair_wise.csv" in shown
    file = tmp_path / "pairs.csv"
    done = codeacumen_here("dataset", "export", "idbench/similarity/large", "--out", file)
    assert done.returncode == 0, done.stderr
    assert file.read_text().splitlines()[0] == "task,id,left,right,relation"
    done = codeacumen_here("dataset", "export", "idbench/similarity/large", "--out", "-")
    assert json.loads(done.stdout.splitlines()[0])["task"] == "idbench/similarity/large"


def test_a_built_data_set_is_shown(codeacumen: Codeacumen, corpus: Path, tmp_path: Path) -> None:
    data = made(codeacumen, corpus, tmp_path / "data", "-k", "VN")
    text = codeacumen("dataset", "show", data).stdout
    assert "robustness/rename" in text
    assert "split=all" in text
    about = json.loads(codeacumen("dataset", "show", data, "--json").stdout)
    assert about["tasks"] == ["robustness/rename"]
    done = codeacumen("dataset", "show", tmp_path)
    assert done.returncode == 2
    assert "codeacumen dataset build" in done.stderr


def test_a_benchmark_without_data_says_how_to_build_it(codeacumen: Codeacumen) -> None:
    done = codeacumen("eval", "-m", "majority", "-t", "gluecode")
    assert done.returncode == 2
    assert "codeacumen dataset build gluecode CORPUS --out gluecode" in done.stderr


def test_help_has_examples(codeacumen_here: Codeacumen) -> None:
    text = codeacumen_here("dataset", "build", "robustness", "--help").stdout
    assert "codeacumen dataset build robustness corpus" in text.partition("Examples:")[2]
    assert "dataset" in codeacumen_here("--help").stdout


def test_reproduce_generalizability(codeacumen_here: Codeacumen) -> None:
    """Rows of the published tables that do not add up end in exit code 1."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")
    done = codeacumen_here("reproduce", "generalizability")
    assert done.returncode == 2
    assert "codeacumen dataset get tnpa" in done.stderr
    assert codeacumen_here("dataset", "get", "tnpa", "--from", SHARED / "tnpa").returncode == 0
    done = codeacumen_here("reproduce", "generalizability")
    assert done.returncode == 1
    assert "CWP + WCP + WWDP = PCP of Table 2" in done.stdout
    assert "Inconsistent numbers" in done.stdout
    assert "numbers outside their tolerance: 33" in done.stderr
    cells = json.loads(codeacumen_here("reproduce", "generalizability", "--json").stdout)
    wrong = [cell for cell in cells if cell["verdict"] == "outside"]
    assert len(wrong) == 33
    assert "all six fit 248 methods" in {cell["note"] for cell in wrong}
