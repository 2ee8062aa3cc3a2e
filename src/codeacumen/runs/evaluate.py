"""Evaluate models on tasks: ask, keep the answers, score. Or score answers of another program.

Answers stream into a log under ``CODEACUMEN_HOME/answers``, one log for each cache key. A run that
is killed and started again finds its answers there and asks only for the rest, in whatever folder
its
results go. The finished answers are copied into the run's folder.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from codeacumen.api import Answer, CodeacumenError, ModelCard, Run, Task
from codeacumen.core.files import write_atomically
from codeacumen.core.home import codeacumen_home
from codeacumen.core.progress import Progress, ignore_progress
from codeacumen.runs.ask import ask, checked
from codeacumen.runs.plan import Cell, PlannedTask, model_card
from codeacumen.runs.record import Recorder
from codeacumen.runs.results import AnswerLog, read_answers
from codeacumen.runs.scoring import Settings


def cell_folder(cell: Cell) -> Path:
    key = json.dumps(cell.cache_key(), sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()
    return codeacumen_home() / "answers" / digest[:2] / digest


def answer_cell(
    cell: Cell,
    progress: Progress = ignore_progress,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> tuple[dict[str, Answer], int]:
    """All answers of one cell, and how many of them had to be asked for now."""
    folder = cell_folder(cell)
    folder.mkdir(parents=True, exist_ok=True)
    key = json.dumps(cell.cache_key(), sort_keys=True, indent=1)
    # Two runs that want the same answers: the second waits and finds them.
    with FileLock(folder / "lock"):
        write_atomically(folder / "key.json", key.encode() + b"\n")
        log_path = folder / "answers.jsonl"
        if fresh:
            log_path.unlink(missing_ok=True)
        log = AnswerLog(log_path)
        try:
            kept = {id_ for id_, a in log.recorded.items() if not (retry_failed and a.error)}
            instances = cell.task.instances
            done = sum(1 for instance in instances if instance.id in kept)
            asked = 0
            progress(cell.name, done, len(instances))
            for answers in ask(cell.made, cell.task, lambda i: i.id not in kept):
                log.append(answers)
                asked += len(answers)
                progress(cell.name, done + asked, len(instances))
            return {i.id: log.recorded[i.id] for i in instances}, asked
        finally:
            log.close()


def evaluate(
    cells: Sequence[Cell],
    out: Path,
    settings: Settings,
    progress: Progress = ignore_progress,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> Run:
    """Run every cell and write ``out/answers`` and ``out/results.json``."""
    recorder = Recorder(settings, out)
    out.mkdir(parents=True, exist_ok=True)  # what cannot be written shows before, too
    for cell in cells:
        cell_folder(cell)  # reads the data: what is missing shows before anything is asked
    for cell in cells:
        clock = time.perf_counter()
        answers, asked = answer_cell(cell, progress, fresh=fresh, retry_failed=retry_failed)
        recorder.add(cell.task, model_card(cell.made), answers, asked=asked, since=clock)
    return recorder.finish()


def score_files(
    task: Task, files: Sequence[Path], settings: Settings, out: Path | None = None
) -> tuple[Run, list[str]]:
    """A run made of answer files, each a model called after its file; and remarks on answers
    that are missing or belong to no instance."""
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        raise CodeacumenError(
            "two files have the same name, so the models cannot be told apart", "rename one"
        )
    planned = PlannedTask(task)
    known = {instance.id: instance for instance in planned.instances}
    recorder = Recorder(settings, out)
    remarks: list[str] = []
    for name, file in zip(names, files, strict=True):
        given = read_answers(file)
        answers = {
            id_: answer if answer.error else checked(task.card.capability, known[id_], answer.value)
            for id_, answer in given.items()
            if id_ in known
        }
        strangers = [id_ for id_ in given if id_ not in known]
        if not answers:
            raise CodeacumenError(
                f"{file}: none of its {len(given)} answers belongs to {task.card.name}",
                f"`codeacumen tasks show {task.card.name} --json` shows what ids look like",
            )
        if strangers:
            remarks.append(
                f"{file}: {len(strangers)} answers belong to no instance of {task.card.name} "
                f"and are not scored (the first: {strangers[0]!r})"
            )
        if len(answers) < len(known):
            remarks.append(
                f"{file}: {len(known) - len(answers)} of {len(known)} instances have no answer"
            )
        recorder.add(planned, ModelCard(name, summary=f"answers from {file.name}"), answers)
    return recorder.finish(), remarks
