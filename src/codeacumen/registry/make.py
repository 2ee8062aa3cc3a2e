"""Create tasks, views and metrics by name, and models by reference (``NAME:WORD,KEY=VALUE``).

Words are the positional arguments of a model's factory, KEY=VALUE its keyword arguments, which are
also called the settings of the model.
"""

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
from codeacumen.registry.lookup import find_entry, list_names


def _call_factory(entry: Entry, *words: str, **settings: Any) -> Any:
    """Return what the factory of an entry creates; turn unexpected errors into ``BrokenError``."""
    try:
        return entry.factory(*words, **settings)
    except CodeacumenError:
        raise
    except (Exception, SystemExit) as error:
        raise BrokenError(
            f"cannot create {entry.kind} {entry.name!r} of {entry.origin}: "
            f"{type(error).__name__}: {error}",
            f"correct the function that is registered as {entry.name!r}",
        ) from error


def make_task(name: str) -> Task:
    """Return a new instance of the task registered under a name."""
    task = cast(Task, _call_factory(find_entry("task", name)))
    # Stored runs refer to a task by the name on its card (``TaskCard``).
    if task.card.name != name:
        raise CodeacumenError(
            f"the task registered as {name!r} has a card with the name {task.card.name!r}",
            "use the registered name on the card",
        )
    return task


def make_view(name: str) -> View:
    """Return a new instance of the view registered under a name."""
    return cast(View, _call_factory(find_entry("view", name)))


def make_metrics(task: str) -> list[Metric]:
    """Return the registered metrics that apply to a task in addition to its own metric.

    Broken metrics are left out, because they must not prevent other scores; ``list_broken_metrics``
    returns their errors.
    """
    metrics, _ = _make_all_metrics()
    return [
        metric
        for tasks, metric in metrics
        if any(task == part or task.startswith(f"{part}/") for part in tasks)
    ]


def list_broken_metrics() -> list[str]:
    """Return the error of each registered metric that cannot be used."""
    return _make_all_metrics()[1]


def _make_all_metrics() -> tuple[list[tuple[tuple[str, ...], Metric]], list[str]]:
    """Return the registered metrics with their tasks, and the errors of broken ones."""
    metrics: list[tuple[tuple[str, ...], Metric]] = []
    errors: list[str] = []
    for name in list_names("metric"):
        try:
            metric_entry = find_entry("metric", name)
            metric = cast(Metric, _call_factory(metric_entry))
            own_name = getattr(metric, "name", None)
            if own_name != name:
                raise BrokenError(
                    f"the metric registered as {name!r} has the name {own_name!r}",
                    "use the registered name in the metric",
                )
        except CodeacumenError as error:
            errors.append(str(error))
        else:
            metrics.append((metric_entry.tasks, metric))
    return metrics, errors


def parse_reference(reference: str) -> tuple[str, list[str], dict[str, Any]]:
    """Split ``NAME:WORD,WORD,KEY=VALUE`` into name, words and settings.

    A value is read as JSON; if it is not JSON, it is a text.

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
    """Reject a constant that is not JSON, so that the value stays a text."""
    # NaN and Infinity: Python reads them, but other readers of a results file do not.
    raise ValueError(constant)


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model with the reference that names it, its entry, and its settings with defaults."""

    reference: str
    entry: Entry
    settings: dict[str, Any]
    model: Model
    # False: nothing identifies the model, so its answers are not stored for other runs.
    is_reusable: bool = True


def make_model(reference: str) -> LoadedModel:
    """Create the model that a reference names; raise an error if its settings are invalid."""
    name, words, settings = parse_reference(reference)
    model_entry = find_entry("model", name)
    try:
        bound = inspect.signature(model_entry.factory).bind(*words, **settings)
    except (TypeError, ValueError) as error:
        raise CodeacumenError(
            f"model {reference!r}: {error}", f"`codeacumen models show {name}` lists its settings"
        ) from error
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    loaded = LoadedModel(
        reference,
        model_entry,
        arguments,
        _call_factory(model_entry, *words, **settings),
        model_entry.is_identified,
    )
    check_model(loaded)
    return loaded


def check_model(loaded: LoadedModel) -> None:
    """Raise an error if a setting or an attribute that a run relies on is invalid.

    Otherwise the run would fail later.
    """
    for key, value in loaded.settings.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BrokenError(
                f"model {loaded.reference!r}: cannot write its setting {key}={value!r} as JSON "
                f"({error})",
                "settings and their defaults must be text, numbers, true, false, null or lists",
            ) from error
    counts = {
        "batch_size": get_batch_size(loaded.model),
        "concurrency": get_concurrency(loaded.model),
    }
    for hook, count in counts.items():
        if not isinstance(count, int) or count < 1:
            raise BrokenError(
                f"model {loaded.reference!r}: its {hook} is {count!r}", "it must be 1 or more"
            )
    supervision = getattr(loaded.model, "supervision", "")
    if supervision in get_args(Supervision) and not isinstance(loaded.model, Learner):
        raise BrokenError(
            f"model {loaded.reference!r}: its supervision is {supervision!r}, but it has no method "
            "fit",
            "a model that learns has fit(examples): see Learner in codeacumen.api",
        )
    if isinstance(loaded.model, Learner) and loaded.model.supervision not in get_args(Supervision):
        raise BrokenError(
            f"model {loaded.reference!r}: its supervision is {loaded.model.supervision!r}",
            f"it must be one of {', '.join(get_args(Supervision))}",
        )


def compute_fingerprint(loaded: LoadedModel) -> str:
    """Return a hash that distinguishes models of equal name and settings.

    It covers their code and, if the model has one, its own ``fingerprint`` (for example the hash of
    a file of weights).
    """
    own = get_fingerprint(loaded.model)
    parts = (loaded.entry.origin, loaded.entry.get_code_hash(), own)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
