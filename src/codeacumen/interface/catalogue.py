"""List, load and describe models and tasks, given by name or as objects."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import Any, TypeAlias
from uuid import uuid4

from codeacumen.api import (
    CodeacumenError,
    HasTraining,
    Json,
    Model,
    Task,
    TaskCard,
    get_fingerprint,
)
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


def load_task(name: str | Task) -> Task:
    """Return the task of a name; of a built data set as ``gluecode/npath@DIR``.

    A task object is returned unchanged.
    """
    if not isinstance(name, str):
        _check_task(name)
        return name
    loaded = load_tasks(name)
    if len(loaded) > 1:
        names_of_tasks = ", ".join(task.card.name for task in loaded)
        raise CodeacumenError(
            f"{name!r} is a group of {len(loaded)} tasks", f"name one of {names_of_tasks}"
        )
    return loaded[0]


def load_tasks(tasks: Tasks) -> list[Task]:
    """Return the tasks that names, groups of names, ``NAME@DIR`` and task objects stand for.

    A group is the first part or parts of several names: ``gluecode`` stands for ``gluecode/npath``
    and others. For ``NAME@DIR``, the built data set in the folder ``DIR`` is loaded first.
    A task that is named twice occurs once; two different tasks with one name are an error.
    """
    from codeacumen.datasets.built import load_named_data

    by_name: dict[str, Task] = {}
    loaded_by_name: dict[str, Task] = {}

    def add_task(task: Task) -> None:
        if by_name.setdefault(task.card.name, task) is not task:
            raise CodeacumenError(
                f"two tasks are called {task.card.name!r}", "give each card its own name"
            )

    tasks_and_references = to_list(tasks)
    references = [task for task in tasks_and_references if isinstance(task, str)]
    patterns = iter(load_named_data(references))
    for task in tasks_and_references:
        if not isinstance(task, str):
            _check_task(task)
            add_task(task)
            continue
        for name in select_tasks([next(patterns)]):
            if name not in loaded_by_name:
                loaded_by_name[name] = make_task(name)
            add_task(loaded_by_name[name])
    if not by_name:
        raise CodeacumenError("no task is named", "`codeacumen tasks list` shows all")
    return list(by_name.values())


def to_list(values: Any) -> list[Any]:
    """Return the values of a list, tuple or generator, or a list with the one value.

    A model or task counts as one value even if it is iterable.
    """
    from codeacumen.models.adapters import list_capabilities

    is_one = isinstance(values, str) or hasattr(values, "card") or list_capabilities(values)
    return list(values) if isinstance(values, Iterable) and not is_one else [values]


def _check_task(task: Any) -> None:
    """Raise an error unless an object is a task with a usable name."""
    if isinstance(task, type) or not isinstance(getattr(task, "card", None), TaskCard):
        raise CodeacumenError(
            f"{task!r} is not a task",
            "a task is a name or an object with card, metric and instances()",
        )
    check_task_name(task.card.name)
    if not hasattr(task, "metric") or not task.card.evaluation_sets:
        raise CodeacumenError(
            f"the task {task.card.name} has no metric or no evaluation set",
            "a task is an object with card, metric and instances(): codeacumen.api.Task",
        )


def load_model(model: str | Model | LoadedModel, name: str = "") -> LoadedModel:
    """Return a model with the reference, settings and code hash that identify its answers.

    ``model`` is a reference such as ``levenshtein:decimals=2``, or an object with a capability,
    called ``name`` or after its class. Stored answers of an object are reused only if it has a
    ``fingerprint``, its class is in a file, and its attributes are plain JSON, paths or arrays of
    numbers, which are part of the key: otherwise nothing identifies the object.
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
    state_hash = _hash_state(model) if class_hash and get_fingerprint(model) else ""
    code = f"{class_hash} {state_hash or uuid4().hex}"
    summary = (type(model).__doc__ or "").strip().split("\n")[0]
    reference = name or type(model).__name__
    entry = Entry("model", reference, type(model), summary, origin="object", code_sha256=code)
    loaded = LoadedModel(reference, entry, {}, model, bool(state_hash))
    check_model(loaded)
    return loaded


def _hash_state(model: object) -> str:
    """Return a hash of the object's attributes; empty if one of them cannot be hashed.

    Attributes are hashed if they are plain JSON, paths, or arrays of numbers.
    """
    state = dict(getattr(model, "__dict__", {}))
    for class_ in type(model).__mro__:
        slots = class_.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if hasattr(model, name) and name not in ("__dict__", "__weakref__"):
                state[name] = getattr(model, name)
    digest = hashlib.sha256()
    for name, value in sorted(state.items()):
        try:
            content = _to_hashed_bytes(value)
        except (TypeError, ValueError, RecursionError):
            return ""
        digest.update(f"{name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _to_hashed_bytes(value: Any) -> bytes:
    """Return the bytes that stand for an attribute; raise an error if there are none."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") in ("b", "i", "u", "f"):
        return f"{dtype} {value.shape} ".encode() + bytes(value.tobytes())
    if isinstance(value, PurePath):
        return str(value).encode(errors="surrogateescape")
    return json.dumps(value, sort_keys=True).encode()


def load_models(models: Models) -> list[LoadedModel]:
    """Return the models of names and objects.

    A name that is repeated counts once; two objects with the same name are an error.
    """
    several = to_list(models)
    if not several:
        raise CodeacumenError("no model is named", "`codeacumen models list` shows all")
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


def describe_model(model: str | Model | LoadedModel) -> dict[str, Json]:
    """Return the card of a model, its ``parameters``, and the ``tasks`` that it can answer."""
    from codeacumen.runs.plan import create_model_card, explain_misfit, list_available_tasks

    loaded = load_model(model)
    available = list_available_tasks()
    tasks = [make_task(name) for name in (*available.names, *available.absent)]
    return {
        **asdict(create_model_card(loaded)),
        "parameters": str(inspect.signature(loaded.entry.factory)).split(" -> ")[0],
        "tasks": [
            task.card.name
            for task in tasks
            if not explain_misfit(loaded, task.card, has_training=isinstance(task, HasTraining))
        ],
    }


def describe_task(task: str | Task) -> dict[str, Json]:
    """Return the card of a task, the title of its metric, and its first three instances.

    These are ``examples``; ``instances`` is the number of all, None if the data is not here.
    """
    from codeacumen.datasets import CATALOGUE, missing_files
    from codeacumen.runs.plan import question_to_json

    loaded = load_task(task)
    published = CATALOGUE.get(loaded.card.dataset)
    is_here = published is None or not missing_files(published)
    instances = loaded.instances() if is_here else []
    return {
        **asdict(loaded.card),
        "metric_title": loaded.metric.title,
        "instances": len(instances) if is_here else None,
        "examples": [
            {"id": i.id, "input": question_to_json(i.input), "truth": i.truth}
            for i in instances[:3]
        ],
    }
