"""Methods by their shape: what can be told of them without any name (``_traits`` lists it).

Of each part the traits that both have, of all that one of them has, each counted 1 + ln(how often)
times its rarity (a weighted Jaccard coefficient: what only one of them does counts against it, as
people see it, while a cosine would forgive it to a long method). And the size, the shorter of two
bodies as a share of the longer. The answer is the mean of all parts of which there is something to
see; nothing is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from acumen.api import Pair
from acumen.lang.java.declarations import NONE
from acumen.models.alike._bags_kernel import overlaps
from acumen.models.alike._traits import PARTS, traits
from acumen.models.alike.bags import Bag, Floats, Joined, Rarity, bag_of, joined, places_of
from acumen.models.alike.code import KEPT, ONLY, Code, number_of

ALL, SIZE = "all", "size"
ANSWERS = (ALL, *PARTS, SIZE)
# The bits of a trait's number below those that tell its part.
_BITS = 61


class Seen(NamedTuple):
    """A text's traits, and how many tokens its method has; 0: there is none."""

    bag: Bag
    size: int


def seen_of(text: str) -> Seen:
    code = Code(text)
    told = traits(code)
    numbers = [part << _BITS | number_of(trait) >> (64 - _BITS) for part, trait in told]
    size = 0
    if code.method != NONE:
        syntax, (node, _) = code.file.syntax, code.span
        ends = [syntax.start[node], syntax.end[node]]
        size = int(np.diff(np.searchsorted(code.file.tokens.start, ends))[0])
    return Seen(bag_of(np.array(numbers, np.uint64)), size)


class Shape:
    """No answer where one text has no method."""

    batch_size = 1024
    only = ONLY

    def __init__(self, part: str) -> None:
        self.part = part
        self.seen = lru_cache(maxsize=KEPT)(seen_of)
        self.rarity = Rarity()

    def read(self, texts: Sequence[str]) -> None:
        if self.part != SIZE:
            self.rarity = Rarity([self._bag(text) for text in texts])

    def _bag(self, text: str) -> Bag:
        return self.seen(text).bag

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = places_of(pairs)
        sizes = np.array([self.seen(text).size for text in texts], np.float64)
        known = (sizes[left] > 0) & (sizes[right] > 0)
        rows: list[Floats] = []
        if self.part != SIZE:
            found = joined(pairs, self._bag)
            wanted = range(len(PARTS)) if self.part == ALL else (PARTS.index(self.part),)
            rows += [self._overlap(found, part) for part in wanted]
        if self.part in (ALL, SIZE):
            least = np.minimum(sizes[left], sizes[right])
            rows.append(least / np.maximum(np.maximum(sizes[left], sizes[right]), 1))
        # Row by row: how numpy adds up a table hangs on its width, which is the batch's.
        total, seen = np.zeros(len(pairs)), np.zeros(len(pairs))
        for row in rows:
            total += np.where(np.isnan(row), 0.0, row)
            seen += ~np.isnan(row)
        # Of one part alone, neither has anything: in that they are alike.
        mean = np.where(seen > 0, total / np.maximum(seen, 1), 1.0)
        return [
            value if is_known else None
            for value, is_known in zip(mean.tolist(), known.tolist(), strict=True)
        ]

    def _overlap(self, found: Joined, part: int) -> Floats:
        """NaN where neither has anything in this part."""
        values = (1 + np.log(found.counts)) * self.rarity.weights(found.keys)
        values = np.where(found.keys >> np.uint64(_BITS) == part, values, 0.0)
        least, most = overlaps(found.keys, found.offsets, values, found.left, found.right)
        answer: Floats = np.where(most > 0, least / np.where(most > 0, most, 1), np.nan)
        return answer
