"""``codeacumen reproduce``: the papers' tables from our own code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._options import AsJson, Resamples, Seed
from codeacumen.cli._show import FOUND_FAILURES, print_json, print_table, progress_bar, say


def _complete_paper() -> list[str]:
    from codeacumen.reproduce import list_papers

    return list_papers()


def reproduce(
    paper: Annotated[str, typer.Argument(help="Which paper.", autocompletion=_complete_paper)],
    seed: Seed = 0,
    resamples: Resamples = 2000,
    as_json: AsJson = False,
    trained: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="idbench: embeddings of yours, in folders of this one, beside "
            "the published.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Compute a paper's tables again: ours, published, difference, verdict.

    The exit code is 1 if a cell is outside its tolerance.

    Example: codeacumen reproduce idbench

    Example: codeacumen reproduce idbench --trained embeddings

    Example: codeacumen reproduce generalizability

    Example: codeacumen reproduce sesame

    Example: codeacumen reproduce rename4j
    """
    from dataclasses import asdict

    from codeacumen.reproduce import RecipeOptions
    from codeacumen.reproduce import reproduce as compute
    from codeacumen.runs.scoring import Settings

    with progress_bar() as step:
        settings = Settings(seed=seed, resamples=resamples)
        reproduction = compute(paper, RecipeOptions(settings, step, trained))
    if as_json:
        print_json([asdict(cell) for cell in reproduction.cells])
    else:
        for table in reproduction.tables:
            print_table(
                table.columns,
                table.rows,
                title=table.title,
                caption=table.caption,
                right=table.numeric,
            )
            if table.footer:
                typer.echo(table.footer)
    if reproduction.outside:
        say(f"{len(reproduction.outside)} cells are outside their tolerance")
        raise typer.Exit(FOUND_FAILURES)
