"""Compare two implementations of NPath that share only the parser.

They must agree on every method of real code and on random programs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.languages.java.measures.npath import RULES, compute_npath
from codeacumen.languages.java.syntax.file import JavaFile
from npath_reference import compute_npath as compute_npath_slowly
from support import ROOT


def compute_npaths(source: bytes) -> list[tuple[int, int, int]]:
    file = JavaFile(source)
    return list(zip(*(compute_npath(file, rules).tolist() for rules in RULES), strict=True))


def compare_implementations(files: list[Path]) -> list[tuple[int, int, int]]:
    npaths: list[tuple[int, int, int]] = []
    for file in files:
        source = file.read_bytes()
        file_npaths = compute_npaths(source)
        assert file_npaths == compute_npath_slowly(source), file
        npaths += file_npaths
    return npaths


def test_both_agree_on_the_examples() -> None:
    npaths = compare_implementations(sorted((ROOT / "examples").rglob("*.java")))
    assert len(npaths) > 600
    # Each two of the three definitions differ on the examples.
    for first, second in ((0, 1), (1, 2), (0, 2)):
        assert sum(row[first] != row[second] for row in npaths) > 20


def test_both_agree_on_java_util(part_of_java_util: list[Path]) -> None:
    npaths = compare_implementations(part_of_java_util)
    assert len(npaths) > 800
    assert max(row[0] for row in npaths) > 10_000


# --------------------------------------------------------------------------------------
# Random programs.
# --------------------------------------------------------------------------------------

_expression = st.recursive(
    st.sampled_from(["a", "true", "f()", "x[0]", "new T()", "() -> a && b", "this"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["&&", "||", "+", "=="]), inner).map(" ".join),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})"),
        inner.map(lambda e: f"!({e})"),
        inner.map(lambda e: f"f({e}, b)"),
        inner.map(lambda e: f"(x = {e})"),
        inner.map(lambda e: f"switch ({e}) {{ case 1, 2 -> a; default -> {e}; }}"),
        inner.map(lambda e: f"new T() {{ int m() {{ return {e}; }} }}"),
    ),
    max_leaves=6,
)
_simple = st.one_of(
    st.sampled_from(["", "break;", "continue;", "break l;", "continue l;", "return;", ";"]),
    st.tuples(
        st.sampled_from(
            ["f(%s);", "x = %s;", "int v = %s;", "return %s;", "throw %s;", "assert %s;"]
        ),
        _expression,
    ).map(lambda t: t[0].replace("%s", t[1])),
)
_SHAPES = (
    "if (E) { S }",
    "if (E) { S } else { T }",
    "while (E) { S }",
    "do { S } while (E);",
    "for (int i = E; E; f(E)) { S }",
    "for (;;) { S }",
    "for (i++; E; ) { S }",
    "for (X x : E) { S }",
    "l: while (E) { S T }",
    "l: if (E) { S }",
    "l: { S }",
    "try { S } catch (X e) { T } finally { S }",
    "try (R r = E) { S }",
    "switch (E) { case 1: case 2: S case 3, 4: T default: S }",
    "switch (E) { case 1: S }",
    "switch (E) { case 1, 2 -> { S } case 3 -> throw E; default -> { T } }",
    "int w = switch (E) { case 1 -> { S yield E; } default -> E; };",
    "return switch (E) { case 1: S yield E; case 2, 3: T yield 1; default: yield 2; };",
    "synchronized (E) { S }",
    "run(() -> { S });",
    "class L { int q() { S return E; } }",
    "S T S",
)


def _fill_shape(shape_and_parts: tuple[str, str, str, str]) -> str:
    shape, *parts = shape_and_parts
    replacements = dict(zip("EST", parts, strict=True))
    if shape.startswith("class"):
        # A jump cannot leave a method; PMD's value for such invalid code does not matter.
        replacements["S"] = re.sub(r"\b(break|continue)( l)?;", ";", replacements["S"])
    return re.sub(r"\b[EST]\b", lambda match: replacements[match[0]], shape)


program = st.recursive(
    _simple,
    lambda inner: st.tuples(st.sampled_from(_SHAPES), _expression, inner, inner).map(_fill_shape),
    max_leaves=12,
)


@given(program)
@settings(max_examples=150, deadline=None)
def test_both_agree_on_any_program(body: str) -> None:
    source = f"class A {{ int m() {{ {body} }} }}".encode()
    assert compute_npaths(source) == compute_npath_slowly(source)


@pytest.mark.parametrize("shape", _SHAPES)
def test_shapes_are_valid_java(shape: str) -> None:
    """The generated programs are valid only if each shape is."""
    body = _fill_shape((shape, "a", "f();", "g();"))
    assert not JavaFile(f"class A {{ int m() {{ {body} }} }}".encode()).syntax.broken
