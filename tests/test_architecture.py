"""Tests of the layers: packages are ordered, and none imports a package after it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeacumen.registry import list_data_families
from codeacumen.registry.lookup import list_benchmarks

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "codeacumen"

# A package imports only packages before it, and itself.
LAYERS = (
    "api",
    "core",
    "registry",
    "engines",
    "metrics",
    "text",
    "languages",
    "corpus",
    "views",
    "transforms",
    "datasets",
    "tasks",
    "renames",
    "survey",
    "benchmarks",
    "search",
    "models",
    "runs",
    "reproduce",
    "checker",
    "report",
    "interface",
    "cli",
)

# A benchmark's hooks are modules that a later package loads by name: models, reproduce or report.
# They may import what that package may, and no other module of a benchmark imports them.
HOOKS = {"baselines": "models", "reproduce": "reproduce", "report": "report"}

# Packages that serve all benchmarks; they use the definitions that codeacumen.registry lists.
GENERAL = ("core", "engines", "search", "runs", "reproduce", "checker", "report")

HEAVY = {
    "scipy",
    "sklearn",
    "pandas",
    "torch",
    "altair",
    "vl_convert",
    "matplotlib",
    "plotly",
    "gensim",
    "faiss",
}


def imported_modules(file: Path) -> set[str]:
    """Return every module of ours that a file imports, inside functions too. A name imported from
    a package counts as a module of it where there is one."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            modules.add(node.module or "")
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in modules if name.split(".")[0] == "codeacumen" and is_module(name)}


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imported_packages(file: Path) -> set[str]:
    """Return the packages of ours that a file imports."""
    return {name.split(".")[1] for name in imported_modules(file) if "." in name}


def test_every_package_has_a_layer() -> None:
    packages = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert packages == set(LAYERS)


def find_layer(file: Path) -> str:
    """Return the package of a file; for a benchmark's hook, the package that loads it."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    hook = parts[2] if parts[0] == "benchmarks" and len(parts) > 2 else ""
    return HOOKS.get(hook, parts[0])


@pytest.mark.parametrize("package", LAYERS)
def test_packages_import_only_packages_before_them(package: str) -> None:
    for file in (PACKAGE / package).rglob("*.py"):
        allowed = {*LAYERS[: LAYERS.index(find_layer(file)) + 1], "__version__"}
        assert imported_packages(file) <= allowed, file


def test_benchmarks_do_not_import_their_hooks() -> None:
    files = list((PACKAGE / "benchmarks").rglob("*.py"))
    assert {find_layer(file) for file in files} == {"benchmarks", *HOOKS.values()}
    for file in files:
        if find_layer(file) == "benchmarks":
            hooks = [
                name
                for name in imported_modules(file)
                if name.split(".")[3:4]
                and name.startswith("codeacumen.benchmarks.")
                and name.split(".")[3] in HOOKS
            ]
            assert hooks == [], f"{file} imports {hooks}, which later packages load by name"


def test_benchmarks_do_not_import_each_other() -> None:
    benchmarks = [p for p in (PACKAGE / "benchmarks").iterdir() if (p / "__init__.py").is_file()]
    assert benchmarks
    for benchmark in benchmarks:
        own = f"codeacumen.benchmarks.{benchmark.name}"
        for file in benchmark.rglob("*.py"):
            others = [
                name
                for name in imported_modules(file)
                if name.startswith("codeacumen.benchmarks.") and f"{name}.".find(f"{own}.") != 0
            ]
            assert others == [], f"{file} imports another benchmark: {others}"


def constant_strings(file: Path) -> Iterator[str]:
    """Yield a file's string constants, without its docstrings."""
    tree = ast.parse(file.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_string and id(node) not in docstrings:
            yield node.value


def benchmark_names() -> set[str]:
    """Return the names of the benchmarks, of their folders and of their families of data sets."""
    folders = [p.name for p in (PACKAGE / "benchmarks").iterdir() if (p / "__init__.py").is_file()]
    benchmarks = [benchmark.name for benchmark in list_benchmarks()]
    families = [family.name for family in list_data_families()]
    return {*folders, *benchmarks, *families}


@pytest.mark.parametrize("package", GENERAL)
def test_general_packages_know_no_benchmark(package: str) -> None:
    names = benchmark_names()
    assert {"abbreviations", "gluecode", "misnamed", "similarity"} <= names
    # A task's name begins with that of its benchmark or family: gluecode/npath.
    name = re.compile(rf"({'|'.join(sorted(names))})(/.*)?", re.DOTALL)
    for file in (PACKAGE / package).rglob("*.py"):
        benchmarks = [
            module
            for module in imported_modules(file)
            if module.startswith("codeacumen.benchmarks")
        ]
        assert benchmarks == [], f"{file} imports a benchmark"
        strings = [string for string in constant_strings(file) if name.fullmatch(string)]
        assert strings == [], f"{file} names a benchmark"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["tasks", "list"], ["models", "list"], ["dataset", "list"]]
)
def test_light_commands_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "from codeacumen.cli import app\n"
        f"app({arguments!r}, standalone_mode=False)\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"CODEACUMEN_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "codeacumen" in loaded
    assert loaded & HEAVY == set()


def test_no_file_outgrows_its_purpose() -> None:
    long = {
        str(file.relative_to(PACKAGE)): lines
        for file in PACKAGE.rglob("*.py")
        if (lines := len(file.read_text().splitlines())) > 700
    }
    assert long == {}
