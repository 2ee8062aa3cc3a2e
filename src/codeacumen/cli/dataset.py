"""``codeacumen dataset``: get published data sets; build, show, audit and export data sets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from codeacumen.cli._dataset_build import build_app
from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import (
    AsJson,
    BootstrapSeed,
    Confidence,
    Models,
    Plugins,
    Resamples,
    complete_task,
    load_plugins,
)
from codeacumen.cli._output import print_facts, print_json, print_note, print_table
from codeacumen.core.progress import show_progress
from codeacumen.text.numbers import ABSENT, format_interval, format_number

if TYPE_CHECKING:
    from codeacumen.api import Score
    from codeacumen.runs.evaluate import NearDuplicateEffect

app = create_group("Get published data sets; build, show, audit and export data sets.")
app.add_typer(build_app, name="build")


def complete_dataset(incomplete: str) -> list[str]:
    from codeacumen.datasets import CATALOGUE

    return [name for name in CATALOGUE if name.startswith(incomplete)]


# --------------------------------------------------------------------------------------
# list, get, show
# --------------------------------------------------------------------------------------


@app.command("list", cls=Command)
def list_(as_json: AsJson = False) -> None:
    """List the published data sets and those that can be built.

    Examples:
        codeacumen dataset list
    """
    from codeacumen.interface.datasets import list_datasets

    datasets = list_datasets()
    if as_json:
        print_json(datasets)
        return
    rows = []
    for row in datasets["published"]:
        here = "yes" if row["installed"] else f"codeacumen dataset get {row['name']}"
        rows.append([row["name"], row["title"], here])
    print_table(["name", "data set", "installed"], rows, title="Published", wide=1)
    cells = [[row["name"], row["command"]] for row in datasets["built"]]
    print_table(["name", "command"], cells, title="Built from your data", wide=1)


@app.command("get", cls=Command)
def get(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of the data set.", autocompletion=complete_dataset
        ),
    ],
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Take a local copy from here.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Download a published data set: a pinned commit, every file checked against its SHA-256.

    An interrupted download continues where it stopped.

    Examples:
        codeacumen dataset get idbench
        codeacumen dataset get idbench --from ~/Downloads/IdBench
    """
    from codeacumen.datasets import dataset_folder, find_dataset
    from codeacumen.datasets.fetch import fetch_dataset as fetch

    data = find_dataset(name)
    with show_progress() as report:
        fetched = fetch(data, source, progress=report)
    present = len(data.files) - len(fetched)
    already = f"; {present} present" if present else ""
    print_note(f"{len(fetched)} of {len(data.files)} files fetched{already}, all hashes match")
    if "none stated" in data.licence:
        print_note(f"licence: {data.licence}")
    if as_json:
        print_json({"name": name, "folder": str(dataset_folder(data)), "fetched": fetched})
    else:
        typer.echo(dataset_folder(data))


@app.command("show", cls=Command)
def show(
    dataset: Annotated[
        str,
        typer.Argument(
            metavar="NAME|DIR",
            help="A published data set, or the folder of one that was built.",
            autocompletion=complete_dataset,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Show a data set: where it is from, its files, its tasks.

    Examples:
        codeacumen dataset show idbench
        codeacumen dataset show ./gluecode
    """
    from codeacumen.interface.datasets import describe_dataset

    described = describe_dataset(dataset)
    if as_json:
        print_json(described)
        return
    if "family" not in described:
        here = "yes" if described["installed"] else f"no: codeacumen dataset get {dataset}"
        keys = ("folder", "source", "licence", "citation")
        facts = [("installed", here), *((key, described[key]) for key in keys)]
        files = ", ".join(described["files"])
        print_facts(f"{dataset}: {described['title']}", [*facts, ("files", files)])
        return
    tasks = described["tasks"]
    facts = [
        ("family", described["family"]),
        ("built with", f"codeacumen {described.get('codeacumen', '')}".rstrip()),
    ]
    settings = ", ".join(
        f"{name}={' '.join(value) if isinstance(value, list) else value}"
        for name, value in described.get("settings", {}).items()
        if not isinstance(value, dict)
    )
    if settings:
        facts.append(("settings", settings))
    facts += [("files", ", ".join(described["files"])), ("tasks", ", ".join(tasks))]
    print_facts(dataset, facts)
    typer.echo(f"next: codeacumen eval -t {tasks[0].split('/')[0]}@{dataset}")


# --------------------------------------------------------------------------------------
# audit, export
# --------------------------------------------------------------------------------------


@app.command("audit", cls=Command)
def audit(
    task: Annotated[
        str, typer.Argument(metavar="NAME@DIR", help="Tasks of a data set: gluecode@DIR.")
    ],
    model: Models = None,
    plugin: Plugins = None,
    seed: BootstrapSeed = 0,
    resamples: Resamples = 2000,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """Measure the effect of near-duplicates across splits on the scores.

    Counts the instances that have a near-duplicate in training, asks models (default: classical)
    and scores them on all instances, on those without a near-duplicate, and on those with one.

    Examples:
        codeacumen dataset audit gluecode@gluecode
        codeacumen dataset audit gluecode@gluecode -m nearest -m my-model --plugin my_model.py
    """
    from codeacumen.interface.datasets import audit_dataset

    load_plugins(plugin)
    effects = audit_dataset(
        task, model or None, seed=seed, confidence=confidence, resamples=resamples
    )
    for line in effects.left_out:
        print_note(f"left out: {line}")
    if as_json:
        print_json([{**asdict(effect), "difference": effect.difference} for effect in effects])
    else:
        _print_effects(effects)


def _print_effects(effects: list[NearDuplicateEffect]) -> None:
    rows = [
        [
            effect.task,
            effect.model,
            f"{effect.near_duplicate.n if effect.near_duplicate else 0:,} of {effect.headline.n:,}",
            format_number(effect.headline.value),
            _format_score(effect.distinct),
            _format_score(effect.near_duplicate),
            format_number(effect.difference),
        ]
        for effect in effects
    ]
    columns = ["task", "model", "duplicates", "all", "without them", "them alone", "difference"]
    print_table(
        columns,
        rows,
        title="Near-duplicates in training",
        caption="Duplicates: instances with a near-duplicate in training. The difference is what "
        "they add to the score of all.",
        right=range(2, len(columns)),
    )


def _format_score(score: Score | None) -> str:
    if score is None:
        return ABSENT
    return f"{format_number(score.value)} {format_interval(score.low, score.high)}".strip()


@app.command("export", cls=Command)
def export(
    task: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME[@DIR]...", help="Tasks to export.", autocompletion=complete_task
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="FILE.jsonl, FILE.csv or FILE.parquet; - prints JSON lines.",
        ),
    ],
    with_truth: Annotated[
        bool, typer.Option("--with-truth", help="Write the truth of each instance, too.")
    ] = False,
    plugin: Plugins = None,
) -> None:
    """Write the instances of tasks: task, id and input, for a model outside codeacumen.

    `codeacumen score` reads the answers: a file with the columns id and answer.

    Examples:
        codeacumen dataset export idbench/similarity/large --out pairs.csv
        codeacumen dataset export gluecode/naming@gluecode --with-truth -o naming.parquet
    """
    from codeacumen.interface.datasets import export_dataset

    load_plugins(plugin)
    count = export_dataset(task, out, with_truth=with_truth)
    where = "" if str(out) == "-" else f": {out}"
    print_note(f"{count:,} instances{where}")
