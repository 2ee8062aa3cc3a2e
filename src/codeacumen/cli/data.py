"""``codeacumen data``: published data sets, on this machine or not yet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from codeacumen.cli._options import AsJson
from codeacumen.cli._show import Verb, print_facts, print_json, progress_bar, say, verbs

app = verbs("Get the published data sets and see where they are.")


def complete_dataset(incomplete: str) -> list[str]:
    from codeacumen.datasets import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(incomplete)]


@app.command("list", cls=Verb)
def list_(as_json: AsJson = False) -> None:
    """Show every data set: whether it is here, where, its licence and whom to cite.

    Example: codeacumen data list
    """
    from codeacumen.datasets import CATALOGUE, dataset_folder, missing_files

    rows = [
        {
            "name": data.name,
            "title": data.title,
            "here": not missing_files(data),
            "folder": str(dataset_folder(data)),
            "source": f"{data.repository} at {data.commit}",
            "licence": data.licence,
            "citation": data.citation,
            "files": {file.name: file.sha256 for file in data.files},
        }
        for data in CATALOGUE.values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        here = "yes" if row["here"] else f"no: codeacumen data get {row['name']}"
        told = [(key, str(row[key])) for key in ("folder", "source", "licence", "citation")]
        print_facts(f"{row['name']}: {row['title']}", [("here", here), *told])


@app.command("get", cls=Verb)
def get(
    name: Annotated[
        str, typer.Argument(help="Name of the data set.", autocompletion=complete_dataset)
    ],
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Take a local copy from here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a data set home: the pinned commit, every file checked against its SHA-256.

    A download that was cut off goes on where it stopped.

    Example: codeacumen data get idbench

    Example: codeacumen data get idbench --from ~/Downloads/IdBench
    """
    from codeacumen.datasets import dataset, dataset_folder
    from codeacumen.datasets.fetch import get as fetch

    data = dataset(name)
    with progress_bar() as step:
        fetched = fetch(data, source, progress=step)
    already = (
        f"; {len(data.files) - len(fetched)} were here" if len(fetched) < len(data.files) else ""
    )
    say(f"{len(fetched)} of {len(data.files)} files fetched{already}, all hashes right")
    if "none stated" in data.licence:
        say(f"licence: {data.licence}")
    if as_json:
        print_json({"name": name, "folder": str(dataset_folder(data)), "fetched": fetched})
    else:
        typer.echo(dataset_folder(data))
