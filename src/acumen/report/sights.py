"""What a model scores where it is shown all of a text, and what it loses where it is shown less.

The difference tells what a model reads: the words of comments, the names that somebody chose, or
the code itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from acumen.api import InputLevels, Loss, ModelCard
from acumen.registry import list_input_levels
from acumen.report.merge import Merged
from acumen.runs.overall import level_means


@dataclass(frozen=True, slots=True)
class SightRow:
    """``scores`` are means by sight; ``losses`` by sight too, None for the first."""

    model: str
    card: ModelCard
    scores: list[float | None]
    losses: list[Loss | None]


@dataclass(frozen=True, slots=True)
class SightTable:
    """``people`` is the mean of the tasks' ceilings, where all have one."""

    benchmark: str
    title: str
    first: str
    several: int
    headings: list[str]
    rows: list[SightRow]
    people: float | None


def sight_tables(merged: Merged) -> list[SightTable]:
    """Return a table for each benchmark of which the runs have tasks with several levels."""
    tables = []
    for levels in list_input_levels():
        present = [
            level
            for level, tasks in levels.tasks.items()
            if any(task in merged.tasks for task in tasks)
        ]
        if len(present) > 1:
            tables.append(_build_table(merged, levels, present))
    return tables


def _build_table(merged: Merged, levels: InputLevels, present: list[str]) -> SightTable:
    means = level_means(list(merged.cells.values()), levels)
    recorded = {
        (loss.model, loss.sight): loss
        for run in merged.runs
        for loss in run.losses
        if loss.benchmark == levels.benchmark
    }
    rows = [
        SightRow(
            model,
            merged.models[model],
            [means.get((level, model)) for level in present],
            [
                _find_loss(means, recorded.get((model, level)), model, level, levels)
                for level in present
            ],
        )
        for model in merged.models
        if sum((level, model) in means for level in present) > 1
    ]
    tasks = [task for level in present for task in levels.tasks[level] if task in merged.tasks]
    ceilings = [ceiling.value for task in tasks if (ceiling := merged.tasks[task].ceiling)]
    return SightTable(
        benchmark=levels.benchmark,
        title=levels.title,
        first=next(task for task in merged.tasks if task in tasks),
        several=max(len(tasks) for tasks in levels.tasks.values()),
        headings=[levels.meanings[level] for level in present],
        rows=sorted(rows, key=_place),
        people=fmean(ceilings) if len(ceilings) == len(tasks) else None,
    )


def _find_loss(
    means: Mapping[tuple[str, str], float],
    recorded: Loss | None,
    model: str,
    level: str,
    levels: InputLevels,
) -> Loss | None:
    """Return a run's own loss, where it scored both levels; between cells of several runs there
    is no interval."""
    whole, less = means.get((levels.first, model)), means.get((level, model))
    if level == levels.first or whole is None or less is None:
        return None
    if recorded is not None and recorded.value == whole - less:
        return recorded
    return Loss(levels.benchmark, model, level, whole - less, None, None)


def _place(row: SightRow) -> tuple[float, str]:
    """Best at the least that it saw comes first: that is where models differ most."""
    last = next((one for one in reversed(row.scores) if one is not None), 0.0)
    return -last, row.model
