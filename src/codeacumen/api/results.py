"""Results of a run: answers, scores with intervals, and cards of the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codeacumen.api.base import Json
from codeacumen.api.tasks import TaskCard


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer to one instance: a value, nothing (``None``), or an error."""

    id: str
    value: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A number with its interval. ``value`` is None where the statistic is undefined."""

    metric: str
    evaluation_set: str
    slice: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    instances: int
    answered: int
    unanswered: int
    failed: int


_LABELS_SEEN = {
    "all": "has seen the labels",
    "leave-one-out": "leave-one-out",
    "train": "used the training split",
    "train-or-all": "saw training labels, or all",
    "before": "was trained before",
}


@dataclass(frozen=True, slots=True)
class ModelCard:
    name: str
    summary: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    supervision: str = "none"
    is_baseline: bool = False
    version: str = ""

    @property
    def labels_seen(self) -> str:
        """Return the remark that tables show for a model that learned from labels."""
        return _LABELS_SEEN.get(self.supervision, "")


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a model on a task. The first of ``scores`` is the headline."""

    task: str
    model: str
    scores: tuple[Score, ...]
    counts: Counts
    answers: str = ""
    answers_sha256: str = ""
    data_sha256: str = ""
    asked: int = 0  # stored key
    seconds: float = 0.0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overall:
    """Mean headline score of a model that answered all tasks of a group."""

    group: str
    model: str
    tasks: tuple[str, ...]
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Loss:
    """Difference between a model's mean score with all of the text and at a level of input."""

    benchmark: str
    model: str
    level: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Run:
    seed: int
    confidence: float
    resamples: int
    tasks: Mapping[str, TaskCard]
    models: Mapping[str, ModelCard]
    cells: tuple[Scores, ...]
    provenance: Mapping[str, Json]
    overall: tuple[Overall, ...] = ()
    losses: tuple[Loss, ...] = ()
