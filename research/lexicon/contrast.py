"""Frames: identifiers that differ in one word, such as ``setItem`` and ``clearItem``.

Words that fill the same frame in the same file are told apart there, so they are no synonyms:
*contrast*. Words that fill the same frames in different files may be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import STEP, Words, kernel, mixed
from research.lexicon._pairs import Table, associated, within
from research.lexicon._words import Codes, hashes, pieces
from research.lexicon.reading import Reading

# Words and numbers of a name that has frames.
SHORTEST, LONGEST = 2, 5
# Words that fill a frame. More than that in a file is a list of things, such as colours in a table
# of them; more in all files says that nearly anything may stand there.
MOST_IN_FILE, MOST = 12, 60
LEAST_CONTRAST, LEAST_SHARED = 3, 2
STEADINESS = 5.0


def frames(read: Reading, places: dict[str, int]) -> tuple[Table, Table]:
    """Contrast, and shared frames, of the words at some places."""
    name, frame, word = _frames(read.names, places)
    file = np.repeat(np.arange(len(read.offsets) - 1), np.diff(read.offsets))
    seen = np.unique(file * len(read.names) + read.name)
    file, used = np.divmod(seen, max(len(read.names), 1))
    first = np.searchsorted(name, used, side="left")
    length = np.searchsorted(name, used, side="right") - first
    start = np.cumsum(length) - length
    row = np.arange(int(length.sum())) + np.repeat(first - start, length)
    own = mixed(frame[row] + STEP * np.repeat(file, length).astype(np.uint64))
    contrast = _counted(own, word[row], MOST_IN_FILE, LEAST_CONTRAST)
    del own
    return contrast, _counted(frame[row], word[row], MOST, LEAST_SHARED)


def _counted(group: Words, word: Codes, most: int, least: int) -> Table:
    """The groups' hashes are sorted as they are; a group that is hit twice by chance does no
    harm."""
    order = np.lexsort((word, group))
    which, word = group[order].view(np.int64), word[order]
    fresh = np.ones(len(which), dtype=np.bool_)
    fresh[1:] = (which[1:] != which[:-1]) | (word[1:] != word[:-1])
    key, count = np.unique(within(which[fresh], word[fresh], most), return_counts=True)
    # Once is chance; it would only make the shares of words unsteady.
    often = count >= 2
    table = associated(key[often], count[often].astype(np.float64), STEADINESS)
    enough = count[often] >= least
    return Table(table.key[enough], table.value[enough])


def _frames(names: list[str], places: dict[str, int]) -> tuple[NDArray[np.int64], Words, Codes]:
    """For each word of each name: the name, the frame around the word as a hash, the word."""
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
