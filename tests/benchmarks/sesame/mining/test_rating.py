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
    Pair,
    assign,
    merge_exports,
    table,
    write_assignment,
)
from codeacumen.benchmarks.sesame.survey import clean, is_sesame


def pairs(many: int) -> list[Pair]:
    return [Pair(str(i), f"left {i}", f"right {i}") for i in range(many)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 60), st.integers(1, 9), st.integers(1, 9), st.integers(0, 5))
def test_votes_and_loads(many: int, raters: int, votes: int, seed: int) -> None:
    if votes > raters:
        with pytest.raises(CodeacumenError):
            assign(pairs(many), raters, votes=votes, seed=seed)
        return
    turns = assign(pairs(many), raters, votes=votes, seed=seed)
    asked = Counter((one.rater, one.pair) for one in turns)
    assert set(asked.values()) <= {1}
    assert Counter(one.pair for one in turns) == {str(i): votes for i in range(many)}
    loads = Counter(one.rater for one in turns)
    counts = [loads[f"rater-{i}"] for i in range(1, raters + 1)]
    assert max(counts) - min(counts) <= 1
    for name in loads:
        positions = [one.position for one in turns if one.rater == name]
        assert positions == list(range(1, len(positions) + 1))
    for one in turns:
        assert {one.left, one.right} == {f"left {one.pair}", f"right {one.pair}"}
    assert len({(one.pair, one.left) for one in turns}) == many


def test_orders_sides_and_groups_are_random_and_come_from_the_seed() -> None:
    turns = assign(pairs(900), 8, seed=3)
    assert turns == assign(pairs(900)[::-1], 8, seed=3)
    assert turns != assign(pairs(900), 8, seed=4)
    swapped = {one.pair for one in turns if one.left.startswith("right")}
    # A fair coin 900 times: 450 ± four standard deviations.
    assert 390 < len(swapped) < 510
    orders = {}
    for name in {one.rater for one in turns}:
        orders[name] = [int(one.pair) for one in turns if one.rater == name]
        assert orders[name] != sorted(orders[name])
    for one, other in combinations(orders, 2):
        common = set(orders[one]) & set(orders[other])
        # Each two of eight meet on 900 · 3 · 2 / (8 · 7) = 96 pairs on average.
        assert 60 < len(common) < 135
        assert [i for i in orders[one] if i in common] != [i for i in orders[other] if i in common]


def test_who_the_others_are_does_not_change_the_sides() -> None:
    few, more = assign(pairs(40), 3), assign(pairs(40), ["a", "b", "c", "d", "e"])
    assert {(one.pair, one.left) for one in few} == {(one.pair, one.left) for one in more}


def test_csv(tmp_path: Path) -> None:
    odd = [Pair('a,"b"\n', "=1+1", "é\ud800"), Pair("2", "", "x")]
    turns = assign(odd, ["Ann, B.", "Zoë"], votes=2)
    write_assignment(turns, tmp_path / "assignment.csv")
    path = tmp_path / "assignment.csv"
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as stream:
        written = list(csv.DictReader(stream))
    assert written == [{name: str(value) for name, value in asdict(turn).items()} for turn in turns]
    rows = list(csv.reader(table(assign(pairs(1), ["a", "b", "c"])).splitlines()))
    assert rows[0] == ["rater", "position", "pair", "left", "right"]
    assert [row[:3] for row in rows[1:]] == [[name, "1", "0"] for name in "abc"]


@pytest.mark.parametrize(
    ("given_pairs", "raters", "votes"),
    [
        (pairs(2), ["a", "a"], 1),
        (pairs(2), ["a", ""], 1),
        (pairs(2), 2, 0),
        (pairs(2), 0, 1),
        (pairs(1) * 2, 3, 3),
    ],
)
def test_what_cannot_be_dealt(given_pairs: list[Pair], raters: object, votes: int) -> None:
    with pytest.raises(CodeacumenError):
        assign(given_pairs, raters, votes=votes)  # type: ignore[arg-type]


def _export(votes: dict[str, tuple[int, int]]) -> list[dict[str, object]]:
    side = {"project": "p", "file": "f", "method": "m"}
    return [
        {"pairid": pair, "first": side, "second": side}
        | {key: [{"rating": r, "confidence": c}] for key in ("goals", "operations", "effects")}
        for pair, (r, c) in votes.items()
    ]


def test_the_votes_of_all_can_be_cleaned(tmp_path: Path) -> None:
    """By the rule that leads from SeSaMe's 900 pairs to 857."""
    found = merge_exports(
        {
            "zoe": _export({"1": (2, 2), "2": (0, 2)}),
            "ann": _export({"1": (2, 1), "2": (2, 2), "10": (1, 1)}),
        }
    )
    assert [one["pairid"] for one in found] == ["1", "2", "10"]
    assert found[2]["goals"] == [{"rating": 1, "confidence": 1}, {"rating": -1, "confidence": -1}]
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(found))
    assert is_sesame(path)
    report = clean(path, tmp_path / "out")
    assert report["pairs"] == {"before": 3, "after": 2}
    assert [one["pair"] for one in report["removed"]] == ["2"]
    with pytest.raises(CodeacumenError):
        merge_exports({"x": [{"pairid": "1"}]})
