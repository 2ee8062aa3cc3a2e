"""``acumen train NETWORK``: a network, for a task, from a data set."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.api import AcumenError
from acumen.cli._show import print_json, progress_bar, say

if TYPE_CHECKING:
    from acumen.models.neural.training.train import Request


def train_network(
    name: str, tasks: list[str], data: list[Path], out: Path, *, config: str,
    changes: list[str], start: Path | None, seed: int | None, most: int, device: str,
    workers: int, as_json: bool, variants: Path | None = None,
) -> None:  # fmt: skip
    from acumen.engines import engine as make_engine
    from acumen.machine import processors
    from acumen.models.neural.training.train import train

    requests = make_requests(
        name, tasks, data, config=config, changes=changes, start=start, seed=seed, most=most,
        device=device, variants=variants,
    )  # fmt: skip
    engine = make_engine("local", workers or processors())
    results: dict[str, Any] = {}
    for one in requests:
        folder = out / one.task.card.name.rpartition("/")[2] if len(requests) > 1 else out
        with progress_bar() as step:
            about = train(one, folder, engine, step)
        results[one.task.card.name] = about
        if not as_json:
            say(_line(about, folder))
    if as_json:
        print_json(results)


def make_requests(
    name: str, tasks: list[str], data: list[Path], *, config: str = "",
    changes: Sequence[str] = (), start: Path | None = None, seed: int | None = None,
    answer: Sequence[str] = (), **options: Any,
) -> list[Request]:  # fmt: skip
    """Return a training request for each task, or one for all where the network is joint.

    ``answer`` names the tasks that the network answers when it is trained; ``options`` are further
    fields of ``Request``.
    """
    from acumen.datasets.built import load_data
    from acumen.models.neural.catalogue import architecture
    from acumen.models.neural.training.preparing import PRETRAIN
    from acumen.models.neural.training.settings import changed, read_config
    from acumen.models.neural.training.train import Joint, request
    from acumen.registry import make_task, select_tasks

    folders = {task: folder for folder in data for task in load_data(folder)}
    seeds = {} if seed is None else {"training.seed": seed}
    tables = changed(read_config(name, config), {**seeds, **_values(changes)})
    pretrain = PRETRAIN in tasks
    if pretrain and len(tasks) > 1:
        raise AcumenError(
            "pretrain is for itself", "train for the other tasks afterwards, --from it"
        )
    # Pre-training reads every method that there is to be named.
    wanted = select_tasks(["gluecode/naming"] if pretrain else tasks)
    taught = [(make_task(task), folders.get(task)) for task in wanted]
    if architecture(name).joint:
        taught = [(Joint(taught), None)]
    answers = tuple((make_task(task), folders.get(task)) for task in select_tasks(list(answer)))
    return [
        request(
            name, tables, task, pretrain=pretrain, start=str(start.resolve()) if start else "",
            data=folder, answers=answers, **options,
        )
        for task, folder in taught
    ]  # fmt: skip


def _values(changes: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in changes:
        key, equals, value = one.partition("=")
        if not equals:
            raise AcumenError(f"--set {one}: no value", "--set training.epochs=3")
        try:
            found[key] = json.loads(value)
        except ValueError:
            found[key] = value
    return found


def _line(about: dict[str, Any], folder: Path) -> str:
    best, sizes = about["best"], about["data"]["sizes"]
    score = (
        f"dev {best['dev_score']:.3f}" if best["dev_score"] else f"dev loss {best['dev_loss']:.3f}"
    )
    return (
        f"{about['network']} for {about['purpose']['task']}: {score} after "
        f"{int(best['round']) + 1} of {about['rounds']} rounds, {about['parameters']:,} weights, "
        f"{sizes['train']['kept']:,} examples, {about['seconds']:.0f} s: {folder}"
    )
