"""Tasks: instances, evaluation sets, metrics, and the card that describes a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from codeacumen.api.base import Json
from codeacumen.api.inputs import Capability, Input

if TYPE_CHECKING:
    from codeacumen.api.base import Floats


@dataclass(frozen=True, slots=True)
class Instance:
    """A question of a task.

    ``truth`` is the correct answer, or an object that has it under ``value`` next to other data,
    such as votes. ``cluster`` groups instances that are not independent (same project); an instance
    with an empty one is independent. ``tags`` name the slices and evaluation sets that the instance
    belongs to.
    """

    id: str
    input: Input
    truth: Json
    cluster: str = ""
    tags: frozenset[str] = frozenset()

    @property
    def label(self) -> Json:
        """The correct answer, without the data beside it."""
        has_value = isinstance(self.truth, dict) and "value" in self.truth
        return self.truth["value"] if has_value else self.truth


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """The instances that a score is computed from: those with ``tag``, or all where it is empty."""

    name: str
    meaning: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Upper bound of a task's score: how well people (or ``who``) do, and the figure's source."""

    label: str
    value: float
    source: str
    who: str = "people"


@dataclass(frozen=True, slots=True)
class TaskCard:
    """Description of a task that a reader of its scores needs.

    ``requires_native_capability``: only a model that has the capability itself can answer, none
    through an adapter. It is set where a question's text does not resemble its choices, such as
    numbers of paths. ``limit``: the task has only this many instances, its first; 0: all.
    ``metric`` is the name of the task's metric, ``dataset`` that of the published data set which it
    needs, if any, and ``slices`` are tags: a score is also computed on the instances with each.
    The first evaluation set is that of the headline score and of the tests.
    """

    name: str
    title: str
    version: str
    capability: Capability
    metric: str
    summary: str = ""
    dataset: str = ""
    citation: str = ""
    evaluation_sets: tuple[EvaluationSet, ...] = (EvaluationSet("all", "every instance"),)
    slices: tuple[str, ...] = ()
    ceiling: Ceiling | None = None
    lower_is_better: bool = False
    requires_native_capability: bool = False
    limit: int = 0


class Metric(Protocol):
    """A weighted statistic, so that one definition serves the score and its bootstrap.

    ``observe`` turns one truth and one answer into a row of numbers, or into None where they do
    not count for this metric. ``statistic`` takes the rows as columns, of shape (k, n), and a
    matrix of weights, of shape (b, n), and returns b values (nan where undefined): n instances with
    k numbers each, and b resamples, in which an instance occurs as often as its weight says.
    ``SumMetric`` and ``Percentage`` in ``codeacumen.api.hooks`` are optional.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unanswered(self) -> tuple[float, ...] | None:
        """The row that an instance without an answer counts as; None: it is left out."""
        ...

    @property
    def proportion(self) -> bool:
        """True if every observation is 0 or 1 and the statistic is their mean."""
        ...

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None: ...
    def statistic(self, columns: Floats, weights: Floats) -> Floats: ...


class Task(Protocol):
    """Instances and the metric that scores their answers. ``codeacumen.api.hooks`` lists optional
    attributes: a training split, the code around the methods, further metrics."""

    @property
    def card(self) -> TaskCard: ...
    @property
    def metric(self) -> Metric: ...
    def instances(self) -> Sequence[Instance]:
        """All instances, always in the same order, with unique ids."""
        ...
