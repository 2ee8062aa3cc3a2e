"""A model that returns scores which a paper published for the pairs of its data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from codeacumen.api import Pair

PairScores: TypeAlias = Mapping[tuple[str, str], float | None]


class PublishedPairScores:
    """Answers for pairs by their two texts, as the task shows them, and for no others.

    ``load`` runs on first use; ``only`` are the tasks, or beginnings of their names, that the
    scores are for.
    """

    batch_size = 1024

    def __init__(
        self, load: Callable[[], PairScores], only: tuple[str, ...], fingerprint: str
    ) -> None:
        self._load, self.only, self.fingerprint = load, only, fingerprint

    @cached_property
    def _scores(self) -> PairScores:
        return self._load()

    def similarity(self, pairs: Sequence[Pair]) -> list[float | None]:
        return [self._scores.get((pair.left, pair.right)) for pair in pairs]
