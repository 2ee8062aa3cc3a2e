"""``acumen train NETWORK``: a network, for a task, from a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from acumen.api import AcumenError
from acumen.cli._show import print_json, progress_bar, say


def train_network(
    name: str, tasks: list[str], data: list[Path], out: Path, *, config: str,
    changes: list[str], start: Path | None, seed: int | None, most: int, device: str, prepare: bool,
    answer: list[str], workers: int, as_json: bool, variants: Path | None = None,
    prepared: Path | None = None,
) -> None:  # fmt: skip
    from acumen.datasets.built import load_data
    from acumen.engines import engine as make_engine
    from acumen.machine import processors
    from acumen.models.neural.catalogue import architecture
    from acumen.models.neural.joint import Joint
    from acumen.models.neural.preparing import PRETRAIN
    from acumen.models.neural.settings import changed, read_config
    from acumen.models.neural.train import request, train
    from acumen.registry import make_task, select_tasks

    held = {name: folder for folder in data for name in load_data(folder)}
    drawn = {} if seed is None else {"training.seed": seed}
    tables = changed(read_config(name, config), {**drawn, **_values(changes)})
    pretrain = PRETRAIN in tasks
    if pretrain and len(tasks) > 1:
        raise AcumenError(
            "pretrain is for itself", "train for the other tasks afterwards, --from it"
        )
    # Whatever methods there are to be named are there to be read.
    wanted = select_tasks(["gluecode/naming"] if pretrain else tasks)
    taught = [(make_task(one), held.get(one)) for one in wanted]
    if architecture(name).joint:
        taught = [(Joint(taught), None)]
    asked = [
        request(
            name, tables, task, pretrain=pretrain, start=str(start.resolve()) if start else "",
            data=folder, most=most, device=device, prepare=prepare, variants=variants,
            prepared=prepared,
            answers=tuple((make_task(a), held.get(a)) for a in select_tasks(answer)),
        )
        for task, folder in taught
    ]  # fmt: skip
    engine = make_engine("local", workers or processors())
    told: dict[str, Any] = {}
    for one in asked:
        folder = out / one.task.card.name.rpartition("/")[2] if len(asked) > 1 else out
        with progress_bar() as step:
            about = train(one, folder, engine, step)
        if "prepared" not in about:
            about = {**about, "report": _page(folder)}
        told[one.task.card.name] = about
        if not as_json:
            say(_line(about, folder))
    if as_json:
        print_json(told)


def _page(folder: Path) -> str:
    """Where the page is; a network that was trained for hours is not lost for want of plots."""
    from acumen.report.training import write_training

    try:
        return str(write_training(folder))
    except ModuleNotFoundError as error:
        return f"none, {error.name} is not installed"


def _values(changes: list[str]) -> dict[str, Any]:
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
    if "prepared" in about:
        sizes = ", ".join(f"{split} {one['kept']:,}" for split, one in about["prepared"].items())
        return f"prepared: {sizes}: {folder}"
    best, sizes = about["best"], about["data"]["sizes"]
    score = (
        f"dev {best['dev_score']:.3f}" if best["dev_score"] else f"dev loss {best['dev_loss']:.3f}"
    )
    return (
        f"{about['network']} for {about['purpose']['task']}: {score} after "
        f"{int(best['round']) + 1} of {about['rounds']} rounds, {about['parameters']:,} weights, "
        f"{sizes['train']['kept']:,} examples, {about['seconds']:.0f} s: {folder}\n"
        f"report: {about['report']}"
    )
