"""Results of a run: answers, scores with intervals, and cards of the models.

A cell of a run is a pair of a model and a task; ``Scores`` is its record. A card describes a model
or a task to readers of the scores.
"""

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
    """A score by a metric on an evaluation set, or on a slice of it (empty: all of it).

    ``value`` is None where the statistic is undefined. ``low`` and ``high`` are the ends of the
    interval, None where there is none. ``n`` is the number of instances in the score, which may
    leave out unanswered ones (``Metric.unanswered``); ``note`` explains what is missing or
    uncertain.
    """

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
    """Numbers of instances of a cell: all, and by outcome.

    ``unanswered``: the model returned None, or no answer is there. ``failed``: the model raised an
    error, or the answer is invalid.
    """

    instances: int
    answered: int
    unanswered: int
    failed: int


# Remarks by ``ModelCard.supervision``; ``none`` has no remark.
_LABELS_SEEN = {
    "all": "knows the labels",
    "leave-one-out": "leave-one-out",
    "train": "trained on the training split",
    "train-or-all": "trained on training labels, or all",
    "before": "trained before the run",
}


@dataclass(frozen=True, slots=True)
class ModelCard:
    """Description of a model in the results; ``version`` is the package or file it comes from.

    ``supervision`` is that of a ``Learner`` (``codeacumen.api.inputs``), ``before`` for a model
    that was trained before the run, or ``none``.
    """

    name: str
    summary: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    supervision: str = "none"
    is_baseline: bool = False
    version: str = ""

    @property
    def labels_seen(self) -> str:
        """Remark that tables show for a model that learned from labels; empty for others."""
        return _LABELS_SEEN.get(self.supervision, "")


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a model on a task. The first of ``scores`` is the headline: by the task's own
    metric, on its first evaluation set.

    ``answers`` is the path of the answers in the run's folder, empty if they were not written.
    ``computed`` counts the answers computed in this run, as opposed to stored answers; ``seconds``
    is the time that answering and scoring took in it. ``errors`` are the first few failures.
    """

    task: str
    model: str
    scores: tuple[Score, ...]
    counts: Counts
    answers: str = ""
    answers_sha256: str = ""
    data_sha256: str = ""
    computed: int = 0
    seconds: float = 0.0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overall:
    """Mean headline score of a model that has one on every task of a group.

    ``low`` and ``high`` are None where there is no interval.
    """

    group: str
    model: str
    tasks: tuple[str, ...]
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Loss:
    """Mean score of a model with all of the text minus its mean score at a level of input.

    See ``codeacumen.api.benchmarks.InputLevels``; None: no interval.
    """

    benchmark: str
    model: str
    level: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Run:
    """Contents of ``results.json`` (see ``docs/results.md``); tasks and models are by name."""

    seed: int
    confidence: float
    resamples: int
    tasks: Mapping[str, TaskCard]
    models: Mapping[str, ModelCard]
    cells: tuple[Scores, ...]
    provenance: Mapping[str, Json]
    overall: tuple[Overall, ...] = ()
    losses: tuple[Loss, ...] = ()
