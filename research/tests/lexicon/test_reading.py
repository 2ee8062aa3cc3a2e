"""Tests of reading names from source files, and of their independence of workers and cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.corpus import Corpus
from codeacumen.corpus.build import build_corpus_folder
from corpora import shared_engine
from research.lexicon.reading import Reading, file_of, reading
from support import ROOT

Told = tuple[list[str], list[tuple[object, ...]], list[tuple[object, ...]], list[tuple[str, str]]]


def told(language: str, source: str) -> Told:
    """Return names in source order, declarations, calls and assignments, as spellings."""
    names: dict[str, int] = {}
    name, _, _, declared, called, moved = file_of(language, source.encode(), names, {})
    text = [*names, None]

    def spelled(rows: np.ndarray) -> list[tuple[object, ...]]:
        return [(text[f], arity, place, text[n]) for f, arity, place, n in rows.tolist()]

    return (
        [str(text[i]) for i in name.tolist()],
        spelled(declared),
        spelled(called),
        [(str(text[to]), str(text[value])) for to, value in moved.tolist()],
    )


def test_java() -> None:
    source = """class A<T> {
        A(int first) { this.size = first; }
        int put(String key, int... rest) {
            int total = box.count;
            last = getTotal(a, b.c /* none */, 1);
            return put(z, new java.util.List<String>(q));
        }
    }"""
    _, declared, called, moved = told("java", source)
    assert declared == [("A", 1, 0, "first"), ("put", 2, 0, "key"), ("put", 2, 1, None)]
    assert sorted(called, key=str) == sorted(
        [
            ("getTotal", 3, 0, "a"),
            ("getTotal", 3, 1, "c"),
            ("getTotal", 3, 2, None),
            ("put", 2, 0, "z"),
            ("put", 2, 1, "List"),
            ("List", 1, 0, "q"),
        ],
        key=str,
    )
    assert moved == [("size", "first"), ("total", "count"), ("last", "getTotal")]


def test_javascript() -> None:
    source = """var a = b.c;
    function f(x, y = 2, { z }) { o.p = g(x)(y); new Foo(k, a.b.c(1)); }
    h.run = (m) => m;
    let q = { key: value, other(n) {} };
    class A { #hidden(w) { this.#hidden(v) } }"""
    names, declared, called, moved = told("javascript", source)
    assert "hidden" in names
    assert "#hidden" not in names
    assert declared == [
        ("f", 3, 0, "x"),
        ("f", 3, 1, "y"),
        ("f", 3, 2, None),
        ("run", 1, 0, "m"),
        ("other", 1, 0, "n"),
        ("hidden", 1, 0, "w"),
    ]
    # The result of g(x) is called, and has no name.
    assert sorted(called, key=str) == sorted(
        [
            ("g", 1, 0, "x"),
            ("Foo", 2, 0, "k"),
            ("Foo", 2, 1, "c"),
            ("c", 1, 0, None),
            ("hidden", 1, 0, "v"),
        ],
        key=str,
    )
    assert moved == [("a", "c"), ("key", "value")]


def test_lines_are_those_of_the_source() -> None:
    _, line, *_ = file_of("javascript", b"a\nb; c\n\nd", {}, {})
    assert line.tolist() == [0, 1, 1, 3]


@pytest.mark.parametrize("language", ["java", "javascript"])
@settings(max_examples=40, deadline=None)
@given(source=st.binary(max_size=60))
def test_any_bytes(language: str, source: bytes) -> None:
    names: dict[str, int] = {}
    name, line, *_ = file_of(language, source, names, {})
    assert len(name) == len(line)


@pytest.mark.parametrize("language", ["java", "javascript"])
def test_deep_nesting(language: str) -> None:
    source = "class A { int x = " + "f(" * 10_000 + "y" + ")" * 10_000 + "; }"
    names: dict[str, int] = {}
    file_of(language, source.encode(), names, {})
    assert "y" in names


def same(one: Reading, two: Reading) -> bool:
    return (
        one.names == two.names
        and one.words == two.words
        and all(
            np.array_equal(getattr(one, name), getattr(two, name))
            for name in ("name", "line", "offsets", "comments", "declared", "called", "moved")
        )
    )


def test_the_same_whoever_reads_and_from_the_cache(tmp_path: Path) -> None:
    source, home = str(ROOT / "examples" / "quill"), tmp_path / "home"
    build_corpus_folder(
        [source], tmp_path / "corpus", engine=shared_engine(1), views=(), cache=home
    )
    corpus = Corpus.open(tmp_path / "corpus")
    one, files, lost = reading([corpus], shared_engine(1), tmp_path / "one")
    two, _, _ = reading([corpus], shared_engine(2), tmp_path / "two")
    kept, _, _ = reading([corpus], shared_engine(1), tmp_path / "one")
    assert lost == 0
    assert files.file_counts["java"] == len(one.offsets) - 1 > 10
    assert len(one.declared) > 50
    assert len(one.called) > 50
    assert same(one, two)
    assert same(one, kept)
