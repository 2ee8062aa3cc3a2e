"""Tests of permuting statements: variables, fields, arrays and names. The JVM runs every accepted
variant and its original; a pair that must not be swapped is refused with its reason."""

from __future__ import annotations

from pathlib import Path

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.permute import WINDOW, Permute
from jvm_cases import Case, find_case_locations, run_all_variants

CASES = [
    Case(
        "equal pairs of statements in two blocks",
        """
        public class T {
          static int f(boolean c) {
            int a = 0; int b = 0;
            if (c) { a = 1; b = 2; } else { a = 1; b = 2; }
            return 10 * a + b;
          }
          public static void run(java.io.PrintStream out) {
            out.println(f(true)); out.println(f(false));
          }
        }
        """,
        accepted=("permute:a = 1;/b = 2;:0", "permute:a = 1;/b = 2;:1"),
    ),
    Case(
        "a count is read and written",
        """
        public class T {
          static int f(int y) {
            int x = y;
            y++;
            int z = 2;
            --z;
            return 100 * x + 10 * y + z;
          }
          public static void run(java.io.PrintStream out) { out.println(f(3)); }
        }
        """,
        accepted=("permute:y++;/int z = 2;:0",),
        refused={
            "permute:int x = y;/y++;:0": "the first reads `y`, which the second writes",
            "permute:int z = 2;/--z;:0": "the second uses `z`, which the first declares",
            "permute:y++;/--z;:0": "the second uses `z`, which a statement between declares",
            "permute:int x = y;/int z = 2;:0": "the first reads `y`, which a statement between",
        },
    ),
    Case(
        "two variables may refer to one array",
        """
        public class T {
          static int q;
          static void f(int[] p, int[] r) { p[0] = 5; q = r[0]; }
          static void g(int[] p, int[] r) { p[0] = 5; r[0] = 6; }
          static void h(int[] p, long[] r) { int a = p[0]; long b = 7; r[0] = b; q = a; }
          public static void run(java.io.PrintStream out) {
            int[] one = {1};
            f(one, one); out.println(q + " " + one[0]);
            g(one, one); out.println(one[0]);
            long[] far = {0};
            h(one, far); out.println(q + " " + far[0]);
          }
        }
        """,
        accepted=("permute:int a = p[0];/long b = 7;:0",),
        refused={
            "permute:p[0] = 5;/q = r[0];:0": "may read the element of an array",
            "permute:p[0] = 5;/r[0] = 6;:0": "may write the same element of an array",
            "permute:int a = p[0];/r[0] = b;:0": "both may throw",
        },
    ),
    Case(
        "a new array",
        """
        public class T {
          static String f(int i) {
            int[] a = new int[3];
            a[0] = 7;
            a[1] = 8;
            a[2] = a[0];
            a[i] = 9;
            return java.util.Arrays.toString(a);
          }
          static int[] e = {0};
          static void e() { int[] a = new int[3]; e = a; a[2] = 4; a[3] = 1; }
          static Object[] g() {
            Object[] a = new String[1];
            int b = 1;
            a[0] = b;
            T.seen = b;
            return a;
          }
          static String h() {
            Object[] a = {null, null};
            a[0] = "x";
            a[1] = 3;
            return a[0] + "" + a[1];
          }
          static int seen;
          public static void run(java.io.PrintStream out) {
            out.println(h());
            for (int i = -1; i < 4; i++) {
              try { out.println(f(i)); } catch (RuntimeException e) { out.println(e.getMessage()); }
            }
            try { e(); } catch (RuntimeException e) { out.println(T.e[2] + e.getMessage()); }
            try { g(); } catch (ArrayStoreException e) { out.println(e.getMessage() + seen); }
          }
        }
        """,
        accepted=("permute:a[0] = 7;/a[1] = 8;:0", 'permute:a[0] = "x";/a[1] = 3;:0'),
        refused={
            "permute:a[0] = 7;/a[2] = a[0];:0": "may read the element of an array that the first",
            "permute:a[1] = 8;/a[i] = 9;:0": "may write the same element",
            "permute:a[2] = 4;/a[3] = 1;:0": "the second may be out of an array's range",
            "permute:a[0] = b;/T.seen = b;:0": "may be out of an array's range",
        },
    ),
    Case(
        "fields of one name may be the same field",
        """
        public class T {
          int x, y;
          static void f(T a, T b, T c) { a.x = 1; b.y = c.x; }
          static int g(T c) { T a = new T(); a.x = 1; a.y = 2; return c.x + a.x + 10 * a.y; }
          void h(T c) { this.x = 5; c.x = 6; }
          void i(int k) { this.x = k; y = k + 1; }
          void j() { this.x = 3; y = x; }
          public static void run(java.io.PrintStream out) {
            T t = new T();
            f(t, t, t); out.println(t.y);
            out.println(g(t));
            t.h(t); out.println(t.x);
            t.i(4); out.println(t.x + " " + t.y);
            t.j(); out.println(t.x + " " + t.y);
            try { f(t, null, t); } catch (NullPointerException e) { out.println(t.x); }
          }
        }
        """,
        accepted=("permute:this.x = k;/y = k + 1;:0",),
        refused={
            "permute:a.x = 1;/b.y = c.x;:0": "the second reads `x`, which the first writes",
            "permute:T a = new T();/a.x = 1;:0": "the second uses `a`, which the first declares",
            "permute:this.x = 5;/c.x = 6;:0": "both write `x`",
            "permute:this.x = 3;/y = x;:0": "the second reads `x`, which the first writes",
        },
    ),
    Case(
        "fields of an object that is not null",
        """
        public class T {
          int x, y;
          static String f() { T a = new T(); a.x = 3; a.y = 2; return a.x + " " + a.y; }
          static String g(T b) { b.x = 3; b.y = 2; return b.x + " " + b.y; }
          static String h() {
            T a = new T(); T c = a; a.x = 1; c.y = 2; a = null; return c.x + " " + c.y;
          }
          public static void run(java.io.PrintStream out) {
            out.println(f()); out.println(g(new T())); out.println(h());
            try { g(null); } catch (NullPointerException e) { out.println(e.getMessage()); }
          }
        }
        """,
        accepted=("permute:a.x = 3;/a.y = 2;:0",),
        refused={
            "permute:b.x = 3;/b.y = 2;:0": "both may throw",
            "permute:a.x = 1;/c.y = 2;:0": "both may throw",
        },
    ),
    Case(
        "state that threads share, and final fields",
        """
        public class T {
          volatile int v;
          int p, q;
          final int k = Integer.parseInt("4");
          static final int LIMIT = 10;
          static int count;
          int next() { v = 9; p++; q++; count++; return 1; }
          int f() { int a = k; int b = next(); int c = LIMIT; return a + b + c; }
          void g() { p = 1; v = 2; q = 3; }
          int h() { int a = v; int b = p; return a + b; }
          int i() { int a = count; int b = next(); return 10 * a + b; }
          public static void run(java.io.PrintStream out) {
            T t = new T();
            out.println(t.f()); t.g(); out.println(t.p + t.v + t.q);
            out.println(t.h()); out.println(t.i()); out.println(count);
          }
        }
        """,
        accepted=(
            "permute:int a = k;/int b = next();:0",
            "permute:int b = next();/int c = LIMIT;:0",
        ),
        refused={
            "permute:p = 1;/v = 2;:0": "`v` is volatile",
            "permute:p = 1;/q = 3;:0": "`v` is volatile",
            "permute:int a = v;/int b = p;:0": "`v` is volatile",
            "permute:int a = count;/int b = next();:0": "the second calls `next`, and the first",
        },
    ),
    Case(
        "a name that refers to a field before a declaration",
        """
        public class T {
          int x = 7;
          int size() { return 2; }
          int f() { int a = x; int b = 1; int x = 3; return 100 * a + 10 * b + x; }
          int g() { int a = 1; int x = 3; this.x = a; return x; }
          int h() { int a = size(); int size = 1; return a + size; }
          static int i() { Integer b = 5; int Long = 3; return b + Long; }
          static long j() { long b = Long.MAX_VALUE; int Long = 3; return b + Long; }
          public static void run(java.io.PrintStream out) {
            T t = new T(); out.println(t.f()); out.println(t.g()); out.println(t.x);
            out.println(t.h()); out.println(i()); out.println(j());
          }
        }
        """,
        accepted=(
            "permute:int a = 1;/int x = 3;:0",
            "permute:int x = 3;/this.x = a;:0",
            "permute:int a = size();/int size = 1;:0",
        ),
        refused={
            "permute:int a = x;/int x = 3;:0": "`x` means different things",
            "permute:long b = Long.MAX_VA/int Long = 3;:0": "`Long` means different things",
        },
    ),
    Case(
        "a name declared in a lambda or a pattern",
        """
        import java.util.function.*;
        public class T {
          static int f() { IntUnaryOperator o = x -> x + 1; int x = 3; return o.applyAsInt(x); }
          static boolean g(Object o) {
            boolean b = o instanceof String s && s.length() == 1;
            String s = "t";
            return b && s.length() == 1;
          }
          static int h() {
            IntSupplier o = new IntSupplier() {
              int x = 4;
              public int getAsInt() { return x; }
            };
            int x = 3;
            return o.getAsInt() + x;
          }
          public static void run(java.io.PrintStream out) {
            out.println(f()); out.println(g("a")); out.println(g(1)); out.println(h());
          }
        }
        """,
        refused={
            "permute:IntUnaryOperator o =/int x = 3;:0": "`x` means different things",
            'permute:boolean b = o instan/String s = "t";:0': "`s` means different things",
            "permute:IntSupplier o = new /int x = 3;:0": "`x` means different things",
        },
    ),
    Case(
        "captured variables must be assigned; a lambda's body runs later",
        """
        import java.util.function.*;
        public class T {
          int n = 1;
          int f(int p) {
            int a = p + 1;
            IntSupplier s = () -> a + n++;
            int b = p * 2;
            int c = n;
            return 1000 * s.getAsInt() + 100 * b + 10 * c + n;
          }
          int g() {
            int a;
            a = 4;
            IntSupplier s = () -> { int t = a; int u = 2; return t + u; };
            return s.getAsInt();
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f(3)); out.println(new T().g());
          }
        }
        """,
        accepted=(
            "permute:IntSupplier s = () -/int b = p * 2;:0",
            "permute:IntSupplier s = () -/int c = n;:0",
            "permute:int t = a;/int u = 2;:0",
        ),
        refused={
            "permute:int a = p + 1;/IntSupplier s = () -:0": "the second uses `a`",
            "permute:a = 4;/IntSupplier s = () -:0": "the second reads `a`, which the first",
            "permute:int a;/a = 4;:0": "the second uses `a`, which the first declares",
        },
    ),
    Case(
        "a lambda may need a field that the constructor assigns",
        """
        import java.util.function.*;
        public class T {
          final int a;
          final IntSupplier s;
          int b;
          T(int p) { a = p; s = () -> a; b = p + 1; }
          T() { this(3); b = 5; int c = b; b = c + 1; }
          public static void run(java.io.PrintStream out) {
            T t = new T(2); out.println(t.s.getAsInt() + " " + t.b); out.println(new T().b);
          }
        }
        """,
        accepted=("permute:s = () -> a;/b = p + 1;:0",),
        refused={
            "permute:a = p;/s = () -> a;:0": "the second reads `a`, which the first writes",
            "permute:a = p;/b = p + 1;:0": "a statement between reads `a`, which the first writes",
        },
    ),
    Case(
        "text around the statements is unchanged",
        """
        public class T {
          static String f(int k) {
            int a = 1; // one
            /* two */ int b = k + // not yet
                2; int c = 3;int d = 4;
            switch (k) {
              case 1: a = 5; b = 6; // five
              default: c = 7;int e = 8; d = e; break;
            }
            return a + " " + b + " " + c + " " + d;
          }
          public static void run(java.io.PrintStream out) {
            out.println(f(1)); out.println(f(2));
          }
        }
        """,
        accepted=(
            "permute:int a = 1;/int d = 4;:0",
            "permute:int b = k + // not y/int c = 3;:0",
            "permute:int c = 3;/int d = 4;:0",
            "permute:a = 5;/b = 6;:0",
            "permute:c = 7;/int e = 8;:0",
        ),
    ),
    Case(
        "other statements are not moved over complex ones",
        """
        public class T {
          static int f(int k) {
            int a = 1;
            if (k > 0) a = 2;
            int b = 2;
            ;
            int c = 3;
            class Local { int g() { int p = a(); int q = 1; return p + q; } int a() { return 1; } }
            int d = 4;
            l: d = 5;
            int e = 6;
            assert e > 0;
            return a + b + c + d + e + new Local().g();
          }
          public static void run(java.io.PrintStream out) {
            out.println(f(1)); out.println(f(-1));
          }
        }
        """,
        accepted=("permute:int p = a();/int q = 1;:0",),
    ),
    Case(
        "a record's compact constructor writes its parameters",
        """
        public class T {
          record R(int p, int q) {
            R { p = p + 1; q = 2 * q; p = p * 10; }
          }
          public static void run(java.io.PrintStream out) { out.println(new R(3, 4)); }
        }
        """,
        accepted=("permute:p = p + 1;/q = 2 * q;:0", "permute:q = 2 * q;/p = p * 10;:0"),
        refused={"permute:p = p + 1;/p = p * 10;:0": "which the first writes"},
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(Permute(), CASES, tmp_path) >= len(CASES)


def test_distance_of_statements_is_limited() -> None:
    body = " ".join(f"int v{n} = {n};" for n in range(20))
    _, locations = find_case_locations(
        Permute(), Case("far", f"class T {{ void f() {{ {body} }} }}")
    )
    assert len(locations) == sum(min(WINDOW, 19 - n) for n in range(20))
    assert not any(location.refused for location in locations)


def test_locations_are_ordered() -> None:
    source = """
    class T { void f() {
      int a = 1; Runnable r = () -> { int b = 2; int c = 3; }; int d = 4;
    } }
    """
    _, locations = find_case_locations(Permute(), Case("nested", source))
    places = [(location.start, location.end) for location in locations]
    assert places == sorted(places)
    assert all(location.reach == (location.start, location.end) for location in locations)
    assert len(locations) == 4


def test_unreadable_source_is_refused() -> None:
    source = 'class T { int b; void f() { int a = 1; String s = "\\u0022 + b++ + \\u0022"; } }'
    _, (location,) = find_case_locations(Permute(), Case("escaped", source))
    assert "Unicode" in location.refused
    code = code_of(JavaFile(b"class T { void f() { int a = 1; int b = 2; int c = ; } }"))
    broken = Permute().find_locations(code, 0, 0)
    assert {broken_location.refused for broken_location in broken} == {"the source is broken here"}


def test_equal_statements_are_refused() -> None:
    _, (location,) = find_case_locations(
        Permute(), Case("equal", "class T { void f() { new Object(); new Object(); } }")
    )
    assert location.refused == "they are the same"
