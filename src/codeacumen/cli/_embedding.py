"""Options and output of ``corpus embed`` and ``names embed``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import complete_model
from codeacumen.cli._output import print_json, print_note

if TYPE_CHECKING:
    from codeacumen.models.vector_files import EmbeddingSummary

EmbeddingModel = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME[:KEY=VALUE,...]",
        autocompletion=complete_model,
        help="Model with the capability embed: run:DIR, embedding:DIR, minilm.",
    ),
]
VectorFile = Annotated[
    Path, typer.Option("--out", "-o", metavar="FILE", help="FILE.parquet, or FILE.npy with a .txt.")
]


def print_embedding(
    summary: EmbeddingSummary, kind: str, out: Path, seconds: float, *, as_json: bool
) -> None:
    """Print how many vectors were written; end with exit code 1 if the model failed at some."""
    if as_json:
        facts = {name: value for name, value in asdict(summary).items() if name != "error"}
        error = {"error": summary.error} if summary.error else {}
        print_json({**facts, **error, "seconds": round(seconds, 1), "out": str(out)})
    else:
        without = f", {summary.without:,} have none" if summary.without else ""
        print_note(
            f"{summary.vectors:,} vectors of {summary.items:,} {kind}{without}, "
            f"{summary.dimensions} dimensions: {out}"
        )
    if summary.failed:
        print_note(f"{summary.model} failed at {summary.failed:,} of them, first: {summary.error}")
        raise typer.Exit(FOUND_FAILURES)
