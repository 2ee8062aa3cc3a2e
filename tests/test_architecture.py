"""The layout is the design: data moves left to right, and nothing imports to its right."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "acumen"

# In the order in which data flows. What stands in the first row may be imported by all.
FOUNDATION = ("api", "core", "files", "machine", "metrics", "published", "registry", "engines")
FLOW = (
    "lang", "corpus", "views", "transforms", "datasets", "similar", "renames", "tasks", "search",
    "models", "survey", "runs", "checker", "report", "cli",
)  # fmt: skip

HEAVY = {
    "scipy", "sklearn", "pandas", "torch", "altair", "vl_convert", "matplotlib", "plotly", "gensim",
    "faiss",
}  # fmt: skip


def imported_rooms(file: Path) -> set[str]:
    """First part below acumen of every import in a file, inside functions too."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "acumen":
                rooms |= {alias.name for alias in node.names}
            elif node.module.startswith("acumen."):
                rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith("acumen.")
            }
    return rooms


def test_every_package_has_a_place_in_the_flow() -> None:
    found = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert found <= {*FOUNDATION, *FLOW}


@pytest.mark.parametrize("room", FLOW)
def test_a_package_imports_only_what_stands_to_its_left(room: str) -> None:
    allowed = {*FOUNDATION, *FLOW[: FLOW.index(room) + 1], "__version__"}
    for file in (PACKAGE / room).rglob("*.py"):
        assert imported_rooms(file) <= allowed, file


def test_nouns_and_core_import_nothing_of_ours() -> None:
    for room in ("api", "core"):
        for file in (PACKAGE / room).rglob("*.py"):
            assert imported_rooms(file) <= {room}, file


def test_metrics_and_published_tables_stand_on_the_nouns_alone() -> None:
    for room in ("metrics", "published"):
        for file in (PACKAGE / room).rglob("*.py"):
            assert imported_rooms(file) <= {"api", room}, file


def test_engines_import_only_api_machine_and_files() -> None:
    for file in (PACKAGE / "engines").rglob("*.py"):
        assert imported_rooms(file) <= {"api", "machine", "files", "engines"}, file


@pytest.mark.parametrize(
    "arguments", [["--help"], ["tasks", "list"], ["models", "list"], ["data", "list"]]
)
def test_light_commands_load_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "from acumen.cli import app\n"
        f"app({arguments!r}, standalone_mode=False)\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"ACUMEN_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    assert "acumen" in loaded
    assert loaded & HEAVY == set()


def test_no_file_outgrows_its_purpose() -> None:
    long = {
        str(file.relative_to(PACKAGE)): lines
        for file in PACKAGE.rglob("*.py")
        if (lines := len(file.read_text().splitlines())) > 450
    }
    assert long == {}
