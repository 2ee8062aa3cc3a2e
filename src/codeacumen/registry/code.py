"""Where a factory's code is, and its hash: an edited model is another model."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

PLUGIN_PREFIX = "codeacumen_plugin_"

Factory = Callable[..., Any]


def first_line(factory: Factory) -> str:
    return (defined(factory).__doc__ or "").strip().split("\n")[0]


def package_of(factory: Factory) -> str:
    return str(defined(factory).__module__).split(".")[0]


def defined(factory: Factory) -> Any:
    """The function or class behind a factory that is a partial or an object with __call__."""
    factory = inspect.unwrap(factory)
    while isinstance(factory, partial):
        factory = inspect.unwrap(factory.func)
    return factory if hasattr(factory, "__qualname__") else type(factory)


def definition(factory: Factory) -> tuple[str, str]:
    """Where a factory is defined: a file that is imported twice defines nothing new."""
    return source_file(factory), defined(factory).__qualname__


def source_file(factory: Factory) -> str:
    try:
        return inspect.getsourcefile(defined(factory)) or ""
    except TypeError:
        return ""


# The plug-in that is being loaded: what it registers is its own, wherever it is defined.
loading: ContextVar[Path | None] = ContextVar("loading", default=None)


def code_hash(factory: Factory) -> str:
    """SHA-256 of the code a factory may lead to: all of its package; for a plug-in, and for a
    module outside any package, all Python files of the folder it lies in. What a model imports
    later is in there too."""
    path = source_file(factory)
    own, package = "", package_of(factory)
    if path and _folders(package):
        own = package_hash(package)
    elif path:
        own = _hash_of(Path(path).parent.glob("*.py"))
    plugin = loading.get()
    if plugin is None:
        return own
    beside = _hash_of([*plugin.parent.glob("*.py"), *plugin.parent.glob("*/*.py")])
    return hashlib.sha256(f"{own} {beside}".encode()).hexdigest()


@lru_cache(maxsize=64)
def package_hash(package: str) -> str:
    """SHA-256 of all Python files of a package that is imported, as they are now."""
    folders = _folders(package)
    if not folders:
        raise ValueError(f"no imported package is called {package!r}")
    return _hash_of(file for folder in folders for file in folder.rglob("*.py"))


def _folders(package: str) -> list[Path]:
    """The folders of a package that is imported; none for a module outside any package."""
    return [Path(folder) for folder in getattr(sys.modules.get(package), "__path__", [])]


def packages_hash(*packages: str) -> str:
    """SHA-256 of all Python files of some packages, imported or not."""
    files: list[Path] = []
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(f"no package is called {package!r}")
        files += (
            file
            for folder in spec.submodule_search_locations
            for file in Path(folder).rglob("*.py")
        )
    return _hash_of(files)


def _hash_of(files: Iterable[Path]) -> str:
    found = sorted({file for file in files if file.is_file()})
    digest = hashlib.sha256()
    for file in found:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest() if found else ""
