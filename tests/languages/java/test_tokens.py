"""Oracle: javac's own scanner, through its API (JavacTokens.java)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeacumen.languages.java import parse_java
from codeacumen.languages.java.syntax.tokens import KINDS, tokens

Scanned = list[tuple[str, str]]
Scanner = Callable[[list[Path]], dict[Path, Scanned]]


@pytest.fixture(scope="module")
def scanned(javac_program: Callable[..., str]) -> Scanner:
    def scan(files: list[Path]) -> dict[Path, Scanned]:
        found: dict[Path, Scanned] = {}
        for line in javac_program("JavacTokens", files).splitlines():
            if line.startswith("= "):
                current = found.setdefault(Path(line[2:]), [])
            else:
                kind, _, value = line.partition(" ")
                current.append((kind, bytes.fromhex(value).decode("utf-16-be", "surrogatepass")))
        return found

    return scan


def ours(file: Path) -> Scanned:
    found = tokens(parse_java(file.read_bytes()))
    return [(KINDS[found.kind[i]], found.value(i)) for i in range(len(found))]


def test_hard_constructs(scanned: Scanner) -> None:
    file = Path(__file__).with_name("Hard.java")
    assert ours(file) == scanned([file])[file]


@pytest.mark.thorough
def test_all_of_java_util(scanned: Scanner, java_util: list[Path]) -> None:
    theirs = scanned(java_util)
    assert len(java_util) > 300
    assert sum(map(len, theirs.values())) > 500_000
    different = [file.name for file in java_util if ours(file) != theirs[file]]
    assert different == []


def test_the_published_spelling() -> None:
    """The rules and values of the specification, section 4."""
    source = (
        b"public static void m(byte b) { int i = 0x1F + 0b11 + 1_000; long l = 10L; "
        b"float f = 1.5f; char c = 'x'; String s = \"a\\tb\"; Object o = null; "
        b"List<List<String>> x; return this; }"
    )
    found = tokens(parse_java(b"class A { " + source + b" }"))
    spelt = [found.spelling(i) for i in range(len(found))][3:-1]
    assert " ".join(spelt) == (
        "PUBLIC STATIC void m LPAREN byte b RPAREN LBRACE int i EQ 1F PLUS 11 PLUS 1000 SEMI "
        "long l EQ 10 SEMI float f EQ 1.5f SEMI char c EQ x SEMI "
        'String s EQ "a\\tb" SEMI Object o EQ null SEMI '
        "List LT List LT String GTGT x SEMI RETURN this SEMI RBRACE"
    )


def test_the_example_of_the_paper() -> None:
    """GLUECode, appendix A.2. The paper's list loses the space at the end of a string."""
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
    found = tokens(parse_java(source))
    spelt = [found.spelling(i) for i in range(3, len(found) - 1)]
    published = (
        "PUBLIC, STATIC, Key, getKey, LPAREN, String, ahex, RPAREN, LBRACE, TRY, LBRACE, byte, "
        "LBRACKET, RBRACKET, bytes, EQ, CHexString, DOT, toByteArr, LPAREN, ahex, RPAREN, SEMI, "
        'SecretKeySpec, skeySpec, EQ, NEW, SecretKeySpec, LPAREN, bytes, COMMA, "AES", RPAREN, '
        "SEMI, RETURN, skeySpec, SEMI, RBRACE, CATCH, LPAREN, Exception, e, RPAREN, LBRACE, "
        'System, DOT, err, DOT, println, LPAREN, "CAesEncrypt.getKey:", PLUS, e, RPAREN, SEMI, '
        "RETURN, null, SEMI, RBRACE, RBRACE"
    )
    assert ", ".join(spelt).replace(': "', ':"') == published
