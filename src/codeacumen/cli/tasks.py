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

SETS = "evaluation_sets"


@app.command("list", cls=Command)
def list_(task: Tasks = None, as_json: AsJson = False, plugin: Plugins = None) -> None:
    """List the tasks by benchmark, and whether their data is installed.

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
            print_table(["task", "description"], cells, title=title, wide=1)
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
    """Show a task: its requirements, metrics and three instances.

    Examples:
        codeacumen tasks show idbench/similarity/small
        codeacumen tasks show gluecode/naming@gluecode
    """
    from codeacumen.interface.catalogue import describe_task

    load_plugins(plugin)
    described = describe_task(name)
    if as_json:
        print_json({key: value for key, value in described.items() if key != "metric_title"})
        return
    facts = [
        ("description", described["summary"]),
        ("capability needed", described["capability"]),
        ("metric", described["metric_title"]),
        ("version", described["version"]),
        *((f"evaluation set {part['name']}", part["meaning"]) for part in described[SETS]),
    ]
    if described["slices"]:
        facts.append(("slices", ", ".join(described["slices"])))
    if ceiling := described["ceiling"]:
        facts.append(
            (ceiling["who"], f"{ceiling['value']} {ceiling['label']}, {ceiling['source']}")
        )
    absent = f"data not installed: codeacumen dataset get {described['dataset']}"
    count = described["instances"]
    facts.append(("instances", absent if count is None else f"{count:,}"))
    facts += [
        ("example", f"{example['id']}: {example['truth']}") for example in described["examples"]
    ]
    if described["citation"]:
        facts.append(("cite", described["citation"]))
    print_facts(described["title"], facts)
