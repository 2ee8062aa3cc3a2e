"""What tests share besides fixtures: where things are, and what the command line is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Real data lies beside the repository; tests that need it skip with the reason where it is
# missing.
SHARED = Path(os.environ.get("CODEACUMEN_SHARED_DATA", ROOT.parent / "shared" / "data"))

T = TypeVar("T")


def is_thorough() -> bool:
    """Whether this is a thorough run: ``make test THOROUGH=1`` or ``pytest --thorough``. It runs
    the tests that are marked ``thorough`` and tries all cases where others try a part."""
    return bool(os.environ.get("CODEACUMEN_THOROUGH"))


def some(cases: Sequence[T], every: int = 4) -> Sequence[T]:
    """Return every fourth of many like cases, all in a thorough run."""
    return cases if is_thorough() else cases[::every]


# The ``codeacumen`` fixture: the command line in a process of its own.
Codeacumen = Callable[..., subprocess.CompletedProcess[str]]


def pretend_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, module: str, entry_points: str
) -> None:
    """Lay out a distribution as an installer does, without one (tests/test_third_party.py
    installs for real)."""
    (folder / f"{package}.py").write_text(module)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(folder))
