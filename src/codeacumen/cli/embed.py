"""``codeacumen embed``: vectors of methods, or of identifiers, in a file."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from codeacumen.api import CodeacumenError
from codeacumen.cli._options import AsJson, Plugins, Workers, complete_model, load_plugins
from codeacumen.cli._show import FOUND_FAILURES, print_json, progress_bar, say

STDIN = "-"


def embed(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="A model that has vectors: run:DIR, embedding:DIR, minilm.",
            autocompletion=complete_model,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="FILE.parquet, or FILE.npy with a .txt."),
    ],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="A corpus, or what one is built from: of every method."
        ),
    ] = None,
    names: Annotated[
        str,
        typer.Option(metavar="FILE", help="Of identifiers instead, one a line; - for stdin."),
    ] = "",
    text: Annotated[
        str,
        typer.Option(metavar="FILE", help="Of texts instead, one a line as it is; - for stdin."),
    ] = "",
    mask: Annotated[
        bool,
        typer.Option("--mask", help="Mask the names of the methods, as for models that name."),
    ] = False,
    plugin: Plugins = None,
    workers: Workers = 0,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Write the vectors that a model has for methods, or for identifiers.

    Any model with the capability embed will do: a network that `codeacumen train` trained, an
    embedding of identifiers, a sentence model, one of a plug-in. `codeacumen models show MODEL`
    lists its capabilities.

    A Parquet file has a row for each method with a body (id, project, path, line, name, vector),
    or for each line (item, vector); where the model has no vector, that is null. A .npy file has
    only rows that are vectors, and the .txt beside it says of what. The file appears when it is
    whole, and the same input gives the same bytes. The exit code is 1 if the model failed at some.

    Example: codeacumen embed run:runs/cnn corpus --out methods.parquet

    Example: codeacumen embed embedding:embeddings/ft-cbow --names names.txt --out vectors.npy

    Example: cut -f1 words.tsv | codeacumen embed minilm --names - --out words.parquet --json
    """
    inputs = [bool(sources), bool(names), bool(text)]
    if sum(inputs) != 1:
        raise CodeacumenError(
            "embed what?" if not any(inputs) else "embed one thing at a time",
            "name sources, or give --names FILE or --text FILE",
        )
    if mask and not sources:
        raise CodeacumenError(
            "--mask is for methods", "lines have no name to be masked: leave it out"
        )
    from codeacumen.core.machine import processors
    from codeacumen.corpus.build import open_or_build
    from codeacumen.engines import engine
    from codeacumen.models.vector_files import (
        LINE_COLUMNS,
        METHOD_COLUMNS,
        check_output,
        load_embedder,
        read_lines,
        read_methods,
        write_vectors,
    )

    file = names or text
    check_output(out, file)
    load_plugins(plugin or [])
    made = load_embedder(model)
    began = time.monotonic()
    with progress_bar() as progress, ExitStack() as stack:
        if sources:
            processes = engine("local", workers or processors())
            corpus = stack.enter_context(open_or_build(sources, processes, progress))
            items, columns = read_methods(corpus, mask, progress), METHOD_COLUMNS
        else:
            stream = stack.enter_context(_open_input(file))
            source = "stdin" if file == STDIN else file
            items, columns = read_lines(stream, source, bool(names), progress), LINE_COLUMNS
        summary = write_vectors(made, items, columns, out)
    if as_json:
        facts = {name: value for name, value in asdict(summary).items() if name != "error"}
        error = {"error": summary.error} if summary.error else {}
        seconds = round(time.monotonic() - began, 1)
        print_json({**facts, **error, "seconds": seconds, "out": str(out)})
    else:
        kind = "methods" if sources else "lines"
        without = f", {summary.without:,} have none" if summary.without else ""
        say(
            f"{summary.vectors:,} vectors of {summary.asked:,} {kind}{without}, "
            f"{summary.dimensions} dimensions: {out}"
        )
    if summary.failed:
        say(f"{model} failed at {summary.failed:,} of them, first: {summary.error}")
        raise typer.Exit(FOUND_FAILURES)


@contextmanager
def _open_input(file: str) -> Iterator[BinaryIO]:
    if file == STDIN:
        yield sys.stdin.buffer
        return
    with Path(file).open("rb") as stream:
        yield stream
