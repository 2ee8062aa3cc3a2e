"""Tests of a model's loss with less context: the difference between two tasks with the same
instances."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Prompt
from codeacumen.report import build_report
from codeacumen.report.page_records import _share_questions
from codeacumen.runs.evaluate import evaluate_cells
from codeacumen.runs.results import read_run
from codeacumen.runs.scoring import ScoringSettings
from toy_task import ToyTask, make_cell

ASKED = [Instance(f"q{i}", Prompt(f"text {i}"), "a") for i in range(60)]


class LevelTask(ToyTask):
    def __init__(self, level: str) -> None:
        name = f"similarity/{level}"
        super().__init__(ASKED, name, capability=Capability.GENERATE, metric=metrics.exact_match)


class PartlyRight:
    """Answers the first questions right, by their numbers."""

    batch_size = 100

    def __init__(self, right: int) -> None:
        self.right = right

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return ["a" if int(prompt.text.split()[1]) < self.right else "b" for prompt in prompts]


def test_loss_is_difference_of_jointly_resampled_scores(home: Path, tmp_path: Path) -> None:
    cells = [
        make_cell(PartlyRight(right), LevelTask(level), name="model", settings={"n": right})
        for right, level in ((45, "whole"), (45, "uncommented"), (30, "bare"))
    ]
    cells.append(make_cell(PartlyRight(9), LevelTask("bare"), name="only bare"))
    run = evaluate_cells(cells, tmp_path / "run", ScoringSettings(resamples=2000))
    uncommented, bare = run.losses
    assert (bare.benchmark, bare.model, bare.level) == ("similarity", "model", "bare")
    # The same answers to the same instances, resampled together, have no difference.
    assert (uncommented.value, uncommented.low, uncommented.high) == (0.0, 0.0, 0.0)
    assert bare.value == pytest.approx(0.25)
    assert bare.low is not None
    assert bare.high is not None
    # A quarter of the instances is lost: the interval is that of a binomial share, not that of
    # two independently resampled shares.
    share = 2 * 1.96 * np.sqrt(0.25 * 0.75 / 60)
    assert bare.high - bare.low == pytest.approx(share, rel=0.1)
    assert read_run(tmp_path / "run") == run


def test_results_without_losses_can_be_read(home: Path, tmp_path: Path) -> None:
    run = evaluate_cells(
        [make_cell(PartlyRight(5), LevelTask("bare"))],
        tmp_path / "run",
        ScoringSettings(resamples=200),
    )
    path = tmp_path / "run" / "results.json"
    record = json.loads(path.read_text())
    del record["losses"]
    path.write_text(json.dumps(record))
    assert read_run(path) == run


def test_page_shows_losses(home: Path, tmp_path: Path) -> None:
    cells = [
        make_cell(PartlyRight(right), LevelTask(level), name="model", settings={"n": right})
        for right, level in ((45, "whole"), (30, "bare"))
    ]
    run = evaluate_cells(cells, tmp_path / "run", ScoringSettings(resamples=500))
    page = build_report([(tmp_path / "run", run)], tmp_path / "page.html").read_text()
    section = page.split('id="levels-similarity"')[1].split("</section>")[0]
    assert "0.750" in section
    assert "0.500" in section
    assert "0.250" in section


def test_shared_questions_are_stored_once() -> None:
    question_lists = [["one", "two"], ["three"], ["one", "two"], None]
    tasks: list[Any] = [
        SimpleNamespace(data={"questions": questions}) for questions in question_lists
    ]
    assert _share_questions(tasks) == [["one", "two"], ["three"]]
    assert [task.data["questions"] for task in tasks] == [0, 1, 0, None]
