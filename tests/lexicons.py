"""Small lexicons of words for the tests of models that compare identifiers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from codeacumen.models.identifier_similarity.lexicon import MAX_LEXICON_WORDS


def make_arrays(
    words: Mapping[str, float],
    english: Collection[str] = (),
    vectors: Mapping[str, Sequence[float]] | None = None,
    pairs: Mapping[tuple[str, str], float] | None = None,
    fallback: tuple[float, float, float] = (0.0, 0.0, 0.0),
    floor: float = 0.0,
    about: Mapping[str, Any] | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a small lexicon; ``words`` have shares, ``vectors`` both halves."""
    order = sorted(words, key=lambda word: (-words[word], word))
    word_indices = {word: i for i, word in enumerate(order)}
    vectors = vectors or {}
    size = len(next(iter(vectors.values()), (0.0, 0.0)))
    rows = np.array([vectors.get(word, [0.0] * size) for word in order], np.float64)
    halves = rows.reshape(len(order), 2, size // 2)
    scale = np.abs(halves).max(axis=2, initial=0.0) / 127
    quantized = np.round(halves / np.where(scale > 0, scale, 1.0)[:, :, None])
    keys = sorted(
        (
            min(word_indices[u], word_indices[v]) * MAX_LEXICON_WORDS
            + max(word_indices[u], word_indices[v]),
            value,
        )
        for (u, v), value in (pairs or {}).items()
    )
    return {
        "words": np.frombuffer("\n".join(order).encode(), np.uint8),
        "frequency": np.array([words[word] for word in order], np.float32),
        "english": np.array([word in english for word in order], np.bool_),
        "vectors": quantized.reshape(len(order), size).astype(np.int8),
        "scale": scale.astype(np.float32),
        "pair": np.array([key for key, _ in keys], np.uint32),
        "value": np.array([round(value * 255) for _, value in keys], np.uint8),
        "fallback": np.array(fallback, np.float32),
        "floor": np.array(floor, np.float32),
        "about": np.frombuffer(json.dumps(about or {}, sort_keys=True).encode(), np.uint8),
    }
