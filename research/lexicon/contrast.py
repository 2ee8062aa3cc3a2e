"""Frames: an identifier with a gap for one word, such as ``?Item`` of ``setItem`` and
``clearItem``.

Words that fill the same frame in the same file are distinguished there, so they are not synonyms:
*contrast*. Words that fill the same frame in different files may be synonyms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import STEP, Words, kernel, mix_bits
from research.lexicon._pairs import Table, associated, within
from research.lexicon._words import Codes, hashes, pieces
from research.lexicon.reading import Reading

# Number of words and numbers in a name that yields frames.
SHORTEST, LONGEST = 2, 5
# Words that fill a frame. More in one file are an enumeration, such as a table of colours; more in
# all files mean that nearly any word fits.
MOST_IN_FILE, MOST = 12, 60
LEAST_CONTRAST, LEAST_SHARED = 3, 2
STEADINESS = 5.0


def frames(read: Reading, places: dict[str, int]) -> tuple[Table, Table]:
    """Return the tables of contrast and of shared frames of the words."""
    name, frame, word = _frames(read.names, places)
    file = np.repeat(np.arange(len(read.offsets) - 1), np.diff(read.offsets))
    seen = np.unique(file * len(read.names) + read.name)
    file, used = np.divmod(seen, max(len(read.names), 1))
    first = np.searchsorted(name, used, side="left")
    length = np.searchsorted(name, used, side="right") - first
    start = np.cumsum(length) - length
    row = np.arange(int(length.sum())) + np.repeat(first - start, length)
    own = mix_bits(frame[row] + STEP * np.repeat(file, length).astype(np.uint64))
    contrast = _counted(own, word[row], MOST_IN_FILE, LEAST_CONTRAST)
    del own
    return contrast, _counted(frame[row], word[row], MOST, LEAST_SHARED)


def _counted(group: Words, word: Codes, most: int, least: int) -> Table:
    """Return the association of words in the same group; a rare hash collision does no harm."""
    order = np.lexsort((word, group))
    which, word = group[order].view(np.int64), word[order]
    fresh = np.ones(len(which), dtype=np.bool_)
    fresh[1:] = (which[1:] != which[:-1]) | (word[1:] != word[:-1])
    key, count = np.unique(within(which[fresh], word[fresh], most), return_counts=True)
    # A pair that occurs once is chance, and would only distort the words' totals.
    often = count >= 2
    table = associated(key[often], count[often].astype(np.float64), STEADINESS)
    enough = count[often] >= least
    return Table(table.key[enough], table.value[enough])


def _frames(names: list[str], places: dict[str, int]) -> tuple[NDArray[np.int64], Words, Codes]:
    """Return name, hash of the frame and word, for each word of each name."""
    known: dict[str, int] = {}
    parts = [[known.setdefault(piece, len(known)) for piece in pieces(name)] for name in names]
    length = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.array([code for part in parts for code in part], dtype=np.int64)
    number = np.array([places.get(piece, -1) for piece in known] + [-1], dtype=np.int32)
    return _expanded(flat, length, number, hashes(known))


@kernel
def _expanded(
    flat: NDArray[np.int64], length: NDArray[np.int64], number: Codes, seeds: Words
) -> tuple[NDArray[np.int64], Words, Codes]:
    name = np.empty(len(flat), dtype=np.int64)
    frame = np.empty(len(flat), dtype=np.uint64)
    word = np.empty(len(flat), dtype=np.int32)
    at = 0
    begin = 0
    for i in range(len(length)):
        if SHORTEST <= length[i] <= LONGEST:
            for gap in range(begin, begin + length[i]):
                if number[flat[gap]] < 0:
                    continue
                value = np.uint64(length[i])
                for k in range(begin, begin + length[i]):
                    part = np.uint64(1) if k == gap else seeds[flat[k]]
                    value = (value ^ part) * np.uint64(0xBF58476D1CE4E5B9)
                    value ^= value >> np.uint64(29)
                name[at], frame[at], word[at] = i, value, number[flat[gap]]
                at += 1
        begin += length[i]
    return name[:at].copy(), frame[:at].copy(), word[:at].copy()
