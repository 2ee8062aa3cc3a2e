"""A model of your own in thirty lines: identifiers as counts of letter trigrams.

    codeacumen eval --plugin examples/trigram_embedding.py -m trigrams -t idbench

A model is any object with a capability; this one has ``embed``. codeacumen turns it into a
similarity (cosine) and into a chooser among labels by itself.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from codeacumen.registry import model


class Trigrams:
    batch_size = 256  # maximum number of questions in a call

    def __init__(self, dimensions: int, case: bool) -> None:
        self.dimensions = dimensions
        self.case = case

    def embed(self, items: Sequence[str]) -> list[list[float]]:
        return [self._vector(item if self.case else item.lower()) for item in items]

    def _vector(self, identifier: str) -> list[float]:
        vector = [0.0] * self.dimensions
        padded = f"^{identifier}$"
        for i in range(len(padded) - 2):
            # crc32 and not hash(): Python's own hash differs from run to run.
            vector[zlib.crc32(padded[i : i + 3].encode()) % self.dimensions] += 1.0
        return vector


@model("trigrams")
def trigrams(dimensions: int = 512, case: bool = False) -> Trigrams:
    """Counts of letter trigrams"""
    return Trigrams(dimensions, case)
