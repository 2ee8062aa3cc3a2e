"""Which leaves are paired, the hashes of their paths, and the lot. Oracles: trying out all pairs,
and the JVM's String.hashCode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, Paths, method_paths, path_string, paths
from codeacumen.views.paths.leaves import hash_code


def ancestors(found: MethodPaths, node: int) -> list[int]:
    above = [node]
    while found.parent[above[-1]] >= 0:
        above.append(found.parent[above[-1]])
    return above


def all_pairs(found: MethodPaths, length: int, width: int) -> list[tuple[int, int]]:
    """Every pair of leaves, measured."""
    above = [ancestors(found, node) for node in found.leaf]
    kept = []
    for i, left in enumerate(above):
        for j in range(i + 1, len(above)):
            right, shared = above[j], 0
            while left[-1 - shared] == right[-1 - shared]:
                shared += 1
            apart = found.child[right[-1 - shared]] - found.child[left[-1 - shared]]
            if len(left) + len(right) - 2 * shared <= length and apart <= width:
                kept.append((i, j))
    return kept


@pytest.fixture(scope="module")
def methods(java_util: list[Path]) -> list[MethodPaths]:
    """Every method of part of java.util that is not too long to try out all its pairs."""
    found = []
    for path in sorted(java_util)[::8]:
        file = JavaFile(path.read_bytes())
        arrays = paths(file, file.bodies, most=None)
        found += [method_paths(arrays, row) for row in range(len(arrays))]
    return [one for one in found if 0 < len(one.leaf) <= 300]


def test_the_same_pairs_as_by_trying_all(methods: list[MethodPaths]) -> None:
    assert len(methods) > 500
    assert sum(len(one.path) for one in methods) > 50_000
    for one in methods:
        assert list(zip(one.left, one.right, strict=True)) == all_pairs(one, 8, 2)


@pytest.mark.parametrize(("length", "width"), [(1, 2), (2, 0), (5, 1), (12, 3), (40, 1000)])
def test_other_limits(java_util: list[Path], length: int, width: int) -> None:
    file = JavaFile(next(path for path in java_util if path.name == "Objects.java").read_bytes())
    arrays = paths(file, file.bodies, length=length, width=width, most=None)
    for row in range(len(arrays)):
        one = method_paths(arrays, row)
        assert list(zip(one.left, one.right, strict=True)) == all_pairs(one, length, width)


def test_hashes_are_those_of_the_strings(
    methods: list[MethodPaths], java: Callable[..., list[str]]
) -> None:
    told: dict[str, int] = {}
    for one in methods:
        for left, right, code in zip(one.left, one.right, one.path, strict=True):
            ends = one.leaf[left], one.leaf[right]
            text = path_string(one.kind, one.parent, one.child, *ends)
            assert told.setdefault(text, code) == code
    assert len(told) > 5_000
    assert [int(line) for line in java("HashCodes", list(told))] == list(told.values())


def test_hash_code(java: Callable[..., list[str]]) -> None:
    lines = ["", "a", "Aa", "BB", "z" * 500, "é", "😀", "\u4e2d\u6587"]
    assert [int(line) for line in java("HashCodes", lines)] == [hash_code(text) for text in lines]


def test_ids_of_several_digits(one: Callable[..., MethodPaths]) -> None:
    found = one(f"void f() {{ g({', '.join(['x'] * 1500)}); }}", width=1)
    for left, right, code in zip(found.left, found.right, found.path, strict=True):
        ends = found.leaf[left], found.leaf[right]
        assert hash_code(path_string(found.kind, found.parent, found.child, *ends)) == code
    assert max(found.child) > 1400


LONG = b"class C { int f(int a, int b) { " + b"a += g(a, b * 2, h(a)); " * 40 + b"return a; } }"


def drawn(seed: int, most: int | None) -> Paths:
    return paths(JavaFile(LONG), [0], np.array([seed], dtype=np.uint64), most=most)


def triples(found: Paths) -> list[tuple[int, int, int]]:
    columns = (found.left.tolist(), found.right.tolist(), found.path.tolist())
    return list(zip(*columns, strict=True))


def test_a_lot_is_drawn_without_putting_back_and_stays_in_order() -> None:
    everything = triples(drawn(0, None))
    assert len(everything) > 1500
    some = triples(drawn(7, 200))
    places = [everything.index(one) for one in some]
    assert len(some) == 200
    assert places == sorted(set(places))


def test_a_lot_depends_on_the_seed_alone() -> None:
    assert triples(drawn(7, 200)) == triples(drawn(7, 200))
    assert triples(drawn(7, 200)) != triples(drawn(8, 200))


@pytest.mark.parametrize("most", [0, 1, 3])
def test_small_lots(most: int) -> None:
    assert len(triples(drawn(3, most))) == most


def test_no_lot_where_all_fit() -> None:
    everything = triples(drawn(0, None))
    assert triples(drawn(5, len(everything))) == everything
    assert len(triples(drawn(5, len(everything) - 1))) == len(everything) - 1


def test_every_context_is_as_likely_as_any_other() -> None:
    everything = {one: place for place, one in enumerate(triples(drawn(0, None)))}
    times = np.zeros(len(everything), dtype=np.int64)
    rounds, most = 600, 200
    for seed in range(rounds):
        for one in triples(drawn(seed, most)):
            times[everything[one]] += 1
    assert times.sum() == rounds * most
    # Pearson's statistic of a uniform lot, about its degrees of freedom.
    share = most / len(everything)
    expected = rounds * share
    statistic = float(((times - expected) ** 2).sum() / (expected * (1 - share)))
    freedom = len(everything) - 1
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom)


def test_rows_are_those_asked_for() -> None:
    members = b"C() { x(); } void f() { a(b); } abstract void g(); int h() { return 1; }"
    file = JavaFile(b"abstract class C { " + members + b" }")
    found = paths(file, [3, 0, 2, 1])
    # Constructors and methods without a body are no examples.
    assert found.methods == ("h", "", "", "f")
    assert np.diff(found.node_offsets).astype(bool).tolist() == [True, False, False, True]
    alone = paths(file, [1])
    assert method_paths(found, 3) == method_paths(alone, 0)


def test_an_inner_method_is_an_example_too() -> None:
    file = JavaFile(b"class C { void f() { new A() { int g() { return x; } }; } }")
    outer, inner = (method_paths(paths(file, [0, 1]), row) for row in (0, 1))
    assert outer.name == ["void", "f", "a", "int", "g", "x"]
    assert inner.name == ["int", "g", "x"]
