"""Bags of hashed items of methods, and the cosine of two bags weighted by inverse document
frequency.

An item is a number of 64 bits: the hash of a word, a path, or a subtree of a graph. ``prepare``
gives a model all texts of the task, without their labels, before its first question; it weighs an
item by its rarity in them. Without ``prepare`` all items weigh the same.

A text is the method alone, or a class with only what the method needs, the method first, as the
raters of SeSaMe's pairs saw it. Comments may be removed, and names may be masked: ``v1``, ``v2``
and so on replace all names that a programmer chose.

The compiled loops take bags as sorted keys with a value each, concatenated; ``offsets`` has the
start of each bag, and the end of the last.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.api import Pair
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.file import JavaFile
from codeacumen.languages.kernel import kernel

# Tasks whose pairs are texts of methods; the models refuse others.
SUPPORTED_TASKS = ("sesame", "similarity")
# Number of texts whose features a model caches: more than a benchmark has.
MAX_CACHED_TEXTS = 1 << 14

_MASKED = re.compile(r"v[0-9]+").fullmatch


class ParsedMethod:
    """A text as a Java file with its method.

    ``method`` is an index of ``file.declarations.methods``; NONE if no method has a body.
    """

    def __init__(self, text: str) -> None:
        self.file = JavaFile(text.encode("utf-8", "surrogatepass"))
        self.method = self._find_method()

    def _find_method(self) -> int:
        """Return the first method with a body; a constructor only if there is no method."""
        declared = self.file.declarations.methods
        bodies = self.file.bodies
        methods = [index for index in bodies if declared[index].kind == "method"]
        return min(methods or bodies, key=lambda index: declared[index].node, default=NONE)

    @property
    def span(self) -> tuple[int, int]:
        """Range of the method's nodes; all nodes of the file if there is no method."""
        syntax = self.file.syntax
        if self.method == NONE:
            return 0, len(syntax)
        node = self.file.declarations.methods[self.method].node
        return node, int(syntax.stop[node])


def is_masked(name: str) -> bool:
    """Return True if the name is the mask of a hidden name."""
    return _MASKED(name) is not None


@lru_cache(maxsize=1 << 18)
def hash_word(word: str) -> int:
    """Return a 64-bit hash of a word, the same on every machine."""
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def hash_words(words: list[str] | tuple[str, ...]) -> NDArray[np.uint64]:
    """Return the 64-bit hash of each word."""
    return np.fromiter(map(hash_word, words), np.uint64, len(words))


Keys = NDArray[np.uint64]
Values = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel
def compute_dot_products(
    keys: Keys,
    offsets: Indices,
    left_values: Values,
    right_values: Values,
    left: Indices,
    right: Indices,
) -> Values:
    """Return the dot product of each pair of bags, over their common keys.

    ``left_values`` and ``right_values`` are the values of the keys in a left and in a right bag.
    The order of summation is fixed, so that a result does not depend on the other pairs.
    """
    results = np.zeros(len(left), np.float64)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        total = 0.0
        while a < a_end and b < b_end:
            if keys[a] < keys[b]:
                a += 1
            elif keys[b] < keys[a]:
                b += 1
            else:
                total += left_values[a] * right_values[b]
                a += 1
                b += 1
        results[i] = total
    return results


@kernel
def sum_minima_and_maxima(
    keys: Keys, offsets: Indices, values: Values, left: Indices, right: Indices
) -> tuple[Values, Values]:
    """Return for each pair of bags the sums of the minima and of the maxima of their values."""
    least, most = np.zeros(len(left), np.float64), np.zeros(len(left), np.float64)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        low, high = 0.0, 0.0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and keys[a] < keys[b]):
                high += values[a]
                a += 1
            elif a == a_end or keys[b] < keys[a]:
                high += values[b]
                b += 1
            else:
                low += min(values[a], values[b])
                high += max(values[a], values[b])
                a += 1
                b += 1
        least[i], most[i] = low, high
    return least, most


Floats = NDArray[np.float64]


class Bag(NamedTuple):
    """Distinct items in ascending order, and the number of occurrences of each."""

    keys: NDArray[np.uint64]
    counts: Floats


def count_items(items: NDArray[np.uint64]) -> Bag:
    """Return the bag of some items, which may repeat."""
    keys, counts = np.unique(items, return_counts=True)
    return Bag(keys, counts.astype(np.float64))


class JoinedBags(NamedTuple):
    """The bags of the distinct texts of some pairs, concatenated.

    ``left`` and ``right`` are the indices of each pair's two bags.
    """

    keys: NDArray[np.uint64]
    counts: Floats
    offsets: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]


def join_bags(pairs: Sequence[Pair], bag: Callable[[str], Bag]) -> JoinedBags:
    """Return the bags of the distinct texts of some pairs, concatenated."""
    left, right, texts = index_texts(pairs)
    bags = [bag(text) for text in texts]
    offsets = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(text_bag.keys) for text_bag in bags], out=offsets[1:])
    keys = np.concatenate([np.empty(0, np.uint64), *(text_bag.keys for text_bag in bags)])
    counts = np.concatenate([np.empty(0), *(text_bag.counts for text_bag in bags)])
    return JoinedBags(keys, counts, offsets, left, right)


def index_texts(
    pairs: Sequence[Pair],
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Return for each pair the indices of its left and right text, and the distinct texts."""
    text_indices = {text: i for i, text in enumerate(_list_distinct_texts(pairs))}
    left = np.fromiter((text_indices[pair.left] for pair in pairs), np.int64, len(pairs))
    right = np.fromiter((text_indices[pair.right] for pair in pairs), np.int64, len(pairs))
    return left, right, list(text_indices)


def _list_distinct_texts(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(text for pair in pairs for text in (pair.left, pair.right)))


class InverseDocumentFrequency:
    """Inverse document frequency of items in the texts of a task, one bag for each text."""

    def __init__(self, bags: Sequence[Bag] = ()) -> None:
        self.text_count = len(bags)
        keys = np.concatenate([np.empty(0, np.uint64), *(bag.keys for bag in bags)])
        self.keys, self.texts_with_key = np.unique(keys, return_counts=True)

    def count_texts_with(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return for each key the number of texts that contain it."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        positions = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[positions] == keys, self.texts_with_key[positions], 0)

    def compute_idf(self, keys: NDArray[np.uint64]) -> Floats:
        """Return ln((1 + texts) / (1 + texts with the item)) + 1, which is 1 without any texts."""
        weights: Floats = np.log((1 + self.text_count) / (1 + self.count_texts_with(keys))) + 1
        return weights


class BagSimilarity:
    """Cosine of the bags of two texts; None if a bag is empty.

    An item's value is its count; with ``weighted``, 1 + ln(count) times its inverse document
    frequency.
    """

    batch_size = 1024
    only = SUPPORTED_TASKS

    def __init__(self, bag: Callable[[str], Bag], weighted: bool = True) -> None:
        self.bag = lru_cache(maxsize=MAX_CACHED_TEXTS)(bag)
        self.weighted = weighted
        self.idf = InverseDocumentFrequency()

    def prepare(self, texts: Sequence[str]) -> None:
        if self.weighted:
            self.idf = InverseDocumentFrequency([self.bag(text) for text in texts])

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        bags = join_bags(pairs, self.bag)
        values = bags.counts
        if self.weighted:
            values = (1 + np.log(values)) * self.idf.compute_idf(bags.keys)
        return compute_cosines(bags, values)


def compute_cosines(bags: JoinedBags, values: Floats) -> list[float | None]:
    """Return the cosine of each pair of bags; None if a bag is empty."""
    all_indices = np.arange(len(bags.offsets) - 1)
    self_products = compute_dot_products(
        bags.keys, bags.offsets, values, values, all_indices, all_indices
    )
    pair_products = compute_dot_products(
        bags.keys, bags.offsets, values, values, bags.left, bags.right
    )
    return divide_clipped(
        pair_products, np.sqrt(self_products[bags.left]) * np.sqrt(self_products[bags.right])
    )


def divide_clipped(numerators: Floats, denominators: Floats) -> list[float | None]:
    """Return the quotients, at most 1, which rounding may exceed; None where the divisor is 0."""
    return [
        None if divisor <= 0 else min(value / divisor, 1.0)
        for value, divisor in zip(numerators.tolist(), denominators.tolist(), strict=True)
    ]
