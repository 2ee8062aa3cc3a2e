"""The command line, with a command or a group of commands for each verb.

A verb is the first word after ``codeacumen``. ``VERBS`` names the module of each verb, which is
imported when the verb is used. The overview of the program lists the verbs in panels.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from codeacumen import __version__
from codeacumen.cli._groups import LazyVerb, create_lazy_group

_EVALUATE = "Evaluate models"
_DATA = "Build benchmarks"
_TRAIN = "Train models"
_CODE = "Work with code"
_PEOPLE = "Ask people"

VERBS = tuple(
    LazyVerb(name, f"codeacumen.cli.{module}", summary, panel, function)
    for panel, name, module, function, summary in (
        (_EVALUATE, "eval", "eval", "evaluate", "Evaluate models on tasks."),
        (_EVALUATE, "score", "eval", "score", "Score answers that another program made."),
        (_EVALUATE, "compare", "eval", "compare", "Test the differences between models."),
        (_EVALUATE, "report", "report", "report", "Write the report of one or more runs."),
        (_EVALUATE, "reproduce", "reproduce", "reproduce", "Recompute the tables of a paper."),
        (_EVALUATE, "tasks", "tasks", "app", "List tasks, show one."),
        (_EVALUATE, "models", "models", "app", "List models, show one."),
        (_DATA, "corpus", "corpus", "app", "Build a corpus of methods from source code, query it."),
        (_DATA, "dataset", "dataset", "app", "Get published data sets; build, audit, export them."),
        (_DATA, "renames", "renames", "app", "Mine renamed methods from history and reviews."),
        (_DATA, "similar", "similar", "app", "Mine and find methods that may do the same."),
        (_TRAIN, "train", "train", "app", "Train an embedding or a network."),
        (_CODE, "names", "names", "app", "Check method names, suggest and compare names."),
        (_CODE, "measure", "measure", "app", "Measure the methods of Java code."),
        (_CODE, "transform", "transform", "transform", "Transform programs, keep their meaning."),
        (_PEOPLE, "survey", "survey", "app", "Select questions, simulate raters, clean votes."),
    )
)

app = typer.Typer(
    help="Measure how well a model understands code.\n\n"
    " Start with: codeacumen eval -t abbreviations, then: codeacumen report codeacumen-run",
    no_args_is_help=True,
    rich_markup_mode="rich",
    cls=create_lazy_group(VERBS),
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"codeacumen {__version__}")
        raise typer.Exit


@app.callback()
def codeacumen(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A name from the command line or a model's answer may not be encodable.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="codeacumen")
