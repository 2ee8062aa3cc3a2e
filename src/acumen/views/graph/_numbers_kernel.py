"""Nodes of the syntax as numbers in the graph of each method that holds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.lang.kernel import kernel


@kernel
def _first(rows: Any, low: int, high: int, source: int) -> int:
    """The first of some rows, which are sorted, with at least that source."""
    while low < high:
        middle = (low + high) // 2
        if rows[middle, 1] < source:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def number(
    rows: Any, kinds: int, nodes: Any, stop: Any, token: Any, element: Any, first: Any, sizes: Any,
    from_tree: Any, to_tree: Any, room: int,
) -> Any:  # fmt: skip
    """Sources and targets, by kind and method; where each method's begin; whether there was room.

    ``rows`` are distinct edges, sorted by kind, source and target. Of a node, ``token`` is the
    number of its token and ``element`` its place among all trees; of a method, ``first`` is its
    first token and ``sizes`` the size of its tree. A nested method's tree is a part of its outer
    one's, so its places count from its own root."""
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
    """Places, among a method's tokens, of its name: where it is declared, then where one of
    ``called``, nodes that name methods, has the same word; and where each method's begin."""
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
