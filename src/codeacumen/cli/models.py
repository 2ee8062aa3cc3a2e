"""``codeacumen models``: list the models, show one."""

from __future__ import annotations

from typing import Annotated

import typer

from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import AsJson, Plugins, complete_model, load_plugins
from codeacumen.cli._output import print_facts, print_json, print_table

app = create_group("List the models, show one.")

LABELS_SEEN = {
    "none": "none",
    "train": "those of the training split",
    "train-or-all": "those of the training split; where there is none, all of them",
    "leave-one-out": "all but that of the instance it answers",
    "all": "all of them",
    "before": "none during a run; it was trained before",
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
            metavar="MODEL", help="Name, with or without settings.", autocompletion=complete_model
        ),
    ],
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Show a model: its settings, its capabilities, the tasks it can answer.

    Examples:
        codeacumen models show ensemble
    """
    import inspect
    from dataclasses import asdict

    from codeacumen.api import HasTraining
    from codeacumen.registry import make_model, make_task
    from codeacumen.runs.plan import create_model_card, explain_misfit, list_available_tasks

    load_plugins(plugin)
    loaded = make_model(name)
    card = create_model_card(loaded)
    available = list_available_tasks()
    tasks = [make_task(task) for task in (*available.names, *available.absent)]
    answerable = [
        task.card.name
        for task in tasks
        if not explain_misfit(loaded, task.card, has_training=isinstance(task, HasTraining))
    ]
    if as_json:
        print_json({**asdict(card), "tasks": answerable})
        return
    parameters = str(inspect.signature(loaded.entry.factory)).split(" -> ")[0]
    settings = ", ".join(f"{key}={value}" for key, value in card.settings.items())
    print_facts(
        card.name,
        [
            ("description", card.summary),
            ("parameters", parameters),
            ("settings", settings or "–"),
            ("capabilities", ", ".join(card.capabilities)),
            ("labels it sees", LABELS_SEEN[card.supervision]),
            ("can answer", ", ".join(answerable) or "none of the tasks"),
        ],
    )
