"""``codeacumen models``: list the models, show one."""

from __future__ import annotations

from typing import Annotated

import typer

from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import AsJson, Plugins, complete_model, load_plugins
from codeacumen.cli._output import print_facts, print_json, print_table

app = create_group("List the models, show one.")

# What ``models show`` prints for each value of ``supervision``.
LABELS_SEEN = {
    "none": "none",
    "train": "those of the training split",
    "train-or-all": "those of the training split, or all if there is none",
    "leave-one-out": "all but that of the answered instance",
    "all": "all of them",
    "before": "none in a run; trained before the run",
}


@app.command("list", cls=Command)
def list_(as_json: AsJson = False, plugin: Plugins = None) -> None:
    """List the models, in groups.

    Examples:
        codeacumen models list
        codeacumen models list --plugin my_model.py --json
    """
    from codeacumen.runs.listing import list_models

    load_plugins(plugin)
    rows = list_models()
    if as_json:
        print_json(rows)
        return
    for group in dict.fromkeys(row["group"] for row in rows):
        cells = [
            [row["name"], row["summary"], row["origin"]] for row in rows if row["group"] == group
        ]
        print_table(["model", "description", "from"], cells, title=group, wide=1)


@app.command(cls=Command)
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Name of a model; settings may follow, as in NAME:KEY=VALUE,...",
            autocompletion=complete_model,
        ),
    ],
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Show a model: its settings, its capabilities, the tasks it can answer.

    Examples:
        codeacumen models show ensemble
    """
    from codeacumen.interface.catalogue import describe_model

    load_plugins(plugin)
    described = describe_model(name)
    if as_json:
        print_json({key: value for key, value in described.items() if key != "parameters"})
        return
    settings = ", ".join(f"{key}={value}" for key, value in described["settings"].items())
    print_facts(
        described["name"],
        [
            ("description", described["summary"]),
            ("parameters", described["parameters"]),
            ("settings", settings or "–"),
            ("capabilities", ", ".join(described["capabilities"])),
            ("training labels", LABELS_SEEN[described["supervision"]]),
            ("can answer", ", ".join(described["tasks"]) or "no task"),
        ],
    )
