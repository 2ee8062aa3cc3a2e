"""Locations: where a transformation can be applied, where it is refused, and why.

The module also selects which of a method's locations are changed: each alone, all together, or a
share of them.
"""

from __future__ import annotations

import hashlib
import random
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from codeacumen.api import CodeacumenError
from codeacumen.transforms.code import Code
from codeacumen.transforms.edits import Rewrite


class Doubt(NamedTuple):
    """A reason to doubt a variant.

    ``wrong``: the variant has another meaning or does not compile. Otherwise nothing proves that it
    keeps its meaning.
    """

    why: str
    wrong: bool = True


def worst(doubts: Iterable[Doubt | None]) -> Doubt | None:
    """Return the first doubt that is certainly wrong, else the first doubt."""
    found = [one for one in doubts if one]
    return next((one for one in found if one.wrong), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class Location:
    """A candidate in a method.

    ``id`` stays the same when other code changes: the kind, what is changed (a variable's name,
    ``for``, a label), and a running number among equal ones in the method. ``start`` and ``end``
    delimit the code to highlight, in bytes. ``refused`` is the reason why the transformation is not
    applied here; empty where it is. ``detail`` is private to the transformation. Locations with
    overlapping ``reach`` are not changed together, because each was checked in the unchanged
    method. ``doubt`` is a reason to distrust a location that is not refused; only ``published``
    transformations have it.
    """

    id: str
    method: int
    start: int
    end: int
    refused: str = ""
    detail: Any = field(default=None, compare=False)
    reach: tuple[int, int] | None = None
    doubt: Doubt | None = None


class Transform(Protocol):
    """One kind of change to a method.

    ``find_locations`` returns locations in source order, refused ones included, and always the same
    ones for the same file and seed. ``make_rewrites`` returns the rewrites of several locations
    that are changed together in one method.
    """

    @property
    def name(self) -> str: ...
    def locations(self, code: Code, method: int, seed: int) -> list[Location]: ...
    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]: ...


class Numbered:
    """Generator of ids for a method's locations: numbers those with the same name in order."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seen: dict[str, int] = {}

    def id(self, what: str) -> str:
        """Return the id of the next location with this name."""
        number = self.seen[what] = self.seen.get(what, -1) + 1
        return f"{self.kind}:{what}:{number}"


# A share is taken only of this many locations or more, as in the paper.
FEWEST = 4


def seeded(seed: int, *words: str) -> random.Random:
    """Return a random generator seeded with this number and these words only."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode("utf-8", "backslashreplace"))
    return random.Random(int.from_bytes(digest.digest()[:8], "little"))


def parse_modes(where: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """Return the modes without duplicates, ``default`` if there are none; raise an error for an
    unknown mode."""
    modes = tuple(dict.fromkeys(where or default))
    for mode in modes:
        share_of(mode)
    return modes


def share_of(where: str) -> int | None:
    """Return the percentage in a mode such as ``25%``; None for ``single`` and ``all``."""
    if where in ("single", "all"):
        return None
    found = re.fullmatch(r"(\d{1,3})%", where)
    if not found or not 0 < int(found[1]) <= 100:
        raise CodeacumenError(f"there is no mode {where!r}", "choose single, all, or a share: 25%")
    return int(found[1])


def chosen(
    locations: Sequence[Location], where: str, random_: random.Random
) -> list[list[Location]]:
    """Return sets of locations; the locations of a set are changed together and make one
    variant."""
    share = share_of(where)
    accepted = [one for one in locations if not one.refused]
    if where == "single":
        return [[one] for one in accepted]
    if share is not None:
        if len(accepted) < FEWEST:
            return []
        kept = sorted(random_.sample(range(len(accepted)), len(accepted) * share // 100))
        accepted = [accepted[place] for place in kept]
    together = _together(accepted)
    return [together] if together else []


def _together(locations: Sequence[Location]) -> list[Location]:
    """Return the locations without those whose reach overlaps that of an earlier one."""
    found: list[Location] = []
    taken: list[tuple[int, int]] = []  # in order; none overlaps another
    for one in locations:
        if one.reach is not None:
            start, end = one.reach
            place = bisect_left(taken, one.reach)
            if place and taken[place - 1][1] > start:
                continue
            if place < len(taken) and taken[place][0] < end:
                continue
            taken.insert(place, one.reach)
        found.append(one)
    return found
