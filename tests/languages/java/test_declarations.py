"""Oracle: the trees of javac's own parser (JavacMethods.java)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.declarations import NONE, declarations

# Name, start, end, enclosing types, parameters' types, return type, body?, documented?
Line = tuple[str, ...]


@pytest.fixture(scope="module")
def parsed(javac_program: Callable[..., str]) -> Callable[[list[Path]], dict[Path, list[Line]]]:
    def run(files: list[Path]) -> dict[Path, list[Line]]:
        found: dict[Path, list[Line]] = {}
        for line in javac_program("JavacMethods", files).splitlines():
            if line.startswith("= "):
                current = found.setdefault(Path(line[2:]), [])
            else:
                current.append(tuple(line.split("\t")))
        return {file: sorted(lines) for file, lines in found.items()}

    return run


def ours(file: Path) -> list[Line]:
    source = file.read_bytes()
    syntax = parse_java(source)
    found = declarations(syntax)
    plain = source.isascii()

    def place(offset: int) -> str:
        return str(offset if plain else len(source[:offset].decode()))

    def written(declared: str) -> str:
        # javac prints the dots of a variable number of arguments as brackets.
        return declared.replace(" ", "").replace("...", "[]")

    return sorted(
        (
            "<init>" if "constructor" in method.kind else method.name,
            place(int(syntax.start[method.node])),
            place(int(syntax.end[method.node])),
            ".".join(
                "" if re.fullmatch(r"\$\d+", name) else name for name in found.path(method.type)
            ),
            ";".join(written(parameter.type) for parameter in method.parameters),
            written(method.returns),
            str(method.body != NONE).lower(),
            str(method.javadoc != NONE).lower(),
        )
        for method in found.methods
    )


def test_every_way_to_declare_a_member(parsed: Callable[..., dict[Path, list[Line]]]) -> None:
    file = Path(__file__).with_name("Members.java")
    assert ours(file) == parsed([file])[file]


def test_a_part_of_java_util(
    parsed: Callable[..., dict[Path, list[Line]]], part_of_java_util: list[Path]
) -> None:
    theirs = parsed(part_of_java_util)
    assert sum(map(len, theirs.values())) > 1_000
    different = [file.name for file in part_of_java_util if ours(file) != theirs[file]]
    assert different == []


def test_what_else_is_told() -> None:
    syntax = parse_java(
        b"package a.b; /** About A. */ @Deprecated public sealed class A permits B {\n"
        b"  private static final int[] X = {}, Y[] = {};\n"
        b'  /** About f. */ @Override @SuppressWarnings("x") <T extends C & D> void f() {\n'
        b"    class Local { int g; } new Object() { int h() { return 1; } };\n"
        b"  }\n"
        b"}\n"
        b"record R(int x, String... y) { R { } }"
    )
    found = declarations(syntax)
    assert found.package == "a.b"
    outer, local, anonymous, record = found.types
    assert (outer.kind, outer.name, outer.annotations) == ("class", "A", ("Deprecated",))
    assert outer.modifiers == {"public", "sealed"}
    assert syntax.text(outer.javadoc) == "/** About A. */"
    assert (found.path(1), local.owner, local.method) == (("A", "Local"), 0, 0)
    assert (anonymous.kind, found.path(2)) == ("anonymous", ("A", "$1"))
    assert [(c.name, c.type) for c in record.components] == [("x", "int"), ("y", "String...")]
    method, inner, compact = found.methods
    assert method.annotations == ("Override", "SuppressWarnings")
    assert method.type_parameters == ("T extends C&D",)
    assert syntax.text(method.javadoc) == "/** About f. */"
    assert found.types[inner.type] is anonymous
    assert compact.parameters == record.components
    assert [(f.name, f.declared, f.type) for f in found.fields] == [
        ("X", "int[]", 0),
        ("Y", "int[][]", 0),
        ("g", "int", 1),
    ]
    assert found.fields[0].modifiers == {"private", "static", "final"}


def test_an_empty_comment_documents_nothing() -> None:
    """javac takes /**/ for documentation without a word; there is nothing to read in it."""
    found = declarations(parse_java(b"class A { /**/ void f() { } /** */ void g() { } }"))
    assert [method.javadoc != NONE for method in found.methods] == [False, True]


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
def test_broken_source_is_survivable(source: bytes) -> None:
    declarations(parse_java(source))


def test_nesting_and_comments_cost_no_more_than_their_number() -> None:
    """Not a time limit: what was quadratic would take hours here."""
    deep = declarations(parse_java(b"class A {" * 20_000 + b"}" * 20_000))
    assert len(deep.types) == 20_000
    commented = declarations(parse_java(b"/** c */\n" * 50_000 + b"class A { }"))
    assert commented.types[0].javadoc != NONE
