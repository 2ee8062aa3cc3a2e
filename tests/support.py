"""Helpers shared by tests besides fixtures: paths, and the type of the command line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from codeacumen.languages.java.syntax.file import JavaFile
    from codeacumen.runs.plan import Cell
    from codeacumen.transforms.variants import Variant

ROOT = Path(__file__).resolve().parents[1]
# Real data is beside the repository; tests that need it are skipped with the reason if it is
# missing.
SHARED = Path(os.environ.get("CODEACUMEN_SHARED_DATA", ROOT.parent / "shared" / "data"))

T = TypeVar("T")


def is_thorough() -> bool:
    """Return whether this is a thorough run: ``make test THOROUGH=1`` or ``pytest --thorough``. It
    also runs the tests marked ``thorough``, and all cases where other runs try a part."""
    return bool(os.environ.get("CODEACUMEN_THOROUGH"))


def take_every(cases: Sequence[T], every: int = 4) -> Sequence[T]:
    """Return every fourth of many similar cases, or all in a thorough run."""
    return cases if is_thorough() else cases[::every]


# The ``codeacumen`` fixture: the command line in a process of its own.
Codeacumen = Callable[..., subprocess.CompletedProcess[str]]


def pretend_installed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, package: str, module: str, entry_points: str
) -> None:
    """Create a distribution as an installer does, without an installer (tests/test_third_party.py
    installs for real)."""
    (folder / f"{package}.py").write_text(module)
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(folder))


def make_plan(
    references: Sequence[str], task_patterns: Sequence[str], *, skip_unfit: bool = False
) -> tuple[list[Cell], list[str]]:
    """Return the cells of models and tasks, given by name; see ``plan_cells``."""
    from codeacumen.registry import make_model, make_task, select_tasks
    from codeacumen.runs.plan import PlannedTask, plan_cells

    models = [make_model(reference) for reference in dict.fromkeys(references)]
    tasks = [PlannedTask(make_task(name)) for name in select_tasks(task_patterns)]
    return plan_cells(models, tasks, skip_unfit=skip_unfit)


def iterate_variants(
    file: JavaFile,
    kind: str,
    mode: str = "single",
    seed: int = 0,
    methods: Sequence[int] | None = None,
) -> Iterator[Variant]:
    """Yield all variants of these methods of a file, or of all methods with a body."""
    from codeacumen.transforms.variants import find_locations, variants_of_method

    first_kind = kind.split("+")[0]
    for method in file.bodies if methods is None else methods:
        yield from variants_of_method(
            file, find_locations(file, first_kind, method, seed), kind, mode, seed
        )
