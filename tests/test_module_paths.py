"""Every string that looks like a path of one of our modules refers to a module or an attribute.

Moving a module updates its imports, but not the strings that name it: registry lists, arguments of
``packages_hash``, entry points, ``python -m``, or a module in a docstring.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from support import ROOT

# Strings that look like a module path but are not.
NO_MODULES = {
    "codeacumen.counts": "metadata key of a Parquet file",
    "codeacumen.fingerprint": "metadata key of a Parquet file",
    "codeacumen.made_of": "metadata key of a Parquet file",
    "codeacumen.results/3": "schema of a run's results",
    "codeacumen.naming/1": "schema of the background of method names",
    "codeacumen.renames/2": "format of a data set of renames",
    "codeacumen.search/2": "schema of an index of methods on disk",
}
FOLDERS = ("src", "scripts", "bench", "research", "examples")
PYTHON = [path for name in FOLDERS for path in (ROOT / name).rglob("*.py")]
OTHER = [ROOT / "Makefile", ROOT / "pyproject.toml", *sorted((ROOT / "scripts").glob("*.sh"))]
WHOLE = re.compile(r"codeacumen\.\S+")
QUOTED = re.compile(r"``?(codeacumen(?:\.\w+)+)``?")
IN_TEXT = re.compile(r"(?<![\w./-])codeacumen(?:\.\w+)+(?::\w+)?")


def paths_in_python(source: str) -> Iterator[str]:
    """Whole strings, the constant beginnings of f-strings, and modules quoted in docstrings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if WHOLE.fullmatch(node.value):
                yield node.value
            else:
                yield from QUOTED.findall(node.value)


def found_paths() -> dict[str, str]:
    """Return every such string with a file that contains it."""
    file_by_path: dict[str, str] = {}
    for path in [*PYTHON, *OTHER]:
        text = path.read_text(encoding="utf-8")
        names = paths_in_python(text) if path.suffix == ".py" else IN_TEXT.findall(text)
        for name in names:
            file_by_path.setdefault(name, str(path.relative_to(ROOT)))
    return file_by_path


def is_resolvable(name: str) -> bool:
    """Return whether a name is ``module``, ``module.attribute``, ``module:attribute`` or the prefix
    ``package.`` of a module's name."""
    dotted = name.removesuffix(".").replace(":", ".")
    parts = dotted.split(".")
    for end in range(len(parts), 0, -1):
        module, rest = ".".join(parts[:end]), parts[end:]
        try:
            spec = find_spec(module)
        except ModuleNotFoundError:
            continue  # a part before the last is no package
        if spec is not None:
            # A module with all its parts need not be imported: what it needs may be missing.
            return not rest or has_attribute(module, rest)
    return False


def has_attribute(module: str, names: list[str]) -> bool:
    value = importlib.import_module(module)
    for name in names:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True


def test_module_paths_are_resolvable() -> None:
    file_by_path = found_paths()
    broken = {
        name: file
        for name, file in file_by_path.items()
        if name not in NO_MODULES and not is_resolvable(name)
    }
    assert broken == {}
    # These show that paths are found in all kinds of places.
    assert {"codeacumen.cli:main", "codeacumen.languages", "codeacumen.models.strings"} <= set(
        file_by_path
    )


def test_exceptions_are_needed() -> None:
    assert set(NO_MODULES) - set(found_paths()) == set()
    assert [name for name in NO_MODULES if is_resolvable(name)] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("codeacumen.languages", True),
        ("codeacumen.languages.", True),
        ("codeacumen.lang", False),
        ("codeacumen.cli:main", True),
        ("codeacumen.cli:men", False),
        ("codeacumen.api.Method", True),
        ("codeacumen.api.Method.nothing", False),
        ("codeacumen.nowhere.Method", False),
    ],
)
def test_is_resolvable(name: str, expected: bool) -> None:
    assert is_resolvable(name) is expected


def test_paths_are_found_in_strings_and_docstrings() -> None:
    source = (
        '"""See ``codeacumen.a.b``."""\nx = f"codeacumen.c.{1}"\n'
        'y = ["codeacumen.d:e", "no codeacumen.f"]\n'
    )
    assert set(paths_in_python(source)) == {"codeacumen.a.b", "codeacumen.c.", "codeacumen.d:e"}
