"""Tests of JavaScript paths. The oracle is all pairs of leaves in acorn's trees
(acorn_paths.js)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.paths import LENGTH, MOST, WIDTH, Paths, find_javascript_paths
from languages.javascript.path_notation import PathNotation

NO_LIMIT = 10**9


def measure_paths(found_paths: Paths) -> list[tuple[int, ...]]:
    """Return for each path the starts of its two leaves, its edges up and down, and its width."""
    tree = found_paths.tree
    start = found_paths.syntax.start[tree.node].tolist()
    up, depth, child_index = tree.parent.tolist(), tree.depth.tolist(), tree.child_index.tolist()
    leaf = tree.leaf.tolist()
    result = []
    for left, right in zip(found_paths.left.tolist(), found_paths.right.tolist(), strict=True):
        a, b = leaf[left], leaf[right]
        leaf_starts, edges_up, edges_down, left_index, right_index = (
            (start[a], start[b]),
            0,
            0,
            0,
            0,
        )
        while a != b:
            if depth[a] >= depth[b]:
                left_index, a, edges_up = child_index[a], up[a], edges_up + 1
            else:
                right_index, b, edges_down = child_index[b], up[b], edges_down + 1
        result.append((*leaf_starts, edges_up, edges_down, right_index - left_index))
    return sorted(result)


@pytest.mark.parametrize(("length", "width"), [(LENGTH, WIDTH), (4, 1), (12, 2)])
def test_hard_constructs_agree_with_acorn(acorn: Any, hard: Path, length: int, width: int) -> None:
    ((_, record),) = acorn("acorn_paths", [hard], length, width, NO_LIMIT)
    syntax = parse_javascript(hard.read_bytes())
    expected = sorted(tuple(path) for path in record["paths"])
    assert measure_paths(find_javascript_paths(syntax, length, width, NO_LIMIT)) == expected
    assert len(expected) > 500


@pytest.mark.thorough
def test_real_packages_agree_with_acorn(acorn: Any, real_files: list[Path]) -> None:
    count = 0
    different = []
    for file, record in acorn("acorn_paths", real_files, LENGTH, WIDTH, 2000):
        if record["paths"] is None:
            continue  # acorn_paths.js skips files with too many leaves for all pairs
        expected = sorted(tuple(path) for path in record["paths"])
        count += len(expected)
        if (
            measure_paths(find_javascript_paths(parse_javascript(file.read_bytes()), most=NO_LIMIT))
            != expected
        ):
            different.append(file.name)
    assert different == []
    assert count > 200_000


def test_hashes_and_paths_correspond_one_to_one(real_files: list[Path]) -> None:
    hashes: dict[str, int] = {}
    for file in real_files[::20]:
        found_paths = find_javascript_paths(parse_javascript(file.read_bytes()))
        notation = PathNotation(found_paths)
        for index, (path_hash, reverse_path) in enumerate(
            zip(found_paths.path.tolist(), found_paths.back.tolist(), strict=True)
        ):
            left, right = int(found_paths.left[index]), int(found_paths.right[index])
            assert hashes.setdefault(notation.format_path(index), path_hash) == path_hash
            assert (
                hashes.setdefault(notation.format_path_between(right, left), reverse_path)
                == reverse_path
            )
    assert len(set(hashes.values())) == len(hashes) > 10_000


def test_paths_of_a_small_loop() -> None:
    found_paths = find_javascript_paths(
        parse_javascript(b"while (!d) { if (done(1)) d = true }"), width=1
    )
    notation = PathNotation(found_paths)
    contexts = [
        (
            found_paths.words[found_paths.word[left]],
            notation.format_path(index),
            found_paths.words[found_paths.word[right]],
        )
        for index, (left, right) in enumerate(zip(found_paths.left, found_paths.right, strict=True))
    ]
    assert contexts[0] == (
        "d",
        "(identifier0)^(unary_expression!)^(while_statement)_(statement_block)_(if_statement)"
        "_(call_expression)_(identifier0)",
        "done",
    )
    assert ("done", "(identifier0)^(call_expression)_(number1)", "1") in contexts
    assert (
        "done",
        "(identifier0)^(call_expression)^(if_statement)_(expression_statement)"
        "_(assignment_expression)_(identifier0)",
        "d",
    ) in contexts
    assert len(contexts) == 10  # all pairs of the five leaves


def test_paths_between_long_arrays_are_limited() -> None:
    array = ",".join(["1"] * 20_000)
    found_paths = find_javascript_paths(parse_javascript(f"x = f([{array}], [{array}])".encode()))
    assert len(found_paths) <= len(found_paths.tree.leaf) * MOST
    # The nearest leaves come first: the next elements of the same array before the other array.
    right_leaves = [
        int(right)
        for left, right in zip(found_paths.left, found_paths.right, strict=True)
        if left == 2
    ]
    assert right_leaves[:3] == [3, 4, 5]
    assert right_leaves[3] > 20_000


@pytest.mark.parametrize(
    "source", ["", "a", "// only a comment", ";", "#!/bin/sh", "a b c (", "\x00"]
)
def test_tiny_and_empty_sources(source: str) -> None:
    for length in (0, 1, 2, 7):
        for width in (0, 3):
            found_paths = find_javascript_paths(parse_javascript(source.encode()), length, width)
            notation = PathNotation(found_paths)
            assert all(notation.format_path(i) for i in range(len(found_paths)))


@given(st.binary(max_size=300) | st.text(alphabet="ab.(){}=>[],:;#<`'1 ", max_size=60))
def test_paths_of_any_source_keep_the_limits(source: bytes | str) -> None:
    source = source if isinstance(source, bytes) else source.encode()
    found_paths = find_javascript_paths(parse_javascript(source))
    assert all(
        edges_up + edges_down <= LENGTH
        for _, _, edges_up, edges_down, _ in measure_paths(found_paths)
    )
    assert all(0 < width <= WIDTH for *_, width in measure_paths(found_paths))


@pytest.mark.parametrize("piece", ["(", "[a,", "{a:", "a.", "f(a,", "x=>", "<a>", "a+", "`${"])
def test_deep_nesting_keeps_the_limit_of_paths(piece: str) -> None:
    found_paths = find_javascript_paths(parse_javascript(f"x = {piece * 10_000}y".encode()))
    assert len(found_paths) <= len(found_paths.tree.leaf) * MOST
