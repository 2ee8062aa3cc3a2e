"""Tests of the types of expressions. The oracle is javac's attribution (JavacTypes.java).

The type of each expression must be javac's, or unknown; never a different one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

from codeacumen.languages.java.resolve import JavaProject, load_platform
from codeacumen.languages.java.resolve.facts import extract_declarations
from codeacumen.languages.java.resolve.static_types import ErasedType, StaticTypes
from codeacumen.languages.java.syntax.file import JavaFile
from javac import JavacSource

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Javac = Callable[[str, list[Path]], str]
Record = Callable[[str, object], None]


@dataclass
class Score:
    """Numbers of expressions queried and without a known type, by category, and wrong types.

    Category ``s`` is the selectors of switches, ``x`` the other expressions.
    """

    queried: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Source(JavacSource):
    """A parsed file that finds expressions by javac's positions."""

    @cached_property
    def node_of_span(self) -> dict[tuple[int, int], int]:
        syntax = self.file.syntax
        spans = zip(syntax.start.tolist(), syntax.end.tolist(), strict=True)
        node_of_span: dict[tuple[int, int], int] = {}
        for node, span in enumerate(spans):
            node_of_span.setdefault(span, node)
        return node_of_span

    def find_node(self, start: int, end: int) -> int | None:
        return self.node_of_span.get((self.to_byte_offset(start), self.to_byte_offset(end)))


JavacTypes = dict[str, list[list[str]]]


def list_javac_types(javac: Javac, paths: Iterable[Path], *options: str) -> JavacTypes:
    """Return the lines that JavacTypes.java prints for each file."""
    javac_output = javac("JavacTypes", [*map(Path, options), *sorted(paths)])
    types_by_path: JavacTypes = {}
    path = ""
    for line in javac_output.splitlines():
        if line.startswith("= "):
            path = line[2:]
            types_by_path[path] = []
        else:
            assert not line.startswith("e\t"), line
            types_by_path[path].append(line.split("\t"))
    return types_by_path


def compare_with_javac(
    types_by_path: JavacTypes,
    files: dict[str, Source],
    without_project: bool = False,
    every: int = 1,
) -> Score:
    """Return the score of our types against javac's.

    ``without_project`` infers the types in each file without the other files. Of the expressions
    that are not selectors, only each ``every``-th is queried.
    """
    declared = [
        (path, extract_declarations(source_file.file)) for path, source_file in files.items()
    ]
    project = None if without_project else JavaProject(declared, load_platform())
    score = Score()
    for path, lines in types_by_path.items():
        source = files[path]
        types = StaticTypes(source.file, project, path)
        for number, (category, start, end, name, kind) in enumerate(lines):
            node = source.find_node(int(start), int(end))
            if node is None or (category == "x" and number % every):
                continue
            score.queried[category] += 1
            inferred = types.type_of(node)
            if inferred is None:
                score.unknown[category] += 1
            elif inferred.name != name or inferred.kind not in (kind, ""):
                score.wrong.append(
                    f"{path}: {source.file.syntax.text(node)}: {inferred}, not {name}"
                )
    return score


def check_score(
    score: Score,
    record: Record,
    minimum_queried: int,
    maximum_unknown: float,
    maximum_unknown_selectors: float,
) -> None:
    record("expressions", score.queried["x"])
    record("not known", score.unknown["x"])
    record("selectors", score.queried["s"])
    record("selectors not known", score.unknown["s"])
    assert score.wrong == []
    assert score.queried["x"] > minimum_queried
    assert score.queried["s"] > 4
    assert score.unknown["x"] <= maximum_unknown * score.queried["x"]
    assert score.unknown["s"] <= maximum_unknown_selectors * score.queried["s"]


@pytest.mark.parametrize("name", ["library", "quill", "tramway"])
def test_types_in_the_example_projects(
    javac_program: Javac, record_property: Record, name: str
) -> None:
    types_by_path = list_javac_types(javac_program, (EXAMPLES / name).rglob("*.java"))
    files = {path: Source(Path(path)) for path in types_by_path}
    check_score(
        compare_with_javac(types_by_path, files),
        record_property,
        minimum_queried=5_000,
        maximum_unknown=0.04,
        maximum_unknown_selectors=0,
    )
    score = compare_with_javac(types_by_path, files, without_project=True)
    check_score(
        score,
        record_property,
        minimum_queried=5_000,
        maximum_unknown=0.5,
        maximum_unknown_selectors=0.5,
    )


@pytest.mark.thorough
def test_types_in_java_util(
    javac_program: Javac,
    java_util: list[Path],
    part_of_java_util: list[Path],
    record_property: Record,
) -> None:
    """The project contains all of java.util, so nearly all types can be inferred."""
    root = next(path for path in java_util[0].parents if path.name == "java.base")
    paths = [path for path in part_of_java_util if path.name != "package-info.java"]
    types_by_path = list_javac_types(javac_program, paths, f"--patch-module=java.base={root}")
    files = {str(path): Source(path) for path in java_util if path.name != "package-info.java"}
    score = compare_with_javac(types_by_path, files, every=10)
    check_score(
        score,
        record_property,
        minimum_queried=5_000,
        maximum_unknown=0.04,
        maximum_unknown_selectors=0,
    )
    score = compare_with_javac(types_by_path, files, without_project=True, every=10)
    check_score(
        score,
        record_property,
        minimum_queried=5_000,
        maximum_unknown=0.08,
        maximum_unknown_selectors=0.15,
    )


# ---- Small expressions.

SOURCE = """
package a;
import java.util.*;
import b.Far;
class A%s {
  enum Color { RED } interface I { int K = 1; } record R(long l, Color c) { }
  int i; Color c; String[] s; Map<String, List<Character>> m; static Far far; Near near;
  <T extends Number> T t(T t) { return t; }
  Color own() { return c; }
  void f(byte p, Color q, Integer box, var v, List<? extends R> rs) {
    var w = rs.get(0); Color color = null; int d[] = {1};
    use(%s);
  }
}
"""


def find_argument(text: str, extends_clause: str = "") -> tuple[StaticTypes, int]:
    source = (SOURCE % (extends_clause, text)).encode()
    file = JavaFile(source)
    start = source.index(b"use(") + 4
    span = (start, start + len(text.encode()))
    syntax = file.syntax
    spans = list(zip(syntax.start.tolist(), syntax.end.tolist(), strict=True))
    return StaticTypes(file), spans.index(span)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("p", "byte", "primitive"),
        ("p + 'a'", "int", "primitive"),
        ("q", "a.A.Color", "enum"),
        ("this.c", "a.A.Color", "enum"),
        ("own()", "a.A.Color", "enum"),
        ("box", "java.lang.Integer", "class"),
        ("(char) i", "char", "primitive"),
        ("s", "java.lang.String[]", "array"),
        ("s[0]", "java.lang.String", "class"),
        ("s.length", "int", "primitive"),
        ('m.get("").get(0)', "java.lang.Character", "class"),
        ("w.l()", "long", "primitive"),
        ("w.c", "a.A.Color", "enum"),
        ("i > 0 ? 1 : 2L", "long", "primitive"),
        ("i = 3", "int", "primitive"),
        ("i++", "int", "primitive"),
        ("!true", "boolean", "primitive"),
        ("I.K", "int", "primitive"),
        ("null", "null", "null"),
        ('"a" + 1', "java.lang.String", "class"),
        ("d", "int[]", "array"),
        ("new int[2][]", "int[][]", "array"),
        ("Color.RED", "a.A.Color", "enum"),
        ("Color.valueOf(s[0])", "a.A.Color", "enum"),
        ("t(1)", "java.lang.Integer", "class"),
        ("far", "b.Far", ""),
        ("(Far) null", "b.Far", ""),
        ("String.class", "java.lang.Class", "class"),
        ("TimeUnit.DAYS", "", ""),
        ("near", "", ""),
        ("v", "", ""),
        ("inherited", "", ""),
        ("inherited()", "", ""),
        ("far.x", "", ""),
        ("() -> 1", "", ""),
        ("A", "", ""),
        ("q.nothing()", "", ""),
        ("s -> s", "", ""),
    ],
)
def test_types_of_small_expressions(text: str, name: str, kind: str) -> None:
    types, node = find_argument(text)
    assert types.type_of(node) == (ErasedType(name, kind) if name else None)


def test_spelling_of_types() -> None:
    for text, spelling in (
        ("q", "Color"),
        ("own()", "Color"),
        ("near", "Near"),
        ("far", "Far"),
        ("w.c", "Color"),
        ("java.time.DayOfWeek.MONDAY", "java.time.DayOfWeek"),
        ("inherited", ""),
        ("p", ""),
    ):
        types, node = find_argument(text)
        assert types.find_spelling(node) == spelling, text
        assert types.find_spelling(node, in_expression=True) == spelling, text
    # The unknown superclass may declare a type Map; it cannot hide Color or Far.
    for text, spelling in (("m", ""), ("q", "Color"), ("own()", "Color"), ("far", "Far")):
        types, node = find_argument(text, " extends Base")
        assert types.find_spelling(node) == spelling, text


def test_a_variable_hides_a_type_of_the_same_name() -> None:
    source = b"class A { enum E { X } E e; int f(E x) { int E = 1; use(x); use(e); return E; } }"
    types = StaticTypes(JavaFile(source))
    nodes = [node for node in range(len(types.file.syntax)) if types.kind(node) == "argument_list"]
    for node in nodes:
        assert types.find_spelling(node + 2) == "E"
        assert types.find_spelling(node + 2, in_expression=True) == ""


def test_members_hidden_behind_an_unknown_superclass_have_no_type() -> None:
    """The class may inherit a type, a field or a method of that name from the unknown class."""
    source = b"""class A { enum E { X } E e; int k; E g() { return e; }
      class B extends Outside { void f(E x) { use(e); use(k); use(g()); use(x); } } }"""
    types = StaticTypes(JavaFile(source))
    arguments = [
        node for node in range(len(types.file.syntax)) if types.kind(node) == "argument_list"
    ]
    arguments = [
        node
        for node in arguments
        if types.kind(node - 1) == "identifier" and types.file.syntax.text(node - 1) == "use"
    ]
    assert [types.type_of(node + 2) for node in arguments] == [None] * 4


def test_damaged_sources_raise_no_error() -> None:
    complete = (SOURCE % (" extends B", "w.c, t(1), () -> s[0]")).encode()
    for end in range(0, len(complete), 7):
        for source in (complete[:end], complete[end:], complete[:end] + b"\xff(" + complete[end:]):
            types = StaticTypes(JavaFile(source))
            for node in range(0, len(types.file.syntax), 3):
                types.type_of(node)
                types.find_spelling(node, in_expression=True)
                types.has_method(node, "equals")
