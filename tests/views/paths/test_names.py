"""Tests of the names of leaves. The oracles are the published examples and Java's own regular
expressions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, build_paths
from codeacumen.views.paths.leaves import code2seq_leaf_parts, code2vec_leaf_name, prediction_target

# Text, code2vec's name, code2seq's parts.
EXAMPLES = [
    ("\"a,b 'c'\"", "abc", "ab|c"),
    ("42", "42", "<NUM>"),
    ("0", "0", "0"),
    ("64", "64", "64"),
    ("1_000", "1_000", "<NUM>"),
    ("3.14", "3.14", "."),
    ("12L", "l", "l"),
    ("0x7fL", "xfl", "x|f|l"),
    ("1.0f", "f", ".|f"),
    ('""', "BLANK", "BLANK"),
    ('"  "', "__", "__"),
    ('"42"', "42", "42"),
    ("-2147483648", "-2147483648", "-"),
    ("[]", "[]", "[]"),
    ("Integer", "integer", "integer"),
    ("skeySpec", "skeyspec", "skey|spec"),
    ("toHTMLString", "tohtmlstring", "to|html|string"),
    ("MAX_VALUE", "maxvalue", "max|value"),
    ("md5sum", "mdsum", "md|sum"),
    ("Vector3<>", "vector", "vector|<>"),
    ('"CAesEncrypt.getKey: "', "caesencryptgetkey", "c|aes|encryptget|key"),
    ('"one\\ntwo"', "onetwo", "onetwo"),
    ('"a|b"', "ab", "a|b"),
    ('"//sss"', "BLANK", "BLANK"),
    ("größe", "gre", "gre"),
    ('"ß"', "BLANK", "BLANK"),
    ("_", "_", "_"),
    ("x" * 60, "x" * 50, "x" * 60),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "parts"), EXAMPLES)
def test_names_and_parts_of_examples(text: str, name: str, parts: str) -> None:
    assert code2vec_leaf_name(text) == name
    assert code2seq_leaf_parts(text) == parts


def test_a_boxed_type_has_the_primitive_name_only_for_code2vec(
    extract_from_members: Callable[..., MethodPaths],
) -> None:
    method = extract_from_members("Character f() { Character.valueOf('c'); }")
    assert method.name[:3] == ["char", "f", "character"]
    assert method.parts[:3] == ["character", "f", "character"]


def test_unicode_escapes_are_characters(extract_from_members: Callable[..., MethodPaths]) -> None:
    # An ASCII letter and another one; an escaped backslash does not start a Unicode escape.
    method = extract_from_members(r'void f() { g("\u0041\u00e9", "\\u0041"); }')
    assert method.name[2:4] == ["a", "u"]


def test_target_names() -> None:
    assert prediction_target("getHTTPKey2") == "get|http|key"
    assert prediction_target("_") == "_"
    assert prediction_target("é") == "BLANK"


def test_names_agree_with_the_java_library(
    java: Callable[..., list[str]], java_util: list[Path]
) -> None:
    """Compare all token texts of java.util and combinations of unusual pieces."""
    texts = {text for text, _, _ in EXAMPLES}
    pieces = (
        "a",
        "B",
        "cD",
        "EF",
        "_",
        "7",
        " ",
        "\\n",
        "\\N",
        "//s",
        "//S",
        "/",
        "'",
        ",",
        '"',
        "|",
        "é",
        "İ",
        "K",
        "\t",
        "-",
        "😀",
        "\x7f",
    )
    texts |= {first + second + third for first in pieces for second in pieces for third in pieces}
    for file in java_util:
        tokens = JavaFile(file.read_bytes()).tokens
        texts |= {tokens.text(index) for index in range(len(tokens))}
    lines = sorted(text for text in texts if not set(text) & set("\n\r\v\f\x85\u2028\u2029"))
    assert len(lines) > 20_000
    expected = [tuple(line.split("\t")) for line in java("Normalize", lines)]
    assert [(code2vec_leaf_name(text), code2seq_leaf_parts(text)) for text in lines] == expected


def test_words_are_stored_once_per_file() -> None:
    file = JavaFile(b"class C { int f(int a) { return a + a * a; } int g(int a) { return a; } }")
    file_paths = build_paths(file, [0, 1])
    assert file_paths.name.words is not None
    assert sorted(file_paths.name.words) == ["a", "f", "g", "int"]
    assert file_paths.name[1] == ["int", "g", "a", "int", "a"]
