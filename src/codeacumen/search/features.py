"""Tokens and path contexts of methods as hashed features, and the index of their tf-idf vectors.

``models.retrieval`` searches this index. There are two *families* of features, tokens and paths.
The *key* of a feature is a hash. The features of a text depend on the text alone. Many texts are
parsed together, as classes of one file, which is six times as fast as one by one; if the parsed
file has other classes than expected, each text is parsed alone.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.java.syntax.file import JavaFile, parse_snippets
from codeacumen.languages.java.syntax.tokens import CODE
from codeacumen.languages.kernel import mix_bits
from codeacumen.search.index import Columns, Offsets, Postings, Weights
from codeacumen.search.kernel import find_distinct_keys
from codeacumen.text.columns import take_slices
from codeacumen.text.subtokens import split_subtokens
from codeacumen.views.paths import build_paths

Keys = NDArray[np.uint64]

# Maximum number of features of a method in each family, tokens and paths.
MOST = 200
# Maximum size in bytes of the texts that are parsed together, unless a single text is larger.
_LARGEST = 1 << 17
# Maximum number of path contexts of a method that are extracted, before ``MOST`` are sampled.
_MOST_CONTEXTS = 1 << 20
# The highest bit of a key, which distinguishes paths from tokens.
_TOP = np.uint64(1 << 63)
# Maximum number of words in a cache.
_MOST_KNOWN = 1 << 16
# A query reads the postings of its rarest features first and stops before it would read more than
# this; the features left out are the most frequent ones.
MOST_POSTINGS = 100_000


@dataclass(frozen=True, slots=True)
class Features:
    """Distinct features of several methods, with counts.

    Method ``i`` has the keys ``key[offsets[i]:offsets[i + 1]]``, ascending. A key is a hash; keys
    of paths have the highest bit set, so they follow those of tokens.
    """

    offsets: Offsets
    key: Keys
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def select_keys(self, is_selected: NDArray[np.bool_]) -> Features:
        """Return the features whose entry in the mask is true, of the same methods."""
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_selected)])
        return Features(ends[self.offsets], self.key[is_selected], self.count[is_selected])


def extract_features(texts: Sequence[str]) -> Features:
    """Return the features of methods' texts, in which the methods' names are masked."""
    return join_features(
        [part for batch in _split_into_batches(texts) for part in _extract_batch(batch)]
    )


def join_features(parts: Sequence[Features]) -> Features:
    """Return the features of all methods of all parts, in order."""
    lengths = [np.diff(part.offsets) for part in parts]
    offsets = np.concatenate([np.zeros(1, np.int64), *lengths]).cumsum()
    key = np.concatenate([np.empty(0, np.uint64), *(part.key for part in parts)])
    return Features(
        offsets, key, np.concatenate([np.empty(0, np.int32), *(part.count for part in parts)])
    )


def _split_into_batches(texts: Sequence[str]) -> list[list[bytes]]:
    """Return the texts in UTF-8, in batches of limited size that are parsed together."""
    batches: list[list[bytes]] = []
    size = 0
    for text in texts:
        data = text.encode("utf-8", "replace")
        if not batches or size + len(data) > _LARGEST:
            batches.append([])
            size = 0
        batches[-1].append(data)
        size += len(data)
    return batches


def _extract_batch(texts: Sequence[bytes]) -> list[Features]:
    return [
        _merge_families(_extract_tokens(file, starts, stops), _extract_paths(file, starts))
        for file, starts, stops in parse_snippets(texts)
    ]


def _merge_families(tokens: Features, contexts: Features) -> Features:
    """Return the features of each method, those of its tokens before those of its paths."""
    lengths = np.stack([np.diff(tokens.offsets), np.diff(contexts.offsets)])
    # In the result, the tokens of method i begin at ``where[2 * i]`` and its paths at the next
    # entry of ``where``.
    where = np.concatenate([np.zeros(1, np.int64), lengths.T.ravel().cumsum()])
    key = np.empty(where[-1], dtype=np.uint64)
    count = np.empty(where[-1], dtype=np.int32)
    for index, family in enumerate((tokens, contexts)):
        shift = where[index:-1:2] - family.offsets[:-1]
        place = np.arange(len(family.key)) + np.repeat(shift, lengths[index])
        key[place], count[place] = family.key, family.count
    return Features(where[::2], key, count)


# --------------------------------------------------------------------------------------
# Tokens: identifiers and their subtokens, and the spelling of all other tokens.
# --------------------------------------------------------------------------------------


def _extract_tokens(file: JavaFile, start: Offsets, end: Offsets) -> Features:
    """Return the token features of the methods at the given byte ranges of a file."""
    tokens = file.tokens
    first, last = (np.searchsorted(tokens.start, bytes_) for bytes_ in (start, end))
    codes, words = tokens.number_spellings(file.names.word_of, file.names.words)
    # A word may be an identifier in one place and another kind of token elsewhere, so the lowest
    # bit of a code is 1 for an identifier.
    codes = 2 * codes + (tokens.kind == CODE["IDENTIFIER"])
    chosen = take_slices(codes, first, last)
    used, place = np.unique(chosen.values, return_inverse=True)
    keys = [
        _hash_identifier(words[code >> 1]) if code & 1 else _hash_token(words[code >> 1])
        for code in used.tolist()
    ]
    flat, bounds = _flatten(keys)
    features = take_slices(flat, bounds[place], bounds[place + 1])
    return Features(*find_distinct_keys(features.values, features.offsets[chosen.offsets], MOST))


def _flatten(lists: Sequence[tuple[int, ...]]) -> tuple[Keys, Offsets]:
    """Return all keys in one array, and the offsets of each list in it."""
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    bounds = np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
    return np.fromiter(chain.from_iterable(lists), np.uint64, bounds[-1]), bounds


def _hash_word(kind: str, word: str) -> int:
    """Return a 63-bit hash of a word that is the same in all runs, unlike Python's own hash."""
    data = f"{kind} {word}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little") >> 1


def _cache_short_words(
    hash_word: Callable[[str], tuple[int, ...]],
) -> Callable[[str], tuple[int, ...]]:
    """Return the function with a cache of its results for words of at most 40 characters.

    A few words are most of the tokens of any code. Long ones are mostly literals that occur once.
    """
    cache: dict[str, tuple[int, ...]] = {}

    def hash_with_cache(word: str) -> tuple[int, ...]:
        hashes = cache.get(word)
        if hashes is None:
            hashes = hash_word(word)
            if len(word) <= 40:
                if len(cache) >= _MOST_KNOWN:
                    cache.clear()
                cache[word] = hashes
        return hashes

    return hash_with_cache


@_cache_short_words
def _hash_identifier(word: str) -> tuple[int, ...]:
    return (
        _hash_word("name", word),
        *(_hash_word("part", part.lower()) for part in split_subtokens(word)),
    )


@_cache_short_words
def _hash_token(word: str) -> tuple[int, ...]:
    return (_hash_word("token", word),)


@_cache_short_words
def _hash_path_end(word: str) -> tuple[int, ...]:
    return (_hash_word("end", word),)


# --------------------------------------------------------------------------------------
# Path contexts: the path's hash and the words at its two ends.
# --------------------------------------------------------------------------------------


def _extract_paths(file: JavaFile, start: Offsets) -> Features:
    """Return the path features of the methods that begin at the given bytes of a file."""
    method_at_byte = {
        int(file.syntax.start[method.node]): method_index
        for method_index, method in enumerate(file.declarations.methods)
    }
    rows = [row for row, byte in enumerate(start.tolist()) if byte in method_at_byte]
    # Extract practically all contexts. `find_distinct_keys` then samples them by their hashes, so
    # the sample depends on the contexts alone.
    contexts = build_paths(
        file, [method_at_byte[int(start[row])] for row in rows], max_contexts=_MOST_CONTEXTS
    )
    ends, _ = _flatten([_hash_path_end(word) for word in contexts.name.words or ()])
    names = ends[contexts.name.values] if len(ends) else np.empty(0, np.uint64)
    # ``left`` and ``right`` count the leaves of each method from 0.
    shift = np.repeat(contexts.leaf_offsets[:-1], np.diff(contexts.context_offsets))
    left, right = names[contexts.left + shift], names[contexts.right + shift]
    path = contexts.path.astype(np.int64).astype(np.uint64)
    keys = mix_bits(mix_bits(left + path) + right) | _TOP
    lengths = np.zeros(len(start), dtype=np.int64)
    lengths[rows] = np.diff(contexts.context_offsets)
    offsets = np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
    return Features(*find_distinct_keys(keys, offsets, MOST))


# --------------------------------------------------------------------------------------
# The index: the cosine of tf-idf vectors.
# --------------------------------------------------------------------------------------


class FeatureIndex:
    """An inverted index of methods by the cosine of their tf-idf vectors.

    The token features and the path features of a method are normalised separately and then weighted
    by their shares of the squared norm. ``key`` has the distinct features, ascending; a feature's
    position in it is its column, and ``rarity`` has its inverse document frequency.
    """

    def __init__(self, parts: Iterable[Features], paths: float) -> None:
        """Build the index; ``paths`` is the share of the paths, from 0 (tokens alone) to 1."""
        self.shares = np.sqrt(np.array([1.0 - paths, paths]))
        rows = join_features([self._with_shares(part) for part in parts])
        self.key, inverse, sizes = np.unique(rows.key, return_inverse=True, return_counts=True)
        column = inverse.astype(np.int32)
        self.rarity = np.log((1.0 + len(rows)) / (1.0 + sizes))
        method = np.repeat(np.arange(len(rows), dtype=np.int32), np.diff(rows.offsets))
        self.postings = Postings.from_rows(
            column, method, self._compute_weights(rows, column), sizes, len(rows)
        )

    def __len__(self) -> int:
        return self.postings.method_count

    def find_nearest(
        self, queries: Features, left_out: Offsets, k: int
    ) -> tuple[Offsets, NDArray[np.float64]]:
        """Return the ``k`` nearest methods of each query and their cosines, nearest first.

        Methods are numbers in the order of the parts, or -1 if fewer than ``k`` have a feature of
        the query. ``left_out`` has for each query a method to leave out, or -1.
        """
        queries = self._with_shares(queries)
        position = np.searchsorted(self.key, queries.key)
        # A key after the last one has the position of the appended 0.
        is_known = np.append(self.key, np.uint64(0))[position] == queries.key
        is_known &= position < len(self.key)
        queries, column = queries.select_keys(is_known), position[is_known].astype(np.int32)
        weight = self._compute_weights(queries, column)
        query = np.repeat(np.arange(len(queries)), np.diff(queries.offsets))
        order = np.lexsort((-self.rarity[column], query))
        return self.postings.find_nearest(
            queries.offsets, column[order], weight[order], left_out, k, MOST_POSTINGS
        )

    def _with_shares(self, rows: Features) -> Features:
        """Return the features without the family whose share is 0."""
        if self.shares.all():
            return rows
        # The highest bit of a key is the family: 0 for tokens, 1 for paths, as in ``shares``.
        return rows.select_keys(self.shares[rows.key >> np.uint64(63)] > 0)

    def _compute_weights(self, rows: Features, column: Columns) -> Weights:
        """Return the tf-idf of each row's features, with tokens and paths scaled to their shares.

        ``column`` has the column of each feature. The term frequency is 1 + ln(count).
        """
        # math.log, because numpy's logarithm may differ in the last digit between processors.
        highest = int(rows.count.max(initial=0))
        frequency = np.array([0.0, *(1.0 + math.log(n) for n in range(1, highest + 1))])
        weight = frequency[rows.count] * self.rarity[column]
        family = (rows.key >> np.uint64(63)).astype(np.int64)
        # Each method has two vectors, one for each family, which are normalised separately.
        vector = 2 * np.repeat(np.arange(len(rows)), np.diff(rows.offsets)) + family
        length = np.sqrt(np.bincount(vector, weight * weight, 2 * len(rows)))[vector]
        scale = np.divide(self.shares[family], length, out=np.ones(len(weight)), where=weight > 0)
        weights: Weights = (weight * scale).astype(np.float32)
        return weights
