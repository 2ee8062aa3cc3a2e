"""Tests of contrast, frames and flow, against plain Python and expected values."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from research.lexicon import contrast
from research.lexicon._pairs import Table, associated, keys_of, parted
from research.lexicon._words import pieces
from research.lexicon.contrast import frames
from research.lexicon.flow import flow
from research.lexicon.reading import Reading, file_of
from research.lexicon.relations import _looks

WORDS = ["get", "set", "item", "name", "min", "max", "value"]
PLACE = {word: i for i, word in enumerate(WORDS)}


def read_files(sources: list[str], language: str = "javascript") -> Reading:
    names: dict[str, int] = {}
    read = [file_of(language, source.encode(), names, {}) for source in sources]
    empty = np.zeros((0, 5), dtype=np.int32)
    lists = []
    for column in (3, 4):
        rows = [
            np.column_stack([np.zeros(len(one[column]), dtype=np.int32), one[column]])
            for one in read
        ]
        lists.append(np.concatenate([empty, *rows]).astype(np.int32))
    declared = np.column_stack([lists[0], np.cumsum(lists[0][:, 3] == 0)]).astype(np.int32)
    return Reading(
        "",
        list(names),
        [],
        np.concatenate([one[0] for one in read]),
        np.concatenate([one[1] for one in read]),
        np.cumsum([0] + [len(one[0]) for one in read]),
        np.zeros(0, dtype=np.int32),
        declared,
        lists[1],
        np.concatenate([one[5] for one in read]),
    )


def spelled(table: Table) -> dict[tuple[str, str], float]:
    left, right = parted(table.key)
    ends = zip(left.tolist(), right.tolist(), table.value.tolist(), strict=True)
    return {(WORDS[i], WORDS[j]): value for i, j, value in ends}


NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(NAMES, min_size=1, max_size=6), min_size=1, max_size=8))
def test_frames_against_plain_python(files: list[list[str]]) -> None:
    """Compare with counts of pairs by plain Python, passed to ``compute_association``."""
    same: Counter[tuple[int, int]] = Counter()
    fillers: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for names in files:
        own: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for name in names:
            parts = pieces(name)
            for i in range(len(parts) if len(parts) > 1 else 0):
                frame = (*parts[:i], "*", *parts[i + 1 :])
                own[frame].add(PLACE[parts[i]])
                fillers[frame].add(PLACE[parts[i]])
        for words in own.values():
            same.update(combinations(sorted(words), 2))
    shared = Counter(pair for words in fillers.values() for pair in combinations(sorted(words), 2))
    found = frames(read_files(["; ".join(names) for names in files]), PLACE)
    for table, counted, least in zip(found, (same, shared), (3, 2), strict=True):
        often = sorted((pair, count) for pair, count in counted.items() if count >= 2)
        ends = np.array([pair for pair, _ in often], dtype=np.int64).reshape(-1, 2)
        counts = np.array([count for _, count in often], dtype=np.float64)
        whole = associated(keys_of(ends[:, 0], ends[:, 1]), counts, contrast.STEADINESS)
        assert table.key.tolist() == whole.key[counts >= least].tolist()
        assert table.value.tolist() == whole.value[counts >= least].tolist()


def test_words_that_are_told_apart() -> None:
    both = "minValue; maxValue;"
    found, shared = frames(read_files([both, both, both, "getItem", "setItem"]), PLACE)
    assert set(spelled(found)) == {("min", "max")}
    # They meet in one file only, which is too little evidence.
    assert spelled(shared) == {}


def test_association_by_hand() -> None:
    """Two pairs of the same word: occurrences are 5, 3 and 2 of 10."""
    key = np.array([1, 2], dtype=np.int64)  # (0, 1) and (0, 2)
    found = associated(key, np.array([3.0, 2.0]), 5.0)
    assert found.value[0] == pytest.approx(np.log1p(3 * 10 / 15) * 3 / 8)
    assert found.of(np.array([1, 3, 2])).tolist() == [found.value[0], 0.0, found.value[1]]


def test_an_argument_for_a_parameter() -> None:
    source = "function store(maxValue, other) {} store(minValue, 3); store(a.minValue, other)"
    assert set(spelled(flow(read_files([source]), PLACE))) == {("min", "max")}
    # The names differ in length, so no word corresponds to another.
    assert spelled(flow(read_files(["function f(value) {} f(minValue)"]), PLACE)) == {}
    # The numbers of arguments and parameters differ.
    assert spelled(flow(read_files(["function f(min) {} f(max, 1)"]), PLACE)) == {}


def test_who_is_called_must_be_known() -> None:
    one = "function f(min) {} f(max);"
    assert set(spelled(flow(read_files([one]), PLACE))) == {("min", "max")}
    two = one + "var o = { f(name) {} };"
    # Either of two declarations may be the callee.
    assert set(spelled(flow(read_files([two]), PLACE))) == {("min", "max"), ("name", "max")}
    three = two + "var p = { f(item) {} };"
    assert spelled(flow(read_files([three]), PLACE)) == {}


def test_what_is_assigned() -> None:
    assert set(spelled(flow(read_files(["var item = value;"]), PLACE))) == {("item", "value")}
    # The verb of a getter is ignored.
    assert set(spelled(flow(read_files(["item = o.getValue();"]), PLACE))) == {("item", "value")}
    assert spelled(flow(read_files(["value = o.getValue();"]), PLACE)) == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=2, max_size=5))
def test_looks_against_rapidfuzz(words: list[str]) -> None:
    every = np.array(list(combinations(range(len(words)), 2)))
    edits, begins = _looks(words, every[:, 0], every[:, 1])
    for (i, j), edit, begin in zip(every.tolist(), edits, begins, strict=True):
        one, other = words[i], words[j]
        assert edit == pytest.approx(Levenshtein.normalized_similarity(one, other), abs=1e-6)
        same = next((k for k in range(9) if one[: k + 1] != other[: k + 1] or k == len(one)), 0)
        assert begin == pytest.approx(min(same, len(other)) / min(len(one), len(other)), abs=1e-6)
