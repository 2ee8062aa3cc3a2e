"""Near-duplicates. Oracles: brute force over all pairs, and datasketch's MinHash and LSH."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from codeacumen.corpus.duplicates import SHINGLE, near_duplicates
from codeacumen.text.columns import Ragged


def ragged(lists: Sequence[Any], dtype: Any) -> Ragged:
    """Lists put one after the other."""
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=np.int64)])
    return Ragged(np.concatenate([np.empty(0, dtype), *lists]).astype(dtype), offsets)


def shingle_set(tokens: list[int]) -> set[tuple[int, ...]]:
    return {tuple(tokens[i : i + SHINGLE]) for i in range(len(tokens) - SHINGLE + 1)}


def similarity(left: list[int], right: list[int]) -> float:
    a, b = shingle_set(left), shingle_set(right)
    return len(a & b) / len(a | b)


def corpus(seed: int = 3) -> Ragged:
    """Random methods, and copies of some with one to four tokens changed."""
    rng = np.random.default_rng(seed)
    methods = [rng.integers(0, 400, rng.integers(60, 240)) for _ in range(120)]
    for original in range(60):
        copy = methods[original].copy()
        for _ in range(1 + original % 4):
            copy[rng.integers(0, len(copy))] = 999
        methods.append(copy)
    return ragged(methods, np.int64)


def test_every_similar_pair_of_two_is_found_and_no_other() -> None:
    methods = corpus()
    found = near_duplicates(methods, threshold=0.8)
    true = {
        (i, j)
        for i, j in combinations(range(len(methods)), 2)
        if similarity(methods[i], methods[j]) >= 0.8
    }
    assert len(true) > 20
    pairs = list(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert set(pairs) == true
    for (i, j), value in zip(pairs, found.similarity, strict=True):
        assert value == pytest.approx(similarity(methods[i], methods[j]))


def test_candidates_agree_with_datasketch() -> None:
    from datasketch import MinHash, MinHashLSH

    methods = corpus(seed=8)
    index = MinHashLSH(threshold=0.8, num_perm=256)
    sketches = []
    for i in range(len(methods)):
        sketch = MinHash(num_perm=256, seed=1)
        for shingle in shingle_set(methods[i]):
            sketch.update(repr(shingle).encode())
        sketches.append(sketch)
        index.insert(i, sketch)
    theirs = {
        (min(i, j), max(i, j))
        for i, sketch in enumerate(sketches)
        for j in index.query(sketch)
        if i != j and similarity(methods[i], methods[j]) >= 0.85
    }
    found = near_duplicates(methods, threshold=0.8)
    ours = set(zip(found.left.tolist(), found.right.tolist(), strict=True))
    assert theirs
    assert theirs <= ours


def test_short_methods_are_left_alone() -> None:
    getter = [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(near_duplicates(ragged([np.array(getter)] * 3, np.int64)).left) == 0
    found = near_duplicates(ragged([np.array(getter)] * 3, np.int64), shortest=5)
    assert found.cluster.tolist() == [0, 0, 0]


def test_ten_thousand_copies_are_one_cluster_and_linear_work() -> None:
    method = np.arange(60)
    found = near_duplicates(ragged([method] * 10_000, np.int64))
    assert set(found.cluster.tolist()) == {0}
    assert len(found.left) < 30_000


def test_nothing_in_nothing_out() -> None:
    assert len(near_duplicates(ragged([], np.int64)).left) == 0
    assert len(near_duplicates(ragged([np.array([], np.int64)] * 4, np.int64)).left) == 0
