"""Putting a task's instances to a model, batch by batch, and keeping what it says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from codeacumen.api import (
    Answer,
    Example,
    Face,
    Instance,
    Json,
    Learner,
    Pair,
    Question,
    Sight,
    Supervision,
    TaskCard,
)
from codeacumen.metrics import target
from codeacumen.models.adapters import MISHAPS, Ask, ask_each, ask_through
from codeacumen.registry import Made

ERROR_LENGTH = 500


def ask(
    made: Made,
    face: Face,
    instances: Sequence[Instance],
    pending: Callable[[Instance], bool],
    *,
    training: Callable[[], Sequence[Example]] | None = None,
    sight: Callable[[], Sight | None] = lambda: None,
    card: TaskCard | None = None,
) -> Iterator[list[Answer]]:
    """Answers to the pending instances, a batch at a time, in order. ``training`` gives the
    task's training split and ``sight`` what there is to see, to a model that wants it."""
    model = made.model
    size = getattr(model, "batch_size", 1)
    call = ask_through(model, face)
    learner = model if isinstance(model, Learner) else None
    folds = _folds(shown(learner, training is not None), instances) if learner else [instances]
    looked = False
    for fold in folds:
        todo = [instance for instance in fold if pending(instance)]
        if not todo:
            continue
        try:
            if not looked:
                _meet(model, card)
                _read(model, instances)
                _look(model, sight)
                looked = True
            if learner:
                learner.fit(_examples(learner, instances, fold, training))
        except MISHAPS as error:
            yield [Answer(instance.id, error=_told(error)) for instance in todo]
            continue
        yield from _in_batches(call, face, fold, size, pending)


def shown(model: Learner, has_training: bool) -> Supervision:
    """Which labels a learner is shown, of a task with a training split or without."""
    if model.supervision == "train-or-all":
        return "train" if has_training else "all"
    return model.supervision


def _read(model: Any, instances: Sequence[Instance]) -> None:
    read = getattr(model, "read", None)
    if read is not None:
        pairs = [one.input for one in instances if isinstance(one.input, Pair)]
        read(sorted({text for pair in pairs for text in (pair.left, pair.right)}))


def _meet(model: Any, card: TaskCard | None) -> None:
    meet = getattr(model, "meet", None)
    if meet is not None and card is not None:
        meet(card)


def _look(model: Any, sight: Callable[[], Sight | None]) -> None:
    look = getattr(model, "look", None)
    if look is not None:
        look(sight())


def _examples(
    model: Learner,
    instances: Sequence[Instance],
    fold: Sequence[Instance],
    training: Callable[[], Sequence[Example]] | None,
) -> Sequence[Example]:
    labels = shown(model, training is not None)
    if labels == "train":
        if training is None:
            raise ValueError("the task has no training split")
        return training()
    hidden = {instance.id for instance in fold} if labels == "others" else set()
    return [Example(i.input, target(i.truth)) for i in instances if i.id not in hidden]


def _folds(labels: Supervision, instances: Sequence[Instance]) -> Sequence[Sequence[Instance]]:
    """Which instances are asked after one training. Leave-one-out: each by itself, except
    that a cluster is left out together, since a sibling's label would give the answer away."""
    if labels != "others":
        return [instances]
    folds: dict[tuple[str, str], list[Instance]] = {}
    for instance in instances:
        key = (instance.cluster, "") if instance.cluster else ("", instance.id)
        folds.setdefault(key, []).append(instance)
    return list(folds.values())


def _in_batches(
    call: Ask,
    face: Face,
    instances: Sequence[Instance],
    size: int,
    pending: Callable[[Instance], bool],
) -> Iterator[list[Answer]]:
    """Batches are cut before what is answered already is left out: a run that goes on after a
    kill asks the same batches, and a model whose answers hang on its batch gives the same."""
    for start in range(0, len(instances), size):
        todo = [instance for instance in instances[start : start + size] if pending(instance)]
        if todo:
            raw = ask_each(call, [instance.input for instance in todo], size)
            yield [checked(face, one, value) for one, value in zip(todo, raw, strict=True)]


def _told(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a model's own exception may be as broken as the model
        text = "(its text cannot be read)"
    return f"{type(error).__name__}: {text}"[:ERROR_LENGTH]


def checked(face: Face, instance: Instance, value: Any) -> Answer:
    """The answer as plain JSON, or an error that says what was wrong with it."""
    if value is None:
        return Answer(instance.id)
    if isinstance(value, BaseException):
        return Answer(instance.id, error=_told(value))
    try:
        return Answer(instance.id, _plain(face, instance, value))
    except MISHAPS as error:
        return Answer(instance.id, error=_told(error))


def _plain(face: Face, instance: Instance, value: Any) -> Json:
    if face in (Face.SIMILARITY, Face.JUDGE):
        # float() would read text and take True for 1; numpy's numbers know __float__.
        if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
            raise TypeError(f"expected a number, found {value!r}"[:ERROR_LENGTH])
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"expected a finite number, found {number}")
        return number
    if face is Face.EMBED:
        return [_plain(Face.SIMILARITY, instance, element) for element in value]
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r}"[:ERROR_LENGTH])
    if isinstance(instance.input, Question) and value not in instance.input.choices:
        raise ValueError(f"not one of the choices: {value!r}"[:ERROR_LENGTH])
    return str(value)
