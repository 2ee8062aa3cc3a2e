"""Tests of the analysis of a file that transformations share."""

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


def read_code(source: str) -> Code:
    return code_of(JavaFile(source.encode()))


def find_node(code: Code, kind: str, text: str) -> int:
    """Return the first node of a kind that begins with a text."""
    return next(
        number
        for number, node_kind in enumerate(code.kind)
        if node_kind == kind and code.text(number).startswith(text)
    )


def test_file_is_analysed_once() -> None:
    file = JavaFile(SOURCE.encode())
    assert code_of(file) is code_of(file)


def test_nodes_and_their_children() -> None:
    code = read_code("class T { int f() { /* a */ return /* b */ (x + y); } }")
    return_node = find_node(code, "return_statement", "return")
    assert [code.kind[child] for child in code.children(return_node)] == [
        "return",
        "parenthesized_expression",
        ";",
    ]
    sum_ = code.strip_parentheses(code.children(return_node)[1])
    assert code.text(sum_) == "x + y"
    assert code.node_bytes(sum_) == b"x + y"
    assert code.text(code.child(sum_, "left")) == "x"
    assert code.text(code.child(sum_, "operator")) == "+"
    assert code.child(sum_, "body") == NONE
    assert code.is_inside(sum_, return_node)
    assert not code.is_inside(return_node, sum_)
    assert [code.kind[ancestor] for ancestor in code.ancestors(sum_)][:3] == [
        "parenthesized_expression",
        "return_statement",
        "block",
    ]
    assert next(code.ancestors(0), None) is None
    assert code.source[slice(*code.span(sum_))] == b"x + y"


def test_lines() -> None:
    code = read_code(SOURCE)
    assert code.line_number(find_node(code, "method_declaration", "<B>")) == 6


def test_several_parts_of_one_field() -> None:
    code = read_code("class T { void f() { for (int i = 0; i < 2; i++, /* c */ j--) ; } }")
    loop = find_node(code, "for_statement", "for")
    assert [code.text(update) for update in code.children_in_field(loop, "update")] == [
        "i++",
        "j--",
    ]


def test_parentheses_with_comments() -> None:
    code = read_code("class T { int x = (/* a */ ((y /* b */)));  int z = (y); }")
    outer = find_node(code, "parenthesized_expression", "(/*")
    assert code.text(code.strip_parentheses(outer)) == "y"


def test_methods_and_their_nodes() -> None:
    code = read_code(SOURCE)
    names = [code.file.declarations.methods[place].name for place, _ in code.methods_with_body]
    assert names == ["T", "f", "g", "h"], "methods without a body are skipped"
    (_, f, g, h) = (place for place, _ in code.methods_with_body)
    method_of_node = code.method_of
    assert method_of_node[find_node(code, "identifier", "inner")] == NONE
    assert method_of_node[find_node(code, "identifier", "w")] == f, "a lambda belongs to its method"
    assert method_of_node[find_node(code, "identifier", "q")] == h
    assert method_of_node[find_node(code, "lambda_expression", "()")] == f
    returns = code.nodes_of(g, "return_statement")
    assert [code.text(statement) for statement in returns] == ["return a;"]
    assert len(code.nodes_of(f, "return_statement")) == 1
    assert [code.method_key(place) for place in (f, g)] == ["T.f(int[],String...)", "T.$1.g(int)"]


@pytest.mark.parametrize("file", EXAMPLES[::7], ids=lambda file: file.stem)
def test_innermost_method_of_every_node(file: Path) -> None:
    code = code_of(JavaFile(file.read_bytes()))
    places = {node: place for place, node in code.methods_with_body}

    def find_innermost(current: int) -> int:
        while current >= 0 and current not in places and code.kind[current] not in TYPES:
            current = code.parent[current]
        return places.get(current, NONE)

    assert code.method_of == [find_innermost(number) for number in range(len(code.kind))]


def test_units() -> None:
    code = read_code(SOURCE)
    w, x = find_node(code, "identifier", "w"), find_node(code, "identifier", "x")
    assert code.kind[code.enclosing_unit(w)] == "lambda_expression"
    assert code.kind[code.enclosing_unit(x)] == "method_declaration"
    assert code.kind[code.enclosing_unit(find_node(code, "identifier", "inner"))] == "class_body"


def test_variables_and_their_occurrences() -> None:
    code = read_code(SOURCE)
    names = {
        code.file.declarations.methods[place].name: [
            code.text(variable) for variable in method_variables
        ]
        for place, method_variables in code.local_variables.items()
    }
    assert names == {
        "T": ["a"],
        "f": ["a", "b", "x", "y", "z", "one", "r", "w", "o"],
        "g": ["a"],
        "h": ["q"],
    }
    f = code.methods_with_body[1][0]
    x = code.local_variables[f][2]
    places = code.occurrences[x]
    assert places == sorted(places)
    assert places[0] == x
    assert [code.text(occurrence) for occurrence in places] == ["x"] * 5
    assert {code.role[occurrence] for occurrence in places} == {"local"}
    assert {code.declaration[occurrence] for occurrence in places} == {x}
    assert len({code.access[occurrence] for occurrence in places}) == 3, "declared, read, updated"


def test_types_of_variables() -> None:
    code = read_code(
        """class T { void f(final int[] a, String @A [] ... b, List<? extends T> c) {
          int d = 1, e[] = {}, f [] [] = {}; var g = 2; for (final var h : b) { }
          for (long i = 0;;) { try (A.B j = k()) { } catch (X | Y k) { } }
          F l = m -> n; F o = (p, q) -> n; F r = (int s, var t) -> n;
          if (x instanceof Map<?, ?> u) { } boolean @A [] v;
          switch (x) { case P(Q w, var aa) -> { } case R ab -> { } }
          g((final int... ac) -> 1); } }"""
    )
    types = {
        code.text(variable): code.declared_type(variable) for variable in code.local_variables[0]
    }
    assert types == {
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
    code = read_code(
        "record R(int a, T... b) { static long c[], d; int e() { return 1; } } enum E { F }"
    )
    names = {
        code.text(declaration): declaration
        for declaration in code.role
        if code.declaration[declaration] == declaration
    }
    types = {name: code.declared_type(node) for name, node in names.items() if name in "abcdeF"}
    assert types == {"a": "int", "b": "T...", "c": "long[]", "d": "long", "e": "int", "F": ""}


def test_free_names() -> None:
    code = read_code("class var0 { int var1; void var3() { var4: for (;;) { var5(this.var6); } } }")
    assert code.find_free_name("var") == "var2"
    assert code.find_free_name("var", frozenset({"var2", "var7"})) == "var8"
    assert code.find_free_name("other") == "other0"


def test_broken_source() -> None:
    code = read_code("class T { void f() { a( ; } void g() { b(); } void h() { c() } }")
    assert code.file.syntax.broken
    assert [code.is_in_broken_code(place) for place, _ in code.methods_with_body] == [
        True,
        False,
        True,
    ]
    assert [code.has_syntax_error(node) for _, node in code.methods_with_body] == [
        True,
        False,
        True,
    ]
    assert code.has_syntax_error(0)
    assert not code.has_syntax_error(len(code.kind) - 1)


def test_method_inside_broken_source_is_misread() -> None:
    code = read_code("class T { void f() { } void g( { void h() { } }")
    for place, node in code.methods_with_body:
        has_error_around = any(code.kind[ancestor] == "ERROR" for ancestor in code.ancestors(node))
        assert code.is_in_broken_code(place) == (code.has_syntax_error(node) or has_error_around)
    intact = read_code(SOURCE)
    assert not intact.has_syntax_error(0)
    assert not any(intact.is_in_broken_code(place) for place, _ in intact.methods_with_body)


def test_nearly_empty_files() -> None:
    for source in ("", "\n", "// nothing", "package p;", "interface I { int f(); }"):
        code = read_code(source)
        assert code.methods_with_body == []
        assert code.local_variables == {}
        assert not code.has_unicode_escapes
