"""Tests of building a lexicon: neighbours, quantized vectors, fallback and selected pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.lexicon._pairs import keys_of, parted
from research.lexicon.build import (
    INGREDIENTS,
    Settings,
    _fitted,
    _guessed,
    _kept,
    _related,
    neighbours,
    quantised,
    recipes,
)
from research.lexicon.relations import examples, rated
from research.lexicon.wordnet import read_wordnet


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_neighbours_are_the_nearest() -> None:
    rows = unit(np.random.default_rng(0).standard_normal((40, 5)))
    rows[7] = 0  # a word without a vector has no neighbours
    found = set(neighbours(rows, 3).tolist())
    expected = set()
    for i in range(40):
        order = sorted((j for j in range(40) if j != 7), key=lambda j: -float(rows[i] @ rows[j]))
        expected |= {int(keys_of(np.array([i]), np.array([j]))[0]) for j in order[:4] if i != 7}
    assert found == expected


def test_cosines_survive_as_bytes() -> None:
    rng = np.random.default_rng(1)
    halves = [unit(rng.standard_normal((30, 20))) for _ in range(2)]
    vectors, scale = quantised(halves, 20)
    assert vectors.dtype == np.int8
    for half in range(2):
        back = vectors[:, half] * scale[:, half, None]
        assert np.abs(back @ back.T - halves[half] @ halves[half].T).max() < 0.02
    first, _ = quantised(halves, 8)
    assert first.shape == (30, 2, 8)


def test_the_fallback_finds_a_line_that_is_there() -> None:
    rng = np.random.default_rng(2)
    vectors, scale = quantised([unit(rng.standard_normal((60, 6))) for _ in range(2)], 6)
    left, right = rng.integers(0, 60, size=(2, 2000))
    keys = keys_of(left[left != right], right[left != right])
    values = _guessed(vectors, scale, np.array([0.5, 0.1, 0.2]), keys).astype(np.float32)
    line = _fitted(vectors, scale, keys, values, keys[:500], values[:500], 0)
    assert line == pytest.approx([0.5, 0.1, 0.2], abs=1e-4)


def test_pairs_that_are_kept() -> None:
    keys = keys_of(np.arange(6), np.arange(6) + 1)
    values = np.array([0.9, 0.2, 0.1, 0.5, 0.9, 0.52], dtype=np.float32)
    guessed = np.array([0.4, 0.1, 0.6, 0.5, 0.3, 0.5])
    # The second is below the floor both ways; the fallback is right for the fourth and sixth.
    found = _kept(keys, values, guessed, 0.3, Settings())
    assert found.tolist() == [0, 2, 4]
    # With a limit, the pairs with the largest errors above the floor stay: 0.6, 0.5, 0.3.
    assert _kept(keys, values, guessed, 0.3, Settings(pairs=2)).tolist() == [0, 4]
    # Of two pairs with the same error, that of the rarer word is dropped.
    far = keys_of(np.array([0, 1]), np.array([20_000, 2]))
    alike = np.array([0.9, 0.9], dtype=np.float32)
    assert _kept(far, alike, np.array([0.4, 0.4]), 0.3, Settings(pairs=1)).tolist() == [1]


def test_what_is_left_out_is_in_no_space() -> None:
    for name in INGREDIENTS:
        streams = {part for parts, _ in recipes((name,)).values() for part in parts}
        left_out = {name} & {"english", "code"}
        assert streams == {"english", "comments", "code"} - left_out
        assert "all" in recipes((name,))


def test_examples_of_relations(wordnet_folder: Path) -> None:
    words = ["vehicle", "car", "auto", "truck", "open", "close", "shut", "entity"]
    wordnet = read_wordnet(wordnet_folder)
    keys, worth = examples(wordnet, words, 0)
    left, right = parted(keys)
    ends = zip(left.tolist(), right.tolist(), worth.tolist(), strict=True)
    found = {(words[i], words[j], value) for i, j, value in ends if value}
    siblings = {("car", "truck", 0.25), ("auto", "truck", 0.25)}  # sampled, so one may be missing
    assert found - siblings == {
        ("car", "auto", 1.0),
        ("close", "shut", 1.0),
        ("vehicle", "car", 0.6),
        ("vehicle", "auto", 0.6),
        ("vehicle", "truck", 0.6),
        ("vehicle", "entity", 0.6),
        ("open", "close", 0.1),
    }
    assert found & siblings
    again, _ = examples(wordnet, words, 0)
    assert keys.tolist() == again.tolist()
    pairs = parted(_related(words, wordnet))
    spelled = {(words[i], words[j]) for i, j in zip(*(x.tolist() for x in pairs), strict=True)}
    assert {("car", "auto"), ("car", "truck"), ("vehicle", "car"), ("close", "shut")} <= spelled
    assert ("car", "open") not in spelled


def test_what_people_said() -> None:
    pytest.importorskip("gensim")
    keys, said = rated("simlex999.txt", ["new", "old", "intelligent", "smart"])
    # Expected values are the first two lines of the file.
    assert keys.tolist() == [0 * 65536 + 1, 2 * 65536 + 3]
    assert said == pytest.approx([0.158, 0.92])
