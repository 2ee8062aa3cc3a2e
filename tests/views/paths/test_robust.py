"""Robustness of path extraction: any bytes, and methods of any size and depth."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import (
    Paths,
    build_paths,
    format_code2seq_line,
    format_code2vec_line,
    paths_of_method,
)


def extract_all_paths(source: bytes, **options: int | None) -> Paths:
    file = JavaFile(source)
    return build_paths(file, range(len(file.declarations.methods)), **options)


def wrap_in_method(text: str) -> bytes:
    return f"class C {{ void f() {{ {text} }} }}".encode()


LARGE = {
    "an array": (wrap_in_method(f"int[] x = {{ {'1, ' * 100_000} }};"), 700_007),
    "levels": (wrap_in_method(f"x = new int{'[1]' * 20_000};"), None),
    "brackets": (wrap_in_method(f"int{'[]' * 20_000} x;"), None),
    "array type": (wrap_in_method(f"x = (int{'[]' * 20_000}) y;"), None),
    "type arguments": (wrap_in_method(f"M<{', '.join(['int[], B'] * 5_000)}> x;"), None),
    "parentheses": (wrap_in_method(f"x = {'(' * 10_000}1{')' * 10_000};"), None),
    "casts": (wrap_in_method(f"x = {'(A) ' * 10_000}1;"), None),
    "conditions": (wrap_in_method(f"x = {'a ? b : ' * 10_000}this::c;"), None),
    "lambdas": (wrap_in_method(f"x = {'a -> ' * 5_000}1;"), None),
    "a sum": (wrap_in_method(f"x = 1{' + 1' * 50_000};"), None),
    "calls": (wrap_in_method(f"a{'.b()' * 20_000};"), None),
    "blocks": (wrap_in_method("{" * 10_000 + "}" * 10_000), None),
    "statements": (wrap_in_method("f(a, b);" * 20_000), None),
}


@pytest.mark.parametrize("name", LARGE, ids=str)
def test_large_methods_have_limited_paths(name: str) -> None:
    source, expected_contexts = LARGE[name]
    file_paths = extract_all_paths(source)
    assert len(file_paths.kind) > 5_000
    assert len(file_paths.path) <= 200
    if expected_contexts is not None:
        # Each number is paired with three leaves, plus a few contexts at the ends.
        assert len(extract_all_paths(source, max_contexts=None).path) == expected_contexts


def test_deeply_nested_methods_have_no_rows() -> None:
    # Each method contains all methods inside it, so methods beyond a depth limit have no rows.
    depth = 500
    nested_source = "new C() { Object f() { return " * depth + "1" + "; } }" * depth
    file_paths = extract_all_paths(
        f"class C {{ Object f() {{ return {nested_source}; }} }}".encode()
    )
    assert len(file_paths) == depth + 1
    assert file_paths.methods.count("f") == 64
    assert len(file_paths.kind) < 64 * 20 * depth


@pytest.mark.parametrize("source", [b"", b"\0" * 100, b"\xff" * 100, b"class", b"{}"])
def test_sources_that_are_not_java_have_no_rows(source: bytes) -> None:
    assert len(extract_all_paths(source)) == 0


def test_valid_methods_in_broken_source_have_rows() -> None:
    file_paths = extract_all_paths(
        b"class C { int f(int) { return + ; } void g( { x(; } int h() { return 1; } }"
    )
    assert "h" in file_paths.methods
    for row in range(len(file_paths)):
        method = paths_of_method(file_paths, row)
        assert format_code2vec_line(method).count(" ") == len(method.path)


def test_damaged_sources_raise_no_error(java_util: list[Path]) -> None:
    pieces = (
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
    random_source = random.Random(20)
    row_count = 0
    for path in sorted(java_util)[::25]:
        source = bytearray(path.read_bytes())
        for _ in range(4):
            for _ in range(random_source.choice((1, 10, 100))):
                position = random_source.randrange(len(source))
                if random_source.random() < 0.5:
                    del source[position : position + random_source.randrange(20)]
                else:
                    source[position:position] = random_source.choice(pieces)
            file_paths = extract_all_paths(bytes(source))
            row_count += len(file_paths)
            for row in range(len(file_paths)):
                method = paths_of_method(file_paths, row)
                assert all(parent < node for node, parent in enumerate(method.parent))
                assert format_code2seq_line(method).count(" ") == len(method.path)
    assert row_count > 500
