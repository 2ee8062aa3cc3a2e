"""The shared reading of a file that transformations work on."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import TYPES, Code, code_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.java"))

SOURCE = """
package p;
class T<A> {
  int field = 1;
  T(int a) { this.field = a; }
  /* before */ <B> int f(final int[] a, String... b) { // after
    int x = ((a.length)), y[] = {1}, z;
    for (var one : b) { x += one.length(); }
    Runnable r = () -> { int w = x; };
    Object o = new Object() {
      int inner = x;
      int g(int a) { class L { int h(A q) { return a; } } return a; }
    };
    return x;
  }
  abstract int none(int q);
}
"""


def read(source: str) -> Code:
    return code_of(JavaFile(source.encode()))


def node(code: Code, kind: str, text: str) -> int:
    """The first node of a kind that begins with a text."""
    return next(
        one
        for one, which in enumerate(code.kind)
        if which == kind and code.text(one).startswith(text)
    )


def test_a_file_is_read_once() -> None:
    file = JavaFile(SOURCE.encode())
    assert code_of(file) is code_of(file)


def test_nodes_and_their_children() -> None:
    code = read("class T { int f() { /* a */ return /* b */ (x + y); } }")
    back = node(code, "return_statement", "return")
    assert [code.kind[one] for one in code.children(back)] == [
        "return",
        "parenthesized_expression",
        ";",
    ]
    sum_ = code.unwrapped(code.children(back)[1])
    assert code.text(sum_) == "x + y"
    assert code.bytes(sum_) == b"x + y"
    assert code.text(code.child(sum_, "left")) == "x"
    assert code.text(code.child(sum_, "operator")) == "+"
    assert code.child(sum_, "body") == NONE
    assert code.inside(sum_, back)
    assert not code.inside(back, sum_)
    assert [code.kind[one] for one in code.up(sum_)][:3] == [
        "parenthesized_expression",
        "return_statement",
        "block",
    ]
    assert next(code.up(0), None) is None
    assert code.source[slice(*code.span(sum_))] == b"x + y"


def test_lines() -> None:
    code = read(SOURCE)
    assert code.line(node(code, "method_declaration", "<B>")) == 6


def test_several_parts_of_one_field() -> None:
    code = read("class T { void f() { for (int i = 0; i < 2; i++, /* c */ j--) ; } }")
    loop = node(code, "for_statement", "for")
    assert [code.text(one) for one in code.fields(loop, "update")] == ["i++", "j--"]


def test_parentheses_with_comments() -> None:
    code = read("class T { int x = (/* a */ ((y /* b */)));  int z = (y); }")
    outer = node(code, "parenthesized_expression", "(/*")
    assert code.text(code.unwrapped(outer)) == "y"


def test_methods_and_what_belongs_to_them() -> None:
    code = read(SOURCE)
    names = [code.file.declarations.methods[place].name for place, _ in code.bodies]
    assert names == ["T", "f", "g", "h"], "one without a body is none"
    (_, f, g, h) = (place for place, _ in code.bodies)
    of = code.method_of
    assert of[node(code, "identifier", "inner")] == NONE
    assert of[node(code, "identifier", "w")] == f, "a lambda belongs to its method"
    assert of[node(code, "identifier", "q")] == h
    assert of[node(code, "lambda_expression", "()")] == f
    returns = code.nodes_of(g, "return_statement")
    assert [code.text(one) for one in returns] == ["return a;"]
    assert len(code.nodes_of(f, "return_statement")) == 1
    assert [code.key(place) for place in (f, g)] == ["T.f(int[],String...)", "T.$1.g(int)"]


@pytest.mark.parametrize("file", EXAMPLES[::7], ids=lambda file: file.stem)
def test_the_innermost_method_of_every_node(file: Path) -> None:
    code = code_of(JavaFile(file.read_bytes()))
    places = {node: place for place, node in code.bodies}

    def innermost(at: int) -> int:
        while at >= 0 and at not in places and code.kind[at] not in TYPES:
            at = code.parent[at]
        return places.get(at, NONE)

    assert code.method_of == [innermost(at) for at in range(len(code.kind))]


def test_units() -> None:
    code = read(SOURCE)
    w, x = node(code, "identifier", "w"), node(code, "identifier", "x")
    assert code.kind[code.unit(w)] == "lambda_expression"
    assert code.kind[code.unit(x)] == "method_declaration"
    assert code.kind[code.unit(node(code, "identifier", "inner"))] == "class_body"


def test_variables_and_their_occurrences() -> None:
    code = read(SOURCE)
    names = {
        code.file.declarations.methods[place].name: [code.text(one) for one in found]
        for place, found in code.variables.items()
    }
    assert names == {
        "T": ["a"],
        "f": ["a", "b", "x", "y", "z", "one", "r", "w", "o"],
        "g": ["a"],
        "h": ["q"],
    }
    f = code.bodies[1][0]
    x = code.variables[f][2]
    places = code.occurrences[x]
    assert places == sorted(places)
    assert places[0] == x
    assert [code.text(one) for one in places] == ["x"] * 5
    assert {code.role[one] for one in places} == {"local"}
    assert {code.declaration[one] for one in places} == {x}
    assert len({code.access[one] for one in places}) == 3, "declared, read, updated"


def test_types_of_variables() -> None:
    code = read(
        """class T { void f(final int[] a, String @A [] ... b, List<? extends T> c) {
          int d = 1, e[] = {}, f [] [] = {}; var g = 2; for (final var h : b) { }
          for (long i = 0;;) { try (A.B j = k()) { } catch (X | Y k) { } }
          F l = m -> n; F o = (p, q) -> n; F r = (int s, var t) -> n;
          if (x instanceof Map<?, ?> u) { } boolean @A [] v;
          switch (x) { case P(Q w, var aa) -> { } case R ab -> { } }
          g((final int... ac) -> 1); } }"""
    )
    found = {code.text(one): code.declared_type(one) for one in code.variables[0]}
    assert found == {
        "a": "int[]",
        "b": "String[]...",
        "c": "List<?extends T>",
        "d": "int",
        "e": "int[]",
        "f": "int[][]",
        "g": "var",
        "h": "var",
        "i": "long",
        "j": "A.B",
        "k": "X|Y",
        "l": "F",
        "m": "",
        "o": "F",
        "p": "",
        "q": "",
        "r": "F",
        "s": "int",
        "t": "var",
        "u": "Map<?,?>",
        "v": "boolean[]",
        "w": "Q",
        "aa": "var",
        "ab": "R",
        "ac": "int...",
    }


def test_types_of_fields() -> None:
    code = read(
        "record R(int a, T... b) { static long c[], d; int e() { return 1; } } enum E { F }"
    )
    names = {code.text(one): one for one in code.role if code.declaration[one] == one}
    found = {name: code.declared_type(node) for name, node in names.items() if name in "abcdeF"}
    assert found == {"a": "int", "b": "T...", "c": "long[]", "d": "long", "e": "int", "F": ""}


def test_free_names() -> None:
    code = read("class var0 { int var1; void var3() { var4: for (;;) { var5(this.var6); } } }")
    assert code.free("var") == "var2"
    assert code.free("var", frozenset({"var2", "var7"})) == "var8"
    assert code.free("other") == "other0"


def test_broken_source() -> None:
    code = read("class T { void f() { a( ; } void g() { b(); } void h() { c() } }")
    assert code.file.syntax.broken
    assert [code.misread(place) for place, _ in code.bodies] == [True, False, True]
    assert [code.broken(node) for _, node in code.bodies] == [True, False, True]
    assert code.broken(0)
    assert not code.broken(len(code.kind) - 1)


def test_a_method_in_something_broken() -> None:
    code = read("class T { void f() { } void g( { void h() { } }")
    for place, node in code.bodies:
        around = any(code.kind[one] == "ERROR" for one in code.up(node))
        assert code.misread(place) == (code.broken(node) or around)
    whole = read(SOURCE)
    assert not whole.broken(0)
    assert not any(whole.misread(place) for place, _ in whole.bodies)


def test_files_with_little_in_them() -> None:
    for source in ("", "\n", "// nothing", "package p;", "interface I { int f(); }"):
        code = read(source)
        assert code.bodies == []
        assert code.variables == {}
        assert not code.escaped
