"""The graph kernel. Oracle: Weisfeiler and Leman's refinement with sorted tuples, no hashes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import Code
from codeacumen.models.method_similarity.graph import WORD, Graph, graph_of, refined
from codeacumen.models.method_similarity.model import make_wl_kernel
from codeacumen.views.graph import EDGES

LOOP = """class A { int f(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) { s += a[i]; }
    return s; } }"""
EACH = "class B { int g(int[] b) { int t = 0; for (int x : b) { t += x; } return t; } }"


def slowly(graph: Graph, height: int) -> list[list[Hashable]]:
    labels: list[Hashable] = graph.label.tolist()
    found = [labels]
    edges = list(
        zip(graph.source.tolist(), graph.target.tolist(), graph.kind.tolist(), strict=True)
    )
    for _ in range(height):
        around: list[list[Hashable]] = [[] for _ in labels]
        for source, target, kind in edges:
            around[source].append(("to", kind, labels[target]))
            around[target].append(("from", kind, labels[source]))
        labels = [
            (label, tuple(sorted(near, key=repr)))
            for label, near in zip(labels, around, strict=True)
        ]
        found.append(labels)
    return found


def kernel(one: Graph, other: Graph, height: int) -> float:
    total = 0
    for left, right in zip(slowly(one, height), slowly(other, height), strict=True):
        a, b = Counter(left), Counter(right)
        total += sum(count * b[label] for label, count in a.items())
    return total


@pytest.mark.parametrize("height", [0, 1, 3])
@pytest.mark.parametrize("names", [False, True])
def test_the_kernel_is_that_of_sorted_tuples(height: int, names: bool) -> None:
    model = make_wl_kernel(height=height, names=names, weighted=False)
    one, other = (graph_of(Code(text), names) for text in (LOOP, EACH))
    both = kernel(one, other, height)
    expected = both / math.sqrt(kernel(one, one, height) * kernel(other, other, height))
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
def test_labels_part_nodes_as_tuples_do(
    drawn: tuple[list[int], list[tuple[int, int, int]]],
) -> None:
    labels, edges = drawn
    columns = [np.array([edge[i] for edge in edges], np.int64) for i in range(3)]
    graph = Graph(np.array(labels, np.uint64), *columns)
    for ours, theirs in zip(refined(*graph, 3).tolist(), slowly(graph, 3), strict=True):
        pairs = set(zip(ours, theirs, strict=True))
        assert len(pairs) == len(set(ours)) == len(set(theirs))


def test_the_graph_has_data_flow_and_words() -> None:
    graph = graph_of(Code(LOOP), True)
    kinds = set(graph.kind.tolist())
    assert {EDGES.index("LU"), EDGES.index("CF"), EDGES.index("RT"), WORD} <= kinds
    # f a s i length: the word nodes come last.
    assert graph.target[graph.kind == WORD].max() + 1 == len(graph.label)
    assert len(np.unique(graph.target[graph.kind == WORD])) == 5


def test_names_count_only_where_asked() -> None:
    renamed = EACH.replace("b", "list").replace("g(", "sum(")
    plain, named = make_wl_kernel(), make_wl_kernel(names=True)
    assert plain.similarity([Pair(EACH, renamed)]) == pytest.approx([1.0])
    found = named.similarity([Pair(EACH, renamed)])[0]
    assert found is not None
    assert found < 0.99
