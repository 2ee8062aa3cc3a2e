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

from acumen.lang.columns import Ragged
from acumen.lang.java.file import parse_snippet
from acumen.lang.kernel import STEP, mixed
from acumen.models._lexer import MASK
from acumen.models.neural._paths_kernel import PLACES, distinct_paths
from acumen.views.paths import METHOD_NAME, Paths, paths
from acumen.views.paths.build import CALLS, DECLARES
from acumen.views.paths.leaves import NUMBERED, SHORT, name_of, parts_of

# Of a longer text the rest is never looked at.
_MOST_CHARACTERS = 200_000
# Masks are read as identifiers that stay one word in either way of naming leaves.
_HIDDEN = {METHOD_NAME: "acumenmethodname", MASK: "acumenmask"}
_SHOWN = {word: mask for mask, word in _HIDDEN.items()}
_MASKS = re.compile(rf"(?<![\w$]){METHOD_NAME}(?![\w$])|{MASK}")
_BARE = re.compile(r"[\w$]+")


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


def bare_name(text: str) -> str:
    """What code2vec calls a leaf that is this identifier."""
    return name_of(text)


def bare_parts(text: str) -> list[str]:
    """What code2seq makes of it."""
    return parts_of(text).split("|")


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
