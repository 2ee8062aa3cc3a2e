"""Streams of words from what was read: one vocabulary, each sentence once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel
from research.lexicon._words import END, Codes, coded, hashes, words
from research.lexicon.reading import Reading
from research.lexicon.texts import Texts
from research.lexicon.wordnet import WordNet

# Lines of code are joined until they have so many words.
LEAST = 6


@dataclass(frozen=True, slots=True)
class Streams:
    """``words`` are the most frequent ones, from frequent to rare, ``count`` how often they occur
    in all streams, ``total`` how many words those have. ``code``, ``comments`` and ``english`` are
    sentences of places in ``words``; other words are not in them."""

    words: list[str]
    count: NDArray[np.int64]
    total: int
    code: Codes
    comments: Codes
    english: Codes


def streams(read: Reading, texts: Texts, wordnet: WordNet, most: int) -> Streams:
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
    # Two words of equal count: by themselves, not by who was read first.
    order = sorted(np.flatnonzero(count).tolist(), key=lambda i: (-count[i], known[i]))[:most]
    number = np.full(len(known) + 1, _LEFT_OUT, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    number[END] = END
    renamed = [number[one] for one in found]
    kept = [one[one != _LEFT_OUT] for one in renamed]
    return Streams([known[i] for i in order], count[order], int(count.sum()), *kept)


_LEFT_OUT = -2


def _renamed(codes: Codes, names: list[str], places: dict[str, int]) -> Codes:
    number = np.array([places.setdefault(name, len(places)) for name in names] + [END], np.int32)
    return number[codes]


def _once(codes: Codes, seeds: Words) -> Codes:
    """The sentences, without those that stand before: a comment or a page is often copied."""
    if not len(codes):
        return codes
    ends = np.flatnonzero(codes == END)
    _, firsts = np.unique(_hashes(codes, seeds, len(ends)), return_index=True)
    keep = np.zeros(len(ends), dtype=np.bool_)
    keep[firsts] = True
    return codes[np.repeat(keep, np.diff(ends, prepend=-1))]


@kernel
def _hashes(codes: Codes, seeds: Words, count: int) -> Words:
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
    """Words of names as sentences: whole lines, so many that there are some words."""
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
