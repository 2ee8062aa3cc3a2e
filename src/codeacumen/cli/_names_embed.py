"""``codeacumen names embed``: vectors of identifiers or texts."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from codeacumen.cli._embedding import EmbeddingModel, VectorFile, print_embedding
from codeacumen.cli._options import AsJson, Plugins, load_plugins


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
