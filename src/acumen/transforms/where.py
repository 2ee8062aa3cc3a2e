"""Which of a method's locations are changed: each alone, all together, or a share of them."""

from __future__ import annotations

import hashlib
import random
import re
from bisect import bisect_left
from collections.abc import Sequence

from acumen.api import AcumenError
from acumen.transforms.location import Location

# A share is asked for where there are at least so many locations, as in the paper.
FEWEST = 4


def seeded(seed: int, *words: str) -> random.Random:
    """Random numbers that depend on these words and nothing else."""
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode("utf-8", "backslashreplace"))
    return random.Random(int.from_bytes(digest.digest()[:8], "little"))


def share_of(where: str) -> int | None:
    """The percentage in ``25%``; None for ``single`` and ``all``."""
    if where in ("single", "all"):
        return None
    found = re.fullmatch(r"(\d{1,3})%", where)
    if not found or not 0 < int(found[1]) <= 100:
        raise AcumenError(f"there is no mode {where!r}", "choose single, all, or a share: 25%")
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
