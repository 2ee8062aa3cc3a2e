"""Entries of the registry, and the decorators that add them when a module is imported.

A factory is a function or class that creates a model, a task, a view and so on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args
from uuid import uuid4

from codeacumen.api import CodeacumenError
from codeacumen.registry.code_hash import (
    OWN_PACKAGE,
    PLUGIN_PREFIX,
    Factory,
    find_package,
    find_source_file,
    hash_code,
    loading_plugin,
    locate_definition,
    summarize_factory,
)

# Begins the ``code_sha256`` of code that is in no file; a random text follows, so that no two
# factories are taken for the same.
_UNIDENTIFIED = "unidentified "

Kind = Literal["model", "task", "view", "metric", "network", "language"]
F = TypeVar("F", bound=Factory)


class BrokenError(CodeacumenError):
    """Error for a registered factory that is faulty.

    A factory raises ``CodeacumenError`` itself if it lacks a setting, a package or data.
    """


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered factory of models, tasks, views and so on, with its description.

    ``summary`` is one line for lists; ``is_baseline``, ``is_published``, ``needs`` and ``tasks``
    are arguments of the decorators below. ``origin`` is the package, with the version if an entry
    point declares it, the file name of a plug-in, or the folder of a data set.

    ``code_sha256`` is the hash of the factory's code at the time of loading: an edited model is
    another model, and a model edited during a run is still the old one. It is empty for this
    package's own factories, most of which are never called; ``get_code_hash`` computes it on
    demand.
    """

    kind: Kind
    name: str
    factory: Factory
    summary: str = ""
    is_baseline: bool = False
    origin: str = "codeacumen"
    code_sha256: str = ""
    is_published: bool = False
    needs: str = ""
    tasks: tuple[str, ...] = ()

    @property
    def is_identified(self) -> bool:
        """Return True if the code is in files, so that an edit changes its hash.

        The code of a notebook's cell is not in a file.
        """
        return not self.code_sha256.startswith(_UNIDENTIFIED)

    def get_code_hash(self) -> str:
        """Return the hash of the code that the factory may run."""
        return self.code_sha256 or hash_code(self.factory)


# All entries that were added in this process, by kind and name.
ENTRIES: dict[Kind, dict[str, Entry]] = {kind: {} for kind in get_args(Kind)}


def add_entry(entry: Entry) -> None:
    """Add an entry; raise an error if its name is invalid or another factory has the name.

    The same factory may be added again, after a second import of its module.
    """
    if entry.kind == "model" and (":" in entry.name or "," in entry.name):
        raise CodeacumenError(
            f"a model cannot be called {entry.name!r}",
            "colons and commas separate the settings of a model: choose another name",
        )
    if entry.kind == "task":
        check_task_name(entry.name)
    if entry.kind in ("view", "language") and not entry.name.isidentifier():
        raise CodeacumenError(
            f"a {entry.kind} cannot be called {entry.name!r}",
            "use one word of letters, digits and _",
        )
    existing = ENTRIES[entry.kind].get(entry.name)
    # A notebook's cell that is run again replaces its entry, although ``locate_definition``
    # differs: each run of a cell has a file name of its own.
    is_cell = find_package(entry.factory) == "__main__" and not entry.is_identified
    if existing is not None and is_cell and find_package(existing.factory) == "__main__":
        existing = None
    if existing is not None and locate_definition(existing.factory) != locate_definition(
        entry.factory
    ):
        raise name_conflict_error(entry.kind, entry.name, existing.origin, entry.origin)
    ENTRIES[entry.kind][entry.name] = entry


def check_task_name(name: str) -> None:
    """Raise an error if a task's name cannot be the folder of its answers."""
    if any(part in ("", ".", "..") or "\\" in part for part in name.split("/")):
        raise CodeacumenError(
            f"a task cannot be called {name!r}",
            "the name is also the folder of the answers: use words with / between them",
        )


def name_conflict_error(kind: Kind, name: str, *origins: str) -> BrokenError:
    """Return the error for two entries of one name."""
    conflict = ", ".join(f"one from {origin}" for origin in origins)
    return BrokenError(
        f"two {kind}s have the name {name!r}: {conflict}", "rename or remove one of them"
    )


def model(
    name: str,
    *,
    summary: str = "",
    is_baseline: bool = False,
    is_published: bool = False,
    needs: str = "",
) -> Callable[[F], F]:
    """Register a factory of models; its keyword arguments are the model's settings.

    ``is_baseline`` marks a bound or baseline that every table shows, ``is_published`` a model that
    looks up published scores. ``needs`` names the argument or package that the model requires, such
    as ``corpus=DIR``.
    """
    return _register(
        "model", name, summary, is_baseline=is_baseline, is_published=is_published, needs=needs
    )


def task(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a task, called without arguments."""
    return _register("task", name, summary)


def view(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a view, called without arguments."""
    return _register("view", name, summary)


def metric(name: str, *, tasks: Sequence[str], summary: str = "") -> Callable[[F], F]:
    """Register a factory of a metric, called without arguments.

    Runs compute the metric in addition to the own metric of every task in ``tasks``: names, or
    beginnings of names such as ``idbench``.
    """
    return _register("metric", name, summary, tasks=tuple(tasks))


def network(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register an ``Architecture`` of ``codeacumen.models.neural.architecture``: the class, or a
    function that returns it."""
    return _register("network", name, summary)


def language(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a ``Language`` of ``codeacumen.languages.base``."""
    return _register("language", name, summary)


def _register(kind: Kind, name: str, summary: str, **options: Any) -> Callable[[F], F]:
    """Return a decorator that adds a factory to the registry and returns it unchanged.

    ``options`` are further fields of its entry.
    """

    def add_factory(factory: F) -> F:
        text = summary or summarize_factory(factory)
        # The caller's module: a plug-in that is being loaded may import a module of this package,
        # whose factories do not belong to the plug-in.
        module = str(sys._getframe(1).f_globals.get("__name__", ""))
        code = _hash_early(factory, is_own=module.split(".")[0] == OWN_PACKAGE)
        add_entry(
            Entry(
                kind,
                name,
                factory,
                text,
                origin=_describe_origin(factory),
                code_sha256=code,
                **options,
            )
        )
        return factory

    return add_factory


def _describe_origin(factory: Factory) -> str:
    """Return the file name of a plug-in, or else the package of a factory."""
    package = find_package(factory)
    return Path(find_source_file(factory)).name if package.startswith(PLUGIN_PREFIX) else package


def _hash_early(factory: Factory, *, is_own: bool) -> str:
    """Return the hash of another package's or a plug-in's code, which may change after loading.

    It is empty for factories of this package, unless a plug-in registers them; ``is_own`` says that
    a module of this package does.
    """
    plugin = None if is_own else loading_plugin.get()
    if plugin is None and find_package(factory) == OWN_PACKAGE:
        return ""
    return hash_code(factory, plugin) or f"{_UNIDENTIFIED}{uuid4().hex}"
