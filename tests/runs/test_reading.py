"""Tasks whose score stands on several answers together, and tasks with further metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from codeacumen import metrics
from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Method, Metric, TaskCard
from codeacumen.runs.compare import compare_answers
from codeacumen.runs.scoring import Settings, score
from codeacumen.runs.statistics import wilson_interval
from codeacumen.text.subtokens import subtokens

QUICK = Settings(resamples=200)


PCP = metrics.prediction_change(subtokens)
FURTHER = metrics.change_metrics(subtokens)
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
class Pairs:
    """Methods of one variant each, or several: a small robustness task."""

    given: Sequence[Instance]
    metric: Metric = PCP
    metrics: Sequence[Metric] = FURTHER
    card: TaskCard = CARD

    def instances(self) -> Sequence[Instance]:
        return self.given

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        return {
            one.id: Answer(
                one.id,
                {"before": answers[one.cluster].value, "after": answers[one.id].value},
            )
            for one in instances
            if "variant" in one.tags and one.id in answers
        }


def instances(methods: int = 40, variants: int = 3) -> list[Instance]:
    found = []
    for i in range(methods):
        found.append(Instance(f"m{i}", Method(f"m{i}", ""), "run", f"m{i}"))
        tags = frozenset(("variant", "small") if i % 2 else ("variant",))
        for j in range(variants):
            id_ = f"m{i}/{j}"
            found.append(Instance(id_, Method(id_, ""), "run", f"m{i}", tags))
    return found


def answers(asked: Sequence[Instance], seed: int = 0, words: int = 3) -> dict[str, Answer]:
    rng = np.random.default_rng(seed)
    names = ["run", "goRun", "stop", "halt"][:words]
    return {one.id: Answer(one.id, str(rng.choice(names))) for one in asked}


def test_the_metric_sees_what_the_task_reads() -> None:
    task = Pairs(instances())
    given = answers(task.given)
    scores, unreadable = score(task, task.given, given, QUICK)
    headline = scores[0]
    changed = [
        {given[one.id].value, given[one.cluster].value} - {"run"}
        and given[one.id].value != given[one.cluster].value
        for one in task.given
        if "variant" in one.tags
    ]
    assert headline.metric == "pcp"
    assert headline.n == 120
    assert headline.value == pytest.approx(100 * sum(map(bool, changed)) / 120)
    assert unreadable == {}


def test_further_metrics_come_after_each_with_its_slices() -> None:
    task = Pairs(instances())
    scores, _ = score(task, task.given, answers(task.given), QUICK)
    told = [(one.metric, one.slice) for one in scores]
    assert told[:4] == [("pcp", ""), ("pcp", "small"), ("ccp", ""), ("ccp", "small")]
    assert len(told) == 2 * (1 + len(task.metrics))
    assert {one.n for one in scores if one.slice and one.metric == "wwdp"} == {60}
    of = {one.metric: one for one in scores if not one.slice}
    assert of["cwp_share"].n + of["wcp_share"].n == 120  # right before, and wrong before


def plain(metric: Metric) -> Metric:
    """The metric without ``of_sums``: clusters are resampled instance by instance."""

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


def test_sums_over_clusters_give_the_interval_that_instances_give() -> None:
    given = instances(methods=60)
    task = Pairs(given)
    quick, _ = score(task, given, answers(given, 1), QUICK)
    slow_task = Pairs(given, plain(task.metric), [plain(one) for one in task.metrics])
    slow, _ = score(slow_task, given, answers(given, 1), QUICK)
    assert len(quick) == len(slow) > 20
    for one, other in zip(quick, slow, strict=True):
        assert one.value == pytest.approx(other.value)
        assert one.low == pytest.approx(other.low)
        assert one.high == pytest.approx(other.high)
        assert one.low is not None


def test_clusters_not_variants_make_an_interval_narrow() -> None:
    """Ten variants of each method that all change alike say what one says."""
    one_each, ten_each = instances(40, 1), instances(40, 10)
    names = {f"m{i}": "run" if i % 4 else "stop" for i in range(40)}

    def width(given: Sequence[Instance]) -> float:
        said = {
            one.id: Answer(one.id, "run" if one.id == one.cluster else names[one.cluster])
            for one in given
        }
        found = score(Pairs(given), given, said, Settings(resamples=2000))[0][0]
        assert found.value == 25
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(ten_each) == pytest.approx(width(one_each), rel=0.1)


@pytest.mark.parametrize(("after", "value"), [("run", 0.0), ("stop", 100.0)])
def test_none_or_all_changed_still_has_a_width(after: str, value: float) -> None:
    given = instances()
    said = {one.id: Answer(one.id, "run" if one.id == one.cluster else after) for one in given}
    found = score(Pairs(given), given, said, QUICK)[0][0]
    low, high = wilson_interval(value / 100, 40, 0.95)
    assert found.value == value
    assert (found.low, found.high) == (pytest.approx(100 * low), pytest.approx(100 * high))
    assert 100 * (high - low) > 5


def test_models_are_compared_on_what_the_task_reads_the_lowest_first() -> None:
    given = instances()
    task = Pairs(given)
    steady = {one.id: Answer(one.id, "stop") for one in given}
    comparison = compare_answers(
        task,
        given,
        {"shaky": answers(given), "steady": steady},
        task.card.evaluation_sets[0],
        QUICK,
    )
    assert list(comparison.values) == ["steady", "shaky"]
    assert comparison.values["steady"] == 0
    (test,) = comparison.tests
    assert (test.first, test.different) == ("steady", True)
    assert test.test == "paired bootstrap by cluster"
    assert comparison.groups == {"steady": "a", "shaky": "b"}


def test_an_answer_that_cannot_be_read_is_named() -> None:
    given = instances()
    said = answers(given)
    said["m3/1"] = Answer("m3/1", 7)
    scores, unreadable = score(Pairs(given), given, said, QUICK)
    assert set(unreadable) == {"m3/1"}
    assert scores[0].n == 119


def test_a_metric_may_leave_an_instance_out() -> None:
    """None is no row: the instance does not count, which is not the same as wrong."""
    share = next(one for one in metrics.change_metrics(subtokens) if one.name == "cwp_share")
    assert share.observe("run", {"before": "stop", "after": "run"}) is None
    assert share.observe("run", {"before": "run", "after": "run"}) == (0.0,)
