"""Train a network in two steps: read the data beside the corpus, then learn and answer elsewhere.

    python -m research.networks.train_prepared gtnm -t gluecode/naming --data gluecode \
        --answer gluecode/naming --prepare -o prepared/gtnm
    python -m research.networks.train_prepared gtnm -t gluecode/naming --data gluecode \
        --answer gluecode/naming --prepared prepared/gtnm -o runs/gtnm

The second step needs neither the corpus nor what the network starts from. It copies what the first
step left, so several trainings that differ only in how they learn read their data once. Answers lie
in ``OUT/answers``, for `codeacumen score`. Without ``--prepare`` and ``--prepared`` this is
`codeacumen train` of one network.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from codeacumen.cli._show import progress_bar
from codeacumen.core.machine import processors
from codeacumen.engines import engine
from codeacumen.models.neural.training.requests import make_requests, parse_changes
from codeacumen.models.neural.training.train import train
from research.command import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("network")
    parser.add_argument("--task", "-t", required=True)
    parser.add_argument("--data", type=Path, required=True, help="data set of the tasks")
    parser.add_argument("--out", "-o", type=Path, required=True)
    parser.add_argument("--answer", action="append", default=[], help="task to answer at the end")
    parser.add_argument("--prepare", action="store_true", help="only read the data")
    parser.add_argument("--prepared", type=Path, help="folder of an earlier --prepare")
    parser.add_argument("--variants", type=Path, help="variants to learn from")
    parser.add_argument("--config", default="", help="configuration, or a TOML file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--most", type=int, default=0, help="examples of a task; 0: all")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--workers", "-j", type=int, default=0, help="processes; 0: all cores")
    args = parser.parse_args()
    (request,) = make_requests(
        args.network, [args.task], [args.data], config=args.config, changes=parse_changes(args.set),
        answer=args.answer, most=args.most, device=args.device, variants=args.variants,
        prepare=args.prepare, prepared=args.prepared,
    )  # fmt: skip
    with progress_bar() as step:
        about = train(request, args.out, engine("local", args.workers or processors()), step)
    print(json.dumps(about["prepared"] if args.prepare else about["best"]))


if __name__ == "__main__":
    run(main)
