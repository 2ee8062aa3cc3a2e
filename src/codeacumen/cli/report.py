"""``codeacumen report``: one HTML file about runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._options import AsJson, Plugins, complete_task, load_datasets, load_plugins
from codeacumen.cli._output import print_json


class PlotFormat(StrEnum):
    """File formats of plots."""

    PNG = "png"
    SVG = "svg"


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="File of the report; default: report.html in the first run's folder.",
        ),
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write each plot as a picture, too.")
    ] = None,
    format_: Annotated[
        list[PlotFormat] | None,
        typer.Option("--format", help="Format of the pictures; default: both. Repeatable."),
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", metavar="DIR", help="Describe this corpus, too. Repeatable."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            "--task",
            "-t",
            metavar="NAME@DIR",
            help="Data set that was moved since the run. Repeatable.",
            autocompletion=complete_task,
        ),
    ] = None,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of runs: one HTML file that needs no network.

    A run knows the folder of the data set it was made with; the report reads questions and data
    cards from there.

    Examples:
        codeacumen report codeacumen-run
        codeacumen report run-1 run-2 --out both.html --plots figures --format svg
    """
    from codeacumen.interface.results import write_plots, write_report

    load_plugins(plugin)
    load_datasets(task)
    page = write_report(list(runs), out, corpora=corpus or ())
    pictures: list[Path] = []
    if plots is not None:
        formats = [str(picture) for picture in format_ or list(PlotFormat)]
        pictures = write_plots(list(runs), plots, formats)
    if as_json:
        print_json({"report": str(page.resolve()), "plots": list(map(str, pictures))})
        return
    if plots is not None:
        typer.echo(f"{len(pictures)} pictures in {plots}")
    typer.echo(f"report: {page.resolve()}")
