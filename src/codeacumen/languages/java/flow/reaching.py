"""Reaching definitions: the search behind ``Flow.last_use`` and ``Flow.last_write``.

A point may query a variable, and may define it, which hides earlier definitions. A run is a
sequence of basic blocks, each entered only from the one before. Inside a run the search is one
scan: its cost is the length, for any number of variables and of exception edges. Between runs each
variable is solved on its own, on the blocks backwards from its queries to its definitions: Tarjan's
algorithm finds strongly connected components, and all blocks of a component share one set of
definitions. ``flow/graph.py`` calls ``pair_reaching_points``.

Blocks are numbered inside a unit, a body that runs by itself (``flow/graph.py``). Arrays that the
kernels share: ``block`` (points), each point's block; ``work`` (blocks, COLUMNS); ``predecessors``,
the blocks that enter each block, from its FIRST_ENTRY to that of the next; ``sets`` (rows, 3),
whose columns ``_add_to_set`` describes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codeacumen.languages.kernel import kernel

QUERIES, DEFINES = 1, 2
# In place of a point: no definition on a path from the start of the unit.
NOTHING_BEFORE = -1
# Counters: pairs found; elements and sets in the table of sets; a flag that a table is full; steps
# done, and the most steps allowed for this unit.
PAIRS, POOL, SETS, IS_FULL, STEPS, BUDGET, COUNTERS = range(7)
# Columns of ``work``: the position of the block's first incoming edge; the first block of its run;
# the stamp of the last variable that it defines, and its last point that does; the stamp of the
# last variable for which it was visited; its set, the definitions that reach its start (-1: its
# component is open); Tarjan's index and lowest reachable index. Three stacks share the table:
# blocks of open components, the path and its next edges. A stamp is a number for each search of a
# variable, so that no column needs clearing.
(
    FIRST_ENTRY,
    RUN,
    DEFINED_STAMP,
    DEFINITION,
    VISITED_STAMP,
    SET,
    INDEX,
    LOWEST,
    OPEN,
    PATH,
    EDGE,
    COLUMNS,
) = range(12)
# Columns of a variable: its last definition and the run of that; its unit; the heads of its linked
# lists of queries and definitions (rows of a point and the next row).
LAST_DEFINITION, DEFINITION_RUN, UNIT, FIRST_QUERY, FIRST_DEFINITION, VARIABLE_COLUMNS = range(6)
_NONE = -1


@kernel
def _number_blocks(
    low: int, high: int, edges: Any, block: Any, work: Any, predecessors: Any
) -> int:
    """Number the basic blocks of a unit's points ``[low, high)`` and return the number of blocks.

    Writes ``block``, ``predecessors`` and the columns FIRST_ENTRY and RUN. ``edges`` are the
    offsets and the targets of the points' edges."""
    offsets, target = edges
    # Until the blocks are numbered, FIRST_ENTRY counts the incoming edges of each point.
    for at in range(high - low + 1):
        work[at, FIRST_ENTRY] = 0
    for at in range(offsets[low], offsets[high]):
        work[target[at] - low, FIRST_ENTRY] += 1
    count = 0
    for at in range(low, high):
        if at > low:
            # A block goes on where this point is the only successor of the point before, and that
            # point its only predecessor.
            is_only_edge = offsets[at] - offsets[at - 1] == 1 and target[offsets[at - 1]] == at
            if not is_only_edge or work[at - low, FIRST_ENTRY] != 1:
                count += 1
        block[at] = count
    count += 1
    for at in range(count + 2):
        work[at, FIRST_ENTRY] = 0
    # Counting sort of the edges by the block that they enter: phase 0 counts, phase 1 fills. Counts
    # are stored two rows ahead, so that after filling each row holds its first edge.
    for phase in range(2):
        for at in range(low, high):
            if at + 1 == high or block[at + 1] != block[at]:
                for edge in range(offsets[at], offsets[at + 1]):
                    entered = block[target[edge]]
                    if phase == 1:
                        predecessors[work[entered + 1, FIRST_ENTRY]] = block[at]
                    work[entered + 2 - phase, FIRST_ENTRY] += 1
        if phase == 0:
            for at in range(count + 1):
                work[at + 1, FIRST_ENTRY] += work[at, FIRST_ENTRY]
    for at in range(count):
        edge = work[at, FIRST_ENTRY]
        continues_run = (
            at > 0 and work[at + 1, FIRST_ENTRY] == edge + 1 and predecessors[edge] == at - 1
        )
        work[at, RUN] = work[at - 1, RUN] if continues_run else at
    return count


@kernel
def _add_pair(counters: Any, pairs: Any, point: int, definition: int) -> None:
    """Append a pair; set IS_FULL if there is no room."""
    at = counters[PAIRS]
    if at >= len(pairs):
        counters[IS_FULL] = 1
    else:
        pairs[at, 0] = point
        pairs[at, 1] = definition
        counters[PAIRS] = at + 1


@kernel
def _add_to_set(counters: Any, sets: Any, definition: int) -> None:
    """Add a definition to the newest set, unless it is there already.

    Columns of ``sets``, three tables side by side: the elements of all sets; the first element of
    each set; by point + 1 (NOTHING_BEFORE is 0), the last set to which the point was added."""
    if sets[definition + 1, 2] != counters[SETS]:
        sets[definition + 1, 2] = counters[SETS]
        if counters[POOL] >= len(sets):
            counters[IS_FULL] = 1
        else:
            sets[counters[POOL], 0] = definition
            counters[POOL] += 1


@kernel
def _new_set(counters: Any, sets: Any) -> int:
    """Return the number of a new empty set; if the table is full, set IS_FULL and reuse the last
    number."""
    counters[SETS] += 1
    if counters[SETS] + 2 >= len(sets):
        counters[IS_FULL] = 1
        counters[SETS] -= 1
    sets[counters[SETS], 1] = sets[counters[SETS] + 1, 1] = counters[POOL]
    return int(counters[SETS])


@kernel
def _close_component(
    counters: Any, base: int, top: int, stamp: int, work: Any, predecessors: Any, sets: Any
) -> None:
    """Compute the set of a component, the open blocks ``[base, top)`` of the stack: the union over
    its entering edges. If all these edges carry the same set, the component shares that set. Block
    0, the entry, adds NOTHING_BEFORE."""
    shared_set, is_shared = _NONE, True
    for at in range(base, top):
        block = work[at, OPEN]
        is_shared = is_shared and block != 0
        for edge in range(work[block, FIRST_ENTRY], work[block + 1, FIRST_ENTRY]):
            predecessor = predecessors[edge]
            if work[predecessor, DEFINED_STAMP] == stamp:
                is_shared = False
            elif work[predecessor, SET] >= 0:
                is_shared = is_shared and shared_set in (_NONE, work[predecessor, SET])
                shared_set = work[predecessor, SET]
    if not is_shared or shared_set < 0:
        shared_set = _new_set(counters, sets)
        for at in range(base, top):
            block = work[at, OPEN]
            if block == 0:
                _add_to_set(counters, sets, NOTHING_BEFORE)
            for edge in range(work[block, FIRST_ENTRY], work[block + 1, FIRST_ENTRY]):
                predecessor = predecessors[edge]
                if work[predecessor, DEFINED_STAMP] == stamp:
                    _add_to_set(counters, sets, work[predecessor, DEFINITION])
                elif work[predecessor, SET] >= 0:
                    for element in range(
                        sets[work[predecessor, SET], 1], sets[work[predecessor, SET] + 1, 1]
                    ):
                        counters[STEPS] += 1
                        _add_to_set(counters, sets, sets[element, 0])
        sets[shared_set + 1, 1] = counters[POOL]
    for at in range(base, top):
        work[work[at, OPEN], SET] = shared_set


@kernel
def _visit_block(block: int, count: int, top: int, depth: int, stamp: int, work: Any) -> None:
    """Give a block Tarjan's index ``count`` and push it on the stack of open blocks at ``top`` and
    on the path at ``depth``."""
    work[block, VISITED_STAMP], work[block, SET] = stamp, _NONE
    work[block, INDEX], work[block, LOWEST] = count, count
    work[top, OPEN] = block
    work[depth, PATH], work[depth, EDGE] = block, work[block, FIRST_ENTRY]


@kernel
def _solve_block(
    counters: Any, start: int, stamp: int, work: Any, predecessors: Any, sets: Any
) -> None:
    """Compute the sets of the block ``start`` and of all blocks that it depends on, by Tarjan's
    algorithm without recursion: components that others depend on are closed first."""
    # Zero with the type of ``start``, no literal: see ``count_int64`` in ``flow/kernel.py``.
    count = top = depth = start - start
    _visit_block(start, count, top, depth, stamp, work)
    count, top, depth = count + 1, top + 1, depth + 1
    while depth > 0:
        block = work[depth - 1, PATH]
        edge = work[depth - 1, EDGE]
        if edge < work[block + 1, FIRST_ENTRY]:
            counters[STEPS] += 1
            work[depth - 1, EDGE] = edge + 1
            predecessor = predecessors[edge]
            if work[predecessor, DEFINED_STAMP] == stamp:
                continue
            if work[predecessor, VISITED_STAMP] != stamp:
                _visit_block(predecessor, count, top, depth, stamp, work)
                count, top, depth = count + 1, top + 1, depth + 1
            elif work[predecessor, SET] < 0:
                work[block, LOWEST] = min(work[block, LOWEST], work[predecessor, INDEX])
            continue
        depth -= 1
        if depth > 0:
            path_parent = work[depth - 1, PATH]
            work[path_parent, LOWEST] = min(work[path_parent, LOWEST], work[block, LOWEST])
        if work[block, LOWEST] == work[block, INDEX]:
            base = top - 1
            while work[base, OPEN] != block:
                base -= 1
            _close_component(counters, base, top, stamp, work, predecessors, sets)
            top = base


@kernel
def _answer_queries(
    counters: Any,
    pairs: Any,
    variable: int,
    block: Any,
    variables: Any,
    links: Any,
    work: Any,
    predecessors: Any,
    sets: Any,
) -> None:
    """Add the pairs of all queries of a variable that no definition in their run precedes.

    ``variables`` and ``links`` hold the linked lists of its queries and definitions."""
    # The number of a new empty set is the stamp, so that no stamp is used twice.
    stamp = _new_set(counters, sets)
    # Mark each block with its last definition: the list begins with the last one in the unit.
    link = variables[variable, FIRST_DEFINITION]
    while link >= 0:
        block_number = block[links[link, 0]]
        if work[block_number, DEFINED_STAMP] != stamp:
            work[block_number, DEFINED_STAMP], work[block_number, DEFINITION] = (
                stamp,
                links[link, 0],
            )
        link = links[link, 1]
    link = variables[variable, FIRST_QUERY]
    while link >= 0 and not counters[IS_FULL] and counters[STEPS] <= counters[BUDGET]:
        # The first block of the query's run: no definition in the run precedes the query, so the
        # definitions that reach the start of the run are the answer.
        block_number = work[block[links[link, 0]], RUN]
        if work[block_number, VISITED_STAMP] != stamp:
            _solve_block(counters, block_number, stamp, work, predecessors, sets)
        for element in range(
            sets[work[block_number, SET], 1], sets[work[block_number, SET] + 1, 1]
        ):
            _add_pair(counters, pairs, links[link, 0], sets[element, 0])
        link = links[link, 1]


@kernel
def pair_reaching_points(
    variable: Any,
    roles: Any,
    local: Any,
    first: Any,
    offsets: Any,
    target: Any,
    capacity: int,
    budget: int,
) -> Any:
    """Return an array (pairs, 2) of a query and a definition that may be the last one before it, or
    NOTHING_BEFORE, and whether the capacity sufficed; if not, call again with a larger one.

    Arguments as in ``Flow``: each point's ``variable`` and ``roles``, the mask ``local`` over
    variables, each unit's ``first`` point, ``offsets`` and ``target`` of edges. ``capacity`` is the
    number of pairs, ``budget`` the number of steps per point of a unit; in a unit that exceeds it
    the remaining queries have no pairs."""
    longest = 1
    for unit in range(len(first) - 1):
        longest = max(longest, first[unit + 1] - first[unit])
    counters = np.zeros(COUNTERS, dtype=np.int64)
    pairs = np.empty((capacity, 2), dtype=np.int32)
    block = np.empty(len(variable), dtype=np.int64)
    work = np.zeros((longest + 3, COLUMNS), dtype=np.int64)
    predecessors = np.empty(len(target) + 1, dtype=np.int64)
    sets = np.zeros((capacity + len(variable), 3), dtype=np.int64)
    variables = np.full((len(local), VARIABLE_COLUMNS), _NONE, dtype=np.int64)
    links = np.empty((2 * longest, 2), dtype=np.int64)
    queried = np.empty(longest, dtype=np.int64)
    blocks_before = 0
    for unit in range(len(first) - 1):
        low, high = first[unit], first[unit + 1]
        block_count = _number_blocks(low, high, (offsets, target), block, work, predecessors)
        link_count = queried_count = 0
        for at in range(low, high):
            symbol = variable[at]
            if symbol < 0 or roles[at] == 0 or not local[symbol]:
                continue
            # The number of the run in the file, so that no two units share one.
            run = blocks_before + work[block[at], RUN]
            if variables[symbol, UNIT] != unit:
                (
                    variables[symbol, UNIT],
                    variables[symbol, FIRST_QUERY],
                    variables[symbol, FIRST_DEFINITION],
                ) = unit, _NONE, _NONE
            if roles[at] & QUERIES:
                if variables[symbol, DEFINITION_RUN] == run:
                    _add_pair(counters, pairs, at, variables[symbol, LAST_DEFINITION])
                else:
                    if variables[symbol, FIRST_QUERY] < 0:
                        queried[queried_count] = symbol
                        queried_count += 1
                    links[link_count, 0], links[link_count, 1] = at, variables[symbol, FIRST_QUERY]
                    variables[symbol, FIRST_QUERY] = link_count
                    link_count += 1
            if roles[at] & DEFINES:
                # The newest is the head of the list, so a block's last definition is found first.
                links[link_count, 0], links[link_count, 1] = at, variables[symbol, FIRST_DEFINITION]
                variables[symbol, FIRST_DEFINITION] = link_count
                variables[symbol, LAST_DEFINITION], variables[symbol, DEFINITION_RUN] = at, run
                link_count += 1
        blocks_before += block_count
        counters[STEPS], counters[BUDGET], counters[POOL] = 0, budget * (high - low), 0
        for at in range(queried_count):
            if not counters[IS_FULL] and counters[STEPS] <= counters[BUDGET]:
                _answer_queries(
                    counters, pairs, queried[at], block, variables, links, work, predecessors, sets
                )
    return pairs[: counters[PAIRS]].copy(), counters[IS_FULL] == 0
