"""Compiled search for path contexts: pairs of leaves joined by a short path, and the path's hash.

The search does not enumerate all pairs of leaves. It climbs from each leaf, and at each ancestor
visits the few later branches near enough. For each branch, the number of leaves within reach is
precomputed, so it counts all pairs, samples some, and visits only those. Hashes are computed
without building the strings: the hash of a + b is hash(a) * 31 ** length(b) + hash(b).

The paths and their order are those of code2vec's extractor. The **child id** of a node is the
number that the extractor gives it among its siblings; siblings with one source range share an id,
so ids need not increase (see ``tree``).

The **top** of a path is the lowest common ancestor of its leaves, a **branch** a child of the top.
A path's length is its number of edges, its width the difference of its two branches' child ids.
A **piece** is the text that a node adds to the path, such as ``(NameExpr1)^``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from codeacumen.languages.kernel import kernel

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint64]

# Characters of a path: ) ^ _ and the digit 0.
_CLOSE, _UP, _DOWN, _ZERO = np.uint64(41), np.uint64(94), np.uint64(95), np.uint64(48)
_TEN, _31, _MASK = np.uint64(10), np.uint64(31), np.uint64(0xFFFFFFFF)
# Columns of a node's pieces on the way up, at the top and on the way down. Each piece is a hash
# and 31 ** length.
_ASCENT, _TOP, _DESCENT = 0, 2, 4


class Tree(NamedTuple):
    """Nodes of one method in preorder.

    ``child`` is the child id, ``stop`` the node after the last descendant, ``nearest`` the lowest
    child id among the later siblings, ``below[v, d]`` the number of leaves in v's subtree at most d
    below it, ``number`` the number of earlier leaves. ``pieces`` has the columns _ASCENT and so
    on."""

    parent: Ints
    child: Ints
    leaf: NDArray[np.bool_]
    stop: Ints
    depth: Ints
    nearest: Ints
    below: NDArray[np.int32]
    number: Ints
    pieces: Hashes


@kernel
def _append_number(code: np.uint64, power: np.uint64, number: int) -> tuple[np.uint64, np.uint64]:
    """Return hash and power (31 ** length) of a piece after appending a decimal number."""
    value, unit = np.uint64(number), np.uint64(1)
    while value // unit >= _TEN:
        unit *= _TEN
    while unit > np.uint64(0):
        code = (code * _31 + _ZERO + value // unit % _TEN) & _MASK
        power = power * _31 & _MASK
        unit //= _TEN
    return code, power


@kernel
def _hash_pieces(
    tree: Tree,
    kind: NDArray[np.uint8],
    opened: Hashes,
    powers: Hashes,
    numbers: NDArray[np.bool_],
) -> None:
    """Compute the hashes of ``(Kind)^``, ``(Kind)`` and ``_(Kind)`` for each node.

    ``opened`` has for each kind the hash of ``(Kind``, ``powers`` 31 ** its length, and ``numbers``
    marks the **numbered** kinds, such as method calls, for which the extractor prints child ids
    (see ``leaves.kind_hashes``). The pieces of a leaf contain its child id. Those of other
    nodes do on the way up and at the top if their parent is of a numbered kind, but on the way down
    if they are of such a kind themselves: the extractor is not symmetric."""
    for node in range(len(kind)):
        code, power = opened[kind[node]], powers[kind[node]]
        below_numbered = tree.parent[node] >= 0 and numbers[kind[tree.parent[node]]]
        leaf = tree.leaf[node]
        has_number = leaf or below_numbered or numbers[kind[node]]
        with_code, with_power = (
            _append_number(code, power, tree.child[node]) if has_number else (code, power)
        )
        if leaf or below_numbered:
            up, up_power = with_code, with_power
        else:
            up, up_power = code, power
        tree.pieces[node, _TOP] = (up * _31 + _CLOSE) & _MASK
        tree.pieces[node, _TOP + 1] = up_power * _31 & _MASK
        tree.pieces[node, _ASCENT] = (tree.pieces[node, _TOP] * _31 + _UP) & _MASK
        tree.pieces[node, _ASCENT + 1] = tree.pieces[node, _TOP + 1] * _31 & _MASK
        if leaf or numbers[kind[node]]:
            code, power = with_code, with_power
        code, power = (_DOWN * power + code) & _MASK, power * _31 & _MASK
        tree.pieces[node, _DESCENT] = (code * _31 + _CLOSE) & _MASK
        tree.pieces[node, _DESCENT + 1] = power * _31 & _MASK


@kernel
def _measure_tree(tree: Tree) -> int:
    """Compute all fields that follow from parents and leaves; return the number of leaves."""
    size, reach = tree.below.shape
    leaves = 0
    for node in range(size):
        tree.stop[node] = node + 1
        tree.nearest[node] = np.iinfo(np.int32).max  # no later sibling
        tree.depth[node] = tree.depth[tree.parent[node]] + 1 if node > 0 else 0
        tree.below[node] = 0
        tree.number[node] = leaves
        leaves += tree.leaf[node]
    for node in range(size - 1, 0, -1):
        parent = tree.parent[node]
        tree.stop[parent] = max(tree.stop[parent], tree.stop[node])
    for node in range(size - 1, -1, -1):
        after = tree.stop[node]
        if node > 0 and after < tree.stop[tree.parent[node]]:
            tree.nearest[node] = min(tree.child[after], tree.nearest[after])
        if tree.leaf[node]:
            at, distance = node, 0
            while at >= 0 and distance < reach:
                tree.below[at, distance] += 1
                at = tree.parent[at]
                distance += 1
        for distance in range(1, reach):
            tree.below[node, distance] += tree.below[node, distance - 1]
    return leaves


@kernel
def _count_pairs(tree: Tree, max_length: int, max_width: int) -> int:
    """Return the number of pairs of leaves within ``max_length`` and ``max_width``."""
    pair_count = 0
    for leaf in range(len(tree.parent)):
        if not tree.leaf[leaf]:
            continue
        branch = leaf
        for climbed in range(1, max_length):
            top = tree.parent[branch]
            if top < 0:
                break
            furthest = tree.child[branch] + max_width
            other = tree.stop[branch]  # the next sibling
            while other < tree.stop[top]:
                if tree.child[other] <= furthest:
                    # One edge leads down from the top; the others may lead below the branch.
                    pair_count += tree.below[other, max_length - 1 - climbed]
                elif tree.nearest[other] > furthest:
                    break
                other = tree.stop[other]
            branch = top
    return pair_count


@kernel
def _next_random(state: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the next state and number of the generator SplitMix64."""
    state += np.uint64(0x9E3779B97F4A7C15)
    mixed = state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, mixed ^ (mixed >> np.uint64(31))


@kernel
def _sample_numbers(population: int, sample_size: int, seed: np.uint64) -> NDArray[np.int64]:
    """Return a uniform random sample of distinct numbers below ``population``, sorted.

    This is Floyd's sampling algorithm with an open-addressing hash table of the sampled numbers."""
    size = 4
    while size < 4 * sample_size:
        size *= 2
    sampled, table = np.empty(sample_size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    state = seed
    for i in range(sample_size):
        last = population - sample_size + i
        state, number = _next_random(state)
        sampled[i] = number % np.uint64(last + 1)
        value = sampled[i]
        # Floyd: if the number is sampled already, ``last`` takes its place.
        for _ in range(2):
            slot = value * 40503 % size  # Knuth's multiplicative hash
            while table[slot] >= 0 and table[slot] != value:
                slot = (slot + 1) % size
            if table[slot] < 0:
                break
            value = last
        table[slot] = value
        sampled[i] = value
    return np.sort(sampled)


@kernel
def _hash_path(tree: Tree, code: np.uint64, branch: int, leaf: int, chain: Ints) -> np.int64:
    """Return a path's hash as Java's signed int.

    ``code`` is the hash of its way up with the top; ``chain`` is scratch space for the way down
    from ``branch``, a child of the top, to ``leaf``."""
    steps, node = 0, leaf
    while True:
        chain[steps] = node
        steps += 1
        if node == branch:
            break
        node = tree.parent[node]
    for i in range(steps - 1, -1, -1):
        piece = tree.pieces[chain[i]]
        code = (code * piece[_DESCENT + 1] + piece[_DESCENT]) & _MASK
    value = np.int64(code)
    return value - np.int64(1 << 32) if value >> 31 else value


@kernel
def _write_pairs(
    tree: Tree,
    max_length: int,
    max_width: int,
    sampled: NDArray[np.int64],
    takes_all: bool,
    out: Ints,
    row: int,
) -> int:
    """Write the sampled pairs, or all, in the extractor's order; return the next free row.

    ``sampled`` holds the indices of the sampled pairs in that order; a subtree whose pairs all come
    before the next sampled pair is skipped."""
    chain = np.empty(max_length + 1, dtype=np.int32)
    passed_pairs, next_sample = 0, 0
    for leaf in range(len(tree.parent)):
        if not tree.leaf[leaf]:
            continue
        branch, code = leaf, np.uint64(0)
        for climbed in range(1, max_length):
            top = tree.parent[branch]
            if top < 0:
                break
            piece = tree.pieces[branch]
            code = (code * piece[_ASCENT + 1] + piece[_ASCENT]) & _MASK
            piece = tree.pieces[top]
            with_top = (code * piece[_TOP + 1] + piece[_TOP]) & _MASK
            reach = max_length - 1 - climbed
            furthest = tree.child[branch] + max_width
            other = tree.stop[branch]
            while other < tree.stop[top]:
                if tree.child[other] <= furthest:
                    node = other
                    while node < tree.stop[other]:
                        deeper = tree.depth[node] - tree.depth[other]
                        if deeper > reach:
                            node = tree.stop[node]
                            continue
                        inside = tree.below[node, reach - deeper]
                        if not takes_all and sampled[next_sample] >= passed_pairs + inside:
                            passed_pairs += inside
                            node = tree.stop[node]
                        elif tree.leaf[node]:
                            out[row, 0], out[row, 1] = tree.number[leaf], tree.number[node]
                            out[row, 2] = _hash_path(tree, with_top, other, node, chain)
                            row, passed_pairs, next_sample = (
                                row + 1,
                                passed_pairs + 1,
                                next_sample + 1,
                            )
                            if not takes_all and next_sample == len(sampled):
                                return row
                            node = tree.stop[node]
                        else:
                            node += 1
                elif tree.nearest[other] > furthest:
                    break
                other = tree.stop[other]
            branch = top
    return row


@kernel
def find_contexts(
    offsets: NDArray[np.int64],
    nodes: Ints,
    leaf: NDArray[np.bool_],
    seeds: NDArray[np.uint64],
    max_length: int,
    max_width: int,
    max_contexts: int,
    opened: Hashes,
    powers: Hashes,
    numbers: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], Ints]:
    """Return the offsets of each method's contexts, and rows (left leaf, right leaf, path hash).

    ``nodes`` are rows that begin with kind, parent and child id, split into methods by ``offsets``;
    ``leaf`` marks the leaves. The rows hold the numbers of leaves within the method. A method with
    more than ``max_contexts`` contexts keeps a sample by its seed; a negative number keeps all."""
    out = np.empty((1024, 3), dtype=np.int32)
    ends = np.zeros(len(offsets), dtype=np.int64)
    no_samples = np.empty(0, dtype=np.int64)
    for method in range(len(offsets) - 1):
        first, last = offsets[method], offsets[method + 1]
        size, row = last - first, ends[method]
        ends[method + 1] = row
        if size == 0 or max_length < 2:
            continue
        tree = Tree(
            nodes[first:last, 1].copy(),
            nodes[first:last, 2].copy(),
            leaf[first:last],
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int32),
            np.empty((size, max_length - 1), dtype=np.int32),
            np.empty(size, dtype=np.int32),
            np.empty((size, 6), dtype=np.uint64),
        )
        _measure_tree(tree)
        pair_count = _count_pairs(tree, max_length, max_width)
        if pair_count == 0:
            continue
        takes_all = max_contexts < 0 or pair_count <= max_contexts
        context_count = pair_count if takes_all else max_contexts
        if row + context_count > len(out):
            larger = np.empty((2 * (row + context_count), 3), dtype=np.int32)
            larger[:row] = out[:row]
            out = larger
        if context_count > 0:
            kinds = nodes[first:last, 0].astype(np.uint8)
            _hash_pieces(tree, kinds, opened, powers, numbers)
            sampled = (
                no_samples
                if takes_all
                else _sample_numbers(pair_count, max_contexts, seeds[method])
            )
            ends[method + 1] = _write_pairs(
                tree, max_length, max_width, sampled, takes_all, out, row
            )
    return ends, out[: ends[-1]].copy()
