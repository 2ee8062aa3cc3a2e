"""Tests of returned expressions. The oracle is javac's parser (JavacReturns.java)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.returned_expressions import describe_returned

HARD = b"""
class Hard {
    String a() { if (x) return null; return (String) /* null */ this.name; }
    Object b() { return (((Object) (null))); }
    Object c() { return a() == null ? null : "null".trim(); }
    Object d() { return p ? q ? f() : (g(null)) : h().k(null).m(); }
    Object e() { return () -> { return null; }; }
    Object f() { return new Object() { Object in() { return null; } }; }
    Object g() { Object o = null; return new Box(null); }
    Object h() { return last = find(null); }
    Object i() { return Color.RED; }
    Object j() { return String.class; }
    Object k() { return Hard.this; }
    Object l() { return this; }
    Object m() { return switch (x) { case 1 -> null; default -> { yield n(); } }; }
    Object n() { return this.<String>generic(null); }
    Object o() { return items[0]; }
    Object q() { return "a" + null; }
    @javax.annotation.Nullable Object r() { return 1; }
    @CheckForNull(when = W) Object s(@Nullable Object t) { throw new Error(); }
    Object u(@Nullable Object t) { return super.u(t); }
    int v() { return -w(); }
    void w() { return; }
    Object x() { return a instanceof B ? (a) : !c ? (D & E) f() : null; }
    Hard() { return; }
    abstract Object y();
    Object z() { class In { Object z() { return null; } } return in; }
    { Runnable r = () -> { return; }; }
}
"""


def describe_our_returns(source: bytes) -> list[str]:
    file = JavaFile(source)
    lines = []
    for method in file.declarations.methods:
        if method.kind == "method" and method.body >= 0:
            null_count, called_names, variable_count = describe_returned(file.syntax, method.node)
            descriptions = [
                *("null" for _ in range(null_count)),
                *("variable" for _ in range(variable_count)),
            ]
            descriptions += [f"call {name}" for name in called_names]
            lines.append(f"{method.name} {','.join(sorted(descriptions))}")
    return lines


def compare_with_javac(javac_program: Callable[..., str], files: list[Path]) -> int:
    javac_lines: dict[Path, list[str]] = {}
    for line in javac_program("JavacReturns", files).splitlines():
        if line.startswith("= "):
            lines = javac_lines.setdefault(Path(line[2:]), [])
        else:
            lines.append(line)
    for file in files:
        # The order of the methods of inner classes may differ.
        assert sorted(describe_our_returns(file.read_bytes())) == sorted(javac_lines[file]), file
    return sum(map(len, javac_lines.values()))


def test_hard_constructs_agree_with_javac(
    javac_program: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "Hard.java"
    file.write_bytes(HARD)
    assert compare_with_javac(javac_program, [file]) == 25
    assert describe_our_returns(HARD)[:4] == [
        "a null,variable",
        "b null",
        "c call trim,null",
        "d call f,call g,call m",
    ]


def test_returns_agree_with_javac_on_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    assert compare_with_javac(javac_program, part_of_java_util) > 800


@pytest.mark.parametrize(
    "text",
    [
        "return",
        "return (",
        "return a ? ",
        "return a ? b : ",
        "return (A)",
        "return x.",
        "return ()",
        "return x = ",
        "@Nullable(",
        "@ Object",
        "return a ? : b; }",
    ],
)
def test_truncated_sources_raise_no_error(text: str) -> None:
    describe_our_returns(b"class A { Object f() { " + text.encode())
    describe_our_returns(b"class A { " + text.encode() + b" Object f() { return 1; } }")


def test_deeply_nested_expressions() -> None:
    deep = b"(" * 3000 + b"null" + b")" * 3000
    assert describe_our_returns(b"class A { Object f() { return " + deep + b"; } }") == ["f null"]
    chain = b"a ? null : " * 3000 + b"f()"
    assert describe_our_returns(b"class A { Object f() { return " + chain + b"; } }") == [
        "f call f,null"
    ]


@given(st.binary(max_size=200))
def test_any_bytes_raise_no_error(data: bytes) -> None:
    describe_our_returns(b"class A { Object f() { return " + data + b"; } }")
