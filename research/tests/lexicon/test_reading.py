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
from research.lexicon.reading import Reading, read_corpora, read_file
from support import ROOT

NamesAndRows = tuple[
    list[str], list[tuple[object, ...]], list[tuple[object, ...]], list[tuple[str, str]]
]


def read_names(language: str, source: str) -> NamesAndRows:
    """Return names in source order, declarations, calls and assignments, as spellings."""
    names: dict[str, int] = {}
    name_codes, _, _, declared, called, moved = read_file(language, source.encode(), names, {})
    text = [*names, None]

    def spell_rows(rows: np.ndarray) -> list[tuple[object, ...]]:
        return [(text[f], arity, place, text[n]) for f, arity, place, n in rows.tolist()]

    return (
        [str(text[i]) for i in name_codes.tolist()],
        spell_rows(declared),
        spell_rows(called),
        [(str(text[target]), str(text[value])) for target, value in moved.tolist()],
    )


def test_names_of_java() -> None:
    source = """class A<T> {
        A(int first) { this.size = first; }
        int put(String key, int... rest) {
            int total = box.count;
            last = getTotal(a, b.c /* none */, 1);
            return put(z, new java.util.List<String>(q));
        }
    }"""
    _, declared, called, moved = read_names("java", source)
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


def test_names_of_javascript() -> None:
    source = """var a = b.c;
    function f(x, y = 2, { z }) { o.p = g(x)(y); new Foo(k, a.b.c(1)); }
    h.run = (m) => m;
    let q = { key: value, other(n) {} };
    class A { #hidden(w) { this.#hidden(v) } }"""
    names, declared, called, moved = read_names("javascript", source)
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
    _, line, *_ = read_file("javascript", b"a\nb; c\n\nd", {}, {})
    assert line.tolist() == [0, 1, 1, 3]


@pytest.mark.parametrize("language", ["java", "javascript"])
@settings(max_examples=40, deadline=None)
@given(source=st.binary(max_size=60))
def test_read_file_accepts_any_bytes(language: str, source: bytes) -> None:
    names: dict[str, int] = {}
    name, line, *_ = read_file(language, source, names, {})
    assert len(name) == len(line)


@pytest.mark.parametrize("language", ["java", "javascript"])
def test_read_file_accepts_deep_nesting(language: str) -> None:
    source = "class A { int x = " + "f(" * 10_000 + "y" + ")" * 10_000 + "; }"
    names: dict[str, int] = {}
    read_file(language, source.encode(), names, {})
    assert "y" in names


def is_same_reading(first: Reading, second: Reading) -> bool:
    return (
        first.names == second.names
        and first.words == second.words
        and all(
            np.array_equal(getattr(first, name), getattr(second, name))
            for name in ("name", "line", "offsets", "comments", "declared", "called", "moved")
        )
    )


def test_reading_does_not_depend_on_workers_or_cache(tmp_path: Path) -> None:
    source, home = str(ROOT / "examples" / "quill"), tmp_path / "home"
    build_corpus_folder(
        [source], tmp_path / "corpus", engine=shared_engine(1), views=(), cache=home
    )
    corpus = Corpus.open(tmp_path / "corpus")
    one_worker, files, lost_files = read_corpora([corpus], shared_engine(1), tmp_path / "one")
    two_workers, _, _ = read_corpora([corpus], shared_engine(2), tmp_path / "two")
    cached, _, _ = read_corpora([corpus], shared_engine(1), tmp_path / "one")
    assert lost_files == 0
    assert files.file_counts["java"] == len(one_worker.offsets) - 1 > 10
    assert len(one_worker.declared) > 50
    assert len(one_worker.called) > 50
    assert is_same_reading(one_worker, two_workers)
    assert is_same_reading(one_worker, cached)
