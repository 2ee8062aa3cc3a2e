"""``acumen tasks build names``: stable methods of a corpus, to stand beside Liu's wrong names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli._options import AsJson, DrawSeed, Split
from acumen.cli._show import print_facts, print_json, progress_bar


def names(
    corpus: Annotated[Path, typer.Option("--corpus", metavar="DIR", help="Folder of a corpus.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the data set.")
    ],
    beside: Annotated[
        int, typer.Option(min=1, metavar="N", help="Stable methods to each inconsistent one.")
    ] = 33,
    cases: Annotated[
        int, typer.Option(min=0, metavar="N", help="Inconsistent methods at most; 0: all.")
    ] = 0,
    split: Annotated[
        Split, typer.Option(help="Only methods of this split of the corpus.")
    ] = Split.ALL,
    seed: DrawSeed = 0,
    as_json: AsJson = False,
) -> None:
    """Wrong names as rare as they are: each of Liu's among stable methods.

    The corpus should hold no project that a model has learned from, or --split names those that
    none has. The result is the same to the byte for the same corpus and seed.

    Example: acumen tasks build names --corpus corpus --out realistic
    """
    from acumen.corpus import Corpus
    from acumen.tasks.names.build import Recipe, build

    with progress_bar() as step:
        about = build(Corpus.open(corpus), Recipe(seed, beside, cases, split.value), out, step)
    if as_json:
        print_json(about)
        return
    counts = about["counts"]
    print_facts(
        str(out),
        [
            ("inconsistent", f"{counts['cases']:,} of {counts['inconsistent']:,}"),
            ("beside them", f"{counts['drawn']:,} of {counts['eligible']:,}, {beside} to each"),
            ("projects", f"{counts['projects']:,}"),
        ],
    )
    typer.echo(f"next: acumen eval --tasks names@{out}")
