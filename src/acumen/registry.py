"""What models and tasks there are.

What we ship registers itself with the decorators below when its module is imported. Other
packages name theirs as entry points, in the groups ``acumen.models`` and ``acumen.tasks``;
those are listed by name and imported only when used. A single Python file is a plug-in too
(``--plugin FILE``).
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar, cast

from acumen.api import AcumenError, Learner, Model, Task

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
    """A registered model or task: how to make it and what to tell about it.

    ``code_sha256`` is of the source file that defines it, as it was when it was loaded: an
    edited model is another model, and one edited while it runs is still the old one.
    """

    kind: Kind
    name: str
    factory: Factory
    summary: str = ""
    honest_row: bool = False
    origin: str = "acumen"
    code_sha256: str = ""


_entries: dict[Kind, dict[str, Entry]] = {"model": {}, "task": {}}


def _add(entry: Entry) -> None:
    known = _entries[entry.kind].get(entry.name)
    if known is not None and _definition(known.factory) != _definition(entry.factory):
        raise _two(entry.kind, entry.name, known.origin, entry.origin)
    _entries[entry.kind][entry.name] = entry


def _two(kind: Kind, name: str, *origins: str) -> AcumenError:
    told = ", ".join(f"one from {origin}" for origin in origins)
    return AcumenError(f"two {kind}s are called {name!r}: {told}", "rename or remove one of them")


def model(name: str, *, summary: str = "", honest_row: bool = False) -> Callable[[F], F]:
    """Register a factory of models; its keyword arguments are the model's settings.

    ``honest_row`` marks a bound or baseline that every table shows.
    """

    def register(factory: F) -> F:
        text = summary or _first_line(factory)
        origin = _origin(factory)
        _add(Entry("model", name, factory, text, honest_row, origin, code_hash(factory)))
        return factory

    return register


def task(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a task, called without arguments."""

    def register(factory: F) -> F:
        text = summary or _first_line(factory)
        code = code_hash(factory)
        _add(Entry("task", name, factory, text, origin=_origin(factory), code_sha256=code))
        return factory

    return register


def _first_line(factory: Factory) -> str:
    return (_defined(factory).__doc__ or "").strip().split("\n")[0]


def _origin(factory: Factory) -> str:
    package = _package(factory)
    return Path(source_file(factory)).name if package.startswith(PLUGIN_PREFIX) else package


def _package(factory: Factory) -> str:
    return str(_defined(factory).__module__).split(".")[0]


def _defined(factory: Factory) -> Any:
    """The function or class behind a factory that is a partial or an object with __call__."""
    factory = inspect.unwrap(factory)
    while isinstance(factory, partial):
        factory = inspect.unwrap(factory.func)
    return factory if hasattr(factory, "__qualname__") else type(factory)


def _definition(factory: Factory) -> tuple[str, str]:
    """Where a factory is defined: a file that is imported twice defines nothing new."""
    return source_file(factory), _defined(factory).__qualname__


def source_file(factory: Factory) -> str:
    try:
        return inspect.getsourcefile(_defined(factory)) or ""
    except TypeError:
        return ""


def code_hash(factory: Factory) -> str:
    path = source_file(factory)
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
    if not path.is_file() or path.suffix != ".py":
        raise AcumenError(f"{path}: not a Python file", "--plugin takes the path of a .py file")
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        # Not through the import system: its cache of compiled files takes an edit within the
        # same second for no edit, and the old code's answers would be kept as the new code's.
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    except AcumenError as error:
        del sys.modules[name]
        raise AcumenError(f"{path}: {error}", error.hint) from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise AcumenError(f"{path}: {type(error).__name__}: {error}") from error


def _load_built_ins(kind: Kind) -> None:
    for module in BUILT_IN_MODULES[kind]:
        importlib.import_module(module)


def _foreign(kind: Kind) -> dict[str, list[EntryPoint]]:
    """What other packages name. Two packages may name the same."""
    group = MODEL_GROUP if kind == "model" else TASK_GROUP
    found: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=group), key=_release):
        found.setdefault(point.name, []).append(point)
    return found


def names(kind: Kind) -> list[str]:
    """All names, ours first, without importing what other packages register."""
    _load_built_ins(kind)
    return list(dict.fromkeys([*_entries[kind], *sorted(_foreign(kind))]))


def entry(kind: Kind, name: str) -> Entry:
    _load_built_ins(kind)
    known = _entries[kind].get(name)
    points = _foreign(kind).get(name, [])
    if known is None and not points:
        raise _unknown(kind, name)
    if known is not None and not points:
        return known
    point, *others = points
    # The factory may carry our decorator as well; then it may be known already, and its entry
    # has the summary.
    if known is not None and _package(known.factory) != point.module.split(".")[0]:
        raise _two(kind, name, known.origin, _release(point))
    if others:
        raise _two(kind, name, *map(_release, points))
    if known is None:
        factory = _load(kind, point)
        known = _entries[kind].get(name) or Entry(
            kind, name, factory, _first_line(factory), code_sha256=code_hash(factory)
        )
    found = replace(known, origin=_release(point))
    _entries[kind][name] = found
    return found


def _load(kind: Kind, point: EntryPoint) -> Factory:
    try:
        return cast(Factory, point.load())
    except (Exception, SystemExit) as error:
        origin = point.dist.name if point.dist else point.module
        raise AcumenError(
            f"{kind} {point.name!r} of the package {origin} cannot be loaded: "
            f"{type(error).__name__}: {error}"
        ) from error


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
            yield name, "", ", ".join(map(_release, foreign[name]))


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


def _make(found: Entry, *words: str, **settings: Any) -> Any:
    try:
        return found.factory(*words, **settings)
    except AcumenError:
        raise
    except (Exception, SystemExit) as error:
        raise AcumenError(
            f"{found.kind} {found.name!r} of {found.origin} cannot be made: "
            f"{type(error).__name__}: {error}"
        ) from error


def make_task(name: str) -> Task:
    made = cast(Task, _make(entry("task", name)))
    # A run finds a task again by the name on its card.
    if made.card.name != name:
        raise AcumenError(
            f"the task registered as {name!r} calls itself {made.card.name!r}",
            "give its card the name it is registered under",
        )
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
    except (TypeError, ValueError) as error:
        raise AcumenError(
            f"model {reference!r}: {error}", f"`acumen models show {name}` lists its settings"
        ) from error
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    made = Made(reference, found, arguments, _make(found, *words, **settings))
    _check(made)
    return made


def _check(made: Made) -> None:
    """What a run takes on trust: better an error now than wrong answers later."""
    for key, value in made.settings.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise AcumenError(
                f"model {made.reference!r}: its setting {key}={value!r} cannot be written down "
                f"({error})",
                "settings, and their defaults, are text, numbers, true, false, null or lists",
            ) from error
    size = getattr(made.model, "batch_size", 1)
    if not isinstance(size, int) or size < 1:
        raise AcumenError(
            f"model {made.reference!r}: its batch_size is {size!r}", "it must be 1 or more"
        )
    if isinstance(made.model, Learner) and made.model.supervision not in ("others", "all"):
        raise AcumenError(
            f"model {made.reference!r}: its supervision is {made.model.supervision!r}",
            "a model that learns is shown the labels of the others, or of all",
        )


def fingerprint(made: Made) -> str:
    """What tells two models of one name and equal settings apart: their code and, where the
    model has it, its own ``fingerprint`` (a weights file's hash, say)."""
    own = str(getattr(made.model, "fingerprint", ""))
    parts = (made.entry.origin, made.entry.code_sha256, own)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
