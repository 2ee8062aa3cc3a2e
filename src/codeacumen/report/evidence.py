"""Merge several runs, and collect the instances, answers and tests behind the scores of a task.

If two runs have the same cell, the later one counts. A run folder holds answers but no questions:
these come from the task, if its data is on this machine and has not changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeacumen.api import (
    Answer,
    CodeacumenError,
    Instance,
    Json,
    Metric,
    ModelCard,
    Run,
    Score,
    Scores,
    Task,
    TaskCard,
)
from codeacumen.registry import make_task
from codeacumen.runs.compare import Comparison, compare_answers
from codeacumen.runs.plan import PlannedTask
from codeacumen.runs.results import read_cell_answers
from codeacumen.runs.scoring import Settings, read


@dataclass(frozen=True, slots=True)
class Merged:
    """Runs on one page. ``folders`` are the folders of the runs that contain a cell's answers."""

    runs: tuple[Run, ...]
    settings: Settings
    tasks: Mapping[str, TaskCard]
    models: Mapping[str, ModelCard]
    cells: Mapping[tuple[str, str], Scores]
    folders: Mapping[tuple[str, str], Path]
    slugs: Mapping[str, str]
    notes: tuple[str, ...]

    def of_task(self, name: str) -> list[Scores]:
        """Return the cells of a task."""
        return [cell for (task, _), cell in self.cells.items() if task == name]

    def unlimited_cells(self) -> list[Scores]:
        """Return the cells of tasks without a limit; only these count in means."""
        return [cell for (task, _), cell in self.cells.items() if not self.tasks[task].limit]


def merge(runs: Sequence[tuple[Path, Run]]) -> Merged:
    """Merge runs; the settings are those of the last one."""
    if not runs:
        raise CodeacumenError("no run to report on", "name at least one run folder")
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
    """Return notes on differences between runs that affect a comparison of their scores."""
    notes: list[str] = []
    told: dict[str, list[Json]] = {
        "seeds": [run.seed for run in runs],
        "confidence levels": [run.confidence for run in runs],
        "numbers of resamples": [run.resamples for run in runs],
        "versions of codeacumen": [run.provenance.get("codeacumen", "unknown") for run in runs],
    }
    for what, values in told.items():
        different = list(dict.fromkeys(values))
        if len(different) > 1:
            notes.append(f"The runs differ in their {what}: {', '.join(map(str, different))}.")
    for name in sorted({name for run in runs for name in run.tasks}):
        versions = dict.fromkeys(run.tasks[name].version for run in runs if name in run.tasks)
        if len(versions) > 1:
            notes.append(f"The task {name} has several versions here: {', '.join(versions)}.")
        limits = {run.tasks[name].limit for run in runs if name in run.tasks}
        if len(limits) > 1:
            notes.append(f"The runs asked different numbers of instances of {name}.")
    if notes:
        notes.append("Scores are those of each run; tests use the settings of the last run.")
    return notes


def slugs(names: Sequence[str]) -> dict[str, str]:
    """Return names for anchors and files, of letters, digits and hyphens, unique and stable."""
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
    """Return the scores of the task's own metric, that of the headline."""
    return [one for one in cell.scores if one.metric == cell.scores[0].metric]


def find_score(
    cell: Scores, evaluation_set: str, slice_: str = "", metric: str | None = None
) -> Score | None:
    """Return a score of a cell, by the task's own metric unless another one is given."""
    scores = own_scores(cell) if metric is None else cell.scores
    return next(
        (
            one
            for one in scores
            if (one.evaluation_set, one.slice) == (evaluation_set, slice_)
            and metric in (None, one.metric)
        ),
        None,
    )


def ranked(
    cells: Sequence[Scores], card: TaskCard, evaluation_set: str
) -> list[tuple[Scores, Score]]:
    """Return the cells with their score on an evaluation set, best first, undefined ones last."""
    scored = [(cell, find_score(cell, evaluation_set)) for cell in cells]
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


@dataclass(frozen=True, slots=True)
class Evidence:
    """Data behind the scores of a task.

    ``postprocessed`` are the answers as the task's metrics get them, by model. ``instances`` is
    empty if the task's data is not available; ``notes`` give the reason.
    """

    answers: Mapping[str, Mapping[str, Answer]]
    read: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    instances: Sequence[Instance] = ()
    task: Task | None = None
    comparison: Comparison | None = None
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def metric(self) -> Metric | None:
        """The task's metric, or None without the task."""
        return self.task.metric if self.task else None


def gather(merged: Merged, name: str) -> Evidence:
    """Collect answers, instances and tests of a task; problems become notes."""
    cells = merged.of_task(name)
    notes: list[str] = []
    answers: dict[str, Mapping[str, Answer]] = {}
    for cell in cells:
        try:
            given, unchanged = read_cell_answers(merged.folders[name, cell.model], cell)
        except CodeacumenError as error:
            notes.append(f"The answers of {cell.model} cannot be shown: {error}")
            continue
        answers[cell.model] = given
        if not unchanged:
            notes.append(
                f"The answers of {cell.model} were changed after they were scored: "
                "the scores do not belong to the answers shown below."
            )
    try:
        # A plug-in may raise anything, but the scores must be reported nevertheless.
        planned = PlannedTask(make_task(name), merged.tasks[name].limit)
        instances, data_sha256 = planned.instances, planned.data_sha256
    except Exception as error:
        notes.append(f"Questions and truths are not shown: {_reason(error)}.")
        return Evidence(answers, notes=notes)
    asked_this = {cell.model for cell in cells if cell.data_sha256 == data_sha256}
    other = [cell.model for cell in cells if cell.model not in asked_this]
    if not asked_this:
        notes.append(
            "Questions and truths are not shown: the data on this machine is not what the "
            "models were asked (its hash differs)."
        )
        return Evidence(answers, notes=notes)
    if other:
        notes.append(
            f"Excluded from instances and tests, because they answered other data: "
            f"{', '.join(other)}."
        )
    joined = {model: given for model, given in answers.items() if model in asked_this}
    comparison = None
    try:
        seen = {model: read(planned.task, instances, given) for model, given in joined.items()}
    except Exception as error:
        notes.append(f"The task cannot process these answers: {_reason(error)}.")
        return Evidence(joined, notes=notes)
    try:
        comparison = compare_answers(
            planned.task, instances, joined, planned.card.evaluation_sets[0], merged.settings
        )
    except CodeacumenError as error:
        notes.append(f"No tests between models: {error}.")
    return Evidence(joined, seen, instances, planned.task, comparison, notes)


def _reason(error: Exception) -> str:
    if not isinstance(error, CodeacumenError):
        return f"{type(error).__name__}: {error}"
    return f"{error} ({error.hint})" if error.hint else str(error)
