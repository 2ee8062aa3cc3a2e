"""Ask a model all instances of a task, batch by batch, and check its answers.

A fold is a part of the instances that a learner answers after one training; other models have
one fold. A batch is a part of a fold that is passed to the model in one call. ``runs.evaluate``
calls ``ask_model`` and stores the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from codeacumen.api import (
    Answer,
    Capability,
    Example,
    Instance,
    Json,
    Learner,
    Pair,
    Prepares,
    Question,
    StartsTask,
    Supervision,
    UsesContext,
    get_batch_size,
    get_concurrency,
)
from codeacumen.models.adapters import (
    ERROR_LENGTH,
    MODEL_ERRORS,
    Ask,
    ask_each,
    ask_through,
    to_finite_number,
)

if TYPE_CHECKING:
    from codeacumen.registry import LoadedModel
    from codeacumen.runs.plan import PlannedTask


def ask_model(
    loaded: LoadedModel,
    task: PlannedTask,
    pending: Callable[[Instance], bool],
) -> Iterator[list[Answer]]:
    """Yield the answers to the instances for which ``pending`` is true, a batch at a time.

    The batches are in order if the model answers one call at a time. A learner is fitted before
    each fold; if preparing or fitting fails, the instances of the fold get the error as their
    answer.
    """
    model, instances = loaded.model, task.instances
    batch_size = get_batch_size(model)
    ask_questions = ask_through(model, task.card.capability)
    learner = model if isinstance(model, Learner) else None
    has_training = task.training is not None
    folds = (
        _split_folds(resolve_supervision(learner, has_training), instances)
        if learner
        else [instances]
    )
    is_prepared = False
    for fold in folds:
        pending_instances = [instance for instance in fold if pending(instance)]
        if not pending_instances:
            continue
        try:
            if not is_prepared:
                _prepare_model(model, task)
                is_prepared = True
            if learner:
                learner.fit(_select_examples(learner, task, fold))
        except MODEL_ERRORS as error:
            yield [
                Answer(instance.id, error=_format_error(error)) for instance in pending_instances
            ]
            continue
        batches = _split_batches(fold, batch_size, pending)
        answer_batch = partial(_ask_batch, ask_questions, task.card.capability, batch_size)
        yield from _run_concurrently(answer_batch, batches, get_concurrency(model))


def resolve_supervision(model: Learner, has_training: bool) -> Supervision:
    """Return which labels a learner may see: those of the training split or of the instances."""
    if model.supervision == "train-or-all":
        return "train" if has_training else "all"
    return model.supervision


def _prepare_model(model: object, task: PlannedTask) -> None:
    """Call the optional hooks of a model, in the order that ``codeacumen.api.hooks`` gives."""
    if isinstance(model, StartsTask):
        model.start_task(task.card)
    if isinstance(model, Prepares):
        pairs = [instance.input for instance in task.instances if isinstance(instance.input, Pair)]
        model.prepare(sorted({text for pair in pairs for text in (pair.left, pair.right)}))
    if isinstance(model, UsesContext):
        model.use_context(task.open_context())


def _select_examples(
    model: Learner, task: PlannedTask, fold: Sequence[Instance]
) -> Sequence[Example]:
    """Return the examples that a learner may see before it answers the instances of a fold."""
    labels = resolve_supervision(model, task.training is not None)
    if labels == "train":
        if task.training is None:
            raise ValueError("the task has no training split")
        return task.training()
    hidden = {instance.id for instance in fold} if labels == "leave-one-out" else set()
    return [Example(i.input, i.label) for i in task.instances if i.id not in hidden]


def _split_folds(
    labels: Supervision, instances: Sequence[Instance]
) -> Sequence[Sequence[Instance]]:
    """Return the instances in folds; a learner is trained once for each fold.

    With ``leave-one-out``, each instance is a fold, but the instances of a named cluster form one
    fold, because the label of another instance of the cluster could reveal the answer.
    """
    if labels != "leave-one-out":
        return [instances]
    folds: dict[tuple[str, str], list[Instance]] = {}
    for instance in instances:
        # Two parts, so that the name of a cluster never equals an id.
        key = (instance.cluster, "") if instance.cluster else ("", instance.id)
        folds.setdefault(key, []).append(instance)
    return list(folds.values())


def _split_batches(
    instances: Sequence[Instance], size: int, pending: Callable[[Instance], bool]
) -> list[list[Instance]]:
    """Return the pending instances in batches.

    The batches are cut before answered instances are removed. A run that continues after a kill
    therefore asks the same batches, and a model whose answers depend on the batch returns the same
    answers.
    """
    batches = [instances[start : start + size] for start in range(0, len(instances), size)]
    pending_batches = [[instance for instance in batch if pending(instance)] for batch in batches]
    return [batch for batch in pending_batches if batch]


def _ask_batch(
    ask_questions: Ask, capability: Capability, size: int, batch: Sequence[Instance]
) -> list[Answer]:
    """Ask a model the instances of a batch, ``size`` per call, and return the checked answers."""
    values = ask_each(ask_questions, [instance.input for instance in batch], size)
    pairs = zip(batch, values, strict=True)
    return [check_answer(capability, instance, value) for instance, value in pairs]


def _run_concurrently(
    answer_batch: Callable[[Sequence[Instance]], list[Answer]],
    batches: Sequence[Sequence[Instance]],
    concurrency: int,
) -> Iterator[list[Answer]]:
    """Yield the answers of the batches as they arrive; in order if ``concurrency`` is 1."""
    if concurrency == 1:
        yield from map(answer_batch, batches)
        return
    waiting = iter(batches)
    pool = ThreadPoolExecutor(concurrency)
    try:
        running = {pool.submit(answer_batch, batch) for batch in islice(waiting, concurrency)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(answer_batch, batch) for batch in islice(waiting, len(done))}
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _format_error(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # str() of a model's own exception class may fail
        text = "(the text of the error cannot be read)"
    return f"{type(error).__name__}: {text}"[:ERROR_LENGTH]


def check_answer(capability: Capability, instance: Instance, value: Any) -> Answer:
    """Return the answer as plain JSON, or with an error if it is invalid."""
    if value is None:
        return Answer(instance.id)
    if isinstance(value, BaseException):
        return Answer(instance.id, error=_format_error(value))
    try:
        return Answer(instance.id, _to_plain_json(capability, instance, value))
    except MODEL_ERRORS as error:
        return Answer(instance.id, error=_format_error(error))


def _to_plain_json(capability: Capability, instance: Instance, value: Any) -> Json:
    """Convert a value to the JSON type of the capability; raise an error if it does not fit."""
    if capability in (Capability.SIMILARITY, Capability.JUDGE):
        return to_finite_number(value)
    if capability is Capability.EMBED:
        return [_to_plain_json(Capability.SIMILARITY, instance, element) for element in value]
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}"[:ERROR_LENGTH])
    if isinstance(instance.input, Question) and value not in instance.input.choices:
        raise ValueError(f"not one of the choices: {value!r}"[:ERROR_LENGTH])
    return str(value)
