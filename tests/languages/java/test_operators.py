"""Tests of the operators of methods. The oracle is javac's parser (JavacOperators.java)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from codeacumen.languages.java.measures.operators import (
    OPERATORS,
    find_operators,
    find_readable_methods,
)
from codeacumen.languages.java.syntax.file import JavaFile

HARD = b"""
class Hard {
    int field = 1 + 2;                        // in no body
    @SuppressWarnings(value = "a") int f(int x, String... more) {
        int y = 3;                            // no operator: nothing else could stand here
        y = x = y + -x * +2 / 1 % 7;
        y += 1; y <<= 2; y >>>= 1; y++; --y;
        for (int i = 0, j = i - 1; i < x; i = i + 1) { y -= i >= j ? 1 : 0; }
        boolean b = x == y | x != y && x <= y || !(x > y) ^ x instanceof Object;
        java.util.List<java.util.List<String>> deep = null;
        Runnable r = () -> { int z; z = 4 % 2; };
        Object o = new Object() { int g = 2 * 3; int h() { return g - 1; } };
        if ((y = x >> 1) > 3) return "a" + "b" + more == null ? 1 : 2;
        @Deprecated(since = "1") int last = switch (x) { case 1 + 1 -> x * 2; default -> x; };
        return x < y ? -x : ~y;
    }
    Hard() { this.field = field + 1; }
    static { int s; s = 1; }
    enum E { A { int k() { return 1 - 1; } }; int k() { return 0; } }
    record R(int a) { R { if (a < 0) throw new Error("" + a); } }
    interface I { int n = 1 + 1; default int m() { return n * n; } int q(); }
}
"""


def list_our_operators(source: bytes) -> list[str]:
    file = JavaFile(source)
    found_operators = find_operators(file)
    starts = file.syntax.start[found_operators.node].tolist()
    starts_and_kinds = zip(starts, found_operators.which.tolist(), strict=True)
    return [
        f"{len(source[:start].decode('utf-8', 'replace'))} {OPERATORS[kind_index]}"
        for start, kind_index in starts_and_kinds
    ]


def compare_with_javac(javac_program: Callable[..., str], files: list[Path]) -> int:
    count = 0
    javac_lines: dict[Path, list[str]] = {}
    for line in javac_program("JavacOperators", files).splitlines():
        if line.startswith("= "):
            lines = javac_lines.setdefault(Path(line[2:]), [])
        else:
            lines.append(line)
    for file in files:
        assert list_our_operators(file.read_bytes()) == javac_lines[file], file
        count += len(javac_lines[file])
    return count


def test_hard_constructs_agree_with_javac(
    javac_program: Callable[..., str], tmp_path: Path
) -> None:
    # An initialiser block is not a method; JavacOperators.java does not enter it either.
    file = tmp_path / "Hard.java"
    file.write_bytes(HARD)
    assert compare_with_javac(javac_program, [file]) > 25


def test_operators_agree_with_javac_on_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    assert compare_with_javac(javac_program, part_of_java_util) > 2_000


def test_operators_belong_to_the_innermost_method() -> None:
    file = JavaFile(HARD)
    found_operators = find_operators(file)
    names = [
        file.declarations.methods[method_index].name
        for method_index in found_operators.method.tolist()
    ]
    assert set(names) == {"f", "h", "Hard", "k", "R", "m"}
    assert names.count("h") == 1


def test_methods_with_syntax_errors_are_unreadable() -> None:
    file = JavaFile(b"class A { int f(int x) { if (x < ; return 1; } int g() { return 1 + 1; } }")
    readable_by_name = dict(
        zip(
            [method.name for method in file.declarations.methods],
            find_readable_methods(file),
            strict=True,
        )
    )
    assert not readable_by_name["f"]
    assert readable_by_name["g"]


def test_sources_without_methods_have_no_operators() -> None:
    for source in (b"", b"class A {}", b"\xff\xfe\x00", b"int x = 1 + 2;", b"((((" * 1000):
        file = JavaFile(source)
        assert len(find_operators(file).node) == 0
        assert len(find_readable_methods(file)) == len(file.declarations.methods)
