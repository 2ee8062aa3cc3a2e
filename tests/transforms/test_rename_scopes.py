"""Tests of variable renaming with hidden names: classes in methods, fields, types, labels. javac
and the JVM are the oracle."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeacumen.transforms.rename import Rename
from jvm_cases import Case, make_case_variants, run_all_variants

CASES = [
    Case(
        "captured by nested classes and lambdas",
        """
        import java.util.function.*;
        public class T {
          int x = 100;
          int f(int x) {
            IntSupplier s = new IntSupplier() {
              public int getAsInt() {
                IntSupplier in = () -> { class L { int g() { return x + T.this.x; } }
                  return new L().g() * x; };
                return in.getAsInt() + x;
              }
            };
            IntUnaryOperator u = y ->
                new Object() { int x = y; int h() { return x + this.x; } }.h();
            return s.getAsInt() + u.applyAsInt(x);
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(3)); }
        }
        """,
        accepted=("rename:x:0", "rename:s:0", "rename:in:0", "rename:u:0", "rename:y:0"),
    ),
    Case(
        "an inner class's parameters and locals of the same name",
        """
        public class T {
          interface F { int g(int x); }
          int f(int x, int y) {
            F one = new F() {
              public int g(int x) { int y = x * 2; { int z = y; y += z; } return y; } };
            F two = z -> { F in = new F() { public int g(int x) { return x - z + y; } };
              return in.g(z) + x; };
            class L { int x = y; int g() { return x; } int h() { int x = 9; return x + this.x; } }
            return one.g(x) + two.g(y) + new L().g() + new L().h();
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(3, 50)); }
        }
        """,
    ),
    Case(
        "a field inherited within the file hides the variable",
        """
        public class T {
          static class Base { int x = 5; private int y = 6; static int z = 7; }
          static class Mid extends Base { }
          int f(int x, int y, int z, int w) {
            return new Mid() { int w = 1; int g() { return x * 1000 + y * 100 + z * 10 + w; } }.g()
                + x + y + z + w;
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(1, 2, 3, 4)); }
        }
        """,
        accepted=("rename:x:0", "rename:y:0", "rename:z:0", "rename:w:0"),
    ),
    Case(
        "a field inherited from the JDK hides the variable",
        """
        import java.util.*;
        public class T {
          int f(int modCount, int size) {
            List<Integer> l = new AbstractList<>() {
              public Integer get(int i) { return modCount + i; }
              public int size() { return size; }
            };
            return l.get(2) + modCount;
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(70, 3)); }
        }
        """,
        accepted=("rename:size:0", "rename:l:0", "rename:i:0"),
        refused={"rename:modCount:0": "a class that uses it may inherit a field"},
    ),
    Case(
        "interfaces and classes of the JDK have no such fields",
        """
        import java.util.*;
        import java.util.Map.Entry;
        public class T {
          Object f(int a, String b) throws Exception {
            Runnable r = new Runnable() { public void run() { b.length(); } };
            Comparator<String> c = new Comparator<>() {
              public int compare(String x, String y) { return a * x.compareTo(y); } };
            Entry<Integer, String> e = new AbstractMap.SimpleEntry<Integer, String>(a, b) {
              public String toString() { return a + b; } };
            Thread t = new Thread() { public void run() { b.length(); } };
            class L extends ArrayList<String> implements java.io.Serializable {
              int g() { add(b); return a + size(); } }
            r.run(); t.start(); t.join();
            return "" + c.compare("a", "b") + e + new L().g();
          }
          public static void run(java.io.PrintStream out) throws Exception {
            out.println(new T().f(3, "b"));
          }
        }
        """,
        accepted=("rename:a:0", "rename:b:0"),
    ),
    Case(
        "names of types, packages, type variables and methods",
        """
        public class T {
          static int Integer = 4;
          static class List { static int size = 8; int size() { return 9; } }
          <V> int f(String String, List List, V V, Object java, int f) {
            String text = String; List other = List; V v = V; Object o = java;
            return String.length() + List.size() + text.length() + other.size() + f
                + (v == o ? 1 : 0) + this.<V>g(V) + f + Integer;
          }
          <X> int g(X f) { return f.hashCode() == 7 ? f("", new List(), f, "", 1) : 2; }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f("abc", new List(), 7, "q", 10));
          }
        }
        """,
        accepted=("rename:String:0", "rename:List:0", "rename:V:0", "rename:java:0", "rename:f:0"),
    ),
    Case(
        "static imports",
        """
        import static java.lang.Integer.MAX_VALUE;
        import static java.lang.Math.*;
        public class T {
          long f(int MAX_VALUE, int max) {
            double PI = max(MAX_VALUE, max); return (long) PI + max; }
          long g() { return MAX_VALUE + (long) PI + max(1, 2); }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f(3, 4) + " " + new T().g());
          }
        }
        """,
        accepted=("rename:MAX_VALUE:0", "rename:max:0", "rename:PI:0"),
    ),
    Case(
        "labels",
        """
        public class T {
          int f(int a) {
            int b = 0;
            a: for (int i = 0; i < 9; i++) {
              b: do { if (i == a) break b; if (i > a + 2) break a; b += i; if (b > 3) continue a; }
              while (b < 0);
              i: { b += 1; break i; }
            }
            return a + b;
          }
          public static void run(java.io.PrintStream out) {
            for (int a = 0; a < 9; a++) out.println(new T().f(a));
          }
        }
        """,
        accepted=("rename:a:0", "rename:b:0", "rename:i:0"),
    ),
    Case(
        "records: compact and written canonical constructors",
        """
        public class T {
          record P(int a, int... b) { P { int n = a; if (n < 0) a = -n; b = b.clone(); } }
          record Q(int a, int b) {
            Q(int a, int b) { int n = a; this.a = n; this.b = b; }
            Q(int a) { this(a, a + 1); a++; }
            Q(String a, String b) { this(a.length(), b.length()); }
            int sum(int a) { return a + this.a + b(); }
          }
          int f(int a) {
            record R(int a) { int twice(int k) { return a + a() * k; } }
            enum E { A { int g(int a) { return a; } }; int a = 4; int g(int k) { return a + k; } }
            interface I { int a = 6; static int g(int k) { return a * k; } }
            return new P(a, a).a() + new Q(a).sum(a) + new Q("x", "yz").sum(1) + new R(a).twice(2)
                + E.A.g(a) + I.g(a);
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(-3)); }
        }
        """,
        method="P",
        accepted=("rename:n:0",),
        refused={"rename:a:0": "a component of a record", "rename:b:0": "a component of a record"},
    ),
    Case(
        "pattern, group and loop variables end where they end",
        """
        public class T {
          int s = 1, i = 2, k = 3;
          int f(Object o, int n) {
            int r = 0;
            if (o instanceof String s && s.length() > 1) r += s.length(); else r += s;
            for (int i = 0; i < n; i++) r += i;
            r += i;
            for (int k : new int[] {k, n}) r += k;
            r += k;
            switch (n) { case 1: int i = 7; default: i = 8; r += i; }
            boolean b = o instanceof Integer s && s > 0;
            r += s;
            if (!(o instanceof Integer s)) { r -= s; } else { r += s; }
            return r + s + i + (b ? 1 : 0);
          }
          public static void run(java.io.PrintStream out) {
            for (Object o : new Object[] {"", "ab", 5, -5, null})
              for (int n = 0; n < 3; n++) out.println(new T().f(o, n));
          }
        }
        """,
        accepted=(
            "rename:s:0",
            "rename:s:1",
            "rename:s:2",
            "rename:i:0",
            "rename:i:1",
            "rename:k:0",
        ),
    ),
    Case(
        "case labels: an enum's constant, a constant variable, both",
        """
        public class T {
          enum C { RED, GREEN }
          int f(C c, int k, String t) {
            final int RED = 1; final String GREEN = "g"; C BLUE = C.RED;
            int r = 0;
            switch (c) { case RED: r += 10; break; case GREEN: r += 20; }
            switch (k) { case RED: r += RED; break; case RED + 1: r += 300; }
            switch (t) { case GREEN -> r += 1000; default -> r += GREEN.length(); }
            return r + BLUE.ordinal();
          }
          public static void run(java.io.PrintStream out) {
            for (C c : C.values()) for (int k = 0; k < 3; k++)
              for (String t : new String[] {"g", "x"}) out.println(new T().f(c, k, t));
          }
        }
        """,
        accepted=("rename:RED:0", "rename:GREEN:0", "rename:BLUE:0"),
    ),
    Case(
        "a label of a selector of unknown type",
        """
        public class T {
          int f(Thread t) {
            final int NEW = 1; Object TERMINATED = t;
            switch (t.getState()) { case NEW: return NEW; case TERMINATED: return 2; default: }
            return TERMINATED.hashCode();
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(new Thread())); }
        }
        """,
        accepted=("rename:TERMINATED:0",),
        refused={"rename:NEW:0": "a case label may mean it"},
    ),
    Case(
        "a loop's variable in its iterable, and a variable in its own value",
        """
        public class T {
          int[] a = {1, 2, 3};
          int f(int n) {
            int r = 0;
            for (int a : a) r += a;
            int x = (x = n) + x, y = x++ + x;
            for (int i = 0, j = i + n; i < j; j -= i + 1, i++) r += i * j;
            return r + x + y;
          }
          public static void run(java.io.PrintStream out) { out.println(new T().f(9)); }
        }
        """,
        accepted=("rename:a:0", "rename:x:0", "rename:y:0", "rename:i:0", "rename:j:0"),
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(Rename(), CASES, tmp_path) > 80


def test_nested_method_gets_other_names() -> None:
    text = make_case_variants(Rename(), CASES[1])["all"]
    assert "int g(int var6)" in text, "the outer method has six variables"


RECENT = [
    Case(
        "record patterns, guards, switches over types",
        """
        public class T {
          record P(Object x, int y) { }
          int f(Object o, int x) {
            if (o instanceof P(String s, var y) && y > s.length()) return y + x;
            if (!(o instanceof P(P(var x2, int y), int z))) x++; else return y * z + x;
            return switch (o) {
              case P(Integer i, int y) when i > y -> i * 2 + x;
              case String s when s.isEmpty() -> { int y = 3; yield y; }
              case String s -> s.length();
              case Integer y -> y;
              case null, default -> x;
            };
          }
          public static void run(java.io.PrintStream out) {
            Object[] all = {new P("a", 3), new P("abc", 1), new P(new P(1, 2), 3), new P(5, 4), "",
              "word", 8, null, 9L};
            for (Object o : all) out.println(new T().f(o, 50));
          }
        }
        """,
        accepted=(
            "rename:s:0",
            "rename:s:1",
            "rename:s:2",
            "rename:y:0",
            "rename:y:1",
            "rename:z:0",
            "rename:i:0",
            "rename:x:0",
        ),
    ),
    Case(
        "variables without a name",
        """
        import java.util.function.*;
        public class T {
          int f(int[] a, Object o) {
            int n = 0;
            for (int _ : a) n++;
            try { n += (Integer) o; } catch (ClassCastException _) { n = -n; }
            IntBinaryOperator g = (x, _) -> x * 2; UnaryOperator<Integer> h = _ -> 4;
            int _ = n++;
            return n + g.applyAsInt(1, 2) + h.apply(3);
          }
          public static void run(java.io.PrintStream out) {
            out.println(new T().f(new int[3], 1) + " " + new T().f(new int[3], ""));
          }
        }
        """,
        accepted=("rename:n:0", "rename:x:0"),
        refused={"rename:_:0": "it has no name"},
    ),
]


def test_recent_java_syntax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This test needs JDK 22 or later, installed beside the one in the path."""
    jdk_folders = [
        folder
        for folder in Path("/usr/lib/jvm").glob("*")
        if any(f"-{version}-" in folder.name for version in range(22, 40))
    ]
    if not jdk_folders:
        pytest.skip("no JDK 22 or later here: javac is the oracle")
    monkeypatch.setenv("PATH", f"{jdk_folders[0] / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert run_all_variants(Rename(), RECENT, tmp_path) > 15
