"""Which locations are changed together, and the random numbers that decide it."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.transforms.location import FEWEST, Location, Numbered, chosen, seeded, share_of


def located(count: int, refused: frozenset[int] = frozenset()) -> list[Location]:
    return [
        Location(f"k:x:{n}", 0, 10 * n, 10 * n + 5, "no" if n in refused else "")
        for n in range(count)
    ]


def test_single_is_each_alone() -> None:
    made = chosen(located(4, frozenset({1})), "single", random.Random(0))
    assert [[one.id for one in group] for group in made] == [["k:x:0"], ["k:x:2"], ["k:x:3"]]
    assert chosen([], "single", random.Random(0)) == []


def test_all_is_all_accepted() -> None:
    made = chosen(located(4, frozenset({1})), "all", random.Random(0))
    assert [[one.id for one in group] for group in made] == [["k:x:0", "k:x:2", "k:x:3"]]
    assert chosen(located(2, frozenset({0, 1})), "all", random.Random(0)) == []


@given(st.integers(0, 60), st.integers(1, 100), st.integers(0, 2**40), st.sets(st.integers(0, 60)))
def test_a_share(count: int, percent: int, seed: int, refused: set[int]) -> None:
    locations = located(count, frozenset(refused))
    accepted = [one for one in locations if not one.refused]
    made = chosen(locations, f"{percent}%", seeded(seed))
    wanted = len(accepted) * percent // 100 if len(accepted) >= FEWEST else 0
    assert [len(group) for group in made] == ([wanted] if wanted else [])
    for group in made:
        assert [one for one in accepted if one in group] == group, "in order, none twice"
    assert made == chosen(locations, f"{percent}%", seeded(seed)), "the same each time"


def test_every_location_has_its_chance() -> None:
    seen = {
        one.id
        for seed in range(60)
        for group in chosen(located(8), "25%", seeded(seed))
        for one in group
    }
    assert len(seen) == 8


def test_what_overlaps_is_not_made_together() -> None:
    reaches = [(0, 10), (5, 15), (10, 20), None, (19, 30), (20, 30), None]
    locations = [Location(f"k:x:{n}", 0, 0, 1, reach=reach) for n, reach in enumerate(reaches)]
    (together,) = chosen(locations, "all", random.Random(0))
    assert [one.id[-1] for one in together] == ["0", "2", "3", "5", "6"]
    assert len(chosen(locations, "single", random.Random(0))) == len(reaches)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), max_size=30))
def test_an_earlier_one_wins(drawn: list[tuple[int, int]]) -> None:
    reaches = [(start, start + size) for start, size in drawn]
    locations = [Location(f"{n}", 0, 0, 1, reach=reach) for n, reach in enumerate(reaches)]
    kept = {int(one.id) for group in chosen(locations, "all", random.Random(0)) for one in group}
    for number, (start, end) in enumerate(reaches):
        before = [reaches[one] for one in kept if one < number]
        assert (number in kept) == all(end <= low or high <= start for low, high in before)


@pytest.mark.parametrize(
    ("where", "share"), [("single", None), ("all", None), ("1%", 1), ("25%", 25), ("100%", 100)]
)
def test_modes(where: str, share: int | None) -> None:
    assert share_of(where) == share


@pytest.mark.parametrize("where", ["", "0%", "101%", "50", "-5%", "25.5%", "some", "ALL", "1000%"])
def test_what_is_no_mode(where: str) -> None:
    with pytest.raises(CodeacumenError, match="no mode"):
        share_of(where)
    with pytest.raises(CodeacumenError, match="no mode"):
        chosen(located(5), where, random.Random(0))


def test_seeds_depend_on_their_words_alone() -> None:
    first = seeded(3, "loop", "T.f(int)").random()
    assert first == seeded(3, "loop", "T.f(int)").random()
    others = {
        seeded(4, "loop", "T.f(int)").random(),
        seeded(3, "rename", "T.f(int)").random(),
        seeded(3, "loop", "T.f(long)").random(),
        seeded(3, "loopT", ".f(int)").random(),
        seeded(3, "loop").random(),
        seeded(-3, "loop", "T.f(int)").random(),
    }
    assert len(others | {first}) == 7
    assert 0 <= seeded(0, "größe", "\udcff").random() < 1, "any text will do"


def test_seeds_are_the_same_in_another_process() -> None:
    """Not built on ``hash``, which differs from process to process."""
    code = "from codeacumen.transforms.location import seeded; print(seeded(7, 'a', 'b').random())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) == seeded(7, "a", "b").random()


def test_ids_are_numbered_by_what_they_name() -> None:
    numbered = Numbered("rename")
    assert [numbered.id(name) for name in ("x", "y", "x", "x", "y")] == [
        "rename:x:0",
        "rename:y:0",
        "rename:x:1",
        "rename:x:2",
        "rename:y:1",
    ]
