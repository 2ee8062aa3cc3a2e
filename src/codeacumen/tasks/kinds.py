"""The task kinds: scoring pairs, choosing a label, naming a method, judging a name.

A benchmark of one of these kinds is a card and a loader.

Judging has two kinds. ``JudgingTask`` asks for a fitness from 0 to 1. ``JudgingByNameTask`` asks
for a name, and calls the name under test wrong where it is too unlike the recommended one, as in
ReName4J; its scores depend on a threshold T. A model that gives no answer raises no alarm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Metric
from codeacumen.metrics import accuracy, checking, spearman
from codeacumen.metrics.naming import name_f1, naming_metrics
from codeacumen.tasks.base import LoadInstances, StandardTask, TaskInfo, fill_missing_answers
from codeacumen.text.subtokens import split_subtokens

# ReName4J's and Cognac's; MNire's; and the one of ReName4J's section 5.1.
THRESHOLDS = (0.85, 0.94, 1.0)


class PairTask(StandardTask):
    """Score pairs (``Pair``); truths are numbers, or objects with several readings."""

    capability = Capability.SIMILARITY
    metric: Metric = spearman
    evaluation_set = EvaluationSet("own", "every pair the model itself scores")


class ChoiceTask(StandardTask):
    """Choose a label (``Question``); truths are labels."""

    capability = Capability.CLASSIFY
    metric: Metric = accuracy
    evaluation_set = EvaluationSet("all", "every instance; one without an answer is wrong")


class NamingTask(StandardTask):
    """Name methods (``Method``, the name masked); truths are names."""

    capability = Capability.NAME
    metric: Metric = name_f1(split_subtokens)
    metrics: Sequence[Metric] = naming_metrics(split_subtokens)
    evaluation_set = EvaluationSet("all", "every method; silence is an empty name")

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        return fill_missing_names(instances, answers)


def fill_missing_names(
    instances: Sequence[Instance], answers: Mapping[str, Answer]
) -> dict[str, Answer]:
    """Replace a missing answer by an empty name, so that the subtokens it lacks are counted."""
    return fill_missing_answers(instances, answers, lambda instance: "")


def consistency_label(is_consistent: bool) -> str:
    """The label that the metrics of this module compare with."""
    return checking.CONSISTENT if is_consistent else checking.INCONSISTENT


class JudgingTask(StandardTask):
    """Judge names (``NamedMethod``); truths have ``value`` (0 or 1) and ``label``.

    ``rare``: where wrong names are rare, the headline is average precision, because accuracy would
    be best for a model that calls every name right.
    """

    capability = Capability.JUDGE
    evaluation_set = EvaluationSet(
        "all", "every method; a name is called inconsistent below a fitness of 0.5, silence is 1"
    )

    def __init__(
        self, info: TaskInfo, load: LoadInstances, *, rare: bool = False, **options: Any
    ) -> None:
        fitness, threshold = checking.read_fitness, checking.DEFAULT_THRESHOLD
        figures = (
            *checking.make_threshold_metrics(fitness, threshold),
            *checking.make_ranking_metrics(fitness),
            *checking.make_cost_metrics(fitness, threshold, checking.FALSE_ALARM, checking.MISS),
            *checking.make_trivial_metrics(fitness),
        )
        headline = "average_precision" if rare else "accuracy"
        super().__init__(
            info,
            load,
            metric=next(metric for metric in figures if metric.name == headline),
            metrics=tuple(metric for metric in figures if metric.name != headline),
            **options,
        )

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """A missing answer calls the name right."""
        return fill_missing_answers(instances, answers, lambda instance: 1.0)


class JudgingByNameTask(StandardTask):
    """Judge names by recommending one (``Method``); truths have ``value``, ``label``, ``tested``
    and ``fixed``. The first threshold is the headline's."""

    capability = Capability.NAME
    evaluation_set = EvaluationSet(
        "all", "every method; inconsistent where Sim(name under test, recommended) < T"
    )

    def __init__(self, info: TaskInfo, load: LoadInstances, **options: Any) -> None:
        fitness = checking.FitnessByName(split_subtokens)
        figures: list[Metric] = []
        for threshold in THRESHOLDS:
            words = checking.threshold_labels(threshold)
            figures += checking.make_threshold_metrics(fitness, threshold, *words)
            figures += checking.make_corrected_metrics(split_subtokens, threshold, *words)
        figures += [
            *checking.make_ranking_metrics(fitness),
            *checking.make_trivial_metrics(fitness),
        ]
        super().__init__(info, load, metric=figures[0], metrics=tuple(figures[1:]), **options)

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """A missing answer recommends the name under test."""
        return fill_missing_answers(instances, answers, lambda instance: instance.truth["tested"])
