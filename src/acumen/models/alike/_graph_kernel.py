"""Weisfeiler and Leman's refinement of labels, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from acumen.lang.kernel import kernel

Labels = NDArray[np.uint64]
Nodes = NDArray[np.int64]

# Constants of splitmix64, a well-tried mixing of 64 bits.
_STEP, _FIRST, _SECOND = (
    np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB),
)  # fmt: skip


@kernel
def _mixed(value: np.uint64) -> np.uint64:
    value = (value ^ (value >> np.uint64(30))) * _FIRST
    value = (value ^ (value >> np.uint64(27))) * _SECOND
    return value ^ (value >> np.uint64(31))


@kernel
def refined(label: Labels, source: Nodes, target: Nodes, kind: Nodes, height: int) -> Labels:
    """A row of labels for each height from 0. The next label of a node tells its label, and of its
    neighbours, as a multiset, the labels, the kinds of the edges and their directions: a sum of
    mixed numbers does not depend on the order and does on how often each is there."""
    found = np.empty((height + 1, len(label)), np.uint64)
    for node in range(len(label)):
        found[0, node] = _mixed(label[node] + _STEP)
    around = np.empty(len(label), np.uint64)
    for level in range(1, height + 1):
        around[:] = np.uint64(0)
        for edge in range(len(source)):
            out = np.uint64(2 * kind[edge] + 1)
            a, b = source[edge], target[edge]
            around[a] += _mixed(found[level - 1, b] + _STEP * out)
            around[b] += _mixed(found[level - 1, a] + _STEP * (out + np.uint64(1)))
        for node in range(len(label)):
            found[level, node] = _mixed(found[level - 1, node] * _STEP + _mixed(around[node]))
    return found


@kernel
def elements_above(element: Nodes, parent: NDArray[np.int32]) -> Nodes:
    """For each node of the syntax its element of the tree, or that of the nearest node above."""
    found = element.copy()
    for node in range(len(found)):
        if found[node] < 0 and parent[node] >= 0:
            found[node] = found[parent[node]]
    return found
