"""`codeacumen dataset`, and what is asked of a data set afterwards, as a person does it."""

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
        "dataset", "robustness", "--corpus", corpus, "--out", out, "--split", "all", *options
    )
    assert done.returncode == 0, done.stderr
    return out


def test_from_a_corpus_to_scores(codeacumen: Codeacumen, corpus: Path, tmp_path: Path) -> None:
    data = made(codeacumen, corpus, tmp_path / "data", "-k", "VN", "-w", "single", "-w", "all")
    (tmp_path / "namer.py").write_text(NAMER)
    plugin = ("--plugin", tmp_path / "namer.py")

    listed = json.loads(codeacumen("tasks", "list", "--data", data, "--json").stdout)
    assert listed[-1] == {
        "name": "robustness/rename",
        "summary": "Is a method named alike when a variable gets another name?",
        "origin": "data",
    }
    shown = codeacumen("tasks", "show", "robustness/rename", "--data", data)
    assert "Prediction change (PCP, %)" in shown.stdout

    run = tmp_path / "run"
    done = codeacumen(
        "eval", "--data", data, *plugin, "-m", "first-variable", "-m", "majority", "-m", "oracle",
        "-t", "robustness", "-o", run,
    )  # fmt: skip
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

    done = codeacumen("compare", run, "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)[0]["values"]) == ["majority", "oracle", "first-variable"]

    answers = run / "answers" / "robustness" / "rename" / "first-variable.jsonl"
    done = codeacumen("score", answers, "-t", "robustness/rename", "--data", data, "--json")
    assert json.loads(done.stdout)["cells"][0]["scores"] == scores

    done = codeacumen("report", run, "--data", data)
    assert done.returncode == 0, done.stderr
    assert (run / "report.html").is_file()


def test_the_same_data_whatever_the_workers(
    codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("-k", "rename", "--most", "4", "--seed", "3", "--json", "-j")
    told = []
    for workers in ("1", "2"):
        done = codeacumen_here("dataset", "robustness", "--corpus", corpus, "--out",
                           tmp_path / workers, "--split", "all", *options, workers)  # fmt: skip
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
def test_what_is_not_there_is_told(
    codeacumen_here: Codeacumen, corpus: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    done = codeacumen_here(
        "dataset", "robustness", "--corpus", corpus, "--out", tmp_path / "data", *options
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_folder_that_is_no_data_set(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen_here("eval", "--data", tmp_path, "-t", "robustness", "-m", "oracle")
    assert done.returncode == 2
    assert "a folder that `codeacumen dataset` wrote" in done.stderr


def test_help_has_an_example(codeacumen_here: Codeacumen) -> None:
    assert (
        "Example: codeacumen dataset robustness"
        in codeacumen_here("dataset", "robustness", "--help").stdout
    )
    assert "dataset" in codeacumen_here("--help").stdout


def test_reproduce_generalizability(codeacumen_here: Codeacumen) -> None:
    """Rows of the published tables that do not add up end in exit code 1."""
    if not (SHARED / "tnpa").is_dir():
        pytest.skip(f"the study's tables are not in {SHARED / 'tnpa'}")
    done = codeacumen_here("reproduce", "generalizability")
    assert done.returncode == 2
    assert "codeacumen data get tnpa" in done.stderr
    assert codeacumen_here("data", "get", "tnpa", "--from", SHARED / "tnpa").returncode == 0
    done = codeacumen_here("reproduce", "generalizability")
    assert done.returncode == 1
    assert "CWP + WCP + WWDP = PCP of Table 2" in done.stdout
    assert "What does not add up" in done.stdout
    assert "33 cells are outside their tolerance" in done.stderr
    cells = json.loads(codeacumen_here("reproduce", "generalizability", "--json").stdout)
    wrong = [cell for cell in cells if cell["verdict"] == "outside"]
    assert len(wrong) == 33
    assert "all six are percentages of 248 methods" in {cell["note"] for cell in wrong}
