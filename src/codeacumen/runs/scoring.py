"""Compute scores from answers: select the instances, apply the metric, compute its interval.

An evaluation set or a slice is a part of the instances, selected by a tag (``is_in_slice``). The
headline is the score by the task's own metric on its first evaluation set. A unit is a cluster of
instances, or an instance if there are no clusters. ``runs.statistics`` computes the intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from codeacumen.api import (
    Answer,
    CodeacumenError,
    Counts,
    EvaluationSet,
    HasMetrics,
    Instance,
    Json,
    Metric,
    Percentage,
    PostprocessesAnswers,
    Score,
    SumMetric,
    Task,
)
from codeacumen.registry import make_metrics
from codeacumen.runs.statistics import (
    compute_interval,
    compute_replicates,
    compute_statistic,
    count_units,
    number_clusters,
    wilson_interval,
)

if TYPE_CHECKING:
    from codeacumen.api import Floats
    from codeacumen.runs.statistics import Clusters

# With fewer units (instances or clusters), the note of a score says that its value is uncertain.
SMALL_SAMPLE = 30
# With fewer units, resamples are meaningless: two pairs always correlate at 1 or -1.
MIN_UNITS_FOR_INTERVAL = 5
# Stands for an answer that is missing.
NO_ANSWER = Answer("")


@dataclass(frozen=True, slots=True)
class ScoringSettings:
    """Settings of intervals: random seed, confidence level, and number of bootstrap resamples.

    A run records them.
    """

    seed: int = 0
    confidence: float = 0.95
    resamples: int = 2000

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise CodeacumenError(f"the seed is {self.seed}", "it must be 0 or more")
        if not 0 < self.confidence < 1:
            raise CodeacumenError(
                f"the confidence level is {self.confidence}", "it must be between 0 and 1: 0.95"
            )
        if self.resamples < 1:
            raise CodeacumenError(
                f"the number of resamples is {self.resamples}", "it must be 1 or more: 2000"
            )


@dataclass(frozen=True, slots=True)
class Observations:
    """Input of a metric for one model, with the n instances that count.

    ``columns`` has shape (k, n), for a metric that observes k numbers per instance. ``clusters``
    has the name of each instance's cluster; an empty name means that the instance is a cluster of
    its own.
    """

    ids: tuple[str, ...]
    columns: Floats
    clusters: tuple[str, ...]

    def restrict_to(self, ids: Sequence[str]) -> Observations:
        """Return the observations of these instances, in this order."""
        position_of = {id_: i for i, id_ in enumerate(self.ids)}
        positions = [position_of[id_] for id_ in ids]
        return Observations(
            tuple(ids), self.columns[:, positions], tuple(self.clusters[i] for i in positions)
        )


def is_in_slice(instance: Instance, evaluation_set: EvaluationSet, slice_: str = "") -> bool:
    """Return True if an instance belongs to an evaluation set and to a slice, if one is given."""
    return (not evaluation_set.tag or evaluation_set.tag in instance.tags) and (
        not slice_ or slice_ in instance.tags
    )


def postprocess_answers(
    task: Task, instances: Sequence[Instance], answers: Mapping[str, Answer]
) -> Mapping[str, Answer]:
    """Return the answers for the task's metrics, postprocessed if the task does that."""
    if isinstance(task, PostprocessesAnswers):
        return task.postprocess_answers(instances, answers)
    return answers


def observe_answers(
    metric: Metric,
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    evaluation_set: EvaluationSet,
    slice_: str = "",
) -> tuple[Observations, dict[str, str]]:
    """Return the metric's observations, and the errors of invalid answers, by the instances' ids.

    An instance without a valid answer counts as ``metric.unanswered``; if that is None, the
    instance is left out.
    """
    ids: list[str] = []
    rows: list[tuple[float, ...]] = []
    clusters: list[str] = []
    unreadable: dict[str, str] = {}
    for instance in instances:
        if not is_in_slice(instance, evaluation_set, slice_):
            continue
        answer = answers.get(instance.id, NO_ANSWER)
        row: tuple[float, ...] | None = None
        if not answer.error and answer.value is not None:
            try:
                row = metric.observe(instance.truth, answer.value)
            except Exception as error:  # a metric of another package may raise anything
                unreadable[instance.id] = f"{type(error).__name__}: {error}"
        if row is None:
            if metric.unanswered is None:
                continue
            row = metric.unanswered
        ids.append(instance.id)
        rows.append(row)
        clusters.append(instance.cluster)
    columns = np.array(rows, dtype=float).T if rows else np.empty((1, 0))
    return Observations(tuple(ids), columns, tuple(clusters)), unreadable


def compute_scores(
    task: Task,
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    settings: ScoringSettings,
) -> tuple[list[Score], dict[str, str]]:
    """Return all scores of a model on a task, and the errors of invalid answers, by instance id.

    The order: the task's metric on every evaluation set, the headline first; the same metric on
    every slice of the first evaluation set; then the task's other metrics and the registered ones,
    on the first evaluation set and its slices.
    """
    card = task.card
    first = card.evaluation_sets[0]
    requested = [(task.metric, evaluation_set, "") for evaluation_set in card.evaluation_sets]
    requested += [(task.metric, first, slice_) for slice_ in card.slices]
    other_metrics = [*task.metrics] if isinstance(task, HasMetrics) else []
    own_names = {task.metric.name, *(metric.name for metric in other_metrics)}
    for metric in make_metrics(card.name):
        if metric.name in own_names:
            raise CodeacumenError(
                f"{card.name} has a metric {metric.name!r} of its own", "rename the registered one"
            )
        other_metrics.append(metric)
    for metric in other_metrics:
        requested += [(metric, first, slice_) for slice_ in ("", *card.slices)]
    postprocessed = postprocess_answers(task, instances, answers)
    # Select the instances of each slice once: slices are small, and there may be many metrics.
    members = {
        slice_: [instance for instance in instances if is_in_slice(instance, first, slice_)]
        for slice_ in card.slices
    }
    scores: list[Score] = []
    unreadable: dict[str, str] = {}
    for metric, evaluation_set, slice_ in requested:
        # Without a slice (""), all instances; ``observe_answers`` selects the evaluation set.
        observations, problems = observe_answers(
            metric, members.get(slice_, instances), postprocessed, evaluation_set, slice_
        )
        unreadable |= problems
        scores.append(_compute_score(metric, observations, evaluation_set, slice_, settings))
    return scores, unreadable


def _compute_score(
    metric: Metric,
    observations: Observations,
    evaluation_set: EvaluationSet,
    slice_: str,
    settings: ScoringSettings,
) -> Score:
    """Return the score of a metric with its interval, or with a note that explains its absence."""
    n = len(observations.ids)
    value = compute_statistic(metric, observations.columns)
    if not math.isfinite(value):
        note = "no answers" if n == 0 else "undefined: too few or all equal"
        return Score(metric.name, evaluation_set.name, slice_, None, None, None, n, note)
    clusters = number_clusters(observations.clusters)
    units = count_units(n, clusters)
    unit = "instance" if clusters is None else "cluster"
    size_note = f"only {units} {unit}" + ("s" if units != 1 else "")
    if units < MIN_UNITS_FOR_INTERVAL:
        note = f"{size_note}: too few for an interval"
        return Score(metric.name, evaluation_set.name, slice_, value, None, None, n, note)
    bounds = _compute_bounds(metric, observations.columns, clusters, settings)
    note = f"{size_note}: read the interval, not the value" if units < SMALL_SAMPLE else ""
    if bounds is None:
        note = "undefined in too many resamples for an interval"
    low, high = bounds if bounds is not None else (None, None)
    return Score(metric.name, evaluation_set.name, slice_, value, low, high, n, note)


def _compute_bounds(
    metric: Metric, columns: Floats, clusters: Clusters | None, settings: ScoringSettings
) -> tuple[float, float] | None:
    """Return the interval of a score; None if the score is undefined in too many resamples."""
    value = compute_statistic(metric, columns)
    if isinstance(metric, Percentage) and metric.percentage and value in (0.0, 100.0):
        # At 0 or 100 %, all resamples are equal; Wilson's interval still has a width.
        units = count_units(columns.shape[1], clusters)
        low, high = wilson_interval(value / 100, units, settings.confidence)
        return 100 * low, 100 * high
    # ``compute_interval`` needs no resamples for a proportion of 0 or 1, but it must see that the
    # metric is one: ``_ClusterMetric.proportion`` is False.
    if not (metric.proportion and value in (0.0, 1.0)):
        metric, columns, clusters = _sum_clusters(metric, columns, clusters)
    return compute_interval(
        metric,
        columns,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
        clusters=clusters,
    )


def compute_headline_draws(
    task: Task,
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    settings: ScoringSettings,
) -> Floats | None:
    """Return the headline scores in the resamples, of shape (resamples,); None for few units."""
    postprocessed = postprocess_answers(task, instances, answers)
    observations, _ = observe_answers(
        task.metric, instances, postprocessed, task.card.evaluation_sets[0]
    )
    clusters = number_clusters(observations.clusters)
    n = len(observations.ids)
    if n == 0 or count_units(n, clusters) < MIN_UNITS_FOR_INTERVAL:
        return None
    metric, columns, clusters = _sum_clusters(task.metric, observations.columns, clusters)
    (draws,) = compute_replicates(metric, [columns], settings.resamples, settings.seed, clusters)
    return draws


def _sum_clusters(
    metric: Metric, columns: Floats, clusters: Clusters | None
) -> tuple[Metric, Floats, Clusters | None]:
    """Return an equivalent metric on sums per cluster, if the metric depends on sums only.

    Its columns have shape (k + 1, clusters): the sums, and the numbers of instances. Other metrics
    are returned with their columns and clusters unchanged.
    """
    if clusters is None or not isinstance(metric, SumMetric):
        return metric, columns, clusters
    ones = np.ones(columns.shape[1])
    rows = [np.bincount(clusters, weights=column) for column in (*columns, ones)]
    return _ClusterMetric(metric.name, metric.title, metric.of_sums), np.stack(rows), None


@dataclass(frozen=True, slots=True)
class _ClusterMetric:
    """A metric on clusters: sums over the instances of each cluster, and the number of instances.

    Its values in resamples are those of the original metric, but the time grows with the number of
    clusters and not with that of instances.
    """

    name: str
    title: str
    of_sums: Callable[[Floats, Floats], Floats]
    unanswered: tuple[float, ...] | None = None
    proportion: bool = False

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None:
        raise NotImplementedError("a cluster metric does not observe instances")

    def statistic(self, columns: Floats, weights: Floats) -> Floats:
        sums = columns @ weights.T
        # The last row has the weighted numbers of instances.
        return self.of_sums(sums[:-1], sums[-1])


def count_answers(
    instances: Sequence[Instance], answers: Mapping[str, Answer], failed: Mapping[str, str]
) -> Counts:
    """Count the instances that were answered, left unanswered, or failed.

    ``failed`` maps ids to errors, of the model or of the metric that cannot use the answer.
    """
    answered = sum(
        1
        for instance in instances
        if instance.id not in failed and answers.get(instance.id, NO_ANSWER).value is not None
    )
    failures = sum(1 for instance in instances if instance.id in failed)
    return Counts(len(instances), answered, len(instances) - answered - failures, failures)
