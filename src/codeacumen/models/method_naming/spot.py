"""Spot's idea (Liu et al., "Learning to spot and refactor inconsistent method names", ICSE 2019):
methods that do alike are named alike. A name is inconsistent where the methods with the nearest
bodies and those with the nearest names have nothing in common.

Spot compares first subtokens of the k nearest each. Its vectors are a convolutional network's over
word2vec, and paragraph vectors of names; ours are of TF-IDF (``neighbours``), learned in a minute.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from codeacumen.api import CodeacumenError, Method, NamedMethod
from codeacumen.registry import model

if TYPE_CHECKING:
    from codeacumen.models.method_naming.facts import Facts
    from codeacumen.models.method_naming.neighbours import Neighbours, Settings

# How many neighbours are looked at to grade a name that has nothing in common with the first k.
FARTHER = 5
# Neighbours by which a method is named, as in the paper.
NAMED_BY = 10
BY = ("first", "name")


class Spot:
    """``by``: what is compared of the neighbours' names, first subtokens or all of it. ``own``:
    whether the name under test is among its own neighbours; Spot leaves it out."""

    batch_size = 256

    def __init__(
        self, corpus: Path, settings: Settings, k: int, by: str, rank: str, own: bool
    ) -> None:
        from codeacumen.core.files import sha256_of
        from codeacumen.search.store import corpus_manifest

        self.corpus, self.settings = corpus, settings
        self.k, self.by, self.rank, self.own = k, by, rank, own
        manifest = sha256_of(corpus_manifest(corpus))
        self.fingerprint = hashlib.sha256(manifest.encode()).hexdigest()

    @cached_property
    def neighbours(self) -> Neighbours:
        """What it has learned, when it is first needed."""
        from codeacumen.core.home import codeacumen_home
        from codeacumen.core.machine import processors
        from codeacumen.engines import engine
        from codeacumen.models.method_naming.neighbours import neighbours_of

        return neighbours_of(
            self.corpus, codeacumen_home(), self.settings, lambda: engine("local", processors())
        )

    # ---------------------------------------------------------------- capabilities

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        """None where the text is no method, or the corpus knows no word of the name."""
        facts = _facts([one.method for one in methods])
        asked = [(one, named.name) for one, named in zip(facts, methods, strict=True) if one]
        fits = iter(self.fits([one for one, _ in asked], [name for _, name in asked]))
        return [next(fits) if one else None for one in facts]

    def fits(self, methods: Sequence[Facts], names: Sequence[str]) -> list[float | None]:
        """How well each name fits the method: 0.5 or more just where Spot calls it consistent."""
        from codeacumen.models.method_naming.neighbours import same_name

        if not methods:
            return []
        most = self.k * FARTHER
        found: list[float | None] = []
        for bodies, near, name in zip(
            self.neighbours.bodies(methods, most),
            self.neighbours.names(names, most),
            names,
            strict=True,
        ):
            if not bodies or not near:
                found.append(None)
                continue
            left = [self._told(one.meaning) for one in near]
            right = [self._told(one.meaning) for one in bodies]
            own = [self._told(same_name(name))] if self.own else []
            found.append(fitness(left, right, self.k, own))
        return found

    def _told(self, meaning: str) -> str:
        return meaning.partition(" ")[0] if self.by == "first" else meaning

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        facts = _facts(methods)
        asked = [one for one in facts if one]
        ranked = iter(self.named(asked))
        return [next(iter(next(ranked)), None) if one else None for one in facts]

    def named(self, methods: Sequence[Facts]) -> list[list[str]]:
        """The names of the methods with the nearest bodies, the best first."""
        if not methods:
            return []
        rank = RANKS[self.rank]
        return [
            rank([(method.name, method.similarity) for method in near])
            for near in self.neighbours.bodies(methods, NAMED_BY)
        ]


def _facts(methods: Sequence[Method]) -> list[Facts | None]:
    from codeacumen.models.method_naming.facts import facts_of_text

    return [facts_of_text(one.text) for one in methods]


# --------------------------------------------------------------------------------------


def fitness(names: Sequence[str], bodies: Sequence[str], k: int, own: Sequence[str] = ()) -> float:
    """From what the neighbours by name and by body tell, the nearest first.

    Where the k nearest of both have something in common: a half, and half the share of the bodies'
    that the names' have too. Else a half of k by how many of each one has to look at until there is
    something in common; 0 where there never is.

    >>> fitness(["get", "fetch"], ["get", "is"], 2)
    0.75
    >>> fitness(["get", "fetch", "is"], ["has", "can", "is"], 2)
    0.3333333333333333
    """
    here = {*names[:k], *own}
    common = sum(1 for one in bodies[:k] if one in here)
    if common:
        return 0.5 + 0.5 * common / len(bodies[:k])
    first: dict[str, int] = {}
    for place, one in enumerate(names, 1):
        first.setdefault(one, place)
    meetings = (max(place, first[one]) for place, one in enumerate(bodies, 1) if one in first)
    farthest = min(meetings, default=0)
    return 0.5 * k / farthest if farthest else 0.0


# Names of neighbours with their similarities, nearest first.
NamedNeighbours = Sequence[tuple[str, float]]


def _grouped(near: NamedNeighbours) -> dict[str, list[float]]:
    """The similarities of each name, names and similarities with the nearest first."""
    groups: dict[str, list[float]] = {}
    for name, similarity in near:
        groups.setdefault(name, []).append(similarity)
    return groups


def _r1(near: NamedNeighbours) -> list[str]:
    """As near as the nearest method of that name."""
    return list(_grouped(near))


def _r2(near: NamedNeighbours) -> list[str]:
    """The most frequent; among equals the nearest."""
    groups = _grouped(near)
    return sorted(groups, key=lambda name: -len(groups[name]))


def _r3(near: NamedNeighbours) -> list[str]:
    """The nearest in the mean of all methods of that name."""
    groups = _grouped(near)
    return sorted(groups, key=lambda name: -sum(groups[name]) / len(groups[name]))


def _r4(near: NamedNeighbours) -> list[str]:
    """As R3, and names of one method come last."""
    groups = _grouped(near)
    return sorted(_r3(near), key=lambda name: len(groups[name]) == 1)


RANKS: dict[str, Callable[[NamedNeighbours], list[str]]] = {
    "r1": _r1,
    "r2": _r2,
    "r3": _r3,
    "r4": _r4,
}


@model("spot", needs="corpus=DIR")
def make_spot(
    corpus: str = "",
    k: int = 20,
    by: str = "first",
    rank: str = "r2",
    own: bool = False,
    space: str = "first",
    dimensions: int = 128,
    seed: int = 0,
) -> Spot:
    """Do the nearest bodies and the nearest names of a corpus begin alike? (spot:corpus=DIR)"""
    if not corpus:
        raise CodeacumenError(
            "spot needs a corpus to learn from",
            "spot:corpus=DIR; `codeacumen corpus build` makes one",
        )
    from codeacumen.models.method_naming.neighbours import SPACES, Settings

    for key, value, known in (("by", by, BY), ("rank", rank, RANKS), ("space", space, SPACES)):
        if value not in known:
            raise CodeacumenError(
                f"spot cannot have {key}={value}", f"choose of {', '.join(known)}"
            )
    for key, number, least, most in (
        ("k", k, 1, 1000),
        ("dimensions", dimensions, 2, 1024),
        ("seed", seed, 0, 2**31 - 1),
    ):
        # true and 2.5 are numbers to JSON or to Python.
        if type(number) is not int or not least <= number <= most:
            raise CodeacumenError(f"spot cannot have {key}={number!r}", f"it is {least} to {most}")
    if not isinstance(own, bool):
        raise CodeacumenError(f"spot cannot have own={own!r}", "it is true or false")
    folder = Path(str(corpus)).expanduser().absolute()
    return Spot(folder, Settings(dimensions, space, seed=seed), k, by, rank, own)
