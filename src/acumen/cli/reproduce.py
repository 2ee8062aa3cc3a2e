"""``acumen reproduce``: the papers' tables from our own code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from acumen.cli._options import AsJson, Resamples, Seed
from acumen.cli._show import (
    FOUND_FAILURES,
    bounds,
    number,
    print_json,
    print_table,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    from acumen.runs.reproduce import ReproducedCell

PAPERS = ("idbench",)


def reproduce(
    paper: Annotated[str, typer.Argument(help="Which paper.", autocompletion=lambda: list(PAPERS))],
    seed: Seed = 0,
    resamples: Resamples = 2000,
    as_json: AsJson = False,
) -> None:
    """Compute a paper's tables again: ours, published, difference, verdict.

    The exit code is 1 if a cell is outside its tolerance.

    Example: acumen reproduce idbench
    """
    from dataclasses import asdict

    from acumen.api import AcumenError
    from acumen.runs.reproduce import OUTSIDE, idbench
    from acumen.runs.scoring import Settings

    if paper not in PAPERS:
        raise AcumenError(f"no tables of {paper!r} here", f"there are: {', '.join(PAPERS)}")
    with progress_bar() as step:
        cells = idbench.reproduce(Settings(seed=seed, resamples=resamples), step)
    outside = [cell for cell in cells if cell.verdict == OUTSIDE]
    if as_json:
        print_json([asdict(cell) for cell in cells])
    else:
        _print_figure_2([cell for cell in cells if cell.table == "figure 2"])
        _print_figure_3([cell for cell in cells if cell.table == "figure 3"])
        _print_columns([cell for cell in cells if cell.table == "columns"])
    if outside:
        say(f"{len(outside)} cells are outside their tolerance")
        raise typer.Exit(FOUND_FAILURES)


def _print_figure_2(cells: list[ReproducedCell]) -> None:
    print_table(
        ["task", "size", "technique", "n", "ours", "published", "difference", "verdict",
         "95% interval", "people", "remark"],
        [
            [c.task, c.size, c.technique, str(c.n), number(c.ours, 4), number(c.published, 4),
             _signed(c.difference), c.verdict,
             bounds(c.low, c.high), number(c.ceiling, 2), c.note]
            for c in cells
        ],
        title="Figure 2: Spearman's rank correlation with the ratings",
        caption=(
            "Scored on complete: the pairs that every published technique scores, as in the "
            "paper. People: agreement between raters (Krippendorff's α, Table II); none was "
            "published for contextual similarity."
        ),
        right=(3, 4, 5, 6, 9),
    )  # fmt: skip
    within = sum(cell.verdict == "within" for cell in cells)
    typer.echo(f"{within} of {len(cells)} cells within tolerance "
               "(0.0005 for the seven techniques, 0.02 for the ensemble: dictionaries differ)\n"
               )  # fmt: skip


def _signed(value: float | None) -> str:
    # Rounded first, so that no cell reads -0.0000.
    return "–" if value is None else f"{round(value, 4) + 0.0:+.4f}"


def _print_figure_3(cells: list[ReproducedCell]) -> None:
    techniques = list(dict.fromkeys(cell.technique for cell in cells))
    rows = []
    for subset in dict.fromkeys(cell.subset for cell in cells):
        for task in dict.fromkeys(cell.task for cell in cells):
            found = {c.technique: c for c in cells if c.subset == subset and c.task == task}
            rows.append(
                [subset, task, str(next(iter(found.values())).n)]
                + [
                    f"{number(found[t].ours, 2)} ({bounds(found[t].low, found[t].high, 2)})"
                    for t in techniques
                ]
            )
    print_table(
        ["subset", "task", "n", *techniques],
        [[cell.replace(" to ", "…") for cell in row] for row in rows],
        title="Figure 3: subsets of the pairs, with 95 % intervals",
        caption=(
            "The paper draws this figure without numbers, so there is none to compare with. "
            "The subsets are tiny: most intervals hold both a strong agreement and a "
            "disagreement. Scored on complete pairs of the large set, from which the "
            "published subsets were drawn."
        ),
        right=(2,),
    )
    short = [c.ours for c in cells if c.subset == "abbreviations" and c.ours is not None]
    negative = sum(round(value, 9) < 0 for value in short)
    typer.echo(
        "The paper's text: more than half of the correlations for abbreviations are negative. "
        f"Ours: {negative} of {len(short)}.\n"
    )


def _print_columns(cells: list[ReproducedCell]) -> None:
    for technique in dict.fromkeys(cell.technique for cell in cells):
        equal = sum(int(c.ours or 0) for c in cells if c.technique == technique)
        rows = sum(c.n for c in cells if c.technique == technique)
        typer.echo(f"{technique} from scratch: {equal} of {rows} published rows equal")
