"""Tests of the `classical` model, which routes each task to the model made for that task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeacumen.api import CodeacumenError, Example, Method, Question
from codeacumen.datasets.built import load_data
from codeacumen.models.retrieval import TrainingNeighbours
from codeacumen.registry import make_model, model
from codeacumen.report import build_report
from codeacumen.runs.evaluate import evaluate_cells
from codeacumen.runs.scoring import ScoringSettings
from gluecode_dataset import write_methods
from robustness_dataset import tasks_forgotten
from support import make_plan

__all__ = ["tasks_forgotten"]

TASKS = ("npath", "operators", "naming", "completion", "nulltoken")


@pytest.fixture
def data(tmp_path: Path, home: Path, tasks_forgotten: None) -> Path:
    folder = write_methods(tmp_path / "data")
    load_data(folder)
    return folder


def test_classical_answers_all_tasks_and_has_an_overall_score(data: Path, tmp_path: Path) -> None:
    """The training split of the hand-written data set has every pattern, so 1.0 is possible."""
    references = ["classical", "majority", "random-label", "completion:context=method", "oracle"]
    cells, unfit = make_plan(references, ["gluecode"], skip_unfit=True)
    assert len(unfit) == 4  # completion answers one task
    run = evaluate_cells(cells, tmp_path / "run", ScoringSettings(resamples=100))
    assert not [cell.errors for cell in run.cells if cell.counts.failed]
    value_by_cell = {(cell.task, cell.model): cell.scores[0].value for cell in run.cells}
    for task in TASKS:
        assert value_by_cell[f"gluecode/{task}", "classical"] == 1.0, task
    overall = {score.model: score.value for score in run.overall}
    assert overall["classical"] == overall["oracle"] == 1.0
    assert overall["majority"] < 0.6
    assert "completion:context=method" not in overall
    page = build_report([(tmp_path / "run", run)], tmp_path / "report.html").read_text()
    section = page.split('id="overall-gluecode"')[1].split("</section>")[0]
    rows = section.split("<tr")
    assert next(row for row in rows if ">majority" in row).count('class="num') == 7
    # Values of Table 2 of the paper, and their mean.
    (transformer,) = [row for row in rows if "Transformer" in row]
    assert [
        number
        for number in ("0.747", "0.782", "0.389", "0.534", "0.239", "0.538")
        if number in transformer
    ] == ["0.747", "0.782", "0.389", "0.534", "0.239", "0.538"]
    assert "another corpus" in section


def test_model_of_each_task_is_a_setting(data: Path) -> None:
    loaded = make_model("classical:completion=completion:context=method,npath=majority")
    assert loaded.settings["completion"] == "completion:context=method"
    assert loaded.settings["npath"] == "majority"
    assert len(loaded.model.fingerprint.split()) == 5  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("npath=levenshtein", "needs classify"),
        ("npath=oracle", "outside the training split"),
        ("naming=completion", "needs name"),
    ],
)
def test_parts_without_the_capability_or_with_labels_are_rejected(
    setting: str, reason: str
) -> None:
    with pytest.raises(CodeacumenError, match=reason):
        make_model(f"classical:{setting}")


def test_text_that_looks_masked_is_routed_correctly() -> None:
    class FixedClassifier:
        supervision = "train"

        def fit(self, examples: Sequence[Example]) -> None: ...

        def classify(self, questions: Sequence[Question]) -> list[str]:
            return ["from operators"] * len(questions)

    model("silent-classifier")(FixedClassifier)
    try:
        classical = make_model("classical:operators=silent-classifier,npath=majority").model
        examples = [Example(Question("if", ("a", "b")), "a") for _ in range(5)]
        examples.append(Example(Question('x = "<MASK>";', ("a", "b")), "a"))
        classical.fit(examples)  # type: ignore[union-attr]
        assert classical.classify([Question("if", ("a", "b"))]) == ["a"]  # type: ignore[union-attr]
        classical.fit([Example(Question("a <MASK> b", ("a", "b")), "a")])  # type: ignore[union-attr]
        assert classical.classify([Question("<MASK>", ("a",))]) == ["from operators"]  # type: ignore[union-attr]
    finally:
        from codeacumen.registry.entries import ENTRIES

        del ENTRIES["model"]["silent-classifier"]


def test_names_are_those_of_the_nearest_training_methods() -> None:
    nearest = TrainingNeighbours(k=3, path_weight=0.5)
    assert nearest.name([Method("x", "int METHOD_NAME() { return size; }")]) == [None]
    nearest.fit(
        [
            Example(Method("a", "int METHOD_NAME() { return size; }"), "getSize"),
            Example(Method("b", "int METHOD_NAME() { return this.size; }"), "getSize"),
            Example(Method("c", "void METHOD_NAME() { stream.close(); }"), "close"),
        ]
    )
    queries = [
        Method("x", "int METHOD_NAME() { return size; }"),
        Method("y", "void METHOD_NAME() { stream.close(); }"),
        Method("z", ""),
    ]
    assert nearest.name(queries) == ["getSize", "close", None]
    nearest.fit([])
    assert nearest.name(queries) == [None, None, None]
