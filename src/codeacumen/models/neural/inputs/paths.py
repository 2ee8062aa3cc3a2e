"""What code2vec and code2seq read: the path contexts of a method, found in its text alone.

Contexts stand in an order that is drawn by the text: so the first k of them are k drawn ones, and
the same text has the same contexts everywhere.
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

# Of a longer text the rest is never looked at.
_MAX_CHARACTERS = 200_000
# Masks are read as identifiers that stay one word in either way of naming leaves.
_HIDDEN = {METHOD_NAME: "codeacumenmethodname", MASK: "codeacumenmask"}
_MASK_OF_HIDDEN = {word: mask for mask, word in _HIDDEN.items()}
_MASKS = re.compile(rf"(?<![\w$]){METHOD_NAME}(?![\w$])|{MASK}")
_BARE = re.compile(r"[\w$]+")
Ints = NDArray[np.int32]
# A node's code is its kind times this, and 1 + its place among its siblings where that is told.
CODES_PER_KIND = 5
_MAX_CHILD_INDEX = CODES_PER_KIND - 2


@dataclass(frozen=True, slots=True)
class PathLimits:
    """``length`` bounds the edges of a path, ``width`` how far apart its branches are, ``keep``
    how many contexts there are."""

    length: int = 8
    width: int = 2
    keep: int = 1000


@dataclass(frozen=True, slots=True)
class PathContexts:
    """``left`` and ``right`` are places in ``words``, ``path`` in what a model calls its paths:
    ``hashes`` as text for code2vec; for code2seq ``nodes``, of which ``sizes`` says how many are
    each path's."""

    words: list[str]
    left: NDArray[np.int32]
    path: NDArray[np.int32]
    right: NDArray[np.int32]
    hashes: list[str]
    nodes: list[str]
    sizes: list[int]


def is_identifier(text: str) -> bool:
    """Whether it is one identifier, with no code around it."""
    return _BARE.fullmatch(text) is not None


def extract_code2vec_contexts(text: str, limits: PathLimits) -> PathContexts | None:
    """Leaves by one name each, paths by their hash; None where no two leaves are joined."""
    extracted = _extract_paths(text, limits)
    if extracted is None:
        return None
    method_paths, order = extracted
    codes, path = np.unique(method_paths.path[order], return_inverse=True)
    words, left, right = _name_ends(method_paths.name, method_paths, order)
    hashes = list(map(str, codes.tolist()))
    return PathContexts(words, left, path.astype(np.int32), right, hashes, [], [])


def extract_code2seq_contexts(text: str, limits: PathLimits) -> PathContexts | None:
    """Leaves by their parts, joined by bars; paths by their nodes."""
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
    """The contexts of the first method that has a body, and the order they are told in."""
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
    """What the leaves of contexts are called, and which of it each end is. The method's own name
    is hidden, and with it gone from the words."""
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
    """By the codes of the kernel."""
    places = ["", *map(str, range(CODES_PER_KIND - 1))]
    return [f"{kind}{place}" for kind in SHORT for place in places]


@lru_cache(maxsize=1)
def _flag_numbered_kinds() -> NDArray[np.bool_]:
    return np.array(NUMBERED)


# ---------------------------------------------------------------- the kernel


@kernel
def _encode_node(kind: int, child_index: int, is_numbered: bool) -> int:
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
    """Fills ``rows`` with the paths between ``ends`` (pairs of nodes), ``sizes`` with their
    lengths, ``which`` with the path of each pair; how many different ones there are.

    Of two nodes the later one is never above the other, so it may climb: no step is taken beyond
    the path. Which places are told is not the same on the way up and on the way down, as in the
    extractor (``views.paths.build.path_string`` has the rule in words).
    """
    table_size = 4
    while table_size < 2 * len(ends):
        table_size *= 2
    table = np.full(table_size, -1, np.int32)
    max_nodes = rows.shape[1]
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
