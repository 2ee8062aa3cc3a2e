"""Loop exchange: what is written, and what stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply, flatten
from codeacumen.transforms.location import Location
from codeacumen.transforms.loops import Loop
from running import Case, variants

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.java"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("while (c) x();", "for (; c; ) x();"),
        ("while(c) { }", "for(; c; ) { }"),
        ("for (; c; ) x();", "while (c) x();"),
        ("for (;;) x();", "while (true) x();"),
        ("for(;;){x();}", "while(true){x();}"),
        ("for (; c; u()) x();", "while (c) { x(); u(); }"),
        ("for (; c; u());", "while (c) { u(); }"),
        ("for (; c; u()) {}", "while (c) { u(); }"),
        ("for (; c; u()) { }", "while (c) { u(); }"),
        ("for (; c; u()) { x(); }", "while (c) { x(); u(); }"),
        ("for (;c;u(),v()){x();}", "while (c){x(); u(); v();}"),
        ("for (i = 0; c; ) x();", "i = 0; while (c) x();"),
        ("if (c) for (i = 0; c; ) x();", "if (c) { i = 0; while (c) x(); }"),
        ("for (int i = 0; c; i++) return;", "{ int i = 0; while (c) return; }"),
        ("for (;; u()) return;", "while (true) { if (true) { return; } u(); }"),
        ("l: for (int i = 0; c; ) break l;", "{ int i = 0; l: while (c) break l; }"),
        ("l: for (;; u()) continue l;", "l: while (true) { loop0: { break loop0; } u(); }"),
        (
            "\n  for (int i = 0; c; i++) {\n    x();\n  }\n",
            "\n  { int i = 0;\n  while (c) {\n    x();\n    i++;\n  } }\n",
        ),
        (
            "\r\n\tfor (int i = 0; c; i++)\r\n\t\tx(); // y\r\n",
            "\r\n\t{ int i = 0;\r\n\twhile (c) {\r\n\t\tx();\r\n\t\ti++;\r\n\t} } // y\r\n",
        ),
        (
            "\r\n\tfor (; c; i++) {\r\n\t\t// y\r\n\t}\r\n",
            "\r\n\twhile (c) {\r\n\t\t// y\r\n\t\ti++;\r\n\t}\r\n",
        ),
    ],
)
def test_what_is_written(before: str, after: str) -> None:
    made = variants(Loop(), Case("", f"class T {{ void f() {{ {before} }} }}"))
    assert made["all"] == f"class T {{ void f() {{ {after} }} }}"


def located(source: bytes) -> tuple[Code, list[Location]]:
    code = code_of(JavaFile(source))
    return code, [one for place, _ in code.bodies for one in Loop().locations(code, place, 0)]


def made(code: Code, one: Location) -> bytes:
    return apply(code.source, flatten(code.source, Loop().rewrites(code, [one])))


def examples() -> Iterator[tuple[Code, Location]]:
    for file in EXAMPLES:
        code, locations = located(file.read_bytes())
        for one in locations:
            assert not one.refused, (file, one)
            yield code, one


def test_a_while_comes_back_byte_for_byte() -> None:
    """What was a ``while`` is a ``for`` without update, and that is the ``while``."""
    seen = 0
    for code, one in examples():
        if ":while:" not in one.id:
            continue
        again, locations = located(made(code, one))
        (there,) = [other for other in locations if other.start == one.start]
        assert again.source[there.start : there.end].startswith(b"for (; ")
        assert made(again, there) == code.source
        seen += 1
    assert seen > 20


def test_a_for_becomes_a_loop_that_is_found_again() -> None:
    """There and back: as many loops as before, all of them accepted, and as many again."""
    seen = 0
    for code, one in examples():
        if ":for:" not in one.id:
            continue
        loops = len(located(code.source)[1])
        again, locations = located(made(code, one))
        assert not again.file.syntax.broken
        assert len(locations) == loops
        there = next(other for other in locations if other.start > one.start - 40)
        back, locations = located(made(again, there))
        assert not back.file.syntax.broken
        assert [other.refused for other in locations] == [""] * loops
        seen += 1
    assert seen > 20


def test_bytes_outside_of_the_loop_stay() -> None:
    """Edits lie in the loop with its labels, and only the header, jumps and the loop's end are
    written anew: what the edits replace is no part of the body but its ``continue``s."""
    for code, one in examples():
        edits = flatten(code.source, Loop().rewrites(code, [one]))
        node = next(
            n
            for n in code.nodes_of(one.method, "for_statement", "while_statement")
            if code.start[n] == one.start
        )
        while code.kind[code.parent[node]] == "labeled_statement":
            node = code.parent[node]
        start, end = code.span(node)
        assert all(start <= edit.start and edit.end <= end for edit in edits)
        for edit in edits:
            if edit.start >= one.end:
                dropped = code.source[edit.start : edit.end]
                assert dropped in (b"", b";") or dropped.startswith(b"continue")
        text = apply(code.source, edits)
        assert text.startswith(code.source[:start])
        assert text.endswith(code.source[end:])


def test_locations_and_texts_are_always_the_same() -> None:
    for file in EXAMPLES[:10]:
        first, second = located(file.read_bytes()), located(file.read_bytes())
        assert first[1] == second[1]
        assert [made(first[0], one) for one in first[1]] == [
            made(second[0], one) for one in second[1]
        ]


def test_what_cannot_be_read_is_refused() -> None:
    _, locations = located(b"class T { void f() { for (int i = 0; i < ; i++) { } while (c) ; } }")
    assert {one.refused for one in locations} == {"the source is broken here"}
    _, locations = located(b"class T { void f() { // \\u000a for (;;)\n while (c) f(); } }")
    assert ["escapes" in one.refused for one in locations] == [True]
