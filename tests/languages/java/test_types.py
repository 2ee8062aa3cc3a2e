"""Types of expressions. Oracle: javac's own attribution of the same files (JavacTypes.java).

Each expression's type is what javac says, or not known; never another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

from codeacumen.languages.java.resolve import Project, platform
from codeacumen.languages.java.resolve.facts import declared_by
from codeacumen.languages.java.resolve.static_types import Typed, Types
from codeacumen.languages.java.syntax.file import JavaFile

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Javac = Callable[[str, list[Path]], str]
Record = Callable[[str, object], None]


@dataclass
class Score:
    """How many expressions were asked for, and not known: selectors of switches, others."""

    asked: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Source:
    """A file with what is needed to find expressions: javac counts UTF-16 units."""

    def __init__(self, path: Path) -> None:
        self.file = JavaFile(path.read_bytes())
        text = path.read_text()
        self.bytes: list[int] | None = None
        if not text.isascii():
            self.bytes = [0]
            for letter in text:
                units = len(letter.encode("utf-16-le")) // 2
                self.bytes += [self.bytes[-1] + len(letter.encode())] * units

    @cached_property
    def nodes(self) -> dict[tuple[int, int], int]:
        syntax = self.file.syntax
        spans = zip(syntax.start.tolist(), syntax.end.tolist(), strict=True)
        found: dict[tuple[int, int], int] = {}
        for node, span in enumerate(spans):
            found.setdefault(span, node)
        return found

    def node(self, start: int, end: int) -> int | None:
        if self.bytes is not None:
            start, end = self.bytes[start], self.bytes[end]
        return self.nodes.get((start, end))


Told = dict[str, list[list[str]]]


def tell(javac: Javac, paths: Iterable[Path], *options: str) -> Told:
    """What javac prints of each file."""
    printed = javac("JavacTypes", [*map(Path, options), *sorted(paths)])
    told: Told = {}
    path = ""
    for line in printed.splitlines():
        if line.startswith("= "):
            path = line[2:]
            told[path] = []
        else:
            assert not line.startswith("e\t"), line
            told[path].append(line.split("\t"))
    return told


def judge(told: Told, files: dict[str, Source], alone: bool = False, each: int = 1) -> Score:
    """``alone``: each file without the others. ``each``: of expressions that are no selectors,
    only each so-manieth is asked for."""
    declared = [(path, declared_by(one.file)) for path, one in files.items()]
    project = None if alone else Project(declared, platform())
    score = Score()
    for path, lines in told.items():
        source = files[path]
        types = Types(source.file, project, path)
        for number, (what, start, end, name, kind) in enumerate(lines):
            node = source.node(int(start), int(end))
            if node is None or (what == "x" and number % each):
                continue
            score.asked[what] += 1
            given = types.of(node)
            if given is None:
                score.unknown[what] += 1
            elif given.name != name or given.kind not in (kind, ""):
                score.wrong.append(f"{path}: {source.file.syntax.text(node)}: {given}, not {name}")
    return score


def check(score: Score, record: Record, asked: int, unknown: float, selectors: float) -> None:
    record("expressions", score.asked["x"])
    record("not known", score.unknown["x"])
    record("selectors", score.asked["s"])
    record("selectors not known", score.unknown["s"])
    assert score.wrong == []
    assert score.asked["x"] > asked
    assert score.asked["s"] > 4
    assert score.unknown["x"] <= unknown * score.asked["x"]
    assert score.unknown["s"] <= selectors * score.asked["s"]


@pytest.mark.parametrize("name", ["library", "quill", "tramway"])
def test_the_example_projects(javac_program: Javac, record_property: Record, name: str) -> None:
    told = tell(javac_program, (EXAMPLES / name).rglob("*.java"))
    files = {path: Source(Path(path)) for path in told}
    check(judge(told, files), record_property, asked=5_000, unknown=0.04, selectors=0)
    score = judge(told, files, alone=True)
    check(score, record_property, asked=5_000, unknown=0.5, selectors=0.5)


@pytest.mark.thorough
def test_java_util(
    javac_program: Javac,
    java_util: list[Path],
    part_of_java_util: list[Path],
    record_property: Record,
) -> None:
    """All is asked about and all is there to be known."""
    root = next(path for path in java_util[0].parents if path.name == "java.base")
    paths = [path for path in part_of_java_util if path.name != "package-info.java"]
    told = tell(javac_program, paths, f"--patch-module=java.base={root}")
    files = {str(path): Source(path) for path in java_util if path.name != "package-info.java"}
    score = judge(told, files, each=10)
    check(score, record_property, asked=5_000, unknown=0.04, selectors=0)
    score = judge(told, files, alone=True, each=10)
    check(score, record_property, asked=5_000, unknown=0.08, selectors=0.15)


# ---- small ones

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


def asked(text: str, above: str = "") -> tuple[Types, int]:
    source = (SOURCE % (above, text)).encode()
    file = JavaFile(source)
    start = source.index(b"use(") + 4
    span = (start, start + len(text.encode()))
    syntax = file.syntax
    spans = list(zip(syntax.start.tolist(), syntax.end.tolist(), strict=True))
    return Types(file), spans.index(span)


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
def test_small_ones(text: str, name: str, kind: str) -> None:
    types, node = asked(text)
    assert types.of(node) == (Typed(name, kind) if name else None)


def test_how_a_type_is_written() -> None:
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
        types, node = asked(text)
        assert types.spelling(node) == spelling, text
        assert types.spelling(node, value=True) == spelling, text
    # Map may be a type that the superclass has, but Color and Far cannot.
    for text, spelling in (("m", ""), ("q", "Color"), ("own()", "Color"), ("far", "Far")):
        types, node = asked(text, " extends Base")
        assert types.spelling(node) == spelling, text


def test_a_variable_hides_a_type() -> None:
    source = b"class A { enum E { X } E e; int f(E x) { int E = 1; use(x); use(e); return E; } }"
    types = Types(JavaFile(source))
    nodes = [n for n in range(len(types.file.syntax)) if types.kind(n) == "argument_list"]
    for node in nodes:
        assert types.spelling(node + 2) == "E"
        assert types.spelling(node + 2, value=True) == ""


def test_a_class_nobody_knows_stands_between() -> None:
    """It may inherit a type, a field or a method of that name."""
    source = b"""class A { enum E { X } E e; int k; E g() { return e; }
      class B extends Outside { void f(E x) { use(e); use(k); use(g()); use(x); } } }"""
    types = Types(JavaFile(source))
    given = [n for n in range(len(types.file.syntax)) if types.kind(n) == "argument_list"]
    given = [
        n
        for n in given
        if types.kind(n - 1) == "identifier" and types.file.syntax.text(n - 1) == "use"
    ]
    assert [types.of(node + 2) for node in given] == [None] * 4


def test_any_bytes_give_answers() -> None:
    whole = (SOURCE % (" extends B", "w.c, t(1), () -> s[0]")).encode()
    for end in range(0, len(whole), 7):
        for source in (whole[:end], whole[end:], whole[:end] + b"\xff(" + whole[end:]):
            types = Types(JavaFile(source))
            for node in range(0, len(types.file.syntax), 3):
                types.of(node)
                types.spelling(node, value=True)
                types.has_method(node, "equals")
