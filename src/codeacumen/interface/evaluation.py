"""Evaluate models, score answers that were made elsewhere, and compare models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from codeacumen.api import Answer, CodeacumenError, EvaluationSet, Json, Task, TaskCard
from codeacumen.core.progress import show_progress
from codeacumen.interface.catalogue import (
    Models,
    Tasks,
    load_models,
    load_task,
    load_tasks,
    to_list,
)
from codeacumen.interface.results import Results, TemporaryFolder
from codeacumen.registry import (
    LoadedModel,
    list_broken_metrics,
    list_names,
    make_model,
    make_task,
    parse_reference,
)
from codeacumen.runs.plan import PlannedTask, plan_cells
from codeacumen.runs.scoring import ScoringSettings

if TYPE_CHECKING:
    from codeacumen.runs.compare import Comparison
    from codeacumen.runs.plan import Availability

# Files of answers, or the answers by model and by instance id.
Answers: TypeAlias = "str | Path | Sequence[str | Path] | Mapping[str, Mapping[str, Json]]"


def evaluate(
    models: Models | None = None,
    tasks: Tasks | None = None,
    out: str | Path | None = None,
    *,
    limit: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 2000,
    skip_unfit: bool = False,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool = True,
) -> Results:
    """Ask every model every task, score the answers, and return the results.

    Without ``models``, it takes all models that need no setting; without ``tasks``, all tasks whose
    data is on this machine. ``out`` is the folder of the run; without it the files are deleted with
    the results. ``limit`` asks only the first instances of each task, to try a model; None or 0
    asks all. With ``skip_unfit``, models are left out of the tasks that they cannot answer, and
    ``Results.notes`` says why. ``fresh`` asks for all answers again, ``retry_failed`` for those
    that failed. ``progress`` shows a bar in a terminal or a notebook.
    """
    from codeacumen.runs.evaluate import evaluate_cells

    notes: list[str] = []
    settings = ScoringSettings(seed, confidence, resamples)
    loaded_tasks = load_tasks(tasks) if tasks is not None else _load_present_tasks(notes)
    loaded_models = load_models(models) if models is not None else _load_ready_models(notes)
    planned = [PlannedTask(task, limit or 0) for task in loaded_tasks]
    is_unfit_skipped = skip_unfit or models is None or tasks is None
    cells, unfit = plan_cells(loaded_models, planned, skip_unfit=is_unfit_skipped)
    if models is not None:
        notes += [f"left out: {line}" for line in unfit]
    notes += [f"left out: {reason}" for reason in list_broken_metrics()]
    folder, temporary = _choose_folder(out)
    stages = {cell.name: f"{i}/{len(cells)} {cell.name}" for i, cell in enumerate(cells, 1)}
    with show_progress(progress) as report:
        run = evaluate_cells(
            cells,
            folder,
            settings,
            lambda name, done, total: report(stages[name], done, total),
            fresh=fresh,
            retry_failed=retry_failed,
        )
    used = {task.card.name: task for task in loaded_tasks if task.card.name in run.tasks}
    return Results(run, folder, tuple(notes), used, temporary)


def _load_present_tasks(notes: list[str]) -> list[Task]:
    """Return the tasks whose data is on this machine; add notes on absent and broken ones."""
    from codeacumen.runs.plan import list_available_tasks

    available = list_available_tasks()
    absent = sorted({name.split("/")[0] for name in available.absent})
    if absent:
        notes.append(
            f"left out, data not installed: {', '.join(absent)} (`codeacumen dataset list`)"
        )
    notes += _list_broken(available)
    return [make_task(name) for name in available.names]


def _load_ready_models(notes: list[str]) -> list[LoadedModel]:
    """Return the models that need no setting; add notes on those that do, and on broken ones."""
    from codeacumen.runs.plan import list_available_models

    available = list_available_models()
    if available.absent:
        notes.append(
            "left out, a setting or a package is missing: "
            f"{', '.join(available.absent)} (`codeacumen models show NAME`)"
        )
    notes += _list_broken(available)
    return [make_model(name) for name in available.names]


def _list_broken(available: Availability) -> list[str]:
    return [f"left out: {reason}" for reason in available.broken]


def score(
    answers: Answers,
    task: str | Task,
    out: str | Path | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Results:
    """Score answers that were made elsewhere, and return the results.

    ``answers`` are files (JSON lines, CSV or Parquet with the columns id and answer), each a model
    called after its file, or a mapping from models to their answers by instance id. ``out`` is the
    folder of the run; without it the files are deleted with the results.
    """
    from codeacumen.runs.evaluate import read_answer_files, score_answers

    settings = ScoringSettings(seed, confidence, resamples)
    loaded = load_task(task)
    if isinstance(answers, Mapping):
        answers_by_model = _convert_answers(answers)
    else:
        files = [answers] if isinstance(answers, str | Path) else answers
        answers_by_model = read_answer_files([Path(file) for file in files], loaded)
    if not answers_by_model:
        raise CodeacumenError(
            f"there are no answers to {loaded.card.name}", "name at least one file or model"
        )
    folder, temporary = _choose_folder(out)
    run, notes = score_answers(loaded, answers_by_model, settings, folder)
    notes += [f"left out: {reason}" for reason in list_broken_metrics()]
    return Results(run, folder, tuple(notes), {loaded.card.name: loaded}, temporary)


def _choose_folder(out: str | Path | None) -> tuple[Path, TemporaryFolder | None]:
    """Return the folder of a run; if none is named, a temporary one and its owner."""
    if out is None:
        temporary = TemporaryFolder()
        return temporary.path, temporary
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise CodeacumenError(f"{folder} is a file", "out is the folder of the run")
    return folder, None


def _convert_answers(answers: Mapping[str, Any]) -> dict[str, dict[str, Answer]]:
    """Return the answers as records, by model and instance id."""
    for model, values in answers.items():
        if not isinstance(values, Mapping):
            raise CodeacumenError(
                f"the answers of {model!r} are {values!r}"[:200],
                'give each model its answers by instance id: {"my-model": {"len~length": 0.9}}',
            )
    return {
        str(model): {id_: Answer(id_, value) for id_, value in values.items()}
        for model, values in answers.items()
    }


class Comparisons(list["Comparison"]):
    """Comparisons, one per task; ``left_out`` says which tasks cannot be compared and why."""

    def __init__(self, comparisons: Sequence[Comparison], left_out: Sequence[str]) -> None:
        super().__init__(comparisons)
        self.left_out = tuple(left_out)


def compare(
    models: Models | Path | Results | Sequence[Any],
    tasks: Tasks | None = None,
    *,
    evaluation_set: str = "",
    limit: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = 10_000,
    progress: bool = True,
) -> Comparisons:
    """Test every pair of models on the instances of each task that all of them answer.

    ``models`` are names, objects, results, and folders of runs; without ``tasks``, those of the
    runs are compared. ``evaluation_set`` names the instances that count, by default the task's
    first set. ``limit`` asks models only the first instances of a task, None or 0 all. Tests use at
    least 10,000 resamples. Tasks that cannot be compared are in ``left_out`` of the result; it is
    an error if none can be.
    """
    from codeacumen.runs.compare import collect_run_answers, compare_answers
    from codeacumen.runs.evaluate import answer_cell

    settings = ScoringSettings(seed, confidence, resamples)
    folders, models_to_ask, task_objects = _split_runs(models)
    planned = {
        task.card.name: PlannedTask(task, limit or 0)
        for task in (load_tasks(tasks) if tasks is not None else [])
    }
    answers_by_task = collect_run_answers(folders, planned, tuple(planned), task_objects)
    if models_to_ask and not planned:
        raise CodeacumenError("no task to compare the models on", "name one with --task")
    comparisons: list[Comparison] = []
    left_out: list[str] = []
    with show_progress(progress) as report:
        if models_to_ask:
            cells, _ = plan_cells(load_models(models_to_ask), list(planned.values()))
            for cell in cells:
                answers = answer_cell(cell, report)[0]
                task_answers = answers_by_task.setdefault(cell.task.card.name, {})
                model = cell.loaded.reference
                task_answers[f"{model} (evaluated now)" if model in task_answers else model] = (
                    answers
                )
        for position, (name, answers_by_model) in enumerate(answers_by_task.items()):
            report(f"testing {name}", position, len(answers_by_task))
            task = planned[name]
            chosen_set = _find_evaluation_set(task.card, evaluation_set)
            try:
                comparisons.append(
                    compare_answers(
                        task.task, task.instances, answers_by_model, chosen_set, settings
                    )
                )
            except CodeacumenError as error:
                left_out.append(f"left out: {error}")
    if not comparisons:
        reasons = "".join(f"\n{line}" for line in left_out)
        raise CodeacumenError(
            f"there is nothing to compare{reasons}", "name at least two models or runs"
        )
    return Comparisons(comparisons, left_out)


def _split_runs(models: Any) -> tuple[list[Path], list[Any], dict[str, Task]]:
    """Return the folders of runs, the models to ask, and the tasks of results by name.

    A task of results may be an object that is not registered.
    """
    from codeacumen.runs.compare import is_run

    folders: list[Path] = []
    others: list[Any] = []
    tasks: dict[str, Task] = {}
    for model in to_list(models):
        if isinstance(model, Results):
            folders.append(model.folder)
            tasks |= model.tasks
        elif isinstance(model, str | Path) and is_run(Path(model)):
            folders.append(Path(model))
        elif isinstance(model, Path) or (isinstance(model, str) and _is_path(model)):
            raise CodeacumenError(
                f"{model}: there is no run here",
                "a run is a folder that `codeacumen eval --out` wrote",
            )
        else:
            others.append(model)
    resolved = [folder.resolve() for folder in folders]
    if len(set(resolved)) < len(resolved):
        raise CodeacumenError("a run is named twice", "name each run once")
    return folders, others, tasks


def _is_path(reference: str) -> bool:
    """Return True if a reference names a file or folder, and no model."""
    name = parse_reference(reference)[0]
    return name not in list_names("model") and (Path(reference).exists() or "/" in name)


def _find_evaluation_set(card: TaskCard, name: str) -> EvaluationSet:
    """Return the evaluation set of that name; the task's first where none is named."""
    evaluation_sets = {part.name: part for part in card.evaluation_sets}
    if name and name not in evaluation_sets:
        raise CodeacumenError(
            f"{card.name} has no evaluation set called {name!r}",
            f"it has {', '.join(evaluation_sets)}",
        )
    return evaluation_sets[name] if name else card.evaluation_sets[0]
