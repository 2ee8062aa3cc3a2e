"""Tests of building a lexicon: neighbours, quantized vectors, fallback and selected pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.lexicon.build import (
    INGREDIENTS,
    LexiconSettings,
    _fit_fallback,
    _pair_related_words,
    _predict_fallback,
    _select_pairs,
    find_neighbours,
    list_space_recipes,
    quantize_vectors,
)
from research.lexicon.pair_tables import make_keys, split_keys
from research.lexicon.relations import load_ratings, make_relation_examples
from research.lexicon.wordnet import read_wordnet


def normalize_rows(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_find_neighbours_returns_nearest_words() -> None:
    rows = normalize_rows(np.random.default_rng(0).standard_normal((40, 5)))
    rows[7] = 0  # a word without a vector has no neighbours
    keys = set(find_neighbours(rows, 3).tolist())
    expected = set()
    for i in range(40):
        order = sorted((j for j in range(40) if j != 7), key=lambda j: -float(rows[i] @ rows[j]))
        expected |= {int(make_keys(np.array([i]), np.array([j]))[0]) for j in order[:4] if i != 7}
    assert keys == expected


def test_quantized_vectors_preserve_cosines() -> None:
    rng = np.random.default_rng(1)
    halves = [normalize_rows(rng.standard_normal((30, 20))) for _ in range(2)]
    vectors, scale = quantize_vectors(halves, 20)
    assert vectors.dtype == np.int8
    for half in range(2):
        restored = vectors[:, half] * scale[:, half, None]
        assert np.abs(restored @ restored.T - halves[half] @ halves[half].T).max() < 0.02
    first, _ = quantize_vectors(halves, 8)
    assert first.shape == (30, 2, 8)


def test_fit_fallback_recovers_linear_coefficients() -> None:
    rng = np.random.default_rng(2)
    vectors, scale = quantize_vectors(
        [normalize_rows(rng.standard_normal((60, 6))) for _ in range(2)], 6
    )
    left, right = rng.integers(0, 60, size=(2, 2000))
    keys = make_keys(left[left != right], right[left != right])
    values = _predict_fallback(vectors, scale, np.array([0.5, 0.1, 0.2]), keys).astype(np.float32)
    coefficients = _fit_fallback(vectors, scale, keys, values, keys[:500], values[:500], 0)
    assert coefficients == pytest.approx([0.5, 0.1, 0.2], abs=1e-4)


def test_select_pairs_prefers_large_errors_and_frequent_words() -> None:
    keys = make_keys(np.arange(6), np.arange(6) + 1)
    values = np.array([0.9, 0.2, 0.1, 0.5, 0.9, 0.52], dtype=np.float32)
    predictions = np.array([0.4, 0.1, 0.6, 0.5, 0.3, 0.5])
    # The second is below the floor both ways; the fallback is right for the fourth and sixth.
    selected = _select_pairs(keys, values, predictions, 0.3, LexiconSettings())
    assert selected.tolist() == [0, 2, 4]
    # With a limit, the pairs with the largest errors above the floor stay: 0.6, 0.5, 0.3.
    assert _select_pairs(keys, values, predictions, 0.3, LexiconSettings(pairs=2)).tolist() == [
        0,
        4,
    ]
    # Of two pairs with the same error, that of the rarer word is dropped.
    rare_keys = make_keys(np.array([0, 1]), np.array([20_000, 2]))
    equal_values = np.array([0.9, 0.9], dtype=np.float32)
    assert _select_pairs(
        rare_keys, equal_values, np.array([0.4, 0.4]), 0.3, LexiconSettings(pairs=1)
    ).tolist() == [1]


def test_space_recipes_omit_left_out_streams() -> None:
    for name in INGREDIENTS:
        streams = {part for parts, _ in list_space_recipes((name,)).values() for part in parts}
        left_out = {name} & {"english", "code"}
        assert streams == {"english", "comments", "code"} - left_out
        assert "all" in list_space_recipes((name,))


def test_relation_examples(wordnet_folder: Path) -> None:
    words = ["vehicle", "car", "auto", "truck", "open", "close", "shut", "entity"]
    wordnet = read_wordnet(wordnet_folder)
    keys, targets = make_relation_examples(wordnet, words, 0)
    left, right = split_keys(keys)
    ends = zip(left.tolist(), right.tolist(), targets.tolist(), strict=True)
    labelled_pairs = {(words[i], words[j], value) for i, j, value in ends if value}
    siblings = {("car", "truck", 0.25), ("auto", "truck", 0.25)}  # sampled, so one may be missing
    assert labelled_pairs - siblings == {
        ("car", "auto", 1.0),
        ("close", "shut", 1.0),
        ("vehicle", "car", 0.6),
        ("vehicle", "auto", 0.6),
        ("vehicle", "truck", 0.6),
        ("vehicle", "entity", 0.6),
        ("open", "close", 0.1),
    }
    assert labelled_pairs & siblings
    same_keys, _ = make_relation_examples(wordnet, words, 0)
    assert keys.tolist() == same_keys.tolist()
    pairs = split_keys(_pair_related_words(words, wordnet))
    related_words = {
        (words[i], words[j]) for i, j in zip(*(indices.tolist() for indices in pairs), strict=True)
    }
    assert {
        ("car", "auto"),
        ("car", "truck"),
        ("vehicle", "car"),
        ("close", "shut"),
    } <= related_words
    assert ("car", "open") not in related_words


def test_load_ratings_of_simlex() -> None:
    pytest.importorskip("gensim")
    keys, ratings = load_ratings("simlex999.txt", ["new", "old", "intelligent", "smart"])
    # Expected values are the first two lines of the file.
    assert keys.tolist() == [0 * 65536 + 1, 2 * 65536 + 3]
    assert ratings == pytest.approx([0.158, 0.92])
