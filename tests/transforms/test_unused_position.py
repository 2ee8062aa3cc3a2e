"""Tests of the unused statement: the sampled position, the inserted text, and refusals."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.location import Location
from codeacumen.transforms.run import link_project
from codeacumen.transforms.unused import STATEMENT_PARENTS, Unused, insertion_points

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


def sample_location(source: str, seed: int = 0, method: int = 0) -> tuple[Code, Location]:
    code = code_of(JavaFile(source.encode()))
    (location,) = Unused().find_locations(code, method, seed)
    return code, location


def insert_statement(source: str, seed: int = 0, method: int = 0) -> str:
    code, location = sample_location(source, seed, method)
    assert not location.refused
    edits = flatten_rewrites(code.source, Unused().make_rewrites(code, [location]))
    assert len(edits) == 1, "the original text stays"
    assert edits[0].start == edits[0].end == location.start
    return apply_edits(code.source, edits).decode()


def test_every_kind_of_block_is_sampled() -> None:
    kinds = Counter(sample_location(ALL, seed)[1].id.split(":")[1] for seed in range(400))
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


def test_id_has_number_of_block_within_its_kind() -> None:
    ids = {sample_location(ALL, seed)[1].id for seed in range(400)}
    assert {
        "unused:for:0",
        "unused:for:1",
        "unused:case:0",
        "unused:case:1",
        "unused:case:2",
    } <= ids
    assert not {"unused:for:2", "unused:case:3", "unused:body:1"} & ids


def test_sampled_positions_are_spread() -> None:
    source = "class T { void f() { a(); b(); c(); d(); } }"
    where = Counter(sample_location(source, seed)[1].start for seed in range(500))
    assert len(where) == 5, "before each statement, and at the end"
    assert min(where.values()) > 60


def test_methods_are_sampled_independently() -> None:
    method = "{ a(); b(); c(); d(); e(); }"
    names = [f"f{n}" for n in range(40)]
    source = f"class T {{ {' '.join(f'void {name}() {method}' for name in names)} }}"
    code = code_of(JavaFile(source.encode()))
    offsets: Counter[int] = Counter()
    values = set()
    for place, node in code.methods_with_body:
        (location,) = Unused().find_locations(code, place, 0)
        offsets[location.start - code.start[node]] += 1
        values.add(location.detail[2])
    assert len(offsets) > 4
    assert len(values) == 40, "the values differ"


def test_same_seed_samples_same_location() -> None:
    for seed in range(20):
        assert sample_location(ALL, seed)[1] == sample_location(ALL, seed)[1]
        assert insert_statement(ALL, seed) == insert_statement(ALL, seed)
    assert len({insert_statement(ALL, seed) for seed in range(20)}) > 15


def test_position_does_not_depend_on_other_methods() -> None:
    more = ALL.replace("class T {", "class T { void before(int z) { v(); { w(); } }")
    assert sample_location(ALL, 3, 0)[1].id == sample_location(more, 3, 1)[1].id
    assert insert_statement(ALL, 3).split()[-60:] == insert_statement(more, 3, 1).split()[-60:]


def insert_at_every_position(source: str) -> list[str]:
    """Return the text with a declaration at each position of each block, in order."""
    code = code_of(JavaFile(source.encode()))
    texts = []
    for method, _ in code.methods_with_body:
        for block in code.nodes_of(method, *STATEMENT_PARENTS):
            for place in insertion_points(code, block):
                location = Location("", method, *code.span(place[0]), "", (*place, b"S s;"))
                edits = flatten_rewrites(code.source, Unused().make_rewrites(code, [location]))
                texts.append(apply_edits(code.source, edits).decode())
    return texts


@pytest.mark.parametrize(
    ("source", "expected"),
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
def test_layout_of_inserted_statement(source: str, expected: list[str]) -> None:
    assert insert_at_every_position(source) == expected


def test_layout_of_inserted_statement_in_switch_groups() -> None:
    body = "{ switch (1) { case 1:\n  a();\n case 2: return;\n default: } }"
    assert insert_at_every_position(f"class T {{ void f() {body} }}") == [
        f"class T {{ void f() {{ {switch_text} }} }}"
        for switch_text in (
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
    ("before", "expected_type"),
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
def test_type_of_statement_is_java_lang_string(before: str, expected_type: str) -> None:
    source = f"{before} {METHOD}"
    code = code_of(JavaFile(source.encode()))
    assert not code.file.syntax.broken
    (location,) = Unused().find_locations(code, code.methods_with_body[-1][0], 0)
    if expected_type:
        assert location.detail[2].decode().startswith(f"{expected_type} timestamp0 = ")
    else:
        assert location.refused == "String is another type here"


def test_string_may_be_a_class_of_the_package() -> None:
    for package, expected_type in (("a", "java.lang.String"), ("b", "String")):
        file = JavaFile(b"package a; class T { void f() { } }")
        other = JavaFile(f"package {package}; class String {{ }}".encode())
        link_project({"T.java": file, "String.java": other})
        (location,) = Unused().find_locations(code_of(file), 0, 0)
        assert location.detail[2].decode().startswith(f"{expected_type} timestamp0 = ")


def test_value_is_a_timestamp() -> None:
    _, location = sample_location(ALL)
    text = location.detail[2].decode()
    assert re.fullmatch(r'String timestamp0 = "\d{4}-\d\d-\d\d \d\d:\d\d:\d\d";', text)


def test_refusals() -> None:
    assert (
        sample_location("class T { void f() { a( ; } }")[1].refused == "the source is broken here"
    )
    escaped = r"class T { void f() { a(); // \u000a b();" + "\n } }"
    assert "Unicode escapes" in sample_location(escaped)[1].refused
    code = code_of(JavaFile(b"abstract class T { abstract void f(); { a(); } }"))
    assert code.methods_with_body == []
