"""Compiled loops that compare the words of identifiers, by spelling, lexicon and vectors.

``numbers`` holds the word numbers of all names, concatenated, and ``offsets`` the start of each
name in it; ``letters`` and ``starts`` do the same for the letters of all words. A pair of names has
a block of word pairs: each word of the left name with each word of the right name, row by row.
``row``, ``second``, ``value``, ``vectors``, ``scale``, ``fallback`` and ``floor`` are those of the
``Lexicon``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Letters = NDArray[np.uint32]
Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]  # also for indices of names and words
Values = NDArray[np.float64]

# Closeness of two words, by the first rule in ``compare_letters`` that applies.
EQUAL = 1.0
# Nearly the same word: a word and its plural, or an abbreviation and its full form.
PLURAL = ABBREVIATION = 0.85
# A programmer who writes ``x1`` and ``x2``, or ``x`` and ``y``, means two different things.
TWO_NUMBERS, TWO_LETTERS = 0.35, 0.3
# ``i`` may stand for ``index``, but hardly for ``total``. A number and a word are also OTHER.
INITIAL, OTHER = 0.6, 0.2

# Only this many letters of a word count for the edit distance.
_LETTERS = 64
# Character codes: the first and the last digit, and four letters.
_DIGITS = (48, 57)
_S, _E, _I, _Y = 115, 101, 105, 121


@kernel
def _is_plural(letters: Letters, start: int, end: int, longer_start: int, longer_end: int) -> bool:
    """Return True if the word at ``longer_start`` is a plural of the word at ``start``.

    Recognises cars, boxes and queries.
    """
    size, extra = end - start, (longer_end - longer_start) - (end - start)
    if extra < 1 or extra > 2 or letters[longer_end - 1] != _S:
        return False
    prefix = 0  # number of letters with which both words begin
    while prefix < size and letters[start + prefix] == letters[longer_start + prefix]:
        prefix += 1
    if extra == 1:
        return prefix == size
    if letters[longer_end - 2] != _E:
        return False
    return prefix == size or (
        prefix == size - 1 and letters[end - 1] == _Y and letters[longer_end - 3] == _I
    )


@kernel
def _is_abbreviation(
    letters: Letters, start: int, end: int, position: int, longer_end: int
) -> bool:
    """Return True if two words begin with the same letter and the shorter is a subsequence.

    The shorter word begins at ``start``, the longer at ``position``.
    """
    if letters[start] != letters[position]:
        return False
    matched = start
    while position < longer_end and matched < end:
        if letters[position] == letters[matched]:
            matched += 1
        position += 1
    return matched == end


@kernel
def compare_letters(
    left: Numbers,
    right: Numbers,
    letters: Letters,
    starts: Offsets,
    english: NDArray[np.bool_],
    shapes: bool,
) -> NDArray[np.float64]:
    """Return for each pair of words the closeness that a rule about letters gives; NaN if none
    applies.

    ``left`` and ``right`` are the numbers of the words of each pair. A word that is ``english`` is
    no abbreviation. Without ``shapes``, plurals and abbreviations are not recognised.
    """
    similarities = np.full(len(left), np.nan)
    for i in range(len(left)):
        short, long = left[i], right[i]
        if short == long:
            similarities[i] = EQUAL
            continue
        if starts[short + 1] - starts[short] > starts[long + 1] - starts[long]:
            short, long = long, short
        a, b = starts[short], starts[long]
        a_end, b_end = starts[short + 1], starts[long + 1]
        if a == a_end:  # the only word of an empty name
            continue
        a_is_number = _DIGITS[0] <= letters[a] <= _DIGITS[1]
        b_is_number = _DIGITS[0] <= letters[b] <= _DIGITS[1]
        if a_is_number or b_is_number:
            similarities[i] = TWO_NUMBERS if a_is_number and b_is_number else OTHER
        elif b_end - b == 1:  # so the other word, which is not longer, has one letter too
            similarities[i] = TWO_LETTERS
        elif a_end - a == 1:
            similarities[i] = INITIAL if letters[a] == letters[b] else OTHER
        elif shapes and _is_plural(letters, a, a_end, b, b_end):
            similarities[i] = PLURAL
        elif shapes and not english[short] and _is_abbreviation(letters, a, a_end, b, b_end):
            similarities[i] = ABBREVIATION
    return similarities


@kernel
def list_word_pairs(
    numbers: Numbers, offsets: Offsets, left: Offsets, right: Offsets
) -> tuple[Numbers, Numbers, Offsets]:
    """Return the left and the right words of all word pairs, and the offset of each block.

    ``left`` and ``right`` are the indices of the names in each pair of names.
    """
    blocks = np.zeros(len(left) + 1, np.int64)
    for i in range(len(left)):
        rows = offsets[left[i] + 1] - offsets[left[i]]
        blocks[i + 1] = blocks[i] + rows * (offsets[right[i] + 1] - offsets[right[i]])
    first, second = np.empty(blocks[-1], np.int32), np.empty(blocks[-1], np.int32)
    position = 0
    for i in range(len(left)):
        for a in range(offsets[left[i]], offsets[left[i] + 1]):
            for b in range(offsets[right[i]], offsets[right[i] + 1]):
                first[position], second[position] = numbers[a], numbers[b]
                position += 1
    return first, second, blocks


@kernel
def _compare_spelling(letters: NDArray[np.uint32], starts: Offsets, u: int, v: int) -> float:
    """Return 1 − edit distance / length of the longer word, on the first ``_LETTERS`` letters."""
    a, b = starts[u], starts[v]
    rows, columns = min(starts[u + 1] - a, _LETTERS), min(starts[v + 1] - b, _LETTERS)
    if rows == 0 and columns == 0:
        return 1.0
    distances = np.arange(columns + 1)
    for i in range(rows):
        corner, distances[0] = distances[0], i + 1
        for j in range(columns):
            substituted = corner + (0 if letters[a + i] == letters[b + j] else 1)
            corner = distances[j + 1]  # the cell above; at the next j, the cell above to the left
            distances[j + 1] = min(substituted, corner + 1, distances[j] + 1)
    return float(1.0 - distances[columns] / max(rows, columns))


@kernel
def compare_spellings(
    letters: NDArray[np.uint32], starts: Offsets, left: Offsets, right: Offsets
) -> Values:
    """Return the spelling similarity of the two words of each pair, from 0 to 1.

    ``research/lexicon`` calls this function.
    """
    similarities = np.empty(len(left))
    for i in range(len(left)):
        similarities[i] = _compare_spelling(letters, starts, left[i], right[i])
    return similarities


@kernel
def _find_pair(row: Offsets, second: NDArray[np.uint16], u: int, v: int) -> int:
    """Return the index of a pair of words in the lexicon's table; -1 if the table lacks it.

    The table holds pairs with ``u`` < ``v`` only, so the words must be in this order.
    """
    low, high = row[u], row[u + 1]
    while low < high:
        middle = (low + high) // 2
        if second[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low if low < row[u + 1] and second[low] == v else -1


@kernel
def _compute_dot_products(vectors: NDArray[np.int8], u: int, v: int) -> tuple[np.int32, np.int32]:
    """Return the dot products of two words' vectors in the space of code and in that of text.

    These are the two halves of a vector.
    """
    half = vectors.shape[1] // 2
    code, text = np.int32(0), np.int32(0)
    for k in range(half):
        code += np.int32(vectors[u, k]) * np.int32(vectors[v, k])
    for k in range(half, 2 * half):
        text += np.int32(vectors[u, k]) * np.int32(vectors[v, k])
    return code, text


@kernel
def compute_closeness(
    left_words: Numbers,
    right_words: Numbers,
    by_letters: Values,
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

    The first of these rules that applies decides:

    - ``by_letters`` has a value, from ``compare_letters``: this value.
    - The lexicon lacks one of the words: their spelling similarity, times the floor.
    - The lexicon's table has the pair: the value in the table.
    - Otherwise: a linear function of the cosines in both spaces (``fallback``: its coefficients).
    """
    closeness = by_letters.copy()
    lexicon_size = len(vectors)
    for i in range(len(left_words)):
        if not np.isnan(closeness[i]):
            continue
        u, v = min(left_words[i], right_words[i]), max(left_words[i], right_words[i])
        if v >= lexicon_size:
            closeness[i] = floor * _compare_spelling(letters, starts, u, v)
            continue
        entry = _find_pair(row, second, u, v)
        if entry >= 0:
            closeness[i] = value[entry] / 255.0
            continue
        code, text = _compute_dot_products(vectors, u, v)
        estimate = (
            fallback[0]
            + fallback[1] * code * (scale[u, 0] * scale[v, 0])
            + fallback[2] * text * (scale[u, 1] * scale[v, 1])
        )
        closeness[i] = min(max(estimate, 0.0), 1.0)
    return closeness


@kernel
def score_partners(
    word_closeness: Values,
    blocks: Offsets,
    numbers: Numbers,
    offsets: Offsets,
    left: Offsets,
    right: Offsets,
    weight: Values,
    floor: float,
) -> tuple[Values, Values]:
    """Return for each pair of names the minimum and the weighted mean of the closeness of each word
    to its best partner.

    The best partner of a word is the closest word of the other name. Minimum and mean are over the
    words of both names. The minimum is scaled: the floor and all values below it become 0, and 1
    remains 1.
    """
    weakest, mean = np.empty(len(left)), np.empty(len(left))
    for i in range(len(left)):
        a, b = offsets[left[i]], offsets[right[i]]
        rows, columns = offsets[left[i] + 1] - a, offsets[right[i] + 1] - b
        block = word_closeness[blocks[i] : blocks[i + 1]].reshape(rows, columns)
        # A sum for each name, added last: so exchanging the names changes no bit of the result.
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
def _sum_vectors(
    numbers: Numbers,
    start: int,
    end: int,
    vectors: NDArray[np.int8],
    scale: NDArray[np.float32],
    weight: Values,
    total: NDArray[np.float32],
) -> None:
    """Write the weighted sum of the vectors of a name's words to ``total``.

    Words outside the lexicon have no vector and are left out.
    """
    half = vectors.shape[1] // 2
    total[:] = 0.0
    for position in range(start, end):
        word = numbers[position]
        if word < len(vectors):
            code_factor = np.float32(weight[word]) * scale[word, 0]
            text_factor = np.float32(weight[word]) * scale[word, 1]
            for k in range(half):
                total[k] += code_factor * np.float32(vectors[word, k])
            for k in range(half, 2 * half):
                total[k] += text_factor * np.float32(vectors[word, k])


@kernel
def compute_cosines(
    numbers: Numbers,
    offsets: Offsets,
    left: Offsets,
    right: Offsets,
    vectors: NDArray[np.int8],
    scale: NDArray[np.float32],
    weight: Values,
) -> Values:
    """Return for each pair of names the cosine of the weighted sums of their words' vectors.

    It is the mean of the cosines in both spaces. In a space where a name has no vector, the cosine
    is 0. Names with the same words in the same order have cosine 1, even without vectors.
    """
    results = np.empty(len(left))
    width = vectors.shape[1]
    left_sum, right_sum = np.empty(width, np.float32), np.empty(width, np.float32)
    for i in range(len(left)):
        a, a_end = offsets[left[i]], offsets[left[i] + 1]
        b, b_end = offsets[right[i]], offsets[right[i] + 1]
        if a_end - a == b_end - b and np.all(numbers[a:a_end] == numbers[b:b_end]):
            results[i] = 1.0
            continue
        _sum_vectors(numbers, a, a_end, vectors, scale, weight, left_sum)
        _sum_vectors(numbers, b, b_end, vectors, scale, weight, right_sum)
        total = 0.0
        for start in (0, width // 2):
            product, left_square, right_square = 0.0, 0.0, 0.0
            for k in range(start, start + width // 2):
                product += left_sum[k] * right_sum[k]
                left_square += left_sum[k] * left_sum[k]
                right_square += right_sum[k] * right_sum[k]
            if left_square > 0.0 and right_square > 0.0:
                total += min(max(product / np.sqrt(left_square * right_square), -1.0), 1.0)
        results[i] = total / 2.0
    return results
