"""Tests of all analyses on real files with random changes of bytes and tokens.

No analysis may raise, each table has a row for each method, and two runs have equal results.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeacumen.corpus.reading import Problem, Source, read_source
from codeacumen.corpus.rows import RowContext, Rows, add_file, sha256_hex
from codeacumen.languages.base import list_languages
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.tokens import tokenize_java
from codeacumen.registry import make_view
from corpora import EXAMPLES, VIEWS


@cache
def make_context() -> RowContext:
    tables = {table.name: table for name in VIEWS for table in make_view(name).tables}
    return RowContext("mutated", "train", tuple(tables.values()), list_languages())


@cache
def read_originals() -> list[bytes]:
    files = sorted(file for root in EXAMPLES for file in Path(root).rglob("*.java"))
    hard = sorted((Path(__file__).parents[1] / "languages" / "java").glob("*.java"))
    return [file.read_bytes() for file in [*files, *hard]]


def analyse_source(source: Source) -> Rows:
    rows = Rows()
    add_file(rows, make_context(), source, sha256_hex(source.data))
    methods = len(rows.tables.get("methods", []))
    for columns in rows.views.values():
        for lists in columns.values():
            assert sum(len(ragged) for ragged in lists) == methods
            for ragged in lists:
                assert ragged.offsets[-1] == len(ragged.values)
    return rows


def to_plain_lists(value: Any) -> Any:
    """Return tables with lists in place of arrays, which have no equality of their own."""
    if isinstance(value, dict):
        return {key: to_plain_lists(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_lists(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def assert_analysis_is_stable(data: bytes) -> None:
    source = read_source("Mutated.java", data)
    if isinstance(source, Problem):
        return
    first, second = analyse_source(source), analyse_source(source)
    assert to_plain_lists(first.tables) == to_plain_lists(second.tables)
    for table, columns in first.views.items():
        for name, lists in columns.items():
            for first_column, second_column in zip(lists, second.views[table][name], strict=True):
                assert np.array_equal(first_column.values, second_column.values)


quick = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@quick
@given(st.data())
def test_bytes_changed_at_random(data: Any) -> None:
    content = bytearray(read_originals()[data.draw(st.integers(0, len(read_originals()) - 1))])
    for _ in range(data.draw(st.integers(1, 8))):
        offset = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(("replace", "delete", "insert", "cut")))
        if kind == "replace":
            content[offset] = data.draw(st.integers(0, 255))
        elif kind == "delete":
            del content[offset : offset + data.draw(st.integers(1, 40))]
        elif kind == "insert":
            content[offset:offset] = data.draw(st.binary(max_size=6))
        else:
            del content[max(1, offset) :]
        if not content:
            content = bytearray(b" ")
    assert_analysis_is_stable(bytes(content))


@quick
@given(st.data())
def test_tokens_moved_at_random(data: Any) -> None:
    content = read_originals()[data.draw(st.integers(0, len(read_originals()) - 1))]
    token_table = tokenize_java(parse_java(content))
    pieces = [
        content[start:end]
        for start, end in zip(token_table.start.tolist(), token_table.end.tolist(), strict=True)
    ]
    for _ in range(data.draw(st.integers(1, 6))):
        index = data.draw(st.integers(0, len(pieces) - 1))
        other = data.draw(st.integers(0, len(pieces) - 1))
        kind = data.draw(st.sampled_from(("drop", "double", "swap", "take")))
        if kind == "drop" and len(pieces) > 1:
            del pieces[index]
        elif kind == "double":
            pieces.insert(index, pieces[index])
        elif kind == "swap":
            other = min(other, len(pieces) - 1)
            pieces[index], pieces[other] = pieces[other], pieces[index]
        else:
            pieces[index] = pieces[min(other, len(pieces) - 1)]
    assert_analysis_is_stable(b" ".join(pieces))


HOSTILE = {
    "nested parentheses": lambda n: "int f() { return " + "(" * n + "1" + ")" * n + "; }",
    "nested blocks": lambda n: "void f() " + "{" * n + "}" * n,
    "nested ifs": lambda n: "void f(int x) { " + "if (x > 0) " * n + "x = 1; }",
    "long sum": lambda n: "int f(int x) { return " + "x + " * n + "1; }",
    "many statements": lambda n: "void f(int x) { " + "x = x + 1; " * n + "}",
    "many locals": lambda n: "void f() { " + " ".join(f"int v{i} = {i};" for i in range(n)) + " }",
    "chained calls": lambda n: "Object f(B b) { return b" + ".a(1)" * n + "; }",
    "long array": lambda n: "int[] f() { return new int[] { " + "1, " * n + "1 }; }",
    "many methods": lambda n: " ".join(f"int m{i}(int a) {{ return m{i}(a); }}" for i in range(n)),
    "many cases": lambda n: (
        "void f(int x) { switch (x) { " + " ".join(f"case {i}: x++; " for i in range(n)) + "} }"
    ),
    "unclosed": lambda n: "void f(int x) { if (x) { " * n,
    "catches": lambda n: "void f() { try { g(); } " + "catch (A e) { g(); } " * n + "}",
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_analysis_time_is_linear(shape: str) -> None:
    """Four times the size must not take much more than four times as long.

    The bound is 11 because timings vary; a quadratic step would take 16 times as long.
    """

    def measure_seconds(size: int) -> float:
        data = f"class H {{ {HOSTILE[shape](size)} }}".encode()
        best = float("inf")
        for _ in range(3):
            clock = time.process_time()
            analyse_source(Source("Hostile.java", data, "utf-8"))
            best = min(best, time.process_time() - clock)
        return best

    measure_seconds(10)
    small = 1000
    assert measure_seconds(4 * small) < 11 * measure_seconds(small) + 0.05
