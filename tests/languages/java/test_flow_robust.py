"""Any bytes, any depth, any length."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.flow.graph import flow
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
def test_broken_source_is_survivable(source: bytes) -> None:
    for checker in (False, True):
        found = flow(JavaFile(source), checker=checker)
        assert len(found.last_use) >= 0
        assert len(found.last_write) >= 0


def test_cut_anywhere() -> None:
    """Every beginning of a real body, which ends in the middle of everything."""
    source = (
        b"class A { int m(int a) { int x = 0; l: for (int i : f()) { try (R r = g(i)) { switch (a)"
        b" { case 1: x += i; break l; default: x = a > 0 && p(x) ? i : switch (x) { case 2 -> i;"
        b" default -> { yield a; } }; } } catch (E | F e) { continue l; } finally { x--; } }"
        b" return o instanceof S(var q) ? q : x; } }"
    )
    for end in range(0, len(source), 7):
        found = flow(JavaFile(source[:end]))
        assert len(found.last_use) >= 0


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
def test_nesting_costs_no_more_than_its_depth(opening: bytes, closing: bytes) -> None:
    """Not a time limit: what was exponential or quadratic would take hours here."""
    body = opening * 2_000 + b"x = 3;" + closing * 2_000
    found = flow(JavaFile(b"class A { void m(int x) { " + body + b" } }"))
    assert len(found.last_use) >= 0


def test_a_long_straight_line_costs_its_length() -> None:
    """Many variables, used far apart, in a block that every call may leave."""
    count = 20_000
    first = b"".join(b"int x%d = f();" % at for at in range(count))
    last = b"".join(b"g(x%d);" % at for at in range(count))
    body = b"try {" + first + last + b"} catch (E e) { }"
    found = flow(JavaFile(b"class A { void m() {" + body + b"} }"))
    assert len(found.last_write) == count


def test_long_chains_of_conditions() -> None:
    body = b"if (" + b" && ".join([b"p(x)"] * 20_000) + b") g(x);"
    found = flow(JavaFile(b"class A { void m(int x) {" + body + b"} }"))
    assert len(set(found.last_write[:, 1].tolist())) == 1
