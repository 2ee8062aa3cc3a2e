"""`codeacumen dataset build gluecode`, `dataset audit` and `measure nulls` on the examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from datasets_by_hand import tasks_forgotten
from support import ROOT, Codeacumen

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_build(
    codeacumen_here: Codeacumen, analysed_corpus: Corpus, gluecode: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = codeacumen_here(
        "dataset", "build", "gluecode", analysed_corpus.folder, "--out", out, "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    for word in ("npath", "of 9,600", "near-duplicate in train", "declared in", f"gluecode@{out}"):
        assert word in done.stdout.replace("\n", ""), word
    files = json.loads((out / "dataset.json").read_text())["files"]
    assert files == json.loads((gluecode / "dataset.json").read_text())["files"]


def test_all_five_are_asked(codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path) -> None:
    done = codeacumen_here(
        "eval",
        "--task",
        f"gluecode@{gluecode}",
        "-m",
        "majority",
        "-m",
        "oracle",
        "--out",
        tmp_path / "run",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert list(run["tasks"]) == [
        f"gluecode/{name}" for name in ("npath", "operators", "naming", "completion", "nulltoken")
    ]
    assert {one["model"] for one in run["overall"]} == {"majority", "oracle"}


def test_audit(codeacumen_here: Codeacumen, gluecode: Path) -> None:
    done = codeacumen_here("dataset", "audit", f"gluecode@{gluecode}", "-m", "nearest", "--json")
    assert done.returncode == 0, done.stderr
    (effect,) = json.loads(done.stdout)
    assert effect["task"] == "gluecode/naming"
    near, alone = effect["near_duplicate"], effect["distinct"]
    assert near["n"] + alone["n"] == effect["whole"]["n"]
    # By arithmetic: the whole is the mean of its parts.
    mean = (near["n"] * near["value"] + alone["n"] * alone["value"]) / effect["whole"]["n"]
    assert effect["whole"]["value"] == pytest.approx(mean)
    assert effect["difference"] == pytest.approx(mean - alone["value"])
    assert near["value"] > alone["value"], "what was seen in training is known"


def test_a_corpus_that_is_not_there(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen_here(
        "dataset", "build", "gluecode", tmp_path / "none", "--out", tmp_path / "out"
    )
    assert done.returncode != 0
    assert "codeacumen corpus build" in done.stderr


@pytest.mark.parametrize("given", ["quill", "nobody=report.json"])
def test_infer_has_to_be_named_right(
    given: str, codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path
) -> None:
    done = codeacumen_here(
        "dataset",
        "build",
        "gluecode",
        examples_corpus.folder,
        "--out",
        tmp_path / "out",
        "--infer",
        given,
    )
    assert done.returncode != 0
    assert "--infer" in done.stderr


def test_infer_instead_of_our_own(
    codeacumen_here: Codeacumen, analysed_corpus: Corpus, tmp_path: Path
) -> None:
    """A report as Infer writes it, for a line of quill; paths begin above the project's."""
    report = {
        "bug_type": "NULL_DEREFERENCE", "severity": "ERROR", "line": 46, "column": -1,
        "qualifier": "object `value` last assigned on line 45 could be null and is dereferenced at "
        "line 46.",
        "procedure": "quill.eval.Scope.show(java.lang.String):java.lang.String",
        "procedure_start_line": 44, "file": "examples/quill/src/quill/eval/Scope.java",
        "bug_trace": [{"level": 0, "filename": "src/quill/eval/Scope.java", "line_number": 45,
                       "column_number": -1, "description": "start"}],
        "key": "k", "hash": "h",
    }  # fmt: skip
    file = tmp_path / "report.json"
    file.write_text(json.dumps([report]))
    out = tmp_path / "out"
    done = codeacumen_here(
        "dataset",
        "build",
        "gluecode",
        analysed_corpus.folder,
        "--out",
        out,
        "--infer",
        f"quill={file}",
        "--workers",
        "1",
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (out / "nulltoken.jsonl").read_text().splitlines()]
    mine = [row for row in rows if row["project"] == "quill" and row["label"] != "<none>"]
    assert [(row["label"], row["warning_line"]) for row in mine] == [("value", 46)]
    assert mine[0]["line"] == 44


def test_measure_nulls(codeacumen_here: Codeacumen) -> None:
    place = ROOT / "examples" / "quill"
    done = codeacumen_here("measure", "nulls", place, "--json", "--workers", "1")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1, "there are some"
    assert {"file", "line", "method", "token", "trace"} <= set(rows[0])
    for row in rows:
        line = (place / row["file"]).read_text().splitlines()[row["line"] - 1]
        assert row["token"] in line
    shown = codeacumen_here("measure", "nulls", place, "--limit", "1", "--workers", "1")
    assert "more: --limit 0" in shown.stderr
    assert shown.returncode == 1


def test_measure_nulls_of_what_has_none(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(String s) { return s.length(); } }")
    done = codeacumen_here("measure", "nulls", tmp_path / "A.java", "--workers", "1")
    assert done.returncode == 0
    assert "0 null dereferences" in done.stderr
