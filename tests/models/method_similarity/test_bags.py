"""Tests of bags of words. Oracles: scikit-learn's TF-IDF and cosine; BM25 computed word by word
from its formula."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import InverseDocumentFrequency, count_items
from codeacumen.models.method_similarity.model import make_bm25, make_subtokens
from codeacumen.models.method_similarity.words import list_words

TEXTS = [
    "class HashMap { /** Is it empty? */ boolean isEmpty() { return size == 0; } int size; }",
    "class LongMap { /** True if empty. */ boolean isEmpty() { return mapSize() == 0; } }",
    "class Fraction { float floatValue() { return (float) numerator / (float) denominator; } }",
    "class Queue { // all elements\n Object[] toArray() { return queue.toArray(queue); } }",
]
PAIRS = [Pair(left, right) for left in TEXTS for right in TEXTS]


def test_words_come_from_identifiers_and_comments() -> None:
    text = 'class HTTPQueue { /** {@code addAll} adds v2. */ int v1(Queue q) { return "no" + q; } }'
    words = Counter(list_words(text))
    assert words == Counter(["http", "queue", "code", "add", "all", "adds", "queue", "q", "q"])


def test_subtokens_model_equals_tf_idf_of_scikit_learn() -> None:
    model = make_subtokens()
    model.prepare(TEXTS)
    oracle = TfidfVectorizer(analyzer=list_words, sublinear_tf=True).fit_transform(TEXTS)
    assert model.similarity(PAIRS) == pytest.approx(cosine_similarity(oracle).ravel().tolist())


def test_bm25_equals_formula() -> None:
    k, b = 1.5, 0.6
    model = make_bm25(k=k, b=b)
    model.prepare(TEXTS)
    bags = [Counter(list_words(text)) for text in TEXTS]
    mean_length = sum(map(Counter.total, bags)) / len(bags)

    def compute_bm25(query: Counter[str], document: Counter[str]) -> float:
        total = 0.0
        for word, count in query.items():
            document_frequency = sum(word in bag for bag in bags)
            inverse_frequency = math.log(
                1 + (len(bags) - document_frequency + 0.5) / (document_frequency + 0.5)
            )
            term_frequency = document[word]
            saturation = term_frequency + k * (1 - b + b * document.total() / mean_length)
            total += count * inverse_frequency * term_frequency * (k + 1) / saturation
        return total

    expected = [
        (
            compute_bm25(left, right) / compute_bm25(left, left)
            + compute_bm25(right, left) / compute_bm25(right, right)
        )
        / 2
        for left in bags
        for right in bags
    ]
    assert model.similarity(PAIRS) == pytest.approx(expected)


def test_unseen_word_has_highest_rarity() -> None:
    rarity = InverseDocumentFrequency(
        [count_items(np.array([1, 1, 2], np.uint64)), count_items(np.array([2], np.uint64))]
    )
    weights = rarity.compute_idf(np.array([1, 2, 3], np.uint64))
    np.testing.assert_allclose(weights, [math.log(3 / 2) + 1, 1.0, math.log(3) + 1])
    assert InverseDocumentFrequency().compute_idf(np.array([1], np.uint64)) == pytest.approx([1.0])


def test_masked_names_are_not_words() -> None:
    model = make_subtokens()
    masked = "class v1 { int v2() { return v3; } }"
    assert model.similarity([Pair(masked, masked), Pair(masked, TEXTS[0])]) == [None, None]
    assert make_bm25().similarity([Pair(masked, TEXTS[0])]) == [None]
