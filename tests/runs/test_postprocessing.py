"""Tests of tasks whose score combines several answers, and of tasks with further metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Method, Metric, TaskCard
from codeacumen.runs.compare import compare_answers
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.runs.statistics import wilson_interval
from codeacumen.text.subtokens import split_subtokens

QUICK = ScoringSettings(resamples=200)


PCP = metrics.prediction_change(split_subtokens)
FURTHER = metrics.change_metrics(split_subtokens)
CARD = TaskCard(
    "pairs",
    "Pairs",
    "1",
    Capability.NAME,
    "pcp",
    evaluation_sets=(EvaluationSet("variants", "all of them", "variant"),),
    slices=("small",),
    lower_is_better=True,
)


@dataclass
class RobustnessTask:
    """A small robustness task: methods with one or more variants."""

    task_instances: Sequence[Instance]
    metric: Metric = PCP
    metrics: Sequence[Metric] = FURTHER
    card: TaskCard = CARD

    def instances(self) -> Sequence[Instance]:
        return self.task_instances

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        return {
            instance.id: Answer(
                instance.id,
                {"before": answers[instance.cluster].value, "after": answers[instance.id].value},
            )
            for instance in instances
            if "variant" in instance.tags and instance.id in answers
        }


def make_instances(methods: int = 40, variants: int = 3) -> list[Instance]:
    made_instances = []
    for i in range(methods):
        made_instances.append(Instance(f"m{i}", Method(f"m{i}", ""), "run", f"m{i}"))
        tags = frozenset(("variant", "small") if i % 2 else ("variant",))
        for j in range(variants):
            id_ = f"m{i}/{j}"
            made_instances.append(Instance(id_, Method(id_, ""), "run", f"m{i}", tags))
    return made_instances


def make_answers(to_answer: Sequence[Instance], seed: int = 0, words: int = 3) -> dict[str, Answer]:
    rng = np.random.default_rng(seed)
    names = ["run", "goRun", "stop", "halt"][:words]
    return {instance.id: Answer(instance.id, str(rng.choice(names))) for instance in to_answer}


def test_metric_uses_postprocessed_answers() -> None:
    task = RobustnessTask(make_instances())
    raw_answers = make_answers(task.task_instances)
    scores, unreadable = compute_scores(task, task.task_instances, raw_answers, QUICK)
    headline = scores[0]
    changed = [
        {raw_answers[instance.id].value, raw_answers[instance.cluster].value} - {"run"}
        and raw_answers[instance.id].value != raw_answers[instance.cluster].value
        for instance in task.task_instances
        if "variant" in instance.tags
    ]
    assert headline.metric == "pcp"
    assert headline.n == 120
    assert headline.value == pytest.approx(100 * sum(map(bool, changed)) / 120)
    assert unreadable == {}


def test_further_metrics_follow_each_with_its_slices() -> None:
    task = RobustnessTask(make_instances())
    scores, _ = compute_scores(task, task.task_instances, make_answers(task.task_instances), QUICK)
    metric_and_slice = [(row.metric, row.slice) for row in scores]
    assert metric_and_slice[:4] == [("pcp", ""), ("pcp", "small"), ("ccp", ""), ("ccp", "small")]
    assert len(metric_and_slice) == 2 * (1 + len(task.metrics))
    assert {row.n for row in scores if row.slice and row.metric == "wwdp"} == {60}
    row_by_metric = {row.metric: row for row in scores if not row.slice}
    assert (
        row_by_metric["cwp_share"].n + row_by_metric["wcp_share"].n == 120
    )  # right before, or wrong before


def remove_of_sums(metric: Metric) -> Metric:
    """Return the metric without ``of_sums``, so that clusters are resampled instance by
    instance."""

    @dataclass(frozen=True)
    class Plain:
        name: str = metric.name
        title: str = metric.title
        unanswered: None = None
        proportion: bool = False
        percentage: bool = False

        observe = staticmethod(metric.observe)
        statistic = staticmethod(metric.statistic)

    return Plain()  # type: ignore[return-value]


def test_sums_over_clusters_have_same_interval_as_instances() -> None:
    robustness_instances = make_instances(methods=60)
    task = RobustnessTask(robustness_instances)
    quick, _ = compute_scores(
        task, robustness_instances, make_answers(robustness_instances, 1), QUICK
    )
    slow_task = RobustnessTask(
        robustness_instances,
        remove_of_sums(task.metric),
        [remove_of_sums(metric) for metric in task.metrics],
    )
    slow, _ = compute_scores(
        slow_task, robustness_instances, make_answers(robustness_instances, 1), QUICK
    )
    assert len(quick) == len(slow) > 20
    for quick_score, slow_score in zip(quick, slow, strict=True):
        assert quick_score.value == pytest.approx(slow_score.value)
        assert quick_score.low == pytest.approx(slow_score.low)
        assert quick_score.high == pytest.approx(slow_score.high)
        assert quick_score.low is not None


def test_interval_depends_on_clusters_not_on_variants() -> None:
    """Ten variants of each method that all change alike are no more evidence than one."""
    one_each, ten_each = make_instances(40, 1), make_instances(40, 10)
    names = {f"m{i}": "run" if i % 4 else "stop" for i in range(40)}

    def compute_width(robustness_instances: Sequence[Instance]) -> float:
        raw_answers = {
            instance.id: Answer(
                instance.id, "run" if instance.id == instance.cluster else names[instance.cluster]
            )
            for instance in robustness_instances
        }
        headline = compute_scores(
            RobustnessTask(robustness_instances),
            robustness_instances,
            raw_answers,
            ScoringSettings(resamples=2000),
        )[0][0]
        assert headline.value == 25
        assert headline.low is not None
        assert headline.high is not None
        return headline.high - headline.low

    assert compute_width(ten_each) == pytest.approx(compute_width(one_each), rel=0.1)


@pytest.mark.parametrize(("after", "value"), [("run", 0.0), ("stop", 100.0)])
def test_interval_has_width_if_none_or_all_change(after: str, value: float) -> None:
    robustness_instances = make_instances()
    raw_answers = {
        instance.id: Answer(instance.id, "run" if instance.id == instance.cluster else after)
        for instance in robustness_instances
    }
    headline = compute_scores(
        RobustnessTask(robustness_instances), robustness_instances, raw_answers, QUICK
    )[0][0]
    low, high = wilson_interval(value / 100, 40, 0.95)
    assert headline.value == value
    assert (headline.low, headline.high) == (pytest.approx(100 * low), pytest.approx(100 * high))
    assert 100 * (high - low) > 5


def test_models_are_compared_on_postprocessed_answers_lowest_first() -> None:
    robustness_instances = make_instances()
    task = RobustnessTask(robustness_instances)
    steady = {instance.id: Answer(instance.id, "stop") for instance in robustness_instances}
    comparison = compare_answers(
        task,
        robustness_instances,
        {"shaky": make_answers(robustness_instances), "steady": steady},
        task.card.evaluation_sets[0],
        QUICK,
    )
    assert list(comparison.values) == ["steady", "shaky"]
    assert comparison.values["steady"] == 0
    (test,) = comparison.tests
    assert (test.first, test.different) == ("steady", True)
    assert test.test == "paired bootstrap by cluster"
    assert comparison.groups == {"steady": "a", "shaky": "b"}


def test_unreadable_answer_is_reported() -> None:
    robustness_instances = make_instances()
    raw_answers = make_answers(robustness_instances)
    raw_answers["m3/1"] = Answer("m3/1", 7)
    scores, unreadable = compute_scores(
        RobustnessTask(robustness_instances), robustness_instances, raw_answers, QUICK
    )
    assert set(unreadable) == {"m3/1"}
    assert scores[0].n == 119


def test_metric_can_exclude_an_instance() -> None:
    """None excludes the instance, which differs from a wrong answer."""
    share = next(
        metric for metric in metrics.change_metrics(split_subtokens) if metric.name == "cwp_share"
    )
    assert share.observe("run", {"before": "stop", "after": "run"}) is None
    assert share.observe("run", {"before": "run", "after": "run"}) == (0.0,)
