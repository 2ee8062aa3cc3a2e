"""Frames: an identifier with a gap for one word, such as ``?Item`` of ``setItem`` and
``clearItem``.

Words that fill the same frame in the same file are distinguished there, so they are not synonyms:
*contrast*. Words that fill the same frame in different files may be synonyms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import STEP, Words, kernel, mix_bits
from research.lexicon.pair_tables import PairTable, compute_association, pair_within_groups
from research.lexicon.reading import Reading
from research.lexicon.words import Codes, hash_texts, split_pieces

# Number of words and numbers in a name that yields frames.
SHORTEST, LONGEST = 2, 5
# Words that fill a frame. More in one file are an enumeration, such as a table of colours; more in
# all files mean that nearly any word fits.
LARGEST_GROUP_IN_FILE, LARGEST_GROUP = 12, 60
LEAST_CONTRAST, LEAST_SHARED = 3, 2
SHRINKAGE = 5.0


def build_frame_tables(
    reading: Reading, index_of_word: dict[str, int]
) -> tuple[PairTable, PairTable]:
    """Return the tables of contrast and of shared frames of the words."""
    name, frame, word = _list_frames(reading.names, index_of_word)
    file = np.repeat(np.arange(len(reading.offsets) - 1), np.diff(reading.offsets))
    uses = np.unique(file * len(reading.names) + reading.name)
    file, used_name = np.divmod(uses, max(len(reading.names), 1))
    first = np.searchsorted(name, used_name, side="left")
    length = np.searchsorted(name, used_name, side="right") - first
    start = np.cumsum(length) - length
    row = np.arange(int(length.sum())) + np.repeat(first - start, length)
    file_frame = mix_bits(frame[row] + STEP * np.repeat(file, length).astype(np.uint64))
    contrast = _count_pairs(file_frame, word[row], LARGEST_GROUP_IN_FILE, LEAST_CONTRAST)
    del file_frame
    return contrast, _count_pairs(frame[row], word[row], LARGEST_GROUP, LEAST_SHARED)


def _count_pairs(group: Words, word: Codes, largest_group: int, least_count: int) -> PairTable:
    """Return the association of words in the same group; a rare hash collision does no harm."""
    order = np.lexsort((word, group))
    sorted_group, word = group[order].view(np.int64), word[order]
    is_new = np.ones(len(sorted_group), dtype=np.bool_)
    is_new[1:] = (sorted_group[1:] != sorted_group[:-1]) | (word[1:] != word[:-1])
    key, count = np.unique(
        pair_within_groups(sorted_group[is_new], word[is_new], largest_group), return_counts=True
    )
    # A pair that occurs once is chance, and would only distort the words' totals.
    is_repeated = count >= 2
    table = compute_association(key[is_repeated], count[is_repeated].astype(np.float64), SHRINKAGE)
    is_frequent = count[is_repeated] >= least_count
    return PairTable(table.key[is_frequent], table.value[is_frequent])


def _list_frames(
    names: list[str], index_of_word: dict[str, int]
) -> tuple[NDArray[np.int64], Words, Codes]:
    """Return name, hash of the frame and word, for each word of each name."""
    code_of_piece: dict[str, int] = {}
    parts = [
        [code_of_piece.setdefault(piece, len(code_of_piece)) for piece in split_pieces(name)]
        for name in names
    ]
    length = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.array([code for part in parts for code in part], dtype=np.int64)
    word_of_piece = np.array(
        [index_of_word.get(piece, -1) for piece in code_of_piece] + [-1], dtype=np.int32
    )
    return _expand_frames(flat, length, word_of_piece, hash_texts(code_of_piece))


@kernel
def _expand_frames(
    flat: NDArray[np.int64], length: NDArray[np.int64], word_of_piece: Codes, seeds: Words
) -> tuple[NDArray[np.int64], Words, Codes]:
    name = np.empty(len(flat), dtype=np.int64)
    frame = np.empty(len(flat), dtype=np.uint64)
    word = np.empty(len(flat), dtype=np.int32)
    row = 0
    begin = 0
    for i in range(len(length)):
        if SHORTEST <= length[i] <= LONGEST:
            for gap in range(begin, begin + length[i]):
                if word_of_piece[flat[gap]] < 0:
                    continue
                value = np.uint64(length[i])
                for piece in range(begin, begin + length[i]):
                    piece_hash = np.uint64(1) if piece == gap else seeds[flat[piece]]
                    value = (value ^ piece_hash) * np.uint64(0xBF58476D1CE4E5B9)
                    value ^= value >> np.uint64(29)
                name[row], frame[row], word[row] = i, value, word_of_piece[flat[gap]]
                row += 1
        begin += length[i]
    return name[:row].copy(), frame[:row].copy(), word[:row].copy()
