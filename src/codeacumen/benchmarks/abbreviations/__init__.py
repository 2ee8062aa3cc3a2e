"""Abbreviations: a small task that needs no data and no raters.

Its truth is by construction: identifiers are made from a word list and shortened by documented
rules. A short form is an abbreviation of an identifier exactly if the rules derive it. Two tasks:

1. ``abbreviations/match``: does this short form abbreviate that identifier? Decoys are real
   abbreviations of the identifier that is spelt most like it.
2. ``abbreviations/expand``: which of five identifiers does this short form abbreviate?

It shows whether a model works at all and how it compares with edit distance. It measures nothing
about meaning; IdBench does.

The rules for one word:

1. ``clip``: its first three or four letters (``configuration``: ``con``, ``conf``)
2. ``devowel``: vowels after the first letter left out and double letters written once, where at
   most five letters remain (``message``: ``msg``; ``buffer``: ``bfr``)

For several subtokens (``requestTimeout``):

1. each shortened by the same rule, joined in camel case (``reqTim``, ``rqstTmt``)
2. ``initials``: their first letters (``rt``)
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

from codeacumen import metrics
from codeacumen.api import EvaluationSet, Instance, Pair, Question
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo
from codeacumen.tasks.choice import ChoiceTask
from codeacumen.tasks.pairs import PairTask
from codeacumen.text.subtokens import subtokens

VOWELS = frozenset("aeiou")
LONGEST_DEVOWELLED = 5


def clip(word: str, letters: int) -> str:
    return word[:letters]


def devowel(word: str) -> str:
    kept = word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
    return "".join(letter for i, letter in enumerate(kept) if i == 0 or letter != kept[i - 1])


def abbreviations(identifier: str) -> tuple[str, ...]:
    """Every abbreviation the rules derive from an identifier, none equal to it.

    >>> abbreviations("message")
    ('mes', 'mess', 'msg')
    >>> abbreviations("requestTimeout")
    ('reqTim', 'requTime', 'rqstTmt', 'rt')
    """
    words = list(subtokens(identifier, lower=True))
    derived = [
        _camel([clip(word, 3) for word in words]),
        _camel([clip(word, 4) for word in words]),
    ]
    bare = [devowel(word) for word in words]
    if all(len(word) <= LONGEST_DEVOWELLED for word in bare):
        derived.append(_camel(bare))
    if len(words) > 1:
        derived.append("".join(word[0] for word in words))
    return tuple(short for short in dict.fromkeys(derived) if short != identifier)


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


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


@task("abbreviations/match")
def match() -> PairTask:
    """Does this short form abbreviate that identifier? Truth by construction, no data needed"""
    info = TaskInfo(
        name="abbreviations/match",
        title="Abbreviations: match",
        summary=match.__doc__ or "",
        evaluation_sets=(EvaluationSet("own", "every instance the model answers"),),
    )
    return PairTask(info, match_instances, metric=metrics.roc_auc)


@task("abbreviations/expand")
def expand() -> ChoiceTask:
    """Which of five identifiers does this short form abbreviate? Truth by construction"""
    info = TaskInfo(
        name="abbreviations/expand",
        title="Abbreviations: expand",
        summary=expand.__doc__ or "",
    )
    return ChoiceTask(info, expand_instances)
