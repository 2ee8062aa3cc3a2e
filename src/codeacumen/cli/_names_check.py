"""``codeacumen names check`` and ``calibrate``: find wrong method names, and measure the
checker."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import AsJson, Workers
from codeacumen.cli._output import escape_control, print_json, print_note, print_table
from codeacumen.text.numbers import format_interval

if TYPE_CHECKING:
    from codeacumen.checker.calibrate import Point
    from codeacumen.checker.check import Report
    from codeacumen.interface.names import CheckerCalibration

Background = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|none",
        help="Model of names in other projects; default: the one in the package.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Settings; default: the nearest .codeacumen.toml or pyproject.toml above the code.",
    ),
]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    HTML = "html"


# Colours in a terminal, by the role of a text (``checker.formats.format_lines``).
_COLOURS = {
    "place": {"bold": True},
    "name": {"fg": "cyan"},
    "probability": {"fg": "red"},
    "rule": {"fg": "yellow"},
    "reason": {"dim": True},
    "suggestion": {"fg": "green"},
}


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...", help="Folders or Java files; default: the current folder."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Check only methods that changed since this revision; main...: since the branch "
            "left main.",
        ),
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="Check only methods that the next commit changes.")
    ] = False,
    format_: Annotated[Format | None, typer.Option("--format", "-f", help="Output format.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write the findings to a file."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="never|finding|P",
            help="Exit with 1 never, for any finding (default), or from a probability on.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, metavar="P", help="Report findings with at least this probability."
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Suppress the findings in this file.")
    ] = None,
    write_baseline: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all findings to a baseline instead."),
    ] = None,
    config: Config = None,
    background: Background = None,
    workers: Workers = 0,
) -> None:
    """Find method names that are probably wrong, with reasons and better names.

    Learns from the whole project first how methods are named in it. Reports nothing where there is
    too little to judge by. The exit code is 1 if there are findings.

    Examples:
        codeacumen names check src
        codeacumen names check --since main... --format sarif --out names.sarif
        codeacumen names check --write-baseline names.json
    """
    from codeacumen.checker.findings import write_baseline as write_findings
    from codeacumen.core.files import write_atomically
    from codeacumen.interface.names import check_names

    if since is not None and staged:
        raise CodeacumenError("--since and --staged exclude each other", "choose one")
    if since == "":
        raise CodeacumenError("--since needs a revision", "--since main, or --since HEAD~1")
    if as_json and format_ not in (None, Format.JSON):
        raise CodeacumenError(f"--json and --format {format_} exclude each other", "choose one")
    output_format = Format.JSON if as_json else format_ or Format.TEXT
    report = check_names(
        [*(paths or [Path()])],
        since=since or "",
        staged=staged,
        threshold=threshold,
        fail_on=fail_on,
        baseline=baseline,
        # A new baseline holds all findings, also those that the old one suppresses.
        use_baseline=write_baseline is None,
        config=config,
        background=background,
        workers=workers,
    )
    if write_baseline is not None:
        count = write_findings(write_baseline, report.findings)
        print_note(f"{count:,} known findings: {write_baseline}")
        return
    data = _render_report(report, output_format, colours=out is None and sys.stdout.isatty())
    if out is not None:
        write_atomically(out, data)
    elif data:
        # Bytes, so that a pipe receives the same output on every platform.
        typer.echo(data, nl=False)
    if output_format is Format.TEXT or out is not None:
        _print_summary(report)
    if report.failed:
        raise typer.Exit(FOUND_FAILURES)


def _render_report(report: Report, output_format: Format, *, colours: bool) -> bytes:
    from codeacumen.checker import formats

    if output_format is Format.JSON:
        return formats.format_json(report)
    if output_format is Format.SARIF:
        return formats.format_sarif(report)
    if output_format is Format.HTML:
        return formats.render_page(report)
    style = _colour_text if colours else formats.plain_style
    lines = formats.format_lines(report, lambda role, text: style(role, _escape_line(text)))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", errors="backslashreplace")


def _escape_line(text: str) -> str:
    """Return the text as one line without control characters: names and paths of the checked code
    must not steer the terminal, nor look like findings."""
    return escape_control(text).replace("\n", "\\n")


def _colour_text(role: str, text: str) -> str:
    return typer.style(text, **_COLOURS.get(role, {}))  # type: ignore[arg-type]


def _print_summary(report: Report) -> None:
    from codeacumen.checker.formats import format_summary

    for line in format_summary(report):
        print_note(line)


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
            metavar="DIR", help="Folder of `codeacumen renames mine`; default: mine the repository."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Settings file for --write; default: .codeacumen.toml of REPO.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write the threshold to the settings file.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the curve as .png, .svg or .html."),
    ] = None,
    background: Background = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:
    """Measure the checker on the methods that a repository renamed, and choose its threshold.

    A renamed method under its old name is a wrong name; a method of the same files that kept its
    name and body is a right one. The model that judges them knows stable methods of other files
    only. No threshold is chosen from fewer than 20 renames.

    Examples:
        codeacumen names calibrate . --precision 0.8
        codeacumen names calibrate . --write --plot curve.png
    """
    from codeacumen.checker.calibrate import (
        MIN_RENAMES,
        calibration_to_json,
        round_threshold,
        write_threshold,
    )
    from codeacumen.checker.calibrate import write_curve_plot as write_plot
    from codeacumen.checker.settings import OWN_FILE
    from codeacumen.interface.names import calibrate_checker

    measured = calibrate_checker(
        repository, precision=precision, mined=mined, background=background, workers=workers
    )
    calibration = measured.calibration
    if plot is not None:
        write_plot(calibration, plot)
    if as_json:
        left_out = dict(sorted(measured.left_out.items()))
        print_json({**calibration_to_json(calibration), "left_out": left_out})
    else:
        _print_calibration(measured)
    if calibration.too_few:
        renames = f"{calibration.wrong} renames are too few"
        print_note(f"{renames} to choose a threshold by: at least {MIN_RENAMES}")
        return
    best = calibration.chosen
    if best is None:
        print_note(f"no threshold gives a precision of {precision:g}")
        return
    threshold = round_threshold(best)
    print_note(
        f"threshold {threshold:g}: precision {best.precision:.2f} "
        f"({format_interval(*best.precision_bounds, 2)}), recall {best.recall:.2f}"
    )
    if write:
        file = out or repository / OWN_FILE
        write_threshold(file, threshold)
        print_note(f"written: {file}")


def _print_calibration(measured: CheckerCalibration) -> None:
    calibration, left_out = measured.calibration, sorted(measured.left_out.items())
    rows = [
        [
            f"{point.threshold:g}",
            f"{point.reported:,}",
            f"{point.wrong:,}",
            f"{point.precision:.2f}" if point.reported else "–",
            format_interval(*point.precision_bounds, 2) if point.reported else "",
            f"{point.recall:.2f}",
            format_interval(*point.recall_bounds, 2),
            _draw_bar(point),
        ]
        for point in measured.points
    ]
    columns = ["threshold", "reported", "renamed", "precision", "95 %", "recall", "95 %"]
    print_table(
        [*columns, "precision, recall"],
        rows,
        title=f"{calibration.wrong:,} renamed methods, {calibration.right:,} stable ones",
        caption=f"left out: {', '.join(f'{count} {tag}' for tag, count in left_out)}"
        if left_out
        else "",
        right=[0, 1, 2, 3, 5],
    )


def _draw_bar(point: Point) -> str:
    """Return a bar of up to twenty characters for precision and recall.

    The heavy line is precision; a light line continues it if recall is greater.
    """
    width = 20
    precision, recall = round(width * point.precision), round(width * point.recall)
    return "".join(
        "━" if i < precision else "─" if i < recall else " " for i in range(max(precision, recall))
    ).rstrip()
