"""Malformed input: real files with bytes and tokens changed at random, through every analysis.

What must hold: no exception, a row for every method in every table, the same result twice.
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
from codeacumen.corpus.rows import Context, Rows, add_file, sha256
from codeacumen.languages.base import list_languages
from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.tokens import tokens
from codeacumen.registry import make_view
from corpora import EXAMPLES, VIEWS


@cache
def context() -> Context:
    tables = {table.name: table for name in VIEWS for table in make_view(name).tables}
    return Context("mutated", "train", tuple(tables.values()), list_languages())


@cache
def originals() -> list[bytes]:
    files = sorted(file for root in EXAMPLES for file in Path(root).rglob("*.java"))
    hard = sorted((Path(__file__).parents[1] / "languages" / "java").glob("*.java"))
    return [file.read_bytes() for file in [*files, *hard]]


def analysed(source: Source) -> Rows:
    rows = Rows()
    add_file(rows, context(), source, sha256(source.data))
    methods = len(rows.tables.get("methods", []))
    for columns in rows.views.values():
        for lists in columns.values():
            assert sum(len(one) for one in lists) == methods
            for one in lists:
                assert one.offsets[-1] == len(one.values)
    return rows


def plain(value: Any) -> Any:
    """Return tables with lists in place of arrays, which have no equality of their own."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def check(data: bytes) -> None:
    source = read_source("Mutated.java", data)
    if isinstance(source, Problem):
        return
    first, second = analysed(source), analysed(source)
    assert plain(first.tables) == plain(second.tables)
    for table, columns in first.views.items():
        for name, lists in columns.items():
            for one, other in zip(lists, second.views[table][name], strict=True):
                assert np.array_equal(one.values, other.values)


quick = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@quick
@given(st.data())
def test_bytes_changed_at_random(data: Any) -> None:
    content = bytearray(originals()[data.draw(st.integers(0, len(originals()) - 1))])
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        kind = data.draw(st.sampled_from(("replace", "delete", "insert", "cut")))
        if kind == "replace":
            content[at] = data.draw(st.integers(0, 255))
        elif kind == "delete":
            del content[at : at + data.draw(st.integers(1, 40))]
        elif kind == "insert":
            content[at:at] = data.draw(st.binary(max_size=6))
        else:
            del content[max(1, at) :]
        if not content:
            content = bytearray(b" ")
    check(bytes(content))


@quick
@given(st.data())
def test_tokens_moved_at_random(data: Any) -> None:
    content = originals()[data.draw(st.integers(0, len(originals()) - 1))]
    found = tokens(parse_java(content))
    pieces = [content[s:e] for s, e in zip(found.start.tolist(), found.end.tolist(), strict=True)]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(pieces) - 1))
        other = data.draw(st.integers(0, len(pieces) - 1))
        kind = data.draw(st.sampled_from(("drop", "double", "swap", "take")))
        if kind == "drop" and len(pieces) > 1:
            del pieces[at]
        elif kind == "double":
            pieces.insert(at, pieces[at])
        elif kind == "swap":
            other = min(other, len(pieces) - 1)
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            pieces[at] = pieces[min(other, len(pieces) - 1)]
    check(b" ".join(pieces))


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
def test_time_grows_with_the_size(shape: str) -> None:
    """Four times the size must not cost much more than four times the time. The bound is far
    from four, because machines stutter; a quadratic step would be sixteen."""

    def seconds(n: int) -> float:
        data = f"class H {{ {HOSTILE[shape](n)} }}".encode()
        best = float("inf")
        for _ in range(3):
            clock = time.process_time()
            analysed(Source("Hostile.java", data, "utf-8"))
            best = min(best, time.process_time() - clock)
        return best

    seconds(10)
    small = 1000
    assert seconds(4 * small) < 11 * seconds(small) + 0.05
