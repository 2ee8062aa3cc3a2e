"""Inputs of models: one record and one capability (a Protocol) for each kind of question.

``codeacumen.api.hooks`` lists the optional attributes of a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from codeacumen.api.base import Json

# --------------------------------------------------------------------------------------
# Inputs: one record per capability. No record holds the answer.
# --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pair:
    """Two identifiers. ``relation`` is ``similar`` or ``related``; most models ignore it."""

    left: str
    right: str
    relation: str = "similar"

    @property
    def content(self) -> tuple[Json, ...]:
        """Return the question as plain JSON, without names of classes or fields."""
        return ("similarity", self.left, self.right, self.relation)


@dataclass(frozen=True, slots=True)
class Question:
    """A text and the labels to choose from.

    ``method`` is the id of the method in question, for models that use its code context; ``ask`` is
    the question in words, for models that read English. Both enter the hash of a task's data, empty
    or not.
    """

    text: str
    choices: tuple[str, ...]
    method: str = field(default="", repr=False)
    ask: str = field(default="", repr=False)

    @property
    def content(self) -> tuple[Json, ...]:
        return ("choice", self.text, list(self.choices))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text to be completed or answered freely; ``method`` and ``ask`` as in ``Question``."""

    text: str
    method: str = field(default="", repr=False)
    ask: str = field(default="", repr=False)

    @property
    def content(self) -> tuple[Json, ...]:
        return ("text", self.text)


@dataclass(frozen=True, slots=True)
class Method:
    """A method as a model may see it; a name that the task asks for is masked in ``text``."""

    id: str
    text: str
    language: str = "java"

    @property
    def content(self) -> tuple[Json, ...]:
        return ("method", self.id, self.text, self.language)


@dataclass(frozen=True, slots=True)
class NamedMethod:
    """A method and a name; the model judges how well the name fits."""

    method: Method
    name: str

    @property
    def content(self) -> tuple[Json, ...]:
        return (*self.method.content, self.name)


Input: TypeAlias = Pair | Question | Prompt | Method | NamedMethod


# --------------------------------------------------------------------------------------
# Capabilities: the kinds of questions that a model can answer. All take a batch and return answers
# in its order. ``None`` means that the model has no answer, which is not an error. An exception in
# place of an answer means that this item failed; the other answers count.
# --------------------------------------------------------------------------------------


class Capability(StrEnum):
    SIMILARITY = "similarity"
    EMBED = "embed"
    CLASSIFY = "classify"
    GENERATE = "generate"
    NAME = "name"
    JUDGE = "judge"


@runtime_checkable
class Similarity(Protocol):
    def similarity(self, pairs: Sequence[Pair]) -> Sequence[float | Exception | None]:
        """Return the similarity of each pair, on any scale; larger is closer."""
        ...


@runtime_checkable
class Embed(Protocol):
    def embed(self, items: Sequence[str]) -> Sequence[Sequence[float] | Exception | None]:
        """Return a vector for each item, all of one length."""
        ...


@runtime_checkable
class Classify(Protocol):
    def classify(self, questions: Sequence[Question]) -> Sequence[str | Exception | None]:
        """Return one of each question's choices."""
        ...


@runtime_checkable
class Generate(Protocol):
    def generate(self, prompts: Sequence[Prompt]) -> Sequence[str | Exception | None]: ...


@runtime_checkable
class Name(Protocol):
    def name(self, methods: Sequence[Method]) -> Sequence[str | Exception | None]: ...


@runtime_checkable
class Judge(Protocol):
    def judge(self, methods: Sequence[NamedMethod]) -> Sequence[float | Exception | None]:
        """Return how well each name fits its method, from 0 (not at all) to 1."""
        ...


# Any object with at least one of these methods.
Model: TypeAlias = Similarity | Embed | Classify | Generate | Name | Judge

CAPABILITY_PROTOCOLS: Mapping[Capability, type] = {
    Capability.SIMILARITY: Similarity,
    Capability.EMBED: Embed,
    Capability.CLASSIFY: Classify,
    Capability.GENERATE: Generate,
    Capability.NAME: Name,
    Capability.JUDGE: Judge,
}


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its answer, for a model that learns."""

    input: Input
    truth: Json


Supervision: TypeAlias = Literal["train", "train-or-all", "leave-one-out", "all"]


@runtime_checkable
class Learner(Protocol):
    """A model that learns from labels.

    ``supervision`` says which labels it is shown before it answers an instance: ``train`` (the
    task's training split, and it needs one), ``leave-one-out`` (all but that instance's
    own), ``all`` (its own too; only for bounds such as ``oracle``, and every table says
    so), or ``train-or-all`` (``all`` where there is no training split).
    """

    @property
    def supervision(self) -> Supervision: ...
    def fit(self, examples: Sequence[Example]) -> None:
        """Discard what the model learned before and learn from these examples."""
        ...


class CodeContext(Protocol):
    """The code around a method of a question or an example.

    Each function takes the id of a ``method`` and masks that method's answer everywhere.
    ``view`` returns a view of the method, such as ``text``, by the view's ``name``; ``view_of``
    returns one of the method ``other`` with the same masks. Both return it in the format of the
    tool ``compat`` unless that is empty. ``callers``, ``callees`` and ``siblings`` (the other
    methods of its type) return rows. A row is a method: ``id``, ``path``, ``line``, ``type``
    (qualified), ``text``. Without a corpus there are no rows, and most views are None.

    ``describe`` returns for a masked call its ``receiver`` (static type, or empty), ``arguments``
    (their number), ``candidates`` (names of the type's methods with that number of parameters,
    sorted) and ``static``; for other tasks it returns the data set's description of the method.

    ``owner`` returns a short description of the class around a method and of the methods connected
    with it, of bounded size: ``header`` (the class's declaration without its body), ``fields`` and
    ``imports`` (as written), ``doc`` (the method's documentation comment), ``methods`` (the others
    of the class), ``callers`` and ``callees`` (the nearest), each a row of ``type``, ``name``,
    ``returns``, ``parameters``; ``call_results``, which maps the names of the called methods to
    what they return according to their texts: ``null`` (returned or promised), ``passed`` (what
    another method returns that may return null), ``name`` (a variable), ``other``. A key may be
    missing; without a corpus, all are.
    """

    def view(self, method: str, name: str, compat: str = "") -> Json: ...
    def view_of(self, method: str, other: str, name: str, compat: str = "") -> Json: ...
    def describe(self, method: str) -> Mapping[str, Json]: ...
    def callers(self, method: str) -> Sequence[Mapping[str, Json]]: ...
    def callees(self, method: str) -> Sequence[Mapping[str, Json]]: ...
    def siblings(self, method: str) -> Sequence[Mapping[str, Json]]: ...
    def owner(self, method: str) -> Mapping[str, Json]: ...
