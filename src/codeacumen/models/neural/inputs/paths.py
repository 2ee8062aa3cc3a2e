"""Path contexts of a method, as code2vec and code2seq read them; extracted from its text alone.

A path context is two leaves of the syntax tree and the path between them.
Contexts are in a random order with a seed from the text: the first k are a random sample of k, and
the same text has the same contexts on every machine.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.file import parse_snippet
from codeacumen.languages.kernel import STEP, kernel, mix_bits
from codeacumen.models.lexer import MASK
from codeacumen.text.columns import Ragged
from codeacumen.views.paths import METHOD_NAME, Paths, build_paths
from codeacumen.views.paths.build import CALLS, DECLARES
from codeacumen.views.paths.leaves import NUMBERED, SHORT

# Longer texts are cut off.
_MAX_CHARACTERS = 200_000
# Identifiers that replace masks in the parsed text; code2vec and code2seq take each as one word.
_HIDDEN = {METHOD_NAME: "codeacumenmethodname", MASK: "codeacumenmask"}
_MASK_OF_HIDDEN = {word: mask for mask, word in _HIDDEN.items()}
_MASKS = re.compile(rf"(?<![\w$]){METHOD_NAME}(?![\w$])|{MASK}")
# A text that is only an identifier.
_BARE = re.compile(r"[\w$]+")
Ints = NDArray[np.int32]
# A node's code is CODES_PER_KIND * kind, plus 1 + its index among its siblings, at most
# _MAX_CHILD_INDEX, if the path includes this index.
CODES_PER_KIND = 5
_MAX_CHILD_INDEX = CODES_PER_KIND - 2


@dataclass(frozen=True, slots=True)
class PathLimits:
    """Limits of paths and of their number.

    ``length`` is the maximum number of a path's edges, ``width`` that of the distance between its
    branches at their common node, and ``keep`` the maximum number of contexts of a method.
    """

    length: int = 8
    width: int = 2
    keep: int = 1000


@dataclass(frozen=True, slots=True)
class PathContexts:
    """The path contexts of a method, with an entry of ``left``, ``path`` and ``right`` for each.

    ``left`` and ``right`` index ``words``. For code2vec ``path`` indexes ``hashes``, decimal
    numbers; ``nodes`` and ``sizes`` are empty. For code2seq ``path`` indexes paths: path ``i`` is
    the next ``sizes[i]`` entries of ``nodes``; ``hashes`` is empty.
    """

    words: list[str]
    left: NDArray[np.int32]
    path: NDArray[np.int32]
    right: NDArray[np.int32]
    hashes: list[str]
    nodes: list[str]
    sizes: list[int]


def is_identifier(text: str) -> bool:
    """Return True if the text is a single identifier, without code around it."""
    return _BARE.fullmatch(text) is not None


def extract_code2vec_contexts(text: str, limits: PathLimits) -> PathContexts | None:
    """Return the contexts with a name for each leaf and a hash for each path.

    Return None if the method has no path context.
    """
    extracted = _extract_paths(text, limits)
    if extracted is None:
        return None
    method_paths, order = extracted
    codes, path = np.unique(method_paths.path[order], return_inverse=True)
    words, left, right = _name_ends(method_paths.name, method_paths, order)
    hashes = list(map(str, codes.tolist()))
    return PathContexts(words, left, path.astype(np.int32), right, hashes, [], [])


def extract_code2seq_contexts(text: str, limits: PathLimits) -> PathContexts | None:
    """Return the contexts with the subtokens of each leaf, joined by "|", and each path's nodes.

    Return None if the method has no path context.
    """
    extracted = _extract_paths(text, limits)
    if extracted is None:
        return None
    method_paths, order = extracted
    ends = np.stack(
        [method_paths.leaf[method_paths.left[order]], method_paths.leaf[method_paths.right[order]]],
        1,
    )
    rows = np.empty((len(ends) + 1, limits.length + 1), np.int32)
    sizes, path = np.empty(len(rows), np.int32), np.empty(len(ends), np.int32)
    count = find_distinct_paths(
        method_paths.kind,
        method_paths.parent,
        method_paths.child,
        _flag_numbered_kinds(),
        ends,
        rows,
        sizes,
        path,
    )
    inside = np.arange(rows.shape[1]) < sizes[:count, None]
    names = _node_names()
    nodes = [names[code] for code in rows[:count][inside].tolist()]
    words, left, right = _name_ends(method_paths.parts, method_paths, order)
    return PathContexts(words, left, path, right, [], nodes, sizes[:count].tolist())


def _extract_paths(text: str, limits: PathLimits) -> tuple[Paths, NDArray[np.int64]] | None:
    """Return the paths of the first method with a body, and their random order.

    Return None without such a method, and for a method without a path context.
    """
    masked_text = _MASKS.sub(lambda mask: _HIDDEN[mask[0]], text[:_MAX_CHARACTERS])
    data = masked_text.encode("utf-8", "replace")
    file = parse_snippet(data, trailing_newline=True).file
    declared = file.declarations.methods
    methods_with_body = [method for method in file.bodies if declared[method].kind == "method"]
    if not methods_with_body:
        return None
    first = min(methods_with_body, key=lambda method: declared[method].node)
    digest = hashlib.blake2b(data, digest_size=8).digest()
    seed = np.frombuffer(digest, np.uint64)
    method_paths = build_paths(
        file,
        [first],
        seed.copy(),
        max_length=limits.length,
        max_width=limits.width,
        max_contexts=limits.keep,
    )
    if not len(method_paths.path):
        return None
    counters = np.arange(1, len(method_paths.path) + 1, dtype=np.uint64) * STEP
    return method_paths, np.argsort(mix_bits(counters + seed), kind="stable")


def _name_ends(
    names: Ragged, method_paths: Paths, order: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int32]]:
    """Return the distinct words of the leaves, and the index of each context's left and right one.

    ``order`` has the positions of the contexts, in the order of the result. METHOD_NAME replaces
    the method's own name, in its declaration and in recursive calls.
    """
    words = (*(names.words or ()), METHOD_NAME)
    is_own_name = (method_paths.role == DECLARES) | (method_paths.role == CALLS)
    word_of_leaf = np.where(is_own_name, np.int32(len(words) - 1), names.values)
    ends = np.concatenate([method_paths.left[order], method_paths.right[order]])
    used_words, index_of_end = np.unique(word_of_leaf[ends], return_inverse=True)
    end_words = [
        "|".join(_MASK_OF_HIDDEN.get(part, part) for part in words[word].split("|"))
        for word in used_words.tolist()
    ]
    left, right = index_of_end.astype(np.int32).reshape(2, -1)
    return end_words, left, right


@lru_cache(maxsize=1)
def _node_names() -> list[str]:
    """Return the names of nodes, indexed by the codes of ``_encode_node``."""
    places = ["", *map(str, range(CODES_PER_KIND - 1))]
    return [f"{kind}{place}" for kind in SHORT for place in places]


@lru_cache(maxsize=1)
def _flag_numbered_kinds() -> NDArray[np.bool_]:
    """Return for each kind of node whether paths include its children's index among siblings."""
    return np.array(NUMBERED)


# ---------------------------------------------------------------- the kernel


@kernel
def _encode_node(kind: int, child_index: int, is_numbered: bool) -> int:
    """Return the code of a node of a path; ``CODES_PER_KIND`` explains it."""
    return kind * CODES_PER_KIND + (1 + min(child_index, _MAX_CHILD_INDEX) if is_numbered else 0)


@kernel
def find_distinct_paths(
    kind: NDArray[np.uint8],
    parent: Ints,
    child: Ints,
    numbered: NDArray[np.bool_],
    ends: Ints,
    rows: Ints,
    sizes: Ints,
    path_of_pair: Ints,
) -> int:
    """Compute the distinct paths between pairs of nodes, and return how many there are.

    ``kind``, ``parent`` (-1 for the root) and ``child``, the index among the siblings, have an
    entry for each node, ``numbered`` for each kind. ``ends`` (pairs, 2) has the nodes. The output
    goes to ``rows`` (pairs + 1, longest path), the codes of each path's nodes, to ``sizes``, the
    paths' lengths in nodes, and to ``path_of_pair``, the index of each pair's path; ``rows`` has a
    spare row for the path under construction.

    A parent precedes its children, so of two nodes the later one is not an ancestor of the other.
    The loop replaces the later node by its parent until both meet at their lowest common ancestor.
    As in code2vec's extractor, nodes on the way up and on the way down have an index among their
    siblings under different conditions (see ``views.paths.build.path_string``).
    """
    table_size = 4
    while table_size < 2 * len(ends):
        table_size *= 2
    table = np.full(table_size, -1, np.int32)
    max_nodes = rows.shape[1]
    # Nodes from the right end upwards; they are appended to the path in reverse.
    down = np.empty(max_nodes, np.int32)
    count = 0
    for pair in range(len(ends)):
        source, target = ends[pair, 0], ends[pair, 1]
        size, down_size = 0, 0
        while source != target and size + down_size < max_nodes - 1:
            if source > target:
                parent_node = parent[source]
                is_numbered = source == ends[pair, 0] or (
                    parent_node >= 0 and numbered[kind[parent_node]]
                )
                rows[count, size] = _encode_node(kind[source], child[source], is_numbered)
                size += 1
                source = parent_node
            else:
                down[down_size] = target
                down_size += 1
                target = parent[target]
        parent_node = parent[source]
        is_numbered = parent_node >= 0 and numbered[kind[parent_node]]
        rows[count, size] = _encode_node(kind[source], child[source], is_numbered)
        size += 1
        for at in range(down_size - 1, -1, -1):
            node = down[at]
            is_numbered = node == ends[pair, 1] or numbered[kind[node]]
            rows[count, size] = _encode_node(kind[node], child[node], is_numbered)
            size += 1
        sizes[count] = size
        # A hash of the path, computed as in FNV-1a, is looked up in ``table`` by linear probing. An
        # entry is the index of a distinct path, or -1 if it is free.
        key = np.uint64(size)
        for at in range(size):
            key = (key ^ np.uint64(rows[count, at])) * np.uint64(0x100000001B3)
        slot = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(0x7FFFFFFF)) % table_size
        while True:
            candidate = table[slot]
            if candidate < 0:
                table[slot] = count
                path_of_pair[pair] = count
                count += 1
                break
            is_same = sizes[candidate] == size
            for at in range(size):
                is_same = is_same and rows[candidate, at] == rows[count, at]
            if is_same:
                path_of_pair[pair] = candidate
                break
            slot = (slot + 1) % table_size
    return count
