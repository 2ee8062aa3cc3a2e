"""Tests of ``codeacumen measure`` from the command line."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from codeacumen.corpus.build import build_corpus_folder
from codeacumen.corpus.measure import Measurements, NPath, measure_sources
from codeacumen.engines.local import LocalEngine
from codeacumen.languages.java.measures.npath import compute_npath
from codeacumen.languages.java.syntax.file import JavaFile
from corpora import EXAMPLES, shared_engine
from npath_reference import bin_of
from support import ROOT, Codeacumen

SOURCE = """class A {
  A(int n) { if (n > 0) f(n); }
  <T> boolean f(T t) {
    return t != null && t instanceof String ? true : false;
  }
  abstract void none();
}
"""


def parse_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    file = tmp_path / "src" / "A.java"
    file.parent.mkdir()
    file.write_text(SOURCE)
    return file


def test_npath_prints_a_line_for_each_method(codeacumen: Codeacumen, one_file: Path) -> None:
    completed = codeacumen("measure", "npath", one_file, "--json")
    assert completed.returncode == 0, completed.stderr
    location = {"project": "A", "file": "A.java"}
    assert parse_lines(completed.stdout) == [
        location | {"line": 2, "method": "A", "signature": "<init>(int)", "value": 2, "bin": "2"},
        location | {"line": 3, "method": "f", "signature": "f(Object)", "value": 4, "bin": "4"},
    ]
    assert "1 file\n" in completed.stderr


@pytest.mark.parametrize(("rules", "expected_value"), [("pmd6", 4), ("pmd7", 4), ("pmd7.14", 3)])
def test_npath_rules_of_pmd_versions(
    codeacumen: Codeacumen, one_file: Path, rules: str, expected_value: int
) -> None:
    completed = codeacumen("measure", "npath", one_file, "--json", "--rules", rules)
    assert [row["value"] for row in parse_lines(completed.stdout)] == [2, expected_value]


def test_npath_prints_a_table_of_the_largest_values(codeacumen: Codeacumen, one_file: Path) -> None:
    completed = codeacumen("measure", "npath", one_file.parent, "--limit", "1")
    assert completed.returncode == 0, completed.stderr
    assert "f(Object)" in completed.stdout
    assert "<init>" not in completed.stdout
    assert "50.0%" in completed.stdout
    assert "2 methods, 1 file\n" in completed.stderr
    assert codeacumen("measure", "npath", one_file, "--limit", "0").returncode == 0


OPERATORS = """class A {
  int f(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum = sum + i; } return sum * 2; }
  boolean g(Object o) { return o == null; }
  void none() { }
  abstract int h();
}
"""


def test_operators_are_counted_in_files_and_in_a_corpus(
    codeacumen: Codeacumen, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").write_text(OPERATORS)
    corpus = tmp_path / "corpus"
    build_corpus_folder(
        [str(tmp_path / "src")], corpus, engine=shared_engine(1), views=(), cache=tmp_path
    )
    printed = [
        codeacumen("measure", "operators", source, "--json", "-j", "1").stdout
        for source in (tmp_path / "src", corpus)
    ]
    assert printed[0] == printed[1]
    assert [(row["method"], row["operators"]) for row in parse_lines(printed[0])] == [
        ("f", {"+": 1, "*": 1, "<": 1, "=": 1}),
        ("g", {"==": 1}),
        ("none", {}),
    ]
    completed = codeacumen("measure", "operators", tmp_path / "src")
    rows = [line.split() for line in completed.stdout.splitlines()]
    assert ["==", "1", "1", "33.3%"] in rows
    assert "3 methods, 1 file\n" in completed.stderr


def test_npath_does_not_depend_on_the_source_or_the_workers(
    codeacumen: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder, an archive and a corpus of the same files give equal output, which agrees with the
    analysis of each file."""
    quill = ROOT / "examples" / "quill"
    archive = tmp_path / "quill.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for file in sorted(quill.rglob("*.java")):
            opened.write(file, str(file.relative_to(quill)))
    build_corpus_folder(
        [str(quill)], tmp_path / "corpus", engine=shared_engine(2), views=(), cache=tmp_path
    )
    sources = (quill, f"quill={archive}", tmp_path / "corpus")
    first, second, third = (
        codeacumen("measure", "npath", source, "--json", "-j", "2").stdout for source in sources
    )
    assert first == second == third
    expected = []
    for path in sorted({row["file"] for row in parse_lines(first)}):
        file = JavaFile((quill / path).read_bytes())
        for source, value in zip(file.bodies, compute_npath(file).tolist(), strict=True):
            method = file.declarations.methods[source]
            expected.append((path, method.name, value, bin_of(value)))
    keys = ("file", "method", "value", "bin")
    assert [tuple(row[key] for key in keys) for row in parse_lines(first)] == expected
    # Small stretches, so that many items go to the workers.
    monkeypatch.setattr("codeacumen.corpus.measure.STRETCH", 2000)
    rows_by_run = []
    for workers in (1, 2):
        parts = measure_sources(NPath(), EXAMPLES, shared_engine(workers), tmp_path)
        rows_by_run.append([row for part in parts for row in part.rows])
    assert rows_by_run[0] == rows_by_run[1]
    assert len(rows_by_run[0]) > 600


def test_broken_and_unreadable_files_are_reported(codeacumen: Codeacumen, one_file: Path) -> None:
    folder = one_file.parent
    (folder / "B.java").write_text("class B { void m() { if (a) f(); } void n( { while (")
    (folder / "C.java").write_bytes(b"class C\0\0\0\0 \xff { }")
    (folder / "D.java").symlink_to(folder / "nothing")
    completed = codeacumen("measure", "npath", folder, "--json")
    assert completed.returncode == 0, completed.stderr
    names = [(row["file"], row["method"]) for row in parse_lines(completed.stdout)]
    assert names[:3] == [("A.java", "A"), ("A.java", "f"), ("B.java", "m")]
    assert "C.java: left out, binary" in completed.stderr
    assert "D.java: left out" in completed.stderr
    assert "2 files, 1 of them with syntax errors, measured in part" in completed.stderr
    assert "2 left out" in completed.stderr


CRASHING = """
import os


class Crashing:
    name = "crashing"

    def measure_file(self, file):
        if b"class B" in file.source:
            os._exit(3)
        if b"class C" in file.source:
            raise ValueError("no")
        return [(place, {}) for place in file.bodies]
"""


def test_failing_files_do_not_stop_the_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The measure kills its process on one file and raises on another."""
    (tmp_path / "crashing_measure.py").write_text(CRASHING)
    monkeypatch.syspath_prepend(str(tmp_path))
    crashing = importlib.import_module("crashing_measure").Crashing()
    for name in "ABCD":
        (tmp_path / f"{name}.java").write_text(f"class {name} {{ void {name.lower()}() {{ }} }}")
    total = Measurements()
    for part in measure_sources(crashing, [str(tmp_path)], LocalEngine(2), tmp_path / "cache"):
        total.rows += part.rows
        total.files += part.files
        total.skipped += part.skipped
    assert [row["method"] for row in total.rows] == ["a", "d"]
    assert total.files == 2
    problems = [(problem.path, problem.kind, problem.message) for _, problem in total.skipped]
    assert problems == [
        ("B.java", "crashed", "its process ended with exit code 3"),
        ("C.java", "failed", "ValueError: no"),
    ]


def test_a_missing_source_is_an_error(codeacumen: Codeacumen, tmp_path: Path) -> None:
    completed = codeacumen("measure", "npath", tmp_path / "nothing")
    assert completed.returncode == 2
    assert "error:" in completed.stderr
    (tmp_path / "empty").mkdir()
    completed = codeacumen("measure", "npath", tmp_path / "empty")
    assert completed.returncode == 0
    assert "0 methods, 0 files" in completed.stderr


def test_help_loads_no_heavy_modules() -> None:
    code = (
        "import sys; from codeacumen.cli import app\n"
        "try: app(['measure', 'npath', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'pyarrow', 'tree_sitter', 'duckdb'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert completed.returncode == 0, completed.stderr
    assert "--rules" in completed.stdout
