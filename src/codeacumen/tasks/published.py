"""Read published numbers of the papers, and serve published scores of pairs as a model.

A benchmark's package has the tables as CSV files in its folder ``published``. The model returns the
scores that a paper published for the pairs of its data set.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from typing import TypeAlias

from codeacumen.api import Pair


def read_published(benchmark: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a published table as texts by column.

    ``benchmark`` is the dotted name of its package, ``table`` the file's name without ``.csv``.
    """
    path = files(benchmark).joinpath("published", f"{table}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


# Scores by the two texts of a pair; None where the paper has none.
PairScores: TypeAlias = Mapping[tuple[str, str], float | None]


class PublishedPairScores:
    """Model that looks pairs up by their two texts, as the task shows them; None for other pairs.

    ``load`` returns the scores and runs on first use; ``only`` are the tasks, or beginnings of
    their names, that the scores are for; ``fingerprint`` identifies the data.
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
