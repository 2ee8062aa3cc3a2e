"""Tests of the lines that a corpus exports.

Printing takes time linear in the method. Like the extractors, it omits constructors and methods
without contexts, and for code2vec also methods without a line in the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.registry import make_view
from codeacumen.views.paths import MethodPaths, build_paths, format_path, paths_of_method


class CountingSequence(Sequence[int]):
    """A sequence that counts accesses to its elements."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values, self.access_count = values, 0

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        self.access_count += 1
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


def make_long_sum(terms: int) -> MethodPaths:
    """Return a method whose tree is as deep as the sum has terms, with only short paths."""
    body = "return 1" + " + x" * (terms - 1) + ";"
    file = JavaFile(f"class A {{ int f(int x) {{ {body} }} }}".encode())
    return paths_of_method(build_paths(file, [0], max_contexts=None), 0)


def count_accesses(terms: int) -> int:
    """Return the number of accesses to parents while all paths of a sum are printed."""
    method = make_long_sum(terms)
    parent = CountingSequence(method.parent)
    for left, right in zip(method.left, method.right, strict=True):
        format_path(method.kind, parent, method.child, method.leaf[left], method.leaf[right])
    assert len(method.path) > terms
    return parent.access_count


def test_printing_is_linear_in_the_paths() -> None:
    short_count, long_count = count_accesses(1_000), count_accesses(4_000)
    assert long_count < 4.1 * short_count
    # A path has at most eight edges, and each of its nodes may also be accessed for its child id.
    assert count_accesses(2_000) < 40 * len(make_long_sum(2_000).path)


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
METHOD_INDEX = {
    f"{method.name}/{len(method.parameters)}": place
    for place, method in enumerate(FILE.declarations.methods)
}
WITHOUT_BODY_LINES = ("empty/0", "remark/0", "starred/0")
WITH_BODY_LINES = ("told/0", "semicolon/0", "block/0", "get/0")


@pytest.mark.parametrize("tool", ["code2vec", "gluecode"])
def test_methods_that_code2vec_prints(tool: str) -> None:
    view = make_view("code2vec")
    for name, method_index in METHOD_INDEX.items():
        line = view.compatible(tool, FILE, method_index)
        assert (line is not None) == (name in WITH_BODY_LINES), name
        assert line is None or str(line).startswith(name.split("/")[0])


@pytest.mark.parametrize("tool", ["code2seq", "code2vec", "gluecode"])
def test_methods_that_code2seq_prints(tool: str) -> None:
    view = make_view("code2seq")
    for name, method_index in METHOD_INDEX.items():
        # code2seq's extractor has no minimum number of lines.
        line = view.compatible(tool, FILE, method_index)
        assert (line is not None) == (name in WITH_BODY_LINES + WITHOUT_BODY_LINES), name
    own_name = "get" if tool == "gluecode" else "METHOD_NAME"
    assert f",{own_name} " in str(view.compatible(tool, FILE, METHOD_INDEX["get/0"]))


def test_each_view_lists_its_own_extractor_first() -> None:
    for name in ("code2vec", "code2seq"):
        assert list(make_view(name).compats)[:2] == [name, "gluecode"]


def test_a_line_of_a_constructor_begins_with_its_type() -> None:
    from codeacumen.corpus.store import compute_rows

    for view_name in ("code2vec", "code2seq"):
        view_instance = make_view(view_name)
        for method_index, method in enumerate(FILE.declarations.methods):
            row = {"project": "p", "path": "Fine.java", "place": method_index, "name": method.name}
            line = str(view_instance.value(row, compute_rows(view_instance, FILE, row)))
            if "constructor" in method.kind:
                assert line == method.name.lower()
            else:
                assert line.startswith(f"{method.name} ")
            assert "BLANK" not in line.split(" ")[0]
