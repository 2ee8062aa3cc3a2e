"""A method's text as a graph: the tree that javac builds, the tokens, and what links them.

Nodes are those of the graph view (``codeacumen.views.graph``): the tree's, then the tokens. Edges
are its ten kinds and one more, TK, from the lowest node of the tree around a token to that token.
Without it the tree and the tokens hardly touch: only RT, GB and GN lead from one to the other.

A node has a kind, and a token that somebody chose (a name, a literal) also has words.
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
from codeacumen.models.method_similarity.graph import elements_above
from codeacumen.models.neural.architecture import Architecture, Encoded, Features, Vocabulary
from codeacumen.models.neural.inputs.tokens import text_of, writable
from codeacumen.text.subtokens import subtokens
from codeacumen.views.ast import LABELS as TREE_KINDS
from codeacumen.views.ast import Trees, trees
from codeacumen.views.graph import EDGES, KINDS, graphs
from codeacumen.views.masking.files import MASKED_CALL, without_operator
from codeacumen.views.paths import METHOD_NAME

# Kinds of edges by their numbers, which trained networks keep: new ones go to the end.
EDGE_KINDS = (*KINDS, "TK")
_CH, _NT, _TK = (EDGE_KINDS.index(kind) for kind in ("CH", "NT", "TK"))

# Of a longer text the rest is never looked at.
_MOST_CHARACTERS = 200_000
# Of a token, which may be a page of text, no more words are read, nor more characters.
_MOST_WORDS, _LONGEST = 10, 200
# What stands for a hidden operator while the text is parsed. A comparison may stand where any of
# the twelve may, but for ``a = b = c`` and the like.
_OPERATORS = (b"==", b"=")
# Tokens are nodes of other kinds than the tree's, of which some have the same names.
_TOKEN_KINDS = tuple(f"token {kind}" for kind in TOKEN_KINDS)
_STRING = TOKEN_KINDS.index("STRINGLITERAL")
_CHOSEN = np.isin(TOKEN_KINDS, ("IDENTIFIER", *LITERALS))
_HIDDEN = {MASKED_CALL: MASK, METHOD_NAME: METHOD_NAME}

Nodes = NDArray[np.int64]


class Graph(NamedTuple):
    """``kinds`` of the nodes; ``words`` of all nodes, one after the other, of which each has
    ``sizes``; an edge leads from ``sources`` to ``sinks``, and ``edges`` numbers EDGE_KINDS."""

    kinds: list[str]
    words: list[str]
    sizes: list[int]
    sources: Nodes
    sinks: Nodes
    edges: Nodes


def graph_of(text: str, most: int, *, operator: bool = False, lower: bool = True) -> Graph | None:
    """The graph of a method's text, of at most so many nodes; None where there is no token.

    ``operator``: what stands masked in it is an operator, not a name. A text in which the parser
    finds no method, such as a name alone, is a graph of its tokens. If it is too large, a stretch
    of its tokens is kept, with all of the tree above them: from the first token on, or, where the
    mask would be lost, around the mask. What is left is one piece, and lacks no edge between two
    nodes that are kept.
    """
    data = writable(text[:_MOST_CHARACTERS]).encode()
    snippet = parsed(data, operator)
    file = snippet.file
    shape = _method(file) or _alone(snippet)
    if shape is None:
        return None
    first, last = shape.tokens
    codes, spelled = file.tokens.spellings(file.names.word_of, file.names.words)
    kind, code = file.tokens.kind[first:last], codes[first:last]
    count = len(shape.label)
    sources, sinks, edges = shape.sources, shape.sinks, shape.edges
    tree = np.arange(count)
    held = slice(0, last - first)
    if count + last - first > most:
        tree, held = _cut(shape, _masked_at(kind, code, spelled), most)
        place = np.full(count + last - first, -1)
        place[tree] = np.arange(len(tree))
        place[count + held.start : count + held.stop] = len(tree) + np.arange(
            held.stop - held.start
        )
        sources, sinks = place[sources], place[sinks]
        inside = (sources >= 0) & (sinks >= 0)
        sources, sinks, edges = sources[inside], sinks[inside], edges[inside]
    kind, code = kind[held], code[held]
    kinds = [TREE_KINDS[one] for one in shape.label[tree].tolist()]
    kinds += [_TOKEN_KINDS[one] for one in kind.tolist()]
    words: list[str] = []
    sizes = [0] * len(kinds)
    for at in np.flatnonzero(_CHOSEN[kind]).tolist():
        mine = words_of(spelled[code[at]], bool(kind[at] == _STRING), lower)
        words += mine
        sizes[len(tree) + at] = len(mine)
    return Graph(kinds, words, sizes, sources, sinks, edges)


@lru_cache(maxsize=1 << 16)
def words_of(token: str, string: bool = False, lower: bool = True) -> tuple[str, ...]:
    """A name's words, a string's, or a literal as it is. What hides a name is one word.

    >>> words_of("maxValue2"), words_of("0x1F"), words_of("METHOD_NAME")
    (('max', 'value2'), ('0x1f',), ('METHOD_NAME',))
    """
    if token in _HIDDEN:
        return (_HIDDEN[token],)
    # A character may be written as the escape of half a pair, which is no text.
    token = writable(token[:_LONGEST])
    found = subtokens(token, lower=lower)[:_MOST_WORDS]
    if not string and (not found or not (token[0].isalpha() or token[0] in "_$")):
        return (token.lower() if lower else token,)
    return found


# -------------------------------------------------------------------------------- reading


class _Shape(NamedTuple):
    """``label`` of the tree's nodes, ``above`` each its parent; the ``tokens`` from the first to
    before the last, ``leaf`` of each the node of the tree it is linked with; the edges."""

    label: NDArray[np.uint8]
    above: NDArray[np.int32]
    tokens: tuple[int, int]
    leaf: Nodes
    sources: Nodes
    sinks: Nodes
    edges: Nodes


def parsed(data: bytes, operator: bool) -> Snippet:
    """What hides something is no Java. In its place is put what can stand there, until the parser
    understands it; and then an operator is made the mask again. Nothing but the text decides."""
    at = data.find(MASK.encode())
    if at < 0:
        return parse_snippet(data)
    name = MASKED_CALL.encode()
    before, after = data[:at], data[at + len(MASK) :].replace(MASK.encode(), name)
    first: Snippet | None = None
    for shown in (*_OPERATORS, name) if operator else (name, *_OPERATORS):
        snippet = parse_snippet(b"".join((before, shown, after)))
        if shown != name:
            try:
                file = without_operator(snippet.file, snippet.start + at)
            except ValueError:
                continue
            longer = len(file.source) - len(snippet.file.source)
            snippet = Snippet(file, snippet.start, snippet.stop + longer)
        if not snippet.file.syntax.broken:
            return snippet
        first = first or snippet
    assert first is not None  # A name can be put anywhere.
    return first


class MethodTree(NamedTuple):
    """The ``place`` of a method in its file, its ``tree``, its ``tokens`` from the first to before
    the last, and of each the ``leaf``, the lowest node of the tree around it, -1 for none."""

    place: int
    tree: Trees
    tokens: tuple[int, int]
    leaf: Nodes


def method_tree(file: JavaFile) -> MethodTree | None:
    """The first method. Of a broken text it has to be most of it: else what was found is a part
    that the parser happened to understand."""
    declared, syntax = file.declarations.methods, file.syntax
    places = file.bodies or range(len(declared))
    place = min(places, key=lambda place: declared[place].node, default=NONE)
    if place == NONE:
        return None
    node = declared[place].node
    start, end = int(syntax.start[node]), int(syntax.end[node])
    if syntax.broken and 2 * (end - start) < len(file.source):
        return None
    tree = trees(file, [place])
    first, last = np.searchsorted(file.tokens.start, [start, end]).tolist()
    element = np.full(len(syntax), -1, np.int64)
    # Of several nodes that stand for one of the syntax the last is the lowest.
    element[tree.node] = np.arange(len(tree.node))
    leaf = elements_above(element, syntax.parent)[file.tokens.node[first:last]]
    return MethodTree(place, tree, (first, last), leaf)


def _method(file: JavaFile) -> _Shape | None:
    held = method_tree(file)
    if held is None:
        return None
    tree, (first, last), leaf = held.tree, held.tokens, held.leaf
    found = graphs(file, [held.place], tree)
    count = len(tree.node)
    token = count + np.arange(last - first)
    child, linked = np.flatnonzero(tree.parent >= 0), leaf >= 0
    parts = [
        (_CH, tree.parent[child], child),
        (_NT, token[:-1], token[1:]),
        *((KINDS.index(kind), *found.edges[kind].values.reshape(-1, 2).T) for kind in EDGES),
        (_TK, leaf[linked], token[linked]),
    ]
    sources = np.concatenate([part[1] for part in parts]).astype(np.int64)
    sinks = np.concatenate([part[2] for part in parts]).astype(np.int64)
    edges = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
    return _Shape(tree.label, tree.parent, (first, last), leaf, sources, sinks, edges)


def _alone(snippet: Snippet) -> _Shape | None:
    """The tokens of a text, one after the other."""
    first, last = np.searchsorted(snippet.file.tokens.start, snippet[1:]).tolist()
    if first >= last:
        return None
    token, nothing = np.arange(last - first), np.zeros(0, np.int32)
    return _Shape(
        nothing.astype(np.uint8),
        nothing,
        (first, last),
        np.full(last - first, -1),
        token[:-1],
        token[1:],
        np.full(last - first - 1, _NT),
    )


# -------------------------------------------------------------------------------- cutting


def _masked_at(kind: NDArray[np.uint8], code: NDArray[np.int32], spelled: tuple[str, ...]) -> int:
    """Which token is the mask; 0 where there is none."""
    hidden = kind == TOKEN_KINDS.index("MASK")
    if MASKED_CALL in spelled:
        hidden |= code == spelled.index(MASKED_CALL)
    return int(hidden.argmax())


def _cut(shape: _Shape, mask: int, most: int) -> tuple[Nodes, slice]:
    """Nodes of the tree and a stretch of tokens, as many as there is room for."""
    found = _stretch(shape, 0, most)
    if not found[1].start <= mask < found[1].stop:
        found = _stretch(shape, mask, most)
    return found


def _stretch(shape: _Shape, middle: int, most: int) -> tuple[Nodes, slice]:
    """The most tokens around one that leave room for the tree above them. Where that is none, so
    deep is it nested, they come without a tree."""
    count = len(shape.leaf)
    low, high = 0, min(most, count)
    best: tuple[Nodes, slice] | None = None
    while low < high:
        size = (low + high + 1) // 2
        start = min(max(0, middle - size // 2), count - size)
        tree = np.flatnonzero(_above(shape.above, shape.leaf[start : start + size]))
        if len(tree) + size <= most:
            low, best = size, (tree, slice(start, start + size))
        else:
            high = size - 1
    if best is None:
        start = min(max(0, middle - most // 2), max(0, count - most))
        best = np.zeros(0, np.int64), slice(start, min(count, start + most))
    return best


@kernel
def _above(above: NDArray[np.int32], leaves: Nodes) -> NDArray[np.bool_]:
    """Which nodes of a tree are some leaves or above one; a parent comes before its children."""
    found = np.zeros(len(above), np.bool_)
    for leaf in leaves:
        if leaf >= 0:
            found[leaf] = True
    for node in range(len(above) - 1, 0, -1):
        if found[node] and above[node] >= 0:
            found[above[node]] = True
    return found


# -------------------------------------------------------------------------------- in numbers


class ReadsGraphs(Architecture):
    """``settings`` has ``nodes``, how many of a graph are read, and ``vocabulary``, how many words
    are known. Words are in small letters, but where the answer is to be spelt as in the text. A
    name alone that has no known word is not read: all such would be one and the same."""

    def read(self, asked: Input, context: CodeContext | None = None) -> Features | None:
        return self.read_text(text_of(asked))

    def read_text(self, text: str) -> Features | None:
        graph = graph_of(
            text,
            self.settings.nodes,
            operator=self.purpose.task.endswith("operators"),
            lower=self.purpose.capability is not Capability.GENERATE,
        )
        if graph is None or (len(graph.kinds) == 1 and self._knows_none(graph.words)):
            return None
        features: dict[str, Any] = graph._asdict()
        for name in ("sources", "sinks", "edges"):
            features[name] = features[name].tolist()
        return features

    def _knows_none(self, words: Iterable[str]) -> bool:
        known = self.vocabularies.get("words")
        return known is not None and not any(word in known for word in words)

    def words(self, features: Features) -> Iterator[tuple[str, Iterable[str]]]:
        yield "kinds", features["kinds"]  # type: ignore[misc]
        yield "words", features["words"]  # type: ignore[misc]

    def learn_vocabularies(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self.vocabularies["kinds"] = Vocabulary.counted(counts["kinds"])
        self.vocabularies["words"] = Vocabulary.counted(counts["words"], self.settings.vocabulary)
        self.learn_labels(counts)

    def encode(self, features: Features) -> Encoded:
        made = {
            name: self.vocabularies[name].numbers(features[name])  # type: ignore[arg-type]
            for name in ("kinds", "words")
        }
        for name in ("sizes", "sources", "sinks", "edges"):
            made[name] = np.array(features[name], np.int32)
        return made
