"""The layout is the design: data moves left to right, and nothing imports to its right."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "codeacumen"

# A package imports only packages before it, and itself.
LAYERS = (
    "api", "core", "registry", "engines", "metrics", "text", "languages", "corpus", "views",
    "transforms", "datasets", "tasks", "renames", "survey", "benchmarks", "search", "models",
    "runs", "reproduce", "checker", "report", "cli",
)  # fmt: skip

# A benchmark's hooks are modules that a later package loads by name: models, reproduce or report.
# They may import what that package may, and no other module of a benchmark imports them.
HOOKS = {"baselines": "models", "reproduce": "reproduce", "report": "report"}

HEAVY = {
    "scipy", "sklearn", "pandas", "torch", "altair", "vl_convert", "matplotlib", "plotly", "gensim",
    "faiss",
}  # fmt: skip


def imported_rooms(file: Path) -> set[str]:
    """First part below codeacumen of every import in a file, inside functions too."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "codeacumen":
                rooms |= {alias.name for alias in node.names}
            elif node.module.startswith("codeacumen."):
                rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {
                alias.name.split(".")[1]
                for alias in node.names
                if alias.name.startswith("codeacumen.")
            }
    return rooms


def test_every_package_has_a_layer() -> None:
    packages = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert packages == set(LAYERS)


def find_layer(file: Path) -> str:
    """The package of a file; for a benchmark's hook, the package that loads it."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    hook = parts[2] if parts[0] == "benchmarks" and len(parts) > 2 else ""
    return HOOKS.get(hook, parts[0])


@pytest.mark.parametrize("package", LAYERS)
def test_packages_import_only_packages_before_them(package: str) -> None:
    for file in (PACKAGE / package).rglob("*.py"):
        allowed = {*LAYERS[: LAYERS.index(find_layer(file)) + 1], "__version__"}
        assert imported_rooms(file) <= allowed, file


def test_benchmarks_do_not_import_their_hooks() -> None:
    hooks = re.compile(rf"import .*codeacumen\.benchmarks\.\w+\.({'|'.join(HOOKS)})|"
                       rf"from codeacumen\.benchmarks\.\w+\.({'|'.join(HOOKS)})\b")  # fmt: skip
    files = list((PACKAGE / "benchmarks").rglob("*.py"))
    assert {find_layer(file) for file in files} == {"benchmarks", *HOOKS.values()}
    for file in files:
        if find_layer(file) == "benchmarks":
            assert not hooks.search(file.read_text()), file


def test_api_core_and_metrics_import_no_other_package() -> None:
    for package, allowed in {"api": set(), "core": set(), "metrics": {"api"}}.items():
        for file in (PACKAGE / package).rglob("*.py"):
            assert imported_rooms(file) <= {package, *allowed}, file


def test_benchmarks_do_not_import_each_other() -> None:
    benchmarks = [p for p in (PACKAGE / "benchmarks").iterdir() if (p / "__init__.py").is_file()]
    assert len(benchmarks) == 6
    for benchmark in benchmarks:
        for file in benchmark.rglob("*.py"):
            imports = re.findall(r"codeacumen\.benchmarks\.(\w+)", file.read_text())
            assert set(imports) <= {benchmark.name}, file


@pytest.mark.parametrize(
    "arguments", [["--help"], ["tasks", "list"], ["models", "list"], ["data", "list"]]
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
        if (lines := len(file.read_text().splitlines())) > 450
    }
    assert long == {}
