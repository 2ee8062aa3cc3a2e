"""Votes as arrays. Raters and pairs are numbered by their sorted names, votes are sorted, too: the
order of the rows they came from leaves no trace.

A pair has no direction: surveys show the two names in random order. It is written with the name
first that sorts first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from acumen.metrics.ranks import weighted_spearman

QUESTIONS = ("relatedness", "similarity")
# A five-point Likert scale, 1 to 5; 0 stands for a question that was not answered.
LEVELS = 5

Pair: TypeAlias = tuple[str, str]
Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Name = TypeVar("Name", str, Pair)


@dataclass(frozen=True, slots=True)
class Direct:
    """Votes of the direct survey: ``ratings`` has a row for each and a column for each question.
    ``rater`` and ``pair`` are places in ``raters`` and ``pairs``."""

    raters: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rater: Ints
    pair: Ints
    ratings: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.rater)

    def where(self, votes: Mask) -> Direct:
        """Some of the votes; raters and pairs keep their numbers."""
        return replace(
            self, rater=self.rater[votes], pair=self.pair[votes], ratings=self.ratings[votes]
        )

    def without(self, raters: Mask) -> Direct:
        return self.where(~raters[self.rater])

    def scores(self) -> Floats:
        """Ratings from 0 to 1, NaN where a question was not answered."""
        scaled = (self.ratings.astype(np.float64) - 1) / (LEVELS - 1)
        return np.where(self.ratings > 0, scaled, np.nan)

    def votes_of_pairs(self) -> Ints:
        """How many ratings each pair has, of the question that has fewer."""
        counts = [
            np.bincount(self.pair[self.ratings[:, one] > 0], minlength=len(self.pairs))
            for one in range(len(QUESTIONS))
        ]
        return np.minimum(*counts).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Indirect:
    """Votes of the indirect survey. ``second``: the context is one of the pair's second name;
    ``right``: the rater chose the name that stood there."""

    raters: tuple[str, ...]
    pairs: tuple[Pair, ...]
    rater: Ints
    pair: Ints
    second: Mask
    right: Mask

    def __len__(self) -> int:
        return len(self.rater)


def sorted_pair(left: str, right: str) -> Pair:
    return (left, right) if left <= right else (right, left)


def direct_votes(rows: Sequence[tuple[str, Pair, tuple[int, int]]]) -> Direct:
    """Rater, pair and ratings of each vote; no rater rates a pair twice."""
    raters, pairs = _names(row[0] for row in rows), _names(row[1] for row in rows)
    ratings = np.array([row[2] for row in rows], dtype=np.int8).reshape(-1, len(QUESTIONS))
    rater = _numbers([row[0] for row in rows], raters)
    pair = _numbers([row[1] for row in rows], pairs)
    order = np.lexsort((rater, pair))
    return Direct(raters, pairs, rater[order], pair[order], ratings[order])


def indirect_votes(rows: Sequence[tuple[str, Pair, str, str]]) -> Indirect:
    """Rater, pair, the name that stood in the context, and the name that was chosen."""
    raters, pairs = _names(row[0] for row in rows), _names(row[1] for row in rows)
    rater = _numbers([row[0] for row in rows], raters)
    pair = _numbers([row[1] for row in rows], pairs)
    second = np.array([row[2] == row[1][1] for row in rows], dtype=np.bool_)
    right = np.array([row[2] == row[3] for row in rows], dtype=np.bool_)
    order = np.lexsort((right, second, rater, pair))
    return Indirect(raters, pairs, rater[order], pair[order], second[order], right[order])


def _names(names: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(sorted(set(names)))


def _numbers(names: Sequence[Name], known: Sequence[Name]) -> Ints:
    places = {name: place for place, name in enumerate(known)}
    return np.array([places[name] for name in names], dtype=np.int64)


def spearman(one: Ints | Floats, other: Ints | Floats) -> float | None:
    """Spearman's ρ; none where one of the two does not vary."""
    if not len(one):
        return None
    (found,) = weighted_spearman(one.astype(float), other.astype(float), np.ones((1, len(one))))
    return None if np.isnan(found) else float(found)
