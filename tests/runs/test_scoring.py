from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Metric, Pair, TaskCard
from codeacumen.runs.scoring import ScoringSettings, compute_scores, count_answers, observe_answers

EVEN = EvaluationSet("even", "even numbers only", tag="even")
ALL = EvaluationSet("all", "everything answered")


class NumberTask:
    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.card = TaskCard(
            "numbers",
            "Numbers",
            "1",
            Capability.SIMILARITY,
            metric.name,
            evaluation_sets=(EVEN, ALL),
            slices=("tens",),
        )

    def instances(self) -> list[Instance]:
        return [
            Instance(
                str(i),
                Pair(str(i), ""),
                i,
                tags=frozenset(
                    tag for tag, has in (("even", i % 2 == 0), ("tens", i % 10 == 0)) if has
                ),
            )
            for i in range(100)
        ]


def test_each_evaluation_set_and_slice_has_its_own_n() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), float(i)) for i in range(100)}
    scores, _ = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert [(s.evaluation_set, s.slice, s.n) for s in scores] == [
        ("even", "", 50),
        ("all", "", 100),
        ("even", "tens", 10),
    ]
    assert all(s.value == pytest.approx(1.0) for s in scores)
    assert "only 10 instances" in scores[2].note


def test_correlation_excludes_unanswered_instances() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), None if i < 20 else i) for i in range(100)}
    scores, _ = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert scores[1].n == 80


def test_missing_answers_lower_accuracy() -> None:
    """Half are answered, all of them right: the accuracy is 50 %, not 100 %."""
    task = NumberTask(metrics.accuracy)
    answers = {str(i): Answer(str(i), i) for i in range(50)}
    scores, _ = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert scores[1].value == pytest.approx(0.5)
    assert scores[1].n == 100


def test_constant_answers_have_no_correlation() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), 0.5) for i in range(100)}
    scores, _ = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert scores[0].value is None
    assert "undefined" in scores[0].note


def test_two_instances_have_no_interval() -> None:
    """Two pairs always correlate at 1 or −1, in every resample, so an interval would be
    misleading."""
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), i) for i in (2, 4)}
    scores, _ = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert (scores[0].value, scores[0].low, scores[0].high) == (pytest.approx(1.0), None, None)


def test_unreadable_answer_is_reported_and_counted_as_failed() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), i) for i in range(100)}
    answers["3"] = Answer("3", "three")
    answers["4"] = Answer("4", True)
    answers["5"] = Answer("5", error="ValueError: no")
    _, unreadable = compute_scores(task, task.instances(), answers, ScoringSettings())
    assert set(unreadable) == {"3", "4"}
    failed = {"5": "ValueError: no"} | unreadable
    counts = count_answers(task.instances(), answers, failed)
    assert (counts.answered, counts.failed, counts.unanswered) == (97, 3, 0)


def test_interval_depends_on_the_seed() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), i * 37 % 100) for i in range(100)}
    first = compute_scores(task, task.instances(), answers, ScoringSettings(seed=1))
    assert first == compute_scores(task, task.instances(), answers, ScoringSettings(seed=1))
    assert first != compute_scores(task, task.instances(), answers, ScoringSettings(seed=2))


def test_observations_keep_the_order_of_the_instances() -> None:
    task = NumberTask(metrics.spearman)
    answers = {str(i): Answer(str(i), -i) for i in reversed(range(100))}
    observations, _ = observe_answers(task.metric, task.instances(), answers, ALL)
    assert list(observations.ids) == [str(i) for i in range(100)]
    assert observations.columns[1, 7] == -7


def test_interval_depends_on_clusters_not_on_instances() -> None:
    """A hundred instances of one project are no more evidence than one."""
    task = NumberTask(metrics.spearman)
    instances = [replace(i, cluster="the only one") for i in task.instances()]
    answers = {str(i): Answer(str(i), i * 37 % 100) for i in range(100)}
    scores, _ = compute_scores(task, instances, answers, ScoringSettings())
    assert (scores[1].n, scores[1].low, scores[1].high) == (100, None, None)
    assert "only 1 cluster:" in scores[1].note


@dataclass(frozen=True)
class Closeness:
    """A user's metric: three columns; a missing answer counts as its worst row."""

    name: str = "closeness"
    title: str = "Closeness"
    proportion: bool = False
    unanswered: tuple[float, ...] | None = (0.0, 0.0, 0.0)

    def observe(self, truth: float, answer: dict[str, float]) -> tuple[float, ...]:
        return (1.0, answer["value"], float(truth))

    def statistic(self, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return weights @ columns[0] / weights.sum(axis=1)


def test_custom_metric_defines_missing_answers_and_may_raise() -> None:
    task = NumberTask(Closeness())
    answers = {str(i): Answer(str(i), {"value": 1.0}) for i in range(50)}
    answers["7"] = Answer("7", {"other": 1.0})  # observe raises KeyError
    scores, unreadable = compute_scores(
        task, task.instances(), answers, ScoringSettings(resamples=100)
    )
    assert scores[1].value == pytest.approx(0.49)
    assert set(unreadable) == {"7"}
