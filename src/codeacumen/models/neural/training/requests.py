"""Make training requests from a network's name and tasks; ``interface.training`` calls this."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codeacumen.api import CodeacumenError, Json, Task
from codeacumen.models.neural.catalogue import load_architecture
from codeacumen.models.neural.training.settings import apply_changes, read_config
from codeacumen.models.neural.training.train import JointTask, TrainingRequest, make_request
from codeacumen.tasks.base import StandardTask


def make_requests(
    network: str,
    tasks: Sequence[Task],
    *,
    pretrain: bool = False,
    config: str = "",
    changes: Mapping[str, Json] | None = None,
    start: Path | None = None,
    seed: int | None = None,
    limit: int = 0,
    answers: Sequence[Task] = (),
    **options: Any,
) -> list[TrainingRequest]:
    """Return a training request for each task, or one for all where the network is joint.

    With ``pretrain`` the network learns to guess masked tokens of the tasks' methods. ``config`` is
    that of ``read_config``, ``changes`` are values of the configuration by their keys
    (``training.epochs``), and ``seed`` replaces its seed. ``start`` is the folder of a network to
    start from, ``limit`` the maximum number of training examples of each task, 0 for all.
    ``answers`` are the tasks that the trained network answers at the end; ``options`` are further
    fields of ``TrainingRequest``.
    """
    is_joint = load_architecture(network).task_column
    seeds = {} if seed is None else {"training.seed": seed}
    tables = apply_changes(read_config(network, config), {**seeds, **(changes or {})})
    training_tasks: list[tuple[Task, Path | None]] = [
        (task, get_data_folder(task)) for task in tasks
    ]
    if is_joint:
        training_tasks = [(JointTask(training_tasks), None)]
    answered_tasks = tuple((task, get_data_folder(task)) for task in answers)
    return [
        make_request(
            network,
            tables,
            task,
            pretrain=pretrain,
            start=str(start.resolve()) if start else "",
            data=folder,
            limit=limit,
            answers=answered_tasks,
            **options,
        )
        for task, folder in training_tasks
    ]


def get_data_folder(task: Task) -> Path | None:
    """Return the folder of the data set that a task was loaded from; None if there is none."""
    built = task.built if isinstance(task, StandardTask) else None
    return built.folder if built is not None else None


def parse_changes(settings: Sequence[str]) -> dict[str, Json]:
    """Return values by key, from texts ``KEY=VALUE``; a value that is not JSON is a text.

    ``codeacumen train network`` calls this with its ``--set`` options.
    """
    changes: dict[str, Json] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise CodeacumenError(
                f"--set {setting}: no value", "write KEY=VALUE: --set training.epochs=3"
            )
        try:
            changes[key] = json.loads(value)
        except ValueError:
            changes[key] = value
    return changes
