"""Who rates which pairs, in which order; and the votes of several raters in one file.

Every pair gets the same number of votes, each of another rater. Pairs are dealt in a random order
to those who have the fewest, so that nobody has more than one pair more than anybody else, and any
two raters meet on some pairs. Each rater gets an order of their own, against effects of order;
which of its two methods stands on the left is drawn once for a pair. All draws are hashes of the
seed and of what they are about: neither the order of the pairs nor that of the raters matters.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeacumen.api import CodeacumenError, Json
from codeacumen.core.files import write_atomically

VOTES = 3
COLUMNS = ("rater", "position", "pair", "left", "right")
FLAVOURS = ("goals", "operations", "effects")
NO_VOTE = {"rating": -1, "confidence": -1}


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair that is to be rated, and its two methods."""

    id: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One pair for one rater. ``position`` counts from 1; left and right are as shown."""

    rater: str
    position: int
    pair: str
    left: str
    right: str


def raters_of(number_or_names: int | Sequence[str]) -> tuple[str, ...]:
    """Raters by name, or so many of them: rater-1, rater-2, …"""
    if isinstance(number_or_names, int):
        return tuple(f"rater-{place}" for place in range(1, number_or_names + 1))
    return tuple(number_or_names)


def assign(
    pairs: Sequence[Pair], raters: int | Sequence[str], *, votes: int = VOTES, seed: int = 0
) -> list[Turn]:
    """Turns of all raters, in the order of their names as given, then of position."""
    names = raters_of(raters)
    _check(pairs, names, votes)
    queues: dict[str, list[Pair]] = {name: [] for name in names}
    for pair in sorted(pairs, key=lambda one: _lot(seed, "dealt", one.id)):
        idle = sorted(names, key=lambda name: (len(queues[name]), _lot(seed, pair.id, name)))
        for name in idle[:votes]:
            queues[name].append(pair)
    return [
        Turn(name, position, pair.id, *sides(pair, seed=seed))
        for name in names
        for position, pair in enumerate(
            sorted(queues[name], key=lambda one: _lot(seed, "order", name, one.id)), start=1
        )
    ]


def sides(pair: Pair, *, seed: int = 0) -> tuple[str, str]:
    """The pair's methods as they stand on the left and on the right."""
    if is_swapped(pair.id, seed=seed):
        return pair.right, pair.left
    return pair.left, pair.right


def is_swapped(pair: str, *, seed: int = 0) -> bool:
    return _lot(seed, "sides", pair) % 2 == 1


def _check(pairs: Sequence[Pair], names: Sequence[str], votes: int) -> None:
    if votes < 1:
        raise CodeacumenError(f"{votes} votes a pair cannot be given", "ask for one at least")
    if len(set(names)) != len(names) or not all(names):
        raise CodeacumenError("two raters have the same name, or one has none", "give each a name")
    if votes > len(names):
        raise CodeacumenError(
            f"{votes} votes a pair need {votes} raters; there are {len(names)}",
            "ask for fewer votes, or name more raters",
        )
    if len({one.id for one in pairs}) != len(pairs):
        raise CodeacumenError("two pairs have the same id")


def _lot(seed: int, *words: str) -> int:
    text = json.dumps([seed, *words]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def table(turns: Sequence[Turn]) -> str:
    """The assignment as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((one.rater, one.position, one.pair, one.left, one.right) for one in turns)
    return out.getvalue()


def write_assignment(turns: Sequence[Turn], path: Path) -> None:
    write_atomically(path, table(turns).encode("utf-8", "surrogatepass"))


def read_exports(files: Sequence[Path]) -> dict[str, Sequence[Json]]:
    """Return what raters saved from their pages, by rater; a rater is called like the file."""
    exports: dict[str, Sequence[Json]] = {}
    for path in files:
        try:
            exports[path.stem] = json.loads(path.read_bytes())
        except ValueError as error:
            raise CodeacumenError(
                f"{path} is not JSON: {error}", "save it from the rating pages"
            ) from error
    if len(exports) < len(files):
        raise CodeacumenError("two files have the same name", "name each file after its rater")
    return exports


def merge_exports(exports: Mapping[str, Sequence[Json]]) -> list[dict[str, Json]]:
    """Return the votes of several raters, as their pages export them, in one list as SeSaMe's: a
    slot for each rater, in the order of their names, empty where there is no vote."""
    names = sorted(exports)
    found: dict[str, dict[str, Json]] = {}
    for place, name in enumerate(names):
        for entry in exports[name]:
            try:
                key = str(entry["pairid"])
                votes = {flavour: entry[flavour][0] for flavour in FLAVOURS}
                described = {side: entry[side] for side in ("first", "second")}
            except (KeyError, IndexError, TypeError) as error:
                raise CodeacumenError(f"a pair of {name} lacks {error}") from error
            if key not in found:
                slots = {flavour: [dict(NO_VOTE) for _ in names] for flavour in FLAVOURS}
                found[key] = {"pairid": key, **described, **slots}
            for flavour, vote in votes.items():
                found[key][flavour][place] = vote
    return [found[key] for key in sorted(found, key=lambda one: (len(one), one))]
