"""Tests that a run continues whatever a model returns or raises, and records the failure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Pair, Prompt, Question
from codeacumen.runs.evaluate import answer_cell
from toy_task import ScriptedModel, ToyTask, make_cell, parse_number, run_cell


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class NoFloat:
    def __float__(self) -> float:
        raise ZeroDivisionError("inside __float__")


def make_raising_answer(error: BaseException) -> Callable[[Pair], float]:
    def answer(pair: Pair) -> float:
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (make_raising_answer(KeyError("len")), "KeyError: 'len'"),
        (make_raising_answer(RecursionError("too deep")), "RecursionError: too deep"),
        (make_raising_answer(SystemExit(0)), "SystemExit: 0"),
        (make_raising_answer(StopIteration()), "StopIteration"),
        (
            make_raising_answer(UnspeakableError()),
            "UnspeakableError: (the text of the error cannot be read)",
        ),
        (
            make_raising_answer(ValueError("\ud800 lone, \x1b[31m red, \0, \r\n")),
            "ValueError: \ud800 lone",
        ),
        (lambda pair: math.nan, "found nan"),
        (lambda pair: math.inf, "found inf"),
        (lambda pair: np.float32(-np.inf), "found -inf"),
        (lambda pair: 10**400, "OverflowError"),
        (lambda pair: "0.5", "expected a number, found '0.5'"),
        (lambda pair: b"0.5", "expected a number, found b'0.5'"),
        (lambda pair: True, "expected a number, found True"),
        (lambda pair: [0.5], "TypeError"),
        (lambda pair: {"score": 0.5}, "TypeError"),
        (lambda pair: 1j, "TypeError"),
        (lambda pair: object(), "TypeError"),
        (lambda pair: NoFloat(), "ZeroDivisionError: inside __float__"),
    ],
)
@pytest.mark.parametrize("batch_size", [1, 5, 100])
def test_failure_is_recorded_and_does_not_affect_other_answers(
    home: Path, tmp_path: Path, answer: Callable[[Pair], Any], message: str, batch_size: int
) -> None:
    """The fifth of twelve questions fails; the others must be answered as usual."""
    model = ScriptedModel(lambda p: answer(p) if p.left == "left4" else parse_number(p), batch_size)
    run = run_cell(make_cell(model), tmp_path / "run")
    (only,) = run.cells
    assert (only.counts.answered, only.counts.unanswered, only.counts.failed) == (11, 0, 1)
    assert only.scores[0].n == 11
    assert only.scores[0].value == pytest.approx(1.0)
    (error,) = only.errors
    assert error.startswith("p4: ")
    assert message in error
    lines = map(json.loads, (tmp_path / "run" / only.answers).read_bytes().splitlines())
    for line in lines:
        if line["id"] == "p4":
            assert message in line["error"]
        else:
            assert line["answer"] == float(line["id"][1:])


def test_long_error_is_truncated(home: Path, tmp_path: Path) -> None:
    run = run_cell(
        make_cell(ScriptedModel(make_raising_answer(ValueError("x" * 10_000_000)))),
        tmp_path / "run",
    )
    assert run.cells[0].counts.failed == 12
    assert len(run.cells[0].errors) == 5
    assert all(len(error) < 600 for error in run.cells[0].errors)
    assert (tmp_path / "run" / run.cells[0].answers).stat().st_size < 12 * 700


@pytest.mark.parametrize("returned", [None, 0.5, [], [0.1, 0.2, 0.3], "yes", {}])
@pytest.mark.parametrize("batch_size", [1, 2])
def test_wrong_number_of_answers_fails_the_batch(
    home: Path, tmp_path: Path, returned: Any, batch_size: int
) -> None:
    """The whole batch fails: the answers cannot be assigned to questions."""

    class Miscounting:
        def similarity(self, pairs: Sequence[Pair]) -> Any:
            return returned

    model = Miscounting()
    model.batch_size = batch_size  # type: ignore[attr-defined]
    run = run_cell(make_cell(model), tmp_path / "run")
    assert run.cells[0].counts.failed == 12
    assert run.cells[0].scores[0].value is None


@pytest.mark.parametrize(
    "kind", [int, float, np.float32, np.float64, np.int8, np.uint64, np.array, Decimal]
)
def test_any_numeric_type_is_accepted(
    home: Path, tmp_path: Path, kind: Callable[[float], Any]
) -> None:
    run = run_cell(
        make_cell(ScriptedModel(lambda pair: kind(parse_number(pair)))), tmp_path / "run"
    )
    assert run.cells[0].counts.answered == 12
    lines = (tmp_path / "run" / run.cells[0].answers).read_text().splitlines()
    assert json.loads(lines[7]) == {"id": "p7", "answer": 7.0}


def test_array_of_answers_is_accepted(home: Path) -> None:
    class Vectorised:
        batch_size = 5

        def similarity(self, pairs: Sequence[Pair]) -> Any:
            return np.array([parse_number(pair) for pair in pairs], dtype=np.float32)

    answers, _ = answer_cell(make_cell(Vectorised()))
    assert [answer.value for answer in answers.values()] == [float(i) for i in range(12)]
    assert {type(answer.value) for answer in answers.values()} == {float}


def test_missing_answer_is_not_an_error(home: Path, tmp_path: Path) -> None:
    model = ScriptedModel(lambda pair: None if parse_number(pair) < 3 else parse_number(pair))
    run = run_cell(make_cell(model), tmp_path / "run")
    counts = run.cells[0].counts
    assert (counts.answered, counts.unanswered, counts.failed) == (9, 3, 0)
    assert run.cells[0].scores[0].n == 9


QUESTIONS = [Instance(f"q{i}", Question(f"text{i}", ("yes", "no")), "yes") for i in range(6)]
CHOICE = ToyTask(QUESTIONS, capability=Capability.CLASSIFY, metric=metrics.accuracy)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("maybe", "not one of the choices: 'maybe'"),
        ("", "not one of the choices: ''"),
        ("YES", "not one of the choices: 'YES'"),
        (0, "expected text, found 0"),
        (["yes"], "expected text, found ['yes']"),
        ("Well, let me think. " * 1000, "not one of the choices: 'Well, let me think. "),
    ],
)
def test_answer_outside_the_choices_is_a_failure(
    home: Path, tmp_path: Path, answer: Any, message: str
) -> None:
    class Chooser:
        def classify(self, questions: Sequence[Question]) -> list[Any]:
            return [answer if q.text == "text2" else np.str_("yes") for q in questions]

    run = run_cell(make_cell(Chooser(), CHOICE), tmp_path / "run")
    (only,) = run.cells
    assert only.counts.failed == 1
    assert only.scores[0].value == pytest.approx(5 / 6)
    assert message in only.errors[0]
    assert len(only.errors[0]) < 600


def test_text_answers_keep_every_character(home: Path, tmp_path: Path) -> None:
    """Line ends, quotes, a lone surrogate, a byte order mark: the file has one line for each."""
    odd = ["a\nb", 'say "x"', "\ud800", "\ufeff", "\u2028", "", "名前", "\0"]
    task = ToyTask(
        [Instance(f"g{i}", Prompt(str(i)), text) for i, text in enumerate(odd)],
        capability=Capability.GENERATE,
        metric=metrics.accuracy,
    )

    class Writer:
        def generate(self, prompts: Sequence[Prompt]) -> list[str]:
            return [odd[int(prompt.text)] for prompt in prompts]

    run = run_cell(make_cell(Writer(), task), tmp_path / "run")
    assert run.cells[0].scores[0].value == 1.0
    # Answers loaded from the log are the same.
    again = run_cell(make_cell(Writer(), task), tmp_path / "again")
    assert again.cells[0].computed == 0
    assert again.cells[0].scores[0].value == 1.0
    assert again.cells[0].answers_sha256 == run.cells[0].answers_sha256
