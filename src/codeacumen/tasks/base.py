"""What tasks of every kind share: the card, the loader, and a training split where there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codeacumen.api import (
    Answer,
    Ceiling,
    Convention,
    Example,
    Face,
    Instance,
    Json,
    Metric,
    Sight,
    TaskCard,
)

if TYPE_CHECKING:
    from codeacumen.datasets.built import Built

LoadInstances = Callable[[], Sequence[Instance]]
LoadExamples = Callable[[], Sequence[Example]]

# Tags of instances without and with a near-duplicate in the training split.
ALONE, TWIN = "alone", "twin"


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What a benchmark says about a task; ``conventions`` are the kind's where there are none."""

    name: str
    title: str
    summary: str = ""
    version: str = "1"
    dataset: str = ""
    citation: str = ""
    conventions: tuple[Convention, ...] = ()
    slices: tuple[str, ...] = ()
    ceiling: Ceiling | None = None
    lower_is_better: bool = False
    direct: bool = False


class StandardTask:
    """A task of a kind. A subclass is a kind: it sets the capability, the metrics and the
    convention that its tasks have unless a benchmark chooses others.

    ``built`` is the data set that the instances are from, if it was built here. ``fingerprint``
    identifies what ``training`` and ``sight`` return.
    """

    face: Face
    metric: Metric
    metrics: Sequence[Metric] = ()
    convention = Convention("all", "every instance")

    def __init__(
        self,
        info: TaskInfo,
        load: LoadInstances,
        *,
        metric: Metric | None = None,
        metrics: Sequence[Metric] | None = None,
        built: Built | None = None,
        training: LoadExamples | None = None,
        sight: Sight | None = None,
        fingerprint: str = "",
    ) -> None:
        self._load = load
        self.built, self.fingerprint = built, fingerprint
        if metric is not None:
            self.metric = metric
        if metrics is not None:
            self.metrics = metrics
        # A task without these attributes has no training split, and nothing around its methods.
        if training is not None:
            self.training = training
        if sight is not None:
            self.sight = sight
        self.card = TaskCard(
            name=info.name,
            title=info.title,
            version=info.version,
            face=self.face,
            metric=self.metric.name,
            summary=info.summary,
            dataset=info.dataset,
            citation=info.citation,
            conventions=info.conventions or (self.convention,),
            slices=info.slices,
            ceiling=info.ceiling,
            lower_is_better=info.lower_is_better,
            direct=info.direct,
        )

    def instances(self) -> Sequence[Instance]:
        return self._load()


def fill_missing_answers(
    instances: Sequence[Instance],
    answers: Mapping[str, Answer],
    value: Callable[[Instance], Json],
) -> dict[str, Answer]:
    """Return an answer for each instance: ``value(instance)`` where the model gave none."""
    filled: dict[str, Answer] = {}
    for instance in instances:
        answer = answers.get(instance.id)
        if answer is None or answer.error or answer.value is None:
            answer = Answer(instance.id, value(instance))
        filled[instance.id] = answer
    return filled
