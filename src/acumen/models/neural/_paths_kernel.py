"""The paths of a method's contexts as rows of nodes, each different path once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Ints = NDArray[np.int32]

# A node's code is its kind times this, and 1 + its place among its siblings where that is told.
PLACES = 5
_LAST = PLACES - 2


@kernel
def _code(kind: int, place: int, told: bool) -> int:
    return kind * PLACES + (1 + min(place, _LAST) if told else 0)


@kernel
def distinct_paths(
    kind: NDArray[np.uint8],
    parent: Ints,
    child: Ints,
    numbered: NDArray[np.bool_],
    ends: Ints,
    rows: Ints,
    sizes: Ints,
    which: Ints,
) -> int:
    """Fills ``rows`` with the paths between ``ends`` (pairs of nodes), ``sizes`` with their
    lengths, ``which`` with the path of each pair; how many different ones there are.

    Of two nodes the later one is never above the other, so it may climb: no step is taken beyond
    the path. Which places are told is not the same on the way up and on the way down, as in the
    extractor (``views.paths.path_string`` has the rule in words).
    """
    room = 4
    while room < 2 * len(ends):
        room *= 2
    table = np.full(room, -1, np.int32)
    longest = rows.shape[1]
    down = np.empty(longest, np.int32)
    count = 0
    for pair in range(len(ends)):
        source, target = ends[pair, 0], ends[pair, 1]
        size, below = 0, 0
        while source != target and size + below < longest - 1:
            if source > target:
                above = parent[source]
                told = source == ends[pair, 0] or (above >= 0 and numbered[kind[above]])
                rows[count, size] = _code(kind[source], child[source], told)
                size += 1
                source = above
            else:
                down[below] = target
                below += 1
                target = parent[target]
        above = parent[source]
        told = above >= 0 and numbered[kind[above]]
        rows[count, size] = _code(kind[source], child[source], told)
        size += 1
        for at in range(below - 1, -1, -1):
            node = down[at]
            told = node == ends[pair, 1] or numbered[kind[node]]
            rows[count, size] = _code(kind[node], child[node], told)
            size += 1
        sizes[count] = size
        key = np.uint64(size)
        for at in range(size):
            key = (key ^ np.uint64(rows[count, at])) * np.uint64(0x100000001B3)
        place = np.int64((key ^ (key >> np.uint64(29))) & np.uint64(0x7FFFFFFF)) % room
        while True:
            known = table[place]
            if known < 0:
                table[place] = count
                which[pair] = count
                count += 1
                break
            same = sizes[known] == size
            for at in range(size):
                same = same and rows[known, at] == rows[count, at]
            if same:
                which[pair] = known
                break
            place = (place + 1) % room
    return count
