"""SeSaMe's votes, and the readings of them that a score can stand on.

Three of eight people judged each pair of methods on goals, operations and effects (Kamp, Kreutzer
and Philippsen, MSR 2019, section II-D). A vote is 0 (disagree), 1 (conditionally agree) or 2
(agree), with a confidence of 0 (low) to 2 (high).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acumen.api import AcumenError, Json

if TYPE_CHECKING:
    from acumen.api import Floats

FLAVOURS = ("goals", "operations", "effects")
DISAGREE, AGREE, HIGH = 0, 2, 2
# A mean rating of so much or more is a similar pair: (conditional) agreement, as in figure 2.
SIMILAR = 1.0


@dataclass(frozen=True, slots=True)
class Ratings:
    """``rating`` and ``confidence``: by pair, flavour and voter, −1 where there is no vote.
    ``entries`` are the pairs as the file has them."""

    entries: tuple[Json, ...]
    rating: np.ndarray
    confidence: np.ndarray

    def __len__(self) -> int:
        return len(self.entries)

    def where(self, pairs: np.ndarray) -> Ratings:
        places = np.flatnonzero(pairs)
        entries = tuple(self.entries[one] for one in places.tolist())
        return Ratings(entries, self.rating[places], self.confidence[places])

    @property
    def given(self) -> np.ndarray:
        """Which votes are there."""
        found: np.ndarray = self.rating >= 0
        return found

    @property
    def sure(self) -> np.ndarray:
        """Which votes are there and not of low confidence."""
        found: np.ndarray = (self.rating >= 0) & (self.confidence > 0)
        return found


def read_ratings(path: Path) -> Ratings:
    hint = "SeSaMe's dataset-unfiltered.json is a list of pairs with goals, operations and effects"
    try:
        entries = json.loads(path.read_bytes())
        votes = [[_votes(entry[flavour]) for flavour in FLAVOURS] for entry in entries]
        for entry in entries:
            str(entry["pairid"]).encode()
    except (ValueError, RecursionError) as error:
        raise AcumenError(f"{path} is no JSON of SeSaMe's: {error}", hint) from error
    except (KeyError, TypeError, IndexError) as error:
        raise AcumenError(f"{path}: a pair lacks {error}", hint) from error
    if len({len(one) for pair in votes for one in pair}) != 1:
        raise AcumenError(f"{path}: not every pair has the same number of voters", hint)
    found = np.array(votes, dtype=np.int64)
    return Ratings(tuple(entries), found[..., 0], found[..., 1])


# A process asks for the same file for every flavour and sight.
ratings_of = lru_cache(maxsize=2)(read_ratings)


def _votes(slots: Sequence[Json]) -> list[tuple[int, int]]:
    found = [(slot["rating"], slot["confidence"]) for slot in slots]
    for slot in found:
        if not all(type(one) is int and -1 <= one <= HIGH for one in slot):
            raise ValueError(f"a vote is {slot}, not two whole numbers from −1 to {HIGH}")
    return found


def majorities(ratings: Ratings) -> np.ndarray:
    """By pair and flavour, the rating that more than half of the sure votes have, or −1."""
    sure = ratings.sure
    many = sure.sum(axis=2)
    found = np.full(many.shape, -1)
    for value in range(AGREE + 1):
        found[2 * ((ratings.rating == value) & sure).sum(axis=2) > many] = value
    return found


def ordinal_majority(votes: Sequence[int]) -> float:
    """The rating that more than half of the votes have; else the middle one, which lies between
    two where the votes are even in number (their mean).

    >>> ordinal_majority([0, 0, 2]), ordinal_majority([0, 1, 2]), ordinal_majority([1, 2])
    (0.0, 1.0, 1.5)
    """
    # More than half of the votes hold the middle, so that the median is both.
    return float(np.median(votes))


def readings(ratings: Ratings) -> list[dict[str, dict[str, float]]]:
    """For each pair and flavour, what the votes come to:

    ``value``: the mean weighted by confidence, a vote of low confidence weighing nothing, one of
    medium confidence half of a sure one; ``mean``: of all votes; ``majority``: the ordinal
    majority of all but those of low confidence; ``majority_all``: of all.

    Where all votes are of low confidence, all count alike.
    """
    return [
        {flavour: _read(*_cast(ratings, pair, place)) for place, flavour in enumerate(FLAVOURS)}
        for pair in range(len(ratings))
    ]


def _cast(ratings: Ratings, pair: int, flavour: int) -> tuple[list[int], list[int]]:
    """Ratings and confidences of those who voted."""
    votes, sure = ratings.rating[pair, flavour].tolist(), ratings.confidence[pair, flavour].tolist()
    both = [(one, how) for one, how in zip(votes, sure, strict=True) if one >= 0]
    return [one for one, _ in both], [how for _, how in both]


def _read(votes: Sequence[int], confidences: Sequence[int]) -> dict[str, float]:
    sure = [one for one, how in zip(votes, confidences, strict=True) if how > 0]
    return {
        "value": weighted_mean(votes, confidences),
        "mean": sum(votes) / len(votes),
        "majority": ordinal_majority(sure or votes),
        "majority_all": ordinal_majority(votes),
    }


def weighted_mean(votes: Sequence[int], confidences: Sequence[int]) -> float:
    weights = confidences if any(confidences) else [1] * len(votes)
    return sum(vote * how for vote, how in zip(votes, weights, strict=True)) / sum(weights)


@dataclass(frozen=True, slots=True)
class Voter:
    """One vote of a pair, and what the others came to."""

    pair: int
    vote: int
    others: dict[str, float]


def voters(ratings: Ratings, flavour: str) -> Iterator[Voter]:
    """Each vote against the readings of the other votes of its pair: people as a model."""
    place = FLAVOURS.index(flavour)
    for pair in range(len(ratings)):
        votes, confidences = _cast(ratings, pair, place)
        for mine, vote in enumerate(votes):
            others = votes[:mine] + votes[mine + 1 :]
            if others:
                yield Voter(pair, vote, _read(others, confidences[:mine] + confidences[mine + 1 :]))


def ceiling(
    ratings: Ratings, flavour: str, statistic: str = "spearman", reading: str = "value",
    least: float | None = None, among: np.ndarray | None = None,
) -> float:  # fmt: skip
    """How well one voter's answers stand against the other two's, all voters together; of the
    pairs ``among`` only, if they are given. NaN where that cannot be said."""
    from acumen.metrics import read_metric

    metric = read_metric(statistic, reading, least)
    rows = [
        metric.observe(one.others, one.vote)
        for one in voters(ratings, flavour)
        if among is None or among[one.pair]
    ]
    if not rows:
        return float("nan")
    columns: Floats = np.array(rows, dtype=float).T
    return float(metric.statistic(columns, np.ones((1, len(rows))))[0])
