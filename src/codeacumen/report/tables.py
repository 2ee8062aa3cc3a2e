"""Build tables over several tasks: means of a group, and losses when a model sees less of a text.

Published rows of a paper follow ours for orientation only, because they were measured on other
data. A level is a set of tasks that show equally much of a text (``api.InputLevels``); the first
level shows all of it. A loss is how much lower a model's mean is at another level. It shows what
the model relies on: comments, names, or the code itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from codeacumen.api import InputLevels, Loss, ModelCard, Overall, Score, TaskGroup
from codeacumen.registry import list_input_levels, list_task_groups
from codeacumen.report.merged_runs import MergedRuns
from codeacumen.runs.overall import compute_group_means, compute_level_means


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A model with its score on each task, and their mean; None if a score is missing."""

    model: str
    card: ModelCard
    scores: list[Score | None]
    overall: Overall | None


@dataclass(frozen=True, slots=True)
class OverallTable:
    """Means of the models over a group of tasks.

    ``tasks`` are titles and slugs; a slug is empty if the task is not in the runs. ``published``
    are rows of the paper: model, scores, and their mean. The page shows the table before the
    section of the task named ``first``.
    """

    group: str
    title: str
    first: str
    tasks: list[tuple[str, str]]
    rows: list[OverallRow]
    published: list[tuple[str, list[float], float]]
    caption: str


def build_overall_tables(merged: MergedRuns) -> list[OverallTable]:
    """Return a table for each group with a task in the runs."""
    return [
        _build_overall_table(merged, group)
        for group in list_task_groups()
        if any(task in merged.tasks for task in group.tasks)
    ]


def _build_overall_table(merged: MergedRuns, group: TaskGroup) -> OverallTable:
    overall = _collect_overall(merged, group)
    tasks = group.tasks
    models = [
        model for model in merged.models if any((task, model) in merged.cells for task in tasks)
    ]
    rows = []
    for model in models:
        cells = [merged.cells.get((task, model)) for task in tasks]
        scores = [cell.scores[0] if cell else None for cell in cells]
        rows.append(OverallRow(model, merged.models[model], scores, overall.get(model)))
    rows.sort(key=_overall_order)
    return OverallTable(
        group=group.name,
        title=group.title,
        first=next(task for task in merged.tasks if task in tasks),
        tasks=[(_shorten_title(merged, task), merged.slugs.get(task, "")) for task in tasks],
        rows=rows,
        published=[(model, list(row), fmean(row)) for model, row in group.published_rows()],
        caption=group.caption,
    )


def _shorten_title(merged: MergedRuns, task: str) -> str:
    if task not in merged.tasks:
        return task.partition("/")[2]
    return merged.tasks[task].title.rpartition(": ")[2]


def _overall_order(row: OverallRow) -> tuple[float, int, str]:
    """Return the sort key: best mean first; models without one last, by number of missing scores.

    The 1.0 sorts last, because a negated mean is less than 1.
    """
    missing = sum(score is None for score in row.scores)
    return (-row.overall.value if row.overall else 1.0), missing, row.model


def _collect_overall(merged: MergedRuns, group: TaskGroup) -> Mapping[str, Overall]:
    """Return the mean of a group's scores on the page, by model.

    The interval comes from a run that scored all tasks of the group; a mean over cells of several
    runs has none.
    """
    recorded = {
        mean.model: mean for run in merged.runs for mean in run.overall if mean.group == group.name
    }
    means = {}
    for (name, model), value in compute_group_means(merged.unlimited_cells()).items():
        if name == group.name:
            mean_of_model = recorded.get(model)
            if mean_of_model is None or mean_of_model.value != value:
                mean_of_model = Overall(group.name, model, group.tasks, value, None, None)
            means[model] = mean_of_model
    return means


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A model's means (``scores``) and losses, each a list by level, as the table's ``headings``.

    The first level has no loss. None: the model lacks a score on a task of the level.
    """

    model: str
    card: ModelCard
    scores: list[float | None]
    losses: list[Loss | None]


@dataclass(frozen=True, slots=True)
class LevelTable:
    """Means and losses of the models by level of input.

    ``people`` is the mean of the tasks' ceilings, None unless all have one. ``several`` is the
    largest number of tasks at a level. The page shows the table before the section of the task
    named ``first``.
    """

    benchmark: str
    title: str
    first: str
    several: int
    headings: list[str]
    rows: list[LevelRow]
    people: float | None


def build_level_tables(merged: MergedRuns) -> list[LevelTable]:
    """Return a table for each benchmark with tasks of several levels in the runs."""
    tables = []
    for levels in list_input_levels():
        present = [
            level
            for level, tasks in levels.tasks.items()
            if any(task in merged.tasks for task in tasks)
        ]
        if len(present) > 1:
            tables.append(_build_level_table(merged, levels, present))
    return tables


def _build_level_table(merged: MergedRuns, levels: InputLevels, present: list[str]) -> LevelTable:
    means = compute_level_means(merged.unlimited_cells(), levels)
    recorded = {
        (loss.model, loss.level): loss
        for run in merged.runs
        for loss in run.losses
        if loss.benchmark == levels.benchmark
    }
    rows = [
        LevelRow(
            model,
            merged.models[model],
            [means.get((level, model)) for level in present],
            [
                _find_loss(means, recorded.get((model, level)), model, level, levels)
                for level in present
            ],
        )
        for model in merged.models
        # A model with a mean at one level only has nothing to compare.
        if sum((level, model) in means for level in present) > 1
    ]
    tasks = [task for level in present for task in levels.tasks[level] if task in merged.tasks]
    ceilings = [ceiling.value for task in tasks if (ceiling := merged.tasks[task].ceiling)]
    return LevelTable(
        benchmark=levels.benchmark,
        title=levels.title,
        first=next(task for task in merged.tasks if task in tasks),
        several=max(len(tasks) for tasks in levels.tasks.values()),
        headings=[levels.meanings[level] for level in present],
        rows=sorted(rows, key=_level_order),
        people=fmean(ceilings) if len(ceilings) == len(tasks) else None,
    )


def _find_loss(
    means: Mapping[tuple[str, str], float],
    recorded: Loss | None,
    model: str,
    level: str,
    levels: InputLevels,
) -> Loss | None:
    """Return the loss of a run that scored both levels, or else a loss without an interval."""
    full_mean, reduced_mean = means.get((levels.first_level, model)), means.get((level, model))
    if level == levels.first_level or full_mean is None or reduced_mean is None:
        return None
    if recorded is not None and recorded.value == full_mean - reduced_mean:
        return recorded
    return Loss(levels.benchmark, model, level, full_mean - reduced_mean, None, None)


def _level_order(row: LevelRow) -> tuple[float, str]:
    """Return the sort key: best first at a model's last level, where models differ most."""
    last = next((score for score in reversed(row.scores) if score is not None), 0.0)
    return -last, row.model
