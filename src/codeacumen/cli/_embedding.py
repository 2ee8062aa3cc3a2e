"""``codeacumen names embed``, and what it shares with ``corpus embed``: options and output."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._groups import FOUND_FAILURES
from codeacumen.cli._options import AsJson, Plugins, complete_model, load_plugins
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


def embed_names(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Identifiers, one a line; - reads stdin.")
    ],
    model: EmbeddingModel,
    out: VectorFile,
    text: Annotated[
        bool,
        typer.Option("--text", help="Take each line as it is, with the spaces around it."),
    ] = False,
    plugin: Plugins = None,
    as_json: AsJson = False,
) -> None:
    """Write a model's vectors of identifiers or texts into a file.

    A Parquet file has a row for each line (item, vector), with null where the model has no vector.
    A .npy file has only rows that are vectors; the .txt beside it has a line for each. The same
    input gives the same bytes. The exit code is 1 if the model failed at some lines.

    Examples:
        codeacumen names embed names.txt -m embedding:embeddings/ft-cbow --out vectors.npy
        cut -f1 words.tsv | codeacumen names embed - -m minilm --out words.parquet --json
        codeacumen names embed snippets.txt --text -m run:runs/cnn --out snippets.parquet
    """
    from codeacumen.interface.corpora import embed_lines

    load_plugins(plugin)
    started_at = time.monotonic()
    summary = embed_lines(file, model, out, strip=not text)
    print_embedding(summary, "lines", out, time.monotonic() - started_at, as_json=as_json)
