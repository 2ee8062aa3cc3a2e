"""Methods by the pieces of their graphs: the Weisfeiler-Leman subtree kernel.

The graph is that of the graph view: the tree javac builds, with data flow between variables. Its
tokens are one with the node of the tree that they belong to; as nodes of their own, parentheses and
the chain from token to token would be most of the graph. A node's label is its kind; a primitive
type and a literal other than a string also tell which. With ``names`` there is a node more for each
word of the identifiers, which all identifiers with that word lead to.

A piece of height h is a node with what is around it, h edges far. The kernel counts pieces of all
heights up to h in common (Shervashidze et al., Weisfeiler-Lehman graph kernels, 2011).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acumen.lang.java.declarations import NONE
from acumen.lang.subtokens import subtokens
from acumen.models.alike._graph_kernel import elements_above, refined
from acumen.models.alike.bags import Bag, Bags, bag_of
from acumen.models.alike.code import Code, is_masked, number_of, numbers_of
from acumen.views.ast import LABELS, trees
from acumen.views.graph import EDGES, graphs

# Kinds of edges: those of the view, and two of ours.
CHILD, WORD = len(EDGES), len(EDGES) + 1
_TELLING = (
    "PRIMITIVE_TYPE", "INT_LITERAL", "LONG_LITERAL", "FLOAT_LITERAL", "DOUBLE_LITERAL",
    "BOOLEAN_LITERAL", "CHAR_LITERAL",
)  # fmt: skip


class Graph(NamedTuple):
    label: NDArray[np.uint64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]


class GraphKernel(Bags):
    def __init__(self, height: int, names: bool, weighted: bool) -> None:
        super().__init__(lambda text: piece_bag(text, height, names), weighted)


def piece_bag(text: str, height: int, names: bool) -> Bag:
    graph = graph_of(Code(text), names)
    return bag_of(refined(*graph, height).ravel())


def graph_of(code: Code, names: bool) -> Graph:
    nothing = np.empty(0, np.int64)
    if code.method == NONE:
        return Graph(np.empty(0, np.uint64), nothing, nothing, nothing)
    file = code.file
    tree = trees(file, [code.method])
    found = graphs(file, [code.method], tree)
    label = _labels()[tree.label]
    for node in np.flatnonzero(_telling()[tree.label]).tolist():
        label[node] = number_of(f"{LABELS[tree.label[node]]} {file.syntax.text(tree.node[node])}")
    child = np.flatnonzero(tree.parent >= 0)
    sources, targets = [tree.parent[child].astype(np.int64)], [child]
    kinds = [np.full(len(child), CHILD)]
    at = _tree_nodes(code, tree.node)
    for kind, name in enumerate(EDGES):
        ends = at[found.edges[name].values.astype(np.int64)].reshape(-1, 2)
        sources.append(ends[:, 0])
        targets.append(ends[:, 1])
        kinds.append(np.full(len(ends), kind))
    if names:
        words, one, other = _word_edges(code, at, len(label))
        label = np.concatenate([label, words])
        sources.append(one)
        targets.append(other)
        kinds.append(np.full(len(one), WORD))
    return Graph(label, np.concatenate(sources), np.concatenate(targets), np.concatenate(kinds))


def _tree_nodes(code: Code, node: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each number of the view, nodes of the tree and then tokens, the node of the tree."""
    file = code.file
    element = np.full(len(file.syntax), -1, np.int64)
    # Of several nodes that stand for one of the syntax the last is the lowest.
    element[node] = np.arange(len(node))
    above = elements_above(element, file.syntax.parent)
    first, _ = code.span
    start, end = file.syntax.start[first], file.syntax.end[first]
    tokens = file.tokens
    held = slice(*np.searchsorted(tokens.start, [start, end]).tolist())
    return np.concatenate([np.arange(len(node)), above[tokens.node[held]]])


def _word_edges(
    code: Code, at: NDArray[np.int64], first: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Labels of the nodes for words, numbered from ``first``, and edges from identifiers."""
    file = code.file
    begin, _ = code.span
    tokens = file.tokens
    start, end = file.syntax.start[begin], file.syntax.end[begin]
    lowest = int(np.searchsorted(tokens.start, start))
    count = int(np.searchsorted(tokens.start, end)) - lowest
    tree = at[len(at) - count :]
    places: dict[str, int] = {}
    sources: list[int] = []
    targets: list[int] = []
    for token in range(count):
        word = file.names.word_of[tokens.node[lowest + token]]
        name = file.names.words[word] if word >= 0 else ""
        if not name or is_masked(name):
            continue
        for part in subtokens(name):
            sources.append(int(tree[token]))
            targets.append(first + places.setdefault(part.lower(), len(places)))
    return numbers_of(tuple(places)), np.array(sources, np.int64), np.array(targets, np.int64)


@lru_cache(maxsize=1)
def _labels() -> NDArray[np.uint64]:
    return numbers_of(LABELS)


@lru_cache(maxsize=1)
def _telling() -> NDArray[np.bool_]:
    return np.array([name in _TELLING for name in LABELS])
