"""Read SeSaMe's pairs: the source of both methods, the votes, and aggregates of the votes.

Three of eight people judged each pair of methods on goals, operations and effects, the flavours
(Kamp, Kreutzer and Philippsen, MSR 2019, section II-D). A vote is 0 (disagree), 1 (conditionally
agree) or 2 (agree), with a confidence of 0 (low) to 2 (high). The source in ``methods.jsonl`` is
what the raters saw: a class with the method, then the fields that it reads and the methods that it
calls in the same file.

The authors publish only the location of each method. Another repository has the pages that their
raters saw, as two files per pair with HTML entities. ``build_methods_file`` decodes these files
into ``methods.jsonl``, a line per pair, in the order of ``dataset.json``.

A reading is an aggregate of a pair's votes for a flavour; ``compute_readings`` lists the four. A
sure vote is one whose confidence is not low.
"""

from __future__ import annotations

import csv
import html
import json
import re
import tarfile
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
# Lowest and highest rating, highest confidence.
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

    def select(self, pairs: np.ndarray) -> Ratings:
        """Return the ratings of the pairs that a mask of shape (pairs,) selects."""
        indices = np.flatnonzero(pairs)
        entries = tuple(self.entries[index] for index in indices.tolist())
        return Ratings(entries, self.rating[indices], self.confidence[indices])

    @property
    def is_given(self) -> np.ndarray:
        """Mask of the votes that are not missing."""
        mask: np.ndarray = self.rating >= 0
        return mask

    @property
    def is_sure(self) -> np.ndarray:
        """Mask of the votes that are neither missing nor of low confidence."""
        mask: np.ndarray = (self.rating >= 0) & (self.confidence > 0)
        return mask


def read_ratings(path: Path) -> Ratings:
    """Return the ratings of a file of SeSaMe, or raise an error if it has another format."""
    hint = "SeSaMe's dataset-unfiltered.json is a list of pairs with goals, operations and effects"
    try:
        entries = json.loads(path.read_bytes())
        votes = [[_parse_votes(entry[flavour]) for flavour in FLAVOURS] for entry in entries]
        for entry in entries:
            str(entry["pairid"]).encode()
    except (ValueError, RecursionError) as error:
        raise CodeacumenError(f"{path} is not a JSON file of SeSaMe: {error}", hint) from error
    except (KeyError, TypeError, IndexError) as error:
        raise CodeacumenError(f"{path}: a pair lacks {error}", hint) from error
    if len({len(flavour_votes) for pair in votes for flavour_votes in pair}) != 1:
        raise CodeacumenError(f"{path}: the pairs have different numbers of voters", hint)
    values = np.array(votes, dtype=np.int64)
    return Ratings(tuple(entries), values[..., 0], values[..., 1])


# Cached, because a process loads the same file for every flavour and level (how much of the source
# a model sees).
load_ratings = lru_cache(maxsize=2)(read_ratings)


def _parse_votes(slots: Sequence[Json]) -> list[tuple[int, int]]:
    """Return rating and confidence of each voter's slot; −1 is a missing vote."""
    votes = [(slot["rating"], slot["confidence"]) for slot in slots]
    for slot in votes:
        if not all(type(number) is int and -1 <= number <= HIGH for number in slot):
            raise ValueError(f"vote {slot} is not a pair of integers from −1 to {HIGH}")
    return votes


def compute_majorities(ratings: Ratings) -> np.ndarray:
    """Return the rating of more than half of the sure votes, or −1 if there is none.

    The shape is (pairs, flavours).
    """
    is_sure = ratings.is_sure
    counts = is_sure.sum(axis=2)
    majority = np.full(counts.shape, -1)
    for value in range(AGREE + 1):
        majority[2 * ((ratings.rating == value) & is_sure).sum(axis=2) > counts] = value
    return majority


def ordinal_majority(votes: Sequence[int]) -> float:
    """Return the rating of more than half of the votes; otherwise their median.

    >>> ordinal_majority([0, 0, 2]), ordinal_majority([0, 1, 2]), ordinal_majority([1, 2])
    (0.0, 1.0, 1.5)
    """
    # A rating of more than half of the votes is also their median.
    return float(np.median(votes))


def compute_readings(ratings: Ratings) -> list[dict[str, dict[str, float]]]:
    """Return four aggregates of the votes by flavour, for each pair.

    ``value`` is the mean weighted by confidence (low 0, medium 1, high 2), ``mean`` the mean of all
    votes, ``majority`` the ordinal majority without votes of low confidence, ``majority_all`` that
    of all votes. If all votes have low confidence, none is left out and all weigh the same.
    """
    return [
        {
            flavour: _compute_reading(*_select_votes(ratings, pair, column))
            for column, flavour in enumerate(FLAVOURS)
        }
        for pair in range(len(ratings))
    ]


def _select_votes(ratings: Ratings, pair: int, flavour: int) -> tuple[list[int], list[int]]:
    """Return the ratings and confidences of the votes that are not missing."""
    votes, confidences = (
        ratings.rating[pair, flavour].tolist(),
        ratings.confidence[pair, flavour].tolist(),
    )
    cast_votes = [
        (vote, confidence) for vote, confidence in zip(votes, confidences, strict=True) if vote >= 0
    ]
    return [vote for vote, _ in cast_votes], [confidence for _, confidence in cast_votes]


def _compute_reading(votes: Sequence[int], confidences: Sequence[int]) -> dict[str, float]:
    sure_votes = [
        vote for vote, confidence in zip(votes, confidences, strict=True) if confidence > 0
    ]
    return {
        "value": compute_weighted_mean(votes, confidences),
        "mean": sum(votes) / len(votes),
        "majority": ordinal_majority(sure_votes or votes),
        "majority_all": ordinal_majority(votes),
    }


def compute_weighted_mean(votes: Sequence[int], confidences: Sequence[int]) -> float:
    weights = confidences if any(confidences) else [1] * len(votes)
    return sum(vote * weight for vote, weight in zip(votes, weights, strict=True)) / sum(weights)


def list_voters(ratings: Ratings, flavour: str) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield each vote with the aggregates of the pair's other votes, as if a voter were a model."""
    column = FLAVOURS.index(flavour)
    for pair in range(len(ratings)):
        votes, confidences = _select_votes(ratings, pair, column)
        for position, vote in enumerate(votes):
            others = votes[:position] + votes[position + 1 :]
            if others:
                yield (
                    vote,
                    _compute_reading(others, confidences[:position] + confidences[position + 1 :]),
                )


def compute_ceiling(ratings: Ratings, flavour: str) -> float:
    """Return ρ of the votes as answers, with the other votes of a pair as the truth.

    It is NaN if it is undefined.
    """
    from codeacumen.metrics import make_reading_metric

    metric = make_reading_metric("spearman")
    rows = [metric.observe(others, vote) for vote, others in list_voters(ratings, flavour)]
    if not rows:
        return float("nan")
    columns: Floats = np.array(rows, dtype=float).T
    return float(metric.statistic(columns, np.ones((1, len(rows))))[0])


PAIRS, METHODS, SAMPLED = "dataset.json", "methods.jsonl", "sampled-pairs.csv"

# Kind of each project, in Table I of the paper.
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
    """A pair of methods with the texts of both, and readings (of its votes) and tags by flavour.

    ``cluster`` is the name of its cluster (``compute_clusters``).
    """

    id: str
    first: str
    second: str
    cluster: str
    readings: Mapping[str, Mapping[str, float]]
    tags: Mapping[str, frozenset[str]]


@lru_cache(maxsize=2)
def read_pairs(folder: Path) -> tuple[MethodPair, ...]:
    """Return the pairs of ``dataset.json`` with their source, in the order of the file."""
    ratings = load_ratings(folder / PAIRS)
    texts = _read_texts(folder / METHODS)
    clusters = compute_clusters(ratings.entries)
    pairs = []
    for index, (entry, pair_readings) in enumerate(
        zip(ratings.entries, compute_readings(ratings), strict=True)
    ):
        pair_id = str(entry["pairid"])
        if pair_id not in texts:
            raise CodeacumenError(f"{folder / METHODS} lacks pair {pair_id}")
        tags = {
            flavour: frozenset(_make_tags(ratings, index, entry, pair_readings, flavour))
            for flavour in FLAVOURS
        }
        pairs.append(MethodPair(pair_id, *texts[pair_id], clusters[index], pair_readings, tags))
    return tuple(pairs)


def _read_texts(path: Path) -> dict[str, tuple[str, str]]:
    with path.open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {str(row["pairid"]): (row["first"], row["second"]) for row in rows}


def _make_tags(
    ratings: Ratings,
    index: int,
    entry: Json,
    pair_readings: Mapping[str, Mapping[str, float]],
    flavour: str,
) -> list[str]:
    tags = [SAME_KIND] if _get_kind(entry, "first") == _get_kind(entry, "second") else []
    if is_in_approach_slice(pair_readings, flavour):
        tags.append(APPROACH)
    column = FLAVOURS.index(flavour)
    is_given = ratings.is_given[index, column]
    if (ratings.confidence[index, column][is_given] == 0).any():
        tags.append(UNSURE)
    if len(set(ratings.rating[index, column][is_given].tolist())) == 1:
        tags.append(UNANIMOUS)
    return tags


def _get_kind(entry: Json, side: str) -> str:
    return KINDS.get(entry[side]["project"], "")


def is_in_approach_slice(pair_readings: Mapping[str, Mapping[str, float]], flavour: str) -> bool:
    """Return whether a pair is in the slice in which a model must separate goals from operations.

    The paper's figure 2 shows pairs that are similar in goals but not in operations. A slice needs
    similar and dissimilar pairs. So for goals and effects it has all pairs with dissimilar
    operations: a model must distinguish the pairs of figure 2 from pairs without anything in
    common. For operations it has all pairs with similar goals: a model must distinguish the pairs
    of figure 2 from pairs with the same approach.
    """
    if flavour == "operations":
        return pair_readings["goals"]["mean"] >= SIMILAR
    return pair_readings["operations"]["mean"] < SIMILAR


def compute_clusters(entries: tuple[Json, ...]) -> list[str]:
    """Return the name of each pair's cluster, a connected component of pairs that share files.

    Pairs that share a file are not independent observations: their methods share a class, its
    fields, its names and its author's vocabulary. The errors of docsim and toksim are as correlated
    in pairs with a common file as in pairs with a common method, and uncorrelated in others.
    Projects would be too few clusters: nearly every pair has a method of the JDK.
    """
    parents: dict[tuple[str, str], tuple[str, str]] = {}

    def find_root(file: tuple[str, str]) -> tuple[str, str]:
        while parents.setdefault(file, file) != file:
            # Path halving, which keeps the trees of the union-find flat.
            parents[file] = parents[parents[file]]
            file = parents[file]
        return file

    files = [
        tuple((entry[side]["project"], entry[side]["file"]) for side in ("first", "second"))
        for entry in entries
    ]
    for first, second in files:
        # The smaller root wins, so that a cluster's name does not depend on the order of the pairs.
        low, high = sorted((find_root(first), find_root(second)))
        parents[high] = low
    return ["/".join(find_root(first)) for first, _ in files]


@lru_cache(maxsize=2)
def read_published_scores(folder: Path) -> Mapping[str, Mapping[str, float | None]]:
    """Return the authors' docsim and toksim by pair id; None where they are missing (negative)."""
    with (folder / SAMPLED).open(encoding="utf-8", newline="") as stream:
        return {
            row["pairid"]: {
                "docsim": _parse_score(row["sim"]),
                "toksim": _parse_score(row["sim_tok"]),
            }
            for row in csv.DictReader(stream)
        }


def _parse_score(text: str) -> float | None:
    value = float(text)
    return None if value < 0 else value


# Path of a page in the archive, with the pair's id and the side.
_MEMBER = re.compile(r"[^/]+/samples/([^/]+)/([ab])\.java")


def build_methods_file(archive: Path, folder: Path) -> bytes:
    """Return the bytes of ``methods.jsonl``, from the archive of the repository with the pages.

    ``folder`` has ``dataset.json``. A method without a page has an empty text.
    """
    texts: dict[tuple[str, str], str] = {}
    with tarfile.open(archive, "r:gz") as members:
        for member in members:
            match = _MEMBER.fullmatch(member.name)
            stream = members.extractfile(member) if match and member.isfile() else None
            if match and stream:
                text = stream.read().decode("utf-8", "replace")
                texts[match[1], match[2]] = html.unescape(text)
    rows = []
    for entry in json.loads((folder / "dataset.json").read_bytes()):
        pair = str(entry["pairid"])
        first, second = (texts.get((pair, side), "") for side in "ab")
        row = {"pairid": pair, "first": first, "second": second}
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(rows).encode()
