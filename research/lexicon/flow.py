"""Flow: values that are passed or assigned from one name to another.

An argument and its parameter, a value and its variable, mean the same thing. If the two names
differ in one word, these two words may have the same meaning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel, mix_bits
from research.lexicon.pair_tables import PairTable, compute_association, make_keys
from research.lexicon.reading import Reading
from research.lexicon.words import Codes, split_pieces

# If a project declares a function's name with more different parameter lists, the callee is
# unknown.
MOST_DECLARATIONS = 2
SHRINKAGE = 2.0
# Verbs of functions that return what the rest of the name says.
VERBS = frozenset(("get", "is", "create", "new", "make", "to"))

Rows = NDArray[np.int64]


def build_flow_table(reading: Reading, index_of_word: dict[str, int]) -> PairTable:
    """Return how strongly words are associated by flow between names that differ in one word."""
    moved = reading.moved[reading.moved[:, 0] != reading.moved[:, 1]].astype(np.int64)
    argument_pairs = _match_arguments(
        reading.declared.astype(np.int64), reading.called.astype(np.int64)
    )
    size = max(len(reading.names), 1)
    code_of_piece: dict[str, int] = {}
    parts, values = [], []
    for name in reading.names:
        codes = [
            code_of_piece.setdefault(piece, len(code_of_piece)) for piece in split_pieces(name)
        ]
        parts.append(codes)
        starts_with_verb = len(codes) > 1 and split_pieces(name)[0] in VERBS
        values.append(codes[1:] if starts_with_verb else codes)
    word_of_piece = np.array(
        [index_of_word.get(piece, -1) for piece in code_of_piece] + [-1], dtype=np.int32
    )
    keys, weights = [], []
    for rows, rights in ((argument_pairs, parts), (moved, values)):
        pair, count = np.unique(rows[:, 0] * size + rows[:, 1], return_counts=True)
        left, right = np.divmod(pair, size)
        left_word, right_word = _find_difference(left, right, *_flatten(parts), *_flatten(rights))
        left_word, right_word = word_of_piece[left_word], word_of_piece[right_word]
        is_known = (left_word >= 0) & (right_word >= 0)
        keys.append(make_keys(left_word[is_known], right_word[is_known]))
        weights.append(np.log1p(count[is_known]))
    key, key_index = np.unique(np.concatenate(keys), return_inverse=True)
    weight = np.bincount(key_index, np.concatenate(weights), len(key)).astype(np.float64)
    return compute_association(key, weight, SHRINKAGE)


def _match_arguments(declared: Rows, called: Rows) -> Rows:
    """Return rows of an argument's name and the name of its parameter."""
    function = _number_functions(declared)
    _, first, declaration = np.unique(declared[:, 5], return_index=True, return_inverse=True)
    # The names of a declaration's parameters as one hash, to count different declarations.
    parameter_hash = mix_bits((declared[:, 4] * 64 + declared[:, 3] + 64).astype(np.uint64))
    shape = np.zeros(len(first), dtype=np.uint64)
    np.add.at(shape, declaration, parameter_hash)
    order = np.lexsort((first, shape, function[first]))
    owner, sorted_shape = function[first][order], shape[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (owner[1:] != owner[:-1]) | (sorted_shape[1:] != sorted_shape[:-1])
    _, owner_index, count = np.unique(owner[is_new], return_inverse=True, return_counts=True)
    is_chosen = np.zeros(len(first), dtype=np.bool_)
    is_chosen[order[is_new][count[owner_index] <= MOST_DECLARATIONS]] = True
    is_named = is_chosen[declaration] & (declared[:, 4] >= 0)
    slot, name = function[is_named] * 32 + declared[is_named, 3], declared[is_named, 4]
    order = np.lexsort((name, slot))
    slot, name = slot[order], name[order]
    called = called[called[:, 4] >= 0]
    argument_slot = _number_functions(called) * 32 + called[:, 3]
    begin = np.searchsorted(slot, argument_slot, side="left")
    length = np.searchsorted(slot, argument_slot, side="right") - begin
    start = np.cumsum(length) - length
    match = np.arange(int(length.sum())) + np.repeat(begin - start, length)
    name_pairs = np.column_stack([np.repeat(called[:, 4], length), name[match]])
    different: Rows = name_pairs[name_pairs[:, 0] != name_pairs[:, 1]]
    return different


def _number_functions(rows: Rows) -> Rows:
    """Return one number for project, function's name and number of parameters."""
    numbers: Rows = ((rows[:, 0] << 28) + rows[:, 1]) * 32 + rows[:, 2]
    return numbers


def _flatten(parts: list[list[int]]) -> tuple[Rows, Rows]:
    length = np.array([len(part) for part in parts], dtype=np.int64)
    flat = np.array([code for part in parts for code in part], dtype=np.int64)
    return flat, np.concatenate([[0], np.cumsum(length)]).astype(np.int64)


@kernel
def _find_difference(
    left: Rows, right: Rows, flat: Rows, first: Rows, other_flat: Rows, other_first: Rows
) -> tuple[Codes, Codes]:
    """Return the word of each name in which the pair differs, or -1 if not exactly one differs."""
    left_difference = np.full(len(left), -1, dtype=np.int32)
    right_difference = np.full(len(left), -1, dtype=np.int32)
    for i in range(len(left)):
        begin, start = first[left[i]], other_first[right[i]]
        length = first[left[i] + 1] - begin
        if other_first[right[i] + 1] - start != length:
            continue
        difference_count = 0
        for k in range(length):
            if flat[begin + k] != other_flat[start + k]:
                difference_count += 1
                left_difference[i], right_difference[i] = flat[begin + k], other_flat[start + k]
        if difference_count != 1:
            left_difference[i], right_difference[i] = -1, -1
    return left_difference, right_difference
