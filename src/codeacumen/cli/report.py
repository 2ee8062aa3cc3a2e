"""``codeacumen report``: what a person reads."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._options import AsJson, Data, Plugins, load_data, load_plugins
from codeacumen.cli._show import print_json, progress_bar


class PlotFormat(StrEnum):
    PNG = "png"
    SVG = "svg"


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to write the page.")
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every plot as a picture too.")
    ] = None,
    format_: Annotated[
        list[PlotFormat] | None, typer.Option("--format", help="Format of the pictures.")
    ] = None,
    corpus: Annotated[
        list[Path] | None,
        typer.Option("--corpus", metavar="DIR", help="Describe this corpus too. Repeatable."),
    ] = None,
    plugin: Plugins = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write one HTML file with everything: no network needed to read it.

    Example: codeacumen report codeacumen-run

    Example: codeacumen report run-1 run-2 --out both.html --plots figures --format svg
    """
    from codeacumen.report import build_report, export_plots
    from codeacumen.runs.results import read_run

    load_plugins(plugin or [])
    load_data(data)
    loaded = [(path if path.is_dir() else path.parent, read_run(path)) for path in runs]
    with progress_bar() as step:
        page = build_report(
            loaded, out or loaded[0][0] / "report.html", step, corpus or [], data or []
        )
    pictures: list[Path] = []
    if plots is not None:
        formats = [str(one) for one in format_ or list(PlotFormat)]
        pictures = export_plots(loaded, plots, formats)
    if as_json:
        print_json({"report": str(page.resolve()), "plots": list(map(str, pictures))})
        return
    if plots is not None:
        typer.echo(f"{len(pictures)} pictures in {plots}")
    typer.echo(f"report: {page.resolve()}")
