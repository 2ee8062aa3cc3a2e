"""Learners on a training split, what models may look at, and the score over all tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import (
    Capability,
    CodeacumenError,
    CodeContext,
    Example,
    Instance,
    Method,
    NamedMethod,
    Prompt,
    Question,
    Supervision,
)
from codeacumen.models.baselines import Constant, RandomLabel
from codeacumen.registry import list_task_groups
from codeacumen.runs.evaluate import answer_cell, evaluate
from codeacumen.runs.plan import PlannedTask, input_record, model_card, why_not
from codeacumen.runs.results import read_run
from codeacumen.runs.scoring import Settings
from toys import QUICK, Toy, cell

ASKED = [Instance(f"q{i}", Prompt(f"text {i}", f"m{i}"), "a", f"p{i // 2}") for i in range(14)]
TRAINING = [Example(Prompt(f"old {i}", f"o{i}"), "ab"[i % 3 == 0]) for i in range(9)]


class Split(Toy):
    """A task with a training split, and something to see."""

    def __init__(self, training: Sequence[Example] = TRAINING, name: str = "toy") -> None:
        # Tasks with the same instances are resampled together: each task has its own.
        own = [replace(instance, id=f"{name} {instance.id}") for instance in ASKED]
        super().__init__(own, name, capability=Capability.GENERATE, metric=metrics.exact_match)
        self.examples = training
        self.shown_context: Any = object()
        self.reads = 0

    def training(self) -> Sequence[Example]:
        self.reads += 1
        return self.examples

    def code_context(self) -> Any:
        return self.shown_context


class Bare(Toy):
    def __init__(self) -> None:
        super().__init__(ASKED, capability=Capability.GENERATE, metric=metrics.exact_match)


class Learning:
    """Remembers what it was shown, and when."""

    def __init__(self, supervision: Supervision = "train") -> None:
        self.supervision = supervision
        self.shown: list[Sequence[Example]] = []
        self.order: list[str] = []

    def fit(self, examples: Sequence[Example]) -> None:
        self.shown.append(examples)
        self.order.append("fit")

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        self.order.append("asked")
        return ["a"] * len(prompts)


class Looking(Learning):
    seen: list[CodeContext | None]

    def use_context(self, context: CodeContext | None) -> None:
        self.seen = [*getattr(self, "seen", []), context]
        self.order.append("look")


def test_it_is_shown_the_training_split_once_and_no_instance(home: Path) -> None:
    model = Learning()
    answers, asked = answer_cell(cell(model, Split()))
    assert asked == len(answers) == len(ASKED)
    assert model.shown == [TRAINING]
    assert model.order[0] == "fit"


def test_what_is_answered_already_needs_no_training(home: Path) -> None:
    answer_cell(cell(Learning(), Split()))
    again, task = Learning(), Split()
    answer_cell(cell(again, task))
    assert again.order == []


def test_a_task_without_a_training_split_is_not_for_it(home: Path) -> None:
    made = cell(Learning(), Bare()).made
    assert why_not(made, Bare().card) == ""
    assert "training split" in why_not(made, Bare().card, trains=False)
    either = cell(Learning("train-or-all"), Bare()).made
    assert why_not(either, Bare().card, trains=False) == ""
    answers, _ = answer_cell(cell(Learning(), Bare()))
    assert all("no training split" in one.error for one in answers.values())


def test_the_majority_is_of_the_training_split_where_there_is_one(home: Path) -> None:
    """The instances say a, two thirds of the training split too; of another split all say c."""
    answers, _ = answer_cell(cell(Constant(), Split()))
    assert {one.value for one in answers.values()} == {"a"}
    other = [replace(one, truth="c") for one in TRAINING]
    answers, _ = answer_cell(cell(Constant(), Split(other)))
    assert {one.value for one in answers.values()} == {"c"}
    answers, _ = answer_cell(cell(Constant(), Bare()))
    assert {one.value for one in answers.values()} == {"a"}
    assert model_card(cell(Constant()).made).labels_seen == "saw training labels, or all"


def test_chance_draws_labels_as_often_as_they_are_in_training(home: Path) -> None:
    model = RandomLabel(0)
    model.fit([Example(Prompt(str(i)), "rare" if i == 0 else "often") for i in range(4)])
    drawn = model.generate([Prompt(str(i)) for i in range(4000)])
    assert 900 < drawn.count("rare") < 1100
    assert model.classify([Question("x", ("none", "of", "these"))]) == [None]
    model.fit([])
    assert model.generate([Prompt("x")]) == [None]


def test_a_model_looks_before_it_learns_and_is_told_where_there_is_nothing(home: Path) -> None:
    model, task = Looking(), Split()
    answer_cell(cell(model, task))
    assert model.seen == [task.shown_context]
    assert model.order[:2] == ["look", "fit"]
    other = Looking("all")
    answer_cell(cell(other, Bare()))
    assert other.seen == [None]


def test_looking_that_fails_is_told_and_ends_nothing(home: Path) -> None:
    class Blind(Looking):
        def use_context(self, context: CodeContext | None) -> None:
            raise OSError("too dark")

    answers, _ = answer_cell(cell(Blind(), Split()))
    assert {one.error for one in answers.values()} == {"OSError: too dark"}


def test_answers_are_kept_under_what_was_learned_from_and_seen(home: Path) -> None:
    changed = [*TRAINING[:-1], replace(TRAINING[-1], truth="z")]
    same, other = Split(), Split(changed)
    assert cell(Learning(), same).cache_key() == cell(Learning(), Split()).cache_key()
    assert cell(Learning(), same).cache_key() != cell(Learning(), other).cache_key()
    # Who neither learns from it nor looks does not care.
    assert cell(Learning("all"), same).cache_key() == cell(Learning("all"), other).cache_key()
    named, renamed = Split(), Split()
    named.fingerprint, renamed.fingerprint = "one", "two"  # type: ignore[attr-defined]
    assert cell(Looking("all"), named).cache_key() != cell(Looking("all"), renamed).cache_key()
    assert named.reads == 0


def test_a_training_split_that_cannot_be_read_is_told_before_anything_is_asked(home: Path) -> None:
    class Broken(Split):
        def training(self) -> Sequence[Example]:
            raise KeyError("no such split")

    with pytest.raises(CodeacumenError, match=r"toy: cannot read its training split: KeyError"):
        cell(Learning(), Broken()).cache_key()


def test_fields_that_are_empty_are_no_part_of_the_data(home: Path) -> None:
    """Data hashes of tasks that do not use them are what they were before there were any."""
    assert input_record(Prompt("x")) == {"text": "x"}
    assert input_record(Question("x", ("a",))) == {"text": "x", "choices": ("a",)}
    assert input_record(Prompt("x", "m", "why?")) == {"text": "x", "method": "m", "ask": "why?"}
    assert repr(Prompt("x", "m", "why?")) == repr(Prompt("x"))
    hashes = {
        PlannedTask(Toy([Instance("i", Prompt("x", method), 1)])).data_sha256
        for method in ("", "m", "n")
    }
    assert len(hashes) == 3


# --------------------------------------------------------------------------------------
# Over all tasks of a group.
# --------------------------------------------------------------------------------------


class Sometimes:
    """Right on the first instances of a task."""

    def __init__(self, right: int) -> None:
        self.right = right

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return ["a" if int(one.text.split()[1]) < self.right else "b" for one in prompts]


def test_the_overall_score_is_the_mean_of_those_who_answered_all(
    home: Path, tmp_path: Path
) -> None:
    (tasks,) = [group.tasks for group in list_task_groups() if group.name == "gluecode"]
    cells = [
        cell(Sometimes(right), Split(name=name), name="whole", settings={"n": right})
        for right, name in zip((14, 7, 0, 7, 7), tasks, strict=True)
    ]
    cells += [cell(Sometimes(14), Split(name=name), name="part") for name in tasks[:4]]
    run = evaluate(cells, tmp_path / "run", Settings(resamples=2000))
    (overall,) = run.overall
    assert (overall.group, overall.model, overall.tasks) == ("gluecode", "whole", tasks)
    assert overall.value == pytest.approx((1 + 0.5 + 0 + 0.5 + 0.5) / 5)
    assert overall.low is not None
    assert overall.high is not None
    assert overall.low < overall.value < overall.high
    # Averaging five tasks that are resampled by themselves narrows the interval: three of them
    # vary, by 1 / 5 of their own each.
    own = next(one for one in run.cells if one.task == tasks[1]).scores[0]
    assert own.low is not None
    assert own.high is not None
    expected = (own.high - own.low) * np.sqrt(3) / 5
    assert overall.high - overall.low == pytest.approx(expected, rel=0.35)
    assert read_run(tmp_path / "run") == run


def test_results_without_an_overall_score_are_read(home: Path, tmp_path: Path) -> None:
    run = evaluate([cell(Sometimes(7), Split())], tmp_path / "run", QUICK)
    assert run.overall == ()
    path = tmp_path / "run" / "results.json"
    record = json.loads(path.read_text())
    del record["overall"]
    path.write_text(json.dumps(record))
    assert read_run(path) == run


def test_named_methods_have_a_data_hash() -> None:
    named = [Instance("a", NamedMethod(Method("m", "void f() {}"), name), 1.0) for name in "fg"]
    hashes = {
        PlannedTask(Toy([one], "toy", capability=Capability.JUDGE)).data_sha256 for one in named
    }
    assert len(hashes) == 2
