"""List the tasks and models for ``tasks list`` and ``models list``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codeacumen.registry import (
    Entry,
    find_entry,
    list_data_families,
    list_names,
    list_summaries,
    make_task,
)

MODELS = "Models"
PUBLISHED = "Published scores"
NEED_ARGUMENT = "Models that need an argument or a package"
BOUNDS = "Baselines and bounds"
_GROUPS = (MODELS, PUBLISHED, NEED_ARGUMENT, BOUNDS)

# Origin of the models and tasks of this package; others have the name of their package or file.
_BUILT_IN = "codeacumen"


@dataclass(frozen=True, slots=True)
class BenchmarkState:
    """A benchmark and whether its data is available.

    ``state`` is ``ready``, or a text with the command that downloads the data. With ``is_unbuilt``,
    the benchmark has no tasks yet and ``state`` is the command that builds it.
    """

    name: str
    state: str
    is_unbuilt: bool = False


def list_models() -> list[dict[str, Any]]:
    """Return name, summary, origin and group of every model, sorted by group."""
    rows = [
        {"name": name, "summary": summary, "origin": origin, "group": _find_group(name, origin)}
        for name, summary, origin in list_summaries("model")
    ]
    return sorted(rows, key=lambda row: _GROUPS.index(row["group"]))


def _find_group(name: str, origin: str) -> str:
    if origin != _BUILT_IN:
        return MODELS  # do not import another package only to list its models
    return find_model_group(find_entry("model", name))


def find_model_group(model: Entry) -> str:
    """Return the group in which ``models list`` shows a model."""
    if model.is_published:
        return PUBLISHED
    if model.needs:
        return NEED_ARGUMENT
    return BOUNDS if model.is_baseline else MODELS


def list_tasks(patterns: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return name, summary, origin and benchmark of the tasks, and whether their data is
    ``installed``.

    ``patterns`` select tasks as in ``codeacumen eval -t``; None: all. ``command`` downloads the
    data of a task if it is missing. Benchmarks without a loaded data set have no tasks yet;
    ``list_benchmarks`` lists them.
    """
    from codeacumen.registry import select_tasks

    chosen = None if patterns is None else set(select_tasks(patterns))
    rows = []
    for name, summary, origin in list_summaries("task"):
        if chosen is None or name in chosen:
            # Do not import another package only to list its tasks.
            command = _find_command(name) if origin == _BUILT_IN else ""
            rows.append(
                {
                    "name": name,
                    "summary": summary,
                    "origin": origin,
                    "benchmark": name.split("/")[0],
                    "installed": not command,
                    "command": command,
                }
            )
    return rows


def _find_command(name: str) -> str:
    """Return the command that downloads the data of a task; empty if the data is available."""
    from codeacumen.datasets import CATALOGUE, missing_files

    data = CATALOGUE.get(make_task(name).card.dataset)
    return f"codeacumen dataset get {data.name}" if data and missing_files(data) else ""


def list_benchmarks(tasks: Sequence[dict[str, Any]]) -> list[BenchmarkState]:
    """Return the benchmarks of these rows of ``list_tasks``.

    If the rows are all tasks, add the benchmarks whose data set is not built or not loaded.
    """
    states: dict[str, BenchmarkState] = {}
    for row in tasks:
        name = row["benchmark"]
        state = "ready" if row["installed"] else f"get the data with: {row['command']}"
        states.setdefault(name, BenchmarkState(name, state))
    if len(tasks) == len(list_names("task")):
        for family in list_data_families():
            unbuilt = BenchmarkState(family.name, family.build_command, is_unbuilt=True)
            states.setdefault(family.name, unbuilt)
    return list(states.values())
