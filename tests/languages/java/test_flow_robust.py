"""Robustness of the flow analysis: any bytes, any depth, any length."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.flow.graph import build_flow
from codeacumen.languages.java.syntax.file import JavaFile

BROKEN = (
    b"",
    b"class",
    b"class A { void m() {",
    b"class A { void m() { if (",
    b"}}}}",
    b"\xff\xfe\x00",
    b"class A { void m() { for (;;) { try { } } } }",
    b"class A { void m() { break; continue x; } }",
    b"class A { void m() { switch (x) { case } } }",
    b"class A { void m() { x = ; y += ; ++; } }",
    b"class A { void m() { try (R r) { } catch { } finally } }",
    b"class A { void m() { yield 1; } }",
    b"class A { void m() { l: } }",
    b"class A { void m() { do while (x); else { } case 1: } }",
    b"class A { void m() { int x = (x = 1) + ((x)); (x)++; ((x)) += 1; } }",
    b"class A { void m() { return void n() { } int y = 2; } }",
    b"class A { void m() { (a) -> { } } }",
)


@pytest.mark.parametrize("source", BROKEN)
def test_broken_source_raises_no_error(source: bytes) -> None:
    for checker in (False, True):
        file_flow = build_flow(JavaFile(source), checker=checker)
        assert len(file_flow.last_use) >= 0
        assert len(file_flow.last_write) >= 0


def test_truncated_source_raises_no_error() -> None:
    """The source of a method with many constructs is cut at every seventh byte."""
    source = (
        b"class A { int m(int a) { int x = 0; l: for (int i : f()) { try (R r = g(i)) { switch (a)"
        b" { case 1: x += i; break l; default: x = a > 0 && p(x) ? i : switch (x) { case 2 -> i;"
        b" default -> { yield a; } }; } } catch (E | F e) { continue l; } finally { x--; } }"
        b" return o instanceof S(var q) ? q : x; } }"
    )
    for end in range(0, len(source), 7):
        file_flow = build_flow(JavaFile(source[:end]))
        assert len(file_flow.last_use) >= 0


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (b"if (p()) {", b"}"),
        (b"while (p()) { x++;", b"}"),
        (b"try { x = 1; f();", b"} finally { g(x); }"),
        (b"try { f(); } finally { x = 1; ", b"}"),
        (b"switch (x) { case 1: x = 2;", b"}"),
        (b"r = () -> {", b"};"),
        (b"l: for (;;) { if (p()) break l;", b"}"),
        (b"g(x = ", b"0);"),
        (b"x = p() ? ", b"1 : 2;"),
        (b"new T() { void n() {", b"} };"),
    ],
)
def test_time_is_linear_in_nesting_depth(opening: bytes, closing: bytes) -> None:
    """No time limit is needed: an exponential or quadratic algorithm would take hours."""
    body = opening * 2_000 + b"x = 3;" + closing * 2_000
    file_flow = build_flow(JavaFile(b"class A { void m(int x) { " + body + b" } }"))
    assert len(file_flow.last_use) >= 0


def test_time_is_linear_in_the_length_of_a_block() -> None:
    """The block declares many variables, uses them far away, and each call may leave it."""
    count = 20_000
    first = b"".join(b"int x%d = f();" % index for index in range(count))
    last = b"".join(b"g(x%d);" % index for index in range(count))
    body = b"try {" + first + last + b"} catch (E e) { }"
    file_flow = build_flow(JavaFile(b"class A { void m() {" + body + b"} }"))
    assert len(file_flow.last_write) == count


def test_long_chains_of_conditions() -> None:
    body = b"if (" + b" && ".join([b"p(x)"] * 20_000) + b") g(x);"
    file_flow = build_flow(JavaFile(b"class A { void m(int x) {" + body + b"} }"))
    assert len(set(file_flow.last_write[:, 1].tolist())) == 1
