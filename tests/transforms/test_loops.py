"""Tests of loop exchange: headers, scopes, locations; the JVM runs every variant and its
original."""

from __future__ import annotations

from pathlib import Path

from codeacumen.transforms.loops import Loop
from jvm_cases import Case, run_all_variants, split_by_method

CASES = [
    Case(
        "plain loops, both ways",
        """
        public class T {
          static int up(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) {
              sum += i;
            }
            while (sum > 10) {
              sum -= 7;
            }
            return sum;
          }
          public static void run(java.io.PrintStream out) {
            for (int n = -1; n < 9; n++) out.println(up(n));
          }
        }
        """,
        accepted=("loop:for:0", "loop:while:0"),
    ),
    Case(
        "loops with the same text are changed one at a time",
        """
        public class T {
          static int f(int n) {
            int sum = 0;
            for (int i = 0; i < n; i++) sum += i;
            for (int i = 0; i < n; i++) sum += i;
            for (int i = 0; i < n; i++) { sum *= 2; }
            return sum;
          }
          public static void run(java.io.PrintStream out) { out.println(f(5)); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2"),
    ),
    Case(
        "the variable's name can be used again after the loop",
        """
        public class T {
          static String i = "field";
          static String f() {
            String all = "";
            for (int i = 0, j = 9; i < j; i++, j -= 2) all += i + "" + j + i;
            all += i;
            for (final String i = "x"; all.length() < 30; all += i) { }
            for (var i = 0L; i < 2; i++) all += i;
            int i = 5;
            return all + i;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2"),
    ),
    Case(
        "missing parts",
        """
        public class T {
          static int f(int n) {
            int i = 0;
            for (;;) { if (i >= n) break; i++; }
            for (; i < 20;) i++;
            for (i = 3;;) { if (i++ > n) break; }
            for (; ; i--) { if (i < 0) break; }
            for (int k = i; ; ) { i = k; break; }
            for (; i < 4; i++) ;
            for (; i++ < 9; );
            while (i-- > 0) ;
            return i;
          }
          public static void run(java.io.PrintStream out) { out.println(f(3) + " " + f(30)); }
        }
        """,
        accepted=tuple(f"loop:for:{n}" for n in range(7)),
    ),
    Case(
        "several first expressions and several updates keep their order",
        """
        public class T {
          static StringBuilder told = new StringBuilder();
          static int say(int x) { told.append(x).append(' '); return x; }
          static void f() {
            int i, j;
            for (i = say(1), j = say(2), say(3); say(i) + say(j) < 12; i = say(i + 1), say(j++))
              say(-1);
            told.append(i).append(j);
          }
          public static void run(java.io.PrintStream out) { f(); out.println(told); }
        }
        """,
        accepted=("loop:for:0",),
    ),
    Case(
        "a loop as the body of another statement",
        """
        public class T {
          static int f(int n) {
            int sum = 0;
            if (n > 3) for (int i = 0; i < n; i++) sum += i; else for (; n < 9; n++) sum--;
            if (n > 4) for (sum = 1; sum < n; sum++) if (n == 6) sum += 2; else sum++;
            else sum = -1;
            do for (int k = 0; k < 2; k++) sum++; while (sum < 10);
            do while (sum < 30) sum += 4; while (sum < 20);
            for (int a : new int[] {1, 2}) for (int b = 0; b < a; b++) sum += b;
            switch (n) {
              case 5: for (n = 1; n < 3; n++) sum++;
              case 6: for (int n2 = 1; n2 < 3; n2++) sum += 2; break;
              default: while (n > 0) n--;
            }
            switch (n) { case 3 -> { for (;;) break; } default -> { } }
            Runnable r = () -> { for (int i = 0; i < 2; i++) System.identityHashCode(i); };
            r.run();
            return sum + n;
          }
          public static void run(java.io.PrintStream out) {
            for (int n = 0; n < 9; n++) out.println(f(n));
          }
        }
        """,
        accepted=(*(f"loop:for:{n}" for n in range(9)), "loop:while:0", "loop:while:1"),
    ),
    Case(
        "the body hides a field that the update uses",
        """
        public class T {
          static int n = 0, m = 0;
          static String log = "";
          static class Step { static int by() { return 1; } }
          static void f() {
            for (; n < 4; n++) { int n = 7; log += n; }
            for (; m < 4; m += Step.by()) {
              class Step { static int by() { return 100; } }
              log += Step.by();
            }
            Object o = "s";
            for (m = 0; m < 3; s(m++)) { if (!(o instanceof String s)) break; log += s; }
            for (m = 0; m < 3; m = next(x -> x + m)) { int x = 3; log += x; }
            for (m = 0; m < 3; t = m++) if (!(o instanceof String t)) return;
          }
          static int t;
          static void s(int k) { log += k; }
          static int s = 1;
          static int next(java.util.function.IntUnaryOperator op) { return op.applyAsInt(1); }
          public static void run(java.io.PrintStream out) { f(); out.println(log + n + m + t + s); }
        }
        """,
        accepted=tuple(f"loop:for:{n}" for n in range(5)),
    ),
    Case(
        "lambdas and classes in all parts",
        """
        import java.util.*;
        import java.util.function.*;
        public class T {
          static String f() {
            List<IntSupplier> got = new ArrayList<>();
            int[] c = {0};
            for (IntSupplier s = () -> { int k = 0; while (k < 3) k++; return k; };
                 c[0] < s.getAsInt();
                 got.add(() -> { int k = 0; for (int i = 0; i < c[0]; i++) k += i; return k; }),
                     c[0]++) {
              final int now = c[0];
              got.add(() -> now);
              got.add(new IntSupplier() {
                int n = 2;
                public int getAsInt() {
                  for (; ; n++) { if (n == 3) continue; if (n > 3) break; }
                  return n;
                }
                { for (int q = 0; q < 2; q++) n -= 1; }
              });
            }
            String all = "";
            for (Iterator<IntSupplier> it = got.iterator(); it.hasNext(); )
              all += it.next().getAsInt();
            return all;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2", "loop:while:0"),
        method="f",
    ),
    Case(
        "an update with a lambda that holds a loop",
        """
        public class T {
          static int f() {
            int[] a = {0};
            int sum = 0;
            for (Runnable r; a[0] < 3; r = () -> { for (int i = 0; i < 1; i++) a[0]++; }, r.run()) {
              if (a[0] == 1) continue;
              while (sum % 5 != 0) sum++;
              sum++;
            }
            return sum;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:while:0"),
    ),
    Case(
        "comments are kept",
        """
        public class T {
          static int f(int n) {
            int sum = 0;
            a: // labelled
            for /* one */ ( // two
                /* three */ int i = 0 // four
                ; // five
                i < n // six
                ; /* seven */ i++, // eight
                sum++ // nine
                ) // ten
            { // eleven
              sum += i; // twelve
              // thirteen
            } // fourteen
            for (/* x */; /* y */; /* z */) { break; } // and so on
            for (;; // ever
            ) break;
            for (sum = 1 /* p */, /* q */ n = 2 // r
                ; sum < 9; sum++ /* s */, sum++ /* t */) /* u */ n++; // v
            while /* w */ ( /* aa */ sum > n // bb
                /* cc */) /* dd */ sum--; // ee
            for (; sum < 3; sum++) // ff
              ; // gg
            for (; sum < 3; sum++) { sum++; /* hh */ }
            for (; sum < 3; sum++) { // ii
            }
            for (; sum < 3; sum++) { sum++; // jj
            }
            return sum;
          }
          public static void run(java.io.PrintStream out) { out.println(f(0) + " " + f(6)); }
        }
        """,
        accepted=tuple(f"loop:for:{n}" for n in range(8)),
    ),
    Case(
        "a pattern variable of the condition is in scope after the loop",
        """
        public class T {
          static Object next(Object o) {
            return o instanceof Integer i && i > 0 ? (Object) (i - 1) : "end";
          }
          static int f(Object o) {
            for (int i = 0; !(o instanceof String s); i++) o = next(o);
            return s.length();
          }
          public static void run(java.io.PrintStream out) { out.println(f(3)); }
        }
        """,
        refused={"loop:for:0": "a pattern variable of its condition is used after it"},
    ),
    Case(
        "a pattern variable without braces, and one that ends with the loop",
        """
        public class T {
          static Object next(Object o) {
            return o instanceof Integer i && i > 0 ? (Object) (i - 1) : "end";
          }
          static int g(Object o, int i) {
            l: for (; !(o instanceof String s); i++) {
              if (i == 1) { o = next(o); continue l; }
              o = next(o);
            }
            for (i += 1; !(o instanceof String t); i++) o = next(o);
            while (!(o instanceof String u)) o = next(o);
            return s.length() + t.length() + u.length() + i;
          }
          static int k(Object o) {
            int n = 0;
            for (int i = 9; o instanceof Integer s && s > 0; n += s) { n += i; o = s - 1; }
            return n;
          }
          public static void run(java.io.PrintStream out) { out.println(g(3, 0) + " " + k(5)); }
        }
        """,
        accepted=("loop:while:0", "loop:for:0", "loop:for:1"),
    ),
    Case(
        "constructors, initialised finals, definite assignment",
        """
        public class T {
          final int a; final int b;
          T(int n) {
            super();
            for (int i = 0; ; i++) { if (i >= n) { a = i; break; } }
            int x;
            for (x = 1; x < n; x *= 2) { final int y; if (x == 4) y = 1; else { y = 2; } x += y; }
            while (true) { b = x; break; }
          }
          static int g(boolean c) {
            int k;
            for (int i = 0; ; i++) { k = i; if (i > 2) break; if (c) continue; i += k; }
            final int z;
            for (;;) { z = k; break; }
            int w;
            for (int i = 0; i < 2 && (w = i) >= 0; i += w) { if (w == 0) { i++; continue; } }
            return z;
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T(5).a + " " + new T(7).b + g(true) + g(false));
          }
        }
        """,
        accepted=("loop:while:0",),
    ),
    Case(
        "loops in generic methods, records and enums",
        """
        import java.util.*;
        public class T {
          record R(int n) {
            R { for (int i = 0; i < 2; i++) n += i; }
            int m() { int q = n; while (q > 3) q--; return q; }
          }
          enum E {
            A { int v() { int k = 0; for (; k < 5; ) k += 2; return k; } };
            abstract int v();
          }
          interface I {
            default <X extends Comparable<X>> X max(X[] xs) {
              X best = xs[0];
              for (int i = 1, n = xs.length; i < n; ++i)
                if (xs[i].compareTo(best) > 0) best = xs[i];
              return best;
            }
          }
          public static void run(java.io.PrintStream out) {
            out.println(new R(7).m() + " " + new R(1) + E.A.v());
            out.println(new I() { }.max(new Integer[] {3, 9, 4}));
          }
        }
        """,
        accepted=("loop:for:0", "loop:while:0"),
    ),
    Case(
        "exceptions leave the loop at the same place",
        """
        public class T {
          static String log = "";
          static int bad(int x) {
            log += x;
            if (x == 3) throw new IllegalStateException("at " + x);
            return x;
          }
          static int f(int[] a, int from) {
            int i = from;
            try {
              for (; i < 9; i = bad(i) + 1) { if (a[i] == 2) continue; log += "b"; }
            } catch (ArrayIndexOutOfBoundsException e) { log += "out" + i; }
            return i;
          }
          static int h(int n) { for (int i = bad(n); bad(i) < 9; i++) { } return 0; }
          public static void run(java.io.PrintStream out) {
            out.println(f(new int[] {1, 2, 3}, 4));
            out.println(f(new int[0], 0));
            try { f(new int[] {1, 2, 2, 2, 1}, 0); } catch (RuntimeException e) { out.println(e); }
            out.println(log);
            try { h(3); } finally { out.println(log); h(1); }
          }
        }
        """,
        accepted=("loop:for:0",),
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    single = [method_case for case in CASES for method_case in split_by_method(Loop(), case)]
    assert run_all_variants(Loop(), [*CASES, *single], tmp_path) >= 80


def test_names_like_keywords(tmp_path: Path) -> None:
    """An expression can begin a statement and look like another kind of statement."""
    case = Case(
        "yield and record",
        """
        public class T {
          static int yield, record;
          static int f() {
            for (yield = 0, record = 1; yield < 3; yield++, record--) { if (yield == 1) continue; }
            return yield + record;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0",),
    )
    run_all_variants(Loop(), [case], tmp_path)
