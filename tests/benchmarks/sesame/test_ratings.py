"""Readings of votes. Oracles: votes small enough to see through; scipy and scikit-learn on the
votes of the published data; figures of another measurement of them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from codeacumen.benchmarks.sesame.pairs import (
    FLAVOURS,
    Ratings,
    ceiling,
    clusters_of,
    in_approach,
    ordinal_majority,
    published,
    read_pairs,
    read_ratings,
    readings,
    voters,
)


def rated(tmp_path: Path, *votes: str) -> Ratings:
    """Pairs with the same votes in all flavours: ``rating:confidence``, − where there is none."""
    entries = []
    for place, one in enumerate(votes):
        slots = [
            {"rating": -1, "confidence": -1}
            if vote == "-"
            else {"rating": int(vote[0]), "confidence": int(vote[2])}
            for vote in one.split()
        ]
        entries.append({"pairid": str(place), **dict.fromkeys(FLAVOURS, slots)})
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(entries))
    return read_ratings(path)


@pytest.mark.parametrize(
    ("votes", "value", "mean", "majority", "majority_all"),
    [
        ("2:2 - 2:1 2:2", 2, 2, 2, 2),
        ("0:2 1:2 - 1:1", 3 / 5, 2 / 3, 1, 1),
        # A vote of low confidence weighs nothing, and has no part in the majority.
        ("0:0 2:1 - 2:2", 2, 4 / 3, 2, 2),
        ("0:1 1:1 - 2:0", 1 / 2, 1, 1 / 2, 1),
        # No majority: the middle vote.
        ("0:2 1:2 - 2:2", 1, 1, 1, 1),
        # None is sure: all count.
        ("0:0 0:0 - 2:0", 2 / 3, 2 / 3, 0, 0),
    ],
)
def test_readings(
    tmp_path: Path, votes: str, value: float, mean: float, majority: float, majority_all: float
) -> None:
    (found,) = readings(rated(tmp_path, votes))
    assert found["goals"] == found["effects"]
    assert found["goals"] == pytest.approx(
        {"value": value, "mean": mean, "majority": majority, "majority_all": majority_all}
    )


def test_the_middle_vote_is_that_of_more_than_half() -> None:
    for votes in np.ndindex(3, 3, 3):
        counts = np.bincount(votes, minlength=3)
        wanted = counts.argmax() if counts.max() > 1 else 1
        assert ordinal_majority(list(votes)) == wanted


def test_each_vote_stands_against_the_others(tmp_path: Path) -> None:
    ratings = rated(tmp_path, "0:2 1:1 2:2", "2:2 - -")
    found = [(one.pair, one.vote, one.others["value"]) for one in voters(ratings, "goals")]
    # A vote that stands alone has none to stand against.
    assert found == [
        (0, 0, pytest.approx(5 / 3)),
        (0, 1, pytest.approx(1)),
        (0, 2, pytest.approx(1 / 3)),
    ]
    assert math.isnan(ceiling(ratings, "goals", among=np.array([False, True])))


def test_people_on_the_published_votes(sesame_source: Path) -> None:
    ratings = read_ratings(sesame_source / "dataset.json")
    # Measured in another way before this was written.
    for flavour, figure in zip(FLAVOURS, (0.97, 0.94, 0.94), strict=True):
        votes = [(one.vote, one.others["mean"] >= 1) for one in voters(ratings, flavour)]
        assert len(votes) == 3 * 857
        said, truth = zip(*votes, strict=True)
        found = ceiling(ratings, flavour, "roc_auc", "mean", 1.0)
        assert found == pytest.approx(roc_auc_score(truth, said))
        assert found == pytest.approx(figure, abs=0.005)
        graded = [(one.vote, one.others["value"]) for one in voters(ratings, flavour)]
        assert ceiling(ratings, flavour) == pytest.approx(spearmanr(graded).statistic)


def entry(first: str, second: str) -> dict[str, dict[str, str]]:
    return {
        which: dict(zip(("project", "file"), one.split("/"), strict=True))
        for which, one in (("first", first), ("second", second))
    }


def test_pairs_that_are_linked_by_files_are_one_cluster() -> None:
    entries = [
        entry("p/A", "q/B"),
        entry("p/C", "q/D"),
        entry("q/B", "r/E"),
        entry("r/F", "r/E"),
        entry("p/B", "q/A"),
    ]
    one, two, three, four, five = clusters_of(tuple(entries))
    assert one == three == four == "p/A"
    assert (two, five) == ("p/C", "p/B")
    assert sorted(clusters_of(tuple(reversed(entries)))) == sorted([one, two, three, four, five])


def test_the_published_pairs(sesame_source: Path) -> None:
    pairs = read_pairs(sesame_source)
    assert len(pairs) == len({pair.id for pair in pairs}) == 857
    assert all("class " in pair.first or "interface " in pair.first for pair in pairs[:50])
    # Copies are of one cluster: who leaves a cluster out sees no copy of what is asked.
    clusters: dict[str, set[str]] = {}
    for pair in pairs:
        for text in (pair.first, pair.second):
            clusters.setdefault(text, set()).add(pair.cluster)
    assert {len(found) for found in clusters.values()} == {1}
    # Slices have both answers in them: what is similar in one way and not in another.
    for flavour in FLAVOURS:
        inside = [pair for pair in pairs if "approach differs" in pair.tags[flavour]]
        classes = {pair.readings[flavour]["mean"] >= 1 for pair in inside}
        assert classes == {True, False}
    figure_2 = {
        pair.id
        for pair in pairs
        if pair.readings["goals"]["mean"] >= 1 > pair.readings["operations"]["mean"]
    }
    for flavour, positive in (("goals", True), ("operations", False)):
        found = {
            pair.id
            for pair in pairs
            if in_approach(pair.readings, flavour)
            and (pair.readings[flavour]["mean"] >= 1) is positive
        }
        assert found == figure_2
    assert len(figure_2) == 76


def test_published_measures(sesame_source: Path) -> None:
    """Areas under the curve that were measured in another way before this was written."""
    values, pairs = published(sesame_source), read_pairs(sesame_source)
    for measure, figures in {
        "docsim": (0.94, 0.92, 0.90),
        "toksim": (0.74, 0.82, 0.76),
    }.items():
        said = [values[pair.id][measure] for pair in pairs]
        for flavour, figure in zip(FLAVOURS, figures, strict=True):
            truth = [pair.readings[flavour]["mean"] >= 1 for pair in pairs]
            assert roc_auc_score(truth, said) == pytest.approx(figure, abs=0.005)
