"""Look up models, tasks, views and so on, of this package, other packages and plug-in files.

The definitions of this package's benchmarks are also looked up here: runs, data sets, reports and
``reproduce`` know no benchmark by name and use these definitions.

A factory is a function or class that creates a model, a task, a view and so on. An entry
(``registry.entries.Entry``) is a factory with its name and description.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import cast, get_args

from codeacumen.api import Benchmark, CodeacumenError, DataFamily, InputLevels, Recipe, TaskGroup
from codeacumen.registry import entries
from codeacumen.registry.code_hash import (
    PLUGIN_PREFIX,
    Factory,
    find_package,
    hash_code,
    loading_plugin,
    summarize_factory,
    unwrap_factory,
)
from codeacumen.registry.entries import BrokenError, Entry, Kind, add_entry, name_conflict_error

# The group of entry points by which other packages declare their models, tasks and so on.
GROUPS: dict[Kind, str] = {kind: f"codeacumen.{kind}s" for kind in get_args(Kind)}
# The modules of this package that register models, tasks and so on when they are imported. Lists of
# names have this order.
BUILT_IN_MODULES: dict[Kind, tuple[str, ...]] = {
    "model": (
        "codeacumen.models.strings",
        "codeacumen.benchmarks.idbench.baselines",
        "codeacumen.benchmarks.sesame.baselines",
        "codeacumen.models.method_similarity.model",
        "codeacumen.models.ensemble",
        "codeacumen.models.sentence_encoder",
        "codeacumen.models.embeddings.model",
        "codeacumen.models.identifier_similarity.model",
        "codeacumen.models.method_naming.model",
        "codeacumen.models.method_naming.spot",
        "codeacumen.models.retrieval",
        "codeacumen.models.linear",
        "codeacumen.benchmarks.gluecode.baselines.completion",
        "codeacumen.benchmarks.gluecode.baselines.last_null",
        "codeacumen.benchmarks.gluecode.baselines.classical",
        "codeacumen.models.neural.model",
        "codeacumen.models.baselines",
    ),
    "task": (
        "codeacumen.benchmarks.idbench",
        "codeacumen.benchmarks.sesame",
        "codeacumen.benchmarks.abbreviations",
        "codeacumen.benchmarks.rename4j",
    ),
    "view": (
        "codeacumen.views.text",
        "codeacumen.views.ast",
        "codeacumen.views.paths",
        "codeacumen.views.graph",
    ),
    "metric": (),
    "network": (),
    "language": ("codeacumen.languages.java", "codeacumen.languages.javascript"),
}


# Each of these modules defines ``BENCHMARKS`` and imports nothing heavy.
BENCHMARK_MODULES = (
    "codeacumen.benchmarks.idbench.benchmark",
    "codeacumen.benchmarks.gluecode.benchmark",
    "codeacumen.benchmarks.robustness.benchmark",
    "codeacumen.benchmarks.sesame.benchmark",
    "codeacumen.benchmarks.rename4j.benchmark",
)


@lru_cache(maxsize=1)
def list_benchmarks() -> tuple[Benchmark, ...]:
    """Return the definitions of all benchmarks."""
    modules = [importlib.import_module(name) for name in BENCHMARK_MODULES]
    return tuple(benchmark for module in modules for benchmark in module.BENCHMARKS)


def list_task_groups() -> list[TaskGroup]:
    """Return the groups of tasks over which scores are averaged, of all benchmarks."""
    return [group for benchmark in list_benchmarks() for group in benchmark.groups]


def list_input_levels() -> list[InputLevels]:
    """Return the levels of input that all benchmarks define."""
    return [levels for benchmark in list_benchmarks() for levels in benchmark.input_levels]


def list_data_families() -> list[DataFamily]:
    """Return the families of data sets that can be built, of all benchmarks."""
    return [family for benchmark in list_benchmarks() for family in benchmark.families]


def list_recipes() -> list[Recipe]:
    """Return the recipes of all benchmarks, each of which recomputes the tables of a paper."""
    return [benchmark.recipe for benchmark in list_benchmarks() if benchmark.recipe]


def list_report_modules() -> list[str]:
    """Return the names of the modules that build benchmarks' sections of the report."""
    modules = [benchmark.report_module for benchmark in list_benchmarks()]
    return [module for module in modules if module]


_plugins: list[Path] = []


def list_loaded_plugins() -> tuple[Path, ...]:
    """Return the plug-in files that this process has loaded, in order."""
    return tuple(_plugins)


def load_plugin(path: Path) -> None:
    """Execute a Python file, which registers its models, tasks, views and so on.

    A file that this process has loaded is not loaded again, even after an edit.
    """
    path = path.resolve()
    name = f"{PLUGIN_PREFIX}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return
    if not path.is_file() or path.suffix != ".py":
        raise CodeacumenError(f"{path}: not a Python file", "--plugin takes the path of a .py file")
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    token = loading_plugin.set(path)
    try:
        # The import system would miss an edit within the same second, because its cache of
        # compiled files compares times in seconds. Answers of the old code would then be stored as
        # those of the new code.
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
    except CodeacumenError as error:
        del sys.modules[name]
        raise CodeacumenError(f"{path}: {error}", error.hint) from error
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise CodeacumenError(
            f"{path}: {type(error).__name__}: {error}",
            f"correct the plug-in; `python {path.name}` in its folder prints the lines",
        ) from error
    finally:
        loading_plugin.reset(token)
    _plugins.append(path)


def _load_built_ins(kind: Kind) -> None:
    for module in BUILT_IN_MODULES[kind]:
        importlib.import_module(module)


def _find_entry_points(kind: Kind) -> dict[str, list[EntryPoint]]:
    """Return the entry points of other packages, by name; two packages may use the same name."""
    return _group_entry_points(
        GROUPS[kind], tuple((folder, _get_modification_time(folder)) for folder in sys.path)
    )


@lru_cache(maxsize=8)
def _group_entry_points(
    group: str, folder_states: tuple[tuple[str, int], ...]
) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group, by name.

    Reading the metadata of all packages is slow, so the result is cached. ``folder_states`` (path
    and time of each folder of ``sys.path``) is only part of the cache key: a time changes when a
    package is installed or removed.
    """
    points_by_name: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=group), key=_format_release):
        points_by_name.setdefault(point.name, []).append(point)
    return points_by_name


def _get_modification_time(folder: str) -> int:
    """Return the time in ns of the last addition or removal in a folder; 0 without a folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def list_names(kind: Kind) -> list[str]:
    """Return all names of a kind, without importing other packages.

    This package's come first, then those of plug-ins and data sets, then entry points.
    """
    _load_built_ins(kind)
    # The order of ``BUILT_IN_MODULES``, even if the modules were imported in another order.
    registered = sorted(entries.ENTRIES[kind].values(), key=_get_module_position)
    return list(
        dict.fromkeys(
            [
                *(registered_entry.name for registered_entry in registered),
                *sorted(_find_entry_points(kind)),
            ]
        )
    )


def _get_module_position(entry: Entry) -> int:
    """Return the position of an entry's module in ``BUILT_IN_MODULES``; after all for others."""
    module = f"{unwrap_factory(entry.factory).__module__}."
    modules = BUILT_IN_MODULES[entry.kind]
    return next(
        (
            position
            for position, module_name in enumerate(modules)
            if module.startswith(f"{module_name}.")
        ),
        len(modules),
    )


def find_entry(kind: Kind, name: str) -> Entry:
    """Return the entry of a name; import the package that declares it if necessary.

    Raise an error if no entry or several have the name.
    """
    _load_built_ins(kind)
    registered = entries.ENTRIES[kind].get(name)
    points = _find_entry_points(kind).get(name, [])
    if registered is None and not points:
        raise _unknown_name_error(kind, name)
    if registered is not None and not points:
        return registered
    point, *others = points
    # A factory behind an entry point may also use the decorator. Then importing its module has
    # added an entry with a summary, which must not count as a conflict.
    if registered is not None and find_package(registered.factory) != point.module.split(".")[0]:
        raise name_conflict_error(kind, name, registered.origin, _format_release(point))
    if others:
        raise name_conflict_error(kind, name, *map(_format_release, points))
    if registered is None:
        factory = _load_entry_point(kind, point)
        if name not in entries.ENTRIES[kind]:
            text = summarize_factory(factory)
            add_entry(Entry(kind, name, factory, text, code_sha256=hash_code(factory)))
        registered = entries.ENTRIES[kind][name]
    released = replace(registered, origin=_format_release(point))
    entries.ENTRIES[kind][name] = released
    return released


def list_loadable_names(kind: Kind) -> tuple[list[str], list[str]]:
    """Return the names of a kind, and the errors of those whose package cannot be imported.

    A name that an entry of this package or of a plug-in shares with a package is an error.
    """
    names: list[str] = []
    errors: list[str] = []
    for name in list_names(kind):
        try:
            find_entry(kind, name)
        except BrokenError as error:
            if name in entries.ENTRIES[kind]:
                raise
            errors.append(f"{error}; {error.hint}")
        else:
            names.append(name)
    return names, errors


def _load_entry_point(kind: Kind, point: EntryPoint) -> Factory:
    """Import the factory of an entry point."""
    try:
        return cast(Factory, point.load())
    except (Exception, SystemExit) as error:
        origin = point.dist.name if point.dist else point.module
        raise BrokenError(
            f"cannot load {kind} {point.name!r} of the package {origin}: "
            f"{type(error).__name__}: {error}",
            f"update or remove the package: pip uninstall {origin}",
        ) from error


def _format_release(point: EntryPoint) -> str:
    """Return name and version of the package that declares an entry point, or else its module."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module


def list_summaries(kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Yield name, summary and origin of all entries, without importing other packages."""
    entry_points_by_name = _find_entry_points(kind)
    for name in list_names(kind):
        registered = entries.ENTRIES[kind].get(name)
        if registered is not None:
            yield name, registered.summary, registered.origin
        else:
            yield name, "", ", ".join(map(_format_release, entry_points_by_name[name]))


def _unknown_name_error(kind: Kind, name: str) -> CodeacumenError:
    """Return the error for an unknown name, with the most similar names."""
    from rapidfuzz import process

    known_names = list_names(kind)
    # Full names, and names without their last part or last two parts: those of groups.
    groups = {known_name.rsplit("/", depth)[0] for known_name in known_names for depth in range(3)}
    matches = process.extract(name, sorted(groups), limit=3, score_cutoff=60)
    similar_names = [match for match, _, _ in matches]
    names_in_group = [
        known_name for known_name in known_names if known_name.startswith(name.rstrip("/") + "/")
    ]
    if names_in_group:
        return CodeacumenError(
            f"{name!r} is a group of {len(names_in_group)} {kind}s",
            f"name one of {', '.join(names_in_group)}",
        )
    family = _find_unloaded_family(name) if kind == "task" else None
    if family is not None:
        return CodeacumenError(
            f"no task {name!r}: this benchmark is built from your data, and no data set is loaded",
            f"{family.build_command}, then: codeacumen eval -t {name}@{family.name}",
        )
    hint = f"did you mean {', '.join(similar_names)}? " if similar_names else ""
    listing_command = (
        "`codeacumen corpus show CORPUS` lists the views"
        if kind == "view"
        else f"`codeacumen {kind}s list` shows all"
    )
    return CodeacumenError(
        f"no {kind} {name!r}",
        f"{hint}{listing_command}; one from a file needs --plugin FILE",
    )


def _find_unloaded_family(name: str) -> DataFamily | None:
    """Return the family of data sets that a task's name belongs to, if none of it is loaded."""
    parts = name.rstrip("/").split("/")
    family = next((family for family in list_data_families() if family.name == parts[0]), None)
    if family is None:
        return None
    loaded_tasks = [
        task_entry
        for task_entry in entries.ENTRIES["task"].values()
        if task_entry.name.startswith(f"{parts[0]}/")
    ]
    return None if loaded_tasks else family


def select_tasks(patterns: Iterable[str]) -> list[str]:
    """Return the names of the tasks that match any pattern, in the order of the patterns.

    A pattern is a task's name or the first parts of several (``idbench``, ``idbench/similarity``).
    Raise an error if a pattern matches none.
    """
    task_names = list_names("task")
    selected: dict[str, None] = {}
    for pattern in patterns:
        prefix = pattern.rstrip("/") + "/"
        matching = [name for name in task_names if name == pattern or name.startswith(prefix)]
        if not matching:
            raise _unknown_name_error("task", pattern)
        selected.update(dict.fromkeys(matching))
    return list(selected)
