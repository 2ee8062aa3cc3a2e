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

    reason: str
    wrong: bool = True


def worst_doubt(doubts: Iterable[Doubt | None]) -> Doubt | None:
    """Return the first doubt that is certainly wrong, else the first doubt."""
    present = [doubt for doubt in doubts if doubt]
    return next((doubt for doubt in present if doubt.wrong), present[0] if present else None)


@dataclass(frozen=True, slots=True)
class Location:
    """A piece of code in a method that a transformation may change.

    ``id`` stays the same when other code changes: the kind, a name of the changed code (a
    variable, ``for``, a label), and a number among equal names in the method, joined by colons.
    ``method`` is the index in ``declarations.methods``. ``start`` and ``end`` delimit the code to
    highlight, in bytes. ``refused`` is the reason why the transformation cannot be applied here;
    empty if it can. ``detail`` is private to the transformation. Locations with overlapping
    ``reach`` (a range of bytes, or None) are not changed together, because each was checked in the
    unchanged method. ``doubt`` is a reason to distrust a location that is not refused; only
    ``published`` transformations have it.
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
    """A kind of change to a method.

    ``find_locations`` returns the locations of the method with this index in source order, refused
    ones included, and always the same ones for the same file and seed. ``make_rewrites`` returns
    the rewrites of several locations that are changed together in one method.
    """

    @property
    def name(self) -> str: ...
    def find_locations(self, code: Code, method: int, seed: int) -> list[Location]: ...
    def make_rewrites(self, code: Code, selected: Sequence[Location]) -> list[Rewrite]: ...


class LocationIds:
    """Generator of ids for a method's locations: numbers those with the same name from 0."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.next_number: dict[str, int] = {}

    def next_id(self, name: str) -> str:
        """Return the id of the next location with this name."""
        number = self.next_number[name] = self.next_number.get(name, -1) + 1
        return f"{self.kind}:{name}:{number}"


# With fewer locations than this, a share selects none, as in the generalizability study.
MIN_LOCATIONS_FOR_SHARE = 4


def seeded_random(seed: int, *words: str) -> random.Random:
    """Return a random generator seeded with this number and these words only."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode("utf-8", "backslashreplace"))
    return random.Random(int.from_bytes(digest.digest()[:8], "little"))


def parse_modes(modes: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """Return the modes without duplicates, ``default`` if there are none; raise an error for an
    unknown mode."""
    unique_modes = tuple(dict.fromkeys(modes or default))
    for mode in unique_modes:
        parse_share(mode)
    return unique_modes


def parse_share(mode: str) -> int | None:
    """Return the percentage in a mode such as ``25%``; None for ``single`` and ``all``."""
    if mode in ("single", "all"):
        return None
    match = re.fullmatch(r"(\d{1,3})%", mode)
    if not match or not 0 < int(match[1]) <= 100:
        raise CodeacumenError(f"there is no mode {mode!r}", "choose single, all, or a share: 25%")
    return int(match[1])


def select_locations(
    locations: Sequence[Location], mode: str, generator: random.Random
) -> list[list[Location]]:
    """Return sets of accepted locations; the locations of a set are changed together and make one
    variant."""
    share = parse_share(mode)
    accepted = [location for location in locations if not location.refused]
    if mode == "single":
        return [[location] for location in accepted]
    if share is not None:
        if len(accepted) < MIN_LOCATIONS_FOR_SHARE:
            return []
        sampled = sorted(generator.sample(range(len(accepted)), len(accepted) * share // 100))
        accepted = [accepted[index] for index in sampled]
    together = _drop_overlapping(accepted)
    return [together] if together else []


def _drop_overlapping(locations: Sequence[Location]) -> list[Location]:
    """Return the locations without those whose reach overlaps that of an earlier one."""
    disjoint: list[Location] = []
    reaches: list[tuple[int, int]] = []  # in order; none overlaps another
    for location in locations:
        if location.reach is not None:
            start, end = location.reach
            index = bisect_left(reaches, location.reach)
            if index and reaches[index - 1][1] > start:
                continue
            if index < len(reaches) and reaches[index][0] < end:
                continue
            reaches.insert(index, location.reach)
        disjoint.append(location)
    return disjoint
