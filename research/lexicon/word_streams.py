"""Word streams of code, comments and English: one vocabulary, each sentence once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import Words, kernel
from research.lexicon.reading import Reading
from research.lexicon.texts import Texts
from research.lexicon.wordnet import WordNet
from research.lexicon.words import END, Codes, encode_sentences, hash_texts, split_words

# Lines of code are joined until a sentence has this many words.
LEAST_WORDS = 6


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


def build_streams(reading: Reading, texts: Texts, wordnet: WordNet, most_words: int) -> Streams:
    """Return the streams of all sources with a vocabulary of the most frequent words."""
    code_of_word: dict[str, int] = {}
    name_codes = [
        [code_of_word.setdefault(word, len(code_of_word)) for word in split_words(name)]
        for name in reading.names
    ]
    length = np.array([len(part) for part in name_codes], dtype=np.int32)
    flat = np.array([code for part in name_codes for code in part], dtype=np.int32)
    first = np.cumsum(length) - length
    code = _join_lines(reading.name, reading.line, reading.offsets, first, length, flat)
    comments = _recode(reading.comments, reading.words, code_of_word)
    english = np.concatenate(
        [
            encode_sentences(wordnet.iterate_sentences(), code_of_word),
            _recode(texts.codes, texts.words, code_of_word),
        ]
    )
    seeds = hash_texts(code_of_word)
    unique_streams = [
        _drop_repeated_sentences(stream, seeds) for stream in (code, comments, english)
    ]
    count = sum(
        np.bincount(stream[stream >= 0], minlength=len(code_of_word)) for stream in unique_streams
    )
    assert isinstance(count, np.ndarray)
    vocabulary = list(code_of_word)
    # Words of equal count are ordered alphabetically, so that the order of reading does not matter.
    order = sorted(np.flatnonzero(count).tolist(), key=lambda i: (-count[i], vocabulary[i]))[
        :most_words
    ]
    new_code = np.full(len(vocabulary) + 1, _RARE, dtype=np.int32)
    new_code[order] = np.arange(len(order), dtype=np.int32)
    new_code[END] = END
    recoded = [new_code[stream] for stream in unique_streams]
    frequent_streams = [stream[stream != _RARE] for stream in recoded]
    return Streams(
        [vocabulary[i] for i in order], count[order], int(count.sum()), *frequent_streams
    )


_RARE = -2


def _recode(codes: Codes, vocabulary: list[str], code_of_word: dict[str, int]) -> Codes:
    """Return codes of one vocabulary as codes of another one, which grows."""
    new_code = np.array(
        [code_of_word.setdefault(word, len(code_of_word)) for word in vocabulary] + [END], np.int32
    )
    return new_code[codes]


def _drop_repeated_sentences(codes: Codes, seeds: Words) -> Codes:
    """Return the sentences without repetitions, since comments and pages are often copied."""
    if not len(codes):
        return codes
    ends = np.flatnonzero(codes == END)
    _, firsts = np.unique(_hash_sentences(codes, seeds, len(ends)), return_index=True)
    is_first = np.zeros(len(ends), dtype=np.bool_)
    is_first[firsts] = True
    return codes[np.repeat(is_first, np.diff(ends, prepend=-1))]


@kernel
def _hash_sentences(codes: Codes, seeds: Words, count: int) -> Words:
    """Return a hash of each sentence, from a hash of each word."""
    sentence_hashes = np.zeros(count, dtype=np.uint64)
    sentence = 0
    value = np.uint64(0)
    for i in range(len(codes)):
        if codes[i] < 0:
            sentence_hashes[sentence] = value
            sentence += 1
            value = np.uint64(0)
        else:
            value = (value ^ seeds[codes[i]]) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(29)
    return sentence_hashes


@kernel
def _join_lines(
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
    codes = np.empty(size + len(offsets), dtype=np.int32)
    position = 0
    for file in range(len(offsets) - 1):
        begin = position
        for i in range(offsets[file], offsets[file + 1]):
            if i > offsets[file] and line[i] != line[i - 1] and position - begin >= LEAST_WORDS:
                codes[position] = -1
                position += 1
                begin = position
            for k in range(first[name[i]], first[name[i]] + length[name[i]]):
                codes[position] = flat[k]
                position += 1
        if position > begin:
            codes[position] = -1
            position += 1
    return codes[:position].copy()
