"""Train and evaluate the networks of docs/networks.md with several commands at a time.

    python -m research.networks.plan --data gluecode --robustness robustness --out runs

Networks that read the code around a method need the corpus. Prepare their data on a machine that
has it; they can then be trained and evaluated elsewhere:

    python -m research.networks.plan ... --prepared prepared --networks cognac gtnm --prepare
    python -m research.networks.plan ... --prepared prepared --networks cognac gtnm

A plan is a list of ``codeacumen`` commands, and of ``research.networks.train_prepared`` for
prepared data. The commands of one network run one after the other, or several at once where they
are independent (``--together 5``); different networks share the processor or the GPU (``--jobs``).
``runs/jobs.json`` records each command, its seconds and the utilization of an NVIDIA card. Commands
whose result exists are skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from codeacumen.core.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
GLUECODE = ("npath", "operators", "nulltoken", "naming", "completion")
PLAIN = ("mlp", "cnn", "bilstm", "seq2seq")
# Networks that only name methods; all others serve all five tasks.
NAMERS = ("code2vec", "code2seq", "spot-cnn", "cognac", "gtnm")
CONTEXT_NETWORKS = ("cognac", "gtnm")
BASE = "codeacumen-base"
# Settings that remove one part of codeacumen-base.
ABLATIONS = {
    "structure": ("network.structure=false",),
    "context": ("network.context=false",),
    "pretraining": ("network.pretrain=0.0",),
    "variants": ("network.contrast=0.0", "network.agree=0.0", "network.renamed=0.0"),
}
# Settings that differ from the publications, for a large GPU and some 100,000 methods: the
# published batch sizes and rates of GLUECode's models are unknown, and 3,000 epochs take too long.
CHANGES = {
    "plain, large": ("training.batch=512", "training.rate=0.002", "training.epochs=12",
                     "training.workers=2"),
    "pretrain": ("training.batch=128", "training.rate=0.0005", "training.warmup=300",
                 "training.epochs=6"),
    "transformer": ("training.batch=64", "training.rate=0.0001", "training.epochs=20"),
    "transformer, large": ("training.batch=256", "training.rate=0.0001", "training.epochs=4"),
    # The published rate decays over 3,000 epochs; Adam converges in some twenty.
    "code2seq": ("training.batch=512", "training.optimiser=adam", "training.rate=0.001",
                 "training.epochs=30", "training.workers=3"),
    "code2vec": ("training.workers=3",),
    # With a constant rate of 0.002 it learned less, and its dev score fell after two rounds. On a
    # GPU a step takes as long with 128 examples as with 256.
    "ggnn, large": ("training.batch=256", "training.warmup=300", "training.linear=true",
                    "training.epochs=10", "training.patience=0", "training.workers=4"),
    "ggnn": ("training.workers=4",),
    "spot-cnn": ("training.workers=3",),
    "cognac": ("training.batch=256", "training.workers=2"),
    "gtnm": ("training.batch=512", "training.rate=0.0004", "training.warmup=1000",
             "training.epochs=16", "training.precision=bf16", "training.workers=2"),
}  # fmt: skip
# Held while jobs.json is written.
JOBS_LOCK = threading.Lock()
# Limit in minutes of training one network for one task.
MINUTES = {"npath": 2.0, "operators": 2.0, "nulltoken": 2.0, "naming": 5.0, "completion": 5.0}


def select_changes(network: str, task: str) -> tuple[str, ...]:
    """Return the settings of a network for a task that differ from its defaults."""
    kind = "plain" if network in PLAIN else network
    large = f"{kind}, large" if task in ("naming", "completion") else kind
    return CHANGES.get(large, CHANGES.get(kind, ()))


def limit_options(args: argparse.Namespace) -> list[str]:
    return ["--limit", str(args.most)]


def plan_base_network(network: str, args: argparse.Namespace) -> list[list[str]]:
    """Return the commands of codeacumen-base, or of codeacumen-base-X without the part X."""
    out, without = args.out, network.removeprefix(BASE).lstrip("-")
    train = ["train", "network", BASE, "-t", f"gluecode@{args.data}", *limit_options(args)]
    train += ["--variants", str(args.variants)] if args.variants else []
    for task in GLUECODE:
        train += ["--answer", f"gluecode/{task}@{args.data}"]
    train += ["--config", args.config] if args.config else []
    prepared = f"{args.prepared}/{BASE}"
    if args.prepare:
        return [[*train, "-o", prepared, "--prepare"]]
    settings = [*ABLATIONS.get(without, ()), *args.set]
    folder = f"{out}/{network}/all"
    train += ["-o", folder, "--prepared", prepared, *_set_options(settings)]
    return [
        train,
        *_score_commands(network, folder, GLUECODE, args),
        *_evaluation_commands(network, f"run:{folder}", args),
    ]


def plan_context_network(network: str, args: argparse.Namespace) -> list[list[str]]:
    """Return the commands of a network that reads the code around a method."""
    task, prepared = f"gluecode/naming@{args.data}", f"{args.prepared}/{network}"
    train = ["train", "network", network, "-t", task]
    train += [*limit_options(args), "--answer", task]
    train += (
        ["--config", args.config]
        if args.config
        else _set_options(select_changes(network, "naming"))
    )
    # Settings by hand come last, because the last value counts.
    train += [*_minutes_option(args, MINUTES["naming"] * args.patience), *_set_options(args.set)]
    if args.prepare:
        return [[*train, "-o", prepared, "--prepare"]]
    folder = f"{args.out}/{network}/naming"
    return [
        [*train, "-o", folder, "--prepared", prepared],
        *_score_commands(network, folder, ("naming",), args),
        *_evaluation_commands(network, f"run:{folder}", args),
    ]


def list_commands(network: str, args: argparse.Namespace) -> list[list[str]]:
    """Return the commands of a network, in order."""
    if network.startswith(BASE):
        return plan_base_network(network, args)
    if network in CONTEXT_NETWORKS:
        return plan_context_network(network, args)
    out = args.out
    config_options = ["--config", args.config] if args.config else []
    commands: list[list[str]] = []
    if network == "transformer":
        pretrained = f"{out}/transformer-base"
        pretrain_config = ["--config", "small"] if args.config else ["--config", "pretrain"]
        commands.append(
            [
                "train",
                "network",
                network,
                "-t",
                f"pretrain@{args.data}",
                "-o",
                pretrained,
                *pretrain_config,
                *_set_options(() if args.config else CHANGES["pretrain"]),
                *_minutes_option(args, args.pretrain_minutes),
                *_set_options(args.set),
            ]
        )
        config_options = [*config_options, "--from", pretrained]
    tasks = tuple(
        task for task in (("naming",) if network in NAMERS else GLUECODE) if task in args.only
    )
    if not tasks:
        return []
    for task in tasks:
        task_changes = () if args.config else select_changes(network, task)
        commands.append(
            [
                "train",
                "network",
                network,
                "-t",
                f"gluecode/{task}@{args.data}",
                "-o",
                f"{out}/{network}/{task}",
                *config_options,
                *_set_options(task_changes),
                *_minutes_option(args, MINUTES[task] * args.patience),
                *_set_options(args.set),
            ]
        )
    models, naming_model = f"run:{out}/{network}", f"run:{out}/{network}/naming"
    names = ("gluecode",) if tasks == GLUECODE else tuple(f"gluecode/{task}" for task in tasks)
    commands.append(
        [
            "eval",
            *(part for name in names for part in ("-t", f"{name}@{args.data}")),
            "-m",
            models,
            "--skip-unfit",
            "--out",
            f"{out}/eval/{network}",
        ]
    )
    return [
        *commands,
        *(_evaluation_commands(network, naming_model, args) if "naming" in tasks else ()),
    ]


def _score_commands(
    network: str, folder: str, tasks: tuple[str, ...], args: argparse.Namespace
) -> list[list[str]]:
    """Return the commands that score the answers of a network that reads the code around a method.

    Without the corpus it would see less than in training, so it answered the prepared questions at
    the end of its training (--answer).
    """
    return [
        [
            "score",
            f"{folder}/answers/gluecode/{task}.jsonl",
            "-t",
            f"gluecode/{task}@{args.data}",
            "--out",
            f"{args.out}/scored/{task}/{network}",
        ]
        for task in tasks
    ]


def _evaluation_commands(network: str, model: str, args: argparse.Namespace) -> list[list[str]]:
    """Return the commands that evaluate a naming network on tasks other than GLUECode's."""
    commands: list[list[str]] = []
    if args.robustness:
        commands.append(
            [
                "eval",
                "-t",
                f"robustness@{args.robustness}",
                "-m",
                model,
                "--out",
                f"{args.out}/robust/{network}",
            ]
        )
    for task in args.task:
        options = ["--skip-unfit", "--out", f"{args.out}/{task}/{network}"]
        commands += [["eval", "-t", task, "-m", model, *options]]
    return commands


def _set_options(values: tuple[str, ...] | list[str]) -> list[str]:
    return [part for value in values for part in ("--set", value)]


def _minutes_option(args: argparse.Namespace, minutes: float) -> list[str]:
    return ["--set", f"training.minutes={minutes:g}"] if args.limit else []


class GpuMonitor:
    """Samples the utilization of the GPU once a second."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, int, int]] = []
        self.stop = threading.Event()
        threading.Thread(target=self._sample_until_stopped, daemon=True).start()

    def _sample_until_stopped(self) -> None:
        command = [
            "nvidia-smi",
            "--query-gpu=utilization.gpu,memory.used",
            "--format=csv,noheader,nounits",
        ]
        while not self.stop.wait(1.0):
            try:
                output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            except (OSError, subprocess.CalledProcessError):
                return
            utilization, memory = output.split("\n")[0].split(",")
            self.samples.append((time.time(), int(utilization), int(memory)))

    def mean_between(self, start: float, end: float) -> float | None:
        utilizations = [busy for moment, busy, _ in self.samples if start <= moment <= end]
        return sum(utilizations) / len(utilizations) if utilizations else None


def list_stages(network: str, args: argparse.Namespace) -> list[list[list[str]]]:
    """Return the commands of a network in stages; the commands of a stage are independent.

    The stages are pre-training, training for each task, and evaluation.
    """
    pretrainings, trainings, evaluations = [], [], []
    for command in list_commands(network, args):
        if command[0] != "train":
            evaluations.append(command)
        elif trained_task(command) == "pretrain":
            pretrainings.append(command)
        else:
            trainings.append(command)
    # The longest first, so that it does not start when the others have ended.
    trainings.sort(key=lambda command: -MINUTES.get(trained_task(command), 0.0))
    return [stage for stage in (pretrainings, trainings, evaluations) if stage]


def trained_task(command: list[str]) -> str:
    """Return the task that a training is for, without its benchmark and its data set."""
    return command[command.index("-t") + 1].partition("@")[0].rpartition("/")[2]


PREPARED_OPTIONS = {"--prepare", "--prepared", "--answer"}


def needs_prepared_data(command: list[str]) -> bool:
    """Return whether a training uses data that are prepared in a separate step."""
    return bool(PREPARED_OPTIONS & set(command))


def build_program(command: list[str]) -> list[str]:
    """Return the command line of a step of the plan."""
    if needs_prepared_data(command):
        return [sys.executable, "-m", "research.networks.train_prepared", *command[2:]]
    return [sys.executable, "-m", "codeacumen", *command]


def run_network(
    network: str, args: argparse.Namespace, gpu_monitor: GpuMonitor, jobs: list[dict[str, object]]
) -> None:
    for stage in list_stages(network, args):
        with ThreadPoolExecutor(args.together) as pool:
            for future in [
                pool.submit(run_command, network, command, args, gpu_monitor, jobs)
                for command in stage
            ]:
                future.result()


def run_command(
    network: str,
    command: list[str],
    args: argparse.Namespace,
    gpu_monitor: GpuMonitor,
    jobs: list[dict[str, object]],
) -> None:
    folder = Path(command[command.index("-o" if "-o" in command else "--out") + 1])
    result_file = "model.json" if command[0] == "train" else "results.json"
    if (folder / ("work/sizes.json" if args.prepare else result_file)).is_file():
        return
    log = args.out / "log" / network / f"{folder.as_posix().strip('/').replace('/', '-')}.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.time()
    with log.open("a") as stream:
        stream.write(f"$ codeacumen {shlex.join(command)}\n")
        stream.flush()
        # Commands run in the user's folder, so research/ must be on the path.
        environment = {
            "PYTHONPATH": str(ROOT),
            "OMP_NUM_THREADS": str(args.threads),
            "MKL_NUM_THREADS": str(args.threads),
        }
        exit_code = subprocess.run(
            build_program(command),
            stdout=stream,
            stderr=stream,
            env={**os.environ, **environment},
            check=False,
        ).returncode
    end = time.time()
    job = {
        "network": network,
        "command": f"codeacumen {shlex.join(command)}",
        "exit": exit_code,
        "seconds": round(end - start, 1),
        "gpu_busy": gpu_monitor.mean_between(start, end),
    }
    # Commands that end at the same moment must not write jobs.json at once.
    with JOBS_LOCK:
        jobs.append(job)
        write_atomically(args.out / "jobs.json", (json.dumps(jobs, indent=1) + "\n").encode())
    print(f"{end - start:6.1f} s  exit {exit_code}  codeacumen {shlex.join(command)}", flush=True)
    if exit_code:
        print(log.read_text()[-600:], flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="GLUECode data set.")
    parser.add_argument("--robustness", type=Path, help="Data set of transformed methods.")
    parser.add_argument(
        "--task",
        action="append",
        default=[],
        help="Further task, such as sesame or idbench; repeatable.",
    )
    parser.add_argument("--variants", type=Path, help="Data set of variants to train on.")
    parser.add_argument("--prepared", type=Path, help="Folder of data that --prepare wrote.")
    # The code around a method is as long as the method, so fewer examples are moved to the GPU.
    parser.add_argument(
        "--most", type=int, default=80_000, help="Examples of a task in prepared data."
    )
    parser.add_argument("--prepare", action="store_true", help="Only prepare the data.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--networks", nargs="*", default=[*PLAIN, *NAMERS[:2], "ggnn", "transformer"]
    )
    # Evaluations of naming need not wait for the trainings of other tasks.
    parser.add_argument(
        "--only", nargs="+", choices=GLUECODE, default=GLUECODE, help="Tasks to train for."
    )
    parser.add_argument("--jobs", type=int, default=1, help="Networks at a time.")
    parser.add_argument("--together", type=int, default=1, help="Commands of a network at a time.")
    parser.add_argument("--threads", type=int, default=1, help="Threads of each command.")
    parser.add_argument(
        "--config", default="", help="Configuration of every training, such as small."
    )
    parser.add_argument(
        "--set", action="append", default=[], help="Setting of every training; repeatable."
    )
    parser.add_argument("--limit", action="store_true", help="Limit the minutes of each training.")
    parser.add_argument(
        "--patience", type=float, default=1.0, help="Factor on the limit of minutes."
    )
    parser.add_argument("--pretrain-minutes", type=float, default=4.0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    gpu_monitor, jobs_file = GpuMonitor(), args.out / "jobs.json"
    jobs: list[dict[str, object]] = json.loads(jobs_file.read_text()) if jobs_file.is_file() else []
    with ThreadPoolExecutor(args.jobs) as pool:
        for future in [
            pool.submit(run_network, network, args, gpu_monitor, jobs) for network in args.networks
        ]:
            future.result()
    gpu_monitor.stop.set()


if __name__ == "__main__":
    main()
