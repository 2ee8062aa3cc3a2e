"""Tests of declarations. The oracle is the tree of javac's parser (JavacMethods.java)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.declarations import NONE, find_declarations

# Name, start, end, enclosing types, parameters' types, return type, body?, documented?
Line = tuple[str, ...]


@pytest.fixture(scope="module")
def parsed(javac_program: Callable[..., str]) -> Callable[[list[Path]], dict[Path, list[Line]]]:
    def parse_with_javac(files: list[Path]) -> dict[Path, list[Line]]:
        lines_by_file: dict[Path, list[Line]] = {}
        for line in javac_program("JavacMethods", files).splitlines():
            if line.startswith("= "):
                current = lines_by_file.setdefault(Path(line[2:]), [])
            else:
                current.append(tuple(line.split("\t")))
        return {file: sorted(lines) for file, lines in lines_by_file.items()}

    return parse_with_javac


def list_our_methods(file: Path) -> list[Line]:
    source = file.read_bytes()
    syntax = parse_java(source)
    declared = find_declarations(syntax)
    is_ascii = source.isascii()

    def to_javac_position(offset: int) -> str:
        return str(offset if is_ascii else len(source[:offset].decode()))

    def normalize_type(type_text: str) -> str:
        # javac prints the dots of a varargs parameter as brackets.
        return type_text.replace(" ", "").replace("...", "[]")

    return sorted(
        (
            "<init>" if "constructor" in method.kind else method.name,
            to_javac_position(int(syntax.start[method.node])),
            to_javac_position(int(syntax.end[method.node])),
            ".".join(
                "" if re.fullmatch(r"\$\d+", name) else name
                for name in declared.type_path(method.type)
            ),
            ";".join(normalize_type(parameter.type) for parameter in method.parameters),
            normalize_type(method.returns),
            str(method.body != NONE).lower(),
            str(method.javadoc != NONE).lower(),
        )
        for method in declared.methods
    )


def test_members_of_every_kind_agree_with_javac(
    parsed: Callable[..., dict[Path, list[Line]]],
) -> None:
    file = Path(__file__).with_name("Members.java")
    assert list_our_methods(file) == parsed([file])[file]


def test_members_agree_with_javac_on_java_util(
    parsed: Callable[..., dict[Path, list[Line]]], part_of_java_util: list[Path]
) -> None:
    javac_lines = parsed(part_of_java_util)
    assert sum(map(len, javac_lines.values())) > 1_000
    different = [
        file.name for file in part_of_java_util if list_our_methods(file) != javac_lines[file]
    ]
    assert different == []


def test_modifiers_annotations_comments_and_fields() -> None:
    syntax = parse_java(
        b"package a.b; /** About A. */ @Deprecated public sealed class A permits B {\n"
        b"  private static final int[] X = {}, Y[] = {};\n"
        b'  /** About f. */ @Override @SuppressWarnings("x") <T extends C & D> void f() {\n'
        b"    class Local { int g; } new Object() { int h() { return 1; } };\n"
        b"  }\n"
        b"}\n"
        b"record R(int x, String... y) { R { } }"
    )
    declared = find_declarations(syntax)
    assert declared.package == "a.b"
    outer, local, anonymous, record = declared.types
    assert (outer.kind, outer.name, outer.annotations) == ("class", "A", ("Deprecated",))
    assert outer.modifiers == {"public", "sealed"}
    assert syntax.text(outer.javadoc) == "/** About A. */"
    assert (declared.type_path(1), local.owner, local.method) == (("A", "Local"), 0, 0)
    assert (anonymous.kind, declared.type_path(2)) == ("anonymous", ("A", "$1"))
    assert [(c.name, c.type) for c in record.components] == [("x", "int"), ("y", "String...")]
    method, inner, compact = declared.methods
    assert method.annotations == ("Override", "SuppressWarnings")
    assert method.type_parameters == ("T extends C&D",)
    assert syntax.text(method.javadoc) == "/** About f. */"
    assert declared.types[inner.type] is anonymous
    assert compact.parameters == record.components
    assert [(f.name, f.declared, f.type) for f in declared.fields] == [
        ("X", "int[]", 0),
        ("Y", "int[][]", 0),
        ("g", "int", 1),
    ]
    assert declared.fields[0].modifiers == {"private", "static", "final"}


def test_an_empty_comment_documents_nothing() -> None:
    """javac takes /**/ for an empty documentation comment; we take it for no documentation."""
    declared = find_declarations(parse_java(b"class A { /**/ void f() { } /** */ void g() { } }"))
    assert [method.javadoc != NONE for method in declared.methods] == [False, True]


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"class",
        b"class A { void",
        b"void f() {}",
        b"}}}}",
        b"@",
        b"record R(",
        b"\xff\xfe\x00",
    ],
)
def test_broken_source_raises_no_error(source: bytes) -> None:
    find_declarations(parse_java(source))


def test_time_is_linear_in_nesting_and_comments() -> None:
    """No time limit is needed: a quadratic algorithm would take hours."""
    deep = find_declarations(parse_java(b"class A {" * 20_000 + b"}" * 20_000))
    assert len(deep.types) == 20_000
    commented = find_declarations(parse_java(b"/** c */\n" * 50_000 + b"class A { }"))
    assert commented.types[0].javadoc != NONE
