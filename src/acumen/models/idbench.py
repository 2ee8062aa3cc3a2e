"""The seven techniques of the IdBench paper, by their published scores.

They answer for IdBench's pairs and no others, so that the paper's study can be run again
and new models be compared with them on identical pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acumen.api import Pair
from acumen.datasets import dataset, require
from acumen.registry import model

TECHNIQUES = {
    "lv": ("LV", "Levenshtein's edit distance"),
    "nw": ("NW", "Needleman-Wunsch distance"),
    "ft-cbow": ("FT-cbow", "FastText, continuous bag of words"),
    "ft-sg": ("FT-SG", "FastText, skip-gram"),
    "w2v-cbow": ("w2v-cbow", "word2vec, continuous bag of words"),
    "w2v-sg": ("w2v-SG", "word2vec, skip-gram"),
    "path-based": ("Path-based", "embedding of syntax paths"),
}


class PublishedScores:
    batch_size = 1024
    only = ("idbench",)
    fingerprint = dataset("idbench").commit

    def __init__(self, technique: str) -> None:
        self.technique = technique
        self.scores: dict[tuple[str, str], float | None] | None = None

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        if self.scores is None:
            self.scores = self._read()
        return [self.scores.get((pair.left, pair.right)) for pair in pairs]

    def _read(self) -> dict[tuple[str, str], float | None]:
        from acumen.tasks.identifiers import SIZES, read_pairs

        folder = require("idbench")
        return {
            (pair.left, pair.right): pair.scores[self.technique]
            for size in SIZES
            for pair in read_pairs(folder, size)
        }


def _factory(technique: str) -> Callable[[], PublishedScores]:
    def make() -> PublishedScores:
        return PublishedScores(technique)

    return make


for _name, (_technique, _summary) in TECHNIQUES.items():
    model(_name, summary=f"{_summary} (scores published with IdBench)")(_factory(_technique))
