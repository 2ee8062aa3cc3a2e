"""Tests of loop exchange: ``continue``, labels, updates that are never reached; the JVM runs every
variant and its original. A loop that hangs is a difference too."""

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
        "continue skips the rest, not the update",
        """
        public class T {
          static String f() {
            String all = "";
            for (int i = 0; i < 10; i++) { if (i == 3) continue; all += i; }
            for (int i = 0; i < 4; i++) if (i == 2) continue; else all += i;
            for (int i = 0; i < 4; i++) continue;
            while (all.length() < 40) { all += "x"; if (all.length() > 35) continue; all += "y"; }
            return all;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2", "loop:while:0"),
    ),
    Case(
        "labelled continue and break from inner loops",
        """
        public class T {
          static String f() {
            String all = "";
            outer: for (int i = 0; i < 5; i++) {
              inner: for (int j = 0; j < 5; j++) {
                if (j == i) continue outer;
                if (i == 4 && j == 2) break outer;
                if (j == 1) continue;
                if (j == 3) continue inner;
                all += i + ":" + j + " ";
              }
              all += "never";
            }
            return all;
          }
          static int g(int n) {
            int c = 0;
            a: b: for (int i = 0; ; i++) {
              int k = 0;
              while (true) {
                k++;
                if (k > i) continue b;
                if (i > n) break a;
                do { if (k % 3 == 0) continue b; } while (k++ < 5);
                c += k;
              }
            }
            return c;
          }
          public static void run(java.io.PrintStream out) { out.println(f() + g(7)); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:while:0"),
    ),
    Case(
        "continue in try, catch and finally: the update runs last",
        """
        public class T {
          static StringBuilder log = new StringBuilder();
          static int step(int i) {
            log.append('u').append(i);
            if (i == 5) throw new RuntimeException("u5");
            return i + 1;
          }
          static void f() {
            for (int i = 0; i < 9; i = step(i)) {
              try {
                log.append('t').append(i);
                if (i == 1) continue;
                if (i == 2) throw new IllegalStateException();
                if (i == 3) try { continue; } finally { log.append("ff"); }
                log.append('r');
              } catch (RuntimeException e) {
                log.append('c').append(e.getMessage());
                if (i == 2) continue;
              } finally {
                log.append('f');
                if (i == 4) continue;
                log.append('g');
              }
              log.append('e');
            }
          }
          public static void run(java.io.PrintStream out) {
            try { f(); } finally { out.println(log); }
          }
        }
        """,
        accepted=("loop:for:0",),
    ),
    Case(
        "the lock is not held by the update",
        """
        public class T {
          static final Object LOCK = new Object();
          static String f() {
            String all = "";
            for (int i = 0; i < 4; all += Thread.holdsLock(LOCK) + " ", i++) {
              synchronized (LOCK) { if (i % 2 == 0) continue; all += Thread.holdsLock(LOCK); }
            }
            return all;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0",),
    ),
    Case(
        "a resource is closed before the update",
        """
        public class T {
          static String log = "";
          record R(int n) implements AutoCloseable { public void close() { log += "c" + n; } }
          static void f() {
            for (int i = 0; i < 4; log += "u" + i++) {
              try (R r = new R(i)) { if (i == 2) continue; log += r.n(); } finally { log += "f"; }
            }
          }
          public static void run(java.io.PrintStream out) { f(); out.println(log); }
        }
        """,
        accepted=("loop:for:0",),
    ),
    Case(
        "continue in switches",
        """
        public class T {
          static String f(int n) {
            String all = "";
            for (int i = 0; i < n; i++) {
              switch (i) {
                case 0: all += "zero"; break;
                case 1: continue;
                case 2: if (n > 3) continue;
                case 3: all += "three";
                default: { if (i > 5) break; all += i; continue; }
              }
              all += ";";
            }
            for (int i = 0; i < n; i++) {
              switch (i) {
                case 1, 2 -> { continue; }
                case 3 -> all += "a";
                default -> { if (i == 4) break; all += "d"; }
              }
              int v = switch (i) {
                case 0: { for (int k = 0; ; k++) { if (k < 2) continue; yield k; } }
                default: yield i;
              };
              all += v;
            }
            return all;
          }
          public static void run(java.io.PrintStream out) { out.println(f(3) + f(9)); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2"),
    ),
    Case(
        "continue of a loop in a lambda or a class",
        """
        public class T {
          static int f() {
            int[] c = {0};
            for (int i = 0; i < 3; i++) {
              Runnable r = () -> {
                for (int k = 0; k < 5; k++) { if (k % 2 == 0) continue; c[0] += k; }
              };
              r.run();
              new Object() {
                void m() { l: for (int k = 0; k < 3; k++) { if (k == 1) continue l; c[0]++; } }
              }.m();
              for (int a : new int[] {1, 2}) { if (a == 1) continue; c[0] += 100; }
              int z = 0; do { if (z == 1) continue; c[0] += 1000; } while (z++ < 3);
            }
            return c[0];
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1"),
    ),
    Case(
        "nested loops with labelled continue",
        """
        public class T {
          static String f() {
            String all = "";
            int loop0 = 0, loop2 = 0;
            a: for (int i = 0; i < 4; i++, loop0++) {
              b: for (int j = 0; j < 4; j++, loop2++) {
                for (int k = 0; k < 4; k++) {
                  if (k == 1) continue;
                  if (k + j == 5) continue b;
                  if (k + j + i == 6) continue a;
                  all += k;
                }
                if (j == 2) continue;
                all += "j" + j;
              }
              if (i == 1) continue a;
              all += "i" + i;
            }
            return all + loop0 + loop2;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2"),
    ),
    Case(
        "labels stay on the loop; a label may have a variable's name",
        """
        public class T {
          static int f(int n) {
            int x = 0;
            x: for (x = 1; x < n; x++) { if (x == 3) break x; if (x == 2) continue x; }
            if (n > 2) y: for (int i = 0; ; i++) { if (i > n) break y; x += i; }
            z: { for (int i = 0; i < 5; i++) { if (i == n) break z; x++; } x += 100; }
            w: while (true) { while (x > 0) { x -= 7; if (x % 2 == 0) continue w; } break w; }
            return x;
          }
          public static void run(java.io.PrintStream out) {
            for (int n = 0; n < 8; n++) out.println(f(n));
          }
        }
        """,
        accepted=("loop:for:0", "loop:for:1", "loop:for:2", "loop:while:0", "loop:while:1"),
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    single = [method_case for case in CASES for method_case in split_by_method(Loop(), case)]
    assert run_all_variants(Loop(), [*CASES, *single], tmp_path) >= 40


def test_exchanging_twice_keeps_behaviour(tmp_path: Path) -> None:
    """All loops are exchanged, then those of the result: the behaviour stays the same."""
    again = [
        Case(case.name, text)
        for case in CASES
        for name, text in make_case_variants(Loop(), case).items()
        if name == "all"
    ]
    assert all(
        not location.refused for case in again for location in find_case_locations(Loop(), case)[1]
    )
    assert run_all_variants(Loop(), again, tmp_path) >= 25


def test_label_is_added_only_for_continue() -> None:
    for case in CASES:
        for name, text in make_case_variants(Loop(), case).items():
            if name != "all" and "continue" not in case.source:
                assert "loop0:" not in text
