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
    CONTEXT_NETWORKS,
    NAMERS,
    PLAIN,
    ROOT,
    GpuMonitor,
    build_program,
    list_commands,
    trained_task,
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
SLOWER = ("transformer", "code2seq", "ggnn", *CONTEXT_NETWORKS)


def build_command(
    network: str, args: argparse.Namespace, out: Path, phase: str, compiled: bool
) -> list[str]:
    """Return the plan's training for names with short rounds and a small dev set."""
    (training,) = [
        candidate
        for candidate in list_commands(network, args)
        if candidate[0] == "train" and trained_task(candidate) in NAMES
    ]
    training[training.index("-o") + 1] = str(out)
    if "--from" in training:  # the speed does not depend on the initial weights
        position = training.index("--from")
        del training[position : position + 2]
    training += [] if _is_prepared(network) else ["--limit", str(args.most)]
    minutes = args.minutes + (COMPILING if compiled else 0.0)
    batches = args.round or (SLOW if network in (*SLOWER, BASE) else QUICK)
    for setting in (
        f"training.round={batches}",
        "training.epochs=1000",
        "training.patience=0",
        "training.judged=64",
        f"training.minutes={minutes:g}",
        f"training.compile={str(compiled).lower()}",
    ):
        training += ["--set", setting]
    return [*training, "--set", PHASES[network][phase]] if phase else training


def _is_prepared(network: str) -> bool:
    return network in CONTEXT_NETWORKS or network == BASE


def measure_network(
    network: str, args: argparse.Namespace, phase: str, compiled: bool
) -> dict[str, str]:
    """Train a network for a short time and return its row of ``speed.csv``."""
    labels = [network, *([phase] if phase else []), *(["compiled"] if compiled else [])]
    out = args.out / "-".join(labels)
    training = build_command(network, args, out, phase, compiled)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    row = {"network": ", ".join(labels)}
    log = args.out / f"{out.name}.txt"
    if not _is_prepared(network) and not (out / "work" / "sizes.json").is_file():
        # Read the data first, because reading is not measured.
        with log.open("w") as stream:
            subprocess.run(
                build_program([*training, "--prepare"]),
                stdout=stream,
                stderr=stream,
                env=environment,
                check=False,
            )
    if args.read:
        return row
    gpu_monitor, start = GpuMonitor(), time.time()
    with log.open("a") as stream:
        exit_code = subprocess.run(
            build_program(training), stdout=stream, stderr=stream, env=environment, check=False
        ).returncode
    gpu_monitor.stop.set()
    share = gpu_monitor.mean_between(start, time.time())
    if exit_code:
        print(log.read_text()[-500:], flush=True)
        return row
    return row | read_speed(out) | {"gpu_busy": "" if share is None else f"{share / 100:.2f}"}


def read_speed(folder: Path) -> dict[str, str]:
    """Return the columns of ``speed.csv`` from a training's folder."""
    manifest = json.loads((folder / "model.json").read_bytes())
    with (folder / "history.csv").open() as stream:
        rounds = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    steps = [after["step"] - before["step"] for before, after in pairwise([{"step": 0.0}, *rounds])]
    counted_rounds = [
        row for row, step_count in zip(rounds, steps, strict=True) if step_count >= steps[0] / 4
    ][1:]
    if not counted_rounds:
        return {"rounds": "0"}  # only the round that does not count

    def format_median(name: str, digits: int) -> str:
        value = median(row.get(name, math.nan) for row in counted_rounds)
        return "" if math.isnan(value) else f"{value:.{digits}f}"

    return {
        "parameters": str(manifest["parameters"]),
        "batch": str(manifest["training"]["batch"]),
        "precision": str(manifest["training"]["precision"]),
        "examples_per_second": format_median("examples_per_second", 0),
        "waiting": format_median("waiting", 3),
        "rounds": str(len(counted_rounds)),
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
        compile_options = (False, True)[: 1 + (network in args.compiled)]
        for phase, compiled in product(PHASES.get(network, ("",)), compile_options):
            start = time.time()
            rows.append(measure_network(network, args, phase, compiled))
            print(f"{time.time() - start:6.1f} s  {rows[-1]}", flush=True)
            with (args.out / "speed.csv").open("w", newline="") as stream:
                writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
