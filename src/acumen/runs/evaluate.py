"""The run: ask, keep, score.

Answers stream into a log under ``ACUMEN_HOME/answers``, one log for each cache key. A run
that is killed and started again finds its answers there and asks only for the rest, in
whatever folder its results go. The finished answers are copied into the run's folder.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from acumen.api import Answer, Run
from acumen.core.progress import Progress, ignore_progress
from acumen.datasets import acumen_home
from acumen.files import write_atomically
from acumen.runs.answers import AnswerLog
from acumen.runs.ask import ask
from acumen.runs.plan import Cell, model_card
from acumen.runs.record import Recorder
from acumen.runs.scoring import Settings


def cell_folder(cell: Cell) -> Path:
    key = json.dumps(cell.cache_key(), sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()
    return acumen_home() / "answers" / digest[:2] / digest


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
            for answers in ask(
                cell.made,
                cell.task.card.face,
                instances,
                lambda i: i.id not in kept,
                training=cell.task.training,
                sight=lambda: cell.task.sight,
                card=cell.task.card,
            ):
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
