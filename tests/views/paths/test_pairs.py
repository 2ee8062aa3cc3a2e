"""Tests of the pairs of leaves, the hashes of their paths, and sampling.

The oracles are a search through all pairs, and the JVM's String.hashCode.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.views.paths import MethodPaths, Paths, build_paths, format_path, paths_of_method
from codeacumen.views.paths.leaves import hash_code


def list_ancestors(method: MethodPaths, node: int) -> list[int]:
    nodes = [node]
    while method.parent[nodes[-1]] >= 0:
        nodes.append(method.parent[nodes[-1]])
    return nodes


def list_all_pairs(method: MethodPaths, length: int, width: int) -> list[tuple[int, int]]:
    """Return all pairs of leaves within the limits of length and width, by measuring each pair."""
    ancestors_of_leaves = [list_ancestors(method, node) for node in method.leaf]
    leaf_pairs = []
    for left_index, left in enumerate(ancestors_of_leaves):
        for right_index in range(left_index + 1, len(ancestors_of_leaves)):
            right, shared_count = ancestors_of_leaves[right_index], 0
            while left[-1 - shared_count] == right[-1 - shared_count]:
                shared_count += 1
            width_between = (
                method.child[right[-1 - shared_count]] - method.child[left[-1 - shared_count]]
            )
            if len(left) + len(right) - 2 * shared_count <= length and width_between <= width:
                leaf_pairs.append((left_index, right_index))
    return leaf_pairs


@pytest.fixture(scope="module")
def methods(java_util: list[Path]) -> list[MethodPaths]:
    """Return the methods of a part of java.util that are short enough to try all pairs."""
    extracted = []
    for path in sorted(java_util)[::8]:
        file = JavaFile(path.read_bytes())
        file_paths = build_paths(file, file.bodies, max_contexts=None)
        extracted += [paths_of_method(file_paths, row) for row in range(len(file_paths))]
    return [method for method in extracted if 0 < len(method.leaf) <= 300]


def test_pairs_agree_with_trying_all_pairs(methods: list[MethodPaths]) -> None:
    assert len(methods) > 500
    assert sum(len(method.path) for method in methods) > 50_000
    for method in methods:
        assert list(zip(method.left, method.right, strict=True)) == list_all_pairs(method, 8, 2)


@pytest.mark.parametrize(("length", "width"), [(1, 2), (2, 0), (5, 1), (12, 3), (40, 1000)])
def test_pairs_with_other_limits(java_util: list[Path], length: int, width: int) -> None:
    file = JavaFile(next(path for path in java_util if path.name == "Objects.java").read_bytes())
    file_paths = build_paths(
        file, file.bodies, max_length=length, max_width=width, max_contexts=None
    )
    for row in range(len(file_paths)):
        method = paths_of_method(file_paths, row)
        assert list(zip(method.left, method.right, strict=True)) == list_all_pairs(
            method, length, width
        )


def test_hashes_agree_with_the_path_strings(
    methods: list[MethodPaths], java: Callable[..., list[str]]
) -> None:
    hash_of_string: dict[str, int] = {}
    for method in methods:
        for left, right, path_hash in zip(method.left, method.right, method.path, strict=True):
            leaf_nodes = method.leaf[left], method.leaf[right]
            text = format_path(method.kind, method.parent, method.child, *leaf_nodes)
            assert hash_of_string.setdefault(text, path_hash) == path_hash
    assert len(hash_of_string) > 5_000
    assert [int(line) for line in java("HashCodes", list(hash_of_string))] == list(
        hash_of_string.values()
    )


def test_hash_code_agrees_with_java(java: Callable[..., list[str]]) -> None:
    lines = ["", "a", "Aa", "BB", "z" * 500, "é", "😀", "\u4e2d\u6587"]
    assert [int(line) for line in java("HashCodes", lines)] == [hash_code(text) for text in lines]


def test_child_ids_of_several_digits(extract_from_members: Callable[..., MethodPaths]) -> None:
    method = extract_from_members(f"void f() {{ g({', '.join(['x'] * 1500)}); }}", width=1)
    for left, right, path_hash in zip(method.left, method.right, method.path, strict=True):
        leaf_nodes = method.leaf[left], method.leaf[right]
        assert (
            hash_code(format_path(method.kind, method.parent, method.child, *leaf_nodes))
            == path_hash
        )
    assert max(method.child) > 1400


LONG = b"class C { int f(int a, int b) { " + b"a += g(a, b * 2, h(a)); " * 40 + b"return a; } }"


def sample_paths(seed: int, most: int | None) -> Paths:
    return build_paths(JavaFile(LONG), [0], np.array([seed], dtype=np.uint64), max_contexts=most)


def list_triples(sampled: Paths) -> list[tuple[int, int, int]]:
    columns = (sampled.left.tolist(), sampled.right.tolist(), sampled.path.tolist())
    return list(zip(*columns, strict=True))


def test_sampling_is_without_replacement_and_keeps_the_order() -> None:
    everything = list_triples(sample_paths(0, None))
    assert len(everything) > 1500
    sampled = list_triples(sample_paths(7, 200))
    positions = [everything.index(triple) for triple in sampled]
    assert len(sampled) == 200
    assert positions == sorted(set(positions))


def test_the_sample_depends_only_on_the_seed() -> None:
    assert list_triples(sample_paths(7, 200)) == list_triples(sample_paths(7, 200))
    assert list_triples(sample_paths(7, 200)) != list_triples(sample_paths(8, 200))


@pytest.mark.parametrize("most", [0, 1, 3])
def test_small_samples(most: int) -> None:
    assert len(list_triples(sample_paths(3, most))) == most


def test_nothing_is_sampled_if_all_contexts_fit() -> None:
    everything = list_triples(sample_paths(0, None))
    assert list_triples(sample_paths(5, len(everything))) == everything
    assert len(list_triples(sample_paths(5, len(everything) - 1))) == len(everything) - 1


def test_sampling_is_uniform() -> None:
    index_of_triple = {
        triple: index for index, triple in enumerate(list_triples(sample_paths(0, None)))
    }
    draw_counts = np.zeros(len(index_of_triple), dtype=np.int64)
    rounds, most = 600, 200
    for seed in range(rounds):
        for triple in list_triples(sample_paths(seed, most)):
            draw_counts[index_of_triple[triple]] += 1
    assert draw_counts.sum() == rounds * most
    # Pearson's statistic of uniform sampling is close to its degrees of freedom.
    probability = most / len(index_of_triple)
    expected = rounds * probability
    statistic = float(((draw_counts - expected) ** 2).sum() / (expected * (1 - probability)))
    degrees_of_freedom = len(index_of_triple) - 1
    assert abs(statistic - degrees_of_freedom) < 5 * np.sqrt(2 * degrees_of_freedom)


def test_rows_are_those_requested() -> None:
    members = b"C() { x(); } void f() { a(b); } abstract void g(); int h() { return 1; }"
    file = JavaFile(b"abstract class C { " + members + b" }")
    file_paths = build_paths(file, [3, 0, 2, 1])
    # Constructors and methods without a body yield no paths.
    assert file_paths.methods == ("h", "", "", "f")
    assert np.diff(file_paths.node_offsets).astype(bool).tolist() == [True, False, False, True]
    single = build_paths(file, [1])
    assert paths_of_method(file_paths, 3) == paths_of_method(single, 0)


def test_an_inner_method_has_its_own_row() -> None:
    file = JavaFile(b"class C { void f() { new A() { int g() { return x; } }; } }")
    outer, inner = (paths_of_method(build_paths(file, [0, 1]), row) for row in (0, 1))
    assert outer.name == ["void", "f", "a", "int", "g", "x"]
    assert inner.name == ["int", "g", "x"]
