"""Tables over all tasks of a group: a model in each row, a task in each column, and the mean.

Rows that a paper published stand below ours for orientation only: they were measured on other
data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from acumen.api import ModelCard, Overall, Score, TaskGroup
from acumen.registry import list_task_groups
from acumen.report.merge import Merged
from acumen.runs.overall import group_means


@dataclass(frozen=True, slots=True)
class OverallRow:
    """A model with its score on each task and their mean, if it has all of them."""

    model: str
    card: ModelCard
    scores: list[Score | None]
    overall: Overall | None


@dataclass(frozen=True, slots=True)
class OverallTable:
    """``tasks`` are titles and slugs, empty for one that is not in the runs; ``published`` are
    rows of the paper."""

    group: str
    title: str
    first: str
    tasks: list[tuple[str, str]]
    rows: list[OverallRow]
    published: list[tuple[str, list[float], float]]
    caption: str


def overall_tables(merged: Merged) -> list[OverallTable]:
    """Return a table for each group of which the runs have a task."""
    return [
        _build_table(merged, group)
        for group in list_task_groups()
        if any(task in merged.tasks for task in group.tasks)
    ]


def _build_table(merged: Merged, group: TaskGroup) -> OverallTable:
    overall = _overall(merged, group)
    tasks = group.tasks
    models = [
        model for model in merged.models if any((task, model) in merged.cells for task in tasks)
    ]
    rows = []
    for model in models:
        cells = [merged.cells.get((task, model)) for task in tasks]
        scores = [cell.scores[0] if cell else None for cell in cells]
        rows.append(OverallRow(model, merged.models[model], scores, overall.get(model)))
    rows.sort(key=_place)
    return OverallTable(
        group=group.name,
        title=group.title,
        first=next(task for task in merged.tasks if task in tasks),
        tasks=[(_title(merged, task), merged.slugs.get(task, "")) for task in tasks],
        rows=rows,
        published=[(model, list(row), fmean(row)) for model, row in group.published_rows()],
        caption=group.caption,
    )


def _title(merged: Merged, task: str) -> str:
    if task not in merged.tasks:
        return task.partition("/")[2]
    return merged.tasks[task].title.rpartition(": ")[2]


def _place(row: OverallRow) -> tuple[float, int, str]:
    """Best first; those without an overall score by how much they answered."""
    missing = sum(score is None for score in row.scores)
    return (-row.overall.value if row.overall else 1.0), missing, row.model


def _overall(merged: Merged, group: TaskGroup) -> Mapping[str, Overall]:
    """Return the mean of the scores on the page by model. The interval is a run's own, where the
    run scored all of them; cells of several runs together have none."""
    recorded = {
        mean.model: mean for run in merged.runs for mean in run.overall if mean.group == group.name
    }
    means = {}
    for (name, model), value in group_means(list(merged.cells.values())).items():
        if name == group.name:
            own = recorded.get(model)
            if own is None or own.value != value:
                own = Overall(group.name, model, group.tasks, value, None, None)
            means[model] = own
    return means
