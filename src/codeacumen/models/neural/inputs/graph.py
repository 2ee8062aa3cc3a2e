"""A method's text as a graph of javac's tree, tokens and data flow, for the GGNN.

Nodes are those of the graph view: tree nodes, then tokens. Edges have the ten kinds that
``codeacumen.views.graph`` defines, two letters each, and TK, from the lowest tree node around a
token to this token. Without TK the tree and the tokens would hardly be connected: only RT, GB and
GN link the two.

Each node has a kind; names and literals also have words. ``inputs.codeacumen_base`` uses
``parse_with_masks`` and ``find_method_tree``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Capability, CodeContext, Input
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile, Snippet, parse_snippet
from codeacumen.languages.java.syntax.tokens import KINDS as TOKEN_KINDS
from codeacumen.languages.java.syntax.tokens import LITERALS
from codeacumen.languages.kernel import kernel
from codeacumen.models.lexer import MASK
from codeacumen.models.method_similarity.graph import find_enclosing_elements
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Vocabulary
from codeacumen.models.neural.inputs.tokens import get_text, replace_surrogates
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.ast import LABELS as TREE_KINDS
from codeacumen.views.ast import Trees, draw_method_trees
from codeacumen.views.graph import EDGES, KINDS, build_graphs
from codeacumen.views.masking.files import MASKED_CALL, without_operator
from codeacumen.views.paths import METHOD_NAME

# Kinds of edges. Trained networks contain their indices, so new kinds must be appended.
EDGE_KINDS = (*KINDS, "TK")
# CH goes from a tree node to its children, NT from a token to the next.
_CH, _NT, _TK = (EDGE_KINDS.index(kind) for kind in ("CH", "NT", "TK"))

# Longer texts are cut off.
_MAX_CHARACTERS = 200_000
# A literal may be a page of text, so a token is cut to this many words and characters.
_MAX_WORDS, _MAX_TOKEN_LENGTH = 10, 200
# Operators that replace a masked one while the text is parsed. "==" is valid in place of any of the
# twelve operators, except in code such as ``a = b = c``, which needs "=".
_OPERATORS = (b"==", b"=")
# The prefix "token" distinguishes kinds of tokens from kinds of tree nodes with the same name.
_TOKEN_KINDS = tuple(f"token {kind}" for kind in TOKEN_KINDS)
_STRING = TOKEN_KINDS.index("STRINGLITERAL")
_HAS_WORDS = np.isin(TOKEN_KINDS, ("IDENTIFIER", *LITERALS))
# The word of each spelling of a mask.
_HIDDEN = {MASKED_CALL: MASK, METHOD_NAME: METHOD_NAME}

Nodes = NDArray[np.int64]


class Graph(NamedTuple):
    """A method's graph: tree nodes first, then tokens.

    ``kinds`` and ``sizes`` have an entry for each node; node ``i`` has the next ``sizes[i]``
    entries of ``words``. ``sources``, ``sinks`` and ``edges`` have an entry for each edge: its two
    nodes and the index of its kind in ``EDGE_KINDS``.
    """

    kinds: list[str]
    words: list[str]
    sizes: list[int]
    sources: Nodes
    sinks: Nodes
    edges: Nodes


def build_graph(
    text: str, max_nodes: int, *, hides_operator: bool = False, is_lowercase: bool = True
) -> Graph | None:
    """Return the graph of a method's text, with at most ``max_nodes`` nodes; None without tokens.

    ``hides_operator`` says that the mask in the text replaces an operator, not a name. A text
    without a method, such as a single name, becomes a graph of its tokens. Of a larger graph, a
    contiguous range of tokens and all their ancestors in the tree are kept: the first tokens, or
    those around the mask if the first ones lack it. All edges between kept nodes are kept.
    """
    data = replace_surrogates(text[:_MAX_CHARACTERS]).encode()
    snippet = parse_with_masks(data, hides_operator)
    file = snippet.file
    shape = _shape_of_method(file) or _shape_of_tokens(snippet)
    if shape is None:
        return None
    first, last = shape.tokens
    # ``spelled`` has the distinct spellings of the file's tokens, ``codes`` each token's index in
    # it. ``tree`` and ``token_slice`` are the tree nodes and tokens that are kept.
    codes, spelled = file.tokens.number_spellings(file.names.word_of, file.names.words)
    kind, code = file.tokens.kind[first:last], codes[first:last]
    tree_size = len(shape.label)
    sources, sinks, edges = shape.sources, shape.sinks, shape.edges
    tree = np.arange(tree_size)
    token_slice = slice(0, last - first)
    if tree_size + last - first > max_nodes:
        tree, token_slice = _cut_to_size(shape, _find_mask(kind, code, spelled), max_nodes)
        # The number of each node after the cut, -1 for a node that is cut off.
        new_number = np.full(tree_size + last - first, -1)
        new_number[tree] = np.arange(len(tree))
        new_number[tree_size + token_slice.start : tree_size + token_slice.stop] = len(
            tree
        ) + np.arange(token_slice.stop - token_slice.start)
        sources, sinks = new_number[sources], new_number[sinks]
        inside = (sources >= 0) & (sinks >= 0)
        sources, sinks, edges = sources[inside], sinks[inside], edges[inside]
    kind, code = kind[token_slice], code[token_slice]
    kinds = [TREE_KINDS[label] for label in shape.label[tree].tolist()]
    kinds += [_TOKEN_KINDS[token_kind] for token_kind in kind.tolist()]
    words: list[str] = []
    sizes = [0] * len(kinds)
    for position in np.flatnonzero(_HAS_WORDS[kind]).tolist():
        token_words = split_token(
            spelled[code[position]], bool(kind[position] == _STRING), is_lowercase
        )
        words += token_words
        sizes[len(tree) + position] = len(token_words)
    return Graph(kinds, words, sizes, sources, sinks, edges)


@lru_cache(maxsize=1 << 16)
def split_token(token: str, is_string: bool = False, is_lowercase: bool = True) -> tuple[str, ...]:
    """Return the subtokens of a name or a string, or another literal or a mask as a single word.

    >>> split_token("maxValue2"), split_token("0x1F"), split_token("METHOD_NAME")
    (('max', 'value2'), ('0x1f',), ('METHOD_NAME',))
    """
    if token in _HIDDEN:
        return (_HIDDEN[token],)
    # The escape of a lone surrogate cannot be encoded in UTF-8.
    token = replace_surrogates(token[:_MAX_TOKEN_LENGTH])
    words = split_subtokens(token, lower=is_lowercase)[:_MAX_WORDS]
    if not is_string and (not words or not (token[0].isalpha() or token[0] in "_$")):
        return (token.lower() if is_lowercase else token,)
    return words


# -------------------------------------------------------------------------------- parsing


class _Shape(NamedTuple):
    """A graph before it is cut to size and encoded.

    ``label`` and ``parent`` have an entry for each tree node. ``tokens`` is the half-open range of
    the file's tokens, and ``leaf`` has the lowest tree node around each, -1 for none. Edges go from
    ``sources`` to ``sinks``; ``edges`` has indices of ``EDGE_KINDS``.
    """

    label: NDArray[np.uint8]
    parent: NDArray[np.int32]
    tokens: tuple[int, int]
    leaf: Nodes
    sources: Nodes
    sinks: Nodes
    edges: Nodes


def parse_with_masks(data: bytes, hides_operator: bool) -> Snippet:
    """Parse a text in which a mask hides a name or an operator.

    A mask is not Java, so a method name or an operator replaces it: the first replacement that
    parses without errors is used, otherwise the first one that was tried. An inserted operator is
    turned back into a mask in the parsed file.
    """
    mask_start = data.find(MASK.encode())
    if mask_start < 0:
        return parse_snippet(data)
    name = MASKED_CALL.encode()
    before, after = data[:mask_start], data[mask_start + len(MASK) :].replace(MASK.encode(), name)
    first_snippet: Snippet | None = None
    for replacement in (*_OPERATORS, name) if hides_operator else (name, *_OPERATORS):
        snippet = parse_snippet(b"".join((before, replacement, after)))
        if replacement != name:
            try:
                file = without_operator(snippet.file, snippet.start + mask_start)
            except ValueError:
                continue
            added_length = len(file.source) - len(snippet.file.source)
            snippet = Snippet(file, snippet.start, snippet.stop + added_length)
        if not snippet.file.syntax.broken:
            return snippet
        first_snippet = first_snippet or snippet
    assert first_snippet is not None  # The replacement by a name never raises ValueError.
    return first_snippet


class MethodTree(NamedTuple):
    """A method's tree and tokens.

    ``place`` is the method's index in ``declarations.methods`` of its file, ``tokens`` the
    half-open range of its tokens in the file, and ``leaf`` has the lowest tree node around each
    token, -1 for none.
    """

    place: int
    tree: Trees
    tokens: tuple[int, int]
    leaf: Nodes


def find_method_tree(file: JavaFile) -> MethodTree | None:
    """Return the tree of the first method with a body, else of the first method; None without any.

    In a text with syntax errors, the method must be at least half of the text; a shorter one is a
    fragment that the parser happened to recognise.
    """
    methods, syntax = file.declarations.methods, file.syntax
    places = file.bodies or range(len(methods))
    place = min(places, key=lambda place: methods[place].node, default=NONE)
    if place == NONE:
        return None
    node = methods[place].node
    start, end = int(syntax.start[node]), int(syntax.end[node])
    if syntax.broken and 2 * (end - start) < len(file.source):
        return None
    tree = draw_method_trees(file, [place])
    first, last = np.searchsorted(file.tokens.start, [start, end]).tolist()
    # The tree node of each syntax node, -1 for none.
    element = np.full(len(syntax), -1, np.int64)
    # If several tree nodes represent one syntax node, the last is the lowest.
    element[tree.node] = np.arange(len(tree.node))
    leaf = find_enclosing_elements(element, syntax.parent)[file.tokens.node[first:last]]
    return MethodTree(place, tree, (first, last), leaf)


def _shape_of_method(file: JavaFile) -> _Shape | None:
    """Return the graph of a file's first method; None without a method."""
    method = find_method_tree(file)
    if method is None:
        return None
    tree, (first, last), leaf = method.tree, method.tokens, method.leaf
    edges_of_method = build_graphs(file, [method.place], tree)
    count = len(tree.node)
    token_nodes = count + np.arange(last - first)
    child_nodes, has_leaf = np.flatnonzero(tree.parent >= 0), leaf >= 0
    parts = [
        (_CH, tree.parent[child_nodes], child_nodes),
        (_NT, token_nodes[:-1], token_nodes[1:]),
        *(
            (KINDS.index(kind), *edges_of_method.edges[kind].values.reshape(-1, 2).T)
            for kind in EDGES
        ),
        (_TK, leaf[has_leaf], token_nodes[has_leaf]),
    ]
    sources = np.concatenate([part[1] for part in parts]).astype(np.int64)
    sinks = np.concatenate([part[2] for part in parts]).astype(np.int64)
    edges = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
    return _Shape(tree.label, tree.parent, (first, last), leaf, sources, sinks, edges)


def _shape_of_tokens(snippet: Snippet) -> _Shape | None:
    """Return a graph of tokens only, in sequence; None without tokens."""
    first, last = np.searchsorted(snippet.file.tokens.start, snippet[1:]).tolist()
    if first >= last:
        return None
    token_nodes, no_nodes = np.arange(last - first), np.zeros(0, np.int32)
    return _Shape(
        no_nodes.astype(np.uint8),
        no_nodes,
        (first, last),
        np.full(last - first, -1),
        token_nodes[:-1],
        token_nodes[1:],
        np.full(last - first - 1, _NT),
    )


# -------------------------------------------------------------------------------- cutting


def _find_mask(kind: NDArray[np.uint8], code: NDArray[np.int32], spelled: tuple[str, ...]) -> int:
    """Return the index of the mask among the tokens, 0 if there is none."""
    is_mask = kind == TOKEN_KINDS.index("MASK")
    if MASKED_CALL in spelled:
        is_mask |= code == spelled.index(MASKED_CALL)
    return int(is_mask.argmax())


def _cut_to_size(shape: _Shape, mask: int, max_nodes: int) -> tuple[Nodes, slice]:
    """Return the tree nodes and the range of tokens that fit into ``max_nodes``.

    ``mask`` is the index of a token; the range includes it.
    """
    stretch = _fit_stretch(shape, 0, max_nodes)
    if not stretch[1].start <= mask < stretch[1].stop:
        stretch = _fit_stretch(shape, mask, max_nodes)
    return stretch


def _fit_stretch(shape: _Shape, middle: int, max_nodes: int) -> tuple[Nodes, slice]:
    """Return the longest range of tokens around ``middle`` that fits, after its tree ancestors.

    Binary search finds the length. If the ancestors of a single token already exceed ``max_nodes``,
    return a range of tokens without a tree.
    """
    count = len(shape.leaf)
    low, high = 0, min(max_nodes, count)
    best: tuple[Nodes, slice] | None = None
    while low < high:
        size = (low + high + 1) // 2
        start = min(max(0, middle - size // 2), count - size)
        tree = np.flatnonzero(_flag_ancestors(shape.parent, shape.leaf[start : start + size]))
        if len(tree) + size <= max_nodes:
            low, best = size, (tree, slice(start, start + size))
        else:
            high = size - 1
    if best is None:
        start = min(max(0, middle - max_nodes // 2), max(0, count - max_nodes))
        best = np.zeros(0, np.int64), slice(start, min(count, start + max_nodes))
    return best


@kernel
def _flag_ancestors(parent: NDArray[np.int32], leaves: Nodes) -> NDArray[np.bool_]:
    """Return for each tree node whether it is a leaf in ``leaves`` or the ancestor of one.

    ``parent`` has an entry for each node; a parent precedes its children.
    """
    is_kept = np.zeros(len(parent), np.bool_)
    for leaf in leaves:
        if leaf >= 0:
            is_kept[leaf] = True
    for node in range(len(parent) - 1, 0, -1):
        if is_kept[node] and parent[node] >= 0:
            is_kept[parent[node]] = True
    return is_kept


# -------------------------------------------------------------------------------- encoding


class GraphArchitecture(Architecture):
    """An architecture whose features are a graph.

    ``settings`` has ``nodes``, the maximum size of a graph, and ``vocabulary``, the maximum number
    of words. Words are in lower case unless the task generates names, whose case matters. A single
    name without a known word has no features, because all such names would have equal vectors.
    """

    def extract_features(self, item: Input, context: CodeContext | None = None) -> Features | None:
        return self.extract_text_features(get_text(item))

    def extract_text_features(self, text: str) -> Features | None:
        graph = build_graph(
            text,
            self.settings.nodes,
            hides_operator=self.purpose.task.endswith("operators"),
            is_lowercase=self.purpose.capability is not Capability.GENERATE,
        )
        if graph is None or (len(graph.kinds) == 1 and self._has_no_known_word(graph.words)):
            return None
        features: dict[str, Any] = graph._asdict()
        for name in ("sources", "sinks", "edges"):
            features[name] = features[name].tolist()
        return features

    def _has_no_known_word(self, words: Iterable[str]) -> bool:
        vocabulary = self.vocabularies.get("words")
        return vocabulary is not None and not any(word in vocabulary for word in words)

    def iter_words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "kinds", features["kinds"]  # type: ignore[misc]
        yield "words", features["words"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.vocabularies["kinds"] = Vocabulary.from_counts(counts["kinds"])
        self.vocabularies["words"] = Vocabulary.from_counts(
            counts["words"], self.settings.vocabulary
        )
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        encoded = {
            name: self.vocabularies[name].encode_words(features[name])  # type: ignore[arg-type]
            for name in ("kinds", "words")
        }
        for name in ("sizes", "sources", "sinks", "edges"):
            encoded[name] = np.array(features[name], np.int32)
        return encoded
