"""Tests of the Python API: names and objects, results, and that importing the package loads
nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import codeacumen
from codeacumen.api import Capability, CodeacumenError, Pair
from codeacumen.runs.results import read_run
from docs_console import SESSION as GUIDE
from docs_console import SESSION_BLOCK, Sandbox, run_session
from toys import ToyTask


class Lengths:
    """Similarity of lengths."""

    def __init__(self, fingerprint: str = "") -> None:
        self.question_count = 0
        if fingerprint:
            self.fingerprint = fingerprint

    def similarity(self, pairs: list[Pair]) -> list[float]:
        self.question_count += len(pairs)
        return [-abs(len(pair.left) - len(pair.right)) for pair in pairs]


def test_import_loads_no_other_module() -> None:
    code = (
        "import sys, codeacumen\n"
        "ours = [name for name in sys.modules if name.split('.')[0] == 'codeacumen']\n"
        "print(*ours, 'numpy' in sys.modules)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert process.stdout.split() == ["codeacumen", "False"]


def test_public_names_exist_and_are_documented() -> None:
    from codeacumen import api

    for name in codeacumen.__all__:
        public_object = getattr(codeacumen, name)
        assert name == "__version__" or public_object.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = codeacumen.nothing
    namespace: dict[str, Any] = {}
    exec("from codeacumen.api import *", namespace)
    assert set(api.__all__) <= set(namespace)


def test_scores_equal_those_of_the_command(home: Path, tmp_path: Path) -> None:
    results = codeacumen.evaluate(["levenshtein", "random"], "abbreviations", tmp_path / "api")
    command = [
        "-m",
        "codeacumen",
        "eval",
        "-m",
        "levenshtein",
        "-m",
        "random",
        "-t",
        "abbreviations",
        "-o",
        "cli",
    ]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=tmp_path)
    theirs = json.loads((tmp_path / "cli" / "results.json").read_text())
    ours = json.loads((tmp_path / "api" / "results.json").read_text())
    scores = [[cell["scores"] for cell in run["cells"]] for run in (ours, theirs)]
    assert scores[0] == scores[1]
    assert read_run(tmp_path / "api") == results.run
    assert [row["value"] for row in results.to_rows()] == [
        score["value"] for cell in theirs["cells"] for score in cell["scores"]
    ]


def test_object_without_fingerprint_is_not_cached(home: Path) -> None:
    model = Lengths()
    for calls in (1, 2):
        codeacumen.evaluate(model, "abbreviations/match", progress=False)
        assert model.question_count == 475 * calls


def test_fingerprint_determines_cached_answers(home: Path) -> None:
    first, same, other = Lengths("one"), Lengths("one"), Lengths("two")
    for model in (first, same, other):
        codeacumen.evaluate(model, "abbreviations/match", progress=False)
    assert (first.question_count, same.question_count, other.question_count) == (475, 0, 475)


def test_task_can_be_an_object(home: Path) -> None:
    task = ToyTask(capability=Capability.SIMILARITY)
    results = codeacumen.evaluate(Lengths(), task, progress=False)
    (row,) = results.to_rows()
    assert (row["task"], row["model"], row["answered"]) == ("toy", "Lengths", 12)
    assert "Toy (toy), evaluation set all" in str(results)


def test_invalid_model_and_duplicate_names_are_refused(home: Path) -> None:
    with pytest.raises(CodeacumenError, match="int has no capability"):
        codeacumen.evaluate(7, "abbreviations/match")  # type: ignore[arg-type]
    with pytest.raises(CodeacumenError, match="several models are called Lengths"):
        codeacumen.compare([Lengths(), Lengths()], "abbreviations/match")
    named = [codeacumen.load_model(Lengths(), name) for name in ("a", "b")]
    (comparison,) = codeacumen.compare(named, "abbreviations/match", progress=False)
    assert [(test.first, test.second) for test in comparison.tests] == [("a", "b")]
    assert not comparison.tests[0].different


def test_left_out_models_are_reported(home: Path) -> None:
    models = ["levenshtein", "codeacumen-naming"]
    with pytest.raises(CodeacumenError, match="codeacumen-naming cannot answer"):
        codeacumen.evaluate(models, "abbreviations/match")
    results = codeacumen.evaluate(models, "abbreviations/match", skip_unfit=True, progress=False)
    assert len(results.notes) == 1
    assert {row["model"] for row in results.to_rows()} == {"levenshtein"}


def test_html_is_escaped(home: Path) -> None:
    hostile = codeacumen.load_model(Lengths(), "<script>alert(1)</script>")
    results = codeacumen.evaluate(hostile, "abbreviations/match", progress=False)
    assert "<script>" not in results._repr_html_()
    assert "&lt;script&gt;" in results._repr_html_()


def test_files_of_run_without_folder_are_removed_with_the_results(home: Path) -> None:
    results = codeacumen.evaluate("random", "abbreviations/match", progress=False)
    folder = results.folder
    assert (folder / "results.json").is_file()
    del results
    assert not folder.exists()


def test_plot_shows_the_named_task(home: Path) -> None:
    results = codeacumen.evaluate("levenshtein", "abbreviations", progress=False)
    chart = results.plot("abbreviations/expand").to_dict()
    assert "Abbreviations: expand" in json.dumps(chart)
    with pytest.raises(CodeacumenError, match="no task 'nothing'"):
        results.plot("nothing")


def test_transform_returns_the_changed_files(home: Path, tmp_path: Path) -> None:
    """Files in other encodings than UTF-8 work too: the edits count bytes of the file on disk."""
    text = "class A { /* äöü */ int f(int größe) { return größe; } }\n"
    for name, data in {
        "latin": text.encode("latin-1"),
        "marked": b"\xef\xbb\xbf" + text.encode(),
        "wide": b"\xff\xfe" + text.encode("utf-16-le"),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "A.java").write_bytes(data)
    folders = [tmp_path / name for name in ("latin", "marked", "wide")]
    out = tmp_path / "variants.jsonl"
    transformation = codeacumen.transform(folders, out, kinds=["rename"], workers=1)
    variants = list(transformation)
    assert [variant.project for variant in variants] == ["latin", "marked", "wide"]
    assert len(out.read_text(encoding="utf-8").splitlines()) == transformation.line_count == 3
    for variant in variants:
        assert variant.original == text
        assert variant.changed == text.replace("größe", "var0")
    assert transformation.counts["kinds"]["rename"]["variants"] == {"single": 3}
    assert not transformation.has_failures


def test_transformation_without_file_keeps_its_variants(home: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(int n) { return n; } }\n")
    transformation = codeacumen.transform(tmp_path / "A.java", kinds=["rename"], workers=1)
    folder = transformation.out.parent
    assert len(list(transformation)) == len(list(transformation)) == 1
    del transformation
    assert not folder.exists()


def test_corpus_object_can_be_transformed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { int f(int n) { return n; } }\n")
    corpus = codeacumen.build_corpus(tmp_path / "A.java", tmp_path / "corpus", workers=1)
    (variant,) = codeacumen.transform(corpus, kinds=["rename"], workers=1, certify="binds")
    assert variant.changed == "class A { int f(int var0) { return var0; } }\n"
    assert variant.certificate == {"level": "binds"}
    with pytest.raises(CodeacumenError, match="tests can be run for one project"):
        codeacumen.transform(corpus, certify="tests", test_command="true")


def test_report_of_several_runs(home: Path, tmp_path: Path) -> None:
    first = codeacumen.evaluate("levenshtein", "abbreviations/match", tmp_path / "one")
    codeacumen.evaluate("random", "abbreviations/expand", tmp_path / "two")
    page = codeacumen.write_report([first, tmp_path / "two"], tmp_path / "both.html")
    text = page.read_text(encoding="utf-8")
    assert "abbreviations/match" in text
    assert "abbreviations/expand" in text


def test_guide_shows_the_printed_output(tmp_path: Path, idbench_source: Path) -> None:
    """Run all blocks of the page in one session, in an empty folder."""
    printed = run_session(Sandbox(tmp_path))
    expected = [
        (match["output"] or "").strip("\n") for match in SESSION_BLOCK.finditer(GUIDE.read_text())
    ]
    assert len(expected) >= 10
    assert printed == expected
