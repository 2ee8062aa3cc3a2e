"""``codeacumen measure`` from the command line, as a person runs it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from codeacumen.corpus.build import build
from codeacumen.corpus.measure import Measured, NPath, measured
from codeacumen.engines.local import LocalEngine
from codeacumen.languages.java.measures.npath import npath
from codeacumen.languages.java.syntax.file import JavaFile
from corpora import EXAMPLES, shared_engine
from npath_slowly import bin_of
from support import ROOT, Codeacumen

SOURCE = """class A {
  A(int n) { if (n > 0) f(n); }
  <T> boolean f(T t) {
    return t != null && t instanceof String ? true : false;
  }
  abstract void none();
}
"""


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    file = tmp_path / "src" / "A.java"
    file.parent.mkdir()
    file.write_text(SOURCE)
    return file


def test_a_line_for_each_method(codeacumen: Codeacumen, one_file: Path) -> None:
    done = codeacumen("measure", "npath", one_file, "--json")
    assert done.returncode == 0, done.stderr
    told = {"project": "A", "file": "A.java"}
    assert lines(done.stdout) == [
        told | {"line": 2, "method": "A", "signature": "<init>(int)", "value": 2, "bin": "2"},
        told | {"line": 3, "method": "f", "signature": "f(Object)", "value": 4, "bin": "4"},
    ]
    assert "1 file\n" in done.stderr


@pytest.mark.parametrize(("rules", "wanted"), [("pmd6", 4), ("pmd7", 4), ("pmd7.14", 3)])
def test_rules(codeacumen: Codeacumen, one_file: Path, rules: str, wanted: int) -> None:
    done = codeacumen("measure", "npath", one_file, "--json", "--rules", rules)
    assert [row["value"] for row in lines(done.stdout)] == [2, wanted]


def test_a_table_of_the_largest(codeacumen: Codeacumen, one_file: Path) -> None:
    done = codeacumen("measure", "npath", one_file.parent, "--limit", "1")
    assert done.returncode == 0, done.stderr
    assert "f(Object)" in done.stdout
    assert "<init>" not in done.stdout
    assert "50.0%" in done.stdout
    assert "2 methods, 1 file\n" in done.stderr
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
    build([str(tmp_path / "src")], corpus, engine=shared_engine(1), views=(), cache=tmp_path)
    printed = [
        codeacumen("measure", "operators", place, "--json", "-j", "1").stdout
        for place in (tmp_path / "src", corpus)
    ]
    assert printed[0] == printed[1]
    assert [(row["method"], row["operators"]) for row in lines(printed[0])] == [
        ("f", {"+": 1, "*": 1, "<": 1, "=": 1}),
        ("g", {"==": 1}),
        ("none", {}),
    ]
    done = codeacumen("measure", "operators", tmp_path / "src")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["==", "1", "1", "33.3%"] in rows
    assert "3 methods, 1 file\n" in done.stderr


def test_any_place_and_any_number_of_workers(
    codeacumen: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders, an archive and a corpus of the same files say the same; what is told is what the
    analysis itself says of each file."""
    quill = ROOT / "examples" / "quill"
    archive = tmp_path / "quill.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        for file in sorted(quill.rglob("*.java")):
            opened.write(file, str(file.relative_to(quill)))
    build([str(quill)], tmp_path / "corpus", engine=shared_engine(2), views=(), cache=tmp_path)
    places = (quill, f"quill={archive}", tmp_path / "corpus")
    first, second, third = (
        codeacumen("measure", "npath", place, "--json", "-j", "2").stdout for place in places
    )
    assert first == second == third
    expected = []
    for path in sorted({row["file"] for row in lines(first)}):
        file = JavaFile((quill / path).read_bytes())
        for place, value in zip(file.bodies, npath(file).tolist(), strict=True):
            method = file.declarations.methods[place]
            expected.append((path, method.name, value, bin_of(value)))
    keys = ("file", "method", "value", "bin")
    assert [tuple(row[key] for key in keys) for row in lines(first)] == expected
    # Small stretches, so that there are many of them.
    monkeypatch.setattr("codeacumen.corpus.measure.STRETCH", 2000)
    found = []
    for workers in (1, 2):
        parts = measured(NPath(), EXAMPLES, shared_engine(workers), tmp_path)
        found.append([row for part in parts for row in part.rows])
    assert found[0] == found[1]
    assert len(found[0]) > 600


def test_broken_and_unreadable_files_are_reported(codeacumen: Codeacumen, one_file: Path) -> None:
    folder = one_file.parent
    (folder / "B.java").write_text("class B { void m() { if (a) f(); } void n( { while (")
    (folder / "C.java").write_bytes(b"class C\0\0\0\0 \xff { }")
    (folder / "D.java").symlink_to(folder / "nothing")
    done = codeacumen("measure", "npath", folder, "--json")
    assert done.returncode == 0, done.stderr
    names = [(row["file"], row["method"]) for row in lines(done.stdout)]
    assert names[:3] == [("A.java", "A"), ("A.java", "f"), ("B.java", "m")]
    assert "C.java: left out, binary" in done.stderr
    assert "D.java: left out" in done.stderr
    assert "2 files, 1 of them with syntax errors, measured in part" in done.stderr
    assert "2 left out" in done.stderr


LETHAL = """
import os


class Lethal:
    name = "lethal"

    def of(self, file):
        if b"class B" in file.source:
            os._exit(3)
        if b"class C" in file.source:
            raise ValueError("no")
        return [(place, {}) for place in file.bodies]
"""


def test_one_bad_file_never_ends_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that ends its process at one file, and fails at another."""
    (tmp_path / "lethal_measure.py").write_text(LETHAL)
    monkeypatch.syspath_prepend(str(tmp_path))
    lethal = importlib.import_module("lethal_measure").Lethal()
    for name in "ABCD":
        (tmp_path / f"{name}.java").write_text(f"class {name} {{ void {name.lower()}() {{ }} }}")
    found = Measured()
    for part in measured(lethal, [str(tmp_path)], LocalEngine(2), tmp_path / "cache"):
        found.rows += part.rows
        found.files += part.files
        found.skipped += part.skipped
    assert [row["method"] for row in found.rows] == ["a", "d"]
    assert found.files == 2
    told = [(problem.path, problem.kind, problem.message) for _, problem in found.skipped]
    assert told == [
        ("B.java", "lethal", "its process ended with exit code 3"),
        ("C.java", "failed", "ValueError: no"),
    ]


def test_a_missing_source_is_an_error(codeacumen: Codeacumen, tmp_path: Path) -> None:
    done = codeacumen("measure", "npath", tmp_path / "nothing")
    assert done.returncode == 2
    assert "error:" in done.stderr
    (tmp_path / "empty").mkdir()
    done = codeacumen("measure", "npath", tmp_path / "empty")
    assert done.returncode == 0
    assert "0 methods, 0 files" in done.stderr


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from codeacumen.cli import app\n"
        "try: app(['measure', 'npath', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'pyarrow', 'tree_sitter', 'duckdb'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--rules" in done.stdout
