"""Tests of boolean exchange: every use in every context, every kind of assignment; the JVM runs
every variant and its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.booleans import BooleanExchange
from codeacumen.transforms.code import code_of
from jvm_cases import (
    Case,
    find_case_locations,
    run_all_variants,
    run_changed_twice,
)


def make_case(name: str, methods: str, run: str, *accepted: str, **refused: str) -> Case:
    """Return a case; ``run`` prints, and the ids are given by the variables' names."""
    source = f"""
        import java.util.*;
        import java.util.function.*;
        public class T {{
          static final StringBuilder LOG = new StringBuilder();
          static boolean say(String what, boolean gives) {{ LOG.append(what); return gives; }}
          static final boolean[] BOTH = {{ true, false }};
          {methods}
          public static void run(java.io.PrintStream out) throws Throwable {{
            {run}
            out.println(LOG);
          }}
        }}
        """
    return Case(
        name,
        source,
        tuple(f"boolean:{name_}:0" for name_ in accepted),
        {f"boolean:{name_}:0": reason for name_, reason in refused.items()},
    )


P = "for (boolean p : BOTH) out.println(T.f(p));"
PQ = "for (boolean p : BOTH) for (boolean q : BOTH) out.println(T.f(p, q));"

USES = [
    make_case(
        "parentheses around a condition",
        'static String f(boolean p) { boolean a = p; if ((a)) { return "yes"; } return "no"; }',
        P,
        "a",
    ),
    make_case(
        "the condition of a conditional",
        "static int f(boolean p) { boolean ok = p; return ok ? 1 : 2; }",
        P,
        "ok",
    ),
    make_case(
        "an element of an array",
        "static String f(boolean p) { boolean done = p; boolean[] o = { done, !done };"
        " return Arrays.toString(new Object[] { done }) + Arrays.toString(o); }",
        P,
        "done",
    ),
    make_case(
        "a value in parentheses",
        "static boolean f(boolean p) { boolean done = p; boolean x; x = (done); return x; }",
        P,
        "done",
        "x",
    ),
    make_case(
        "the same names elsewhere are unchanged",
        "static boolean a = true; static int a(int a) { return a + 1; } static class B { int a; }"
        "static String f(boolean p) { { int a = 3; LOG.append(a(a)); } "
        " B b = new B(); b.a = 4; a: for (;;) { break a; } { boolean a = p; T.a = !a; "
        ' return a + "" + T.a + b.a; } }',
        P,
        "a",
    ),
    make_case(
        "strings, casts and overloads",
        'static String g(boolean b) { return "boolean"; } static String g(Object o) '
        '{ return "object"; } static String f(boolean p) { boolean a = p; Object o = a; '
        'String s = (a) + "x"; s += a; return "" + a + g(a) + g((Object) a) + (Boolean) a + o + s '
        "+ ((boolean) a) + String.valueOf(a) + List.of(a, !a) + (a) + s; }",
        P,
        "a",
    ),
    make_case(
        "operators",
        "static String f(boolean p, boolean q) { boolean a = p; boolean b = q; "
        'return "" + (a == b) + (a != true) + (a & b) + (a | b) + (a ^ b) + (a && b) + (a || b) '
        "+ (!a == b) + (!!a) + !(a) + (1 < 2 == a) + (a ? b : !b) + (!a ^ !b); }",
        PQ,
        "a",
        "b",
    ),
    make_case(
        "short circuits and their order",
        "static String f(boolean p, boolean q) { boolean a = p, b = q; "
        'boolean c = a && say("1", b) || !b && say("2", a); return "" + a + b + c; }',
        PQ,
        "a",
        "b",
        "c",
    ),
    make_case(
        "statements that test",
        "static int f(boolean p) { boolean a = p; int n = 0; while (a) { n++; a = n < 3; } "
        "do { n += 10; a = !a; } while (!a && n < 50); for (a = true; a; a = n < 60) n += 5; "
        "for (; (a) || n < 90; ) { n += 7; } return n; }",
        P,
        "a",
    ),
    make_case(
        "an assertion",
        'static String f(boolean p) { boolean a = p; try { assert a : "told " + a; assert(a); } '
        'catch (AssertionError e) { return e.getMessage(); } return "kept"; }',
        P,
        "a",
    ),
    make_case(
        "a negation next to a word",
        "static boolean g(boolean p) { boolean a = p; return!a; }"
        "static String f(boolean p) { boolean a = p, ünder = p; assert!a||a; boolean b = p; "
        'b =!a; Supplier<Boolean> s = () ->!ünder; String t = p ?!a+"x" : ! a + "y";'
        "return t + b + s.get() + g(p) + (! /* not */ a) + ( // c\n !a) + ! // c\n (a); }",
        P,
        "a",
        "ünder",
        "b",
    ),
    make_case(
        "captured by lambdas",
        "static String f(boolean p) { boolean a = p; Supplier<Object> s = () -> a; "
        "Predicate<String> q = x -> x.isEmpty() != a; Runnable r = () -> { boolean b = !a; "
        'boolean c = b; if (c) LOG.append("c"); if (a) LOG.append("a"); }; r.run(); '
        'return "" + s.get() + q.test("") + (a ? 1 : 2); }',
        P,
        "a",
        "b",
        "c",
    ),
    make_case(
        "switches and yield",
        "static boolean f(boolean p, boolean q) { boolean a = p; int n = a ? 1 : 2; "
        "return switch (n) { case 1: yield !a; case 2: { boolean b = a; yield (b); } "
        "default: yield a || q; } ^ switch (n) { case 1 -> (a); default -> !a && q; }; }",
        PQ,
        "a",
        "b",
    ),
    make_case(
        "a constant variable stays constant",
        "static String f(boolean p) { final boolean on = true; final boolean off = !on; "
        'switch (p ? "true!" : "") { case on + "!": LOG.append("c"); break; case off + "": '
        'LOG.append("d"); break; default: } LOG.append(("x" + on) == "xtrue"); int n; '
        'if (on || p) n = 1; else n = 2; while (on) { if (n++ > 3) return n + ""; } }'
        "static int g() { final boolean no = false; int k; if (no) return k; "
        "for (;!no;) { k = 4; return k; } }",
        P + "out.println(g());",
        "on",
        "off",
        "no",
    ),
    make_case(
        "definite assignment when true and when false",
        "static int f(boolean p, boolean q) { boolean a = p; final int n; if (a && (n = g(q)) > 0) "
        "{ return n; } int m; if (!(a) || (m = g(q)) < 0) { return 7; } return m; }"
        "static int g(boolean b) { return b ? 5 : -5; }"
        "static int h(boolean p) { boolean a; if (p ? (a = true) : (a = !p)) return a ? 1 : 2; "
        "final boolean c; if (a) c = a; else { c = !a; } return c ? 3 : 4; }",
        PQ + "for (boolean p : BOTH) out.println(h(p));",
        "a",
        "c",
    ),
    make_case(
        "try and throw",
        "static String f(boolean p) { boolean ok = false; try { if (p) throw new "
        'IllegalStateException("x"); ok = true; } catch (IllegalStateException e) { LOG.append(ok);'
        "} finally { if (!ok) LOG.append('f'); } return \"\" + ok; }",
        P,
        "ok",
    ),
    make_case(
        "patterns keep their scope",
        'static String f(boolean p, boolean q) { Object o = q ? "s" : 1; boolean a = p; '
        "boolean is = o instanceof String s && s.length() == 1; "
        'if (!(a && o instanceof String t)) { return "no" + is; } return t + is; }',
        PQ,
        "a",
        "is",
    ),
    make_case(
        "type inference is unchanged",
        "static <X> String id(X x) { return x.getClass().getSimpleName() + x; }"
        "static String f(boolean p) { boolean a = p; var list = new ArrayList<>(List.of(a)); "
        "list.add(!a); Optional<Boolean> o = Optional.of(a); Object x = p ? a : null; "
        "Boolean b = p ? a : Boolean.TRUE; return id(a) + list + o.get() + x + b; }",
        P,
        "a",
        b="Boolean may be null",
    ),
]

ASSIGNMENTS = [
    make_case(
        "compound assignments",
        "static String f(boolean p, boolean q) { boolean a = p, b = p, c = p; "
        'a &= say("a", q); b |= say("b", q); c ^= say("c", q); return "" + a + b + c; }',
        PQ,
        "a",
        "b",
        "c",
    ),
    make_case(
        "values of compound assignments",
        "static String f(boolean p, boolean q) { boolean a = p, b = p, c = p, d; "
        'String s = "" + (a &= q) + (b |= q) + (c ^= q) + (d = q); boolean e = a = b; '
        "e = b |= c ^= d; if (a = p) s += 1; while (!(a = !a)) s += 2; return s + a + b + c + e; }",
        PQ,
        "a",
        "b",
        "c",
        "d",
        "e",
    ),
    make_case(
        "a variable in its own value",
        "static String f(boolean p, boolean q) { boolean a = p, b = q; a = a; a = !a; a &= a; "
        "a |= !a; a ^= b; b ^= !a; b = (b) ^ (a = !b); a &= (a = q); b |= !(b = p); a ^= a = p; "
        'return "" + a + b; }',
        PQ,
        "a",
        "b",
    ),
    make_case(
        "variables initialised with each other",
        "static String f(boolean p, boolean q) { boolean a = p, b = a, c = !b; a = b; b = !c; "
        'c = (a); a = b = c = q; b &= c; a |= !b; c = a == b; return "" + a + b + c; }',
        PQ,
        "a",
        "b",
        "c",
    ),
    make_case(
        "the left side is read first",
        'static boolean f(boolean p, boolean q) { boolean a = p; a &= say("v" + a, q) | '
        '(a = q) | say("w" + a, !q); return a; }',
        PQ,
        "a",
    ),
    make_case(
        "the right side of an arrow",
        "static String f(boolean p) { boolean a = p; int n = p ? 1 : 2; "
        "switch (n) { case 1 -> a = false; default -> a |= true; } LOG.append(a); "
        "if (p) switch (n) { case 1 -> a = true; default -> {} } "
        "boolean b = switch (n) { case 1 -> a = !a; default -> switch (n) { case 2 -> a &= false; "
        "default -> true; }; }; for (int i = 0; i < 1; i++) switch (n) { default -> a = !a; } "
        'boolean c = p ? switch (n) { default -> a = false; } : a; return "" + a + b + c; }',
        P,
        "a",
        "b",
        "c",
    ),
    make_case(
        "clauses of a loop",
        "static int f(boolean p) { int n = 0; boolean b; for (boolean a = p, c = !p; a | c; "
        "a = c, c = n < 3, n++) n += a ? 10 : 100; for (b = p, n++; !b; b = true) n += 1000; "
        "return n; }",
        P,
        "a",
        "c",
        "b",
    ),
    make_case(
        "an argument that assigns",
        'static String g(boolean x, boolean y) { return x + "" + y; } static boolean '
        "f(boolean p) { boolean a; LOG.append(g(a = p, !(a = a != p))); return a = !p; }",
        P,
        "a",
    ),
    make_case(
        "no initial value, no use, neither",
        'static int f(boolean p) { boolean a; if (p) { a = true; } else a = say("x", p); '
        'boolean unused = say("u", p); boolean none; return a ? 1 : 0; }',
        P,
        "a",
        "unused",
        none="neither a value nor a use",
    ),
    make_case(
        "one of several declarators",
        "static String f(boolean p) { final boolean a = !p, b[] = { p }, c; c = b[0] ^ a; "
        'return a + "" + b[0] + c; }',
        P,
        "a",
        "c",
    ),
    make_case(
        "values from loops, parameters and boxes",
        'static String f(boolean p) { String s = ""; for (boolean each : BOTH) s += each; '
        "Boolean boxed = p ? null : true; java.lang.Boolean full = p; "
        "Predicate<Boolean> q = (Boolean b) -> b; return s + boxed + full + (boxed == null); }",
        P,
        each="a loop assigns",
        boxed="may be null",
        full="may be null",
    ),
    make_case(
        "var",
        "static String f(boolean p) { var a = !p; var b = a ? p : true; var c = p == true; "
        'Boolean boxed = p; var d = !boxed; var e = boxed; var n = 3 & 1; var s = "a" + p; '
        'return a + "" + b + c + d + e + n + s + Objects.hash(d); }',
        P,
        "a",
        "c",
        "d",
        boxed="may be null",
    ),
    make_case(
        "var of a value that may be null",
        "static String f(boolean p) { Boolean boxed = p ? null : true; try { var a = !boxed; "
        'LOG.append("after"); return "" + a; } catch (NullPointerException e) { return "null"; } }',
        P,
        "a",
    ),
]


def test_every_use_is_negated(tmp_path: Path) -> None:
    assert run_all_variants(BooleanExchange(), USES, tmp_path) > 2 * len(USES)


def test_every_assignment_is_negated(tmp_path: Path) -> None:
    assert run_all_variants(BooleanExchange(), ASSIGNMENTS, tmp_path) > 2 * len(ASSIGNMENTS)


def test_exchanging_twice_keeps_behaviour(tmp_path: Path) -> None:
    """Variants that run like the original are exchanged once more."""
    run_changed_twice(BooleanExchange(), (*USES, *ASSIGNMENTS), tmp_path)


def test_only_local_variables_are_candidates() -> None:
    only = Case(
        "parameters, fields and arrays",
        """
        class T {
          boolean field = true;
          T(boolean p) { field = p; }
          boolean f(boolean p, boolean... more) {
            boolean[] array = more; boolean rest[] = {}; int n = 1; var m = n; var g = f(p);
            java.util.function.BooleanSupplier s = () -> p; B<Boolean> t = (boolean q) -> q;
            return g;
          }
          interface B<X> { boolean f(boolean b); }
        }
        """,
    )
    _, locations = find_case_locations(BooleanExchange(), only)
    assert [location.id for location in locations] == ["boolean:g:0"]


@pytest.mark.parametrize(
    "body",
    ["boolean \\u0061 = true; if (a) {}", "boolean a = true; if (\\u0061) {}", "boolean a = (;"],
)
def test_unsupported_source_is_refused(body: str) -> None:
    """The parser does not understand identifiers with Unicode escapes."""
    code = code_of(JavaFile(f"class T {{ void f() {{ {body} }} }}".encode()))
    (location,) = BooleanExchange().find_locations(code, code.methods_with_body[0][0], 0)
    assert location.refused == "the source is broken here"


def test_comment_ended_by_unicode_escape_is_refused() -> None:
    """For javac, ``a`` is assigned here."""
    source = (
        rb"class T { boolean f() { boolean a = true; // \u000a a = false;" + b"\n return a; } }"
    )
    (location,) = BooleanExchange().find_locations(code_of(JavaFile(source)), 0, 0)
    assert location.refused == "identifiers or comments of this file have Unicode escapes"
