"""Kernels: which of several methods of the same name a call means (JLS 15.12.2).

By the number of arguments and by those types that are plain to see; where that leaves several,
none is named.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from acumen.lang.java._hierarchy import Members
from acumen.lang.java._members import Calls
from acumen.lang.java._types import Signatures
from acumen.lang.kernel import kernel

OTHER, ARGUMENTS, LAMBDA, REFERENCE, PUNCTUATION, COMMENT = range(6)
CODES = {
    "argument_list": ARGUMENTS, "lambda_expression": LAMBDA, "method_reference": REFERENCE,
    "(": PUNCTUATION, ")": PUNCTUATION, ",": PUNCTUATION, "line_comment": COMMENT,
    "block_comment": COMMENT,
}  # fmt: skip

METHODS = 1
IS_PRIVATE = 1
FILE = 16
T_BOOLEAN, T_CHAR, T_NULL = 1, 4, 10
# Words that the language knows: places in ``known``; boxes from K_BOXES + 1.
K_STRING, K_OBJECT, K_BOXES = 1, 3, 4
# As many arguments and candidates as are looked at.
MOST = 32


class Tree(NamedTuple):
    code: Any
    stop: Any
    word: Any


class Types(NamedTuple):
    offsets: Any
    ancestors: Any
    open: Any


class Facts(NamedTuple):
    members: Members
    signatures: Signatures
    known: Any
    of_object: Any
    words: int
    value: Any


@kernel
def _find(facts: Facts, t: int, word: int) -> int:
    keys = facts.members.key
    key = (3 * t + METHODS) * facts.words + word
    at = np.searchsorted(keys, key)
    return int(at) if at < len(keys) and keys[at] == key else -1


@kernel
def _accepts(facts: Facts, types: Types, parameter: int, argument: int) -> int:
    """Can a parameter take an argument of this type? 0 no, 1 perhaps, 2 by boxing, 3 as a
    subtype, 4 exactly."""
    if parameter == 0 or argument == 0:
        return 1
    if parameter == argument:
        return 4
    count, words, known = len(types.open), facts.words, facts.known
    p, p_dims = parameter >> 8, parameter & 255
    a, a_dims = argument >> 8, argument & 255
    variables = FILE + count + words + 16
    p_word = p - FILE - count if FILE + count <= p < variables else -1
    p_object = p_word == known[K_OBJECT]
    a_word = a - FILE - count if FILE + count <= a < variables else -1
    if a == T_NULL:
        return 0 if p < FILE and p_dims == 0 else 3
    if p_dims == 0 and p < FILE:  # a primitive is wanted
        if a_dims > 0:
            return 0
        if a < FILE:
            if p == T_BOOLEAN or a == T_BOOLEAN or a > p or p == T_CHAR:
                return 0
            return 3
        return 1 if a_word < 0 or _box(known, a_word) >= 0 else 0
    if a_dims == 0 and a < FILE:  # a primitive is given
        if p_dims > 0:
            return 0
        if p >= variables:
            return 2
        if p < FILE + count:
            return 1
        box = _box(known, p_word)
        if box >= 0:
            return 2 if box == a else 0
        if p_word == known[K_STRING]:
            return 0
        return 2 if p_object else 1
    if p_dims == 0 and p_object:
        return 3
    if a_dims != p_dims:
        if a_dims < p_dims:
            return 0 if a < variables else 1
        return 1 if p >= FILE + count else 0
    if a_dims > 0 and (a < FILE or p < FILE):
        return 0
    if p >= variables or a >= variables:
        return 1
    if a < FILE + count:
        t = a - FILE
        if p < FILE + count:
            for k in range(types.offsets[t], types.offsets[t + 1]):
                if types.ancestors[k] == p - FILE:
                    return 3
            return 1 if types.open[t] else 0
        return 0 if p_word == known[K_STRING] else 1
    if a_word == known[K_STRING] and p_word >= 0 and _box(known, p_word) >= 0:
        return 0
    if p_word == known[K_STRING] or _box(known, p_word) >= 0:
        return 0
    return 1


@kernel
def _box(known: Any, word: int) -> int:
    for k in range(1, 9):
        if known[K_BOXES + k] == word:
            return k
    return -1


@kernel
def _choose(
    tree: Tree, facts: Facts, types: Types, t: int, word: int, arguments: int, own: bool,
    given: Any, candidates: Any,
) -> Any:  # fmt: skip
    """The method of a type that a call means (JLS 15.12.2), by the number of arguments and the
    types that are plain to see; -1 where that leaves several or none. Also: is it exact?"""
    code, stop = tree.code, tree.stop
    members, calls, value = facts.members, facts.signatures, facts.value
    args, at = 0, arguments + 1
    while at < stop[arguments]:
        if code[at] != PUNCTUATION and code[at] != COMMENT:
            if args < len(given):
                given[args] = at
            args += 1
        at = stop[at]
    count = 0
    for k in range(types.offsets[t] - 1, types.offsets[t + 1]):
        if k < types.offsets[t]:
            if not own:
                continue
            m = _find(facts, t, word)
        else:
            m = _find(facts, types.ancestors[k], word)
        while m >= 0:
            wanted = calls.offsets[m + 1] - calls.offsets[m]
            fits = wanted == args or (calls.varargs[m] and args >= wanted - 1)
            if fits and k >= types.offsets[t] and members.flags[m] & IS_PRIVATE:
                fits = not own and k == types.offsets[t]
            for c in range(count):
                fits = fits and not _overrides(facts, types, candidates[c], m)
            if fits:
                if count == len(candidates):
                    return -1, False
                candidates[count] = m
                count += 1
            m += 1
            if m == len(members.key) or members.key[m] != members.key[m - 1]:
                m = -1
    if count == 0 or args > len(given):
        return (candidates[0] if count == 1 else -1), False
    best, sure, exact, left, possible = -1, 0, -1, 0, -1
    for c in range(count):
        m = candidates[c]
        fit = 4
        fixed = calls.offsets[m + 1] - calls.offsets[m]
        for g in range(args):
            if calls.varargs[m] and g >= fixed - 1:
                fit = min(fit, 1)
                break
            wanted = calls.parameters[calls.offsets[m] + g]
            one = _accepts(facts, types, wanted, value[given[g]])
            if value[given[g]] == 0 and one == 1 and wanted != 0:
                function = code[given[g]] == LAMBDA or code[given[g]] == REFERENCE
                if function and (wanted < 256 * FILE or wanted & 255):
                    one = 0
            fit = min(fit, one)
        if fit == 0:
            continue
        left += 1
        possible = m
        if fit == 4:
            exact = m
        if fit > sure:
            best, sure = m, fit
        elif fit == sure:
            best = -1
    if exact >= 0:
        return exact, True
    if left == 1:
        return possible, False
    return -1, False


@kernel
def _overrides(facts: Facts, types: Types, near: int, far: int) -> bool:
    """Has the nearer method the same parameters? A type variable of the farther may be any."""
    calls, words = facts.signatures, facts.words
    length = calls.offsets[far + 1] - calls.offsets[far]
    if calls.offsets[near + 1] - calls.offsets[near] != length:
        return False
    for g in range(length):
        a = calls.parameters[calls.offsets[near] + g]
        b = calls.parameters[calls.offsets[far] + g]
        if a != b and b >> 8 < FILE + len(types.open) + words + 16:
            return False
    return True


@kernel
def choose(tree: Tree, facts: Facts, types: Types, calls: Calls, idents: Any) -> Any:
    """For each call the node of the method's name, or -1; and what is doubtful about it."""
    found = np.full(len(calls.place), -1, np.int32)
    doubt = np.zeros(len(calls.place), np.uint8)
    given, candidates = np.empty(MOST, np.int32), np.empty(MOST, np.int32)
    for c in range(len(calls.place)):
        name = idents[calls.place[c]]
        node, t = calls.node[c], calls.type[c]
        at = tree.stop[name]
        while at < tree.stop[node] and tree.code[at] != ARGUMENTS:
            at = tree.stop[at]
        w = tree.word[name]
        m, exact = _choose(
            tree, facts, types, t, w, at, not calls.as_super[c], given, candidates
        )
        if m >= 0:
            found[c] = facts.members.name[m]
            doubt[c] = calls.crossed[c] + (0 if exact else 2 * types.open[t] + 4 * facts.of_object[w])
    return found, doubt
