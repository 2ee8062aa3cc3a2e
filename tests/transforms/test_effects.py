"""What statements and operators do, as far as moving them is concerned."""

from __future__ import annotations

import pytest

from codeacumen.languages.java import language
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.effects import Effect, effects_of
from codeacumen.transforms.effects import operators as operators

FILE = """
import java.util.ArrayList;
class T {
  int f; volatile int v; final int k = f; static int s; int[] a; String t; T next;
  static final long LIMIT = 1L << 4;
  void m(int x, int y, Integer box, Object o, int[] p, long[] q, double d, String text, T other) {
    int[] mine = new int[4]; T own = new T(); var text2 = "t"; final int[] sized = {1, 2};
    BODY
  }
}
"""


def effect_of(statement: str) -> tuple[Effect, dict[int, str]]:
    """What a statement does, and the names of the variables."""
    code = code_of(JavaFile(FILE.replace("BODY", statement).encode()))
    assert not code.file.syntax.broken, statement
    body = code.nodes_of(0, "block")[0]
    found = effects_of(code).of(code.children(body)[-2])
    return found, {node: code.text(node) for node in code.declaration}


@pytest.mark.parametrize(
    ("statement", "reads", "writes"),
    [
        ("x = y;", "y", "x"),
        ("x += y;", "x y", "x"),
        ("x++;", "x", "x"),
        ("int z = x, w = z + y;", "x y z", "w z"),
        ("int z;", "", "z"),
        ("x = (y = 3) + x;", "x", "x y"),
        ("p[x] = y;", "p x y", ""),
        ("Runnable r = () -> { int i = x; p[0] = i; };", "i p x", "r"),
        ("boolean b = o instanceof String s && s == text;", "o s text", "b s"),
        ("this.f = x;", "x", ""),
        ("other.next.f = x;", "other x", ""),
        ("java.util.function.IntSupplier g = text::length;", "text", "g"),
    ],
)
def test_local_variables(statement: str, reads: str, writes: str) -> None:
    found, name = effect_of(statement)
    assert " ".join(sorted(name[one] for one in found.reads)) == reads
    assert " ".join(sorted(name[one] for one in found.writes)) == writes


@pytest.mark.parametrize(
    ("statement", "reads", "writes", "named"),
    [
        ("f = s;", "s", "f", ""),
        ("this.f += k;", "f", "f", "k"),
        ("other.f = other.next.f;", "f next", "f", ""),
        ("T.s = T.this.f;", "f", "s", ""),
        ("a[f]++;", "a f", "", ""),
        ("long l = LIMIT;", "", "", ""),
        ("Runnable r = () -> { f = s; };", "", "", "f s"),
        ("v = 1;", "", "v", ""),
        ("int n = a.length;", "a", "", ""),
    ],
)
def test_fields(statement: str, reads: str, writes: str, named: str) -> None:
    found, _ = effect_of(statement)
    assert " ".join(sorted(found.field_reads)) == reads
    assert " ".join(sorted(found.field_writes)) == writes
    assert " ".join(sorted(found.named)) == named
    assert found.ordered == ("v" if "v =" in statement else "")
    assert not found.calls


@pytest.mark.parametrize(
    ("statement", "reads", "writes"),
    [
        ("x = p[y];", {("int", "p", -1)}, set()),
        ("q[1] = p[2];", {("int", "p", 2)}, {("long", "q", 1)}),
        ("p[0x1]++;", {("int", "p", -1)}, {("int", "p", -1)}),
        ("(p[3])--;", {("int", "p", 3)}, {("int", "p", 3)}),
        ("a[0] += 1;", {("int", "", 0)}, {("int", "", 0)}),
        ("f(o).g[1] = 2;", set(), {("", "", 1)}),
        ("(new String[2])[0] = text;", set(), {("object", "", 0)}),
    ],
)
def test_arrays(
    statement: str, reads: set[tuple[str, str, int]], writes: set[tuple[str, str, int]]
) -> None:
    found, name = effect_of(statement)
    assert {(kind, name.get(one, ""), at) for kind, one, at in found.array_reads} == reads
    assert {(kind, name.get(one, ""), at) for kind, one, at in found.array_writes} == writes


@pytest.mark.parametrize(
    "statement",
    [
        "x = y * 3 - (x >> 2);",
        "d = x / d;",
        "x = y / 0x10 % 7;",
        "d /= 0;",
        "mine[3] = sized[1];",
        "own.f = x;",
        "String s = text + x + 'c' + null + text2;",
        "int[][] n = new int[3][];",
        "Object w = (Object) o;",
        "long z = (long) x;",
        "Integer z = x;",
        "Object z = box;",
        "boolean b = o == null || text != o;",
        "boolean b = x > 0 ? y < 1 : d == 2;",
        "String s = x > 0 ? text : null;",
        "int z = mine.length;",
        "Runnable r = () -> { throw new RuntimeException(); };",
        "ArrayList<String> l = new ArrayList<>(10);",
        "var l = new StringBuilder();",
        "x = Math.max(x, Math.abs(y));",
        "x = Integer.MAX_VALUE;",
        "Class<?> c = String.class;",
        "char c = 'a'; c += 1;",
    ],
)
def test_what_cannot_go_wrong(statement: str) -> None:
    found, _ = effect_of(statement)
    assert (found.throws, found.calls) == ("", "")


@pytest.mark.parametrize(
    ("statement", "how"),
    [
        ("x = y / x;", "divide"),
        ("x %= y;", "divide"),
        ("x = y / 0;", "divide"),
        ("x = y / 0x0;", "divide"),
        ("x /= 0b0;", "divide"),
        ("x = y % 00;", "divide"),
        ("d = x / box;", "divide"),
        ("x = box;", "unbox"),
        ("x = y + box;", "unbox"),
        ("boolean b = x == box;", "unbox"),
        ("box++;", "unbox"),
        ("int z = (int) o;", "unbox"),
        ("Object z = x > 0 ? x : box;", "unbox"),
        ("int[] z = {1, box};", "unbox"),
        ("int[][] z = {{1}, {box}};", "unbox"),
        ("String s = (String) o;", "cast"),
        ("x = p[0];", "range"),
        ("mine[4] = 1;", "range"),
        ("mine[x] = 1;", "range"),
        ("x = p.length;", "null"),
        ("x = other.f;", "null"),
        ("Runnable r = other::notify;", "null"),
        ("int[] z = new int[x];", "negative"),
        ("int[][] z = new int[2][y];", "negative"),
    ],
)
def test_what_may_throw(statement: str, how: str) -> None:
    found, _ = effect_of(statement)
    assert how in found.throws
    assert not found.calls


@pytest.mark.parametrize(
    "statement",
    [
        "m();",
        "new T();",
        "x = o.hashCode();",
        "String s = text + o;",
        "text += box;",
        "o += text;",
        "String s = o + text;",
        "x = Other.count;",
        "Other.count = 3;",
        "x = inherited;",
        "x = unknown.field;",
        "x = other.next.elsewhere;",
        "Object z = new Object() { };",
        "var l = new StringBuilder(text);",
        "var l = new ArrayList<>(-1);",
        "var l = new HashMap<>();",
        "x = Math.max(box, 1);",
        "x = Math.addExact(x, 1);",
        "int z = switch (x) { default -> 1; };",
        "boolean b = o instanceof P(int i);",
    ],
)
def test_what_may_do_anything(statement: str) -> None:
    found, _ = effect_of(statement)
    assert found.calls


def test_another_string_is_no_text() -> None:
    for declared in ("class String { }", "", "import my.String;"):
        source = f"{declared} class T {{ void m(String s, int[] p) {{ p[0] = 1; s += s; }} }}"
        code = code_of(JavaFile(source.encode()))
        statement = code.of_kind(0, "expression_statement")[-1]
        assert bool(effects_of(code).of(statement).calls) == bool(declared)


def test_what_is_not_known_may_do_anything() -> None:
    """A kind of node that a later grammar brings is a call, not nothing."""
    from codeacumen.transforms.effects import _ACTIONS, _STEPS

    grammar = language()
    named = {
        grammar.node_kind_for_id(one)
        for one in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(one)
    }
    left = named - set(_STEPS) - set(_ACTIONS)
    assert {"switch_expression", "template_expression", "record_pattern"} <= left
    assert not {one for one in left if one and not one[0].isalpha()}


@pytest.mark.parametrize(
    ("operator", "left", "right", "type_"),
    [
        ("+", "char", "byte", "int"),
        ("+", "long", "float", "float"),
        ("+", "String", "Foo", "String"),
        ("<<", "int", "long", "int"),
        ("&", "boolean", "boolean", "boolean"),
        ("<", "int", "int", "boolean"),
        ("-", "int", "Integer", "int"),
    ],
)
def test_types_of_operators(operator: str, left: str, right: str, type_: str) -> None:
    assert operators.binary(operator, left, right, nonzero=True).type == type_


def test_types_of_conditionals() -> None:
    assert operators.conditional("boolean", "null", "int") == ("", "", "")
    assert operators.conditional("boolean", "null", "Foo") == ("Foo", "", "")
    assert operators.conditional("boolean", "Integer", "Integer") == ("Integer", "", "")
    assert operators.conditional("boolean", "Integer", "Long").throws
    assert operators.conditional("Boolean", "int", "int").throws
    assert operators.conditional("boolean", "", "").throws
