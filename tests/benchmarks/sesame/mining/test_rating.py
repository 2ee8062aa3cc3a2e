from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeacumen.api import CodeacumenError
from codeacumen.benchmarks.sesame.mining.rating import (
    PairToRate,
    assign_pairs,
    format_table,
    merge_exports,
    write_assignment,
)
from codeacumen.benchmarks.sesame.survey import clean_ratings, is_sesame


def make_pairs(count: int) -> list[PairToRate]:
    return [PairToRate(str(i), f"left {i}", f"right {i}") for i in range(count)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 60), st.integers(1, 9), st.integers(1, 9), st.integers(0, 5))
def test_votes_per_pair_and_loads_are_balanced(
    pair_count: int, raters: int, votes: int, seed: int
) -> None:
    if votes > raters:
        with pytest.raises(CodeacumenError):
            assign_pairs(make_pairs(pair_count), raters, votes=votes, seed=seed)
        return
    turns = assign_pairs(make_pairs(pair_count), raters, votes=votes, seed=seed)
    turn_counts = Counter((turn.rater, turn.pair) for turn in turns)
    assert set(turn_counts.values()) <= {1}
    assert Counter(turn.pair for turn in turns) == {str(i): votes for i in range(pair_count)}
    loads = Counter(turn.rater for turn in turns)
    counts = [loads[f"rater-{i}"] for i in range(1, raters + 1)]
    assert max(counts) - min(counts) <= 1
    for name in loads:
        positions = [turn.position for turn in turns if turn.rater == name]
        assert positions == list(range(1, len(positions) + 1))
    for turn in turns:
        assert {turn.left, turn.right} == {f"left {turn.pair}", f"right {turn.pair}"}
    assert len({(turn.pair, turn.left) for turn in turns}) == pair_count


def test_orders_sides_and_groups_are_random_and_come_from_the_seed() -> None:
    turns = assign_pairs(make_pairs(900), 8, seed=3)
    assert turns == assign_pairs(make_pairs(900)[::-1], 8, seed=3)
    assert turns != assign_pairs(make_pairs(900), 8, seed=4)
    swapped = {turn.pair for turn in turns if turn.left.startswith("right")}
    # A fair coin 900 times: 450 ± four standard deviations.
    assert 390 < len(swapped) < 510
    orders = {}
    for name in {turn.rater for turn in turns}:
        orders[name] = [int(turn.pair) for turn in turns if turn.rater == name]
        assert orders[name] != sorted(orders[name])
    for rater, other_rater in combinations(orders, 2):
        common = set(orders[rater]) & set(orders[other_rater])
        # Two of eight raters share 900 · 3 · 2 / (8 · 7) = 96 pairs on average.
        assert 60 < len(common) < 135
        assert [i for i in orders[rater] if i in common] != [
            i for i in orders[other_rater] if i in common
        ]


def test_sides_do_not_depend_on_the_raters() -> None:
    three_raters, five_raters = (
        assign_pairs(make_pairs(40), 3),
        assign_pairs(make_pairs(40), ["a", "b", "c", "d", "e"]),
    )
    assert {(turn.pair, turn.left) for turn in three_raters} == {
        (turn.pair, turn.left) for turn in five_raters
    }


def test_assignment_is_written_as_csv(tmp_path: Path) -> None:
    odd_pairs = [PairToRate('a,"b"\n', "=1+1", "é\ud800"), PairToRate("2", "", "x")]
    turns = assign_pairs(odd_pairs, ["Ann, B.", "Zoë"], votes=2)
    write_assignment(turns, tmp_path / "assignment.csv")
    path = tmp_path / "assignment.csv"
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as stream:
        written_rows = list(csv.DictReader(stream))
    assert written_rows == [
        {name: str(value) for name, value in asdict(turn).items()} for turn in turns
    ]
    rows = list(csv.reader(format_table(assign_pairs(make_pairs(1), ["a", "b", "c"])).splitlines()))
    assert rows[0] == ["rater", "position", "pair", "left", "right"]
    assert [row[:3] for row in rows[1:]] == [[name, "1", "0"] for name in "abc"]


@pytest.mark.parametrize(
    ("given_pairs", "raters", "votes"),
    [
        (make_pairs(2), ["a", "a"], 1),
        (make_pairs(2), ["a", ""], 1),
        (make_pairs(2), 2, 0),
        (make_pairs(2), 0, 1),
        (make_pairs(1) * 2, 3, 3),
    ],
)
def test_impossible_assignments_are_rejected(
    given_pairs: list[PairToRate], raters: object, votes: int
) -> None:
    with pytest.raises(CodeacumenError):
        assign_pairs(given_pairs, raters, votes=votes)  # type: ignore[arg-type]


def _make_export(votes: dict[str, tuple[int, int]]) -> list[dict[str, object]]:
    side = {"project": "p", "file": "f", "method": "m"}
    return [
        {"pairid": pair, "first": side, "second": side}
        | {
            key: [{"rating": rating, "confidence": confidence}]
            for key in ("goals", "operations", "effects")
        }
        for pair, (rating, confidence) in votes.items()
    ]


def test_merged_votes_can_be_cleaned(tmp_path: Path) -> None:
    """Cleaning uses the rule that reduces SeSaMe's 900 pairs to 857."""
    merged = merge_exports(
        {
            "zoe": _make_export({"1": (2, 2), "2": (0, 2)}),
            "ann": _make_export({"1": (2, 1), "2": (2, 2), "10": (1, 1)}),
        }
    )
    assert [entry["pairid"] for entry in merged] == ["1", "2", "10"]
    assert merged[2]["goals"] == [{"rating": 1, "confidence": 1}, {"rating": -1, "confidence": -1}]
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(merged))
    assert is_sesame(path)
    report = clean_ratings(path, tmp_path / "out")
    assert report["pairs"] == {"before": 3, "after": 2}
    assert [removal["pair"] for removal in report["removed"]] == ["2"]
    with pytest.raises(CodeacumenError):
        merge_exports({"x": [{"pairid": "1"}]})
