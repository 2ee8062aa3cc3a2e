"""Tests of the unused statement. javac and the JVM are the oracle: the declaration is inserted at
every possible position, singly and everywhere at once, and then at positions sampled with some
seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Rewrite
from codeacumen.transforms.location import Location
from codeacumen.transforms.unused import STATEMENT_PARENTS, Unused, insertion_points
from jvm_cases import Case, run_all_variants


class AllPositions:
    """A transformation that has every possible position as a location."""

    name = "unused"

    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]:
        all_locations: list[Location] = []
        for block in code.nodes_of(method, *STATEMENT_PARENTS):
            for place, model in insertion_points(code, block):
                text = f'String timestamp{len(all_locations)} = "";'.encode()
                id_ = f"unused:{block}:{len(all_locations)}"
                all_locations.append(
                    Location(id_, method, *code.span(place), "", (place, model, text))
                )
        return all_locations

    def make_rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]:
        return Unused().make_rewrites(code, chosen)


def make_case(name: str, members: str, calls: str) -> Case:
    """Return a case; ``calls`` are expressions whose results or exceptions are printed."""
    printed = "".join(
        f"try {{ out.println({call}); }} catch (Exception e) {{ out.println(e); }}\n"
        for call in calls.split(";")
    )
    source = f"""public class T {{
    static StringBuilder log = new StringBuilder();
    static int said(int x) {{ log.append(x).append(' '); return x; }}
    {members}
    public static void run(java.io.PrintStream out) {{
    {printed}
    out.println(log); }} }}
    """
    return Case(name, source)


CASES = [
    make_case("an empty body", "int n; void f() {} void g() { } void h() {\n    }", "new T().n"),
    make_case("return ends a block", "int f(int x) { said(x); return x; }", "new T().f(1)"),
    make_case(
        "branches",
        """int f(int x) {
             if (x > 0) { said(1); } else if (x < 0) { said(2); } else { return 7; }
             if (x == 5) said(3); else said(4);
             if (x == 1) { return 8; } else { throw new IllegalStateException(); }
           }""",
        "new T().f(1); new T().f(-1); new T().f(0); new T().f(5)",
    ),
    make_case(
        "branches that all end",
        "int f(int x) { if (x > 0) { return 1; } else { return 2; } }",
        "new T().f(1); new T().f(-1)",
    ),
    make_case(
        "loops",
        """int f(int x) {
             for (int i = 0; i < x; i++) { said(i); }
             for (int i : new int[x]) { said(i); continue; }
             while (x > 0) { x--; if (x == 2) { continue; } if (x == 1) { break; } }
             do { said(x++); } while (x < 3);
             return x;
           }""",
        "new T().f(5); new T().f(0); new T().f(-1)",
    ),
    make_case(
        "endless loops",
        """int f(int x) { while (true) { x++; if (x > 9) { return x; } } }
           int g(int x) { for (;;) { x++; if (x > 9) { break; } } return x; }
           void h(int x) { do { x++; if (x > 9) { throw new RuntimeException(); } } while (true); }
           final boolean ever = true;
           int k(int x) { while (ever) { x++; if (x > 9) return x; } }
           static final int ONE = 1;
           int l(int x) { for (; ONE + 1 == 2 && !false;) { x++; if (x > 9) return x; } }
           void m() { int i = 0; for (; i < 3;) { i++; } while (i > 0) { i--; } said(i); }""",
        "new T().f(5); new T().g(5); new T().k(5); new T().l(3)",
    ),
    make_case(
        "try, catch, finally",
        """int f(Object o) {
             try { said(1); ((String) o).length(); }
             catch (ClassCastException e) { said(2); return 2; }
             catch (RuntimeException e) { said(3); }
             finally { said(4); }
             try { return o.hashCode(); } finally { said(5); }
           }""",
        'new T().f("a"); new T().f(1); new T().f(null)',
    ),
    make_case(
        "try that cannot complete",
        """int f(int x) {
             try { if (x > 0) return 1; throw new RuntimeException("x"); }
             catch (RuntimeException e) { throw e; } finally { said(x); }
           }
           @SuppressWarnings("finally")
           int g(int x) { for (;;) { try { return x; } finally { break; } } return -x; }""",
        "new T().f(1); new T().f(0); new T().g(3)",
    ),
    make_case(
        "resources and synchronized",
        """int f(int x) throws Exception {
             try (AutoCloseable c = () -> { said(9); }; var d = c) { said(x); }
             synchronized (this) { x++; }
             synchronized (this) { return x; }
           }""",
        "new T().f(1)",
    ),
    make_case(
        "lambdas with a block, and without",
        """int f(int x) {
             Runnable r = () -> { };
             Runnable s = () -> said(x);
             java.util.function.IntUnaryOperator t = y -> { if (y > x) { return y; } return x; };
             java.util.function.Supplier<Integer> u = () -> { throw new IllegalStateException(); };
             r.run(); s.run();
             return t.applyAsInt(4) + (x > 4 ? u.get() : 0);
           }""",
        "new T().f(3); new T().f(5)",
    ),
    make_case(
        "groups of an old switch",
        """int f(int x) {
             switch (x) {
               case 1: said(1);
               case 2:
               case 3: { said(2); } break;
               case 4: int y = x; return y;
               case 5: y = 6; said(y); // falls through
               default:
                 said(7);
             }
             switch (x) { default: }
             switch (x) { case 1: case 2: case 3: }
             switch (x) { case 1: break; default: return 3; }
             return 0;
           }""",
        "new T().f(1); new T().f(2); new T().f(3); new T().f(4); new T().f(5); new T().f(6)",
    ),
    make_case(
        "arrows",
        """int f(int x) {
             switch (x) { case 1 -> { said(1); } case 2 -> said(2); default -> { return 5; } }
             int y = switch (x) { case 1 -> { int z = 3; yield z; } default -> 4; };
             return switch (y) { case 3: said(y); yield 7; default: yield 8; };
           }""",
        "new T().f(1); new T().f(2); new T().f(3)",
    ),
    make_case(
        "a switch that ends in every case",
        """int f(int x) { switch (x) { case 1: return 1; case 2: throw new RuntimeException();
             default: return 3; } }
           int g(int x) { switch (x) { case 1 -> { return 1; } default -> { return 2; } } }""",
        "new T().f(1); new T().f(2); new T().f(3); new T().g(1); new T().g(2)",
    ),
    make_case(
        "constructors",
        """int n;
           static class Base { int b; Base(int b) { this.b = b; } Base() { } }
           static class A extends Base { A(int x) { super(x + 1); } A() { this(5); said(b); }
             A(String s) { said(1); } A(long l) { } A(char c) { super(); b = c; }
             A(Runnable r) { this(() -> { said(2); }, 1); }
             A(Runnable r, int k) { super(k); r.run(); } }
           int f() { return new A().b + new A("").b + new A(1L).b + new A('c').b; }
           int g() { return new A((Runnable) null).b; }""",
        "new T().f(); new T().g()",
    ),
    make_case(
        "a compact constructor and an enum's",
        """record R(int a) { R { if (a < 0) { a = -a; } } R() { this(4); } }
           enum E { A { int g() { return 1; } }, B(3); int n; E() { } E(int n) { this.n = n; }
             int g() { return n; } }
           int f(int x) { return new R(x).a() + new R().a() + E.A.g() + E.B.g(); }""",
        "new T().f(-3)",
    ),
    make_case(
        "methods of classes inside a method",
        """int f(int x) {
             int y; { y = 2; }
             class L { int z; { z = 3; } static int s; int g() { { z++; } return z; } }
             Object o = new Object() { int w = 5; { w++; }
               public int hashCode() { return w + y; } };
             return o.hashCode() + new L().g();
           }""",
        "new T().f(3)",
    ),
    make_case(
        "labels",
        """int f(int x) {
             a: b: for (int i = 0; ; i++) { c: { if (i == 2) { break c; } if (i > x) { break a; }
               continue b; } said(i); }
             d: { if (x > 2) { break d; } return 1; }
             return 2;
           }
           void g(int x) { a: { while (true) { if (x++ > 3) { break a; } } } }
           int h(int x) { a: { return x; } }
           int k(int x) { a: while (true) {
             while (true) { if (x++ > 3) { continue a; } return 1; } } }""",
        "new T().f(2); new T().f(5); new T().h(4); new T().k(1)",
    ),
    make_case(
        "empty statements and blocks",
        "int f(int x) {; {} ;; { ; } if (x > 1) {} else {} while (x-- > 0) {} return x; }",
        "new T().f(2)",
    ),
    make_case(
        "comments and layout",
        """int f(int x) { // one
             /* two */ said(1); // three
\t\tsaid(2); /* four
   five */ said(3);
           // six
             if (x > 0) { /* seven */ }
             if (x > 1) { // eight
             }
             if (x > 2) {
               said(4); // nine
               // ten
             } return x; // eleven
             // twelve
           }
           void g() { said(5); /* a */ }
           void h() { said(6); // b
           }""",
        "new T().f(3)",
    ),
    make_case(
        "declarations used by others",
        """int f(int x) {
             int a = 1, b;
             final int c;
             if (x > 0) { b = 2; c = 3; } else { b = 4; c = 5; }
             class L { int g() { return c; } }
             if (!(((Object) x) instanceof Integer i)) { return 0; }
             record R(int k) { }
             return a + b + new L().g() + i + new R(1).k();
           }""",
        "new T().f(1); new T().f(-1)",
    ),
    make_case(
        "names that are taken",
        """static String timestamp0 = "field"; int timestamp1() { return 4; }
           String f(int timestamp2) { timestamp3: { break timestamp3; }
             return timestamp0 + timestamp1() + timestamp2; }""",
        "new T().f(1)",
    ),
    make_case(
        "String is a variable, a method and a label",
        "int String(String String) { String: { return String.length(); } }",
        'new T().String("abc")',
    ),
    make_case(
        "interfaces",
        """interface I { default int d(int x) { return p(x) + 1; } static int s() { return 3; }
             private int p(int x) { if (x > 0) { x++; } return x + s(); } }
           int f(int x) { return new I() { }.d(x); }""",
        "new T().f(1)",
    ),
    make_case(
        "deep nesting",
        """int f(int x) {
             for (int i = 0; i < 2; i++) { if (i == x) { try { switch (x) { case 0: {
             synchronized (log) { do { Runnable r = () -> { { said(7); } }; r.run(); }
             while (i > x); } } } }
             finally { said(8); } } }
             return x;
           }""",
        "new T().f(0); new T().f(1); new T().f(2)",
    ),
    make_case(
        "exceptions in between",
        """int f(int[] a, int i) { int x = a[i]; { x = 10 / x; } assert x > 0; return x; }""",
        "new T().f(new int[] {0, 5}, 0); new T().f(new int[] {0, 5}, 1); new T().f(null, 1);"
        "new T().f(new int[2], 2); new T().f(new int[] {1}, 0)",
    ),
]


def test_every_position_keeps_behaviour(tmp_path: Path) -> None:
    cases = [candidate for candidate in CASES if "timestamp" not in candidate.source]
    assert run_all_variants(AllPositions(), cases, tmp_path) > 300


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sampled_positions_keep_behaviour(seed: int, tmp_path: Path) -> None:
    assert run_all_variants(Unused(), CASES, tmp_path, seed) >= 2 * len(CASES)
