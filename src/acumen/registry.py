"""What models and tasks there are.

What we ship registers itself with the decorators below when its module is imported. Other
packages name theirs as entry points, in the groups ``acumen.models`` and ``acumen.tasks``;
those are listed by name and imported only when used. A single Python file is a plug-in too
(``--plugin FILE``).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from acumen.api import AcumenError, Model, Task

MODEL_GROUP = "acumen.models"
TASK_GROUP = "acumen.tasks"
PLUGIN_PREFIX = "acumen_plugin_"
BUILT_IN_MODULES = {
    "model": (
        "acumen.models.strings",
        "acumen.models.idbench",
        "acumen.models.ensemble",
        "acumen.models.fakes",
    ),
    "task": ("acumen.tasks.identifiers", "acumen.tasks.abbreviations"),
}

Kind = Literal["model", "task"]
Factory = Callable[..., Any]
F = TypeVar("F", bound=Factory)


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered model or task: how to make it and what to tell about it."""

    kind: Kind
    name: str
    factory: Factory
    summary: str = ""
    honest_row: bool = False
    origin: str = "acumen"


_entries: dict[Kind, dict[str, Entry]] = {"model": {}, "task": {}}


def _add(entry: Entry) -> None:
    known = _entries[entry.kind].get(entry.name)
    if known is not None and source_file(known.factory) != source_file(entry.factory):
        raise AcumenError(
            f"two {entry.kind}s are called {entry.name!r}: one from {known.origin}, "
            f"one from {entry.origin}",
            "rename one of them",
        )
    _entries[entry.kind][entry.name] = entry


def model(name: str, *, summary: str = "", honest_row: bool = False) -> Callable[[F], F]:
    """Register a factory of models; its keyword arguments are the model's settings.

    ``honest_row`` marks a bound or baseline that every table shows.
    """

    def register(factory: F) -> F:
        text = summary or _first_line(factory)
        _add(Entry("model", name, factory, text, honest_row, _origin(factory)))
        return factory

    return register


def task(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a task, called without arguments."""

    def register(factory: F) -> F:
        text = summary or _first_line(factory)
        _add(Entry("task", name, factory, text, origin=_origin(factory)))
        return factory

    return register


def _first_line(factory: Factory) -> str:
    return (factory.__doc__ or "").strip().split("\n")[0]


def _origin(factory: Factory) -> str:
    if factory.__module__.startswith(PLUGIN_PREFIX):
        return Path(source_file(factory)).name
    return factory.__module__.split(".")[0]


def source_file(factory: Factory) -> str:
    try:
        return inspect.getsourcefile(inspect.unwrap(factory)) or ""
    except TypeError:
        return ""


def code_hash(entry: Entry) -> str:
    """SHA-256 of the source file that defines a factory: an edited model is another model."""
    path = source_file(entry.factory)
    if not path or not Path(path).is_file():
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


# --------------------------------------------------------------------------------------
# Looking up.
# --------------------------------------------------------------------------------------


def load_plugin(path: Path) -> None:
    """Import a Python file for the models and tasks it registers."""
    path = path.resolve()
    name = f"{PLUGIN_PREFIX}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise AcumenError(f"{path}: not a Python file", "--plugin takes the path of a .py file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise AcumenError(f"{path}: {type(error).__name__}: {error}") from error


def _load_built_ins(kind: Kind) -> None:
    for module in BUILT_IN_MODULES[kind]:
        importlib.import_module(module)


def _foreign(kind: Kind) -> dict[str, EntryPoint]:
    group = MODEL_GROUP if kind == "model" else TASK_GROUP
    return {point.name: point for point in entry_points(group=group)}


def names(kind: Kind) -> list[str]:
    """All names, ours first, without importing what other packages register."""
    _load_built_ins(kind)
    return list(dict.fromkeys([*_entries[kind], *sorted(_foreign(kind))]))


def entry(kind: Kind, name: str) -> Entry:
    _load_built_ins(kind)
    found = _entries[kind].get(name)
    if found is not None:
        return found
    point = _foreign(kind).get(name)
    if point is None:
        raise _unknown(kind, name)
    origin = point.dist.name if point.dist else point.module
    try:
        factory = point.load()
    except Exception as error:
        raise AcumenError(
            f"{kind} {name!r} of the package {origin} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error
    # The factory may carry our decorator as well; then its entry has the summary.
    registered = _entries[kind].get(name)
    if registered is None:
        registered = Entry(kind, name, factory, _first_line(factory))
    found = replace(registered, origin=_release(point))
    _entries[kind][name] = found
    return found


def _release(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module


def listing(kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Name, summary and origin of everything there is, importing nothing foreign."""
    foreign = _foreign(kind)
    for name in names(kind):
        known = _entries[kind].get(name)
        if known is not None:
            yield name, known.summary, known.origin
        else:
            yield name, "", _release(foreign[name])


def _unknown(kind: Kind, name: str) -> AcumenError:
    from rapidfuzz import process

    known = names(kind)
    groups = {one.rsplit("/", depth)[0] for one in known for depth in range(3)}
    found = process.extract(name, sorted(groups), limit=3, score_cutoff=60)
    near = [match for match, _, _ in found]
    hint = f"did you mean {', '.join(near)}? " if near else ""
    return AcumenError(
        f"there is no {kind} called {name!r}", f"{hint}`acumen {kind}s list` shows all"
    )


# --------------------------------------------------------------------------------------
# Making.
# --------------------------------------------------------------------------------------


def select_tasks(patterns: Iterable[str]) -> list[str]:
    """Names of the tasks that are meant: a name, or the beginning of several
    (``idbench``, ``idbench/similarity``)."""
    known = names("task")
    chosen: dict[str, None] = {}
    for pattern in patterns:
        prefix = pattern.rstrip("/") + "/"
        matching = [name for name in known if name == pattern or name.startswith(prefix)]
        if not matching:
            raise _unknown("task", pattern)
        chosen.update(dict.fromkeys(matching))
    return list(chosen)


def make_task(name: str) -> Task:
    return cast(Task, entry("task", name).factory())


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
        if not equals:
            words.append(part)
            continue
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
    return name, words, settings


@dataclass(frozen=True, slots=True)
class Made:
    """A model with what identifies it: the cache key is made of these."""

    reference: str
    entry: Entry
    settings: dict[str, Any]
    model: Model


def make_model(reference: str) -> Made:
    """The model a reference names, with its settings, defaults filled in."""
    name, words, settings = parse_reference(reference)
    found = entry("model", name)
    try:
        bound = inspect.signature(found.factory).bind(*words, **settings)
    except TypeError as error:
        raise AcumenError(
            f"model {reference!r}: {error}", f"`acumen models show {name}` lists its settings"
        ) from error
    bound.apply_defaults()
    return Made(reference, found, dict(bound.arguments), found.factory(*words, **settings))


def fingerprint(made: Made) -> str:
    """What tells two models of one name and equal settings apart: their code and, where the
    model has it, its own ``fingerprint`` (a weights file's hash, say)."""
    own = str(getattr(made.model, "fingerprint", ""))
    parts = (made.entry.origin, code_hash(made.entry), own)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
