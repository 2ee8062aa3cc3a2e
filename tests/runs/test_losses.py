"""What a model loses with less to see: the difference of two tasks of the same instances."""

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
from codeacumen.report.view import _shared_questions
from codeacumen.runs.evaluate import evaluate
from codeacumen.runs.results import read_run
from codeacumen.runs.scoring import Settings
from toys import Toy, cell

ASKED = [Instance(f"q{i}", Prompt(f"text {i}"), "a") for i in range(60)]


class Seen(Toy):
    def __init__(self, level: str) -> None:
        name = f"similarity/{level}"
        super().__init__(ASKED, name, capability=Capability.GENERATE, metric=metrics.exact_match)


class Knows:
    """Answers so many right, by the number of the question: the same ones each time."""

    batch_size = 100

    def __init__(self, right: int) -> None:
        self.right = right

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return ["a" if int(one.text.split()[1]) < self.right else "b" for one in prompts]


def test_a_loss_is_the_difference_and_drawn_together(home: Path, tmp_path: Path) -> None:
    cells = [
        cell(Knows(right), Seen(level), name="model", settings={"n": right})
        for right, level in ((45, "whole"), (45, "uncommented"), (30, "bare"))
    ]
    cells.append(cell(Knows(9), Seen("bare"), name="only bare"))
    run = evaluate(cells, tmp_path / "run", Settings(resamples=2000))
    uncommented, bare = run.losses
    assert (bare.benchmark, bare.model, bare.level) == ("similarity", "model", "bare")
    # The same answers to the same instances, resampled together: no difference at all.
    assert (uncommented.value, uncommented.low, uncommented.high) == (0.0, 0.0, 0.0)
    assert bare.value == pytest.approx(0.25)
    assert bare.low is not None
    assert bare.high is not None
    # What is lost is a quarter of the instances: the interval is a binomial share's, not that of
    # two shares drawn each by itself.
    share = 2 * 1.96 * np.sqrt(0.25 * 0.75 / 60)
    assert bare.high - bare.low == pytest.approx(share, rel=0.1)
    assert read_run(tmp_path / "run") == run


def test_old_results_have_none(home: Path, tmp_path: Path) -> None:
    run = evaluate([cell(Knows(5), Seen("bare"))], tmp_path / "run", Settings(resamples=200))
    path = tmp_path / "run" / "results.json"
    record = json.loads(path.read_text())
    del record["losses"]
    path.write_text(json.dumps(record))
    assert read_run(path) == run


def test_the_page_tells_what_is_lost(home: Path, tmp_path: Path) -> None:
    cells = [
        cell(Knows(right), Seen(level), name="model", settings={"n": right})
        for right, level in ((45, "whole"), (30, "bare"))
    ]
    run = evaluate(cells, tmp_path / "run", Settings(resamples=500))
    page = build_report([(tmp_path / "run", run)], tmp_path / "page.html").read_text()
    section = page.split('id="levels-similarity"')[1].split("</section>")[0]
    assert "0.750" in section
    assert "0.500" in section
    assert "0.250" in section


def test_questions_that_tasks_share_stand_on_the_page_once() -> None:
    asked = [["one", "two"], ["three"], ["one", "two"], None]
    tasks: list[Any] = [SimpleNamespace(data={"questions": one}) for one in asked]
    assert _shared_questions(tasks) == [["one", "two"], ["three"]]
    assert [task.data["questions"] for task in tasks] == [0, 1, 0, None]
