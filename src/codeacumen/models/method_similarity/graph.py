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
from codeacumen.languages.kernel import STEP, kernel, mix_bits
from codeacumen.models.method_similarity.bags import (
    Bag,
    BagSimilarity,
    ParsedMethod,
    count_items,
    hash_word,
    hash_words,
    is_masked,
)
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.ast import LABELS, draw_method_trees
from codeacumen.views.graph import EDGES, build_graphs
from codeacumen.views.paths import build_paths

Labels = NDArray[np.uint64]
Nodes = NDArray[np.int64]

# Constants of splitmix64. Kernels cannot call ``mix_bits`` of another file, so there is a copy for
# single values here.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@kernel
def _mix_bits(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def refine_labels(label: Labels, source: Nodes, target: Nodes, kind: Nodes, height: int) -> Labels:
    """Return the labels of a graph after Weisfeiler and Leman: a row for each height from 0.

    A node's next label is a hash of its label and of the multiset of its neighbours' labels with
    the kinds and directions of the edges. A sum of hashes represents the multiset, because a sum
    depends on the multiplicities and not on the order.
    """
    labels_by_height = np.empty((height + 1, len(label)), np.uint64)
    for node in range(len(label)):
        labels_by_height[0, node] = _mix_bits(label[node] + _STEP)
    neighbour_sums = np.empty(len(label), np.uint64)
    for level in range(1, height + 1):
        neighbour_sums[:] = np.uint64(0)
        for edge in range(len(source)):
            # An odd number for an edge that leaves a node, an even one for an edge that arrives.
            out = np.uint64(2 * kind[edge] + 1)
            a, b = source[edge], target[edge]
            neighbour_sums[a] += _mix_bits(labels_by_height[level - 1, b] + _STEP * out)
            neighbour_sums[b] += _mix_bits(
                labels_by_height[level - 1, a] + _STEP * (out + np.uint64(1))
            )
        for node in range(len(label)):
            labels_by_height[level, node] = _mix_bits(
                labels_by_height[level - 1, node] * _STEP + _mix_bits(neighbour_sums[node])
            )
    return labels_by_height


@kernel
def find_enclosing_elements(element: Nodes, parent: NDArray[np.int32]) -> Nodes:
    """Return for each syntax node its element (its node in the graph view's tree), or that of its
    nearest ancestor.

    ``element`` has -1 for nodes without one; the result is -1 if no ancestor has one.
    """
    enclosing = element.copy()
    for node in range(len(enclosing)):
        if enclosing[node] < 0 and parent[node] >= 0:
            enclosing[node] = enclosing[parent[node]]
    return enclosing


# Kinds of edges in addition to those of the graph view: to a child, and to the node of a word.
CHILD, WORD = len(EDGES), len(EDGES) + 1
# Kinds of tree nodes whose label includes the node's text.
_TYPES_WITH_TEXT = (
    "PRIMITIVE_TYPE",
    "INT_LITERAL",
    "LONG_LITERAL",
    "FLOAT_LITERAL",
    "DOUBLE_LITERAL",
    "BOOLEAN_LITERAL",
    "CHAR_LITERAL",
)


class Graph(NamedTuple):
    """The hashed labels of nodes, and for each edge its two nodes and its kind."""

    label: NDArray[np.uint64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]


class GraphKernel(BagSimilarity):
    """Cosine of the bags of subtree patterns of two methods' graphs.

    ``height`` is the maximum height of a pattern; ``names`` adds nodes for the names' words.
    """

    def __init__(self, height: int, names: bool, weighted: bool) -> None:
        super().__init__(lambda text: bag_subtree_patterns(text, height, names), weighted)


def bag_subtree_patterns(text: str, height: int, names: bool) -> Bag:
    """Return the bag of the subtree patterns of a method's graph, up to a height."""
    graph = build_graph(ParsedMethod(text), names)
    return count_items(refine_labels(*graph, height).ravel())


def build_graph(code: ParsedMethod, names: bool) -> Graph:
    """Return the graph of a method, with nodes for the words of its names if ``names``."""
    empty = np.empty(0, np.int64)
    if code.method == NONE:
        return Graph(np.empty(0, np.uint64), empty, empty, empty)
    file = code.file
    tree = draw_method_trees(file, [code.method])
    view_graph = build_graphs(file, [code.method], tree)
    label = _hash_labels()[tree.label]
    for node in np.flatnonzero(_find_types_with_text()[tree.label]).tolist():
        label[node] = hash_word(f"{LABELS[tree.label[node]]} {file.syntax.text(tree.node[node])}")
    child = np.flatnonzero(tree.parent >= 0)
    sources, targets = [tree.parent[child].astype(np.int64)], [child]
    kinds = [np.full(len(child), CHILD)]
    tree_nodes = _map_to_tree_nodes(code, tree.node)
    for kind, name in enumerate(EDGES):
        ends = tree_nodes[view_graph.edges[name].values.astype(np.int64)].reshape(-1, 2)
        sources.append(ends[:, 0])
        targets.append(ends[:, 1])
        kinds.append(np.full(len(ends), kind))
    if names:
        words, identifier_nodes, word_nodes = _build_word_edges(code, tree_nodes, len(label))
        label = np.concatenate([label, words])
        sources.append(identifier_nodes)
        targets.append(word_nodes)
        kinds.append(np.full(len(identifier_nodes), WORD))
    return Graph(label, np.concatenate(sources), np.concatenate(targets), np.concatenate(kinds))


def _map_to_tree_nodes(code: ParsedMethod, node: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the node of the tree for each node of the graph view: tree nodes, then tokens.

    ``node`` is the syntax node of each tree node.
    """
    file = code.file
    element = np.full(len(file.syntax), -1, np.int64)
    # The last of several tree nodes with the same syntax node is the lowest.
    element[node] = np.arange(len(node))
    enclosing = find_enclosing_elements(element, file.syntax.parent)
    first, _ = code.span
    start, end = file.syntax.start[first], file.syntax.end[first]
    tokens = file.tokens
    in_method = slice(*np.searchsorted(tokens.start, [start, end]).tolist())
    return np.concatenate([np.arange(len(node)), enclosing[tokens.node[in_method]]])


def _build_word_edges(
    code: ParsedMethod, tree_nodes: NDArray[np.int64], first: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the labels of the word nodes, and the sources and targets of the edges to them.

    ``tree_nodes`` is that of ``_map_to_tree_nodes``; word nodes are numbered from ``first``.
    """
    file = code.file
    begin, _ = code.span
    tokens = file.tokens
    start, end = file.syntax.start[begin], file.syntax.end[begin]
    lowest = int(np.searchsorted(tokens.start, start))
    count = int(np.searchsorted(tokens.start, end)) - lowest
    token_nodes = tree_nodes[len(tree_nodes) - count :]
    word_numbers: dict[str, int] = {}
    sources: list[int] = []
    targets: list[int] = []
    for token in range(count):
        word = file.names.word_of[tokens.node[lowest + token]]
        name = file.names.words[word] if word >= 0 else ""
        if not name or is_masked(name):
            continue
        for part in split_subtokens(name):
            sources.append(int(token_nodes[token]))
            targets.append(first + word_numbers.setdefault(part.lower(), len(word_numbers)))
    return hash_words(tuple(word_numbers)), np.array(sources, np.int64), np.array(targets, np.int64)


@lru_cache(maxsize=1)
def _hash_labels() -> NDArray[np.uint64]:
    return hash_words(LABELS)


@lru_cache(maxsize=1)
def _find_types_with_text() -> NDArray[np.bool_]:
    return np.array([name in _TYPES_WITH_TEXT for name in LABELS])


# Maximum number of contexts of a method; a larger number is sampled, always in the same way.
MAX_CONTEXTS = 4000


class PathContexts(BagSimilarity):
    """Cosine of the bags of path contexts of two methods; see ``bag_paths`` for the settings."""

    def __init__(self, names: bool, length: int, width: int) -> None:
        super().__init__(lambda text: bag_paths(text, names, length, width))


def bag_paths(text: str, names: bool, length: int, width: int) -> Bag:
    """Return the bag of path contexts; ``names`` adds each context with the names at its ends.

    ``length`` and ``width`` are the limits of ``build_paths``.
    """
    code = ParsedMethod(text)
    method_indices = [code.method] if code.method >= 0 else []
    contexts = build_paths(
        code.file, method_indices, max_length=length, max_width=width, max_contexts=MAX_CONTEXTS
    )
    path = mix_bits(contexts.path.astype(np.uint32).astype(np.uint64) + STEP)
    if not names or not len(path):
        return count_items(path)
    words: NDArray[np.uint64] = hash_words(contexts.name.words or ())[contexts.name.values]
    ends = mix_bits(words[contexts.left] + STEP) * np.uint64(3) + mix_bits(words[contexts.right])
    return count_items(np.concatenate([path, mix_bits(path ^ ends)]))
