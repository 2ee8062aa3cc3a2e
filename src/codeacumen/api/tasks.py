"""Tasks: instances, how they are counted and scored, and what models are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from codeacumen.api.base import Json
from codeacumen.api.inputs import Face, Input

if TYPE_CHECKING:
    from codeacumen.api.base import Floats


@dataclass(frozen=True, slots=True)
class Instance:
    """One question of a task.

    ``truth`` may have several readings, such as votes: an object then, with what a model should
    say under ``value``. ``cluster`` groups instances that are not independent (same project);
    ``tags`` name the slices and conventions the instance belongs to.
    """

    id: str
    input: Input
    truth: Json
    cluster: str = ""
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Convention:
    """Which instances a score stands on: those with ``tag``, or all where it is empty."""

    name: str
    meaning: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How well people do, or ``who``, with what it measures and where the figure is from."""

    label: str
    value: float
    source: str
    who: str = "people"


@dataclass(frozen=True, slots=True)
class TaskCard:
    """What to know of a task before reading its scores. ``lower_is_better``: the least is best.
    ``direct``: only a model that has the face itself can answer, none through an adapter; of
    choices that resemble no question, such as numbers of paths."""

    name: str
    title: str
    version: str
    face: Face
    metric: str
    summary: str = ""
    dataset: str = ""
    citation: str = ""
    conventions: tuple[Convention, ...] = (Convention("all", "every instance"),)
    slices: tuple[str, ...] = ()
    ceiling: Ceiling | None = None
    lower_is_better: bool = False
    direct: bool = False


class Metric(Protocol):
    """A weighted statistic, so that one definition serves the score and its bootstrap.

    ``observe`` turns one truth and one answer into a row of numbers, or into None where they do
    not count for this metric; ``statistic`` takes the rows as columns, shape (k, n), and a matrix
    of weights, shape (b, n), and gives b values (nan where undefined).

    Two optional attributes. ``of_sums(sums, total)``, of a metric that needs only sums over the
    instances: the b values from the columns' weighted sums, shape (k, b), and the weighted numbers
    of instances, shape (b,); whole clusters are then resampled as one row each. ``percentage``:
    true of a mean of zeros and ones times 100.
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
        """True where every observation is 0 or 1 and the statistic is their mean."""
        ...

    def observe(self, truth: Json, answer: Json) -> tuple[float, ...] | None: ...
    def statistic(self, columns: Floats, weights: Floats) -> Floats: ...


class Task(Protocol):
    """What is asked and how it is scored. Optional attributes are looked at:

    ``training() -> Sequence[Example]``: the training split; none of the instances is in it.
    ``examples(split) -> Iterator[Example]``: the same one by one, of ``train`` and of ``dev``;
    ``examples_fingerprint: str`` identifies these alone.
    ``sight: Sight``: what there is to see around the methods of the instances and of the training
    split. ``fingerprint: str``: identifies what ``training`` and ``sight`` give.

    ``reading(instances, answers) -> dict[str, Answer]``: what the metrics see instead of the
    answers themselves, by the instances' ids. For a task whose score stands on several answers
    together, such as those to a method and to a variant of it.

    ``metrics: Sequence[Metric]``: further metrics, each scored under the first convention and for
    every slice.
    """

    @property
    def card(self) -> TaskCard: ...
    @property
    def metric(self) -> Metric: ...
    def instances(self) -> Sequence[Instance]:
        """All instances, always in the same order, with unique ids."""
        ...
