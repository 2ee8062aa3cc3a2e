"""Method similarity by words and tokens: tf-idf, BM25, SeSaMe's measures, averaged word vectors.

``Subtokens`` and ``Bm25`` compare the subtokens of the identifiers and the words of the comments. A
text without words, with masked names and no comments, has no score.

``TokenSimilarity`` is SeSaMe's edit distance of the kinds of the tokens of two bodies.

``CommentSimilarity`` is SeSaMe's similarity of JavaDoc: trigrams of words with statistical weights.
The statistics are of the task's comments, or of all comments mined from a corpus, as in the
published figures. A method without JavaDoc, or with unknown words only, has no score.

``NamesAverage`` compares the words of the identifiers in the spaces of ``codeacumen-names``. The
identifiers are those of the method, and its type's name. Each distinct word counts once, a frequent
one less: repeated names are loop variables rather than the topic of the body.

- ``average`` is the cosine of the words' weighted sums, the mean of the space of code and that of
  all text. The mean of all texts of the task is subtracted first, because the mean of thirty words
  of code is close to any other such mean (Arora et al., A simple but tough-to-beat baseline for
  sentence embeddings, 2017).
- ``partners`` is the weighted mean of the closeness of each word's best partner in the other text.
  It needs no common part to be subtracted, but a long method has a partner for every word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from codeacumen.api import CodeacumenError, Pair
from codeacumen.benchmarks.sesame.mining.spaces import Fitted, Space
from codeacumen.benchmarks.sesame.mining.tokens import kinds, toksims
from codeacumen.core.files import sha256_of
from codeacumen.languages.java.javadoc import words
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.grammar import among
from codeacumen.models.identifier_similarity.model import HALF, Names
from codeacumen.models.identifier_similarity.split import Split
from codeacumen.models.method_similarity.bags import (
    KEPT,
    ONLY,
    Bag,
    Bags,
    Code,
    Floats,
    bag_of,
    is_masked,
    joined,
    numbers_of,
    places_of,
    products,
)
from codeacumen.text.subtokens import subtokens

# A longer word is data, not chosen by a programmer.
_LONGEST = 64
_WORDS = re.compile(r"[^\W_][\w$]*").findall


def words_of(text: str) -> list[str]:
    """Return the words of identifiers and comments in lower case, with repetitions."""
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
    """Cosine of tf-idf vectors, with the values of ``Bags``."""

    def __init__(self) -> None:
        super().__init__(word_bag)


class Bm25(Bags):
    """BM25 in both directions.

    BM25 scores a query in a document. Each text is the query for the other; each of the two scores
    is divided by the query's score in itself, and the result is their mean.
    """

    def __init__(self, k: float, b: float) -> None:
        super().__init__(word_bag)
        self.k, self.b = k, b
        self.length = 0.0

    def prepare(self, texts: Sequence[str]) -> None:
        super().prepare(texts)
        lengths = [float(self.bag(text).counts.sum()) for text in texts]
        self.length = float(np.mean(lengths)) if lengths else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        found = joined(pairs, self.bag)
        sizes = np.diff(found.offsets)
        row = np.repeat(np.arange(len(sizes)), sizes)
        length = np.bincount(row, weights=found.counts, minlength=len(sizes))
        relative = length / self.length if self.length else np.ones(len(sizes))
        texts, many = self.rarity.texts, self.rarity.many(found.keys)
        # Lucene's variant of the inverse document frequency, which is never negative.
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


class TokenSimilarity:
    """1 − edit distance / length of the longer, over the kinds of tokens."""

    batch_size = 1024
    only = ONLY

    def __init__(self) -> None:
        self.kinds = lru_cache(maxsize=KEPT)(kinds)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        left, right, texts = places_of(pairs)
        bodies = [self.kinds(text) for text in texts]
        similarities: list[float] = toksims(
            bodies, left.astype(np.int32), right.astype(np.int32)
        ).tolist()
        return similarities


METHODS = "methods.parquet"


def javadoc_of(text: str) -> str:
    """Return the words of the method's JavaDoc, or an empty string if it has none."""
    code = Code(text)
    if code.method == NONE:
        return ""
    comment = code.file.declarations.methods[code.method].javadoc
    return "" if comment == NONE else words(code.file.syntax.text(comment))


class CommentSimilarity:
    """Cosine of two methods' JavaDoc in a space of word trigrams; None without a vector."""

    batch_size = 1024
    only = ONLY

    def __init__(self, space: str, mined: Path | None) -> None:
        self.space = Space.parse(space)
        self.mined = None if mined is None else mined / METHODS
        self.words = lru_cache(maxsize=KEPT)(javadoc_of)
        self._fitted: Fitted | None = None
        if self.mined is not None:
            if not self.mined.is_file():
                raise CodeacumenError(
                    f"{mined} holds no mined methods: there is no {METHODS}",
                    "`codeacumen similar mine` writes it",
                )
            self.fingerprint = sha256_of(self.mined)

    def prepare(self, texts: Sequence[str]) -> None:
        """Fit the space to the distinct comments: a method in many pairs was written only once."""
        if self.mined is None:
            comments = sorted({self.words(text) for text in texts} - {""})
            self._fitted = self.space.fit(comments) if comments else None

    @cached_property
    def _of_mined(self) -> Fitted:
        from pyarrow.parquet import read_table

        assert self.mined is not None
        return self.space.fit(read_table(self.mined, columns=["words"])["words"].to_pylist())

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        fitted = self._of_mined if self.mined is not None else self._fitted
        if fitted is None or not pairs:
            return [None] * len(pairs)
        left, right, texts = places_of(pairs)
        vectors = fitted.of([self.words(text) for text in texts])
        if self.space.dense:
            found = (vectors[left] * vectors[right]).sum(axis=1)
            known = (vectors * vectors).sum(axis=1) > 0
        else:
            found = np.asarray(vectors[left].multiply(vectors[right]).sum(axis=1)).ravel()
            known = np.diff(vectors.indptr) > 0
        answered = known[left] & known[right]
        return [
            min(value, 1.0) if is_known else None
            for value, is_known in zip(found.tolist(), answered.tolist(), strict=True)
        ]


ANSWERS = ("average", "partners")
# Maximum number of distinct words of a text: the time for ``partners`` grows with the square.
_MOST_WORDS = 256


def identifiers_of(text: str) -> tuple[str, ...]:
    """Return the distinct identifiers of a method in order, without masked ones."""
    code = Code(text)
    first, stop = code.span
    names = code.file.names
    held = slice(*np.searchsorted(names.node, [first, stop]).tolist())
    words = [names.words[word] for word in names.word[held].tolist()]
    declared = code.file.declarations
    if code.method >= 0:
        owner = declared.methods[code.method].type
        words += [declared.types[owner].name] if owner >= 0 else []
    return tuple(dict.fromkeys(word for word in words if word and not is_masked(word)))


class NamesAverage:
    """Similarity of the words of two methods' identifiers in the spaces of ``codeacumen-names``."""

    batch_size = 1024
    only = ONLY

    def __init__(self, answer: str, lexicon: Path | None = None) -> None:
        self.answer = answer
        self.names = Names(lexicon)
        self.fingerprint = self.names.fingerprint
        self.words = lru_cache(maxsize=KEPT)(self._words)
        self.sums = lru_cache(maxsize=KEPT)(self._sums)
        self.common: Floats | float = 0.0

    def prepare(self, texts: Sequence[str]) -> None:
        self.common = 0.0
        if self.answer == "average":
            sums = [text_sum for text in texts if (text_sum := self.sums(text)) is not None]
            self.common = np.mean(sums, axis=0) if sums else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        return self._partners(pairs) if self.answer == "partners" else self._averages(pairs)

    @cached_property
    def weight(self) -> Floats:
        weight: Floats = HALF / (HALF + self.names.lexicon.frequency)
        return weight

    def _words(self, text: str) -> tuple[str, ...]:
        splitter = self.names.splitter
        found = dict.fromkeys(
            word for name in identifiers_of(text) for word in splitter.words(name)
        )
        return tuple(found)[:_MOST_WORDS]

    def _sums(self, text: str) -> Floats | None:
        """Return the weighted sum of the words' vectors: a row of length 1 for each space.

        None if no word has a vector.
        """
        lexicon = self.names.lexicon
        rows = np.array(
            [lexicon.place[word] for word in self.words(text) if word in lexicon.place], np.int64
        )
        size = lexicon.vectors.shape[1] // 2
        vectors = lexicon.vectors[rows].reshape(len(rows), 2, size).astype(np.float64)
        scale = lexicon.scale[rows].astype(np.float64) * self.weight[rows, None]
        return unit((vectors * scale[:, :, None]).sum(axis=0))

    def _averages(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = places_of(pairs)
        sums = [self.sums(text) for text in texts]
        rows = [None if text_sum is None else unit(text_sum - self.common) for text_sum in sums]
        answers: list[float | None] = []
        for i, j in zip(left.tolist(), right.tolist(), strict=True):
            a, b = rows[i], rows[j]
            answers.append(None if a is None or b is None else float((a * b).sum() / 2))
        return answers

    def _partners(self, pairs: Sequence[Pair]) -> list[float | None]:
        """Compare like ``codeacumen-names`` compares names, with all words of a text as one
        name.
        """
        left, right, texts = places_of(pairs)
        words = [self.words(text) for text in texts]
        known = self.names.lexicon.place
        unknown: dict[str, int] = {}
        numbers = [
            known[word] if word in known else len(known) + unknown.setdefault(word, len(unknown))
            for text_words in words
            for word in text_words
        ]
        offsets = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(text_words) for text_words in words], out=offsets[1:])
        sizes = np.diff(offsets)
        asked = np.flatnonzero((sizes[left] > 0) & (sizes[right] > 0))
        split = Split(np.array(numbers, np.int32), offsets, list(unknown))
        answers: list[float | None] = [None] * len(pairs)
        if len(asked):
            _, mean, _ = self.names.compared(split, left[asked], right[asked])
            for place, value in zip(asked.tolist(), mean.tolist(), strict=True):
                answers[place] = value
        return answers


def unit(rows: Floats) -> Floats | None:
    """Scale rows to length 1; None if a row is zero."""
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return None if np.any(length <= 0) else rows / length
