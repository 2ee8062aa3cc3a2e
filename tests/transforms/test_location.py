"""Tests of selecting the locations that are changed together, and of the random numbers for it."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.transforms.location import (
    MIN_LOCATIONS_FOR_SHARE,
    Location,
    LocationIds,
    parse_share,
    seeded_random,
    select_locations,
)


def make_locations(count: int, refused: frozenset[int] = frozenset()) -> list[Location]:
    return [
        Location(f"k:x:{n}", 0, 10 * n, 10 * n + 5, "no" if n in refused else "")
        for n in range(count)
    ]


def test_single_selects_each_location_alone() -> None:
    groups = select_locations(make_locations(4, frozenset({1})), "single", random.Random(0))
    assert [[location.id for location in group] for group in groups] == [
        ["k:x:0"],
        ["k:x:2"],
        ["k:x:3"],
    ]
    assert select_locations([], "single", random.Random(0)) == []


def test_all_selects_all_accepted_locations() -> None:
    groups = select_locations(make_locations(4, frozenset({1})), "all", random.Random(0))
    assert [[location.id for location in group] for group in groups] == [
        ["k:x:0", "k:x:2", "k:x:3"]
    ]
    assert select_locations(make_locations(2, frozenset({0, 1})), "all", random.Random(0)) == []


@given(st.integers(0, 60), st.integers(1, 100), st.integers(0, 2**40), st.sets(st.integers(0, 60)))
def test_percentage_selects_that_share(
    count: int, percent: int, seed: int, refused: set[int]
) -> None:
    locations = make_locations(count, frozenset(refused))
    accepted = [location for location in locations if not location.refused]
    groups = select_locations(locations, f"{percent}%", seeded_random(seed))
    expected_count = (
        len(accepted) * percent // 100 if len(accepted) >= MIN_LOCATIONS_FOR_SHARE else 0
    )
    assert [len(group) for group in groups] == ([expected_count] if expected_count else [])
    for group in groups:
        assert [location for location in accepted if location in group] == group, (
            "in order, none twice"
        )
    assert groups == select_locations(locations, f"{percent}%", seeded_random(seed)), (
        "the same each time"
    )


def test_every_location_can_be_selected() -> None:
    selected_ids = {
        location.id
        for seed in range(60)
        for group in select_locations(make_locations(8), "25%", seeded_random(seed))
        for location in group
    }
    assert len(selected_ids) == 8


def test_overlapping_locations_are_not_selected_together() -> None:
    reaches = [(0, 10), (5, 15), (10, 20), None, (19, 30), (20, 30), None]
    locations = [Location(f"k:x:{n}", 0, 0, 1, reach=reach) for n, reach in enumerate(reaches)]
    (together,) = select_locations(locations, "all", random.Random(0))
    assert [location.id[-1] for location in together] == ["0", "2", "3", "5", "6"]
    assert len(select_locations(locations, "single", random.Random(0))) == len(reaches)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=30))
def test_earlier_location_has_precedence(starts_and_sizes: list[tuple[int, int]]) -> None:
    reaches = [(start, start + size) for start, size in starts_and_sizes]
    locations = [Location(f"{n}", 0, 0, 1, reach=reach) for n, reach in enumerate(reaches)]
    selected_numbers = {
        int(location.id)
        for group in select_locations(locations, "all", random.Random(0))
        for location in group
    }
    for number, (start, end) in enumerate(reaches):
        before = [reaches[earlier] for earlier in selected_numbers if earlier < number]
        assert (number in selected_numbers) == all(
            end <= low or high <= start for low, high in before
        )


@pytest.mark.parametrize(
    ("where", "share"), [("single", None), ("all", None), ("1%", 1), ("25%", 25), ("100%", 100)]
)
def test_mode_is_parsed(where: str, share: int | None) -> None:
    assert parse_share(where) == share


@pytest.mark.parametrize("where", ["", "0%", "101%", "50", "-5%", "25.5%", "some", "ALL", "1000%"])
def test_invalid_mode_is_refused(where: str) -> None:
    with pytest.raises(CodeacumenError, match="no mode"):
        parse_share(where)
    with pytest.raises(CodeacumenError, match="no mode"):
        select_locations(make_locations(5), where, random.Random(0))


def test_seeds_depend_only_on_their_words() -> None:
    first = seeded_random(3, "loop", "T.f(int)").random()
    assert first == seeded_random(3, "loop", "T.f(int)").random()
    others = {
        seeded_random(4, "loop", "T.f(int)").random(),
        seeded_random(3, "rename", "T.f(int)").random(),
        seeded_random(3, "loop", "T.f(long)").random(),
        seeded_random(3, "loopT", ".f(int)").random(),
        seeded_random(3, "loop").random(),
        seeded_random(-3, "loop", "T.f(int)").random(),
    }
    assert len(others | {first}) == 7
    assert 0 <= seeded_random(0, "größe", "\udcff").random() < 1, "any text will do"


def test_seeds_are_the_same_in_another_process() -> None:
    """Seeds do not use ``hash``, which differs between processes."""
    code = (
        "from codeacumen.transforms.location import seeded_random; print(seeded_random(7, "
        "'a', 'b').random())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) == seeded_random(7, "a", "b").random()


def test_ids_are_numbered_per_name() -> None:
    numbered = LocationIds("rename")
    assert [numbered.next_id(name) for name in ("x", "y", "x", "x", "y")] == [
        "rename:x:0",
        "rename:y:0",
        "rename:x:1",
        "rename:x:2",
        "rename:y:1",
    ]
