"""``codeacumen tasks``: list the tasks, show one."""

from __future__ import annotations

from typing import Annotated

import typer

from codeacumen.cli._groups import Command, create_group
from codeacumen.cli._options import (
    AsJson,
    Plugins,
    Tasks,
    complete_task,
    load_datasets,
    load_plugins,
)
from codeacumen.cli._output import print_facts, print_json, print_table

app = create_group("List the tasks, show one.")


@app.command("list", cls=Command)
def list_(task: Tasks = None, as_json: AsJson = False, plugin: Plugins = None) -> None:
    """List the tasks by benchmark: what they ask, and whether their data is here.

    Examples:
        codeacumen tasks list
        codeacumen tasks list -t gluecode@gluecode
    """
    from codeacumen.runs.listing import list_benchmarks, list_tasks

    load_plugins(plugin)
    names = load_datasets(task)
    rows = list_tasks(names or None)
    if as_json:
        print_json(rows)
        return
    benchmarks = list_benchmarks(rows)
    for benchmark in benchmarks:
        cells = [
            [row["name"], row["summary"]] for row in rows if row["benchmark"] == benchmark.name
        ]
        if cells:
            title = f"{benchmark.name}: {benchmark.state}"
            print_table(["task", "question"], cells, title=title, wide=1)
    unbuilt = [
        [benchmark.name, benchmark.state] for benchmark in benchmarks if benchmark.is_unbuilt
    ]
    if unbuilt:
        title = "Built from your data"
        print_table(["benchmark", "command"], unbuilt, title=title, wide=1)


@app.command(cls=Command)
def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME[@DIR]", help="Name of a task.", autocompletion=complete_task),
    ],
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Show a task: what it needs, how it is scored, three of its instances.

    Examples:
        codeacumen tasks show idbench/similarity/small
        codeacumen tasks show gluecode/naming@gluecode
    """
    from dataclasses import asdict

    from codeacumen.datasets import CATALOGUE, missing_files
    from codeacumen.registry import make_task
    from codeacumen.runs.plan import question_to_json

    load_plugins(plugin)
    (task_name,) = load_datasets([name])
    task = make_task(task_name)
    card = task.card
    published = CATALOGUE.get(card.dataset)
    is_here = published is None or not missing_files(published)
    instances = task.instances() if is_here else []
    if as_json:
        examples = [
            {"id": i.id, "input": question_to_json(i.input), "truth": i.truth}
            for i in instances[:3]
        ]
        count = len(instances) if is_here else None
        print_json({**asdict(card), "instances": count, "examples": examples})
        return
    facts = [
        ("question", card.summary),
        ("capability needed", card.capability.value),
        ("metric", task.metric.title),
        ("version", card.version),
        *((f"evaluation set {part.name}", part.meaning) for part in card.evaluation_sets),
    ]
    if card.slices:
        facts.append(("slices", ", ".join(card.slices)))
    if card.ceiling:
        ceiling = f"{card.ceiling.value} {card.ceiling.label}, {card.ceiling.source}"
        facts.append((card.ceiling.who, ceiling))
    absent = f"data not here: codeacumen dataset get {card.dataset}"
    facts.append(("instances", f"{len(instances):,}" if is_here else absent))
    facts += [("example", f"{instance.id}: {instance.truth}") for instance in instances[:3]]
    if card.citation:
        facts.append(("cite", card.citation))
    print_facts(card.title, facts)
