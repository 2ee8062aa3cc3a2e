"""Word streams of code, comments and English: one vocabulary, each sentence once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel
from research.lexicon._words import END, Codes, coded, hashes, words
from research.lexicon.reading import Reading
from research.lexicon.texts import Texts
from research.lexicon.wordnet import WordNet

# Lines of code are joined until a sentence has this many words.
LEAST = 6


@dataclass(frozen=True, slots=True)
class Streams:
    """Three streams of sentences over the most frequent words.

    ``words`` is ordered from frequent to rare, ``count`` is their frequency in all streams,
    ``total`` the number of word occurrences, also of rare words. ``code``, ``comments`` and
    ``english`` hold indices of ``words``; rare words are dropped from them.
    """

    words: list[str]
    count: NDArray[np.int64]
    total: int
    code: Codes
    comments: Codes
    english: Codes


def streams(read: Reading, texts: Texts, wordnet: WordNet, most: int) -> Streams:
    """Return the streams of all sources with a vocabulary of the most frequent words."""
    places: dict[str, int] = {}
    parts = [[places.setdefault(w, len(places)) for w in words(name)] for name in read.names]
    length = np.array([len(part) for part in parts], dtype=np.int32)
    flat = np.array([code for part in parts for code in part], dtype=np.int32)
    first = np.cumsum(length) - length
    code = _lines(read.name, read.line, read.offsets, first, length, flat)
    comments = _renamed(read.comments, read.words, places)
    english = np.concatenate(
        [coded(wordnet.sentences(), places), _renamed(texts.codes, texts.words, places)]
    )
    seeds = hashes(places)
    found = [_once(stream, seeds) for stream in (code, comments, english)]
    count = sum(np.bincount(one[one >= 0], minlength=len(places)) for one in found)
    assert isinstance(count, np.ndarray)
    known = list(places)
    # Words of equal count are ordered alphabetically, so that the order of reading does not matter.
    order = sorted(np.flatnonzero(count).tolist(), key=lambda i: (-count[i], known[i]))[:most]
    number = np.full(len(known) + 1, _LEFT_OUT, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    number[END] = END
    renamed = [number[one] for one in found]
    kept = [one[one != _LEFT_OUT] for one in renamed]
    return Streams([known[i] for i in order], count[order], int(count.sum()), *kept)


_LEFT_OUT = -2


def _renamed(codes: Codes, names: list[str], places: dict[str, int]) -> Codes:
    """Return codes of one vocabulary as codes of another one, which grows."""
    number = np.array([places.setdefault(name, len(places)) for name in names] + [END], np.int32)
    return number[codes]


def _once(codes: Codes, seeds: Words) -> Codes:
    """Return the sentences without repetitions, since comments and pages are often copied."""
    if not len(codes):
        return codes
    ends = np.flatnonzero(codes == END)
    _, firsts = np.unique(_hashes(codes, seeds, len(ends)), return_index=True)
    keep = np.zeros(len(ends), dtype=np.bool_)
    keep[firsts] = True
    return codes[np.repeat(keep, np.diff(ends, prepend=-1))]


@kernel
def _hashes(codes: Codes, seeds: Words, count: int) -> Words:
    """Return a hash of each sentence, from a hash of each word."""
    found = np.zeros(count, dtype=np.uint64)
    at = 0
    value = np.uint64(0)
    for i in range(len(codes)):
        if codes[i] < 0:
            found[at] = value
            at += 1
            value = np.uint64(0)
        else:
            value = (value ^ seeds[codes[i]]) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(29)
    return found


@kernel
def _lines(
    name: Codes,
    line: Codes,
    offsets: NDArray[np.int64],
    first: NDArray[np.int64],
    length: Codes,
    flat: Codes,
) -> Codes:
    """Return the words of names as sentences: whole lines, joined up to ``LEAST_WORDS`` words."""
    size = 0
    for i in range(len(name)):
        size += length[name[i]] + 1
    found = np.empty(size + len(offsets), dtype=np.int32)
    at = 0
    for file in range(len(offsets) - 1):
        begin = at
        for i in range(offsets[file], offsets[file + 1]):
            if i > offsets[file] and line[i] != line[i - 1] and at - begin >= LEAST:
                found[at] = -1
                at += 1
                begin = at
            for k in range(first[name[i]], first[name[i]] + length[name[i]]):
                found[at] = flat[k]
                at += 1
        if at > begin:
            found[at] = -1
            at += 1
    return found[:at].copy()
