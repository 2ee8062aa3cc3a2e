"""Two small tasks on abbreviations that need no data and no raters.

Their labels hold by construction: identifiers are composed from a word list and shortened by the
rules below. A short form abbreviates an identifier if and only if the rules derive it. The tasks:

1. ``abbreviations/match``: does this short form abbreviate that identifier? Negative pairs use
   an abbreviation of the most similarly spelt other identifier.
2. ``abbreviations/expand``: which of five identifiers does this short form abbreviate?

The tasks show whether a model works at all, and compare it with edit distance. They do not measure
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
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeVar

from codeacumen import metrics
from codeacumen.api import EvaluationSet, Instance, Pair, Question
from codeacumen.registry import task
from codeacumen.tasks.base import TaskInfo
from codeacumen.tasks.kinds import ChoiceTask, PairTask
from codeacumen.text.subtokens import split_subtokens

VOWELS = frozenset("aeiou")
# Maximum letters of a word without vowels; a longer one is not a usual abbreviation.
LONGEST_DEVOWELLED = 5


def clip_word(word: str, letters: int) -> str:
    """Return the first letters of a word."""
    return word[:letters]


def devowel_word(word: str) -> str:
    """Return a word without vowels after the first letter, and with double letters written once.

    Letters that meet when a vowel is removed are double letters, too: ``memory`` becomes ``mry``.
    """
    consonants = word[0] + "".join(letter for letter in word[1:] if letter not in VOWELS)
    return "".join(
        letter for i, letter in enumerate(consonants) if i == 0 or letter != consonants[i - 1]
    )


def derive_abbreviations(identifier: str) -> tuple[str, ...]:
    """Return the distinct abbreviations that the rules derive from an identifier, without itself.

    >>> derive_abbreviations("message")
    ('mes', 'mess', 'msg')
    >>> derive_abbreviations("requestTimeout")
    ('reqTim', 'requTime', 'rqstTmt', 'rt')
    """
    words = list(split_subtokens(identifier, lower=True))
    derived = [
        _join_camel_case([clip_word(word, 3) for word in words]),
        _join_camel_case([clip_word(word, 4) for word in words]),
    ]
    devowelled = [devowel_word(word) for word in words]
    if all(len(word) <= LONGEST_DEVOWELLED for word in devowelled):
        derived.append(_join_camel_case(devowelled))
    if len(words) > 1:
        derived.append("".join(word[0] for word in words))
    return tuple(short for short in dict.fromkeys(derived) if short != identifier)


def _join_camel_case(words: list[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


# Maximum numbers of identifiers of one word and of two words.
SINGLE_WORDS = 120
COMPOUNDS = 120
# Choices of a question of abbreviations/expand.
CHOICES = 5

T = TypeVar("T")


def _shuffle_by_hash(items: Sequence[T], *seed: str) -> list[T]:
    """Return the items in a random order that depends on their text and the seed alone.

    The order is the same on every machine and in every Python release.
    """

    def hash_item(item: T) -> bytes:
        return hashlib.sha256("\0".join((*seed, str(item))).encode()).digest()

    return sorted(items, key=hash_item)


@lru_cache(maxsize=1)
def list_identifiers() -> tuple[str, ...]:
    """Return the identifiers of both tasks: single words, and two words in camel case."""
    text = files(__name__).joinpath("words.txt").read_text(encoding="utf-8")
    words = [word for word in dict.fromkeys(text.split()) if len(word) >= 6]
    single = _shuffle_by_hash(words, "single")[:SINGLE_WORDS]
    compounds = [
        first + second.capitalize()
        for first, second in zip(
            _shuffle_by_hash(words, "first"), _shuffle_by_hash(words, "second"), strict=True
        )
        if first != second
    ]
    return tuple(sorted([*single, *compounds[:COMPOUNDS]]))


def _list_lookalikes(identifier: str) -> list[str]:
    """Return other identifiers with the same first letter and number of words, most similar first.

    Similarity is the length of the common prefix. A model could exclude dissimilar identifiers by
    their spelling alone.
    """
    from rapidfuzz.distance import Prefix

    word_count = len(split_subtokens(identifier))
    others = [
        other
        for other in list_identifiers()
        if other != identifier
        and other[0] == identifier[0]
        and len(split_subtokens(other)) == word_count
    ]
    return sorted(
        _shuffle_by_hash(others, "namesakes", identifier),
        key=lambda other: -Prefix.similarity(identifier, other),
    )


def build_match_instances() -> list[Instance]:
    """Return a true pair and, where a similarly spelt identifier has another form, a false one."""
    instances: list[Instance] = []
    for identifier in list_identifiers():
        true = derive_abbreviations(identifier)
        short = _shuffle_by_hash(true, "match", identifier)[0]
        decoys = (
            decoy
            for other in _list_lookalikes(identifier)
            for decoy in _shuffle_by_hash(derive_abbreviations(other), "decoy", identifier)
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


def build_expand_instances() -> list[Instance]:
    """Return one question per identifier that has enough similarly spelt identifiers.

    The id has the short form and a number, not the identifier, which is the answer: models that run
    elsewhere see the ids.
    """
    instances: list[Instance] = []
    question_counts: Counter[str] = Counter()
    for identifier in list_identifiers():
        short = _shuffle_by_hash(derive_abbreviations(identifier), "expand", identifier)[0]
        wrong = [
            other
            for other in _list_lookalikes(identifier)
            if short not in derive_abbreviations(other)
        ]
        if len(wrong) < CHOICES - 1:
            continue
        choices = _shuffle_by_hash([identifier, *wrong[: CHOICES - 1]], "choices", identifier)
        question_counts[short] += 1
        instances.append(
            Instance(
                id=f"{short}~{question_counts[short]}",
                input=Question(short, tuple(choices)),
                truth=identifier,
            )
        )
    return instances


@task("abbreviations/match")
def make_match_task() -> PairTask:
    """Decide whether a short form abbreviates an identifier; labels by construction, no data"""
    info = TaskInfo(
        name="abbreviations/match",
        title="Abbreviations: match",
        summary=make_match_task.__doc__ or "",
        evaluation_sets=(EvaluationSet("own", "every instance that the model answers"),),
    )
    return PairTask(info, build_match_instances, metric=metrics.roc_auc)


@task("abbreviations/expand")
def make_expand_task() -> ChoiceTask:
    """Choose the identifier, of five, that a short form abbreviates; labels by construction"""
    info = TaskInfo(
        name="abbreviations/expand",
        title="Abbreviations: expand",
        version="2",  # 1: the ids had the answer
        summary=make_expand_task.__doc__ or "",
    )
    return ChoiceTask(info, build_expand_instances)
