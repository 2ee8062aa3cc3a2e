"""Kernels that choose the method that a call means among those of the same name (JLS 15.12.2).

They compare the number of arguments and those types that are known without inference; a call for
which several methods remain stays unresolved. Other kernels compute the types of operators
(JLS 15.15 to 15.27), which occur in arguments. Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.members import Calls
from codeacumen.languages.java.bindings.types import Signatures
from codeacumen.languages.kernel import kernel

(
    _,
    PARENTHESES,
    BINARY,
    UNARY,
    UPDATE,
    CONDITIONAL,
    INSTANCEOF,
    PLUS,
    SHIFT,
    COMPARISON,
    BITWISE,
    NOT,
    OPERATOR_COMMENT,
) = range(13)
OPERATOR_CODES = {
    "parenthesized_expression": PARENTHESES, "binary_expression": BINARY,
    "unary_expression": UNARY, "update_expression": UPDATE, "ternary_expression": CONDITIONAL,
    "instanceof_expression": INSTANCEOF, "+": PLUS, "<<": SHIFT, ">>": SHIFT, ">>>": SHIFT,
    "==": COMPARISON, "!=": COMPARISON, "<": COMPARISON, ">": COMPARISON, "<=": COMPARISON,
    ">=": COMPARISON, "&&": COMPARISON, "||": COMPARISON, "&": BITWISE, "|": BITWISE,
    "^": BITWISE, "!": NOT, "line_comment": OPERATOR_COMMENT, "block_comment": OPERATOR_COMMENT,
}  # fmt: skip
EVENTS = (PARENTHESES, BINARY, UNARY, UPDATE, CONDITIONAL, INSTANCEOF)

# Values of types, as in types.
BOOLEAN, INT, DOUBLE = 256 * 1, 256 * 5, 256 * 8


@kernel
def operators(code: Any, stop: Any, nodes: Any, text: int, value: Any) -> None:
    """Set the result types of operators, from the inside out; ``text`` is the value of String."""
    for n in range(len(nodes) - 1, -1, -1):
        node = nodes[n]
        if value[node] == 0:
            value[node] = _result(code, stop, node, text, value)


@kernel
def _after(code: Any, stop: Any, at: int, end: int) -> int:
    """Return the sibling after a node, skipping comments."""
    at = stop[at]
    while at < end - 1 and code[at] == OPERATOR_COMMENT:
        at += 1
    return at


@kernel
def _result(code: Any, stop: Any, node: int, text: int, value: Any) -> int:
    kind, left, end = code[node], node + 1, stop[node]
    if end == left:
        return 0
    second = _after(code, stop, left, end)
    if kind == PARENTHESES:
        return int(value[second]) if second < end else 0
    if kind == INSTANCEOF or code[left] == NOT:
        return BOOLEAN
    if second >= end:
        return 0
    if kind == UNARY:
        return _promoted(value[second], value[second])
    if kind == UPDATE:
        return int(max(value[left], value[second]))
    third = _after(code, stop, second, end)
    if third >= end:
        return 0
    if kind == CONDITIONAL:
        last = _after(code, stop, _after(code, stop, third, end), end)
        return int(value[third]) if last < end and value[third] == value[last] else 0
    if code[second] == COMPARISON:
        return BOOLEAN
    if code[second] == PLUS and (value[left] == text or value[third] == text):
        return int(text)
    if code[second] == SHIFT:
        return _promoted(value[left], value[left])
    if code[second] == BITWISE and value[left] == BOOLEAN:
        return BOOLEAN
    return _promoted(value[left], value[third])


@kernel
def _promoted(left: int, right: int) -> int:
    """Binary numeric promotion (JLS 5.6)."""
    if BOOLEAN < left <= DOUBLE and BOOLEAN < right <= DOUBLE and (left | right) & 255 == 0:
        return max(left, right, INT)
    return 0


OTHER, ARGUMENTS, LAMBDA, REFERENCE, PUNCTUATION, COMMENT = range(6)
CODES = {
    "argument_list": ARGUMENTS,
    "lambda_expression": LAMBDA,
    "method_reference": REFERENCE,
    "(": PUNCTUATION,
    ")": PUNCTUATION,
    ",": PUNCTUATION,
    "line_comment": COMMENT,
    "block_comment": COMMENT,
}

METHODS = 1
IS_PRIVATE = 1
FILE, EXTRA = 16, 32
T_BOOLEAN, T_CHAR, T_NULL = 1, 4, 10
# Types known to the language: indices into ``known``. Boxes start at K_BOXES + 1. From K_SHARED
# to K_END are the common supertypes of String and the boxes, up to K_UNWRITTEN those of enums and
# records too.
K_STRING, K_OBJECT, K_BOXES, K_NUMBER, K_SEQUENCE, K_CLONEABLE = 1, 3, 4, 13, 14, 15
K_SHARED, K_SERIALIZABLE, K_END, K_UNWRITTEN = 16, 16, 20, 22
# How well an argument fits a parameter: not at all; possibly, by a relation between types declared
# elsewhere; unknown type; by boxing; as a subtype; exactly.
NO, PERHAPS, OPEN, BOXED, SUBTYPE, EXACT = range(6)
# Maximum number of arguments and candidates.
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
    """Return how well an argument of a type fits a parameter."""
    if parameter == 0 or argument == 0:
        return OPEN
    if parameter == argument:
        return EXACT
    count, known = len(types.open), facts.known
    p, p_dims = parameter >> 8, parameter & 255
    a, a_dims = argument >> 8, argument & 255
    variables = FILE + count + facts.words + EXTRA
    if a == T_NULL:
        return NO if p < FILE and p_dims == 0 else SUBTYPE
    if p_dims == 0 and p < FILE:  # primitive parameter
        if a_dims > 0:
            return NO
        if a < FILE:
            narrower = p in (T_BOOLEAN, T_CHAR) or a == T_BOOLEAN or a > p
            return NO if narrower else SUBTYPE
        return PERHAPS if a >= variables or _box(known, a) >= 0 else NO
    if a_dims == 0 and a < FILE:  # primitive argument
        if p_dims > 0:
            return NO
        if p >= variables:
            return OPEN
        if p == known[K_OBJECT] or p == known[K_NUMBER] or _box(known, p) == a:
            return BOXED
        return BOXED if _is_one(known, p, K_SHARED, K_END) else NO
    if p_dims == 0 and p == known[K_OBJECT]:
        return SUBTYPE
    if a_dims != p_dims:
        if p >= variables or (a >= variables and a_dims < p_dims):
            return OPEN
        shared = p == known[K_OBJECT] or p == known[K_CLONEABLE] or p == known[K_SERIALIZABLE]
        return SUBTYPE if a_dims > p_dims and shared else NO
    if p >= variables or a >= variables:
        return OPEN
    if a < FILE or p < FILE:
        return NO
    if a == known[K_STRING]:
        shared = p == known[K_SEQUENCE] or _is_one(known, p, K_SHARED, K_END)
        return SUBTYPE if shared else NO
    # String and the boxes have no subclasses.
    if p == known[K_STRING] or _box(known, p) >= 0:
        return NO
    if a < FILE + count:
        for k in range(types.offsets[a - FILE], types.offsets[a - FILE + 1]):
            if types.ancestors[k] == p - FILE:
                return SUBTYPE
        # Enums and records have implicit ancestors.
        unwritten = _is_one(known, p, K_SHARED, K_UNWRITTEN)
        return PERHAPS if types.open[a - FILE] or unwritten else NO
    return PERHAPS


@kernel
def _is_one(known: Any, base: int, first: int, end: int) -> bool:
    return bool(np.any(known[first:end] == base))


@kernel
def _box(known: Any, base: int) -> int:
    """Return the primitive type that a type boxes; -1 if it is no box."""
    for k in range(1, 9):
        if known[K_BOXES + k] == base:
            return k
    return -1


@kernel
def _candidates(
    facts: Facts, types: Types, t: int, word: int, args: int, own: bool, candidates: Any
) -> int:
    """Collect the methods of a type that accept a number of arguments, without overridden ones.

    Returns their number; 0 where there are more than fit into ``candidates``.
    """
    members, calls = facts.members, facts.signatures
    count = 0
    for k in range(types.offsets[t] - own, types.offsets[t + 1]):
        inherited = k >= types.offsets[t]
        m = _find(facts, types.ancestors[k] if inherited else t, word)
        while m >= 0:
            wanted = calls.offsets[m + 1] - calls.offsets[m]
            fits = wanted == args or (calls.varargs[m] and args >= wanted - 1)
            if inherited and members.flags[m] & IS_PRIVATE:
                fits = fits and not own and k == types.offsets[t]
            for c in range(count):
                fits = fits and not (inherited and _overrides(facts, candidates[c], m))
            if fits:
                if count == len(candidates):
                    return 0
                candidates[count] = m
                count += 1
            m = m + 1 if m + 1 < len(members.key) and members.key[m + 1] == members.key[m] else -1
    return count


@kernel
def _fit(
    tree: Tree, facts: Facts, types: Types, m: int, given: Any, args: int, spread: bool
) -> int:
    """Return how well a method fits its worst argument; with ``spread``, as a varargs method."""
    calls, value = facts.signatures, facts.value
    first, wanted = calls.offsets[m], calls.offsets[m + 1] - calls.offsets[m]
    fit = EXACT
    if (spread and not calls.varargs[m]) or (not spread and wanted != args):
        return NO
    for g in range(args):
        type_ = calls.parameters[first + min(g, wanted - 1)]
        if spread and g >= wanted - 1 and type_ & 255:
            type_ -= 1
        one = _accepts(facts, types, type_, value[given[g]])
        if value[given[g]] == 0 and type_ != 0:
            # A lambda or a method reference needs an interface.
            function = tree.code[given[g]] == LAMBDA or tree.code[given[g]] == REFERENCE
            if function and (
                type_ < 256 * FILE or type_ & 255 or _is_one(facts.known, type_ >> 8, 1, K_NUMBER)
            ):
                one = NO
        fit = min(fit, one)
    return fit


@kernel
def _choose(
    tree: Tree,
    facts: Facts,
    types: Types,
    t: int,
    word: int,
    arguments: int,
    own: bool,
    given: Any,
    candidates: Any,
) -> Any:
    """Return the method of a type that a call means, or -1; and how well it fits."""
    code, stop = tree.code, tree.stop
    args, at = 0, arguments + 1
    while at < stop[arguments]:
        if code[at] != PUNCTUATION and code[at] != COMMENT:
            if args < len(given):
                given[args] = at
            args += 1
        at = stop[at]
    if args > len(given):
        return -1, 0
    count = _candidates(facts, types, t, word, args, own, candidates)
    # First by fixed arity, then by variable arity (JLS 15.12.2.2 to 4).
    fixed, kept, worst, best = -1, 0, EXACT, NO
    for c in range(count):
        fit = _fit(tree, facts, types, candidates[c], given, args, False)
        if fit == EXACT:
            return candidates[c], EXACT
        if fit > NO:
            fixed = candidates[c]
            kept += 1
            worst, best = min(worst, fit), max(best, fit)
    if kept == 1 and worst >= BOXED:
        return fixed, worst
    if kept > 1 and worst >= BOXED:
        return _most_specific(tree, facts, types, given, args, candidates, count, best), worst
    spread = -1
    for c in range(count):
        if _fit(tree, facts, types, candidates[c], given, args, True) and candidates[c] != fixed:
            spread = candidates[c]
            kept += 1
    if kept != 1:
        return -1, 0
    return (fixed, worst) if fixed >= 0 else (spread, OPEN)


@kernel
def _most_specific(
    tree: Tree,
    facts: Facts,
    types: Types,
    given: Any,
    args: int,
    candidates: Any,
    count: int,
    needed: int,
) -> int:
    """Return the most specific of several applicable methods (JLS 15.12.2.5); -1 if there is none.

    All other methods must accept its parameter types.
    """
    calls = facts.signatures
    for c in range(count):
        m, better = candidates[c], True
        if _fit(tree, facts, types, m, given, args, False) < needed:
            continue
        for d in range(count):
            other = candidates[d]
            if other == m or _fit(tree, facts, types, other, given, args, False) < needed:
                continue
            for g in range(args):
                wide = calls.parameters[calls.offsets[other] + g]
                narrow = calls.parameters[calls.offsets[m] + g]
                better = better and _accepts(facts, types, wide, narrow) >= SUBTYPE
        if better:
            return int(m)
    return -1


@kernel
def _overrides(facts: Facts, near: int, far: int) -> bool:
    """Return whether the nearer method has the same parameters as the farther one.

    Where the farther one has a type variable only type arguments could decide, so both stay.
    """
    calls = facts.signatures
    length = calls.offsets[far + 1] - calls.offsets[far]
    if calls.offsets[near + 1] - calls.offsets[near] != length:
        return False
    for g in range(length):
        a = calls.parameters[calls.offsets[near] + g]
        b = calls.parameters[calls.offsets[far] + g]
        if a != b:
            return False
    return True


@kernel
def choose(tree: Tree, facts: Facts, types: Types, calls: Calls, idents: Any) -> Any:
    """Return for each call the node of the method's name, or -1."""
    found = np.full(len(calls.place), -1, np.int32)
    given, candidates = np.empty(MOST, np.int32), np.empty(MOST, np.int32)
    for c in range(len(calls.place)):
        name = idents[calls.place[c]]
        node, t = calls.node[c], calls.type[c]
        at = tree.stop[name]
        while at < tree.stop[node] and tree.code[at] != ARGUMENTS:
            at = tree.stop[at]
        w = tree.word[name]
        m, fit = _choose(tree, facts, types, t, w, at, not calls.as_super[c], given, candidates)
        if m < 0:
            continue
        # A method inherited from elsewhere may be nearer, or fit better. It rarely has the name of
        # a private one: in the whole JDK this assumption is wrong for two calls.
        private = facts.members.flags[m] & IS_PRIVATE != 0
        inherits = types.open[t] or facts.of_object[w]
        sure = fit > OPEN or not inherits
        if (private and (sure or fit == OPEN)) or (sure and not calls.crossed[c]):
            found[c] = facts.members.name[m]
    return found
