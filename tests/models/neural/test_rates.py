"""How fast a network learns: by its steps, or, where it will be ended by the clock, by that."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from models.neural.checks import NAMING, train


@pytest.mark.parametrize("minutes", [0, 60])
def test_the_rate_falls_in_a_line_to_nothing(minutes: int, tmp_path: Path) -> None:
    """After it has risen; and so, too, where there is more time than it takes."""
    lessons = {"linear": True, "rate": 0.01, "epochs": 4, "batch": 8, "round": 8, "warmup": 8}
    _, _, taught, _ = train("mlp", NAMING, tmp_path, training={**lessons, "minutes": minutes})
    thirds = [0.01, 0.02 / 3, 0.01 / 3, 0.0]
    assert [row["rate"] for row in taught.history] == pytest.approx(thirds)


def test_what_the_clock_ends_has_slowed_down_by_then(tmp_path: Path) -> None:
    """Of so many epochs hardly any is done in three seconds: by its steps it would have gone on as
    fast as it began."""
    lessons = {"linear": True, "rate": 0.01, "epochs": 20_000, "batch": 8, "round": 8}
    _, _, taught, _ = train("mlp", NAMING, tmp_path, training={**lessons, "minutes": 0.05})
    assert 0 < taught.history[-1]["step"] < 20_000
    rates = [row["rate"] for row in taught.history]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == pytest.approx(0.0, abs=0.002)
