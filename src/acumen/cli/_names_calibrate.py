"""``acumen names calibrate``: the checker measured on a repository's own renames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen.cli._options import AsJson, Workers
from acumen.cli._show import bounds, print_json, print_table, progress_bar, say

if TYPE_CHECKING:
    from acumen.checker.calibrate import Calibration, Point


def calibrate(
    repository: Annotated[
        Path, typer.Argument(metavar="REPO", help="Folder of a git repository with its history.")
    ],
    precision: Annotated[
        float,
        typer.Option(min=0.01, max=1, metavar="P", help="Share of findings that should be right."),
    ] = 0.8,
    mined: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Renames that `acumen names mine` wrote; else they are mined now."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE",
            help="Where --write puts the threshold: .acumen.toml of REPO, or pyproject.toml.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the threshold into the settings.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The curve: .png, .svg or .html.")
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(metavar="FILE|none", help="What was learned from other projects."),
    ] = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Measure the checker on the methods that this repository renamed, and choose its threshold.

    A renamed method under its old name is a wrong name; one of the same files that kept its name
    and body is a right one. The model that judges them knows stable methods of other files only.
    With fewer than 20 renames there is no telling, and no threshold.

    Example: acumen names calibrate . --precision 0.8

    Example: acumen names calibrate . --write --plot curve.png
    """
    from acumen.checker.calibrate import (
        FEWEST,
        calibration,
        cases_of,
        judged,
        record,
        rounded,
        table,
    )
    from acumen.checker.calibrate import plot as plotted
    from acumen.checker.calibrate import write_threshold as written
    from acumen.checker.settings import OWN, settings_at

    settings = settings_at(repository)
    known = settings.background if background is None else background
    with progress_bar() as step:
        cases = cases_of(mined or _mined(repository, workers, step))
        told = judged(repository, cases.cases, known, step)
    found = calibration(told, precision)
    if plot is not None:
        plotted(found, plot)
    if as_json:
        print_json({**record(found), "left_out": dict(sorted(cases.left_out.items()))})
    else:
        _shown(found, table(told), dict(sorted(cases.left_out.items())))
    if found.too_few:
        say(f"{found.wrong} renames are too few to choose a threshold by: at least {FEWEST}")
        return
    if found.chosen is None:
        say(f"no threshold gives a precision of {precision:g}")
        return
    threshold = rounded(found.chosen)
    best = found.chosen
    say(
        f"threshold {threshold:g}: precision {best.precision:.2f} "
        f"({bounds(*best.precision_bounds, 2)}), recall {best.recall:.2f}"
    )
    if write:
        file = out or repository / OWN
        written(file, threshold)
        say(f"written: {file}")


def _mined(repository: Path, workers: int, step: object) -> Path:
    """Mined into acumen's own folder: the next time only new commits are read."""
    from acumen.checker.index import Index
    from acumen.datasets import acumen_home
    from acumen.engines import engine
    from acumen.machine import processors
    from acumen.renames.mining import Settings, mine

    index = Index(acumen_home(), repository)
    index.close()
    folder = index.folder / "renames"
    mine([repository], folder, Settings(), engine("local", workers or processors()), step)  # type: ignore[arg-type]
    return folder


def _shown(found: Calibration, points: list[Point], left_out: dict[str, int]) -> None:
    rows = [
        [
            f"{one.threshold:g}", f"{one.told:,}", f"{one.wrong:,}",
            f"{one.precision:.2f}" if one.told else "–",
            bounds(*one.precision_bounds, 2) if one.told else "",
            f"{one.recall:.2f}", bounds(*one.recall_bounds, 2), _bar(one),
        ]
        for one in points
    ]  # fmt: skip
    print_table(
        [
            "threshold",
            "told",
            "renamed",
            "precision",
            "95 %",
            "recall",
            "95 %",
            "precision, recall",
        ],
        rows,
        title=f"{found.wrong:,} renamed methods, {found.right:,} stable ones",
        caption=f"left out: {', '.join(f'{count} {tag}' for tag, count in left_out.items())}"
        if left_out
        else "",
        right=[0, 1, 2, 3, 5],
    )


def _bar(one: Point) -> str:
    """Both shares in twenty columns: the heavy line is precision, the light one recall."""
    width = 20
    precise, found = round(width * one.precision), round(width * one.recall)
    return "".join(
        "━" if i < precise else "─" if i < found else " " for i in range(max(precise, found))
    ).rstrip()
