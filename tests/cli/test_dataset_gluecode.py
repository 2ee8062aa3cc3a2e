"""Tests of `codeacumen dataset build gluecode`, `dataset audit` and `measure nulls` on the
examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from robustness_dataset import tasks_forgotten
from support import ROOT, Codeacumen

if TYPE_CHECKING:
    from codeacumen.corpus import Corpus


__all__ = ["tasks_forgotten"]
pytestmark = pytest.mark.usefixtures("tasks_forgotten")


def test_build_gluecode(
    codeacumen_here: Codeacumen, analysed_corpus: Corpus, gluecode: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    completed = codeacumen_here(
        "dataset", "build", "gluecode", analysed_corpus.folder, "--out", out, "--workers", "1"
    )
    assert completed.returncode == 0, completed.stderr
    for word in ("npath", "of 9,600", "near-duplicate in train", "declared in", f"gluecode@{out}"):
        assert word in completed.stdout.replace("\n", ""), word
    files = json.loads((out / "dataset.json").read_text())["files"]
    assert files == json.loads((gluecode / "dataset.json").read_text())["files"]


def test_eval_runs_all_five_tasks(
    codeacumen_here: Codeacumen, gluecode: Path, tmp_path: Path
) -> None:
    completed = codeacumen_here(
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
    assert completed.returncode == 0, completed.stderr
    run = json.loads(completed.stdout)
    assert list(run["tasks"]) == [
        f"gluecode/{name}" for name in ("npath", "operators", "naming", "completion", "nulltoken")
    ]
    assert {score["model"] for score in run["overall"]} == {"majority", "oracle"}


def test_audit_reports_the_effect_of_near_duplicates(
    codeacumen_here: Codeacumen, gluecode: Path
) -> None:
    completed = codeacumen_here(
        "dataset", "audit", f"gluecode@{gluecode}", "-m", "nearest", "--json"
    )
    assert completed.returncode == 0, completed.stderr
    (effect,) = json.loads(completed.stdout)
    assert effect["task"] == "gluecode/naming"
    duplicates, distinct = effect["near_duplicate"], effect["distinct"]
    assert duplicates["n"] + distinct["n"] == effect["headline"]["n"]
    # The value of the whole is the weighted mean of its parts.
    mean = (duplicates["n"] * duplicates["value"] + distinct["n"] * distinct["value"]) / effect[
        "headline"
    ]["n"]
    assert effect["headline"]["value"] == pytest.approx(mean)
    assert effect["difference"] == pytest.approx(mean - distinct["value"])
    assert duplicates["value"] > distinct["value"], "near-duplicates of training methods are easier"


def test_missing_corpus_is_rejected(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen_here(
        "dataset", "build", "gluecode", tmp_path / "none", "--out", tmp_path / "out"
    )
    assert completed.returncode != 0
    assert "codeacumen corpus build" in completed.stderr


@pytest.mark.parametrize("infer_option", ["quill", "nobody=report.json"])
def test_invalid_infer_option_is_rejected(
    infer_option: str, codeacumen_here: Codeacumen, examples_corpus: Corpus, tmp_path: Path
) -> None:
    completed = codeacumen_here(
        "dataset",
        "build",
        "gluecode",
        examples_corpus.folder,
        "--out",
        tmp_path / "out",
        "--infer",
        infer_option,
    )
    assert completed.returncode != 0
    assert "--infer" in completed.stderr


def test_infer_report_replaces_our_warnings(
    codeacumen_here: Codeacumen, analysed_corpus: Corpus, tmp_path: Path
) -> None:
    """A report in Infer's format for a line of quill; its paths begin above the project."""
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
    completed = codeacumen_here(
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
    assert completed.returncode == 0, completed.stderr
    rows = [json.loads(line) for line in (out / "nulltoken.jsonl").read_text().splitlines()]
    quill_rows = [row for row in rows if row["project"] == "quill" and row["label"] != "<none>"]
    assert [(row["label"], row["warning_line"]) for row in quill_rows] == [("value", 46)]
    assert quill_rows[0]["line"] == 44


def test_measure_nulls(codeacumen_here: Codeacumen) -> None:
    project = ROOT / "examples" / "quill"
    completed = codeacumen_here("measure", "nulls", project, "--json", "--workers", "1")
    rows = [json.loads(line) for line in completed.stdout.splitlines()]
    assert completed.returncode == 1, "quill has null dereferences"
    assert {"file", "line", "method", "token", "trace"} <= set(rows[0])
    for row in rows:
        line = (project / row["file"]).read_text().splitlines()[row["line"] - 1]
        assert row["token"] in line
    limited = codeacumen_here("measure", "nulls", project, "--limit", "1", "--workers", "1")
    assert "more: --limit 0" in limited.stderr
    assert limited.returncode == 1


def test_measure_nulls_without_reports(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(String s) { return s.length(); } }")
    completed = codeacumen_here("measure", "nulls", tmp_path / "A.java", "--workers", "1")
    assert completed.returncode == 0
    assert "0 null dereferences" in completed.stderr
