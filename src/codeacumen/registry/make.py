"""Making a task by its name, and a model by its reference, ``NAME:WORD,KEY=VALUE``."""

from __future__ import annotations

import hashlib
import inspect
import json
from dataclasses import dataclass
from typing import Any, cast, get_args

from codeacumen.api import (
    CodeacumenError,
    Learner,
    Metric,
    Model,
    Supervision,
    Task,
    View,
    get_batch_size,
    get_concurrency,
    get_fingerprint,
)
from codeacumen.registry.entries import BrokenError, Entry
from codeacumen.registry.lookup import entry, names


def _make(found: Entry, *words: str, **settings: Any) -> Any:
    try:
        return found.factory(*words, **settings)
    except CodeacumenError:
        raise
    except (Exception, SystemExit) as error:
        raise BrokenError(
            f"{found.kind} {found.name!r} of {found.origin} cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error


def make_task(name: str) -> Task:
    made = cast(Task, _make(entry("task", name)))
    # A run finds a task again by the name on its card.
    if made.card.name != name:
        raise CodeacumenError(
            f"the task registered as {name!r} calls itself {made.card.name!r}",
            "give its card the name it is registered under",
        )
    return made


def make_view(name: str) -> View:
    return cast(View, _make(entry("view", name)))


def make_metrics(task: str) -> list[Metric]:
    """Return the registered metrics that are scored beside a task's own."""
    made: list[Metric] = []
    for name in names("metric"):
        known = entry("metric", name)
        if any(task == part or task.startswith(f"{part}/") for part in known.tasks):
            created = cast(Metric, _make(known))
            if created.name != name:
                raise CodeacumenError(
                    f"the metric registered as {name!r} calls itself {created.name!r}",
                    "give it the name it is registered under",
                )
            made.append(created)
    return made


def parse_reference(reference: str) -> tuple[str, list[str], dict[str, Any]]:
    """``NAME:WORD,WORD,KEY=VALUE`` as name, words and settings.

    >>> parse_reference("ensemble:levenshtein,ft-cbow,features=false")
    ('ensemble', ['levenshtein', 'ft-cbow'], {'features': False})
    """
    name, _, rest = reference.partition(":")
    words: list[str] = []
    settings: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        # A word may be a reference with a setting of its own: ensemble:levenshtein:decimals=2
        if not equals or ":" in key:
            words.append(part)
            continue
        try:
            settings[key] = json.loads(value, parse_constant=_not_json)
        except ValueError:
            settings[key] = value
    return name, words, settings


def _not_json(constant: str) -> None:
    # NaN and Infinity: Python reads them, no other reader of a results file does.
    raise ValueError(constant)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model with what identifies it: the cache key is made of these."""

    reference: str
    entry: Entry
    settings: dict[str, Any]
    model: Model


def make_model(reference: str) -> LoadedModel:
    """The model a reference names, with its settings, defaults filled in."""
    name, words, settings = parse_reference(reference)
    found = entry("model", name)
    try:
        bound = inspect.signature(found.factory).bind(*words, **settings)
    except (TypeError, ValueError) as error:
        raise CodeacumenError(
            f"model {reference!r}: {error}", f"`codeacumen models show {name}` lists its settings"
        ) from error
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    made = LoadedModel(reference, found, arguments, _make(found, *words, **settings))
    _check(made)
    return made


def _check(made: LoadedModel) -> None:
    """What a run takes on trust: better an error now than wrong answers later."""
    for key, value in made.settings.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BrokenError(
                f"model {made.reference!r}: its setting {key}={value!r} cannot be written down "
                f"({error})",
                "settings, and their defaults, are text, numbers, true, false, null or lists",
            ) from error
    counts = {
        "batch_size": get_batch_size(made.model),
        "concurrency": get_concurrency(made.model),
    }
    for hook, count in counts.items():
        if not isinstance(count, int) or count < 1:
            raise BrokenError(
                f"model {made.reference!r}: its {hook} is {count!r}", "it must be 1 or more"
            )
    if isinstance(made.model, Learner) and made.model.supervision not in get_args(Supervision):
        raise BrokenError(
            f"model {made.reference!r}: its supervision is {made.model.supervision!r}",
            f"which labels it is shown is one of {', '.join(get_args(Supervision))}",
        )


def fingerprint(made: LoadedModel) -> str:
    """What tells two models of one name and equal settings apart: their code and, where the
    model has it, its own ``fingerprint`` (a weights file's hash, say)."""
    own = get_fingerprint(made.model)
    parts = (made.entry.origin, made.entry.get_code_hash(), own)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
