"""Find and hash the code behind a factory, because an edited model is another model.

A factory is a function or class that creates a model, a task, a view and so on. For a factory of
this package, the hash covers its module and the modules that this module imports, directly,
through others, or inside functions; other modules do not affect it. For another package, the hash
covers the whole package, or the folder of a module outside packages, the files outside of installed
packages that these import, and the modules of this package that they import or use as attributes
of ``codeacumen``. The registry itself is left out: it finds models and changes none of them. A
hash is of the files' bytes, so a changed comment changes it too.

"Own" modules and files are those of this package, ``codeacumen``.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

PLUGIN_PREFIX = "codeacumen_plugin_"
OWN_PACKAGE = "codeacumen"
_REGISTRY = f"{OWN_PACKAGE}.registry"

# Imports of this package: `from codeacumen.a import b, c`, also over several lines, and
# `import codeacumen.a`. Imports for type checkers are not executed, so they do not count.
_IMPORTS = re.compile(
    r"^[ \t]*(?:from[ \t]+(codeacumen[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(codeacumen[\w.]*))",
    re.MULTILINE,
)
_TYPE_CHECKING = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)*", re.MULTILINE)

Factory = Callable[..., Any]


def summarize_factory(factory: Factory) -> str:
    """Return the first line of the factory's docstring."""
    return (unwrap_factory(factory).__doc__ or "").strip().split("\n")[0]


def find_package(factory: Factory) -> str:
    """Return the top-level package or module that defines a factory."""
    return str(unwrap_factory(factory).__module__).split(".")[0]


def unwrap_factory(factory: Factory) -> Any:
    """Return the function or class behind a factory, also behind a partial or callable object."""
    factory = inspect.unwrap(factory)
    while isinstance(factory, partial):
        factory = inspect.unwrap(factory.func)
    return factory if hasattr(factory, "__qualname__") else type(factory)


def locate_definition(factory: Factory) -> tuple[str, str]:
    """Return file and qualified name of a factory.

    They identify it: a second import of the module makes another object, but with the same file and
    name.
    """
    return find_source_file(factory), unwrap_factory(factory).__qualname__


def find_source_file(factory: Factory) -> str:
    """Return the file that defines a factory; empty if there is none."""
    try:
        return inspect.getsourcefile(unwrap_factory(factory)) or ""
    except (TypeError, OSError):  # a built-in, or defined in an interactive session
        return ""


# The plug-in that is being loaded, or None. All that it registers belongs to it, even a factory
# that is defined in another module.
loading_plugin: ContextVar[Path | None] = ContextVar("loading", default=None)


def hash_code(factory: Factory, plugin: Path | None = None) -> str:
    """Return the SHA-256 of the code that a factory may run; empty if it is in no file.

    ``plugin`` is the plug-in file that registers the factory, or None.
    """
    if plugin is None and find_package(factory) == OWN_PACKAGE:
        return hash_modules(str(unwrap_factory(factory).__module__))
    files: set[Path] = set()
    path = Path(find_source_file(factory))
    folders = _list_package_folders(find_package(factory))
    if folders:
        files |= {file for folder in folders for file in folder.rglob("*.py")}
    elif path.is_file():  # the code of a notebook's cell has a name that is not a file
        files |= set(path.parent.glob("*.py"))
    if plugin is not None:
        files |= {*plugin.parent.glob("*.py"), *plugin.parent.glob("*/*.py")}
    if find_package(factory) == OWN_PACKAGE:
        files.discard(path)  # hashed with all that it imports
        own_modules = [str(unwrap_factory(factory).__module__)]
    else:
        own_modules = []
    files = _add_local_imports(files)
    own_modules += [module for file in files for module in _list_own_modules(file)]
    return _hash_files([*files, *_collect_files(own_modules)]) if files else ""


def _add_local_imports(files: Iterable[Path]) -> set[Path]:
    """Return the files and all files outside of installed packages that they import."""
    folders = [
        Path(folder or ".")
        for folder in sys.path
        if not {"site-packages", "dist-packages"} & set(Path(folder).parts)
        and not any(Path(folder or ".").resolve().is_relative_to(path) for path in _STANDARD)
        and Path(folder or ".").is_dir()
    ]
    names_by_folder: dict[Path, frozenset[str]] = {}
    collected: set[Path] = set()
    waiting = [file.resolve() for file in files]
    while waiting:
        file = waiting.pop()
        if file in collected:
            continue
        collected.add(file)
        # ``level`` is the number of leading dots: 1 is the folder of the file; 0 is an absolute
        # import.
        for level, module in _scan_file(file).imports:
            if level:
                roots = [file.parents[level - 1]] if level <= len(file.parents) else []
            else:
                roots = [file.parent, *folders]
            waiting += _find_local_module(roots, module, names_by_folder)
    return collected


# Imports of the standard library are not followed.
_STANDARD = tuple(
    Path(path).resolve()
    for name, path in sysconfig.get_paths().items()
    if name in ("stdlib", "platstdlib")
)


def _find_local_module(
    roots: Iterable[Path], module: str, names_by_folder: dict[Path, frozenset[str]]
) -> list[Path]:
    """Return the files that an import of a module executes, in the first folder that has it.

    ``names_by_folder`` caches the names of the files in each folder: most modules that a file
    imports are installed, so that no root has a file of their name.
    """
    parts = module.split(".") if module else []
    if parts and parts[0] == OWN_PACKAGE:
        return []
    for root in roots:
        if root not in names_by_folder:
            names_by_folder[root] = _list_names(root)
        if parts and not {parts[0], f"{parts[0]}.py"} & names_by_folder[root]:
            continue
        packages = [
            root.joinpath(*parts[:count], "__init__.py") for count in range(1, len(parts) + 1)
        ]
        file = root.joinpath(*parts).with_suffix(".py") if parts else root / "__init__.py"
        if file.is_file() or (parts and root.joinpath(*parts).is_dir()):
            module_files = [path.resolve() for path in (*packages, file) if path.is_file()]
            if module_files:
                return module_files
    return []


def _list_names(folder: Path) -> frozenset[str]:
    """Return the names of the files in a folder; none if it cannot be read."""
    try:
        return frozenset(path.name for path in folder.iterdir())
    except OSError:
        return frozenset()


class _SourceNames(NamedTuple):
    """Imports of a source file and names that it uses.

    An import is the number of leading dots and the module's name. A name that is imported from a
    module may be a module itself, so it is listed as one too. ``names`` are the attributes that the
    file uses and the names that it imports from modules.
    """

    imports: tuple[tuple[int, str], ...]
    names: frozenset[str]


def _scan_file(file: Path) -> _SourceNames:
    """Return the imports and names of a file; none if it cannot be read."""
    try:
        return _scan_source(file.read_bytes())
    except OSError:
        return _SourceNames((), frozenset())


@lru_cache(maxsize=4096)
def _scan_source(source: bytes) -> _SourceNames:
    """Return the imports and names of a source text; none if it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return _SourceNames((), frozenset())
    imports: list[tuple[int, str]] = []
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Import):
            imports += [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            imports.append((node.level, module))
            imports += [(node.level, f"{module}.{alias.name}".lstrip(".")) for alias in node.names]
            names |= {alias.name for alias in node.names}
    return _SourceNames(tuple(imports), frozenset(names))


def _list_own_modules(file: Path) -> list[str]:
    """Return the modules of this package that a file of another package uses.

    A file that calls ``codeacumen.load_model`` uses the modules of all our models, because the call
    can name any of them.
    """
    # ``_MODULES`` has the module that defines each name of the public API.
    from codeacumen import _MODULES
    from codeacumen.registry.lookup import BUILT_IN_MODULES

    modules = list(find_imports(file))
    if not modules:
        return []
    names = _scan_file(file).names
    modules += [_MODULES[name] for name in names & _MODULES.keys() - _VERBS_OF_RUNS]
    if names & {"load_model", "make_model"}:
        modules += BUILT_IN_MODULES["model"]
    return modules


# Names of the public API that only run models, so no model's answer depends on them.
_VERBS_OF_RUNS = {"compare", "evaluate", "score", "write_report", "Results"}


@lru_cache(maxsize=1024)
def hash_modules(*modules: str) -> str:
    """Return the SHA-256 of modules of this package and of all that they import of it."""
    for module in modules:
        if _find_file(module) is None:
            raise ValueError(f"no module {module!r}")
    return _hash_files(_collect_files(modules))


def _collect_files(modules: Iterable[str]) -> Iterator[Path]:
    """Yield the files of modules and of all modules that they import, each once."""
    visited: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in visited:
            continue
        visited.add(module)
        # ``codeacumen/__init__.py`` loads its names lazily, so importing it executes nothing else.
        if module == OWN_PACKAGE or f"{module}.".startswith(f"{_REGISTRY}."):
            continue
        file = _find_file(module)
        if file is not None:
            yield file
            waiting += find_imports(file)
        # Importing a module also imports the packages around it.
        if "." in module:
            waiting.append(module.rpartition(".")[0])


@lru_cache(maxsize=4096)
def find_imports(file: Path) -> tuple[str, ...]:
    """Return the modules of this package that a file imports when it is executed."""
    try:
        text = _TYPE_CHECKING.sub("", file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ()
    modules: dict[str, None] = {}
    for match in _IMPORTS.finditer(text):
        module, imported_names, imported_module = match.groups()
        if imported_module:
            modules[imported_module] = None
            continue
        modules[module] = None
        # A name may be a submodule.
        for name in re.findall(r"\w+", re.sub(r"#[^\n]*", "", imported_names)):
            if _find_file(f"{module}.{name}") is not None:
                modules[f"{module}.{name}"] = None
    return tuple(modules)


@lru_cache(maxsize=8192)
def _find_file(module: str) -> Path | None:
    """Return the file of a module of this package; None if there is none."""
    package, *parts = module.split(".")
    if package != OWN_PACKAGE:
        return None
    # ``parents[1]`` is the folder of this package.
    path = Path(__file__).resolve().parents[1].joinpath(*parts)
    for file in (path / "__init__.py", path.with_suffix(".py") if parts else path):
        if file.is_file():
            return file
    return None


def _list_package_folders(package: str) -> list[Path]:
    """Return the folders of an imported package; an empty list for a module outside packages."""
    return [Path(folder) for folder in getattr(sys.modules.get(package), "__path__", [])]


def hash_packages(*packages: str) -> str:
    """Return the SHA-256 of all Python files of packages, imported or not."""
    files: list[Path] = []
    for package in packages:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise ValueError(f"no package {package!r}")
        files += (
            file
            for folder in spec.submodule_search_locations
            for file in Path(folder).rglob("*.py")
        )
    return _hash_files(files)


def _hash_files(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the contents of files, in order of their paths; empty without files."""
    existing = sorted({file for file in files if file.is_file()})
    digest = hashlib.sha256()
    for file in existing:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest() if existing else ""
