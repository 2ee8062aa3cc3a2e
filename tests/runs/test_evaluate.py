"""A model is asked once for each instance, whatever it does, and its answers are its own."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from acumen import metrics
from acumen.api import (
    AcumenError,
    Example,
    Face,
    Instance,
    Metric,
    Pair,
    Prompt,
    Question,
    Run,
    TaskCard,
)
from acumen.registry import Entry, Made
from acumen.runs.evaluate import answer_cell, evaluate
from acumen.runs.plan import Cell, PlannedTask
from acumen.runs.scoring import Settings
from support import Acumen

QUICK = Settings(resamples=100)
PAIRS = [Instance(f"p{i}", Pair(f"left{i}", f"right{i}"), i) for i in range(12)]


class Toy:
    """A task made of given instances."""

    def __init__(
        self,
        instances: Sequence[Instance] = PAIRS,
        name: str = "toy",
        version: str = "1",
        face: Face = Face.SIMILARITY,
        metric: Metric = metrics.spearman,
    ) -> None:
        self.given = instances
        self.metric = metric
        self.card = TaskCard(name, "Toy", version, face, metric.name)

    def instances(self) -> Sequence[Instance]:
        return self.given


class Scripted:
    """Answers pairs with a function of the question; remembers what it was asked."""

    def __init__(self, answer: Callable[[Pair], Any], batch_size: int = 1) -> None:
        self.answer = answer
        self.batch_size = batch_size
        self.asked: list[str] = []

    def similarity(self, pairs: Sequence[Pair]) -> list[Any]:
        self.asked += [pair.left for pair in pairs]
        return [self.answer(pair) for pair in pairs]


def number_of(pair: Pair) -> float:
    return float(pair.left.removeprefix("left"))


def cell(
    model: Any,
    task: Any = None,
    *,
    name: str = "scripted",
    settings: dict[str, Any] | None = None,
    code: str = "",
    origin: str = "tests",
) -> Cell:
    entry = Entry("model", name, lambda: model, origin=origin, code_sha256=code)
    return Cell(Made(name, entry, settings or {}, model), PlannedTask(task or Toy()))


def run_one(one: Cell, out: Path, **options: bool) -> Run:
    return evaluate([one], out, QUICK, **options)


def answers_in(out: Path) -> dict[str, bytes]:
    """The answers files of a run, by their place in it."""
    folder = out / "answers"
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


# --------------------------------------------------------------------------------------
# Answers are kept and found again, by their own key only.
# --------------------------------------------------------------------------------------


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
            model, Toy(first_changed(input=Pair("left0", "right0", "other"))),
            settings={"layers": 2},
        ),
    ],
)  # fmt: skip
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
    monkeypatch.setenv("ACUMEN_HOME", str(tmp_path / "elsewhere"))
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
    monkeypatch.setenv("ACUMEN_HOME", str(tmp_path / "elsewhere"))
    run_one(cell(Contrast(interrupted=False), task), tmp_path / "undisturbed")
    found, wanted = answers_in(tmp_path / "run"), answers_in(tmp_path / "undisturbed")
    assert [line for line in found["toy/scripted.jsonl"].splitlines() if b"p7" not in line] == [
        line for line in wanted["toy/scripted.jsonl"].splitlines() if b"p7" not in line
    ]


def test_missing_data_shows_before_anything_is_asked(home: Path, tmp_path: Path) -> None:
    class Absent(Toy):
        def instances(self) -> Sequence[Instance]:
            raise AcumenError("the data is not here")

    model = Scripted(number_of)
    with pytest.raises(AcumenError, match="not here"):
        evaluate([cell(model), cell(model, Absent(name="absent"))], tmp_path / "run", QUICK)
    assert model.asked == []


# --------------------------------------------------------------------------------------
# A model that learns sees the labels it may see, and no other.
# --------------------------------------------------------------------------------------


class Learning:
    """Remembers which truths it was shown before each question."""

    def __init__(self, supervision: Literal["others", "all"]) -> None:
        self.supervision = supervision
        self.shown: set[Any] = set()
        self.saw: dict[str, set[Any]] = {}
        self.fits = 0

    def fit(self, examples: Sequence[Example]) -> None:
        self.fits += 1
        self.shown = {example.truth for example in examples}

    def similarity(self, pairs: Sequence[Pair]) -> list[float]:
        self.saw |= {pair.left: self.shown for pair in pairs}
        return [0.0] * len(pairs)


def test_leave_one_out_hides_the_instance_and_its_whole_cluster(home: Path) -> None:
    clustered = [replace(p, cluster="ab" if p.truth < 2 else "") for p in PAIRS[:4]]
    model = Learning("others")
    answer_cell(cell(model, Toy(clustered)))
    assert model.saw == {
        "left0": {2, 3}, "left1": {2, 3}, "left2": {0, 1, 3}, "left3": {0, 1, 2},
    }  # fmt: skip


def test_a_bound_may_see_all_and_is_trained_once(home: Path) -> None:
    model = Learning("all")
    answer_cell(cell(model))
    assert model.fits == 1
    assert all(saw == set(range(12)) for saw in model.saw.values())


def test_what_is_answered_already_is_not_trained_for_again(home: Path) -> None:
    answer_cell(cell(Learning("others")))
    again = Learning("others")
    answer_cell(cell(again))
    assert again.fits == 0


def test_a_training_that_fails_costs_its_own_instances_only(home: Path, tmp_path: Path) -> None:
    class Fragile(Learning):
        def fit(self, examples: Sequence[Example]) -> None:
            if 7 not in {example.truth for example in examples}:
                raise RuntimeError("did not converge")
            super().fit(examples)

    run = run_one(cell(Fragile("others")), tmp_path / "run")
    assert run.cells[0].counts.failed == 1
    assert run.cells[0].errors == ("p7: RuntimeError: did not converge",)


# --------------------------------------------------------------------------------------
# Whatever a model says or does, the run goes on and the failure is on record.
# --------------------------------------------------------------------------------------


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
        (raises(UnspeakableError()), "UnspeakableError: (its text cannot be read)"),
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
CHOICE = Toy(QUESTIONS, face=Face.CLASSIFY, metric=metrics.accuracy)


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
        face=Face.GENERATE,
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


# --------------------------------------------------------------------------------------
# The same through the command line, with a model in a file of its own.
# --------------------------------------------------------------------------------------

PLUGIN = '''
import os
from pathlib import Path
from acumen.registry import model

LOG = Path(__file__).with_name("asked.txt")


class Lengths:
    def __init__(self, scale):
        self.scale = scale

    def similarity(self, pairs):
        with LOG.open("a") as log:
            log.writelines(f"{pair.left} {pair.right}\\n" for pair in pairs)
        # {remark}
        return [{answer} for pair in pairs]


class Writer:
    def generate(self, prompts):
        LOG.write_text("asked")
        return [""] * len(prompts)


@model("lengths")
def lengths(scale: float = 1.0):
    """Similar in length"""
    return Lengths(scale)


@model("writer")
def writer():
    return Writer()
'''
CORRECT = "-abs(len(pair.left) - len(pair.right)) * self.scale"


class PluginFile:
    """The model's file, and what it has been asked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lengths.py"
        self.log = folder / "asked.txt"
        self.write()

    def write(self, answer: str = CORRECT, remark: str = "") -> None:
        text = PLUGIN.replace("{answer}", answer).replace("{remark}", remark)
        self.path.write_text(text)

    def asked(self) -> int:
        """How many questions since the last time."""
        count = len(self.log.read_text().splitlines()) if self.log.exists() else 0
        self.log.unlink(missing_ok=True)
        return count


@pytest.fixture
def plugin(tmp_path: Path) -> PluginFile:
    return PluginFile(tmp_path)


MATCH = ("-t", "abbreviations/match", "--resamples", "100", "--json")


def test_an_edited_file_is_another_model_even_within_a_second(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same size, same time stamp: a stale compiled file would run the old code and keep its
    answers as the new code's."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", tmp_path / "run")
    plugin.write(answer="1.0")
    stamp = plugin.path.stat()
    assert acumen(*command).returncode == 0
    first = answers_in(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert plugin.asked() == 475
    assert acumen(*command).returncode == 0
    assert plugin.asked() == 0
    plugin.write(answer="2.0")
    os.utime(plugin.path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert plugin.path.stat().st_size == stamp.st_size
    assert acumen(*command).returncode == 0
    assert plugin.asked() == 475
    second = answers_in(tmp_path / "run")["abbreviations/match/lengths.jsonl"]
    assert second == first.replace(b'"answer": 1.0', b'"answer": 2.0')
    # Even a remark may be a change of behaviour; nobody but the author knows.
    plugin.write(answer="2.0", remark="now faster")
    assert acumen(*command).returncode == 0
    assert plugin.asked() == 475
    assert not (tmp_path / "__pycache__").exists()


def test_a_file_edited_during_a_run_does_not_get_the_old_codes_answers(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """The model edits its own file at the first question, as an impatient author would; the
    second task is asked after that, of the code that was loaded before."""
    edit = (
        "[Path(__file__).write_text(Path(__file__).read_text().replace('0.25', '0.75')), 0.25][1]"
    )
    plugin.write(answer=edit)
    command = (
        "eval",
        "--plugin",
        plugin.path,
        "-m",
        "lengths",
        "-t",
        "abbreviations/expand",
        *MATCH,
    )
    assert acumen(*command, "-o", tmp_path / "old").returncode == 0
    assert acumen(*command, "-o", tmp_path / "new").returncode == 0
    name = "abbreviations/match/lengths.jsonl"
    assert b"0.75" not in answers_in(tmp_path / "old")[name]
    assert b"0.25" not in answers_in(tmp_path / "new")[name]
    cells = json.loads((tmp_path / "new" / "results.json").read_text())["cells"]
    assert all(one["asked"] == one["counts"]["instances"] for one in cells)


def test_settings_have_answers_of_their_own(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path
) -> None:
    command = ["eval", "--plugin", plugin.path, *MATCH, "-o", tmp_path / "run"]
    acumen(*command, "-m", "lengths", "-m", "lengths:scale=2.0")
    assert plugin.asked() == 2 * 475
    one, two = (
        [json.loads(line)["answer"] for line in content.splitlines()]
        for _, content in sorted(answers_in(tmp_path / "run").items())
    )
    assert sorted([one, two]) == sorted([one, [2 * value for value in one]])
    # The default written out is the same model: its answers are there already.
    acumen(*command, "-m", "lengths:scale=1.0")
    assert plugin.asked() == 0


def test_two_runs_at_once_ask_each_instance_once_in_total(
    home: Path, plugin: PluginFile, tmp_path: Path
) -> None:
    # A second of questions each, so that the two surely meet.
    plugin.write(answer="(__import__('time').sleep(0.002), 1.0)[1]")
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "acumen", "eval", "--plugin", str(plugin.path), "-m", "lengths",
             *MATCH, "-o", str(tmp_path / out)],
            stdout=subprocess.PIPE,
        )
        for out in ("one", "two")
    ]  # fmt: skip
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    questions = plugin.log.read_text().splitlines()
    assert len(questions) == len(set(questions)) == 475
    assert sorted(json.loads(text)["cells"][0]["asked"] for text in outputs) == [0, 475]
    assert answers_in(tmp_path / "one") == answers_in(tmp_path / "two") != {}


def test_failures_are_shown_and_end_in_exit_code_1(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write(answer="1 / (len(pair.left) - 3)")
    command = ["eval", "--plugin", plugin.path, "-m", "lengths", *MATCH[:-1], "-o", tmp_path / "r"]
    done = acumen(*command)
    assert done.returncode == 1
    short = sum(line.index(" ") == 3 for line in plugin.log.read_text().splitlines())
    assert 0 < short < 475
    assert f"lengths on abbreviations/match: {short} of 475 instances failed" in done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert "--retry-failed" in done.stderr
    assert f"{475 - short} of 475" in done.stdout
    record = json.loads((tmp_path / "r" / "results.json").read_text())
    assert record["cells"][0]["counts"]["failed"] == short
    # Kept failures are failures still: the exit code does not turn to 0 by itself.
    again = acumen(*command, "-m", "random")
    assert again.returncode == 1
    assert "random on" not in again.stderr


def test_odd_characters_in_an_error_reach_file_and_terminal(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path
) -> None:
    plugin.write(answer=r'exec("raise ValueError(chr(0xd800) + chr(27) + chr(0) + \'ü\')")')
    out = tmp_path / "run"
    done = acumen("eval", "--plugin", plugin.path, "-m", "lengths", *MATCH, "-o", out)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for text in (done.stdout, (out / "results.json").read_text(encoding="utf-8")):
        (error, *_) = json.loads(text)["cells"][0]["errors"]
        assert error.endswith("ValueError: \ud800\x1b\0ü")


def test_a_model_without_the_face_is_reported_before_anything_runs(
    acumen: Acumen, plugin: PluginFile, tmp_path: Path
) -> None:
    """``lengths`` could be asked, and comes first, yet nobody is."""
    out = tmp_path / "run"
    command = ("eval", "--plugin", plugin.path, "-m", "lengths", "-m", "writer", *MATCH, "-o", out)
    done = acumen(*command)
    assert done.returncode == 2
    assert (
        "writer cannot be asked abbreviations/match: the task needs similarity, "
        "the model has generate"
    ) in done.stderr
    assert "--skip-unfit" in done.stderr
    assert plugin.asked() == 0
    assert not out.exists()
    done = acumen(*command, "--skip-unfit")
    assert done.returncode == 0
    assert "left out: writer" in done.stderr
    assert [one["model"] for one in json.loads(done.stdout)["cells"]] == ["lengths"]
    assert plugin.asked() == 475
