"""The task kinds: scoring pairs, choosing a label, naming a method, judging a name.

A benchmark of one of these kinds is a card and a loader.

Judging has two kinds. ``JudgingTask`` expects a fitness from 0 to 1. ``JudgingByNameTask`` expects
a recommended name, and counts the name under test as inconsistent if its similarity to the
recommended one is below a threshold T, as in ReName4J. A missing answer counts as consistent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codeacumen.api import Answer, Capability, EvaluationSet, Instance, Metric
from codeacumen.metrics import accuracy, name_checking, spearman
from codeacumen.metrics.name_recommendation import name_f1, naming_metrics
from codeacumen.tasks.base import LoadInstances, StandardTask, TaskInfo, fill_missing_answers
from codeacumen.text.subtokens import split_subtokens

# Thresholds T: ReName4J's and Cognac's; MNire's; and that of ReName4J's section 5.1. The first is
# the headline's.
THRESHOLDS = (0.85, 0.94, 1.0)


class PairTask(StandardTask):
    """Score pairs (``Pair``); truths are numbers, or objects with several readings.

    A reading is an aggregate of people's votes on the pair. By default, the answers are compared
    with the truths by rank, so any scale will do.
    """

    capability = Capability.SIMILARITY
    metric: Metric = spearman
    evaluation_set = EvaluationSet("own", "every pair that the model scores")


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
    evaluation_set = EvaluationSet("all", "every method; a missing answer counts as an empty name")

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        return fill_missing_names(instances, answers)


def fill_missing_names(
    instances: Sequence[Instance], answers: Mapping[str, Answer]
) -> dict[str, Answer]:
    """Return the answers, with an empty name for a missing one.

    So the subtokens that a missing answer lacks count as missed.
    """
    return fill_missing_answers(instances, answers, lambda instance: "")


def consistency_label(is_consistent: bool) -> str:
    """Return the label in a truth as the metrics of ``metrics.name_checking`` expect it."""
    return name_checking.CONSISTENT if is_consistent else name_checking.INCONSISTENT


class JudgingTask(StandardTask):
    """Judge names (``NamedMethod``); truths have ``value`` (0 or 1, the fitness) and ``label``.

    With ``rare``, for data where inconsistent names are rare, the headline is average precision,
    because accuracy would be high for a model that accepts every name.
    """

    capability = Capability.JUDGE
    evaluation_set = EvaluationSet(
        "all",
        "every method; a name counts as inconsistent below a fitness of 0.5, a missing answer as 1",
    )

    def __init__(
        self, info: TaskInfo, load: LoadInstances, *, rare: bool = False, **options: Any
    ) -> None:
        fitness, threshold = name_checking.read_fitness, name_checking.DEFAULT_THRESHOLD
        figures = (
            *name_checking.make_threshold_metrics(fitness, threshold),
            *name_checking.make_ranking_metrics(fitness),
            *name_checking.make_cost_metrics(
                fitness, threshold, name_checking.FALSE_ALARM, name_checking.MISS
            ),
            *name_checking.make_trivial_metrics(fitness),
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
        """Return the answers, with a fitness of 1 (consistent) for a missing one."""
        return fill_missing_answers(instances, answers, lambda instance: 1.0)


class JudgingByNameTask(StandardTask):
    """Judge names by recommending one (``Method``); the headline is the accuracy at the first
    threshold.

    Truths have ``value`` and ``fixed`` (both the right name), ``tested`` (the name under test) and
    ``label``.
    """

    capability = Capability.NAME
    evaluation_set = EvaluationSet(
        "all", "every method; inconsistent where Sim(name under test, recommended) < T"
    )

    def __init__(self, info: TaskInfo, load: LoadInstances, **options: Any) -> None:
        fitness = name_checking.FitnessByName(split_subtokens)
        figures: list[Metric] = []
        for threshold in THRESHOLDS:
            words = name_checking.threshold_labels(threshold)
            figures += name_checking.make_threshold_metrics(fitness, threshold, *words)
            figures += name_checking.make_corrected_metrics(split_subtokens, threshold, *words)
        figures += [
            *name_checking.make_ranking_metrics(fitness),
            *name_checking.make_trivial_metrics(fitness),
        ]
        super().__init__(info, load, metric=figures[0], metrics=tuple(figures[1:]), **options)

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Return the answers, with the name under test (consistent) for a missing one."""
        return fill_missing_answers(instances, answers, lambda instance: instance.truth["tested"])
