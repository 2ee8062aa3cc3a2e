"""``codeacumen reproduce``: the papers' tables from our own code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._options import AsJson, Resamples, Seed
from codeacumen.cli._show import (
    FOUND_FAILURES,
    bounds,
    number,
    print_json,
    print_table,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from codeacumen.reproduce import ReproducedCell

PAPERS = ("idbench", "generalizability", "sesame", "rename4j")


def reproduce(
    paper: Annotated[str, typer.Argument(help="Which paper.", autocompletion=lambda: list(PAPERS))],
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

    from codeacumen.api import CodeacumenError
    from codeacumen.reproduce import OUTSIDE, generalizability, idbench, rename4j, sesame
    from codeacumen.runs.scoring import Settings

    if paper not in PAPERS:
        raise CodeacumenError(f"no tables of {paper!r} here", f"there are: {', '.join(PAPERS)}")
    if trained is not None and paper != "idbench":
        raise CodeacumenError("--trained is for idbench")
    if paper == "idbench":
        with progress_bar() as step:
            cells = idbench.reproduce(Settings(seed=seed, resamples=resamples), step, trained)
    elif paper == "sesame":
        cells = sesame.reproduce()
    elif paper == "rename4j":
        cells = rename4j.reproduce()
    else:
        cells = generalizability.reproduce()
    outside = [cell for cell in cells if cell.verdict == OUTSIDE]
    if as_json:
        print_json([asdict(cell) for cell in cells])
    elif paper == "idbench":
        _print_figure_2([cell for cell in cells if cell.table == "figure 2"])
        _print_trained([cell for cell in cells if cell.table == "trained"])
        _print_figure_3([cell for cell in cells if cell.table == "figure 3"])
        _print_columns([cell for cell in cells if cell.table == "columns"])
    elif paper == "sesame":
        _print_figures(cells)
    elif paper == "rename4j":
        _print_checks(cells, rename4j.CHECKS, "ReName4J's published numbers")
        _print_names(outside)
    else:
        _print_checks(
            cells, generalizability.CHECKS, "The generalizability study's published numbers"
        )
        _print_wrong(outside)
    if outside:
        say(f"{len(outside)} cells are outside their tolerance")
        raise typer.Exit(FOUND_FAILURES)


def _print_checks(cells: list[ReproducedCell], checks: Mapping[str, str], title: str) -> None:
    rows = []
    for check, what in checks.items():
        verdicts = [cell.verdict for cell in cells if cell.table == check]
        within = verdicts.count("within")
        rows.append([check, what, str(len(verdicts)), str(within), str(len(verdicts) - within)])
    print_table(
        ["check", "what must hold", "numbers", "hold", "do not"], rows,
        title=title, right=(2, 3, 4),
    )  # fmt: skip


def _print_wrong(cells: list[ReproducedCell]) -> None:
    if not cells:
        return
    print_table(
        ["check", "data set", "transformation", "model", "number", "n", "printed", "should be",
         "difference", "remark"],
        [
            [c.table, c.size, c.task, c.technique, c.subset, f"{c.n:,}", number(c.published, 2),
             number(c.ours, 3), _signed(c.difference), c.note]
            for c in cells
        ],
        title="What does not add up",
        caption=(
            "Should be: the value that the other published numbers give; for whole and runs, the "
            "possible value that is nearest."
        ),
        right=(5, 6, 7, 8),
    )  # fmt: skip


def _print_names(cells: list[ReproducedCell]) -> None:
    if not cells:
        return
    print_table(
        ["check", "model", "number", "n", "printed", "should be", "difference", "remark"],
        [
            [c.table, c.technique, c.subset, f"{c.n:,}" if c.n else "–", number(c.published, 2),
             number(c.ours, 2), _signed(c.difference), c.note]
            for c in cells
        ],
        title="What does not add up",
        caption="Should be: the value that the other published numbers give.",
        right=(3, 4, 5, 6),
    )  # fmt: skip


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


def _print_trained(cells: list[ReproducedCell]) -> None:
    if not cells:
        return
    print_table(
        ["task", "size", "embedding", "n", "ours", "published", "difference", "95% interval",
         "people", "coverage"],
        [
            [c.task, c.size, c.technique, str(c.n), number(c.ours, 4), number(c.published, 4),
             _signed(c.difference), bounds(c.low, c.high), number(c.ceiling, 2), c.note]
            for c in cells
        ],
        title="Figure 2: embeddings trained here, beside the published ones of the same technique",
        caption=(
            "On the complete pairs, as above, as far as both names have a vector. The published "
            "ones were trained on other code, so they need not be equal."
        ),
        right=(3, 4, 5, 6, 8),
    )  # fmt: skip


def _print_figures(cells: list[ReproducedCell]) -> None:
    print_table(
        ["figure", "n", "ours", "published", "difference", "verdict", "remark"],
        [
            [c.task, str(c.n), _plain(c.ours), _plain(c.published), _signed(c.difference),
             c.verdict, c.note]
            for c in cells
        ],
        title="SeSaMe's votes, section II-D",
        caption="n: the pairs that a figure stands on.",
        right=(1, 2, 3, 4),
    )  # fmt: skip


def _plain(value: float | None) -> str:
    return number(value, 0 if value is not None and value == int(value) else 4)


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
