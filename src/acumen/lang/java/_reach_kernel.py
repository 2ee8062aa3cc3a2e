"""What may come last before a point: the search behind last use, last write and reaching
definitions.

At each point a variable may be asked for, and an answer may be given, which hides earlier ones.
Inside a basic block that is one scan. Between blocks each variable is solved for itself, on the
blocks one meets going backwards from where it is asked for until it is answered: strongly
connected components are found as in Tarjan's algorithm, and all blocks of one share one set of
answers. So a straight line costs its length, whatever its variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel

ASKS, ANSWERS = 1, 2
# Instead of a point: nothing before, back to where the body begins.
NOTHING_BEFORE = -1
# Counters of the output and the working store.
PAIRS, POOL, SETS, FULL, STEPS, BUDGET, COUNTERS = range(7)


@kernel
def _blocks(low: int, high: int, offsets: Any, target: Any, block: Any, work: Any) -> int:
    """Numbers the basic blocks of the points ``[low, high)``; offsets and sources of the edges
    into each block go to ``work``."""
    entering, sources = work[0], work[1]
    entering[: high - low + 1] = 0
    for at in range(low, high):
        for edge in range(offsets[at], offsets[at + 1]):
            entering[target[edge] - low] += 1
    count = 0
    for at in range(low, high):
        if at > low:
            only = offsets[at] - offsets[at - 1] == 1 and target[offsets[at - 1]] == at
            if not only or entering[at - low] != 1:
                count += 1
        block[at] = count
    count += 1
    entering[: count + 1] = 0
    for at in range(low, high):
        if at + 1 == high or block[at + 1] != block[at]:
            for edge in range(offsets[at], offsets[at + 1]):
                entering[block[target[edge]] + 1] += 1
    for at in range(count):
        entering[at + 1] += entering[at]
    filled = work[2]
    filled[:count] = entering[:count]
    for at in range(low, high):
        if at + 1 == high or block[at + 1] != block[at]:
            for edge in range(offsets[at], offsets[at + 1]):
                into = block[target[edge]]
                sources[filled[into]] = block[at]
                filled[into] += 1
    return count


@kernel
def _pair(n: Any, pairs: Any, point: int, answer: int) -> None:
    at = n[PAIRS]
    if at >= len(pairs):
        n[FULL] = 1
        return
    pairs[at, 0] = point
    pairs[at, 1] = answer
    n[PAIRS] = at + 1


@kernel
def _gather(n: Any, pool: Any, sets: Any, seen: Any, answer: int) -> None:
    """One more answer for the newest set."""
    if seen[answer + 1] != n[SETS]:
        seen[answer + 1] = n[SETS]
        if n[POOL] >= len(pool):
            n[FULL] = 1
        else:
            pool[n[POOL]] = answer
            n[POOL] += 1


@kernel
def _close(n: Any, stack: Any, base: int, top: int, stamp: int, work: Any, store: Any) -> None:
    """The set of a component, which is the blocks ``stack[base:top]``: what its entering edges
    bring. If all of them bring one known set, it is that one."""
    entering, sources, answered, answer, set_of = work[0], work[1], work[3], work[4], work[5]
    pool, sets, seen = store
    only, single = -1, True
    for at in range(base, top):
        block = stack[at]
        single = single and block != 0
        for edge in range(entering[block], entering[block + 1]):
            other = sources[edge]
            if answered[other] == stamp:
                single = False
            elif set_of[other] >= 0:
                single = single and only in (-1, set_of[other])
                only = set_of[other]
    if not single or only < 0:
        n[SETS] += 1
        if n[SETS] + 1 >= len(sets):
            n[FULL] = 1
            n[SETS] -= 1
        sets[n[SETS]] = n[POOL]
        for at in range(base, top):
            block = stack[at]
            if block == 0:
                _gather(n, pool, sets, seen, NOTHING_BEFORE)
            for edge in range(entering[block], entering[block + 1]):
                other = sources[edge]
                n[STEPS] += 1
                if answered[other] == stamp:
                    _gather(n, pool, sets, seen, answer[other])
                elif set_of[other] >= 0:
                    for one in range(sets[set_of[other]], sets[set_of[other] + 1]):
                        n[STEPS] += 1
                        _gather(n, pool, sets, seen, pool[one])
        only = n[SETS]
        sets[only + 1] = n[POOL]
    for at in range(base, top):
        set_of[stack[at]] = only


@kernel
def _solve(n: Any, start: int, stamp: int, work: Any, store: Any) -> None:
    """Sets of answers of a block and of all that it needs, components first."""
    entering, sources, answered, set_of = work[0], work[1], work[3], work[5]
    reached, index, lowest, stack, path, edge_of = work[6:12]
    reached[start], set_of[start], index[start], lowest[start] = stamp, -1, 0, 0
    stack[0], path[0], edge_of[0] = start, start, entering[start]
    count, top, depth = 1, 1, 1
    while depth > 0:
        block = path[depth - 1]
        edge = edge_of[depth - 1]
        if edge < entering[block + 1]:
            n[STEPS] += 1
            edge_of[depth - 1] = edge + 1
            other = sources[edge]
            if answered[other] == stamp:
                continue
            if reached[other] != stamp:
                reached[other], set_of[other] = stamp, -1
                index[other], lowest[other] = count, count
                stack[top], path[depth], edge_of[depth] = other, other, entering[other]
                count, top, depth = count + 1, top + 1, depth + 1
            elif set_of[other] < 0:
                lowest[block] = min(lowest[block], index[other])
            continue
        depth -= 1
        if depth > 0:
            lowest[path[depth - 1]] = min(lowest[path[depth - 1]], lowest[block])
        if lowest[block] == index[block]:
            base = top - 1
            while stack[base] != block:
                base -= 1
            _close(n, stack, base, top, stamp, work, store)
            top = base


@kernel
def _answer(n: Any, pairs: Any, points: Any, block: Any, lists: Any, work: Any, store: Any) -> None:
    """The points of one variable that ask before anything in their block answers."""
    asks, asks_next, gives, gives_next, variables, first_ask, first_give = lists
    answered, answer, set_of, reached = work[3], work[4], work[5], work[6]
    pool, sets, _ = store
    for place in range(points):
        variable = variables[place]
        stamp = n[SETS] = n[SETS] + 1
        # Stamps are numbers of sets, so none is used twice; this one stays empty.
        if n[SETS] + 1 >= len(sets):
            n[FULL] = 1
        if n[FULL] or n[STEPS] > n[BUDGET]:
            return
        sets[stamp] = sets[stamp + 1] = n[POOL]
        at = first_give[variable]
        while at >= 0:
            where = block[gives[at]]
            if answered[where] != stamp:
                answered[where] = stamp
                answer[where] = gives[at]
            at = gives_next[at]
        at = first_ask[variable]
        while at >= 0:
            where = block[asks[at]]
            if reached[where] != stamp:
                _solve(n, where, stamp, work, store)
            for one in range(sets[set_of[where]], sets[set_of[where] + 1]):
                _pair(n, pairs, asks[at], pool[one])
            at = asks_next[at]


@kernel
def reach(
    variable: Any, does: Any, first: Any, offsets: Any, target: Any,
    variables: int, room: int, budget: int,
) -> Any:  # fmt: skip
    """Pairs of a point that asks and a point whose answer may be the last one before it, or
    NOTHING_BEFORE; none for the rest of a body that costs more than its budget. The last value
    tells whether there was room."""
    longest = 1
    for unit in range(len(first) - 1):
        longest = max(longest, first[unit + 1] - first[unit])
    edges = len(target)
    n = np.zeros(COUNTERS, dtype=np.int64)
    pairs = np.empty((room, 2), dtype=np.int32)
    block = np.zeros(len(variable), dtype=np.int64)
    size = longest + 2
    work = (
        np.empty(size, np.int64), np.empty(edges + 1, np.int64), np.empty(size, np.int64),
        np.zeros(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64),
        np.zeros(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64),
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64),
    )  # fmt: skip
    store = (
        np.empty(room, np.int64), np.zeros(room, np.int64),
        np.zeros(len(variable) + 1, np.int64),
    )  # fmt: skip
    last = np.empty(variables, dtype=np.int64)
    seen = np.zeros(variables, dtype=np.int64)
    met = np.full(variables, -1, dtype=np.int64)
    lists = (
        np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.int64),
        np.empty(longest, np.int64), np.empty(longest, np.int64),
        np.full(variables, -1, np.int64), np.full(variables, -1, np.int64),
    )  # fmt: skip
    asks, asks_next, gives, gives_next, listed, first_ask, first_give = lists
    blocks = 0
    for unit in range(len(first) - 1):
        low, high = first[unit], first[unit + 1]
        made = _blocks(low, high, offsets, target, block, work)
        asked = given = found = 0
        for at in range(low, high):
            what = variable[at]
            if what < 0 or does[at] == 0:
                continue
            here = blocks + block[at] + 1
            if does[at] & ASKS:
                if seen[what] == here:
                    _pair(n, pairs, at, last[what])
                else:
                    if met[what] != unit:
                        met[what] = unit
                        first_ask[what] = first_give[what] = -1
                    if first_ask[what] < 0:
                        listed[found] = what
                        found += 1
                    asks[asked], asks_next[asked] = at, first_ask[what]
                    first_ask[what] = asked
                    asked += 1
            if does[at] & ANSWERS:
                if met[what] != unit:
                    met[what] = unit
                    first_ask[what] = first_give[what] = -1
                # The newest comes first, so the last of a block is the one that is found.
                gives[given], gives_next[given] = at, first_give[what]
                first_give[what] = given
                given += 1
                last[what], seen[what] = at, here
        blocks += made
        n[STEPS], n[BUDGET] = 0, budget * (high - low)
        n[POOL] = 0
        _answer(n, pairs, found, block, lists, work, store)
    return pairs[: n[PAIRS]].copy(), n[FULL] == 0
