"""``codeacumen names check`` and ``calibrate``: find wrong method names, and measure the
checker."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._options import AsJson, Workers
from codeacumen.cli._show import (
    FOUND_FAILURES,
    bounds,
    print_json,
    print_table,
    printable,
    progress_bar,
    say,
)

if TYPE_CHECKING:
    from codeacumen.checker.calibrate import Calibration, Point
    from codeacumen.checker.check import Report
    from codeacumen.checker.settings import Settings

Background = Annotated[
    str | None, typer.Option(metavar="FILE|none", help="What was learned from other projects.")
]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    HTML = "html"


# Colours of a terminal by what a text is.
_COLOURS = {
    "place": {"bold": True},
    "name": {"fg": "cyan"},
    "probability": {"fg": "red"},
    "rule": {"fg": "yellow"},
    "why": {"dim": True},
    "better": {"fg": "green"},
}


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Folders or Java files; the current folder."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Only methods that changed since this revision. main... is where the branch "
            "left main.",
        ),
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="Only methods that the next commit changes.")
    ] = False,
    format_: Annotated[Format, typer.Option("--format", "-f", help="How to tell.")] = Format.TEXT,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write there; not on the terminal."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="never|finding|P",
            help="Exit with 1 never, for any finding (default), or from a probability.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="P", help="Tell findings from this probability on."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Findings that are known.")
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what is found as known findings."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings; else .codeacumen.toml or pyproject.toml at PATH or above.",
        ),
    ] = None,
    background: Background = None,
    workers: Workers = 0,
) -> None:
    """Tell which method names are probably wrong, why, and what would be better.

    Learns from the whole project first: how methods of this shape are named here. Says nothing
    where there is too little to go by. Exits with 1 if something was found, with 2 if it could not
    run.

    Example: codeacumen names check src

    Example: codeacumen names check --since main... --format sarif --out names.sarif

    Example: codeacumen names check --write-baseline names.json
    """
    from codeacumen.api import CodeacumenError
    from codeacumen.checker.check import Asked
    from codeacumen.checker.check import check as checked
    from codeacumen.checker.findings import write_baseline as written
    from codeacumen.checker.settings import changed, fails_on, settings_at
    from codeacumen.core.files import write_atomically
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine

    if since is not None and staged:
        raise CodeacumenError("--since and --staged exclude each other", "choose one")
    if since == "":
        raise CodeacumenError("--since needs a revision", "--since main, or --since HEAD~1")
    places = tuple(paths or [Path()])
    settings = changed(
        settings_at(places[0], config),
        threshold=threshold,
        fail_on=None if fail_on is None else fails_on(fail_on),
        # Who writes a baseline wants all that is found in it, also what the old one knows.
        baseline=baseline,
        background=background,
    )
    if write_baseline is not None:
        settings = _without_baseline(settings)
    asked = Asked(places, settings, since or "", staged)
    with progress_bar() as step:
        report = checked(
            asked, codeacumen_home(), lambda: engine("local", workers or processors()), step
        )
    if write_baseline is not None:
        many = written(write_baseline, report.findings)
        say(f"{many:,} known findings: {write_baseline}")
        return
    data = _rendered(report, format_, colours=out is None and sys.stdout.isatty())
    if out is not None:
        write_atomically(out, data)
    elif data:
        # As bytes: what is written into a pipe is the same everywhere.
        typer.echo(data, nl=False)
    if format_ is Format.TEXT or out is not None:
        _summarised(report)
    if report.failed:
        raise typer.Exit(FOUND_FAILURES)


def _without_baseline(settings: Settings) -> Settings:
    from dataclasses import replace

    return replace(settings, baseline=None)


def _rendered(report: Report, format_: Format, *, colours: bool) -> bytes:
    from codeacumen.checker import told

    if format_ is Format.JSON:
        return told.as_json(report)
    if format_ is Format.SARIF:
        from codeacumen.checker.told import as_sarif

        return as_sarif(report)
    if format_ is Format.HTML:
        from codeacumen.checker.told import as_page

        return as_page(report)
    style = _coloured if colours else told.plain
    lines = told.text_lines(report, lambda role, text: style(role, _one_line(text)))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", errors="backslashreplace")


def _one_line(text: str) -> str:
    """Names and paths of the code that is checked must not steer the terminal, nor look like
    findings of their own."""
    return printable(text).replace("\n", "\\n")


def _coloured(role: str, text: str) -> str:
    return typer.style(text, **_COLOURS.get(role, {}))  # type: ignore[arg-type]


def _summarised(report: Report) -> None:
    from codeacumen.checker.told import summary

    for line in summary(report):
        say(line)


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
            metavar="DIR", help="Renames that `codeacumen names mine` wrote; default: mine now."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE",
            help="Where --write puts the threshold: .codeacumen.toml of REPO, or pyproject.toml.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the threshold into the settings.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The curve: .png, .svg or .html.")
    ] = None,
    background: Background = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Measure the checker on the methods that this repository renamed, and choose its threshold.

    A renamed method under its old name is a wrong name; one of the same files that kept its name
    and body is a right one. The model that judges them knows stable methods of other files only.
    With fewer than 20 renames there is no telling, and no threshold.

    Example: codeacumen names calibrate . --precision 0.8

    Example: codeacumen names calibrate . --write --plot curve.png
    """
    from codeacumen.checker.calibrate import (
        FEWEST,
        calibration,
        cases_of,
        judged,
        record,
        rounded,
        table,
    )
    from codeacumen.checker.calibrate import plot as plotted
    from codeacumen.checker.calibrate import write_threshold as written
    from codeacumen.checker.settings import OWN, settings_at

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
    """Mined into codeacumen's own folder: the next time only new commits are read."""
    from codeacumen.checker.index import Index
    from codeacumen.core.home import codeacumen_home
    from codeacumen.core.machine import processors
    from codeacumen.engines import engine
    from codeacumen.renames.mining import Settings, mine

    index = Index(codeacumen_home(), repository)
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
