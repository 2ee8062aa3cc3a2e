"""Tests of the effects of statements and operators that matter when they are moved."""

from __future__ import annotations

import pytest

from codeacumen.languages.java import load_grammar
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import code_of
from codeacumen.transforms.effects import Effect, effect_analysis
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


def compute_effect(statement: str) -> tuple[Effect, dict[int, str]]:
    """Return the effect of a statement, and the names of the variables."""
    code = code_of(JavaFile(FILE.replace("BODY", statement).encode()))
    assert not code.file.syntax.broken, statement
    body = code.nodes_of(0, "block")[0]
    effect = effect_analysis(code).effects_of_node(code.children(body)[-2])
    return effect, {node: code.text(node) for node in code.declaration}


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
def test_reads_and_writes_of_local_variables(statement: str, reads: str, writes: str) -> None:
    effect, name = compute_effect(statement)
    assert " ".join(sorted(name[variable] for variable in effect.reads)) == reads
    assert " ".join(sorted(name[variable] for variable in effect.writes)) == writes


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
def test_reads_and_writes_of_fields(statement: str, reads: str, writes: str, named: str) -> None:
    effect, _ = compute_effect(statement)
    assert " ".join(sorted(effect.field_reads)) == reads
    assert " ".join(sorted(effect.field_writes)) == writes
    assert " ".join(sorted(effect.other_field_names)) == named
    assert effect.volatile_field == ("v" if "v =" in statement else "")
    assert not effect.calls


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
def test_reads_and_writes_of_arrays(
    statement: str, reads: set[tuple[str, str, int]], writes: set[tuple[str, str, int]]
) -> None:
    effect, name = compute_effect(statement)
    assert {
        (kind, name.get(variable, ""), at) for kind, variable, at in effect.array_reads
    } == reads
    assert {
        (kind, name.get(variable, ""), at) for kind, variable, at in effect.array_writes
    } == writes


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
def test_statement_without_exceptions(statement: str) -> None:
    effect, _ = compute_effect(statement)
    assert (effect.throws, effect.calls) == ("", "")


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
def test_statement_that_may_throw(statement: str, how: str) -> None:
    effect, _ = compute_effect(statement)
    assert how in effect.throws
    assert not effect.calls


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
def test_statement_with_unknown_effects(statement: str) -> None:
    effect, _ = compute_effect(statement)
    assert effect.calls


def test_other_class_string_is_no_text() -> None:
    for declared in ("class String { }", "", "import my.String;"):
        source = f"{declared} class T {{ void m(String s, int[] p) {{ p[0] = 1; s += s; }} }}"
        code = code_of(JavaFile(source.encode()))
        statement = code.descendants_of_kind(0, "expression_statement")[-1]
        assert bool(effect_analysis(code).effects_of_node(statement).calls) == bool(declared)


def test_unknown_node_kind_counts_as_call() -> None:
    """A kind of node from a later grammar counts as a call."""
    from codeacumen.transforms.effects import _OUTCOME_METHODS, _STEP_BY_KIND

    grammar = load_grammar()
    named = {
        grammar.node_kind_for_id(kind)
        for kind in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(kind)
    }
    left = named - set(_STEP_BY_KIND) - set(_OUTCOME_METHODS)
    assert {"switch_expression", "template_expression", "record_pattern"} <= left
    assert not {kind for kind in left if kind and not kind[0].isalpha()}


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
    assert operators.binary_outcome(operator, left, right, is_nonzero=True).type == type_


def test_types_of_conditionals() -> None:
    assert operators.conditional_outcome("boolean", "null", "int") == ("", "", "")
    assert operators.conditional_outcome("boolean", "null", "Foo") == ("Foo", "", "")
    assert operators.conditional_outcome("boolean", "Integer", "Integer") == ("Integer", "", "")
    assert operators.conditional_outcome("boolean", "Integer", "Long").throws
    assert operators.conditional_outcome("Boolean", "int", "int").throws
    assert operators.conditional_outcome("boolean", "", "").throws
