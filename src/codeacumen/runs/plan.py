"""Plan a run: pair every model with every task, and check the pairs before any model is asked.

A ``Cell`` is such a pair. Its ``cache_key`` decides which stored answers the cell may reuse.
``runs.evaluate`` and ``interface`` call this module.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import version
from uuid import uuid4

from codeacumen.api import (
    CodeacumenError,
    CodeContext,
    Example,
    HasContext,
    HasTraining,
    Input,
    Instance,
    Json,
    Learner,
    ModelCard,
    Prompt,
    Question,
    Restricted,
    Supervised,
    Task,
    TaskCard,
    UsesContext,
    get_fingerprint,
)
from codeacumen.models.adapters import find_route, list_capabilities
from codeacumen.registry import (
    BrokenError,
    LoadedModel,
    compute_fingerprint,
    find_entry,
    hash_code,
    hash_modules,
    list_names,
    make_model,
    make_task,
)

# The models and adapters of this package use these libraries; another release may change digits.
LIBRARIES = ("numpy", "rapidfuzz", "scikit-learn", "spylls")
# Modules between a task and a model: adapters, batches, and checks of answers.
ANSWERING_MODULES = ("codeacumen.models.adapters", "codeacumen.runs.ask")
# Optional fields of ``Question`` and ``Prompt``; exports omit them where they are empty.
OPTIONAL_KEYS = ("method", "ask")


class PlannedTask:
    """A task with its instances, which are read once, and their hash.

    ``limit`` is the maximum number of instances, taken from the start; 0 means all.
    """

    def __init__(self, task: Task, limit: int = 0) -> None:
        if limit < 0:
            raise CodeacumenError(
                f"the limit is {limit}", "it must be 0, which asks all instances, or more"
            )
        self.task = task
        self.limit = limit
        # Random name of this object; it keeps answers apart where no fingerprint identifies the
        # task's code context (``Cell.is_context_unknown``).
        self.nonce = uuid4().hex

    @cached_property
    def card(self) -> TaskCard:
        """The task's card; a limit is part of its title."""
        card = self.task.card
        if not self.limit or len(self._all_instances) <= self.limit:
            return card
        title = f"{card.title} (first {self.limit:,} of {len(self._all_instances):,})"
        return replace(card, title=title, limit=self.limit)

    @cached_property
    def instances(self) -> Sequence[Instance]:
        """Instances to ask, at most ``limit``."""
        return self._all_instances[: self.limit or None]

    @cached_property
    def _all_instances(self) -> Sequence[Instance]:
        name = self.task.card.name
        try:
            instances = list(self.task.instances())
        except CodeacumenError:
            raise
        except Exception as error:
            raise CodeacumenError(
                f"task {name}: cannot read its instances: {type(error).__name__}: {error}",
                "instances() must return the same instances whenever it is called",
            ) from error
        if not instances:
            raise CodeacumenError(
                f"task {name} has no instances",
                "instances() must return a list, the same whenever it is called; a built data set "
                "needs more code",
            )
        seen_ids: set[str] = set()
        for instance in instances:
            if instance.id in seen_ids:
                raise CodeacumenError(
                    f"task {name}: two instances have the id {instance.id}",
                    "give each instance an id of its own",
                )
            seen_ids.add(instance.id)
        return instances

    @cached_property
    def data_sha256(self) -> str:
        """Hash of the instances in order: ids, inputs, truths, clusters and tags."""
        return self._hash_records(
            (
                f"instance {instance.id}",
                [
                    instance.id,
                    _list_hashed_parts(instance.input),
                    instance.truth,
                    instance.cluster,
                    sorted(instance.tags),
                ],
            )
            for instance in self.instances
        )

    @cached_property
    def code_sha256(self) -> str:
        """Hashes of the code of the task's class and of the factory registered under its name.

        A task object that the user passed has no factory, unless it has the name of a registered
        task.
        """
        own = hash_code(type(self.task))
        try:
            return f"{find_entry('task', self.task.card.name).get_code_hash()} {own}"
        except CodeacumenError:
            return own

    @property
    def training(self) -> Callable[[], Sequence[Example]] | None:
        """Function that returns the training split, or None."""
        return self.task.training if isinstance(self.task, HasTraining) else None

    def open_context(self) -> CodeContext | None:
        """Return the code around the task's methods, or None if the task has none."""
        return self.task.code_context() if isinstance(self.task, HasContext) else None

    @cached_property
    def context_fingerprint(self) -> str:
        """Identifier of the data that a model may use besides the instances: training and context.

        It is the task's own fingerprint, or else the hash of its training split; empty if the task
        has neither.
        """
        task_fingerprint = get_fingerprint(self.task)
        if task_fingerprint or self.training is None:
            return task_fingerprint
        try:
            examples = self.training()
        except CodeacumenError:
            raise
        except Exception as error:
            raise CodeacumenError(
                f"task {self.card.name}: cannot read its training split: "
                f"{type(error).__name__}: {error}",
                "training() must return examples: codeacumen.api.Example",
            ) from error
        return self._hash_records(
            (
                f"training example {number}",
                [_list_hashed_parts(example.input), example.truth],
            )
            for number, example in enumerate(examples)
        )

    def _hash_records(self, records: Iterable[tuple[str, list[Json]]]) -> str:
        """Return the hash of the records, given with a label for error messages."""
        digest = hashlib.sha256()
        for label, record in records:
            try:
                line = json.dumps(record, sort_keys=True, allow_nan=False)
            except (TypeError, ValueError) as error:
                raise CodeacumenError(
                    f"task {self.card.name}: {label} is not plain JSON ({error})",
                    "use text, finite numbers, true, false, null, lists and objects",
                ) from error
            digest.update(line.encode() + b"\n")
        return digest.hexdigest()


def _list_hashed_parts(question: Input) -> list[Json]:
    """Return the parts of a question that its hash covers: the content and the optional parts.

    Optional parts are included even if they are empty.
    """
    if isinstance(question, Question | Prompt):
        return [*question.content, question.method, question.ask]
    return [*question.content]


def question_to_json(question: Input) -> dict[str, Json]:
    """Return a question as plain JSON, without empty optional parts."""
    return {
        key: value
        for key, value in asdict(question).items()
        if value != "" or key not in OPTIONAL_KEYS
    }


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair of a model and a task."""

    loaded: LoadedModel
    task: PlannedTask

    @property
    def name(self) -> str:
        """Label of the cell in progress messages."""
        return f"{self.loaded.reference} on {self.task.card.name}"

    @property
    def is_reusable(self) -> bool:
        """Return True if the key identifies everything that an answer depends on."""
        return self.loaded.is_reusable and not self.is_context_unknown

    @property
    def is_context_unknown(self) -> bool:
        """Return True if the model uses a code context that no fingerprint identifies."""
        task = self.task.task
        uses_context = isinstance(self.loaded.model, UsesContext) and isinstance(task, HasContext)
        return uses_context and not get_fingerprint(task)

    def cache_key(self) -> dict[str, object]:
        """Return everything that an answer may depend on, and nothing else.

        Stored answers are reused only under an equal key.
        """
        key: dict[str, object] = {
            "answering_code": hash_modules(*ANSWERING_MODULES),
            "libraries": {name: version(name) for name in LIBRARIES},
            "model": self.loaded.entry.name,
            "settings": self.loaded.settings,
            "fingerprint": compute_fingerprint(self.loaded),
            "task": self.task.card.name,
            "task_version": self.task.card.version,
            "task_code": self.task.code_sha256,
            "capability": self.task.card.capability,
            "data_sha256": self.task.data_sha256,
        }
        model = self.loaded.model
        # Other learners see labels of the instances only, which ``data_sha256`` covers.
        learns = isinstance(model, Learner) and model.supervision.startswith("train")
        if learns or isinstance(model, UsesContext):
            key["code_context"] = self.task.context_fingerprint
        return key


def create_model_card(loaded: LoadedModel) -> ModelCard:
    """Return the card of a model for a run's results."""
    # A learner has a supervision; a model that was trained before may have one too.
    supervision = loaded.model.supervision if isinstance(loaded.model, Supervised) else "none"
    return ModelCard(
        name=loaded.reference,
        summary=loaded.entry.summary,
        settings=loaded.settings,
        capabilities=tuple(list_capabilities(loaded.model)),
        supervision=supervision,
        is_baseline=loaded.entry.is_baseline,
        version=loaded.entry.origin,
    )


def explain_misfit(loaded: LoadedModel, card: TaskCard, *, has_training: bool = True) -> str:
    """Return why a model cannot answer a task; empty if it can.

    ``has_training``: the task has a training split.
    """
    needed = card.capability
    supported_tasks = loaded.model.only if isinstance(loaded.model, Restricted) else ()
    if supported_tasks and not any(
        card.name == name or card.name.startswith(name + "/") for name in supported_tasks
    ):
        return f"it answers {', '.join(supported_tasks)} only"
    capabilities = list_capabilities(loaded.model)
    learner = loaded.model if isinstance(loaded.model, Learner) else None
    if learner is not None and learner.supervision == "train" and not has_training:
        return "it learns from a training split, which the task does not have"
    # A learner is trained on the task's own questions, so an adapter cannot replace its capability.
    needs_native_capability = learner is not None or card.requires_native_capability
    is_supported = (
        needed in capabilities
        if needs_native_capability
        else find_route(capabilities, needed) is not None
    )
    if is_supported:
        return ""
    return f"the task needs {needed}, the model has {', '.join(capabilities) or 'no capability'}"


def plan_cells(
    models: Sequence[LoadedModel], tasks: Sequence[PlannedTask], *, skip_unfit: bool = False
) -> tuple[list[Cell], list[str]]:
    """Return the cells to run, and a sentence with the reason for each pair that was skipped.

    A model that cannot answer a task is an error, unless ``skip_unfit``.
    """
    cells: list[Cell] = []
    misfits: list[str] = []
    for task in tasks:
        for loaded in models:
            has_training = task.training is not None
            reason = explain_misfit(loaded, task.card, has_training=has_training)
            if reason:
                misfits.append(f"{loaded.reference} cannot answer {task.card.name}: {reason}")
            else:
                cells.append(Cell(loaded, task))
    if misfits and not skip_unfit:
        raise CodeacumenError(
            "\n".join(misfits),
            "leave these models or tasks out (`codeacumen eval` does with --skip-unfit)",
        )
    if not cells:
        raise CodeacumenError(
            "\n".join(["no model can answer a task", *misfits]),
            "`codeacumen models show NAME` lists the tasks that a model can answer",
        )
    return cells, misfits


@dataclass(frozen=True, slots=True)
class Availability:
    """Availability of the registered models or tasks, for runs that name none.

    A run uses ``names``. It skips ``absent``, whose data or arguments are missing. ``broken`` are
    error messages of models or tasks that do not load.
    """

    names: list[str]
    absent: list[str]
    broken: list[str]


def list_available_tasks() -> Availability:
    """Return the tasks by availability of their data. A broken package affects only its tasks."""
    from codeacumen.datasets import CATALOGUE, missing_files

    available = Availability([], [], [])
    for name in list_names("task"):
        try:
            data = CATALOGUE.get(make_task(name).card.dataset)
        except CodeacumenError as error:
            available.broken.append(str(error))
            continue
        (available.absent if data is not None and missing_files(data) else available.names).append(
            name
        )
    return available


def list_available_models() -> Availability:
    """Return the models by availability; ``absent`` are those that need a setting or a package."""
    available = Availability([], [], [])
    for name in list_names("model"):
        try:
            make_model(name)
        except BrokenError as error:
            available.broken.append(str(error))
        except CodeacumenError:
            available.absent.append(name)
        else:
            available.names.append(name)
    return available
