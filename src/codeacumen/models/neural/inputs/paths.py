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
from codeacumen.languages.kernel import STEP, kernel, mixed
from codeacumen.models.lexer import MASK
from codeacumen.text.columns import Ragged
from codeacumen.views.paths import METHOD_NAME, Paths, paths
from codeacumen.views.paths.build import CALLS, DECLARES
from codeacumen.views.paths.leaves import NUMBERED, SHORT

# Of a longer text the rest is never looked at.
_MOST_CHARACTERS = 200_000
# Masks are read as identifiers that stay one word in either way of naming leaves.
_HIDDEN = {METHOD_NAME: "codeacumenmethodname", MASK: "codeacumenmask"}
_SHOWN = {word: mask for mask, word in _HIDDEN.items()}
_MASKS = re.compile(rf"(?<![\w$]){METHOD_NAME}(?![\w$])|{MASK}")
_BARE = re.compile(r"[\w$]+")
Ints = NDArray[np.int32]
# A node's code is its kind times this, and 1 + its place among its siblings where that is told.
PLACES = 5
_LAST = PLACES - 2


@dataclass(frozen=True, slots=True)
class Reading:
    """``length`` bounds the edges of a path, ``width`` how far apart its branches are, ``keep``
    how many contexts there are."""

    length: int = 8
    width: int = 2
    keep: int = 1000


@dataclass(frozen=True, slots=True)
class Contexts:
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


def is_bare(text: str) -> bool:
    """Whether it is one identifier, with no code around it."""
    return _BARE.fullmatch(text) is not None


def code2vec_contexts(text: str, how: Reading) -> Contexts | None:
    """Leaves by one name each, paths by their hash; None where no two leaves are joined."""
    read = _read(text, how)
    if read is None:
        return None
    found, order = read
    codes, path = np.unique(found.path[order], return_inverse=True)
    words, left, right = _ends(found.name, found, order)
    hashes = list(map(str, codes.tolist()))
    return Contexts(words, left, path.astype(np.int32), right, hashes, [], [])


def code2seq_contexts(text: str, how: Reading) -> Contexts | None:
    """Leaves by their parts, joined by bars; paths by their nodes."""
    read = _read(text, how)
    if read is None:
        return None
    found, order = read
    ends = np.stack([found.leaf[found.left[order]], found.leaf[found.right[order]]], 1)
    rows = np.empty((len(ends) + 1, how.length + 1), np.int32)
    sizes, path = np.empty(len(rows), np.int32), np.empty(len(ends), np.int32)
    count = distinct_paths(
        found.kind, found.parent, found.child, _numbered(), ends, rows, sizes, path
    )
    inside = np.arange(rows.shape[1]) < sizes[:count, None]
    names = _node_names()
    nodes = [names[code] for code in rows[:count][inside].tolist()]
    words, left, right = _ends(found.parts, found, order)
    return Contexts(words, left, path, right, [], nodes, sizes[:count].tolist())


def _read(text: str, how: Reading) -> tuple[Paths, NDArray[np.int64]] | None:
    """The contexts of the first method that has a body, and the order they are told in."""
    shown = _MASKS.sub(lambda mask: _HIDDEN[mask[0]], text[:_MOST_CHARACTERS])
    data = shown.encode("utf-8", "replace")
    file = parse_snippet(data, trailing_newline=True).file
    declared = file.declarations.methods
    methods = [place for place in file.bodies if declared[place].kind == "method"]
    if not methods:
        return None
    first = min(methods, key=lambda place: declared[place].node)
    digest = hashlib.blake2b(data, digest_size=8).digest()
    seed = np.frombuffer(digest, np.uint64)
    found = paths(file, [first], seed.copy(), length=how.length, width=how.width, most=how.keep)
    if not len(found.path):
        return None
    turn = np.arange(1, len(found.path) + 1, dtype=np.uint64) * STEP
    return found, np.argsort(mixed(turn + seed), kind="stable")


def _ends(
    names: Ragged, found: Paths, order: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int32]]:
    """What the leaves of contexts are called, and which of it each end is. The method's own name
    is hidden, and with it gone from the words."""
    words = (*(names.words or ()), METHOD_NAME)
    own = (found.role == DECLARES) | (found.role == CALLS)
    called = np.where(own, np.int32(len(words) - 1), names.values)
    ends = np.concatenate([found.left[order], found.right[order]])
    used, place = np.unique(called[ends], return_inverse=True)
    shown = [
        "|".join(_SHOWN.get(part, part) for part in words[at].split("|")) for at in used.tolist()
    ]
    left, right = place.astype(np.int32).reshape(2, -1)
    return shown, left, right


@lru_cache(maxsize=1)
def _node_names() -> list[str]:
    """By the codes of the kernel."""
    places = ["", *map(str, range(PLACES - 1))]
    return [f"{kind}{place}" for kind in SHORT for place in places]


@lru_cache(maxsize=1)
def _numbered() -> NDArray[np.bool_]:
    return np.array(NUMBERED)


# ---------------------------------------------------------------- the kernel


@kernel
def _code(kind: int, place: int, told: bool) -> int:
    return kind * PLACES + (1 + min(place, _LAST) if told else 0)


@kernel
def distinct_paths(
    kind: NDArray[np.uint8],
    parent: Ints,
    child: Ints,
    numbered: NDArray[np.bool_],
    ends: Ints,
    rows: Ints,
    sizes: Ints,
    which: Ints,
) -> int:
    """Fills ``rows`` with the paths between ``ends`` (pairs of nodes), ``sizes`` with their
    lengths, ``which`` with the path of each pair; how many different ones there are.

    Of two nodes the later one is never above the other, so it may climb: no step is taken beyond
    the path. Which places are told is not the same on the way up and on the way down, as in the
    extractor (``views.paths.build.path_string`` has the rule in words).
    """
    room = 4
    while room < 2 * len(ends):
        room *= 2
    table = np.full(room, -1, np.int32)
    longest = rows.shape[1]
    down = np.empty(longest, np.int32)
    count = 0
    for pair in range(len(ends)):
        source, target = ends[pair, 0], ends[pair, 1]
        size, below = 0, 0
        while source != target and size + below < longest - 1:
            if source > target:
                above = parent[source]
                told = source == ends[pair, 0] or (above >= 0 and numbered[kind[above]])
                rows[count, size] = _code(kind[source], child[source], told)
                size += 1
                source = above
            else:
                down[below] = target
                below += 1
                target = parent[target]
        above = parent[source]
        told = above >= 0 and numbered[kind[above]]
        rows[count, size] = _code(kind[source], child[source], told)
        size += 1
        for at in range(below - 1, -1, -1):
            node = down[at]
            told = node == ends[pair, 1] or numbered[kind[node]]
            rows[count, size] = _code(kind[node], child[node], told)
            size += 1
        sizes[count] = size
        key = np.uint64(size)
        for at in range(size):
            key = (key ^ np.uint64(rows[count, at])) * np.uint64(0x100000001B3)
        place = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(0x7FFFFFFF)) % room
        while True:
            known = table[place]
            if known < 0:
                table[place] = count
                which[pair] = count
                count += 1
                break
            same = sizes[known] == size
            for at in range(size):
                same = same and rows[known, at] == rows[count, at]
            if same:
                which[pair] = known
                break
            place = (place + 1) % room
    return count
