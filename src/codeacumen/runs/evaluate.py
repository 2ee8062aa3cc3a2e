"""Evaluate models on tasks: ask them, store the answers and score these.

This module can also score the answers of another program.

A cell is a model and a task. Its answers are appended to a log under ``CODEACUMEN_HOME/answers``,
one log for each cache key of a cell. A run that is killed and started again finds its answers there
and asks only for the rest, even if it writes its results to another folder. When a cell is
complete, its answers are copied into the run's folder.

``measure_effects`` compares the score on all test instances with the score on those that have no
near-duplicate in training; ``codeacumen dataset audit`` calls it.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

from codeacumen.api import Answer, CodeacumenError, ModelCard, Run, Score, Task
from codeacumen.core.files import write_atomically
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.runs.answers import AnswerLog, read_answers
from codeacumen.runs.ask import ask_model, check_answer
from codeacumen.runs.plan import Cell, PlannedTask, create_model_card
from codeacumen.runs.record import Recorder
from codeacumen.runs.scoring import ScoringSettings, compute_scores
from codeacumen.tasks.base import DISTINCT, NEAR_DUPLICATE


def find_cell_folder(cell: Cell) -> Path:
    """Return the folder of the log with the answers of a cell."""
    key = json.dumps(cell.cache_key(), sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()
    if not cell.is_reusable:
        # The cache key of an unidentified model has a random part, so its digest is unique. For an
        # unidentified context, the nonce makes the name unique (``nonce * False`` is empty).
        return _get_unshared_folder() / (digest + cell.task.nonce * cell.is_context_unknown)
    return codeacumen_home() / "answers" / digest[:2] / digest


@cache
def _get_unshared_folder() -> Path:
    """Return a folder for answers that only this process can use; it is deleted at exit."""
    folder = Path(tempfile.mkdtemp(prefix="codeacumen-answers-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def answer_cell(
    cell: Cell,
    progress: Progress = ignore_progress,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> tuple[dict[str, Answer], int]:
    """Return all answers of a cell, and how many of them the model gave in this call.

    ``fresh`` deletes the stored answers first; ``retry_failed`` asks again for those that failed.
    """
    folder = find_cell_folder(cell)
    folder.mkdir(parents=True, exist_ok=True)
    key = json.dumps(cell.cache_key(), sort_keys=True, indent=1)
    # If two runs need the same answers, the second waits for the log of the first.
    with FileLock(folder / "lock"):
        write_atomically(folder / "key.json", key.encode() + b"\n")
        log_path = folder / "answers.jsonl"
        if fresh:
            log_path.unlink(missing_ok=True)
        log = AnswerLog(log_path)
        try:
            answered_ids = {
                id_ for id_, answer in log.recorded.items() if not (retry_failed and answer.error)
            }
            instances = cell.task.instances
            done_count = sum(1 for instance in instances if instance.id in answered_ids)
            computed_count = 0
            progress(cell.name, done_count, len(instances))
            for answers in ask_model(cell.loaded, cell.task, lambda i: i.id not in answered_ids):
                log.append_answers(answers)
                computed_count += len(answers)
                progress(cell.name, done_count + computed_count, len(instances))
            return {i.id: log.recorded[i.id] for i in instances}, computed_count
        finally:
            log.close()


def evaluate_cells(
    cells: Sequence[Cell],
    out: Path,
    settings: ScoringSettings,
    progress: Progress = ignore_progress,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> Run:
    """Answer and score all cells; write ``out/answers`` and ``results.json``; return the run."""
    recorder = Recorder(settings, out)
    out.mkdir(parents=True, exist_ok=True)  # fail early if the folder is not writable
    for cell in cells:
        find_cell_folder(cell)  # reads the data: fail before asking if it is missing
    for cell in cells:
        start = time.perf_counter()
        answers, computed_count = answer_cell(
            cell, progress, fresh=fresh, retry_failed=retry_failed
        )
        recorder.add_cell(
            cell.task,
            create_model_card(cell.loaded),
            answers,
            computed_count=computed_count,
            started=start,
        )
    return recorder.finish_run()


def read_answer_files(files: Sequence[Path], task: Task) -> dict[str, dict[str, Answer]]:
    """Return the answers of each file; the key, the file's name without suffix, names the model."""
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        raise CodeacumenError(
            "two files have the same name without suffix, so their models would have the same name",
            "rename one",
        )
    capability = task.card.capability
    answers_by_model = {}
    for name, file in zip(names, files, strict=True):
        answers_by_model[name] = read_answers(file, capability)
        if not answers_by_model[name]:
            raise CodeacumenError(f"{file}: the file has no answers", _describe_ids(task.card.name))
    return answers_by_model


def _describe_ids(task: str) -> str:
    return f"`codeacumen tasks show {task} --json` shows examples of ids"


def score_answers(
    task: Task,
    answers_by_model: Mapping[str, Mapping[str, Answer]],
    settings: ScoringSettings,
    out: Path | None = None,
) -> tuple[Run, list[str]]:
    """Score the answers of another program, and write the run to ``out`` unless it is None.

    Return the run, and notes on answers that are missing or belong to no instance.
    """
    planned = PlannedTask(task)
    name, capability = task.card.name, task.card.capability
    instances = {instance.id: instance for instance in planned.instances}
    recorder = Recorder(settings, out)
    notes: list[str] = []
    for model, model_answers in answers_by_model.items():
        answers = {
            id_: answer if answer.error else check_answer(capability, instances[id_], answer.value)
            for id_, answer in model_answers.items()
            if id_ in instances
        }
        unknown = [id_ for id_ in model_answers if id_ not in instances]
        if not answers:
            raise CodeacumenError(
                f"{model}: none of its {len(model_answers)} answers belongs to {name}",
                _describe_ids(name),
            )
        if unknown:
            notes.append(
                f"{model}: {len(unknown)} answers belong to no instance of {name} and are not "
                f"scored (the first: {unknown[0]!r})"
            )
        if missing := len(instances) - len(answers):
            notes.append(f"{model}: {missing} of {len(instances)} instances have no answer")
        recorder.add_cell(planned, ModelCard(model, summary="answers of another program"), answers)
    return recorder.finish_run(), notes


@dataclass(frozen=True, slots=True)
class NearDuplicateEffect:
    """Scores of a model with and without near-duplicates.

    ``headline`` is the score on all instances. ``distinct`` is the score on the instances without a
    near-duplicate in training, ``near_duplicate`` the score on those with one; each is None if
    there are no such instances.
    """

    task: str
    model: str
    headline: Score
    distinct: Score | None
    near_duplicate: Score | None

    @property
    def difference(self) -> float | None:
        """Amount that the near-duplicates add to the headline score; None if it is undefined."""
        if self.distinct is None or self.distinct.value is None or self.headline.value is None:
            return None
        return self.headline.value - self.distinct.value


def measure_effects(
    cells: Sequence[Cell],
    settings: ScoringSettings,
    progress: Progress = ignore_progress,
) -> list[NearDuplicateEffect]:
    """Ask the models for missing answers; return the effect of near-duplicates for each cell."""
    effects = []
    for cell in cells:
        answers, _ = answer_cell(cell, progress)
        scores, _ = compute_scores(cell.task.task, cell.task.instances, answers, settings)
        headline = scores[0]  # ``compute_scores`` puts it first
        by_slice = {
            score.slice: score
            for score in scores
            if (score.metric, score.evaluation_set) == (headline.metric, headline.evaluation_set)
        }
        effects.append(
            NearDuplicateEffect(
                cell.task.card.name,
                cell.loaded.reference,
                headline,
                by_slice.get(DISTINCT),
                by_slice.get(NEAR_DUPLICATE),
            )
        )
    return effects
