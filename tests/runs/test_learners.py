"""Tests that a model that learns sees only the labels that it may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from codeacumen.api import Example, Pair
from codeacumen.runs.evaluate import answer_cell
from toy_task import PAIRS, ToyTask, make_cell, run_cell


class RecordingLearner:
    """Records which truths it saw before each question."""

    def __init__(self, supervision: Literal["leave-one-out", "all"]) -> None:
        self.supervision = supervision
        self.shown: set[Any] = set()
        self.saw: dict[str, set[Any]] = {}
        self.fits = 0

    def fit(self, examples: Sequence[Example]) -> None:
        self.fits += 1
        self.shown = {example.truth for example in examples}

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        self.saw |= {pair.left: self.shown for pair in pairs}
        return [0.0] * len(pairs)


def test_leave_one_out_hides_the_instance_and_its_whole_cluster(home: Path) -> None:
    clustered = [replace(p, cluster="ab" if p.truth < 2 else "") for p in PAIRS[:4]]
    model = RecordingLearner("leave-one-out")
    answer_cell(make_cell(model, ToyTask(clustered)))
    assert model.saw == {
        "left0": {2, 3},
        "left1": {2, 3},
        "left2": {0, 1, 3},
        "left3": {0, 1, 2},
    }


def test_learner_with_supervision_all_is_trained_once(home: Path) -> None:
    model = RecordingLearner("all")
    answer_cell(make_cell(model))
    assert model.fits == 1
    assert all(saw == set(range(12)) for saw in model.saw.values())


def test_cached_answers_need_no_training(home: Path) -> None:
    answer_cell(make_cell(RecordingLearner("leave-one-out")))
    again = RecordingLearner("leave-one-out")
    answer_cell(make_cell(again))
    assert again.fits == 0


def test_failed_training_fails_only_its_instances(home: Path, tmp_path: Path) -> None:
    class Fragile(RecordingLearner):
        def fit(self, examples: Sequence[Example]) -> None:
            if 7 not in {example.truth for example in examples}:
                raise RuntimeError("did not converge")
            super().fit(examples)

    run = run_cell(make_cell(Fragile("leave-one-out")), tmp_path / "run")
    assert run.cells[0].counts.failed == 1
    assert run.cells[0].errors == ("p7: RuntimeError: did not converge",)
