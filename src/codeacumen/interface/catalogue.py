"""Models and tasks by name or as objects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

from codeacumen.api import CodeacumenError, Model, Task, get_fingerprint
from codeacumen.registry import (
    Entry,
    LoadedModel,
    code_hash,
    make_model,
    make_task,
    names,
    select_tasks,
)

# A name, an object, or several of either.
Models: TypeAlias = "str | Model | LoadedModel | Sequence[str | Model | LoadedModel]"
Tasks: TypeAlias = "str | Task | Sequence[str | Task]"


def list_models() -> list[str]:
    """Return the names of all models, built-in ones first."""
    return names("model")


def list_tasks() -> list[str]:
    """Return the names of all tasks, built-in ones first.

    Tasks of a built data set are among them once it was named as ``NAME@DIR``.
    """
    return names("task")


def load_task(name: str) -> Task:
    """Return the task of a name; of a built data set as ``gluecode/npath@DIR``."""
    return load_tasks(name)[0]


def load_tasks(tasks: Tasks) -> list[Task]:
    """Return the tasks of names, of beginnings of names, of ``NAME@DIR``, and of objects."""
    from codeacumen.datasets.built import load_data

    loaded: list[Task] = []
    several: Sequence[Any] = tasks if isinstance(tasks, list | tuple) else [tasks]
    for task in several:
        if not isinstance(task, str):
            loaded.append(task)
            continue
        pattern, _, folder = task.partition("@")
        if folder:
            load_data(Path(folder))
        loaded += [make_task(name) for name in select_tasks([pattern])]
    by_name: dict[str, Task] = {}
    for task in loaded:
        by_name.setdefault(task.card.name, task)
    return list(by_name.values())


def load_model(model: str | Model | LoadedModel, name: str = "") -> LoadedModel:
    """Return a model with what identifies it.

    ``model`` is a reference such as ``levenshtein:decimals=2``, or an object with a capability,
    called ``name`` or after its class. Answers of an object are found again only if it has a
    ``fingerprint``: nothing else says whether two objects of a class answer alike.
    """
    if isinstance(model, LoadedModel):
        return model
    if isinstance(model, str):
        return make_model(model)
    from codeacumen.models.adapters import list_capabilities

    if not list_capabilities(model):
        raise CodeacumenError(
            f"{type(model).__name__} has no capability",
            "a model has at least one of the methods similarity, embed, classify, generate, name "
            "and judge",
        )
    fingerprint = get_fingerprint(model)
    code = f"{code_hash(type(model))} {'' if fingerprint else uuid4().hex}"
    summary = (type(model).__doc__ or "").strip().split("\n")[0]
    reference = name or type(model).__name__
    entry = Entry("model", reference, type(model), summary, origin="object", code_sha256=code)
    return LoadedModel(reference, entry, {}, model)


def load_models(models: Models) -> list[LoadedModel]:
    """Return the models of names and objects; two of one name are an error."""
    several: Sequence[Any] = models if isinstance(models, list | tuple) else [models]
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
