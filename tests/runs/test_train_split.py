"""Tests of learners on a training split, of the context available to models, and of the score over
all tasks."""

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
from codeacumen.runs.evaluate import answer_cell, evaluate_cells
from codeacumen.runs.plan import PlannedTask, create_model_card, explain_misfit, question_to_json
from codeacumen.runs.results import read_run
from codeacumen.runs.scoring import ScoringSettings
from toy_task import QUICK, ToyTask, make_cell

ASKED = [Instance(f"q{i}", Prompt(f"text {i}", f"m{i}"), "a", f"p{i // 2}") for i in range(14)]
TRAINING = [Example(Prompt(f"old {i}", f"o{i}"), "ab"[i % 3 == 0]) for i in range(9)]


class SplitTask(ToyTask):
    """A task with a training split and a code context."""

    def __init__(self, training: Sequence[Example] = TRAINING, name: str = "toy") -> None:
        # Tasks with the same instances are resampled together, so each task has its own ids.
        own = [replace(instance, id=f"{name} {instance.id}") for instance in ASKED]
        super().__init__(own, name, capability=Capability.GENERATE, metric=metrics.exact_match)
        self.examples = training
        self.shown_context: Any = object()
        self.read_count = 0

    def training(self) -> Sequence[Example]:
        self.read_count += 1
        return self.examples

    def code_context(self) -> Any:
        return self.shown_context


class UnsplitTask(ToyTask):
    def __init__(self) -> None:
        super().__init__(ASKED, capability=Capability.GENERATE, metric=metrics.exact_match)


class RecordingLearner:
    """Records its training examples and the order of calls."""

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


class ContextLearner(RecordingLearner):
    contexts: list[CodeContext | None]

    def use_context(self, context: CodeContext | None) -> None:
        self.contexts = [*getattr(self, "contexts", []), context]
        self.order.append("look")


def test_learner_gets_training_split_once(home: Path) -> None:
    model = RecordingLearner()
    answers, question_count = answer_cell(make_cell(model, SplitTask()))
    assert question_count == len(answers) == len(ASKED)
    assert model.shown == [TRAINING]
    assert model.order[0] == "fit"


def test_cached_answers_need_no_training(home: Path) -> None:
    answer_cell(make_cell(RecordingLearner(), SplitTask()))
    again, task = RecordingLearner(), SplitTask()
    answer_cell(make_cell(again, task))
    assert again.order == []


def test_learner_refuses_task_without_training_split(home: Path) -> None:
    loaded_model = make_cell(RecordingLearner(), UnsplitTask()).loaded
    assert explain_misfit(loaded_model, UnsplitTask().card) == ""
    assert "training split" in explain_misfit(loaded_model, UnsplitTask().card, has_training=False)
    either = make_cell(RecordingLearner("train-or-all"), UnsplitTask()).loaded
    assert explain_misfit(either, UnsplitTask().card, has_training=False) == ""
    answers, _ = answer_cell(make_cell(RecordingLearner(), UnsplitTask()))
    assert all("no training split" in answer.error for answer in answers.values())


def test_majority_is_taken_from_the_training_split_if_there_is_one(home: Path) -> None:
    """All instances have the label a, as have two thirds of the training split; in the other split
    all have c."""
    answers, _ = answer_cell(make_cell(Constant(), SplitTask()))
    assert {answer.value for answer in answers.values()} == {"a"}
    other = [replace(example, truth="c") for example in TRAINING]
    answers, _ = answer_cell(make_cell(Constant(), SplitTask(other)))
    assert {answer.value for answer in answers.values()} == {"c"}
    answers, _ = answer_cell(make_cell(Constant(), UnsplitTask()))
    assert {answer.value for answer in answers.values()} == {"a"}
    assert (
        create_model_card(make_cell(Constant()).loaded).labels_seen
        == "trained on training labels, or all"
    )


def test_random_label_follows_training_frequencies(home: Path) -> None:
    model = RandomLabel(0)
    model.fit([Example(Prompt(str(i)), "rare" if i == 0 else "often") for i in range(4)])
    sampled = model.generate([Prompt(str(i)) for i in range(4000)])
    assert 900 < sampled.count("rare") < 1100
    assert model.classify([Question("x", ("none", "of", "these"))]) == [None]
    model.fit([])
    assert model.generate([Prompt("x")]) == [None]


def test_model_gets_context_before_training(home: Path) -> None:
    model, task = ContextLearner(), SplitTask()
    answer_cell(make_cell(model, task))
    assert model.contexts == [task.shown_context]
    assert model.order[:2] == ["look", "fit"]
    other = ContextLearner("all")
    answer_cell(make_cell(other, UnsplitTask()))
    assert other.contexts == [None]


def test_failing_use_context_is_recorded_as_error(home: Path) -> None:
    class Blind(ContextLearner):
        def use_context(self, context: CodeContext | None) -> None:
            raise OSError("too dark")

    answers, _ = answer_cell(make_cell(Blind(), SplitTask()))
    assert {answer.error for answer in answers.values()} == {"OSError: too dark"}


def test_cache_key_depends_on_training_split_and_context(home: Path) -> None:
    changed = [*TRAINING[:-1], replace(TRAINING[-1], truth="z")]
    same, other = SplitTask(), SplitTask(changed)
    assert (
        make_cell(RecordingLearner(), same).cache_key()
        == make_cell(RecordingLearner(), SplitTask()).cache_key()
    )
    assert (
        make_cell(RecordingLearner(), same).cache_key()
        != make_cell(RecordingLearner(), other).cache_key()
    )
    # A model that neither trains on the split nor uses the context is not affected.
    assert (
        make_cell(RecordingLearner("all"), same).cache_key()
        == make_cell(RecordingLearner("all"), other).cache_key()
    )
    named, renamed = SplitTask(), SplitTask()
    named.fingerprint, renamed.fingerprint = "one", "two"  # type: ignore[attr-defined]
    assert (
        make_cell(ContextLearner("all"), named).cache_key()
        != make_cell(ContextLearner("all"), renamed).cache_key()
    )
    assert named.read_count == 0


def test_unreadable_training_split_is_reported_before_models_are_called(home: Path) -> None:
    class Broken(SplitTask):
        def training(self) -> Sequence[Example]:
            raise KeyError("no such split")

    with pytest.raises(CodeacumenError, match=r"toy: cannot read its training split: KeyError"):
        make_cell(RecordingLearner(), Broken()).cache_key()


def test_empty_fields_do_not_change_data_hash(home: Path) -> None:
    """Data hashes of tasks without these fields stay as they were before the fields existed."""
    assert question_to_json(Prompt("x")) == {"text": "x"}
    assert question_to_json(Question("x", ("a",))) == {"text": "x", "choices": ("a",)}
    assert question_to_json(Prompt("x", "m", "why?")) == {"text": "x", "method": "m", "ask": "why?"}
    assert repr(Prompt("x", "m", "why?")) == repr(Prompt("x"))
    hashes = {
        PlannedTask(ToyTask([Instance("i", Prompt("x", method), 1)])).data_sha256
        for method in ("", "m", "n")
    }
    assert len(hashes) == 3


# --------------------------------------------------------------------------------------
# Over all tasks of a group.
# --------------------------------------------------------------------------------------


class PartlyRight:
    """Right on the first instances of a task."""

    def __init__(self, right: int) -> None:
        self.right = right

    def generate(self, prompts: Sequence[Prompt]) -> list[str]:
        return ["a" if int(prompt.text.split()[1]) < self.right else "b" for prompt in prompts]


def test_overall_score_is_mean_of_models_that_answered_all_tasks(
    home: Path, tmp_path: Path
) -> None:
    (tasks,) = [group.tasks for group in list_task_groups() if group.name == "gluecode"]
    cells = [
        make_cell(PartlyRight(right), SplitTask(name=name), name="whole", settings={"n": right})
        for right, name in zip((14, 7, 0, 7, 7), tasks, strict=True)
    ]
    cells += [make_cell(PartlyRight(14), SplitTask(name=name), name="part") for name in tasks[:4]]
    run = evaluate_cells(cells, tmp_path / "run", ScoringSettings(resamples=2000))
    (overall,) = run.overall
    assert (overall.group, overall.model, overall.tasks) == ("gluecode", "whole", tasks)
    assert overall.value == pytest.approx((1 + 0.5 + 0 + 0.5 + 0.5) / 5)
    assert overall.low is not None
    assert overall.high is not None
    assert overall.low < overall.value < overall.high
    # Averaging five independently resampled tasks narrows the interval: three of them vary,
    # each by 1 / 5 of its own width.
    own = next(cell_scores for cell_scores in run.cells if cell_scores.task == tasks[1]).scores[0]
    assert own.low is not None
    assert own.high is not None
    expected = (own.high - own.low) * np.sqrt(3) / 5
    assert overall.high - overall.low == pytest.approx(expected, rel=0.35)
    assert read_run(tmp_path / "run") == run


def test_results_without_overall_score_can_be_read(home: Path, tmp_path: Path) -> None:
    run = evaluate_cells([make_cell(PartlyRight(7), SplitTask())], tmp_path / "run", QUICK)
    assert run.overall == ()
    path = tmp_path / "run" / "results.json"
    record = json.loads(path.read_text())
    del record["overall"]
    path.write_text(json.dumps(record))
    assert read_run(path) == run


def test_named_methods_have_different_data_hashes() -> None:
    named = [Instance("a", NamedMethod(Method("m", "void f() {}"), name), 1.0) for name in "fg"]
    hashes = {
        PlannedTask(ToyTask([instance], "toy", capability=Capability.JUDGE)).data_sha256
        for instance in named
    }
    assert len(hashes) == 2
