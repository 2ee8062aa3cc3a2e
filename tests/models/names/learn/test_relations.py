"""What is learned of pairs: who is weighed how, and what the regressor must not see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acumen.models.names.learn._pairs import keys_of
from acumen.models.names.learn._senses import FEATURES, senses
from acumen.models.names.learn.relations import (
    Evidence,
    Line,
    Similarity,
    _people_features,
    _weighed,
    people_names,
)
from acumen.models.names.learn.wordnet import read_wordnet

WORDS = ["car", "auto", "truck", "cars", "foo", "bar"]
PAIRS = [(0, 1), (0, 3), (1, 4), (4, 5)]
KEYS = keys_of(*np.array(PAIRS).T)


class Half:
    """A regressor that says 0.5."""

    def predict(self, rows: np.ndarray) -> np.ndarray:
        return np.full(len(rows), 0.5)


def evidence(folder: Path | None, **more: Any) -> Evidence:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((len(WORDS), 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = senses(read_wordnet(folder), WORDS) if folder else None
    return Evidence(WORDS, {"english": rows}, {}, found, **more)


def test_words_that_wordnet_does_not_have_are_weighed_without_it(wordnet_folder: Path) -> None:
    told = evidence(wordnet_folder)
    assert told.known(KEYS).tolist() == [True, True, False, False]
    known = Line(np.array([0.2, 0.0, 0.5, *[0.0] * (len(FEATURES) - 1)]), 0.1)
    unknown = Line(np.array([0.6, 0.0]), 0.3)
    # Synonyms, and a word with its plural: 0.2 · 0.5 + 0.5 · 1 + 0.1. Others: 0.6 · 0.5 + 0.3.
    found = Similarity(told, Half(), known, unknown).of(KEYS)
    assert found == pytest.approx([0.7, 0.7, 0.6, 0.6])
    assert Similarity(told, Half(), known, unknown).of(KEYS[:0]).shape == (0,)
    # Where WordNet is not to count, no pair is known.
    silent = evidence(None)
    assert Similarity(silent, Half(), unknown, unknown).of(KEYS) == pytest.approx(0.6)
    assert not silent.known(KEYS).any()


def test_walks_are_told_to_people_s_scale_only(wordnet_folder: Path) -> None:
    rows = np.eye(len(WORDS), dtype=np.float32)
    rows[1] = [0.6, 0.8, 0, 0, 0, 0]
    without, told = evidence(wordnet_folder), evidence(wordnet_folder, walks=rows)
    assert without.features(KEYS).tobytes() == told.features(KEYS).tobytes()
    names = people_names(told)
    columns = _people_features(told, Half(), KEYS)
    assert columns.shape == (len(KEYS), len(names))
    assert columns[:, names.index("cosine in walks")] == pytest.approx([0.6, 0, 0, 0])
    # What is not of WordNet stands first: the line of unknown words sees these alone.
    assert names[:2] == ["regressor", "cosine in English"]
    assert "cosine in walks" not in people_names(without)


def test_the_line_that_is_there() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    rows = rng.random((300, 3))
    line, ten = _weighed(rows, 0.1 + rows @ np.array([0.2, 0.0, 0.4]))
    assert line.weights == pytest.approx([0.2, 0.0, 0.4], abs=1e-3)
    assert line.constant == pytest.approx(0.1, abs=1e-3)
    assert line.of(rows) == pytest.approx(ten, abs=1e-3)
    assert line.of(rows * 100).max() == 1
