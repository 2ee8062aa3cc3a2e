"""Texts by their words: the subtokens of their identifiers and the words of their comments.

Where names are masked and comments are gone there is no word left, and no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from acumen.api import Pair
from acumen.lang.java.grammar import among
from acumen.lang.subtokens import subtokens
from acumen.models.alike._bags_kernel import products
from acumen.models.alike.bags import Bag, Bags, bag_of, joined
from acumen.models.alike.code import Code, is_masked, numbers_of

# A longer stretch is data, not a word that somebody chose.
_LONGEST = 64
_WORDS = re.compile(r"[^\W_][\w$]*").findall


def words_of(text: str) -> list[str]:
    """In small letters, as often as they occur."""
    code = Code(text)
    syntax = code.file.syntax
    names = code.file.names
    written = [names.words[word] for word in names.word.tolist()]
    comments = np.flatnonzero(among("line_comment", "block_comment")[syntax.kind])
    for node in comments.tolist():
        written += _WORDS(syntax.text(node))
    return [
        part.lower()
        for name in written
        if not is_masked(name)
        for part in subtokens(name[: _LONGEST * 4])
        if len(part) <= _LONGEST
    ]


def word_bag(text: str) -> Bag:
    return bag_of(numbers_of(words_of(text)))


class Subtokens(Bags):
    """TF-IDF: 1 + ln(how often) times ln((1 + n) / (1 + n with it)) + 1, cosine."""

    def __init__(self) -> None:
        super().__init__(word_bag)


class Bm25(Bags):
    """BM25 is of a query in a document. Here each text is the query for the other; each of the two
    scores is divided by what the query has in itself, and the answer is their mean."""

    def __init__(self, k: float, b: float) -> None:
        super().__init__(word_bag)
        self.k, self.b = k, b
        self.length = 0.0

    def read(self, texts: Sequence[str]) -> None:
        super().read(texts)
        lengths = [float(self.bag(text).counts.sum()) for text in texts]
        self.length = float(np.mean(lengths)) if lengths else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        found = joined(pairs, self.bag)
        sizes = np.diff(found.offsets)
        row = np.repeat(np.arange(len(sizes)), sizes)
        length = np.bincount(row, weights=found.counts, minlength=len(sizes))
        relative = length / self.length if self.length else np.ones(len(sizes))
        texts, many = self.rarity.texts, self.rarity.many(found.keys)
        # Never negative, as Lucene has it.
        rare = np.log(1 + (texts - many + 0.5) / (many + 0.5)) if texts else np.ones(len(row))
        damped = self.k * (1 - self.b + self.b * relative)[row]
        document = found.counts * (self.k + 1) / (found.counts + damped)
        query = rare * found.counts
        own = np.arange(len(sizes))
        best = products(found.keys, found.offsets, query, document, own, own)
        ways = []
        for one, other in ((found.left, found.right), (found.right, found.left)):
            score = products(found.keys, found.offsets, query, document, one, other)
            ways.append(score / np.where(best[one] > 0, best[one], np.nan))
        mean = (ways[0] + ways[1]) / 2
        return [None if np.isnan(value) else value for value in mean.tolist()]
