"""What the nearest-neighbour namer sees of methods: words and path contexts, as hashes.

Features of a text depend on nothing but the text. Texts are read many at a time, as classes of one
file, which is six times as fast as one by one; if they do not come out as the classes they were put
in as, each is read alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from acumen.lang.columns import slices
from acumen.lang.java.file import JavaFile
from acumen.lang.java.snippet import parse_snippets
from acumen.lang.java.tokens import CODE
from acumen.lang.kernel import mixed
from acumen.lang.subtokens import subtokens
from acumen.models._retrieval_kernel import Keys, Offsets, distinct
from acumen.views.paths import paths

# Of each kind, tokens and paths, a method has at most so many features.
MOST = 200
_LARGEST = 1 << 17
_MOST_CONTEXTS = 1 << 20
_TOP = np.uint64(1 << 63)
_MOST_KNOWN = 1 << 16


@dataclass(frozen=True, slots=True)
class Features:
    """Of several methods, one after the other: distinct keys, and how often the method has each.
    Keys of paths have their highest bit set, those of tokens have not; they come first."""

    offsets: Offsets
    key: Keys
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def features(texts: Sequence[str]) -> Features:
    """Features of methods' texts, in which their names are masked."""
    return joined([one for some in _stretches(texts) for one in _read(some)])


def joined(parts: Sequence[Features]) -> Features:
    lengths = [np.diff(part.offsets) for part in parts]
    offsets = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
    key = np.concatenate([np.empty(0, np.uint64), *(part.key for part in parts)])
    return Features(
        offsets, key, np.concatenate([np.empty(0, np.int32), *(part.count for part in parts)])
    )


def kept(found: Features, wanted: NDArray[np.bool_]) -> Features:
    """The wanted features alone."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(wanted)])
    return Features(ends[found.offsets], found.key[wanted], found.count[wanted])


def _stretches(texts: Sequence[str]) -> list[list[bytes]]:
    """Texts cut where they would make too large a file."""
    found: list[list[bytes]] = []
    size = 0
    for text in texts:
        data = text.encode("utf-8", "replace")
        if not found or size + len(data) > _LARGEST:
            found.append([])
            size = 0
        found[-1].append(data)
        size += len(data)
    return found


def _read(texts: Sequence[bytes]) -> list[Features]:
    return [
        _both(_tokens(file, starts, stops), _paths(file, starts))
        for file, starts, stops in parse_snippets(texts)
    ]


def _both(tokens: Features, contexts: Features) -> Features:
    """The features of each method, those of its tokens before those of its paths."""
    lengths = np.stack([np.diff(tokens.offsets), np.diff(contexts.offsets)])
    where = np.concatenate([np.zeros(1, np.int64), lengths.T.ravel().cumsum()])
    key = np.empty(where[-1], dtype=np.uint64)
    count = np.empty(where[-1], dtype=np.int32)
    for part, one in enumerate((tokens, contexts)):
        shift = where[part:-1:2] - one.offsets[:-1]
        place = np.arange(len(one.key)) + np.repeat(shift, lengths[part])
        key[place], count[place] = one.key, one.count
    return Features(where[::2], key, count)


# --------------------------------------------------------------------------------------
# Tokens: identifiers whole and in their subtokens, all other tokens as they are spelt.
# --------------------------------------------------------------------------------------


def _tokens(file: JavaFile, start: Offsets, end: Offsets) -> Features:
    tokens = file.tokens
    first, last = (np.searchsorted(tokens.start, bytes_) for bytes_ in (start, end))
    codes, words = tokens.spellings(file.names.word_of, file.names.words)
    # A word may be both, an identifier here and the kind of a token there.
    codes = 2 * codes + (tokens.kind == CODE["IDENTIFIER"])
    chosen = slices(codes, first, last)
    used, place = np.unique(chosen.values, return_inverse=True)
    keys = [
        _identifier(words[code >> 1]) if code & 1 else _other(words[code >> 1])
        for code in used.tolist()
    ]
    flat, bounds = _flat(keys)
    found = slices(flat, bounds[place], bounds[place + 1])
    return Features(*distinct(found.values, found.offsets[chosen.offsets], MOST))


def _flat(lists: Sequence[tuple[int, ...]]) -> tuple[Keys, Offsets]:
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    bounds = np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
    return np.fromiter(chain.from_iterable(lists), np.uint64, bounds[-1]), bounds


def _hash(kind: str, word: str) -> int:
    """Python's own hash differs from run to run."""
    data = f"{kind} {word}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") >> 1


def _remembered(make: Callable[[str], tuple[int, ...]]) -> Callable[[str], tuple[int, ...]]:
    """The same few words make up most of any code. Long ones are mostly literals, met once."""
    known: dict[str, tuple[int, ...]] = {}

    def remembered(word: str) -> tuple[int, ...]:
        found = known.get(word)
        if found is None:
            found = make(word)
            if len(word) <= 40:
                if len(known) >= _MOST_KNOWN:
                    known.clear()
                known[word] = found
        return found

    return remembered


@_remembered
def _identifier(word: str) -> tuple[int, ...]:
    return (_hash("name", word), *(_hash("part", part.lower()) for part in subtokens(word)))


@_remembered
def _other(word: str) -> tuple[int, ...]:
    return (_hash("token", word),)


@_remembered
def _end(word: str) -> tuple[int, ...]:
    return (_hash("end", word),)


# --------------------------------------------------------------------------------------
# Path contexts: the path's hash and both its ends.
# --------------------------------------------------------------------------------------


def _paths(file: JavaFile, start: Offsets) -> Features:
    at = {
        int(file.syntax.start[method.node]): place
        for place, method in enumerate(file.declarations.methods)
    }
    rows = [row for row, byte in enumerate(start.tolist()) if byte in at]
    # As good as all contexts, and then a draw that depends on nothing but themselves.
    found = paths(file, [at[int(start[row])] for row in rows], most=_MOST_CONTEXTS)
    ends, _ = _flat([_end(word) for word in found.name.words or ()])
    names = ends[found.name.values] if len(ends) else np.empty(0, np.uint64)
    shift = np.repeat(found.leaf_offsets[:-1], np.diff(found.context_offsets))
    left, right = names[found.left + shift], names[found.right + shift]
    path = found.path.astype(np.int64).astype(np.uint64)
    keys = mixed(mixed(left + path) + right) | _TOP
    lengths = np.zeros(len(start), dtype=np.int64)
    lengths[rows] = np.diff(found.context_offsets)
    offsets = np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
    return Features(*distinct(keys, offsets, MOST))
