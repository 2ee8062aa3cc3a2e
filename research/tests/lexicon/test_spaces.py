"""Tests of word vectors: counts against plain Python, the decomposition against numpy's SVD."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research.lexicon import spaces
from research.lexicon._streams import _lines, _once
from research.lexicon._words import hashes

Sentences = list[list[int]]


def stream(sentences: Sentences) -> np.ndarray:
    return np.array([code for one in sentences for code in [*one, -1]], dtype=np.int32)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=9), max_size=5), st.integers(1, 5))
def test_counts(sentences: Sentences, window: int) -> None:
    expected: Counter[tuple[int, int]] = Counter()
    for sentence in sentences:
        for i, one in enumerate(sentence):
            for j in range(i + 1, min(i + window, len(sentence) - 1) + 1):
                expected[one, sentence[j]] += window - (j - i) + 1
                expected[sentence[j], one] += window - (j - i) + 1
    found = np.zeros((6, 6), dtype=np.float32)
    spaces._count(found, stream(sentences), np.full(6, 2.0), window, np.uint64(1))
    assert {(i, j): found[i, j] for i in range(6) for j in range(6) if found[i, j]} == dict(
        expected
    )


def test_frequent_words_are_left_out_at_times() -> None:
    words = np.tile(np.array([0, 1], dtype=np.int32), 20_000)
    found = np.zeros((2, 2), dtype=np.float32)
    # Word 0 is kept once in four times, so word 1 often follows itself.
    spaces._count(found, words, np.array([0.25, 2.0]), 1, np.uint64(1))
    assert found[1, 0] == pytest.approx(10_000, rel=0.05)
    assert found[1, 1] == pytest.approx(2 * 15_000, rel=0.05)
    assert found[0, 0] == 0


def test_information_by_hand() -> None:
    counts = np.array([[0, 3], [3, 1]], dtype=np.float32)
    row = counts.sum(axis=1).astype(np.float64)
    share = row**0.75 / (row**0.75).sum()
    expected = math.log(3 / (3 * share[1]))
    spaces._information(counts, row, share)
    assert counts[0, 1] == pytest.approx(expected, rel=1e-5)
    assert counts[0, 0] == 0
    assert counts[1, 1] == 0  # less frequent than by chance


def test_the_decomposition_is_numpys() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((80, 8)) @ rng.standard_normal((8, 80)) * 3
    matrix = (matrix + rng.standard_normal((80, 80)) * 0.01).astype(np.float32)
    left, values = spaces._decomposed(matrix, 8, 0, lambda done: None)
    full_left, full_values, _ = np.linalg.svd(matrix)
    assert values == pytest.approx(full_values[:8], rel=1e-3)
    # Singular vectors agree up to their sign.
    assert np.abs((left * full_left[:, :8]).sum(axis=0)) == pytest.approx(np.ones(8), abs=1e-3)


def test_words_of_like_company_are_near_and_the_unknown_are_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spaces, "SAMPLE", 1.0)  # all of so few words are frequent
    rng = np.random.default_rng(0)
    # 0 and 1 stand beside 2..5, 6 and 7 beside 8..11; 12 never occurs.
    near = [[int(rng.integers(0, 2)), int(rng.integers(2, 6))] for _ in range(400)]
    far = [[int(rng.integers(6, 8)), int(rng.integers(8, 12))] for _ in range(400)]
    made = spaces.space([stream(near + far)], 13, 2, 4, 0, "test")
    assert made[0] @ made[1] > 0.8 > made[0] @ made[6]
    assert not made[12].any()
    again = spaces.space([stream(near + far)], 13, 2, 4, 0, "test")
    assert made.tobytes() == again.tobytes()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=12))
def test_each_sentence_once(sentences: Sentences) -> None:
    expected = list(dict.fromkeys(tuple(one) for one in sentences))
    found = _once(stream(sentences), hashes(["a", "b", "c"]))
    assert found.tolist() == stream([list(one) for one in expected]).tolist()


def test_lines_are_joined_until_they_have_six_words() -> None:
    """Join names of 1, 2 and 3 words; the end of a file ends a sentence."""
    length = np.array([1, 2, 3], dtype=np.int32)
    first = np.array([0, 1, 3], dtype=np.int64)
    flat = np.array([10, 20, 21, 30, 31, 32], dtype=np.int32)
    name = np.array([2, 1, 0, 2, 0], dtype=np.int32)
    line = np.array([0, 1, 1, 2, 0], dtype=np.int32)
    offsets = np.array([0, 4, 5], dtype=np.int64)
    found = _lines(name, line, offsets, first, length, flat)
    assert found.tolist() == [30, 31, 32, 20, 21, 10, -1, 30, 31, 32, -1, 10, -1]
