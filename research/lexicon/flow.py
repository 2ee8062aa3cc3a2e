"""Flow: values that are passed or assigned from one name to another.

An argument and its parameter, a value and its variable, mean the same thing. If the two names
differ in one word, these two words may have the same meaning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel, mix_bits
from research.lexicon._pairs import Table, associated, keys_of
from research.lexicon._words import Codes, pieces
from research.lexicon.reading import Reading

# If a project declares a function's name with more different parameter lists, the callee is
# unknown.
MOST = 2
STEADINESS = 2.0
# Verbs of functions that return what the rest of the name says.
VERBS = frozenset(("get", "is", "create", "new", "make", "to"))

Rows = NDArray[np.int64]


def flow(read: Reading, places: dict[str, int]) -> Table:
    """Return how strongly words are associated by flow between names that differ in one word."""
    moved = read.moved[read.moved[:, 0] != read.moved[:, 1]].astype(np.int64)
    passed = _passed(read.declared.astype(np.int64), read.called.astype(np.int64))
    size = max(len(read.names), 1)
    known: dict[str, int] = {}
    parts, values = [], []
    for name in read.names:
        found = [known.setdefault(piece, len(known)) for piece in pieces(name)]
        parts.append(found)
        verb = len(found) > 1 and pieces(name)[0] in VERBS
        values.append(found[1:] if verb else found)
    number = np.array([places.get(piece, -1) for piece in known] + [-1], dtype=np.int32)
    keys, weights = [], []
    for rows, rights in ((passed, parts), (moved, values)):
        pair, count = np.unique(rows[:, 0] * size + rows[:, 1], return_counts=True)
        left, right = np.divmod(pair, size)
        one, other = _difference(left, right, *_ragged(parts), *_ragged(rights))
        one, other = number[one], number[other]
        good = (one >= 0) & (other >= 0)
        keys.append(keys_of(one[good], other[good]))
        weights.append(np.log1p(count[good]))
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    weight = np.bincount(place, np.concatenate(weights), len(key)).astype(np.float64)
    return associated(key, weight, STEADINESS)


def _passed(declared: Rows, called: Rows) -> Rows:
    """Return rows of an argument's name and the name of its parameter."""
    function = _functions(declared)
    _, first, declaration = np.unique(declared[:, 5], return_index=True, return_inverse=True)
    # The names of a declaration's parameters as one hash, to count different declarations.
    mixed_names = mix_bits((declared[:, 4] * 64 + declared[:, 3] + 64).astype(np.uint64))
    shape = np.zeros(len(first), dtype=np.uint64)
    np.add.at(shape, declaration, mixed_names)
    order = np.lexsort((first, shape, function[first]))
    of, alike = function[first][order], shape[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = (of[1:] != of[:-1]) | (alike[1:] != alike[:-1])
    _, place, count = np.unique(of[fresh], return_inverse=True, return_counts=True)
    chosen = np.zeros(len(first), dtype=np.bool_)
    chosen[order[fresh][count[place] <= MOST]] = True
    row = chosen[declaration] & (declared[:, 4] >= 0)
    slot, name = function[row] * 32 + declared[row, 3], declared[row, 4]
    order = np.lexsort((name, slot))
    slot, name = slot[order], name[order]
    called = called[called[:, 4] >= 0]
    asked = _functions(called) * 32 + called[:, 3]
    begin = np.searchsorted(slot, asked, side="left")
    length = np.searchsorted(slot, asked, side="right") - begin
    start = np.cumsum(length) - length
    at = np.arange(int(length.sum())) + np.repeat(begin - start, length)
    found = np.column_stack([np.repeat(called[:, 4], length), name[at]])
    different: Rows = found[found[:, 0] != found[:, 1]]
    return different


def _functions(rows: Rows) -> Rows:
    """Return one number for project, function's name and number of parameters."""
    found: Rows = ((rows[:, 0] << 28) + rows[:, 1]) * 32 + rows[:, 2]
    return found


def _ragged(parts: list[list[int]]) -> tuple[Rows, Rows]:
    length = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.array([code for part in parts for code in part], dtype=np.int64)
    return flat, np.concatenate([[0], np.cumsum(length)]).astype(np.int64)


@kernel
def _difference(
    left: Rows, right: Rows, flat: Rows, first: Rows, other_flat: Rows, other_first: Rows
) -> tuple[Codes, Codes]:
    """Return the word of each name in which the pair differs, or -1 if not exactly one differs."""
    one = np.full(len(left), -1, dtype=np.int32)
    other = np.full(len(left), -1, dtype=np.int32)
    for i in range(len(left)):
        begin, start = first[left[i]], other_first[right[i]]
        length = first[left[i] + 1] - begin
        if other_first[right[i] + 1] - start != length:
            continue
        different = 0
        for k in range(length):
            if flat[begin + k] != other_flat[start + k]:
                different += 1
                one[i], other[i] = flat[begin + k], other_flat[start + k]
        if different != 1:
            one[i], other[i] = -1, -1
    return one, other
