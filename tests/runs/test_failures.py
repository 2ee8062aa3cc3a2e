"""Whatever a model says or does, the run goes on and the failure is on record."""

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
from toys import Scripted, Toy, cell, number_of, run_one


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class NoFloat:
    def __float__(self) -> float:
        raise ZeroDivisionError("inside __float__")


def raises(error: BaseException) -> Callable[[Pair], float]:
    def answer(pair: Pair) -> float:
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (raises(KeyError("len")), "KeyError: 'len'"),
        (raises(RecursionError("too deep")), "RecursionError: too deep"),
        (raises(SystemExit(0)), "SystemExit: 0"),
        (raises(StopIteration()), "StopIteration"),
        (raises(UnspeakableError()), "UnspeakableError: (the text of the error cannot be read)"),
        (raises(ValueError("\ud800 lone, \x1b[31m red, \0, \r\n")), "ValueError: \ud800 lone"),
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
def test_one_failure_is_recorded_counted_and_costs_no_other_answer(
    home: Path, tmp_path: Path, answer: Callable[[Pair], Any], told: str, batch_size: int
) -> None:
    """The fifth of twelve misbehaves; all others must be answered as if it did not."""
    model = Scripted(lambda p: answer(p) if p.left == "left4" else number_of(p), batch_size)
    run = run_one(cell(model), tmp_path / "run")
    (only,) = run.cells
    assert (only.counts.answered, only.counts.unanswered, only.counts.failed) == (11, 0, 1)
    assert only.scores[0].n == 11
    assert only.scores[0].value == pytest.approx(1.0)
    (error,) = only.errors
    assert error.startswith("p4: ")
    assert told in error
    lines = map(json.loads, (tmp_path / "run" / only.answers).read_bytes().splitlines())
    for line in lines:
        if line["id"] == "p4":
            assert told in line["error"]
        else:
            assert line["answer"] == float(line["id"][1:])


def test_a_huge_error_is_cut_to_something_one_can_read(home: Path, tmp_path: Path) -> None:
    run = run_one(cell(Scripted(raises(ValueError("x" * 10_000_000)))), tmp_path / "run")
    assert run.cells[0].counts.failed == 12
    assert len(run.cells[0].errors) == 5
    assert all(len(error) < 600 for error in run.cells[0].errors)
    assert (tmp_path / "run" / run.cells[0].answers).stat().st_size < 12 * 700


@pytest.mark.parametrize("returned", [None, 0.5, [], [0.1, 0.2, 0.3], "yes", {}])
@pytest.mark.parametrize("batch_size", [1, 2])
def test_a_wrong_number_of_answers_is_the_models_failure(
    home: Path, tmp_path: Path, returned: Any, batch_size: int
) -> None:
    """Even where it happens for a whole batch: nobody knows which answer belongs where."""

    class Miscounting:
        def similarity(self, pairs: Sequence[Pair]) -> Any:
            return returned

    model = Miscounting()
    model.batch_size = batch_size  # type: ignore[attr-defined]
    run = run_one(cell(model), tmp_path / "run")
    assert run.cells[0].counts.failed == 12
    assert run.cells[0].scores[0].value is None


@pytest.mark.parametrize(
    "kind", [int, float, np.float32, np.float64, np.int8, np.uint64, np.array, Decimal]
)
def test_numbers_of_any_make_are_fine(
    home: Path, tmp_path: Path, kind: Callable[[float], Any]
) -> None:
    run = run_one(cell(Scripted(lambda pair: kind(number_of(pair)))), tmp_path / "run")
    assert run.cells[0].counts.answered == 12
    lines = (tmp_path / "run" / run.cells[0].answers).read_text().splitlines()
    assert json.loads(lines[7]) == {"id": "p7", "answer": 7.0}


def test_an_array_of_answers_is_fine(home: Path) -> None:
    class Vectorised:
        batch_size = 5

        def similarity(self, pairs: Sequence[Pair]) -> Any:
            return np.array([number_of(pair) for pair in pairs], dtype=np.float32)

    answers, _ = answer_cell(cell(Vectorised()))
    assert [answer.value for answer in answers.values()] == [float(i) for i in range(12)]
    assert {type(answer.value) for answer in answers.values()} == {float}


def test_no_answer_is_not_an_error(home: Path, tmp_path: Path) -> None:
    model = Scripted(lambda pair: None if number_of(pair) < 3 else number_of(pair))
    run = run_one(cell(model), tmp_path / "run")
    counts = run.cells[0].counts
    assert (counts.answered, counts.unanswered, counts.failed) == (9, 3, 0)
    assert run.cells[0].scores[0].n == 9


QUESTIONS = [Instance(f"q{i}", Question(f"text{i}", ("yes", "no")), "yes") for i in range(6)]
CHOICE = Toy(QUESTIONS, capability=Capability.CLASSIFY, metric=metrics.accuracy)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("maybe", "not one of the choices: 'maybe'"),
        ("", "not one of the choices: ''"),
        ("YES", "not one of the choices: 'YES'"),
        (0, "expected text, found 0"),
        (["yes"], "expected text, found ['yes']"),
        ("Well, let me think. " * 1000, "not one of the choices: 'Well, let me think. "),
    ],
)
def test_a_choice_that_was_not_offered_is_a_failure(
    home: Path, tmp_path: Path, said: Any, told: str
) -> None:
    class Chooser:
        def classify(self, questions: Sequence[Question]) -> list[Any]:
            return [said if q.text == "text2" else np.str_("yes") for q in questions]

    run = run_one(cell(Chooser(), CHOICE), tmp_path / "run")
    (only,) = run.cells
    assert only.counts.failed == 1
    assert only.scores[0].value == pytest.approx(5 / 6)
    assert told in only.errors[0]
    assert len(only.errors[0]) < 600


def test_text_answers_keep_every_character(home: Path, tmp_path: Path) -> None:
    """Line ends, quotes, a lone surrogate, a byte order mark: the file has one line each."""
    odd = ["a\nb", 'say "x"', "\ud800", "\ufeff", "\u2028", "", "名前", "\0"]
    task = Toy(
        [Instance(f"g{i}", Prompt(str(i)), text) for i, text in enumerate(odd)],
        capability=Capability.GENERATE,
        metric=metrics.accuracy,
    )

    class Writer:
        def generate(self, prompts: Sequence[Prompt]) -> list[str]:
            return [odd[int(prompt.text)] for prompt in prompts]

    run = run_one(cell(Writer(), task), tmp_path / "run")
    assert run.cells[0].scores[0].value == 1.0
    # Read back from the log, they are still the same.
    again = run_one(cell(Writer(), task), tmp_path / "again")
    assert again.cells[0].asked == 0
    assert again.cells[0].scores[0].value == 1.0
    assert again.cells[0].answers_sha256 == run.cells[0].answers_sha256
