"""Compute scores over several tasks of a benchmark: group means and losses between levels.

A model has a mean for a group only if it has a score on every task of the group; otherwise a model
could gain by skipping hard tasks. The interval is that of the means of resamples; tasks with the
same instances are resampled together. A loss is the difference between the mean with the full text
and the mean with less of it; its interval comes from the same resamples. A level is a set of tasks
that show equally much of the text, for instance without comments (``api.InputLevels``). The
benchmarks define the groups and levels (``registry.list_benchmarks``).

A cell (``Scores``) has the scores of a model on a task; the first is the headline, which the means
use. Draws are the values of a headline score in the resamples, of shape (resamples,).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from codeacumen.api import InputLevels, Instance, Loss, Overall, Scores
from codeacumen.registry import list_input_levels, list_task_groups

if TYPE_CHECKING:
    from codeacumen.api import Floats


def needs_resamples(task: str) -> bool:
    """Return True if a mean or a loss needs the resamples of the task's headline score."""
    return any(task in group.tasks for group in list_task_groups()) or any(
        task in tasks for levels in list_input_levels() for tasks in levels.tasks.values()
    )


def compute_task_seed(seed: int, instances: Sequence[Instance]) -> int:
    """Return the seed for the resamples of one task of a group.

    Tasks with the same instances share a seed, so that they are resampled together. Other tasks
    must not share it: tasks with the same number of clusters would be resampled in the same way.
    The seed depends on the instances' ids and not on the task's name, so renaming a task changes no
    interval.
    """
    digest = hashlib.sha256(f"{seed}\0".encode())
    for instance in instances:
        digest.update(instance.id.encode("utf-8", "surrogatepass") + b"\0")
    return int.from_bytes(digest.digest()[:8], "big")


def compute_group_means(cells: Sequence[Scores]) -> dict[tuple[str, str], float]:
    """Return means by group and model, for models with a score on every task of the group."""
    return _compute_means(cells, ((group.name, group.tasks) for group in list_task_groups()))


def compute_level_means(
    cells: Sequence[Scores], levels: InputLevels
) -> dict[tuple[str, str], float]:
    """Return means by level and model, for models with a score on every task of the level."""
    return _compute_means(cells, levels.tasks.items())


def _compute_means(
    cells: Sequence[Scores], groups: Iterable[tuple[str, tuple[str, ...]]]
) -> dict[tuple[str, str], float]:
    value = {(cell.task, cell.model): cell.scores[0].value for cell in cells}
    models = dict.fromkeys(cell.model for cell in cells)
    means: dict[tuple[str, str], float] = {}
    for group, tasks in groups:
        for model in models:
            scores = [score for task in tasks if (score := value.get((task, model))) is not None]
            if len(scores) == len(tasks):
                means[group, model] = fmean(scores)
    return means


def compute_overall_scores(
    cells: Sequence[Scores],
    draws: Mapping[tuple[str, str], Floats | None],
    confidence: float,
) -> tuple[Overall, ...]:
    """Return the mean of each group and model with its interval.

    ``draws`` are the values of the headline score in the resamples, by task and model; None where
    there are too few instances.
    """
    tasks_of = {group.name: group.tasks for group in list_task_groups()}
    return tuple(
        Overall(
            group,
            model,
            tasks_of[group],
            value,
            *_compute_bounds([draws.get((task, model)) for task in tasks_of[group]], confidence),
        )
        for (group, model), value in compute_group_means(cells).items()
    )


def compute_losses(
    cells: Sequence[Scores],
    draws: Mapping[tuple[str, str], Floats | None],
    confidence: float,
) -> tuple[Loss, ...]:
    """Return how much lower each model's mean is at each level that shows less than the full text.

    ``draws`` as in ``compute_overall_scores``. A model without a mean at the first level has no
    loss.
    """
    computed = []
    for levels in list_input_levels():
        means = compute_level_means(cells, levels)
        for (level, model), mean in means.items():
            full_mean = means.get((levels.first_level, model))
            if level == levels.first_level or full_mean is None:
                continue
            # The tasks of each level are in the same order, so a pair asks the same questions.
            pairs = zip(levels.tasks[levels.first_level], levels.tasks[level], strict=True)
            both = [
                (draws.get((full, model)), draws.get((reduced, model))) for full, reduced in pairs
            ]
            differences = [None if a is None or b is None else a - b for a, b in both]
            bounds = _compute_bounds(differences, confidence)
            computed.append(Loss(levels.benchmark, model, level, full_mean - mean, *bounds))
    return tuple(computed)


def _compute_bounds(
    draws: Sequence[Floats | None], confidence: float
) -> tuple[float, float] | tuple[None, None]:
    """Return the percentile interval of the mean over tasks of their draws.

    Both ends are None if a task has no draws, or if a draw is undefined.
    """
    import numpy as np

    defined = [task_draws for task_draws in draws if task_draws is not None]
    if len(defined) < len(draws):
        return None, None
    mean = np.mean(defined, axis=0)
    if not np.isfinite(mean).all():
        return None, None
    low, high = np.quantile(mean, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
