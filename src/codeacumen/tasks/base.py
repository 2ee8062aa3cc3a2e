"""Base class of the tasks: the card, the loader, and the training split where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.api import (
    Answer,
    Capability,
    Ceiling,
    CodeContext,
    EvaluationSet,
    Example,
    Instance,
    Json,
    Metric,
    TaskCard,
)

if TYPE_CHECKING:
    from codeacumen.datasets.built import BuiltDataset

LoadInstances = Callable[[], Sequence[Instance]]
LoadExamples = Callable[[], Sequence[Example]]

# Tags of instances without and with a near-duplicate in the training split.
DISTINCT, NEAR_DUPLICATE = "distinct", "near-duplicate"


def make_neutral_id(*parts: str) -> str:
    """Return a hash of the parts, as an id that does not reveal the truth of an instance.

    Models and exported files see the id. The number of a row, or an id that shows the origin of a
    case, can reveal the truth: cases of one origin often have the same label.
    """
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A benchmark's description of a task, from which ``StandardTask`` makes the ``TaskCard``.

    ``dataset`` names the data set that must be installed, or is empty. If ``evaluation_sets`` is
    empty, the kind's ``evaluation_set`` is used. ``slices`` are tags whose instances are also
    scored separately. ``TaskCard`` explains ``requires_native_capability``.
    """

    name: str
    title: str
    summary: str = ""
    version: str = "1"
    dataset: str = ""
    citation: str = ""
    evaluation_sets: tuple[EvaluationSet, ...] = ()
    slices: tuple[str, ...] = ()
    ceiling: Ceiling | None = None
    lower_is_better: bool = False
    requires_native_capability: bool = False


class StandardTask:
    """A task of a kind. A subclass is a kind: it sets the capability, the metrics and the
    evaluation set that its tasks have unless a benchmark chooses others.

    ``load`` returns the instances. ``metric`` is the headline's, ``metrics`` are the further ones.
    ``built`` is the built data set that the instances are from, or None. ``fingerprint`` identifies
    what ``training`` and ``code_context`` return.
    """

    capability: Capability
    metric: Metric
    metrics: Sequence[Metric] = ()
    evaluation_set = EvaluationSet("all", "every instance")

    def __init__(
        self,
        info: TaskInfo,
        load: LoadInstances,
        *,
        metric: Metric | None = None,
        metrics: Sequence[Metric] | None = None,
        built: BuiltDataset | None = None,
        training: LoadExamples | None = None,
        code_context: Callable[[], CodeContext | None] | None = None,
        fingerprint: str = "",
    ) -> None:
        self._load = load
        self.built, self.fingerprint = built, fingerprint
        if metric is not None:
            self.metric = metric
        if metrics is not None:
            self.metrics = metrics
        # Optional hooks: a task without a training split must not have the attribute.
        if training is not None:
            self.training = training
        if code_context is not None:
            self.code_context = code_context
        self.card = TaskCard(
            name=info.name,
            title=info.title,
            version=info.version,
            capability=self.capability,
            metric=self.metric.name,
            summary=info.summary,
            dataset=info.dataset,
            citation=info.citation,
            evaluation_sets=info.evaluation_sets or (self.evaluation_set,),
            slices=info.slices,
            ceiling=info.ceiling,
            lower_is_better=info.lower_is_better,
            requires_native_capability=info.requires_native_capability,
        )

    def instances(self) -> Sequence[Instance]:
        return self._load()


def fill_missing_answers(
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    value: Callable[[Instance], Json],
) -> dict[str, Answer]:
    """Return an answer for each instance, by id.

    ``value(instance)`` replaces a missing answer, an error and None.
    """
    filled: dict[str, Answer] = {}
    for instance in instances:
        answer = answers.get(instance.id)
        if answer is None or answer.error or answer.value is None:
            answer = Answer(instance.id, value(instance))
        filled[instance.id] = answer
    return filled
