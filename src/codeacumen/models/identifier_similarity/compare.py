"""Compiled loops that compare identifiers by their words: by spelling, lexicon and vectors.

Names are lists of word numbers, concatenated. Each pair of names is a block of word pairs, the
product of left words and right words in row-major order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Letters = NDArray[np.uint32]
Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]
Values = NDArray[np.float64]

EQUAL = 1.0
# Nearly the same word: its plural, or its full form.
PLURAL = ABBREVIATION = 0.85
# ``x1`` and ``x2``, ``x`` and ``y`` are distinguished on purpose.
TWO_NUMBERS, TWO_LETTERS = 0.35, 0.3
# ``i`` may stand for ``index``, hardly for ``total``.
INITIAL, OTHER = 0.6, 0.2

# Maximum number of letters of an unknown word that are compared.
_LETTERS = 64
_DIGITS = (48, 57)
_S, _E, _I, _Y = 115, 101, 105, 121


@kernel
def _is_plural(letters: Letters, start: int, end: int, longer: int, last: int) -> bool:
    """Return True if the word at ``longer_start`` is a plural of the word at ``start``.

    Recognises cars, boxes and queries.
    """
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
    """Return True if the words share the first letter and the shorter is a subsequence."""
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
    """Return the similarity of each pair of words that their letters determine, or NaN.

    An ``english`` word is no abbreviation. Without ``shapes``, plurals and abbreviations are not
    recognised.
    """
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


@kernel
def word_pairs(
    numbers: Numbers, offsets: Offsets, left: Offsets, right: Offsets
) -> tuple[Numbers, Numbers, Offsets]:
    """Return all word pairs of the pairs of names, and the offset of each pair's block."""
    blocks = np.zeros(len(left) + 1, np.int64)
    for i in range(len(left)):
        rows = offsets[left[i] + 1] - offsets[left[i]]
        blocks[i + 1] = blocks[i] + rows * (offsets[right[i] + 1] - offsets[right[i]])
    first, second = np.empty(blocks[-1], np.int32), np.empty(blocks[-1], np.int32)
    at = 0
    for i in range(len(left)):
        for a in range(offsets[left[i]], offsets[left[i] + 1]):
            for b in range(offsets[right[i]], offsets[right[i] + 1]):
                first[at], second[at] = numbers[a], numbers[b]
                at += 1
    return first, second, blocks


@kernel
def _spelling(letters: NDArray[np.uint32], starts: Offsets, u: int, v: int) -> float:
    """Return 1 − edit distance / length of the longer word."""
    a, b = starts[u], starts[v]
    rows, columns = min(starts[u + 1] - a, _LETTERS), min(starts[v + 1] - b, _LETTERS)
    if rows == 0 and columns == 0:
        return 1.0
    last = np.arange(columns + 1)
    for i in range(rows):
        corner, last[0] = last[0], i + 1
        for j in range(columns):
            change = corner + (0 if letters[a + i] == letters[b + j] else 1)
            corner = last[j + 1]
            last[j + 1] = min(change, corner + 1, last[j] + 1)
    return float(1.0 - last[columns] / max(rows, columns))


@kernel
def spellings(
    letters: NDArray[np.uint32], starts: Offsets, left: Offsets, right: Offsets
) -> Values:
    """Return the spelling similarity of the two words of each pair."""
    found = np.empty(len(left))
    for i in range(len(left)):
        found[i] = _spelling(letters, starts, left[i], right[i])
    return found


@kernel
def _found(row: Offsets, second: NDArray[np.uint16], u: int, v: int) -> int:
    """Return the index of a pair of words in the lexicon's table, or -1 (binary search)."""
    low, high = row[u], row[u + 1]
    while low < high:
        middle = (low + high) // 2
        if second[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < row[u + 1] and second[low] == v else -1


@kernel
def _products(vectors: NDArray[np.int8], u: int, v: int) -> tuple[np.int32, np.int32]:
    """Return the dot products of two words' vectors in the space of code and in that of text."""
    half = vectors.shape[1] // 2
    code, text = np.int32(0), np.int32(0)
    for k in range(half):
        code += np.int32(vectors[u, k]) * np.int32(vectors[v, k])
    for k in range(half, 2 * half):
        text += np.int32(vectors[u, k]) * np.int32(vectors[v, k])
    return code, text


@kernel
def closeness(
    first: Numbers,
    other: Numbers,
    looked: Values,
    row: Offsets,
    second: NDArray[np.uint16],
    value: NDArray[np.uint8],
    vectors: NDArray[np.int8],
    scale: NDArray[np.float32],
    fallback: Values,
    floor: float,
    letters: NDArray[np.uint32],
    starts: Offsets,
) -> Values:
    """Return for each pair of words how well one can replace the other.

    The value comes from the first of these that has one: the words' letters (``by_letters``); for a
    word outside the lexicon the spelling, scaled to at most the floor; the lexicon's table; a
    linear function of the cosines.
    """
    found = looked.copy()
    known = len(vectors)
    for i in range(len(first)):
        if not np.isnan(found[i]):
            continue
        u, v = min(first[i], other[i]), max(first[i], other[i])
        if v >= known:
            found[i] = floor * _spelling(letters, starts, u, v)
            continue
        place = _found(row, second, u, v)
        if place >= 0:
            found[i] = value[place] / 255.0
            continue
        code, text = _products(vectors, u, v)
        likely = (
            fallback[0]
            + fallback[1] * code * (scale[u, 0] * scale[v, 0])
            + fallback[2] * text * (scale[u, 1] * scale[v, 1])
        )
        found[i] = min(max(likely, 0.0), 1.0)
    return found


@kernel
def partners(
    close: Values,
    blocks: Offsets,
    numbers: Numbers,
    offsets: Offsets,
    left: Offsets,
    right: Offsets,
    weight: Values,
    floor: float,
) -> tuple[Values, Values]:
    """Return for each pair of names the minimum and the mean closeness of the words' best partners.

    The minimum is scaled so that the floor is 0; the mean is weighted. Both are over the words of
    both names.
    """
    weakest, mean = np.empty(len(left)), np.empty(len(left))
    for i in range(len(left)):
        a, b = offsets[left[i]], offsets[right[i]]
        rows, columns = offsets[left[i] + 1] - a, offsets[right[i] + 1] - b
        block = close[blocks[i] : blocks[i + 1]].reshape(rows, columns)
        least, weights = 1.0, np.zeros(2)
        sums = np.zeros(2)
        for r in range(rows):
            best = block[r].max()
            least = min(least, best)
            sums[0] += weight[numbers[a + r]] * best
            weights[0] += weight[numbers[a + r]]
        for c in range(columns):
            best = block[:, c].max()
            least = min(least, best)
            sums[1] += weight[numbers[b + c]] * best
            weights[1] += weight[numbers[b + c]]
        weakest[i] = max((least - floor) / (1.0 - floor), 0.0)
        mean[i] = min((sums[0] + sums[1]) / (weights[0] + weights[1]), 1.0)
    return weakest, mean


@kernel
def _sum(
    numbers: Numbers,
    start: int,
    end: int,
    vectors: NDArray[np.int8],
    scale: NDArray[np.float32],
    weight: Values,
    total: NDArray[np.float32],
) -> None:
    """Write the weighted sum of the vectors of a name's words to ``total``."""
    half = vectors.shape[1] // 2
    total[:] = 0.0
    for at in range(start, end):
        word = numbers[at]
        if word < len(vectors):
            code = np.float32(weight[word]) * scale[word, 0]
            text = np.float32(weight[word]) * scale[word, 1]
            for k in range(half):
                total[k] += code * np.float32(vectors[word, k])
            for k in range(half, 2 * half):
                total[k] += text * np.float32(vectors[word, k])


@kernel
def cosines(
    numbers: Numbers,
    offsets: Offsets,
    left: Offsets,
    right: Offsets,
    vectors: NDArray[np.int8],
    scale: NDArray[np.float32],
    weight: Values,
) -> Values:
    """Return for each pair of names the cosine of the weighted sums of their words' vectors.

    It is the mean of the cosines in both spaces: 0 in a space where a name has no vector, and 1 for
    names of the same words.
    """
    found = np.empty(len(left))
    width = vectors.shape[1]
    one, two = np.empty(width, np.float32), np.empty(width, np.float32)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        if a_end - a == b_end - b and np.all(numbers[a:a_end] == numbers[b:b_end]):
            found[i] = 1.0
            continue
        _sum(numbers, a, a_end, vectors, scale, weight, one)
        _sum(numbers, b, b_end, vectors, scale, weight, two)
        total = 0.0
        for start in (0, width // 2):
            product, ones, twos = 0.0, 0.0, 0.0
            for k in range(start, start + width // 2):
                product += one[k] * two[k]
                ones += one[k] * one[k]
                twos += two[k] * two[k]
            if ones > 0.0 and twos > 0.0:
                total += min(max(product / np.sqrt(ones * twos), -1.0), 1.0)
        found[i] = total / 2.0
    return found
