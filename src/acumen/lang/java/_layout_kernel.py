"""Instructions assembled to a graph: points numbered in their order, edges by their source."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel

# Events and instructions as in ``_flow_kernel`` (a test compares them).
EXIT, RAISE, BRANCH, JOIN, SET, JUMP, ARC, HUB, HALTS = 1, 2, 5, 6, 13, 14, 15, 16, 1
NEXT, EXCEPTION = 0, 3


@kernel
def assemble(rows: Any, starts: Any, labels: int) -> Any:
    """Points (node, event), the first point of each unit, edges' offsets, targets and kinds.

    Each point falls through to the next one, unless it halts or branches or a jump follows.
    A jump from a place where only a label stands becomes a point that does nothing. A label that
    was never set (``continue`` to what is no loop) is the exit."""
    count = len(rows)
    points = np.empty((count, 2), dtype=np.int32)
    edges = np.empty((2 * count, 3), dtype=np.int32)
    place = np.full(labels, -1, dtype=np.int32)
    used = np.zeros(labels, dtype=np.bool_)
    of_row = np.empty(count, dtype=np.int32)
    first = np.empty(len(starts), dtype=np.int32)
    made, linked, unit = 0, 0, 0
    open_, bound = -1, False
    for at in range(count):
        while unit < len(starts) - 1 and starts[unit] == at:
            first[unit] = made
            unit += 1
        op, a, b, c = rows[at]
        source, target, how = -1, 0, NEXT
        if op < SET or (op == JUMP and bound):
            points[made, 0] = a if op < SET else points[made - 1, 0]
            points[made, 1] = op if op < SET else JOIN
            of_row[at] = made
            if open_ >= 0:
                edges[linked, 0] = open_
                edges[linked, 1] = made
                edges[linked, 2] = NEXT
                linked += 1
            open_, bound = made, False
            made += 1
        if op < SET:
            if b >= 0:
                source, target, how = made - 1, b, EXCEPTION
            if c == HALTS or op in (EXIT, RAISE, BRANCH):
                open_ = -1
        elif op == SET:
            place[a] = made
            bound = True
        elif op == JUMP:
            source, target = open_, a
            open_ = -1
        elif op == ARC:
            source, target, how = of_row[a], b, c
        elif op == HUB and not used[a]:
            source, target, how = of_row[b], a, EXCEPTION
        if source >= 0:
            used[target] = True
            edges[linked, 0] = source
            edges[linked, 1] = -1 - target
            edges[linked, 2] = how
            linked += 1
    first[len(starts) - 1] = made
    offsets = np.zeros(made + 1, dtype=np.int32)
    for at in range(linked):
        offsets[edges[at, 0] + 1] += 1
    for at in range(made):
        offsets[at + 1] += offsets[at]
    filled = offsets[:-1].copy()
    target_of = np.empty(linked, dtype=np.int32)
    how_of = np.empty(linked, dtype=np.uint8)
    for at in range(linked):
        source, target = edges[at, 0], edges[at, 1]
        if target < 0:
            target = place[-1 - target]
            if target < 0:
                target = first[np.searchsorted(first, source, side="right")] - 2
        target_of[filled[source]] = target
        how_of[filled[source]] = edges[at, 2]
        filled[source] += 1
    kept = _prune(first, offsets, target_of, how_of)
    return points[:made].copy(), first, offsets, target_of[:kept].copy(), how_of[:kept].copy()


@kernel
def _prune(first: Any, offsets: Any, target: Any, how: Any) -> int:
    """Drops the edges by which what is never reached would lead back into what is."""
    count = len(offsets) - 1
    reached = np.zeros(count, dtype=np.bool_)
    stack = np.empty(count + 1, dtype=np.int32)
    for unit in range(len(first) - 1):
        stack[0], top = first[unit], 1
        reached[first[unit]] = True
        while top > 0:
            top -= 1
            point = stack[top]
            for edge in range(offsets[point], offsets[point + 1]):
                if not reached[target[edge]]:
                    reached[target[edge]] = True
                    stack[top] = target[edge]
                    top += 1
    kept = 0
    for point in range(count):
        low, high = offsets[point], offsets[point + 1]
        offsets[point] = kept
        for edge in range(low, high):
            if reached[point] or not reached[target[edge]]:
                target[kept], how[kept] = target[edge], how[edge]
                kept += 1
    offsets[count] = kept
    return kept
