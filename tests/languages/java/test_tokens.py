"""Tests of the tokens of a file. The oracle is javac's scanner (JavacTokens.java)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.tokens import KINDS, tokenize_java

Scanned = list[tuple[str, str]]
Scanner = Callable[[list[Path]], dict[Path, Scanned]]


@pytest.fixture(scope="module")
def scanned(javac_program: Callable[..., str]) -> Scanner:
    def scan_with_javac(files: list[Path]) -> dict[Path, Scanned]:
        tokens_by_file: dict[Path, Scanned] = {}
        for line in javac_program("JavacTokens", files).splitlines():
            if line.startswith("= "):
                current = tokens_by_file.setdefault(Path(line[2:]), [])
            else:
                kind, _, value = line.partition(" ")
                current.append((kind, bytes.fromhex(value).decode("utf-16-be", "surrogatepass")))
        return tokens_by_file

    return scan_with_javac


def list_our_tokens(file: Path) -> Scanned:
    found_tokens = tokenize_java(parse_java(file.read_bytes()))
    return [
        (KINDS[found_tokens.kind[index]], found_tokens.value(index))
        for index in range(len(found_tokens))
    ]


def test_hard_constructs_agree_with_javac(scanned: Scanner) -> None:
    file = Path(__file__).with_name("Hard.java")
    assert list_our_tokens(file) == scanned([file])[file]


@pytest.mark.thorough
def test_tokens_agree_with_javac_on_java_util(scanned: Scanner, java_util: list[Path]) -> None:
    javac_tokens = scanned(java_util)
    assert len(java_util) > 300
    assert sum(map(len, javac_tokens.values())) > 500_000
    different = [file.name for file in java_util if list_our_tokens(file) != javac_tokens[file]]
    assert different == []


def test_the_published_spelling() -> None:
    """Spellings by the rules and values of section 4 of the specification."""
    source = (
        b"public static void m(byte b) { int i = 0x1F + 0b11 + 1_000; long l = 10L; "
        b"float f = 1.5f; char c = 'x'; String s = \"a\\tb\"; Object o = null; "
        b"List<List<String>> x; return this; }"
    )
    found_tokens = tokenize_java(parse_java(b"class A { " + source + b" }"))
    spellings = [found_tokens.spelling(i) for i in range(len(found_tokens))][3:-1]
    assert " ".join(spellings) == (
        "PUBLIC STATIC void m LPAREN byte b RPAREN LBRACE int i EQ 1F PLUS 11 PLUS 1000 SEMI "
        "long l EQ 10 SEMI float f EQ 1.5f SEMI char c EQ x SEMI "
        'String s EQ "a\\tb" SEMI Object o EQ null SEMI '
        "List LT List LT String GTGT x SEMI RETURN this SEMI RBRACE"
    )


def test_the_example_of_the_paper() -> None:
    """GLUECode, appendix A.2. The paper's list omits the space at the end of a string."""
    source = b"""class CAesEncrypt {
        public static Key getKey(String ahex)
        {
            try
            {
                byte[] bytes = CHexString.toByteArr(ahex);
                SecretKeySpec skeySpec = new SecretKeySpec(bytes, "AES");
                return skeySpec;
            }
            catch(Exception e)
            {
                System.err.println("CAesEncrypt.getKey: " + e);
                return null;
            }
        }
    }"""
    found_tokens = tokenize_java(parse_java(source))
    spellings = [found_tokens.spelling(i) for i in range(3, len(found_tokens) - 1)]
    published = (
        "PUBLIC, STATIC, Key, getKey, LPAREN, String, ahex, RPAREN, LBRACE, TRY, LBRACE, byte, "
        "LBRACKET, RBRACKET, bytes, EQ, CHexString, DOT, toByteArr, LPAREN, ahex, RPAREN, SEMI, "
        'SecretKeySpec, skeySpec, EQ, NEW, SecretKeySpec, LPAREN, bytes, COMMA, "AES", RPAREN, '
        "SEMI, RETURN, skeySpec, SEMI, RBRACE, CATCH, LPAREN, Exception, e, RPAREN, LBRACE, "
        'System, DOT, err, DOT, println, LPAREN, "CAesEncrypt.getKey:", PLUS, e, RPAREN, SEMI, '
        "RETURN, null, SEMI, RBRACE, RBRACE"
    )
    assert ", ".join(spellings).replace(': "', ':"') == published
