"""Oracle for which paths there are: all pairs of leaves of acorn's trees (acorn_paths.js)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.languages.javascript import parse_javascript
from codeacumen.languages.javascript.paths import LENGTH, MOST, WIDTH, Paths, paths

NO_LIMIT = 10**9


def measured(found: Paths) -> list[tuple[int, ...]]:
    """Where the two leaves of each path start, the edges up and down, and the width."""
    shape = found.tree
    start = found.syntax.start[shape.node].tolist()
    up, depth, place = shape.up.tolist(), shape.depth.tolist(), shape.place.tolist()
    leaf = shape.leaf.tolist()
    result = []
    for left, right in zip(found.left.tolist(), found.right.tolist(), strict=True):
        a, b = leaf[left], leaf[right]
        ends, rise, fall, low, high = (start[a], start[b]), 0, 0, 0, 0
        while a != b:
            if depth[a] >= depth[b]:
                low, a, rise = place[a], up[a], rise + 1
            else:
                high, b, fall = place[b], up[b], fall + 1
        result.append((*ends, rise, fall, high - low))
    return sorted(result)


@pytest.mark.parametrize(("length", "width"), [(LENGTH, WIDTH), (4, 1), (12, 2)])
def test_hard_constructs(acorn: Any, hard: Path, length: int, width: int) -> None:
    ((_, found),) = acorn("acorn_paths", [hard], length, width, NO_LIMIT)
    syntax = parse_javascript(hard.read_bytes())
    expected = sorted(tuple(one) for one in found["paths"])
    assert measured(paths(syntax, length, width, NO_LIMIT)) == expected
    assert len(expected) > 500


@pytest.mark.thorough
def test_real_packages(acorn: Any, real_files: list[Path]) -> None:
    count = 0
    different = []
    for file, found in acorn("acorn_paths", real_files, LENGTH, WIDTH, 2000):
        if found["paths"] is None:
            continue  # all pairs of so many leaves would take too long
        expected = sorted(tuple(one) for one in found["paths"])
        count += len(expected)
        if measured(paths(parse_javascript(file.read_bytes()), most=NO_LIMIT)) != expected:
            different.append(file.name)
    assert different == []
    assert count > 200_000


def test_a_path_has_one_hash_and_a_hash_one_path(real_files: list[Path]) -> None:
    hashes: dict[str, int] = {}
    for file in real_files[::20]:
        found = paths(parse_javascript(file.read_bytes()))
        for i, (path, back) in enumerate(
            zip(found.path.tolist(), found.back.tolist(), strict=True)
        ):
            left, right = int(found.left[i]), int(found.right[i])
            assert hashes.setdefault(found.string(i), path) == path
            assert hashes.setdefault(found.between(right, left), back) == back
    assert len(set(hashes.values())) == len(hashes) > 10_000


def test_an_example() -> None:
    found = paths(parse_javascript(b"while (!d) { if (done(1)) d = true }"), width=1)
    named = [
        (found.words[found.word[left]], found.string(i), found.words[found.word[right]])
        for i, (left, right) in enumerate(zip(found.left, found.right, strict=True))
    ]
    assert named[0] == (
        "d",
        "(identifier0)^(unary_expression!)^(while_statement)_(statement_block)_(if_statement)"
        "_(call_expression)_(identifier0)",
        "done",
    )
    assert ("done", "(identifier0)^(call_expression)_(number1)", "1") in named
    assert (
        "done",
        "(identifier0)^(call_expression)^(if_statement)_(expression_statement)"
        "_(assignment_expression)_(identifier0)",
        "d",
    ) in named
    assert len(named) == 10  # all pairs of the five leaves


def test_long_arrays_side_by_side_give_no_square_of_paths() -> None:
    array = ",".join(["1"] * 20_000)
    found = paths(parse_javascript(f"x = f([{array}], [{array}])".encode()))
    assert len(found) <= len(found.tree.leaf) * MOST
    # The nearest come first: an element's next ones before those of the other array.
    first = [int(right) for left, right in zip(found.left, found.right, strict=True) if left == 2]
    assert first[:3] == [3, 4, 5]
    assert first[3] > 20_000


@pytest.mark.parametrize(
    "source", ["", "a", "// only a comment", ";", "#!/bin/sh", "a b c (", "\x00"]
)
def test_little_or_nothing(source: str) -> None:
    for length in (0, 1, 2, 7):
        for width in (0, 3):
            found = paths(parse_javascript(source.encode()), length, width)
            assert all(found.string(i) for i in range(len(found)))


@given(st.binary(max_size=300) | st.text(alphabet="ab.(){}=>[],:;#<`'1 ", max_size=60))
def test_any_source_gives_paths(source: bytes | str) -> None:
    source = source if isinstance(source, bytes) else source.encode()
    found = paths(parse_javascript(source))
    assert all(rise + fall <= LENGTH for _, _, rise, fall, _ in measured(found))
    assert all(0 < width <= WIDTH for *_, width in measured(found))


@pytest.mark.parametrize("piece", ["(", "[a,", "{a:", "a.", "f(a,", "x=>", "<a>", "a+", "`${"])
def test_deep_nesting_is_survivable(piece: str) -> None:
    found = paths(parse_javascript(f"x = {piece * 10_000}y".encode()))
    assert len(found) <= len(found.tree.leaf) * MOST
