"""Tests of boolean exchange: values whose type depends on their context, and variables that classes
capture; the JVM runs every variant and its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.transforms.booleans import BooleanExchange
from jvm_cases import Case, make_case_variants, run_all_variants, run_changed_twice


def make_case(name: str, methods: str, *accepted: str, **refused: str) -> Case:
    """Return a case; ``f`` is run for each object, its exceptions are caught, and ids are given by
    the variables' names."""
    source = f"""
        import java.security.*;
        import java.util.*;
        import java.util.function.*;
        import java.util.stream.*;
        public class T {{
          static Object given;
          @SuppressWarnings("unchecked") static <X> X any() {{ return (X) given; }}
          @SuppressWarnings("unchecked") static <X> X any(Object one) {{ return (X) given; }}
          static boolean is() {{ return (Boolean) given; }}
          static Boolean box() {{ return (Boolean) given; }}
          record R(boolean ok, Boolean may) {{}}
          {methods}
          public static void run(java.io.PrintStream out) throws Throwable {{
            for (Object one : new Object[] {{ true, false, null, "text" }}) {{
              given = one;
              try {{
                out.println(f(one));
              }} catch (RuntimeException e) {{
                out.println(e.getClass());
              }}
            }}
          }}
        }}
        """
    return Case(
        name,
        source,
        tuple(f"boolean:{name_}:0" for name_ in accepted),
        {f"boolean:{name_}:0": reason for name_, reason in refused.items()},
    )


VALUES = [
    make_case(
        "a call whose type depends on its context",
        "static String f(Object o) { boolean a = any(); boolean b; b = any(o); "
        'return "" + a + b; }',
        "a",
        "b",
    ),
    make_case(
        "such calls in branches",
        "static String f(Object o) { boolean t = o != null; boolean a = t ? any() : is(); "
        "boolean b = t ? is() : t ? any() : any(o); boolean c = (t ? (any()) : false); "
        'return "" + a + b + c; }',
        "t",
        "a",
        "b",
        "c",
    ),
    make_case(
        "such calls in a switch",
        "static String f(Object o) { int n = o == null ? 0 : 1; boolean a = switch (n) { "
        "case 0 -> any(); default -> { if (n == 1) yield is(); yield any(o); } }; "
        "boolean b = switch (n) { case 0: yield any(); default: yield true; }; "
        'return "" + a + b; }',
        "a",
        "b",
    ),
    make_case(
        "explicit type arguments",
        'static String f(Object o) { boolean a = T.<Boolean>any(); return "" + a; }',
        "a",
    ),
    make_case(
        "boxes",
        "static String f(Object o) { boolean a = box(), b = (Boolean) o, c = (boolean) o; "
        "Map<Integer, Boolean> m = new HashMap<>(); m.put(1, a); boolean d = m.get(1), e = "
        "m.getOrDefault(2, b); a &= box(); a |= m.get(1); a ^= box(); boolean g = new "
        'R(a, c).may(), h = new R(b, c).ok; return "" + a + b + c + d + e + g + h; }',
        "a",
        "b",
        "c",
        "d",
        "e",
        "g",
        "h",
    ),
    make_case(
        "null in a branch",
        "static String f(Object o) { boolean t = o instanceof Boolean; "
        'boolean a = t ? true : null; return "" + a; }'
        "static int g(int n) { boolean a = !(n > 1 ? null : true); "
        "boolean b = !(switch (n) { case 1 -> null; default -> true; }); return a | b ? 1 : 2; }",
        "t",
        "a",
        "b",
    ),
    make_case(
        "calls of the JDK",
        'static String f(Object o) { String s = "" + o; boolean a = s.isEmpty(), b = '
        "Objects.equals(o, s), c = List.of(1, 2).stream().anyMatch(x -> x > 1), d = "
        "Character.isDigit(s.charAt(0)); boolean e = Optional.of(c).orElse(d), g = s.equals(o); "
        "boolean h = AccessController.doPrivileged((PrivilegedAction<Boolean>) T::is); "
        "boolean i = AccessController.doPrivileged(new PrivilegedAction<Boolean>() { "
        "public Boolean run() { return box(); } }); "
        "boolean j = Stream.of(true, a).reduce(true, (x, y) -> x && y), k = "
        "Objects.requireNonNull(box()), l = Collections.max(List.of(a, b)); "
        'return "" + a + b + c + d + e + g + h + i + j + k + l; }',
        "a",
        "b",
        "c",
        "d",
        "e",
        "g",
        "h",
        "i",
        "j",
        "k",
        "l",
    ),
    make_case(
        "arguments with a target type",
        "static <X> X of(Function<X, X> g) { return g.apply(any()); } "
        "static <X extends Comparable<X>> X least(List<X> all) { return all.get(0); } "
        "static <X> X made(Supplier<X> g) { return g.get(); } interface V<Y> { Y take(Y y); }"
        "static <X> X taken(V<X> v) { return v.take(any()); }"
        "static String f(Object o) { boolean a = of(x -> !x), b = of(T::not), "
        "c = least(Arrays.asList(box())), d = made(() -> box()), "
        "e = taken(new V<>() { public Boolean take(Boolean y) { return !y; } }); "
        'return "" + a + b + c + d + e; }'
        "static boolean not(boolean b) { return !b; }",
        "d",
        a="depend on its context",
        b="depend on its context",
        c="depend on its context",
        e="depend on its context",
    ),
    make_case(
        "a method whose name hides a type",
        "static <Boolean> Boolean odd() { return any(); } "
        'static String f(Object o) { boolean a = odd(); return "" + a; }',
        "a",
    ),
    make_case(
        "method handles keep their casts",
        "static final java.lang.invoke.MethodHandle H; static { try { H = java.lang.invoke."
        'MethodHandles.lookup().findStatic(T.class, "is", java.lang.invoke.MethodType.methodType('
        "boolean.class)); } catch (Exception e) { throw new Error(e); } }"
        "static String f(Object o) { try { boolean a = (boolean) H.invokeExact(); "
        'boolean b = !(boolean) H.invokeExact(); return "" + a + b; } '
        "catch (RuntimeException e) { throw e; } catch (Throwable t) { throw new Error(t); } }",
        "a",
        "b",
    ),
]

CAPTURED = [
    make_case(
        "an anonymous class",
        "static String f(Object o) { final boolean a = o == null; boolean b = !a; "
        "Object x = new Object() { boolean kept = a; boolean c() { boolean d = !a, e = a; "
        "boolean g = !(a), h = !!a, i = (!a); return kept ^ d ^ b ^ e ^ g ^ h ^ i; } "
        'public String toString() { return a + "" + !b + c(); } }; return x + "" + a; }',
        "a",
        "b",
        "d",
        "e",
        "g",
        "h",
        "i",
    ),
    make_case(
        "a local class, and a class of this file",
        "static class Base { int other = 3; } interface Named { int X = 1; }"
        "static String f(Object o) { boolean a = is(); class L extends Base implements Named, "
        "Comparable<L> { boolean get() { return a; } public int compareTo(L l) { "
        "boolean a = this == l; return a ? 1 : X; } } L l = new L(); "
        "Comparator<String> c = new Comparator<String>() { public int compare(String s, String t) "
        "{ return a ? 1 : other(a); } int other(boolean b) { return b ? 4 : 5; } }; "
        'return "" + l.get() + l.compareTo(l) + c.compare("", ""); }',
        "a",
    ),
    make_case(
        "a field of a class outside the file",
        "static class Mine extends java.util.concurrent.RecursiveTask<String> { "
        "protected String compute() { return null; } }"
        "static String f(Object o) { boolean a = is(), b = is(), out = is(); "
        'Object x = new Mine() { public String toString() { return a + ""; } }; '
        "Object y = new java.io.FilterOutputStream(null) { public String toString() { "
        'return out + "" + b; } }; return x + "" + y + a + b + out; }',
        "a",
        "b",
        out="may inherit a field of that name",
    ),
]


def test_values_keep_their_types(tmp_path: Path) -> None:
    assert run_all_variants(BooleanExchange(), VALUES, tmp_path) > 3 * len(VALUES)


def test_captured_variables_keep_behaviour(tmp_path: Path) -> None:
    assert run_all_variants(BooleanExchange(), CAPTURED, tmp_path) > 3 * len(CAPTURED)


def test_exchanging_twice_keeps_behaviour(tmp_path: Path) -> None:
    """Variants that run like the original are exchanged once more."""
    run_changed_twice(BooleanExchange(), (*VALUES, *CAPTURED), tmp_path)


def test_unknown_superclass_may_have_the_field() -> None:
    source = """
        class T {
          void f() {
            boolean seen = g();
            new Elsewhere() { void h() { T.print(seen); } };
            new Runnable() { public void run() { new Elsewhere() { boolean x = seen; }; } };
          }
        }
        """
    only = Case("", source, refused={"boolean:seen:0": "may inherit a field of that name"})
    assert make_case_variants(BooleanExchange(), only) == {}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("f()", "!f()"),
        ("g()", "!(boolean) g()"),
        ("elsewhere.call()", "!(boolean) elsewhere.call()"),
        ("new Elsewhere().x", "!new Elsewhere().x"),
        ("p ? g() : f()", "!(boolean) (p ? g() : f())"),
        ("(p ? g() : f())", "!(boolean) (p ? g() : f())"),
        ("p ? f() : p", "!(p ? f() : p)"),
        ('"".isEmpty()', '!"".isEmpty()'),
        ("(f())", "!(f())"),
        ("!f()", "f()"),
        ("!(f())", "(f())"),
        ("!g()", "g()"),
        ("!(p == f())", "p == f()"),
        ("(p == f())", "!(p == f())"),
        ("!(p && f()) || p", "!(!(p && f()) || p)"),
        ("(!(p == f()))", "(p == f())"),
        ("! p", "p"),
        ("! /* not */ p", " /* not */ p"),
        ("! /* not */ (p && p)", " /* not */ (p && p)"),
        ("!( /* or */ p || p // end\n)", " /* or */ p || p // end\n"),
        ("true", "false"),
        ("(false)", "(true)"),
        ("!true", "true"),
        ("!!p", "!p"),
        ("p = true", "!(p = true)"),
        ("o instanceof T", "!(o instanceof T)"),
        ("array[0]", "!array[0]"),
        ("this.p", "!this.p"),
        ("(boolean) o", "!(boolean) o"),
        ("switch (1) { default -> p; }", "!(switch (1) { default -> p; })"),
    ],
)
def test_text_of_exchanged_value(value: str, written: str) -> None:
    source = f"""
        class T {{
          boolean p; Object o; boolean[] array;
          boolean f() {{ return p; }}
          <X> X g() {{ return null; }}
          void m() {{ boolean a = {value}; }}
        }}
        """
    texts = make_case_variants(BooleanExchange(), Case(value, source, method="m"))
    assert texts["all"] == source.replace(f"a = {value};", f"a = {written};")
