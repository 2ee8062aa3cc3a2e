"""Several runs as one: later cells win, and differences in how they were made are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from acumen.api import AcumenError, Json, ModelCard, Run, Score, Scores, TaskCard
from acumen.runs.scoring import Settings


@dataclass(frozen=True, slots=True)
class Merged:
    """Runs on one page. ``folders`` says in which run's folder a cell's answers are."""

    runs: tuple[Run, ...]
    settings: Settings
    tasks: Mapping[str, TaskCard]
    models: Mapping[str, ModelCard]
    cells: Mapping[tuple[str, str], Scores]
    folders: Mapping[tuple[str, str], Path]
    slugs: Mapping[str, str]
    notes: tuple[str, ...]

    def of_task(self, name: str) -> list[Scores]:
        return [cell for (task, _), cell in self.cells.items() if task == name]


def merge(runs: Sequence[tuple[Path, Run]]) -> Merged:
    if not runs:
        raise AcumenError("there is no run to report on", "name at least one run folder")
    tasks: dict[str, TaskCard] = {}
    models: dict[str, ModelCard] = {}
    cells: dict[tuple[str, str], Scores] = {}
    folders: dict[tuple[str, str], Path] = {}
    for folder, run in runs:
        models.update(run.models)
        for cell in run.cells:
            key = (cell.task, cell.model)
            tasks[cell.task] = run.tasks[cell.task]
            cells[key] = cell
            folders[key] = folder
    every = tuple(run for _, run in runs)
    last = every[-1]
    names = list(tasks)  # in the order of the runs, which is the order of the registry
    return Merged(
        runs=every,
        settings=Settings(last.seed, last.confidence, last.resamples),
        tasks={name: tasks[name] for name in names},
        models={name: models[name] for name in sorted({model for _, model in cells})},
        cells={key: cells[key] for key in sorted(cells)},
        folders=folders,
        slugs=slugs(names),
        notes=tuple(_differences(every)),
    )


def _differences(runs: Sequence[Run]) -> list[str]:
    """What a reader must know before comparing numbers of different runs."""
    notes: list[str] = []
    told: dict[str, list[Json]] = {
        "seeds": [run.seed for run in runs],
        "confidence levels": [run.confidence for run in runs],
        "numbers of resamples": [run.resamples for run in runs],
        "versions of acumen": [run.provenance.get("acumen", "unknown") for run in runs],
    }
    for what, values in told.items():
        different = list(dict.fromkeys(values))
        if len(different) > 1:
            notes.append(f"The runs differ in their {what}: {', '.join(map(str, different))}.")
    for name in sorted({name for run in runs for name in run.tasks}):
        versions = dict.fromkeys(run.tasks[name].version for run in runs if name in run.tasks)
        if len(versions) > 1:
            notes.append(f"The task {name} has several versions here: {', '.join(versions)}.")
    if notes:
        notes.append("Scores are shown as each run made them; tests use the last run's settings.")
    return notes


def slugs(names: Sequence[str]) -> dict[str, str]:
    """A name for anchors and files: stable, plain, and no two alike."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "task"
        slug, count = plain, 2
        while slug in taken:
            slug, count = f"{plain}-{count}", count + 1
        taken.add(slug)
        found[name] = slug
    return found


def own_scores(cell: Scores) -> list[Score]:
    """Those by the metric of the headline, which is the task's; others go with it."""
    return [one for one in cell.scores if one.metric == cell.scores[0].metric]


def find_score(
    cell: Scores, convention: str, slice_: str = "", metric: str | None = None
) -> Score | None:
    """By the task's own metric, where no other one is named."""
    scores = own_scores(cell) if metric is None else cell.scores
    return next(
        (
            one
            for one in scores
            if (one.convention, one.slice) == (convention, slice_) and metric in (None, one.metric)
        ),
        None,
    )


def ranked(cells: Sequence[Scores], card: TaskCard, convention: str) -> list[tuple[Scores, Score]]:
    """Cells with their score under a convention, best first, undefined ones last."""
    scored = [(cell, find_score(cell, convention)) for cell in cells]
    present = [(cell, score) for cell, score in scored if score is not None]
    sign = 1 if card.lower_is_better else -1
    return sorted(
        present,
        key=lambda one: (
            one[1].value is None,
            sign * (one[1].value if one[1].value is not None else 0.0),
            one[0].model,
        ),
    )
