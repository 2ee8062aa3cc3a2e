"""Unused statement: what the seed draws, how it is written, and where it is refused."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply, flatten
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import with_project
from codeacumen.transforms.unused import HOLDERS, Unused, places

ALL = """
class T {
  int f(int x) {
    if (x > 0) { a(); } else { b(); }
    for (;;) { if (c()) break; }
    for (int y : d()) { e(); }
    while (c()) { g(); }
    do { h(); } while (c());
    try { i(); } catch (E e) { j(); } finally { k(); }
    synchronized (this) { l(); }
    Runnable r = () -> { m(); };
    switch (x) { case 1: n(); break; default: o(); }
    switch (x) { case 1 -> { p(); } default -> q(); }
    { s(); }
    t: { u(); }
    return x;
  }
}
"""


def drawn(source: str, seed: int = 0, method: int = 0) -> tuple[Code, Location]:
    code = code_of(JavaFile(source.encode()))
    (found,) = Unused().locations(code, method, seed)
    return code, found


def written(source: str, seed: int = 0, method: int = 0) -> str:
    code, found = drawn(source, seed, method)
    assert not found.refused
    edits = flatten(code.source, Unused().rewrites(code, [found]))
    assert len(edits) == 1, "what is there stays"
    assert edits[0].start == edits[0].end == found.start
    return apply(code.source, edits).decode()


def test_every_kind_of_block_is_drawn() -> None:
    kinds = Counter(drawn(ALL, seed)[1].id.split(":")[1] for seed in range(400))
    assert set(kinds) == {
        "body",
        "if",
        "else",
        "for",
        "while",
        "do",
        "try",
        "catch",
        "finally",
        "synchronized",
        "lambda",
        "case",
        "block",
    }
    assert min(kinds.values()) > 8, "seventeen blocks, each as likely as the others"


def test_the_how_manieth_block_of_its_kind() -> None:
    ids = {drawn(ALL, seed)[1].id for seed in range(400)}
    assert {
        "unused:for:0",
        "unused:for:1",
        "unused:case:0",
        "unused:case:1",
        "unused:case:2",
    } <= ids
    assert not {"unused:for:2", "unused:case:3", "unused:body:1"} & ids


def test_places_are_spread() -> None:
    source = "class T { void f() { a(); b(); c(); d(); } }"
    where = Counter(drawn(source, seed)[1].start for seed in range(500))
    assert len(where) == 5, "before each statement, and at the end"
    assert min(where.values()) > 60


def test_methods_draw_for_themselves() -> None:
    method = "{ a(); b(); c(); d(); e(); }"
    names = [f"f{n}" for n in range(40)]
    source = f"class T {{ {' '.join(f'void {name}() {method}' for name in names)} }}"
    code = code_of(JavaFile(source.encode()))
    offsets: Counter[int] = Counter()
    values = set()
    for place, node in code.bodies:
        (one,) = Unused().locations(code, place, 0)
        offsets[one.start - code.start[node]] += 1
        values.add(one.detail[2])
    assert len(offsets) > 4
    assert len(values) == 40, "another moment each"


def test_the_same_seed_draws_the_same() -> None:
    for seed in range(20):
        assert drawn(ALL, seed)[1] == drawn(ALL, seed)[1]
        assert written(ALL, seed) == written(ALL, seed)
    assert len({written(ALL, seed) for seed in range(20)}) > 15


def test_the_place_does_not_depend_on_other_methods() -> None:
    more = ALL.replace("class T {", "class T { void before(int z) { v(); { w(); } }")
    assert drawn(ALL, 3, 0)[1].id == drawn(more, 3, 1)[1].id
    assert written(ALL, 3).split()[-60:] == written(more, 3, 1).split()[-60:]


def every(source: str) -> list[str]:
    """The text with a declaration at each place of each block, in order."""
    code = code_of(JavaFile(source.encode()))
    found = []
    for method, _ in code.bodies:
        for block in code.nodes_of(method, *HOLDERS):
            for place in places(code, block):
                one = Location("", method, *code.span(place[0]), "", (*place, b"S s;"))
                edits = flatten(code.source, Unused().rewrites(code, [one]))
                found.append(apply(code.source, edits).decode())
    return found


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("class T { void f() {} }", ["class T { void f() { S s; } }"]),
        ("class T { void f() { } }", ["class T { void f() { S s; } }"]),
        (
            "class T { void f() { a(); } }",
            ["class T { void f() { S s; a(); } }", "class T { void f() { a(); S s; } }"],
        ),
        (
            "class T { void f() {a();} }",
            ["class T { void f() {S s; a();} }", "class T { void f() {a(); S s; } }"],
        ),
        (
            "class T {\n  void f() {\n    a();\n  }\n}",
            [
                "class T {\n  void f() {\n    S s;\n    a();\n  }\n}",
                "class T {\n  void f() {\n    a();\n    S s;\n  }\n}",
            ],
        ),
        (
            "class T {\r\n\tvoid f() {\r\n\t\ta();\r\n\t}\r\n}",
            [
                "class T {\r\n\tvoid f() {\r\n\t\tS s;\r\n\t\ta();\r\n\t}\r\n}",
                "class T {\r\n\tvoid f() {\r\n\t\ta();\r\n\t\tS s;\r\n\t}\r\n}",
            ],
        ),
        ("class T {\n  void f() {\n  }\n}", ["class T {\n  void f() {\n      S s;\n  }\n}"]),
        ("class T {\n\tvoid f() {\n\t}\n}", ["class T {\n\tvoid f() {\n\t\tS s;\n\t}\n}"]),
        (
            "class T { void f() { a(); // one\n } }",
            [
                "class T { void f() { S s; a(); // one\n } }",
                "class T { void f() { a(); // one\n     S s;\n } }",
            ],
        ),
        (
            "class T { int f() {\n  // one\n  return 1; } }",
            ["class T { int f() {\n  // one\n  S s;\n  return 1; } }"],
        ),
        ("class T { int f() { x: return 1; } }", ["class T { int f() { S s; x: return 1; } }"]),
        ("class T { T() { super(); } }", ["class T { T() { super(); S s; } }"]),
        (
            "class T { T() { this(1); a(); } }",
            ["class T { T() { this(1); S s; a(); } }", "class T { T() { this(1); a(); S s; } }"],
        ),
        (
            "class T { void f() { if (a()) b(); else c(); } }",
            [
                "class T { void f() { S s; if (a()) b(); else c(); } }",
                "class T { void f() { if (a()) b(); else c(); S s; } }",
            ],
        ),
        ("class T { int f() { while (true) ; } }", ["class T { int f() { S s; while (true) ; } }"]),
    ],
)
def test_how_it_is_written(source: str, wanted: list[str]) -> None:
    assert every(source) == wanted


def test_how_it_is_written_in_groups() -> None:
    body = "{ switch (1) { case 1:\n  a();\n case 2: return;\n default: } }"
    assert every(f"class T {{ void f() {body} }}") == [
        f"class T {{ void f() {{ {one} }} }}"
        for one in (
            "S s; switch (1) { case 1:\n  a();\n case 2: return;\n default: }",
            "switch (1) { case 1:\n  a();\n case 2: return;\n default: } S s;",
            "switch (1) { case 1:\n  S s;\n  a();\n case 2: return;\n default: }",
            "switch (1) { case 1:\n  a();\n  S s;\n case 2: return;\n default: }",
            "switch (1) { case 1:\n  a();\n case 2: S s; return;\n default: }",
            "switch (1) { case 1:\n  a();\n case 2: return;\n default: S s; }",
        )
    ]


METHOD = "void f() { } }"


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("class T {", "String"),
        ("import java.lang.String; class T {", "java.lang.String"),
        ("package java.lang; class String {", "String"),
        ("import java.lang.*; class T { String x; String String; void String() { }", "String"),
        ("import foo.Strings; import foo.String.Part; class T {", "String"),
        ("import foo.String; class T {", "java.lang.String"),
        ("import static foo.Bar.String; class T {", "java.lang.String"),
        ("class T { class String { }", "java.lang.String"),
        ("enum String { } class T { ", "java.lang.String"),
        ("class T<A, String extends Number> {", "java.lang.String"),
        ("class T { <String> void g() { }", "java.lang.String"),
        ("class T { void g() { class String { } }", "java.lang.String"),
        ("class T { class String { } java.util.List l; void java() { }", "java.lang.String"),
        ("class T { class String { } int java;", ""),
        ("class T { class String { } void g(int java) { }", ""),
        ("class T { class String { } class java { }", ""),
        ("class T { class String { } int g() { return java + 1; }", ""),
        ("enum T { java; class String { }", ""),
    ],
)
def test_string_is_javas_own(before: str, wanted: str) -> None:
    source = f"{before} {METHOD}"
    code = code_of(JavaFile(source.encode()))
    assert not code.file.syntax.broken
    (found,) = Unused().locations(code, code.bodies[-1][0], 0)
    if wanted:
        assert found.detail[2].decode().startswith(f"{wanted} timestamp0 = ")
    else:
        assert found.refused == "String is another type here"


def test_string_may_be_the_packages_own() -> None:
    for package, wanted in (("a", "java.lang.String"), ("b", "String")):
        file = JavaFile(b"package a; class T { void f() { } }")
        other = JavaFile(f"package {package}; class String {{ }}".encode())
        with_project({"T.java": file, "String.java": other})
        (found,) = Unused().locations(code_of(file), 0, 0)
        assert found.detail[2].decode().startswith(f"{wanted} timestamp0 = ")


def test_the_value_is_a_moment() -> None:
    _, found = drawn(ALL)
    text = found.detail[2].decode()
    assert re.fullmatch(r'String timestamp0 = "\d{4}-\d\d-\d\d \d\d:\d\d:\d\d";', text)


def test_refused() -> None:
    assert drawn("class T { void f() { a( ; } }")[1].refused == "the source is broken here"
    escaped = r"class T { void f() { a(); // \u000a b();" + "\n } }"
    assert "Unicode escapes" in drawn(escaped)[1].refused
    code = code_of(JavaFile(b"abstract class T { abstract void f(); { a(); } }"))
    assert code.bodies == []
