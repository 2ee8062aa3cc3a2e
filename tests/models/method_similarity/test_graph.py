"""Tests of the graph kernel. Oracle: Weisfeiler-Leman refinement with sorted tuples instead of
hashes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import ParsedMethod
from codeacumen.models.method_similarity.graph import WORD, Graph, build_graph, refine_labels
from codeacumen.models.method_similarity.model import make_wl_kernel
from codeacumen.views.graph import EDGES

LOOP = """class A { int f(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) { s += a[i]; }
    return s; } }"""
EACH = "class B { int g(int[] b) { int t = 0; for (int x : b) { t += x; } return t; } }"


def refine_with_tuples(graph: Graph, height: int) -> list[list[Hashable]]:
    labels: list[Hashable] = graph.label.tolist()
    rounds = [labels]
    edges = list(
        zip(graph.source.tolist(), graph.target.tolist(), graph.kind.tolist(), strict=True)
    )
    for _ in range(height):
        neighbor_labels: list[list[Hashable]] = [[] for _ in labels]
        for source, target, kind in edges:
            neighbor_labels[source].append(("to", kind, labels[target]))
            neighbor_labels[target].append(("from", kind, labels[source]))
        labels = [
            (label, tuple(sorted(neighbors, key=repr)))
            for label, neighbors in zip(labels, neighbor_labels, strict=True)
        ]
        rounds.append(labels)
    return rounds


def compute_kernel(first: Graph, second: Graph, height: int) -> float:
    total = 0
    for left, right in zip(
        refine_with_tuples(first, height), refine_with_tuples(second, height), strict=True
    ):
        left_counts, right_counts = Counter(left), Counter(right)
        total += sum(count * right_counts[label] for label, count in left_counts.items())
    return total


@pytest.mark.parametrize("height", [0, 1, 3])
@pytest.mark.parametrize("names", [False, True])
def test_kernel_equals_refinement_with_tuples(height: int, names: bool) -> None:
    model = make_wl_kernel(height=height, names=names, weighted=False)
    first, second = (build_graph(ParsedMethod(text), names) for text in (LOOP, EACH))
    product = compute_kernel(first, second, height)
    expected = product / math.sqrt(
        compute_kernel(first, first, height) * compute_kernel(second, second, height)
    )
    assert 0 < expected < 1
    assert model.similarity([Pair(LOOP, EACH)]) == pytest.approx([expected])


GRAPHS = st.integers(1, 7).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 2), min_size=size, max_size=size),
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.integers(0, 1)),
            max_size=12,
        ),
    )
)


@given(GRAPHS)
@settings(deadline=None)
def test_hashed_labels_partition_nodes_like_tuples(
    labels_and_edges: tuple[list[int], list[tuple[int, int, int]]],
) -> None:
    labels, edges = labels_and_edges
    columns = [np.array([edge[i] for edge in edges], np.int64) for i in range(3)]
    graph = Graph(np.array(labels, np.uint64), *columns)
    for ours, theirs in zip(
        refine_labels(*graph, 3).tolist(), refine_with_tuples(graph, 3), strict=True
    ):
        pairs = set(zip(ours, theirs, strict=True))
        assert len(pairs) == len(set(ours)) == len(set(theirs))


def test_the_graph_has_data_flow_and_words() -> None:
    graph = build_graph(ParsedMethod(LOOP), True)
    kinds = set(graph.kind.tolist())
    assert {EDGES.index("LU"), EDGES.index("CF"), EDGES.index("RT"), WORD} <= kinds
    # f a s i length: the word nodes come last.
    assert graph.target[graph.kind == WORD].max() + 1 == len(graph.label)
    assert len(np.unique(graph.target[graph.kind == WORD])) == 5


def test_names_matter_only_with_setting_names() -> None:
    renamed = EACH.replace("b", "list").replace("g(", "sum(")
    plain, named = make_wl_kernel(), make_wl_kernel(names=True)
    assert plain.similarity([Pair(EACH, renamed)]) == pytest.approx([1.0])
    similarity = named.similarity([Pair(EACH, renamed)])[0]
    assert similarity is not None
    assert similarity < 0.99
