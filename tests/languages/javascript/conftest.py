"""Fixtures that run acorn as an oracle and fetch real packages for it through npm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

HERE = Path(__file__).parent
ORACLE = ("acorn@8.15.0", "acorn-jsx@5.3.2")
# Old and new style, scripts and modules; the last is published with its JSX.
REAL_PACKAGES = (
    "lodash@4.17.21",
    "express@4.21.2",
    "react@18.3.1",
    "d3-scale@4.0.2",
    "gatsby-theme-blog@4.0.0",
)

RunOracle = Callable[..., Iterator[tuple[Path, dict[str, Any]]]]


@pytest.fixture(scope="session")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds each package in a folder of its name, without dependencies."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no Node.js here: acorn, the oracle, needs it")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "npm"
    with FileLock(shared / "npm.lock"):
        if not folder.exists():
            packed = shared / "packed"
            packed.mkdir(exist_ok=True)
            _pack_packages(packed)
            _unpack_packages(packed, shared / "unpacked")
            (shared / "unpacked").rename(folder)
    return folder


def _pack_packages(folder: Path) -> None:
    try:
        completed = subprocess.run(
            ["npm", "pack", "--fetch-retries=0", "--fetch-timeout=20000", *ORACLE, *REAL_PACKAGES],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm does not answer: acorn, the oracle, and real packages come through it")
    if completed.returncode != 0:
        error_line = next((line for line in completed.stderr.splitlines() if "error" in line), "")
        pytest.skip(f"npm cannot fetch acorn, the oracle, and real packages: {error_line}")


def _unpack_packages(packed: Path, folder: Path) -> None:
    for package in (*ORACLE, *REAL_PACKAGES):
        name, _, version = package.partition("@")
        (folder / f"{name}.tgz").mkdir(parents=True)
        # Python's tarfile needs a filter from some release of 3.11 on and rejects it before.
        archive = packed / f"{name}-{version}.tgz"
        subprocess.run(["tar", "-xzf", archive, "-C", folder / f"{name}.tgz"], check=True)
        # The name of the one folder in the archive varies.
        (unpacked,) = (folder / f"{name}.tgz").iterdir()
        unpacked.rename(folder / name)


@pytest.fixture(scope="session")
def real_files(npm: Path) -> list[Path]:
    return sorted(
        file
        for package in REAL_PACKAGES
        for file in (npm / package.partition("@")[0]).rglob("*")
        if file.suffix in (".js", ".mjs", ".cjs") and file.is_file()
    )


@pytest.fixture(scope="session")
def acorn(npm: Path, tmp_path_factory: pytest.TempPathFactory) -> RunOracle:
    """Return a function that runs a Node program of this folder and yields its record per file."""

    def run_oracle(program: str, files: list[Path], *options: object) -> Iterator[tuple[Path, Any]]:
        list_path = tmp_path_factory.mktemp("acorn") / "files.txt"
        list_path.write_text("".join(f"{file}\n" for file in files))
        completed = subprocess.run(
            ["node", str(HERE / f"{program}.js"), str(npm), str(list_path), *map(str, options)],
            check=True,
            capture_output=True,
            text=True,
        )
        # splitlines would also split at Unicode line breaks, which JSON does not escape.
        for line in completed.stdout.split("\n")[:-1]:
            record = json.loads(line)
            yield Path(record.pop("file")), record

    return run_oracle


@pytest.fixture(scope="session")
def hard() -> Path:
    return HERE / "hard.js"
