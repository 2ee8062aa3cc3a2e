"""Two small tasks on abbreviations that need no data and no raters.

Their labels hold by construction: identifiers are composed from a word list and shortened by the
rules below. A short form abbreviates an identifier if and only if the rules derive it. The tasks:

1. ``abbreviations/match``: does this short form abbreviate that identifier? Negative pairs use
   an abbreviation of the most similarly spelt other identifier.
2. ``abbreviations/expand``: which of five identifiers does this short form abbreviate?

They show whether a model works at all, and compare it with edit distance. They do not measure
meaning; IdBench does.

The rules for one word:

1. ``clip_word``: its first three or four letters (``configuration``: ``con``, ``conf``)
2. ``devowel_word``: without vowels after the first letter and with double letters written once,
   if at most five letters remain (``message``: ``msg``; ``buffer``: ``bfr``)

For several subtokens (``requestTimeout``):

1. each subtoken shortened by the same rule, joined in camel case (``reqTim``, ``rqstTmt``)
2. their initials (``rt``)
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
    """Return the first letters of a word."""
    return word[:letters]


def devowel(word: str) -> str:
    """Return a word without vowels after the first letter, and with double letters written once."""
    kept = word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
    return "".join(letter for i, letter in enumerate(kept) if i == 0 or letter != kept[i - 1])


def abbreviations(identifier: str) -> tuple[str, ...]:
    """Return the abbreviations that the rules derive from an identifier, except itself.

    >>> derive_abbreviations("message")
    ('mes', 'mess', 'msg')
    >>> derive_abbreviations("requestTimeout")
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
    """Return the items in an order that depends on their text and the seed alone.

    It is the same on every machine and in every Python release.
    """

    def place(item: T) -> bytes:
        return hashlib.sha256("\0".join((*seed, str(item))).encode()).digest()

    return sorted(items, key=place)


@lru_cache(maxsize=1)
def identifiers() -> tuple[str, ...]:
    """Return the identifiers of both tasks: single words, and two words in camel case."""
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
    """Return other identifiers with the same first letter and number of words, most similar first.

    Dissimilar ones would be told apart by their spelling alone.
    """
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
    """Return one true and one false pair for each identifier."""
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
    """Return one question per identifier that has enough similarly spelt identifiers."""
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
    """Does this short form abbreviate that identifier? Labels by construction, needs no data"""
    info = TaskInfo(
        name="abbreviations/match",
        title="Abbreviations: match",
        summary=match.__doc__ or "",
        evaluation_sets=(EvaluationSet("own", "every instance the model answers"),),
    )
    return PairTask(info, match_instances, metric=metrics.roc_auc)


@task("abbreviations/expand")
def expand() -> ChoiceTask:
    """Which of five identifiers does this short form abbreviate? Labels by construction"""
    info = TaskInfo(
        name="abbreviations/expand",
        title="Abbreviations: expand",
        summary=expand.__doc__ or "",
    )
    return ChoiceTask(info, expand_instances)
