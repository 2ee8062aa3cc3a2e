"""Scoring answers that some other program made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from acumen.api import AcumenError, ModelCard, Run, Task
from acumen.runs.answers import read_answers
from acumen.runs.ask import checked
from acumen.runs.plan import PlannedTask
from acumen.runs.record import Recorder
from acumen.runs.scoring import Settings


def score_files(
    task: Task, files: Sequence[Path], settings: Settings, out: Path | None = None
) -> tuple[Run, list[str]]:
    """A run made of answer files, each a model called after its file; and remarks on answers
    that are missing or belong to no instance."""
    names = [file.stem for file in files]
    if len(set(names)) < len(names):
        raise AcumenError(
            "two files have the same name, so the models cannot be told apart", "rename one"
        )
    planned = PlannedTask(task)
    known = {instance.id: instance for instance in planned.instances}
    recorder = Recorder(settings, out)
    remarks: list[str] = []
    for name, file in zip(names, files, strict=True):
        given = read_answers(file)
        answers = {
            id_: answer if answer.error else checked(task.card.face, known[id_], answer.value)
            for id_, answer in given.items()
            if id_ in known
        }
        strangers = [id_ for id_ in given if id_ not in known]
        if not answers:
            raise AcumenError(
                f"{file}: none of its {len(given)} answers belongs to {task.card.name}",
                f"`acumen tasks show {task.card.name} --json` shows what ids look like",
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
