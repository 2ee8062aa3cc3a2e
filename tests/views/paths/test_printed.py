"""The lines as a corpus exports them: in time linear in the method, and as the extractors choose
what they print (definitions of the extractors: no constructors, nothing without a context, and
code2vec's nothing without a line in its body)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.paths import MethodPaths, method_paths, path_string, paths


class Counted(Sequence[int]):
    """A list that counts how often it is looked at."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values, self.looks = values, 0

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[int]: ...
    def __getitem__(self, at: int | slice) -> int | Sequence[int]:
        self.looks += 1
        return self.values[at]

    def __len__(self) -> int:
        return len(self.values)


def long_sum(terms: int) -> MethodPaths:
    """A tree as deep as it has terms, which no path is."""
    body = "return 1" + " + x" * (terms - 1) + ";"
    file = JavaFile(f"class A {{ int f(int x) {{ {body} }} }}".encode())
    return method_paths(paths(file, [0], most=None), 0)


def looks(terms: int) -> int:
    """How often the parents are looked at to print all paths of a sum."""
    found = long_sum(terms)
    parent = Counted(found.parent)
    for left, right in zip(found.left, found.right, strict=True):
        path_string(found.kind, parent, found.child, found.leaf[left], found.leaf[right])
    assert len(found.path) > terms
    return parent.looks


def test_printing_takes_time_by_the_paths_not_by_the_depth_of_the_tree() -> None:
    few, many = looks(1_000), looks(4_000)
    assert many < 4.1 * few
    # A path has at most eight edges; each node of it may be looked at for its own number too.
    assert looks(2_000) < 40 * len(long_sum(2_000).path)


METHODS = b"""
class Fine<T> {
    Fine() { }
    Fine(int x) { this.x = x; }
    void empty() { }
    void remark() { // nothing to do
    }
    void starred() {
        /* one
         * two */
    }
    void told() { /* one
           two */ }
    void semicolon() { ; }
    void block() { { } }
    int get() { return x; }
    record Pair(int a) { Pair { a = 1; } }
}
"""
FILE = JavaFile(METHODS)
PLACE = {
    f"{method.name}/{len(method.parameters)}": place
    for place, method in enumerate(FILE.declarations.methods)
}
EMPTY = ("empty/0", "remark/0", "starred/0")
PRINTED = ("told/0", "semicolon/0", "block/0", "get/0")


@pytest.mark.parametrize("tool", ["code2vec", "gluecode"])
def test_what_code2vec_prints(tool: str) -> None:
    view = make_view("code2vec")
    for name, place in PLACE.items():
        line = view.compatible(tool, FILE, place)
        assert (line is not None) == (name in PRINTED), name
        assert line is None or str(line).startswith(name.split("/")[0])


@pytest.mark.parametrize("tool", ["code2seq", "code2vec", "gluecode"])
def test_what_code2seq_prints(tool: str) -> None:
    view = make_view("code2seq")
    for name, place in PLACE.items():
        # Its extractor has no bound on lines.
        line = view.compatible(tool, FILE, place)
        assert (line is not None) == (name in PRINTED + EMPTY), name
    shown = "get" if tool == "gluecode" else "METHOD_NAME"
    assert f",{shown} " in str(view.compatible(tool, FILE, PLACE["get/0"]))


def test_each_view_has_its_own_extractors_name_first() -> None:
    for name in ("code2vec", "code2seq"):
        assert list(make_view(name).compats)[:2] == [name, "gluecode"]


def test_a_line_of_a_constructor_has_its_types_name() -> None:
    from codeacumen.corpus.store import computed_rows

    for view in ("code2vec", "code2seq"):
        made = make_view(view)
        for place, method in enumerate(FILE.declarations.methods):
            row = {"project": "p", "path": "Fine.java", "place": place, "name": method.name}
            line = str(made.value(row, computed_rows(made, FILE, row)))
            if "constructor" in method.kind:
                assert line == method.name.lower()
            else:
                assert line.startswith(f"{method.name} ")
            assert "BLANK" not in line.split(" ")[0]
