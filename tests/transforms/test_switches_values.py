"""Tests of switch to if for switch expressions; the JVM runs every variant and its original."""

from __future__ import annotations

from pathlib import Path

from codeacumen.transforms.switches import SwitchToIf
from jvm_cases import Case, make_case_variants, run_all_variants

FRAME = """
public class T {
  interface Act { Object go() throws Throwable; }
  static java.io.PrintStream out;
  static void p(Object x) { out.print(x + " "); }
  static void t(Act act) {
    try {
      Object given = act.go();
      p("= " + given + " " + (given == null ? null : given.getClass()));
    } catch (Throwable thrown) { p("! " + thrown.getClass()); }
    out.println();
  }
  enum C { RED, BLUE, GREEN }
  %s
  public static void run(java.io.PrintStream to) { out = to; %s }
}
"""
INTS = "for (int i = -1; i < 7; i++) { int x = i; t(() -> f(x)); }"
ENUMS = "for (C c : C.values()) t(() -> f(c)); t(() -> f(null));"


def make_case(
    name: str, members: str, run: str = INTS, *accepted: str, refused: dict[str, str] | None = None
) -> Case:
    return Case(name, FRAME % (members, run), accepted, refused or {})


LARGER = "part of a larger expression"
CASES = [
    make_case(
        "returned: values, blocks, throw",
        """static int f(int k) { return switch (k) { case 1 -> 5; case 2, 3 -> { p("x"); yield 6; }
             case 4 -> throw new IllegalStateException(); default -> { if (k > 5) yield 7;
             else yield 8; } }; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "returned: old groups",
        """static int f(int k) { return switch (k) { case 1: yield 5; case 2: p("x"); case 3:
             yield 6;
             default: if (k > 4) { yield 7; } yield 8; }; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "declared: the variable stays effectively final",
        """static int f(int k) { int v = switch (k) { case 1 -> 5; case 2 -> { if (k > 0) yield 6;
             p("y"); yield 7; } default -> k; };
             Runnable r = () -> p(v); r.run(); return v; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "declared: final, annotated, with dimensions behind the name",
        """static int f(int k) {
             final @Deprecated int v[] = switch (k) { case 1 -> new int[] {1}; default -> {
               for (int i = 0; ; i++) { if (i > k) yield new int[] {i, 2}; } } };
             Runnable r = () -> p(v.length); r.run(); return v[0]; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "assigned: a local variable, a field, a field of this",
        """int a; static int b;
           int g(int k) { int v = 1;
             v = switch (k) { case 1 -> v + 1; case 2 -> { v = 3; yield v + 4; } default -> v; };
             a = switch (v) { case 2 -> 20; default -> { if (v > 4) yield a + 1; yield 30; } };
             this.a = switch (a) { case 20 -> b++; default -> a + b++; };
             b = switch (a) { case 0: yield 1; default: yield 2; };
             return v * 1000 + a * 10 + b; }
           static int f(int k) { b = 7; return new T().g(k); }""",
        INTS,
        "switch:k:0",
        "switch:v:0",
        "switch:a:0",
        "switch:a:1",
    ),
    make_case(
        "each value is converted to the expected type",
        """static Object f(int k) {
             double d = switch (k) { case 1 -> 'a'; case 2 -> 3; case 3 -> 4L; default -> 1.5f; };
             Object o = switch (k) { case 1 -> 1; case 2 -> 2.0; case 3 -> 'c'; default -> "s"; };
             long l = switch (k) { case 1 -> 'a'; default -> (byte) 3; };
             byte b = switch (k) { case 1 -> 10; case 2 -> 'x'; default -> 20; };
             Integer i = switch (k) { case 1 -> 1; case 2 -> null; default -> Integer.valueOf(9); };
             char c = switch (k) { case 1 -> 65; default -> 'q'; };
             Comparable<?> z; z = switch (k) { case 1 -> 1; case 2 -> "t"; default -> 1L; };
             p(d); p(o.getClass()); p(l); p(b); p(i); p(c); p(z.getClass()); return o; }
           static long g(int k) { return switch (k) { case 1 -> 'a'; default -> 2; }; }
           static Object h(int k) {
             return switch (k) { case 1 -> 'a'; case 2 -> 1; default -> 2L; }; }
           static int u(Integer k) { return switch (k) { case 1 -> k; case 2 -> (Integer) null;
             default -> 4; }; }""",
        INTS + "for (int i = 0; i < 4; i++) { int x = i;"
        " t(() -> g(x)); t(() -> h(x)); t(() -> u(x)); } t(() -> u(null));",
        *(f"switch:k:{n}" for n in range(7)),
    ),
    make_case(
        "lambdas, method references, diamonds, generic methods, conditionals",
        """interface S { String s(); }
           static <X> X id(X x) { return x; }
           static Object f(int k) {
             S s = switch (k) { case 1 -> () -> "one"; case 2 -> "two"::toString;
               default -> new S() { public String s() { return "more"; } }; };
             java.util.List<String> l = switch (k) { case 1 -> new java.util.ArrayList<>();
               case 2 -> java.util.List.of(); default -> id(java.util.List.of("a")); };
             int[] a = switch (k) { case 1 -> null; default -> k > 3 ? new int[2] : new int[3]; };
             p(l); p(a == null ? -1 : a.length); return s.s(); }
           static java.util.function.IntSupplier h(int k) {
             return switch (k) { case 1 -> () -> k; default -> () -> { return k + 1; }; }; }""",
        INTS + "t(() -> h(1).getAsInt()); t(() -> h(2).getAsInt());",
        "switch:k:0",
        "switch:k:1",
        "switch:k:2",
    ),
    make_case(
        "all constants of an enum, without default",
        """static int f(C c) { int v = switch (c) { case RED -> 1; case BLUE, GREEN -> 2; };
             return v + switch (c) { case RED -> 1; case BLUE -> 2; case GREEN -> 3; }; }
           static String g(C c) { return switch (c) { case RED: yield "r"; case BLUE: p("b");
             case GREEN: yield "g"; }; }""",
        ENUMS + "for (C c : C.values()) t(() -> g(c)); t(() -> g(null));",
        "switch:c:0",
        refused={"switch:c:1": LARGER},
    ),
    make_case(
        "strings and null",
        """static int f(String s) { return switch (s) { case "a", "b" -> 1; default -> 2; }; }
           static int g(String s) { int v = switch (s) { default -> 3; }; return v; }""",
        """t(() -> f("b")); t(() -> f("x")); t(() -> f(null)); t(() -> g("")); t(() -> g(null));""",
        "switch:s:0",
    ),
    make_case(
        "a value of another switch",
        """static int f(int k) {
             int v = switch (k) {
               case 1 -> switch (k + 1) { case 2 -> { if (k == 1) yield 10; yield 11; }
                 default -> 12; };
               case 2 -> { p("x"); yield switch (k - 1) { case 1 -> 20; default -> 21; }; }
               case 3 -> { if (k > 2) yield switch (k * 2) { case 6: yield 30; default: yield 31; };
                 p("never"); yield 32; }
               default -> { yield 40; }
             };
             return switch (v) {
               case 10 -> switch (k) { default -> 1; }; default -> { yield v; } }; }""",
        INTS,
        "switch:k:0",
        "switch:k + 1:0",
        "switch:k - 1:0",
        "switch:k * 2:0",
        "switch:v:0",
        "switch:k:1",
    ),
    make_case(
        "a statement switch between a yield and its switch",
        """static int f(int k) {
             int v = switch (k) { default:
               switch (k) { case 1: yield 5; case 2: break; case 3: if (k > 1) yield 6; p("n");
                 default: p("d"); }
               for (int i = 0; i < 3; i++) {
                 switch (i) { case 2 -> { yield 7; } default -> p(i); } }
               yield 8; };
             return v; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
        "switch:i:0",
    ),
    make_case(
        "value computed inside try",
        """int a; static int n(int k) { if (k == 3) throw new IllegalStateException(); return k; }
           int g(int k) {
             int v = switch (k) { default -> { try { yield n(k); } catch (RuntimeException e) {
               yield 9; } finally { p("f"); } } };
             return v; }
           int h(int m) {
             int w = switch (m) { default -> { try { yield n(m); } catch (RuntimeException e) {
               yield 9; } } };
             Runnable r = () -> p(w); r.run();
             a = switch (m) { default -> { try { yield n(m); } finally { p(a); } } };
             return switch (m) { default -> { try { yield a + n(m); } finally { p("g"); } } }; }
           static int f(int k) { return new T().g(k) + new T().h(k); }""",
        INTS,
        "switch:k:0",
        "switch:m:2",
        refused={"switch:m:0": "inside try", "switch:m:1": "inside try"},
    ),
    make_case(
        "value for another switch, computed inside try",
        """static int a;
           static int n(int k) { if (k == 3) throw new IllegalStateException(); return k; }
           static int f(int k) { a = 7;
             try { a = switch (k) { case 1 -> 4; default -> switch (k + 1) {
               default -> { try { yield n(k); } finally { p(a); if (k == 5) n(3); } } }; };
             } catch (RuntimeException e) { p("caught"); }
             return a; }""",
        INTS,
        "switch:k:0",
        refused={"switch:k + 1:0": "inside try"},
    ),
    make_case(
        "a value inside a larger expression",
        """static int g(int k) { return k; }
           static int f(int k) {
             int v = 1 + switch (k) { case 1 -> 2; default -> 3; };
             var w = switch (k) { case 1 -> 2; default -> 3; };
             v += switch (k) { case 1 -> 2; default -> 3; };
             g(switch (k) { case 1 -> 2; default -> 3; });
             int[] a = new int[1]; a[0] = switch (k) { case 1 -> 2; default -> 3; };
             java.util.function.IntUnaryOperator o = x -> switch (x) { case 1 -> 2; default -> 3; };
             int b = 1, c = switch (k) { case 1 -> 2; default -> 3; };
             for (int i = switch (k) { case 1 -> 2; default -> 3; }; i < 4; i++) p(i);
             java.util.function.IntUnaryOperator q = x -> { return switch (x) { default -> 3; }; };
             int d = (switch (k) { case 1 -> 2; default -> 3; });
             return v + w + a[0] + o.applyAsInt(k) + c + d; }""",
        INTS,
        "switch:k:7",
        refused={
            **{f"switch:k:{n}": LARGER for n in range(7)},
            "switch:x:0": LARGER,
            "switch:x:1": "the value of a lambda",
        },
    ),
    make_case(
        "an assignment in a rule, a return without braces",
        """static int f(int k) { int v = 0;
             switch (k) { case 1 -> v = switch (k) { case 1 -> 5; default -> 6; };
               default -> v = 7; }
             if (k > 2) return switch (k) { case 3 -> 8; default -> 9; }; else p("e");
             while (k > 1) return switch (k) { case 2 -> { p("i"); yield 1; } default -> 2; };
             return v; }""",
        INTS,
        "switch:k:0",
        "switch:k:1",
        "switch:k:2",
        "switch:k:3",
    ),
    make_case(
        "a blank final field in a constructor",
        """final int a; T(int k) { a = switch (k) { case 1 -> 5; default -> {
             for (int i = 0; ; i++) if (i > 2) yield i; } }; }
           static int f(int k) { return new T(k).a; }""",
        INTS,
        "switch:k:0",
    ),
    make_case(
        "the selector is kept once",
        """static int n; static int next() { p("n"); return n++; }
           static int f(int k) { n = k;
             int v = switch (next()) { case 1 -> next(); case 2 -> 5; default -> { yield n; } };
             return switch (next() + v) { case 5 -> 1; case 6 -> 2; default -> 3; }; }""",
        INTS,
        "switch:next():0",
        "switch:next() + v:0",
    ),
    make_case(
        "a variable shared between groups that yield values",
        """static int f(int k) {
             return switch (k) { case 1: int y = 4; yield y; case 2: y = 5; yield y;
               default: yield 6; }; }
           static int g(int m) {
             int v = switch (m) { case 1: int y = 4; yield y; case 2: y = 5; yield y;
               default: yield 6; };
             return v; }""",
        INTS + "t(() -> g(1)); t(() -> g(2)); t(() -> g(3));",
        "switch:k:0",
        refused={"switch:m:0": "a variable is shared"},
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(SwitchToIf(), CASES, tmp_path) >= 60


def test_changing_all_switches_leaves_none() -> None:
    (nested_case,) = [
        candidate for candidate in CASES if candidate.name == "a value of another switch"
    ]
    assert "switch" not in make_case_variants(SwitchToIf(), nested_case)["all"]
