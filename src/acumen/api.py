"""The nouns: what a task asks, what a model answers, what a run keeps.

Frozen records and Protocols only. This module imports nothing of ours, so that a third-party
model or task needs no other import than ``acumen.api`` and ``acumen.registry``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

# JSON as the standard library reads and writes it.
Json: TypeAlias = Any


class AcumenError(Exception):
    """Something a person can mend. ``hint`` says what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


# --------------------------------------------------------------------------------------
# What a model is asked. One record per face; no record holds an answer.
# --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """Two identifiers. ``relation`` names the closeness asked for, for models that can tell."""

    left: str
    right: str
    relation: str = "similar"


@dataclass(frozen=True, slots=True)
class Question:
    """A text and the labels to choose from. ``method`` is the id of the method asked about, for
    models that look around it; ``ask`` the question in words, for models that read English. Where
    these are empty they are no part of the hash of a task's data."""

    text: str
    choices: tuple[str, ...]
    method: str = field(default="", repr=False)
    ask: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text to be completed or answered freely; ``method`` and ``ask`` as in ``Question``."""

    text: str
    method: str = field(default="", repr=False)
    ask: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Method:
    """A method as a model may see it; a name that is asked for is masked in ``text``."""

    id: str
    text: str
    language: str = "java"


@dataclass(frozen=True, slots=True)
class NamedMethod:
    """A method and a name somebody gave it."""

    method: Method
    name: str


Input: TypeAlias = Pair | Question | Prompt | Method | NamedMethod


# --------------------------------------------------------------------------------------
# Faces: the ways a model can be asked. All take a batch and answer in its order; ``None``
# means that the model has no answer, which is not an error.
# --------------------------------------------------------------------------------------


class Face(StrEnum):
    SIMILARITY = "similarity"
    EMBED = "embed"
    CLASSIFY = "classify"
    GENERATE = "generate"
    NAME = "name"
    JUDGE = "judge"


@runtime_checkable
class Similarity(Protocol):
    def similarity(self, pairs: Sequence[Pair]) -> Sequence[float | None]:
        """How close are the two? Any scale; larger is closer."""
        ...


@runtime_checkable
class Embed(Protocol):
    def embed(self, items: Sequence[str]) -> Sequence[Sequence[float] | None]:
        """A vector for each item, all of one length."""
        ...


@runtime_checkable
class Classify(Protocol):
    def classify(self, questions: Sequence[Question]) -> Sequence[str | None]:
        """One of each question's choices."""
        ...


@runtime_checkable
class Generate(Protocol):
    def generate(self, prompts: Sequence[Prompt]) -> Sequence[str | None]: ...


@runtime_checkable
class Name(Protocol):
    def name(self, methods: Sequence[Method]) -> Sequence[str | None]: ...


@runtime_checkable
class Judge(Protocol):
    def judge(self, methods: Sequence[NamedMethod]) -> Sequence[float | None]:
        """How well does the name fit, from 0 (not at all) to 1?"""
        ...


# Any object with at least one of these methods.
Model: TypeAlias = Similarity | Embed | Classify | Generate | Name | Judge

FACE_PROTOCOLS: Mapping[Face, type] = {
    Face.SIMILARITY: Similarity,
    Face.EMBED: Embed,
    Face.CLASSIFY: Classify,
    Face.GENERATE: Generate,
    Face.NAME: Name,
    Face.JUDGE: Judge,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its answer, for a model that learns."""

    input: Input
    truth: Json


Supervision: TypeAlias = Literal["train", "train-or-all", "others", "all"]


@runtime_checkable
class Learner(Protocol):
    """A model that learns from labels.

    ``supervision`` says which labels it is shown before it answers an instance: ``train`` (the
    task's training split, and it needs one), ``others`` (all but that instance's own:
    leave-one-out), ``all`` (its own too; only for bounds such as ``oracle``, and every table says
    so), or ``train-or-all`` (``all`` where there is no training split).
    """

    @property
    def supervision(self) -> Supervision: ...
    def fit(self, examples: Sequence[Example]) -> None:
        """Forget what was learned before and learn from these."""
        ...


class Sight(Protocol):
    """What a model may see around a method that it is asked about, or learns from.

    All is served for one ``method``, by its id, with its answer masked everywhere; ``view_of`` is
    another method as seen from it. A row is a method: ``id``, ``path``, ``line``, ``type``
    (qualified), ``text``. Where there is no corpus to look into, rows are none and views None.
    ``context`` of a masked call: ``receiver`` (static type, or empty), ``arguments`` (how many),
    ``candidates`` (names that the type offers with so many, sorted), ``static``.
    """

    def view(self, method: str, name: str, compat: str = "") -> Json: ...
    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json: ...
    def context(self, method: str) -> Mapping[str, Json]: ...
    def callers(self, method: str) -> Sequence[Mapping[str, Json]]: ...
    def callees(self, method: str) -> Sequence[Mapping[str, Json]]: ...
    def siblings(self, method: str) -> Sequence[Mapping[str, Json]]: ...


# Optional attributes of a model that a run looks at:
#   batch_size: int     how many instances to hand over at once (default 1)
#   fingerprint: str    identifies what the settings do not, such as a weights file's hash
#   only: tuple[str]    beginnings of the task names it can answer at all (default: any)
#   look(sight)         called with the task's ``Sight``, or None, before it learns and is asked
#   read(texts)         called before that with every distinct text of the task's pairs, sorted


# --------------------------------------------------------------------------------------
# Tasks.
# --------------------------------------------------------------------------------------


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
    """What to know of a task before reading its scores. ``lower_is_better``: the least is best."""

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


# --------------------------------------------------------------------------------------
# Views: what a model may see of a method. A corpus stores their tables, not their JSON.
# --------------------------------------------------------------------------------------


class Table(Protocol):
    """Arrays of a file's methods, computed once when a corpus is built."""

    @property
    def name(self) -> str: ...
    def columns(self, file: Any, seeds: Any) -> Mapping[str, Any]:
        """For each column a ``Ragged`` with one list for each of ``file.bodies``. ``file`` is a
        ``JavaFile``; ``seeds`` holds one number a method, for what is drawn at random."""
        ...


class View(Protocol):
    """One representation of a method. Its value is made of the rows that its tables hold."""

    @property
    def name(self) -> str: ...
    @property
    def tables(self) -> tuple[Table, ...]: ...
    @property
    def compats(self) -> Mapping[str, str]:
        """Other tools whose exact output it can give, and what is different then."""
        ...

    def value(self, method: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Json:
        """The JSON shape; ``method`` is its row in the store, ``rows`` one row a table."""
        ...

    def compatible(self, compat: str, file: Any, place: int) -> Json:
        """The value as another tool would give it, of the method at a place of its file."""
        ...


# --------------------------------------------------------------------------------------
# What a run keeps.
# --------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to one instance: a value, nothing (``None``), or an error."""

    id: str
    value: Json = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One number with its interval. ``value`` is None where the statistic is undefined."""

    metric: str
    convention: str
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
    "all": "has seen the labels", "others": "leave-one-out", "train": "used the training split",
    "train-or-all": "saw training labels, or all",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelCard:
    name: str
    summary: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)
    faces: tuple[str, ...] = ()
    supervision: str = "none"
    honest_row: bool = False
    version: str = ""

    @property
    def labels_seen(self) -> str:
        """What a table says about a model that was shown labels of the task itself."""
        return _LABELS_SEEN.get(self.supervision, "")


@dataclass(frozen=True, slots=True)
class Scores:
    """A model on a task. The first of ``scores`` is the headline."""

    task: str
    model: str
    scores: tuple[Score, ...]
    counts: Counts
    answers: str = ""
    answers_sha256: str = ""
    data_sha256: str = ""
    asked: int = 0
    seconds: float = 0.0
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overall:
    """For a model that answered all tasks of a group: the mean of their headline scores."""

    group: str
    model: str
    tasks: tuple[str, ...]
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
