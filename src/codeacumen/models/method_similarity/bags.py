"""Texts as bags of things, compared by what they have in common.

A thing is a number of 64 bits (of a word, a path, a piece of a graph). How rare a thing is in the
texts of the task says how much it tells: a model reads them all, without their labels, before it
is asked. A model that has read nothing takes all things for equally rare.

What a text is read as: a file, and the method it is about.

The text is a class with only what the method needs, the method first, as the people who rated
SeSaMe's pairs saw it; or the method alone. Comments may be gone, and names may be masked: ``v1``,
``v2`` and so on stand for all that a programmer chose, and tell nothing but which are the same.

Loops over bags: sorted numbers with a value each, one bag after the other.
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

# Tasks whose pairs are such texts.
ONLY = ("sesame", "similarity")
# Texts of which a model remembers what it made of them: more than a benchmark has.
KEPT = 1 << 14

_MASKED = re.compile(r"v[0-9]+").fullmatch


class Code:
    """``method`` is a place in ``file.declarations.methods``; NONE: there is none with a body."""

    def __init__(self, text: str) -> None:
        self.file = JavaFile(text.encode("utf-8", "surrogatepass"))
        self.method = self._first()

    def _first(self) -> int:
        """The first method with a body; a constructor only if there is no method."""
        declared = self.file.declarations.methods
        bodies = self.file.bodies
        found = [place for place in bodies if declared[place].kind == "method"]
        return min(found or bodies, key=lambda place: declared[place].node, default=NONE)

    @property
    def span(self) -> tuple[int, int]:
        """The method's nodes: all of the file's where there is no method."""
        syntax = self.file.syntax
        if self.method == NONE:
            return 0, len(syntax)
        node = self.file.declarations.methods[self.method].node
        return node, int(syntax.stop[node])


def is_masked(name: str) -> bool:
    """Whether a name tells nothing because it is what a hidden one is called."""
    return _MASKED(name) is not None


@lru_cache(maxsize=1 << 18)
def number_of(word: str) -> int:
    """A number of 64 bits for a word, the same on every machine."""
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def numbers_of(words: list[str] | tuple[str, ...]) -> NDArray[np.uint64]:
    return np.fromiter(map(number_of, words), np.uint64, len(words))


Keys = NDArray[np.uint64]
Values = NDArray[np.float64]
Places = NDArray[np.int64]


@kernel
def products(
    keys: Keys, offsets: Places, one: Values, other: Values, left: Places, right: Places
) -> Values:
    """Of each pair of bags the sum, over what they have in common, of the left one's value in
    ``one`` times the right one's in ``other``; always in the same order, so that it does not depend
    on what else is compared."""
    found = np.zeros(len(left), np.float64)
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
                total += one[a] * other[b]
                a += 1
                b += 1
        found[i] = total
    return found


@kernel
def overlaps(
    keys: Keys, offsets: Places, values: Values, left: Places, right: Places
) -> tuple[Values, Values]:
    """Of each pair of bags the sum of the lesser values, and of the greater ones."""
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
    """Different things, rising, and how often each is there."""

    keys: NDArray[np.uint64]
    counts: Floats


def bag_of(things: NDArray[np.uint64]) -> Bag:
    keys, counts = np.unique(things, return_counts=True)
    return Bag(keys, counts.astype(np.float64))


class Joined(NamedTuple):
    """The bags of the different texts of some pairs, one after the other, and for each pair the
    places of its two."""

    keys: NDArray[np.uint64]
    counts: Floats
    offsets: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]


def joined(pairs: Sequence[Pair], bag: Callable[[str], Bag]) -> Joined:
    left, right, texts = places_of(pairs)
    bags = [bag(text) for text in texts]
    offsets = np.zeros(len(bags) + 1, np.int64)
    np.cumsum([len(one.keys) for one in bags], out=offsets[1:])
    keys = np.concatenate([np.empty(0, np.uint64), *(one.keys for one in bags)])
    counts = np.concatenate([np.empty(0), *(one.counts for one in bags)])
    return Joined(keys, counts, offsets, left, right)


def places_of(
    pairs: Sequence[Pair],
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """The different texts of pairs, and of each pair the places of its two."""
    place = {text: i for i, text in enumerate(_texts(pairs))}
    left = np.fromiter((place[pair.left] for pair in pairs), np.int64, len(pairs))
    right = np.fromiter((place[pair.right] for pair in pairs), np.int64, len(pairs))
    return left, right, list(place)


def _texts(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(text for pair in pairs for text in (pair.left, pair.right)))


class Rarity:
    """In how many of the texts that were read each thing is."""

    def __init__(self, bags: Sequence[Bag] = ()) -> None:
        self.texts = len(bags)
        keys = np.concatenate([np.empty(0, np.uint64), *(bag.keys for bag in bags)])
        self.keys, self.found_in = np.unique(keys, return_counts=True)

    def many(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.found_in[at], 0)

    def weights(self, keys: NDArray[np.uint64]) -> Floats:
        """ln((1 + texts) / (1 + texts with it)) + 1, which is 1 where nothing was read."""
        found: Floats = np.log((1 + self.texts) / (1 + self.many(keys))) + 1
        return found


class Bags:
    """Cosine of bags. ``weighted``: a thing counts 1 + ln(how often) times its rarity; else as
    often as it is there. No answer for a text without anything that counts."""

    batch_size = 1024
    only = ONLY

    def __init__(self, bag: Callable[[str], Bag], weighted: bool = True) -> None:
        self.bag = lru_cache(maxsize=KEPT)(bag)
        self.weighted = weighted
        self.rarity = Rarity()

    def prepare(self, texts: Sequence[str]) -> None:
        if self.weighted:
            self.rarity = Rarity([self.bag(text) for text in texts])

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        found = joined(pairs, self.bag)
        values = found.counts
        if self.weighted:
            values = (1 + np.log(values)) * self.rarity.weights(found.keys)
        return cosines(found, values)


def cosines(found: Joined, values: Floats) -> list[float | None]:
    every = np.arange(len(found.offsets) - 1)
    own = products(found.keys, found.offsets, values, values, every, every)
    both = products(found.keys, found.offsets, values, values, found.left, found.right)
    return ratios(both, np.sqrt(own[found.left]) * np.sqrt(own[found.right]))


def ratios(above: Floats, below: Floats) -> list[float | None]:
    """At most 1, which rounding may pass by a little; None where there is nothing to divide by."""
    return [
        None if divisor <= 0 else min(value / divisor, 1.0)
        for value, divisor in zip(above.tolist(), below.tolist(), strict=True)
    ]
