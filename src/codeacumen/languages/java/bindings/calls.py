"""Kernels that choose the method that a call means among those of the same name (JLS 15.12.2).

They compare the number of arguments and those types that are known without inference; a call for
which several methods remain stays unresolved. Other kernels compute the types of operators
(JLS 15.15 to 15.27), which occur in arguments. ``bindings/__init__.py`` defines the short names.
Called by ``bindings.names``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from codeacumen.languages.java.bindings.hierarchy import Members
from codeacumen.languages.java.bindings.members import PendingCalls
from codeacumen.languages.java.bindings.types import Signatures
from codeacumen.languages.kernel import kernel

# Codes for the kernels of operators. Those for the choice of methods follow further down.
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
def set_operator_types(code: Any, stop: Any, nodes: Any, text: int, value: Any) -> None:
    """Set the result types of the operators in ``nodes``, from the inside out.

    ``text`` is the value of the type String.
    """
    for n in range(len(nodes) - 1, -1, -1):
        node = nodes[n]
        if value[node] == 0:
            value[node] = _operator_type(code, stop, node, text, value)


@kernel
def _next_sibling(code: Any, stop: Any, node: int, end: int) -> int:
    """Return the sibling after a node, skipping comments; ``end`` if there is none.

    ``end`` is the first node after the parent's subtree.
    """
    node = stop[node]
    while node < end - 1 and code[node] == OPERATOR_COMMENT:
        node += 1
    return node


@kernel
def _operator_type(code: Any, stop: Any, node: int, text: int, value: Any) -> int:
    """Return the type of an operator's result, from the types of its operands; 0 if unknown."""
    code_of_node, left_operand, end = code[node], node + 1, stop[node]
    if end == left_operand:
        return 0
    second_child = _next_sibling(code, stop, left_operand, end)
    if code_of_node == PARENTHESES:
        return int(value[second_child]) if second_child < end else 0
    if code_of_node == INSTANCEOF or code[left_operand] == NOT:
        return BOOLEAN
    if second_child >= end:
        return 0
    if code_of_node == UNARY:  # the operator, then its operand
        return _promote_numeric(value[second_child], value[second_child])
    if code_of_node == UPDATE:  # one child is the operator, whose value is 0
        return int(max(value[left_operand], value[second_child]))
    # Of a binary operator: the left operand, the operator, the right operand. Of a conditional
    # operator: the condition, ``?``, the second operand, ``:``, the third operand.
    third_child = _next_sibling(code, stop, second_child, end)
    if third_child >= end:
        return 0
    if code_of_node == CONDITIONAL:
        last_child = _next_sibling(code, stop, _next_sibling(code, stop, third_child, end), end)
        return (
            int(value[third_child])
            if last_child < end and value[third_child] == value[last_child]
            else 0
        )
    if code[second_child] == COMPARISON:
        return BOOLEAN
    if code[second_child] == PLUS and (value[left_operand] == text or value[third_child] == text):
        return int(text)
    if code[second_child] == SHIFT:
        return _promote_numeric(value[left_operand], value[left_operand])
    if code[second_child] == BITWISE and value[left_operand] == BOOLEAN:
        return BOOLEAN
    return _promote_numeric(value[left_operand], value[third_child])


@kernel
def _promote_numeric(left: int, right: int) -> int:
    """Return the type after binary numeric promotion (JLS 5.6); 0 if an operand is not numeric."""
    if BOOLEAN < left <= DOUBLE and BOOLEAN < right <= DOUBLE and (left | right) & 255 == 0:
        return max(left, right, INT)
    return 0


# Codes for the choice of methods.
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

# Namespace and flag of members, as in hierarchy; bases of types, as in types.
METHODS = 1
IS_PRIVATE = 1
FILE, EXTRA = 16, 32
T_BOOLEAN, T_CHAR, T_NULL = 1, 4, 10
# Types known to the language: indices into ``known_types``, which names._KNOWN_TYPES defines. The
# box of the primitive type p is at K_BOXES + p. From K_SHARED to K_END (exclusive) are the common
# supertypes of String and the boxes. From K_SHARED to K_UNWRITTEN (exclusive) are the supertypes
# that enums and records have without naming them, Enum and Record included.
K_STRING, K_OBJECT, K_BOXES, K_NUMBER, K_SEQUENCE, K_CLONEABLE = 1, 3, 4, 13, 14, 15
K_SHARED, K_SERIALIZABLE, K_END, K_UNWRITTEN = 16, 16, 20, 22
# How well an argument fits a parameter, from worst to best: not at all; possibly, by a relation
# between types declared elsewhere; unknown type; by boxing; as a subtype; exactly.
NOT_APPLICABLE, MAYBE_APPLICABLE, UNKNOWN_TYPE, BOXED, SUBTYPE, EXACT = range(6)
# Maximum number of arguments and candidates. A call with more stays unresolved.
MOST_ARGUMENTS = 32


class OverloadTree(NamedTuple):
    """Columns of a syntax that these kernels read, with the codes in CODES."""

    code: Any
    stop: Any
    word: Any


class AncestorTypes(NamedTuple):
    """Ancestors of the file's types.

    ``inherits_foreign`` is true for types with an ancestor declared elsewhere.
    """

    offsets: Any
    ancestors: Any
    inherits_foreign: Any


class OverloadFacts(NamedTuple):
    """Members, their signatures, the types known to the language, and the type of each node.

    ``known_types`` holds bases of types. ``of_object`` marks the words that are methods of
    ``Object``.
    """

    members: Members
    signatures: Signatures
    known_types: Any
    of_object: Any
    words: int
    value: Any


@kernel
def _find_method(facts: OverloadFacts, t: int, word: int) -> int:
    """Return the first method of a name declared in the type itself; -1 if there is none."""
    keys = facts.members.key
    key = (3 * t + METHODS) * facts.words + word
    m = np.searchsorted(keys, key)
    return int(m) if m < len(keys) and keys[m] == key else -1


@kernel
def _rate_argument(
    facts: OverloadFacts, types: AncestorTypes, parameter: int, argument: int
) -> int:
    """Return how well an argument fits a parameter, from NOT_APPLICABLE to EXACT.

    Both are values of types, 0 if unknown.
    """
    if parameter == 0 or argument == 0:
        return UNKNOWN_TYPE
    if parameter == argument:
        return EXACT
    type_count, known_types = len(types.inherits_foreign), facts.known_types
    parameter_base, parameter_dims = parameter >> 8, parameter & 255
    argument_base, argument_dims = argument >> 8, argument & 255
    first_variable = FILE + type_count + facts.words + EXTRA
    if argument_base == T_NULL:
        return NOT_APPLICABLE if parameter_base < FILE and parameter_dims == 0 else SUBTYPE
    if parameter_dims == 0 and parameter_base < FILE:  # primitive parameter
        if argument_dims > 0:
            return NOT_APPLICABLE
        if argument_base < FILE:
            # The bases of byte to double ascend with their width; only char converts to char.
            narrower = (
                parameter_base in (T_BOOLEAN, T_CHAR)
                or argument_base == T_BOOLEAN
                or argument_base > parameter_base
            )
            return NOT_APPLICABLE if narrower else SUBTYPE
        return (
            MAYBE_APPLICABLE
            if argument_base >= first_variable or _boxed_primitive(known_types, argument_base) >= 0
            else NOT_APPLICABLE
        )
    if argument_dims == 0 and argument_base < FILE:  # primitive argument
        if parameter_dims > 0:
            return NOT_APPLICABLE
        if parameter_base >= first_variable:
            return UNKNOWN_TYPE
        if (
            parameter_base == known_types[K_OBJECT]
            or parameter_base == known_types[K_NUMBER]
            or _boxed_primitive(known_types, parameter_base) == argument_base
        ):
            return BOXED
        return BOXED if _is_any_of(known_types, parameter_base, K_SHARED, K_END) else NOT_APPLICABLE
    if parameter_dims == 0 and parameter_base == known_types[K_OBJECT]:
        return SUBTYPE
    if argument_dims != parameter_dims:
        if parameter_base >= first_variable or (
            argument_base >= first_variable and argument_dims < parameter_dims
        ):
            return UNKNOWN_TYPE
        shared = (
            parameter_base == known_types[K_OBJECT]
            or parameter_base == known_types[K_CLONEABLE]
            or parameter_base == known_types[K_SERIALIZABLE]
        )
        return SUBTYPE if argument_dims > parameter_dims and shared else NOT_APPLICABLE
    if parameter_base >= first_variable or argument_base >= first_variable:
        return UNKNOWN_TYPE
    if argument_base < FILE or parameter_base < FILE:
        return NOT_APPLICABLE
    if argument_base == known_types[K_STRING]:
        shared = parameter_base == known_types[K_SEQUENCE] or _is_any_of(
            known_types, parameter_base, K_SHARED, K_END
        )
        return SUBTYPE if shared else NOT_APPLICABLE
    # String and the boxes have no subclasses.
    if (
        parameter_base == known_types[K_STRING]
        or _boxed_primitive(known_types, parameter_base) >= 0
    ):
        return NOT_APPLICABLE
    if argument_base < FILE + type_count:
        for i in range(
            types.offsets[argument_base - FILE], types.offsets[argument_base - FILE + 1]
        ):
            if types.ancestors[i] == parameter_base - FILE:
                return SUBTYPE
        # Enums and records have implicit ancestors.
        unwritten = _is_any_of(known_types, parameter_base, K_SHARED, K_UNWRITTEN)
        return (
            MAYBE_APPLICABLE
            if types.inherits_foreign[argument_base - FILE] or unwritten
            else NOT_APPLICABLE
        )
    return MAYBE_APPLICABLE


@kernel
def _is_any_of(known_types: Any, base: int, first: int, end: int) -> bool:
    """Return whether a base is one of the known types from ``first`` to ``end`` (exclusive)."""
    return bool(np.any(known_types[first:end] == base))


@kernel
def _boxed_primitive(known_types: Any, base: int) -> int:
    """Return the primitive type that a type boxes; -1 if it is no box."""
    for primitive in range(1, 9):
        if known_types[K_BOXES + primitive] == base:
            return primitive
    return -1


@kernel
def _collect_candidates(
    facts: OverloadFacts,
    types: AncestorTypes,
    t: int,
    word: int,
    argument_count: int,
    with_own: bool,
    candidates: Any,
) -> int:
    """Collect the methods of a type that accept a number of arguments, without overridden ones.

    Returns their number; 0 where there are more than fit into ``candidates``. Without ``with_own``
    the search begins at the superclass, as for a call through ``super``.
    """
    members, signatures = facts.members, facts.signatures
    count = 0
    # k < offsets[t] stands for the type itself, which comes before its ancestors.
    for k in range(types.offsets[t] - with_own, types.offsets[t + 1]):
        inherited = k >= types.offsets[t]
        m = _find_method(facts, types.ancestors[k] if inherited else t, word)
        while m >= 0:
            parameter_count = signatures.offsets[m + 1] - signatures.offsets[m]
            fits = parameter_count == argument_count or (
                signatures.varargs[m] and argument_count >= parameter_count - 1
            )
            if inherited and members.flags[m] & IS_PRIVATE:
                fits = fits and not with_own and k == types.offsets[t]
            for c in range(count):
                fits = fits and not (inherited and _has_same_parameters(facts, candidates[c], m))
            if fits:
                if count == len(candidates):
                    return 0
                candidates[count] = m
                count += 1
            m = m + 1 if m + 1 < len(members.key) and members.key[m + 1] == members.key[m] else -1
    return count


@kernel
def _rate_method(
    tree: OverloadTree,
    facts: OverloadFacts,
    types: AncestorTypes,
    m: int,
    argument_nodes: Any,
    argument_count: int,
    spread: bool,
) -> int:
    """Return how well the argument that fits worst fits its parameter.

    With ``spread``, the last parameter takes any number of arguments, as in JLS 15.12.2.4.
    """
    signatures, value = facts.signatures, facts.value
    first, parameter_count = (
        signatures.offsets[m],
        signatures.offsets[m + 1] - signatures.offsets[m],
    )
    worst = EXACT
    if (spread and not signatures.varargs[m]) or (not spread and parameter_count != argument_count):
        return NOT_APPLICABLE
    for i in range(argument_count):
        type_ = signatures.parameters[first + min(i, parameter_count - 1)]
        if spread and i >= parameter_count - 1 and type_ & 255:
            type_ -= 1  # the array's elements
        rating = _rate_argument(facts, types, type_, value[argument_nodes[i]])
        if value[argument_nodes[i]] == 0 and type_ != 0:
            # A lambda or a method reference needs an interface.
            function = (
                tree.code[argument_nodes[i]] == LAMBDA or tree.code[argument_nodes[i]] == REFERENCE
            )
            if function and (
                type_ < 256 * FILE
                or type_ & 255
                or _is_any_of(facts.known_types, type_ >> 8, 1, K_NUMBER)
            ):
                rating = NOT_APPLICABLE
        worst = min(worst, rating)
    return worst


@kernel
def _choose_method(
    tree: OverloadTree,
    facts: OverloadFacts,
    types: AncestorTypes,
    t: int,
    word: int,
    arguments: int,
    with_own: bool,
    argument_nodes: Any,
    candidates: Any,
) -> Any:
    """Return the method of a type that a call means, or -1; and how well it fits.

    The second value is one of the constants from NOT_APPLICABLE to EXACT.
    ``arguments`` is the node of the argument list. ``argument_nodes`` and ``candidates`` are
    buffers that the function overwrites.
    """
    code, stop = tree.code, tree.stop
    argument_count, node = 0, arguments + 1
    while node < stop[arguments]:
        if code[node] != PUNCTUATION and code[node] != COMMENT:
            if argument_count < len(argument_nodes):
                argument_nodes[argument_count] = node
            argument_count += 1
        node = stop[node]
    if argument_count > len(argument_nodes):
        return -1, 0
    count = _collect_candidates(facts, types, t, word, argument_count, with_own, candidates)
    # First by fixed arity, then by variable arity (JLS 15.12.2.2 to 4).
    fixed_arity, applicable, worst, best = -1, 0, EXACT, NOT_APPLICABLE
    for c in range(count):
        fit = _rate_method(tree, facts, types, candidates[c], argument_nodes, argument_count, False)
        if fit == EXACT:
            return candidates[c], EXACT
        if fit > NOT_APPLICABLE:
            fixed_arity = candidates[c]
            applicable += 1
            worst, best = min(worst, fit), max(best, fit)
    if applicable == 1 and worst >= BOXED:
        return fixed_arity, worst
    if applicable > 1 and worst >= BOXED:
        return _find_most_specific(
            tree, facts, types, argument_nodes, argument_count, candidates, count, best
        ), worst
    variable_arity = -1
    for c in range(count):
        if (
            _rate_method(tree, facts, types, candidates[c], argument_nodes, argument_count, True)
            and candidates[c] != fixed_arity
        ):
            variable_arity = candidates[c]
            applicable += 1
    if applicable != 1:
        return -1, 0
    return (fixed_arity, worst) if fixed_arity >= 0 else (variable_arity, UNKNOWN_TYPE)


@kernel
def _find_most_specific(
    tree: OverloadTree,
    facts: OverloadFacts,
    types: AncestorTypes,
    argument_nodes: Any,
    argument_count: int,
    candidates: Any,
    count: int,
    needed_rating: int,
) -> int:
    """Return the most specific of several applicable methods (JLS 15.12.2.5); -1 if there is none.

    All other methods must accept its parameter types. Methods that fit worse than
    ``needed_rating`` do not take part.
    """
    signatures = facts.signatures
    for c in range(count):
        m, better = candidates[c], True
        if (
            _rate_method(tree, facts, types, m, argument_nodes, argument_count, False)
            < needed_rating
        ):
            continue
        for d in range(count):
            other = candidates[d]
            if (
                other == m
                or _rate_method(tree, facts, types, other, argument_nodes, argument_count, False)
                < needed_rating
            ):
                continue
            for i in range(argument_count):
                wide = signatures.parameters[signatures.offsets[other] + i]
                narrow = signatures.parameters[signatures.offsets[m] + i]
                better = better and _rate_argument(facts, types, wide, narrow) >= SUBTYPE
        if better:
            return int(m)
    return -1


@kernel
def _has_same_parameters(facts: OverloadFacts, near: int, far: int) -> bool:
    """Return whether the nearer method has the same parameters as the farther one.

    Where the farther one has a type variable, only type arguments could decide; the result is then
    false, so both methods stay candidates.
    """
    signatures = facts.signatures
    length = signatures.offsets[far + 1] - signatures.offsets[far]
    if signatures.offsets[near + 1] - signatures.offsets[near] != length:
        return False
    for i in range(length):
        near_type = signatures.parameters[signatures.offsets[near] + i]
        far_type = signatures.parameters[signatures.offsets[far] + i]
        if near_type != far_type:
            return False
    return True


@kernel
def choose_methods(
    tree: OverloadTree, facts: OverloadFacts, types: AncestorTypes, calls: PendingCalls, idents: Any
) -> Any:
    """Return for each pending call the name node of the method's declaration, or -1 if unsure."""
    chosen = np.full(len(calls.name_index), -1, np.int32)
    argument_nodes, candidates = (
        np.empty(MOST_ARGUMENTS, np.int32),
        np.empty(MOST_ARGUMENTS, np.int32),
    )
    for c in range(len(calls.name_index)):
        name = idents[calls.name_index[c]]
        node, t = calls.node[c], calls.type[c]
        arguments = tree.stop[name]
        while arguments < tree.stop[node] and tree.code[arguments] != ARGUMENTS:
            arguments = tree.stop[arguments]
        w = tree.word[name]
        m, fit = _choose_method(
            tree, facts, types, t, w, arguments, not calls.as_super[c], argument_nodes, candidates
        )
        if m < 0:
            continue
        # A method inherited from elsewhere may be nearer, or fit better. It rarely has the name of
        # a private one: in the whole JDK this assumption is wrong for two calls.
        is_private = facts.members.flags[m] & IS_PRIVATE != 0
        may_inherit = types.inherits_foreign[t] or facts.of_object[w]
        is_sure = fit > UNKNOWN_TYPE or not may_inherit
        if (is_private and (is_sure or fit == UNKNOWN_TYPE)) or (is_sure and not calls.crossed[c]):
            chosen[c] = facts.members.name[m]
    return chosen
