"""``codeacumen neighbours``: the names nearest to a name in an embedding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._options import AsJson
from codeacumen.cli._show import FOUND_FAILURES, print_json, print_table, say


def neighbours(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="An embedding that `codeacumen train` made.")
    ],
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Identifiers.")],
    n: Annotated[int, typer.Option("-n", min=1, help="How many neighbours.")] = 5,
    as_json: AsJson = False,
) -> None:
    """The names nearest to each name, from near to far, as in IdBench's Table IV.

    The exit code is 1 if a name has no vector: it is not in the vocabulary, and the embedding has
    no n-grams to make one from.

    Example: codeacumen neighbours embeddings/ft-cbow length click

    Example: codeacumen neighbours embeddings/paths rows -n 10 --json
    """
    from codeacumen.models.embeddings.vectors import Vectors

    vectors = Vectors.load(folder)
    found = {name: vectors.neighbours(name, n) for name in names}
    if as_json:
        print_json([
            {
                "name": name,
                "known": name in vectors.place,
                "neighbours": near
                and [{"name": other, "cosine": round(value, 6)} for other, value in near],
            }
            for name, near in found.items()
        ])  # fmt: skip
    else:
        known = {name: near for name, near in found.items() if near is not None}
        columns = [name if name in vectors.place else f"{name} (by its parts)" for name in known]
        longest = max((len(near) for near in known.values()), default=0)
        rows = [
            [
                f"{near[place][0]} {near[place][1]:.2f}" if place < len(near) else ""
                for near in known.values()
            ]
            for place in range(longest)
        ]
        if rows:
            print_table(columns, rows)
    unknown = [name for name, near in found.items() if near is None]
    for name in unknown:
        say(f"{name}: it has no vector")
    if unknown:
        raise typer.Exit(FOUND_FAILURES)
