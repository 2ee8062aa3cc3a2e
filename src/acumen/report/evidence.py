"""What stands behind a task's scores: instances, answers, and the tests between models.

A run folder holds answers but not the questions: those come from the task, if its data is on
this machine and is still what the models were asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acumen.api import AcumenError, Answer, Instance, Metric, Task
from acumen.registry import make_task
from acumen.report.merge import Merged
from acumen.runs.compare import Comparison, compare_answers
from acumen.runs.plan import PlannedTask
from acumen.runs.results import read_cell_answers
from acumen.runs.scoring import read


@dataclass(frozen=True, slots=True)
class Evidence:
    """``read`` is what the task's metrics see of the answers, by model. ``instances`` is empty
    where the task's data cannot be joined; ``notes`` say why."""

    answers: Mapping[str, Mapping[str, Answer]]
    read: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    instances: Sequence[Instance] = ()
    task: Task | None = None
    comparison: Comparison | None = None
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def metric(self) -> Metric | None:
        return self.task.metric if self.task else None


def gather(merged: Merged, name: str) -> Evidence:
    cells = merged.of_task(name)
    notes: list[str] = []
    answers: dict[str, Mapping[str, Answer]] = {}
    for cell in cells:
        try:
            given, unchanged = read_cell_answers(merged.folders[name, cell.model], cell)
        except AcumenError as error:
            notes.append(f"The answers of {cell.model} cannot be shown: {error}")
            continue
        answers[cell.model] = given
        if not unchanged:
            notes.append(
                f"The answers of {cell.model} were changed after they were scored: "
                "the table of scores does not stand on what is shown below."
            )
    try:
        # A plug-in may raise anything; a report of the scores must come out nevertheless.
        planned = PlannedTask(make_task(name))
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
            f"Left out of instances and tests, because they were asked other data: "
            f"{', '.join(other)}."
        )
    joined = {model: given for model, given in answers.items() if model in asked_this}
    comparison = None
    try:
        seen = {model: read(planned.task, instances, given) for model, given in joined.items()}
    except Exception as error:
        notes.append(f"The task cannot read these answers: {_reason(error)}.")
        return Evidence(joined, notes=notes)
    try:
        comparison = compare_answers(
            planned.task, instances, joined, planned.card.conventions[0], merged.settings
        )
    except AcumenError as error:
        notes.append(f"No tests between models: {error}.")
    return Evidence(joined, seen, instances, planned.task, comparison, notes)


def _reason(error: Exception) -> str:
    if not isinstance(error, AcumenError):
        return f"{type(error).__name__}: {error}"
    return f"{error} ({error.hint})" if error.hint else str(error)
