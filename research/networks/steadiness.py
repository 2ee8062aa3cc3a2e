"""Train a small codeacumen-base with other settings and measure how often its names change.

It makes the table of docs/models/codeacumen-base.md, "What makes it steady", on one processor core.

    python -m research.networks.steadiness prepared/codeacumen-base robustness steady.csv \
        --name unordered --set unordered=true

``prepared/codeacumen-base`` is the data of ``research/networks/plan.py --prepare`` with certified
variants; ``robustness`` holds the variants to evaluate. The script appends a line to the file.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from codeacumen.api import Capability, Method
from codeacumen.datasets.built import read_built
from codeacumen.models.neural.answering import predict_answers
from codeacumen.models.neural.architecture import Purpose
from codeacumen.models.neural.inputs.base import QuestionKind
from codeacumen.models.neural.networks.base import Base, BaseSettings
from codeacumen.models.neural.training.encoded import EncodedFile
from codeacumen.text.subtokens import split_subtokens

SMALL = {
    "layers": 3,
    "width": 128,
    "heads": 4,
    "inner": 384,
    "decoder": 1,
    "pretrain": 0.0,
    "alone": 1.0,
}
LONGEST, BATCH, RATE, WARM = 140, 64, 0.001, 100
# Number of variants evaluated of each kind, with one location changed and with all.
ASKED = 300


def batches(lengths: NDArray[np.int64], draw: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield batches of examples of similar length, without end."""
    many = 32 * BATCH
    while True:
        order = draw.permutation(len(lengths))
        for at in range(0, len(order), many):
            some = order[at : at + many]
            some = some[np.argsort(lengths[some], kind="stable")]
            parts = [some[start : start + BATCH] for start in range(0, len(some), BATCH)]
            draw.shuffle(parts)  # type: ignore[arg-type]
            yield from parts


def taught(base: Base, file: EncodedFile, steps: int) -> Any:
    """Return a network that is trained to name methods."""
    network: Any = base.build_network()
    network.at(1.0)
    own = np.diff(file.empty_columns()["own_parts"].offsets)
    rows = np.flatnonzero((file.read_column("asks") == QuestionKind.NAME) & (own < LONGEST))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE)
    draw = np.random.default_rng(1)
    for step, some in zip(range(steps), batches(own[rows], draw), strict=False):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM) * (1 - step / steps)
        loss = network.loss(base.collate(file.take_rows(rows[some]), draw))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 50 == 49:
            print(f"{step + 1} of {steps} batches", flush=True)
    return network.eval()


def changes(base: Base, network: Any, robustness: Path) -> dict[str, str]:
    """Return the percentage of changed names by kind and extent, and F1 of the original names."""
    built = read_built(robustness)
    originals = {row["id"]: row for row in built.read_rows("originals.jsonl")}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in built.read_rows("variants.jsonl"):
        if row["where"] in ("single", "all"):
            found.setdefault((row["kind"], row["where"]), []).append(row)
    random.seed(5)
    chosen = {
        key: random.sample(rows, min(len(rows), ASKED)) for key, rows in sorted(found.items())
    }
    texts = {row["id"]: row["text"] for rows in chosen.values() for row in rows}
    texts |= {
        row["method"]: originals[row["method"]]["text"] for rows in chosen.values() for row in rows
    }
    said = predict_answers(
        base, network, [base.extract_features(Method(i, t, "java")) for i, t in texts.items()]
    )
    names = {one: split_subtokens(name or "") for one, name in zip(texts, said, strict=True)}
    told = {}
    both = given = wanted = 0
    for (kind, where), rows in chosen.items():
        changed = [names[row["method"]] != names[row["id"]] for row in rows]
        told[f"{kind}, {where}"] = f"{100 * float(np.mean(changed)):.1f}"
        for row in rows:
            one, true = (
                set(names[row["method"]]),
                set(split_subtokens(originals[row["method"]]["name"])),
            )
            both, given, wanted = both + len(one & true), given + len(one), wanted + len(true)
    return {**told, "f1": f"{200 * both / (given + wanted):.1f}"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("robustness", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument(
        "--set", action="append", default=[], help="Setting of the network, such as agree=4.0."
    )
    parser.add_argument("--steps", type=int, default=1500)
    args = parser.parse_args()
    values = {"true": True, "false": False}
    pairs = [one.split("=") for one in args.set]
    changed: dict[str, Any] = {k: values[v] if v in values else float(v) for k, v in pairs}
    torch.set_num_threads(1)
    torch.manual_seed(1)
    base = Base(BaseSettings(**{**SMALL, **changed}), Purpose("gluecode", Capability.GENERATE))
    base.load_vocabularies(args.prepared / "work" / "vocabulary")
    network = taught(base, EncodedFile(args.prepared / "work" / "train.arrow"), args.steps)
    row = {"name": args.name, **changes(base, network, args.robustness)}
    new = not args.out.is_file()
    with args.out.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(row)


if __name__ == "__main__":
    main()
