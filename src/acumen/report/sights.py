"""What a model scores where it is shown all of a text, and what it loses where it is shown less.

The difference tells what a model reads: the words of comments, the names that somebody chose, or
the code itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from acumen.api import Loss, ModelCard
from acumen.report.merge import Merged
from acumen.runs.overall import SEEN, SIGHTS, seen_means

TITLES = {"sesame": "SeSaMe", "similar": "Similar methods"}
MEANINGS = {
    "whole": "all of the text",
    "uncommented": "without comments",
    "unnamed": "without names",
    "bare": "without either",
}


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
    """A table for each benchmark of which the runs have tasks with more than one sight."""
    found = []
    for benchmark, sights in SEEN.items():
        here = [one for one in SIGHTS if any(task in merged.tasks for task in sights[one])]
        if len(here) > 1:
            found.append(_table(merged, benchmark, here))
    return found


def _table(merged: Merged, benchmark: str, here: list[str]) -> SightTable:
    means = seen_means(list(merged.cells.values()), benchmark)
    told = {
        (one.model, one.sight): one
        for run in merged.runs
        for one in run.losses
        if one.benchmark == benchmark
    }
    rows = [
        SightRow(
            model,
            merged.models[model],
            [means.get((sight, model)) for sight in here],
            [_loss(means, told.get((model, sight)), model, sight, benchmark) for sight in here],
        )
        for model in merged.models
        if sum((sight, model) in means for sight in here) > 1
    ]
    tasks = [task for one in here for task in SEEN[benchmark][one] if task in merged.tasks]
    ceilings = [one.value for task in tasks if (one := merged.tasks[task].ceiling)]
    return SightTable(
        benchmark=benchmark,
        title=TITLES[benchmark],
        first=next(task for task in merged.tasks if task in tasks),
        several=max(len(one) for one in SEEN[benchmark].values()),
        headings=[MEANINGS[sight] for sight in here],
        rows=sorted(rows, key=_place),
        people=fmean(ceilings) if len(ceilings) == len(tasks) else None,
    )


def _loss(
    means: Mapping[tuple[str, str], float],
    told: Loss | None,
    model: str,
    sight: str,
    benchmark: str,
) -> Loss | None:
    """A run's own, where it scored both; between cells of several runs there is no interval."""
    whole, less = means.get((SIGHTS[0], model)), means.get((sight, model))
    if sight == SIGHTS[0] or whole is None or less is None:
        return None
    if told is not None and told.value == whole - less:
        return told
    return Loss(benchmark, model, sight, whole - less, None, None)


def _place(row: SightRow) -> tuple[float, str]:
    """Best at the least that it saw comes first: that is where models differ most."""
    last = next((one for one in reversed(row.scores) if one is not None), 0.0)
    return -last, row.model
