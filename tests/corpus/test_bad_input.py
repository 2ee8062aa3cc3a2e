"""Tests of bad input: each case is a row of the problems table, and the build continues."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from codeacumen.corpus import Corpus
from corpora import build_corpus_at

GOOD = "class Good { int good() { return 1; } }\n"


def write_cases(folder: Path) -> dict[str, tuple[str, bool]]:
    """Write one file for each case; return the kind of problem and whether the file is skipped."""
    deep = "class Deep { int f() { return " + "(" * 10_000 + "1" + ")" * 10_000 + "; } }"
    cases: dict[str, tuple[bytes, str, bool]] = {
        "Empty.java": (b"", "empty", False),
        "Binary.java": (bytes(range(256)) * 40, "binary", True),
        "Large.java": (b"class Large { }\n" * (50 << 16), "too large", True),
        "OneLine.java": (
            b"class OneLine {" + b" int f() { return 1; }" * 400 + b"}",
            "one line",
            False,
        ),
        "Crlf.java": (GOOD.replace("\n", "\r\n").encode(), "line ends", False),
        "Marked.java": (b"\xef\xbb\xbf" + GOOD.encode(), "byte order mark", False),
        "Latin.java": (
            'class Café { String f() { return "é à ü"; } }'.encode("latin-1"),
            "encoding",
            False,
        ),
        "Wide.java": (GOOD.encode("utf-16"), "encoding", False),
        "Deep.java": (deep.encode(), "deep nesting", False),
        "Unclosed.java": (b"class Unclosed { void f() { if (x) { g(); ", "syntax", False),
        "Prose.java": (b"It was a bright cold day in April, and the clocks were", "syntax", False),
        "Quotes.java": (b'class Quotes { String s = "no end; }\n', "syntax", False),
        "broken.js": (b"function ( { ;;", "syntax", False),
        "deep.js": (b"x = " + b"[" * 5000 + b"]" * 5000 + b";", "deep nesting", False),
        "UPPER.JAVA": (b"", "empty", False),
    }
    for name, (data, _, _) in cases.items():
        (folder / name).write_bytes(data)
    (folder / "Good.java").write_text(GOOD)
    (folder / "Loop.java").symlink_to("Loop.java")
    os.mkfifo(folder / "Pipe.java")
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    expected = {name: (kind, skipped) for name, (_, kind, skipped) in cases.items()}
    unreadable = {"Loop.java": "unreadable", "Pipe.java": "unreadable", "circle": "link"}
    return {**expected, **{name: (kind, True) for name, kind in unreadable.items()}}


def test_each_problem_is_a_row_and_the_build_continues(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    expected = write_cases(project)
    if os.geteuid() != 0:  # root may read everything
        (project / "Secret.java").write_text(GOOD)
        (project / "Secret.java").chmod(0)
        expected["Secret.java"] = ("unreadable", True)
    summary = build_corpus_at(tmp_path / "corpus", [str(project)])
    corpus = Corpus.open(tmp_path / "corpus")
    rows = corpus.query("select path, kind, message, skipped from problems").to_pylist()
    problems = {(row["path"], row["kind"], row["skipped"]) for row in rows}
    for name, (kind, skipped) in expected.items():
        assert (name, kind, skipped) in problems, name
    assert all(row["message"] for row in rows)
    assert "Good.java" not in {row["path"] for row in rows}
    skipped_count = sum(skipped for _, skipped in expected.values())
    assert summary.counts["files_left_out"] == skipped_count
    assert summary.counts["files"] == len(expected) + 1 - skipped_count
    # Skipped files are not parsed.
    assert summary.parsed == summary.counts["files"]
    assert sum(count for count, _ in summary.problems.values()) == len(rows)
    # Readable files are in the corpus in spite of their problems.
    methods = corpus.query("select path, name from methods").to_pylist()
    names = {row["path"] for row in methods}
    assert {
        "Good.java",
        "Crlf.java",
        "Marked.java",
        "Wide.java",
        "Latin.java",
        "Deep.java",
    } <= names
    (latin,) = corpus.query("select text from methods where path = 'Latin.java'")[
        "text"
    ].to_pylist()
    assert "é à ü" in latin


def test_unsafe_archive_members_are_skipped(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Good.java", GOOD)
        archive.writestr("../Slip.java", GOOD)
        archive.writestr("a/../Inside.java", GOOD)
        archive.writestr("C:\\Drive.java", GOOD)
        archive.writestr("Bomb.java", b" " * (100 << 20))
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "odd.zip")])
    corpus = Corpus.open(tmp_path / "corpus")
    rows = corpus.query(
        "select path, kind, split_part(message, ' packed', 1), skipped from problems order by path"
    )
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("../Slip.java", "zip slip", "there is a .. in its path", True),
        ("Bomb.java", "zip bomb", "104,857,600 bytes", True),
        ("C:/Drive.java", "zip slip", "its path begins with the letter of a drive", True),
        ("a/../Inside.java", "zip slip", "there is a .. in its path", True),
    ]
    assert corpus.query("select name from methods")["name"].to_pylist() == ["good"]
    assert not (tmp_path.parent / "Slip.java").exists()


def test_project_without_files_builds_an_empty_corpus(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    summary = build_corpus_at(tmp_path / "corpus", [str(tmp_path / "project")])
    assert summary.without_files == ["project"]
    # The project has a shard without files.
    assert (summary.parsed, summary.reused, summary.shards) == (0, 0, 1)
    again = build_corpus_at(tmp_path / "corpus", [str(tmp_path / "project")])
    assert (again.without_files, again.reused) == (["project"], 1)
    corpus = Corpus.open(tmp_path / "corpus")
    assert len(corpus) == 0
    assert corpus.query("select * from methods").num_rows == 0
    assert corpus.query("select * from edges").num_rows == 0


@pytest.mark.parametrize("name", [b"\xff\xfe.java", "Zoë.java".encode(), b"a b'c\".java"])
def test_unusual_file_names_are_read(tmp_path: Path, name: bytes) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / os.fsdecode(name)).write_text(GOOD)
    build_corpus_at(tmp_path / "corpus", [str(project)])
    corpus = Corpus.open(tmp_path / "corpus")
    assert corpus.query("select name from methods")["name"].to_pylist() == ["good"]
    problems = corpus.query("select kind, skipped from problems").to_pylist()
    assert problems == ([{"kind": "name", "skipped": False}] if name[0] == 0xFF else [])


def test_generated_vendored_and_minified_files_are_reported(tmp_path: Path) -> None:
    files = {
        "LoadedModel.java": "// Code generated by a tool. Do not edit.\n" + GOOD,
        "vendor/Other.java": GOOD,
        "packed.js": "!function(){var a=1;}();" * 300,
    }
    for name, text in files.items():
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text(text)
    build_corpus_at(tmp_path / "corpus", [str(tmp_path / "project")])
    rows = Corpus.open(tmp_path / "corpus").query(
        "select path, kind, message from problems where kind <> 'one line' order by path"
    )
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("LoadedModel.java", "generated", "its first lines contain 'generated by'"),
        ("packed.js", "minified", "its longest line has 7,200 bytes"),
        ("vendor/Other.java", "vendored", "it is in a folder called vendor"),
    ]
