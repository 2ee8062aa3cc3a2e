"""Tests of loop exchange: updates that are never reached, or only seem so; the JVM runs every
variant and its original, and javac refuses an unreachable update."""

from __future__ import annotations

from pathlib import Path

from codeacumen.transforms.loops import Loop
from jvm_cases import (
    Case,
    find_case_locations,
    make_case_variants,
    run_all_variants,
    split_by_method,
)

CASES = [
    Case(
        "the update is never reached",
        """
        import java.io.IOException;
        public class T {
          static int n;
          static int a(int k) { for (int i = 0; i < k; i++) { return i + 5; } return -1; }
          static int b(int k) {
            for (int i = 0; ; i++) {
              if (k > 2) return i; else throw new RuntimeException("b" + k);
            }
          }
          static int c(int k) { for (; k > 0; k--, n = k) { n += k; break; } return n + k; }
          static int d(int k) {
            for (int i = k; i > 0; i--) { while (true) { if (i++ > 5) return i; } }
            return 9;
          }
          static int e(int k) {
            for (int i = k; i > 0; i--) for (;;) { if (i++ > 5) return i; }
            return 9;
          }
          static void io() throws IOException { throw new IOException(); }
          static int g(int k) {
            try { for (; k > 0; io()) { return k; } } catch (IOException x) { }
            return 0;
          }
          static int h(int k) {
            for (int i = 0; i < k; i++) { do { if (i == 1) continue; return i; } while (true); }
            return 3;
          }
          static int l(int k) {
            m: for (int i = 0; i < k; i++) { try { return 4; } finally { break m; } }
            return 5;
          }
          static int o(int k) {
            for (int i = 0; i < k; i += 2) {
              switch (k) { case 1: return 1; default: throw new RuntimeException("o"); }
            }
            return 0;
          }
          static int p(int k) {
            for (int i = 0; i < k; i++) { synchronized (T.class) { { return i; } } }
            return 0;
          }
          static int q(int k) {
            for (int i = 0; i < k; i++) { try { continue; } finally { return i; } }
            return 0;
          }
          static int r(int k) {
            for (int i = 0; i < k; io2(i)) { try { continue; } finally { return i; } }
            return 0;
          }
          static void io2(int i) { n++; }
          public static void run(java.io.PrintStream out) {
            for (int k = 0; k < 2; k++) {
              out.println(a(k) + " " + b(k + 3) + " " + c(k * 4) + " " + d(k) + " " + e(k * 3));
              out.println(g(k) + " " + h(k) + " " + l(k) + " " + o(k) + " " + p(k));
              out.println(q(k) + " " + r(k) + " " + n);
            }
            o(2);
          }
        }
        """,
    ),
    Case(
        "the update is reached though the body seems to end",
        """
        public class T {
          static int a(int k) {
            int s = 0;
            for (int i = 0; i < k; i++) { l: { if (i > 2) break l; s++; continue; } s += 10; }
            return s;
          }
          static int b(int k) {
            int s = 0;
            for (; k > 0; k--) { l: { s += k; break l; } }
            return s;
          }
          static int c(int k) {
            int s = 0;
            for (; k > 0; k--) { switch (k) { case 1: s = 1; break; default: s += 2; } }
            return s;
          }
          static int d(int k) {
            int s = 0;
            for (; k > 0; k--) {
              try { s += 1 / (k - 2); continue; } catch (ArithmeticException e) { s += 50; }
            }
            return s;
          }
          static int e(int k) {
            int s = 0;
            for (; k > 0; k--) { while (true) { if (s++ % 3 == 0) break; } }
            return s;
          }
          static int f(int k) {
            int s = 0;
            for (; k > 0; k--) { l: while (true) { while (true) { s++; break l; } } }
            return s;
          }
          static int g(int k) {
            int s = 0;
            for (; k > 0; k--) {
              if (k == 4) return s; else if (k == 9) throw new RuntimeException(); else s++;
            }
            return s;
          }
          static int h(int k) { for (; k > 0; k--) { if (true) return 7; } return 1; }
          static int i(int k) {
            int s = 0;
            for (; k > 0; k--) {
              switch (k) {
                case 1 -> throw new RuntimeException("i");
                case 3 -> { s = 2; }
                default -> { return s; }
              }
            }
            return s;
          }
          public static void run(java.io.PrintStream out) {
            for (int k = 0; k < 7; k++) {
              out.println(a(k) + " " + b(k) + " " + c(k) + " " + d(k) + " " + e(k));
              out.println(f(k) + " " + g(k) + " " + h(k));
            }
            out.println(i(4));
            i(3); i(1);
          }
        }
        """,
    ),
    Case(
        "conditions that are constant",
        """
        public class T {
          static final boolean YES = true;
          static final int ONE = 1;
          interface K { boolean ON = !false; }
          boolean not = true;
          static int a(int k) {
            int i = 0;
            for (; ; i++) { while (YES) { if (i++ > k) return i; } }
          }
          static int b(int k) {
            int i = 0;
            for (; ; i++) { while (ONE < 2 && K.ON) { if (i++ > k) return i; } }
          }
          static int c(int k) {
            final boolean t = 3 > 2;
            int i = 0;
            for (; t; i++) { for (; T.YES; ) { if (i++ > k) return i; } }
          }
          int d(int k) {
            int i = 0;
            for (; ; i++) { while (not) { if (i++ > k) { not = false; } } if (i > 20) return i; }
          }
          int e(int k) {
            int i = 0;
            boolean t = true;
            for (; i < 30; i++) { while (t) { if (i++ > k) { t = false; } } }
            return i;
          }
          static int f(int k) {
            for (int i = 0; ; i++) {
              while (Long.SIZE == 64 || Byte.MAX_VALUE > 3) { if (i++ > k) return i; }
            }
          }
          public static void run(java.io.PrintStream out) {
            out.println(a(3) + b(4) + c(5) + " " + new T().d(3) + " " + new T().e(9) + f(3));
          }
        }
        """,
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    single = [method_case for case in CASES for method_case in split_by_method(Loop(), case)]
    assert run_all_variants(Loop(), [*CASES, *single], tmp_path) >= 45


def test_exchanging_twice_keeps_behaviour(tmp_path: Path) -> None:
    """All loops are exchanged, then those of the result: the behaviour stays the same."""
    again = [
        Case(case.name, text, method=case.method)
        for full_case in CASES
        for case in split_by_method(Loop(), full_case)
        for name, text in make_case_variants(Loop(), case).items()
        if name == "all"
    ]
    assert all(
        not location.refused for case in again for location in find_case_locations(Loop(), case)[1]
    )
    assert run_all_variants(Loop(), again, tmp_path) >= 20


def test_unreachable_update_is_dropped_only_if_certain() -> None:
    case = next(candidate for candidate in CASES if candidate.name == "the update is never reached")
    text = make_case_variants(Loop(), case)["all"]
    assert "while (i < k) { return i + 5; }" in text
    assert "while (k > 0) { if (true) { return k; } io(); }" in text
