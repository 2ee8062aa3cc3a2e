"""Train a network in two steps: prepare its data from the corpus, then train it elsewhere.

    python -m research.networks.train_prepared gtnm -t gluecode/naming@gluecode \
        --answer gluecode/naming@gluecode --prepare -o prepared/gtnm
    python -m research.networks.train_prepared gtnm -t gluecode/naming@gluecode \
        --answer gluecode/naming@gluecode --prepared prepared/gtnm -o runs/gtnm

The second step needs neither the corpus nor the initial network. It copies the prepared data, so
several trainings that differ only in their hyperparameters read their data once. Answers are
written to ``OUT/answers``, for `codeacumen score`. Without ``--prepare`` and ``--prepared`` this is
`codeacumen train network` for one task.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from codeacumen.core.progress import show_progress
from codeacumen.engines import start_engine
from codeacumen.interface.catalogue import load_tasks
from codeacumen.interface.training import load_training_tasks
from codeacumen.models.neural.training.requests import make_requests, parse_changes
from codeacumen.models.neural.training.train import run_training
from research.command import run_main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network")
    parser.add_argument("--task", "-t", required=True, metavar="NAME@DIR")
    parser.add_argument("--out", "-o", type=Path, required=True)
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="NAME@DIR",
        help="Task to answer at the end; repeatable.",
    )
    parser.add_argument("--prepare", action="store_true", help="Only prepare the data.")
    parser.add_argument("--prepared", type=Path, help="Folder of an earlier --prepare.")
    parser.add_argument("--variants", type=Path, help="Data set of variants to train on.")
    parser.add_argument("--config", default="", help="Configuration, or a TOML file.")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--limit", type=int, default=0, help="Examples of a task; 0 for all.")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument(
        "--workers", "-j", type=int, default=0, help="Number of processes; 0 for one per core."
    )
    args = parser.parse_args()
    tasks, is_pretraining = load_training_tasks(args.task)
    (request,) = make_requests(
        args.network,
        tasks,
        pretrain=is_pretraining,
        config=args.config,
        changes=parse_changes(args.set),
        answers=load_tasks(args.answer),
        limit=args.limit,
        device=args.device,
        variants=args.variants,
        prepare=args.prepare,
        prepared=args.prepared,
    )
    with show_progress() as report:
        about = run_training(request, args.out, start_engine("local", args.workers), report)
    print(json.dumps(about["prepared"] if args.prepare else about["best"]))


if __name__ == "__main__":
    run_main(main)
