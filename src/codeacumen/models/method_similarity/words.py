"""Method similarity by words and tokens: tf-idf, BM25, SeSaMe's measures, averaged word vectors.

``Subtokens`` and ``Bm25`` compare the subtokens of the identifiers and the words of the comments. A
text without words, with masked names and no comments, has no score.

``TokenSimilarity`` is SeSaMe's edit distance of the kinds of the tokens of two bodies.

``CommentSimilarity`` is SeSaMe's similarity of JavaDoc: trigrams of words with statistical weights.
The statistics come from the task's comments, or from all comments mined from a corpus, as in the
published figures. A method without JavaDoc, or with unknown words only, has no score.

``NamesAverage`` compares the words of the identifiers in the spaces of ``codeacumen-names``. The
identifiers are those of the method, and its type's name. Each distinct word counts once, because
repeated names are loop variables rather than the topic of the body, and frequent words weigh less.

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
from codeacumen.benchmarks.sesame.mining.spaces import FittedSpace, Space
from codeacumen.benchmarks.sesame.mining.tokens import compute_token_kinds, compute_toksims
from codeacumen.core.files import sha256_of
from codeacumen.languages.java.javadoc import extract_words
from codeacumen.languages.java.syntax.declarations import NONE
from codeacumen.languages.java.syntax.grammar import symbol_mask
from codeacumen.models.identifier_similarity.model import HALF_WEIGHT_SHARE, IdentifierSimilarity
from codeacumen.models.identifier_similarity.split import Split
from codeacumen.models.method_similarity.bags import (
    MAX_CACHED_TEXTS,
    SUPPORTED_TASKS,
    Bag,
    BagSimilarity,
    Floats,
    ParsedMethod,
    compute_dot_products,
    count_items,
    hash_words,
    index_texts,
    is_masked,
    join_bags,
)
from codeacumen.text.subtokens import split_subtokens

# Maximum number of characters of a word: a longer one is data, not chosen by a programmer.
_MAX_LENGTH = 64
_WORDS = re.compile(r"[^\W_][\w$]*").findall


def list_words(text: str) -> list[str]:
    """Return the words of identifiers and comments in lower case, with repetitions."""
    code = ParsedMethod(text)
    syntax = code.file.syntax
    names = code.file.names
    names_and_words = [names.words[word] for word in names.word.tolist()]
    comments = np.flatnonzero(symbol_mask("line_comment", "block_comment")[syntax.kind])
    for node in comments.tolist():
        names_and_words += _WORDS(syntax.text(node))
    return [
        part.lower()
        for name in names_and_words
        if not is_masked(name)
        for part in split_subtokens(name[: _MAX_LENGTH * 4])
        if len(part) <= _MAX_LENGTH
    ]


def bag_words(text: str) -> Bag:
    """Return the bag of the hashes of a text's words."""
    return count_items(hash_words(list_words(text)))


class Subtokens(BagSimilarity):
    """Cosine of tf-idf vectors of words, with the values of ``BagSimilarity``."""

    def __init__(self) -> None:
        super().__init__(bag_words)


class Bm25(BagSimilarity):
    """BM25 in both directions.

    BM25 scores a query in a document. Each text is the query for the other; each of the two scores
    is divided by the query's score in itself, and the result is their mean. ``k`` is the saturation
    of repetition and ``b`` the weight of length; ``length`` is the mean number of words of the
    task's texts, 0 before ``prepare``.
    """

    def __init__(self, k: float, b: float) -> None:
        super().__init__(bag_words)
        self.k, self.b = k, b
        self.length = 0.0

    def prepare(self, texts: Sequence[str]) -> None:
        super().prepare(texts)
        lengths = [float(self.bag(text).counts.sum()) for text in texts]
        self.length = float(np.mean(lengths)) if lengths else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        bags = join_bags(pairs, self.bag)
        sizes = np.diff(bags.offsets)
        row = np.repeat(np.arange(len(sizes)), sizes)
        length = np.bincount(row, weights=bags.counts, minlength=len(sizes))
        relative = length / self.length if self.length else np.ones(len(sizes))
        text_count, texts_with_word = self.idf.text_count, self.idf.count_texts_with(bags.keys)
        # Lucene's variant of the inverse document frequency, which is never negative.
        idf = (
            np.log(1 + (text_count - texts_with_word + 0.5) / (texts_with_word + 0.5))
            if text_count
            else np.ones(len(row))
        )
        saturation = self.k * (1 - self.b + self.b * relative)[row]
        document_values = bags.counts * (self.k + 1) / (bags.counts + saturation)
        query_values = idf * bags.counts
        all_indices = np.arange(len(sizes))
        self_scores = compute_dot_products(
            bags.keys, bags.offsets, query_values, document_values, all_indices, all_indices
        )
        normalized_scores = []
        for queries, documents in ((bags.left, bags.right), (bags.right, bags.left)):
            score = compute_dot_products(
                bags.keys, bags.offsets, query_values, document_values, queries, documents
            )
            normalized_scores.append(
                score / np.where(self_scores[queries] > 0, self_scores[queries], np.nan)
            )
        mean = (normalized_scores[0] + normalized_scores[1]) / 2
        return [None if np.isnan(value) else value for value in mean.tolist()]


class TokenSimilarity:
    """1 − edit distance / length of the longer body, over the kinds of the tokens."""

    batch_size = 1024
    only = SUPPORTED_TASKS

    def __init__(self) -> None:
        self.kinds = lru_cache(maxsize=MAX_CACHED_TEXTS)(compute_token_kinds)

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        left, right, texts = index_texts(pairs)
        bodies = [self.kinds(text) for text in texts]
        similarities: list[float] = compute_toksims(
            bodies, left.astype(np.int32), right.astype(np.int32)
        ).tolist()
        return similarities


# File of mined methods in the folder ``mined``.
METHODS_FILE = "methods.parquet"


def extract_javadoc(text: str) -> str:
    """Return the words of the method's JavaDoc in one string, empty if it has none."""
    code = ParsedMethod(text)
    if code.method == NONE:
        return ""
    comment = code.file.declarations.methods[code.method].javadoc
    return "" if comment == NONE else extract_words(code.file.syntax.text(comment))


class CommentSimilarity:
    """Cosine of two methods' JavaDoc in a space of word trigrams; None without a vector.

    ``space`` names the space, as ``Space.parse`` reads it. ``mined`` is the folder of mined methods
    whose comments it is fitted to; None fits it to the comments of the task.
    """

    batch_size = 1024
    only = SUPPORTED_TASKS

    def __init__(self, space: str, mined: Path | None) -> None:
        self.space = Space.parse(space)
        self.mined = None if mined is None else mined / METHODS_FILE
        self.words = lru_cache(maxsize=MAX_CACHED_TEXTS)(extract_javadoc)
        self._fitted: FittedSpace | None = None
        if self.mined is not None:
            if not self.mined.is_file():
                raise CodeacumenError(
                    f"{mined} holds no mined methods: there is no {METHODS_FILE}",
                    "`codeacumen similar mine` writes it",
                )
            self.fingerprint = sha256_of(self.mined)

    def prepare(self, texts: Sequence[str]) -> None:
        """Fit the space to the distinct comments: a method in many pairs was written only once."""
        if self.mined is None:
            comments = sorted({self.words(text) for text in texts} - {""})
            self._fitted = self.space.fit(comments) if comments else None

    @cached_property
    def _mined_space(self) -> FittedSpace:
        from pyarrow.parquet import read_table

        assert self.mined is not None
        return self.space.fit(read_table(self.mined, columns=["words"])["words"].to_pylist())

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        fitted = self._mined_space if self.mined is not None else self._fitted
        if fitted is None or not pairs:
            return [None] * len(pairs)
        left, right, texts = index_texts(pairs)
        vectors = fitted.embed_texts([self.words(text) for text in texts])
        if self.space.is_dense:
            cosines = (vectors[left] * vectors[right]).sum(axis=1)
            has_vector = (vectors * vectors).sum(axis=1) > 0
        else:
            cosines = np.asarray(vectors[left].multiply(vectors[right]).sum(axis=1)).ravel()
            # A sparse row without entries is no vector.
            has_vector = np.diff(vectors.indptr) > 0
        has_both = has_vector[left] & has_vector[right]
        return [
            min(value, 1.0) if has_answer else None
            for value, has_answer in zip(cosines.tolist(), has_both.tolist(), strict=True)
        ]


# Values of ``NamesAverage.answer``; the module's docstring defines them.
ANSWERS = ("average", "partners")
# Maximum number of distinct words of a text: the time for ``partners`` grows with the square.
_MAX_WORDS = 256


def list_identifiers(text: str) -> tuple[str, ...]:
    """Return the distinct identifiers of a method in order, then its type's name; none masked."""
    code = ParsedMethod(text)
    first, stop = code.span
    names = code.file.names
    in_method = slice(*np.searchsorted(names.node, [first, stop]).tolist())
    words = [names.words[word] for word in names.word[in_method].tolist()]
    declarations = code.file.declarations
    if code.method >= 0:
        owner = declarations.methods[code.method].type
        words += [declarations.types[owner].name] if owner >= 0 else []
    return tuple(dict.fromkeys(word for word in words if word and not is_masked(word)))


class NamesAverage:
    """Similarity of the words of two methods' identifiers in the spaces of ``codeacumen-names``.

    ``answer`` is one of ``ANSWERS``; ``lexicon`` is a lexicon's file, None for that of the package.
    ``common`` is the mean of the texts' vectors, which ``average`` subtracts.
    """

    batch_size = 1024
    only = SUPPORTED_TASKS

    def __init__(self, answer: str, lexicon: Path | None = None) -> None:
        self.answer = answer
        self.names = IdentifierSimilarity(lexicon)
        self.fingerprint = self.names.fingerprint
        self.words = lru_cache(maxsize=MAX_CACHED_TEXTS)(self._split_words)
        self.sums = lru_cache(maxsize=MAX_CACHED_TEXTS)(self._sum_vectors)
        self.common: Floats | float = 0.0

    def prepare(self, texts: Sequence[str]) -> None:
        self.common = 0.0
        if self.answer == "average":
            sums = [text_sum for text in texts if (text_sum := self.sums(text)) is not None]
            self.common = np.mean(sums, axis=0) if sums else 0.0

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        return (
            self._score_partners(pairs)
            if self.answer == "partners"
            else self._score_averages(pairs)
        )

    @cached_property
    def word_weights(self) -> Floats:
        """Weight of each word of the lexicon, lower for frequent words."""
        word_weights: Floats = HALF_WEIGHT_SHARE / (
            HALF_WEIGHT_SHARE + self.names.lexicon.frequency
        )
        return word_weights

    def _split_words(self, text: str) -> tuple[str, ...]:
        splitter = self.names.splitter
        distinct_words = dict.fromkeys(
            word for name in list_identifiers(text) for word in splitter.split_name(name)
        )
        return tuple(distinct_words)[:_MAX_WORDS]

    def _sum_vectors(self, text: str) -> Floats | None:
        """Return the weighted sum of the words' vectors: a row of length 1 for each space.

        None if no word has a vector.
        """
        lexicon = self.names.lexicon
        rows = np.array(
            [
                lexicon.word_indices[word]
                for word in self.words(text)
                if word in lexicon.word_indices
            ],
            np.int64,
        )
        size = lexicon.vectors.shape[1] // 2
        vectors = lexicon.vectors[rows].reshape(len(rows), 2, size).astype(np.float64)
        scale = lexicon.scale[rows].astype(np.float64) * self.word_weights[rows, None]
        return normalize_rows((vectors * scale[:, :, None]).sum(axis=0))

    def _score_averages(self, pairs: Sequence[Pair]) -> list[float | None]:
        left, right, texts = index_texts(pairs)
        sums = [self.sums(text) for text in texts]
        rows = [
            None if text_sum is None else normalize_rows(text_sum - self.common)
            for text_sum in sums
        ]
        answers: list[float | None] = []
        for i, j in zip(left.tolist(), right.tolist(), strict=True):
            a, b = rows[i], rows[j]
            # The mean of the cosines in the two spaces.
            answers.append(None if a is None or b is None else float((a * b).sum() / 2))
        return answers

    def _score_partners(self, pairs: Sequence[Pair]) -> list[float | None]:
        """Return the mean of the best partners, as ``codeacumen-names`` computes it for two names.

        All words of a text are one name. None if a text has no word.
        """
        left, right, texts = index_texts(pairs)
        words = [self.words(text) for text in texts]
        word_indices = self.names.lexicon.word_indices
        unknown: dict[str, int] = {}
        # As in ``Split``: numbers from the lexicon's size on are unknown words.
        numbers = [
            word_indices[word]
            if word in word_indices
            else len(word_indices) + unknown.setdefault(word, len(unknown))
            for text_words in words
            for word in text_words
        ]
        offsets = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(text_words) for text_words in words], out=offsets[1:])
        sizes = np.diff(offsets)
        answerable = np.flatnonzero((sizes[left] > 0) & (sizes[right] > 0))
        split = Split(np.array(numbers, np.int32), offsets, list(unknown))
        answers: list[float | None] = [None] * len(pairs)
        if len(answerable):
            _, mean, _ = self.names.compare_names(split, left[answerable], right[answerable])
            for pair_index, value in zip(answerable.tolist(), mean.tolist(), strict=True):
                answers[pair_index] = value
        return answers


def normalize_rows(rows: Floats) -> Floats | None:
    """Return the rows scaled to length 1; None if any of them is zero."""
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return None if np.any(length <= 0) else rows / length
