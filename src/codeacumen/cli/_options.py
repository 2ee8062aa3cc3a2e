"""Options that several commands take, the completion of their values, and what they select."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

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
    from codeacumen.registry import names

    return [name for name in names("task") if name.startswith(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    from codeacumen.registry import names

    return [name for name in names("model") if name.startswith(incomplete)]


def load_plugins(paths: list[Path]) -> None:
    from codeacumen.registry import load_plugin

    for path in paths:
        load_plugin(path)


def load_data(folders: list[Path] | None) -> None:
    from codeacumen.datasets.built import load_data as load

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
        "--data", metavar="DIR", help="Data set that `codeacumen dataset` made, for its tasks. "
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
DataSetFolder = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
]
CorpusFolder = Annotated[Path, typer.Option("--corpus", metavar="DIR", help="Folder of a corpus.")]
MostVariants = Annotated[
    int, typer.Option(min=0, metavar="N", help="Variants to keep of a kind and mode; 0: all.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def complete_kind(incomplete: str) -> list[str]:
    from codeacumen.transforms.variants import KINDS, PUBLISHED

    known = [*KINDS, "all", "published", *PUBLISHED]
    return [name for name in known if name.startswith(incomplete)]


Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", "-k", metavar="NAME", autocompletion=complete_kind,
        help="rename, permute, unused, loop, switch, boolean (or VN, PS, UN, LX, SF, BX); "
        "several in a row: rename+loop. All six by default; published: as the study's own tool "
        "makes them, marked, not dropped, where they are wrong. Repeatable.",
    ),
]  # fmt: skip
ClassPath = Annotated[
    str, typer.Option(metavar="PATHS", help="Libraries javac needs to compile the projects.")
]
CERTIFY = "How far each variant is checked; each level holds the former."


def where_option(default: str) -> Any:
    return typer.Option(
        "--where", "-w", metavar="MODE",
        help="single: one program a place; all: every place of a method at once; 25%: that "
        f"share of the places, where there are four or more. Repeatable. Default: {default}.",
    )  # fmt: skip


def asked_kinds(kind: Sequence[str] | None) -> tuple[str, ...]:
    """The transformations that are meant, each once."""
    from codeacumen.transforms.variants import KINDS, PUBLISHED, kind_of

    groups = {"all": [*KINDS], "published": [*PUBLISHED]}
    asked = [one for name in kind or ["all"] for one in groups.get(name, [name])]
    return tuple(dict.fromkeys(kind_of(one) for one in asked))


def asked_modes(where: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """The modes that are meant, each once; an error if there is no such mode."""
    from codeacumen.transforms.location import share_of

    modes = tuple(dict.fromkeys(where or default))
    for mode in modes:
        share_of(mode)
    return modes
