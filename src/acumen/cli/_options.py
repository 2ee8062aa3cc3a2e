"""Options that several verbs take, and the completion of names."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Rules(StrEnum):
    """Whose rules NPath is counted by."""

    PMD6 = "pmd6"
    PMD7 = "pmd7"
    PMD7_14 = "pmd7.14"


class Split(StrEnum):
    """Which methods of a corpus."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"
    ALL = "all"


def complete_task(incomplete: str) -> list[str]:
    from acumen.registry import names

    return [name for name in names("task") if name.startswith(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    from acumen.registry import names

    return [name for name in names("model") if name.startswith(incomplete)]


def load_plugins(paths: list[Path]) -> None:
    from acumen.registry import load_plugin

    for path in paths:
        load_plugin(path)


def load_data(folders: list[Path] | None) -> None:
    from acumen.datasets.built import load_data as load

    for folder in folders or []:
        load(folder)


def with_data(patterns: list[str] | None, folders: list[Path] | None) -> list[str]:
    """Load data sets, also those that are named with a task, as ``gluecode@DIR``; gives the
    tasks without them."""
    named = [pattern.partition("@") for pattern in patterns or []]
    load_data([*(folders or []), *(Path(folder) for _, at, folder in named if at)])
    return [name for name, _, _ in named]


Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Python file that registers models, tasks or views. Repeatable.",
    ),
]
Data = Annotated[
    list[Path] | None,
    typer.Option(
        "--data", metavar="DIR", help="Data set that `acumen dataset` made, for its tasks. "
        "Repeatable.",
    ),
]  # fmt: skip
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task", "--tasks", "-t", metavar="NAME", autocompletion=complete_task,
        help="Task, or the beginning of several (idbench, idbench/similarity); gluecode@DIR, "
        "identifiers@DIR or names@DIR: of a data set that was built. Repeatable.",
    ),
]  # fmt: skip
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", "-m", metavar="REF", autocompletion=complete_model,
        help="Model, with settings as NAME:KEY=VALUE,... Repeatable.",
    ),
]  # fmt: skip
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
DrawSeed = Annotated[int, typer.Option(min=0, help="Seed of all that is drawn.")]
Workers = Annotated[
    int, typer.Option("--workers", "-j", min=0, help="Processes; 0: one for each core.")
]
Resamples = Annotated[int, typer.Option(min=100, help="Bootstrap samples per interval.")]
Confidence = Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
