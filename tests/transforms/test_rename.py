"""Tests of variable renaming: every kind of variable. javac and the JVM are the oracle: each
variant is compiled and run with its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.transforms.rename import Rename
from jvm_cases import Case, make_case_variants, run_all_variants


def make_ids(names: str) -> tuple[str, ...]:
    """Return ids; ``x i:1`` is the first x and the second i."""
    return tuple(f"rename:{name if ':' in name else name + ':0'}" for name in names.split())


CASES = [
    Case(
        "a parameter with the name of a field, a method and a label",
        """
        public class T {
          int x;
          int x() { return 7; }
          int m(int x, T o, T y) {
            this.x = x; int r = o.x(); y.x = 1;
            x: for (;;) { x++; if (x > 5) break x; continue x; }
            return r + this.x + x;
          }
          public static void run(java.io.PrintStream out) {
            T y = new T();
            out.println(new T().m(3, new T(), y) + " " + y.x);
          }
        }
        """,
        accepted=make_ids("x o y r"),
    ),
    Case(
        "fields of anonymous classes",
        """
        public class T {
          int f(int id) {
            Object o = new Object() {
              int id = 3;
              public int hashCode() { return id + this.id; }
            };
            Object p = new Object() { public int hashCode() { return id; } };
            return id * 100 + o.hashCode() + p.hashCode();
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(9)); }
        }
        """,
        accepted=make_ids("id o p"),
    ),
    Case(
        "two loops with the same variable",
        """
        public class T {
          int f(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) s += i;
            for (int i = n; i > 0; i--) s = s * 2 + i;
            for (int i : new int[] {n, n}) { s ^= i; }
            { int i = 5; s += i; }
            return s;
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(4)); }
        }
        """,
        accepted=make_ids("i i:1 i:2 i:3 n"),
    ),
    Case(
        "lambda parameters, inferred and declared",
        """
        import java.util.function.*;
        public class T {
          int f(int a) {
            IntUnaryOperator one = x -> x + a;
            IntBinaryOperator two = (x, y) -> { int z = x * y; return z - a; };
            IntUnaryOperator three = (int x) -> x << 1;
            BinaryOperator<Integer> four = (final var x, var y) -> x - y;
            Function<Integer, IntUnaryOperator> five = x -> y -> x * 10 + y;
            return one.applyAsInt(1) + two.applyAsInt(2, 3) + three.applyAsInt(4)
                + four.apply(5, 6) + five.apply(7).applyAsInt(8);
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(3)); }
        }
        """,
        accepted=make_ids("x x:1 x:2 x:3 x:4 y y:1 y:2 z one"),
    ),
    Case(
        "catch parameters",
        """
        public class T {
          String f(Object e) {
            try { return "" + e.toString().charAt(3); }
            catch (NullPointerException | ClassCastException x) { return "n" + (x == e); }
            catch (final RuntimeException x) { return x.getClass() + "" + e; }
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f("word") + new T().f("w") + new T().f(null));
          }
        }
        """,
        accepted=make_ids("e x x:1"),
    ),
    Case(
        "resources, declared and named",
        """
        public class T {
          static StringBuilder log = new StringBuilder();
          record R(String name) implements AutoCloseable {
            public void close() { log.append("close ").append(name); }
          }
          final R field = new R("field");
          void f(R given) throws Exception {
            R local = new R("local");
            try (given; R r = new R("r"); var v = new R(r.name() + "v"); local; this.field) {
              log.append(r).append(v).append(given);
            } finally { log.append(local); }
          }
          public static void run(java.io.PrintStream out) throws Exception {
            new T().f(new R("given"));
            out.println(log);
          }
        }
        """,
        accepted=make_ids("given r v local"),
    ),
    Case(
        "pattern variables, in the statement and after it",
        """
        public class T {
          Object s = "field";
          int f(Object o, Object p) {
            if (!(o instanceof String s)) return s.hashCode();
            int n = s.length();
            if ((p instanceof Integer i ? i > 3 : n > 4) || p instanceof Long i && i > 5) n++;
            if (!(p instanceof Integer i) || i < 2) n += 10; else n += i;
            while (!(o instanceof final CharSequence c)) o = "";
            return n + c.length() + (p instanceof Integer i ? i : 0);
          }
          public static void run(java.io.PrintStream out) {
            for (Object o : new Object[] {"abcde", 1})
              for (Object p : new Object[] {1, 2, 5, 9L, "x"}) out.println(new T().f(o, p));
          }
        }
        """,
        accepted=make_ids("s i i:1 i:2 i:3 c o p"),
    ),
    Case(
        "variables of an old switch's groups",
        """
        public class T {
          int f(int k) {
            final int ONE = 1;
            switch (k) {
              case ONE: int x = 4; k += x;
              case 2: x = 5; return k + x;
              case 3: { int y = 6; return y; }
              default: x = 8; int z = x; return z * k;
            }
          }
          public static void run(java.io.PrintStream out) {
            for (int k = 0; k < 5; k++) out.println(new T().f(k));
          }
        }
        """,
        accepted=make_ids("x y z k ONE"),
    ),
    Case(
        "words that are keywords elsewhere",
        """
        public class T {
          int f(int record, int sealed) {
            var var = record + 1;
            int yield = var * 2, permits = sealed, when = 3, module = 4, open = 5, with = 6;
            yield = yield + 1;
            int value = switch (record) { case 1 -> { yield yield + var; } default -> when; };
            var = value - yield;
            return var + yield + permits + when + module + open + with;
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f(1, 2) + " " + new T().f(2, 1));
          }
        }
        """,
        accepted=make_ids("record sealed var yield permits when with"),
    ),
    Case(
        "names with other letters, and names that begin like others",
        """
        public class T {
          int f(int größe, int $, int _a, int переменная) {
            int größer = größe + 1, $$ = $ + 2, _aa = _a, x = 1, xx = 2, Xx = 3;
            größe++; // größe stays in a comment
            String s = "größe $ x";
            return größer * größe + $$ * $ + _aa * _a + переменная + x * xx * Xx + s.length();
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(1, 2, 3, 4)); }
        }
        """,
        accepted=make_ids("größe $ _a переменная x $$"),
    ),
    Case(
        "several declarators, brackets behind names, arrays",
        """
        public class T {
          int f(int a[], int[]... b) {
            int i = a.length, j[] = {i, a[0]}, k[][] = {a, j}, l;
            for (int m = 0, n = j.length; m < n; m++, i--) j[m] += k[1][m];
            l = new int[j[0]].length;
            return i + j[1] + l + b.length + b[0][a[0]];
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f(new int[] {1, 2, 3}, new int[] {4, 5}));
          }
        }
        """,
        accepted=make_ids("a b i j k l m n"),
    ),
    Case(
        "every position of an expression",
        """
        import java.util.function.*;
        public class T {
          int[] v = {5, 6};
          T next = this;
          int sum(int... all) { int s = 0; for (int one : all) s = s * 3 + one; return s; }
          class In { int i; In(int i) { this.i = i; } }
          int f(int x, T t, int[] a, Object o) {
            int r = (x) - 1, q = (x) + r, w = -x, z = (int) x, y = ~x;
            Supplier<String> s = t::toString; Function<Integer, int[]> g = int[]::new;
            IntUnaryOperator h = t.next.next::one;
            In in = t.new In(x);
            r += t.next.v[x] + a[x] + t.v.length + (t).next.sum(x, r, a[0]) + in.i;
            r += x > 0 ? x : -x; x <<= 1; x++; --x; a[x - 2]++; (x)++;
            assert x > 0 : x;
            synchronized (t) { r ^= x; }
            do { x--; } while (x > 0);
            Object[] made = {x, new int[r & 3][x + 1].length, (Object) o, t == o};
            r += made.length + q + w + z + y + h.applyAsInt(x) + g.apply(r & 1).length;
            return r + (s.get().isEmpty() ? 1 : 0) + (o instanceof T ? 1 : 0);
          }
          int one(int k) { return k + 1; }
          public static void run(java.io.PrintStream out) {
            T t = new T();
            out.println(t.f(1, t, new int[] {7, 8}, "o"));
            out.println(t.f(1, t, new int[] {9, 8}, t));
            t.f(5, t, new int[] {9, 8}, t);
          }
        }
        """,
        accepted=make_ids("x t a o in s g h made r"),
    ),
    Case(
        "annotations: on variables, and with a constant variable as value",
        """
        public class T {
          @interface Note { String value(); int x() default 0; }
          int f(@Note("x") @Deprecated final int x, @Note(value = "y", x = 3) T... y) {
            final String text = "unchecked"; final int number = 2;
            @SuppressWarnings(text) @Note(value = text + "!", x = number) int z = x;
            @SuppressWarnings({text, "raw"}) class L { int l() { return x + text.length(); } }
            return z + y.length + new L().l();
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(4, null, null)); }
        }
        """,
        accepted=make_ids("x y text number z"),
    ),
    Case(
        "constructors, generic, static, private and default methods",
        """
        public class T {
          final int a;
          T(int a, int b) { this(a + b); b++; }
          <N extends Number> T(N a) { this.a = a.intValue(); }
          interface I {
            default int d(int a) { return a + p(a); }
            private int p(int a) { return s(a); }
            static int s(int a) { return a * 2; }
          }
          static <a> a id(a a) { return a; }
          int f(T this, int b) { return this.a + b; }
          public static void run(java.io.PrintStream out) {
            out.println(new T(1, 2).f(3) + new I() {}.d(4) + id("x"));
          }
        }
        """,
        accepted=make_ids("a b"),
    ),
    Case(
        "a receiver is no variable",
        """
        public class T {
          int f(T this, T that) { return this == that ? 1 : 0; }
          public static void run(java.io.PrintStream out) { T t = new T(); out.println(t.f(t)); }
        }
        """,
        accepted=make_ids("that"),
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(Rename(), CASES, tmp_path) > 100


def test_location_renames_only_its_variable() -> None:
    texts = make_case_variants(Rename(), CASES[2])
    assert "for (int var0 = 0; var0 < n; var0++) s += var0;" in texts["0 rename:i:0"]
    assert texts["0 rename:i:0"].count("int i") == 3
    assert "int i = 0; i < var0;" not in texts["0 rename:i:1"]
    changed = {text for name, text in texts.items() if name != "all"}
    assert len(changed) == len(texts) - 1


def test_used_names_are_skipped() -> None:
    source = "class T { int var0; int f(int x, int y) { return x + y + var2(); } int var2() {} }"
    texts = make_case_variants(Rename(), Case("taken", source))
    assert "f(int var1, int y) { return var1 + y + var2(); }" in texts["0 rename:x:0"]
    assert "f(int var1, int var3) { return var1 + var3 + var2(); }" in texts["all"]


@pytest.mark.parametrize("text", ["// x\n", "/* x */", '"x"', "'x'", "@X(x = 1) Object o;"])
def test_other_occurrences_of_the_word_are_unchanged(text: str) -> None:
    inside = text if text.startswith(("/", "@")) else f"use({text});"
    source = f"class T {{ void f(int x) {{ {inside} }} }}"
    assert make_case_variants(Rename(), Case("the same text", source))[
        "0 rename:x:0"
    ] == source.replace("(int x)", "(int var0)")
