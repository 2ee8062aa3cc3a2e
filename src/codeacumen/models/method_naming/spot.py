"""The model ``spot``: names judged by nearest neighbours, after Spot.

Spot (Liu et al., "Learning to spot and refactor inconsistent method names", ICSE 2019) assumes that
methods that do similar things have similar names. A name is inconsistent if the methods with the
nearest bodies and the methods with the nearest names have no word in common.

Spot compares the first subtokens of the k nearest of each. Its vectors come from a convolutional
network on word2vec for bodies, and from paragraph vectors for names; ours are TF-IDF vectors
(``neighbours``), which need only a minute of training.
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

# Factor by which more than k neighbours are searched to grade a name without a common word.
FARTHER = 5
# Number of neighbours whose names are proposed, as in the paper.
NAMED_BY = 10
BY = ("first", "name")


class Spot:
    """Judge of names, and namer of methods, by the nearest methods of a corpus.

    ``by`` selects what is compared of the neighbours' names: ``first`` subtokens or the whole
    ``name``. With ``own`` the judged name counts among its own neighbours; Spot leaves it out.
    """

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
        """Index of the corpus, loaded or built when it is first needed."""
        from codeacumen.core.home import codeacumen_home
        from codeacumen.core.machine import processors
        from codeacumen.engines import engine
        from codeacumen.models.method_naming.neighbours import neighbours_of

        return neighbours_of(
            self.corpus, codeacumen_home(), self.settings, lambda: engine("local", processors())
        )

    # ---------------------------------------------------------------- capabilities

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        """Return a score for each name; None if the text is no method or the name is unknown."""
        facts = _facts([one.method for one in methods])
        asked = [(one, named.name) for one, named in zip(facts, methods, strict=True) if one]
        fits = iter(self.fits([one for one, _ in asked], [name for _, name in asked]))
        return [next(fits) if one else None for one in facts]

    def fits(self, methods: Sequence[Facts], names: Sequence[str]) -> list[float | None]:
        """Return how well each name fits: at least 0.5 if and only if Spot calls it consistent."""
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
        """Return for each method the names of the methods with the nearest bodies, ranked."""
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
    """Return how well the neighbours by name and by body agree, from 0 to 1.

    ``names`` and ``bodies`` are the words of the neighbours, the nearest first. If the k nearest of
    both have a word in common, the result is 0.5 + 0.5 · the share of ``bodies[:k]`` that is among
    them. Otherwise it is 0.5 · k / n, where n is the number of neighbours of each kind that are
    needed for a common word, or 0 if there is none.

    >>> compute_fitness(["get", "fetch"], ["get", "is"], 2)
    0.75
    >>> compute_fitness(["get", "fetch", "is"], ["has", "can", "is"], 2)
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
    """Return the similarities of each name; names and similarities with the nearest first."""
    groups: dict[str, list[float]] = {}
    for name, similarity in near:
        groups.setdefault(name, []).append(similarity)
    return groups


def _r1(near: NamedNeighbours) -> list[str]:
    """R1: rank names by their nearest method."""
    return list(_grouped(near))


def _r2(near: NamedNeighbours) -> list[str]:
    """R2: rank names by frequency; ties go to the nearest."""
    groups = _grouped(near)
    return sorted(groups, key=lambda name: -len(groups[name]))


def _r3(near: NamedNeighbours) -> list[str]:
    """R3: rank names by the mean similarity of their methods."""
    groups = _grouped(near)
    return sorted(groups, key=lambda name: -sum(groups[name]) / len(groups[name]))


def _r4(near: NamedNeighbours) -> list[str]:
    """R4: rank as R3 does, but names of a single method last."""
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
            "spot:corpus=DIR; `codeacumen corpus build` builds one",
        )
    from codeacumen.models.method_naming.neighbours import SPACES, Settings

    for key, value, known in (("by", by, BY), ("rank", rank, RANKS), ("space", space, SPACES)):
        if value not in known:
            raise CodeacumenError(
                f"spot cannot have {key}={value}", f"choose one of {', '.join(known)}"
            )
    for key, number, least, most in (
        ("k", k, 1, 1000),
        ("dimensions", dimensions, 2, 1024),
        ("seed", seed, 0, 2**31 - 1),
    ):
        # In JSON, 2.5 is a number, too; in Python, True is an int.
        if type(number) is not int or not least <= number <= most:
            raise CodeacumenError(
                f"spot cannot have {key}={number!r}", f"choose a number from {least} to {most}"
            )
    if not isinstance(own, bool):
        raise CodeacumenError(f"spot cannot have own={own!r}", "choose true or false")
    folder = Path(str(corpus)).expanduser().absolute()
    return Spot(folder, Settings(dimensions, space, seed=seed), k, by, rank, own)
