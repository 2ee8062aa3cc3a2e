"""Read SeSaMe's pairs: the source of both methods, the votes, and aggregates of the votes.

Three of eight people judged each pair of methods on goals, operations and effects (Kamp, Kreutzer
and Philippsen, MSR 2019, section II-D). A vote is 0 (disagree), 1 (conditionally agree) or 2
(agree), with a confidence of 0 (low) to 2 (high). The source in ``methods.jsonl``
is what the raters saw: a class with the method, then the fields that it reads and the methods that
it calls in the same file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import CodeacumenError, Json
from codeacumen.benchmarks.sesame import APPROACH, SAME_KIND, UNANIMOUS, UNSURE

if TYPE_CHECKING:
    from codeacumen.api import Floats


FLAVOURS = ("goals", "operations", "effects")
DISAGREE, AGREE, HIGH = 0, 2, 2
# Minimum mean rating of a similar pair: (conditional) agreement, as in figure 2.
SIMILAR = 1.0


@dataclass(frozen=True, slots=True)
class Ratings:
    """Votes on pairs of methods.

    ``rating`` and ``confidence`` have the shape (pairs, flavours, voters), with −1 for a missing
    vote. ``entries`` are the pairs as in the file.
    """

    entries: tuple[Json, ...]
    rating: np.ndarray
    confidence: np.ndarray

    def __len__(self) -> int:
        return len(self.entries)

    def where(self, pairs: np.ndarray) -> Ratings:
        """Return the ratings of the pairs of a mask."""
        places = np.flatnonzero(pairs)
        entries = tuple(self.entries[one] for one in places.tolist())
        return Ratings(entries, self.rating[places], self.confidence[places])

    @property
    def given(self) -> np.ndarray:
        """Mask of the votes that are not missing."""
        found: np.ndarray = self.rating >= 0
        return found

    @property
    def sure(self) -> np.ndarray:
        """Mask of the votes that are neither missing nor of low confidence."""
        found: np.ndarray = (self.rating >= 0) & (self.confidence > 0)
        return found


def read_ratings(path: Path) -> Ratings:
    """Return the ratings of a file of SeSaMe, or raise an error if it has another format."""
    hint = "SeSaMe's dataset-unfiltered.json is a list of pairs with goals, operations and effects"
    try:
        entries = json.loads(path.read_bytes())
        votes = [[_votes(entry[flavour]) for flavour in FLAVOURS] for entry in entries]
        for entry in entries:
            str(entry["pairid"]).encode()
    except (ValueError, RecursionError) as error:
        raise CodeacumenError(f"{path} is not a JSON file of SeSaMe: {error}", hint) from error
    except (KeyError, TypeError, IndexError) as error:
        raise CodeacumenError(f"{path}: a pair lacks {error}", hint) from error
    if len({len(one) for pair in votes for one in pair}) != 1:
        raise CodeacumenError(f"{path}: the pairs have different numbers of voters", hint)
    found = np.array(votes, dtype=np.int64)
    return Ratings(tuple(entries), found[..., 0], found[..., 1])


# Cached, because a process loads the same file for every flavour and level.
ratings_of = lru_cache(maxsize=2)(read_ratings)


def _votes(slots: Sequence[Json]) -> list[tuple[int, int]]:
    found = [(slot["rating"], slot["confidence"]) for slot in slots]
    for slot in found:
        if not all(type(one) is int and -1 <= one <= HIGH for one in slot):
            raise ValueError(f"vote {slot} is not a pair of integers from −1 to {HIGH}")
    return found


def majorities(ratings: Ratings) -> np.ndarray:
    """Return by pair and flavour the rating of more than half of the sure votes, or −1."""
    sure = ratings.sure
    many = sure.sum(axis=2)
    found = np.full(many.shape, -1)
    for value in range(AGREE + 1):
        found[2 * ((ratings.rating == value) & sure).sum(axis=2) > many] = value
    return found


def ordinal_majority(votes: Sequence[int]) -> float:
    """Return the rating of more than half of the votes; otherwise their median.

    >>> ordinal_majority([0, 0, 2]), ordinal_majority([0, 1, 2]), ordinal_majority([1, 2])
    (0.0, 1.0, 1.5)
    """
    # A rating of more than half of the votes is also their median.
    return float(np.median(votes))


def readings(ratings: Ratings) -> list[dict[str, dict[str, float]]]:
    """Return four aggregates of the votes for each pair and flavour.

    ``value`` is the mean weighted by confidence (low 0, medium 1, high 2), ``mean`` the mean of all
    votes, ``majority`` the ordinal majority without votes of low confidence, ``majority_all`` that
    of all votes. If all votes have low confidence, all have the same weight.
    """
    return [
        {flavour: _read(*_cast(ratings, pair, place)) for place, flavour in enumerate(FLAVOURS)}
        for pair in range(len(ratings))
    ]


def _cast(ratings: Ratings, pair: int, flavour: int) -> tuple[list[int], list[int]]:
    """Return the ratings and confidences of the votes that are not missing."""
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
    """A vote on a pair, and the aggregates of the other votes."""

    pair: int
    vote: int
    others: dict[str, float]


def voters(ratings: Ratings, flavour: str) -> Iterator[Voter]:
    """Yield each vote with the aggregates of the pair's other votes, as if a voter were a model."""
    place = FLAVOURS.index(flavour)
    for pair in range(len(ratings)):
        votes, confidences = _cast(ratings, pair, place)
        for mine, vote in enumerate(votes):
            others = votes[:mine] + votes[mine + 1 :]
            if others:
                yield Voter(pair, vote, _read(others, confidences[:mine] + confidences[mine + 1 :]))


def ceiling(
    ratings: Ratings,
    flavour: str,
    statistic: str = "spearman",
    reading: str = "value",
    least: float | None = None,
    among: np.ndarray | None = None,
) -> float:
    """Return the score of a voter against the others, over all voters; NaN if it is undefined.

    ``pair_mask`` restricts it to some pairs.
    """
    from codeacumen.metrics import read_metric

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


PAIRS, METHODS, SAMPLED = "dataset.json", "methods.jsonl", "sampled-pairs.csv"

# Table I of the paper.
KINDS = {
    "commons-collections": "utility",
    "commons-lang": "utility",
    "guava": "utility",
    "openjdk11": "utility",
    "trove": "utility",
    "caffeine": "special",
    "commons-math": "special",
    "deeplearning4j": "special",
    "eclipse.jdt.core": "special",
    "checkstyle": "application",
    "freemind": "application",
}


@dataclass(frozen=True, slots=True)
class MethodPair:
    """A pair of methods, with the aggregates of its votes and its tags by flavour."""

    id: str
    first: str
    second: str
    cluster: str
    readings: Mapping[str, Mapping[str, float]]
    tags: Mapping[str, frozenset[str]]


@lru_cache(maxsize=2)
def read_pairs(folder: Path) -> tuple[MethodPair, ...]:
    """Return the pairs of ``dataset.json`` with their source."""
    ratings = ratings_of(folder / PAIRS)
    texts = _texts(folder / METHODS)
    clusters = clusters_of(ratings.entries)
    found = []
    for place, (entry, read) in enumerate(zip(ratings.entries, readings(ratings), strict=True)):
        id_ = str(entry["pairid"])
        if id_ not in texts:
            raise CodeacumenError(f"{folder / METHODS} lacks pair {id_}")
        tags = {
            flavour: frozenset(_tags(ratings, place, entry, read, flavour)) for flavour in FLAVOURS
        }
        found.append(MethodPair(id_, *texts[id_], clusters[place], read, tags))
    return tuple(found)


def _texts(path: Path) -> dict[str, tuple[str, str]]:
    with path.open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {str(row["pairid"]): (row["first"], row["second"]) for row in rows}


def _tags(
    ratings: Ratings, place: int, entry: Json, read: Mapping[str, Mapping[str, float]], flavour: str
) -> list[str]:
    found = [SAME_KIND] if _kind(entry, "first") == _kind(entry, "second") else []
    if in_approach(read, flavour):
        found.append(APPROACH)
    column = FLAVOURS.index(flavour)
    given = ratings.given[place, column]
    if (ratings.confidence[place, column][given] == 0).any():
        found.append(UNSURE)
    if len(set(ratings.rating[place, column][given].tolist())) == 1:
        found.append(UNANIMOUS)
    return found


def _kind(entry: Json, which: str) -> str:
    return KINDS.get(entry[which]["project"], "")


def in_approach(read: Mapping[str, Mapping[str, float]], flavour: str) -> bool:
    """Return whether a pair is in the slice that needs to separate goals from operations.

    The paper's figure 2 shows pairs that are similar in goals but not in operations. A slice needs
    both answers. So for goals and effects it has all pairs with dissimilar operations: a model must
    distinguish the pairs of figure 2 from pairs without anything in common. For operations it has
    all pairs with similar goals: a model must distinguish them from pairs with the same approach.
    """
    if flavour == "operations":
        return read["goals"]["mean"] >= SIMILAR
    return read["operations"]["mean"] < SIMILAR


def clusters_of(entries: tuple[Json, ...]) -> list[str]:
    """Return the name of each pair's cluster: connected components of pairs that share a file.

    Pairs that share a file are not independent observations: their methods share a class, its
    fields, its names and its author's vocabulary. The errors of docsim and toksim are as correlated
    in pairs with a common file as in pairs with a common method, and uncorrelated in others.
    Projects would be too few clusters: nearly every pair has a method of the JDK.
    """
    root: dict[tuple[str, str], tuple[str, str]] = {}

    def find(file: tuple[str, str]) -> tuple[str, str]:
        while root.setdefault(file, file) != file:
            root[file] = root[root[file]]
            file = root[file]
        return file

    files = [
        tuple((entry[which]["project"], entry[which]["file"]) for which in ("first", "second"))
        for entry in entries
    ]
    for first, second in files:
        # The smaller root wins, so that a cluster's name does not depend on the order of the pairs.
        low, high = sorted((find(first), find(second)))
        root[high] = low
    return ["/".join(find(first)) for first, _ in files]


@lru_cache(maxsize=2)
def published(folder: Path) -> Mapping[str, Mapping[str, float | None]]:
    """Return the authors' docsim and toksim by pair; None where they are missing."""
    with (folder / SAMPLED).open(encoding="utf-8", newline="") as stream:
        return {
            row["pairid"]: {"docsim": _number(row["sim"]), "toksim": _number(row["sim_tok"])}
            for row in csv.DictReader(stream)
        }


def _number(text: str) -> float | None:
    value = float(text)
    return None if value < 0 else value
