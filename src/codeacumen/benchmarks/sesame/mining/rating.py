"""Assign pairs to raters in a random order, and merge the votes of several raters into one file.

Every pair gets the same number of votes, each from another rater. Pairs are dealt in a random order
to the raters with the fewest pairs, so that numbers of pairs differ by at most one; ties are broken
at random, so that with several votes any two raters are likely to share pairs. Each rater gets a
separate order, against effects of order; each pair has one random left side for all raters. Random
choices are hashes of the seed and of the pair and rater, so neither the order of the pairs nor that
of the raters matters.
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

# Default number of votes per pair.
VOTES = 3
# Columns of assignment.csv.
COLUMNS = ("rater", "position", "pair", "left", "right")
# The three statements about a pair that raters judge.
FLAVOURS = ("goals", "operations", "effects")
# Slot of a rater without a vote, as in SeSaMe.
NO_VOTE = {"rating": -1, "confidence": -1}


@dataclass(frozen=True, slots=True)
class PairToRate:
    """A pair to rate, and the ids of its two methods."""

    id: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A pair that a rater judges; ``left`` and ``right`` are the methods' ids, as shown.

    ``position`` is the index in the rater's order, from 1.
    """

    rater: str
    position: int
    pair: str
    left: str
    right: str


def list_raters(number_or_names: int | Sequence[str]) -> tuple[str, ...]:
    """Return the raters' names; a number stands for rater-1, rater-2, … up to it."""
    if isinstance(number_or_names, int):
        return tuple(f"rater-{number}" for number in range(1, number_or_names + 1))
    return tuple(number_or_names)


def assign_pairs(
    pairs: Sequence[PairToRate], raters: int | Sequence[str], *, votes: int = VOTES, seed: int = 0
) -> list[Turn]:
    """Return the turns of all raters, in the order of ``raters``, then of position.

    Raises an error if there are fewer raters than ``votes``, or if names or ids are not unique.
    """
    names = list_raters(raters)
    _check_assignment(pairs, names, votes)
    queues: dict[str, list[PairToRate]] = {name: [] for name in names}
    for pair in sorted(
        pairs, key=lambda candidate: _hash_sampling_key(seed, "dealt", candidate.id)
    ):
        idle = sorted(
            names, key=lambda name: (len(queues[name]), _hash_sampling_key(seed, pair.id, name))
        )
        for name in idle[:votes]:
            queues[name].append(pair)
    return [
        Turn(name, position, pair.id, *order_sides(pair, seed=seed))
        for name in names
        for position, pair in enumerate(
            sorted(
                queues[name],
                key=lambda candidate: _hash_sampling_key(seed, "order", name, candidate.id),
            ),
            start=1,
        )
    ]


def order_sides(pair: PairToRate, *, seed: int = 0) -> tuple[str, str]:
    """Return the ids of the pair's methods as they are shown on the left and on the right."""
    if is_swapped(pair.id, seed=seed):
        return pair.right, pair.left
    return pair.left, pair.right


def is_swapped(pair: str, *, seed: int = 0) -> bool:
    """Return whether the pair with this id is shown with its second method on the left."""
    return _hash_sampling_key(seed, "sides", pair) % 2 == 1


def _check_assignment(pairs: Sequence[PairToRate], names: Sequence[str], votes: int) -> None:
    if votes < 1:
        raise CodeacumenError(f"{votes} votes per pair are too few", "set at least one vote")
    if len(set(names)) != len(names) or not all(names):
        raise CodeacumenError("two raters have the same name, or one has none", "give each a name")
    if votes > len(names):
        raise CodeacumenError(
            f"{votes} votes per pair need {votes} raters; there are {len(names)}",
            "set fewer votes, or name more raters",
        )
    if len({pair.id for pair in pairs}) != len(pairs):
        raise CodeacumenError("two pairs have the same id")


def _hash_sampling_key(seed: int, *words: str) -> int:
    text = json.dumps([seed, *words]).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def format_table(turns: Sequence[Turn]) -> str:
    """Return the turns as CSV with the columns ``COLUMNS``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(
        (turn.rater, turn.position, turn.pair, turn.left, turn.right) for turn in turns
    )
    return out.getvalue()


def write_assignment(turns: Sequence[Turn], path: Path) -> None:
    write_atomically(path, format_table(turns).encode("utf-8", "surrogatepass"))


def read_exports(files: Sequence[Path]) -> dict[str, Sequence[Json]]:
    """Return the exports of the rating pages by rater; a file's stem is its rater."""
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
    """Return the votes of several raters in one list, in SeSaMe's form.

    ``exports`` has the pairs that the rating pages export, by rater. Each statement of a pair has
    one slot per rater, in the order of the raters' names; a slot without a vote is ``NO_VOTE``.
    """
    names = sorted(exports)
    merged: dict[str, dict[str, Json]] = {}
    for rater_index, name in enumerate(names):
        for entry in exports[name]:
            try:
                key = str(entry["pairid"])
                votes = {flavour: entry[flavour][0] for flavour in FLAVOURS}
                methods = {side: entry[side] for side in ("first", "second")}
            except (KeyError, IndexError, TypeError) as error:
                raise CodeacumenError(f"a pair of {name} lacks {error}") from error
            if key not in merged:
                slots = {flavour: [dict(NO_VOTE) for _ in names] for flavour in FLAVOURS}
                merged[key] = {"pairid": key, **methods, **slots}
            for flavour, vote in votes.items():
                merged[key][flavour][rater_index] = vote
    return [merged[key] for key in sorted(merged, key=lambda pair_id: (len(pair_id), pair_id))]
