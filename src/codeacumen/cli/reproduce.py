"""``codeacumen reproduce``: the tables of papers, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import AsJson, BootstrapSeed, Resamples
from codeacumen.cli._output import print_json, print_note, print_table
from codeacumen.core.progress import show_progress


def complete_paper(incomplete: str) -> list[str]:
    from codeacumen.reproduce import list_papers

    return [paper for paper in list_papers() if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            help="Paper: idbench, generalizability, sesame or rename4j.",
            autocompletion=complete_paper,
        ),
    ],
    seed: BootstrapSeed = 0,
    resamples: Resamples = 2000,
    embeddings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="idbench: compare trained embeddings, in folders of DIR, too."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute a paper's tables: our number, the published one, the difference, a verdict.

    The exit code is 1 if a number is outside its tolerance.

    Examples:
        codeacumen reproduce idbench
        codeacumen reproduce idbench --embeddings embeddings
        codeacumen reproduce rename4j --json
    """
    from dataclasses import asdict

    from codeacumen.reproduce import RecipeOptions
    from codeacumen.reproduce import reproduce_paper as compute_tables
    from codeacumen.runs.scoring import ScoringSettings

    with show_progress() as report:
        settings = ScoringSettings(seed=seed, resamples=resamples)
        reproduction = compute_tables(paper, RecipeOptions(settings, report, embeddings))
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
        print_note(f"numbers outside their tolerance: {len(reproduction.outside)}")
        raise typer.Exit(FOUND_FAILURES)
