"""Tests of switch to if: selectors, null, names of enums, scopes of cases; the JVM runs every
variant and its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.run import link_project
from codeacumen.transforms.switches import SwitchToIf
from jvm_cases import Case, find_case_locations, run_all_variants

FRAME = """
public class T %s
  interface Act { Object go() throws Throwable; }
  static java.io.PrintStream out;
  static void p(Object x) { out.print(x + " "); }
  static void t(Act act) {
    try { p("= " + act.go()); } catch (Throwable thrown) { p("! " + thrown.getClass()); }
    out.println();
  }
  %s
  public static void run(java.io.PrintStream to) { out = to; %s }
}
"""
INTS = "for (int i = -1; i < 7; i++) { int x = i; t(() -> f(x)); }"
ENUMS = "for (C c : C.values()) t(() -> f(c)); t(() -> f(null));"


def make_case(
    name: str,
    members: str,
    run: str = INTS,
    *accepted: str,
    refused: dict[str, str] | None = None,
    head: str = "{",
) -> Case:
    return Case(name, FRAME % (head, members, run), accepted, refused or {})


CASES = [
    make_case(
        "numbers that are smaller than int",
        """static byte b; static short s; static char[] a = {'x', 'y', 'z', '0', '1', '2', '3'};
           static int g(byte x) { switch (x) { case -1: return 1; case (byte) 130: return 2; }
             return 3; }
           static int h(char x) { switch (x) { case 'a': case 98: return 1; case '\\'': return 2;
             case '\\u0064': return 4; default: return 3; } }
           static int f(int k) { b = (byte) k; s = (short) k; int n = 0;
             switch (b) { case -1: n = 1; break; case 3: n = 2; }
             switch (s) { case 1: n += 10; break; case 3: n += 20; }
             switch (a[(k + 7) % 7]) { case '0': n += 100; break; case 'x': n += 200; }
             switch ((char) (k + '0')) { case '1' -> n += 1000; case '2' -> n += 2000; }
             return n; }""",
        INTS + "t(() -> g((byte) -1)); t(() -> g((byte) 130)); t(() -> g((byte) 0));"
        'for (char c : "ab\'dx".toCharArray()) t(() -> h(c));',
        "switch:x:0",
        "switch:b:0",
        "switch:s:0",
        "switch:a[(k + 7) % 7]:0",
        "switch:(char) (k + '0'):0",
    ),
    make_case(
        "boxes and null",
        """static Integer field; static Integer give(Integer x) { p("g"); return x; }
           static int f(Integer x) { switch (x) { case 1: return 10; case 2: return 20; }
             return 3; }
           static int g(Character y) { switch (y) { case 'a': return 1; default: return 2; } }
           static int h(Byte z) { switch (z) { case 1 -> { return 1; } case 2 -> { return 2; } }
             return 3; }
           static int i(Integer q) { field = q; int n = 0; switch (field) { case 1: n = 5; }
             switch (give(q)) { case 127: n += 1; break; case 128: n += 2; } return n; }
           static int j(Integer d) { switch (d) { default: p("d"); } return 1; }
           static int k(Short e) { switch (e) { } return 1; }""",
        "for (Integer x : new Integer[] {1, 2, 3, null, 127, 128}) { t(() -> f(x)); t(() -> i(x));"
        " t(() -> j(x)); t(() -> g(x == null ? null : (char) (96 + x)));"
        " t(() -> h(x == null ? null : x.byteValue()));"
        " t(() -> k(x == null ? null : x.shortValue())); }",
        "switch:x:0",
        "switch:y:0",
        "switch:z:0",
        "switch:field:0",
        "switch:give(q):0",
        "switch:d:0",
        "switch:e:0",
    ),
    make_case(
        "labels are constant expressions",
        """interface K { int TWO = 2; String S = "s"; } static final char D = 'd';
           static final int ONE = 1; static class In { static final int SIX = 6; }
           static int f(int k) { final int five = 5;
             switch (k) { case ONE: return 1; case K.TWO: return 2; case ONE + K.TWO: return 3;
               case (4): return 4; case five: return 5; case true ? In.SIX : 7: return 6;
               case -1: return 7; case ~9: case D & 1: return 8; } return 9; }
           static int g(String s) { switch (s) { case K.S: return 1; case K.S + "t" + ONE: return 2;
             case ("u"): return 3; case "\\"{}": return 4; } return 5; }""",
        INTS + 'for (String s : new String[] {"s", "st1", "u", "\\"{}", "", null}) t(() -> g(s));',
        "switch:k:0",
        "switch:s:0",
    ),
    make_case(
        "strings from anywhere",
        """static String field; String[] a = {"x", null};
           static String give(Object x) { p("g"); return (String) x; }
           static int f(String s) { int n = 0; field = s;
             switch (field) { case "a": n = 1; break; case "b": n = 2; }
             switch (give(s)) { case "a" -> n += 10; default -> { n += 20; } }
             switch (s + "b") { case "ab": n += 100; }
             switch ("a") { case "a": n += 1000; } return n; }
           static int g(String s) { switch (s) { default: p("d"); } return 1; }
           static int h(String s) { switch (s) { } switch (give(s)) { } return 1; }
           static int i(String s) { switch (s) { case "x": default: return 2; } }
           int j(int k) { switch (a[k]) { case "x": return 1; } return 2; }""",
        'for (String s : new String[] {"a", "b", null}) { t(() -> f(s)); t(() -> g(s));'
        " t(() -> h(s)); t(() -> i(s)); } for (int i = 0; i < 3; i++) { int x = i;"
        " t(() -> new T().j(x)); }",
        "switch:field:0",
        "switch:give(s):0",
        'switch:s + "b":0',
        'switch:"a":0',
        "switch:s:0",
        "switch:a[k]:0",
    ),
    make_case(
        "a class called String",
        """static class String { } static java.lang.String field; static class Enum { }
           static class IncompatibleClassChangeError extends RuntimeException { }
           enum C { A, B }
           static int f(java.lang.String s) { field = s;
             switch (field) { case "a": return 1; } return 2; }
           static C c;
           static int g(C x) { c = x; return switch (c) { case A -> 1; case B -> 2; }; }""",
        't(() -> f("a")); t(() -> f(null)); t(() -> g(C.A)); t(() -> g(C.B)); t(() -> g(null));',
        "switch:field:0",
        "switch:c:0",
    ),
    make_case(
        "enums: own, nested, of the platform, from calls",
        """enum C { A, B { int v() { return 7; } }; int v() {
               switch (this) { case A: return 1; case B: return 2; } return 3; } }
           static class Deep { enum In { X, Y } static In in(int k) { return In.values()[k]; } }
           static C field; static C give(C c) { p("g"); return c; }
           static int f(C c) { int n = c == null ? 0 : c.v(); field = c;
             switch (give(c)) { case A: n += 10; break; case B: n += 20; }
             switch (field) { case B: n += 100; default: n += 200; }
             switch (Deep.in(n % 2)) { case X -> n += 1000; case Y -> n += 2000; }
             switch (java.util.concurrent.TimeUnit.values()[n % 2]) { case NANOSECONDS: n += 5000; }
             switch (c) { } return n; }
           static int g(C d) { switch (d) { default: return 1; } }""",
        ENUMS + "t(() -> g(C.A)); t(() -> g(null));",
        "switch:this:0",
        "switch:give(c):0",
        "switch:field:0",
        "switch:Deep.in(n % 2):0",
        "switch:java.util.concurrent.TimeUnit.:0",
        "switch:c:0",
        "switch:d:0",
    ),
    make_case(
        "an enum whose name a variable hides",
        """enum C { A, B } static String B = "b"; static C x;
           static int f(C c) { String C = "c"; String A = "a"; int n = 0;
             switch (c) { case A: n = 1; break; case B: n = 2; } p(C + A + B); return n; }
           static int g(C c) { x = c; int C = 1;
             switch (x) { case A: return C; case B: return 2; } return 3; }""",
        ENUMS + "for (C c : C.values()) t(() -> g(c)); t(() -> g(null));",
        "switch:c:0",
        "switch:x:0",
    ),
    make_case(
        "an enum whose name an inherited type hides",
        """enum State { A, B } static State state = State.B;
           static class W extends Thread {
             int n; public void run() { switch (T.state) { case A: n = 1; break; case B: n = 2; } }
             State mine() { return getState(); }
             int g() { switch (mine()) { case NEW: return 5; default: return 6; } } }
           static int f(int k) { W w = new W(); w.run(); return w.n * 10 + w.g(); }""",
        INTS,
        "switch:mine():0",
    ),
    make_case(
        "an enum with an equals of its own",
        """enum C { A, B; boolean equals(C other) { return true; } }
           static int f(C c) { switch (c) { case B: return 1; case A: return 2; } return 3; }""",
        ENUMS,
        "switch:c:0",
    ),
    make_case(
        "a local enum; an enum that cannot be named",
        """static class Box { private enum P { X, Y } P p(int k) { return P.values()[k & 1]; } }
           static int f(int k) { enum L { U, V } L l = L.values()[k & 1]; int n = 0;
             switch (l) { case U: n = 1; break; case V: n = 2; }
             var q = new Box().p(k); switch (q) { case X: n += 10; break; default: n += 20; }
             switch (new Box().p(k)) { case X -> n += 100; case Y -> n += 200; } return n; }""",
        INTS,
        "switch:l:0",
        "switch:q:0",
        "switch:new Box().p(k):0",
    ),
    make_case(
        "an enum's constructor",
        """enum D { M, N } enum C { A(D.M), B(D.N); int v;
             C(D d) { switch (d) { case M: v = 1; break; default: v = 2; } } }
           static int f(C c) { return c.v; }""",
        "for (C c : C.values()) t(() -> f(c));",
        refused={"switch:d:0": "in its constructor"},
    ),
    make_case(
        "a lambda's parameter, var, a pattern's variable, a generic's element",
        """enum C { A, B }
           static int f(int k) { int n = 0;
             java.util.function.Function<String, Integer> g = s -> {
               switch (s) { case "1": return 1; } return 2; };
             java.util.function.BiFunction<C, Integer, Integer> h = (c, i) -> {
               switch (c) { case A: switch (i) { case 1: return 5; } } return 6; };
             var v = Integer.valueOf(k); switch (v) { case 3: n = 100; }
             Object o = k; if (o instanceof Integer j) switch (j) { case 4: n = 200; }
             for (C c : java.util.List.of(C.A, C.B)) switch (c) { case B: n += 1000; }
             for (var c : java.util.List.of(C.A)) switch (c) { case A: n += 5000; }
             return n + g.apply("" + k) + h.apply(C.values()[k & 1], k); }""",
        INTS,
        "switch:s:0",
        "switch:c:0",
        "switch:i:0",
        "switch:v:0",
        "switch:j:0",
        "switch:c:1",
        "switch:c:2",
    ),
    make_case(
        "selectors with effects, and variables that cases change",
        """static int[] a = {3, 1, 2}; static int i; int w = 1; static volatile int v;
           static int f(int k) { int n = 0; i = k & 1;
             switch (a[i++]) { case 3: n = 1; i++; case 1: n += 2; i++; }
             switch (n = k) { case 3: n++; case 4: n += 10; break; case 5: n = 0; }
             switch (k) { case 1: k = 2; case 2: k = 3; case 3: n += 100 * k; }
             T t = new T(); switch (t.w) { case 1: t.w = 2; break; case 2: n = -1; }
             v = k; switch (v) { case 3: v = 4; break; case 4: n = -2; }
             return n * 10 + i + v; }""",
        INTS,
        "switch:a[i++]:0",
        "switch:n = k:0",
        "switch:k:0",
        "switch:t.w:0",
        "switch:v:0",
    ),
    make_case(
        "a class between a variable and its use",
        """static class Base { int k = 3; }
           static int f(int k) { int m = k;
             return new Base() { int g() { switch (k) { case 3: return 1; } switch (m) {
               case 3: return 2; } return 4; } }.g(); }""",
        INTS,
        "switch:k:0",
        "switch:m:0",
    ),
    make_case(
        "declarations shared between cases that cannot be moved",
        """static int y = 9;
           static int f(int k) {
             switch (k) { case 1: final int a; a = 2; p(a); break; case 2: a = 3; p(a); }
             switch (k) { case 1: class L { } L l = new L(); p(l != null); break;
               case 2: class M { } int m = 1; p(m); break; case 3: m = 2; p(m); }
             switch (k) { case 1: int[] b = {1}; p(b[0]); break; case 2: b = new int[2]; p(b[1]); }
             switch (k) { case 1: y = 3; { int c = 1; p(c); } break; case 2: int c = 4; p(c); break;
               case 3: c = 5; p(c); }
             switch (k) { case 1: y = 4; break; case 2: int y = 5; p(y); break;
               case 3: y = 6; p(y); }
             return y; }""",
        INTS,
        refused={
            "switch:k:0": "a variable is shared",
            "switch:k:1": "a variable is shared",
            "switch:k:2": "a variable is shared",
            "switch:k:3": "a variable is shared",
            "switch:k:4": "a variable is shared",
        },
    ),
    make_case(
        "variables of cases: shared ones are moved",
        """static int f(int k) { int n = 0;
             switch (k) { case 1: int a = 1, b, c[] = new int[] {2}; n = a + c[0]; break;
               case 2: a = 3; b = 4; n = a + b; case 3: c = new int[5]; n += c.length; break;
               case 4: int d; d = 1; n = d; break; default: d = 2; { int e = d; n = e; } }
             switch (k) { case 1: { int s = 3; p(s); } break; default: String s = "a"; p(s); }
             for (int i = 0; i < 2; i++)
               switch (i) { case 0: int z = k; p(z); case 1: z = 2; p(z); }
             Runnable r; switch (k) { case 1: int q; q = 5; r = () -> p(q); break;
               default: q = 6; r = () -> p(q + 1); }
             r.run(); return n; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
        "switch:i:0",
        "switch:k:2",
    ),
    make_case(
        "not clear whether a case falls through",
        """static final boolean ON = Boolean.TRUE;
           static int f(int k) {
             switch (k) { case 1: while (ON) { if (k++ > 5) break; } case 2: p(2); }
             switch (k) { case 1: while (Integer.SIZE == 32) { if (k++ > 5) return 4; }
               case 2: p(3); }
             return k; }""",
        INTS,
        "switch:k:0",
        refused={"switch:k:1": "not clear whether"},
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(SwitchToIf(), CASES, tmp_path) >= 70


@pytest.mark.parametrize(
    "label",
    [
        "case null -> 1;",
        "case null, default -> 1;",
        "case String s -> 1;",
        "case String s when s.isEmpty() -> 1;",
        "case R(int a) -> 1;",
    ],
)
def test_patterns_are_refused(label: str) -> None:
    source = f"class A {{ int f(Object o) {{ return switch (o) {{ {label} default -> 2; }}; }} }}"
    (location,) = SwitchToIf().find_locations(code_of(JavaFile(source.encode())), 0, 0)
    assert location.refused == "patterns are not handled"


def test_truncated_source_raises_no_error() -> None:
    full_source = CASES[0].source.encode()
    for end in range(0, len(full_source), 61):
        code = code_of(JavaFile(full_source[:end]))
        for place, _ in code.methods_with_body:
            for location in SwitchToIf().find_locations(code, place, 0):
                if not location.refused:
                    flatten_rewrites(code.source, SwitchToIf().make_rewrites(code, [location]))


OTHER = b"package a; public class Other { enum E { X, Y } E e; int tag; static final int ONE = 1; }"
HERE = b"""package a; class Here extends Other {
  int f(Other o) {
    switch (o.e) { case X: return 1; default: }
    switch (o.tag) { case ONE: return 2; case Other.ONE + 1: return 3; }
    return 4;
  }
}"""


def test_project_determines_types_from_other_files() -> None:
    code = code_of(JavaFile(HERE))
    reasons = [location.refused for location in SwitchToIf().find_locations(code, 0, 0)]
    assert reasons == ["the type of the selector is not known"] * 2
    link_project({"Here.java": code.file, "Other.java": JavaFile(OTHER)})
    transform = SwitchToIf()
    locations = transform.find_locations(code, 0, 0)
    assert [location.refused for location in locations] == ["", ""]
    text = apply_edits(
        HERE, flatten_rewrites(HERE, transform.make_rewrites(code, locations))
    ).decode()
    assert "E s1 = o.e;" in text
    assert "s1.equals(E.X)" in text
    assert "int s0 = o.tag;" in text


def test_source_that_is_not_utf_8_is_refused() -> None:
    source = b"class A { int f(int k) { switch (k) { case '\xe9': return 1; } return 2; } }"
    (location,) = SwitchToIf().find_locations(code_of(JavaFile(source)), 0, 0)
    assert location.refused == "the source is not UTF-8"


def test_comment_ended_by_unicode_escape_is_refused() -> None:
    source = rb"class A { int f(int k) { switch (k) { case 1: return 1; // \u000a case 2: k++;" + (
        b"\n default: return 2; } } }"
    )
    (location,) = SwitchToIf().find_locations(code_of(JavaFile(source)), 0, 0)
    assert location.refused == "identifiers or comments of this file have Unicode escapes"


def test_too_many_cases_are_refused() -> None:
    labels = " ".join(f"case {number}: return {number};" for number in range(2000))
    source = f"class A {{ int f(int k) {{ switch (k) {{ {labels} }} return 1; }} }}"
    _, (location,) = find_case_locations(SwitchToIf(), Case("many", source))
    assert location.refused == "too many cases"
