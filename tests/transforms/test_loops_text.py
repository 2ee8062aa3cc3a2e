"""Tests of loop exchange: the new text, and the text that stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.transforms.code import Code, code_of
from codeacumen.transforms.edits import apply_edits, flatten_rewrites
from codeacumen.transforms.location import Location
from codeacumen.transforms.loops import Loop
from jvm_cases import Case, make_case_variants

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
def test_text_of_exchanged_loop(before: str, after: str) -> None:
    texts = make_case_variants(Loop(), Case("", f"class T {{ void f() {{ {before} }} }}"))
    assert texts["all"] == f"class T {{ void f() {{ {after} }} }}"


def find_locations(source: bytes) -> tuple[Code, list[Location]]:
    code = code_of(JavaFile(source))
    return code, [
        location
        for place, _ in code.methods_with_body
        for location in Loop().find_locations(code, place, 0)
    ]


def exchange_loop(code: Code, location: Location) -> bytes:
    return apply_edits(
        code.source, flatten_rewrites(code.source, Loop().make_rewrites(code, [location]))
    )


def iterate_example_loops() -> Iterator[tuple[Code, Location]]:
    for file in EXAMPLES:
        code, locations = find_locations(file.read_bytes())
        for location in locations:
            assert not location.refused, (file, location)
            yield code, location


def test_exchanging_while_twice_restores_it() -> None:
    """A ``while`` becomes a ``for`` without update, which becomes the same ``while``."""
    checked_count = 0
    for code, location in iterate_example_loops():
        if ":while:" not in location.id:
            continue
        again, locations = find_locations(exchange_loop(code, location))
        (exchanged_location,) = [other for other in locations if other.start == location.start]
        assert again.source[exchanged_location.start : exchanged_location.end].startswith(
            b"for (; "
        )
        assert exchange_loop(again, exchanged_location) == code.source
        checked_count += 1
    assert checked_count > 20


def test_exchanging_for_twice_keeps_loops() -> None:
    """After two exchanges, the number of loops is the same, and all are accepted."""
    checked_count = 0
    for code, location in iterate_example_loops():
        if ":for:" not in location.id:
            continue
        loops = len(find_locations(code.source)[1])
        again, locations = find_locations(exchange_loop(code, location))
        assert not again.file.syntax.broken
        assert len(locations) == loops
        exchanged_location = next(other for other in locations if other.start > location.start - 40)
        back, locations = find_locations(exchange_loop(again, exchanged_location))
        assert not back.file.syntax.broken
        assert [other.refused for other in locations] == [""] * loops
        checked_count += 1
    assert checked_count > 20


def test_text_outside_of_the_loop_is_unchanged() -> None:
    """Edits are inside the loop with its labels and change only the header, jumps and the loop's
    end: of the body, they replace only ``continue`` statements."""
    for code, location in iterate_example_loops():
        edits = flatten_rewrites(code.source, Loop().make_rewrites(code, [location]))
        node = next(
            candidate
            for candidate in code.nodes_of(location.method, "for_statement", "while_statement")
            if code.start[candidate] == location.start
        )
        while code.kind[code.parent[node]] == "labeled_statement":
            node = code.parent[node]
        start, end = code.span(node)
        assert all(start <= edit.start and edit.end <= end for edit in edits)
        for edit in edits:
            if edit.start >= location.end:
                dropped = code.source[edit.start : edit.end]
                assert dropped in (b"", b";") or dropped.startswith(b"continue")
        text = apply_edits(code.source, edits)
        assert text.startswith(code.source[:start])
        assert text.endswith(code.source[end:])


def test_locations_and_texts_are_deterministic() -> None:
    for file in EXAMPLES[:10]:
        first, second = find_locations(file.read_bytes()), find_locations(file.read_bytes())
        assert first[1] == second[1]
        assert [exchange_loop(first[0], location) for location in first[1]] == [
            exchange_loop(second[0], location) for location in second[1]
        ]


def test_broken_source_is_refused() -> None:
    _, locations = find_locations(
        b"class T { void f() { for (int i = 0; i < ; i++) { } while (c) ; } }"
    )
    assert {location.refused for location in locations} == {"the source is broken here"}
    _, locations = find_locations(b"class T { void f() { // \\u000a for (;;)\n while (c) f(); } }")
    assert ["escapes" in location.refused for location in locations] == [True]
