"""Tests of word vectors: counts against plain Python, the decomposition against numpy's SVD."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.lexicon import spaces
from research.lexicon.word_streams import _drop_repeated_sentences, _join_lines
from research.lexicon.words import hash_texts

Sentences = list[list[int]]


def make_stream(sentences: Sentences) -> np.ndarray:
    return np.array([code for sentence in sentences for code in [*sentence, -1]], dtype=np.int32)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=9), max_size=5), st.integers(1, 5))
def test_neighbour_counts_agree_with_plain_python(sentences: Sentences, window: int) -> None:
    expected: Counter[tuple[int, int]] = Counter()
    for sentence in sentences:
        for i, word in enumerate(sentence):
            for j in range(i + 1, min(i + window, len(sentence) - 1) + 1):
                expected[word, sentence[j]] += window - (j - i) + 1
                expected[sentence[j], word] += window - (j - i) + 1
    counts = np.zeros((6, 6), dtype=np.float32)
    spaces._count_neighbours(counts, make_stream(sentences), np.full(6, 2.0), window, np.uint64(1))
    assert {(i, j): counts[i, j] for i in range(6) for j in range(6) if counts[i, j]} == dict(
        expected
    )


def test_frequent_words_are_subsampled() -> None:
    words = np.tile(np.array([0, 1], dtype=np.int32), 20_000)
    counts = np.zeros((2, 2), dtype=np.float32)
    # Word 0 is kept once in four times, so word 1 often follows itself.
    spaces._count_neighbours(counts, words, np.array([0.25, 2.0]), 1, np.uint64(1))
    assert counts[1, 0] == pytest.approx(10_000, rel=0.05)
    assert counts[1, 1] == pytest.approx(2 * 15_000, rel=0.05)
    assert counts[0, 0] == 0


def test_information_by_hand() -> None:
    counts = np.array([[0, 3], [3, 1]], dtype=np.float32)
    row = counts.sum(axis=1).astype(np.float64)
    share = row**0.75 / (row**0.75).sum()
    expected = math.log(3 / (3 * share[1]))
    spaces._compute_information(counts, row, share)
    assert counts[0, 1] == pytest.approx(expected, rel=1e-5)
    assert counts[0, 0] == 0
    assert counts[1, 1] == 0  # less frequent than by chance


def test_decomposition_agrees_with_numpy() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((80, 8)) @ rng.standard_normal((8, 80)) * 3
    matrix = (matrix + rng.standard_normal((80, 80)) * 0.01).astype(np.float32)
    left, values = spaces._decompose(matrix, 8, 0, lambda done: None)
    full_left, full_values, _ = np.linalg.svd(matrix)
    assert values == pytest.approx(full_values[:8], rel=1e-3)
    # Singular vectors agree up to their sign.
    assert np.abs((left * full_left[:, :8]).sum(axis=0)) == pytest.approx(np.ones(8), abs=1e-3)


def test_words_with_common_neighbours_are_near_and_unknown_words_are_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spaces, "SAMPLE", 1.0)  # all of so few words are frequent
    rng = np.random.default_rng(0)
    # 0 and 1 stand beside 2..5, 6 and 7 beside 8..11; 12 never occurs.
    first_group = [[int(rng.integers(0, 2)), int(rng.integers(2, 6))] for _ in range(400)]
    second_group = [[int(rng.integers(6, 8)), int(rng.integers(8, 12))] for _ in range(400)]
    vectors = spaces.build_space([make_stream(first_group + second_group)], 13, 2, 4, 0, "test")
    assert vectors[0] @ vectors[1] > 0.8 > vectors[0] @ vectors[6]
    assert not vectors[12].any()
    same_vectors = spaces.build_space(
        [make_stream(first_group + second_group)], 13, 2, 4, 0, "test"
    )
    assert vectors.tobytes() == same_vectors.tobytes()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=12))
def test_repeated_sentences_are_dropped(sentences: Sentences) -> None:
    expected = list(dict.fromkeys(tuple(sentence) for sentence in sentences))
    codes = _drop_repeated_sentences(make_stream(sentences), hash_texts(["a", "b", "c"]))
    assert codes.tolist() == make_stream([list(sentence) for sentence in expected]).tolist()


def test_lines_are_joined_until_they_have_six_words() -> None:
    """Join names of 1, 2 and 3 words; the end of a file ends a sentence."""
    length = np.array([1, 2, 3], dtype=np.int32)
    first = np.array([0, 1, 3], dtype=np.int64)
    flat = np.array([10, 20, 21, 30, 31, 32], dtype=np.int32)
    name = np.array([2, 1, 0, 2, 0], dtype=np.int32)
    line = np.array([0, 1, 1, 2, 0], dtype=np.int32)
    offsets = np.array([0, 4, 5], dtype=np.int64)
    codes = _join_lines(name, line, offsets, first, length, flat)
    assert codes.tolist() == [30, 31, 32, 20, 21, 10, -1, 30, 31, 32, -1, 10, -1]
