"""Any bytes are survivable, and a method may be of any size and depth."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import Paths, code2seq_line, code2vec_line, method_paths, paths


def whole(source: bytes, **options: int | None) -> Paths:
    file = JavaFile(source)
    return paths(file, range(len(file.declarations.methods)), **options)


def body(text: str) -> bytes:
    return f"class C {{ void f() {{ {text} }} }}".encode()


LARGE = {
    "an array": (body(f"int[] x = {{ {'1, ' * 100_000} }};"), 700_007),
    "levels": (body(f"x = new int{'[1]' * 20_000};"), None),
    "brackets": (body(f"int{'[]' * 20_000} x;"), None),
    "array type": (body(f"x = (int{'[]' * 20_000}) y;"), None),
    "type arguments": (body(f"M<{', '.join(['int[], B'] * 5_000)}> x;"), None),
    "parentheses": (body(f"x = {'(' * 10_000}1{')' * 10_000};"), None),
    "casts": (body(f"x = {'(A) ' * 10_000}1;"), None),
    "conditions": (body(f"x = {'a ? b : ' * 10_000}this::c;"), None),
    "lambdas": (body(f"x = {'a -> ' * 5_000}1;"), None),
    "a sum": (body(f"x = 1{' + 1' * 50_000};"), None),
    "calls": (body(f"a{'.b()' * 20_000};"), None),
    "blocks": (body("{" * 10_000 + "}" * 10_000), None),
    "statements": (body("f(a, b);" * 20_000), None),
}


@pytest.mark.parametrize("name", LARGE, ids=str)
def test_large_methods(name: str) -> None:
    source, everything = LARGE[name]
    found = whole(source)
    assert len(found.kind) > 5_000
    assert len(found.path) <= 200
    if everything is not None:
        # Three for each number (next, next but one, and the type), and a few at the ends.
        assert len(whole(source, most=None).path) == everything


def test_methods_inside_methods() -> None:
    # Each holds all that are inside it: past a depth that nobody writes they have no rows.
    deep = 500
    inside = "new C() { Object f() { return " * deep + "1" + "; } }" * deep
    found = whole(f"class C {{ Object f() {{ return {inside}; }} }}".encode())
    assert len(found) == deep + 1
    assert found.methods.count("f") == 64
    assert len(found.kind) < 64 * 20 * deep


@pytest.mark.parametrize("source", [b"", b"\0" * 100, b"\xff" * 100, b"class", b"{}"])
def test_what_is_no_java(source: bytes) -> None:
    assert len(whole(source)) == 0


def test_what_is_hardly_java() -> None:
    found = whole(b"class C { int f(int) { return + ; } void g( { x(; } int h() { return 1; } }")
    assert "h" in found.methods
    for row in range(len(found)):
        one = method_paths(found, row)
        assert code2vec_line(one).count(" ") == len(one.path)


def test_java_with_pieces_missing_and_too_much(java_util: list[Path]) -> None:
    wrong = (
        b"{",
        b"}",
        b"(",
        b")",
        b";",
        b"->",
        b"::",
        b"<",
        b">",
        b"[",
        b"]",
        b"@",
        b"\xff",
        b"new ",
        b"class ",
        b"(A & B)",
        b"catch",
        b"=",
        b",",
        b"?",
        b"switch",
        b'"',
    )
    lot = random.Random(20)
    rows = 0
    for path in sorted(java_util)[::25]:
        source = bytearray(path.read_bytes())
        for _ in range(4):
            for _ in range(lot.choice((1, 10, 100))):
                at = lot.randrange(len(source))
                if lot.random() < 0.5:
                    del source[at : at + lot.randrange(20)]
                else:
                    source[at:at] = lot.choice(wrong)
            found = whole(bytes(source))
            rows += len(found)
            for row in range(len(found)):
                one = method_paths(found, row)
                assert all(above < node for node, above in enumerate(one.parent))
                assert code2seq_line(one).count(" ") == len(one.path)
    assert rows > 500
