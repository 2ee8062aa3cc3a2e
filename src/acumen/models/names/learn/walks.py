"""A space of WordNet itself: random walks over its meanings, read as text (Goikoetxea, Soroa and
Agirre 2015, "Random walks and neural network language models on knowledge bases").

A walk starts at a word, takes one of its meanings and goes from meaning to meaning by WordNet's
pointers. At each it says a word of that meaning. What is said is a sentence, and words that are
said near each other are near in meaning, also where no single relation joins them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel
from acumen.models.embeddings.files import Step
from acumen.models.names.learn._pairs import Places
from acumen.models.names.learn._words import Codes
from acumen.models.names.learn.spaces import Matrix, space
from acumen.models.names.learn.wordnet import WordNet

# Walks from each word, the chance that one ends at a meaning, and the words that it has at most.
WALKS, STOP, LONGEST = 100, 0.15, 50
WINDOW = 5

Totals = NDArray[np.float64]
# Lists of different lengths: where i's begins, what is in it, the weights up to there.
Weighted = tuple[Places, Codes, Totals]


def walk_space(
    wordnet: WordNet, words: list[str], size: int, seed: int,
    step: Step = lambda what, done, total: None,
) -> Matrix:  # fmt: skip
    """Unit vectors of words. An inflected word has that of what it is an inflection of; one that
    WordNet does not know has zeros."""
    known = [word for word in words if word in wordnet.meanings]
    if not known:
        return np.zeros((len(words), 1), dtype=np.float32)
    step("walks", 0, 1)
    place = {word: i for i, word in enumerate(known)}
    made = space(
        [walked(wordnet, known, seed)], len(known), WINDOW, size, seed, "space of walks", step
    )
    rows = np.zeros((len(words), made.shape[1]), dtype=np.float32)
    for i, word in enumerate(words):
        if bases := [place[base] for base in wordnet.bases(word) if base in place]:
            rows[i] = made[bases].sum(axis=0)
    length = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    unit: Matrix = rows / np.maximum(length, np.float32(1e-9))
    return unit


def walked(wordnet: WordNet, known: list[str], seed: int) -> Codes:
    """Sentences of places in ``known``, all of which must be words of WordNet's. Other words are
    not said."""
    starts = [
        [(meaning, 1 / (1 + rank)) for meaning, rank in wordnet.senses(word, len(wordnet.members))]
        for word in known
    ]
    said: list[list[tuple[int, float]]] = [[] for _ in wordnet.members]
    for word, meanings in enumerate(starts):
        for meaning, weight in meanings:
            said[meaning].append((word, weight))
    first, to = _joined(wordnet.linked)
    begin, speak = _weighted(starts), _weighted(said)
    states = np.random.default_rng(seed).integers(0, 1 << 64, size=WALKS, dtype=np.uint64)
    found = [_walked(*begin, *speak, first, to, state) for state in states]
    return np.concatenate(found)


def _joined(linked: list[list[int]]) -> tuple[Places, Codes]:
    """For each meaning those that it points to or that point to it, each once."""
    pairs = [(one, other) for one, others in enumerate(linked) for other in others if one != other]
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    both = np.unique(np.concatenate([rows, rows[:, ::-1]]), axis=0)
    first: Places = np.searchsorted(both[:, 0], np.arange(len(linked) + 1)).astype(np.int64)
    return first, both[:, 1].astype(np.int32)


def _weighted(lists: list[list[tuple[int, float]]]) -> Weighted:
    first = np.cumsum([0] + [len(one) for one in lists]).astype(np.int64)
    totals = [np.cumsum([weight for _, weight in one]) for one in lists]
    return (
        first, np.array([value for one in lists for value, _ in one], dtype=np.int32),
        np.concatenate([np.zeros(0), *totals]),
    )  # fmt: skip


@kernel
def _walked(
    begin_first: Places, begin: Codes, begin_total: Totals, said_first: Places, said: Codes,
    said_total: Totals, first: Places, to: Codes, state: np.uint64,
) -> Codes:  # fmt: skip
    """One walk from each word. The frequent meanings of a word are more often taken, and a meaning
    is more often said by a word of which it is a frequent one."""
    words = len(begin_first) - 1
    found = np.empty(words * (LONGEST + 1), dtype=np.int32)
    at = 0
    for word in range(words):
        found[at] = word
        at += 1
        held = 1
        state, chance = _drawn(state)
        meaning = begin[_chosen(begin_total, begin_first[word], begin_first[word + 1], chance)]
        while held < LONGEST:
            low, high = said_first[meaning], said_first[meaning + 1]
            if low < high:
                state, chance = _drawn(state)
                found[at] = said[_chosen(said_total, low, high, chance)]
                at += 1
                held += 1
            state, chance = _drawn(state)
            low, high = first[meaning], first[meaning + 1]
            if chance < STOP or low == high:
                break
            state, chance = _drawn(state)
            meaning = to[low + np.int64(chance * (high - low))]
        found[at] = -1
        at += 1
    return found[:at].copy()


@kernel
def _chosen(totals: Totals, low: int, high: int, chance: float) -> int:
    wanted = chance * totals[high - 1]
    for place in range(low, high - 1):
        if totals[place] > wanted:
            return place
    return high - 1


@kernel
def _drawn(state: np.uint64) -> tuple[np.uint64, float]:
    """The next state of splitmix64 and a number from 0 to 1 (without it)."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    x = state
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return state, float(x >> np.uint64(11)) * 2.0**-53
