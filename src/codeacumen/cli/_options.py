"""Options that several commands share, with the completion and parsing of their values."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.api import CodeacumenError


class Rules(StrEnum):
    """Version of PMD whose rules NPath follows."""

    PMD6 = "pmd6"
    PMD7 = "pmd7"
    PMD7_14 = "pmd7.14"


class Split(StrEnum):
    """Split of a corpus."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"
    ALL = "all"


class Level(StrEnum):
    """Level of the checks of variants; each level includes the levels before it."""

    NONE = "none"
    PARSES = "parses"
    BINDS = "binds"
    COMPILES = "compiles"


def complete_task(incomplete: str) -> list[str]:
    from codeacumen.registry import list_names

    return [name for name in list_names("task") if name.startswith(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    from codeacumen.registry import list_names

    return [name for name in list_names("model") if name.startswith(incomplete)]


def complete_view(incomplete: str) -> list[str]:
    from codeacumen.registry import list_names

    return [name for name in [*list_names("view"), "calls"] if name.startswith(incomplete)]


def complete_kind(incomplete: str) -> list[str]:
    from codeacumen.transforms.variants import KINDS, PUBLISHED

    kind_names = [*KINDS, "all", "published", *PUBLISHED]
    return [name for name in kind_names if name.startswith(incomplete)]


Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Load a Python file that registers models, tasks or views. Repeatable.",
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        "-t",
        metavar="NAME[@DIR]",
        autocompletion=complete_task,
        help="Task, or a group of tasks (idbench, idbench/similarity). NAME@DIR takes them from "
        "the data set in the folder DIR. Repeatable.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=complete_model,
        help="Model with its settings. Repeatable.",
    ),
]
CorpusFolder = Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of a corpus.")]
Corpora = Annotated[list[Path], typer.Argument(metavar="CORPUS...", help="Folders of corpora.")]
DatasetFolder = Annotated[
    Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
]
BootstrapSeed = Annotated[int, typer.Option("--seed", min=0, help="Random seed of the bootstrap.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]
Workers = Annotated[
    int, typer.Option("--workers", "-j", min=0, help="Number of processes; 0: one for each core.")
]
EngineName = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="local|ray[:ADDRESS]",
        help="Engine: processes on this machine, or a Ray cluster.",
    ),
]
Resamples = Annotated[int, typer.Option(min=100, help="Bootstrap resamples for each interval.")]
Confidence = Annotated[
    float, typer.Option(min=0.5, max=0.999, help="Confidence level of the intervals.")
]
InstanceLimit = Annotated[
    int,
    typer.Option(
        "--limit",
        min=0,
        metavar="N",
        help="Ask models only the first N instances of each task; 0: all.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        "-k",
        metavar="NAME",
        autocompletion=complete_kind,
        help="Transformation: rename, permute, unused, loop, switch, boolean, or several in "
        "sequence (rename+loop); published: the six as the study's own tool makes them. "
        "Default: all six. Repeatable.",
    ),
]
ClassPath = Annotated[
    str, typer.Option(metavar="PATHS", help="Class path that javac needs to compile the projects.")
]
VariantLimit = Annotated[
    int,
    typer.Option(
        "--limit",
        min=0,
        metavar="N",
        help="Maximum number of variants for each kind and mode; 0: no limit.",
    ),
]
CERTIFY = "Level to which each variant is checked; each level includes the levels before it."
Certify = Annotated[Level, typer.Option(help=CERTIFY)]
MethodSplit = Annotated[Split, typer.Option(help="Splits of the corpus to take methods from.")]
PairLimit = Annotated[
    int, typer.Option("--limit", "-n", min=1, metavar="N", help="Maximum number of pairs.")
]


def where_option(default: str) -> Any:
    """Return the option ``--where``, which selects the places to transform."""
    return typer.Option(
        "--where",
        "-w",
        metavar="MODE",
        help="single: one place at a time; all: every place of a method at once; 25% (or another "
        "share): that share of a method's places, if it has four or more. Repeatable. "
        f"Default: {default}.",
    )


def load_plugins(paths: Sequence[Path] | None) -> None:
    """Import the plug-in files."""
    from codeacumen.registry import load_plugin

    for path in paths or []:
        load_plugin(path)


def load_datasets(tasks: Sequence[str] | None) -> list[str]:
    """Load the data sets of tasks given as ``NAME@DIR``; return all names, without folders."""
    from codeacumen.datasets.built import load_named_data

    return load_named_data(tasks or [])


def parse_shares(text: str) -> tuple[int, int, int]:
    """Parse the shares of train, dev and test from a text such as ``80/10/10``."""
    parts = text.split("/")
    is_valid = len(parts) == 3 and all(part.strip().isdecimal() for part in parts)
    if not is_valid or not any(map(int, parts)):
        raise CodeacumenError(
            f"--splits {text}: not three whole numbers, or all are 0",
            "write train/dev/test, such as 80/10/10",
        )
    return int(parts[0]), int(parts[1]), int(parts[2])
