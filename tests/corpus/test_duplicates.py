"""Tests of near-duplicates. Oracles: brute force over all pairs, and datasketch's MinHash LSH."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from codeacumen.corpus.duplicates import (
    MOST_COMPARED,
    SHINGLE,
    Pairs,
    find_near_duplicates,
)
from codeacumen.text.columns import Ragged


def make_ragged(lists: Sequence[Any], dtype: Any) -> Ragged:
    """Return the lists as one ragged column."""
    offsets = np.concatenate([[0], np.cumsum([len(values) for values in lists], dtype=np.int64)])
    return Ragged(np.concatenate([np.empty(0, dtype), *lists]).astype(dtype), offsets)


def shingle_set(tokens: list[int]) -> set[tuple[int, ...]]:
    return {tuple(tokens[i : i + SHINGLE]) for i in range(len(tokens) - SHINGLE + 1)}


def compute_jaccard(left: list[int], right: list[int]) -> float:
    left_shingles, right_shingles = shingle_set(left), shingle_set(right)
    return len(left_shingles & right_shingles) / len(left_shingles | right_shingles)


def list_pairs(duplicates: Pairs) -> dict[tuple[int, int], float]:
    """Return the similarity of every pair of methods, also of pairs of copies."""
    original = duplicates.original
    copies = {int(o): np.flatnonzero(original == o).tolist() for o in np.unique(original)}
    pairs = {pair: 1.0 for methods in copies.values() for pair in combinations(methods, 2)}
    for left, right, similarity in zip(
        duplicates.left.tolist(),
        duplicates.right.tolist(),
        duplicates.similarity.tolist(),
        strict=True,
    ):
        for pair in product(copies[left], copies[right]):
            assert pairs.setdefault((min(pair), max(pair)), similarity) == similarity
    return pairs


def make_methods(seed: int = 3) -> Ragged:
    """Return random methods, and copies of some of them with none to four changed tokens.

    Ten of the methods have many copies, so that clusters have up to twelve methods.
    """
    rng = np.random.default_rng(seed)
    methods = [rng.integers(0, 400, rng.integers(60, 240)) for _ in range(120)]
    for original in range(60):
        copy = methods[original].copy()
        for _ in range(1 + original % 4):
            copy[rng.integers(0, len(copy))] = 999
        methods.append(copy)
    for original in range(10):
        for changes in range(11):
            copy = methods[original].copy()
            for _ in range(changes % 4):
                copy[rng.integers(0, len(copy))] = 1000 + changes
            methods.append(copy)
    return make_ragged(methods, np.int64)


def test_near_duplicates_equal_brute_force() -> None:
    methods = make_methods()
    duplicates = find_near_duplicates(methods, threshold=0.8)
    expected = {
        (i, j)
        for i, j in combinations(range(len(methods)), 2)
        if compute_jaccard(methods[i], methods[j]) >= 0.8
    }
    assert len(expected) > 400
    pairs = list_pairs(duplicates)
    assert set(pairs) == expected
    for (i, j), value in pairs.items():
        assert value == pytest.approx(compute_jaccard(methods[i], methods[j]))
    sizes = np.bincount(duplicates.cluster)
    assert sizes.max() >= 12


def test_candidates_agree_with_datasketch() -> None:
    from datasketch import MinHash, MinHashLSH

    methods = make_methods(seed=8)
    index = MinHashLSH(threshold=0.8, num_perm=256)
    sketches = []
    for i in range(len(methods)):
        sketch = MinHash(num_perm=256, seed=1)
        for shingle in shingle_set(methods[i]):
            sketch.update(repr(shingle).encode())
        sketches.append(sketch)
        index.insert(i, sketch)
    datasketch_pairs = {
        (min(i, j), max(i, j))
        for i, sketch in enumerate(sketches)
        for j in index.query(sketch)
        if i != j and compute_jaccard(methods[i], methods[j]) >= 0.85
    }
    duplicates = find_near_duplicates(methods, threshold=0.8)
    our_pairs = set(list_pairs(duplicates))
    assert datasketch_pairs
    assert datasketch_pairs <= our_pairs


def test_short_methods_are_not_compared() -> None:
    getter = [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(find_near_duplicates(make_ragged([np.array(getter)] * 3, np.int64)).left) == 0
    duplicates = find_near_duplicates(make_ragged([np.array(getter)] * 3, np.int64), shortest=5)
    assert duplicates.cluster.tolist() == [0, 0, 0]


def test_many_copies_are_one_cluster_with_linear_work() -> None:
    method = np.arange(60)
    duplicates = find_near_duplicates(make_ragged([method] * 10_000, np.int64))
    assert set(duplicates.cluster.tolist()) == set(duplicates.original.tolist()) == {0}
    assert len(duplicates.left) == 0


def test_many_different_near_duplicates_are_one_cluster_with_linear_work() -> None:
    methods = np.tile(np.arange(200), (3000, 1))
    methods[:, 100] = np.arange(3000) + 1000
    duplicates = find_near_duplicates(make_ragged(methods.tolist(), np.int64))
    assert set(duplicates.cluster.tolist()) == {0}
    assert len(set(duplicates.original.tolist())) == 3000
    assert len(duplicates.left) < 2 * MOST_COMPARED * 3000


def test_no_methods_have_no_duplicates() -> None:
    assert len(find_near_duplicates(make_ragged([], np.int64)).left) == 0
    assert len(find_near_duplicates(make_ragged([np.array([], np.int64)] * 4, np.int64)).left) == 0
