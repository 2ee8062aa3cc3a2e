"""From answers to scores: which instances count, the metric, its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acumen.api import Answer, Convention, Counts, Instance, Metric, Score, Task
from acumen.runs.statistics import cluster_index, interval, point, unit_count

if TYPE_CHECKING:
    from acumen.api import Floats

SMALL_SAMPLE = 30
# With fewer, resamples say nothing: two pairs always correlate at 1 or -1.
FEWEST_FOR_INTERVAL = 5
NO_ANSWER = Answer("")


@dataclass(frozen=True, slots=True)
class Settings:
    """How scores are made; a run records these."""

    seed: int = 0
    confidence: float = 0.95
    resamples: int = 2000


@dataclass(frozen=True, slots=True)
class Observations:
    """What a metric sees of a model: one column for each instance that counts."""

    ids: tuple[str, ...]
    columns: Floats
    clusters: tuple[str, ...]

    def restricted_to(self, ids: Sequence[str]) -> Observations:
        place = {id_: i for i, id_ in enumerate(self.ids)}
        index = [place[id_] for id_ in ids]
        return Observations(
            tuple(ids), self.columns[:, index], tuple(self.clusters[i] for i in index)
        )


def belongs(instance: Instance, convention: Convention, slice_: str = "") -> bool:
    return (not convention.tag or convention.tag in instance.tags) and (
        not slice_ or slice_ in instance.tags
    )


def observe(
    metric: Metric,
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    convention: Convention,
    slice_: str = "",
) -> tuple[Observations, dict[str, str]]:
    """The metric's view, and what was wrong with answers it could not read, by instance."""
    ids: list[str] = []
    rows: list[tuple[float, ...]] = []
    clusters: list[str] = []
    unreadable: dict[str, str] = {}
    for instance in instances:
        if not belongs(instance, convention, slice_):
            continue
        answer = answers.get(instance.id, NO_ANSWER)
        row: tuple[float, ...] | None = None
        if not answer.error and answer.value is not None:
            try:
                row = metric.observe(instance.truth, answer.value)
            except Exception as error:  # a metric may be somebody else's
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


def score(
    task: Task, instances: Sequence[Instance], answers: Mapping[str, Answer], settings: Settings
) -> tuple[list[Score], dict[str, str]]:
    """All scores of one model on one task, the headline first; then every slice under the
    first convention. With them, the answers that could not be read."""
    card = task.card
    wanted = [(convention, "") for convention in card.conventions]
    wanted += [(card.conventions[0], slice_) for slice_ in card.slices]
    scores: list[Score] = []
    unreadable: dict[str, str] = {}
    for convention, slice_ in wanted:
        seen, problems = observe(task.metric, instances, answers, convention, slice_)
        unreadable |= problems
        scores.append(_one(task.metric, seen, convention, slice_, settings))
    return scores, unreadable


def _one(
    metric: Metric, seen: Observations, convention: Convention, slice_: str, settings: Settings
) -> Score:
    n = len(seen.ids)
    value = point(metric, seen.columns)
    if not math.isfinite(value):
        note = "no answers" if n == 0 else "undefined: too few or all equal"
        return Score(metric.name, convention.name, slice_, None, None, None, n, note)
    clusters = cluster_index(seen.clusters)
    units = unit_count(n, clusters)
    unit = "instance" if clusters is None else "cluster"
    told = f"only {units} {unit}" + ("s" if units != 1 else "")
    if units < FEWEST_FOR_INTERVAL:
        note = f"{told}: too few for an interval"
        return Score(metric.name, convention.name, slice_, value, None, None, n, note)
    bounds = interval(
        metric,
        seen.columns,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
        clusters=clusters,
    )
    note = f"{told}: read the interval, not the value" if units < SMALL_SAMPLE else ""
    if bounds is None:
        note = "undefined in too many resamples for an interval"
    low, high = bounds if bounds is not None else (None, None)
    return Score(metric.name, convention.name, slice_, value, low, high, n, note)


def count(
    instances: Sequence[Instance], answers: Mapping[str, Answer], failed: Mapping[str, str]
) -> Counts:
    answered = sum(
        1
        for instance in instances
        if instance.id not in failed and answers.get(instance.id, NO_ANSWER).value is not None
    )
    failures = sum(1 for instance in instances if instance.id in failed)
    return Counts(len(instances), answered, len(instances) - answered - failures, failures)
