"""Answers are kept and found again, by their own key only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError, Instance, Pair
from codeacumen.runs.evaluate import answer_cell, evaluate
from codeacumen.runs.plan import Cell
from toys import PAIRS, QUICK, Scripted, Toy, answers_in, cell, number_of, run_one


def test_every_instance_is_asked_once_and_in_order(home: Path, tmp_path: Path) -> None:
    model = Scripted(number_of)
    run = run_one(cell(model), tmp_path / "run")
    assert model.asked == [f"left{i}" for i in range(12)]
    assert run.cells[0].asked == 12
    assert run.cells[0].scores[0].value == pytest.approx(1.0)
    lines = (tmp_path / "run" / run.cells[0].answers).read_text().splitlines()
    assert lines[:2] == ['{"id": "p0", "answer": 0.0}', '{"id": "p1", "answer": 1.0}']


def test_another_folder_asks_nothing(home: Path, tmp_path: Path) -> None:
    run_one(cell(Scripted(number_of)), tmp_path / "one")
    model = Scripted(number_of)
    run = run_one(cell(model), tmp_path / "two")
    assert model.asked == []
    assert run.cells[0].asked == 0
    assert answers_in(tmp_path / "two") == answers_in(tmp_path / "one") != {}


class WithWeights(Scripted):
    fingerprint = "sha256 of the weights"


def first_changed(**changes: Any) -> list[Instance]:
    return [replace(PAIRS[0], **changes), *PAIRS[1:]]


@pytest.mark.parametrize(
    "other",
    [
        lambda model: cell(model, settings={"layers": 3}),
        lambda model: cell(model, settings={"layers": 2.0}),
        lambda model: cell(model, settings={"layers": "2"}),
        lambda model: cell(model, settings={"layers": 2, "heads": None}),
        lambda model: cell(model, settings={}),
        lambda model: cell(model, settings={"layers": 2}, code="edited"),
        lambda model: cell(model, settings={"layers": 2}, origin="tests 1.1"),
        lambda model: cell(model, settings={"layers": 2}, name="scripted2"),
        lambda model: cell(WithWeights(model.answer), settings={"layers": 2}),
        lambda model: cell(model, Toy(name="toy2"), settings={"layers": 2}),
        lambda model: cell(model, Toy(version="2"), settings={"layers": 2}),
        lambda model: cell(model, Toy(PAIRS[:-1]), settings={"layers": 2}),
        lambda model: cell(model, Toy(PAIRS[::-1]), settings={"layers": 2}),
        lambda model: cell(model, Toy(first_changed(truth=0.5)), settings={"layers": 2}),
        lambda model: cell(model, Toy(first_changed(cluster="c")), settings={"layers": 2}),
        lambda model: cell(
            model, Toy(first_changed(input=Pair("left0", "changed"))), settings={"layers": 2}
        ),
        lambda model: cell(
            model,
            Toy(first_changed(input=Pair("left0", "right0", "other"))),
            settings={"layers": 2},
        ),
    ],
)
def test_whatever_changes_no_answer_of_another_is_found(
    home: Path, tmp_path: Path, other: Callable[[Scripted], Cell]
) -> None:
    """The old model says 1, the new one 2: a single 1 in the new answers would be a leak."""
    old, new = Scripted(lambda pair: 1.0), Scripted(lambda pair: 2.0)
    before = answer_cell(cell(old, settings={"layers": 2}))[0]
    answers, asked = answer_cell(other(new))
    assert asked == len(answers)
    assert {answer.value for answer in answers.values()} == {2.0}
    # And the old answers are still the old model's.
    again, asked = answer_cell(cell(new, settings={"layers": 2}))
    assert asked == 0
    assert again == before


def test_fresh_asks_again_and_forgets_the_old_answers(home: Path, tmp_path: Path) -> None:
    run_one(cell(Scripted(lambda pair: 1.0)), tmp_path / "one")
    run = run_one(cell(Scripted(number_of)), tmp_path / "two", fresh=True)
    assert run.cells[0].asked == 12
    answers, asked = answer_cell(cell(Scripted(lambda pair: 3.0)))
    assert asked == 0
    assert [answer.value for answer in answers.values()] == [float(i) for i in range(12)]


def test_retrying_asks_only_what_failed_and_ends_like_a_clean_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(pair: Pair) -> float:
        if number_of(pair) % 3 == 0:
            raise MemoryError("4 GB wanted")
        return number_of(pair)

    first = run_one(cell(Scripted(out_of_memory)), tmp_path / "run")
    assert first.cells[0].counts.failed == 4
    # Started again without the option: failures are answers too, and nothing is asked.
    assert run_one(cell(Scripted(number_of)), tmp_path / "run").cells[0].asked == 0
    mended = Scripted(number_of)
    second = run_one(cell(mended), tmp_path / "run", retry_failed=True)
    assert mended.asked == ["left0", "left3", "left6", "left9"]
    assert second.cells[0].counts.failed == 0
    monkeypatch.setenv("CODEACUMEN_HOME", str(tmp_path / "elsewhere"))
    clean = run_one(cell(Scripted(number_of)), tmp_path / "clean")
    assert answers_in(tmp_path / "run") == answers_in(tmp_path / "clean")
    assert second.cells[0].scores == clean.cells[0].scores


class Contrast:
    """Its answers hang on the whole batch, as with padding or batch normalisation; the third
    batch is interrupted, once."""

    batch_size = 4

    def __init__(self, *, interrupted: bool) -> None:
        self.batches: list[int] = []
        self.interrupted = interrupted

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        if self.interrupted and len(self.batches) == 2:
            raise KeyboardInterrupt
        self.batches.append(len(pairs))
        most = max(map(number_of, pairs))
        return [number_of(pair) - most for pair in pairs]


def test_going_on_after_an_interruption_asks_the_same_batches(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Toy(PAIRS[:10])
    stopped, resumed = Contrast(interrupted=True), Contrast(interrupted=False)
    with pytest.raises(KeyboardInterrupt):
        run_one(cell(stopped, task), tmp_path / "run")
    # As after a kill in the middle of a write: of the second batch one answer is lost.
    (log,) = home.glob("answers/*/*/answers.jsonl")
    log.write_bytes(log.read_bytes()[:-5])
    run_one(cell(resumed, task), tmp_path / "run")
    assert stopped.batches == [4, 4]
    assert resumed.batches == [1, 2]
    monkeypatch.setenv("CODEACUMEN_HOME", str(tmp_path / "elsewhere"))
    run_one(cell(Contrast(interrupted=False), task), tmp_path / "undisturbed")
    found, wanted = answers_in(tmp_path / "run"), answers_in(tmp_path / "undisturbed")
    assert [line for line in found["toy/scripted.jsonl"].splitlines() if b"p7" not in line] == [
        line for line in wanted["toy/scripted.jsonl"].splitlines() if b"p7" not in line
    ]


def test_missing_data_shows_before_anything_is_asked(home: Path, tmp_path: Path) -> None:
    class Absent(Toy):
        def instances(self) -> Sequence[Instance]:
            raise CodeacumenError("the data is not here")

    model = Scripted(number_of)
    with pytest.raises(CodeacumenError, match="not here"):
        evaluate([cell(model), cell(model, Absent(name="absent"))], tmp_path / "run", QUICK)
    assert model.asked == []
