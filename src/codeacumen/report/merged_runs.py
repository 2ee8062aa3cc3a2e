"""Merge several runs, and collect the instances, answers and tests behind the scores of a task.

A cell (``Scores``) has the scores of a model on a task. If two runs have the same cell, the later
one counts. A run folder holds answers but no questions: these come from the task, if its data is on
this machine and has not changed.
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
from codeacumen.runs.scoring import ScoringSettings, postprocess_answers


@dataclass(frozen=True, slots=True)
class MergedRuns:
    """Runs on one page.

    ``cells`` are by task and model, and ``folders`` are the folders of the runs that contain their
    answers. ``slugs`` maps the name of a task to a form of it for anchors and files. ``settings``
    are used for the tests between models; ``notes`` say how the runs differ.
    """

    runs: tuple[Run, ...]
    settings: ScoringSettings
    tasks: Mapping[str, TaskCard]
    models: Mapping[str, ModelCard]
    cells: Mapping[tuple[str, str], Scores]
    folders: Mapping[tuple[str, str], Path]
    slugs: Mapping[str, str]
    notes: tuple[str, ...]

    def cells_of_task(self, name: str) -> list[Scores]:
        """Return the cells of a task."""
        return [cell for (task, _), cell in self.cells.items() if task == name]

    def unlimited_cells(self) -> list[Scores]:
        """Return the cells of tasks without a limit; only these count in means."""
        return [cell for (task, _), cell in self.cells.items() if not self.tasks[task].limit]


def merge_runs(runs: Sequence[tuple[Path, Run]]) -> MergedRuns:
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
    all_runs = tuple(run for _, run in runs)
    last_run = all_runs[-1]
    names = list(tasks)  # in the order of the runs, which is the order of the registry
    return MergedRuns(
        runs=all_runs,
        settings=ScoringSettings(last_run.seed, last_run.confidence, last_run.resamples),
        tasks={name: tasks[name] for name in names},
        models={name: models[name] for name in sorted({model for _, model in cells})},
        cells={key: cells[key] for key in sorted(cells)},
        folders=folders,
        slugs=make_slugs(names),
        notes=tuple(_describe_differences(all_runs)),
    )


def _describe_differences(runs: Sequence[Run]) -> list[str]:
    """Return notes on differences between runs that affect a comparison of their scores."""
    notes: list[str] = []
    values_by_setting: dict[str, list[Json]] = {
        "seeds": [run.seed for run in runs],
        "confidence levels": [run.confidence for run in runs],
        "numbers of resamples": [run.resamples for run in runs],
        "versions of codeacumen": [run.provenance.get("codeacumen", "unknown") for run in runs],
    }
    for setting, values in values_by_setting.items():
        different = list(dict.fromkeys(values))
        if len(different) > 1:
            notes.append(f"The runs differ in their {setting}: {', '.join(map(str, different))}.")
    for name in sorted({name for run in runs for name in run.tasks}):
        versions = dict.fromkeys(run.tasks[name].version for run in runs if name in run.tasks)
        if len(versions) > 1:
            notes.append(f"The task {name} has several versions here: {', '.join(versions)}.")
        limits = {run.tasks[name].limit for run in runs if name in run.tasks}
        if len(limits) > 1:
            notes.append(f"The runs used different numbers of instances of {name}.")
    if notes:
        notes.append("Scores are those of each run; tests use the settings of the last run.")
    return notes


def make_slugs(names: Sequence[str]) -> dict[str, str]:
    """Return for each name a slug for anchors and files: letters, digits and hyphens, and unique.

    The same names in the same order get the same slugs.
    """
    slugs_by_name: dict[str, str] = {}
    used_slugs: set[str] = set()
    for name in names:
        base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "task"
        slug, count = base, 2
        while slug in used_slugs:
            slug, count = f"{base}-{count}", count + 1
        used_slugs.add(slug)
        slugs_by_name[name] = slug
    return slugs_by_name


def list_own_scores(cell: Scores) -> list[Score]:
    """Return the scores of the task's own metric, that of the headline."""
    return [score for score in cell.scores if score.metric == cell.scores[0].metric]


def find_score(
    cell: Scores, evaluation_set: str, slice_: str = "", metric: str | None = None
) -> Score | None:
    """Return a score of a cell, by the task's own metric unless another one is given."""
    scores = list_own_scores(cell) if metric is None else cell.scores
    return next(
        (
            score
            for score in scores
            if (score.evaluation_set, score.slice) == (evaluation_set, slice_)
            and metric in (None, score.metric)
        ),
        None,
    )


def rank_cells(
    cells: Sequence[Scores], card: TaskCard, evaluation_set: str
) -> list[tuple[Scores, Score]]:
    """Return the cells with their score on an evaluation set, best first, undefined ones last.

    Cells without a score on that set are left out.
    """
    scored = [(cell, find_score(cell, evaluation_set)) for cell in cells]
    present = [(cell, score) for cell, score in scored if score is not None]
    sign = 1 if card.lower_is_better else -1
    return sorted(
        present,
        key=lambda pair: (
            pair[1].value is None,
            sign * (pair[1].value if pair[1].value is not None else 0.0),
            pair[0].model,
        ),
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Data behind the scores of a task.

    ``answers`` are by model and instance id, and so are ``postprocessed``, the answers as the
    task's metrics get them. ``comparison`` is None if models cannot be compared. ``instances`` is
    empty and ``task`` None if the task's data is not available; ``notes`` give the reasons.
    """

    answers: Mapping[str, Mapping[str, Answer]]
    postprocessed: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    instances: Sequence[Instance] = ()
    task: Task | None = None
    comparison: Comparison | None = None
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def metric(self) -> Metric | None:
        """The task's metric, or None without the task."""
        return self.task.metric if self.task else None


def gather_evidence(merged: MergedRuns, name: str) -> Evidence:
    """Collect answers, instances and tests of a task; problems become notes."""
    cells = merged.cells_of_task(name)
    notes: list[str] = []
    answers: dict[str, Mapping[str, Answer]] = {}
    for cell in cells:
        try:
            cell_answers, is_unchanged = read_cell_answers(merged.folders[name, cell.model], cell)
        except CodeacumenError as error:
            notes.append(f"The answers of {cell.model} cannot be shown: {error}")
            continue
        answers[cell.model] = cell_answers
        if not is_unchanged:
            notes.append(
                f"The answers of {cell.model} were changed after they were scored: "
                "the scores do not belong to the answers shown below."
            )
    try:
        # A plug-in may raise anything, but the scores must be reported nevertheless.
        planned = PlannedTask(make_task(name), merged.tasks[name].limit)
        instances, data_sha256 = planned.instances, planned.data_sha256
    except Exception as error:
        notes.append(f"Questions and truths are not shown: {_format_error(error)}.")
        return Evidence(answers, notes=notes)
    matching_models = {cell.model for cell in cells if cell.data_sha256 == data_sha256}
    other_models = [cell.model for cell in cells if cell.model not in matching_models]
    if not matching_models:
        notes.append(
            "Questions and truths are not shown: the data on this machine differs from the "
            "data of the run (other hash)."
        )
        return Evidence(answers, notes=notes)
    if other_models:
        notes.append(
            f"Excluded from instances and tests, because they answered other data: "
            f"{', '.join(other_models)}."
        )
    matching_answers = {
        model: model_answers for model, model_answers in answers.items() if model in matching_models
    }
    comparison = None
    try:
        postprocessed = {
            model: postprocess_answers(planned.task, instances, model_answers)
            for model, model_answers in matching_answers.items()
        }
    except Exception as error:
        notes.append(f"The task cannot process these answers: {_format_error(error)}.")
        return Evidence(matching_answers, notes=notes)
    try:
        comparison = compare_answers(
            planned.task,
            instances,
            matching_answers,
            planned.card.evaluation_sets[0],
            merged.settings,
        )
    except CodeacumenError as error:
        notes.append(f"No tests between models: {error}.")
    return Evidence(matching_answers, postprocessed, instances, planned.task, comparison, notes)


def _format_error(error: Exception) -> str:
    if not isinstance(error, CodeacumenError):
        return f"{type(error).__name__}: {error}"
    return f"{error} ({error.hint})" if error.hint else str(error)
