"""Answers from runs on disk, or from models, brought together for a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from acumen.api import AcumenError, Answer
from acumen.core.progress import Progress
from acumen.registry import make_task
from acumen.runs.evaluate import answer_cell
from acumen.runs.plan import PlannedTask, make_plan
from acumen.runs.results import find_results, read_cell_answers, read_run

# For each task, the answers of each model.
Gathered = dict[str, dict[str, dict[str, Answer]]]


class TaskShelf:
    """Tasks made once, with their instances."""

    def __init__(self) -> None:
        self._tasks: dict[str, PlannedTask] = {}

    def task(self, name: str) -> PlannedTask:
        if name not in self._tasks:
            self._tasks[name] = PlannedTask(make_task(name))
        return self._tasks[name]


def from_runs(
    folders: Sequence[Path], shelf: TaskShelf, wanted: Callable[[str], bool] = lambda task: True
) -> Gathered:
    """Answers of all runs. A model that stands in several runs is named with its folder."""
    gathered: Gathered = {}
    runs = [(path, read_run(path)) for path in folders]
    for path, run in runs:
        for cell in run.cells:
            if not wanted(cell.task):
                continue
            if cell.data_sha256 != shelf.task(cell.task).data_sha256:
                raise AcumenError(
                    f"{path}: {cell.model} answered another version of {cell.task}",
                    "evaluate it again with the data that is here",
                )
            twice = any(
                other.task == cell.task and other.model == cell.model
                for other_path, other_run in runs
                if other_path != path
                for other in other_run.cells
            )
            name = f"{cell.model} ({path})" if twice else cell.model
            answers, unchanged = read_cell_answers(find_results(path).parent, cell)
            if not unchanged:
                raise AcumenError(
                    f"{path}: the answers of {cell.model} to {cell.task} were changed after they "
                    "were scored",
                    "score the changed file with `acumen score`",
                )
            gathered.setdefault(cell.task, {})[name] = answers
    return gathered


def together(runs: Gathered, models: Gathered) -> Gathered:
    """Both; a model that is also in a run is told apart from it."""
    gathered = {task: dict(answers) for task, answers in runs.items()}
    for task, answers in models.items():
        known = gathered.setdefault(task, {})
        for model, given in answers.items():
            known[f"{model} (asked now)" if model in known else model] = given
    return gathered


def from_models(references: Sequence[str], tasks: Sequence[str], progress: Progress) -> Gathered:
    """Answers of models, asked now or found from before."""
    cells, _ = make_plan(references, tasks)
    gathered: Gathered = {}
    for cell in cells:
        answers, _ = answer_cell(cell, progress)
        gathered.setdefault(cell.task.card.name, {})[cell.made.reference] = answers
    return gathered


def is_run(path: Path) -> bool:
    """A folder that happens to be called like a model is a run only if it holds one."""
    return find_results(path).is_file()
