"""From the names of a network, tasks and data sets to training requests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError, Json
from codeacumen.datasets.built import load_data
from codeacumen.models.neural.catalogue import architecture
from codeacumen.models.neural.training.preparing import PRETRAIN
from codeacumen.models.neural.training.settings import changed, read_config
from codeacumen.models.neural.training.train import Joint, Request, request
from codeacumen.registry import make_task, select_tasks


def make_requests(
    network: str,
    tasks: Sequence[str],
    data: Sequence[Path],
    *,
    config: str = "",
    changes: Mapping[str, Json] | None = None,
    start: Path | None = None,
    seed: int | None = None,
    answer: Sequence[str] = (),
    **options: Any,
) -> list[Request]:
    """Return a training request for each task, or one for all where the network is joint.

    ``changes`` are values of the configuration by their keys (``training.epochs``). ``answer``
    names the tasks that the network answers when it is trained; ``options`` are further fields of
    ``Request``.
    """
    folders = {task: folder for folder in data for task in load_data(folder)}
    seeds = {} if seed is None else {"training.seed": seed}
    tables = changed(read_config(network, config), {**seeds, **(changes or {})})
    pretrain = PRETRAIN in tasks
    if pretrain and len(tasks) > 1:
        raise CodeacumenError(
            "pretrain is for itself", "train for the other tasks afterwards, --from it"
        )
    # Pre-training reads every method that there is to be named.
    wanted = select_tasks(["gluecode/naming"] if pretrain else list(tasks))
    taught = [(make_task(task), folders.get(task)) for task in wanted]
    if architecture(network).joint:
        taught = [(Joint(taught), None)]
    answers = tuple((make_task(name), folders.get(name)) for name in select_tasks(list(answer)))
    return [
        request(
            network,
            tables,
            task,
            pretrain=pretrain,
            start=str(start.resolve()) if start else "",
            data=folder,
            answers=answers,
            **options,
        )
        for task, folder in taught
    ]


def parse_changes(settings: Sequence[str]) -> dict[str, Json]:
    """Return the values of ``KEY=VALUE``; a value that is not JSON is a text."""
    changes: dict[str, Json] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise CodeacumenError(f"--set {setting}: no value", "--set training.epochs=3")
        try:
            changes[key] = json.loads(value)
        except ValueError:
            changes[key] = value
    return changes
