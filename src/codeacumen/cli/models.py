"""``codeacumen models``: who can answer."""

from __future__ import annotations

from typing import Annotated

import typer

from codeacumen.cli._options import AsJson, Plugins, complete_model, load_plugins
from codeacumen.cli._show import Verb, print_facts, print_json, print_listing, verbs

app = verbs("See the models there are.")

LABELS_SEEN = {
    "none": "none",
    "train": "those of the training split",
    "train-or-all": "those of the training split; all, its own too, where there is none",
    "leave-one-out": "all but the one it is asked for",
    "all": "all, its own too",
    "before": "none; it was trained before",
}


@app.command("list", cls=Verb)
def list_(as_json: AsJson = False, plugin: Plugins = None) -> None:
    """List all models, ours and those of other packages.

    Example: codeacumen models list
    """
    load_plugins(plugin or [])
    print_listing("model", "what it is", as_json=as_json)


@app.command(cls=Verb)
def show(
    name: Annotated[
        str, typer.Argument(help="Model, with or without settings.", autocompletion=complete_model)
    ],
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Show one model: its settings, its capabilities, the tasks it can answer.

    Example: codeacumen models show ensemble
    """
    import inspect
    from dataclasses import asdict

    from codeacumen.api import HasTraining
    from codeacumen.registry import make_model, make_task
    from codeacumen.runs.plan import model_card, offered_tasks, why_not

    load_plugins(plugin or [])
    made = make_model(name)
    card = model_card(made)
    offer = offered_tasks()
    tasks = [make_task(task) for task in (*offer.names, *offer.absent)]
    fit = [
        task.card.name
        for task in tasks
        if not why_not(made, task.card, trains=isinstance(task, HasTraining))
    ]
    if as_json:
        print_json({**asdict(card), "tasks": fit})
        return
    settings = str(inspect.signature(made.entry.factory)).split(" -> ")[0]
    now = ", ".join(f"{key}={value}" for key, value in card.settings.items())
    print_facts(
        card.name,
        [
            ("is", card.summary),
            ("settings", settings),
            ("now", now or "–"),
            ("capabilities", ", ".join(card.capabilities)),
            ("labels it sees", LABELS_SEEN[card.supervision]),
            ("can answer", ", ".join(fit) or "none of the tasks"),
        ],
    )
