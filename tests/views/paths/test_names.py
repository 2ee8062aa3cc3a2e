"""Names of leaves. Oracles: the published examples, and the Java library's regular expressions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, paths
from codeacumen.views.paths.leaves import name_of, parts_of, target_of

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
def test_examples(text: str, name: str, parts: str) -> None:
    assert name_of(text) == name
    assert parts_of(text) == parts


def test_a_boxed_type_is_primitive_to_code2vec_alone(one: Callable[..., MethodPaths]) -> None:
    found = one("Character f() { Character.valueOf('c'); }")
    assert found.name[:3] == ["char", "f", "character"]
    assert found.parts[:3] == ["character", "f", "character"]


def test_unicode_escapes_are_characters(one: Callable[..., MethodPaths]) -> None:
    # A, and a letter that is not ASCII; a backslash that is itself escaped starts no escape.
    found = one(r'void f() { g("\u0041\u00e9", "\\u0041"); }')
    assert found.name[2:4] == ["a", "u"]


def test_targets() -> None:
    assert target_of("getHTTPKey2") == "get|http|key"
    assert target_of("_") == "_"
    assert target_of("é") == "BLANK"


def test_as_the_java_library_does_it(java: Callable[..., list[str]], java_util: list[Path]) -> None:
    """All leaf texts of java.util, and texts made to be awkward."""
    texts = {text for text, _, _ in EXAMPLES}
    signs = (
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
    texts |= {a + b + c for a in signs for b in signs for c in signs}
    for file in java_util:
        tokens = JavaFile(file.read_bytes()).tokens
        texts |= {tokens.text(i) for i in range(len(tokens))}
    lines = sorted(text for text in texts if not set(text) & set("\n\r\v\f\x85\u2028\u2029"))
    assert len(lines) > 20_000
    expected = [tuple(line.split("\t")) for line in java("Normalize", lines)]
    assert [(name_of(text), parts_of(text)) for text in lines] == expected


def test_words_are_held_once_for_each_file() -> None:
    file = JavaFile(b"class C { int f(int a) { return a + a * a; } int g(int a) { return a; } }")
    found = paths(file, [0, 1])
    assert found.name.words is not None
    assert sorted(found.name.words) == ["a", "f", "g", "int"]
    assert found.name[1] == ["int", "g", "a", "int", "a"]
