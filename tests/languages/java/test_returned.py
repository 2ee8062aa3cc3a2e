"""What methods return by their own texts. javac's parser is the oracle (JavacReturns.java)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.java.syntax.returned import returned

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


def ours(source: bytes) -> list[str]:
    file = JavaFile(source)
    lines = []
    for method in file.declarations.methods:
        if method.kind == "method" and method.body >= 0:
            null, calls, variable = returned(file.syntax, method.node)
            told = [*("null" for _ in range(null)), *("variable" for _ in range(variable))]
            told += [f"call {name}" for name in calls]
            lines.append(f"{method.name} {','.join(sorted(told))}")
    return lines


def check(javac_program: Callable[..., str], files: list[Path]) -> int:
    theirs: dict[Path, list[str]] = {}
    for line in javac_program("JavacReturns", files).splitlines():
        if line.startswith("= "):
            lines = theirs.setdefault(Path(line[2:]), [])
        else:
            lines.append(line)
    for file in files:
        # Methods of inner classes may come in another order.
        assert sorted(ours(file.read_bytes())) == sorted(theirs[file]), file
    return sum(map(len, theirs.values()))


def test_as_javac_sees_it(javac_program: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "Hard.java"
    file.write_bytes(HARD)
    assert check(javac_program, [file]) == 25
    assert ours(HARD)[:4] == [
        "a null,variable",
        "b null",
        "c call trim,null",
        "d call f,call g,call m",
    ]


def test_a_part_of_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    assert check(javac_program, part_of_java_util) > 800


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
def test_what_is_cut_off_is_survived(text: str) -> None:
    ours(b"class A { Object f() { " + text.encode())
    ours(b"class A { " + text.encode() + b" Object f() { return 1; } }")


def test_deep_nesting_is_survived() -> None:
    deep = b"(" * 3000 + b"null" + b")" * 3000
    assert ours(b"class A { Object f() { return " + deep + b"; } }") == ["f null"]
    chain = b"a ? null : " * 3000 + b"f()"
    assert ours(b"class A { Object f() { return " + chain + b"; } }") == ["f call f,null"]


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes) -> None:
    ours(b"class A { Object f() { return " + data + b"; } }")
