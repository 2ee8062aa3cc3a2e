"""acorn as an oracle, and real packages to ask it about, fetched through npm."""

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
REAL = (
    "lodash@4.17.21",
    "express@4.21.2",
    "react@18.3.1",
    "d3-scale@4.0.2",
    "gatsby-theme-blog@4.0.0",
)

Asked = Callable[..., Iterator[tuple[Path, dict[str, Any]]]]


@pytest.fixture(scope="session")
def npm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages, each in a folder of its name; their dependencies are not."""
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
            _pack(packed)
            _unpack(packed, shared / "unpacked")
            (shared / "unpacked").rename(folder)
    return folder


def _pack(folder: Path) -> None:
    try:
        done = subprocess.run(
            ["npm", "pack", "--fetch-retries=0", "--fetch-timeout=20000", *ORACLE, *REAL],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=240,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("npm does not answer: acorn, the oracle, and real packages come through it")
    if done.returncode != 0:
        complaint = next((line for line in done.stderr.splitlines() if "error" in line), "")
        pytest.skip(f"npm cannot fetch acorn, the oracle, and real packages: {complaint}")


def _unpack(packed: Path, folder: Path) -> None:
    for package in (*ORACLE, *REAL):
        name, _, version = package.partition("@")
        (folder / f"{name}.tgz").mkdir(parents=True)
        # Early releases of Python 3.11 unpack without a filter only, later ones warn of that.
        archive = packed / f"{name}-{version}.tgz"
        subprocess.run(["tar", "-xzf", archive, "-C", folder / f"{name}.tgz"], check=True)
        # Whatever the archive calls its one folder.
        (inside,) = (folder / f"{name}.tgz").iterdir()
        inside.rename(folder / name)


@pytest.fixture(scope="session")
def real_files(npm: Path) -> list[Path]:
    return sorted(
        file
        for package in REAL
        for file in (npm / package.partition("@")[0]).rglob("*")
        if file.suffix in (".js", ".mjs", ".cjs") and file.is_file()
    )


@pytest.fixture(scope="session")
def acorn(npm: Path, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Runs a program of this folder on files; gives what it prints of each."""

    def ask(program: str, files: list[Path], *more: object) -> Iterator[tuple[Path, Any]]:
        listed = tmp_path_factory.mktemp("acorn") / "files.txt"
        listed.write_text("".join(f"{file}\n" for file in files))
        done = subprocess.run(
            ["node", str(HERE / f"{program}.js"), str(npm), str(listed), *map(str, more)],
            check=True,
            capture_output=True,
            text=True,
        )
        # Not splitlines: JSON leaves some of Unicode's line breaks as they are.
        for line in done.stdout.split("\n")[:-1]:
            found = json.loads(line)
            yield Path(found.pop("file")), found

    return ask


@pytest.fixture(scope="session")
def hard() -> Path:
    return HERE / "hard.js"
