"""``acumen tasks``: what can be asked."""

from __future__ import annotations

from typing import Annotated

import typer

from acumen.cli import _tasks_audit, _tasks_build
from acumen.cli._app import Verb, verbs
from acumen.cli._options import (
    AsJson,
    Data,
    Plugins,
    complete_task,
    load_data,
    load_plugins,
    with_data,
)
from acumen.cli._show import print_facts, print_json, print_listing

app = verbs("See the tasks there are, and build those that come from a corpus.")
app.add_typer(_tasks_build.app, name="build")
app.command("audit", cls=Verb)(_tasks_audit.audit)


@app.command("list", cls=Verb)
def list_(as_json: AsJson = False, plugin: Plugins = None, data: Data = None) -> None:
    """List all tasks, ours and those of other packages.

    Example: acumen tasks list
    """
    load_plugins(plugin or [])
    load_data(data)
    print_listing("task", "what it asks", as_json=as_json)


@app.command(cls=Verb)
def show(
    name: Annotated[str, typer.Argument(help="Name of a task.", autocompletion=complete_task)],
    as_json: AsJson = False,
    plugin: Plugins = None,
    data: Data = None,
) -> None:
    """Show one task: what it needs, how it is scored, three of its instances.

    Example: acumen tasks show idbench/similarity/small
    """
    from dataclasses import asdict

    from acumen.datasets import CATALOGUE, missing_files
    from acumen.registry import make_task
    from acumen.runs.plan import input_record

    load_plugins(plugin or [])
    (name,) = with_data([name], data)
    task = make_task(name)
    card = task.card
    published = CATALOGUE.get(card.dataset)
    here = published is None or not missing_files(published)
    instances = task.instances() if here else []
    if as_json:
        examples = [
            {"id": i.id, "input": input_record(i.input), "truth": i.truth} for i in instances[:3]
        ]
        counted = len(instances) if here else None
        print_json({**asdict(card), "instances": counted, "examples": examples})
        return
    facts = [
        ("asks", card.summary),
        ("face needed", card.face.value),
        ("metric", task.metric.title),
        ("version", card.version),
        *(("scored on", f"{c.name}: {c.meaning}") for c in card.conventions),
    ]
    if card.slices:
        facts.append(("slices", ", ".join(card.slices)))
    if card.ceiling:
        people = f"{card.ceiling.value} {card.ceiling.label}, {card.ceiling.source}"
        facts.append((card.ceiling.who, people))
    absent = f"data not here: acumen data get {card.dataset}"
    facts.append(("instances", str(len(instances)) if here else absent))
    facts += [("for example", f"{instance.id}: {instance.truth}") for instance in instances[:3]]
    if card.citation:
        facts.append(("cite", card.citation))
    print_facts(card.title, facts)
