"""A task, a model and a cell small enough to see through, for tests of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from codeacumen import metrics
from codeacumen.api import Capability, Instance, Metric, Pair, Run, TaskCard
from codeacumen.registry import Entry, LoadedModel
from codeacumen.runs.evaluate import evaluate
from codeacumen.runs.plan import Cell, PlannedTask
from codeacumen.runs.scoring import Settings

QUICK = Settings(resamples=100)
PAIRS = [Instance(f"p{i}", Pair(f"left{i}", f"right{i}"), i) for i in range(12)]


class Toy:
    """A task made of given instances."""

    def __init__(
        self,
        instances: Sequence[Instance] = PAIRS,
        name: str = "toy",
        version: str = "1",
        capability: Capability = Capability.SIMILARITY,
        metric: Metric = metrics.spearman,
    ) -> None:
        self.given = instances
        self.metric = metric
        self.card = TaskCard(name, "Toy", version, capability, metric.name)

    def instances(self) -> Sequence[Instance]:
        return self.given


class Scripted:
    """Answers pairs with a function of the question; remembers what it was asked."""

    def __init__(self, answer: Callable[[Pair], Any], batch_size: int = 1) -> None:
        self.answer = answer
        self.batch_size = batch_size
        self.asked: list[str] = []

    def similarity(self, pairs: Sequence[Pair]) -> list[Any]:
        self.asked += [pair.left for pair in pairs]
        return [self.answer(pair) for pair in pairs]


def number_of(pair: Pair) -> float:
    return float(pair.left.removeprefix("left"))


def cell(
    model: Any,
    task: Any = None,
    *,
    name: str = "scripted",
    settings: dict[str, Any] | None = None,
    code: str = "",
    origin: str = "tests",
) -> Cell:
    entry = Entry("model", name, lambda: model, origin=origin, code_sha256=code)
    return Cell(LoadedModel(name, entry, settings or {}, model), PlannedTask(task or Toy()))


def run_one(one: Cell, out: Path, **options: bool) -> Run:
    return evaluate([one], out, QUICK, **options)


def answers_in(out: Path) -> dict[str, bytes]:
    """The answers files of a run, by their place in it."""
    folder = out / "answers"
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}
