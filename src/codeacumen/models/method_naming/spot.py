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
    from codeacumen.models.method_naming.neighbours import Neighbours, NeighbourSettings

# The search returns this many times k neighbours, to grade names whose k nearest have no word in
# common.
FARTHER = 5
# Number of neighbours whose names are proposed, as in the paper.
NAMED_BY = 10
COMPARED_PARTS = ("first", "name")


class SpotModel:
    """Judge of names, and namer of methods, by the nearest methods of a corpus.

    ``k`` neighbours by body are compared with ``k`` by name: the ``first`` subtokens of their names
    or the whole ``name``, as ``by`` selects. ``rank`` is a key of ``RANKS``. With ``own`` the
    judged name counts among its own neighbours; Spot leaves it out.
    """

    batch_size = 256

    def __init__(
        self, corpus: Path, settings: NeighbourSettings, k: int, by: str, rank: str, own: bool
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
        from codeacumen.core.machine import count_processors
        from codeacumen.engines import create_engine
        from codeacumen.models.method_naming.neighbours import load_neighbours

        return load_neighbours(
            self.corpus,
            codeacumen_home(),
            self.settings,
            lambda: create_engine("local", count_processors()),
        )

    # ---------------------------------------------------------------- capabilities

    def judge(self, methods: Sequence[NamedMethod]) -> list[float | None]:
        """Return a score for each name; None if the text is no method or has no neighbours."""
        facts = _read_facts([named_method.method for named_method in methods])
        readable = [
            (method_facts, named_method.name)
            for method_facts, named_method in zip(facts, methods, strict=True)
            if method_facts
        ]
        scores = iter(
            self.score_names(
                [method_facts for method_facts, _ in readable], [name for _, name in readable]
            )
        )
        return [next(scores) if method_facts else None for method_facts in facts]

    def score_names(self, methods: Sequence[Facts], names: Sequence[str]) -> list[float | None]:
        """Return how well each name fits, from 0 to 1; from 0.5 on, Spot calls it consistent.

        None stands for a name or a body without neighbours.
        """
        from codeacumen.models.method_naming.neighbours import normalize_name

        if not methods:
            return []
        limit = self.k * FARTHER
        scores: list[float | None] = []
        for by_body, by_name, name in zip(
            self.neighbours.find_by_body(methods, limit),
            self.neighbours.find_by_name(names, limit),
            names,
            strict=True,
        ):
            if not by_body or not by_name:
                scores.append(None)
                continue
            name_words = [self._select_words(neighbour.meaning) for neighbour in by_name]
            body_words = [self._select_words(neighbour.meaning) for neighbour in by_body]
            own = [self._select_words(normalize_name(name))] if self.own else []
            scores.append(compute_fitness(name_words, body_words, self.k, own))
        return scores

    def _select_words(self, meaning: str) -> str:
        return meaning.partition(" ")[0] if self.by == "first" else meaning

    def name(self, methods: Sequence[Method]) -> list[str | None]:
        facts = _read_facts(methods)
        readable = [method_facts for method_facts in facts if method_facts]
        ranked = iter(self.rank_names(readable))
        return [next(iter(next(ranked)), None) if method_facts else None for method_facts in facts]

    def rank_names(self, methods: Sequence[Facts]) -> list[list[str]]:
        """Return for each method the names of the methods with the nearest bodies, ranked."""
        if not methods:
            return []
        rank = RANKS[self.rank]
        return [
            rank([(method.name, method.similarity) for method in near])
            for near in self.neighbours.find_by_body(methods, NAMED_BY)
        ]


def _read_facts(methods: Sequence[Method]) -> list[Facts | None]:
    from codeacumen.models.method_naming.facts import read_facts_from_text

    return [read_facts_from_text(method.text) for method in methods]


# --------------------------------------------------------------------------------------


def compute_fitness(
    names: Sequence[str], bodies: Sequence[str], k: int, own: Sequence[str] = ()
) -> float:
    """Return how well the neighbours by name and by body agree, from 0 to 1.

    ``names`` and ``bodies`` are the words of the neighbours by name and by body, the nearest first;
    ``own`` are further words of the name's side. If the k nearest of both have a word in common,
    the result is 0.5 + 0.5 · the share of ``bodies[:k]`` whose word is common. Otherwise the result
    is 0.5 · k / n, where the n nearest of both are the fewest with a common word; 0 if there is
    none.

    >>> compute_fitness(["get", "fetch"], ["get", "is"], 2)
    0.75
    >>> compute_fitness(["get", "fetch", "is"], ["has", "can", "is"], 2)
    0.3333333333333333
    """
    near_words = {*names[:k], *own}
    common = sum(1 for word in bodies[:k] if word in near_words)
    if common:
        return 0.5 + 0.5 * common / len(bodies[:k])
    first: dict[str, int] = {}
    for rank, word in enumerate(names, 1):
        first.setdefault(word, rank)
    ranks = (max(rank, first[word]) for rank, word in enumerate(bodies, 1) if word in first)
    farthest = min(ranks, default=0)
    return 0.5 * k / farthest if farthest else 0.0


# Names of neighbours with their similarities, nearest first.
NamedNeighbours = Sequence[tuple[str, float]]


def _group_similarities(near: NamedNeighbours) -> dict[str, list[float]]:
    """Return the similarities of each name; the names, and those of a name, are nearest first."""
    groups: dict[str, list[float]] = {}
    for name, similarity in near:
        groups.setdefault(name, []).append(similarity)
    return groups


def _rank_by_nearest(near: NamedNeighbours) -> list[str]:
    """R1: rank names by their nearest method."""
    return list(_group_similarities(near))


def _rank_by_frequency(near: NamedNeighbours) -> list[str]:
    """R2: rank names by frequency; ties go to the nearest."""
    groups = _group_similarities(near)
    return sorted(groups, key=lambda name: -len(groups[name]))


def _rank_by_mean(near: NamedNeighbours) -> list[str]:
    """R3: rank names by the mean similarity of their methods."""
    groups = _group_similarities(near)
    return sorted(groups, key=lambda name: -sum(groups[name]) / len(groups[name]))


def _rank_repeated_first(near: NamedNeighbours) -> list[str]:
    """R4: rank as R3 does, but names of a single method last."""
    groups = _group_similarities(near)
    return sorted(_rank_by_mean(near), key=lambda name: len(groups[name]) == 1)


# The paper's rankings of the names of the nearest methods.
RANKS: dict[str, Callable[[NamedNeighbours], list[str]]] = {
    "r1": _rank_by_nearest,
    "r2": _rank_by_frequency,
    "r3": _rank_by_mean,
    "r4": _rank_repeated_first,
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
) -> SpotModel:
    """Agreement of the nearest bodies' names with the nearest names (spot:corpus=DIR)"""
    if not corpus:
        raise CodeacumenError(
            "spot needs a corpus to learn from",
            "spot:corpus=DIR; `codeacumen corpus build` builds one",
        )
    from codeacumen.models.method_naming.neighbours import SPACES, NeighbourSettings

    for key, value, choices in (
        ("by", by, COMPARED_PARTS),
        ("rank", rank, RANKS),
        ("space", space, SPACES),
    ):
        if value not in choices:
            raise CodeacumenError(
                f"spot cannot have {key}={value}", f"choose one of {', '.join(choices)}"
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
    return SpotModel(folder, NeighbourSettings(dimensions, space, seed=seed), k, by, rank, own)
