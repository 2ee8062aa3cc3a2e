"""Tests of the bindings of names. The oracle is javac's attribution (JavacBindings.java)."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.bindings.names import (
    DECLARES,
    NOTHING,
    READS,
    ROLES,
    UPDATES,
    WRITES,
    Bindings,
)
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.text.lines import line_at, line_starts
from javac import EXPORTS, HERE, JAVA, JAVAC

# Our roles for each of javac's kinds. To javac, a lambda's parameter is a parameter, an element of
# an annotation a method, and a constructor's name a constructor.
KINDS = {
    "LOCAL_VARIABLE": ("local",), "PARAMETER": ("parameter", "lambda parameter"),
    "EXCEPTION_PARAMETER": ("catch parameter",), "BINDING_VARIABLE": ("pattern variable",),
    "RESOURCE_VARIABLE": ("resource",), "TYPE_PARAMETER": ("type variable",),
    "LABEL": ("label",), "FIELD": ("field",), "ENUM_CONSTANT": ("enum constant",),
    "METHOD": ("method", "annotation element"), "CONSTRUCTOR": ("method",),
    "CLASS": ("type",), "INTERFACE": ("type",), "ENUM": ("type",), "RECORD": ("type",),
    "ANNOTATION_TYPE": ("type",), "PACKAGE": ("package",), "MODULE": ("package",),
}  # fmt: skip
# Kinds that must be resolved as javac resolves them, without exception.
LOCALS = (
    "LOCAL_VARIABLE",
    "PARAMETER",
    "EXCEPTION_PARAMETER",
    "BINDING_VARIABLE",
    "RESOURCE_VARIABLE",
    "TYPE_PARAMETER",
    "LABEL",
    "CONSTRUCTOR",
)
TYPES = ("CLASS", "INTERFACE", "ENUM", "RECORD", "ANNOTATION_TYPE")

Attributed = dict[Path, dict[int, tuple[str, int]]]


def parse_javac_output(printed: str) -> Attributed:
    attributed: Attributed = {}
    for line in printed.splitlines():
        if line.startswith("= "):
            current = attributed.setdefault(Path(line[2:]), {})
        else:
            offset, kind, declaration = line.split()
            current[int(offset)] = (kind, int(declaration))
    return attributed


@dataclass(frozen=True)
class ComparedName:
    """An identifier with its declaration by our bindings and by javac, in UTF-16 units."""

    file: str
    line: int
    text: str
    role: str
    declaration: int
    kind: str
    javac_declaration: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.text}"


def compare_names(attributed_files: Attributed) -> Iterator[ComparedName]:
    for path, attributed in attributed_files.items():
        file = JavaFile(path.read_bytes())
        bindings, syntax, source = file.bindings, file.syntax, file.source
        units, lines = list_utf16_offsets(source), line_starts(source)
        for node, role, declaration in zip(
            bindings.node.tolist(),
            bindings.role.tolist(),
            bindings.declaration.tolist(),
            strict=True,
        ):
            start = int(syntax.start[node])
            kind, javac_declaration = attributed.get(units[start], ("", -1))
            our_declaration = units[int(syntax.start[declaration])] if declaration >= 0 else -1
            line = line_at(lines, start)
            text = syntax.text(node)
            yield ComparedName(
                path.name, line, text, ROLES[role], our_declaration, kind, javac_declaration
            )


def list_utf16_offsets(source: bytes) -> list[int]:
    """Return for each byte of the UTF-8 source its offset in UTF-16 units."""
    if source.isascii():
        return list(range(len(source) + 1))
    offsets: list[int] = []
    units = 0
    for character in source.decode():
        offsets += [units] * len(character.encode())
        units += len(character.encode("utf-16-le")) // 2
    return offsets


def find_disagreements(names: list[ComparedName]) -> tuple[list[str], list[str]]:
    """Return the names that javac resolves differently and those of the file left unresolved."""
    wrong, missing = [], []
    for name in names:
        if name.kind and name.declaration != name.javac_declaration:
            (missing if name.declaration < 0 else wrong).append(str(name))
        elif name.declaration >= 0 and name.role not in KINDS[name.kind]:
            wrong.append(f"{name} is {name.role}, not {name.kind}")
    return wrong, missing


def test_shadowed_and_ambiguous_names(javac_program: Callable[..., str]) -> None:
    names = list(
        compare_names(parse_javac_output(javac_program("JavacBindings", [HERE / "Scopes.java"])))
    )
    assert len(names) > 700
    # javac attributes everything but var and the names of static imports.
    assert {name.text for name in names if not name.kind} == {"var", "max"}
    wrong, missing = find_disagreements(names)
    assert wrong == []
    # The fully qualified name of a type of this file is resolved where only a type can stand, not
    # in an expression.
    assert missing == ["Scopes.java:398 Scopes", "Scopes.java:398 counted"]
    assert [str(name) for name in names if name.kind and name.role not in KINDS[name.kind]] == []


def test_overloaded_methods_agree_with_javac(javac_program: Callable[..., str]) -> None:
    names = list(
        compare_names(parse_javac_output(javac_program("JavacBindings", [HERE / "Overloads.java"])))
    )
    assert sum(name.kind == "METHOD" for name in names) > 70
    assert [str(name) for name in names if not name.kind] == []
    assert find_disagreements(names) == ([], [])


def test_patterns_of_java_21(tmp_path: Path) -> None:
    compilers = sorted(Path("/usr/lib/jvm").glob("*/bin/javac"))
    for javac in compilers:
        version_output = subprocess.run(
            [javac, "-version"], capture_output=True, text=True, check=True
        )
        version = re.search(r"javac (\d+)", version_output.stdout + version_output.stderr)
        if version and int(version.group(1)) >= 21:
            break
    else:
        pytest.skip("no JDK from 21 on here: javac is the oracle")
    program, list_path = HERE / "JavacBindings.java", tmp_path / "files.txt"
    subprocess.run([javac, *JAVAC, *EXPORTS, "-d", str(tmp_path), str(program)], check=True)
    list_path.write_text(f"{HERE / 'Patterns.java'}\n")
    completed = subprocess.run(
        [
            javac.with_name("java"),
            *JAVA,
            *EXPORTS,
            "-cp",
            str(tmp_path),
            "JavacBindings",
            str(list_path),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    assert completed.stderr == ""
    names = list(compare_names(parse_javac_output(completed.stdout)))
    assert sum(name.kind == "BINDING_VARIABLE" for name in names) > 60
    assert {name.text for name in names if not name.kind} == {"var"}
    assert find_disagreements(names) == ([], [])


@pytest.mark.thorough
def test_bindings_agree_with_javac_on_java_util(
    javac_program: Callable[..., str], part_of_java_util: list[Path]
) -> None:
    files = part_of_java_util
    root = next(parent for parent in files[0].parents if parent.name == "java.base")
    patched = Path(f"--patch-module java.base={root}")
    names = list(
        compare_names(parse_javac_output(javac_program("JavacBindings", [patched, *files])))
    )
    count_by_kind = Counter(name.kind for name in names)
    local_count = count_by_kind["LOCAL_VARIABLE"] + count_by_kind["PARAMETER"]
    assert local_count > 8_000
    wrong, missing = find_disagreements(names)
    # A submap inherits Map.Entry from a class declared in another file, so its Entry is not the
    # enclosing one. The file alone does not show this.
    assert set(wrong) == {
        "TreeMap.java:1964 Entry",
        "TreeMap.java:1966 getKey",
        "TreeMap.java:1971 getValue",
        "TreeMap.java:1975 Entry",
        "TreeMap.java:1977 getKey",
        "TreeMap.java:1982 getValue",
    }
    in_file = Counter(name.kind for name in names if name.javac_declaration >= 0)
    resolved = Counter(name.kind for name in names if name.declaration >= 0)
    assert [kind for kind in LOCALS if resolved[kind] != in_file[kind]] == []
    assert len(missing) < 0.014 * local_count
    assert sum(resolved[kind] for kind in TYPES) >= sum(in_file[kind] for kind in TYPES)
    assert resolved["ENUM_CONSTANT"] == in_file["ENUM_CONSTANT"]
    assert resolved["FIELD"] > 0.996 * in_file["FIELD"]
    assert resolved["METHOD"] > 0.95 * in_file["METHOD"]


def bind_names(source: str) -> tuple[JavaFile, Bindings]:
    file = JavaFile(source.encode())
    return file, file.bindings


def list_identifiers(source: str) -> list[tuple[str, str, int]]:
    """Return for each identifier its text, its role and the index of its declaration."""
    file, bindings = bind_names(source)
    index_of_node = {node: index for index, node in enumerate(bindings.node.tolist())}
    return [
        (file.syntax.text(node), ROLES[role], index_of_node.get(declaration, -1))
        for node, role, declaration in zip(
            bindings.node.tolist(),
            bindings.role.tolist(),
            bindings.declaration.tolist(),
            strict=True,
        )
    ]


def test_access_of_each_variable() -> None:
    file, bindings = bind_names(
        "class A { int f; void m(int p) { int a, b = 1; a = b; a += p; a++; --b; this.f = f;"
        " int[] c = {}; c[a] = 2; (a)--; for (int i : c) { } f(a); g: break g; } }"
    )
    accesses = [
        (file.syntax.text(node), access)
        for node, access in zip(bindings.node.tolist(), bindings.access.tolist(), strict=True)
        if access != NOTHING
    ]
    assert accesses == [
        ("f", DECLARES),
        ("p", DECLARES),
        ("a", DECLARES),
        ("b", DECLARES),
        ("a", WRITES),
        ("b", READS),
        ("a", UPDATES),
        ("p", READS),
        ("a", UPDATES),
        ("b", UPDATES),
        ("f", WRITES),
        ("f", READS),
        ("c", DECLARES),
        ("c", READS),
        ("a", READS),
        ("a", UPDATES),
        ("i", DECLARES),
        ("c", READS),
        ("a", READS),
    ]


def test_names_of_one_declaration_share_a_symbol() -> None:
    file, bindings = bind_names(
        "import java.util.List; class A { List x; List f(int x) { x++; this.x = null; "
        "java.util.Map.of(); of(x); return x; } }"
    )
    by_symbol: dict[int, list[str]] = {}
    for node, role, symbol in zip(
        bindings.node.tolist(), bindings.role.tolist(), bindings.symbol.tolist(), strict=True
    ):
        by_symbol.setdefault(symbol, []).append(f"{ROLES[role]} {file.syntax.text(node)}")
    assert list(by_symbol) == list(range(len(by_symbol)))
    assert [names for names in by_symbol.values() if len(names) > 1] == [
        ["package java"] * 2,
        ["package util"] * 2,
        ["type List"] * 3,
        ["field x"] * 2,
        ["parameter x"] * 4,
        ["method of"] * 2,
    ]


def test_a_record_component_field_and_accessor_share_a_declaration() -> None:
    assert list_identifiers(
        "record R(int x) { R { x = 1; } int f(R r) { return x + r.x() + r.x; } }"
    ) == [
        ("R", "type", 0),
        ("x", "field", 1),
        ("R", "method", 2),
        ("x", "parameter", 1),
        ("f", "method", 4),
        ("R", "type", 0),
        ("r", "parameter", 6),
        ("x", "field", 1),
        ("r", "parameter", 6),
        ("x", "method", 1),
        ("r", "parameter", 6),
        ("x", "field", 1),
    ]


def test_names_declared_in_other_files_have_no_declaration() -> None:
    assert list_identifiers(
        "package a.b; import static c.D.e; import static c.D.*; import f.G;"
        "class A extends G { void m() { e(); h(); i = G.J; k.l(); java.util.Map.Entry.n(); VM.o();"
        " switch (p) { case Q: } x.y.z(); @R(s = 1) int t; } }"
    ) == [
        ("a", "package", -1),
        ("b", "package", -1),
        ("c", "package", -1),
        ("D", "type", -1),
        ("e", "method", -1),
        ("c", "package", -1),
        ("D", "type", -1),
        ("f", "package", -1),
        ("G", "type", -1),
        ("A", "type", 9),
        ("G", "type", -1),
        ("m", "method", 11),
        ("e", "method", -1),
        ("h", "method", -1),
        ("i", "field", -1),
        ("G", "type", -1),
        ("J", "field", -1),
        ("k", "field", -1),
        ("l", "method", -1),
        ("java", "package", -1),
        ("util", "package", -1),
        ("Map", "type", -1),
        ("Entry", "type", -1),
        ("n", "method", -1),
        ("VM", "type", -1),
        ("o", "method", -1),
        ("p", "field", -1),
        ("Q", "enum constant", -1),
        ("x", "field", -1),
        ("y", "field", -1),
        ("z", "method", -1),
        ("R", "type", -1),
        ("s", "annotation element", -1),
        ("t", "local", 33),
    ]


def test_members_of_a_class_with_an_unknown_superclass() -> None:
    """A variable visible in this file counts as the declaration; a method does only if private.

    The unknown superclass may declare a nearer or better-fitting method.
    """
    names = list_identifiers(
        "class A { int x; void f() { } private void g() { } void h(A a) { }"
        " class B extends Elsewhere { void m(Object o) { x = 1; f(); g(); h(o); i(o); j(o); }"
        " void i(String s) { } private void j(String s) { } } }"
    )
    assert names[names.index(("m", "method", 9)) + 3 : -6] == [
        ("x", "field", 1),
        ("f", "method", -1),
        ("g", "method", 3),
        ("h", "method", -1),
        ("o", "parameter", 11),
        ("i", "method", -1),
        ("o", "parameter", 11),
        ("j", "method", -1),
        ("o", "parameter", 11),
    ]


@pytest.mark.parametrize(
    ("call", "declared"),
    [
        ("f(1)", "int"),
        ("f(1L)", "long"),
        ("f('c')", "int"),
        ("f(1f)", "double"),
        ('f("a" + 1)', "String"),
        ("f(null, 1)", "Object, int"),
        ("f(new A())", "A"),
        ("f((Object) x)", "Object"),
        ("f(x)", "A"),
        ("f(y)", ""),
        ("f(1, 2, 3)", "int..."),
        ("f()", "int..."),
        ("f(() -> 1)", ""),
        ("f(x == y)", "Object"),
        ("this.f(-'c')", "int"),
        ("f(x, z)", "Object, int"),
    ],
)
def test_overloads(call: str, declared: str) -> None:
    overloads = ("int", "long", "double", "String", "Object", "A", "Object, int", "int...", "R")
    methods = [
        f"void f({', '.join(f'{type_} p{i}' for i, type_ in enumerate(types.split(', ')))}) {{ }}"
        for types in overloads
    ]
    _, bindings = bind_names(f"class A {{ {' '.join(methods)} void g(A x, int z) {{ {call}; }} }}")
    *written, _, called = np.flatnonzero(bindings.role == ROLES.index("method")).tolist()
    choices = dict(zip(bindings.node[written].tolist(), overloads, strict=True))
    assert choices.get(int(bindings.declaration[called]), "") == declared


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"x",
        b"class",
        b"class A { void",
        b"void f() { x = 1; }",
        b"}}}}",
        b"@",
        b"record R(",
        b"\xff\xfe\x00",
        b"class A extends A { A a = a.a; }",
        b"if (x instanceof A a",
        b"a: break a",
        b"class A extends B { } class B extends A { int x = y; }",
        b"import static",
        b"new A() {",
        b"enum E { X { int x = X; } } switch (E) { case X",
        b"record R(int x) { R { } R { x } }",
        b"class A { int x = (x) - ",
        b"x ->",
        b"A::",
        b"package a.b.c.; import .d;",
        b"super.x",
    ],
)
def test_broken_source_raises_no_error(source: bytes) -> None:
    file = JavaFile(source)
    bindings = file.bindings
    nodes = set(bindings.node.tolist())
    assert all(declaration in nodes | {-1} for declaration in bindings.declaration.tolist())


@pytest.mark.parametrize(
    "source",
    [
        b"class A { int x = y; " * 20_000,
        b"class A extends A { A a = x; " * 20_000,
        b"class A { void f() " + b"{ int x = x; " * 20_000,
        b"class A { int x = " + b"(" * 20_000 + b"x" + b")" * 20_000,
        b"class A { A f() { return f()" + b".f()" * 20_000,
        b"import a" + b".b" * 20_000 + b"; @a" + b".b" * 20_000 + b" class A { }",
        b"class A { boolean f(Object o) { return o instanceof A a" + b" && a.f(a)" * 20_000,
        b"class A { Object o = " + b"x -> " * 20_000 + b"x; }",
        b"class A { void f(Object o) { " + b"if (!(o instanceof A a)) return; a.f(); " * 20_000,
        b"class A { void f(Object o) { o = o instanceof A a; " + b"do { " * 20_000 + b"return;",
        b"class A { int x0" + b"".join(b", x%d" % i for i in range(20_000)) + b"; }",
    ],
    ids=lambda source: source[:24].decode(),
)
def test_time_is_linear_in_nesting_and_length(source: bytes) -> None:
    """No time limit is needed: a quadratic algorithm would take minutes."""
    file = JavaFile(source)
    assert len(file.bindings.node) == len(file.names.node)
