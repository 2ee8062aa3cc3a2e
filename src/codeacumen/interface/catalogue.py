"""Models and tasks by name or as objects."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias
from uuid import uuid4

from codeacumen.api import CodeacumenError, Model, Task, TaskCard, get_fingerprint
from codeacumen.registry import (
    Entry,
    LoadedModel,
    check_model,
    check_task_name,
    hash_code,
    list_names,
    make_model,
    make_task,
    select_tasks,
)

# A name, an object, or several of either.
Models: TypeAlias = "str | Model | LoadedModel | Sequence[str | Model | LoadedModel]"
Tasks: TypeAlias = "str | Task | Sequence[str | Task]"


def list_models() -> list[str]:
    """Return the names of all models, built-in ones first."""
    return list_names("model")


def list_tasks() -> list[str]:
    """Return the names of all tasks, built-in ones first.

    Tasks of a built data set are among them once it was named as ``NAME@DIR``.
    """
    return list_names("task")


def load_task(name: str) -> Task:
    """Return the task of a name; of a built data set as ``gluecode/npath@DIR``."""
    loaded = load_tasks(name)
    if len(loaded) > 1:
        names_of_tasks = ", ".join(task.card.name for task in loaded)
        raise CodeacumenError(
            f"{name!r} is a group of {len(loaded)} tasks", f"name one of {names_of_tasks}"
        )
    return loaded[0]


def load_tasks(tasks: Tasks) -> list[Task]:
    """Return the tasks of names, of beginnings of names, of ``NAME@DIR``, and of objects."""
    from codeacumen.datasets.built import load_named_data

    by_name: dict[str, Task] = {}
    tasks_and_references = _to_list(tasks)
    references = [task for task in tasks_and_references if isinstance(task, str)]
    patterns = iter(load_named_data(references))
    for task in tasks_and_references:
        if not isinstance(task, str):
            _check_task(task)
            if by_name.setdefault(task.card.name, task) is not task:
                raise CodeacumenError(
                    f"two tasks are called {task.card.name!r}", "give each card its own name"
                )
            continue
        for name in select_tasks([next(patterns)]):
            if name not in by_name:
                by_name[name] = make_task(name)
    return list(by_name.values())


def _to_list(values: Any) -> list[Any]:
    """Return the values of a list, tuple or generator, or a list with the one value."""
    is_several = isinstance(values, Iterable) and not isinstance(values, str)
    return list(values) if is_several else [values]


def _check_task(task: Any) -> None:
    """Raise an error unless an object is a task with a usable name."""
    if isinstance(task, type) or not isinstance(getattr(task, "card", None), TaskCard):
        raise CodeacumenError(
            f"{task!r} is not a task", "a task is a name or an object with card and instances()"
        )
    check_task_name(task.card.name)


def load_model(model: str | Model | LoadedModel, name: str = "") -> LoadedModel:
    """Return a model with what identifies it.

    ``model`` is a reference such as ``levenshtein:decimals=2``, or an object with a capability,
    called ``name`` or after its class. Stored answers of an object are reused only if it has a
    ``fingerprint`` and its class is in a file: without these nothing identifies the object.
    Attributes that are plain JSON are part of the key, too.
    """
    if isinstance(model, LoadedModel):
        return replace(model, reference=name) if name else model
    if isinstance(model, str):
        loaded = make_model(model)
        return replace(loaded, reference=name) if name else loaded
    from codeacumen.models.adapters import list_capabilities

    if isinstance(model, type):
        raise CodeacumenError(
            f"{model.__name__} is a class, not a model", f"pass an instance: {model.__name__}(...)"
        )
    if not list_capabilities(model):
        raise CodeacumenError(
            f"{type(model).__name__} has no capability",
            "a model has at least one of the methods similarity, embed, classify, generate, name "
            "and judge",
        )
    class_hash = hash_code(type(model))
    is_reusable = bool(class_hash and get_fingerprint(model))
    code = f"{class_hash} {_hash_state(model) if is_reusable else uuid4().hex}"
    summary = (type(model).__doc__ or "").strip().split("\n")[0]
    reference = name or type(model).__name__
    entry = Entry("model", reference, type(model), summary, origin="object", code_sha256=code)
    loaded = LoadedModel(reference, entry, {}, model, is_reusable)
    check_model(loaded)
    return loaded


def _hash_state(model: object) -> str:
    """Return a hash of the object's attributes that are plain JSON."""
    state = {}
    for key, value in getattr(model, "__dict__", {}).items():
        try:
            state[key] = json.dumps(value, sort_keys=True)
        except (TypeError, ValueError, RecursionError):
            continue  # such as arrays: the fingerprint covers these
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def load_models(models: Models) -> list[LoadedModel]:
    """Return the models of names and objects; two of one name are an error."""
    several = _to_list(models)
    distinct = [
        model
        for position, model in enumerate(several)
        if not isinstance(model, str) or model not in several[:position]
    ]
    loaded = [load_model(model) for model in distinct]
    references = [model.reference for model in loaded]
    repeated = {reference for reference in references if references.count(reference) > 1}
    if repeated:
        raise CodeacumenError(
            f"several models are called {', '.join(sorted(repeated))}",
            "give each a name: codeacumen.load_model(model, name=...)",
        )
    return loaded
