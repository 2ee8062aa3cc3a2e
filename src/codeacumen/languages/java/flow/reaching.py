"""What may come last before a point: the search behind last use, last write and reaching
definitions.

At each point a variable may be asked for, and an answer may be given, which hides earlier ones.
Inside a run, which is basic blocks that one enters only from the one before, that is one scan: a
straight line costs its length, whatever its variables and however many calls may leave it by an
exception. Between runs each variable is solved for itself, on the blocks one meets going backwards
from where it is asked for until it is answered: strongly connected components are found as in
Tarjan's algorithm, and all blocks of one share one set of answers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

ASKS, ANSWERS = 1, 2
# Instead of a point: nothing before, back to where the body begins.
NOTHING_BEFORE = -1
# Counters: pairs found; places and sets used of the store of sets; room ran out; work done, and
# how much may be done for this body.
PAIRS, POOL, SETS, FULL, STEPS, BUDGET, COUNTERS = range(7)
# Columns of a block: where the edges into it begin; the first block of its run; whether the
# variable at hand is answered in it (its stamp) and by which point; whether it was met (stamp), its
# set, Tarjan's numbers. Then three stacks that have room here: blocks of open components, the path
# and its next edges.
ENTERS, RUN, ANSWERED, ANSWER, MET, SET, INDEX, LOWEST, OPEN, PATH, EDGE, COLUMNS = range(12)
# Columns of a variable: its last answer and the run of that; the unit it was met in; its first
# points that ask and answer, in lists of point and next place.
LAST, WHERE, UNIT, ASK, GIVE, FACTS = range(6)
_NONE = -1


@kernel
def _blocks(low: int, high: int, edges: Any, block: Any, work: Any, into: Any) -> int:
    """Numbers the basic blocks of the points ``[low, high)``; the blocks from which each is
    entered go to ``into``. ``edges`` are offsets and targets."""
    offsets, target = edges
    for at in range(high - low + 1):
        work[at, ENTERS] = 0
    for at in range(offsets[low], offsets[high]):
        work[target[at] - low, ENTERS] += 1
    count = 0
    for at in range(low, high):
        if at > low:
            only = offsets[at] - offsets[at - 1] == 1 and target[offsets[at - 1]] == at
            if not only or work[at - low, ENTERS] != 1:
                count += 1
        block[at] = count
    count += 1
    for at in range(count + 2):
        work[at, ENTERS] = 0
    # Counted two places on, so that filling leaves the beginnings.
    for phase in range(2):
        for at in range(low, high):
            if at + 1 == high or block[at + 1] != block[at]:
                for edge in range(offsets[at], offsets[at + 1]):
                    entered = block[target[edge]]
                    if phase == 1:
                        into[work[entered + 1, ENTERS]] = block[at]
                    work[entered + 2 - phase, ENTERS] += 1
        if phase == 0:
            for at in range(count + 1):
                work[at + 1, ENTERS] += work[at, ENTERS]
    for at in range(count):
        edge = work[at, ENTERS]
        follows = at > 0 and work[at + 1, ENTERS] == edge + 1 and into[edge] == at - 1
        work[at, RUN] = work[at - 1, RUN] if follows else at
    return count


@kernel
def _pair(n: Any, pairs: Any, point: int, answer: int) -> None:
    at = n[PAIRS]
    if at >= len(pairs):
        n[FULL] = 1
    else:
        pairs[at, 0] = point
        pairs[at, 1] = answer
        n[PAIRS] = at + 1


@kernel
def _gather(n: Any, store: Any, answer: int) -> None:
    """One more answer for the newest set. Columns of the store: the answers of all sets; where
    each set begins; the last set that each point was put into."""
    if store[answer + 1, 2] != n[SETS]:
        store[answer + 1, 2] = n[SETS]
        if n[POOL] >= len(store):
            n[FULL] = 1
        else:
            store[n[POOL], 0] = answer
            n[POOL] += 1


@kernel
def _new_set(n: Any, store: Any) -> int:
    n[SETS] += 1
    if n[SETS] + 2 >= len(store):
        n[FULL] = 1
        n[SETS] -= 1
    store[n[SETS], 1] = store[n[SETS] + 1, 1] = n[POOL]
    return int(n[SETS])


@kernel
def _close(n: Any, base: int, top: int, stamp: int, work: Any, into: Any, store: Any) -> None:
    """The set of a component, which is the open blocks ``[base, top)``: what its entering edges
    bring. If all of them bring one known set, it is that one."""
    only, single = _NONE, True
    for at in range(base, top):
        block = work[at, OPEN]
        single = single and block != 0
        for edge in range(work[block, ENTERS], work[block + 1, ENTERS]):
            other = into[edge]
            if work[other, ANSWERED] == stamp:
                single = False
            elif work[other, SET] >= 0:
                single = single and only in (_NONE, work[other, SET])
                only = work[other, SET]
    if not single or only < 0:
        only = _new_set(n, store)
        for at in range(base, top):
            block = work[at, OPEN]
            if block == 0:
                _gather(n, store, NOTHING_BEFORE)
            for edge in range(work[block, ENTERS], work[block + 1, ENTERS]):
                other = into[edge]
                if work[other, ANSWERED] == stamp:
                    _gather(n, store, work[other, ANSWER])
                elif work[other, SET] >= 0:
                    for one in range(store[work[other, SET], 1], store[work[other, SET] + 1, 1]):
                        n[STEPS] += 1
                        _gather(n, store, store[one, 0])
        store[only + 1, 1] = n[POOL]
    for at in range(base, top):
        work[work[at, OPEN], SET] = only


@kernel
def _meet(block: int, count: int, top: int, depth: int, stamp: int, work: Any) -> None:
    work[block, MET], work[block, SET] = stamp, _NONE
    work[block, INDEX], work[block, LOWEST] = count, count
    work[top, OPEN] = block
    work[depth, PATH], work[depth, EDGE] = block, work[block, ENTERS]


@kernel
def _solve(n: Any, start: int, stamp: int, work: Any, into: Any, store: Any) -> None:
    """Sets of answers of a block and of all that it needs, components first."""
    count = top = depth = start - start
    _meet(start, count, top, depth, stamp, work)
    count, top, depth = count + 1, top + 1, depth + 1
    while depth > 0:
        block = work[depth - 1, PATH]
        edge = work[depth - 1, EDGE]
        if edge < work[block + 1, ENTERS]:
            n[STEPS] += 1
            work[depth - 1, EDGE] = edge + 1
            other = into[edge]
            if work[other, ANSWERED] == stamp:
                continue
            if work[other, MET] != stamp:
                _meet(other, count, top, depth, stamp, work)
                count, top, depth = count + 1, top + 1, depth + 1
            elif work[other, SET] < 0:
                work[block, LOWEST] = min(work[block, LOWEST], work[other, INDEX])
            continue
        depth -= 1
        if depth > 0:
            above = work[depth - 1, PATH]
            work[above, LOWEST] = min(work[above, LOWEST], work[block, LOWEST])
        if work[block, LOWEST] == work[block, INDEX]:
            base = top - 1
            while work[base, OPEN] != block:
                base -= 1
            _close(n, base, top, stamp, work, into, store)
            top = base


@kernel
def _answer(
    n: Any,
    pairs: Any,
    variable: int,
    block: Any,
    facts: Any,
    lists: Any,
    work: Any,
    into: Any,
    store: Any,
) -> None:
    """The points that ask for a variable before anything in their run answers."""
    # Stamps are numbers of sets, so none is used twice; this one stays empty.
    stamp = _new_set(n, store)
    at = facts[variable, GIVE]
    while at >= 0:
        where = block[lists[at, 0]]
        if work[where, ANSWERED] != stamp:
            work[where, ANSWERED], work[where, ANSWER] = stamp, lists[at, 0]
        at = lists[at, 1]
    at = facts[variable, ASK]
    while at >= 0 and not n[FULL] and n[STEPS] <= n[BUDGET]:
        where = work[block[lists[at, 0]], RUN]
        if work[where, MET] != stamp:
            _solve(n, where, stamp, work, into, store)
        for one in range(store[work[where, SET], 1], store[work[where, SET] + 1, 1]):
            _pair(n, pairs, lists[at, 0], store[one, 0])
        at = lists[at, 1]


@kernel
def reach(
    variable: Any,
    does: Any,
    local: Any,
    first: Any,
    offsets: Any,
    target: Any,
    room: int,
    budget: int,
) -> Any:
    """Pairs of a point that asks and a point whose answer may be the last one before it, or
    NOTHING_BEFORE; none for the rest of a body that costs more than its budget. The last value
    tells whether there was room."""
    longest = 1
    for unit in range(len(first) - 1):
        longest = max(longest, first[unit + 1] - first[unit])
    n = np.zeros(COUNTERS, dtype=np.int64)
    pairs = np.empty((room, 2), dtype=np.int32)
    block = np.empty(len(variable), dtype=np.int64)
    work = np.zeros((longest + 3, COLUMNS), dtype=np.int64)
    into = np.empty(len(target) + 1, dtype=np.int64)
    store = np.zeros((room + len(variable), 3), dtype=np.int64)
    facts = np.full((len(local), FACTS), _NONE, dtype=np.int64)
    lists = np.empty((2 * longest, 2), dtype=np.int64)
    asked = np.empty(longest, dtype=np.int64)
    blocks = 0
    for unit in range(len(first) - 1):
        low, high = first[unit], first[unit + 1]
        made = _blocks(low, high, (offsets, target), block, work, into)
        listed = count = 0
        for at in range(low, high):
            what = variable[at]
            if what < 0 or does[at] == 0 or not local[what]:
                continue
            here = blocks + work[block[at], RUN]
            if facts[what, UNIT] != unit:
                facts[what, UNIT], facts[what, ASK], facts[what, GIVE] = unit, _NONE, _NONE
            if does[at] & ASKS:
                if facts[what, WHERE] == here:
                    _pair(n, pairs, at, facts[what, LAST])
                else:
                    if facts[what, ASK] < 0:
                        asked[count] = what
                        count += 1
                    lists[listed, 0], lists[listed, 1] = at, facts[what, ASK]
                    facts[what, ASK] = listed
                    listed += 1
            if does[at] & ANSWERS:
                # The newest comes first, so the last of a block is the one that is found.
                lists[listed, 0], lists[listed, 1] = at, facts[what, GIVE]
                facts[what, GIVE] = listed
                facts[what, LAST], facts[what, WHERE] = at, here
                listed += 1
        blocks += made
        n[STEPS], n[BUDGET], n[POOL] = 0, budget * (high - low), 0
        for at in range(count):
            if not n[FULL] and n[STEPS] <= n[BUDGET]:
                _answer(n, pairs, asked[at], block, facts, lists, work, into, store)
    return pairs[: n[PAIRS]].copy(), n[FULL] == 0
