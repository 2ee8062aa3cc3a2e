"""SeSaMe's pairs: both methods' source, the readings of their votes, and what else is known.

A pair's source is that of ``methods.jsonl``: what the raters saw, a class with the method first and
then the fields that it reads and the methods that it calls in the same file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from acumen.api import AcumenError, Json
from acumen.tasks.similarity import APPROACH, SAME_KIND, UNANIMOUS, UNSURE
from acumen.tasks.similarity.ratings import FLAVOURS, SIMILAR, Ratings, ratings_of, readings

PAIRS, METHODS, SAMPLED = "dataset.json", "methods.jsonl", "sampled-pairs.csv"

# Table I of the paper.
KINDS = {
    "commons-collections": "utility", "commons-lang": "utility", "guava": "utility",
    "openjdk11": "utility", "trove": "utility", "caffeine": "special", "commons-math": "special",
    "deeplearning4j": "special", "eclipse.jdt.core": "special", "checkstyle": "application",
    "freemind": "application",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MethodPair:
    """``readings`` are by flavour; ``tags`` too, since they depend on what is asked."""

    id: str
    first: str
    second: str
    cluster: str
    readings: Mapping[str, Mapping[str, float]]
    tags: Mapping[str, frozenset[str]]


@lru_cache(maxsize=2)
def read_pairs(folder: Path) -> tuple[MethodPair, ...]:
    ratings = ratings_of(folder / PAIRS)
    texts = _texts(folder / METHODS)
    clusters = clusters_of(ratings.entries)
    found = []
    for place, (entry, read) in enumerate(zip(ratings.entries, readings(ratings), strict=True)):
        id_ = str(entry["pairid"])
        if id_ not in texts:
            raise AcumenError(f"{folder / METHODS} lacks the pair {id_}")
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
    """Whether a pair belongs to the slice where another approach to the same goal is what makes it
    hard: the paper's figure 2 has such pairs, similar in goals and not in operations.

    A slice needs both answers. Asked for goals or effects, it is all pairs whose operations are not
    similar: those of figure 2 must be told from those that have nothing in common. Asked for
    operations, it is all pairs with similar goals: those of figure 2 must be told from those that
    reach the goal alike.
    """
    if flavour == "operations":
        return read["goals"]["mean"] >= SIMILAR
    return read["operations"]["mean"] < SIMILAR


def clusters_of(entries: tuple[Json, ...]) -> list[str]:
    """For each pair the name of its cluster: pairs that have a method of the same file in common,
    or are linked by others that do, are no independent observations. Their methods share a class,
    its fields, its names and its author's words, and a model that misjudges one misjudges the
    next: what docsim and toksim get wrong is as alike in pairs with a file in common as in those
    with a method in common, and not at all in others.

    The projects themselves would be too few: nearly every pair has one method of the JDK.
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
        # The lesser one is kept, so that a cluster's name does not hang on the order of the pairs.
        low, high = sorted((find(first), find(second)))
        root[high] = low
    return ["/".join(find(first)) for first, _ in files]


@lru_cache(maxsize=2)
def published(folder: Path) -> Mapping[str, Mapping[str, float | None]]:
    """By pair, the authors' docsim and toksim; None where theirs failed."""
    with (folder / SAMPLED).open(encoding="utf-8", newline="") as stream:
        return {
            row["pairid"]: {"docsim": _number(row["sim"]), "toksim": _number(row["sim_tok"])}
            for row in csv.DictReader(stream)
        }


def _number(text: str) -> float | None:
    value = float(text)
    return None if value < 0 else value
