"""Tests of splits by project: a project has one split, also when the corpus grows."""

from __future__ import annotations

from collections import Counter

import pytest

from codeacumen.corpus.splits import SPLITS, split_of


def test_splits_have_the_configured_shares() -> None:
    counts = Counter(split_of(f"project-{number}") for number in range(20_000))
    assert counts["train"] == pytest.approx(16_000, abs=200)
    assert counts["dev"] == pytest.approx(2_000, abs=150)
    assert counts["test"] == pytest.approx(2_000, abs=150)


def test_splits_of_known_projects_are_fixed() -> None:
    # Other values would move projects between train and test.
    expected = {
        "guava": "train",
        "commons-lang": "train",
        "jsoup": "test",
        "netty": "test",
        "ant": "test",
        "trove": "train",
        "maven": "dev",
    }
    assert {name: split_of(name) for name in expected} == expected
    assert set(expected.values()) == set(SPLITS)


def test_larger_train_share_keeps_train_projects() -> None:
    for number in range(500):
        if split_of(f"p{number}", (60, 20, 20)) == "train":
            assert split_of(f"p{number}", (80, 10, 10)) == "train"


def test_zero_shares_are_rejected() -> None:
    with pytest.raises(ValueError, match="add up to nothing"):
        split_of("x", (0, 0, 0))
