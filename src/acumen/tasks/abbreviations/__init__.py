"""Abbreviations: a small task that needs no data and no raters.

Its truth is by construction: identifiers are made from a word list and shortened by
documented rules (``rules.py``). A short form is an abbreviation of an identifier exactly if
the rules derive it. Two tasks:

* ``abbreviations/match``: does this short form abbreviate that identifier? Decoys are real
  abbreviations of the identifier that is spelt most like it.
* ``abbreviations/expand``: which of five identifiers does this short form abbreviate?

It says whether a model can be asked at all and how it fares against edit distance. It says
nothing about meaning; for that there is IdBench.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

from acumen import metrics
from acumen.api import Convention, Face, Instance, Metric, Pair, Question, TaskCard
from acumen.lang.subtokens import subtokens
from acumen.registry import task
from acumen.tasks.abbreviations.rules import abbreviations

VERSION = "1"
SINGLE_WORDS = 120
COMPOUNDS = 120
CHOICES = 5

T = TypeVar("T")


def _shuffled(items: Sequence[T], *seed: str) -> list[T]:
    """The items in an order that depends on nothing but their text and the seed: the same
    on every machine and in every Python release."""

    def place(item: T) -> bytes:
        return hashlib.sha256("\0".join((*seed, str(item))).encode()).digest()

    return sorted(items, key=place)


@lru_cache(maxsize=1)
def identifiers() -> tuple[str, ...]:
    """Single words and two-word identifiers in camel case."""
    text = files(__name__).joinpath("words.txt").read_text(encoding="utf-8")
    words = [word for word in dict.fromkeys(text.split()) if len(word) >= 6]
    single = _shuffled(words, "single")[:SINGLE_WORDS]
    compounds = [
        first + second.capitalize()
        for first, second in zip(_shuffled(words, "first"), _shuffled(words, "second"), strict=True)
        if first != second
    ]
    return tuple(sorted([*single, *compounds[:COMPOUNDS]]))


def _namesakes(identifier: str) -> list[str]:
    """Other identifiers of as many words with the same first letter, nearest spelling first:
    a decoy that looks nothing like the truth would ask nothing."""
    from rapidfuzz.distance import Prefix

    words = len(subtokens(identifier))
    others = [
        other
        for other in identifiers()
        if other != identifier and other[0] == identifier[0] and len(subtokens(other)) == words
    ]
    return sorted(
        _shuffled(others, "namesakes", identifier),
        key=lambda other: -Prefix.similarity(identifier, other),
    )


def match_instances() -> list[Instance]:
    instances: list[Instance] = []
    for identifier in identifiers():
        true = abbreviations(identifier)
        short = _shuffled(true, "match", identifier)[0]
        decoys = (
            decoy
            for other in _namesakes(identifier)
            for decoy in _shuffled(abbreviations(other), "decoy", identifier)
            if decoy not in true
        )
        for form, truth in ((short, 1), (next(decoys, None), 0)):
            if form is not None:
                instances.append(
                    Instance(
                        id=f"{form}~{identifier}",
                        input=Pair(form, identifier, "abbreviation"),
                        truth=truth,
                        # A true and a false form of one identifier are not independent.
                        cluster=identifier,
                    )
                )
    return instances


def expand_instances() -> list[Instance]:
    instances: list[Instance] = []
    for identifier in identifiers():
        short = _shuffled(abbreviations(identifier), "expand", identifier)[0]
        wrong = [other for other in _namesakes(identifier) if short not in abbreviations(other)]
        if len(wrong) < CHOICES - 1:
            continue
        choices = _shuffled([identifier, *wrong[: CHOICES - 1]], "choices", identifier)
        instances.append(
            Instance(
                id=f"{short}~{identifier}",
                input=Question(short, tuple(choices)),
                truth=identifier,
            )
        )
    return instances


class Abbreviations:
    def __init__(
        self, card: TaskCard, metric: Metric, instances: Callable[[], Sequence[Instance]]
    ) -> None:
        self.card = card
        self.metric = metric
        self.instances = instances


@task("abbreviations/match")
def match() -> Abbreviations:
    """Does this short form abbreviate that identifier? Truth by construction, no data needed"""
    card = TaskCard(
        name="abbreviations/match",
        title="Abbreviations: match",
        version=VERSION,
        face=Face.SIMILARITY,
        metric=metrics.roc_auc.name,
        summary=match.__doc__ or "",
        conventions=(Convention("own", "every instance the model answers"),),
    )
    return Abbreviations(card, metrics.roc_auc, match_instances)


@task("abbreviations/expand")
def expand() -> Abbreviations:
    """Which of five identifiers does this short form abbreviate? Truth by construction"""
    card = TaskCard(
        name="abbreviations/expand",
        title="Abbreviations: expand",
        version=VERSION,
        face=Face.CLASSIFY,
        metric=metrics.accuracy.name,
        summary=expand.__doc__ or "",
        conventions=(Convention("all", "every instance; one without an answer is wrong"),),
    )
    return Abbreviations(card, metrics.accuracy, expand_instances)
