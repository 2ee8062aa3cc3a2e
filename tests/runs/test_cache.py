"""Tests of cached answers, which are found only with their own key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Instance, Pair
from codeacumen.runs.evaluate import answer_cell, evaluate_cells
from codeacumen.runs.plan import Cell
from toy_task import (
    PAIRS,
    QUICK,
    ScriptedModel,
    ToyTask,
    make_cell,
    parse_number,
    read_answer_files,
    run_cell,
)


def test_each_instance_is_asked_once_in_order(home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(parse_number)
    run = run_cell(make_cell(model), tmp_path / "run")
    assert model.questions == [f"left{i}" for i in range(12)]
    assert run.cells[0].computed == 12
    assert run.cells[0].scores[0].value == pytest.approx(1.0)
    lines = (tmp_path / "run" / run.cells[0].answers).read_text().splitlines()
    assert lines[:2] == ['{"id": "p0", "answer": 0.0}', '{"id": "p1", "answer": 1.0}']


def test_another_folder_uses_cached_answers(home: Path, tmp_path: Path) -> None:
    run_cell(make_cell(ScriptedModel(parse_number)), tmp_path / "one")
    model = ScriptedModel(parse_number)
    run = run_cell(make_cell(model), tmp_path / "two")
    assert model.questions == []
    assert run.cells[0].computed == 0
    assert read_answer_files(tmp_path / "two") == read_answer_files(tmp_path / "one") != {}


class WithWeights(ScriptedModel):
    fingerprint = "sha256 of the weights"


def first_changed(**changes: Any) -> list[Instance]:
    return [replace(PAIRS[0], **changes), *PAIRS[1:]]


@pytest.mark.parametrize(
    "other",
    [
        lambda model: make_cell(model, settings={"layers": 3}),
        lambda model: make_cell(model, settings={"layers": 2.0}),
        lambda model: make_cell(model, settings={"layers": "2"}),
        lambda model: make_cell(model, settings={"layers": 2, "heads": None}),
        lambda model: make_cell(model, settings={}),
        lambda model: make_cell(model, settings={"layers": 2}, code="edited"),
        lambda model: make_cell(model, settings={"layers": 2}, origin="tests 1.1"),
        lambda model: make_cell(model, settings={"layers": 2}, name="scripted2"),
        lambda model: make_cell(WithWeights(model.answer), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(name="toy2"), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(version="2"), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(PAIRS[:-1]), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(PAIRS[::-1]), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(first_changed(truth=0.5)), settings={"layers": 2}),
        lambda model: make_cell(model, ToyTask(first_changed(cluster="c")), settings={"layers": 2}),
        lambda model: make_cell(
            model, ToyTask(first_changed(input=Pair("left0", "changed"))), settings={"layers": 2}
        ),
        lambda model: make_cell(
            model,
            ToyTask(first_changed(input=Pair("left0", "right0", "other"))),
            settings={"layers": 2},
        ),
    ],
)
def test_changed_model_or_task_does_not_use_cached_answers(
    home: Path, tmp_path: Path, other: Callable[[ScriptedModel], Cell]
) -> None:
    """The old model answers 1 and the new one 2: a single 1 in the new answers would be a wrong
    cache hit."""
    old, new = ScriptedModel(lambda pair: 1.0), ScriptedModel(lambda pair: 2.0)
    before = answer_cell(make_cell(old, settings={"layers": 2}))[0]
    answers, question_count = answer_cell(other(new))
    assert question_count == len(answers)
    assert {answer.value for answer in answers.values()} == {2.0}
    # The old answers still belong to the old model.
    again, question_count = answer_cell(make_cell(new, settings={"layers": 2}))
    assert question_count == 0
    assert again == before


def test_fresh_asks_again_and_replaces_cached_answers(home: Path, tmp_path: Path) -> None:
    run_cell(make_cell(ScriptedModel(lambda pair: 1.0)), tmp_path / "one")
    run = run_cell(make_cell(ScriptedModel(parse_number)), tmp_path / "two", fresh=True)
    assert run.cells[0].computed == 12
    answers, question_count = answer_cell(make_cell(ScriptedModel(lambda pair: 3.0)))
    assert question_count == 0
    assert [answer.value for answer in answers.values()] == [float(i) for i in range(12)]


def test_retry_asks_only_failed_instances_and_equals_clean_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(pair: Pair) -> float:
        if parse_number(pair) % 3 == 0:
            raise MemoryError("4 GB wanted")
        return parse_number(pair)

    first = run_cell(make_cell(ScriptedModel(out_of_memory)), tmp_path / "run")
    assert first.cells[0].counts.failed == 4
    # Started again without the option, failures count as answers and the model is not called.
    assert run_cell(make_cell(ScriptedModel(parse_number)), tmp_path / "run").cells[0].computed == 0
    fixed_model = ScriptedModel(parse_number)
    second = run_cell(make_cell(fixed_model), tmp_path / "run", retry_failed=True)
    assert fixed_model.questions == ["left0", "left3", "left6", "left9"]
    assert second.cells[0].counts.failed == 0
    monkeypatch.setenv("CODEACUMEN_HOME", str(tmp_path / "elsewhere"))
    clean = run_cell(make_cell(ScriptedModel(parse_number)), tmp_path / "clean")
    assert read_answer_files(tmp_path / "run") == read_answer_files(tmp_path / "clean")
    assert second.cells[0].scores == clean.cells[0].scores


class BatchDependentModel:
    """A model whose answers depend on the whole batch, as with padding or batch normalization; the
    third batch is interrupted once."""

    batch_size = 4

    def __init__(self, *, interrupted: bool) -> None:
        self.batches: list[int] = []
        self.interrupted = interrupted

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        if self.interrupted and len(self.batches) == 2:
            raise KeyboardInterrupt
        self.batches.append(len(pairs))
        most = max(map(parse_number, pairs))
        return [parse_number(pair) - most for pair in pairs]


def test_resumed_run_asks_the_remaining_batches(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = ToyTask(PAIRS[:10])
    stopped, resumed = BatchDependentModel(interrupted=True), BatchDependentModel(interrupted=False)
    with pytest.raises(KeyboardInterrupt):
        run_cell(make_cell(stopped, task), tmp_path / "run")
    # As after a kill in the middle of a write: one answer of the second batch is lost.
    (log,) = home.glob("answers/*/*/answers.jsonl")
    log.write_bytes(log.read_bytes()[:-5])
    run_cell(make_cell(resumed, task), tmp_path / "run")
    assert stopped.batches == [4, 4]
    assert resumed.batches == [1, 2]
    monkeypatch.setenv("CODEACUMEN_HOME", str(tmp_path / "elsewhere"))
    run_cell(make_cell(BatchDependentModel(interrupted=False), task), tmp_path / "undisturbed")
    resumed_answers, expected_answers = (
        read_answer_files(tmp_path / "run"),
        read_answer_files(tmp_path / "undisturbed"),
    )
    assert [
        line for line in resumed_answers["toy/scripted.jsonl"].splitlines() if b"p7" not in line
    ] == [line for line in expected_answers["toy/scripted.jsonl"].splitlines() if b"p7" not in line]


def test_missing_data_is_reported_before_models_are_called(home: Path, tmp_path: Path) -> None:
    class Absent(ToyTask):
        def instances(self) -> Sequence[Instance]:
            raise CodeacumenError("the data is not here")

    model = ScriptedModel(parse_number)
    with pytest.raises(CodeacumenError, match="not here"):
        evaluate_cells(
            [make_cell(model), make_cell(model, Absent(name="absent"))], tmp_path / "run", QUICK
        )
    assert model.questions == []
