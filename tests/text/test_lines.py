"""Tests of lines: CR, LF and CR LF end a line wherever lines are counted. Oracle:
bytes.splitlines, which splits at the same line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.corpus import Corpus
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.text.lines import (
    line_at,
    line_count,
    line_of,
    line_starts,
    longest_line,
    normalize_line_ends,
    split_lines,
)
from codeacumen.transforms.code import code_of
from corpora import build_corpus_at

SOURCES = st.lists(st.sampled_from([b"a", b"bc", b"\r", b"\n", b"\r\n", b"\x0c"])).map(b"".join)


@given(SOURCES)
def test_lines_equal_those_of_splitlines(source: bytes) -> None:
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    assert line_count(source) == len(lines)
    assert longest_line(source) == max(map(len, lines), default=0)
    assert split_lines(source.decode()) == [line.decode() for line in lines]
    starts_after_ends = line_starts(source)
    expected = [
        start for line, start in zip(lines, starts[1:], strict=True) if line[-1:] in b"\r\n"
    ]
    assert starts_after_ends.tolist() == expected
    for number, (line, start) in enumerate(zip(lines, starts, strict=False), 1):
        content = line.rstrip(b"\r\n")
        for offset in range(start, start + len(content) + 1):
            assert line_at(starts_after_ends, min(offset, len(source) - 1)) == number
            assert line_of(source, offset) == number
    unix = normalize_line_ends(source)
    assert len(unix) == len(source)
    assert unix.splitlines() == source.splitlines()
    assert b"\r" not in unix.replace(b"\r\n", b"")


JAVA = """class A { // the first
  int f(int a) { // not the end
    return g(a); // nor here
  }
  /** Told. */
  int g(int b) { return b; }
}
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Build a corpus of a class with each kind of line ends, and a script."""
    folder = tmp_path_factory.mktemp("lines")
    project = folder / "project"
    project.mkdir()
    long = JAVA + "// a comment of some length, as there are many\n" * 200
    for name, end in (("Cr", "\r"), ("Lf", "\n"), ("CrLf", "\r\n")):
        (project / f"{name}.java").write_bytes(long.replace("\n", end).encode())
    (project / "a.js").write_bytes(b"// said\rfunction f() { return 1; }\r(\r")
    build_corpus_at(folder / "corpus", [str(project)])
    return Corpus.open(folder / "corpus")


@pytest.mark.parametrize("name", ["Cr", "Lf", "CrLf"])
def test_analysis_does_not_depend_on_line_ends(corpus: Corpus, name: str) -> None:
    path = f"{name}.java"
    methods = corpus.query(
        "select name, line, end_line, javadoc from methods where path = ? order by line", [path]
    )
    assert [tuple(row.values()) for row in methods.to_pylist()] == [
        ("f", 2, 4, ""),
        ("g", 6, 6, "/** Told. */"),
    ]
    (file,) = corpus.query("select lines, broken from files where path = ?", [path]).to_pylist()
    assert file == {"lines": 207, "broken": False}
    calls = corpus.query("select line, callee from calls where path = ?", [path]).to_pylist()
    assert calls == [{"line": 3, "callee": "A.g(int)"}]
    kinds = corpus.query("select kind from problems where path = ?", [path])["kind"].to_pylist()
    assert kinds == ([] if name == "Lf" else ["line ends"])
    (source,) = corpus.query("select source from files where path = ?", [path])["source"]
    end = {"Cr": "\r", "Lf": "\n", "CrLf": "\r\n"}[name]
    assert source.as_py().startswith(JAVA.replace("\n", end))


def test_javascript_lines_are_counted(corpus: Corpus) -> None:
    (row,) = corpus.query("select lines, nodes, broken from files where path = 'a.js'").to_pylist()
    assert (row["lines"], row["broken"]) == (3, True)
    assert row["nodes"] > 10
    (problem,) = corpus.query(
        "select message from problems where path = 'a.js' and kind = 'syntax'"
    ).to_pylist()
    assert "not JavaScript from line 3 on" in problem["message"]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_line_of_a_node(end: str) -> None:
    code = code_of(JavaFile(JAVA.replace("\n", end).encode()))
    (statement,) = (node for node, kind in enumerate(code.kind) if kind == "method_invocation")
    assert code.line_number(statement) == 3


def test_text_view_joins_lines() -> None:
    file = JavaFile(b"class A { void f() {\r  a();\x0c b();\r\n  c(); } }")
    text = make_view("text").compatible("gluecode", file, 0)
    assert text == "void f() {\r,   a();\x0c b();\r\n,   c(); }"
