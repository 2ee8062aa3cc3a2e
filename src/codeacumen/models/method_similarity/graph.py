"""Method similarity by graphs and paths: the Weisfeiler-Leman subtree kernel, and path contexts.

The graph is that of the graph view: the tree javac builds, with data flow between variables. Tokens
are merged with the node of the tree that they belong to; as nodes of their own, parentheses and the
chain from token to token would be most of the graph. A node's label is its kind, and for a
primitive type and a literal other than a string also its text. With ``names`` there is a node for
each word of the identifiers, with edges from all identifiers that contain it.

A subtree pattern of height h is a node with its neighbourhood of h edges. The kernel counts the
common patterns of all heights up to h (Shervashidze et al., Weisfeiler-Lehman graph kernels, 2011).

Path contexts are the paths between the leaves of a syntax tree, as in code2vec. Each is two items:
the path alone, and the path with the names at its ends. So methods that do the same are similar,
and more so if they do it to variables of the same names.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.kernel import STEP, kernel, mixed
from codeacumen.models.method_similarity.bags import (
    Bag,
    Bags,
    Code,
    bag_of,
    is_masked,
    number_of,
    numbers_of,
)
from codeacumen.text.subtokens import subtokens
from codeacumen.views.ast import LABELS, trees
from codeacumen.views.graph import EDGES, graphs
from codeacumen.views.paths import paths

Labels = NDArray[np.uint64]
Nodes = NDArray[np.int64]

# Constants of splitmix64.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@kernel
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def refined(label: Labels, source: Nodes, target: Nodes, kind: Nodes, height: int) -> Labels:
    """Refine the labels of a graph by Weisfeiler and Leman; return a row for each height from 0.

    A node's next label is a hash of its label and of the multiset of its neighbours' labels with
    the kinds and directions of the edges. A sum of hashes represents the multiset: it depends on
    the multiplicities and not on the order.
    """
    found = np.empty((height + 1, len(label)), np.uint64)
    for node in range(len(label)):
        found[0, node] = _mixed(label[node] + _STEP)
    around = np.empty(len(label), np.uint64)
    for level in range(1, height + 1):
        around[:] = np.uint64(0)
        for edge in range(len(source)):
            out = np.uint64(2 * kind[edge] + 1)
            a, b = source[edge], target[edge]
            around[a] += _mixed(found[level - 1, b] + _STEP * out)
            around[b] += _mixed(found[level - 1, a] + _STEP * (out + np.uint64(1)))
        for node in range(len(label)):
            found[level, node] = _mixed(found[level - 1, node] * _STEP + _mixed(around[node]))
    return found


@kernel
def elements_above(element: Nodes, parent: NDArray[np.int32]) -> Nodes:
    """Return for each syntax node its element of the tree, or that of its nearest ancestor."""
    found = element.copy()
    for node in range(len(found)):
        if found[node] < 0 and parent[node] >= 0:
            found[node] = found[parent[node]]
    return found


# Kinds of edges in addition to those of the graph view.
CHILD, WORD = len(EDGES), len(EDGES) + 1
# Kinds of tree nodes whose label includes the node's text.
_TELLING = (
    "PRIMITIVE_TYPE",
    "INT_LITERAL",
    "LONG_LITERAL",
    "FLOAT_LITERAL",
    "DOUBLE_LITERAL",
    "BOOLEAN_LITERAL",
    "CHAR_LITERAL",
)


class Graph(NamedTuple):
    label: NDArray[np.uint64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]


class GraphKernel(Bags):
    """Cosine of the bags of subtree patterns of two methods' graphs."""

    def __init__(self, height: int, names: bool, weighted: bool) -> None:
        super().__init__(lambda text: piece_bag(text, height, names), weighted)


def piece_bag(text: str, height: int, names: bool) -> Bag:
    """Return the bag of the subtree patterns of a method's graph, up to a height."""
    graph = graph_of(Code(text), names)
    return bag_of(refined(*graph, height).ravel())


def graph_of(code: Code, names: bool) -> Graph:
    """Return the graph of a method, with nodes for the words of its names if ``names``."""
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
        words, identifier_nodes, word_nodes = _word_edges(code, at, len(label))
        label = np.concatenate([label, words])
        sources.append(identifier_nodes)
        targets.append(word_nodes)
        kinds.append(np.full(len(identifier_nodes), WORD))
    return Graph(label, np.concatenate(sources), np.concatenate(targets), np.concatenate(kinds))


def _tree_nodes(code: Code, node: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the node of the tree for each number of the view: nodes first, then tokens."""
    file = code.file
    element = np.full(len(file.syntax), -1, np.int64)
    # The last of several tree nodes with the same syntax node is the lowest.
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
    """Return the labels of the word nodes, numbered from ``first``, and the edges to them."""
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


# Maximum number of contexts of a method; of more, always the same sample is taken.
MOST = 4000


class PathContexts(Bags):
    """Cosine of the bags of path contexts of two methods."""

    def __init__(self, names: bool, length: int, width: int) -> None:
        super().__init__(lambda text: path_bag(text, names, length, width))


def path_bag(text: str, names: bool, length: int, width: int) -> Bag:
    """Return the bag of path contexts; ``names`` adds each context with the names at its ends."""
    code = Code(text)
    places = [code.method] if code.method >= 0 else []
    found = paths(code.file, places, length=length, width=width, most=MOST)
    path = mixed(found.path.astype(np.uint32).astype(np.uint64) + STEP)
    if not names or not len(path):
        return bag_of(path)
    words: NDArray[np.uint64] = numbers_of(found.name.words or ())[found.name.values]
    ends = mixed(words[found.left] + STEP) * np.uint64(3) + mixed(words[found.right])
    return bag_of(np.concatenate([path, mixed(path ^ ends)]))
