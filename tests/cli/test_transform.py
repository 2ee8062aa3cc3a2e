"""Tests of ``codeacumen transform`` from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from codeacumen.transforms.edits import Edit, apply_edits
from corpora import build_corpus_at
from javac import JAVAC
from support import ROOT, Codeacumen

SOURCE = """class A {
  int f(int n) { int sum = 0; for (int i = 0; i < n; i++) { sum += i; } return sum; }
  boolean g(boolean b) { Boolean c = b; return c; }
}
"""


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def apply_row(data: bytes, row: dict[str, Any]) -> bytes:
    edits = [Edit(edit["start"], edit["end"], edit["text"].encode()) for edit in row["edits"]]
    return apply_edits(data, edits)


@pytest.fixture
def one_file(tmp_path: Path) -> Path:
    file = tmp_path / "A.java"
    file.write_text(SOURCE)
    return file


def test_transform_writes_lines_files_and_refusals(
    codeacumen: Codeacumen, one_file: Path, tmp_path: Path
) -> None:
    out, variants_dir = tmp_path / "v.jsonl", tmp_path / "written"
    completed = codeacumen(
        "transform",
        str(one_file),
        "-k",
        "VN",
        "-k",
        "boolean",
        "-k",
        "LX",
        "-w",
        "single",
        "-w",
        "all",
        "--refused",
        "--write",
        str(variants_dir),
        "-o",
        str(out),
    )
    assert completed.returncode == 0, completed.stderr
    assert "most frequent refusal" in completed.stdout
    rows = read_lines(out)
    assert [row["locations"] for row in rows if row.get("where") == "all"] == [
        ["rename:n:0", "rename:sum:0", "rename:i:0"],
        ["rename:b:0", "rename:c:0"],
        ["loop:for:0"],
    ]
    (refused,) = [row for row in rows if "refused" in row]
    assert (refused["method"], refused["refused"]) == ("g", "Boolean may be null")
    data = one_file.read_bytes()
    for number, row in enumerate(rows, 1):
        if row.get("where") == "single":
            changed = (variants_dir / f"{number:06}" / "A.java").read_bytes()
            assert changed == apply_row(data, row) != data
    all_renamed = (variants_dir / "rename-all" / "A" / "A.java").read_text()
    assert "int f(int var0) { int var1 = 0;" in all_renamed
    assert "g(boolean var0) { Boolean var1 = var0;" in all_renamed


def test_output_does_not_depend_on_the_number_of_workers(
    codeacumen_here: Codeacumen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus"
    quill = ROOT / "examples" / "quill" / "src" / "quill"
    build_corpus_at(corpus, [str(quill / "text"), str(quill / "value")], workers=1, views=["text"])
    outputs = []
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.jsonl"
        completed = codeacumen_here(
            "transform",
            corpus,
            "-k",
            "unused",
            "-k",
            "rename+loop",
            "-w",
            "single",
            "-w",
            "50%",
            "--seed",
            "7",
            "-j",
            workers,
            "-o",
            out,
        )
        assert completed.returncode == 0, completed.stderr
        outputs.append(out.read_bytes())
        monkeypatch.setenv("PYTHONHASHSEED", "1")
    assert outputs[0] == outputs[1]
    kinds = {row["kind"] for row in read_lines(tmp_path / "1.jsonl")}
    assert kinds == {"unused", "rename+loop"}


def test_edits_are_byte_positions_of_the_file(codeacumen_here: Codeacumen, tmp_path: Path) -> None:
    """Edits have byte positions of the original file, whatever its encoding."""
    text = "class A { /* äöü */ int f(int größe) { return größe; } }\n"
    encodings = {"latin": "latin-1", "marked": "utf-8", "wide": "utf-16-le"}
    marks = {"latin": b"", "marked": b"\xef\xbb\xbf", "wide": b"\xff\xfe"}
    data = {name: marks[name] + text.encode(encoding) for name, encoding in encodings.items()}
    for name, content in data.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "A.java").write_bytes(content)
    out = tmp_path / "out.jsonl"
    completed = codeacumen_here(
        "transform", *(tmp_path / name for name in data), "-k", "rename", "-j", "1", "-o", out
    )
    assert completed.returncode == 0, completed.stderr
    rows = read_lines(out)
    assert sorted(row["project"] for row in rows) == sorted(data)
    for row in rows:
        name = row["project"]
        for edit in row["edits"]:
            changed = data[name][edit["start"] : edit["end"]]
            assert changed.decode(encodings[name]) == "größe"


@pytest.mark.skipif(shutil.which("javac") is None, reason="no javac here")
def test_variants_are_certified_to_the_requested_level(
    codeacumen_here: Codeacumen, one_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "v.jsonl"
    command = f"javac {' '.join(JAVAC)} -d out A.java"
    completed = codeacumen_here(
        "transform",
        one_file.parent,
        "-j",
        "1",
        "--certify",
        "tests",
        "--test-command",
        command,
        "-o",
        out,
        "--json",
    )
    assert completed.returncode == 0, completed.stderr
    report = json.loads(completed.stdout)
    assert report["lines"] == len(read_lines(out)) > 5
    assert {row["certificate"]["level"] for row in read_lines(out)} == {"tests"}
    completed = codeacumen_here(
        "transform",
        one_file.parent,
        "-j",
        "1",
        "-k",
        "rename",
        "--certify",
        "tests",
        "--test-command",
        "grep -q sum A.java",
        "-o",
        out,
    )
    assert completed.returncode == 1
    failed = [row for row in read_lines(out) if row["certificate"].get("failed")]
    assert [row["locations"] for row in failed] == [["rename:sum:0"]]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["-k", "shuffle"], "there is no transformation 'shuffle'"),
        (["-w", "half"], "there is no mode 'half'"),
        (["--certify", "tests"], "certifying with tests needs a command"),
    ],
)
def test_unknown_settings_are_errors(
    codeacumen_here: Codeacumen, one_file: Path, tmp_path: Path, options: list[str], error: str
) -> None:
    out = tmp_path / "v.jsonl"
    completed = codeacumen_here("transform", str(one_file.parent), *options, "-o", str(out))
    assert completed.returncode == 2
    assert error in completed.stderr
    assert "hint:" in completed.stderr
    assert not out.exists()
