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
from research.lexicon.contrast import build_frame_tables
from research.lexicon.flow import build_flow_table
from research.lexicon.pair_tables import PairTable, compute_association, make_keys, split_keys
from research.lexicon.reading import Reading, read_file
from research.lexicon.relations import _compare_letters
from research.lexicon.words import split_pieces

WORDS = ["get", "set", "item", "name", "min", "max", "value"]
PLACE = {word: i for i, word in enumerate(WORDS)}


def read_files(sources: list[str], language: str = "javascript") -> Reading:
    names: dict[str, int] = {}
    files = [read_file(language, source.encode(), names, {}) for source in sources]
    empty = np.zeros((0, 5), dtype=np.int32)
    lists = []
    for column in (3, 4):
        rows = [
            np.column_stack([np.zeros(len(file[column]), dtype=np.int32), file[column]])
            for file in files
        ]
        lists.append(np.concatenate([empty, *rows]).astype(np.int32))
    declared = np.column_stack([lists[0], np.cumsum(lists[0][:, 3] == 0)]).astype(np.int32)
    return Reading(
        "",
        list(names),
        [],
        np.concatenate([file[0] for file in files]),
        np.concatenate([file[1] for file in files]),
        np.cumsum([0] + [len(file[0]) for file in files]),
        np.zeros(0, dtype=np.int32),
        declared,
        lists[1],
        np.concatenate([file[5] for file in files]),
    )


def value_of_words(table: PairTable) -> dict[tuple[str, str], float]:
    left, right = split_keys(table.key)
    ends = zip(left.tolist(), right.tolist(), table.value.tolist(), strict=True)
    return {(WORDS[i], WORDS[j]): value for i, j, value in ends}


NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(NAMES, min_size=1, max_size=6), min_size=1, max_size=8))
def test_frames_against_plain_python(files: list[list[str]]) -> None:
    """Compare with counts of pairs by plain Python, passed to ``compute_association``."""
    same_file: Counter[tuple[int, int]] = Counter()
    fillers: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for names in files:
        words_of_frame: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for name in names:
            parts = split_pieces(name)
            for i in range(len(parts) if len(parts) > 1 else 0):
                frame = (*parts[:i], "*", *parts[i + 1 :])
                words_of_frame[frame].add(PLACE[parts[i]])
                fillers[frame].add(PLACE[parts[i]])
        for words in words_of_frame.values():
            same_file.update(combinations(sorted(words), 2))
    shared = Counter(pair for words in fillers.values() for pair in combinations(sorted(words), 2))
    tables = build_frame_tables(read_files(["; ".join(names) for names in files]), PLACE)
    for table, counted, least in zip(tables, (same_file, shared), (3, 2), strict=True):
        often = sorted((pair, count) for pair, count in counted.items() if count >= 2)
        ends = np.array([pair for pair, _ in often], dtype=np.int64).reshape(-1, 2)
        counts = np.array([count for _, count in often], dtype=np.float64)
        expected = compute_association(
            make_keys(ends[:, 0], ends[:, 1]), counts, contrast.SHRINKAGE
        )
        assert table.key.tolist() == expected.key[counts >= least].tolist()
        assert table.value.tolist() == expected.value[counts >= least].tolist()


def test_words_that_fill_one_frame_in_a_file_contrast() -> None:
    source = "minValue; maxValue;"
    contrasted, shared = build_frame_tables(
        read_files([source, source, source, "getItem", "setItem"]), PLACE
    )
    assert set(value_of_words(contrasted)) == {("min", "max")}
    # They meet in one file only, which is too little evidence.
    assert value_of_words(shared) == {}


def test_association_by_hand() -> None:
    """Two pairs of the same word: occurrences are 5, 3 and 2 of 10."""
    key = np.array([1, 2], dtype=np.int64)  # (0, 1) and (0, 2)
    table = compute_association(key, np.array([3.0, 2.0]), 5.0)
    assert table.value[0] == pytest.approx(np.log1p(3 * 10 / 15) * 3 / 8)
    assert table.look_up(np.array([1, 3, 2])).tolist() == [table.value[0], 0.0, table.value[1]]


def test_flow_relates_argument_and_parameter() -> None:
    source = "function store(maxValue, other) {} store(minValue, 3); store(a.minValue, other)"
    assert set(value_of_words(build_flow_table(read_files([source]), PLACE))) == {("min", "max")}
    # The names differ in length, so no word corresponds to another.
    assert (
        value_of_words(build_flow_table(read_files(["function f(value) {} f(minValue)"]), PLACE))
        == {}
    )
    # The numbers of arguments and parameters differ.
    assert (
        value_of_words(build_flow_table(read_files(["function f(min) {} f(max, 1)"]), PLACE)) == {}
    )


def test_flow_needs_at_most_two_possible_declarations() -> None:
    one_declaration = "function f(min) {} f(max);"
    assert set(value_of_words(build_flow_table(read_files([one_declaration]), PLACE))) == {
        ("min", "max")
    }
    two_declarations = one_declaration + "var o = { f(name) {} };"
    # Either of two declarations may be the callee.
    assert set(value_of_words(build_flow_table(read_files([two_declarations]), PLACE))) == {
        ("min", "max"),
        ("name", "max"),
    }
    three_declarations = two_declarations + "var p = { f(item) {} };"
    assert value_of_words(build_flow_table(read_files([three_declarations]), PLACE)) == {}


def test_flow_relates_assigned_names() -> None:
    assert set(value_of_words(build_flow_table(read_files(["var item = value;"]), PLACE))) == {
        ("item", "value")
    }
    # The verb of a getter is ignored.
    assert set(value_of_words(build_flow_table(read_files(["item = o.getValue();"]), PLACE))) == {
        ("item", "value")
    }
    assert value_of_words(build_flow_table(read_files(["value = o.getValue();"]), PLACE)) == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=2, max_size=5))
def test_letter_comparison_agrees_with_rapidfuzz(words: list[str]) -> None:
    pairs = np.array(list(combinations(range(len(words)), 2)))
    edits, begins = _compare_letters(words, pairs[:, 0], pairs[:, 1])
    for (i, j), edit, begin in zip(pairs.tolist(), edits, begins, strict=True):
        left, right = words[i], words[j]
        assert edit == pytest.approx(Levenshtein.normalized_similarity(left, right), abs=1e-6)
        common = next((k for k in range(9) if left[: k + 1] != right[: k + 1] or k == len(left)), 0)
        assert begin == pytest.approx(
            min(common, len(right)) / min(len(left), len(right)), abs=1e-6
        )
