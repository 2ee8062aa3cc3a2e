"""What the looks of two words tell about their meaning, before any lexicon is asked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Letters = NDArray[np.uint32]
Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]

EQUAL = 1.0
# Nearly the same word, but one says more than the other: many, or in full.
PLURAL = ABBREVIATION = 0.85
# ``x1`` and ``x2``, ``x`` and ``y`` are told apart on purpose.
TWO_NUMBERS, TWO_LETTERS = 0.35, 0.3
# ``i`` may stand for ``index``, hardly for ``total``.
INITIAL, OTHER = 0.6, 0.2

_DIGITS = (48, 57)
_S, _E, _I, _Y = 115, 101, 105, 121


@kernel
def _is_plural(letters: Letters, start: int, end: int, longer: int, last: int) -> bool:
    """Of the word from ``start``, the one from ``longer``: cars, boxes, queries."""
    size, more = end - start, (last - longer) - (end - start)
    if more < 1 or more > 2 or letters[last - 1] != _S:
        return False
    same = 0
    while same < size and letters[start + same] == letters[longer + same]:
        same += 1
    if more == 1:
        return same == size
    if letters[last - 2] != _E:
        return False
    return same == size or (same == size - 1 and letters[end - 1] == _Y and letters[last - 3] == _I)


@kernel
def _is_abbreviation(letters: Letters, start: int, end: int, longer: int, last: int) -> bool:
    """The same first letter, and the others in this order somewhere in the longer word."""
    if letters[start] != letters[longer]:
        return False
    at = start
    while longer < last and at < end:
        if letters[longer] == letters[at]:
            at += 1
        longer += 1
    return at == end


@kernel
def looks(
    left: Numbers,
    right: Numbers,
    letters: Letters,
    starts: Offsets,
    english: NDArray[np.bool_],
    shapes: bool,
) -> NDArray[np.float64]:
    """Of each pair of words, by number, the similarity that its looks settle; nan where they do
    not. An abbreviation is no ``english`` word. Without ``shapes``, plurals and abbreviations are
    words like others."""
    found = np.full(len(left), np.nan)
    for i in range(len(left)):
        short, long = left[i], right[i]
        if short == long:
            found[i] = EQUAL
            continue
        if starts[short + 1] - starts[short] > starts[long + 1] - starts[long]:
            short, long = long, short
        a, b = starts[short], starts[long]
        a_end, b_end = starts[short + 1], starts[long + 1]
        if a == a_end:
            continue
        a_number = _DIGITS[0] <= letters[a] <= _DIGITS[1]
        b_number = _DIGITS[0] <= letters[b] <= _DIGITS[1]
        if a_number or b_number:
            found[i] = TWO_NUMBERS if a_number and b_number else OTHER
        elif b_end - b == 1:
            found[i] = TWO_LETTERS
        elif a_end - a == 1:
            found[i] = INITIAL if letters[a] == letters[b] else OTHER
        elif shapes and _is_plural(letters, a, a_end, b, b_end):
            found[i] = PLURAL
        elif shapes and not english[short] and _is_abbreviation(letters, a, a_end, b, b_end):
            found[i] = ABBREVIATION
    return found
