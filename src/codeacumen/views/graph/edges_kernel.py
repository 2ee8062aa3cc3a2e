"""Compiled loops of the graph view: edges that depend on syntax alone, and numbers of nodes.

``edges`` calls them. The arrays ``code``, ``field``, ``stop`` and ``parent`` have an item for each
syntax node; ``code`` and ``field`` hold the codes of this file, except in ``find_own_names``, where
``field`` and ``name`` are numbers of the grammar.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

# Codes of the syntax kinds that these edges depend on; 0 for all others.
(
    _,
    PAREN,
    ARRAY_ACCESS,
    FIELD_ACCESS,
    ASSIGNMENT,
    DECLARATOR,
    FOREACH,
    IF,
    LOOP,
    METHOD,
    LAMBDA,
    RETURN,
    CREATION,
    CLASS_BODY,
    OPENING,
    COMMENT,
) = range(16)
CODES = {
    "parenthesized_expression": PAREN,
    "array_access": ARRAY_ACCESS,
    "field_access": FIELD_ACCESS,
    "assignment_expression": ASSIGNMENT,
    "variable_declarator": DECLARATOR,
    "resource": DECLARATOR,
    "enhanced_for_statement": FOREACH,
    "if_statement": IF,
    "while_statement": LOOP,
    "for_statement": LOOP,
    "method_declaration": METHOD,
    "constructor_declaration": METHOD,
    "compact_constructor_declaration": METHOD,
    "lambda_expression": LAMBDA,
    "return_statement": RETURN,
    "object_creation_expression": CREATION,
    "class_body": CLASS_BODY,
    "(": OPENING,
    "line_comment": COMMENT,
    "block_comment": COMMENT,
}
# Codes of the fields that these edges depend on; 0 for all others.
(
    _,
    IN_LEFT,
    IN_RIGHT,
    IN_NAME,
    IN_VALUE,
    IN_CONDITION,
    IN_CONSEQUENCE,
    IN_ALTERNATIVE,
    IN_BODY,
    IN_UPDATE,
) = range(10)
FIELDS = {
    "left": IN_LEFT,
    "right": IN_RIGHT,
    "name": IN_NAME,
    "value": IN_VALUE,
    "condition": IN_CONDITION,
    "consequence": IN_CONSEQUENCE,
    "alternative": IN_ALTERNATIVE,
    "body": IN_BODY,
    "update": IN_UPDATE,
}
# Kinds of edges; the package describes them.
LU, LW, CF, LL, RT, FA, GB, GN, KINDS = range(9)
# An occurrence has edges to at most this many assignments or guards around it, innermost first.
DEEP = 64
# The three stacks of constructs around a node are ``sources`` (right sides of assignments and
# declarations), ``guards`` (branches and loop bodies with their condition; see ``_push_guards``)
# and ``bodies`` (methods and lambdas). Columns: end of the construct; its node in the edges (the
# variable written, -1 in an anonymous class; the condition; the method or lambda); and only for
# guards the next outer guard of the same variable and sign, -1 if there is none, and 2 * variable +
# sign, where the sign is 1 for a condition that has been false.
STOPS, NODE, BEFORE, SYMBOL, WIDTH = range(5)
# Counters: rows, and the heights of the three stacks.
ROWS, SOURCES, GUARDS, BODIES = range(4)


@kernel
def _find_child(field: Any, stop: Any, node: int, field_code: int) -> int:
    """Return the first child in a field, or -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if field[at] == field_code:
            return int(at)
        at = stop[at]
    return -1


@kernel
def _first_inner(code: Any, stop: Any, node: int) -> int:
    """Return the first child that is neither a parenthesis nor a comment, or -1."""
    at = node + 1
    while at < stop[node] and code[at] in (OPENING, COMMENT):
        at = stop[at]
    return int(at) if at < stop[node] else -1


@kernel
def _push_guards(
    counters: Any,
    guards: Any,
    heads: Any,
    symbol: Any,
    stop: Any,
    condition: int,
    node: int,
    kind: int,
) -> None:
    """Push a guard for each variable of a condition; it applies inside ``node``.

    ``kind`` is 0 if the condition has been true there, 1 if it has been false."""
    for at in range(condition, stop[condition]):
        variable = symbol[at]
        if variable < 0:
            continue
        outer_guard = heads[variable, kind]
        if outer_guard >= 0 and guards[outer_guard, NODE] == condition:
            continue
        height = counters[GUARDS]
        guards[height, STOPS], guards[height, NODE] = stop[node], condition
        guards[height, BEFORE], guards[height, SYMBOL] = outer_guard, 2 * variable + kind
        heads[variable, kind] = height
        counters[GUARDS] = height + 1


@kernel
def _add_edge(counters: Any, rows: Any, kind: int, source: int, target: int) -> None:
    """Append an edge; beyond the capacity only count it."""
    at = counters[ROWS]
    if at < len(rows):
        rows[at, 0], rows[at, 1], rows[at, 2] = kind, source, target
    counters[ROWS] = at + 1


@kernel
def _assigned_variable(code: Any, field: Any, stop: Any, node: int) -> int:
    """Return the name of the variable that an assignment or declaration writes, or -1.

    The variable of ``a[i] = x`` and ``a.b = x`` is ``a``."""
    at = _find_child(field, stop, node, IN_LEFT if code[node] == ASSIGNMENT else IN_NAME)
    while at >= 0 and PAREN <= code[at] <= FIELD_ACCESS:  # these three have consecutive codes
        at = _first_inner(code, stop, at)
    return at


@kernel
def _pop_ended(counters: Any, sources: Any, guards: Any, bodies: Any, heads: Any, at: int) -> None:
    """Pop all constructs that end at or before the start of a node."""
    while counters[SOURCES] > 0 and sources[counters[SOURCES] - 1, STOPS] <= at:
        counters[SOURCES] -= 1
    while counters[BODIES] > 0 and bodies[counters[BODIES] - 1, STOPS] <= at:
        counters[BODIES] -= 1
    while counters[GUARDS] > 0 and guards[counters[GUARDS] - 1, STOPS] <= at:
        counters[GUARDS] -= 1
        signed_variable = guards[counters[GUARDS], SYMBOL]
        heads[signed_variable // 2, signed_variable % 2] = guards[counters[GUARDS], BEFORE]


@kernel
def find_syntactic_edges(
    code: Any,
    field: Any,
    stop: Any,
    parent: Any,
    symbol: Any,
    declared: Any,
    symbols: int,
    roots: Any,
    capacity: int,
) -> Any:
    """Return rows (kind, source, target) between syntax nodes, and whether they fit the capacity.

    ``symbol`` is the number of the variable that a node names, below ``symbols``, or -1 at nodes
    that name none; ``declared`` marks names at their declaration; ``roots`` are methods that do not
    contain each other. A guard's edge leads to the condition, an edge of RT to the method or
    lambda."""
    counters = np.zeros(4, dtype=np.int64)
    rows = np.empty((capacity, 3), dtype=np.int64)
    deepest = 1
    for root in roots:
        deepest = max(deepest, stop[root] - root)
    sources = np.empty((deepest + 1, 2), dtype=np.int64)
    bodies = np.empty((deepest + 1, 2), dtype=np.int64)
    guards = np.empty((3 * deepest + 1, WIDTH), dtype=np.int64)
    # For each variable the top guard of each sign, and the node of its last occurrence.
    heads = np.full((symbols, 2), -1, dtype=np.int64)
    last = np.full(symbols, -1, dtype=np.int64)
    for root in roots:
        for at in range(root, stop[root]):
            _pop_ended(counters, sources, guards, bodies, heads, at)
            kind, node_field, parent_code = code[at], field[at], code[parent[at]]
            if kind in (METHOD, LAMBDA):
                bodies[counters[BODIES], STOPS], bodies[counters[BODIES], NODE] = stop[at], at
                counters[BODIES] += 1
            elif kind == RETURN and counters[BODIES] > 0:
                # The node after that of the statement is the keyword, a token.
                _add_edge(counters, rows, RT, at + 1, bodies[counters[BODIES] - 1, NODE])
            elif kind == CLASS_BODY and parent_code == CREATION:
                # A variable is not computed from the body of an anonymous class.
                sources[counters[SOURCES], STOPS], sources[counters[SOURCES], NODE] = stop[at], -1
                counters[SOURCES] += 1
            if parent_code in (IF, LOOP):
                negated = node_field == IN_ALTERNATIVE
                if negated or node_field in (IN_CONSEQUENCE, IN_BODY, IN_UPDATE):
                    guard = _find_child(field, stop, parent[at], IN_CONDITION)
                    while guard >= 0 and code[guard] == PAREN:
                        guard = _first_inner(code, stop, guard)
                    if guard >= 0:
                        _push_guards(
                            counters, guards, heads, symbol, stop, guard, at, 1 if negated else 0
                        )
            elif (node_field == IN_RIGHT and parent_code == ASSIGNMENT) or (
                node_field == IN_VALUE and parent_code in (DECLARATOR, FOREACH)
            ):
                named = _assigned_variable(code, field, stop, parent[at])
                if named >= 0 and symbol[named] >= 0:
                    sources[counters[SOURCES], STOPS], sources[counters[SOURCES], NODE] = (
                        stop[at],
                        named,
                    )
                    counters[SOURCES] += 1
            variable = symbol[at]
            if variable < 0:
                continue
            if last[variable] >= root:  # else the last occurrence is in an earlier root
                _add_edge(counters, rows, LL, at, last[variable])
            last[variable] = at
            if declared[at]:
                continue
            for back in range(counters[SOURCES] - 1, max(counters[SOURCES] - 1 - DEEP, -1), -1):
                if sources[back, NODE] < 0:
                    break
                _add_edge(counters, rows, CF, sources[back, NODE], at)
            for negated in range(2):
                entry, remaining = heads[variable, negated], DEEP
                while entry >= 0 and remaining > 0:
                    _add_edge(counters, rows, GB + negated, at, guards[entry, NODE])
                    entry, remaining = guards[entry, BEFORE], remaining - 1
        _pop_ended(counters, sources, guards, bodies, heads, stop[root])
    return rows[: min(counters[ROWS], capacity)].copy(), counters[ROWS] <= capacity


@kernel
def _first_with_source(rows: Any, low: int, high: int, source: int) -> int:
    """Return the first of the rows low to high, sorted by source, with at least that source."""
    while low < high:
        middle = (low + high) // 2
        if rows[middle, 1] < source:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def number_edges(
    rows: Any,
    kinds: int,
    nodes: Any,
    stop: Any,
    token: Any,
    element: Any,
    first: Any,
    sizes: Any,
    from_tree: Any,
    to_tree: Any,
    capacity: int,
) -> Any:
    """Return sources and targets by kind and method, their offsets, and whether they fit.

    ``rows`` are distinct edges, sorted by kind, source and target. ``token`` maps a syntax node to
    its token and ``element`` to its element in all trees (both -1 if it has none); ``first`` is a
    method's first token and ``sizes`` the size of its tree. A nested method's tree is a part of the
    outer method's tree, so its elements count from its own root."""
    flat = np.empty((capacity, 2), dtype=np.int32)
    offsets = np.zeros(kinds * len(nodes) + 1, dtype=np.int64)
    count, low = 0, 0
    for kind in range(kinds):
        high = low
        while high < len(rows) and rows[high, 0] == kind:
            high += 1
        for method in range(len(nodes)):
            begin, end = nodes[method], stop[nodes[method]]
            # Tokens are numbered after the tree: token t of the file becomes t + after.
            after = sizes[method] - first[method]
            row = _first_with_source(rows, low, high, begin)
            while row < high and rows[row, 1] < end:
                source, target = rows[row, 1], rows[row, 2]
                row += 1
                if not begin <= target < end:
                    continue
                if from_tree[kind]:
                    left = element[source] - element[begin] if element[source] >= 0 else -1
                else:
                    left = token[source] + after if token[source] >= 0 else -1
                if to_tree[kind]:
                    right = element[target] - element[begin] if element[target] >= 0 else -1
                else:
                    right = token[target] + after if token[target] >= 0 else -1
                if left < 0 or right < 0:
                    continue
                if count < capacity:
                    flat[count, 0], flat[count, 1] = left, right
                count += 1
            offsets[kind * len(nodes) + method + 1] = count
        low = high
    return flat[: min(count, capacity)].copy(), offsets, count <= capacity


@kernel
def find_own_names(
    nodes: Any, field: Any, stop: Any, word: Any, called: Any, token: Any, first: Any, name: int
) -> Any:
    """Return the tokens, numbered from 0 in each method, that spell its name, and their offsets.

    The declaration comes first, then those of ``called``, the nodes that name a method, with the
    same word."""
    tokens = np.empty(len(nodes) + len(called), dtype=np.int32)
    offsets = np.zeros(len(nodes) + 1, dtype=np.int64)
    count = 0
    for method in range(len(nodes)):
        node = nodes[method]
        own = node + 1
        while own < stop[node] and field[own] != name:
            own = stop[own]
        if own < stop[node] and token[own] >= 0:
            at = np.searchsorted(called, node)
            upper = count + 1 + np.searchsorted(called, stop[node]) - at
            if upper > len(tokens):
                tokens = np.concatenate((tokens, np.empty(upper + len(tokens), dtype=np.int32)))
            tokens[count] = token[own] - first[method]
            count += 1
            while at < len(called) and called[at] < stop[node]:
                is_same_name = called[at] != own and word[called[at]] == word[own]
                if is_same_name and token[called[at]] >= 0:
                    tokens[count] = token[called[at]] - first[method]
                    count += 1
                at += 1
        offsets[method + 1] = count
    return tokens[:count].copy(), offsets
