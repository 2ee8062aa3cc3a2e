"""Tests of parsing single methods, one by one and many in one file."""

from __future__ import annotations

import pytest

from codeacumen.languages.java.syntax.file import parse_snippet, parse_snippets

GETTER = "int size() { return n; } // é"


@pytest.mark.parametrize("leading", [False, True])
@pytest.mark.parametrize("trailing", [False, True])
def test_span_of_a_snippet_in_its_file(leading: bool, trailing: bool) -> None:
    file, start, stop = parse_snippet(GETTER, leading_newline=leading, trailing_newline=trailing)
    assert file.source[start:stop].decode() == GETTER
    assert file.source[:start] == b"class T {" + b"\n" * leading
    assert file.source[stop:] == b"\n}" + b"\n" * trailing
    assert not file.syntax.broken
    assert [method.name for method in file.declarations.methods] == ["size"]


def test_characters_without_utf_8_encoding_are_replaced() -> None:
    file, start, stop = parse_snippet('String f() { return "\ud800"; }')
    assert file.source[start:stop] == b'String f() { return "?"; }'


def test_valid_snippets_share_a_file() -> None:
    texts = [b"void a() {}", b"", b"int b; void c() {}"]
    [(file, starts, stops)] = parse_snippets(texts)
    assert [file.source[start:stop] for start, stop in zip(starts, stops, strict=True)] == texts
    assert [method.name for method in file.declarations.methods] == ["a", "c"]


@pytest.mark.parametrize("bad", [b"void b() {", b"} class U {"])
def test_a_snippet_that_closes_its_class_gets_its_own_file(bad: bytes) -> None:
    texts = [b"void a() {}", bad, b"void c() {}"]
    parsed = list(parse_snippets(texts, leading_newline=True))
    assert [file.source for file, _, _ in parsed] == [
        b"class T {\n" + text + b"\n}\n" for text in texts
    ]
    assert [(starts.tolist(), stops.tolist()) for _, starts, stops in parsed] == [
        ([10], [10 + len(text)]) for text in texts
    ]
