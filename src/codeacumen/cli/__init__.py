"""The command line: a file for each topic, heavy imports inside the verb."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from codeacumen import __version__
from codeacumen.cli import (
    corpus,
    data,
    dataset,
    embed,
    eval,  # noqa: A004 (the verb's name)
    measure,
    models,
    names,
    neighbours,
    report,
    reproduce,
    similar,
    survey,
    tasks,
    train,
    transform,
)
from codeacumen.cli._show import Verb, verbs

app = verbs(
    "Measure how well a model understands code.\n\n"
    "Start with: codeacumen eval, then: codeacumen report codeacumen-run"
)
app.add_typer(data.app, name="data")
app.add_typer(corpus.app, name="corpus")
app.add_typer(measure.app, name="measure")
app.command("transform", cls=Verb)(transform.transform)
app.add_typer(similar.app, name="similar")
app.add_typer(names.app, name="names")
app.add_typer(survey.app, name="survey")
app.add_typer(dataset.app, name="dataset")
app.add_typer(tasks.app, name="tasks")
app.add_typer(models.app, name="models")
app.command("train", cls=Verb)(train.train)
app.command("neighbours", cls=Verb)(neighbours.neighbours)
app.command("embed", cls=Verb)(embed.embed)
app.command("eval", cls=Verb)(eval.evaluate)
app.command("score", cls=Verb)(eval.score)
app.command("compare", cls=Verb)(eval.compare)
app.command("reproduce", cls=Verb)(reproduce.reproduce)
app.command("report", cls=Verb)(report.report)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"codeacumen {__version__}")
        raise typer.Exit


@app.callback()
def codeacumen(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A name from the command line or a model's answer may not be encodable.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="codeacumen")
