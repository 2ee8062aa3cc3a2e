"""What registers itself, with the decorators below, when its module is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from codeacumen.api import CodeacumenError
from codeacumen.registry.code import (
    OWN_PACKAGE,
    PLUGIN_PREFIX,
    Factory,
    code_hash,
    definition,
    first_line,
    loading,
    package_of,
    source_file,
)

Kind = Literal["model", "task", "view"]
F = TypeVar("F", bound=Factory)


class BrokenError(CodeacumenError):
    """What is registered is at fault. Any other error in making it says what it needs: a setting,
    a package, data."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A registered model, task or view: how to make it and what to tell about it.

    ``code_sha256`` is of the code that defines it, as it was when it was loaded: an edited
    model is another model, and one edited while it runs is still the old one. Of this package's
    own it is empty, since most are never made: ``get_code_hash`` computes it when it is needed.
    """

    kind: Kind
    name: str
    factory: Factory
    summary: str = ""
    is_baseline: bool = False
    origin: str = "codeacumen"
    code_sha256: str = ""

    def get_code_hash(self) -> str:
        """Return the hash of the code that the factory may lead to."""
        return self.code_sha256 or code_hash(self.factory)


ENTRIES: dict[Kind, dict[str, Entry]] = {"model": {}, "task": {}, "view": {}}


def add(entry: Entry) -> None:
    if entry.kind == "model" and (":" in entry.name or "," in entry.name):
        raise CodeacumenError(
            f"a model cannot be called {entry.name!r}",
            "a colon or a comma separates its settings: choose another name",
        )
    if entry.kind == "task" and not _is_plain_path(entry.name):
        raise CodeacumenError(
            f"a task cannot be called {entry.name!r}",
            "its name is also the folder of its answers: words with / between them",
        )
    if entry.kind == "view" and not entry.name.isidentifier():
        raise CodeacumenError(
            f"a view cannot be called {entry.name!r}", "its name is a word: letters, digits and _"
        )
    known = ENTRIES[entry.kind].get(entry.name)
    if known is not None and definition(known.factory) != definition(entry.factory):
        raise two(entry.kind, entry.name, known.origin, entry.origin)
    ENTRIES[entry.kind][entry.name] = entry


def _is_plain_path(name: str) -> bool:
    parts = name.split("/")
    return all(part not in ("", ".", "..") and "\\" not in part for part in parts)


def two(kind: Kind, name: str, *origins: str) -> BrokenError:
    told = ", ".join(f"one from {origin}" for origin in origins)
    return BrokenError(f"two {kind}s are called {name!r}: {told}", "rename or remove one of them")


def model(name: str, *, summary: str = "", is_baseline: bool = False) -> Callable[[F], F]:
    """Register a factory of models; its keyword arguments are the model's settings.

    ``is_baseline`` marks a bound or baseline that every table shows.
    """

    def register(factory: F) -> F:
        text = summary or first_line(factory)
        origin = _origin(factory)
        add(Entry("model", name, factory, text, is_baseline, origin, _hash_early(factory)))
        return factory

    return register


def task(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a task, called without arguments."""

    def register(factory: F) -> F:
        text = summary or first_line(factory)
        code = _hash_early(factory)
        add(Entry("task", name, factory, text, origin=_origin(factory), code_sha256=code))
        return factory

    return register


def view(name: str, *, summary: str = "") -> Callable[[F], F]:
    """Register a factory of a view, called without arguments."""

    def register(factory: F) -> F:
        text = summary or first_line(factory)
        code = _hash_early(factory)
        add(Entry("view", name, factory, text, origin=_origin(factory), code_sha256=code))
        return factory

    return register


def _origin(factory: Factory) -> str:
    package = package_of(factory)
    return Path(source_file(factory)).name if package.startswith(PLUGIN_PREFIX) else package


def _hash_early(factory: Factory) -> str:
    own = package_of(factory) == OWN_PACKAGE and loading.get() is None
    return "" if own else code_hash(factory)
