"""Compiled loops of the graph view: edges that depend on syntax alone, and numbers of nodes."""

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
# Kinds of edges.
LU, LW, CF, LL, RT, FA, GB, GN, KINDS = range(9)
# An occurrence has edges to at most this many assignments or guards around it, innermost first.
DEEP = 64
# Columns of a stack of constructs around a node: end of the construct, target of the edges, and
# for a guard the next outer guard of the same variable, and the variable with the guard's sign.
STOPS, NODE, BEFORE, SYMBOL, WIDTH = range(5)
# Counters: rows, and the heights of the three stacks.
ROWS, SOURCES, GUARDS, BODIES = range(4)


@kernel
def _child(field: Any, stop: Any, node: int, wanted: int) -> int:
    """Return the first child in a field, or -1 if there is none."""
    at = node + 1
    while at < stop[node]:
        if field[at] == wanted:
            return int(at)
        at = stop[at]
    return -1


@kernel
def _inside(code: Any, stop: Any, node: int) -> int:
    """Return the first child that is neither a parenthesis nor a comment, or -1."""
    at = node + 1
    while at < stop[node] and code[at] in (OPENING, COMMENT):
        at = stop[at]
    return int(at) if at < stop[node] else -1


@kernel
def _guards(
    n: Any, open_: Any, heads: Any, symbol: Any, stop: Any, guard: int, node: int, kind: int
) -> None:
    """Push a guard for each of its variables; it applies inside ``node``."""
    for at in range(guard, stop[guard]):
        what = symbol[at]
        if what < 0:
            continue
        last = heads[what, kind]
        if last >= 0 and open_[last, NODE] == guard:
            continue
        here = n[GUARDS]
        open_[here, STOPS], open_[here, NODE] = stop[node], guard
        open_[here, BEFORE], open_[here, SYMBOL] = last, 2 * what + kind
        heads[what, kind] = here
        n[GUARDS] = here + 1


@kernel
def _add(n: Any, rows: Any, kind: int, source: int, target: int) -> None:
    """Append an edge; beyond the capacity only count it."""
    at = n[ROWS]
    if at < len(rows):
        rows[at, 0], rows[at, 1], rows[at, 2] = kind, source, target
    n[ROWS] = at + 1


@kernel
def _assigned(code: Any, field: Any, stop: Any, node: int) -> int:
    """Return the name of the variable that an assignment or declaration writes, or -1.

    The variable of ``a[i] = x`` and ``a.b = x`` is ``a``."""
    at = _child(field, stop, node, IN_LEFT if code[node] == ASSIGNMENT else IN_NAME)
    while at >= 0 and PAREN <= code[at] <= FIELD_ACCESS:
        at = _inside(code, stop, at)
    return at


@kernel
def _leave(n: Any, sources: Any, guards: Any, bodies: Any, heads: Any, at: int) -> None:
    """Pop all constructs that end before a node."""
    while n[SOURCES] > 0 and sources[n[SOURCES] - 1, STOPS] <= at:
        n[SOURCES] -= 1
    while n[BODIES] > 0 and bodies[n[BODIES] - 1, STOPS] <= at:
        n[BODIES] -= 1
    while n[GUARDS] > 0 and guards[n[GUARDS] - 1, STOPS] <= at:
        n[GUARDS] -= 1
        of = guards[n[GUARDS], SYMBOL]
        heads[of // 2, of % 2] = guards[n[GUARDS], BEFORE]


@kernel
def syntactic(
    code: Any,
    field: Any,
    stop: Any,
    parent: Any,
    symbol: Any,
    declared: Any,
    symbols: int,
    roots: Any,
    room: int,
) -> Any:
    """Return rows (kind, source, target) between syntax nodes, and whether they fit the capacity.

    ``symbol`` is -1 at nodes that name no variable; ``declared`` marks names at their declaration;
    ``roots`` are methods that do not contain each other. A guard's edge leads to the condition,
    an edge of RT to the method or lambda."""
    n = np.zeros(4, dtype=np.int64)
    rows = np.empty((room, 3), dtype=np.int64)
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
            _leave(n, sources, guards, bodies, heads, at)
            kind, place, over = code[at], field[at], code[parent[at]]
            if kind in (METHOD, LAMBDA):
                bodies[n[BODIES], STOPS], bodies[n[BODIES], NODE] = stop[at], at
                n[BODIES] += 1
            elif kind == RETURN and n[BODIES] > 0:
                _add(n, rows, RT, at + 1, bodies[n[BODIES] - 1, NODE])
            elif kind == CLASS_BODY and over == CREATION:
                # A variable is not computed from the body of an anonymous class.
                sources[n[SOURCES], STOPS], sources[n[SOURCES], NODE] = stop[at], -1
                n[SOURCES] += 1
            if over in (IF, LOOP):
                negated = place == IN_ALTERNATIVE
                if negated or place in (IN_CONSEQUENCE, IN_BODY, IN_UPDATE):
                    guard = _child(field, stop, parent[at], IN_CONDITION)
                    while guard >= 0 and code[guard] == PAREN:
                        guard = _inside(code, stop, guard)
                    if guard >= 0:
                        _guards(n, guards, heads, symbol, stop, guard, at, 1 if negated else 0)
            elif (place == IN_RIGHT and over == ASSIGNMENT) or (
                place == IN_VALUE and over in (DECLARATOR, FOREACH)
            ):
                named = _assigned(code, field, stop, parent[at])
                if named >= 0 and symbol[named] >= 0:
                    sources[n[SOURCES], STOPS], sources[n[SOURCES], NODE] = stop[at], named
                    n[SOURCES] += 1
            what = symbol[at]
            if what < 0:
                continue
            if last[what] >= root:
                _add(n, rows, LL, at, last[what])
            last[what] = at
            if declared[at]:
                continue
            for back in range(n[SOURCES] - 1, max(n[SOURCES] - 1 - DEEP, -1), -1):
                if sources[back, NODE] < 0:
                    break
                _add(n, rows, CF, sources[back, NODE], at)
            for negated in range(2):
                entry, left = heads[what, negated], DEEP
                while entry >= 0 and left > 0:
                    _add(n, rows, GB + negated, at, guards[entry, NODE])
                    entry, left = guards[entry, BEFORE], left - 1
        _leave(n, sources, guards, bodies, heads, stop[root])
    return rows[: min(n[ROWS], room)].copy(), n[ROWS] <= room


@kernel
def _first(rows: Any, low: int, high: int, source: int) -> int:
    """Return the first of the rows low to high, sorted by source, with at least that source."""
    while low < high:
        middle = (low + high) // 2
        if rows[middle, 1] < source:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def number(
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
    room: int,
) -> Any:
    """Return sources and targets by kind and method, their offsets, and whether they fit.

    ``rows`` are distinct edges, sorted by kind, source and target. ``token`` maps a syntax node to
    its token and ``element`` to its element in all trees; ``first`` is a method's first token and
    ``sizes`` the size of its tree. A nested method's tree is a part of the outer method's tree,
    so its elements count from its own root."""
    flat = np.empty((room, 2), dtype=np.int32)
    offsets = np.zeros(kinds * len(nodes) + 1, dtype=np.int64)
    count, low = 0, 0
    for kind in range(kinds):
        high = low
        while high < len(rows) and rows[high, 0] == kind:
            high += 1
        for method in range(len(nodes)):
            begin, end = nodes[method], stop[nodes[method]]
            after = sizes[method] - first[method]
            at = _first(rows, low, high, begin)
            while at < high and rows[at, 1] < end:
                source, target = rows[at, 1], rows[at, 2]
                at += 1
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
                if count < room:
                    flat[count, 0], flat[count, 1] = left, right
                count += 1
            offsets[kind * len(nodes) + method + 1] = count
        low = high
    return flat[: min(count, room)].copy(), offsets, count <= room


@kernel
def own_names(
    nodes: Any, field: Any, stop: Any, word: Any, called: Any, token: Any, first: Any, name: int
) -> Any:
    """Return the tokens, numbered from 0 in each method, that spell its name, and their offsets.

    The declaration comes first, then those of ``called``, the nodes that name a method, with the
    same word."""
    found = np.empty(len(nodes) + len(called), dtype=np.int32)
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
            if upper > len(found):
                found = np.concatenate((found, np.empty(upper + len(found), dtype=np.int32)))
            found[count] = token[own] - first[method]
            count += 1
            while at < len(called) and called[at] < stop[node]:
                same = called[at] != own and word[called[at]] == word[own]
                if same and token[called[at]] >= 0:
                    found[count] = token[called[at]] - first[method]
                    count += 1
                at += 1
        offsets[method + 1] = count
    return found[:count].copy(), offsets
