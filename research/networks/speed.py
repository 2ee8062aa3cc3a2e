"""Measure how fast each network trains alone: methods a second, waiting time, GPU utilization.

    python -m research.networks.speed --data gluecode --out speed [--prepared prepared]

Each network is trained to name methods for a few rounds of batches. The first round, in which
workers start and kernels are compiled, does not count, nor does a last round that the clock cut to
less than a quarter. Writes a line of ``speed.csv`` for each network, phase (``codeacumen-base`` has
a pre-training and a teaching phase) and, with ``--compiled``, for ``torch.compile``. Networks that
read the code around a method need the data of ``research.networks.plan --prepare`` in ``prepared``.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import time
from itertools import pairwise, product
from pathlib import Path
from statistics import median

from research.networks.plan import (
    BASE,
    LOOKING,
    NAMERS,
    PLAIN,
    ROOT,
    Busy,
    plan,
    program,
    taught,
)

COLUMNS = (
    "network",
    "parameters",
    "batch",
    "precision",
    "examples_per_second",
    "waiting",
    "gpu_busy",
    "rounds",
)
# Settings of each phase. codeacumen-base pre-trains in the first part of its steps; so short a
# training would not reach the second part, so each phase is measured in a training of its own.
PHASES = {
    BASE: {"pre-training": "network.pretrain=1.0", "teaching": "network.pretrain=0.0"},
}
# Additional minutes for a network that is compiled first.
COMPILING = 1.5
# Batches of a round: some seconds, so that the start of a round matters little.
QUICK, SLOW = 400, 80
ALL = (*PLAIN, "transformer", "ggnn", *NAMERS, BASE)
# Tasks of the trainings that are measured: names alone, or all tasks at once.
NAMES = ("naming", "gluecode")
SLOWER = ("transformer", "code2seq", "ggnn", *LOOKING)


def command(
    network: str, args: argparse.Namespace, out: Path, phase: str, compiled: bool
) -> list[str]:
    """Return the plan's training for names with short rounds and a small dev set."""
    (made,) = [one for one in plan(network, args) if one[0] == "train" and taught(one) in NAMES]
    made[made.index("-o") + 1] = str(out)
    if "--from" in made:  # the speed does not depend on the initial weights
        at = made.index("--from")
        del made[at : at + 2]
    made += [] if _is_prepared(network) else ["--limit", str(args.most)]
    minutes = args.minutes + (COMPILING if compiled else 0.0)
    batches = args.round or (SLOW if network in (*SLOWER, BASE) else QUICK)
    for one in (
        f"training.round={batches}",
        "training.epochs=1000",
        "training.patience=0",
        "training.judged=64",
        f"training.minutes={minutes:g}",
        f"training.compile={str(compiled).lower()}",
    ):
        made += ["--set", one]
    return [*made, "--set", PHASES[network][phase]] if phase else made


def _is_prepared(network: str) -> bool:
    return network in LOOKING or network == BASE


def measured(network: str, args: argparse.Namespace, phase: str, compiled: bool) -> dict[str, str]:
    """Train a network for a short time and return its row of ``speed.csv``."""
    ways = [network, *([phase] if phase else []), *(["compiled"] if compiled else [])]
    out = args.out / "-".join(ways)
    made = command(network, args, out, phase, compiled)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = {"network": ", ".join(ways)}
    log = args.out / f"{out.name}.txt"
    if not _is_prepared(network) and not (out / "work" / "sizes.json").is_file():
        # Read the data first, because reading is not measured.
        with log.open("w") as stream:
            subprocess.run(
                program([*made, "--prepare"]),
                stdout=stream,
                stderr=stream,
                env=environment,
                check=False,
            )
    if args.read:
        return told
    busy, began = Busy(), time.time()
    with log.open("a") as stream:
        code = subprocess.run(
            program(made), stdout=stream, stderr=stream, env=environment, check=False
        ).returncode
    busy.stop.set()
    share = busy.between(began, time.time())
    if code:
        print(log.read_text()[-500:], flush=True)
        return told
    return told | speed(out) | {"gpu_busy": "" if share is None else f"{share / 100:.2f}"}


def speed(folder: Path) -> dict[str, str]:
    """Return the columns of ``speed.csv`` from a training's folder."""
    about = json.loads((folder / "model.json").read_bytes())
    with (folder / "history.csv").open() as stream:
        rounds = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    steps = [b["step"] - a["step"] for a, b in pairwise([{"step": 0.0}, *rounds])]
    later = [row for row, many in zip(rounds, steps, strict=True) if many >= steps[0] / 4][1:]
    if not later:
        return {"rounds": "0"}  # only the round that does not count

    def typical(name: str, digits: int) -> str:
        found = median(row.get(name, math.nan) for row in later)
        return "" if math.isnan(found) else f"{found:.{digits}f}"

    return {
        "parameters": str(about["parameters"]),
        "batch": str(about["training"]["batch"]),
        "precision": str(about["training"]["precision"]),
        "examples_per_second": typical("examples_per_second", 0),
        "waiting": typical("waiting", 3),
        "rounds": str(len(later)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="GLUECode data set.")
    parser.add_argument(
        "--variants", type=Path, help="Variants with which codeacumen-base was prepared."
    )
    parser.add_argument(
        "--prepared", type=Path, help="Folder of data that plan.py --prepare wrote."
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--networks", nargs="*", default=list(ALL))
    parser.add_argument(
        "--compiled", nargs="*", default=[], help="Networks to measure also with torch.compile."
    )
    parser.add_argument(
        "--config", default="", help="Configuration of every training, such as small."
    )
    parser.add_argument("--most", type=int, default=40_000, help="Number of methods to read.")
    parser.add_argument(
        "--round", type=int, default=0, help="Batches of a round; 0 for the default."
    )
    parser.add_argument("--read", action="store_true", help="Only read the data, for a later run.")
    parser.add_argument("--minutes", type=float, default=0.4, help="Minutes of each training.")
    parser.add_argument(
        "--set", action="append", default=[], help="Setting of every training; repeatable."
    )
    args = parser.parse_args()
    # Options of the plan that have no meaning here.
    vars(args).update(
        prepare=False, limit=False, patience=1.0, pretrain_minutes=0.0, robustness=None, task=[]
    )
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for network in args.networks:
        ways = (False, True)[: 1 + (network in args.compiled)]
        for phase, compiled in product(PHASES.get(network, ("",)), ways):
            began = time.time()
            rows.append(measured(network, args, phase, compiled))
            print(f"{time.time() - began:6.1f} s  {rows[-1]}", flush=True)
            with (args.out / "speed.csv").open("w", newline="") as stream:
                writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
