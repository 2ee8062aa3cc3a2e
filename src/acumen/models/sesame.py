"""SeSaMe's two measures, docsim and toksim, by their published values.

They answer for SeSaMe's pairs and no others, so that new models can be compared with what the pairs
were sampled by. A pair is found by its two texts, as the task shows them.

docsim reads JavaDoc with its names, so it is asked only where these are to be seen. toksim knows
the kinds of tokens alone: it sees no more than the barest sight shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acumen.api import Pair
from acumen.datasets import dataset, require
from acumen.registry import model
from acumen.tasks.similarity import FLAVOURS
from acumen.tasks.similarity.sights import SIGHTS, WHOLE

MEASURES = {
    "docsim": ("similarity of the JavaDoc", (WHOLE,)),
    "toksim": ("similarity of the kinds of tokens", tuple(SIGHTS)),
}


class PublishedMeasure:
    batch_size = 1024
    fingerprint = dataset("sesame").commit

    def __init__(self, measure: str) -> None:
        self.measure = measure
        self.sights = MEASURES[measure][1]
        self.only = tuple(
            f"sesame/{flavour}/{sight}" for flavour in FLAVOURS for sight in self.sights
        )
        self.values: dict[tuple[str, str], float | None] | None = None

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        if self.values is None:
            self.values = self._read()
        return [self.values.get((pair.left, pair.right)) for pair in pairs]

    def _read(self) -> dict[tuple[str, str], float | None]:
        from acumen.tasks.similarity.pairs import published, read_pairs
        from acumen.tasks.similarity.sights import shown

        folder = require("sesame")
        values = published(folder)
        return {
            (shown(pair.first, sight), shown(pair.second, sight)): values[pair.id][self.measure]
            for sight in self.sights
            for pair in read_pairs(folder)
        }


def _factory(measure: str) -> Callable[[], PublishedMeasure]:
    def make() -> PublishedMeasure:
        return PublishedMeasure(measure)

    return make


for _measure, (_summary, _) in MEASURES.items():
    model(f"published-{_measure}", summary=f"SeSaMe's {_measure}: {_summary} (published values)")(
        _factory(_measure)
    )
