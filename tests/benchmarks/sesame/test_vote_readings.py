"""Tests of readings of votes. Oracles: small examples by hand, scipy and scikit-learn on the
published votes, and figures measured independently."""

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
    compute_ceiling,
    compute_clusters,
    compute_readings,
    is_in_approach_slice,
    list_voters,
    ordinal_majority,
    read_pairs,
    read_published_scores,
    read_ratings,
)


def write_ratings(tmp_path: Path, *votes: str) -> Ratings:
    """Write pairs with equal votes in all flavours: ``rating:confidence``, or ``-`` if missing."""
    entries = []
    for number, pair_votes in enumerate(votes):
        slots = [
            {"rating": -1, "confidence": -1}
            if vote == "-"
            else {"rating": int(vote[0]), "confidence": int(vote[2])}
            for vote in pair_votes.split()
        ]
        entries.append({"pairid": str(number), **dict.fromkeys(FLAVOURS, slots)})
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(entries))
    return read_ratings(path)


@pytest.mark.parametrize(
    ("votes", "value", "mean", "majority", "majority_all"),
    [
        ("2:2 - 2:1 2:2", 2, 2, 2, 2),
        ("0:2 1:2 - 1:1", 3 / 5, 2 / 3, 1, 1),
        # A vote of low confidence has no weight and no part in the majority.
        ("0:0 2:1 - 2:2", 2, 4 / 3, 2, 2),
        ("0:1 1:1 - 2:0", 1 / 2, 1, 1 / 2, 1),
        # Without a majority, the middle vote counts.
        ("0:2 1:2 - 2:2", 1, 1, 1, 1),
        # If no vote is confident, all votes count.
        ("0:0 0:0 - 2:0", 2 / 3, 2 / 3, 0, 0),
    ],
)
def test_readings_of_votes(
    tmp_path: Path, votes: str, value: float, mean: float, majority: float, majority_all: float
) -> None:
    (pair_readings,) = compute_readings(write_ratings(tmp_path, votes))
    assert pair_readings["goals"] == pair_readings["effects"]
    assert pair_readings["goals"] == pytest.approx(
        {"value": value, "mean": mean, "majority": majority, "majority_all": majority_all}
    )


def test_ordinal_majority_is_the_mode_or_the_middle_vote() -> None:
    for votes in np.ndindex(3, 3, 3):
        counts = np.bincount(votes, minlength=3)
        expected = counts.argmax() if counts.max() > 1 else 1
        assert ordinal_majority(list(votes)) == expected


def test_each_vote_is_compared_with_the_others(tmp_path: Path) -> None:
    ratings = write_ratings(tmp_path, "0:2 1:1 2:2", "2:2 - -")
    comparisons = [(vote, others["value"]) for vote, others in list_voters(ratings, "goals")]
    # A single vote has no others to compare with.
    assert comparisons == [
        (0, pytest.approx(5 / 3)),
        (1, pytest.approx(1)),
        (2, pytest.approx(1 / 3)),
    ]
    assert math.isnan(compute_ceiling(write_ratings(tmp_path, "2:2 - -"), "goals"))


def test_ceiling_of_the_published_votes(sesame_source: Path) -> None:
    ratings = read_ratings(sesame_source / "dataset.json")
    # The figures were measured independently.
    for flavour, figure in zip(FLAVOURS, (0.97, 0.94, 0.94), strict=True):
        votes = [(vote, others["mean"] >= 1) for vote, others in list_voters(ratings, flavour)]
        assert len(votes) == 3 * 857
        predictions, truth = zip(*votes, strict=True)
        assert roc_auc_score(truth, predictions) == pytest.approx(figure, abs=0.005)
        graded = [(vote, others["value"]) for vote, others in list_voters(ratings, flavour)]
        assert compute_ceiling(ratings, flavour) == pytest.approx(spearmanr(graded).statistic)


def make_entry(first: str, second: str) -> dict[str, dict[str, str]]:
    return {
        side: dict(zip(("project", "file"), location.split("/"), strict=True))
        for side, location in (("first", first), ("second", second))
    }


def test_pairs_linked_by_files_share_a_cluster() -> None:
    entries = [
        make_entry("p/A", "q/B"),
        make_entry("p/C", "q/D"),
        make_entry("q/B", "r/E"),
        make_entry("r/F", "r/E"),
        make_entry("p/B", "q/A"),
    ]
    first, second, third, fourth, fifth = compute_clusters(tuple(entries))
    assert first == third == fourth == "p/A"
    assert (second, fifth) == ("p/C", "p/B")
    assert sorted(compute_clusters(tuple(reversed(entries)))) == sorted(
        [first, second, third, fourth, fifth]
    )


def test_clusters_and_slices_of_the_published_pairs(sesame_source: Path) -> None:
    pairs = read_pairs(sesame_source)
    assert len(pairs) == len({pair.id for pair in pairs}) == 857
    assert all("class " in pair.first or "interface " in pair.first for pair in pairs[:50])
    # Copies share a cluster, so leaving a cluster out leaves all copies out.
    clusters: dict[str, set[str]] = {}
    for pair in pairs:
        for text in (pair.first, pair.second):
            clusters.setdefault(text, set()).add(pair.cluster)
    assert {len(cluster_ids) for cluster_ids in clusters.values()} == {1}
    # Each slice has both classes: pairs similar in one way and not in another.
    for flavour in FLAVOURS:
        in_slice = [pair for pair in pairs if "approach differs" in pair.tags[flavour]]
        classes = {pair.readings[flavour]["mean"] >= 1 for pair in in_slice}
        assert classes == {True, False}
    figure_2 = {
        pair.id
        for pair in pairs
        if pair.readings["goals"]["mean"] >= 1 > pair.readings["operations"]["mean"]
    }
    for flavour, positive in (("goals", True), ("operations", False)):
        pair_ids = {
            pair.id
            for pair in pairs
            if is_in_approach_slice(pair.readings, flavour)
            and (pair.readings[flavour]["mean"] >= 1) is positive
        }
        assert pair_ids == figure_2
    assert len(figure_2) == 76


def test_areas_of_the_published_measures(sesame_source: Path) -> None:
    """Compare areas under the curve with independently measured figures."""
    values, pairs = read_published_scores(sesame_source), read_pairs(sesame_source)
    for measure, figures in {
        "docsim": (0.94, 0.92, 0.90),
        "toksim": (0.74, 0.82, 0.76),
    }.items():
        predictions = [values[pair.id][measure] for pair in pairs]
        for flavour, figure in zip(FLAVOURS, figures, strict=True):
            truth = [pair.readings[flavour]["mean"] >= 1 for pair in pairs]
            assert roc_auc_score(truth, predictions) == pytest.approx(figure, abs=0.005)
