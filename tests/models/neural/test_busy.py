"""How busy a GPU is. None is here: a shell tells readings in the place of its driver."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

from acumen.models.neural import training
from acumen.models.neural.busy import Gauge, gauge
from models.neural import checks

READINGS = ["sh", "-c", "while :; do echo ' 40 '; echo 60; echo '[N/A]'; sleep 0.01; done"]


def read(told: Gauge, many: int) -> None:
    """Wait until so much was read: on a busy machine a command takes its time to start, and who
    reads what it says to have a turn."""
    ends = time.monotonic() + 30
    while len(told._readings) < many and time.monotonic() < ends:
        time.sleep(0.01)


class Patient(Gauge):
    """One that has read something in every round: a small network's is over in a moment."""

    def end(self) -> float:
        read(self, 1)
        return super().end()


def test_what_is_told_meanwhile_is_counted() -> None:
    told = Gauge(READINGS)
    told.begin()
    read(told, 20)
    share = told.end()
    time.sleep(0.05)
    assert 0.45 < share < 0.55
    # What came since is not counted; nor is there a number where nothing came.
    assert told.end() == share
    told.begin()
    assert math.isnan(told.end()) or 0.4 <= told.end() <= 0.6
    told.stop()


def test_who_tells_nothing_does_no_harm() -> None:
    for command in (["sh", "-c", "exit 3"], ["sh", "-c", "echo No devices were found"]):
        told = Gauge(command)
        told.begin()
        time.sleep(0.05)
        assert math.isnan(told.end())
        told.stop()


def test_without_a_gpu_nobody_is_asked() -> None:
    with gauge("cpu") as told:
        assert told is None


def test_where_the_driver_has_no_tool_there_is_no_gauge(monkeypatch: pytest.MonkeyPatch) -> None:
    from acumen.models.neural import busy

    monkeypatch.setattr(busy, "_asks_the_driver", lambda: ["acumen-no-such-command"])
    with gauge("cuda") as told:
        assert told is None


def test_a_history_tells_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that began where it could not be measured."""

    @contextmanager
    def told(device: str) -> Iterator[Gauge]:
        made = Patient(["sh", "-c", "while :; do echo 70; sleep 0.01; done"])
        yield made
        made.stop()

    model, _ = checks.made("cnn", checks.NPATH)
    file = checks.prepare(model, checks.taught_examples(checks.NPATH, 32), tmp_path)

    def taught() -> list[dict[str, float]]:
        settings = checks.small_training("cnn", epochs=4, workers=0)
        return training.teach(model, file, file, settings, tmp_path / "work").history

    def killed(keep: object, history: list[object]) -> bool:
        if history:
            raise RuntimeError("killed after a round")
        return False

    with monkeypatch.context() as patch:
        patch.setattr(training.Keep, "is_over", killed)
        with pytest.raises(RuntimeError, match="killed after a round"):
            taught()
    monkeypatch.setattr(training, "gauge", told)
    first, *others = taught()
    assert "gpu_busy" not in first
    assert [row["gpu_busy"] for row in others] == [0.7, 0.7, 0.7]
    with (tmp_path / "work" / training.HISTORY).open() as stream:
        assert [row["gpu_busy"] for row in csv.DictReader(stream)] == ["nan", "0.7", "0.7", "0.7"]
