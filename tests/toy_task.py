"""A small task, a model and a cell, for tests of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Metric, Pair, Run, TaskCard
from codeacumen.registry import Entry, LoadedModel
from codeacumen.runs.evaluate import evaluate_cells
from codeacumen.runs.plan import Cell, PlannedTask
from codeacumen.runs.scoring import ScoringSettings

QUICK = ScoringSettings(resamples=100)
PAIRS = [Instance(f"p{i}", Pair(f"left{i}", f"right{i}"), i) for i in range(12)]


class ToyTask:
    """A task with the given instances."""

    def __init__(
        self,
        instances: Sequence[Instance] = PAIRS,
        name: str = "toy",
        version: str = "1",
        capability: Capability = Capability.SIMILARITY,
        metric: Metric = metrics.spearman,
    ) -> None:
        self.task_instances = instances
        self.metric = metric
        self.card = TaskCard(name, "Toy", version, capability, metric.name)

    def instances(self) -> Sequence[Instance]:
        return self.task_instances


class ScriptedModel:
    """A model that answers pairs with a function and records its questions."""

    def __init__(self, answer: Callable[[Pair], Any], batch_size: int = 1) -> None:
        self.answer = answer
        self.batch_size = batch_size
        self.questions: list[str] = []

    def similarity(self, pairs: Sequence[Pair]) -> list[Any]:
        self.questions += [pair.left for pair in pairs]
        return [self.answer(pair) for pair in pairs]


def parse_number(pair: Pair) -> float:
    return float(pair.left.removeprefix("left"))


def make_cell(
    model: Any,
    task: Any = None,
    *,
    name: str = "scripted",
    settings: dict[str, Any] | None = None,
    code: str = "",
    origin: str = "tests",
) -> Cell:
    entry = Entry("model", name, lambda: model, origin=origin, code_sha256=code)
    return Cell(LoadedModel(name, entry, settings or {}, model), PlannedTask(task or ToyTask()))


def run_cell(single_cell: Cell, out: Path, **options: bool) -> Run:
    return evaluate_cells([single_cell], out, QUICK, **options)


def read_answer_files(out: Path) -> dict[str, bytes]:
    """Return the answer files of a run, by relative path."""
    folder = out / "answers"
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }
