"""Tests of the learning rate: it falls with the steps, or with the time if the training has a time
limit."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from models.neural.small_networks import NAMING, train_small


@pytest.mark.parametrize("minutes", [0, 60])
def test_rate_falls_linearly_to_zero(minutes: int, tmp_path: Path) -> None:
    """The rate falls after the warm-up; a time limit that is not reached changes nothing."""
    lessons = {"linear": True, "rate": 0.01, "epochs": 4, "batch": 8, "round": 8, "warmup": 8}
    _, _, taught, _ = train_small("mlp", NAMING, tmp_path, training={**lessons, "minutes": minutes})
    thirds = [0.01, 0.02 / 3, 0.01 / 3, 0.0]
    assert [row["rate"] for row in taught.history] == pytest.approx(thirds)


def test_rate_is_near_zero_at_the_time_limit(tmp_path: Path) -> None:
    """Few of the epochs are done in three seconds: if the rate fell with the steps only, it would
    still be near its start."""
    lessons = {"linear": True, "rate": 0.01, "epochs": 20_000, "batch": 8, "round": 8}
    _, _, taught, _ = train_small("mlp", NAMING, tmp_path, training={**lessons, "minutes": 0.05})
    assert 0 < taught.history[-1]["step"] < 20_000
    rates = [row["rate"] for row in taught.history]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0, abs=0.002)
