"""Tests of switch to if: errors of the published tool, fall-through, ``break``, default at any
position; the JVM runs every variant and its original."""

from __future__ import annotations

from pathlib import Path

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.switches import SwitchToIf
from jvm_cases import Case, find_case_locations, make_case_variants, run_all_variants

FRAME = """
public class T {
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


def make_case(
    name: str, members: str, run: str = INTS, *accepted: str, refused: dict[str, str] | None = None
) -> Case:
    return Case(name, FRAME % (members, run), accepted, refused or {})


CASES = [
    make_case(
        "section 9: fall-through of empty and of non-empty groups",
        """static int f(int k) {
             switch (k) { case 1: case 2: p("f"); break; case 3: p("g"); case 4: p("h"); }
             return k; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "section 9: default in the middle falls into a case",
        "static int f(int k) { switch (k) { case 3: p(3); break; default: p('d'); case 1: p(1); }"
        " return k; }",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "section 9: strings are compared by equals",
        """static int f(String s) { switch (s) { case "a": return 1; case "b": return 2; }
             return 3; }""",
        't(() -> f(new String("a"))); t(() -> f("b")); t(() -> f("c")); t(() -> f(null));',
        "switch:s:0",
    ),
    make_case(
        "section 9: enum labels are bare",
        """enum C { RED, BLUE, GREEN }
           static int f(C c) { switch (c) { case RED: return 1; case BLUE: return 2; default: }
             return 3; }""",
        "for (C c : C.values()) t(() -> f(c)); t(() -> f(null));",
        "switch:c:0",
    ),
    make_case(
        "section 9: the selector has an effect",
        """static int n;
           static int next() { p("next"); return n++; }
           static int f(int k) { n = k; switch (next()) { case 1: return 10; case 2: return 20; }
             return n; }""",
        INTS,
        "switch:next():0",
    ),
    make_case(
        "section 9: a break inside an if, in a loop",
        """static int f(int k) { int sum = 0;
             for (int i = 0; i < 4; i++) {
               switch (i) {
                 case 1: if (k > 2) break; sum += 1; break;
                 case 2: { if (k > 3) { sum += 10; break; } }
                 case 3: sum += 100;
               }
               sum += 1000;
             }
             return sum; }""",
        INTS,
        "switch:i:0",
    ),
    make_case(
        "section 9: a variable is shared between cases",
        """static int f(int k) {
             switch (k) { case 1: int y = 4; p(y); break; case 2: y = 7; return y; default: p(k); }
             int y = 1; return y; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "section 9: several labels in a case",
        """static int f(int k) { switch (k) { case 1, 2: p("a"); break; case 3, 4, 5: p("b"); }
             switch (k) { case 1, 2 -> p("c"); case 3 -> { p("d"); } default -> throw new Error(); }
             return k; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
    ),
    make_case(
        "section 9: only default",
        """static int f(int k) { switch (k) { default: p("d"); } switch (k) { default: break; }
             switch (k) { case 1: case 2: default: p("e"); } return k; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
        "switch:k:2",
    ),
    make_case(
        "a ladder of cases that fall",
        """static int f(int k) { int h = 0;
             switch (k) { case 4: h ^= 8; case 3: h += 4; k = 9; case 2: h <<= 2; case 1: h++; }
             return h + k; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "default first, falls into all",
        "static int f(int k) { switch (k) { default: p('d'); case 1: p(1); case 2: p(2); break;"
        " case 3: p(3); } return k; }",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "default fallen into, and falling",
        "static int f(int k) { switch (k) { case 1: p(1); default: p('d'); case 2: p(2); break;"
        " case 3: case 4: p(3); } return k; }",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "labels before and after default",
        """static int f(int k) {
             switch (k) { case 3: default: case 4: p("d"); break; case 1: p(1); }
             switch (k) { case 1: p(1); case 2: case 3: default: p("e"); case 5: } return k; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
    ),
    make_case(
        "no case falls through: each leaves in another way",
        """static int f(int k) {
             for (int i = 0; i < 3; i++) switch (k + i) {
               case 0: continue;
               case 1: return 5;
               case 2: throw new IllegalStateException();
               case 3: for (;;) { if (i++ > 5) return i; }
               case 4: { p("x"); break; }
               case 5: try { return 6; } finally { p("y"); }
               case 6: synchronized (T.class) { break; }
               default: do { p("z"); } while (i++ < 1); break;
             }
             return k; }""",
        INTS,
        "switch:k + i:0",
    ),
    make_case(
        "the method ends in a switch whose cases all return",
        "static int f(int k) { switch (k) { case 1: return 4; case 2: throw new Error();"
        " default: return 5; } }",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "an if without braces around a switch, with an else",
        """static int f(int k) {
             if (k > 1) switch (k) { case 2: p(2); break; case 3: p(3); } else p("else");
             if (k > 1) l: switch (k) { case 2: break l; default: if (k > 4) break; p("m"); }
             else p("else");
             if (k > 9) p(9); else switch (k) { case 1: p(1); }
             if (k > 0) if (k > 1) p(1); else switch (k) { case 1: p(2); } else p(3);
             return k; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
        "switch:k:2",
        "switch:k:3",
    ),
    make_case(
        "a labelled switch; labels of loops around it",
        """static int f(int k) { int n = 0;
             outer: for (int i = 0; i < 4; i++) {
               here: switch (k) {
                 case 1: while (true) { if (n++ > 2) break here; }
                 case 2: if (i == 2) break outer; if (i == 1) continue outer; n += 10; break;
                 case 3: for (;;) { break; } n += 100; break here;
                 default: if (i == 1) break; n += 1000;
               }
               n += 5;
             }
             return n; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "switches inside each other",
        """static int f(int k) { int n = 0;
             for (int i = 0; i < 3; i++)
             switch (k) {
               case 1: switch (i) { case 0: n++; break; case 1: if (k == 1) break; n += 5; default:
                 switch (n + i) { case 3: n += 7; case 4: n += 9; } } n += 2; break;
               case 2: switch (n++) { case 0: switch (k - 1) { case 1: n += 3; } }
               case 3: { switch (i) { case 1: n += 100; } }
             }
             return n; }""",
        INTS,
        "switch:k:0",
        "switch:i:0",
        "switch:i:1",
        "switch:n + i:0",
        "switch:n++:0",
    ),
    make_case(
        "in a lambda, an anonymous class, a constructor",
        """int v; T() { this(1); } T(int k) { switch (k) { case 1: v = 3; break; default: v = k; } }
           static int f(int k) {
             Runnable r = () -> { switch (k) { case 1: p(1); break; case 2: p(2); } };
             r.run();
             java.util.function.IntUnaryOperator g = x -> {
               switch (x) { case 1: return 5; } return 6; };
             new Object() { void m() { switch (k) { case 2: p("two"); } } }.m();
             return new T(k).v + new T().v + g.applyAsInt(k); }""",
        INTS,
        "switch:k:0",
        "switch:x:0",
    ),
    make_case(
        "an empty switch, and one with labels only",
        """static int n; static int g() { p("g"); return n; }
           static int f(int k) { n = k; switch (g()) { } switch (g()) { case 1: case 2: }
             switch (k) { } switch (k) { case 3: default: } return k; }""",
        INTS,
        "switch:g():0",
        "switch:g():1",
        "switch:k:0",
        "switch:k:1",
    ),
    make_case(
        "final variables and definite assignment",
        """static int f(int k) { final int a; int b; final int c;
             switch (k) { case 1: a = 4; break; case 2: if (k > 1) { a = 5; break; } else return 1;
               default: a = 6; }
             switch (k) { case 1: b = a; c = 1; break; case 2: return 2;
               default: throw new Error(); }
             Runnable r = () -> p(a + c); r.run();
             return a + b; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
    ),
    make_case(
        "the selector is a constant",
        """static final int K = 2;
           static int f(int k) { final int c = 2; int v;
             switch (c) { case 1: v = 1; break; case 2: v = k; break; default: v = 3; }
             switch (K) { case 2: v++; } switch (3) { case 3: v += 2; break; case 4: v = 0; }
             return v; }""",
        INTS,
        "switch:c:0",
        "switch:K:0",
        "switch:3:0",
    ),
    make_case(
        "comments and layout are unchanged",
        """static int f(int k) {
             switch /* a */ (k) { // b
               // c
               case /* d */ 1 /* e */ : // f
               // g
               case 2: // h
                 p("x"); // i
                 break; // j
               case 3: p(3);
                 break;
               default: // nothing }
             }
             return k; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "a switch that a semicolon follows",
        """static int f(int k) {
             Runnable r = () -> { switch (k) { case 1: p(1); break; }; p("after"); };
             r.run(); switch (k) { case 2: p(2); }; return k; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
    ),
    make_case(
        "a break in try and finally",
        """static int f(int k) {
             switch (k) {
               case 1: try { p("a"); break; } finally { p("b"); }
               case 2: try { if (k == 2) break; p("c"); } catch (RuntimeException e) { break; }
               case 3: try { p("d"); } finally { if (k == 3) p("e"); }
               case 4: p("f");
             }
             return k; }""",
        INTS,
        "switch:k:0",
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(SwitchToIf(), CASES, tmp_path) >= 60


def test_all_comments_are_kept() -> None:
    (comment_case,) = [
        candidate for candidate in CASES if candidate.name == "comments and layout are unchanged"
    ]
    for text in make_case_variants(SwitchToIf(), comment_case).values():
        for mark in "abcdefghij":
            assert f" {mark}\n" in text or f" {mark} */" in text, (mark, text)


def test_text_outside_the_switch_is_unchanged() -> None:
    transform = SwitchToIf()
    for switch_case in CASES:
        code, locations = find_case_locations(transform, switch_case)
        for location in locations:
            for edit in flatten_rewrites(code.source, transform.make_rewrites(code, [location])):
                assert location.start <= edit.start <= edit.end <= location.end


def test_variants_are_deterministic() -> None:
    for switch_case in CASES:
        assert make_case_variants(SwitchToIf(), switch_case) == make_case_variants(
            SwitchToIf(), switch_case
        )


def test_text_of_variant() -> None:
    source = b"""class A {
  void f(int x) {
    switch (x) {
      case 1:
        a();
        break;
      case 2: case 3:
        b();
      default:
        c();
    }
  }
}
"""
    code = code_of(JavaFile(source))
    transform = SwitchToIf()
    changed = apply_edits(
        source,
        flatten_rewrites(
            source, transform.make_rewrites(code, transform.find_locations(code, 0, 0))
        ),
    )
    assert (
        changed.decode()
        == """class A {
  void f(int x) {
    if (x == 1) {
        a();
      } else { if (x == 2 || x == 3) {
        b();
      }
        c();
    }
  }
}
"""
    )
