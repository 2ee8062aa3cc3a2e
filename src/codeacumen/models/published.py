"""Models that return published scores: IdBench's seven techniques and SeSaMe's two measures.

They answer for the pairs of their data set and no others, so that the papers' studies can be run
again and new models be compared with them on identical pairs. SeSaMe's pairs are found by their two
texts, as the task shows them. Its docsim reads JavaDoc with its names, so it is asked only where
these are visible; toksim knows the kinds of tokens alone, which every sight shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codeacumen.api import Pair
from codeacumen.benchmarks.sesame import FLAVOURS
from codeacumen.datasets import dataset, require
from codeacumen.registry import model
from codeacumen.views.masking.levels import SIGHTS, WHOLE

Scores = dict[tuple[str, str], float | None]

TECHNIQUES = {
    "lv": ("LV", "Levenshtein's edit distance"),
    "nw": ("NW", "Needleman-Wunsch distance"),
    "ft-cbow": ("FT-cbow", "FastText, continuous bag of words"),
    "ft-sg": ("FT-SG", "FastText, skip-gram"),
    "w2v-cbow": ("w2v-cbow", "word2vec, continuous bag of words"),
    "w2v-sg": ("w2v-SG", "word2vec, skip-gram"),
    "path-based": ("Path-based", "embedding of syntax paths"),
}
MEASURES = {
    "docsim": ("similarity of the JavaDoc", (WHOLE,)),
    "toksim": ("similarity of the kinds of tokens", tuple(SIGHTS)),
}


class _Published:
    batch_size = 1024

    def __init__(self, column: str) -> None:
        self.column = column
        self.scores: Scores | None = None

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        if self.scores is None:
            self.scores = self._read()
        return [self.scores.get((pair.left, pair.right)) for pair in pairs]

    def _read(self) -> Scores:
        raise NotImplementedError


class PublishedScores(_Published):
    """A technique of the IdBench paper."""

    only = ("idbench",)
    fingerprint = dataset("idbench").commit

    def _read(self) -> Scores:
        from codeacumen.benchmarks.idbench import SIZES, read_pairs

        folder = require("idbench")
        return {
            (pair.left, pair.right): pair.scores[self.column]
            for size in SIZES
            for pair in read_pairs(folder, size)
        }


class PublishedMeasure(_Published):
    """A measure by which SeSaMe's pairs were sampled."""

    fingerprint = dataset("sesame").commit

    def __init__(self, measure: str) -> None:
        super().__init__(measure)
        self.sights = MEASURES[measure][1]
        self.only = tuple(
            f"sesame/{flavour}/{sight}" for flavour in FLAVOURS for sight in self.sights
        )

    def _read(self) -> Scores:
        from codeacumen.benchmarks.sesame.pairs import published, read_pairs
        from codeacumen.views.masking.levels import shown

        folder = require("sesame")
        values = published(folder)
        return {
            (shown(pair.first, sight), shown(pair.second, sight)): values[pair.id][self.column]
            for sight in self.sights
            for pair in read_pairs(folder)
        }


def _factory(published: type[_Published], column: str) -> Callable[[], _Published]:
    def make() -> _Published:
        return published(column)

    return make


for _name, (_technique, _summary) in TECHNIQUES.items():
    model(_name, summary=f"{_summary} (scores published with IdBench)")(
        _factory(PublishedScores, _technique)
    )
for _measure, (_summary, _) in MEASURES.items():
    model(f"published-{_measure}", summary=f"SeSaMe's {_measure}: {_summary} (published values)")(
        _factory(PublishedMeasure, _measure)
    )
