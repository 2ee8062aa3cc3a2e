"""Where a transformation can be applied, and where not, and why not.

Which of a method's locations are changed: each alone, all together, or a share of them.
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
    """``wrong``: what comes out means something else, or is no program; else nothing shows that it
    means the same."""

    why: str
    wrong: bool = True


def worst(doubts: Iterable[Doubt | None]) -> Doubt | None:
    """The first that is sure to be wrong, else the first."""
    found = [one for one in doubts if one]
    return next((one for one in found if one.wrong), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class Location:
    """A candidate in a method. ``id`` stays the same when other code changes: the kind, what is
    changed (a variable's name, ``for``, a label) and the how-manieth of its like in the method.
    ``start`` and ``end`` are the bytes that a person would point at. ``refused`` is the reason
    why the transformation is not made here; empty where it is. ``detail`` is the
    transformation's own. Locations whose ``reach`` overlaps are not made together: each was
    found right for the method as it is, without the other. ``doubt``: what speaks against a
    place that is not refused, which only ``published`` ones have.
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
    """One kind of change. ``locations`` are found in source order, refused ones among them, and
    always the same for the same file and seed; ``rewrites`` gives what several of them come to,
    made together in one method."""

    @property
    def name(self) -> str: ...
    def locations(self, code: Code, method: int, seed: int) -> list[Location]: ...
    def rewrites(self, code: Code, chosen: Sequence[Location]) -> list[Rewrite]: ...


class Numbered:
    """Ids of a method's locations, made in order."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.seen: dict[str, int] = {}

    def id(self, what: str) -> str:
        number = self.seen[what] = self.seen.get(what, -1) + 1
        return f"{self.kind}:{what}:{number}"


# A share is asked for where there are at least so many locations, as in the paper.
FEWEST = 4


def seeded(seed: int, *words: str) -> random.Random:
    """Random numbers that depend on these words and nothing else."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode("utf-8", "backslashreplace"))
    return random.Random(int.from_bytes(digest.digest()[:8], "little"))


def parse_modes(where: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """Return the modes, each once, by default ``default``; an unknown one is an error."""
    modes = tuple(dict.fromkeys(where or default))
    for mode in modes:
        share_of(mode)
    return modes


def share_of(where: str) -> int | None:
    """The percentage in ``25%``; None for ``single`` and ``all``."""
    if where in ("single", "all"):
        return None
    found = re.fullmatch(r"(\d{1,3})%", where)
    if not found or not 0 < int(found[1]) <= 100:
        raise CodeacumenError(f"there is no mode {where!r}", "choose single, all, or a share: 25%")
    return int(found[1])


def chosen(
    locations: Sequence[Location], where: str, random_: random.Random
) -> list[list[Location]]:
    """The sets of locations to be changed together, each making one program."""
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
    """Without those whose reach overlaps an earlier one's."""
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
