"""Optional hooks of models, tasks and metrics: a run uses each where an object has it.

A model needs one capability (``codeacumen.api.inputs``), a task a card, a metric and instances
(``codeacumen.api.tasks``). Everything here is optional. An object has a hook if it has the
protocol's attributes; nothing needs to be inherited or registered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from codeacumen.api.base import CodeacumenError
from codeacumen.api.inputs import CodeContext, Example
from codeacumen.api.results import Answer
from codeacumen.api.tasks import Instance, Metric, TaskCard

if TYPE_CHECKING:
    from codeacumen.api.base import Floats

# --------------------------------------------------------------------------------------
# Models. A run calls start_task, prepare and use_context in this order, before ``Learner.fit`` and
# before the first question.
# --------------------------------------------------------------------------------------


@runtime_checkable
class Batched(Protocol):
    """A model that takes ``batch_size`` instances in one call; other models take one."""

    @property
    def batch_size(self) -> int: ...


@runtime_checkable
class Concurrent(Protocol):
    """A model that may be called from ``concurrency`` threads at once, such as one behind a
    network. The order of the calls does not matter to it."""

    @property
    def concurrency(self) -> int: ...


@runtime_checkable
class Fingerprinted(Protocol):
    """A model or task with contents that neither its settings nor its code identify.

    ``fingerprint`` is part of the cache key: for a model the hash of a file of weights, for a task
    the hash of what ``training`` and ``code_context`` return.
    """

    @property
    def fingerprint(self) -> str: ...


@runtime_checkable
class Restricted(Protocol):
    """A model that can answer only some tasks: ``only`` lists names of tasks and of benchmarks,
    which stand for all tasks below (``sesame`` for ``sesame/...``)."""

    @property
    def only(self) -> tuple[str, ...]: ...


@runtime_checkable
class Supervised(Protocol):
    """A model that has seen labels: ``supervision`` says which, and tables show it. It is
    ``before`` for a network that was trained before the run; a model that learns during a run is a
    ``Learner``."""

    @property
    def supervision(self) -> str: ...


@runtime_checkable
class StartsTask(Protocol):
    """A model that chooses by the task, such as one network of several."""

    def start_task(self, card: TaskCard) -> None: ...


@runtime_checkable
class Prepares(Protocol):
    """A model that reads all texts before it compares any, for instance to learn rare words."""

    def prepare(self, texts: Sequence[str]) -> None:
        """``texts`` are the distinct texts of the task's pairs, sorted."""
        ...


@runtime_checkable
class UsesContext(Protocol):
    """A model that looks at the code around a method."""

    def use_context(self, context: CodeContext | None) -> None:
        """``context`` is None where the task offers none."""
        ...


@runtime_checkable
class Composite(Protocol):
    """A model that consists of several models, by name, such as a folder of networks."""

    @property
    def parts(self) -> Mapping[str, object]: ...


def get_batch_size(model: object) -> int:
    """Return how many instances a model takes in one call."""
    return model.batch_size if isinstance(model, Batched) else 1


def get_concurrency(model: object) -> int:
    """Return how many calls to a model may run at once."""
    return model.concurrency if isinstance(model, Concurrent) else 1


def get_fingerprint(model_or_task: object) -> str:
    """Return the fingerprint of a model or task; empty where it has none."""
    fingerprint = getattr(model_or_task, "fingerprint", None)
    if fingerprint is None:
        return ""
    if not isinstance(fingerprint, str):
        raise CodeacumenError(
            f"the fingerprint of {type(model_or_task).__name__} is {fingerprint!r}"[:200],
            "it must be text, such as the hash of a file of weights: a property, not a method",
        )
    return fingerprint


# --------------------------------------------------------------------------------------
# Tasks.
# --------------------------------------------------------------------------------------


@runtime_checkable
class HasTraining(Protocol):
    """A task with a training split."""

    def training(self) -> Sequence[Example]:
        """All examples of the training split; none of the task's instances is among them."""
        ...


@runtime_checkable
class HasExamples(Protocol):
    """A task whose training and dev examples are too many to hold at once."""

    def examples(self, split: str) -> Iterator[Example]:
        """Yield the examples of ``train`` or ``dev``."""
        ...


@runtime_checkable
class HasCorpusFingerprints(Protocol):
    """A task whose ``fingerprint`` depends on whether its corpus is on this machine.

    ``examples_fingerprint`` identifies the examples alone. ``whole_fingerprint`` identifies the
    examples and the corpus, even on a machine that does not have the corpus.
    """

    @property
    def examples_fingerprint(self) -> str: ...
    @property
    def whole_fingerprint(self) -> str: ...


@runtime_checkable
class HasContext(Protocol):
    """A task that offers the code around its methods."""

    def code_context(self) -> CodeContext | None:
        """Open the context of the methods in instances and training split; None without one."""
        ...


@runtime_checkable
class PostprocessesAnswers(Protocol):
    """A task that changes the answers before its metrics see them: it replaces a missing answer by
    a value, or joins the answers to a method and to a variant of it."""

    def postprocess_answers(
        self, instances: Sequence[Instance], answers: Mapping[str, Answer]
    ) -> dict[str, Answer]:
        """Return the answers that the metrics see, by the instances' ids."""
        ...


@runtime_checkable
class HasMetrics(Protocol):
    """A task with further metrics, each scored on the first evaluation set and on its slices."""

    @property
    def metrics(self) -> Sequence[Metric]: ...


# --------------------------------------------------------------------------------------
# Metrics.
# --------------------------------------------------------------------------------------


@runtime_checkable
class SumMetric(Protocol):
    """A metric that needs only sums over the instances, so that whole clusters are resampled as
    one row each."""

    def of_sums(self, sums: Floats, total: Floats) -> Floats:
        """Return the values of ``Metric.statistic``, one for each of b resamples.

        ``sums`` are the columns' weighted sums, of shape (k, b), and ``total`` the weighted numbers
        of instances, of shape (b,).
        """
        ...


@runtime_checkable
class Percentage(Protocol):
    """A metric that is a mean of zeros and ones times 100, where ``percentage`` is true."""

    @property
    def percentage(self) -> bool: ...
