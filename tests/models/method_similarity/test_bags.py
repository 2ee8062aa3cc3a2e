"""Bags of words. Oracles: scikit-learn's TF-IDF and cosine; BM25 by the formula, word by word."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from codeacumen.api import Pair
from codeacumen.models.method_similarity.bags import Rarity, bag_of
from codeacumen.models.method_similarity.model import make_bm25, make_subtokens
from codeacumen.models.method_similarity.words import words_of

TEXTS = [
    "class HashMap { /** Is it empty? */ boolean isEmpty() { return size == 0; } int size; }",
    "class LongMap { /** True if empty. */ boolean isEmpty() { return mapSize() == 0; } }",
    "class Fraction { float floatValue() { return (float) numerator / (float) denominator; } }",
    "class Queue { // all elements\n Object[] toArray() { return queue.toArray(queue); } }",
]
PAIRS = [Pair(one, other) for one in TEXTS for other in TEXTS]


def test_words_are_those_of_identifiers_and_comments() -> None:
    text = 'class HTTPQueue { /** {@code addAll} adds v2. */ int v1(Queue q) { return "no" + q; } }'
    words = Counter(words_of(text))
    assert words == Counter(["http", "queue", "code", "add", "all", "adds", "queue", "q", "q"])


def test_subtokens_are_scikit_learns_tf_idf() -> None:
    model = make_subtokens()
    model.prepare(TEXTS)
    oracle = TfidfVectorizer(analyzer=words_of, sublinear_tf=True).fit_transform(TEXTS)
    assert model.similarity(PAIRS) == pytest.approx(cosine_similarity(oracle).ravel().tolist())


def test_bm25_is_the_formula() -> None:
    k, b = 1.5, 0.6
    model = make_bm25(k=k, b=b)
    model.prepare(TEXTS)
    bags = [Counter(words_of(text)) for text in TEXTS]
    mean = sum(map(Counter.total, bags)) / len(bags)

    def score(query: Counter[str], document: Counter[str]) -> float:
        found = 0.0
        for word, count in query.items():
            holding = sum(word in bag for bag in bags)
            rarity = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
            times = document[word]
            damped = times + k * (1 - b + b * document.total() / mean)
            found += count * rarity * times * (k + 1) / damped
        return found

    expected = [
        (score(one, other) / score(one, one) + score(other, one) / score(other, other)) / 2
        for one in bags
        for other in bags
    ]
    assert model.similarity(PAIRS) == pytest.approx(expected)


def test_what_was_not_read_is_as_rare_as_can_be() -> None:
    rarity = Rarity([bag_of(np.array([1, 1, 2], np.uint64)), bag_of(np.array([2], np.uint64))])
    found = rarity.weights(np.array([1, 2, 3], np.uint64))
    np.testing.assert_allclose(found, [math.log(3 / 2) + 1, 1.0, math.log(3) + 1])
    assert Rarity().weights(np.array([1], np.uint64)) == pytest.approx([1.0])


def test_masked_names_are_no_words() -> None:
    model = make_subtokens()
    masked = "class v1 { int v2() { return v3; } }"
    assert model.similarity([Pair(masked, masked), Pair(masked, TEXTS[0])]) == [None, None]
    assert make_bm25().similarity([Pair(masked, TEXTS[0])]) == [None]
