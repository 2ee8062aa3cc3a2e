"""``codeacumen dataset build renames`` and ``misnamed``: data sets of method names."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from codeacumen.cli._options import AsJson, CorpusFolder, DatasetFolder, Seed, Split, parse_shares
from codeacumen.cli._output import print_facts, print_json, print_table
from codeacumen.text.numbers import format_number


class By(StrEnum):
    """Unit that is never divided between splits."""

    PROJECT = "project"
    FILE = "file"


class Undecided(StrEnum):
    """Renames from reviews to include although nobody has decided on them."""

    CLEAR = "clear"
    INCLUDE = "include"
    EXCLUDE = "exclude"


def build_renames(
    renames: Annotated[
        list[Path],
        typer.Argument(
            metavar="RENAMES...", help="Folders that `renames mine` or `renames reviews` wrote."
        ),
    ],
    out: DatasetFolder,
    decisions: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Review file with decisions. Repeatable."),
    ] = None,
    undecided: Annotated[
        Undecided,
        typer.Option(
            help="Which undecided renames from reviews to include: accepted ones whose new name "
            "stands in the comment (clear), all (include), or none (exclude)."
        ),
    ] = Undecided.CLEAR,
    tags: Annotated[
        str | None,
        typer.Option(
            "--without", metavar="TAGS", help="Leave out renames with these tags: typo,example,..."
        ),
    ] = None,
    splits: Annotated[
        str, typer.Option(metavar="TRAIN/DEV/TEST", help="Shares of the cases in each split.")
    ] = "0/0/100",
    by: Annotated[By, typer.Option(help="Unit that is never divided between splits.")] = By.PROJECT,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Renamed methods and stable methods of the same files, in splits without leaks.

    Training has no file of a test method and no near-duplicate of a test method. The data card
    compares the lengths of the names with those in ReName4J.

    Examples:
        codeacumen dataset build renames mined --out renames
        codeacumen dataset build renames mined reviews --splits 60/10/30 --by file --out renames
    """
    from codeacumen.interface.datasets import build_dataset

    about = build_dataset(
        "renames",
        renames,
        out,
        decisions=decisions or (),
        undecided=undecided.value,
        without=None if tags is None else list(filter(None, tags.split(","))),
        splits=parse_shares(splits),
        by=by.value,
        seed=seed,
    )
    if as_json:
        print_json(about)
    else:
        _print_renames(out, about)


def _print_renames(out: Path, about: Any) -> None:
    counts = about["counts"]
    splits = list(counts["cases"])
    rows = [
        [name, *(f"{counts[name][split]:,}" for split in splits)]
        for name in ("cases", "stable", "projects", "files")
    ]
    print_table(["", *splits], rows, title=str(out), right=range(1, 4))
    names = counts["names"]
    means = [(f"{kind} names", names[kind]) for kind in ("old", "new", "stable")]
    rows = [
        [kind, format_number(mean["characters"], 2), format_number(mean["subtokens"], 2)]
        for kind, mean in [*means, *names["published"].items()]
    ]
    print_table(["mean of", "characters", "subtokens"], rows, right=(1, 2))
    if counts["dropped"]:
        print_facts("Left out", [(reason, f"{n:,}") for reason, n in counts["dropped"].items()])
    typer.echo(f"next: codeacumen eval -t renames@{out}")


def build_misnamed(
    corpus: CorpusFolder,
    out: DatasetFolder,
    beside: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stable methods for each misnamed one.")
    ] = 33,
    limit: Annotated[
        int, typer.Option(min=0, metavar="N", help="Maximum number of misnamed methods; 0: all.")
    ] = 0,
    split: Annotated[
        Split, typer.Option(help="Only methods of this split of the corpus.")
    ] = Split.ALL,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Liu et al.'s misnamed methods among stable methods of a corpus, as rare as in practice.

    No model should have learned from the corpus. If one has learned from a split, select another
    with --split. The result is the same to the byte for the same corpus and seed.

    Examples:
        codeacumen dataset build misnamed corpus --out misnamed
    """
    from codeacumen.interface.datasets import build_dataset

    about = build_dataset(
        "misnamed", corpus, out, beside=beside, limit=limit, split=split.value, seed=seed
    )
    if as_json:
        print_json(about)
        return
    counts = about["counts"]
    print_facts(
        str(out),
        [
            ("misnamed", f"{counts['cases']:,} of {counts['inconsistent']:,}"),
            ("stable", f"{counts['sampled']:,} of {counts['eligible']:,}, {beside} for each"),
            ("projects", f"{counts['projects']:,}"),
        ],
    )
    typer.echo(f"next: codeacumen eval -t misnamed@{out}")
