"""Tests of NPath in its three definitions: worked examples, single rules, and very large methods.

The oracle is the specification: the values of the examples come from PMD's tests or were worked out
from its rules before the implementation existed. Each other value follows from one rule, stated in
the comment beside it.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from codeacumen.api import CodeacumenError
from codeacumen.languages.java.measures.npath import (
    BINS,
    MOST,
    NO_BIN,
    RULES,
    compute_npath,
    find_bins,
)
from codeacumen.languages.java.syntax.file import JavaFile
from npath_reference import bin_of

NPathTriple = tuple[int, int, int]


def compute_npaths(source: str) -> list[NPathTriple]:
    """Return for each body of a file its values by PMD 6, PMD 7.0 to 7.13, and PMD 7.14."""
    file = JavaFile(source.encode())
    return list(zip(*(compute_npath(file, rules).tolist() for rules in RULES), strict=True))


def npaths_of_body(body: str) -> NPathTriple:
    """Return the three values of a method with this body."""
    return compute_npaths(f"class A {{ void m() {{ {body} }} }}")[0]


# --------------------------------------------------------------------------------------
# The examples of the specification and of PMD's tests.
# --------------------------------------------------------------------------------------

EXAMPLES = {
    "f(); g();": (1, 1, 1),
    "if (a) f();": (2, 2, 2),
    "if (a && b) f(); else g();": (3, 3, 3),
    "if (a && b || c);": (4, 4, 5),
    "if (a) f(); if (b) g(); if (c) h();": (8, 8, 8),
    "for (int i = 0; i < n && ok; i++) { if (a) f(); }": (3, 4, 4),
    "while (a || b) f();": (3, 3, 3),
    "do f(); while (a && b);": (3, 3, 3),
    "switch (k) { case 1: case 2: if (a) f(); break; case 3: g(); break; }": (4, 5, 6),
    "return a && b;": (1, 2, 2),
    "return a ? 1 : 2;": (2, 3, 2),
    "try { if (a) f(); } catch (E e) { g(); } catch (F e) { h(); } finally { if (b) k(); }": (
        6, 6, 4,
    ),
    "run(() -> { if (a) f(); if (b) g(); }); if (c) h();": (8, 8, 2),
    "if (x==0) return 0; if (x==1) return 1; if (x==2) return 2; return x;": (8, 8, 4),
    "int v = a || b ? f() : g(); boolean w = a && b;": (3, 3, 6),
    "switch (k) { case 1, 2 -> f(); case 3 -> { if (a) g(); } default -> h(); }": (5, 5, 5),
    "try (R r = open()) { f(); }": (2, 2, 1),
    "for (;;) { if (a && b) break; f(); }": (5, 4, 3),
    "for (X m : ms) { if (m.a) continue; if (m.b) e(); if (m.c) break; if (m.d) g(); }": (
        17, 17, 8,
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", EXAMPLES)
def test_worked_examples(body: str) -> None:
    assert npaths_of_body(body) == EXAMPLES[body]


# Programs of the shapes for which PMD's own tests give values: 8064 and 5064; 4; 6; 7; 272.
_MIXED = """
    try { if (t) f(); for (int i = 0; i < 19; i++) { Object o = a ? x() : null; } }
    catch (E e) { if (t) g(); }
    if (t || a && b) { j = 10; return; } else { j = 12; }
    j = a || b ? j + 1 : j;
    while (j++ < 20) { f(); }
    switch (j) { case 1: case 2: break; case 3: j = 5; break;
                 case 4: if (b && a) { f(); } break; default: break; }
    do { f(); } while (a && j++ < 30);
    if (b) { return; }
"""


def test_values_of_programs_from_pmds_tests() -> None:
    assert npaths_of_body(_MIXED) == (8064, 8064, 5064)
    assert npaths_of_body("g((x ? 1 : 2), (y ? 3 : 4));")[:2] == (4, 4)
    assert npaths_of_body("return g((x ? 1 : 2), (y ? 3 : 4));")[:2] == (4, 4)
    assert npaths_of_body("if (a) { if (b) {} } else {} if (b) {} else {}") == (6, 6, 6)
    chain = "if (j == 1 || j == 2) {} else if (j == 3) {} else if (j == 4) { if (b && a) f(); }"
    assert npaths_of_body(chain)[:2] == (7, 7)
    ternaries = "x = a == null ? 1 : 2;" * 4
    assert npaths_of_body(ternaries + "for (C c : cs) {" + "if (c.a) f();" * 4 + "}") == (
        272,
        272,
        272,
    )


# --------------------------------------------------------------------------------------
# One rule at a time.
# --------------------------------------------------------------------------------------

BY_HAND = {
    # Sequences.
    "": (1, 1, 1),
    ";": (1, 1, 1),
    "int i = 0, j = f(1); i++; { g(); } throw new E(i);": (1, 1, 1),
    # Neither labels nor locks nor parentheses change anything.
    "l: if (a) f(); synchronized (o) { if (b) g(); }": (4, 4, 4),
    "if (((a))) f();": (2, 2, 2),
    # if: then + else; a chain adds one for each.
    "if (a) f(); else g();": (2, 2, 2),
    "if (a) f(); else if (b) g(); else h();": (3, 3, 3),
    "if (a) { if (b) f(); if (c) g(); } else { if (d) h(); }": (6, 6, 6),
    # Operators in conditions: one each; 7.14 counts the ways to true and to false.
    "if (a || b) f();": (3, 3, 3),
    "if (a && b && c) f();": (4, 4, 4),
    "if (!(a && b)) f(); else { g(); if (c) h(); }": (4, 4, 4),
    "if (a && b) { if (c) f(); if (d) g(); }": (6, 6, 6),
    "if (a || b) { if (c) f(); if (d) g(); }": (6, 6, 9),
    "if (!(a || b)) { if (c) f(); if (d) g(); }": (6, 6, 6),
    "if (f(a && b)) g();": (3, 3, 4),
    # Ternaries in conditions: PMD 6 ignores them; PMD 7 adds two if they are the whole condition.
    "if (a ? b : c) f();": (2, 4, 4),
    "if (f(a ? b : c)) g();": (2, 2, 4),
    "while ((a ? b && d : c)) f();": (3, 5, 5),
    "if ((a ? b : c) && d) f();": (3, 3, 6),
    # while: body + 1.
    "while (a) { if (b) f(); }": (3, 3, 3),
    "while (true) { if (b) break; }": (3, 3, 2),
    "while ((true)) { if (b) break; }": (3, 3, 2),
    "while (a) { if (b) break; if (c) continue; f(); }": (5, 5, 4),
    # do: body + 1; 7.14 counts the paths that go back at the end.
    "do { if (b) f(); } while (a);": (3, 3, 4),
    "do { if (b) f(); } while (a); if (c) g();": (6, 6, 6),
    "do { if (b) continue; if (c) break; f(); } while (a);": (5, 5, 5),
    # for: PMD 6 takes the first expression in the head, even if it is not the condition.
    "for (int i = 0; a && b; i++) f();": (2, 3, 3),
    "for (; a && b; ) f();": (3, 3, 3),
    "for (i++; a && b; ) f();": (3, 3, 3),
    "for (i = 0; a && b; ) f();": (2, 3, 3),
    "for (int i; a && b; ) f();": (3, 3, 3),
    "for (boolean d = a && b; c; ) f();": (3, 2, 4),
    "for (g(a && b); c; ) f();": (3, 2, 4),
    "for (x[i] = a && b; c; ) f();": (2, 2, 4),
    "for (;;) { f(); }": (2, 2, 1),
    "for (;;) { f(a && b, c); }": (3, 2, 2),
    "for (;;) { f(c, a && b); }": (2, 2, 2),
    "for (;;) { int i = 1; if (a && b) f(); }": (4, 4, 3),
    "for (;;) run(() -> a && b);": (2, 2, 1),
    "for (; true; ) { if (a) break; }": (3, 3, 2),
    "for (int i = 0; c; i = a ? 1 : 2) f();": (2, 2, 3),
    "for (int i = a ? 1 : 2; c; ) f();": (2, 2, 4),
    # 7.14 counts the iterable twice: once for its evaluation, once for the loop.
    "for (X x : a ? b : c) f();": (2, 2, 8),
    "for (X x : g(a && b)) f();": (3, 2, 8),
    # return: PMD 6 counts operators, and the value of the returned expression if it exceeds 1.
    "return;": (1, 1, 1),
    "return a;": (1, 1, 1),
    "return a && b || c;": (2, 3, 4),
    "return a && b ? c : d;": (4, 4, 3),
    "return (a ? b : c);": (2, 3, 2),
    "return f(a ? b : c);": (2, 2, 2),
    "return f(a ? b : c, d && e);": (3, 3, 4),
    "return (a ? b : c) + (d ? e : f);": (4, 4, 4),
    "return a ? (b ? c : d) : e;": (3, 6, 3),
    # Lambdas are entered, but operators in them do not count, except for PMD 7 if its search starts
    # at the lambda.
    "return () -> { if (a) f(); };": (2, 2, 1),
    "return () -> a && b;": (1, 2, 1),
    "return f(() -> a && b);": (1, 1, 1),
    "return () -> a ? b : c;": (2, 2, 1),
    # Ternaries: c + a + b + operators of c - 1.
    "x = a ? b : c;": (2, 2, 2),
    "x = a ? b : c ? d : e;": (3, 3, 3),
    "x = (a ? b : c) ? d : e;": (3, 5, 4),
    "x = a && b || c ? d : e;": (4, 4, 5),
    "x = a ? b && c : d;": (2, 2, 3),
    "f(a ? b : c); throw a ? b : c;": (4, 4, 4),
    "assert a ? b : c : d;": (2, 2, 2),
    # Operators elsewhere count in 7.14 only.
    "f(a && b, c || d); x = a & b | c ^ d;": (1, 1, 4),
    "synchronized (a ? b : c) { f(); }": (2, 2, 2),
    # Colon switch: in PMD 6 each label counts the statements after it; in PMD 7 labels multiply.
    "switch (k) { case 1: f(); break; default: g(); }": (2, 2, 2),
    "switch (k) { case 1: f(); break; }": (1, 1, 2),
    "switch (k) { case 1: case 2: case 3: if (a) f(); }": (4, 6, 7),
    "switch (k) { case 1: f(); case 2: }": (2, 1, 3),
    "switch (k) { case 1: ; case 2: }": (2, 1, 3),
    "switch (k) { case 1, 2: f(); break; default: }": (2, 2, 3),
    "switch (k) { case 1: if (a) f(); case 2: if (b) g(); default: if (c) h(); }": (6, 6, 14),
    "switch (a && b ? 1 : 2) { case 1: f(); break; default: g(); }": (3, 5, 6),
    "switch (k) { }": (2147483647, 0, 1),
    "switch (k) { case 1: if (a) break; f(); break; default: return; } if (b) g();": (6, 6, 5),
    "while (a) switch (k) { case 1: continue; default: break; }": (3, 3, 3),
    # Arrow switch: labels times body.
    "switch (k) { case 1, 2, 3 -> { if (a) f(); } }": (6, 6, 7),
    "switch (k) { case 1, 2 -> throw e; default -> f(); }": (2, 3, 3),
    "switch (k) { case 1 -> { if (a) break; f(); } default -> { } } if (b) g();": (6, 6, 6),
    "switch (k) { case null, default -> f(); case 1 -> g(); }": (2, 2, 2),
    "switch (k) { case String s when s.a() && b -> f(); case Integer i -> g(); }": (2, 2, 2),
    # Switch expressions; under return, PMD 7 multiplies the branches.
    "int v = switch (k) { case 1, 2 -> f(); case 3 -> { if (a) yield 1; yield 2; } "
    "default -> h(); };": (5, 5, 5),
    "return switch (k) { case 1 -> f(); default -> g(); };": (2, 1, 2),
    "return switch (k) { case 1, 2, 3 -> f(); case 4, 5 -> g(); default -> h(); };": (6, 6, 6),
    "return (switch (k) { case 1 -> { if (a) yield 1; yield 2; } default -> 3; });": (3, 2, 3),
    "int v = switch (k) { case 1: yield a ? 1 : 2; default: f(); yield 3; };": (3, 3, 3),
    "v = 1 + switch (k) { case 1 -> f(); default -> a ? 1 : 2; };": (3, 3, 2),
    # try: the parts add; in 7.14 they multiply as a sequence.
    "try { f(); } finally { g(); }": (2, 2, 1),
    "try { if (a) f(); } catch (E e) { if (b) g(); if (c) h(); }": (6, 6, 8),
    "try (R r = a ? b : c; S s = o()) { f(); } catch (E e) { g(); }": (4, 4, 2),
    "try (r) { f(); }": (2, 2, 1),
    "try { return f(); } finally { if (a) g(); }": (3, 3, 1),
    # Nested bodies: lambdas, anonymous and local classes multiply into the enclosing body for PMD
    # up to 7.13; a return in a local class ends the paths through the method for 7.14.
    "new T() { void q() { if (a) f(); } boolean b = c ? d : e; }; if (g) h();": (8, 8, 2),
    "class L { void q() { if (a) f(); } } if (g) h();": (4, 4, 4),
    "class L { int q() { if (a) return 1; return 2; } } if (g) h();": (4, 4, 2),
    # Jumps and returns.
    "if (a) return; if (b) throw e; f();": (4, 4, 3),
    "l: while (a) { while (b) { if (c) break l; if (d) continue l; f(); } }": (6, 6, 5),
    "l: if (a) { if (b) break l; f(); } if (c) g();": (6, 6, 6),
    # PMD 7.14 loses the paths that leave a block by its label.
    "l: { if (a) break l; f(); } if (b) g();": (4, 4, 2),
}  # fmt: skip


@pytest.mark.parametrize("body", BY_HAND)
def test_rules_by_hand(body: str) -> None:
    assert npaths_of_body(body) == BY_HAND[body]


def test_comments_change_nothing() -> None:
    for body, expected in (BY_HAND | EXAMPLES).items():
        spaced = re.sub(r"[(){};:?,]|&&|\|\||->", r" /* if && */ \g<0> // || ?\n", body)
        assert npaths_of_body(spaced) == expected, body


def test_methods_constructors_and_nested_bodies() -> None:
    source = """
    class A {
      A() { this(1); if (a) f(); }
      A(int i) { super(i > 0 ? 1 : 2); }
      static { if (a) f(); }
      abstract void none();
      int outer() { return new T() { int inner() { return a ? 1 : 2; } }.inner(); }
      record R(int i) { R { if (i < 0) f(); } }
      enum E { X { void q() { if (a) f(); if (b) g(); } } }
    }
    """
    assert compute_npaths(source) == [
        (2, 2, 2),
        (2, 2, 2),
        (2, 3, 1),
        (2, 3, 2),
        (2, 2, 2),
        (4, 4, 4),
    ]


def test_a_switch_over_all_constants_of_an_enum_in_the_file_needs_no_default() -> None:
    enum = "enum E { A, B { } } void m(E e) { switch (e) { %s } if (x) f(); }"
    all_labels, first_label = "case A: f(); break; case B: g();", "case A: f(); break;"
    assert [
        compute_npaths(f"class C {{ {enum % labels} }}")[0][2]
        for labels in (all_labels, first_label)
    ] == [4, 4]
    assert compute_npaths(f"class C {{ {enum % (first_label + 'case D: g();')} }}")[0][2] == 6


# --------------------------------------------------------------------------------------
# Large, deep, broken.
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [30, 31, 32, 62, 63, 64, 65, 200, 3000])
def test_many_paths_saturate(count: int) -> None:
    npaths = npaths_of_body("if (a) f();" * count)
    assert npaths == tuple(min(2**count, MOST[rules]) for rules in RULES)


@pytest.mark.parametrize(
    "shape",
    [
        "if (a) { %s }",
        "while (a && b) { %s }",
        "do { %s } while (a);",
        "for (;;) { %s }",
        "try { %s } finally { if (b) f(); }",
        "switch (k) { case 1: %s }",
        "x = a ? b : c; { %s }",
        "switch (k) { case 1, 2 -> { %s } }",
        "run(() -> { %s });",
        "class L { void q() { %s } }",
    ],
)
def test_saturated_values_stay_in_range(shape: str) -> None:
    for count in (31, 63, 64, 100):
        for npath_value, rules in zip(
            npaths_of_body(shape % ("if (a) f();" * count)), RULES, strict=True
        ):
            assert 1 <= npath_value <= MOST[rules]


@pytest.mark.parametrize(
    ("before", "inner", "after"),
    [
        ("if (a) {", "f();", "}"),
        ("if (a) f(); else {", "f();", "}"),
        ("while (a) ", ";", ""),
        ("for (;;) {", "if (a && b) f();", "}"),
        ("l: ", "f();", ""),
        ("do {", "", "} while (a);"),
        ("try {", "", "} finally { }"),
        ("switch (k) { case 1:", "f();", "}"),
        ("{", "", "}"),
        ("switch (k) { case 1 -> {", "f();", "} }"),
        ("class L { void q() {", "return;", "} }"),
        ("f(new T() { void q() {", "f();", "} });"),
        ("f(() -> {", "f();", "});"),
    ],
)
def test_statements_nested_ten_thousand_deep(before: str, inner: str, after: str) -> None:
    for npath_value, rules in zip(
        npaths_of_body(before * 10_000 + inner + after * 10_000), RULES, strict=True
    ):
        assert 0 <= npath_value <= MOST[rules]


@pytest.mark.parametrize(
    ("before", "inner", "after"),
    [
        ("(", "a", ")"),
        ("!", "a", ""),
        ("a && ", "b", ""),
        ("(a || ", "b", ")"),
        ("", "a", " && b"),
        ("a ? ", "b", " : c"),
        ("a ? b : ", "c", ""),
        ("f(", "a && b", ")"),
    ],
)
def test_operators_nested_ten_thousand_deep(before: str, inner: str, after: str) -> None:
    deep = before * 10_000 + inner + after * 10_000
    for body in (f"if ({deep}) f();", f"return {deep};", f"x = {deep};"):
        for npath_value, rules in zip(npaths_of_body(body), RULES, strict=True):
            assert 1 <= npath_value <= MOST[rules]


def test_long_chains_are_counted() -> None:
    chain = " && ".join("a" * 1000)
    assert npaths_of_body(f"if ({chain}) f();") == (1001, 1001, 1001)
    assert npaths_of_body("".join(f"if (x == {i}) return {i};" for i in range(1000)))[2] == 1001


def test_damaged_sources_have_values() -> None:
    complete = (
        b"class A { void m() { for (;;) { switch (k) { case 1 -> { yield a ? b : c; } default: "
        b"l: do { break l; } while (a && b); } } try (R r = s) { return x; } finally { } } }"
    )
    for end in range(len(complete)):
        for source in (complete[:end], complete[:end] + complete[end + 1 :], complete[end:]):
            file = JavaFile(source)
            for rules in RULES:
                npath_values = compute_npath(file, rules)
                assert len(npath_values) == len(file.bodies)
                assert (npath_values >= 0).all()
    assert len(compute_npath(JavaFile(b"\xff\xfe\0 }{"))) == 0


def test_unknown_rules_are_rejected() -> None:
    with pytest.raises(CodeacumenError, match="pmd8"):
        compute_npath(JavaFile(b""), "pmd8")


# --------------------------------------------------------------------------------------
# The twelve bins.
# --------------------------------------------------------------------------------------


def test_bins_are_those_of_the_paper() -> None:
    """Appendix B.1: 1,2,3,4,5-6,7-8,9-10,11-15,16-20,21-30,31-50,51-100."""
    assert len(BINS) == 12
    npath_values = np.array([*range(-2, 200), 2**31 - 1, 2**63 - 1])
    names = [
        None if bin_index == NO_BIN else BINS[bin_index] for bin_index in find_bins(npath_values)
    ]
    assert names == [bin_of(npath_value) for npath_value in npath_values.tolist()]
    assert {name for name in names if name} == set(BINS)
