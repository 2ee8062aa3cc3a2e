"""Tests of the wheel and the sdist: an installed package works outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from support import ROOT

PACKAGE = "codeacumen"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build wheel and sdist from a copy of the checkout's sources; return both."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile"):
        shutil.copy(ROOT / name, source)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignore)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return wheel, sdist


def test_wheel_holds_the_package_and_nothing_else(distributions: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(distributions[0]).namelist()
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2
    assert PACKAGE in tops
    assert all(top == PACKAGE or top.endswith(".dist-info") for top in tops)
    # Data files that the package reads at run time.
    for suffix in (".csv", ".npz", ".toml", ".txt.xz", ".html", ".css", ".js", "py.typed"):
        assert any(name.endswith(suffix) for name in names), suffix


def test_sdist_holds_what_the_wheel_is_built_from(distributions: tuple[Path, Path]) -> None:
    with tarfile.open(distributions[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", f"src/{PACKAGE}/__init__.py"} <= names


def test_installed_wheel_evaluates_models(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """The wheel alone in a new environment; dependencies come from this one."""
    python = install_wheel(distributions[0], tmp_path / "env", with_dependencies=False)
    assert_evaluates(python, tmp_path)


@pytest.mark.thorough
def test_wheel_installs_its_dependencies_and_checks_names(
    distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    python = install_wheel(distributions[0], tmp_path / "env", with_dependencies=True)
    assert_evaluates(python, tmp_path)
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "quill", project)
    done = run_command(python, tmp_path, "names", "check", str(project), "--format", "json")
    assert done.returncode in (0, 1), done.stderr
    assert json.loads(done.stdout)["findings"]


def install_wheel(wheel: Path, folder: Path, *, with_dependencies: bool) -> Path:
    """Return the Python of a new environment in which the wheel is installed."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if with_dependencies:
        command += ["-c", str(ROOT / "constraints.txt")]
    else:
        command += ["--no-deps", "--no-index"]
        (site,) = folder.glob("lib/python*/site-packages")
        borrowed = [path for path in sys.path if path.endswith("site-packages")]
        (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    subprocess.run([*command, str(wheel)], check=True, capture_output=True)
    return python


def run_command(python: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command outside the checkout."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEACUMEN_HOME": str(home / "home"),
    }
    return subprocess.run(
        [str(python.parent / PACKAGE), *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        text=True,
    )


def assert_evaluates(python: Path, home: Path) -> None:
    where = subprocess.run(
        [str(python), "-c", f"import {PACKAGE}; print({PACKAGE}.__file__)"],
        cwd=home,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(where.stdout.strip()).is_relative_to(python.parents[1])
    done = run_command(python, home, "eval", "-m", "levenshtein", "-t", "abbreviations", "--json")
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert {cell["task"] for cell in cells} == {"abbreviations/match", "abbreviations/expand"}
    assert all(cell["counts"]["failed"] == 0 for cell in cells)
