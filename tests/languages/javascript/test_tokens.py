"""Tests of JavaScript tokens. The oracle is acorn with acorn-jsx (acorn_tokens.js).

Its parser is the oracle of the tokens, and its scanner that of their values.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.tokens import (
    KINDS,
    JavaScriptTokens,
    number_value,
    tokenize_javascript,
)

LABELS = {
    "name": "identifier",
    "jsxName": "identifier",
    "privateId": "private name",
    "num": "number",
    "string": "string",
    "template": "template",
    "invalidTemplate": "template",
    "regexp": "regex",
    "jsxText": "jsx text",
}

TokenList = list[tuple[str, int, int]]


def list_our_tokens(found_tokens: JavaScriptTokens) -> TokenList:
    spans = zip(
        found_tokens.kind.tolist(),
        found_tokens.start.tolist(),
        found_tokens.end.tolist(),
        strict=True,
    )
    return [(KINDS[kind], start, end) for kind, start, end in spans]


def list_acorn_tokens(records: list[Any], source: bytes) -> TokenList:
    """Return acorn's tokens without empty templates and JSX texts of white space, layout to us."""
    acorn_tokens: TokenList = []
    for start, end, label, is_keyword in records:
        if "emplate" in label and start == end:
            continue
        if label == "jsxText" and source[start:end].decode().isspace():
            continue
        kind = LABELS.get(label, "keyword" if is_keyword else "punctuator")
        acorn_tokens.append((kind, start, end))
    return acorn_tokens


def test_hard_constructs_agree_with_acorn(acorn: Any, hard: Path) -> None:
    source = hard.read_bytes()
    ((_, record),) = acorn("acorn_tokens", [hard])
    expected = list_acorn_tokens(record["tokens"], source)
    assert {kind for kind, _, _ in expected} == set(KINDS)
    assert list_our_tokens(tokenize_javascript(parse_javascript(source))) == expected


@pytest.mark.thorough
def test_real_packages_agree_with_acorn(acorn: Any, real_files: list[Path]) -> None:
    count = 0
    different = []
    for file, record in acorn("acorn_tokens", real_files):
        source = file.read_bytes()
        expected = list_acorn_tokens(record["tokens"], source)
        count += len(expected)
        if list_our_tokens(tokenize_javascript(parse_javascript(source))) != expected:
            different.append(file.name)
    assert different == []
    assert len(real_files) > 1000
    assert count > 200_000


@pytest.mark.thorough
def test_values_agree_with_acorn(
    acorn: Any, real_files: list[Path], hard: Path, tmp_path: Path
) -> None:
    without_jsx = tmp_path / "hard.js"
    without_jsx.write_text(hard.read_text().partition("const element =")[0])
    compared_count = 0
    for file, record in acorn("acorn_tokens", [without_jsx, *real_files]):
        if record["values"] is None:
            assert file != without_jsx
            continue
        found_tokens = tokenize_javascript(parse_javascript(file.read_bytes()))
        values = [found_tokens.value(index) for index in range(len(found_tokens))]
        # An empty value is an empty piece of a template.
        assert list(filter(None, values)) == list(filter(None, record["values"])), file
        compared_count += 1
    assert compared_count > 1000


def test_texts_and_values_of_a_small_statement() -> None:
    found_tokens = tokenize_javascript(
        parse_javascript(b"if (a.delete(0x10, 'x\\n')) return `t${this}`; // end")
    )
    assert [found_tokens.text(index) for index in range(len(found_tokens))] == [
        "if",
        "(",
        "a",
        ".",
        "delete",
        "(",
        "0x10",
        ",",
        "'x\\n'",
        ")",
        ")",
        "return",
        "`",
        "t",
        "${",
        "this",
        "}",
        "`",
        ";",
    ]
    assert (found_tokens.value(6), found_tokens.value(8)) == ("16", "x\n")
    assert KINDS[found_tokens.kind[4]] == "identifier"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("1e21", "1e+21"),
        ("1e20", "100000000000000000000"),
        ("1.50", "1.5"),
        ("1e-6", "0.000001"),
        ("1.2e-7", "1.2e-7"),
        ("0B101", "5"),
        ("017", "15"),
        ("089", "89"),
        ("5.", "5"),
        (".5E1", "5"),
        ("1_000n", "1000"),
        ("0xFn", "15"),
        ("1e999", "Infinity"),
        ("123456789012345680000", "123456789012345680000"),
        ("5e-324", "5e-324"),
    ],
)
def test_numbers_as_javascript_prints_them(text: str, value: str) -> None:
    assert number_value(text) == value


@pytest.mark.parametrize(
    "source", ["export { a as new }", "String.raw`\\unicode`", "x = <this.a />"]
)
@pytest.mark.xfail(strict=True, reason="the grammar does not know it yet")
def test_limits_of_the_grammar(source: str) -> None:
    assert not parse_javascript(source.encode()).broken


@given(st.binary(max_size=300) | st.text(alphabet="`${}<>/'\"\\ a1#.&;\n=(", max_size=60))
def test_tokens_of_any_source_are_in_order(source: bytes | str) -> None:
    source = source if isinstance(source, bytes) else source.encode()
    found_tokens = tokenize_javascript(parse_javascript(source))
    assert (found_tokens.start < found_tokens.end).all()
    assert (found_tokens.end[:-1] <= found_tokens.start[1:]).all()
    assert found_tokens.end.max(initial=0) <= len(source)
    for index in range(len(found_tokens)):
        found_tokens.value(index).encode()


@pytest.mark.parametrize("piece", ["(", "[", "{", "`${", "<a>", "a.", "f(", "!", "x=>", "{a:"])
def test_deep_nesting_raises_no_error(piece: str) -> None:
    found_tokens = tokenize_javascript(parse_javascript(f"x = {piece * 10_000}".encode()))
    assert len(found_tokens) >= 10_000
