"""Tests of permuting statements: statements that throw, call or initialize a class are not moved if
the change is observable. The JVM runs every accepted variant and its original."""

from __future__ import annotations

from pathlib import Path

from codeacumen.transforms.permute import Permute
from jvm_cases import Case, run_all_variants

CASES = [
    Case(
        "constructors with side effects",
        """
        public class T {
          static int made;
          final int number;
          T() { number = ++made; }
          static String f() {
            T n = new T();
            T m = new T();
            int k = 3;
            int c = made;
            return n.number + " " + m.number + " " + k + " " + c;
          }
          public static void run(java.io.PrintStream out) { out.println(f()); }
        }
        """,
        accepted=("permute:T m = new T();/int k = 3;:0",),
        refused={
            "permute:T n = new T();/T m = new T();:0": "creates a `T`, and the second creates",
            "permute:T m = new T();/int c = made;:0": "creates a `T`, and the second reads `made`",
        },
    ),
    Case(
        "constructors known to have no side effects",
        """
        import java.util.ArrayList;
        import java.util.*;
        public class T {
          static class TreeMap { TreeMap() { log += "tree"; } }
          static String log = "";
          static String f() {
            ArrayList<String> a = new ArrayList<>(4);
            log += "f";
            StringBuilder b = new StringBuilder();
            a.add("x");
            b.append(a);
            return b.toString();
          }
          static void g() { TreeMap t = new TreeMap(); log += "g"; }
          static void h(int n) { ArrayList<String> a = new ArrayList<>(n); log += "h"; }
          static void i() { HashMap<String, String> m = new HashMap<>(); log += "i"; }
          static void j() { Object o = new Object() { { g(); } }; log += "j"; }
          public static void run(java.io.PrintStream out) {
            out.println(f()); g(); i(); j();
            try { h(-1); } catch (IllegalArgumentException e) { out.println(e.getMessage()); }
            out.println(log);
          }
        }
        """,
        accepted=(
            'permute:ArrayList<String> a /log += "f";:0',
            'permute:log += "f";/StringBuilder b = ne:0',
        ),
        refused={
            'permute:TreeMap t = new Tree/log += "g";:0': "creates a `TreeMap`",
            'permute:ArrayList<String> a /log += "h";:0': "creates a `ArrayList`",
            'permute:HashMap<String, Stri/log += "i";:0': "creates a `HashMap`",
            'permute:Object o = new Objec/log += "j";:0': "creates a `Object`",
        },
    ),
    Case(
        "a division may throw before a write is seen",
        """
        public class T {
          static int c;
          static void f(int p, int q) { int a = p / q; c = a; c = 7; }
          static int g(int p, int q) { c = 1; int a = p % q; return a; }
          static int h(int p, int q) { c = 1; int a = p / 3; double b = p / 2.0; return a; }
          static double i(double p, float q) { c = 5; double d = p / q; d %= 0; return d; }
          static int j(int p, int q) { int a = p; int b = 1; b /= q; return a + b; }
          static void k(int p) { c = 6; p /= 0; }
          static int l(int p) { c = 8; p >>>= 2; p *= p; return p; }
          public static void run(java.io.PrintStream out) {
            f(8, 2); out.println(c); out.println(g(7, 4)); out.println(h(7, 2) + i(1, 0) + l(9));
            c = 0;
            try { f(1, 0); } catch (ArithmeticException e) { out.println(c); }
            try { g(1, 0); } catch (ArithmeticException e) { out.println(c); }
            try { j(1, 0); } catch (ArithmeticException e) { out.println(c); }
            try { k(1); } catch (ArithmeticException e) { out.println(c); }
          }
        }
        """,
        accepted=(
            "permute:c = 1;/int a = p / 3;:0",
            "permute:c = 5;/double d = p / q;:0",
            "permute:c = 1;/double b = p / 2.0;:0",
            "permute:c = 8;/p >>>= 2;:0",
        ),
        refused={
            "permute:c = 1;/int a = p % q;:0": "the second may divide by zero, and the first",
            "permute:int a = p / q;/c = 7;:0": "the first may divide by zero, and the second",
            "permute:c = 6;/p /= 0;:0": "may divide by zero",
        },
    ),
    Case(
        "two exceptions, and the first is seen",
        """
        public class T {
          T next; int v;
          static int f(int[] a, int i, T t) { int x = a[i]; int y = t.v; return x + y; }
          static int g(Object o, int n) { String s = (String) o; int[] b = new int[n]; return 1; }
          static int h(Integer i, int k) { int x = i; int y = 1 / k; return x + y; }
          static int j(Object o, int[] a) { Object p = (Object) o; int y = a.length; return y; }
          public static void run(java.io.PrintStream out) {
            T t = new T();
            int[] a = {1};
            out.println(f(a, 0, t) + g("", 1) + h(2, 1) + j(t, a));
            for (int i = 0; i < 4; i++) {
              try {
                if (i == 0) f(a, 1, null);
                if (i == 1) g(t, -1);
                if (i == 2) h(null, 0);
                if (i == 3) j(null, null);
              } catch (RuntimeException e) {
                out.println(e.getClass());
              }
            }
          }
        }
        """,
        accepted=("permute:Object p = (Object) /int y = a.length;:0",),
        refused={
            "permute:int x = a[i];/int y = t.v;:0": "both may throw: the first may be out of",
            "permute:String s = (String) /int[] b = new int[n]:0": "the first may fail to cast",
            "permute:int x = i;/int y = 1 / k;:0": "the first may unbox null",
        },
    ),
    Case(
        "a handler sees the variables around its try",
        """
        public class T {
          static int f(int[] a, int i) {
            int x = 0;
            try { x = 1; int y = a[i]; int z = 2; return x + y + z; }
            catch (RuntimeException e) { return -x; }
          }
          static int g(int[] a, int i) {
            int x = 0; int s = a[i]; x = 2; return x + s;
          }
          static int h(int[] a, int i) {
            int x = 0;
            try { Math.floorMod(1, i); x = 3; } finally { out = x; }
            return x;
          }
          static int j(int[] a, int i) {
            int x = 0;
            try {
              java.util.function.IntSupplier s = () -> {
                int t = 1; int u = a[i]; t = 4; return t + u;
              };
              x = s.getAsInt();
            } catch (RuntimeException e) { x = 5; }
            return x;
          }
          static int k(int[] a, int i) {
            int x = 0;
            try { a[0] = 1; } finally { x = 6; int w = a[i]; x = 8; }
            try { x = 7; } catch (RuntimeException e) { int v = a[i]; x = 9; }
            return x;
          }
          static int l(int[] a, int i) {
            int x = 4;
            try { a[i] = 1; }
            catch (RuntimeException e) { int v = a[i]; x = 5; }
            finally { out = x; }
            return x;
          }
          static int out;
          public static void run(java.io.PrintStream p) {
            int[] a = {4, 0};
            for (int i = -1; i < 2; i++) {
              p.println(f(a, i) + " " + j(a, i));
              try { p.println(g(a, i)); } catch (RuntimeException e) { p.println(e.getMessage()); }
              try { p.println(h(a, i)); } catch (RuntimeException e) { p.println(out); }
              try { p.println(l(a, i)); } catch (RuntimeException e) { p.println(out); }
              try { p.println(k(a, i)); } catch (RuntimeException e) { p.println(out); }
            }
          }
        }
        """,
        accepted=(
            "permute:int y = a[i];/int z = 2;:0",
            "permute:int s = a[i];/x = 2;:0",
            "permute:int u = a[i];/t = 4;:0",
            "permute:int w = a[i];/x = 8;:0",
            "permute:int v = a[i];/x = 9;:0",
        ),
        refused={
            "permute:x = 1;/int y = a[i];:0": "out of an array's range, and the first writes `x`",
            "permute:Math.floorMod(1, i);/x = 3;:0": "the first calls `floorMod`, and the second",
            "permute:int v = a[i];/x = 5;:0": "and the second writes `x`",
        },
    ),
    Case(
        "boxes, and operators on them",
        """
        public class T {
          static int c;
          static int f(Integer i, Integer j) { c = 1; boolean b = i == j; return b ? 1 : 0; }
          static int g(Integer i, int j) { c = 2; boolean b = i == j; return b ? 1 : 0; }
          static int h(Boolean i, int j) { c = 3; int k = i ? j : 1; return k; }
          static Object k(boolean i, Integer j) { c = 4; Object o = i ? j : 0; return o; }
          static Object l(boolean i, Integer j) { c = 5; Object o = i ? j : "no"; return o; }
          static Object m(boolean i, Integer j) { c = 6; Integer o = i ? j : null; return o; }
          static int n(int[] a, Integer j) { c = 7; int[] b = {1, j}; return b[1]; }
          static long o(Long j) { c = 8; long k = -j; return k; }
          static Long q(Long j) { c = 9; j++; return j; }
          static Integer r(int j) { c = 10; Integer k = j; return k; }
          static int s() { c = 11; var k = 3; var m = "m"; m += k; return m.length(); }
          public static void run(java.io.PrintStream out) {
            out.println(f(1, 1) + g(1, 1) + h(true, 2) + n(null, 5) + o(6L) + q(7L) + r(8) + s());
            out.println(f(null, 1) + " " + k(false, null) + l(true, null) + m(true, null));
            Runnable[] all = {
              () -> g(null, 1), () -> h(null, 1), () -> k(true, null), () -> n(null, null),
              () -> o(null), () -> q(null)};
            for (Runnable one : all) {
              try { c = 0; one.run(); } catch (RuntimeException e) { out.println(c); }
            }
          }
        }
        """,
        accepted=(
            "permute:c = 1;/boolean b = i == j;:0",
            'permute:c = 5;/Object o = i ? j : ":0',
            "permute:c = 6;/Integer o = i ? j : :0",
            "permute:c = 10;/Integer k = j;:0",
            "permute:c = 11;/var k = 3;:0",
        ),
        refused={
            "permute:c = 2;/boolean b = i == j;:0": "may unbox null",
            "permute:c = 3;/int k = i ? j : 1;:0": "may unbox null",
            "permute:c = 4;/Object o = i ? j : 0:0": "may unbox null",
            "permute:c = 7;/int[] b = {1, j};:0": "may unbox null",
            "permute:c = 8;/long k = -j;:0": "may unbox null",
            "permute:c = 9;/j++;:0": "may unbox null",
        },
    ),
    Case(
        "string concatenation calls toString",
        """
        public class T {
          static int c;
          public String toString() { c++; return "T" + c; }
          static String f(T t, String s, char d) {
            c = 5;
            String u = s + d + 1.5 + null;
            String v = s + t;
            u += t;
            u += u;
            return u + v;
          }
          static String g(char[] d, Object o) { c = 1; String s = "" + d.length; o += s; return s; }
          public static void run(java.io.PrintStream out) {
            out.println(f(new T(), null, 'x')); out.println(g(new char[3], new T()));
            try { g(null, 1); } catch (NullPointerException e) { out.println(c); }
          }
        }
        """,
        accepted=("permute:c = 5;/String u = s + d + 1:0",),
        refused={
            "permute:c = 5;/String v = s + t;:0": "converts an object to a string, and the first",
            "permute:String v = s + t;/u += t;:0": "converts an object to a string",
            'permute:c = 1;/String s = "" + d.le:0': "may dereference null",
            "permute:c = 1;/o += s;:0": "converts an object to a string",
        },
    ),
    Case(
        "a field access may initialise a class",
        """
        public class T {
          static String log = "";
          static class A { static int x = say("A"); static final int K = 3; }
          interface I { int Y = say("I"); }
          enum E { P, Q; static { say("E"); } E me() { int a = 1; E e = P; return e; } }
          static class B implements I { int g() { log += "g"; int y = Y; return y; } }
          static int say(String s) { log += s; return 1; }
          static int f() { log += "f"; int a = A.x; int b = A.K; return a + b; }
          static E h() { log += "h"; E e = E.P; return e; }
          class Inner { int x() { String s = log; int n = 3; return s.length() + n; } }
          static class Nested { String x() { String s = log; log = "n"; int m = 3; return s + m; } }
          static int j() {
            log += "j"; int k = A.K; Class<?> c = A.class; Object[] o = new A[2]; return k;
          }
          public static void run(java.io.PrintStream out) {
            out.println(j()); out.println(f()); out.println(new B().g()); out.println(h().me());
            out.println(new T().new Inner().x()); out.println(new Nested().x()); out.println(log);
          }
        }
        """,
        accepted=(
            'permute:log += "j";/int k = A.K;:0',
            'permute:log += "j";/Class<?> c = A.class:0',
            'permute:log += "j";/Object[] o = new A[2:0',
            "permute:String s = log;/int n = 3;:0",
            "permute:int a = 1;/E e = P;:0",
        ),
        refused={
            'permute:log += "f";/int a = A.x;:0': "the second uses `x`, whose class may have to",
            'permute:log += "h";/E e = E.P;:0': "the second uses `P`, whose class",
            'permute:log += "g";/int y = Y;:0': "the second uses `Y`",
        },
    ),
    Case(
        "a plain name may be an inherited field",
        """
        public class T {
          static class Base extends java.awt.Insets { Base() { super(1, 2, 3, 4); } }
          static class Heir extends Base {
            int own;
            void f() { top = 5; left = top; own = 3; int k = 2; }
            void set() { bottom++; own++; }
            int g() { int a = bottom; set(); return a; }
          }
          public static void run(java.io.PrintStream out) {
            Heir h = new Heir(); h.f(); out.println(h.top + " " + h.left + " " + h.own + h.g());
          }
        }
        """,
        accepted=("permute:own = 3;/int k = 2;:0",),
        refused={
            "permute:top = 5;/left = top;:0": "the second reads `top`, which the first writes",
            "permute:left = top;/own = 3;:0": "which is declared elsewhere, and the second writes",
            "permute:int a = bottom;/set();:0": "which is declared elsewhere",
        },
    ),
    Case(
        "lambdas and method references",
        """
        import java.util.function.*;
        public class T {
          static int c;
          static int f(String s) {
            c = 1;
            IntSupplier g = s::length;
            Supplier<T> h = T::new;
            Function<Integer, int[]> k = int[]::new;
            ToIntFunction<String> m = (ToIntFunction<String>) String::length;
            return g.getAsInt() + k.apply(2).length + m.applyAsInt("abc");
          }
          public static void run(java.io.PrintStream out) {
            out.println(f("ab") + c);
            try { c = 0; f(null); } catch (NullPointerException e) { out.println(c); }
          }
        }
        """,
        accepted=(
            "permute:IntSupplier g = s::l/Supplier<T> h = T::n:0",
            "permute:Supplier<T> h = T::n/Function<Integer, in:0",
            "permute:Function<Integer, in/ToIntFunction<String:0",
        ),
        refused={"permute:c = 1;/IntSupplier g = s::l:0": "the second may dereference null"},
    ),
    Case(
        "calls keep their order with the fields that they may read",
        """
        public class T {
          int f; static StringBuilder log = new StringBuilder();
          int a() { log.append("a" + f); f += 10; return f; }
          int b() { log.append("b" + f); f *= 2; return f; }
          int g() { int x = a(); int y = b(); int m = Math.max(x, 4); int z = 3; return y * z - m; }
          void h() { f = 1; a(); int k = 2; k = 3; f = k; }
          int i(int[] p) { int x = a(); int y = p[0]; return x + y; }
          int j(int s) {
            int x = switch (s) { case 1: yield a(); default: yield 2; }; f = 9; return x;
          }
          public static void run(java.io.PrintStream out) {
            T t = new T(); out.println(t.g()); t.h(); out.println(t.i(new int[] {3}));
            out.println(t.j(1) + t.j(2)); out.println(t.f + " " + log);
            try { t.i(new int[0]); } catch (RuntimeException e) { out.println(log); }
          }
        }
        """,
        accepted=(
            "permute:int y = b();/int z = 3;:0",
            "permute:int y = b();/int m = Math.max(x, :0",
            "permute:a();/int k = 2;:0",
        ),
        refused={
            "permute:int x = a();/int y = b();:0": "the first and the second both call methods",
            "permute:f = 1;/a();:0": "the second calls `a`, and the first writes `f`",
            "permute:int x = a();/int y = p[0];:0": "calls `a`, and the second reads an array",
            "permute:int x = switch (s) {/f = 9;:0": "and the second writes `f`",
        },
    ),
]


def test_every_variant_keeps_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(Permute(), CASES, tmp_path) >= len(CASES)
